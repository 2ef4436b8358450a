//! A table read for a model piece by piece: memory is bounded however long the file is.
//!
//! Every piece is encoded by the same code as a whole table, and rows, notes and errors are the same. What is known of the
//! rows (labels, truth, weights) takes a few bytes per row and is told at the end, because what a label means follows from
//! all of them. Places other than text or Parquet tables are read as a whole and handed out in one piece.

use super::table::weights_from;
use super::{Dataset, Encoding, Input, Note, ReadAgain, RowNames};
use crate::features::{ColumnDrift, FeatureKind, Features, Tally};
use crate::label::{apart, labels_from_column, other_label, truth_from_column, with_blank_rows_filled};
use crate::{DataError, EncodeReport, Frame, Label, Store, TableFormat};
use onesided_table::memory_left;
use onesided_table::{Column, TableError, TextColumn, Values, stack_named};
use onesided_table::{Piece, PiecePlan, PiecesEnd, ReadOptions, Source};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The rows of a piece take about so much memory, where there is enough.
const BYTES_PER_PIECE: u64 = 16 << 20;
/// The most rows of a piece, and of one whose rows are sparse.
const MOST_ROWS: usize = 1 << 16;
const MOST_SPARSE: usize = 1 << 13;
/// The least.
const LEAST_ROWS: usize = 256;
/// Networks take dense rows, or sparse ones, this many at a time, and the last digits of a score depend on where in such a block
/// its row is: where pieces are whole blocks, they are those of the whole table.
const BLOCKS: [usize; 2] = [1 << 10, 1 << 12];

/// How a table is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cutting {
    /// Rows per piece; as many as the memory is good for if nothing is said.
    pub rows: Option<usize>,
    /// Threads that read; 0 is all there are.
    pub threads: usize,
    /// If given, no rows but those from one to before another: neighboring ones of a Parquet table. What is told of a table at its
    /// end is then told of none.
    pub range: Option<(usize, usize)>,
}

/// What is known once all pieces were handed out.
#[derive(Clone, Debug, Default)]
pub struct Streamed {
    /// How many rows there were.
    pub rows: usize,
    /// Which rows are labeled, where anything says so.
    pub labels: Option<Vec<Label>>,
    /// The truth of every row, where it is known.
    pub truth: Option<Vec<bool>>,
    /// The weight of every row, where rows have weights.
    pub weights: Option<Vec<f32>>,
    /// What reading met, as [`Dataset::notes`] tells it of a whole table.
    pub notes: Vec<Note>,
    /// Rows that are empty in every column that is learned from, as [`Dataset::blank_rows`].
    pub blank: Vec<u32>,
    /// How far each column is from what training saw, as [`Dataset::drifts`].
    pub drifts: Vec<ColumnDrift>,
}

/// Why the pieces of a table ended early.
enum Halted<E> {
    Table(TableError),
    Visitor(E),
}

impl<E> From<TableError> for Halted<E> {
    fn from(error: TableError) -> Self {
        Halted::Table(error)
    }
}

impl<E: From<DataError>> Halted<E> {
    fn into_error(self) -> E {
        match self {
            Halted::Table(error) => DataError::from(error).into(),
            Halted::Visitor(error) => error,
        }
    }
}

