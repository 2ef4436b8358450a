//! What a column of a text table holds, found out while reading it.
//!
//! Each column is stored as what its first cells are, so that a numeric table is read once and takes no more memory than
//! its numbers. All cells are counted by what they can be read as, and the counts decide at the end, so that the order of
//! rows does not matter:
//!
//! * a cell that the file itself calls a number is one, whatever the decimal sign;
//! * truth values alone, or with markers of missing values, are truth values;
//! * where at least 95 of 100 cells are numbers, with a decimal point or with a decimal comma, the column is numeric, and
//!   its other cells are missing; numbers with a point go first, and a tie, such as `1.250` and `331`, is decided by the
//!   other columns of the table or else is the comma's where semicolons separate cells;
//! * everything else is text.
//!
//! A column that was stored as something else is left to a second pass.
//!
//! Where a model has learned how a column is written, each cell is read so and nothing is counted anew. The counts then tell
//! whether that was right: a file whose numbers have the other sign is refused with its first such cell.

use super::cell::{self, Cell, look_typed, with_comma};
use super::{DatesWritten, Numbers, ReadOptions, Trouble};
use crate::frame::Values;
use crate::number::NumberStyle;

/// A column is numeric if at least this share of its cells are numbers, in percent.
const NEARLY_ALL: usize = 95;

/// Up to this many cells that are not numbers, numbers are still stored.
const FEW: usize = 16;

/// How much of a cell is kept to be shown.
const SHOWN: usize = 64;

/// What a column is to be read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Whatever it is.
    #[default]
    Any,
    /// Numbers, in a style or in the one that fits more cells. Other cells are missing.
    Numbers(Option<NumberStyle>),
    /// Truth values, of which 0 and 1 are another way to write them. Other cells are missing.
    Flags,
    /// Dates and times, written so or in the style that fits most cells. Other cells are missing.
    Times(Option<DatesWritten>),
}

impl Wanted {
    /// What messages call a column of this kind.
    pub(super) fn word(self) -> &'static str {
        match self {
            Wanted::Any => "text",
            Wanted::Numbers(_) => "numeric",
            Wanted::Flags => "true/false",
            Wanted::Times(_) => "dates",
        }
    }
}

/// A cell, and the offset of its record.
pub(super) type Seen = (Vec<u8>, u64);

/// How numbers of a table are written, for columns that leave it open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Habit {
    /// The decimal sign that other columns show, where they agree.
    shown: Option<NumberStyle>,
    /// Whether semicolons separate the cells, as is the custom where commas are decimal.
    semicolons: bool,
}

impl Habit {
    /// That of a table with these columns.
    pub(super) fn of<'g>(guesses: impl Iterator<Item = &'g Guess>, semicolons: bool) -> Self {
        let mut shown = guesses.filter_map(Guess::shows);
        let first = shown.next();
        Self { shown: first.filter(|first| shown.all(|other| other == *first)), semicolons }
    }

    /// The sign of a column that tells nothing itself.
    pub(super) fn of_open_column(self) -> NumberStyle {
        let custom = if self.semicolons { NumberStyle::Comma } else { NumberStyle::Point };
        self.shown.unwrap_or(custom)
    }
}

/// A column whose type is still open.
pub(super) struct Guess {
    /// What cells are stored as.
    wanted: Wanted,
    /// The decimal sign that was asked for.
    decimal: Option<NumberStyle>,
    /// Whether numbers may have signs between groups of digits that the other style has for decimal signs.
    groups: bool,
    /// Whether nothing has shown the sign so far: a number with one that could be either must not decide it.
    no_sign: bool,
    stored: Stored,
    point: Reading,
    comma: Reading,
    flags: Reading,
    /// Cells that are neither missing nor markers nor trouble.
    values: usize,
    markers: usize,
    first_marker: Option<u64>,
    /// Cells that are numbers with either sign, and those among them that are not the same number.
    both: usize,
    open: usize,
    /// The first cell that a numeric column must not have.
    trouble: Option<(Trouble, Seen)>,
    /// Whether it is known that the column is numeric, with a decimal point.
    settled: bool,
}

