//! Elkan and Noto's two ways with boosted trees as the model.
//!
//! C. Elkan and K. Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008; the formulas are with the
//! linear form (`onesided_classic::systems::ElkanNoto`). In short, with g(x) the probability of being labeled and
//! c = P(labeled | y = 1):
//!
//! * `elkan-noto` says g(x) / c in one sample, and (1 - c)/c · g(x) / (1 - g(x)) where the unlabeled rows are the population.
//! * `elkan-noto-weighted` trains once more, with every unlabeled row as a positive with weight
//!   w(x) = (1 - c)/c · g(x) / (1 - g(x)) and as a negative with weight 1 - w(x).
//!
//! g is learned five times, each time without a fifth of the rows, which says how many trees are best and gets its g from what
//! was learned without it. c is the mean of these g over the positives, or follows from a prior that was given:
//! c = n_p / (n_p + μ n_u). A row with weights w and 1 - w has the gradient σ(f) - w and the curvature σ(f) σ(-f), so no row
//! needs to be there twice.

use crate::{
    At, Candidate, Error, Fitted, History, Info, LinkedTrees, Observer, Progress, ScoreScale, Scorer, Signal,
    Subset, Task, TrainedScorer, Trainer, Views, Wants,
};
use onesided_classic::{ClassicError, Link};
use onesided_data::{Label, Scenario, map_stretches, stratified_folds};
use onesided_loss::{sigmoid, softplus};
use onesided_net::OnTheWay;
use onesided_trees::{Binned, Boosting, HeldOut, TreesConfig, TreesError, TreesModel};
use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Parts that take turns in being left out.
const FOLDS: usize = 5;

/// Whether a classic system can have trees as its model.
pub fn takes_trees(system: &str) -> bool {
    ["bagging", "elkan-noto", "elkan-noto-weighted"].contains(&system)
}

/// Elkan and Noto's ways with trees.
#[derive(Clone, Debug)]
pub struct ElkanNotoTrees {
    name: &'static str,
    /// Whether a second model is trained on weighted rows.
    weighted: bool,
    config: TreesConfig,
}

impl ElkanNotoTrees {
    /// The form that a system has; `None` for systems of others.
    pub fn of_system(name: &'static str, config: TreesConfig) -> Option<Self> {
        match name {
            "elkan-noto" => Some(Self { name, weighted: false, config }),
            "elkan-noto-weighted" => Some(Self { name, weighted: true, config }),
            _ => None,
        }
    }
}

impl Scorer for ElkanNotoTrees {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed(self.name),
            model: Cow::Borrowed("trees"),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: true,
        }
    }

    fn wants(&self) -> Wants {
        Wants { dense: true, ..Wants::default() }
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Err(Cow::Borrowed("its formula for the probability knows labeled and unlabeled rows alone"))
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Err(Cow::Borrowed("its label frequency counts every row once"))
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Ok(Box::new(ElkanNotoTrainer { scorer: self, task, binned: views.binned()? }))
    }
}

/// Trees, and the bins they were grown on where those are not the bins of all.
struct Grown {
    model: TreesModel,
    ordered: Option<Binned>,
}

impl Grown {
    fn logits(&self, binned: &Binned, rows: &[u32], threads: usize) -> Result<Vec<f64>, Error> {
        let binned = self.ordered.as_ref().unwrap_or(binned);
        Ok(self.model.logits_of_with_threads(binned, rows, threads)?)
    }
}

struct ElkanNotoTrainer<'d> {
    scorer: &'d ElkanNotoTrees,
    task: &'d Task<'d>,
    binned: &'d Binned,
}

/// Rows with the share of a positive that each is.
struct Shared<'s> {
    rows: &'s [u32],
    shares: &'s [f64],
}

impl Shared<'_> {
    /// The logit of the mean share.
    fn start(&self) -> Result<f64, TreesError> {
        let sum: f64 = self.shares.iter().sum();
        let odds = sum / (self.shares.len() as f64 - sum);
        if odds > 0.0 && odds.is_finite() { Ok(odds.ln()) } else { Err(TreesError::OneClass) }
    }

    /// -w ln σ(f) - (1 - w) ln σ(-f), a mean.
    fn loss(&self, logits: &[f64]) -> f64 {
        let one = |(&f, &w): (&f64, &f64)| w * softplus(-f) + (1.0 - w) * softplus(f);
        logits.iter().zip(self.shares).map(one).sum::<f64>() / logits.len().max(1) as f64
    }
}