impl Encoding {
    /// [`read`](Self::read) piece by piece: `visit` gets the encoded rows in their order, with the names they are known by
    /// and the columns to keep.
    pub fn stream<E: From<DataError>>(
        self: &Arc<Self>,
        input: &Input,
        also: &ReadAgain,
        cut: Cutting,
        visit: &mut dyn FnMut(Dataset) -> Result<(), E>,
    ) -> Result<Streamed, E> {
        self.check_answers(also)?;
        let Some(options) = self.piece_options(input, also)? else {
            return whole(self.read(input, &also.with_kept(self, input)?)?, visit);
        };
        let plan = PiecePlan {
            features: &options,
            answers: also.roles.label.iter().chain(&also.roles.truth).cloned().collect(),
            verbatim: also.handed_out(),
            optional: also.told.iter().map(|told| &told.column).chain(&also.named).cloned().collect(),
            all: also.keeps_all(),
            rows: cut.rows.unwrap_or_else(|| self.rows_per_piece()),
            range: cut.range.map(|(start, end)| start..end),
            threads: cut.threads,
        };
        let mut streaming = Streaming::new(self, also);
        let (mut truth, mut counts): (Option<Frame>, Vec<usize>) = (None, Vec::new());
        let mut ends = Vec::new();
        let paths = input.paths();
        let sources = match input {
            Input::Parts(_) => input.sources(),
            _ => paths.iter().map(|path| Source::spooled(path)).collect(),
        };
        for (path, source) in paths.iter().zip(sources.map_err(DataError::from)?) {
            let before = streaming.rows;
            let mut show = |piece| streaming.visit(piece, visit).map_err(Halted::Visitor);
            let end = source.pieces(&plan, &mut show).map_err(Halted::into_error)?;
            let Some(end) = end else {
                // What was read of a stream is gone.
                if !path.is_file() {
                    return Err(DataError::FormatOfStream { file: "standard input".to_string() }.into());
                }
                return whole(self.read(input, &also.with_kept(self, input)?)?, visit);
            };
            counts.push(streaming.rows - before);
            ends.push(end);
        }
        for end in &mut ends {
            let columns = std::mem::take(&mut end.answers);
            let Some(rows) = columns.first().map(|column| column.values.len()) else { continue };
            let more = Frame { columns, rows, ..Frame::default() };
            truth = Some(match truth {
                None => more,
                Some(first) => stack_named(first, more, "unlabeled rows").map_err(DataError::from)?,
            });
        }
        let mut answers = truth.unwrap_or_default();
        let mut streamed = Streamed { rows: streaming.rows, ..Streamed::default() };
        let mut note = None;
        match (input, &also.roles.label) {
            (Input::Two { .. }, _) => {
                let of = |at: usize| counts.get(at).copied().unwrap_or(0);
                streamed.labels = Some(apart(of(0), of(1), of(2)));
            }
            (_, Some(name)) => {
                let (positive, negative) = (also.roles.positive.as_deref(), also.roles.negative.as_deref());
                let column =
                    with_blank_rows_filled(answers.take(name).map_err(DataError::from)?, &streaming.blank);
                streamed.labels = Some(labels_from_column(&column, positive, negative)?);
                let other = other_label(&column, positive).filter(|_| negative.is_none());
                note = other.map(|value| Note::OtherLabel { column: name.clone(), value });
            }
            _ => {}
        }
        if let Some(name) = &also.roles.truth {
            let column =
                with_blank_rows_filled(answers.take(name).map_err(DataError::from)?, &streaming.blank);
            streamed.truth = Some(truth_from_column(&column, also.roles.positive.as_deref())?);
        }
        if cut.range.is_none() {
            streamed.notes = streaming.notes(ends)?;
        }
        streamed.notes.extend(note);
        streamed.weights = streaming.weights;
        (streamed.blank, streamed.drifts) = (streaming.blank, streaming.drifts);
        Ok(streamed)
    }

    /// How the columns of a table are read in pieces; `None` where the place is read as a whole.
    fn piece_options(&self, input: &Input, also: &ReadAgain) -> Result<Option<ReadOptions>, DataError> {
        let paths = input.paths();
        let known = |path: &&Path| {
            let format = TableFormat::of(path).or(also.files.format);
            matches!(format, None | Some(TableFormat::Csv | TableFormat::Tsv | TableFormat::Parquet))
        };
        let tables = paths.iter().all(|path| !path.is_dir() && known(path));
        // What is wrong with two places is for the reader of the whole to say.
        let twice = (1..paths.len()).any(|at| paths[..at].contains(&paths[at]));
        let are_parts = matches!(input, Input::Parts(_));
        if !tables || (!are_parts && (twice || (paths.len() > 1 && also.roles.label.is_some()))) {
            return Ok(None);
        }
        Ok(match self {
            Encoding::Table(features) if also.text.is_empty() => {
                Some(features.read_options().written_like(&also.as_written()))
            }
            Encoding::Text(fitted) => {
                let columns = if also.text.is_empty() { &fitted.columns } else { &also.text };
                let only = Some(columns.clone());
                let options = ReadOptions { text: columns.clone(), only, ..also.as_written() };
                (!columns.is_empty()).then_some(options)
            }
            _ => None,
        })
    }

