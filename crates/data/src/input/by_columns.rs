//! A table that is too large for the memory, read some columns at a time.
//!
//! A column of numbers takes 4 bytes per row, so a few columns of a long table fit where all do not. The file is read as often
//! as it takes: first the labels, then as many columns as there is room for, until all were there. What a column holds, its
//! mean, its levels and whether it names rows is found by the code that reads whole tables, from all rows, so that the
//! encoding is the one that the whole table would have. The cells are handed out as trees see them and are forgotten.
//!
//! Times are read last and together, since they agree on an order of day and month and are subtracted from one another. Free
//! texts are left out.

use super::summary::summary;
use super::table::{Answers, notes_of, numbered, read_tables};
use super::{Dataset, Input, InputOptions, Note, Roles};
use crate::features::{Feature, Features};
use crate::screen::Findings;
use crate::{Columns, DataError, EncodeReport, FeatureOptions, Frame, Label, Phase, Store};
use onesided_table::ReadOptions;
use onesided_table::memory_left;
use onesided_table::{CellsRead, LeftOut, Remark, Values, WhyLeftOut};
use onesided_table::{TableError, agree_on_dates, find_compact_dates, unknown_column};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bytes per row that are left for the column that is being encoded, in all its forms.
const BYTES_BESIDE: u64 = 24;

/// Bytes per row of a column that was read: numbers take 4, and more while they are read.
const BYTES_PER_CELL: u64 = 8;

/// A list of this many bytes goes back to the system when it is freed, whatever was allocated before.
const GIVEN_BACK: u64 = 32 << 20;

/// Takes the cells of some features; each comes with the number of the table's column it belongs to.
pub type TakeColumns<'v, E> = dyn FnMut(usize, &[usize], &Columns) -> Result<(), E> + 'v;

impl InputOptions {
    /// Whether a place can be [read by columns](Self::read_by_columns): one table in a file, with a column of labels.
    pub fn can_read_by_columns(&self, input: &Input) -> bool {
        let other = self.roles.truth.is_some() || self.image.is_some() || self.image_shape.is_some();
        let other = other || self.max_unlabeled.is_some() || !self.text.is_empty();
        input.is_one_table() && self.roles.label.is_some() && !other
    }

    /// [`read`](Self::read) of a table whose rows are not held: `visit` gets the number of rows and some features at a time as
    /// [`Dataset::columns`] gives them, with the numbers of the columns they belong to, and the data set that comes back has
    /// encoding, labels and weights, but no rows ([`Store::Away`]) and no identifiers.
    pub fn read_by_columns<E: From<DataError>>(
        &self,
        input: &Input,
        visit: &mut TakeColumns<'_, E>,
    ) -> Result<Dataset, E> {
        let table = self.open_by_columns(input)?;
        let mut reading = Reading::new(self, input, &table.labels);
        let times = reading.columns(&table.names, &table.columns, visit)?;
        if !times.is_empty() {
            let frame = reading.read(&table.names, &times)?;
            reading.times(&table.names, frame, visit)?;
        }
        let learned = reading.learned;
        Ok(self.put_together(table, learned)?)
    }

    /// Learns some columns of a table, by their numbers, as [`read_by_columns`](Self::read_by_columns) does of all. Times are passed over
    /// and [named](ColumnsLearned::times), and learned together in a call of their own, which says that they are `times`.
    pub fn learn_columns<E: From<DataError>>(
        &self,
        input: &Input,
        numbers: &[usize],
        times: bool,
        visit: &mut TakeColumns<'_, E>,
    ) -> Result<ColumnsLearned, E> {
        let table = self.open_by_columns(input)?;
        let mut reading = Reading::new(self, input, &table.labels);
        if times {
            let frame = reading.read(&table.names, numbers)?;
            reading.times(&table.names, frame, visit)?;
        } else {
            reading.learned.times = reading.columns(&table.names, numbers, visit)?;
        }
        Ok(reading.learned)
    }

    /// The numbers of the columns that are learned from, for [`learn_columns`](Self::learn_columns).
    pub fn columns_to_learn(&self, input: &Input) -> Result<Vec<usize>, DataError> {
        self.check()?;
        let names = input.first_source()?.names(&self.as_written())?;
        self.check_names(&names)?;
        Ok(self.numbers_of(&names))
    }

