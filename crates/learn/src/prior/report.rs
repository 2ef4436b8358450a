//! All estimators on one data set, and what they say together.

use super::cross_fit::{CrossFitted, CrossFitting};
use crate::prior_report::{PriorReport, Refusal};
use crate::{At, Error, Observer, Progress, Signal, Task, Views};
use onesided_data::{DataError, Phase, Scaling, Store};
use onesided_prior::{
    Estimator, Evidence, EvidenceError, LEAST_POSITIVES, Needs, answer, consensus, estimator, estimators,
};

/// How the share of positives is estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorSettings {
    /// How rows are scored.
    pub cross_fitting: CrossFitting,
    /// The estimators by name; none is all of them.
    pub estimators: Vec<String>,
    /// The level of the intervals.
    pub confidence: f64,
    /// Resamples of each bootstrap.
    pub resamples: usize,
}

impl Default for PriorSettings {
    /// All estimators, 95 % intervals from 200 resamples.
    fn default() -> Self {
        Self {
            cross_fitting: CrossFitting::default(),
            estimators: Vec::new(),
            confidence: 0.95,
            resamples: 200,
        }
    }
}

impl PriorSettings {
    /// The estimators that look at scores alone: a fraction of a second after scoring. What `fit` uses.
    pub fn quick() -> Self {
        let of_scores = estimators().iter().filter(|one| one.info().needs == Needs::Scores);
        let estimators = of_scores.map(|one| one.info().name.to_string()).collect();
        Self { estimators, ..Self::default() }
    }

    pub(crate) fn chosen(&self) -> Result<Vec<&'static dyn Estimator>, Error> {
        if self.estimators.is_empty() {
            return Ok(estimators().to_vec());
        }
        Ok(self.estimators.iter().map(|name| estimator(name)).collect::<Result<_, _>>()?)
    }

    /// Refuses names that no estimator has, before any work.
    pub fn check(&self) -> Result<(), Error> {
        self.chosen().map(|_| ())
    }
}

/// Scores the rows of a task, asks the estimators and weighs their answers. The observer is told what is about to be
/// done; an answer other than to continue makes this an [`Error::Interrupted`].
pub fn estimate_prior(
    task: &Task,
    views: &Views,
    settings: &PriorSettings,
    observer: Observer,
) -> Result<PriorReport, Error> {
    Ok(estimate_prior_scored(task, views, settings, observer)?.0)
}

/// [`estimate_prior`] with the scores of the rows, each by models that never saw it.
pub fn estimate_prior_scored(
    task: &Task,
    views: &Views,
    settings: &PriorSettings,
    observer: Observer,
) -> Result<(PriorReport, CrossFitted), Error> {
    settings.check()?;
    let counts = task.counts;
    let fewest = [("positive", counts.positive), ("unlabeled", counts.unlabeled)];
    if let Some(&(sample, found)) = fewest.iter().find(|(_, count)| *count < LEAST_POSITIVES) {
        return Err(EvidenceError::TooFew { sample, found, least: LEAST_POSITIVES }.into());
    }
    if task.data.encoding().width() == 0 {
        return Err(DataError::NoFeatures { left_out: Vec::new() }.into());
    }
    let scores = settings.cross_fitting.run(task, views, observer)?;
    Ok((report_of(&scores, task, views, settings, observer)?, scores))
}

/// What the estimators say of scores, each by a model that never saw the row.
pub(super) fn report_of(
    scores: &CrossFitted,
    task: &Task,
    views: &Views,
    settings: &PriorSettings,
    observer: Observer,
) -> Result<PriorReport, Error> {
    let chosen = settings.chosen()?;
    let rows = rows_of(task, views, &chosen)?;
    let evidence = Evidence {
        positive_rows: rows.as_ref().map(|rows| &rows.0),
        unlabeled_rows: rows.as_ref().map(|rows| &rows.1),
        seed: task.seed,
        confidence: settings.confidence,
        resamples: settings.resamples,
        ..Evidence::of_scores(&scores.positive, &scores.unlabeled)
    };
    let (mut estimates, mut refusals) = (Vec::new(), Vec::new());
    for one in Phase::new("estimating the share", chosen.len() as u64, "estimators").each(chosen) {
        let name = one.info().name;
        let at = At::Estimator(name);
        let progress = Progress { name, run: 0, runs: 1, device: "cpu", resumed_from: None, at };
        if observer(&progress) != Signal::Continue {
            return Err(Error::Interrupted { epoch: 0, checkpoint: None });
        }
        match one.estimate(&evidence) {
            Ok(estimate) => estimates.push(estimate),
            Err(error) => refusals.push(Refusal { estimator: name, why: error.to_string() }),
        }
    }
    let consensus = consensus(&estimates, &evidence)?;
    let answer = answer(&consensus, &evidence)?;
    let scenario = task.scenario;
    let scorer = scores.scorer;
    let counts = task.counts;
    Ok(PriorReport { scenario, counts, scorer, estimates, refusals, consensus, answer })
}

/// The rows themselves, of either kind, where an estimator looks at them; texts have too many columns for that.
fn rows_of(
    task: &Task,
    views: &Views,
    chosen: &[&'static dyn Estimator],
) -> Result<Option<(onesided_data::Matrix, onesided_data::Matrix)>, Error> {
    let wanted = chosen.iter().any(|one| one.info().needs == Needs::Rows);
    if !wanted || matches!(views.scaled(Scaling::Standard).rows(), Store::Sparse(_)) {
        return Ok(None);
    }
    let all: Vec<usize> = (0..task.data.len()).collect();
    let kinds = task.split(&all);
    let numbers = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect::<Vec<usize>>();
    let dense = views.dense()?;
    Ok(Some((dense.select(&numbers(&kinds.positive)), dense.select(&numbers(&kinds.unlabeled)))))
}