/// One way to read the cells of a column.
#[derive(Default)]
struct Reading {
    /// Cells that can be read so.
    fits: usize,
    /// The first that cannot.
    first_other: Option<Seen>,
    /// The first that cannot and is a number in the other style.
    first_unlike: Option<Seen>,
    /// The first number that is not written plainly, and what it is.
    example: Option<(Vec<u8>, f64)>,
    /// Whether a number has signs between groups of digits, and the first of which these would be decimal in the other style.
    groups: bool,
    first_grouped: Option<Seen>,
}

enum Stored {
    /// This many missing cells and nothing else.
    Missing(usize),
    Numbers(Numbers),
    Flags(Vec<Option<bool>>),
    /// What was stored would not be needed, and was freed.
    Dropped,
}

/// What a column turned out to be.
pub(super) enum Outcome {
    /// It was stored as what it is.
    Done(Values),
    /// Numbers that must be read again, in this style.
    Numbers(NumberStyle),
    /// Truth values that must be read again.
    Flags,
    /// Texts that must be read.
    Text,
}

/// What is to be said of a column that is numeric or of truth values.
#[derive(Default)]
pub(super) struct Remarks {
    pub style: NumberStyle,
    /// Whether a cell shows that sign, or leaves open which it is; neither where no cell has one.
    pub sure: Option<bool>,
    /// Whether numbers have signs between groups of digits.
    pub groups: bool,
    /// A number that is not written plainly, and what it was read as.
    pub example: Option<(Vec<u8>, f64)>,
    /// Cells that are taken as missing because they are something else, and the first of them.
    pub others: usize,
    pub first_other: Option<Seen>,
    /// Where the first word is that means a missing value here.
    pub first_marker: Option<u64>,
}

impl Reading {
    fn count(&mut self, fits: bool, text: &[u8], offset: u64) {
        if fits {
            self.fits += 1;
        } else if self.first_other.is_none() {
            self.first_other = Some((start_of(text), offset));
        }
    }

    fn show(&mut self, text: &[u8], value: f64) {
        if self.example.is_none() {
            self.example = Some((start_of(text), value));
        }
    }
}

fn start_of(text: &[u8]) -> Vec<u8> {
    text[..text.len().min(SHOWN)].to_vec()
}

/// Whether a cell is digits that begin with a nought, as codes have it.
fn is_padded(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'0' && text.iter().all(u8::is_ascii_digit)
}

impl Remarks {
    /// A cell that tells why a column is of another kind.
    fn of_other(first_other: Option<Seen>) -> Self {
        Self { others: usize::from(first_other.is_some()), first_other, ..Self::default() }
    }
}

