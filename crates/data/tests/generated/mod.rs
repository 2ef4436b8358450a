//! Tables made at random, and the same table in every format that people keep tables in.

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch, StringArray};
use onesided_data::{OutColumn, Stream, write_table};
use parquet::arrow::ArrowWriter;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A cell: what it is, not how it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Missing,
    /// A number of so many units, each a power of ten.
    Number {
        units: i64,
        decimals: u32,
    },
    Text(String),
    Flag(bool),
    /// Year, month and day.
    Date(u32, u32, u32),
}

#[derive(Clone, Debug)]
pub struct Table {
    pub names: Vec<String>,
    /// Column by column.
    pub columns: Vec<Vec<Cell>>,
}

/// Where a table is kept, and how it is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Commas between cells, decimal points, dates with the year first.
    Points,
    /// Semicolons, decimal commas, `31.12.2024`.
    Commas,
    /// Tabs, decimal points, `12/31/2024`.
    Tabs,
    Sheet,
    Parquet,
    Feather,
    Objects,
}

pub const FORMS: [Form; 7] =
    [Form::Points, Form::Commas, Form::Tabs, Form::Sheet, Form::Parquet, Form::Feather, Form::Objects];

const WORDS: [&str; 9] = ["red", "blue", "green", "weiß", "a,b", "say \"hi\"", "x;y", "two words", "東"];

impl Table {
    /// A table of labeled rows: numbers of many sizes and lengths, words, truth values, dates, missing cells, equal rows.
    pub fn new(seed: u64) -> Self {
        let mut draw = Stream::new(seed, "generated");
        let rows = 30 + draw.below(70);
        let kinds: Vec<usize> = (0..2 + draw.below(5)).map(|_| draw.below(7)).collect();
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        for (at, kind) in kinds.into_iter().enumerate() {
            let decimals = draw.below(5) as u32;
            let size = 10i64.pow(1 + draw.below(5) as u32);
            let missing = [0.0, 0.0, 0.08][draw.below(3)];
            let mut cell = || match kind {
                _ if draw.uniform() < missing => Cell::Missing,
                0 | 1 => {
                    Cell::Number { units: draw.below((size * 10i64.pow(decimals)) as usize) as i64, decimals }
                }
                // Around nought, and beyond what single precision holds.
                2 => Cell::Number { units: draw.below(2_000_000) as i64 - 1_000_000, decimals: 3 },
                3 => Cell::Number { units: 1_700_000_000 + draw.below(40_000_000) as i64, decimals: 0 },
                4 => Cell::Text(WORDS[draw.below(WORDS.len())].to_string()),
                5 => Cell::Flag(draw.below(2) == 0),
                _ => {
                    // Sometimes no day tells which of day and month comes first.
                    let days = if decimals == 0 { 12 } else { 28 };
                    Cell::Date(
                        2020 + draw.below(5) as u32,
                        1 + draw.below(12) as u32,
                        1 + draw.below(days) as u32,
                    )
                }
            };
            columns.push((0..rows).map(|_| cell()).collect::<Vec<Cell>>());
            names.push(format!("c{at} {}", ["n", "n", "s", "u", "w", "f", "d"][kind]));
        }
        for _ in 0..draw.below(6) {
            let (from, to) = (draw.below(rows), draw.below(rows));
            columns.iter_mut().for_each(|column| column[to] = column[from].clone());
        }
        Self { names, columns }
    }

    pub fn rows(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether a form can hold the table: a sheet ends with its last filled cell.
    pub fn fits_in(&self, form: Form) -> bool {
        form != Form::Sheet || self.columns.iter().any(|column| column.last() != Some(&Cell::Missing))
    }

    /// Some rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let of = |column: &Vec<Cell>| rows.iter().map(|&row| column[row].clone()).collect();
        Self { names: self.names.clone(), columns: self.columns.iter().map(of).collect() }
    }

    /// The columns in this order.
    pub fn arranged(&self, order: &[usize]) -> Self {
        Self {
            names: order.iter().map(|&at| self.names[at].clone()).collect(),
            columns: order.iter().map(|&at| self.columns[at].clone()).collect(),
        }
    }

    /// With a column `y` that labels every third row.
    pub fn labeled(&self) -> Self {
        let mut labeled = self.clone();
        labeled.names.push("y".to_string());
        let label = |row: usize| Cell::Number { units: i64::from(row.is_multiple_of(3)), decimals: 0 };
        labeled.columns.push((0..self.rows()).map(label).collect());
        labeled
    }

