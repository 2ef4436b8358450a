//! What a column of a text table holds, found out while reading it.
//!
//! Each column is stored as what its first cells are, so that a numeric table is read once and takes no more memory than
//! its numbers. All cells are counted by what they can be read as, and the counts decide at the end, so that the order of
//! rows does not matter:
//!
//! * truth values alone, or with markers of missing values, are truth values;
//! * where at least 95 of 100 cells are numbers, with a decimal point or with a decimal comma, the column is numeric, and
//!   its other cells are missing; numbers with a point go first, and a tie, such as `1.250` and `331`, is decided by the
//!   other columns of the table or else is the comma's where semicolons separate cells;
//! * everything else is text.
//!
//! A column that was stored as something else is left to a second pass.

use super::cell::{self, Cell, with_comma};
use super::number::NumberStyle;
use super::{Numbers, Trouble};
use crate::dates::TimeStyle;
use crate::frame::Values;

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
    /// Dates and times, in a style or in the one that fits most cells. Other cells are missing.
    Times(Option<TimeStyle>),
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
    fn of_open_column(self) -> NumberStyle {
        let custom = if self.semicolons { NumberStyle::Comma } else { NumberStyle::Point };
        self.shown.unwrap_or(custom)
    }
}

/// A column whose type is still open.
pub(super) struct Guess {
    /// What cells are stored as, and what that was before anything was seen.
    wanted: Wanted,
    learned: Wanted,
    /// The decimal sign that was asked for.
    decimal: Option<NumberStyle>,
    stored: Stored,
    point: Reading,
    comma: Reading,
    flags: Reading,
    /// Cells that are neither missing nor markers nor trouble.
    values: usize,
    markers: usize,
    first_marker: Option<u64>,
    /// Cells that are numbers with either sign; those among them that are not the same number, and the first of these.
    both: usize,
    open: usize,
    first_open: Option<Seen>,
    /// The first cell that a numeric column must not have.
    trouble: Option<(Trouble, Seen)>,
    /// Whether it is known that the column is numeric, with a decimal point.
    settled: bool,
    /// Whether cells were taken that are other numbers in another style, or none, and cannot be read again any more.
    handed_out: bool,
}

