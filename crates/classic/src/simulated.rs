//! Data whose truth is known, for tests: positives N(1, I), negatives N(-1, I), half of the positives labeled.

use crate::Problem;
use onesided_data::{Label, Matrix, PriorInUnlabeled, Scenario, Stream};

pub(crate) struct Simulated {
    pub(crate) rows: Matrix,
    pub(crate) labels: Vec<Label>,
    pub(crate) truth: Vec<bool>,
}

/// `n` rows of `cols` columns; a share `mu` of the unlabeled rows is positive, and as many positives are labeled.
pub(crate) fn simulated(n: usize, cols: usize, mu: f64) -> Simulated {
    let mut stream = Stream::new(17, "simulated");
    let unlabeled = (n as f64 / (1.0 + mu)).round() as usize;
    let hidden = (mu * unlabeled as f64).round() as usize;
    // Unlabeled positives, unlabeled negatives, labeled positives.
    let truth: Vec<bool> = (0..n).map(|i| i < hidden || i >= unlabeled).collect();
    let labels = (0..n).map(|i| if i < unlabeled { Label::Unlabeled } else { Label::Positive }).collect();
    let center = |positive: bool| if positive { 1.0 } else { -1.0 };
    let values = truth.iter().flat_map(|&t| std::iter::repeat_n(center(t), cols).collect::<Vec<f64>>());
    let values: Vec<f32> = values.map(|center| (center + stream.normal()) as f32).collect();
    Simulated { rows: Matrix::new(n, cols, values).unwrap(), labels, truth }
}

impl Simulated {
    pub(crate) fn problem<'a>(rows: &'a Matrix, labels: &'a [Label], mu: Option<f64>) -> Problem<'a> {
        let prior = mu.map(|mu| PriorInUnlabeled::new(mu).unwrap());
        Problem {
            rows,
            labels,
            weights: None,
            prior,
            scenario: Scenario::SingleSample,
            seed: 5,
            threads: 0,
            go_on: None,
        }
    }

    /// The share of unlabeled rows on the right side of the threshold.
    pub(crate) fn accuracy(&self, model: &crate::ClassicModel) -> f64 {
        let scores = model.scores(&self.rows).unwrap();
        let unlabeled = (0..self.labels.len()).filter(|&i| self.labels[i] == Label::Unlabeled);
        let right = unlabeled.clone().filter(|&i| (scores[i] > model.threshold) == self.truth[i]).count();
        right as f64 / unlabeled.count() as f64
    }
}