impl Guess {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            decimal: None,
            groups: true,
            no_sign: false,
            stored: Stored::Missing(0),
            point: Reading::default(),
            comma: Reading::default(),
            flags: Reading::default(),
            values: 0,
            markers: 0,
            first_marker: None,
            both: 0,
            open: 0,
            trouble: None,
            settled: false,
        }
    }

    /// One of a column of a file that is read as these options say.
    pub(super) fn of_column(name: &str, wanted: Wanted, options: &ReadOptions) -> Self {
        let learned = options.learned_numbers(name);
        let groups = learned.is_none_or(|learned| learned.grouped);
        let no_sign = learned.is_some_and(|learned| learned.no_sign);
        Self { decimal: options.files.decimal, groups, no_sign, ..Self::new(wanted) }
    }

    /// Adds a cell and returns whether it is missing whatever the column is.
    pub(super) fn push(&mut self, text: &[u8], offset: u64) -> bool {
        let text = text.trim_ascii();
        // Where a number was seen that is written as is wanted, no other reading of plain numbers matters.
        if self.settled
            && let Some(value) = cell::plain(text)
        {
            // As long as no cell needs a point, the column shows no sign.
            if self.point.fits == self.both
                && let Some(other) = with_comma(value, text)
            {
                self.comma.fits += 1;
                self.both += 1;
                if other != value {
                    self.open += 1;
                    self.comma.first_grouped.get_or_insert_with(|| (start_of(text), offset));
                }
            }
            self.values += 1;
            self.point.fits += 1;
            self.store_number(Some(value));
            return false;
        }
        self.push_typed(text, false, offset)
    }

    /// [`push`](Self::push) of a cell that may be a number by the file's own word.
    pub(super) fn push_typed(&mut self, text: &[u8], is_number: bool, offset: u64) -> bool {
        let text = text.trim_ascii();
        let seen = look_typed(text, is_number);
        match seen {
            Cell::Missing => {}
            Cell::Marker => {
                self.markers += 1;
                self.first_marker.get_or_insert(offset);
            }
            Cell::NotFinite | Cell::TooLarge => {
                // If the column turns out to be text this is a word like any other, so judgment waits for the end.
                let what = if seen == Cell::NotFinite { Trouble::NotFinite } else { Trouble::TooLarge };
                self.trouble.get_or_insert_with(|| (what, (start_of(text), offset)));
            }
            _ => self.count(seen, text, offset),
        }
        self.store(seen, text);
        self.settled = self.point.fits > 0 && self.wanted == Wanted::Numbers(Some(NumberStyle::Point));
        seen == Cell::Missing
    }

    fn count(&mut self, seen: Cell, text: &[u8], offset: u64) {
        self.values += 1;
        let (point, comma) = match seen {
            Cell::Number(value) => (Some(value), with_comma(value, text)),
            Cell::Typed(value) => (Some(value), Some(value)),
            Cell::Written { point, comma } => (point, comma),
            _ => (None, None),
        };
        self.point.count(point.is_some(), text, offset);
        self.comma.count(comma.is_some(), text, offset);
        self.flags.count(as_flag(seen).is_some(), text, offset);
        let here = || (start_of(text), offset);
        match (point, comma) {
            (Some(point), Some(comma)) => {
                self.both += 1;
                if point != comma {
                    self.open += 1;
                    // A thousand times as much: the sign is between groups of digits.
                    let grouped = if point.abs() > comma.abs() { &mut self.point } else { &mut self.comma };
                    grouped.first_grouped.get_or_insert_with(here);
                }
            }
            (Some(_), None) => _ = self.comma.first_unlike.get_or_insert_with(here),
            (None, Some(_)) => _ = self.point.first_unlike.get_or_insert_with(here),
            (None, None) => return,
        }
        // What begins with a nought may be a code.
        let code = self.wanted == Wanted::Any && matches!(seen, Cell::Number(_)) && is_padded(text);
        let plain = matches!(seen, Cell::Number(_) | Cell::Typed(_)) && !code;
        if let (Some(value), false) = (point, plain) {
            self.point.groups |= text.contains(&b',');
            self.point.show(text, value);
        }
        if let Some(value) = comma
            && (!plain || point != comma)
        {
            self.comma.groups |= text.contains(&b'.');
            self.comma.show(text, value);
        }
    }

    fn store(&mut self, seen: Cell, text: &[u8]) {
        match self.wanted {
            Wanted::Flags => self.store_flag(as_flag(seen)),
            Wanted::Numbers(style) => self.store_number(as_number(seen, text, style.unwrap_or_default())),
            Wanted::Any | Wanted::Times(_) => match seen {
                Cell::Flag(flag) => self.store_flag(Some(flag)),
                Cell::Missing | Cell::Marker | Cell::NotFinite | Cell::TooLarge => self.store_nothing(),
                _ => match as_number(seen, text, NumberStyle::Point) {
                    Some(value) => self.store_number(Some(value)),
                    None => self.store_other(),
                },
            },
        }
    }
    /// A text, where nothing is known of the column yet.
    fn store_other(&mut self) {
        let others = self.values - self.point.fits;
        match self.stored {
            Stored::Flags(_) => self.stored = Stored::Dropped,
            Stored::Numbers(_) if others > FEW && others > self.point.fits => self.stored = Stored::Dropped,
            _ => self.store_nothing(),
        }
    }

    fn store_nothing(&mut self) {
        match &mut self.stored {
            Stored::Missing(count) => *count += 1,
            Stored::Numbers(numbers) => numbers.push_missing(),
            Stored::Flags(flags) => flags.push(None),
            Stored::Dropped => {}
        }
    }

    fn store_number(&mut self, value: Option<f64>) {
        let Some(value) = value else { return self.store_nothing() };
        match &mut self.stored {
            Stored::Numbers(numbers) => numbers.push(value),
            Stored::Missing(count) => {
                let mut numbers = Numbers::missing(*count);
                numbers.push(value);
                self.stored = Stored::Numbers(numbers);
            }
            Stored::Flags(_) | Stored::Dropped => self.stored = Stored::Dropped,
        }
    }

    fn store_flag(&mut self, value: Option<bool>) {
        match (&mut self.stored, value) {
            (Stored::Flags(flags), value) => flags.push(value),
            (Stored::Missing(count), Some(_)) => {
                let mut flags = vec![None; *count];
                flags.push(value);
                self.stored = Stored::Flags(flags);
            }
            _ => self.store_nothing(),
        }
    }

    /// The cells since the last time, as what is wanted, for a reader that continues. What the column is, [`end`](Self::end)
    /// tells once all cells were seen.
    pub(super) fn take(&mut self) -> Values {
        match &mut self.stored {
            Stored::Missing(count) => Values::Numeric(vec![f32::NAN; std::mem::take(count)]),
            Stored::Numbers(numbers) => numbers.take(),
            Stored::Flags(flags) => Values::Boolean(std::mem::take(flags)),
            Stored::Dropped => Values::Numeric(Vec::new()),
        }
    }

    /// Cells that are numbers with a point alone, and with a comma alone.
    fn only(&self) -> (usize, usize) {
        (self.point.fits - self.both, self.comma.fits - self.both)
    }

    fn nearly_all(&self, fits: usize) -> bool {
        fits * 100 >= self.values * NEARLY_ALL
    }

    fn fits(&self, style: NumberStyle) -> usize {
        if style == NumberStyle::Comma { self.comma.fits } else { self.point.fits }
    }

    /// The decimal sign of a column of numbers that shows it.
    fn shows(&self) -> Option<NumberStyle> {
        match self.only() {
            _ if self.values == 0 => None,
            (1.., 0) if self.nearly_all(self.point.fits) => Some(NumberStyle::Point),
            (0, 1..) if self.nearly_all(self.comma.fits) => Some(NumberStyle::Comma),
            _ => None,
        }
    }

    /// Whether the cells are written with the sign that a model learned or that was asked for. If most are not and some have the
    /// other sign, the first of these is returned; and so is the first that has a sign between groups of digits, where a model has
    /// met none and nothing in the file shows that the sign is that.
    fn check(&mut self, habit: Habit) -> Result<(), (Trouble, Seen)> {
        let learned = if let Wanted::Numbers(style) = self.wanted { style } else { None };
        let Some(style) = self.decimal.or(learned) else { return Ok(()) };
        let numeric = learned.is_some() || self.nearly_all(self.fits(style.other()));
        if numeric
            && !self.nearly_all(self.fits(style))
            && let Some(seen) = self.reading(style).first_unlike.take()
        {
            return Err((Trouble::OtherDecimal { style, asked: self.decimal.is_some() }, seen));
        }
        if !self.groups && [self.shows(), habit.shown].iter().all(|shown| *shown != Some(style)) {
            let other = self.reading(style.other()).first_grouped.take().filter(|_| self.no_sign);
            if let Some(seen) = self.reading(style).first_grouped.take().or(other) {
                return Err((Trouble::OpenDecimal(style), seen));
            }
        }
        Ok(())
    }

    /// What is to be said of a column of which all cells were taken, and what it is where that is not what was wanted; or
    /// what is wrong with it.
    pub(super) fn end(mut self, habit: Habit) -> Result<(Option<Wanted>, Remarks), (Trouble, Seen)> {
        self.check(habit)?;
        let kind = self.kind(habit, self.decimal);
        if kind != Some(Wanted::Any)
            && let Some(trouble) = self.trouble.take()
        {
            return Err(trouble);
        }
        let (remarks, wanted) = match (kind, self.wanted) {
            (Some(Wanted::Numbers(style)), Wanted::Numbers(wanted)) => (self.remarks(style), style == wanted),
            (Some(Wanted::Flags), Wanted::Flags) => (self.remarks(None), true),
            (None, _) => (Remarks::default(), true),
            // The first cell that is none is the reason.
            (_, Wanted::Numbers(_)) => (Remarks::of_other(self.point.first_other.take()), false),
            (_, Wanted::Flags) => (Remarks::of_other(self.flags.first_other.take()), false),
            _ => (Remarks::default(), false),
        };
        Ok((kind.filter(|_| !wanted), remarks))
    }

    /// What the column is, and what is to be said of it; or what is wrong with it. A column of missing cells alone counts
    /// as numeric. The table's habit decides what the column leaves open.
    pub(super) fn finish(mut self, habit: Habit) -> Result<(Outcome, Remarks), (Trouble, Seen)> {
        self.check(habit)?;
        let kind = self.kind(habit, self.decimal);
        if kind != Some(Wanted::Any)
            && let Some(trouble) = self.trouble.take()
        {
            return Err(trouble);
        }
        let stored = std::mem::replace(&mut self.stored, Stored::Dropped);
        let mut remarks = Remarks::default();
        let outcome = match (kind, stored) {
            (None, Stored::Missing(count)) => Outcome::Done(Values::Numeric(vec![f32::NAN; count])),
            (Some(Wanted::Numbers(style)), stored) => {
                remarks = self.remarks(style);
                match (style, stored) {
                    (Some(NumberStyle::Comma), Stored::Numbers(numbers)) if self.stored_commas() => {
                        Outcome::Done(numbers.finish())
                    }
                    (Some(NumberStyle::Comma), _) => Outcome::Numbers(NumberStyle::Comma),
                    (_, Stored::Numbers(numbers)) if !self.stored_commas() => Outcome::Done(numbers.finish()),
                    _ => Outcome::Numbers(NumberStyle::Point),
                }
            }
            (Some(Wanted::Flags), stored) => {
                remarks = self.remarks(None);
                match stored {
                    Stored::Flags(flags) => Outcome::Done(Values::Boolean(flags)),
                    _ => Outcome::Flags,
                }
            }
            _ => Outcome::Text,
        };
        Ok((outcome, remarks))
    }

    /// Whether what is stored was read with a decimal comma.
    fn stored_commas(&self) -> bool {
        self.wanted == Wanted::Numbers(Some(NumberStyle::Comma))
    }

    /// Numbers of a style, truth values, or texts ([`Wanted::Any`]); nothing where all cells are missing.
    fn kind(&self, habit: Habit, decimal: Option<NumberStyle>) -> Option<Wanted> {
        let style = match self.comma.fits.cmp(&self.point.fits) {
            _ if decimal.is_some() => decimal.unwrap_or_default(),
            std::cmp::Ordering::Greater => NumberStyle::Comma,
            std::cmp::Ordering::Equal if self.open > 0 => habit.of_open_column(),
            _ => NumberStyle::Point,
        };
        match self.wanted {
            // A column of another kind altogether is for the encoding to refuse.
            Wanted::Numbers(_) | Wanted::Flags if self.values == 0 => return None,
            Wanted::Numbers(given) if self.fits(given.unwrap_or(style)) > 0 => {
                return Some(Wanted::Numbers(Some(given.unwrap_or(style))));
            }
            Wanted::Flags if self.flags.fits > 0 => return Some(Wanted::Flags),
            _ => {}
        }
        match self.values {
            0 if self.markers == 0 => None,
            0 => Some(Wanted::Any),
            values if self.true_or_false() == values => Some(Wanted::Flags),
            _ if self.nearly_all(self.fits(style)) => Some(Wanted::Numbers(Some(style))),
            _ => Some(Wanted::Any),
        }
    }

    fn reading(&mut self, style: NumberStyle) -> &mut Reading {
        if style == NumberStyle::Comma { &mut self.comma } else { &mut self.point }
    }

    /// Cells that are truth values and no numbers.
    fn true_or_false(&self) -> usize {
        match self.point.fits.max(self.comma.fits) {
            0 => self.flags.fits,
            _ => 0,
        }
    }

    fn remarks(&mut self, style: Option<NumberStyle>) -> Remarks {
        let (values, first_marker) = (self.values, self.first_marker);
        let sure = match style {
            Some(style) if self.shows() == Some(style) => Some(true),
            Some(_) if self.open > 0 => Some(false),
            _ => None,
        };
        let reading = match style {
            None => &mut self.flags,
            Some(style) => self.reading(style),
        };
        Remarks {
            style: style.unwrap_or_default(),
            sure,
            groups: reading.groups,
            example: reading.example.take(),
            others: values - reading.fits,
            first_other: reading.first_other.take(),
            first_marker,
        }
    }
}

