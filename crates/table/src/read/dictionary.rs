//! Texts as positions in a sorted list of the different ones.

use super::Trouble;
use super::cell::{Cell, is_missing, look, typed_text};
use super::guess::{Guess, Wanted};
use super::typed_texts::number_style;
use crate::dates::{TimeColumn, TimeStyle, from_categories};
use crate::frame::{MISSING_CODE, Values};
use crate::number::NumberStyle;
use std::collections::HashMap;

/// With more different texts than this that are not prose, a column is left out.
const MOST_LEVELS: usize = 5 * super::MAX_LEVELS;

/// Collects the cells of a text column. Levels come out sorted, so that they do not depend on the order of rows.
#[derive(Default)]
pub(crate) struct Dictionary {
    codes: Vec<u32>,
    known: HashMap<Box<[u8]>, u32>,
    most: Option<usize>,
    /// Which of day and month comes first in dates, where that was said.
    order: Option<TimeStyle>,
}

impl Dictionary {
    /// A dictionary of at most `most` different texts.
    pub(super) fn limited(most: usize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// The same where it was said which of day and month comes first in dates.
    pub(super) fn with_order(self, order: Option<TimeStyle>) -> Self {
        Self { order, ..self }
    }

    /// [`push_cell`](Self::push_cell) of a cell that may be a number by the file's own word.
    pub(super) fn push_typed(&mut self, cell: &[u8], is_number: bool) -> Result<bool, Trouble> {
        if is_number { self.push_cell(&typed_text(cell)) } else { self.push_cell(cell) }
    }

    /// Adds a cell as it is in a file: blanks around it do not count, and some words mean "missing". Returns
    /// whether it is missing.
    pub(super) fn push_cell(&mut self, cell: &[u8]) -> Result<bool, Trouble> {
        let cell = cell.trim_ascii();
        if let Some(&code) = self.known.get(cell) {
            self.codes.push(code);
            return Ok(false);
        }
        if is_missing(cell) {
            self.push_missing();
            return Ok(true);
        }
        // Only new texts need the check: equal bytes have passed it.
        std::str::from_utf8(cell).map_err(|_| Trouble::NotUtf8)?;
        if self.most.is_some_and(|most| self.known.len() >= most) {
            return Err(Trouble::TooManyLevels);
        }
        self.insert(cell);
        Ok(false)
    }

    /// Whether the texts so far have three words or more on average: prose rather than names or numbers.
    pub(super) fn looks_like_prose(&self) -> bool {
        let words = |text: &[u8]| text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        let all: usize = self.known.keys().map(|text| words(text)).sum();
        all >= 3 * self.known.len().max(1)
    }

    /// The texts so far as times, if they are dates: and how many are something else.
    pub(super) fn times(&self, least: usize) -> Option<(TimeColumn, usize)> {
        let mut levels = vec![String::new(); self.known.len()];
        for (text, &code) in &self.known {
            levels[code as usize] = String::from_utf8_lossy(text).into_owned();
        }
        from_categories(&self.codes, &levels, least, self.order)
    }

    /// The texts so far as truth values, if all of them are that or words for nothing.
    pub(super) fn flags(&self) -> Option<Vec<Option<bool>>> {
        let mut of_codes = vec![None; self.known.len()];
        for (text, &code) in &self.known {
            match look(text) {
                Cell::Flag(flag) => of_codes[code as usize] = Some(flag),
                Cell::Marker => {}
                _ => return None,
            }
        }
        let of = |&code: &u32| of_codes.get(code as usize).copied().flatten();
        of_codes.iter().any(Option::is_some).then(|| self.codes.iter().map(of).collect())
    }

    /// The style in which the texts so far are numbers, if nearly all of them are, and whether they leave it open.
    pub(super) fn numbers(&self, least: usize) -> Option<(NumberStyle, bool)> {
        let mut counts = vec![0usize; self.known.len()];
        for &code in &self.codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        number_style(self.known.iter().map(|(text, &code)| (&**text, counts[code as usize])), least)
    }

    /// The texts so far as numbers of a style.
    pub(super) fn into_guess(self, style: NumberStyle) -> Guess {
        let mut levels: Vec<&[u8]> = vec![b""; self.known.len()];
        for (text, &code) in &self.known {
            levels[code as usize] = text;
        }
        let mut guess = Guess::new(Wanted::Numbers(Some(style)));
        for (row, &code) in self.codes.iter().enumerate() {
            guess.push(levels.get(code as usize).copied().unwrap_or_default(), row as u64 + 1);
        }
        guess
    }

    /// Whether more texts may come than it was limited to: they are prose, or hardly half of the cells so far brought a new
    /// one. The limit is lifted then.
    pub(super) fn lifts_limit(&mut self) -> bool {
        let rare = self.known.len() * 10 > self.codes.len() * 9;
        let most = self.most.filter(|most| *most < MOST_LEVELS).filter(|_| !rare);
        let most = if self.looks_like_prose() { Some(usize::MAX) } else { most.map(|_| MOST_LEVELS) };
        let lifted = most.is_some();
        self.most = most.or(self.most);
        lifted
    }

    /// Adds a text as it is.
    pub(crate) fn push_text(&mut self, text: &str) {
        match self.known.get(text.as_bytes()) {
            Some(&code) => self.codes.push(code),
            None => self.insert(text.as_bytes()),
        }
    }

    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) {
        self.codes.push(MISSING_CODE);
    }

    fn insert(&mut self, text: &[u8]) {
        let code = self.known.len() as u32;
        self.known.insert(text.into(), code);
        self.codes.push(code);
    }

    /// The column, with its levels sorted.
    pub fn finish(self) -> Values {
        let mut codes = self.codes;
        let mut known: Vec<(Box<[u8]>, u32)> = self.known.into_iter().collect();
        known.sort_unstable();
        let mut sorted = vec![MISSING_CODE; known.len()];
        let mut levels = Vec::with_capacity(known.len());
        for (at, (text, code)) in known.into_iter().enumerate() {
            sorted[code as usize] = at as u32;
            levels.push(String::from_utf8_lossy(&text).into_owned());
        }
        codes.iter_mut().for_each(|code| *code = sorted.get(*code as usize).copied().unwrap_or(MISSING_CODE));
        codes.shrink_to_fit();
        Values::Categorical { codes, levels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_sorted_and_missing_cells_keep_their_code() {
        let mut dictionary = Dictionary::default();
        for cell in ["pear", " apple", "", "pear ", "NA", "fig"] {
            dictionary.push_cell(cell.as_bytes()).unwrap();
        }
        let Values::Categorical { codes, levels } = dictionary.finish() else { panic!() };
        assert_eq!(levels, ["apple", "fig", "pear"]);
        assert_eq!(codes, [2, 0, MISSING_CODE, 2, MISSING_CODE, 1]);
    }

    #[test]
    fn the_limit_counts_different_texts() {
        let mut dictionary = Dictionary::limited(2);
        assert_eq!(dictionary.push_cell(b"a"), Ok(false));
        assert_eq!(dictionary.push_cell(b"b"), Ok(false));
        assert_eq!(dictionary.push_cell(b"a"), Ok(false));
        assert_eq!(dictionary.push_cell(b""), Ok(true));
        assert_eq!(dictionary.push_cell(b"c"), Err(Trouble::TooManyLevels));
        assert_eq!(Dictionary::default().push_cell(b"\xff"), Err(Trouble::NotUtf8));
    }
}
