//! Rows by their scores, however many there are: an external merge sort.
//!
//! Rows are gathered until they take as much memory as they may, sorted and written to a temporary file as one run; at the
//! end the runs are merged. Where all rows fit, no file is made. The highest score comes first, and equal scores keep the
//! order of the rows.

use crate::TableError;
use crate::memory::memory_left;
use crate::scratch::{Scratch, ScratchReader};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The most memory that rows take before they are written, where there is enough.
const MOST_HELD: u64 = 128 << 20;
/// And the least.
const LEAST_HELD: u64 = 1 << 20;
/// What is read of a run at a time.
const BUFFER: usize = 1 << 16;

/// A row with its score and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SortedRow {
    /// Its score.
    pub score: f32,
    /// Its number, from 0.
    pub row: u64,
    /// What was given with it.
    pub beside: Vec<u8>,
}

impl SortedRow {
    /// The order of the list: high scores first, then low row numbers.
    fn before(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// Gathers rows in any order.
pub struct RowSorter {
    held: Vec<Held>,
    /// What belongs to the rows that are held, one after the other.
    beside: Vec<u8>,
    most: u64,
    rows: u64,
    folder: Option<PathBuf>,
    runs: Option<Runs>,
}

/// A row in memory; where what belongs to it lies.
#[derive(Clone, Copy)]
struct Held {
    score: f32,
    length: u32,
    row: u64,
    start: u64,
}

struct Runs {
    file: BufWriter<Scratch>,
    /// Where each run ends.
    ends: Vec<u64>,
    written: u64,
}

fn failed(cause: io::Error) -> TableError {
    TableError::Scratch { cause }
}

impl RowSorter {
    /// With temporary files in `folder`, or in the system's own. It takes an eighth of the memory that is left, at most.
    pub fn new(folder: Option<&Path>) -> Self {
        Self::with_memory(folder, (memory_left() / 8).clamp(LEAST_HELD, MOST_HELD))
    }

    /// [`new`](Self::new) with at most this many bytes in memory.
    pub fn with_memory(folder: Option<&Path>, bytes: u64) -> Self {
        let folder = folder.map(Path::to_path_buf);
        Self { held: Vec::new(), beside: Vec::new(), most: bytes, rows: 0, folder, runs: None }
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row. `row` is its number, of which no two are equal.
    pub fn push(&mut self, score: f32, row: u64, beside: &[u8]) -> Result<(), TableError> {
        let length = u32::try_from(beside.len()).map_err(|_| failed(io::ErrorKind::InvalidInput.into()))?;
        self.held.push(Held { score, length, row, start: self.beside.len() as u64 });
        self.beside.extend_from_slice(beside);
        self.rows += 1;
        let taken = self.held.len() * size_of::<Held>() + self.beside.len();
        if taken as u64 >= self.most { self.write_run().map_err(failed) } else { Ok(()) }
    }

    fn sort(&mut self) {
        self.held.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.sort();
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => {
                let file = BufWriter::with_capacity(1 << 20, Scratch::new(self.folder.as_deref())?);
                none.insert(Runs { file, ends: Vec::new(), written: 0 })
            }
        };
        for held in &self.held {
            runs.file.write_all(&held.score.to_bits().to_le_bytes())?;
            runs.file.write_all(&held.row.to_le_bytes())?;
            runs.file.write_all(&held.length.to_le_bytes())?;
            runs.file.write_all(&self.beside[held.start as usize..][..held.length as usize])?;
            runs.written += 16 + u64::from(held.length);
        }
        runs.ends.push(runs.written);
        self.held.clear();
        self.beside.clear();
        Ok(())
    }

    /// The rows in their order.
    pub fn finish(mut self) -> Result<SortedRows, TableError> {
        if self.runs.is_none() {
            self.sort();
            return Ok(SortedRows(From::Memory { held: self.held.into_iter(), beside: self.beside }));
        }
        if !self.held.is_empty() {
            self.write_run().map_err(failed)?;
        }
        // What was held is freed before the merge takes buffers.
        let Self { runs: Some(Runs { file, ends, .. }), .. } = self else {
            return Ok(SortedRows(From::Memory { held: Vec::new().into_iter(), beside: Vec::new() }));
        };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let mut heads = BinaryHeap::with_capacity(ends.len());
        for (start, &end) in starts.zip(&ends) {
            let run = BufReader::with_capacity(BUFFER, file.reader(start, end));
            heads.extend(Head::read(run).map_err(failed)?);
        }
        Ok(SortedRows(From::Runs(heads)))
    }
}

/// Gathers rows in any order and keeps the best of them.
pub struct BestRows {
    most: usize,
    heap: BinaryHeap<Worst>,
}

/// The largest of a heap is the last of the list.
struct Worst(SortedRow);

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.before(&other.0)
    }
}

