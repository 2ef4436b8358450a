//! A column of Arrow arrays being filled with cells.

use super::arrow::in_days;
use super::arrow_types::{Decimal, can_be_text, described, is_feature, is_time, plain_type};
use super::cell::is_missing;
use super::guess::Guess;
use super::times::TimeReader;
use super::{DatesWritten, Dictionary, MAX_LEVELS, Numbers, ReadOptions, Role, Trouble, Wanted};
use crate::TableError;
use crate::dates::{DAY, Exact, NEARLY_ALL, TimeColumn, TimeStyle};
use crate::frame::{TextColumn, Values, WhyLeftOut};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;
use std::fmt::{Display, Write};
/// A column being filled.
pub(super) struct Store {
    pub role: Role,
    pub cells: Cells,
    /// How many cells it was given.
    pub rows: usize,
    /// Whether they are texts whose kind was not given.
    pub texts: bool,
    /// What was seen of texts that are numbers or truth values, where they are taken piece by piece.
    pub guess: Option<Box<Guess>>,
    /// The same of texts that are dates.
    pub times: Option<TimeReader>,
    pub nan_is_missing: bool,
    /// Whether its times have a zone, and so are those of UTC.
    pub zoned: bool,
    /// Reused for every number that is kept as text.
    pub buffer: String,
}

/// The cells of a column, as what they are.
pub(super) enum Cells {
    Numbers(Numbers),
    Flags(Vec<Option<bool>>),
    Categories(Dictionary),
    /// Texts, and whether markers of missing values count.
    Texts(TextColumn, bool),
    Vectors(Vectors),
    Times(Vec<f64>, TimeStyle),
    /// Texts that turned out to be dates.
    Dates(TimeReader),
    /// Texts that turned out to be numbers.
    Written(Box<Guess>),
    LeftOut(WhyLeftOut),
}

/// Lists of numbers; how many each has is known with the first.
#[derive(Default)]
pub(super) struct Vectors {
    width: Option<usize>,
    /// Missing rows before the first that is there.
    leading: usize,
    values: Vec<f32>,
}

/// What is wrong with which cell of a batch, and how it reads.
pub(super) type CellTrouble = (Trouble, usize, String);

impl Store {
    pub(super) fn new(
        file: &str,
        name: &str,
        kind: &DataType,
        role: Role,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let texts = || Dictionary::limited(MAX_LEVELS).with_order(options.files.date_order);
        let cells = match (plain_type(kind), role) {
            // What the program that made the table holds as categories is one, whatever its levels are.
            (_, Role::Feature(Wanted::Any)) if matches!(kind, DataType::Dictionary(..)) => {
                Cells::Categories(texts())
            }
            (kind, Role::Text) if can_be_text(kind) => Cells::Texts(TextColumn::default(), true),
            (kind, Role::Verbatim) if can_be_text(kind) => Cells::Texts(TextColumn::default(), false),
            (kind, Role::Verbatim) if is_time(kind) => Cells::Texts(TextColumn::default(), false),
            (kind, Role::Category) if can_be_text(kind) => Cells::Categories(Dictionary::default()),
            // Numbers and truth values that were written as texts are made at the end.
            (DataType::Utf8, Role::Feature(Wanted::Numbers(_) | Wanted::Flags | Wanted::Times(_))) => {
                Cells::Texts(TextColumn::default(), true)
            }
            (DataType::Utf8, _) => Cells::Categories(texts()),
            (DataType::Time32(_) | DataType::Time64(_), Role::Feature(_)) => {
                Cells::Times(Vec::new(), TimeStyle::Clock)
            }
            (kind, Role::Feature(_)) if is_time(kind) => Cells::Times(Vec::new(), TimeStyle::YearFirst),
            (DataType::Duration(_), Role::Feature(_)) => Cells::Numbers(Numbers::missing(0)),
            (DataType::Boolean, _) => Cells::Flags(Vec::new()),
            (kind, _) if can_be_text(kind) => Cells::Numbers(Numbers::missing(0)),
            (kind, Role::Feature(_)) if is_feature(kind) => Cells::Vectors(Vectors::default()),
            _ => {
                return Err(TableError::UnsupportedType {
                    file: file.to_string(),
                    column: name.to_string(),
                    kind: described(kind),
                });
            }
        };
        let of_texts = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let guess = match (role, &cells) {
            (Role::Feature(wanted @ (Wanted::Numbers(_) | Wanted::Flags)), Cells::Texts(..)) => {
                Some(Box::new(Guess::of_column(name, wanted, options)))
            }
            _ => None,
        };
        Ok(Self {
            role,
            cells,
            rows: 0,
            texts: of_texts && matches!(role, Role::Feature(Wanted::Any)),
            guess,
            times: None,
            nan_is_missing: false,
            zoned: false,
            buffer: String::new(),
        })
    }

