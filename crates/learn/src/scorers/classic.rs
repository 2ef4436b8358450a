//! The systems before networks.
//!
//! A system chooses its own settings on a part of the rows it is given. Its scores are brought to mean 0 and deviation 1
//! between folds, because costs that differ from fold to fold change their size. Where the theory of a system gives
//! P(y = 1 | x), that is the answer; it holds for the population.
//!
//! A system is told μ where the user gave it, or where it cannot learn without. An estimate that serves the calibration
//! alone is kept from it: without a prior the systems choose their settings as their papers do.

use crate::criterion::weight_of_negatives;
use crate::fitted::classic_scores;
use crate::{
    At, Candidate, Error, Fitted, History, Info, Kinds, Observer, Progress, ScoreScale, Scorer, Signal,
    Subset, Task, TrainedScorer, Trainer, Views, Wants,
};
use onesided_classic::systems::SystemInfo;
use onesided_classic::{ClassicError, ClassicModel, ScoreForm, Selected, System, check_counts};
use onesided_data::{Label, Scaling};
use onesided_net::OnTheWay;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A classic system with its settings.
#[derive(Clone)]
pub struct ClassicScorer {
    info: &'static SystemInfo,
    system: Arc<dyn System>,
}

impl fmt::Debug for ClassicScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClassicScorer").field(&self.info.name).finish()
    }
}

impl ClassicScorer {
    /// A system whose settings are fields of its type.
    pub fn new(system: Arc<dyn System>) -> Result<Self, Error> {
        let info = onesided_classic::systems::system_info(system.name()).ok_or_else(|| {
            Error::of_classic(ClassicError::UnknownSystem { name: system.name().to_string() })
        })?;
        Ok(Self { info, system })
    }

    /// A system with settings by name.
    pub fn with_options(info: &'static SystemInfo, given: &[(String, String)]) -> Result<Self, Error> {
        Ok(Self { info, system: Arc::from(info.with_options(given)?) })
    }

    fn scaling(&self) -> Scaling {
        if self.info.as_is { Scaling::AsIs } else { Scaling::Standard }
    }
}

impl Scorer for ClassicScorer {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed(self.info.name),
            model: Cow::Borrowed("its own"),
            needs_truth: false,
            needs_prior: self.info.needs_prior,
            works_without_prior: self.info.gives_probability,
        }
    }

    fn wants(&self) -> Wants {
        Wants { scaling: self.scaling(), counts: self.info.needs_counts, ..Wants::default() }
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        self.info.no_negatives.map_or(Ok(()), |why| Err(Cow::Borrowed(why)))
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        self.info.no_weights.map_or(Ok(()), |why| Err(Cow::Borrowed(why)))
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let rows = views.rows(self.scaling())?;
        if self.info.needs_counts
            && let Err(ClassicError::NegativeCount { row, column, value }) = check_counts(rows)
        {
            let name = task.data.encoding().names().get(column).cloned().unwrap_or_default();
            return Err(Error::NegativeCount {
                method: self.info.name.to_string(),
                column: name,
                row: row + 1,
                value,
            });
        }
        Ok(Box::new(ClassicTrainer { scorer: self, task, rows }))
    }
}

struct ClassicTrainer<'d> {
    scorer: &'d ClassicScorer,
    task: &'d Task<'d>,
    rows: &'d dyn onesided_classic::Rows,
}

impl ClassicTrainer<'_> {
    /// How often rows count: their own weights, and known negatives together as much as their number gives them against
    /// the unlabeled rows. `None` where every row counts once.
    fn weights(&self, rows: &[usize], of: &Kinds) -> Option<Vec<f64>> {
        let task = self.task;
        if task.weights.is_none() && of.negative.is_empty() {
            return None;
        }
        let each = weight_of_negatives(of.negative.len() as f64) * task.amount(&of.unlabeled)
            / task.amount(&of.negative).max(f64::MIN_POSITIVE);
        let one = |&row: &usize| {
            let own = task.weights.map_or(1.0, |weights| f64::from(weights[row]));
            if task.labels[row] == Label::Negative { each * own } else { own }
        };
        Some(rows.iter().map(one).collect())
    }

    fn scores(&self, model: &ClassicModel, rows: &[u32]) -> Result<Vec<f32>, Error> {
        let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        classic_scores(model, &Selected::new(self.rows, rows))
    }
}

