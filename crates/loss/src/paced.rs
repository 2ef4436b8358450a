//! Objectives that weigh every row once an epoch: what needs the scores of all rows, and not of a batch alone.
//!
//! The objective has the rule and the training loop keeps the memory, one number per row: before an epoch it scores all rows
//! and asks for their shares, and each batch of that epoch comes with the shares of its rows. So an objective still holds no
//! state of the training, and nothing has to be saved: the shares follow from the weights that the epoch starts with.

use crate::objective::Objective;
use crate::part::Part;

/// An objective whose rows take part by a share, from 0 to 1, that is set before each epoch.
///
/// `done` is the share of all epochs that lie behind when an epoch begins: 0 for the first one.
pub trait Paced: Objective {
    /// Whether it is another method without epochs, by [`Objective::evaluate`] alone.
    fn needs_epochs(&self) -> bool {
        false
    }

    /// Whether rows have shares of their own in the epoch; else each takes part as it is, and no row need be scored.
    fn weighs(&self, done: f64) -> bool;

    /// Writes the share by which each row takes part in the epoch, from the scores of all rows before it.
    ///
    /// # Panics
    ///
    /// If there are not as many shares as scores.
    fn shares(&self, done: f64, positive: Part, unlabeled: Part, shares_p: &mut [f32], shares_u: &mut [f32]);

    /// [`Objective::evaluate`] of a batch of the epoch whose rows have these shares.
    ///
    /// # Panics
    ///
    /// If a gradient, its shares and its scores differ in length.
    fn evaluate_paced(
        &self,
        done: f64,
        positive: Shared,
        unlabeled: Shared,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64;
}

/// Scores of one kind of examples, with the shares by which they take part.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// The scores, with weights where rows have weights.
    pub part: Part<'a>,
    shares: &'a [f32],
}

impl<'a> Shared<'a> {
    /// Scores with a share each.
    ///
    /// # Panics
    ///
    /// If there are not as many shares as scores.
    pub fn new(part: Part<'a>, shares: &'a [f32]) -> Self {
        assert_eq!(part.scores().len(), shares.len(), "one share for each score");
        Self { part, shares }
    }

    /// The shares.
    pub fn shares(&self) -> &'a [f32] {
        self.shares
    }

    /// Each score with its weight times its share.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, f64)> + use<'a> {
        let shares = self.shares;
        self.part.iter().zip(shares).map(|((score, weight), &share)| (score, weight * f64::from(share)))
    }

    /// The sum of weights times shares.
    pub(crate) fn total(&self) -> f64 {
        self.iter().map(|(_, weight)| weight).sum()
    }
}
