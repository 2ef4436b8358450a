//! A worker: some neighboring rows of a table, as bins.

use super::message::{Ask, Partition, Said, joined};
use crate::Error;
use onesided_data::{ColumnsLearned, Cutting, Dataset, Encoding, Input, InputOptions, ReadAgain, TableError};
use onesided_trees::{PartitionBuilder, Sorting, TreesError, Worker};
use std::path::PathBuf;
use std::sync::Arc;

/// Holds the bins of some neighboring rows of a Parquet table, and answers the messages of a [`Cluster`](super::Cluster).
#[derive(Debug, Default)]
pub struct ClusterWorker {
    held: Option<Held>,
    /// The number of the last message, and its answer.
    last: Option<(u64, Vec<u8>)>,
}

#[derive(Debug)]
struct Held {
    partition: Partition,
    encoding: Arc<Encoding>,
    again: ReadAgain,
    trees: Worker,
}

impl ClusterWorker {
    /// A worker without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a message. Whatever goes wrong is an answer, too.
    pub fn answer(&mut self, message: &[u8]) -> Vec<u8> {
        let answer = Ask::from_bytes(message).and_then(|(number, ask, bytes)| {
            if let Some((_, answer)) = self.last.as_ref().filter(|(last, _)| *last == number) {
                return Ok(answer.clone());
            }
            let answer = self.do_ask(ask, bytes)?;
            self.last = Some((number, answer.clone()));
            Ok(answer)
        });
        answer.unwrap_or_else(|error| Said::Failed.to_bytes(error.to_string().as_bytes()))
    }

    fn do_ask(&mut self, ask: Ask, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        if let Ask::Columns { version, files, reading, numbers, times } = ask {
            check_version(&version)?;
            let learned = columns(&files, &reading, &numbers, times)?;
            return Ok(Said::Answered.to_bytes(&learned));
        }
        if let Ask::Load { version, partition, encoding } = ask {
            check_version(&version)?;
            let unknown = |_: serde_json::Error| Error::from(TreesError::Message);
            let encoding: Arc<Encoding> = Arc::new(serde_json::from_value(encoding).map_err(unknown)?);
            let (held, fingerprints) = Held::load(partition, encoding, Sorting::from_bytes(bytes)?)?;
            self.held = Some(held);
            return Ok(Said::Answered.to_bytes(&as_bytes(&fingerprints)));
        }
        let Some(held) = &mut self.held else { return Ok(Said::Fresh.to_bytes(&[])) };
        let answer = match ask {
            Ask::Fingerprints { salt } => {
                let mut fingerprints = Vec::new();
                held.each(&mut |piece| {
                    fingerprints.extend(piece.fingerprints(salt)?);
                    Ok(())
                })?;
                as_bytes(&fingerprints)
            }
            Ask::Trees | Ask::Load { .. } | Ask::Columns { .. } => held.trees.answer(bytes)?,
        };
        Ok(Said::Answered.to_bytes(&answer))
    }
}

impl Held {
    fn load(
        partition: Partition,
        encoding: Arc<Encoding>,
        sorting: Sorting,
    ) -> Result<(Self, Vec<u64>), Error> {
        let options = as_said(&partition.reading)?;
        let rows = partition.rows.1 - partition.rows.0;
        let mut builder = PartitionBuilder::new(sorting, rows);
        let mut fingerprints = Vec::with_capacity(rows);
        let again = options.written_again();
        each(&partition, &encoding, &again, &mut |piece| {
            if let Some(blank) = piece.blank_rows().first() {
                // On one machine nothing is learned from it, and numbers of rows move.
                let row = partition.rows.0 + fingerprints.len() + *blank as usize + 1;
                return Err(TreesError::Worker(format!(
                    "row {row} of the table is empty in every column that is learned from; leave such rows out of the files"
                ))
                .into());
            }
            builder.push(&piece.columns()?)?;
            fingerprints.extend(piece.fingerprints(0)?);
            Ok(())
        })?;
        let trees = Worker::new(builder.finish());
        Ok((Self { partition, encoding, again, trees }, fingerprints))
    }

    fn each(&self, visit: &mut dyn FnMut(&Dataset) -> Result<(), Error>) -> Result<(), Error> {
        each(&self.partition, &self.encoding, &self.again, visit)
    }
}

fn check_version(driver: &str) -> Result<(), Error> {
    let ours = env!("CARGO_PKG_VERSION");
    match driver == ours {
        true => Ok(()),
        false => Err(TreesError::Worker(format!(
            "the driver has onesided {driver} and a worker {ours}; install the same version on all machines"
        ))
        .into()),
    }
}

/// How a table is read, by settings in words.
fn as_said(reading: &[(String, Vec<String>)]) -> Result<InputOptions, Error> {
    let mut options = InputOptions::default();
    for (name, values) in reading {
        values.iter().try_for_each(|value| options.set(name, value))?;
    }
    Ok(options)
}

/// Learns some columns over all rows.
fn columns(
    files: &[PathBuf],
    reading: &[(String, Vec<String>)],
    numbers: &[usize],
    times: bool,
) -> Result<Vec<u8>, Error> {
    let (mut sorting, mut learned) = (Sorting::default(), ColumnsLearned::default());
    if !numbers.is_empty() {
        let (options, input) = (as_said(reading)?, Input::parts(files));
        learned = options.learn_columns::<Error>(&input, numbers, times, &mut |_, numbers, columns| {
            Ok(sorting.push(numbers, columns)?)
        })?;
    }
    let learned = serde_json::to_vec(&learned).map_err(|_| TreesError::Message)?;
    Ok(joined(&learned, &sorting.to_bytes()))
}

/// Hands over the rows of a partition, piece by piece.
fn each(
    partition: &Partition,
    encoding: &Arc<Encoding>,
    again: &ReadAgain,
    visit: &mut dyn FnMut(&Dataset) -> Result<(), Error>,
) -> Result<(), Error> {
    let input = Input::parts(&partition.files);
    let changed = || {
        let cause = std::io::Error::other("it changed while it was being read");
        let file = partition.files.first().map(|file| file.display().to_string()).unwrap_or_default();
        Error::from(TableError::Read { file, cause })
    };
    if input.rows()? != partition.all {
        return Err(changed());
    }
    let (first, end) = partition.rows;
    if first == end {
        return Ok(());
    }
    let mut rows = 0;
    let cut = Cutting { threads: 1, range: Some(partition.rows), ..Cutting::default() };
    encoding.stream::<Error>(&input, again, cut, &mut |piece| {
        rows += piece.len();
        visit(&piece)
    })?;
    if rows == end - first { Ok(()) } else { Err(changed()) }
}

fn as_bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// What [`as_bytes`] wrote.
pub(crate) fn as_numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
