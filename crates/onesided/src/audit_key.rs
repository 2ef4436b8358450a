//! The two opaque texts of an audit file: `draw`, the same on every line, says what was drawn; `key` says which row a line is
//! about. They are letters, which no spreadsheet takes for a number or a date, and a person who reads them learns nothing of a row's
//! score.
//!
//! `draw`: a version, fingerprints of the model and the table, the columns that rows' keys are made of, the seed, how the
//! table was labeled, how many rows are predicted positive, the strata, in version 3 how many labeled positives would be in each, and a
//! checksum. `key`: the row's own fingerprint, its number
//! and its stratum, and a checksum that is bound to the draw: a key of another draw, or one that somebody made up, does not fit.

use onesided_data::{Counts, Fingerprint, from_letters, to_letters};
use onesided_eval::audit::Range;

/// The version of the audit file, and that of files which do not tell where labeled positives rank.
const VERSION: u64 = 3;
const WITHOUT_LABELED: u64 = 2;
/// No table has more strata, and no more rows, than that.
const MOST_STRATA: u64 = 1 << 16;
const MOST_ROWS: u64 = 1 << 40;
/// Bytes of a key: fingerprint, row, stratum, checksum.
const KEY: usize = 8 + 5 + 2 + 4;

/// What was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawFacts {
    /// The fingerprint of the model, in letters.
    pub model: String,
    /// The fingerprint of the table, in letters.
    pub table: String,
    /// The columns that rows' keys are made of ([`Encoding::keyed_columns`](onesided_data::Encoding::keyed_columns)).
    pub columns: u64,
    pub seed: u64,
    /// How the table was labeled, unlabeled rows being those of the list; no labels: all rows were in it.
    pub counts: Counts,
    /// How many rows are predicted positive.
    pub predicted: usize,
    pub strata: Vec<Range>,
    /// How many labeled positives would be in each stratum, by their scores out of fold, where these are known.
    pub labeled: Option<Vec<usize>>,
}

impl DrawFacts {
    fn content(&self) -> Option<Vec<u8>> {
        let fingerprint = |letters: &str| from_letters(letters).filter(|bytes| bytes.len() == 8);
        let mut bytes = Vec::new();
        put(&mut bytes, if self.labeled.is_some() { VERSION } else { WITHOUT_LABELED });
        bytes.extend(fingerprint(&self.model)?);
        bytes.extend(fingerprint(&self.table)?);
        bytes.extend(self.columns.to_be_bytes());
        put(&mut bytes, self.seed);
        let Counts { positive, negative, .. } = self.counts;
        for number in [positive, negative, self.predicted, self.strata.len()] {
            put(&mut bytes, number as u64);
        }
        for range in &self.strata {
            put(&mut bytes, range.rows() as u64);
            put(&mut bytes, range.drawn as u64);
        }
        self.labeled.iter().flatten().for_each(|&labeled| put(&mut bytes, labeled as u64));
        Some(bytes)
    }

    /// As the cells of the column `draw` have it.
    pub fn to_text(&self) -> String {
        let mut bytes = self.content().unwrap_or_default();
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        to_letters(&bytes)
    }

    /// What a cell of the column `draw` says.
    pub fn of_text(text: &str) -> Result<Self, WhyNoDraw> {
        let bytes = from_letters(text.trim()).ok_or(WhyNoDraw::Changed)?;
        let (content, sum) = bytes.split_last_chunk::<4>().ok_or(WhyNoDraw::Changed)?;
        if crc32fast::hash(content).to_be_bytes() != *sum {
            return Err(WhyNoDraw::Changed);
        }
        let mut rest = content;
        match take(&mut rest) {
            Some(version @ (VERSION | WITHOUT_LABELED)) => {
                Self::after_version(rest, version == VERSION).ok_or(WhyNoDraw::Changed)
            }
            Some(version) if version > VERSION => Err(WhyNoDraw::Newer(version)),
            _ => Err(WhyNoDraw::Changed),
        }
    }

    fn after_version(mut rest: &[u8], with_labeled: bool) -> Option<Self> {
        let fixed = |rest: &mut &[u8]| {
            let (bytes, others) = rest.split_first_chunk::<8>()?;
            *rest = others;
            Some(*bytes)
        };
        let (model, table) = (to_letters(&fixed(&mut rest)?), to_letters(&fixed(&mut rest)?));
        let (columns, seed) = (u64::from_be_bytes(fixed(&mut rest)?), take(&mut rest)?);
        let count = |rest: &mut &[u8]| take(rest).filter(|&rows| rows < MOST_ROWS).map(|rows| rows as usize);
        let (positive, negative) = (count(&mut rest)?, count(&mut rest)?);
        let (predicted, number) = (count(&mut rest)?, take(&mut rest).filter(|&of| of <= MOST_STRATA)?);
        let (mut strata, mut last) = (Vec::new(), 0);
        for _ in 0..number {
            let (rows, drawn) = (count(&mut rest)?, count(&mut rest)?);
            let range = Range { first: last + 1, last: last + rows, drawn };
            last = (rows > 0 && drawn <= rows && range.last < MOST_ROWS as usize).then_some(range.last)?;
            strata.push(range);
        }
        let of_strata = strata.iter().map(|_| count(&mut rest));
        let labeled = if with_labeled { Some(of_strata.collect::<Option<Vec<usize>>>()?) } else { None };
        let is_whole = rest.is_empty() && !strata.is_empty() && predicted <= last;
        let counts = Counts { positive, unlabeled: last, negative };
        is_whole.then_some(Self { model, table, columns, seed, counts, predicted, strata, labeled })
    }

