//! What a word is.
//!
//! The words of a text are its maximal runs of letters and digits (as Unicode has them), in lower case: "Don't e-mail
//! me" is `don`, `t`, `e`, `mail`, `me`. In the regular expressions of Python that is `(?u)[^\W_]+` over the text in
//! lower case, but for marks that Unicode counts as alphabetic: vowel signs of Hindi stay in their words here.
//!
//! Scripts without blanks would come out as one giant word a sentence. Under [`Tokens::ByScript`], runs end where such a
//! script begins or ends, and its runs become n-grams of characters, each with its marks:
//!
//! * Han, Hiragana and Katakana: single characters and pairs of neighbors, 東, 京 and 東京. Most Chinese words have one or
//!   two characters, and pairs do about as well as cutting a text into words: J.-Y. Nie, J. Gao, J. Zhang and M. Zhou,
//!   "On the use of words and n-grams for Chinese information retrieval", IRAL 2000.
//! * Thai, Lao, Khmer and Myanmar: pairs and triples, since one letter of an alphabet says nothing. A run of one letter is
//!   a word itself.
//!
//! Emoji are separate words, those of several signs (skin tones, flags, families) one word each.
//!
//! Phrases of n words are n words with blanks between. In scripts without blanks, they are n-grams with up to n - 1 more
//! characters. No phrase holds both.

use super::script::{Kind, is_plain, kind, pieces};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

/// How a text is cut into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokens {
    /// Maximal runs of letters and digits, whatever their script: the rule of models that were stored without one.
    Runs,
    /// Runs of letters and digits; n-grams of characters in scripts without blanks; and emoji. Where a text has neither
    /// of the last two, its words are those of [`Runs`](Self::Runs).
    ByScript,
}

impl Tokens {
    /// What a stored model means that does not name a rule.
    pub(super) fn unnamed() -> Self {
        Self::Runs
    }

    pub(super) fn is_unnamed(&self) -> bool {
        *self == Self::unnamed()
    }
}

/// The words of a text, in lower case, by the rule [`Tokens::ByScript`]; n-grams of a run come by their lengths, and all
/// else in the order of the text.
///
/// ```
/// use onesided_data::words;
///
/// assert!(words("Don't e-mail me 👍🏽").eq(["don", "t", "e", "mail", "me", "👍🏽"]));
/// assert!(words("iPhone在東京").eq(["iphone", "在", "東", "京", "在東", "東京"]));
/// ```
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let (plain, other) = if is_plain(text) { (text, "") } else { ("", text) };
    let stop = HashSet::new();
    let mut phrases = Phrases::new(Tokens::ByScript, (1, 1), 0, &stop);
    phrases.fill(other);
    let mut words = Vec::with_capacity(phrases.units.len());
    phrases.each(|word| words.push(word.to_string()));
    runs(plain).map(str::to_lowercase).chain(words)
}

/// Maximal runs of letters and digits.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// The terms of one text at a time. Words lie in a buffer with single blanks between, and characters without, so that a
/// phrase is a part of the buffer and costs no allocation.
pub(super) struct Phrases<'a> {
    tokens: Tokens,
    lengths: (usize, usize),
    shortest: usize,
    stop: &'a HashSet<String>,
    text: String,
    units: Vec<Range<usize>>,
    sequences: Vec<Sequence>,
}

/// Neighbors that phrases or n-grams are made of.
struct Sequence {
    /// `Word` (also for emoji), `Character` or `Letter`.
    kind: Kind,
    /// Where its units start; they end where those of the next start.
    start: usize,
}

impl<'a> Phrases<'a> {
    /// Terms of `lengths` words; words have at least `shortest` characters and are not in `stop`. The least length is not
    /// for emoji nor for scripts without blanks: there, one character may be a word.
    pub(super) fn new(
        tokens: Tokens,
        lengths: (usize, usize),
        shortest: usize,
        stop: &'a HashSet<String>,
    ) -> Self {
        let (text, units, sequences) = Default::default();
        Self { tokens, lengths, shortest, stop, text, units, sequences }
    }

    /// Replaces what is held by the terms of `text`.
    pub(super) fn fill(&mut self, text: &str) {
        self.text.clear();
        self.units.clear();
        self.sequences.clear();
        if self.tokens == Tokens::Runs || is_plain(text) {
            self.sequences.push(Sequence { kind: Kind::Word, start: 0 });
            runs(text).for_each(|run| self.add_word(run));
        } else {
            self.fill_by_script(text);
        }
    }

