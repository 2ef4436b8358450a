//! Texts that a spreadsheet would run: a formula gets an apostrophe, which spreadsheets take as the mark of a text.
//!
//! A cell of a text table is a formula if it begins with `=`, `+`, `-` or `@`. Spreadsheets pass over blanks before these, and
//! take their wide and small forms for the signs themselves.

use super::{OutBatch, OutColumn};

/// The signs that begin a formula, and the forms of them that are folded into them (Unicode's compatibility forms).
const SIGNS: [char; 19] = [
    '=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '⁼', '⁺', '⁻', '₌', '₊', '₋',
    '\u{2212}',
];

/// Headers and cells that no spreadsheet runs.
pub(super) fn batch(columns: Vec<OutBatch>) -> Vec<OutBatch> {
    let column = |(mut name, mut cells): OutBatch| {
        make_harmless(&mut name);
        if let OutColumn::Text(texts) | OutColumn::Choice { cells: texts, .. } = &mut cells {
            texts.iter_mut().for_each(make_harmless);
        }
        (name, cells)
    };
    columns.into_iter().map(column).collect()
}

fn make_harmless(text: &mut String) {
    // A tab or a line end at the start is the end of a cell to some programs, and what follows begins another.
    if text.starts_with(['\t', '\r', '\n']) || text.trim_start_matches(is_blank).starts_with(SIGNS) {
        text.insert(0, '\'');
    }
}

/// White space, and what takes no room: control characters, marks of direction and of byte order, joiners.
fn is_blank(c: char) -> bool {
    let no_room = ['\u{ad}', '\u{180e}', '\u{feff}'];
    c.is_whitespace()
        || c.is_control()
        || no_room.contains(&c)
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harmless(text: &str) -> String {
        let mut text = text.to_string();
        make_harmless(&mut text);
        text
    }

    #[test]
    fn what_would_run_gets_an_apostrophe() {
        for text in [
            "=1+1",
            "+1",
            "-1",
            "@run",
            "＝1+1",
            "＋1",
            "－1",
            "＠run",
            "﹦1",
            " =1",
            "\u{a0}=1",
            "\t=1",
            "\r=1",
            "\r\n=1",
            "\u{3000}＝1",
            "\u{feff}=1",
            "\u{200b}\u{1}@x",
            "\tx",
        ] {
            assert_eq!(harmless(text), format!("'{text}"));
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in ["", "a=1", "a-b", "'=1", " a", "5", "#1", "ü", "\"=1\""] {
            assert_eq!(harmless(text), text);
        }
    }

    #[test]
    fn headers_and_texts_are_made_harmless_and_numbers_stay() {
        let texts = OutColumn::Text(vec!["=1".to_string(), "x".to_string()]);
        let made =
            batch(vec![("@id".to_string(), texts), ("-p".to_string(), OutColumn::F32(vec![-1.0, 2.0]))]);
        let texts = OutColumn::Text(vec!["'=1".to_string(), "x".to_string()]);
        assert_eq!(made, [("'@id".to_string(), texts), ("'-p".to_string(), OutColumn::F32(vec![-1.0, 2.0]))]);
    }
}
