//! What a system learns: a score per row, a threshold, and a probability where its theory gives one.

use crate::genpu::dense::DenseNet;
use crate::{ClassicError, KernelModel, LinearModel, RandomFeatures, Rows};
use onesided_loss::sigmoid;
use serde::{Deserialize, Serialize};

/// A fitted system, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassicModel {
    /// The system's name.
    pub system: String,
    /// How rows are scored.
    pub scorer: ScoreForm,
    /// Rows that score above it are called positive.
    pub threshold: f64,
    /// From a score to a probability; `None` where the theory gives none, and a calibration must.
    pub link: Option<Link>,
    /// Settings that were chosen on held-out rows, and counts worth knowing.
    pub chosen: Vec<(String, f64)>,
    /// P(labeled | y = 1), where the system estimates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_frequency: Option<f64>,
}

/// How rows are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreForm {
    /// w·x + b.
    Linear(LinearModel),
    /// A sum over support vectors.
    Kernel(KernelModel),
    /// w·z(x) + b for random features z.
    RandomFeatures {
        /// z.
        map: RandomFeatures,
        /// w and b.
        model: LinearModel,
    },
    /// A dense network.
    Network(DenseNet),
}

/// From a score f to the probability of being positive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// σ(f): the score is a log-odds.
    Sigmoid,
    /// min(1, σ(f) / c): σ(f) is the probability of being labeled, c that of a positive.
    LabelFrequency {
        /// c.
        c: f64,
    },
    /// min(1, factor · e^f): e^f is the odds of being labeled.
    Odds {
        /// (1 - c) / c.
        factor: f64,
    },
}

impl Link {
    /// The probability at a score.
    pub fn probability(self, score: f64) -> f64 {
        match self {
            Link::Sigmoid => sigmoid(score),
            Link::LabelFrequency { c } => (sigmoid(score) / c).min(1.0),
            Link::Odds { factor } => (factor * score.exp()).min(1.0),
        }
    }
}

impl ClassicModel {
    pub(crate) fn new(system: &str, scorer: ScoreForm) -> Self {
        Self {
            system: system.to_string(),
            scorer,
            threshold: 0.0,
            link: None,
            chosen: Vec::new(),
            label_frequency: None,
        }
    }

    /// A linear model under the name of a system.
    #[must_use]
    pub fn from_linear(system: &str, model: LinearModel) -> Self {
        Self::new(system, ScoreForm::Linear(model))
    }

    pub(crate) fn with(mut self, name: &str, value: f64) -> Self {
        self.chosen.push((name.to_string(), value));
        self
    }

    /// How many columns rows must have.
    pub fn cols(&self) -> usize {
        match &self.scorer {
            ScoreForm::Linear(model) => model.weights.len(),
            ScoreForm::Kernel(model) => model.support.cols(),
            ScoreForm::RandomFeatures { map, .. } => map.cols(),
            ScoreForm::Network(net) => net.inputs(),
        }
    }

    /// The scores of all rows.
    pub fn scores(&self, rows: &dyn Rows) -> Result<Vec<f64>, ClassicError> {
        if rows.cols() != self.cols() {
            return Err(ClassicError::Width { expected: self.cols(), found: rows.cols() });
        }
        Ok(match &self.scorer {
            ScoreForm::Linear(model) => model.scores(rows),
            ScoreForm::Kernel(model) => model.scores(rows),
            ScoreForm::RandomFeatures { map, model } => map.scores(rows, model),
            ScoreForm::Network(net) => net.scores(rows),
        })
    }

    /// The probabilities of all rows, where the theory gives any.
    pub fn probabilities(&self, rows: &dyn Rows) -> Result<Option<Vec<f64>>, ClassicError> {
        let Some(link) = self.link else { return Ok(None) };
        Ok(Some(self.scores(rows)?.into_iter().map(|score| link.probability(score)).collect()))
    }

    /// The linear model behind the scores, whose weights explain them; `None` for other scorers.
    pub fn linear(&self) -> Option<&LinearModel> {
        match &self.scorer {
            ScoreForm::Linear(model) => Some(model),
            ScoreForm::Kernel(_) | ScoreForm::RandomFeatures { .. } | ScoreForm::Network(_) => None,
        }
    }

    /// Checks what was read from a file: lengths that match and numbers that are finite.
    pub fn check(&self) -> Result<(), ClassicError> {
        let wrong = |detail: &str| Err(ClassicError::Stored { detail: detail.to_string() });
        let linear = |model: &LinearModel| {
            model.bias.is_finite() && model.weights.iter().all(|weight| weight.is_finite())
        };
        let sound = match &self.scorer {
            ScoreForm::Linear(model) => linear(model),
            ScoreForm::Kernel(model) => {
                if model.coefficients.len() != model.support.rows() {
                    return wrong("there is not one coefficient a support vector");
                }
                model.kernel.check()?;
                model.bias.is_finite() && model.coefficients.iter().all(|c| c.is_finite())
            }
            ScoreForm::RandomFeatures { map, model } => {
                if map.features() == 0 || map.features() != model.weights.len() || !map.is_whole() {
                    return wrong("there is not one weight a random feature");
                }
                linear(model)
            }
            ScoreForm::Network(net) => {
                if !net.is_whole() || net.outputs() != 1 {
                    return wrong("the network's weights do not fit its layers");
                }
                true
            }
        };
        let link = match self.link {
            Some(Link::LabelFrequency { c }) => c > 0.0 && c <= 1.0,
            Some(Link::Odds { factor }) => factor > 0.0 && factor.is_finite(),
            Some(Link::Sigmoid) | None => true,
        };
        if sound && link && !self.threshold.is_nan() { Ok(()) } else { wrong("a number is out of range") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn probabilities_by_hand() {
        let f = 3.0_f64.ln(); // σ = 3/4, odds 3
        assert!((Link::Sigmoid.probability(f) - 0.75).abs() < 1e-12);
        assert_eq!(Link::LabelFrequency { c: 0.5 }.probability(f), 1.0);
        assert!((Link::LabelFrequency { c: 0.9 }.probability(f) - 0.75 / 0.9).abs() < 1e-12);
        assert!((Link::Odds { factor: 0.25 }.probability(f) - 0.75).abs() < 1e-12);
        assert_eq!(Link::Odds { factor: 0.5 }.probability(f), 1.0);
    }

    #[test]
    fn stored_and_read_again() {
        let linear = LinearModel { weights: vec![0.1, -2.0 / 3.0], bias: 1e-300 };
        let mut model = ClassicModel::new("weighted-lr", ScoreForm::Linear(linear)).with("cost", 10.0);
        model.link = Some(Link::LabelFrequency { c: 0.3 });
        let read: ClassicModel = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
        assert_eq!(read, model);
        assert!(read.check().is_ok());
        let rows = Matrix::new(1, 3, vec![0.0; 3]).unwrap();
        assert_eq!(read.scores(&rows), Err(ClassicError::Width { expected: 2, found: 3 }));
        // A model stored before there was a place for it, and one after.
        assert!(!serde_json::to_string(&model).unwrap().contains("label_frequency"));
        model.label_frequency = Some(0.3);
        let read: ClassicModel = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
        assert_eq!(read.label_frequency, Some(0.3));
        model.threshold = f64::NAN;
        assert_eq!(
            model.check().unwrap_err().to_string(),
            "the stored model does not fit together: a number is out of range"
        );
    }
}
