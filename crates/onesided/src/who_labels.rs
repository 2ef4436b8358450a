//! A fit of labels that depend on columns: what each labeled row stands for, then the fit that was asked for on weighted rows.

use crate::given::given;
use crate::known_rows::RowKind;
use crate::{Error, Learner, Model};
use onesided_data::{Dataset, Label, PriorInUnlabeled, Scenario};
use onesided_eval::ranking_risk;
use onesided_learn::labeling::{PropensityFound, learn_who_labels};
use onesided_learn::prior::PriorEstimate;
use onesided_learn::{Config, DependsOn, Observer, Views, Warning, WhoLabels};

/// Labels that favor few hide most positives, and at a share that is far too low nothing shows what they favor. So it is also begun at a share that
/// many times as high, which counts only if the labels that follow from it tell a share at which it explains them better.
const HIGHER: f64 = 3.0;

impl Learner {
    /// Learns how labels depend on the columns that were named, weighs labeled rows by it, and fits. The fit is that of random labels where
    /// nothing better can be told, and where labeled rows would score below the others.
    pub(crate) fn fit_depending(&self, data: &Dataset, observer: Observer) -> Result<Model, Error> {
        let no_use = |why| Err(Error::NoUse { setting: "labeling-depends-on", why });
        let scorer = self.build(data)?;
        let method = || scorer.info().method.into_owned();
        if scorer.info().needs_truth {
            return no_use("weighs labels, and the method learns from the truth");
        }
        if self.scenario_of(data) == Scenario::CaseControl {
            return no_use(
                "is for one sample in which some positives were labeled, and these rows were drawn separately",
            );
        }
        if data.weights().is_some() {
            return no_use("weighs labeled rows itself, and these rows have weights");
        }
        let named = self.config.labeling_depends_on.places(data)?;
        if let Err(why) = scorer.takes_weights() {
            return Err(Error::NoWeights { method: method(), why: why.into_owned() });
        }
        let mut plain = self.clone();
        plain.config.labeling_depends_on = DependsOn::default();
        let is_told = plain.task(data, false)?.priors.is_some();
        let at_random = match is_told {
            true => plain.clone(),
            false => plain.clone().prior_estimate(plain.share_for(data, &method(), observer)?),
        };
        let task = at_random.task(data, false)?;
        let mu = task.mu().ok_or_else(|| Error::NeedsPrior(method()))?;
        let unlabeled = task.counts.unlabeled as f64;
        let views = Views::new(data);
        let (mut share, mut weighted) = (mu, at_random.clone());
        let mut found = learn_who_labels(&task, &views, &named, share, observer)?;
        let higher = PriorInUnlabeled::new((HIGHER * mu.get()).min(0.5 * (1.0 + mu.get())))?;
        for start in if is_told { Vec::new() } else { vec![mu, higher] } {
            let begun = match start == mu {
                true => found.clone(),
                false => learn_who_labels(&task, &views, &named, start, observer)?,
            };
            // Labels drawn as often as they count are a random sample, by which the share can be told; and then who labels.
            let again = drawn_again(data, &task.labels, &begun, start, task.seed);
            let told = match plain.share_for(&again, &method(), observer) {
                Ok(told) => told,
                Err(stopped @ Error::Interrupted { .. }) => return Err(stopped),
                // Labels that are drawn again and tell no share say nothing against the first one.
                Err(_) => continue,
            };
            let next = learn_who_labels(&task, &views, &named, told.mu, observer)?;
            if next.dependence.gain > found.dependence.gain {
                (share, found, weighted) = (told.mu, next, at_random.clone().prior_estimate(told));
            }
        }
        found.dependence.share = [share.get(), mu.get()];
        if found.dependence.used {
            let rows = weighed(data, &task.labels, &found.weights(share.get(), unlabeled))?;
            let mut model = weighted.fit_of(&rows, None, observer)?;
            if !model.is_upside_down() {
                model.settle_who_labels(found, &self.config, data);
                return Ok(model);
            }
            found.dependence.used = false;
        }
        found.dependence.share = [mu.get(); 2];
        // The very fit that there is without the columns.
        let mut model = plain.fit_of(data, None, observer)?;
        model.settle_who_labels(found, &self.config, data);
        Ok(model)
    }

    /// The share of positives of labels that are a random sample.
    fn share_for(&self, data: &Dataset, method: &str, observer: Observer) -> Result<PriorEstimate, Error> {
        let no_estimate = |why: String| Error::NoEstimate { method: method.to_string(), why };
        let report = self.estimate_prior_with(data, observer).map_err(|why| match why {
            Error::Evidence(why) => no_estimate(why.to_string()),
            other => other,
        })?;
        PriorEstimate::from_report(&report).map_err(|why| no_estimate(why.to_string()))
    }
}

/// The rows with labeled ones as often as they count.
fn drawn_again(
    data: &Dataset,
    labels: &[Label],
    found: &PropensityFound,
    share: PriorInUnlabeled,
    seed: u64,
) -> Dataset {
    let (labeled, mut rows): (Vec<usize>, Vec<usize>) =
        (0..labels.len()).partition(|&row| labels[row] == Label::Positive);
    let unlabeled = rows.iter().filter(|&&row| labels[row] == Label::Unlabeled).count() as f64;
    let again = found.drawn_again(share.get(), unlabeled, seed);
    rows.extend(again.into_iter().map(|at| labeled[at]));
    rows.sort_unstable();
    data.select(&rows)
}

/// The rows with these weights of labeled ones, in their order.
fn weighed(data: &Dataset, labels: &[Label], of_labeled: &[f32]) -> Result<Dataset, Error> {
    let mut weights = vec![1.0; labels.len()];
    let labeled = (0..labels.len()).filter(|&row| labels[row] == Label::Positive);
    labeled.zip(of_labeled).for_each(|(row, &weight)| weights[row] = weight);
    Ok(data.clone().with_weights(weights)?)
}

impl Model {
    /// Whether labeled rows score below the others, each by what had not met it.
    fn is_upside_down(&self) -> bool {
        let Some(known) = &self.known else { return false };
        let of = |wanted: RowKind| -> Vec<f32> {
            let kept = known
                .kinds
                .iter()
                .zip(&known.scores)
                .filter(|(kind, score)| **kind == wanted && score.is_finite());
            kept.map(|(_, &score)| score).collect()
        };
        ranking_risk(&of(RowKind::Positive), &of(RowKind::Unlabeled)) > 0.5
    }

    /// With how labels depend on columns, and what was asked for.
    fn settle_who_labels(&mut self, found: PropensityFound, config: &Config, data: &Dataset) {
        self.set_given(given(config, data, false));
        let report = self.report_mut();
        // The share was told by labels that count as they should.
        report.warnings.retain(|warning| *warning != Warning::UnweightedShare);
        report.who_labels = Some(WhoLabels::DependOn(found.dependence));
    }
}
