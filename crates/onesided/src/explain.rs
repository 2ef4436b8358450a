//! What carried a score, for models whose score is a sum over features.
//!
//! A linear model's score is slope · (w·x + b) + offset + shift. Feature j adds slope · w_j x_j to it; the rest is the same
//! for every row. Columns of a table were scaled to mean 0, so there a part says how the row differs from the mean of the
//! training rows; a term that a text does not have adds nothing. Where a system's theory bends the score (`elkan-noto` in
//! one sample), the parts are those of w·x before.

use crate::{Error, Model};
use onesided_classic::{LinearModel, Link};
use onesided_data::{Dataset, Store};
use serde::Serialize;

/// A feature and what it added to a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// The name of the feature, or the term.
    pub feature: String,
    /// What it added; below 0 it spoke against the row.
    pub value: f64,
}

/// Says what carried the scores of a model's rows.
pub struct Explainer<'m> {
    model: &'m Model,
    names: Vec<String>,
    parts: LinearModel,
}

impl Model {
    /// An explainer, or an error for models whose scores are no sum over features.
    pub fn explainer(&self) -> Result<Explainer<'_>, Error> {
        let about = self.about();
        let slope = match self.fitted().link() {
            Some(Link::LabelFrequency { .. }) => 1.0,
            _ => about.calibration.slope,
        };
        let weights = self.fitted().linear().filter(|weights| weights.len() == about.features.width());
        let Some(mut weights) = weights else {
            return Err(Error::NotLinear { method: about.method.clone(), kind: about.model.clone() });
        };
        weights.iter_mut().for_each(|weight| *weight *= slope);
        let parts = LinearModel { weights, bias: 0.0 };
        Ok(Explainer { model: self, names: about.features.names(), parts })
    }
}

impl Explainer<'_> {
    /// The `most` largest parts of the score of row `row`, the largest first. Panics if there is no such row, as indexing a
    /// slice does.
    pub fn row(&self, data: &Dataset, row: usize, most: usize) -> Result<Vec<Contribution>, Error> {
        let one = self.model.encoded(data)?.select(&[row]);
        let parts = match one.rows() {
            Store::Dense(matrix) => self.parts.contributions(matrix, 0),
            Store::Sparse(matrix) => self.parts.contributions(matrix, 0),
            _ => self.parts.contributions(one.dense()?.as_ref(), 0),
        };
        let named =
            |(column, value): (usize, f64)| Contribution { feature: self.names[column].clone(), value };
        Ok(parts.into_iter().take(most).map(named).collect())
    }
}