    /// What was seen of texts that are numbers.
    pub(super) fn guess(&self) -> Option<&Guess> {
        match &self.cells {
            Cells::Written(guess) => Some(guess),
            _ => self.guess.as_deref(),
        }
    }

    pub(super) fn extend(&mut self, array: &dyn Array, refuse: bool) -> Result<(), CellTrouble> {
        let expanded;
        let array = match array.as_any_dictionary_opt() {
            // Codes that point nowhere are damage.
            Some(coded) => {
                expanded = take(coded.values().as_ref(), coded.keys(), None)
                    .map_err(|error| (Trouble::NotANumber, 0, error.to_string()))?;
                expanded.as_ref()
            }
            None => array,
        };
        // Most columns of long tables are these: taken together as far as they are small.
        let mut taken = 0;
        if let (Cells::Numbers(numbers), DataType::Float64, 0, false) =
            (&mut self.cells, array.data_type(), array.null_count(), self.nan_is_missing)
        {
            numbers.reserve(array.len());
            taken = numbers.extend_small(array.as_primitive::<Float64Type>().values());
            if taken == array.len() {
                return Ok(());
            }
        }
        /// Pushes an array of a primitive type: as numbers, or as the texts of the numbers.
        macro_rules! push {
            ($arrow:ty, $convert:expr) => {{
                let cells = array.as_primitive::<$arrow>();
                match &mut self.cells {
                    // The common case, without a question per cell.
                    Cells::Numbers(numbers) if cells.null_count() == 0 && !self.nan_is_missing => {
                        numbers.reserve(cells.len());
                        for (at, &value) in cells.values().iter().enumerate().skip(taken) {
                            let value = $convert(value);
                            narrow(value).map_err(|(trouble, value)| (trouble, at, value))?;
                            numbers.push(value);
                        }
                    }
                    _ => {
                        for (at, value) in cells.iter().enumerate() {
                            self.push_number(at, value.map(|value| ($convert(value), value)), refuse)?;
                        }
                    }
                }
            }};
        }
        self.zoned = matches!(array.data_type(), DataType::Timestamp(_, Some(_)));
        /// Pushes times or durations, given how many of their units make a second.
        macro_rules! push_times {
            ($arrow:ty, $per_second:expr) => {
                for (at, value) in array.as_primitive::<$arrow>().iter().enumerate() {
                    let exact = |value| Exact::of(i64::from(value), $per_second);
                    self.push_time(
                        at,
                        value.map(|value| (value as f64 / $per_second as f64, exact(value))),
                        refuse,
                    )?;
                }
            };
        }
        /// Pushes lists of numbers, however their ends are held.
        macro_rules! push_lists {
            ($lists:expr) => {{
                let lists = $lists;
                for at in 0..lists.len() {
                    self.push_vector(at, lists.is_valid(at).then(|| lists.value(at)), refuse)?;
                }
            }};
        }
        match array.data_type() {
            DataType::Int8 => push!(Int8Type, f64::from),
            DataType::Int16 => push!(Int16Type, f64::from),
            DataType::Int32 => push!(Int32Type, f64::from),
            DataType::Int64 => push!(Int64Type, |x: i64| x as f64),
            DataType::UInt8 => push!(UInt8Type, f64::from),
            DataType::UInt16 => push!(UInt16Type, f64::from),
            DataType::UInt32 => push!(UInt32Type, f64::from),
            DataType::UInt64 => push!(UInt64Type, |x: u64| x as f64),
            DataType::Float16 => push!(Float16Type, f64::from),
            DataType::Float32 => push!(Float32Type, f64::from),
            DataType::Float64 => push!(Float64Type, f64::from),
            DataType::Decimal128(_, scale) => {
                let unit = 10f64.powi(i32::from(*scale));
                for (at, value) in array.as_primitive::<Decimal128Type>().iter().enumerate() {
                    let value = value.map(|value| (value as f64 / unit, Decimal { value, scale: *scale }));
                    self.push_number(at, value, refuse)?;
                }
            }
            DataType::Date32 => {
                for (at, days) in array.as_primitive::<Date32Type>().iter().enumerate() {
                    let exact = |days: i32| Exact::of(i64::from(days) * DAY as i64, 1);
                    self.push_time(at, days.map(|days| (f64::from(days) * DAY, exact(days))), refuse)?;
                }
            }
            DataType::Date64 => push_times!(Date64Type, 1_000),
            DataType::Time32(TimeUnit::Second) => push_times!(Time32SecondType, 1),
            DataType::Time32(_) => push_times!(Time32MillisecondType, 1_000),
            DataType::Time64(TimeUnit::Microsecond) => push_times!(Time64MicrosecondType, 1_000_000),
            DataType::Time64(_) => push_times!(Time64NanosecondType, 1_000_000_000),
            DataType::Timestamp(TimeUnit::Second, _) => push_times!(TimestampSecondType, 1),
            DataType::Timestamp(TimeUnit::Millisecond, _) => push_times!(TimestampMillisecondType, 1_000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => push_times!(TimestampMicrosecondType, 1_000_000),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                push_times!(TimestampNanosecondType, 1_000_000_000)
            }
            DataType::Duration(TimeUnit::Second) => push_times!(DurationSecondType, 1),
            DataType::Duration(TimeUnit::Millisecond) => push_times!(DurationMillisecondType, 1_000),
            DataType::Duration(TimeUnit::Microsecond) => push_times!(DurationMicrosecondType, 1_000_000),
            DataType::Duration(TimeUnit::Nanosecond) => push_times!(DurationNanosecondType, 1_000_000_000),
            DataType::List(_) => push_lists!(array.as_list::<i32>()),
            DataType::LargeList(_) => push_lists!(array.as_list::<i64>()),
            DataType::FixedSizeList(..) => push_lists!(array.as_fixed_size_list()),
            DataType::Null => {
                (0..array.len()).try_for_each(|at| self.push_number::<f64>(at, None, refuse))?
            }
            DataType::Boolean => {
                for (at, value) in array.as_boolean().iter().enumerate() {
                    match &mut self.cells {
                        Cells::Flags(flags) if value.is_some() || !refuse => flags.push(value),
                        Cells::Categories(texts) => match value {
                            Some(value) => texts.push_text(if value { "true" } else { "false" }),
                            None => texts.push_missing(),
                        },
                        Cells::Texts(texts, _) => match value {
                            Some(value) => texts.push(if value { "true" } else { "false" }),
                            None => texts.push_missing(),
                        },
                        Cells::LeftOut(_) => {}
                        _ => return Err((Trouble::Missing, at, String::new())),
                    }
                }
            }
            DataType::Utf8 => self.push_texts(array.as_string::<i32>().iter(), refuse)?,
            DataType::LargeUtf8 => self.push_texts(array.as_string::<i64>().iter(), refuse)?,
            DataType::Utf8View => self.push_texts(array.as_string_view().iter(), refuse)?,
            _ => {}
        }
        Ok(())
    }

