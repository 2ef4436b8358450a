//! What carried a score, for models whose score is a sum over features.
//!
//! A linear model's score is slope · (w·x + b) + offset + shift. Feature j adds slope · w_j x_j to it; the rest is the same
//! for every row. Columns of a table were scaled to mean 0, so there a part says how the row differs from the mean of the
//! training rows; a term that a text does not have adds nothing. Where a system's theory bends the score (`elkan-noto` in
//! one sample), the parts are those of w·x before.

use crate::rows::Rows;
use crate::{Error, Model};
use onesided_classic::{LinearModel, Link};
use serde::Serialize;

/// A feature and what it added to a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Carried {
    /// The name of the feature, or the term.
    pub feature: String,
    /// What it added; below 0 it spoke against the row.
    pub part: f64,
}

/// Says what carried the scores of a model's rows.
pub struct Explainer {
    names: Vec<String>,
    parts: LinearModel,
}

impl Model {
    /// An explainer, or an error for models whose scores are no sum over features.
    pub fn explainer(&self) -> Result<Explainer, Error> {
        let about = self.about();
        let slope = match self.classic().map(|model| model.link) {
            Some(Some(Link::LabelFrequency { .. })) => 1.0,
            _ => about.calibration.slope,
        };
        let weights: Option<Vec<f64>> = match self.classic() {
            Some(model) => model.linear().map(|linear| linear.weights.clone()),
            None => self.weights().filter(|_| about.architecture == "linear").and_then(|weights| {
                let tensor = weights.tensors.iter().find(|tensor| tensor.name.ends_with(".weight"))?;
                Some(tensor.data.iter().map(|&w| f64::from(w)).collect())
            }),
        };
        let Some(mut weights) = weights.filter(|weights| weights.len() == about.features.width()) else {
            return Err(Error::NotLinear { method: about.method.clone(), kind: about.architecture.clone() });
        };
        weights.iter_mut().for_each(|weight| *weight *= slope);
        Ok(Explainer { names: about.features.names(), parts: LinearModel { weights, bias: 0.0 } })
    }
}

impl Explainer {
    /// The `most` largest parts of the score of row `row`, the largest first. Panics if there is no such row, as indexing a
    /// slice does.
    pub fn row<'r>(&self, rows: impl Into<Rows<'r>>, row: usize, most: usize) -> Vec<Carried> {
        let parts = self.parts.contributions(rows.into().as_classic(), row).into_iter();
        parts.take(most).map(|(column, part)| Carried { feature: self.names[column].clone(), part }).collect()
    }
}
