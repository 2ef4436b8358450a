//! Objects: one per line, or in one array. Keys are columns, and rows are written as a text table while they are read.
//!
//! The first reading finds the keys and what they hold. A key of a nested object becomes `outer.inner`; a key that an object
//! lacks is a missing cell. Lists of numbers of one length are vectors, other lists are left out. Cells then go the way of
//! any text table, so that `"12"` and `12` are the same number; a number is marked as one, whatever the decimal sign of texts. At no time is there more in memory than one object.

use super::cell::mark;
use super::json_value::Json;
use super::pass::{broken, decompressed, longest_record};
use super::source::Bytes;
use super::{ReadOptions, Source};
use crate::Position;
use crate::decode::Utf8Reader;
use crate::frame::{LeftOut, Values, WhyLeftOut};
use crate::{Frame, TableError, check_memory};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

/// The most different keys.
const MOST_KEYS: usize = 50_000;

/// What a key takes.
const BYTES_PER_KEY: u64 = 512;

/// What was found of the keys.
#[derive(Default)]
pub(super) struct Plan {
    names: Vec<String>,
    places: HashMap<String, usize>,
    holds: Vec<Holds>,
    /// Columns whose lists are not written as texts: they are not features, or become vectors.
    silent: Vec<bool>,
    rows: usize,
}

/// What the values of a key are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Nothing but null so far.
    Nothing,
    /// Numbers, words and truth values.
    Cells,
    /// Lists of this many numbers.
    Vectors(usize),
    /// Lists of other things, or of different lengths.
    Lists,
}

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, TableError> {
    let mut plan = Plan::default();
    let mut objects = Objects::new(source)?;
    while let Some(object) = objects.next()? {
        plan.take_in(&source.name, object)?;
    }
    match (plan.rows, plan.names.len()) {
        (0, _) => return Err(TableError::Empty { file: source.name.clone() }),
        (_, 0) => return Err(TableError::NoRows { file: source.name.clone() }),
        (1, _) if plan.holds.iter().all(|holds| *holds == Holds::Lists) || plan.is_by_column() => {
            return Err(TableError::OneObject { file: source.name.clone() });
        }
        _ => {}
    }
    let kept = |name: &String| {
        [&options.categories, &options.text, &options.verbatim].iter().any(|list| list.contains(name))
    };
    let lists = |holds: &Holds| matches!(holds, Holds::Vectors(_) | Holds::Lists);
    plan.silent =
        plan.names.iter().zip(&plan.holds).map(|(name, holds)| lists(holds) && !kept(name)).collect();
    let mut frame = source.rewritten(Bytes::Json(source, &plan), 0).read_plain(options)?;
    plan.put_vectors(source, &mut frame)?;
    Ok(frame)
}

