//! Tables whose rows do not fit into memory: trees learn from one byte per cell.
//!
//! The table is read some columns at a time ([`InputOptions::read_by_columns`]), each column is sorted into bins, and the bins
//! go through a temporary file into rows of one byte per cell. Training, choice and calibration are those of every data set, and the model is
//! the same to the byte. What needs the rows as numbers reads the table again, piece by piece:
//!
//! * the share of positives, where it was not given, is estimated on a draw of [`ROWS_FOR_PRIOR`] rows;
//! * fingerprints of the rows, by which `predict` knows the table again.

use crate::cluster::Cluster;
use crate::known_rows::{KnownRows, OutOfFold, kinds_of};
use crate::labeling::FirstCells;
use crate::learner::Elsewhere;
use crate::{Error, Learner, Model};
use onesided_data::{
    Cutting, DataError, Dataset, Fingerprint, Input, InputOptions, Label, Phase, ReadAgain, Store, Stream,
    TableError, check_memory, memory_held, memory_in_all, reusing_memory,
};
use onesided_learn::{ModelChoice, Observer, Task, Views};
use onesided_net::OnTheWay;
use onesided_trees::{BYTES_PER_ROW, Binned, BinnedBuilder};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Rows that the share of positives is estimated on: models for it train on 100,000 rows at most.
pub(crate) const ROWS_FOR_PRIOR: usize = 200_000;

/// What reading the table again takes, once the trees are there, in all and per column: a page of a Parquet file and its
/// dictionary. Less is refused before they are grown.
const BYTES_TO_READ: u64 = 32 << 20;
const BYTES_PER_COLUMN: u64 = 1 << 20;

/// What is kept of a row meanwhile: its fingerprint, its label, its score.
const BYTES_PER_KNOWN_ROW: u64 = 24;

/// What is kept of a row once the trees are there: its score out of fold.
const BYTES_PER_SCORE: u64 = 8;

/// What the process has before it reads anything.
const PROCESS: u64 = 16 << 20;

/// What a row takes more if the table has copies: the first row that is equal to it, and what puts them into one fold.
/// 3,000,000 rows of 7 columns with copies took 67 bytes each.
const BYTES_PER_COPY: u64 = 17;

/// What is kept on the way of a row: of each fifth one a score per tree, of 300 trees.
const BYTES_ON_THE_WAY: u64 = 240;

/// What comparing rows held of each, and gave back to the process.
const BYTES_PER_COMPARED: u64 = 12;

/// A table of which trees can be grown though its rows do not fit into memory.
#[derive(Debug)]
pub struct LargeTable {
    data: Dataset,
    binned: Binned,
    place: Place,
    fingerprint: Whole,
}

/// The fingerprint of all rows.
#[derive(Debug)]
enum Whole {
    Known(Fingerprint),
    /// Rows follow one another in it, so one thread reads all of them, while trees are grown elsewhere.
    Coming(JoinHandle<Result<Fingerprint, Error>>),
}

impl Whole {
    fn wait(self) -> Result<Fingerprint, Error> {
        match self {
            Whole::Known(fingerprint) => Ok(fingerprint),
            Whole::Coming(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        }
    }
}

/// Where the rows can be read again.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    input: Input,
    again: ReadAgain,
    /// Workers that hold the rows.
    cluster: Option<Arc<Cluster>>,
}

impl LargeTable {
    /// Reads a table that [can be read by columns](InputOptions::can_read_by_columns). The temporary file, one byte per cell,
    /// is in `folder`, or where the system has such files.
    pub fn read(options: &InputOptions, input: &Input, folder: Option<&Path>) -> Result<Self, Error> {
        let (mut builder, mut cells): (Option<BinnedBuilder>, u64) = (None, 0);
        let data = options.read_by_columns::<Error>(input, &mut |rows, numbers, columns| {
            cells += (rows * numbers.len()) as u64;
            let builder = match &mut builder {
                Some(builder) => builder,
                None => builder.insert(BinnedBuilder::new(rows, folder)?),
            };
            Ok(builder.push(numbers, columns, 0)?)
        })?;
        check_memory(|| format!("{} rows of one byte per cell", data.len()), bytes_for(data.len(), cells))?;
        let builder = builder.ok_or(DataError::NoFeatures { left_out: Vec::new() })?;
        let place = Place { input: input.clone(), again: options.written_again(), cluster: None };
        let (of_rows, fingerprint) = place.fingerprints(&data)?;
        let fingerprint = Whole::Known(fingerprint);
        let data = data.with_fingerprints_away(&of_rows)?.with_scenario(input.default_scenario());
        drop(of_rows);
        Ok(Self { data, binned: builder.finish()?, place, fingerprint })
    }