/// Counts trees over all trainings of a fit, and passes them on.
struct Counted<'o, 's> {
    state: Mutex<(Observer<'o>, Signal, usize)>,
    subset: &'s Subset<'s>,
    most: usize,
}

impl Counted<'_, '_> {
    fn go_on(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.2 += 1;
        let at = At::Tree { done: state.2.min(self.most), most: self.most };
        let run = self.subset.run;
        let (name, number, runs) = (run.name, run.number, run.all);
        let progress = Progress { name, run: number, runs, device: "cpu", resumed_from: None, at };
        let signal = (state.0)(&progress);
        if signal != Signal::Continue {
            state.1 = signal;
        }
        state.1 == Signal::Continue
    }

    fn signal(&self) -> Signal {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl ElkanNotoTrainer<'_> {
    fn boosted(
        &self,
        training: &Shared,
        held_out: Option<&Shared>,
        config: &TreesConfig,
        counted: &Counted,
    ) -> Result<Grown, Error> {
        let is_labeled = |row: u32| self.task.labels[row as usize] == Label::Positive;
        let ordered = self.binned.ordered(training.rows, is_labeled, config.seed)?;
        let binned = ordered.as_ref().unwrap_or(self.binned);
        let boosting = Boosting { binned, training: training.rows, start: training.start()?, config };
        let mut derivatives = |logits: &[f64], of_rows: &mut [(f32, f32)]| {
            for ((of_row, &f), &w) in of_rows.iter_mut().zip(logits).zip(training.shares) {
                let s = sigmoid(f);
                *of_row = ((s - w) as f32, (s * (1.0 - s)) as f32);
            }
        };
        let mut judge = |logits: &[f64]| held_out.map_or(0.0, |held_out| held_out.loss(logits));
        let held_out = held_out.map(|held_out| HeldOut { rows: held_out.rows, judge: &mut judge });
        let model = boosting.run(&mut derivatives, held_out, &mut |_| counted.go_on())?.model;
        Ok(Grown { model, ordered })
    }

    /// For each of the rows its logit by trees that were grown without it, and how many trees were best.
    fn out_of_fold(
        &self,
        of: &Shared,
        labels: &[Label],
        subset: &Subset,
        counted: &Counted,
    ) -> Result<(Vec<f64>, usize), Error> {
        let folds = stratified_folds(labels, FOLDS, subset.seed).map_err(|_| self.too_few(subset))?;
        let some = |places: &[usize]| -> (Vec<u32>, Vec<f64>) {
            (places.iter().map(|&at| of.rows[at]).collect(), places.iter().map(|&at| of.shares[at]).collect())
        };
        let config = TreesConfig { seed: subset.seed, threads: 1, ..self.scorer.config.clone() };
        let numbers: Vec<usize> = (0..FOLDS).collect();
        // Workers that hold the rows grow one tree at a time.
        let threads = if self.binned.is_away() { 1 } else { subset.threads };
        let parts = map_stretches(&numbers, threads, 1, |numbers| {
            let one = |&number: &usize| -> Result<(Vec<f64>, usize), Error> {
                let (kept, held) = &folds[number];
                let ((rows, shares), (held_rows, held_shares)) = (some(kept), some(held));
                let training = Shared { rows: &rows, shares: &shares };
                let held = Shared { rows: &held_rows, shares: &held_shares };
                let grown = self.boosted(&training, Some(&held), &config, counted)?;
                Ok((grown.logits(self.binned, held.rows, 1)?, grown.model.trees().len()))
            };
            numbers.iter().map(one).collect::<Result<Vec<_>, Error>>()
        });
        let parts: Vec<(Vec<f64>, usize)> =
            parts.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
        let mut logits = vec![0.0; of.rows.len()];
        for ((_, held), (part, _)) in folds.iter().zip(&parts) {
            held.iter().zip(part).for_each(|(&at, &logit)| logits[at] = logit);
        }
        let mut trees: Vec<usize> = parts.iter().map(|(_, trees)| *trees).collect();
        trees.sort_unstable();
        Ok((logits, trees[trees.len() / 2].max(1)))
    }

    fn too_few(&self, subset: &Subset) -> Error {
        let (positive, unlabeled) = (subset.training.positive.len(), subset.training.unlabeled.len());
        let (what, found) =
            if positive < unlabeled { ("positives", positive) } else { ("unlabeled rows", unlabeled) };
        let remedy = "five parts take turns in being left out";
        let source = ClassicError::TooFew { method: self.scorer.name, what, least: FOLDS, found, remedy };
        Error::Classic {
            source,
            held_out: (!subset.stopping.is_empty()).then_some(self.task.counts.positive),
        }
    }

    /// One model on all of the rows.
    fn whole(&self, of: &Shared, trees: usize, subset: &Subset, counted: &Counted) -> Result<Grown, Error> {
        let config =
            TreesConfig { trees, seed: subset.seed, threads: subset.threads, ..self.scorer.config.clone() };
        self.boosted(of, None, &config, counted)
    }
}

impl Trainer for ElkanNotoTrainer<'_> {
    fn any_threads(&self) -> bool {
        true
    }