impl Trainer for ClassicTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        _candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let (task, info, run) = (self.task, self.scorer.info, subset.run);
        let asked = Mutex::new((observer, Signal::Continue));
        // An observer that asked for a stop is not asked again. A system has nothing to keep before its end, so finishing means continuing.
        let go_on = || {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.1 != Signal::Abort {
                let at = At::Member { done: run.number, all: run.all, begun: 0.0 };
                let (name, number, runs) = (run.name, run.number, run.all);
                let progress = Progress { name, run: number, runs, device: "cpu", resumed_from: None, at };
                asked.1 = (asked.0)(&progress);
            }
            asked.1 != Signal::Abort
        };
        let mut of: Vec<usize> = subset.training.all().into_iter().map(|row| row as usize).collect();
        of.sort_unstable();
        let labels: Vec<Label> = of.iter().map(|&row| task.labels[row]).collect();
        let known = |priors: &crate::Priors| info.needs_prior || !priors.estimated;
        let weights = self.weights(&of, subset.training);
        let selected = Selected::new(self.rows, of.as_slice());
        let learned = self.scorer.system.fit(&onesided_classic::Problem {
            rows: &selected,
            labels: &labels,
            weights: weights.as_deref(),
            prior: task.priors.filter(known).map(|priors| priors.in_unlabeled),
            scenario: task.scenario,
            seed: subset.seed,
            threads: subset.threads,
            go_on: Some(&go_on),
        });
        if !go_on() {
            return Err(Error::Interrupted { epoch: 0, checkpoint: None });
        }
        let held_out = (!subset.stopping.is_empty()).then_some(task.counts.positive);
        let model = learned.map_err(|source| {
            let few = matches!(source, ClassicError::TooFew { .. } | ClassicError::TooFewSpies { .. });
            Error::Classic { source, held_out: held_out.filter(|_| few) }
        })?;
        // A theory's logits stay as they are, and one run alone has nothing to be alike to.
        let scale = match model.link {
            Some(_) => ScoreScale::ONE,
            None if subset.run.all <= 1 => ScoreScale::ONE,
            None => ScoreScale::measured(&classic_scores(&model, &selected)?),
        };
        Ok(TrainedScorer {
            stopping: self.scores(&model, &subset.stopping.all())?,
            scored: self.scores(&model, subset.scored)?,
            rounds: OnTheWay::default(),
            scale,
            described: described(&model),
            fitted: Fitted::Classic(model),
            history: History::default(),
            resumed_from: None,
            finished_early: false,
        })
    }

    fn side_by_side(&self) -> bool {
        false
    }
}

/// `ldce (ridge 0.0625, radius 0)`.
fn described(model: &ClassicModel) -> String {
    let chosen: Vec<String> =
        model.chosen.iter().map(|(name, value)| format!("{name} {}", short(*value))).collect();
    if chosen.is_empty() { model.system.clone() } else { format!("{} ({})", model.system, chosen.join(", ")) }
}

/// Some digits of a number that has many.
fn short(value: f64) -> String {
    let exact = value.to_string();
    match exact.len() {
        0..=8 => exact,
        _ if value.abs() < 1e-3 => format!("{value:.2e}"),
        _ => format!("{value:.4}"),
    }
}

/// What a classic model scores by, in words.
pub(crate) fn kind(model: &ClassicModel) -> &'static str {
    match &model.scorer {
        ScoreForm::Linear(_) => "linear",
        ScoreForm::Kernel(_) => "kernel",
        ScoreForm::RandomFeatures { .. } => "random features",
        _ => "its own network",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_zero_by_rounding() {
        assert_eq!(
            (short(0.1), short(771.0), short(1.0 / 3.0)),
            ("0.1".into(), "771".into(), "0.3333".into())
        );
        assert_eq!(short(2f64.powi(-18)), "3.81e-6");
    }
}
