//! Scores of one kind of examples, with a weight each where the rows have weights.

use crate::objective::Objective;

/// Scores of one kind of examples. Without weights every example counts once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part<'a> {
    scores: &'a [f32],
    weights: Option<&'a [f32]>,
}

impl<'a> Part<'a> {
    /// Scores with a weight each, where there are weights.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as scores.
    pub fn new(scores: &'a [f32], weights: Option<&'a [f32]>) -> Self {
        assert!(weights.is_none_or(|weights| weights.len() == scores.len()), "one weight for each score");
        Self { scores, weights }
    }

    /// The scores.
    pub fn scores(&self) -> &'a [f32] {
        self.scores
    }

    /// The weights, where there are any.
    pub fn weights(&self) -> Option<&'a [f32]> {
        self.weights
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The sum of the weights: how many examples there are, where none has a weight.
    pub fn total(&self) -> f64 {
        match self.weights {
            Some(weights) => weights.iter().map(|&weight| f64::from(weight)).sum(),
            None => self.scores.len() as f64,
        }
    }

    /// Each score with its weight.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> + use<'a> {
        let weights = self.weights;
        let weight = move |at: usize| weights.map_or(1.0, |weights| f64::from(weights[at]));
        self.scores.iter().enumerate().map(move |(at, &score)| (f64::from(score), weight(at)))
    }
}

impl<'a> From<&'a [f32]> for Part<'a> {
    fn from(scores: &'a [f32]) -> Self {
        Self { scores, weights: None }
    }
}

/// An objective whose examples may have weights: every mean becomes a weighted mean, also the one of U that is compared
/// with μ, which is then the weighted share. A weight of 2 does what the example twice would do.
pub trait Weighted: Objective {
    /// [`Objective::evaluate`] with weights.
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64;

    /// [`Objective::curvature`] with weights.
    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]);
}

/// What an [`Objective`] has from [`Weighted`]: examples without weights count once.
macro_rules! by_weights {
    () => {
        fn evaluate(
            &self,
            positive: &[f32],
            unlabeled: &[f32],
            grad_p: &mut [f32],
            grad_u: &mut [f32],
        ) -> f64 {
            self.evaluate_weighted(positive.into(), unlabeled.into(), grad_p, grad_u)
        }

        fn curvature(&self, positive: &[f32], unlabeled: &[f32], curve_p: &mut [f32], curve_u: &mut [f32]) {
            self.curvature_weighted(positive.into(), unlabeled.into(), curve_p, curve_u);
        }

        fn weighted(&self) -> Option<&dyn $crate::part::Weighted> {
            Some(self)
        }
    };
}

pub(crate) use by_weights;
