//! The one list of rules about columns: what cells are, what is not learned from, how the rest is encoded, and what is said of new rows.

use crate::column_rule::ColumnRule;
use crate::{copies, features, input, screen};

/// All rules about columns, in the order in which a column meets them.
pub fn column_rules() -> Vec<&'static ColumnRule> {
    let mut rules = vec![&input::CELLS];
    rules.extend(screen::SCREENINGS.iter().map(|screening| &screening.rule));
    rules.extend([&features::CATEGORIES, &features::TERMS, &copies::RULE, &features::SHIFTS]);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The page shows the list, and the evidence is there.
    #[test]
    fn the_page_lists_the_rules() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = fs::read_to_string(root.join("docs/columns.md")).unwrap();
        for rule in column_rules() {
            let constants: Vec<String> =
                rule.constants.iter().map(|(name, value)| format!("`{name}` {value}")).collect();
            let file = rule.evidence.split(" (").next().unwrap();
            let line =
                format!("| {} | {} | {} | {} |", rule.name, rule.finds, constants.join(", "), rule.evidence);
            assert!(page.contains(&line), "docs/columns.md lacks the line\n{line}");
            assert!(root.join(file).exists(), "{file}");
        }
    }
}