    /// A table of which workers hold the rows.
    pub(crate) fn of_cluster(data: Dataset, binned: Binned, place: Place) -> Self {
        let (here, rows) = (place.clone(), data.clone());
        let fingerprint = Whole::Coming(std::thread::spawn(move || here.fingerprint(&rows)));
        Self { data, binned, place, fingerprint }
    }

    /// Whether a table of this many rows and columns of numbers can be learned from as one byte per cell. A third of the memory is
    /// left for what reading the columns holds and does not give back.
    pub fn fits(rows: usize, columns: usize) -> bool {
        let cells = (rows as u64).saturating_mul(columns as u64);
        bytes_for(rows, cells).saturating_add(PROCESS) <= memory_in_all() / 3 * 2
    }

    /// What is known of the table: labels, weights, encoding and notes, but no rows.
    pub fn data(&self) -> &Dataset {
        &self.data
    }
}

/// What is held at most once the columns were read: while trees are grown, and while the table is read again.
fn bytes_for(rows: usize, cells: u64) -> u64 {
    let columns = cells / (rows as u64).max(1);
    let growing = cells.saturating_add(bytes_to_grow(rows, 1, false));
    let reading = BYTES_TO_READ.saturating_add(BYTES_PER_COLUMN.saturating_mul(columns));
    growing.max(reading.saturating_add(BYTES_PER_KNOWN_ROW.saturating_mul(rows as u64)))
}

/// What growing trees takes besides the cells; each candidate keeps what held-out rows scored on the way.
fn bytes_to_grow(rows: usize, candidates: usize, copies: bool) -> u64 {
    let per_row = BYTES_PER_ROW + if copies { BYTES_PER_COPY } else { 0 };
    let kept = OnTheWay::MOST_BYTES.min(BYTES_ON_THE_WAY.saturating_mul(rows as u64));
    per_row.saturating_mul(rows as u64).saturating_add(kept.saturating_mul(candidates as u64))
}

impl Place {
    /// Of rows that workers hold.
    pub fn in_cluster(input: Input, again: ReadAgain, cluster: Arc<Cluster>) -> Self {
        Self { input, again, cluster: Some(cluster) }
    }

    /// Hands over the rows again, piece by piece.
    fn each(
        &self,
        data: &Dataset,
        visit: &mut dyn FnMut(&Dataset) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let phase = self.cluster.is_none().then(|| Phase::new("comparing rows", data.len() as u64, "rows"));
        let mut rows = 0;
        // Where workers hold the rows, this is done beside what waits for them.
        let cut = Cutting { threads: usize::from(self.cluster.is_some()), ..Cutting::default() };
        data.encoding().stream::<Error>(&self.input, &self.again, cut, &mut |piece| {
            rows += piece.len();
            phase.iter().for_each(|phase| phase.add(piece.len() as u64));
            visit(&piece)
        })?;
        if rows == data.len() {
            return Ok(());
        }
        let cause = std::io::Error::other("it changed while it was being read");
        let file = self.input.paths()[0].display().to_string();
        Err(TableError::Read { file, cause }.into())
    }

    /// A fingerprint per row, without salt, and that of all.
    fn fingerprints(&self, data: &Dataset) -> Result<(Vec<u64>, Fingerprint), Error> {
        let (mut of_rows, mut so_far) = (Vec::with_capacity(data.len()), None);
        self.each(data, &mut |piece| {
            let before = so_far.unwrap_or_else(|| Fingerprint::default().before_rows(data.len(), piece));
            so_far = Some(before.of_piece(piece));
            of_rows.extend(piece.fingerprints(0)?);
            Ok(())
        })?;
        Ok((of_rows, so_far.unwrap_or_default()))
    }

    /// The fingerprint of all rows.
    fn fingerprint(&self, data: &Dataset) -> Result<Fingerprint, Error> {
        let mut so_far = None;
        self.each(data, &mut |piece| {
            let before = so_far.unwrap_or_else(|| Fingerprint::default().before_rows(data.len(), piece));
            so_far = Some(before.of_piece(piece));
            Ok(())
        })?;
        Ok(so_far.unwrap_or_default())
    }

