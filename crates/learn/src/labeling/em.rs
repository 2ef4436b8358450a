//! The chance of being labeled and the class in turn (SAR-EM; Bekker, Robberechts and Davis, ECML 2019).
//!
//! For an unlabeled row, P(y = 1 | x, s = 0) = η (1 − e) / (1 − η e). Given that, the class η is learned from rows that are positive in
//! part, and e from where labeled and hidden positives are. η is what small trees say of rows they had not met. The number of positives is held
//! to the share.
//!
//! e and η explain the labels by their product alone, and this can end where they have changed places: in one try .81 became .25. So:
//! it begins at several points (random labels, and the mean of P(s = 1 | x) over labeled rows by the columns, which is e where classes do
//! not overlap); what it says of rows that neither η nor e was learned from is compared with what random labels say of them; and a
//! solution by which labeled rows score below the unlabeled ones is never kept.

use super::parts::Parts;
use super::propensity::{bounded, fitted, shift_to, standing_for};
use super::quick_trees::QuickTrees;
use crate::who_labels::{Dependence, NEEDED};
use crate::{At, Error, Observer, Progress, Signal, Task, Views};
use onesided_classic::LinearModel;
use onesided_data::{Columns, Label, Matrix, PriorInUnlabeled, Stream};
use onesided_eval::ranking_risk;
use onesided_loss::sigmoid;
use std::ops::Range;

/// Turns from each start.
const ROUNDS: usize = 3;
/// Rows that e is learned from, at most: it has few numbers.
const MOST_ROWS: usize = 20_000;
/// No class is more certain than that while e is learned.
const CERTAIN: f64 = 0.999;

/// What was found.
#[derive(Clone, Debug)]
pub struct PropensityFound {
    /// In short.
    pub dependence: Dependence,
    /// Logits of the chance of being labeled, of each labeled row of the task, in their order; their level is right for the share
    /// that was given.
    logits: Vec<f64>,
}

impl PropensityFound {
    /// What each labeled row of the task counts if the share of positives among this many unlabeled rows is `share`, with a mean of 1.
    ///
    /// With weights w, labeled rows are to unlabeled ones as w e η to 1 − e η. At w = 1/e − 1/2 that does not depend on e where η is one half, so
    /// that the order of rows is right where it matters most. (1/e makes labeled rows stand for all positives, and 1/e − 1 for the hidden ones.)
    pub fn weights(&self, share: f64, unlabeled: f64) -> Vec<f32> {
        let shift = standing_for(&self.logits, self.logits.len() as f64 + share * unlabeled);
        let each: Vec<f64> = self.logits.iter().map(|logit| 0.5 + (-logit - shift).exp()).collect();
        let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
        each.into_iter().map(|weight| (weight / mean) as f32).collect()
    }

    /// Labeled rows drawn again and again, as often as they count: as many as there are, which are a random sample of the positives if e is
    /// right. Numbers are those of labeled rows in their order.
    pub fn drawn_again(&self, share: f64, unlabeled: f64, seed: u64) -> Vec<usize> {
        let mut at = Stream::new(seed, "labels drawn again").uniform();
        let mut drawn = Vec::with_capacity(self.logits.len());
        for (row, weight) in self.weights(share, unlabeled).into_iter().enumerate() {
            at += f64::from(weight);
            while at >= 1.0 {
                drawn.push(row);
                at -= 1.0;
            }
        }
        drawn
    }

    /// The same with another share.
    #[must_use]
    pub fn with_share(mut self, share: f64, unlabeled: f64) -> Self {
        let shift = standing_for(&self.logits, self.logits.len() as f64 + share * unlabeled);
        self.logits.iter_mut().for_each(|logit| *logit += shift);
        self.dependence.chance = chances(&self.logits);
        self.dependence.share[0] = share;
        self
    }
}

/// The chances below and above which a tenth of the positives have theirs: a labeled row with the chance e stands for 1/e of them.
fn chances(logits: &[f64]) -> [f64; 2] {
    let mut each: Vec<f64> = logits.iter().map(|&logit| sigmoid(logit)).collect();
    each.sort_unstable_by(f64::total_cmp);
    let all: f64 = each.iter().map(|e| 1.0 / e).sum();
    let mut seen = 0.0;
    let mut at = |share: f64| {
        let reached = each.iter().find(|e| {
            seen += 1.0 / **e;
            seen >= share * all
        });
        seen = 0.0;
        reached.copied().unwrap_or(1.0)
    };
    [at(0.1), at(0.9)]
}

/// Where a start has come to.
struct Reached {
    e: Option<LinearModel>,
    /// The log likelihood of each row's label, by what had not met it.
    likelihood: Vec<f64>,
    /// The AUC of labeled against unlabeled rows.
    auc: f64,
}