impl Plan {
    fn take_in(&mut self, file: &str, object: Json) -> Result<(), TableError> {
        self.rows += 1;
        if self.rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
        }
        let mut cells = Vec::new();
        object.flatten(&mut cells);
        for (name, value) in cells {
            let at = match self.places.get(&name) {
                Some(&at) => at,
                None => {
                    let at = self.names.len();
                    if at >= MOST_KEYS {
                        return Err(TableError::TooManyKeys { file: file.to_string(), limit: MOST_KEYS });
                    }
                    if at % 1024 == 1023 {
                        check_memory(|| format!("the {at} keys of '{file}'"), at as u64 * BYTES_PER_KEY)?;
                    }
                    self.places.insert(name.clone(), at);
                    self.names.push(name);
                    self.holds.push(Holds::Nothing);
                    at
                }
            };
            let of_value = match &value {
                Json::Null => continue,
                Json::List(items) if items.iter().all(|item| matches!(item, Json::Number(_))) => {
                    if items.is_empty() { Holds::Lists } else { Holds::Vectors(items.len()) }
                }
                Json::List(_) => Holds::Lists,
                _ => Holds::Cells,
            };
            self.holds[at] = match (self.holds[at], of_value) {
                (Holds::Nothing, new) => new,
                (old, new) if old == new => old,
                // A list among words is written out as a word.
                (Holds::Cells, _) | (_, Holds::Cells) => Holds::Cells,
                _ => Holds::Lists,
            };
        }
        Ok(())
    }

    /// Whether the one object holds a table column by column: `{"a": {"0": 1, "1": 2}, …}`.
    fn is_by_column(&self) -> bool {
        let counted = self.names.iter().filter(|name| {
            name.rsplit_once('.').is_some_and(|(_, last)| last.bytes().all(|byte| byte.is_ascii_digit()))
        });
        self.names.len() > 1 && counted.count() == self.names.len()
    }

    /// Puts vectors in the place of the columns that stand for them, and takes out those of other lists.
    fn put_vectors(&self, source: &Source<'_>, frame: &mut Frame) -> Result<(), TableError> {
        let named = frame.columns.iter().enumerate();
        let named = named.filter_map(|(column, cells)| Some((column, *self.places.get(&cells.name)?)));
        let silent: Vec<(usize, usize)> = named.filter(|&(_, at)| self.silent[at]).collect();
        let mut vectors: Vec<(usize, usize, Vec<f32>)> = Vec::new();
        for &(column, at) in &silent {
            if let Holds::Vectors(width) = self.holds[at] {
                let bytes = 4 * (width as u64).saturating_mul(frame.rows as u64);
                check_memory(|| format!("the vectors of column '{}'", self.names[at]), bytes)?;
                vectors.push((column, at, Vec::with_capacity(width * frame.rows)));
            }
        }
        if !vectors.is_empty() {
            let mut objects = Objects::new(source)?;
            let mut row = 0u64;
            while let Some(object) = objects.next()? {
                row += 1;
                let mut cells = Vec::new();
                object.flatten(&mut cells);
                for (_, at, values) in &mut vectors {
                    let Holds::Vectors(width) = self.holds[*at] else { continue };
                    let cell = cells.iter().find(|(name, _)| *name == self.names[*at]);
                    let Some((name, Json::List(items))) = cell else {
                        values.resize(values.len() + width, f32::NAN);
                        continue;
                    };
                    for item in items {
                        let Json::Number(text) = item else { continue };
                        let value = text.parse::<f32>().unwrap_or(f32::NAN);
                        if !value.is_finite() {
                            let (file, place) = (source.name.clone(), Position::Row(row));
                            let (column, value) = (name.clone(), text.clone());
                            return Err(TableError::TooLarge { file, place, column, value });
                        }
                        values.push(value);
                    }
                }
            }
        }
        for (column, at, values) in vectors {
            if let Holds::Vectors(width) = self.holds[at] {
                frame.columns[column].values = Values::Vectors { width, values };
            }
        }
        for &(column, at) in silent.iter().rev().filter(|(_, at)| self.holds[*at] == Holds::Lists) {
            frame.columns.remove(column);
            frame.left_out.push(LeftOut { column: self.names[at].clone(), why: WhyLeftOut::Type });
        }
        Ok(())
    }
}

/// The objects of a file, one after another.
struct Objects<'s> {
    name: &'s str,
    codec: Option<&'static str>,
    bytes: BufReader<Box<dyn Read + 's>>,
    buffer: Vec<u8>,
    line: u64,
    /// Whether the objects are in an array.
    array: bool,
    /// Whether that array was closed.
    closed: bool,
}

impl<'s> Objects<'s> {
    fn new(source: &'s Source<'s>) -> Result<Self, TableError> {
        let (codec, bytes) = decompressed(source)?;
        let bytes: Box<dyn Read + 's> = Box::new(Utf8Reader::new(bytes, None));
        let bytes = BufReader::with_capacity(1 << 16, bytes);
        Ok(Self {
            name: &source.name,
            codec,
            bytes,
            buffer: Vec::new(),
            line: 1,
            array: false,
            closed: false,
        })
    }

    fn next(&mut self) -> Result<Option<Json>, TableError> {
        let line = match self.fill()? {
            Some(line) => line,
            None => return Ok(None),
        };
        // Bytes that are no text are a text with a sign for that, which JSON refuses outside of texts.
        let text = String::from_utf8_lossy(&self.buffer);
        let parsed = Json::parse(&text).or_else(|error| match without_nan(text.as_bytes()) {
            Some(bytes) => Json::parse(&String::from_utf8_lossy(&bytes)),
            None => Err(error),
        });
        match parsed {
            Ok(object) => Ok(Some(object)),
            Err(error) => {
                let detail = error.to_string();
                let detail = detail.split(" at line ").next().unwrap_or(&detail);
                Err(self.wrong(line, format!("the object is not sound JSON ({detail})")))
            }
        }
    }

    fn wrong(&self, line: u64, detail: impl Into<String>) -> TableError {
        let (file, place) = (self.name.to_string(), Position::Line(line));
        TableError::NotJson { file, place, detail: detail.into() }
    }

