//! Rows in the order of their scores.

use crate::{Error, Model};
use onesided_data::Dataset;
use onesided_eval::probability;
use std::path::Path;

/// One row of a ranked list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its number in the data, from 0.
    pub row: usize,
    /// Its score, a logit at the population's prior.
    pub score: f32,
    /// The probability that it is positive.
    pub probability: f32,
    /// Whether it is predicted positive.
    pub positive: bool,
}

impl Model {
    /// All rows, the likeliest positive first; equal scores keep the order of the data.
    pub fn rank(&self, data: &Dataset) -> Result<Vec<Ranked>, Error> {
        let scores = self.score(data)?;
        let mut rows: Vec<Ranked> = scores
            .into_iter()
            .enumerate()
            .map(|(row, score)| {
                let probability = probability(f64::from(score)) as f32;
                Ranked { row, score, probability, positive: self.decide(probability) }
            })
            .collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(rows)
    }

    /// Reads a table, a folder of texts or a folder of pictures as the model's own input was, and ranks it.
    pub fn rank_file(&self, path: impl AsRef<Path>) -> Result<Vec<Ranked>, Error> {
        self.rank(&self.read(path)?)
    }
}