    fn fill_by_script(&mut self, text: &str) {
        let mut end = 0;
        for piece in pieces(text) {
            let kind = if piece.kind == Kind::Emoji { Kind::Word } else { piece.kind };
            let last = self.sequences.last().map(|sequence| sequence.kind);
            // A gap ends a run of characters; words have gaps between them.
            let touches = kind == Kind::Word || piece.start == end;
            end = piece.start + piece.text.len();
            if last != Some(kind) || !touches {
                self.sequences.push(Sequence { kind, start: self.units.len() });
            }
            match piece.kind {
                Kind::Word => self.add_word(piece.text),
                Kind::Emoji => self.add_emoji(piece.text),
                _ => self.add_character(piece.text),
            }
        }
    }

    #[inline]
    fn add_word(&mut self, run: &str) {
        let (before, start) = self.blank();
        let characters = if run.is_ascii() {
            self.text.push_str(run);
            self.text[start..].make_ascii_lowercase();
            run.len()
        } else {
            self.text.push_str(&run.to_lowercase());
            self.text[start..].chars().count()
        };
        if characters < self.shortest || (!self.stop.is_empty() && self.stop.contains(&self.text[start..])) {
            self.text.truncate(before);
        } else {
            self.units.push(start..self.text.len());
        }
    }

    fn add_emoji(&mut self, emoji: &str) {
        let (before, start) = self.blank();
        self.text.extend(emoji.chars().filter(|&c| kind(c) != Kind::Selector));
        if self.stop.contains(&self.text[start..]) {
            self.text.truncate(before);
        } else {
            self.units.push(start..self.text.len());
        }
    }

    fn add_character(&mut self, character: &str) {
        let start = self.text.len();
        self.text.extend(character.chars().filter(|&c| kind(c) != Kind::Selector));
        self.units.push(start..self.text.len());
    }

    /// Puts a blank after what is there; where the text ended before, and where it ends now.
    fn blank(&mut self) -> (usize, usize) {
        let before = self.text.len();
        if before > 0 {
            self.text.push(' ');
        }
        (before, self.text.len())
    }

    /// Every term, as often as it occurs.
    pub(super) fn each(&self, mut visit: impl FnMut(&str)) {
        let ends = self.sequences.iter().skip(1).map(|next| next.start).chain([self.units.len()]);
        for (sequence, end) in self.sequences.iter().zip(ends) {
            let units = &self.units[sequence.start..end];
            let (low, high) = self.lengths;
            // Words were compared with stop words one by one; n-grams are when they are made.
            let visit_gram = |gram: &str| {
                if !self.stop.contains(gram) {
                    visit(gram);
                }
            };
            match sequence.kind {
                Kind::Character => self.windows(units, (low, high + 1), visit_gram),
                Kind::Letter if low == 1 && units.len() == 1 => self.windows(units, (1, 1), visit_gram),
                Kind::Letter => self.windows(units, (low + 1, high + 2), visit_gram),
                _ => self.windows(units, (low, high), &mut visit),
            }
        }
    }

    /// Every run of `low` to `high` neighboring units.
    fn windows(&self, units: &[Range<usize>], (low, high): (usize, usize), mut visit: impl FnMut(&str)) {
        for length in low..=high {
            for run in units.windows(length) {
                visit(&self.text[run[0].start..run[length - 1].end]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(text: &str, shortest: usize, stop: &[&str], lengths: (usize, usize)) -> Vec<String> {
        terms(Tokens::ByScript, text, shortest, stop, lengths)
    }

    fn terms(
        tokens: Tokens,
        text: &str,
        shortest: usize,
        stop: &[&str],
        lengths: (usize, usize),
    ) -> Vec<String> {
        let stop = stop.iter().map(|word| word.to_string()).collect();
        let mut phrases = Phrases::new(tokens, lengths, shortest, &stop);
        // What was there before leaves no trace.
        phrases.fill("other words 東京");
        phrases.fill(text);
        let mut found = Vec::new();
        phrases.each(|phrase| found.push(phrase.to_string()));
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

    #[test]
    fn phrases_of_characters_are_longer_n_grams() {
        assert_eq!(phrases("我爱北京", 2, &[], (1, 1)), ["我", "爱", "北", "京", "我爱", "爱北", "北京"]);
        assert_eq!(phrases("我爱北京", 2, &["我", "爱北"], (2, 2)), ["我爱", "北京", "我爱北", "爱北京"]);
        assert_eq!(phrases("good 東 day OK 👍", 2, &[], (2, 2)), ["day ok", "ok 👍"]);
    }

    #[test]
    fn the_old_rule_is_as_it_was() {
        let text = "iPhone在東京 👍 OK";
        assert_eq!(terms(Tokens::Runs, text, 2, &[], (1, 2)), ["iphone在東京", "ok", "iphone在東京 ok"]);
    }
}