/// What is the same for all starts.
struct Em<'t> {
    trees: QuickTrees<'t>,
    labeled: Vec<bool>,
    parts: Matrix,
    /// The share of unlabeled rows that are positive, and of positives that are labeled.
    share: f64,
    mean: f64,
}

/// Learns how the chance of being labeled depends on `named` columns, of one sample with this share of positives among its unlabeled rows.
pub fn learn_who_labels(
    task: &Task,
    views: &Views,
    named: &[(String, Range<usize>)],
    share: PriorInUnlabeled,
    observer: Observer,
) -> Result<PropensityFound, Error> {
    let columns = views.data().columns()?;
    let of = |wanted: Label| -> Vec<u32> {
        (0u32..).zip(task.labels.iter()).filter(|(_, label)| **label == wanted).map(|(row, _)| row).collect()
    };
    let (positive, unlabeled) = (of(Label::Positive), of(Label::Unlabeled));
    let rows = some_of(&positive, &unlabeled, task.seed);
    let parts = Parts::new(&columns, named, &rows, &positive)?;
    let trees = QuickTrees::new(task, views, rows)?;
    let labeled: Vec<bool> =
        trees.rows.iter().map(|&row| task.labels[row as usize] == Label::Positive).collect();
    let m = labeled.iter().filter(|&&labeled| labeled).count() as f64;
    let n = labeled.len() as f64 - m;
    let share = share.get();
    let mean = m / (m + share * n);
    let em = Em { parts: parts.of_rows(&columns, &trees.rows)?, trees, labeled, share, mean };
    let named_columns = named.iter().map(|(name, _)| name.clone()).collect();
    em.run(&columns, &parts, (&positive, unlabeled.len()), named_columns, observer)
}

/// All rows, or as many of either kind, in proportion, as are needed.
fn some_of(positive: &[u32], unlabeled: &[u32], seed: u64) -> Vec<u32> {
    let all = positive.len() + unlabeled.len();
    let mut stream = Stream::new(seed, "rows for the chance of being labeled");
    let mut draw = |rows: &[u32]| {
        let mut rows = rows.to_vec();
        if all > MOST_ROWS {
            stream.shuffle(&mut rows);
            rows.truncate((rows.len() * MOST_ROWS / all).max(rows.len().min(100)));
        }
        rows
    };
    let mut rows = [draw(positive), draw(unlabeled)].concat();
    rows.sort_unstable();
    rows
}

