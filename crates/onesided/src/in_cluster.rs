//! From a table that workers share to a model: what each worker reads, and what becomes of it.

use crate::cluster::{Ask, Cluster, Message, Partition, as_numbers, parted};
use crate::large::Place;
use crate::{Error, Fit, LargeTable, Ready};
use onesided_data::{ColumnsLearned, DataError, Input, InputOptions};
use onesided_learn::ModelChoice;
use onesided_trees::{Sorting, TreesError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Driver and workers must be of one version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Cluster {
    /// Learns columns over all rows, each worker some of them; times by one worker together.
    fn learn(
        &self,
        input: &Input,
        reading: &[(String, Vec<String>)],
        numbers: &[usize],
        times: bool,
    ) -> Result<(ColumnsLearned, Sorting), Error> {
        let files: Vec<PathBuf> = input.paths().into_iter().map(Path::to_path_buf).collect();
        let workers = self.workers();
        let ask = |worker: usize| {
            let numbers = match (times, worker) {
                (true, 0) => numbers.to_vec(),
                (true, _) => Vec::new(),
                (false, _) => numbers.iter().copied().skip(worker).step_by(workers).collect(),
            };
            let (version, files, reading) = (VERSION.to_string(), files.clone(), reading.to_vec());
            let ask = Ask::Columns { version, files, reading, numbers, times };
            Message { ask, bytes: Vec::new(), rank: None }
        };
        let (mut learned, mut sorting) = (ColumnsLearned::default(), Sorting::default());
        for answer in self.each_message((0..workers).map(ask).collect())? {
            let (of_columns, of_sorting) = parted(&answer).ok_or(TreesError::Message)?;
            learned.merge(serde_json::from_slice(of_columns).map_err(|_| TreesError::Message)?);
            sorting.merge(Sorting::from_bytes(of_sorting)?);
        }
        Ok((learned, sorting))
    }

    /// Gives each worker its rows, as many as the others have, and returns how many each has and the fingerprint of every row.
    fn load(
        &self,
        input: &Input,
        all: usize,
        reading: &[(String, Vec<String>)],
        encoding: &serde_json::Value,
        sorting: &Sorting,
    ) -> Result<(Vec<usize>, Vec<u64>), Error> {
        let workers = self.workers();
        let start = |worker: usize| (worker as u128 * all as u128 / workers as u128) as usize;
        let files: Vec<PathBuf> = input.paths().into_iter().map(Path::to_path_buf).collect();
        let load = |worker: usize| {
            let rows = (start(worker), start(worker + 1));
            let partition = Partition { files: files.clone(), all, rows, reading: reading.to_vec() };
            let version = VERSION.to_string();
            let ask = Ask::Load { version, partition, encoding: encoding.clone() };
            Message { ask, bytes: sorting.to_bytes(), rank: Some(0) }
        };
        let answers = self.each_message((0..workers).map(load).collect())?;
        let fingerprints: Vec<Vec<u64>> = answers.iter().map(|answer| as_numbers(answer)).collect();
        let held: Vec<usize> = fingerprints.iter().map(Vec::len).collect();
        match (0..workers).all(|worker| held[worker] == start(worker + 1) - start(worker)) {
            true => Ok((held, fingerprints.concat())),
            false => Err(TreesError::Message.into()),
        }
    }
}

impl Fit {
    /// [`read`](Self::read) of a Parquet table of which workers hold the rows: boosted trees are grown where these are. `reading` is how
    /// the table is read, in words, for workers to read it alike.
    pub fn read_in_cluster(
        &self,
        input: &Input,
        reading: &[(String, Vec<String>)],
        cluster: Arc<Cluster>,
    ) -> Result<Ready, Error> {
        let options = self.cluster_options(input)?;
        let table = LargeTable::in_cluster(&options, input, reading, cluster)?;
        Ok(self.take_large(table))
    }

    /// What else than boosted trees, or than one table with a column of labels, is not learned in a cluster.
    fn cluster_options(&self, input: &Input) -> Result<InputOptions, Error> {
        let no_use = |setting, why| Err(Error::NoUse { setting, why });
        let config = self.learner().config();
        if config.model != Some(ModelChoice::Trees) {
            return no_use(
                "model",
                "in a cluster takes 'trees' alone; other models are fitted on one machine",
            );
        }
        if config.reserve.is_some() {
            return no_use(
                "reserve",
                "sets positives aside that are scored as numbers, which no worker of a cluster holds",
            );
        }
        if !config.labeling_depends_on.is_empty() {
            return no_use(
                "labeling-depends-on",
                "is learned from rows in memory, which no worker of a cluster holds",
            );
        }
        let options = self.options(crate::RowsAre::Table)?;
        if !options.can_read_by_columns(input) {
            return no_use(
                "label",
                "must name a column of the table, and truth, text, pictures and draws are learned on one machine",
            );
        }
        Ok(options)
    }
}

impl LargeTable {
    fn in_cluster(
        options: &InputOptions,
        input: &Input,
        reading: &[(String, Vec<String>)],
        cluster: Arc<Cluster>,
    ) -> Result<Self, Error> {
        let numbers = options.columns_to_learn(input)?;
        let (mut learned, mut sorting) = cluster.learn(input, reading, &numbers, false)?;
        let times = std::mem::take(&mut learned.times);
        if !times.is_empty() {
            let (of_times, sorting_of_times) = cluster.learn(input, reading, &times, true)?;
            learned.merge(of_times);
            sorting.merge(sorting_of_times);
        }
        sorting.sort();
        let data = options.of_columns(input, learned)?;
        let encoding = serde_json::to_value(data.encoding().as_ref()).map_err(|error| {
            Error::from(DataError::from(onesided_data::TableError::Read {
                file: input.paths()[0].display().to_string(),
                cause: error.into(),
            }))
        })?;
        let (rows, fingerprints) = cluster.load(input, data.len(), reading, &encoding, &sorting)?;
        let data = data.with_fingerprints_away(&fingerprints)?.with_scenario(input.default_scenario());
        drop(fingerprints);
        let place = Place::in_cluster(input.clone(), options.written_again(), cluster.clone());
        let binned = sorting.away(&rows, cluster);
        Ok(Self::of_cluster(data, binned, place))
    }
}