    fn push_texts<'a>(
        &mut self,
        cells: impl Iterator<Item = Option<&'a str>>,
        refuse: bool,
    ) -> Result<(), CellTrouble> {
        match &mut self.cells {
            Cells::Texts(texts, markers) => cells.for_each(|cell| match cell {
                Some(text) if !(*markers && is_missing(text.as_bytes().trim_ascii())) => texts.push(text),
                _ => texts.push_missing(),
            }),
            Cells::Categories(texts) => {
                let mut cells = cells.enumerate();
                for (at, cell) in cells.by_ref() {
                    let cell = cell.unwrap_or("");
                    match texts.push_cell(cell.as_bytes()) {
                        Ok(true) if refuse => return Err((Trouble::Missing, at, String::new())),
                        Ok(_) => {}
                        Err(Trouble::TooManyLevels) => {
                            let least = if refuse { 100 } else { NEARLY_ALL };
                            let Some((times, others)) = texts.times(least) else {
                                if let Some((style, _)) = texts.numbers(least).filter(|_| self.texts) {
                                    let mut guess = std::mem::take(texts).into_guess(style);
                                    let first = self.rows as u64 + 1;
                                    guess.push(cell.as_bytes(), first + at as u64);
                                    cells.for_each(|(at, cell)| {
                                        guess.push(cell.unwrap_or("").as_bytes(), first + at as u64);
                                    });
                                    self.cells = Cells::Written(Box::new(guess));
                                    break;
                                }
                                if texts.lifts_limit() && texts.push_cell(cell.as_bytes()).is_ok() {
                                    continue;
                                }
                                return Err((Trouble::TooManyLevels, at, cell.to_string()));
                            };
                            let mut reader = TimeReader::after(times, others);
                            reader.push(cell.as_bytes(), at as u64);
                            cells.for_each(|(at, cell)| {
                                reader.push(cell.unwrap_or("").as_bytes(), at as u64);
                            });
                            self.cells = Cells::Dates(reader);
                            break;
                        }
                        Err(trouble) => return Err((trouble, at, cell.to_string())),
                    }
                }
            }
            Cells::Dates(reader) => cells.enumerate().for_each(|(at, cell)| {
                reader.push(cell.unwrap_or("").as_bytes(), at as u64);
            }),
            Cells::Written(guess) => cells.enumerate().for_each(|(at, cell)| {
                guess.push(cell.unwrap_or("").as_bytes(), (self.rows + at + 1) as u64);
            }),
            _ => {}
        }
        Ok(())
    }

    fn push_number<T: Display>(
        &mut self,
        at: usize,
        value: Option<(f64, T)>,
        refuse: bool,
    ) -> Result<(), CellTrouble> {
        let value = value.filter(|(value, _)| !(self.nan_is_missing && value.is_nan()));
        match (&mut self.cells, value) {
            (_, None) if refuse => return Err((Trouble::Missing, at, String::new())),
            (Cells::Numbers(numbers), Some((value, _))) => {
                narrow(value).map_err(|(trouble, value)| (trouble, at, value))?;
                numbers.push(value);
            }
            (Cells::Numbers(numbers), None) => numbers.push_missing(),
            (Cells::Categories(texts), Some((_, value))) => {
                self.buffer.clear();
                // Writing into a string cannot fail.
                let _ = write!(self.buffer, "{value}");
                texts.push_text(&self.buffer);
            }
            (Cells::Categories(texts), None) => texts.push_missing(),
            (Cells::Texts(texts, _), Some((_, value))) => {
                self.buffer.clear();
                let _ = write!(self.buffer, "{value}");
                texts.push(&self.buffer);
            }
            (Cells::Texts(texts, _), None) => texts.push_missing(),
            (Cells::Flags(flags), _) => flags.push(None),
            (Cells::Times(times, _), _) => times.push(f64::NAN),
            (Cells::Vectors(_) | Cells::Dates(_) | Cells::Written(_) | Cells::LeftOut(_), _) => {}
        }
        Ok(())
    }

    fn push_time(&mut self, at: usize, time: Option<(f64, Exact)>, refuse: bool) -> Result<(), CellTrouble> {
        let seconds = time.map(|(seconds, _)| seconds);
        match &mut self.cells {
            Cells::Times(..) if seconds.is_none() && refuse => Err((Trouble::Missing, at, String::new())),
            Cells::Times(times, _) => {
                times.push(seconds.unwrap_or(f64::NAN));
                Ok(())
            }
            // A date that is handed out as it is has no other writing than the standard's.
            Cells::Texts(texts, _) => {
                match time {
                    Some((_, exact)) => texts.push(&exact.written(self.zoned)),
                    None => texts.push_missing(),
                }
                Ok(())
            }
            _ => self.push_number(at, seconds.map(|seconds| (seconds, seconds)), refuse),
        }
    }

    fn push_vector(&mut self, at: usize, list: Option<ArrayRef>, refuse: bool) -> Result<(), CellTrouble> {
        let Cells::Vectors(vectors) = &mut self.cells else { return Ok(()) };
        match list {
            None if refuse => Err((Trouble::Missing, at, String::new())),
            None => {
                vectors.push_missing();
                Ok(())
            }
            Some(list) => vectors.push(list.as_ref()).map_err(|(trouble, value)| (trouble, at, value)),
        }
    }

    /// The cells since the last time.
    pub(super) fn take(&mut self, refuse: bool) -> Result<Result<Values, WhyLeftOut>, CellTrouble> {
        let fresh = match &self.cells {
            Cells::Numbers(_) | Cells::Flags(_) => None,
            Cells::Categories(_) => Some(Cells::Categories(Dictionary::default())),
            Cells::Texts(_, markers) => Some(Cells::Texts(TextColumn::default(), *markers)),
            Cells::Vectors(Vectors { width, .. }) => {
                Some(Cells::Vectors(Vectors { width: *width, ..Vectors::default() }))
            }
            Cells::Times(_, style) => Some(Cells::Times(Vec::new(), *style)),
            // Texts that were not known to be dates are read as a whole.
            Cells::Dates(_) | Cells::Written(_) => return Ok(Err(WhyLeftOut::Identifier)),
            Cells::LeftOut(why) => return Ok(Err(*why)),
        };
        let before = self.rows;
        let values = match (&mut self.cells, fresh) {
            (Cells::Numbers(numbers), _) => numbers.take(),
            (Cells::Flags(flags), _) => Values::Boolean(std::mem::take(flags)),
            (cells, Some(fresh)) => match std::mem::replace(cells, fresh).finish() {
                Ok(values) => values,
                Err(why) => return Ok(Err(why)),
            },
            (_, None) => Values::Numeric(Vec::new()),
        };
        match (self.role, values) {
            (Role::Feature(Wanted::Times(dates)), Values::Text(texts)) => {
                let any = DatesWritten { style: TimeStyle::YearFirst, signs: 0 };
                let times = self.times.get_or_insert_with(|| TimeReader::new(dates.unwrap_or(any)));
                let before = before - texts.len();
                for (row, text) in texts.iter().enumerate() {
                    if times.push(text.as_bytes(), (before + row + 1) as u64) && refuse {
                        return Err((Trouble::Missing, row, String::new()));
                    }
                }
                Ok(Ok(times.take()))
            }
            (role @ Role::Feature(Wanted::Times(_)), values) => Ok(Ok(in_days(role, values))),
            (Role::Feature(wanted), Values::Text(texts)) => {
                let guess = self.guess.get_or_insert_with(|| Box::new(Guess::new(wanted)));
                let before = before - texts.len();
                for (row, text) in texts.iter().enumerate() {
                    if guess.push(text.as_bytes(), (before + row + 1) as u64) && refuse {
                        return Err((Trouble::Missing, row, String::new()));
                    }
                }
                Ok(Ok(guess.take()))
            }
            (_, values) => Ok(Ok(values)),
        }
    }

    /// Too many different texts: what was read of them is freed.
    pub(super) fn give_up(&mut self) {
        if let Cells::Categories(_) = &self.cells {
            self.cells = Cells::LeftOut(WhyLeftOut::Identifier);
        }
    }
}