    /// The data set without rows of a table whose columns were all learned, somewhere.
    pub fn of_columns(&self, input: &Input, learned: ColumnsLearned) -> Result<Dataset, DataError> {
        let table = self.open_by_columns(input)?;
        self.put_together(table, learned)
    }

    /// Names of columns, and what is known of rows.
    fn open_by_columns(&self, input: &Input) -> Result<Opened, DataError> {
        let columns = self.columns_to_learn(input)?;
        if !self.can_read_by_columns(input) {
            return Err(DataError::NoLabelColumn { file: "the place".to_string() });
        }
        let source = input.first_source()?;
        let names = source.names(&self.as_written())?;
        let roles = Roles { id: Vec::new(), ..self.roles.clone() };
        let none = ReadOptions { only: Some(Vec::new()), ..self.as_written() };
        let mut answers = read_tables(input, none, (&roles).into())?.answers;
        let labels = answers.labels.take();
        let labels = labels.ok_or_else(|| DataError::NoLabelColumn { file: source.name().to_string() })?;
        Ok(Opened { names, columns, labels, answers })
    }

    fn numbers_of(&self, names: &[String]) -> Vec<usize> {
        (0..names.len()).filter(|&at| self.is_feature(&names[at])).collect()
    }

    fn put_together(&self, table: Opened, learned: ColumnsLearned) -> Result<Dataset, DataError> {
        let Opened { names, labels, answers, .. } = table;
        let data =
            learned.finish(self, &names, labels.len())?.with_notes(answers.notes).with_labels(labels)?;
        let data = data.with_label_column(answers.label_column);
        let data = match answers.weights {
            Some(weights) => data.with_weights(weights)?,
            None => data,
        };
        Ok(match answers.groups {
            Some(groups) => data.with_groups(numbered(&groups))?,
            None => data,
        })
    }

    /// Refuses names of columns that are not there.
    fn check_names(&self, names: &[String]) -> Result<(), DataError> {
        let kinds = self.numeric.iter().chain(&self.categorical).chain(&self.date);
        for name in self.drop.iter().chain(&self.only).chain(kinds).chain(&self.roles.id) {
            if !names.contains(name) {
                return Err(unknown_column(name, names.iter().map(String::as_str)).into());
            }
        }
        Ok(())
    }

    /// Whether a column is one of those that are learned from: whether it was asked for, and is nothing else.
    fn is_feature(&self, name: &String) -> bool {
        (self.only.is_empty() || self.only.contains(name)) && !self.is_taken(name)
    }

    /// Whether a column has another role, or none.
    fn is_taken(&self, name: &String) -> bool {
        self.roles.columns().chain(&self.drop).any(|other| other == name)
    }
}

/// A table whose columns are to be learned.
struct Opened {
    names: Vec<String>,
    /// The numbers of those that are learned from.
    columns: Vec<usize>,
    labels: Vec<Label>,
    answers: Answers,
}

/// What was learned of some columns of a table. What was learned of others [merges](Self::merge), in any order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ColumnsLearned {
    /// Times among the columns, by their numbers, that are yet to be learned together.
    pub times: Vec<usize>,
    rows: usize,
    delimiter: Option<char>,
    remarks: Vec<Remark>,
    cells: Vec<CellsRead>,
    features: Vec<(usize, Feature)>,
    missing: Vec<(String, usize)>,
    left_out: Vec<LeftOut>,
    times_in_order: Vec<String>,
    findings: Findings,
    open: Vec<(String, bool)>,
}

impl ColumnsLearned {
    /// With what was learned of other columns.
    pub fn merge(&mut self, other: Self) {
        if self.rows == 0 {
            (self.rows, self.delimiter, self.remarks) = (other.rows, other.delimiter, other.remarks);
        }
        self.times.extend(other.times);
        self.cells.extend(other.cells);
        self.features.extend(other.features);
        self.missing.extend(other.missing);
        self.left_out.extend(other.left_out);
        self.times_in_order.extend(other.times_in_order);
        self.findings.merge(other.findings);
        self.open.extend(other.open);
    }
}