    /// A fingerprint per row, made with a salt.
    fn salted(&self, data: &Dataset, salt: u64) -> Result<Vec<u64>, Error> {
        if let Some(cluster) = &self.cluster {
            return cluster.fingerprints(salt);
        }
        let mut of_rows = Vec::with_capacity(data.len());
        self.each(data, &mut |piece| {
            of_rows.extend(piece.fingerprints(salt)?);
            Ok(())
        })?;
        Ok(of_rows)
    }

    /// Every so manieth row as numbers.
    fn every(&self, data: &Dataset, step: usize) -> Result<Dataset, Error> {
        let rows = data.encoding().read_some(&self.input, &self.again, &|row| row.is_multiple_of(step))?;
        match data.labels() {
            Some(labels) => Ok(rows.with_labels(labels.iter().copied().step_by(step).collect())?),
            None => Ok(rows),
        }
    }

    /// Cells of some rows, and sums over others, which are in their order, of so many columns at most; nothing where rows are sparse.
    fn cells(
        &self,
        data: &Dataset,
        wanted: &[usize],
        counted: &[usize],
        most: usize,
    ) -> Result<Option<FirstCells>, Error> {
        let cols = data.encoding().width().min(most);
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&at| wanted[at]);
        let (mut next, mut counted) = (order.into_iter().peekable(), counted.iter().copied().peekable());
        let (mut cells, mut sums, mut first) = (vec![0.0; wanted.len() * cols], vec![0.0; cols], 0);
        let mut sparse = false;
        self.each(data, &mut |piece| {
            let Store::Dense(matrix) = piece.rows() else {
                sparse = true;
                return Ok(());
            };
            for row in 0..piece.len() {
                let of_row = &matrix.row(row)[..cols];
                if counted.next_if_eq(&(first + row)).is_some() {
                    sums.iter_mut().zip(of_row).for_each(|(sum, &cell)| *sum += f64::from(cell));
                }
                while let Some(at) = next.next_if(|&at| wanted[at] == first + row) {
                    cells[at * cols..(at + 1) * cols].copy_from_slice(of_row);
                }
            }
            first += piece.len();
            Ok(())
        })?;
        Ok((!sparse).then_some(FirstCells { cells, sums }))
    }

    /// Some rows as numbers, positives and unlabeled rows thinned evenly; all, where they are few.
    fn few(&self, data: &Dataset, task: &Task) -> Result<Dataset, Error> {
        let drawn = thinned(&task.labels, ROWS_FOR_PRIOR, task.seed);
        let labels = task.labels.iter().zip(&drawn).filter(|(_, drawn)| **drawn).map(|(label, _)| *label);
        let rows = data.encoding().read_some(&self.input, &self.again, &|row| drawn[row])?;
        Ok(rows.with_labels(labels.collect())?)
    }
}

/// Which rows are among at most this many, each kind by the same share of its rows.
pub(crate) fn thinned(labels: &[Label], most: usize, seed: u64) -> Vec<bool> {
    let share = (most as f64 / labels.len().max(1) as f64).min(1.0);
    let mut stream = Stream::new(seed, "rows for the prior");
    let mut drawn = vec![false; labels.len()];
    for kind in [Label::Positive, Label::Unlabeled, Label::Negative] {
        let mut left = labels.iter().filter(|&&label| label == kind).count();
        let mut needed = (share * left as f64).ceil() as usize;
        // Of those that are left, each is among the needed ones with the same probability.
        for (drawn, _) in drawn.iter_mut().zip(labels).filter(|(_, label)| **label == kind) {
            *drawn = needed == left || stream.below(left) < needed;
            (left, needed) = (left - 1, needed - usize::from(*drawn));
        }
    }
    drawn
}

impl Learner {
    /// Refuses rows in memory where growing trees of them takes more memory than is left.
    pub fn check_trees(&self, data: &Dataset) -> Result<(), Error> {
        let candidates = self.build(data)?.candidates().len();
        // Bins take a byte per cell column by column, and a byte row by row.
        let cells = 2 * data.len() as u64 * data.encoding().width() as u64;
        let growing = bytes_to_grow(data.len(), candidates, false).saturating_add(cells);
        Ok(check_memory(|| format!("trees of {} rows", data.len()), growing)?)
    }

