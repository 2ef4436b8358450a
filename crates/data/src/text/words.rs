//! What a word is.
//!
//! The words of a text are its maximal runs of letters and digits (as Unicode has them), in lower case: "Don't e-mail
//! me" is `don`, `t`, `e`, `mail`, `me`. In the regular expressions of Python that is `(?u)[^\W_]+` over the text in
//! lower case, but for marks that Unicode counts as alphabetic: vowel signs of Hindi or Thai stay in their words here.

use std::collections::HashSet;
use std::ops::Range;

/// The words of a text, in the order they come: maximal runs of letters and digits, in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    runs(text).map(str::to_lowercase)
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The words of one text with single blanks between, so that a phrase is a part of the buffer and costs no allocation.
#[derive(Default)]
pub(super) struct Phrases {
    text: String,
    words: Vec<Range<usize>>,
}

impl Phrases {
    /// Replaces what is held by the words of `text` that have at least `shortest` characters and are not in `stop`.
    pub(super) fn fill(&mut self, text: &str, shortest: usize, stop: &HashSet<String>) {
        self.text.clear();
        self.words.clear();
        for run in runs(text) {
            let start = if self.text.is_empty() { 0 } else { self.text.len() + 1 };
            let before = self.text.len();
            if start > 0 {
                self.text.push(' ');
            }
            let characters = if run.is_ascii() {
                self.text.push_str(run);
                self.text[start..].make_ascii_lowercase();
                run.len()
            } else {
                self.text.push_str(&run.to_lowercase());
                self.text[start..].chars().count()
            };
            if characters < shortest || (!stop.is_empty() && stop.contains(&self.text[start..])) {
                self.text.truncate(before);
            } else {
                self.words.push(start..self.text.len());
            }
        }
    }

    /// Every run of `low` to `high` neighboring words.
    pub(super) fn each(&self, (low, high): (usize, usize), mut visit: impl FnMut(&str)) {
        for length in low..=high {
            for run in self.words.windows(length) {
                visit(&self.text[run[0].start..run[length - 1].end]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(text: &str, shortest: usize, stop: &[&str], lengths: (usize, usize)) -> Vec<String> {
        let mut phrases = Phrases::default();
        // What was there before leaves no trace.
        phrases.fill("other words", 1, &HashSet::new());
        phrases.fill(text, shortest, &stop.iter().map(|word| word.to_string()).collect());
        let mut found = Vec::new();
        phrases.each(lengths, |phrase| found.push(phrase.to_string()));
        found
    }

    #[test]
    fn single_words_follow_the_rule_of_words() {
        let text = "Don't e-mail ME, Café_9! ÉTÉ ΌΧΙ ǅ ١٢ x²";
        assert_eq!(phrases(text, 1, &[], (1, 1)), words(text).collect::<Vec<_>>());
        assert_eq!(words("ÉTÉ x²").collect::<Vec<_>>(), ["été", "x²"]);
    }

    #[test]
    fn phrases_skip_what_is_left_out() {
        let text = "The cat sat on a mat.";
        assert_eq!(phrases(text, 2, &["the", "on"], (1, 2)), ["cat", "sat", "mat", "cat sat", "sat mat"]);
        assert_eq!(phrases(text, 4, &[], (1, 2)), [""; 0]);
        assert_eq!(phrases("one two", 1, &[], (3, 4)), [""; 0]);
        // Length counts characters, not bytes.
        assert_eq!(phrases("é été", 2, &[], (1, 1)), ["été"]);
    }
}