/// Columns under way.
struct Reading<'a> {
    options: &'a InputOptions,
    input: &'a Input,
    labels: &'a [Label],
    encoding: FeatureOptions,
    learned: ColumnsLearned,
}

impl<'a> Reading<'a> {
    fn new(options: &'a InputOptions, input: &'a Input, labels: &'a [Label]) -> Self {
        let (missing, scaling, text) = (options.missing, options.scaling, options.text_options());
        let encoding = FeatureOptions { missing, scaling, text };
        Self { options, input, labels, encoding, learned: ColumnsLearned::default() }
    }

    /// Reads columns, as many at a time as there is room for; the numbers of those that are times are returned.
    fn columns<E: From<DataError>>(
        &mut self,
        names: &[String],
        numbers: &[usize],
        visit: &mut TakeColumns<'_, E>,
    ) -> Result<Vec<usize>, E> {
        let mut left = numbers;
        let mut times: Vec<usize> = Vec::new();
        let mut most = usize::MAX;
        let phase = Phase::new("reading", left.len() as u64, "columns");
        while !left.is_empty() {
            let many = columns_at_once(self.labels.len()).min(most).min(left.len());
            let frame = match self.read(names, &left[..many]) {
                // Other columns than numbers may take more.
                Err(DataError::Table(TableError::Memory { .. })) if many > 1 => {
                    most = many / 2;
                    continue;
                }
                read => read?,
            };
            times.extend(self.some(names, frame, visit)?);
            phase.add(many as u64);
            left = &left[many..];
        }
        Ok(times)
    }

    fn read(&self, names: &[String], numbers: &[usize]) -> Result<Frame, DataError> {
        let only = numbers.iter().map(|&at| names[at].clone()).collect();
        let options = ReadOptions { only: Some(only), drop: Vec::new(), ..self.options.read_options() };
        let mut frame = read_tables(self.input, options, (&Roles::default()).into())?.frame;
        if frame.rows != self.labels.len() {
            let (cause, file) = ("it changed while it was being read", self.input.paths()[0]);
            let (file, cause) = (file.display().to_string(), std::io::Error::other(cause));
            return Err(TableError::Read { file, cause }.into());
        }
        find_compact_dates(&mut frame, &self.options.numeric);
        Ok(frame)
    }

    /// Encodes columns; the numbers of those that are times are returned.
    fn some<E: From<DataError>>(
        &mut self,
        names: &[String],
        mut frame: Frame,
        visit: &mut TakeColumns<'_, E>,
    ) -> Result<Vec<usize>, E> {
        let number = |name: &str| names.iter().position(|other| other == name).unwrap_or(usize::MAX);
        let is_time = |values: &Values| matches!(values, Values::Times(_));
        let asked = |name: &String| self.options.date.contains(name);
        if let Some(other) =
            frame.columns.iter().find(|column| asked(&column.name) && !is_time(&column.values))
        {
            return Err(DataError::NotDates { column: other.name.clone() }.into());
        }
        let of_times = frame.columns.iter().filter(|column| is_time(&column.values));
        let times: Vec<usize> = of_times.map(|column| number(&column.name)).collect();
        frame.columns.retain(|column| !is_time(&column.values));
        frame.cells.retain(|cells| !times.contains(&number(&cells.column)));
        self.look(&mut frame);
        let columns = std::mem::take(&mut frame.columns);
        let cells: Vec<CellsRead> = frame.cells.clone();
        self.met(frame);
        for column in columns {
            let (name, number) = (column.name.clone(), number(&column.name));
            match Features::fit_column(column, &cells, &self.encoding, &mut self.learned.missing)? {
                Ok((feature, columns)) => {
                    visit(self.labels.len(), &vec![number; columns.kinds.len()], &columns)?;
                    self.learned.features.push((number, feature));
                }
                Err(why) => self.learned.left_out.push(LeftOut { column: name, why }),
            }
        }
        Ok(times)
    }