impl BestRows {
    /// Keeps this many.
    pub fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new() }
    }

    /// No rows yet, and as many of them.
    pub fn like(&self) -> Self {
        Self::new(self.most)
    }

    /// Whether a row would be among the best so far.
    pub fn takes(&self, score: f32, row: u64) -> bool {
        self.place(score, row) == Ordering::Less
    }

    /// Whether a row is among the best so far, or would be.
    pub fn holds(&self, score: f32, row: u64) -> bool {
        self.place(score, row) != Ordering::Greater
    }

    /// A row beside the worst of the best.
    fn place(&self, score: f32, row: u64) -> Ordering {
        let candidate = SortedRow { score, row, beside: Vec::new() };
        match self.heap.peek() {
            _ if self.heap.len() < self.most => Ordering::Less,
            Some(Worst(worst)) => candidate.before(worst),
            None => Ordering::Greater,
        }
    }

    /// Adds a row; the worst goes where there are too many.
    pub fn push(&mut self, score: f32, row: u64, beside: Vec<u8>) {
        if self.takes(score, row) {
            self.heap.push(Worst(SortedRow { score, row, beside }));
        }
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    /// The best rows in their order.
    pub fn finish(self) -> Vec<SortedRow> {
        self.heap.into_sorted_vec().into_iter().map(|Worst(row)| row).collect()
    }
}

/// Rows in the order of their scores.
pub struct SortedRows(From);

enum From {
    Memory { held: std::vec::IntoIter<Held>, beside: Vec<u8> },
    Runs(BinaryHeap<Head>),
}

/// The next row of a run.
struct Head {
    row: SortedRow,
    run: BufReader<ScratchReader>,
}

impl Head {
    /// The next row of a run; nothing at its end.
    fn read(mut run: BufReader<ScratchReader>) -> io::Result<Option<Self>> {
        let mut fixed = [0; 16];
        match run.read(&mut fixed[..1])? {
            0 => return Ok(None),
            _ => run.read_exact(&mut fixed[1..])?,
        }
        let four = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let row = u64::from(four(4)) | u64::from(four(8)) << 32;
        let mut beside = vec![0; four(12) as usize];
        run.read_exact(&mut beside)?;
        Ok(Some(Self { row: SortedRow { score: f32::from_bits(four(0)), row, beside }, run }))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    /// The largest of a heap is the first of the list.
    fn cmp(&self, other: &Self) -> Ordering {
        self.row.before(&other.row).reverse()
    }
}

impl Iterator for SortedRows {
    type Item = Result<SortedRow, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            From::Memory { held, beside } => {
                let Held { score, length, row, start } = held.next()?;
                let beside = beside[start as usize..][..length as usize].to_vec();
                Some(Ok(SortedRow { score, row, beside }))
            }
            From::Runs(heads) => {
                let Head { row, run } = heads.pop()?;
                match Head::read(run) {
                    Ok(next) => {
                        heads.extend(next);
                        Some(Ok(row))
                    }
                    Err(cause) => {
                        heads.clear();
                        Some(Err(failed(cause)))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn tiny_runs_give_the_order_of_a_stable_sort() {
        let mut stream = Stream::new(3, "sort");
        // Few different scores, so that most tie.
        let rows: Vec<(f32, u64)> = (0..5_000).map(|row| (stream.below(50) as f32 - 25.0, row)).collect();
        let mut expected = rows.clone();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        // 24 bytes and 8 per row: everything in memory, 157 runs of 32 rows, and a row per run.
        for bytes in [1 << 30, 1_000, 1] {
            let mut sorter = RowSorter::with_memory(None, bytes);
            for &(score, row) in &rows {
                sorter.push(score, row, &row.to_le_bytes()).unwrap();
            }
            assert_eq!((sorter.len(), sorter.runs.is_some()), (5_000, bytes < 1 << 30));
            let sorted: Vec<SortedRow> = sorter.finish().unwrap().map(Result::unwrap).collect();
            assert!(sorted.iter().all(|row| row.beside == row.row.to_le_bytes()));
            let found: Vec<(f32, u64)> = sorted.iter().map(|row| (row.score, row.row)).collect();
            assert_eq!(found, expected, "{bytes}");
        }
        // The best are the first of these.
        for most in [0, 1, 77, 5_000, 9_000] {
            let mut best = BestRows::new(most);
            rows.iter().for_each(|&(score, row)| best.push(score, row, Vec::new()));
            // It holds as many as asked for, or all.
            let held = rows.iter().filter(|(score, row)| best.holds(*score, *row)).count();
            assert_eq!(held, most.min(5_000), "{most}");
            let found: Vec<(f32, u64)> = best.finish().iter().map(|row| (row.score, row.row)).collect();
            assert_eq!(found, expected[..most.min(5_000)], "{most}");
        }
    }

    #[test]
    fn nothing_sorts_to_nothing() {
        assert_eq!(RowSorter::with_memory(None, 1).finish().unwrap().count(), 0);
        let mut one = RowSorter::with_memory(None, 1);
        one.push(f32::MIN, 7, b"").unwrap();
        let rows: Vec<SortedRow> = one.finish().unwrap().map(Result::unwrap).collect();
        assert_eq!(rows, [SortedRow { score: f32::MIN, row: 7, beside: Vec::new() }]);
    }
}
