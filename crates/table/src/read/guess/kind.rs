//! What a column is, by what its cells can be read as.

use super::super::{DatesWritten, Trouble};
use super::summary::{KindSummary, Reading, Seen};
use crate::dates::NEARLY_ALL;
use crate::number::NumberStyle;

/// What a column is to be read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wanted {
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
    pub(crate) fn word(self) -> &'static str {
        match self {
            Wanted::Any => "text",
            Wanted::Numbers(_) => "numeric",
            Wanted::Flags => "true/false",
            Wanted::Times(_) => "dates",
        }
    }
}

/// How numbers of a table are written, for columns that leave it open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habit {
    /// The decimal sign that other columns show, where they agree.
    shown: Option<NumberStyle>,
    /// Whether semicolons separate the cells, as is the custom where commas are decimal.
    semicolons: bool,
}

impl Habit {
    /// That of a table with these columns.
    pub(crate) fn of<'g>(columns: impl Iterator<Item = &'g KindSummary>, semicolons: bool) -> Self {
        let mut shown = columns.filter_map(KindSummary::shows);
        let first = shown.next();
        Self { shown: first.filter(|first| shown.all(|other| other == *first)), semicolons }
    }

    /// The sign of a column that tells nothing itself.
    pub(crate) fn of_open_column(self) -> NumberStyle {
        let custom = if self.semicolons { NumberStyle::Comma } else { NumberStyle::Point };
        self.shown.unwrap_or(custom)
    }
}

/// What was said of a column before it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// What it is to be read as.
    pub wanted: Wanted,
    /// The decimal sign that was asked for.
    pub decimal: Option<NumberStyle>,
    /// Whether numbers may have signs between groups of digits that the other style has for decimal signs.
    pub groups: bool,
    /// Whether nothing has shown the sign so far: a number with one that could be either must not decide it.
    pub no_sign: bool,
}

/// What is to be said of a column that is numeric or of truth values.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Remarks {
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

impl Remarks {
    /// A cell that tells why a column is of another kind.
    pub(super) fn of_other(first_other: Option<Seen>) -> Self {
        Self { others: usize::from(first_other.is_some()), first_other, ..Self::default() }
    }
}

impl KindSummary {
    /// Cells that are numbers with a point alone, and with a comma alone.
    fn only(&self) -> (usize, usize) {
        (self.point.fits - self.both, self.comma.fits - self.both)
    }

    fn nearly_all(&self, fits: usize) -> bool {
        fits * 100 >= self.values * NEARLY_ALL
    }

    fn reading(&self, style: NumberStyle) -> &Reading {
        if style == NumberStyle::Comma { &self.comma } else { &self.point }
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

    /// What the column is, as [`kind`](Self::kind) tells; or what is wrong with it.
    pub(super) fn checked_kind(&self, asked: Asked, habit: Habit) -> Result<Option<Wanted>, (Trouble, Seen)> {
        self.check(asked, habit)?;
        let kind = self.kind(asked.wanted, asked.decimal, habit);
        let not_finite = self.not_finite.clone().map(|seen| (Trouble::NotFinite, seen));
        let too_large = self.too_large.clone().map(|seen| (Trouble::TooLarge, seen));
        match not_finite.into_iter().chain(too_large).min_by_key(|(_, (_, at))| *at) {
            Some(trouble) if kind != Some(Wanted::Any) => Err(trouble),
            _ => Ok(kind),
        }
    }

    /// Whether the cells are written with the sign that a model learned or that was asked for. If most are not and some have the
    /// other sign, the first of these is returned; and so is the first that has a sign between groups of digits, where a model has
    /// met none and nothing in the file shows that the sign is that.
    fn check(&self, asked: Asked, habit: Habit) -> Result<(), (Trouble, Seen)> {
        let learned = if let Wanted::Numbers(style) = asked.wanted { style } else { None };
        let Some(style) = asked.decimal.or(learned) else { return Ok(()) };
        let (right, other) = (self.reading(style), self.reading(style.other()));
        let numeric = learned.is_some() || self.nearly_all(other.fits);
        if numeric
            && !self.nearly_all(right.fits)
            && let Some(seen) = right.first_unlike.clone()
        {
            return Err((Trouble::OtherDecimal { style, asked: asked.decimal.is_some() }, seen));
        }
        if !asked.groups && [self.shows(), habit.shown].iter().all(|shown| *shown != Some(style)) {
            let other = other.first_grouped.as_ref().filter(|_| asked.no_sign);
            if let Some(seen) = right.first_grouped.as_ref().or(other) {
                return Err((Trouble::OpenDecimal(style), seen.clone()));
            }
        }
        Ok(())
    }

    /// Numbers of a style, truth values, or texts ([`Wanted::Any`]); nothing where all cells are missing.
    pub(super) fn kind(&self, wanted: Wanted, decimal: Option<NumberStyle>, habit: Habit) -> Option<Wanted> {
        let style = match self.comma.fits.cmp(&self.point.fits) {
            _ if decimal.is_some() => decimal.unwrap_or_default(),
            std::cmp::Ordering::Greater => NumberStyle::Comma,
            std::cmp::Ordering::Equal if self.open > 0 => habit.of_open_column(),
            _ => NumberStyle::Point,
        };
        match wanted {
            // A column of another kind altogether is for the encoding to refuse.
            Wanted::Numbers(_) | Wanted::Flags if self.values == 0 => return None,
            Wanted::Numbers(given) if self.reading(given.unwrap_or(style)).fits > 0 => {
                return Some(Wanted::Numbers(Some(given.unwrap_or(style))));
            }
            Wanted::Flags if self.flags.fits > 0 => return Some(Wanted::Flags),
            _ => {}
        }
        match self.values {
            0 if self.markers == 0 => None,
            0 => Some(Wanted::Any),
            values if self.true_or_false() == values => Some(Wanted::Flags),
            _ if self.nearly_all(self.reading(style).fits) => Some(Wanted::Numbers(Some(style))),
            _ => Some(Wanted::Any),
        }
    }

    /// Cells that are truth values and no numbers.
    fn true_or_false(&self) -> usize {
        match self.point.fits.max(self.comma.fits) {
            0 => self.flags.fits,
            _ => 0,
        }
    }

    /// What is to be said of numbers of a style or of truth values, of which nothing was `known` before, or their kind.
    pub(super) fn remarks(&self, style: Option<NumberStyle>, known: bool) -> Remarks {
        let sure = match style {
            Some(style) if self.shows() == Some(style) => Some(true),
            Some(_) if self.open > 0 => Some(false),
            _ => None,
        };
        let reading = style.map_or(&self.flags, |style| self.reading(style));
        Remarks {
            style: style.unwrap_or_default(),
            sure,
            groups: reading.groups,
            example: if style.is_some() { self.example(reading, known) } else { None },
            others: self.values - reading.fits,
            first_other: reading.first_other.clone(),
            first_marker: self.first_marker,
        }
    }
}