    /// Encodes all times together.
    fn times<E: From<DataError>>(
        &mut self,
        names: &[String],
        mut frame: Frame,
        visit: &mut TakeColumns<'_, E>,
    ) -> Result<(), E> {
        self.learned.open = agree_on_dates(&mut frame);
        self.look(&mut frame);
        let columns = std::mem::take(&mut frame.columns);
        let times = Frame { columns, rows: frame.rows, cells: frame.cells.clone(), ..Frame::default() };
        self.met(frame);
        if times.columns.is_empty() {
            return Ok(());
        }
        let left_out: Vec<String> = times.columns.iter().map(|column| column.name.clone()).collect();
        let (features, rows, report) = match Features::fit(times, &self.encoding) {
            // There may be others.
            Err(DataError::NoFeatures { .. }) => {
                let empty = |column| LeftOut { column, why: WhyLeftOut::Constant };
                self.learned.left_out.extend(left_out.into_iter().map(empty));
                return Ok(());
            }
            fitted => fitted?,
        };
        let mut numbers = Vec::new();
        for feature in features.columns() {
            let number = names.iter().position(|name| *name == feature.name).unwrap_or(usize::MAX);
            numbers.extend(vec![number; feature.width()]);
            self.learned.features.push((number, feature.clone()));
        }
        visit(self.labels.len(), &numbers, &features.whole(&rows, &report.cells)?)?;
        self.learned.missing.extend(report.missing);
        self.learned.times_in_order.extend(report.times_in_order);
        self.learned.left_out.extend(report.left_out);
        Ok(())
    }

    /// Shows columns to the rules. Which rows are empty in every column is not known of some columns, so none are: what is found must not
    /// depend on which columns are read together.
    fn look(&mut self, frame: &mut Frame) {
        self.learned.findings.look(&self.options.asked_columns(), frame, Some(self.labels), 0);
    }

    /// What reading some columns met. What it met in the file is the same each time.
    fn met(&mut self, frame: Frame) {
        let learned = &mut self.learned;
        if learned.rows == 0 {
            (learned.rows, learned.delimiter, learned.remarks) = (frame.rows, frame.delimiter, frame.remarks);
        }
        learned.cells.extend(frame.cells);
        learned.left_out.extend(frame.left_out);
    }
}

impl ColumnsLearned {
    /// What the whole table would have been encoded as.
    fn finish(self, options: &InputOptions, names: &[String], rows: usize) -> Result<Dataset, DataError> {
        let Self { remarks, delimiter, mut cells, mut features, missing, left_out, times_in_order, .. } =
            self;
        let (mut findings, mut open) = (self.findings, self.open);
        features.sort_by_key(|(number, _)| *number);
        let place = |name: &str| names.iter().position(|other| other == name);
        let mut report = EncodeReport { missing, left_out, times_in_order, ..EncodeReport::default() };
        report.missing.sort_by_key(|(name, _)| place(name));
        report.left_out.sort_by_key(|left_out| place(&left_out.column));
        open.sort_by_key(|(name, _)| place(name));
        cells.sort_by_key(|cells| place(&cells.column));
        let features: Vec<Feature> = features.into_iter().map(|(_, feature)| feature).collect();
        if features.is_empty() {
            return Err(DataError::NoFeatures { left_out: report.left_out });
        }
        let (missing, scaling, text) = (options.missing, options.scaling, options.text_options());
        let features = Features::of_columns(features, &FeatureOptions { missing, scaling, text });
        findings.sort_by(place);
        let taken = |name: &String| options.only.contains(name) || options.is_taken(name);
        let named = !options.only.is_empty();
        let unused: Vec<String> = names.iter().filter(|name| named && !taken(name)).cloned().collect();
        let columns = summary(&features, &report, &unused);
        let met = Note::of_cells(&Frame { rows: self.rows, cells, delimiter, remarks, ..Frame::default() });
        let notes = notes_of(met, &mut report, findings, &features, open, unused);
        let store = Store::Away { rows, cols: features.width() };
        Ok(Dataset::new(store, Arc::new(features.into()))
            .with_notes(notes)
            .with_columns(columns)
            .with_asked(options))
    }
}