/// The number that a cell is in a style.
pub(super) fn as_number(seen: Cell, text: &[u8], style: NumberStyle) -> Option<f64> {
    match (seen, style) {
        (Cell::Typed(value), _) | (Cell::Number(value), NumberStyle::Point) => Some(value),
        (Cell::Number(value), NumberStyle::Comma) => with_comma(value, text),
        (Cell::Written { point, .. }, NumberStyle::Point) => point,
        (Cell::Written { comma, .. }, NumberStyle::Comma) => comma,
        _ => None,
    }
}

/// The truth value that a cell is; 0 and 1 are another way to write false and true.
pub(super) fn as_flag(seen: Cell) -> Option<bool> {
    match seen {
        Cell::Flag(flag) => Some(flag),
        Cell::Number(0.0) | Cell::Typed(0.0) => Some(false),
        Cell::Number(1.0) | Cell::Typed(1.0) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NumbersWritten, Written};
    use super::*;

    fn guess_as(wanted: Wanted, cells: &[&str]) -> Result<(Outcome, Remarks), (Trouble, Seen)> {
        let mut guess = Guess::new(wanted);
        for (at, cell) in cells.iter().enumerate() {
            guess.push(cell.as_bytes(), at as u64 + 2);
        }
        guess.finish(Habit::default())
    }

    fn guess(cells: &[&str]) -> Outcome {
        match guess_as(Wanted::Any, cells) {
            Ok((outcome, _)) => outcome,
            Err((trouble, _)) => panic!("{trouble:?}"),
        }
    }

    fn numbers(outcome: Outcome) -> Vec<f32> {
        match outcome {
            Outcome::Done(Values::Numeric(numbers)) => numbers,
            _ => panic!("no numbers"),
        }
    }

    #[test]
    fn the_type_follows_from_the_cells() {
        let found = numbers(guess(&["", "1", "NA", "2.5"]));
        assert!(found[0].is_nan() && found[2].is_nan());
        assert_eq!([found[1], found[3]], [1.0, 2.5]);
        let Outcome::Done(Values::Boolean(flags)) = guess(&["?", "true", "False", "-"]) else { panic!() };
        assert_eq!(flags, [None, Some(true), Some(false), None]);
        for text in [["1", "red"], ["true", "1"], ["1", "true"], ["red", "1"], ["true", "maybe"]] {
            assert!(matches!(guess(&text), Outcome::Text), "{text:?}");
        }
        assert_eq!(numbers(guess(&["", ""])).len(), 2);
    }

    #[test]
    fn large_numbers_keep_every_digit() {
        let Outcome::Done(Values::Wide(seconds)) = guess(&["1700000001", "", "1700000002"]) else { panic!() };
        assert_eq!((seconds[0], seconds[2]), (1_700_000_001.0, 1_700_000_002.0));
        assert!(seconds[1].is_nan());
        // Exact as f32, or small: nothing to gain.
        assert!(matches!(guess(&["1e30", "16777216"]), Outcome::Done(Values::Wide(_))));
        assert!(matches!(guess(&["16777216", "0.1", "4095.9"]), Outcome::Done(Values::Numeric(_))));
    }

    #[test]
    fn markers_are_missing_among_numbers_and_words_among_words() {
        let english =
            ["#N/A", "-", "--", "nan", "NaN", ".", "unknown", "none", "nil", "#DIV/0!", "<NA>", "missing"];
        let others =
            ["k.A.", "k. A.", "keine Angabe", "Unbekannt", "#NV", "#WERT!", "n/d", "inconnu", "#¡VALOR!"];
        for marker in english.into_iter().chain(others) {
            let found = numbers(guess(&["1", marker, "2"]));
            assert!(found[1].is_nan() && found[2] == 2.0, "{marker}");
            assert!(matches!(guess(&["red", marker, "blue"]), Outcome::Text), "{marker}");
            assert!(matches!(guess(&[marker, marker]), Outcome::Text), "{marker}");
        }
    }

    #[test]
    fn infinities_are_refused_among_numbers_and_words_among_texts() {
        let trouble = |cells: &[&str]| guess_as(Wanted::Any, cells).err().unwrap();
        assert_eq!(trouble(&["1", "inf"]), (Trouble::NotFinite, (b"inf".to_vec(), 3)));
        assert_eq!(trouble(&["1", "1e39"]), (Trouble::TooLarge, (b"1e39".to_vec(), 3)));
        assert_eq!(trouble(&["inf", "inf"]).1.1, 2);
        assert!(matches!(guess(&["1", "inf", "red"]), Outcome::Text));
    }

    #[test]
    fn numbers_as_people_write_them() {
        let (outcome, remarks) = guess_as(Wanted::Any, &["7", "25%", "$1,500", "(3)"]).unwrap();
        assert_eq!(numbers(outcome), [7.0, 0.25, 1500.0, -3.0]);
        assert_eq!((remarks.style, remarks.example), (NumberStyle::Point, Some((b"25%".to_vec(), 0.25))));
        // The column is consistent with a decimal comma alone, and is read again.
        let (outcome, remarks) = guess_as(Wanted::Any, &["3", "1,500", "2,5"]).unwrap();
        assert!(matches!(outcome, Outcome::Numbers(NumberStyle::Comma)));
        assert_eq!(remarks.example, Some((b"1,500".to_vec(), 1.5)));
        assert!(matches!(guess(&["1.5", "2,5"]), Outcome::Text));
    }

    #[test]
    fn a_learned_sign_is_applied_and_a_file_with_the_other_is_refused_with_its_first_cell() {
        let learned = Wanted::Numbers(Some(NumberStyle::Comma));
        let mut cells = vec!["2,5"; 40];
        cells[3] = "1.234";
        cells[7] = "1.5";
        let (outcome, remarks) = guess_as(learned, &cells).unwrap();
        let found = numbers(outcome);
        assert!((found[0], found[3], remarks.others) == (2.5, 1234.0, 1) && found[7].is_nan());
        let trouble = guess_as(learned, &["2,5", "1.234", "1.5"]).err().unwrap();
        let unlike = Trouble::OtherDecimal { style: NumberStyle::Comma, asked: false };
        assert_eq!(trouble, (unlike, (b"1.5".to_vec(), 4)));
        // Whether pieces were taken on the way does not matter.
        let mut guess = Guess::new(learned);
        for (at, cell) in ["2,5", "1.234", "1.5"].iter().enumerate() {
            guess.push(cell.as_bytes(), at as u64 + 2);
            guess.take();
        }
        assert_eq!(guess.end(Habit::default()).err().unwrap(), (unlike, (b"1.5".to_vec(), 4)));
    }

    #[test]
    fn a_sign_between_groups_that_could_be_decimal_must_have_been_met_or_be_shown() {
        let options = |style: NumberStyle, grouped: bool| {
            let learned = NumbersWritten { style, grouped, no_sign: false };
            let written = vec![("x".to_string(), Written::Numbers(Some(learned)))];
            ReadOptions { written, ..ReadOptions::default() }
        };
        let read = |style, cells: &[&str], grouped| {
            let mut guess = Guess::of_column("x", Wanted::Numbers(Some(style)), &options(style, grouped));
            cells.iter().for_each(|cell| _ = guess.push(cell.as_bytes(), 2));
            guess.finish(Habit::default()).map(|(outcome, _)| numbers(outcome))
        };
        for (style, open, shown) in
            [(NumberStyle::Comma, "12.345", "0,5"), (NumberStyle::Point, "12,345", "0.5")]
        {
            assert_eq!(read(style, &[open], false), Err((Trouble::OpenDecimal(style), (open.into(), 2))));
            assert_eq!(read(style, &[open], true), Ok(vec![12_345.0]));
            assert_eq!(read(style, &[open, shown], false), Ok(vec![12_345.0, 0.5]));
            // With the learned sign as a decimal sign it is what it is.
            let decimal = if style == NumberStyle::Comma { "12,345" } else { "12.345" };
            assert_eq!(read(style, &[decimal], false), Ok(vec![12.345]));
        }
    }

    #[test]
    fn a_number_of_a_file_with_types_is_never_open() {
        let mut guess = Guess::new(Wanted::Any);
        guess.push_typed(b"12.345", true, 2);
        guess.push(b"0,51", 3);
        let (outcome, remarks) = guess.finish(Habit::default()).ok().unwrap();
        assert!(matches!(outcome, Outcome::Numbers(NumberStyle::Comma)) && remarks.sure == Some(true));
        let mut typed = Guess::new(Wanted::Numbers(Some(NumberStyle::Comma)));
        typed.push_typed(b"12.345", true, 2);
        assert_eq!(numbers(typed.finish(Habit::default()).ok().unwrap().0), [12.345]);
    }

    #[test]
    fn a_tie_between_styles_is_decided_by_what_separates_cells() {
        let of = |cells: [&str; 3]| {
            let mut guess = Guess::new(Wanted::Any);
            cells.iter().for_each(|cell| {
                guess.push(cell.as_bytes(), 2);
            });
            guess
        };
        let style = |cells, other: [&str; 3], semicolons| {
            let habit = Habit::of([of(other)].iter(), semicolons);
            of(cells).finish(habit).ok().unwrap().1.style
        };
        let open = ["1,500", "2,250", "7"];
        assert_eq!(
            (style(open, open, false), style(open, open, true)),
            (NumberStyle::Point, NumberStyle::Comma)
        );
        // Thousands that look like plain numbers; the other columns go before the separator.
        let points = ["1.500", "2.250", "7"];
        assert_eq!(style(points, points, true), NumberStyle::Comma);
        assert_eq!(style(points, ["0,5", "1", "2"], false), NumberStyle::Comma);
        assert_eq!(style(points, ["0.5", "1", "2"], true), NumberStyle::Point);
        // Whoever shows a sign keeps it.
        assert_eq!(style(["1.500", "0.250", "7"], ["0,5", "1", "2"], true), NumberStyle::Point);
    }

    #[test]
    fn a_few_odd_cells_among_numbers_are_missing() {
        let mut cells: Vec<String> = (0..19).map(|i| i.to_string()).collect();
        cells.insert(3, "abc".to_string());
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let (outcome, remarks) = guess_as(Wanted::Any, &cells).unwrap();
        assert!(numbers(outcome)[3].is_nan());
        assert_eq!((remarks.others, remarks.first_other), (1, Some((b"abc".to_vec(), 5))));
        // One less, and the share is too small.
        assert!(matches!(guess(&cells[1..]), Outcome::Text));
        let (outcome, remarks) = guess_as(Wanted::Numbers(None), &cells[1..]).unwrap();
        assert_eq!((numbers(outcome).len(), remarks.others), (19, 1));
        // The order does not matter: what was freed too early is read again.
        let late: Vec<String> =
            (0..20).map(|i| format!("t{i}")).chain((0..380).map(|i| i.to_string())).collect();
        let late: Vec<&str> = late.iter().map(String::as_str).collect();
        assert_eq!(guess_as(Wanted::Any, &late).unwrap().1.others, 20);
    }

    #[test]
    fn a_known_kind_does_not_change() {
        let flags = |cells: &[&str]| guess_as(Wanted::Flags, cells).unwrap();
        let (outcome, remarks) = flags(&["1", "true", "perhaps", "0"]);
        let Outcome::Done(Values::Boolean(found)) = outcome else { panic!() };
        assert_eq!(found, [Some(true), Some(true), None, Some(false)]);
        assert_eq!(remarks.others, 1);
        let point = Wanted::Numbers(Some(NumberStyle::Point));
        let (outcome, remarks) = guess_as(point, &["x", "y", "3", "true"]).unwrap();
        assert_eq!((numbers(outcome)[2], remarks.others), (3.0, 3));
        // Nothing of that kind at all.
        assert!(matches!(guess_as(point, &["x", "y"]).unwrap().0, Outcome::Text));
        assert!(matches!(flags(&["2", "3"]).0, Outcome::Numbers(_) | Outcome::Done(Values::Numeric(_))));
    }
}