    fn rows_per_piece(&self) -> usize {
        let sparse = match self {
            Encoding::Table(features) => features.is_sparse(),
            _ => true,
        };
        if sparse {
            return MOST_SPARSE;
        }
        let bytes = BYTES_PER_PIECE.min(memory_left() / 32);
        let rows = bytes / (4 * self.width().max(1) as u64);
        let rows = usize::try_from(rows).unwrap_or(MOST_ROWS).clamp(LEAST_ROWS, MOST_ROWS);
        let block = BLOCKS.iter().rev().find(|&&block| block <= rows).copied().unwrap_or(1);
        rows / block * block
    }
}

impl ReadAgain {
    /// Whether all columns of the table are kept.
    fn keeps_all(&self) -> bool {
        self.keep == ["all"]
    }

    /// Columns that are handed out as they are: weights, names, and what is kept.
    fn handed_out(&self) -> Vec<String> {
        let kept = self.keep.iter().filter(|_| !self.keeps_all());
        let mut names: Vec<String> = Vec::new();
        for name in self.roles.weight.iter().chain(&self.roles.id).chain(kept) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The same for a reader that knows no columns to keep: they are names of rows like others.
    fn with_kept(&self, encoding: &Encoding, input: &Input) -> Result<Self, DataError> {
        let mut also = self.clone();
        let mut kept = std::mem::take(&mut also.keep);
        if self.keeps_all()
            && let Some(path) = input.paths().first().filter(|path| path.is_file())
        {
            let mut options = self.as_written();
            if let Encoding::Table(features) = encoding {
                options.sheet_with.extend(features.columns().iter().map(|feature| feature.name.clone()));
            }
            kept = Source::at(path)?.cell_names(&options)?;
        }
        also.roles.id.extend(kept.into_iter().filter(|name| !self.roles.id.contains(name)));
        Ok(also)
    }
}

/// Hands out what was read as a whole.
fn whole<E: From<DataError>>(
    data: Dataset,
    visit: &mut dyn FnMut(Dataset) -> Result<(), E>,
) -> Result<Streamed, E> {
    let streamed = Streamed {
        rows: data.len(),
        labels: data.labels().map(<[Label]>::to_vec),
        truth: data.truth().map(<[bool]>::to_vec),
        weights: data.weights().map(<[f32]>::to_vec),
        notes: data.notes().to_vec(),
        blank: data.blank_rows().to_vec(),
        drifts: data.drifts().to_vec(),
    };
    visit(data)?;
    Ok(streamed)
}

/// What was seen so far.
struct Streaming<'a> {
    encoding: &'a Arc<Encoding>,
    also: &'a ReadAgain,
    rows: usize,
    weights: Option<Vec<f32>>,
    missing: Vec<(String, usize)>,
    unseen: Vec<(String, usize)>,
    without_terms: Vec<(String, usize)>,
    tallies: Vec<Tally>,
    blank: Vec<u32>,
    drifts: Vec<ColumnDrift>,
}

impl<'a> Streaming<'a> {
    fn new(encoding: &'a Arc<Encoding>, also: &'a ReadAgain) -> Self {
        let weights = also.roles.weight.as_ref().map(|_| Vec::new());
        let (missing, unseen, without_terms) = (Vec::new(), Vec::new(), Vec::new());
        let (tallies, blank, drifts) = (Vec::new(), Vec::new(), Vec::new());
        Self { encoding, also, rows: 0, weights, missing, unseen, without_terms, tallies, blank, drifts }
    }