impl Vectors {
    fn push(&mut self, list: &dyn Array) -> Result<(), (Trouble, String)> {
        let width = *self.width.get_or_insert(list.len());
        if list.len() != width || width == 0 {
            let trouble = Trouble::VectorLength { expected: width.max(1), found: list.len() };
            return Err((trouble, String::new()));
        }
        let blank = std::mem::take(&mut self.leading) * width;
        self.values.resize(self.values.len() + blank, f32::NAN);
        if list.null_count() > 0 {
            return Err((Trouble::NotFinite, "null".to_string()));
        }
        /// Pushes the numbers of an array of a primitive type.
        macro_rules! push {
            ($arrow:ty) => {
                for &value in list.as_primitive::<$arrow>().values() {
                    self.values.push(narrow(f64::from(value))?);
                }
            };
        }
        match list.data_type() {
            DataType::Float32 => push!(Float32Type),
            DataType::Float64 => push!(Float64Type),
            _ => push!(Float16Type),
        }
        Ok(())
    }

    fn push_missing(&mut self) {
        match self.width {
            Some(width) => self.values.resize(self.values.len() + width, f32::NAN),
            None => self.leading += 1,
        }
    }
}

/// A number as `f32`, if it is finite as such.
fn narrow(value: f64) -> Result<f32, (Trouble, String)> {
    let narrow = value as f32;
    if narrow.is_finite() {
        Ok(narrow)
    } else {
        let trouble = if value.is_finite() { Trouble::TooLarge } else { Trouble::NotFinite };
        Err((trouble, format!("{value:?}")))
    }
}

impl Cells {
    pub(super) fn finish(self) -> Result<Values, WhyLeftOut> {
        Ok(match self {
            Cells::Numbers(numbers) => numbers.finish(),
            Cells::Flags(flags) => Values::Boolean(flags),
            Cells::Categories(texts) => texts.finish(),
            Cells::Texts(texts, _) => Values::Text(texts),
            Cells::Times(seconds, style) => Values::Times(TimeColumn::of(seconds, style)),
            Cells::Dates(reader) => {
                // The style is the one of its own first cells.
                let read = reader.finish().ok().flatten();
                return read.map(|(values, _)| values).ok_or(WhyLeftOut::Identifier);
            }
            Cells::Vectors(Vectors { width: Some(width), values, .. }) => Values::Vectors { width, values },
            // Not one vector: a column of missing cells alone counts as numeric.
            Cells::Vectors(Vectors { leading, .. }) => Values::Numeric(vec![f32::NAN; leading]),
            // Numbers among texts are made before this, with what is to be told of them.
            Cells::Written(_) => return Err(WhyLeftOut::Identifier),
            Cells::LeftOut(why) => return Err(why),
        })
    }
}
