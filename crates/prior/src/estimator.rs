//! What an estimator looks at, what it says about itself, and what it does.

use crate::error::EvidenceError;
use crate::estimate::Estimate;
use onesided_data::Matrix;
use serde::Serialize;

/// Fewer labeled positives than this are refused: one of them would be a tenth of the evidence.
pub const LEAST_POSITIVES: usize = 10;

/// Fewer unlabeled rows than this are refused.
const LEAST_UNLABELED: usize = 10;

/// The least number of resamples whose percentiles mean something.
const LEAST_RESAMPLES: usize = 20;

/// What an estimator looks at.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Cross-fitted scores of the labeled positives against the unlabeled rows: logits, higher where a row looks more
    /// like the positives, each from a model that has not seen the row. The scores of P.
    pub positive_scores: &'a [f64],
    /// The scores of U.
    pub unlabeled_scores: &'a [f64],
    /// The rows of P, encoded and scaled, in the order of the scores; `None` where only scores exist.
    pub positive_rows: Option<&'a Matrix>,
    /// The rows of U.
    pub unlabeled_rows: Option<&'a Matrix>,
    /// Every draw comes from streams of this seed.
    pub seed: u64,
    /// The level of the intervals, 0.95 unless there is a reason for another.
    pub confidence: f64,
    /// Resamples of a bootstrap, 200 unless there is a reason for another number.
    pub resamples: usize,
}

impl<'a> Evidence<'a> {
    /// Scores alone, with seed 0, 95 % intervals and 200 resamples.
    pub fn of_scores(positive_scores: &'a [f64], unlabeled_scores: &'a [f64]) -> Self {
        Self {
            positive_scores,
            unlabeled_scores,
            positive_rows: None,
            unlabeled_rows: None,
            seed: 0,
            confidence: 0.95,
            resamples: 200,
        }
    }

    /// The same with the rows that the scores belong to.
    #[must_use]
    pub fn with_rows(self, positive: &'a Matrix, unlabeled: &'a Matrix) -> Self {
        Self { positive_rows: Some(positive), unlabeled_rows: Some(unlabeled), ..self }
    }

    /// Refuses evidence that no estimator can use. Every estimator calls it first.
    pub(crate) fn check(&self) -> Result<(), EvidenceError> {
        let parts = [
            ("positive", self.positive_scores, self.positive_rows, LEAST_POSITIVES),
            ("unlabeled", self.unlabeled_scores, self.unlabeled_rows, LEAST_UNLABELED),
        ];
        for (sample, scores, rows, least) in parts {
            if scores.len() < least {
                return Err(EvidenceError::TooFew { sample, found: scores.len(), least });
            }
            if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
                return Err(EvidenceError::ScoreNotFinite { sample, row: at + 1, value: scores[at] });
            }
            if let Some(rows) = rows
                && rows.rows() != scores.len()
            {
                let (found, expected) = (rows.rows(), scores.len());
                return Err(EvidenceError::Shape { sample, what: "rows", found, expected });
            }
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(EvidenceError::Confidence(self.confidence));
        }
        if self.resamples < LEAST_RESAMPLES {
            return Err(EvidenceError::Resamples { found: self.resamples, least: LEAST_RESAMPLES });
        }
        Ok(())
    }

    /// The rows of P and of U, of equal width and finite, for the estimator called `name`.
    pub(crate) fn rows(&self, name: &'static str) -> Result<(&'a Matrix, &'a Matrix), EvidenceError> {
        let (Some(positive), Some(unlabeled)) = (self.positive_rows, self.unlabeled_rows) else {
            return Err(EvidenceError::RowsMissing(name));
        };
        if unlabeled.cols() != positive.cols() || positive.cols() == 0 {
            let (found, expected) = (unlabeled.cols(), positive.cols().max(1));
            return Err(EvidenceError::Shape { sample: "unlabeled", what: "columns", found, expected });
        }
        for (sample, rows) in [("positive", positive), ("unlabeled", unlabeled)] {
            if let Some(at) = rows.as_slice().iter().position(|value| !value.is_finite()) {
                let (row, column) = (at / rows.cols() + 1, at % rows.cols() + 1);
                return Err(EvidenceError::ValueNotFinite {
                    sample,
                    row,
                    column,
                    value: rows.as_slice()[at],
                });
            }
        }
        Ok((positive, unlabeled))
    }

    /// n_p and n_u as numbers to calculate with.
    pub(crate) fn sizes(&self) -> (f64, f64) {
        (self.positive_scores.len() as f64, self.unlabeled_scores.len() as f64)
    }
}

/// Which part of the [`Evidence`] an estimator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// The cross-fitted scores.
    Scores,
    /// The rows; the scores serve only to see whether P and U can be told apart at all.
    Rows,
}

/// What a user has to know about an estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EstimatorInfo {
    /// The name users type.
    pub name: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What must hold for the answer to be right, and which way it errs where that fails.
    pub assumes: &'static str,
    /// How the interval is made.
    pub interval: &'static str,
    /// What it reads.
    pub needs: Needs,
    /// Whether a part was worked out here because the sources leave it open; the module's documentation says which.
    pub reconstruction: bool,
}

/// An estimator of μ, the share of positives in U.
pub trait Estimator: Sync {
    /// Name, citation, assumptions.
    fn info(&self) -> &EstimatorInfo;

    /// μ with an interval, or one sentence why not. The same evidence gives the same bits.
    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError>;
}