    /// Learns from a table whose rows are not held. The model must be [`ModelChoice::Trees`], and no positives may be set
    /// aside ([`reserve`](Self::reserve)), since those are scored as numbers.
    pub fn fit_large(&self, table: LargeTable, observer: Observer) -> Result<Model, Error> {
        if self.config.model != Some(ModelChoice::Trees) || self.config.reserve.is_some() {
            return Err(DataError::Away.into());
        }
        let LargeTable { data, binned, place, fingerprint } = table;
        let held = if binned.is_away() { 0 } else { data.len() };
        let (rows, cells) = (data.len() as u64, (held * binned.features()) as u64);
        // What is refused is refused before the wait.
        let candidates = self.build(&data)?.candidates().len();
        let growing = bytes_to_grow(data.len(), candidates, data.copies().is_some());
        let what = || format!("trees of {} rows", data.len());
        reusing_memory(BYTES_PER_COMPARED * rows, || check_memory(what, growing))?;
        let before = memory_held().saturating_sub(cells);
        let few = |task: &Task| place.few(&data, task);
        let views = Views::of_bins(&data, binned);
        let cells =
            |wanted: &[usize], counted: &[usize], most: usize| place.cells(&data, wanted, counted, most);
        let elsewhere = Elsewhere { drawn_of: None, few: Some(&few), cells: Some(&cells) };
        let (model, scores) = self.fit_rows(&views, None, elsewhere, observer)?;
        drop(views);
        // What the trees were grown with is free, and what is left of the rows is their scores.
        let freed = memory_held().saturating_sub(before + BYTES_PER_SCORE * rows);
        let fingerprint = fingerprint.wait()?;
        reusing_memory(freed, || model.with_streamed_rows(&data, &place, fingerprint, scores))
    }
}

impl Model {
    /// [`with_rows`](Self::with_rows) of a table that is read again, piece by piece.
    fn with_streamed_rows(
        mut self,
        data: &Dataset,
        place: &Place,
        fingerprint: Fingerprint,
        out_of_fold: OutOfFold,
    ) -> Result<Self, Error> {
        let OutOfFold { mut scores, by } = out_of_fold;
        scores.iter_mut().for_each(|score| *score = score.filter(|score| score.is_finite()));
        if self.about().report.folds > 1 {
            self.meet_some(&place.every(data, Self::meets_every(data.len()))?, false);
        }
        self.fitted_on(Some(fingerprint.letters()));
        let (salt, rows) = (self.salt(), data.len());
        let of_rows = place.salted(data, salt)?;
        let kinds = kinds_of(data.labels(), rows);
        let known = KnownRows::of_fingerprints(&of_rows, &scores, &kinds, salt)
            .scored_by(by)
            .labeled_by(data.label_column().cloned());
        self.known = Some(Arc::new(known));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_growing_and_reading_again_take() {
        // 50 + 50 bytes per row; reading takes less.
        assert_eq!(bytes_for(10_000_000, 500_000_000), 1_000_000_000 + (16 << 20));
        // 32 MiB, a MiB for each of 50 columns and 24 bytes per row are more than 100 bytes per row.
        assert_eq!(bytes_for(200_000, 10_000_000), (82 << 20) + 4_800_000);
        // Two candidates, and copies.
        assert_eq!(bytes_to_grow(1_000_000, 2, true), 67_000_000 + (32 << 20));
    }

    #[test]
    fn kinds_are_thinned_by_the_same_share() {
        let label = |i: usize| if i.is_multiple_of(4) { Label::Positive } else { Label::Unlabeled };
        let labels: Vec<Label> = (0..1_000).map(label).collect();
        let drawn = thinned(&labels, 100, 3);
        let of = |kind: Label| {
            drawn.iter().zip(&labels).filter(|(drawn, label)| **drawn && **label == kind).count()
        };
        assert_eq!((of(Label::Positive), of(Label::Unlabeled)), (25, 75));
        assert_eq!(drawn, thinned(&labels, 100, 3));
        assert_ne!(drawn, thinned(&labels, 100, 4));
        assert!(thinned(&labels, 1_000, 3).iter().all(|&drawn| drawn));
    }
}