    fn fit(
        &self,
        subset: &Subset,
        _candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let (task, weighted) = (self.task, self.scorer.weighted);
        let rows = [subset.training.positive.as_slice(), &subset.training.unlabeled].concat();
        let labels: Vec<Label> = rows.iter().map(|&row| task.labels[row as usize]).collect();
        let shares: Vec<f64> =
            labels.iter().map(|&label| f64::from(u8::from(label == Label::Positive))).collect();
        let stages = if weighted { 2 } else { 1 };
        let counted = Counted {
            state: Mutex::new((observer, Signal::Continue, 0)),
            subset,
            most: stages * (FOLDS + 1) * self.scorer.config.trees,
        };
        let labeled = Shared { rows: &rows, shares: &shares };
        let (logits, best) = self.out_of_fold(&labeled, &labels, subset, &counted)?;
        let (n_p, n_u) = (subset.training.positive.len(), subset.training.unlabeled.len());
        // A prior that was given is known better than g is; one that was estimated is not.
        let c = match task.priors.filter(|priors| !priors.estimated) {
            Some(priors) => n_p as f64 / (n_p as f64 + priors.in_unlabeled.get() * n_u as f64),
            None => logits[..n_p].iter().map(|&logit| sigmoid(logit)).sum::<f64>() / n_p as f64,
        };
        let factor = (1.0 - c) / c;
        let (grown, link) = if weighted {
            let share = |at: usize| (factor * logits[at].exp()).min(1.0);
            // Drawn separately, labeled rows only teach what positives are like; the unlabeled ones are the population.
            let first = if task.scenario == Scenario::SingleSample { 0 } else { n_p };
            let rows = &rows[first..];
            let shares: Vec<f64> =
                (first..logits.len()).map(|at| if at < n_p { 1.0 } else { share(at) }).collect();
            let of = Shared { rows, shares: &shares };
            let best = match subset.stop_after {
                Some(trees) => trees.max(1),
                None if shares.len() < 2 * FOLDS => best,
                None => self.out_of_fold(&of, &alternating(shares.len()), subset, &counted)?.1,
            };
            (self.whole(&of, best, subset, &counted)?, Link::Sigmoid)
        } else {
            let link = match task.scenario {
                Scenario::SingleSample => Link::LabelFrequency { c },
                Scenario::CaseControl => Link::Odds { factor },
            };
            (self.whole(&labeled, subset.stop_after.unwrap_or(best).max(1), subset, &counted)?, link)
        };
        let signal = counted.signal();
        if signal == Signal::Abort {
            return Err(Error::Interrupted { epoch: grown.model.trees().len(), checkpoint: None });
        }
        let trees = grown.model.trees().len();
        let linked = LinkedTrees { trees: grown.model.clone(), link, label_frequency: c };
        let scores = |rows: &[u32]| -> Result<Vec<f32>, Error> {
            let logits = grown.logits(self.binned, rows, subset.threads)?;
            Ok(logits.into_iter().map(|logit| linked.logit(logit) as f32).collect())
        };
        Ok(TrainedScorer {
            stopping: scores(&subset.stopping.all())?,
            scored: scores(subset.scored)?,
            rounds: OnTheWay::default(),
            scale: ScoreScale::ONE,
            history: History { epochs: trees, best_epoch: trees, ..History::default() },
            described: format!("{} (label frequency {c:.4})", self.scorer.name),
            fitted: Fitted::LinkedTrees(linked),
            resumed_from: None,
            finished_early: signal == Signal::Finish,
        })
    }
}

/// Labels by which folds of rows with shares are assigned: rows are shuffled either way, and there is nothing to keep in balance.
fn alternating(many: usize) -> Vec<Label> {
    let label = |at: usize| if at.is_multiple_of(2) { Label::Positive } else { Label::Unlabeled };
    (0..many).map(label).collect()
}