/// How many columns of this many rows there is room for besides the one that is being encoded; one at least.
fn columns_at_once(rows: usize) -> usize {
    let rows = rows.max(1) as u64;
    // Short lists that are freed do not go back to the system, and what they took is missing later.
    let some = if 4 * rows < GIVEN_BACK { memory_left() / 3 } else { memory_left() };
    let left = some.saturating_sub(BYTES_BESIDE.saturating_mul(rows));
    usize::try_from(left / BYTES_PER_CELL.saturating_mul(rows)).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const ROWS: usize = 400;

    /// Numbers with missing cells, a flag, categories, dates of two columns, an id and prose.
    fn file(name: &str) -> PathBuf {
        let mut text = String::from("id,x,start,kind,flag,end,y,same\n");
        for i in 0..ROWS {
            let x = if i % 7 == 0 { String::new() } else { format!("{}", (i * 37 % 101) as f64 / 8.0) };
            let (kind, flag) = (["red", "blue", "", "green"][i * 5 % 4], i % 3 == 0);
            let start = format!("2023-{:02}-{:02}", i % 12 + 1, i * 11 % 28 + 1);
            let end = format!("2024-{:02}-{:02}", i * 5 % 12 + 1, i * 3 % 28 + 1);
            text += &format!("{i},{x},{start},{kind},{flag},{end},{},7\n", u8::from(i % 5 == 0));
        }
        let path =
            std::env::temp_dir().join(format!("onesided-by-columns-{}-{name}.csv", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The cells of all features, put together by the numbers of their columns.
    fn read(options: &InputOptions, input: &Input) -> (Dataset, Vec<(usize, Vec<f32>)>) {
        let mut cells: Vec<(usize, Vec<f32>)> = Vec::new();
        let data = options
            .read_by_columns::<DataError>(input, &mut |rows, numbers, columns| {
                assert_eq!((rows, columns.matrix.cols()), (ROWS, numbers.len()));
                let column = |(at, &number): (usize, &usize)| {
                    (number, (0..rows).map(|row| columns.matrix.row(row)[at]).collect())
                };
                cells.extend(numbers.iter().enumerate().map(column));
                Ok(())
            })
            .unwrap();
        cells.sort_by_key(|(number, _)| *number);
        (data, cells)
    }

    #[test]
    fn the_encoding_and_the_cells_are_those_of_the_whole_table() {
        let path = file("whole");
        let input = Input::one(&path);
        let options = InputOptions::labeled("y");
        let whole = options.read(&input).unwrap();
        let (data, cells) = read(&options, &input);
        assert_eq!(data.encoding(), whole.encoding());
        assert_eq!((data.labels(), data.len()), (whole.labels(), ROWS));
        assert_eq!(data.columns_read(), whole.columns_read());
        let sorted = |data: &Dataset| {
            // Rows that are not held are not compared with each other.
            let notes = data.notes().iter().map(ToString::to_string);
            let mut notes: Vec<String> =
                notes.filter(|note| !note.contains("in all that is learned from")).collect();
            notes.sort();
            notes
        };
        assert_eq!(sorted(&data), sorted(&whole));
        let expected = whole.columns().unwrap();
        assert_eq!(cells.len(), expected.matrix.cols());
        for (at, (_, cells)) in cells.iter().enumerate() {
            let same = |row: usize| expected.matrix.row(row)[at].to_bits() == cells[row].to_bits();
            assert!((0..ROWS).all(same), "feature {at}");
        }
        assert!(data.columns().is_err() && data.dense().is_err());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn names_that_are_not_there_are_refused_and_others_are_kept() {
        let path = file("names");
        let input = Input::one(&path);
        let options = InputOptions { only: vec!["x".to_string()], ..InputOptions::labeled("y") };
        let (data, cells) = read(&options, &input);
        assert_eq!((cells.len(), data.encoding().names()), (1, vec!["x".to_string()]));
        let wrong = InputOptions { drop: vec!["z".to_string()], only: Vec::new(), ..options.clone() };
        let error = wrong.read_by_columns::<DataError>(&input, &mut |_, _, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains("'z'"), "{error}");
        let two = Input::two(&path, &path);
        assert!(!options.can_read_by_columns(&two) && !options.can_read_by_columns(&Input::one("-")));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn room_decides_how_many_columns_are_read_at_once() {
        assert_eq!(columns_at_once(usize::MAX / 64), 1);
        assert!(columns_at_once(1_000) > 10);
    }
}