    /// Sixteen letters by which the draw is known.
    pub fn fingerprint(&self) -> String {
        to_letters(&self.salt().to_be_bytes())
    }

    /// What fingerprints of rows and checksums are salted with: another number for each draw.
    fn salt(&self) -> u64 {
        Fingerprint::default().of_bytes(&self.content().unwrap_or_default()).number()
    }

    /// The fingerprint of a row in this draw, from the number that its cells make.
    pub fn print_of(&self, cells: u64) -> u64 {
        Fingerprint::default().of_bytes(&self.salt().to_be_bytes()).of_bytes(&cells.to_be_bytes()).number()
    }
}

/// Why a cell is not what was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhyNoDraw {
    /// It was changed, or cut.
    Changed,
    /// It is of a later version.
    Newer(u64),
}

/// Which row a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowKey {
    /// [Its fingerprint](DrawFacts::print_of), which decides.
    pub print: u64,
    /// Its number in the table that was drawn from, from 0.
    pub row: usize,
    /// The number of its stratum, from 0.
    pub stratum: usize,
}

impl RowKey {
    /// As the cells of the column `key` have it.
    pub fn to_text(self, draw: &DrawFacts) -> String {
        let mut bytes = self.print.to_be_bytes().to_vec();
        let mask = draw.print_of(self.print).to_be_bytes();
        let row = (self.row as u64).to_be_bytes();
        let stratum = (self.stratum as u16).to_be_bytes();
        bytes.extend(row[3..].iter().chain(&stratum).zip(mask).map(|(byte, mask)| byte ^ mask));
        bytes.extend(sum(draw, &bytes));
        to_letters(&bytes)
    }

    /// What a cell of the column `key` says; `None` if it is no key of this draw.
    pub fn of_text(text: &str, draw: &DrawFacts) -> Option<Self> {
        let bytes: [u8; KEY] = from_letters(text.trim())?.try_into().ok()?;
        let (content, given) = bytes.split_last_chunk::<4>()?;
        if sum(draw, content) != *given {
            return None;
        }
        let (print, masked) = content.split_first_chunk::<8>()?;
        let print = u64::from_be_bytes(*print);
        let mask = draw.print_of(print).to_be_bytes();
        let plain: Vec<u8> = masked.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect();
        let number =
            |bytes: &[u8]| bytes.iter().fold(0usize, |so_far, &byte| so_far << 8 | usize::from(byte));
        let (row, stratum) = (number(&plain[..5]), number(&plain[5..]));
        (stratum < draw.strata.len()).then_some(Self { print, row, stratum })
    }
}

/// A checksum that any changed letter changes, and any other draw.
fn sum(draw: &DrawFacts, content: &[u8]) -> [u8; 4] {
    crc32fast::hash(&[&draw.salt().to_be_bytes(), content].concat()).to_be_bytes()
}

/// A number, seven bits a byte.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(seed: u64) -> DrawFacts {
        let strata =
            vec![Range { first: 1, last: 300, drawn: 20 }, Range { first: 301, last: 1_000, drawn: 30 }];
        let counts = Counts { positive: 40, unlabeled: 1_000, negative: 0 };
        let (model, table) = ("bcdfghjkmnpqrstv".to_string(), "vvvvvvvvbbbbbbbb".to_string());
        DrawFacts { model, table, columns: u64::MAX, seed, counts, predicted: 200, strata, labeled: None }
    }

    #[test]
    fn a_draw_and_its_keys_come_back() {
        let draw = draw(u64::MAX);
        let text = draw.to_text();
        assert_eq!(DrawFacts::of_text(&format!(" {} ", text.to_uppercase())), Ok(draw.clone()));
        let told = DrawFacts { labeled: Some(vec![30, 10]), ..draw.clone() };
        assert_eq!(DrawFacts::of_text(&told.to_text()), Ok(told));
        let key = RowKey { print: 0x0123_4567_89ab_cdef, row: 71_234, stratum: 1 };
        let cell = key.to_text(&draw);
        assert_eq!((cell.len(), RowKey::of_text(&cell, &draw)), (2 * KEY, Some(key)));
        // Rows of one stratum do not look alike.
        let other = RowKey { print: 7, row: 71_235, stratum: 1 }.to_text(&draw);
        assert_ne!(cell[16..30], other[16..30]);
    }

    #[test]
    fn what_was_changed_or_made_up_does_not_fit() {
        let (one, other) = (draw(1), draw(2));
        let text = one.to_text();
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'b' { b'c' } else { b'b' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(DrawFacts::of_text(&changed), Err(WhyNoDraw::Changed), "{at}");
            assert_eq!(DrawFacts::of_text(&text[..at]), Err(WhyNoDraw::Changed), "{at}");
        }
        let key = RowKey { print: 5, row: 3, stratum: 0 };
        let cell = key.to_text(&one);
        assert_eq!(RowKey::of_text(&cell, &other), None);
        for at in 0..cell.len() {
            let mut changed = cell.clone().into_bytes();
            changed[at] = if changed[at] == b'b' { b'c' } else { b'b' };
            assert_eq!(RowKey::of_text(&String::from_utf8(changed).unwrap(), &one), None, "{at}");
        }
        let mut later = vec![4u8];
        later.extend(crc32fast::hash(&later).to_be_bytes());
        assert_eq!(DrawFacts::of_text(&to_letters(&later)), Err(WhyNoDraw::Newer(4)));
    }
}
