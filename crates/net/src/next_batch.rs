//! The rows of the next step, and by what shares they take part in it.

use crate::NetError;
use crate::dropped_numbers::Dropped;
use crate::executor::{Batch, Draw, Executor};
use crate::mixup::{Mixup, Partner};
use crate::scores::score_rows;
use crate::strong_views::Strong;
use crate::train::Job;
use onesided_data::Stream;
use onesided_loss::Part;

/// The shares by which rows take part in an epoch, where the objective sets them from the scores of all rows
/// ([`Paced`](onesided_loss::Paced)). They follow from the weights at the epoch's start, so a checkpoint need not hold them.
#[derive(Default)]
pub(crate) struct Pace {
    /// A share for each row of the data; empty where the objective looks at batches alone.
    of_rows: Vec<f32>,
    /// Those of a batch, positives before unlabeled rows.
    of_batch: Vec<f32>,
}

impl Pace {
    /// Sets the shares of the epoch that begins.
    pub(crate) fn set(&mut self, job: &Job, done: f64, executor: &mut dyn Executor) -> Result<(), NetError> {
        let Some(paced) = job.objective.paced() else { return Ok(()) };
        let rows = job.data.check(job.network.input)?;
        self.of_rows.clear();
        self.of_rows.resize(rows, 1.0);
        if !paced.weighs(done) {
            return Ok(());
        }
        let scores_p = score_rows(executor, job.positive)?;
        let scores_u = score_rows(executor, job.unlabeled)?;
        let (mut shares_p, mut shares_u) = (vec![1.0; scores_p.len()], vec![1.0; scores_u.len()]);
        let weights_of = |rows: &[u32]| -> Option<Vec<f32>> {
            let weights = job.weights?;
            Some(rows.iter().map(|&row| weights[row as usize]).collect())
        };
        let (weights_p, weights_u) = (weights_of(job.positive), weights_of(job.unlabeled));
        let (p, u) = (Part::new(&scores_p, weights_p.as_deref()), Part::new(&scores_u, weights_u.as_deref()));
        paced.shares(done, p, u, &mut shares_p, &mut shares_u);
        for (rows, shares) in [(job.positive, &shares_p), (job.unlabeled, &shares_u)] {
            rows.iter().zip(shares).for_each(|(&row, &share)| self.of_rows[row as usize] = share);
        }
        Ok(())
    }

    /// The shares of a batch's positives and unlabeled rows; none where the objective looks at batches alone.
    pub(crate) fn of(&mut self, batch: &NextBatch) -> Option<[&[f32]; 2]> {
        if self.of_rows.is_empty() {
            return None;
        }
        let own = &batch.rows[..batch.positives + batch.unlabeled];
        self.of_batch.clear();
        self.of_batch.extend(own.iter().map(|&row| self.of_rows[row as usize]));
        let (positive, unlabeled) = self.of_batch.split_at(batch.positives);
        Some([positive, unlabeled])
    }
}

/// The next batch, made ready while a device works on the last one.
#[derive(Default)]
pub(crate) struct NextBatch {
    pub(crate) rows: Vec<u32>,
    /// The weights of these rows, where rows have weights.
    weights: Vec<f32>,
    pub(crate) positives: usize,
    pub(crate) unlabeled: usize,
    draws: Vec<Draw>,
    /// Strong views of the positives and the unlabeled rows, which follow the others; none without a teacher.
    strong: Vec<Strong>,
    /// The same where rows are no images.
    dropped: Vec<Dropped>,
    /// What the unlabeled rows are mixed with, which follow the others once more; none without mixup.
    pub(crate) partners: Vec<Partner>,
    /// The share of the unlabeled row in a mixed one.
    pub(crate) share: f64,
    dropout_key: u64,
}

