//! All estimators on one table, and what they say together.

use super::cross_fit::CrossFitting;
use super::scorer::Scorer;
use crate::Error;
use onesided_data::{Counts, DataError, PuData, Scenario};
use onesided_prior::{
    Consensus, Estimate, Estimator, Evidence, LEAST_POSITIVES, Needs, PriorError, consensus, estimator,
    estimators, share_in_population,
};
use serde::Serialize;

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
        let of_scores = estimators().iter().filter(|one| one.about().needs == Needs::Scores);
        let estimators = of_scores.map(|one| one.about().name.to_string()).collect();
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

/// An estimator that had no answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// Its name.
    pub estimator: &'static str,
    /// Why.
    pub why: String,
}

/// What all estimators say of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriorReport {
    /// How the data were drawn: what π follows from.
    pub scenario: Scenario,
    /// How many rows of either kind there were.
    pub counts: Counts,
    /// The classifier that scored the rows.
    pub scorer: Scorer,
    /// The estimates, in the order of the registry.
    pub estimates: Vec<Estimate>,
    /// The estimators without one.
    pub refusals: Vec<Refusal>,
    /// What they say together.
    pub consensus: Consensus,
}

impl PriorReport {
    /// π for a μ of these data.
    pub fn in_population(&self, mu: f64) -> f64 {
        share_in_population(mu, self.scenario, self.counts)
    }
}

/// [`estimate_prior_with`] without an observer.
pub fn estimate_prior(
    data: &PuData,
    scenario: Scenario,
    settings: &PriorSettings,
) -> Result<PriorReport, Error> {
    estimate_prior_with(data, scenario, settings, &mut |_| true)
}

/// Scores the rows of `data`, asks the estimators and weighs their answers. The observer is told what is about to be
/// done; it returns false to stop, which makes this an [`Error::Interrupted`].
pub fn estimate_prior_with(
    data: &PuData,
    scenario: Scenario,
    settings: &PriorSettings,
    observer: &mut (dyn FnMut(&str) -> bool + Send),
) -> Result<PriorReport, Error> {
    let chosen = settings.chosen()?;
    let counts = data.counts();
    let fewest = [("positive", counts.positive), ("unlabeled", counts.unlabeled)];
    if let Some(&(sample, found)) = fewest.iter().find(|(_, count)| *count < LEAST_POSITIVES) {
        return Err(PriorError::TooFew { sample, found, least: LEAST_POSITIVES }.into());
    }
    if data.features.cols() == 0 {
        return Err(DataError::Width { expected: 1, found: 0 }.into());
    }
    let mut go_on = |what: &str| match observer(what) {
        true => Ok(()),
        false => Err(Error::Interrupted { epoch: 0, checkpoint: None }),
    };
    let cross_fitting = &settings.cross_fitting;
    let folds = cross_fitting.folds;
    go_on(&format!("scoring in {folds} folds"))?;
    let scores = cross_fitting
        .run(data, &mut |done, folds| go_on(&format!("scored {done} of {folds} folds")).is_ok())?;
    let rows = chosen
        .iter()
        .any(|one| one.about().needs == Needs::Rows)
        .then(|| (data.features.select(&data.positives()), data.features.select(&data.unlabeled())));
    let evidence = Evidence {
        positive_rows: rows.as_ref().map(|rows| &rows.0),
        unlabeled_rows: rows.as_ref().map(|rows| &rows.1),
        seed: cross_fitting.seed,
        confidence: settings.confidence,
        resamples: settings.resamples,
        ..Evidence::of_scores(&scores.positive, &scores.unlabeled)
    };
    let (mut estimates, mut refusals) = (Vec::new(), Vec::new());
    for one in chosen {
        let name = one.about().name;
        go_on(&format!("estimating: {name}"))?;
        match one.estimate(&evidence) {
            Ok(estimate) => estimates.push(estimate),
            Err(error) => refusals.push(Refusal { estimator: name, why: error.to_string() }),
        }
    }
    let consensus = consensus(&estimates, &evidence)?;
    Ok(PriorReport { scenario, counts, scorer: scores.scorer, estimates, refusals, consensus })
}