    /// Writes the table to a folder.
    pub fn write(&self, folder: &Path, name: &str, form: Form) -> PathBuf {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        match form {
            Form::Points => self.separated(&file("csv"), ",", |cell| cell.text('.', &iso)),
            Form::Commas => self.separated(&file("de.csv"), ";", |cell| {
                cell.text(',', &|y, m, d| format!("{d:02}.{m:02}.{y}"))
            }),
            Form::Tabs => {
                self.separated(&file("tsv"), "\t", |cell| cell.text('.', &|y, m, d| format!("{m}/{d}/{y}")))
            }
            Form::Sheet => {
                let texts = |column: &Vec<Cell>| column.iter().map(|cell| cell.text('.', &iso)).collect();
                let columns: Vec<(&str, OutColumn)> = (self.names.iter().zip(&self.columns))
                    .map(|(name, column)| (name.as_str(), OutColumn::Text(texts(column))))
                    .collect();
                write_table(&file("xlsx"), &columns).unwrap();
                file("xlsx")
            }
            Form::Parquet => {
                let batch = self.arrow();
                let path = file("parquet");
                let mut writer =
                    ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
                path
            }
            Form::Feather => {
                let batch = self.arrow();
                let path = file("feather");
                let to = File::create(&path).unwrap();
                let mut writer = arrow_ipc::writer::FileWriter::try_new(to, &batch.schema()).unwrap();
                writer.write(&batch).unwrap();
                writer.finish().unwrap();
                path
            }
            Form::Objects => {
                let path = file("jsonl");
                let object = |row: usize| {
                    let cell = |(name, column): (&String, &Vec<Cell>)| {
                        format!("{}: {}", serde_json::to_string(name).unwrap(), column[row].json())
                    };
                    let cells: Vec<String> = self.names.iter().zip(&self.columns).map(cell).collect();
                    format!("{{{}}}\n", cells.join(", "))
                };
                fs::write(&path, (0..self.rows()).map(object).collect::<String>()).unwrap();
                path
            }
        }
    }

    fn separated(&self, path: &Path, sign: &str, text: impl Fn(&Cell) -> String) -> PathBuf {
        let quoted = |cell: String| {
            let plain = !cell.contains([',', ';', '\t', '"']);
            if plain { cell } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
        };
        let line = |cells: Vec<String>| format!("{}\n", cells.join(sign));
        let mut all = line(self.names.iter().cloned().map(quoted).collect());
        for row in 0..self.rows() {
            // Decimal commas need no quotes between semicolons.
            let cell = |column: &Vec<Cell>| match &column[row] {
                number @ Cell::Number { .. } => text(number),
                other => quoted(text(other)),
            };
            all += &line(self.columns.iter().map(cell).collect());
        }
        fs::write(path, all).unwrap();
        path.to_path_buf()
    }

    fn arrow(&self) -> RecordBatch {
        let array = |column: &Vec<Cell>| -> ArrayRef {
            let is = |wanted: fn(&Cell) -> bool| column.iter().any(wanted);
            if is(|cell| matches!(cell, Cell::Text(_))) {
                let text = |cell: &Cell| if let Cell::Text(text) = cell { Some(text.clone()) } else { None };
                Arc::new(StringArray::from_iter(column.iter().map(text)))
            } else if is(|cell| matches!(cell, Cell::Flag(_))) {
                let flag = |cell: &Cell| if let Cell::Flag(flag) = cell { Some(*flag) } else { None };
                Arc::new(BooleanArray::from_iter(column.iter().map(flag)))
            } else if is(|cell| matches!(cell, Cell::Date(..))) {
                let date =
                    |cell: &Cell| if let Cell::Date(y, m, d) = cell { Some(days(*y, *m, *d)) } else { None };
                Arc::new(Date32Array::from_iter(column.iter().map(date)))
            } else {
                let number = |cell: &Cell| match cell {
                    Cell::Number { .. } => Some(cell.text('.', &iso).parse::<f64>().unwrap()),
                    _ => None,
                };
                Arc::new(Float64Array::from_iter(column.iter().map(number)))
            }
        };
        let columns =
            self.names.iter().zip(&self.columns).map(|(name, column)| (name.clone(), array(column), true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }
}

fn iso(year: u32, month: u32, day: u32) -> String {
    format!("{year}-{month:02}-{day:02}")
}

/// Days since 1970, counted month by month.
fn days(year: u32, month: u32, day: u32) -> i32 {
    let leap = |year: u32| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let lengths = |year| [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let years: i32 = (1970..year).map(|year| if leap(year) { 366 } else { 365 }).sum();
    years + lengths(year)[..month as usize - 1].iter().sum::<i32>() + day as i32 - 1
}

impl Cell {
    fn text(&self, sign: char, date: &dyn Fn(u32, u32, u32) -> String) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Date(year, month, day) => date(*year, *month, *day),
            Cell::Number { units, decimals: 0 } => units.to_string(),
            Cell::Number { units, decimals } => {
                let one = 10i64.pow(*decimals);
                let part = format!("{:0width$}", units.abs() % one, width = *decimals as usize);
                // Programs leave out zeros at the end.
                let part = part.trim_end_matches('0');
                let minus = if *units < 0 { "-" } else { "" };
                let part = if part.is_empty() { String::new() } else { format!("{sign}{part}") };
                format!("{minus}{}{part}", units.abs() / one)
            }
        }
    }

    fn json(&self) -> String {
        match self {
            Cell::Missing => "null".to_string(),
            Cell::Text(text) => serde_json::to_string(text).unwrap(),
            Cell::Date(..) => format!("\"{}\"", self.text('.', &iso)),
            Cell::Number { .. } | Cell::Flag(_) => self.text('.', &iso),
        }
    }
}