impl Em<'_> {
    fn run(
        &self,
        columns: &Columns,
        parts: &Parts,
        (positive, unlabeled): (&[u32], usize),
        named: Vec<String>,
        observer: Observer,
    ) -> Result<PropensityFound, Error> {
        let begun = self
            .trees
            .out_of_fold(&self.labeled.iter().map(|&is| f64::from(u8::from(is))).collect::<Vec<_>>())?;
        let all = 3 * ROUNDS;
        let mut done = 0;
        let mut turn = || {
            done += 1;
            let at = At::Tree { done, most: all };
            let progress =
                Progress { name: "who labels", run: 0, runs: 1, device: "cpu", resumed_from: None, at };
            if observer(&progress) == Signal::Abort {
                return Err(Error::Interrupted { epoch: 0, checkpoint: None });
            }
            Ok(())
        };
        let random = vec![self.mean; self.labeled.len()];
        let at_random = self.reach(&begun, random.clone(), false, &mut turn)?;
        let by_columns = self.start_by_columns(&begun)?;
        let mut best: Option<(Reached, f64)> = None;
        for start in [random, by_columns] {
            let reached = self.reach(&begun, start, true, &mut turn)?;
            let gain = gain(&reached.likelihood, &at_random.likelihood);
            if best.as_ref().is_none_or(|(_, least)| gain > *least) {
                best = Some((reached, gain));
            }
        }
        // There were two starts.
        let (reached, gain) = best.ok_or(Error::NeedsLabels)?;
        let mut logits = match &reached.e {
            Some(e) => e.scores(&parts.of_rows(columns, positive)?),
            None => vec![0.0; positive.len()],
        };
        bounded(&mut logits, self.mean);
        let upright = reached.auc > 0.5;
        let dependence = Dependence {
            columns: named,
            used: upright && gain >= NEEDED,
            gain,
            auc: [reached.auc, at_random.auc],
            chance: [self.mean; 2],
            share: [self.share; 2],
        };
        let found = PropensityFound { dependence, logits };
        Ok(found.with_share(self.share, unlabeled as f64))
    }

    /// e as the mean of P(s = 1 | x) over the labeled rows, by the columns: their logits, as parts of a label.
    fn start_by_columns(&self, begun: &[f64]) -> Result<Vec<f64>, Error> {
        let of = |place: fn(f64) -> f64| -> Vec<f64> {
            begun
                .iter()
                .zip(&self.labeled)
                .map(|(&logit, &is)| if is { place(sigmoid(logit)) } else { 0.0 })
                .collect()
        };
        let e = fitted(&self.parts, &of(|g| g), &of(|g| 1.0 - g))?;
        let mut logits = e.scores(&self.parts);
        let of_labeled: Vec<f64> = logits
            .iter()
            .zip(&self.labeled)
            .filter(|(_, labeled)| **labeled)
            .map(|(&logit, _)| logit)
            .collect();
        let shift = standing_for(&of_labeled, of_labeled.len() as f64 / self.mean);
        logits.iter_mut().for_each(|logit| *logit += shift);
        Ok(self.chances_of(logits))
    }

    fn chances_of(&self, mut logits: Vec<f64>) -> Vec<f64> {
        bounded(&mut logits, self.mean);
        logits.into_iter().map(sigmoid).collect()
    }

    /// How much each row is a positive, given its class, its chance of being labeled, and that it is not; with the share of positives held.
    fn positive_in_part(&self, class: &[f64], e: &[f64]) -> Vec<f64> {
        let mut part: Vec<f64> =
            class.iter().zip(e).map(|(class, e)| class * (1.0 - e) / (1.0 - class * e)).collect();
        let hidden = |part: &[f64], shift: f64| {
            let of = part.iter().zip(&self.labeled).filter(|(_, labeled)| !**labeled);
            let (sum, n) = of.fold((0.0, 0.0), |(sum, n), (&part, _)| (sum + moved(part, -shift), n + 1.0));
            sum / f64::max(n, 1.0)
        };
        let shift = shift_to(self.share, |shift| hidden(&part, shift));
        for (part, &labeled) in part.iter_mut().zip(&self.labeled) {
            *part = if labeled { 1.0 } else { moved(*part, -shift) };
        }
        part
    }

    /// Turns from a start, with e learned or left as it is.
    fn reach(
        &self,
        begun: &[f64],
        mut e: Vec<f64>,
        learns: bool,
        turn: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Reached, Error> {
        let mut class: Vec<f64> = begun
            .iter()
            .zip(&e)
            .map(|(&logit, e)| (sigmoid(logit) / e).clamp(1.0 - CERTAIN, CERTAIN))
            .collect();
        let (mut model, mut logits) = (None, begun.to_vec());
        let is: Vec<f64> = self.labeled.iter().map(|&is| f64::from(u8::from(is))).collect();
        let hidden_of =
            |part: &[f64]| -> Vec<f64> { part.iter().zip(&is).map(|(part, is)| part - is).collect() };
        let mut part = self.positive_in_part(&class, &e);
        for _ in 0..ROUNDS {
            turn()?;
            if learns {
                let learned = fitted(&self.parts, &is, &hidden_of(&part))?;
                e = self.chances_of(learned.scores(&self.parts));
                model = Some(learned);
            }
            logits = self.trees.out_of_fold(&part)?;
            class = logits.iter().map(|&logit| sigmoid(logit).clamp(1.0 - CERTAIN, CERTAIN)).collect();
            part = self.positive_in_part(&class, &e);
        }
        // Judged by an e that had not met the row either.
        if learns {
            let hidden = hidden_of(&part);
            for fold in 0..self.trees.folds() {
                let of = |own: &[f64]| -> Vec<f64> {
                    let others = own.iter().zip(&self.trees.fold);
                    others.map(|(&own, &of)| if of == fold { 0.0 } else { own }).collect()
                };
                let learned = fitted(&self.parts, &of(&is), &of(&hidden))?;
                let judged = self.chances_of(learned.scores(&self.parts));
                let places = (0..e.len()).filter(|&at| self.trees.fold[at] == fold);
                places.for_each(|at| e[at] = judged[at]);
            }
        }
        let of = |wanted: bool| -> Vec<f32> {
            let kept = logits.iter().zip(&self.labeled).filter(|(_, labeled)| **labeled == wanted);
            kept.map(|(&logit, _)| logit as f32).collect()
        };
        let likelihood = class.iter().zip(&e).zip(&self.labeled).map(|((class, e), &labeled)| {
            let g = class * e;
            if labeled { g.ln() } else { (-g).ln_1p() }
        });
        Ok(Reached {
            e: model,
            likelihood: likelihood.collect(),
            auc: 1.0 - ranking_risk(&of(true), &of(false)),
        })
    }
}

/// A probability with its logit moved.
fn moved(probability: f64, by: f64) -> f64 {
    sigmoid((probability / (1.0 - probability)).ln() + by)
}

/// The mean of a difference in its standard errors.
fn gain(one: &[f64], other: &[f64]) -> f64 {
    let n = one.len() as f64;
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
    mean / (variance / n).sqrt().max(f64::MIN_POSITIVE)
}
