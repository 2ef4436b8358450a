//! Scores of one kind of rows, with a weight each where rows have weights.

/// Scores of one kind of rows. Without weights every row counts once; with them, shares and means are weighted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample<'a> {
    /// The scores.
    pub scores: &'a [f32],
    /// As many weights, above 0, where rows have weights.
    pub weights: Option<&'a [f32]>,
}

impl<'a> Sample<'a> {
    /// The weight of a row.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights.and_then(|weights| weights.get(at)).map_or(1.0, |&weight| f64::from(weight))
    }

    /// The weighted mean of something that is known of each score; NaN of no scores.
    pub fn mean(&self, value: impl Fn(f32) -> f64) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (at, &score) in self.scores.iter().enumerate() {
            let weight = self.weight(at);
            sum += weight * value(score);
            total += weight;
        }
        sum / total
    }

    /// Ascending scores, and their weights in the same order.
    pub(crate) fn sorted(&self) -> (Vec<f32>, Option<Vec<f64>>) {
        match self.weights {
            None => {
                let mut scores = self.scores.to_vec();
                scores.sort_unstable_by(f32::total_cmp);
                (scores, None)
            }
            Some(_) => {
                let mut pairs: Vec<(f32, f64)> =
                    self.scores.iter().enumerate().map(|(at, &score)| (score, self.weight(at))).collect();
                pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
                let (scores, weights) = pairs.into_iter().unzip();
                (scores, Some(weights))
            }
        }
    }
}

impl<'a> From<&'a [f32]> for Sample<'a> {
    fn from(scores: &'a [f32]) -> Self {
        Self { scores, weights: None }
    }
}

impl<'a> From<&'a Vec<f32>> for Sample<'a> {
    fn from(scores: &'a Vec<f32>) -> Self {
        scores.as_slice().into()
    }
}