impl NextBatch {
    /// Makes ready the batch of `step`; false if there is none.
    pub(crate) fn fill(&mut self, batch: Option<crate::BatchRows>, job: &Job, step: u64) -> bool {
        let Some(batch) = batch else { return false };
        let config = job.config;
        self.rows.clear();
        self.rows.extend_from_slice(batch.positive);
        self.rows.extend_from_slice(batch.unlabeled);
        self.rows.extend_from_slice(batch.negative);
        (self.positives, self.unlabeled) = (batch.positive.len(), batch.unlabeled.len());
        self.weights.clear();
        if let Some(weights) = job.weights {
            self.weights.extend(self.rows.iter().map(|&row| weights[row as usize]));
        }
        if let Some(teacher) = config.teacher {
            let again = self.positives + self.unlabeled;
            self.rows.extend_from_within(..again);
            let (input, strength) = (job.network.input, teacher.strength);
            if input.pixels() == 1 {
                Dropped::draws(strength, config.seed, step, again, &mut self.dropped);
            } else {
                Strong::draws(input, strength, config.seed, step, again, &mut self.strong);
            }
        }
        config.augment.draws(config.seed, step, self.rows.len(), &mut self.draws);
        if let Some(mixup) = config.mixup {
            self.mix(mixup, config.seed, step);
        }
        self.dropout_key = Stream::new(config.seed ^ step.rotate_left(17), "dropout").next_u64();
        true
    }

    /// The unlabeled rows once more, as the batch has them, each with one of its positives to be mixed with.
    fn mix(&mut self, mixup: Mixup, seed: u64, step: u64) {
        let own = self.positives..self.positives + self.unlabeled;
        let (share, mut stream) = mixup.draw(seed, step);
        self.share = share;
        self.partners.clear();
        // A batch without a positive has nothing to mix with.
        if self.positives == 0 {
            return;
        }
        let (rows, draws, positives) = (&self.rows, &self.draws, self.positives);
        self.partners.extend(own.clone().map(|_| {
            let at = stream.below(positives);
            let draw = draws.get(at).copied().unwrap_or_default();
            Partner { row: rows[at], draw, share: share as f32 }
        }));
        self.rows.extend_from_within(own.clone());
        if !self.draws.is_empty() {
            self.draws.extend_from_within(own);
        }
    }

    /// The scores of the batch by kind, with their weights.
    pub(crate) fn parts<'s>(&'s self, scores: &'s [f32]) -> [Part<'s>; 3] {
        let (p, u) = (self.positives, self.positives + self.unlabeled);
        let part = |range: std::ops::Range<usize>| {
            let weights = (!self.weights.is_empty()).then(|| &self.weights[range.clone()]);
            Part::new(&scores[range], weights)
        };
        [part(0..p), part(p..u), part(u..scores.len())]
    }

    /// Rows that are neither strong views nor mixed.
    pub(crate) fn plain(&self) -> usize {
        self.rows.len() - self.strong.len() - self.dropped.len() - self.partners.len()
    }

    /// The weak views of the unlabeled rows.
    pub(crate) fn unlabeled_batch(&self) -> Batch<'_> {
        let own = self.positives..self.positives + self.unlabeled;
        let draws = if self.draws.is_empty() { &[] } else { &self.draws[own.clone()] };
        Batch { draws, ..Batch::plain(&self.rows[own]) }
    }

    /// Scores of the unlabeled rows with their weights.
    pub(crate) fn unlabeled_part<'s>(&'s self, scores: &'s [f32]) -> Part<'s> {
        let own = self.positives..self.positives + self.unlabeled;
        Part::new(scores, (!self.weights.is_empty()).then(|| &self.weights[own]))
    }

    /// A slice over the batch by kind.
    pub(crate) fn split<'s>(&self, of_rows: &'s mut [f32]) -> [&'s mut [f32]; 3] {
        let (positive, others) = of_rows.split_at_mut(self.positives);
        let (unlabeled, negative) = others.split_at_mut(self.unlabeled);
        [positive, unlabeled, negative]
    }

    pub(crate) fn batch(&self) -> Batch<'_> {
        let Self { rows, draws, strong, dropped, partners, dropout_key, .. } = self;
        Batch { rows, draws, strong, dropped, partners, dropout_key: *dropout_key }
    }
}