    fn visit<E: From<DataError>>(
        &mut self,
        piece: Piece,
        visit: &mut dyn FnMut(Dataset) -> Result<(), E>,
    ) -> Result<(), E> {
        let data = self.encoded(piece).map_err(|error| error.moved(self.rows))?;
        self.rows += data.len();
        visit(data)
    }

    fn encoded(&mut self, Piece { frame, verbatim }: Piece) -> Result<Dataset, DataError> {
        let (encoding, rows) = (self.encoding, frame.rows);
        let is_table = matches!(encoding.as_ref(), Encoding::Table(_));
        let keys = (self.also.keys && is_table).then(|| encoding.keys_of(&frame));
        let mut data = match encoding.as_ref() {
            Encoding::Table(features) => {
                let (rows, report) = features.encode(frame)?;
                self.count(&report);
                Dataset::new(rows, encoding.clone()).with_missing(report.cells).with_blank(report.blank)
            }
            Encoding::Text(input) => {
                let texts = self.joined(frame)?;
                let terms = input.text.transform(&texts);
                add(&mut self.without_terms, &[(String::new(), terms.empty_rows())]);
                Dataset::new(Store::Sparse(terms), encoding.clone())
            }
            Encoding::Image(_) => return Err(DataError::OtherEncoding),
        };
        data = data.with_keys(keys);
        let mut handed_out: HashMap<String, TextColumn> = HashMap::new();
        let mut names = Vec::with_capacity(verbatim.len());
        for (name, cells) in verbatim {
            if cells.len() != rows {
                return Err(TableError::Length {
                    what: "cells in a column",
                    expected: rows,
                    found: cells.len(),
                }
                .into());
            }
            names.push(name.clone());
            handed_out.insert(name, cells);
        }
        if let (Some(name), Some(weights)) = (&self.also.roles.weight, &mut self.weights)
            && let Some(cells) = handed_out.get(name)
        {
            weights.extend(weights_from(name, cells)?);
        }
        let told = self.also.told.as_ref().and_then(|told| Some((told, handed_out.get(&told.column)?)));
        let told = told.map(|(told, cells)| told.labels(cells.iter(), self.also.told_asked)).transpose()?;
        data = data.with_told(told)?;
        let named = self.also.named.as_ref().and_then(|name| Some((name, handed_out.get(name)?)));
        data = data.with_row_names(named.map(|(name, cells)| RowNames::of_texts(name, cells)));
        // A column of weights was not asked for by its name, unless it was.
        let asked = |name: &&String| {
            let asked =
                self.also.roles.id.contains(name) || self.also.keep.contains(name) || self.also.keeps_all();
            let is_told = self.also.told.as_ref().is_some_and(|told| told.column == **name);
            let is_named = self.also.named.as_ref() == Some(name);
            asked || (self.also.roles.weight.as_ref() != Some(name) && !is_told && !is_named)
        };
        let ids =
            self.also.roles.id.iter().chain(names.iter().filter(|name| !self.also.roles.id.contains(name)));
        for name in ids.filter(asked) {
            if let Some(cells) = handed_out.remove(name) {
                data = data.with_ids(name, cells)?;
            }
        }
        Ok(data)
    }

    fn count(&mut self, report: &EncodeReport) {
        add(&mut self.missing, &report.missing);
        add(&mut self.unseen, &report.unseen);
        add(&mut self.without_terms, &report.without_terms);
        self.blank.extend(report.blank.iter().map(|row| self.rows as u32 + row));
        self.tallies.resize_with(report.tallies.len(), Tally::default);
        self.tallies.iter_mut().zip(&report.tallies).for_each(|(sum, more)| sum.add(more));
    }