/// One way to read the cells of a column.
#[derive(Default)]
struct Reading {
    /// Cells that can be read so.
    fits: usize,
    /// The first that cannot.
    first_other: Option<Seen>,
    /// The first number that is not written plainly, and what it is.
    example: Option<(Vec<u8>, f64)>,
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
            learned: wanted,
            decimal: None,
            stored: Stored::Missing(0),
            point: Reading::default(),
            comma: Reading::default(),
            flags: Reading::default(),
            values: 0,
            markers: 0,
            first_marker: None,
            both: 0,
            open: 0,
            first_open: None,
            trouble: None,
            settled: false,
            handed_out: false,
        }
    }

    /// The same with a decimal sign that was asked for.
    pub(super) fn with_decimal(self, decimal: Option<NumberStyle>) -> Self {
        Self { decimal, ..self }
    }

    /// Adds a cell and returns whether it is missing whatever the column is.
    pub(super) fn push(&mut self, text: &[u8], offset: u64) -> bool {
        let text = text.trim_ascii();
        // Where a number was seen that is written as is wanted, no other reading of plain numbers matters.
        if self.settled
            && let Some(value) = cell::plain(text)
        {
            // As long as no cell needs a point, the column may still be one of decimal commas.
            if self.point.fits == self.both
                && let Some(other) = with_comma(value, text)
            {
                self.comma.fits += 1;
                self.count_both(other == value, text, offset);
            }
            self.values += 1;
            self.point.fits += 1;
            self.store_number(Some(value));
            return false;
        }
        let seen = cell::look(text);
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
            Cell::Written { point, comma } => (point, comma),
            _ => (None, None),
        };
        self.point.count(point.is_some(), text, offset);
        self.comma.count(comma.is_some(), text, offset);
        self.flags.count(as_flag(seen).is_some(), text, offset);
        let plain = matches!(seen, Cell::Number(_));
        if point.is_some() && comma.is_some() {
            self.count_both(point == comma, text, offset);
        }
        if let (Some(value), false) = (point, plain) {
            self.point.show(text, value);
        }
        if let Some(value) = comma
            && (!plain || point != comma)
        {
            self.comma.show(text, value);
        }
    }

    fn count_both(&mut self, same: bool, text: &[u8], offset: u64) {
        self.both += 1;
        if !same {
            self.open += 1;
            self.first_open.get_or_insert_with(|| (start_of(text), offset));
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
        let (only_point, only_comma) = self.only();
        self.handed_out |= only_point + only_comma + self.open > 0;
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

    /// The decimal sign of a column of numbers that shows it.
    fn shows(&self) -> Option<NumberStyle> {
        let nearly_all = |fits: usize| self.values > 0 && fits * 100 >= self.values * NEARLY_ALL;
        match self.only() {
            (1.., 0) if nearly_all(self.point.fits) => Some(NumberStyle::Point),
            (0, 1..) if nearly_all(self.comma.fits) => Some(NumberStyle::Comma),
            _ => None,
        }
    }

    /// Reads the cells since the last time again where they are numbers in another style than the wanted one, and nothing was
    /// taken before that would be something else in it.
    pub(super) fn restyle<'c>(&mut self, cells: impl Iterator<Item = &'c [u8]>, habit: Habit) {
        let kind = self.kind(habit, self.decimal);
        if let (Wanted::Numbers(Some(wanted)), Some(Wanted::Numbers(Some(found)))) = (self.wanted, kind)
            && wanted != found
            && !self.handed_out
        {
            (self.wanted, self.stored, self.settled) =
                (Wanted::Numbers(Some(found)), Stored::Missing(0), false);
            cells.map(<[u8]>::trim_ascii).for_each(|cell| self.store(cell::look(cell), cell));
        }
    }

    /// What is to be said of a column of which all cells were taken, and what it is where that is not what was wanted; or
    /// what is wrong with it.
    pub(super) fn end(mut self, habit: Habit) -> Result<(Option<Wanted>, Remarks), (Trouble, Seen)> {
        let kind = self.kind(habit, self.decimal);
        if kind != Some(Wanted::Any)
            && let Some(trouble) = self.trouble.take()
        {
            return Err(trouble);
        }
        if let (Some(Wanted::Numbers(Some(found))), Wanted::Numbers(Some(wanted))) = (kind, self.wanted)
            && found != wanted
            && let Some(seen) = self.reading(wanted).first_other.take().or(self.first_open.take())
        {
            return Err((Trouble::ChangedDecimal(wanted), seen));
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
        let kind = self.kind(habit, self.decimal);
        if let (Some(Wanted::Any), Some(style), Some(Wanted::Numbers(_))) =
            (kind, self.decimal, self.kind(habit, None))
            && let Some(seen) = self.reading(style).first_other.take()
        {
            return Err((Trouble::OtherDecimal(style), seen));
        }
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
        let fits = |style| if style == NumberStyle::Comma { self.comma.fits } else { self.point.fits };
        let nearly_all = |style| fits(style) * 100 >= self.values * NEARLY_ALL;
        match self.learned {
            // A column of another kind altogether is for the encoding to refuse.
            Wanted::Numbers(_) | Wanted::Flags if self.values == 0 => return None,
            // Numbers that are written otherwise than those of training.
            Wanted::Numbers(Some(given)) if decimal.is_none() && self.is_otherwise(given, habit) => {
                return Some(Wanted::Numbers(Some(given.other())));
            }
            Wanted::Numbers(given) if fits(given.unwrap_or(style)) > 0 => {
                return Some(Wanted::Numbers(Some(given.unwrap_or(style))));
            }
            Wanted::Flags if self.flags.fits > 0 => return Some(Wanted::Flags),
            _ => {}
        }
        match self.values {
            0 if self.markers == 0 => None,
            0 => Some(Wanted::Any),
            values if self.true_or_false() == values => Some(Wanted::Flags),
            _ if nearly_all(style) => Some(Wanted::Numbers(Some(style))),
            _ => Some(Wanted::Any),
        }
    }

    /// Whether the cells are numbers of the other style: nearly all are, and some cell that tells is, or none tells and the other
    /// columns of the table are.
    fn is_otherwise(&self, given: NumberStyle, habit: Habit) -> bool {
        let (only_point, only_comma) = self.only();
        let (point, comma) = ((self.point.fits, only_point), (self.comma.fits, only_comma));
        let ((fits, only), (other_fits, only_other)) =
            if given == NumberStyle::Point { (point, comma) } else { (comma, point) };
        let nearly_all = |fits: usize| fits * 100 >= self.values * NEARLY_ALL;
        let open = only == 0 && only_other == 0 && self.open > 0 && habit.shown == Some(given.other());
        nearly_all(other_fits) && (!nearly_all(fits) || (only == 0 && only_other > 0) || open)
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
        let reading = match style {
            None => &mut self.flags,
            Some(style) => self.reading(style),
        };
        Remarks {
            style: style.unwrap_or_default(),
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
        (Cell::Number(value), NumberStyle::Point) => Some(value),
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
        Cell::Number(0.0) => Some(false),
        Cell::Number(1.0) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
        let (outcome, _) =
            guess_as(Wanted::Numbers(Some(NumberStyle::Comma)), &["2,5", "1.234", "1.5"]).unwrap();
        let found = numbers(outcome);
        assert!(found[..2] == [2.5, 1234.0] && found[2].is_nan());
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
