//! Names that people mistype: the one that was probably meant, and the sentence that says so.

/// The name in `known` that `given` looks like: a slip of the finger, other capitals, or the beginning of one name alone.
///
/// Slips are insertions, deletions, replacements and swaps of neighbors (optimal string alignment). Past a third of the
/// name it is another word.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Far longer than any name is not a slip, and comparing takes memory in proportion.
    let given: String = given.trim().chars().take(64).collect::<String>().to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let distances = known.iter().map(|name| (strsim::osa_distance(&given, &name.to_lowercase()), *name));
    let slip = distances.filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1));
    let begun = || {
        let mut begun = known.iter().filter(|name| given.len() >= 2 && name.starts_with(&given));
        begun.next().filter(|_| begun.next().is_none()).copied()
    };
    slip.min_by_key(|&(distance, _)| distance).map(|(_, name)| name).or_else(begun)
}

/// `unknown optimizer 'admw' (did you mean 'adamw'?); use nadam, adam or adamw`.
pub fn unknown_name(what: &str, given: &str, known: &[&str]) -> String {
    let meant = nearest(given, known.iter().copied());
    let meant = meant.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"));
    format!("unknown {what} '{}'{meant}; use {}", shortened(given), one_of(known))
}

/// `a, b or c`.
fn one_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_string(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// `'a', 'b', … (12 in all)`: at most `most` names, quoted.
pub fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>, between: &str, most: usize) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> =
        names.by_ref().take(most).map(|name| format!("'{}'", shortened(name.as_ref()))).collect();
    match names.count() {
        0 => shown.join(between),
        more => format!("{}, … ({} in all)", shown.join(between), shown.len() + more),
    }
}

/// At most 40 characters of a cell, so that a message stays one sentence whatever the cell holds.
pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["nadam", "adam", "nadamw", "adamw", "sgd"];

    #[test]
    fn slips_capitals_and_beginnings_find_their_name() {
        assert_eq!(nearest("admw", NAMES), Some("adamw"));
        assert_eq!(nearest("SGD", NAMES), Some("sgd"));
        assert_eq!(nearest("adma", NAMES), Some("adam")); // Neighbors swapped are one slip.
        assert_eq!(nearest("sum", ["sample-mean", "sum-of-means"]), Some("sum-of-means"));
        assert_eq!(nearest("s", ["sample-mean", "sum-of-means"]), None);
        assert_eq!(nearest("single", ["single-sample", "single-row"]), None);
    }

    #[test]
    fn other_words_find_none() {
        assert_eq!(nearest("rmsprop", NAMES), None);
        assert_eq!(nearest("wait", ["weight"]), None); // Three letters of six.
        assert_eq!(nearest("", NAMES), None);
        assert_eq!(nearest(&"x".repeat(100_000), NAMES), None);
        assert_eq!(nearest("adam", []), None);
    }

    #[test]
    fn the_sentence_lists_all_names() {
        let all = "use nadam, adam, nadamw, adamw or sgd";
        assert_eq!(
            unknown_name("optimizer", "addam", &NAMES),
            format!("unknown optimizer 'addam' (did you mean 'adam'?); {all}")
        );
        assert_eq!(
            unknown_name("optimizer", "rmsprop", &NAMES),
            format!("unknown optimizer 'rmsprop'; {all}")
        );
    }

    #[test]
    fn long_cells_and_lists_are_cut() {
        assert_eq!(shortened(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
        assert_eq!(listed(["a", "b", "c"], ", ", 2), "'a', 'b', … (3 in all)");
    }
}