    /// The texts of several columns, joined by a blank.
    fn joined(&mut self, mut frame: Frame) -> Result<Vec<String>, DataError> {
        let Encoding::Text(fitted) = self.encoding.as_ref() else { return Err(DataError::OtherEncoding) };
        let columns = if self.also.text.is_empty() { &fitted.columns } else { &self.also.text };
        let mut texts = vec![String::new(); frame.rows];
        for (at, name) in columns.iter().enumerate() {
            let Column { values: Values::Text(cells), .. } = frame.take(name)? else { continue };
            if !cells.missing().is_empty() {
                add(&mut self.missing, &[(name.clone(), cells.missing().len())]);
            }
            for (text, cell) in texts.iter_mut().zip(cells.iter()) {
                if at > 0 {
                    text.push(' ');
                }
                text.push_str(cell.trim_ascii());
            }
        }
        Ok(texts)
    }

    /// All that was met, in the order of a whole table's notes; or a column that is of another kind now.
    fn notes(&mut self, ends: Vec<PiecesEnd>) -> Result<Vec<Note>, DataError> {
        let mut read = Frame::default();
        for end in ends {
            if let (Encoding::Table(features), Some((name, found))) =
                (self.encoding.as_ref(), end.others.first())
                && let Some(feature) = features.columns().iter().find(|feature| feature.name == *name)
            {
                let of_column = end.cells.iter().find(|cells| cells.column == *name);
                let example = of_column.and_then(|cells| cells.first_other.clone());
                return Err(feature.changed_by(found, example));
            }
            read.cells.extend(end.cells);
            read.delimiter = read.delimiter.or(end.delimiter);
            read.remarks.extend(end.remarks);
        }
        let mut notes = Vec::new();
        let missing = std::mem::take(&mut self.missing);
        match self.encoding.as_ref() {
            Encoding::Table(features) => {
                let place = |(name, _): &(String, usize)| place_of(features, name);
                let mut report = EncodeReport {
                    missing,
                    unseen: std::mem::take(&mut self.unseen),
                    tallies: std::mem::take(&mut self.tallies),
                    blank: self.blank.clone(),
                    ..EncodeReport::default()
                };
                let are_unlike = |(name, texts): &&(String, usize)| {
                    features.columns().iter().any(|feature| match &feature.kind {
                        FeatureKind::Text { text, .. } => {
                            feature.name == *name && text.are_unlike(*texts, self.rows)
                        }
                        _ => false,
                    })
                };
                report.unknown_texts = self.without_terms.iter().filter(are_unlike).cloned().collect();
                for counted in [&mut report.missing, &mut report.unseen, &mut report.unknown_texts] {
                    counted.sort_by_key(place);
                }
                self.drifts = features.drifts(&report.tallies, &report.unseen);
                notes.extend(Note::of_drifts(&self.drifts, &mut report));
                notes.extend(Note::of_report(&report));
                notes.extend(Note::of_cells(&read));
            }
            _ => {
                let texts = self.without_terms.first().map_or(0, |(_, texts)| *texts);
                let unknown = Note::NoKnownTerm { texts, all: self.rows };
                notes.extend((2 * texts > self.rows).then_some(unknown));
                notes.extend(Note::of_cells(&read));
                notes.extend((!missing.is_empty()).then_some(Note::Missing(missing)));
            }
        }
        Ok(notes)
    }
}

/// The order in which a whole table is encoded: texts, categories that are held sparse, the rest.
fn place_of(features: &Features, name: &str) -> (usize, usize) {
    let at = features.columns().iter().position(|feature| feature.name == name).unwrap_or(usize::MAX);
    let class = match features.columns().get(at).map(|feature| &feature.kind) {
        Some(FeatureKind::Text { .. }) => 0,
        Some(FeatureKind::Categorical { .. }) if features.is_sparse() => 1,
        _ => 2,
    };
    (class, at)
}

/// Adds counts, name by name.
fn add(counts: &mut Vec<(String, usize)>, more: &[(String, usize)]) {
    for (name, count) in more {
        match counts.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += count,
            None => counts.push((name.clone(), *count)),
        }
    }
}