    /// Puts the bytes of the next object into the buffer and returns the line in which it begins.
    fn fill(&mut self) -> Result<Option<u64>, TableError> {
        self.buffer.clear();
        let (mut depth, mut in_text, mut escaped, mut begun) = (0usize, false, false, 0);
        loop {
            let bytes = match self.bytes.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => {
                    let file = self.name.to_string();
                    return Err(match self.codec {
                        Some(codec) => broken(file, codec, cause),
                        None => TableError::Read { file, cause },
                    });
                }
            };
            if bytes.is_empty() {
                return match depth {
                    0 if self.array && !self.closed => Err(self.wrong(self.line, "the array has no end")),
                    0 => Ok(None),
                    _ => Err(self.wrong(begun, "the object has no end")),
                };
            }
            let (mut used, mut problem, mut done) = (0, None, false);
            for &byte in bytes {
                used += 1;
                self.line += u64::from(byte == b'\n');
                if depth == 0 {
                    match byte {
                        b'{' if !self.closed => {
                            (depth, begun) = (1, self.line);
                            self.buffer.push(byte);
                        }
                        b'[' if !self.array && !self.closed => self.array = true,
                        b']' if self.array => (self.array, self.closed) = (false, true),
                        b' ' | b'\t' | b'\r' | b'\n' | b',' | 0x1e | 0xef | 0xbb | 0xbf => {}
                        _ => problem = Some(byte),
                    }
                    if problem.is_some() {
                        break;
                    }
                    continue;
                }
                self.buffer.push(byte);
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_text => escaped = true,
                    b'"' => in_text = !in_text,
                    b'{' | b'[' if !in_text => depth += 1,
                    b'}' | b']' if !in_text => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    done = true;
                    break;
                }
            }
            self.bytes.consume(used);
            if let Some(byte) = problem {
                let shown = char::from(byte).escape_default().to_string();
                return Err(self.wrong(self.line, format!("expected an object but found '{shown}'")));
            }
            if done {
                return Ok(Some(begun));
            }
            let limit = longest_record();
            if self.buffer.len() as u64 > limit {
                let (file, place) = (self.name.to_string(), Position::Line(begun));
                return Err(TableError::LongRecord { file, place, limit });
            }
        }
    }
}

/// Python writes NaN where JSON knows only null. The bytes with one for the other, if there is one outside of texts.
fn without_nan(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut at, mut in_text, mut found) = (Vec::with_capacity(bytes.len() + 16), 0, false, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_text => {
                out.extend_from_slice(&bytes[at..(at + 2).min(bytes.len())]);
                at += 2;
                continue;
            }
            b'"' => in_text = !in_text,
            b'N' if !in_text && bytes[at..].starts_with(b"NaN") => {
                out.extend_from_slice(b"null");
                (at, found) = (at + 3, true);
                continue;
            }
            _ => {}
        }
        out.push(bytes[at]);
        at += 1;
    }
    found.then_some(out)
}

/// The objects as a text table: a line of names, then a line per object.
pub(super) struct Text<'s> {
    objects: Objects<'s>,
    plan: &'s Plan,
    line: Vec<u8>,
    read: usize,
}

impl<'s> Text<'s> {
    pub(super) fn new(source: &'s Source<'s>, plan: &'s Plan) -> Result<Self, TableError> {
        let mut text = Text { objects: Objects::new(source)?, plan, line: Vec::new(), read: 0 };
        plan.names.iter().for_each(|name| text.push(name, None));
        text.end();
        Ok(text)
    }

    fn push(&mut self, cell: &str, mark: Option<u8>) {
        self.line.push(b'"');
        self.line.extend(mark);
        for &byte in cell.as_bytes() {
            if byte == b'"' {
                self.line.push(byte);
            }
            self.line.push(byte);
        }
        self.line.extend_from_slice(b"\",");
    }

    /// Puts a line end in the place of the last comma.
    fn end(&mut self) {
        if let Some(last) = self.line.last_mut() {
            *last = b'\n';
        }
    }

    fn next_line(&mut self) -> Result<bool, TableError> {
        let Some(object) = self.objects.next()? else { return Ok(false) };
        let mut cells = Vec::new();
        object.flatten(&mut cells);
        let mut row: Vec<Option<Json>> = (0..self.plan.names.len()).map(|_| None).collect();
        for (name, value) in cells {
            if let Some(&at) = self.plan.places.get(&name) {
                row[at] = Some(value);
            }
        }
        for (at, value) in row.into_iter().enumerate() {
            match value {
                None | Some(Json::Null) => self.push("", None),
                Some(Json::List(_)) if self.plan.silent.get(at) == Some(&true) => self.push("0", None),
                Some(value) => {
                    let text = value.to_text();
                    self.push(&text, mark(&text, matches!(value, Json::Number(_))));
                }
            }
        }
        self.end();
        Ok(true)
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.line.clear();
            self.read = 0;
            if !self.next_line().map_err(|error| io::Error::other(error.to_string()))? {
                return Ok(0);
            }
        }
        let given = (&self.line[self.read..]).read(buffer)?;
        self.read += given;
        Ok(given)
    }
}
