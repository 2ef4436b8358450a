//! The probability that a row is positive, for rows of the population and for rows that are known to be unlabeled.
//!
//! A model's score is a logit at the population's prior π: it answers "is this row positive?" of a row of which nothing else is
//! known. In one sample some positives were taken out and labeled, so a row that is known to be unlabeled is less often
//! positive. With c the share of the positives that is labeled, and labels given at random among them,
//!
//! ```text
//! P(positive | x, unlabeled) = p (1 - c) / (1 - c p),  a logit lower by -ln(1 - c)
//! ```
//!
//! (C. Elkan and K. Noto, KDD 2008). That is the way back from π to μ, the share of positives in the unlabeled rows, so the
//! logit is `score - shift` ([`About::shift`](crate::About)), for which the scores were calibrated. Where positives and unlabeled rows
//! were drawn separately (case-control), an unlabeled row is one of the population, and the two are equal.

use crate::{About, AtPrior, Model};
use onesided_data::Scenario;
use onesided_eval::probability;

/// Which rows a probability is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Among {
    /// Rows of the population: whether they would be labeled is not known.
    Population,
    /// Rows of which it is known that they are not labeled.
    Unlabeled,
}

impl About {
    /// What lies between a logit at the population's prior and one among these rows, at the model's own prior or another.
    pub(crate) fn back(&self, among: Among, shift: f64) -> f64 {
        let one_sample = self.scenario == Scenario::SingleSample && self.prior_in_unlabeled.is_some();
        if among == Among::Unlabeled && one_sample { shift } else { 0.0 }
    }
}

impl Model {
    /// Whether unlabeled rows have other probabilities than rows of the population.
    pub fn tells_unlabeled_apart(&self) -> bool {
        self.about().back(Among::Unlabeled, self.about().shift) != 0.0
    }

    /// Whether the probabilities are those of being labeled and not of being positive, for want of a share of positives.
    pub fn is_of_labels(&self) -> bool {
        self.about().class_prior.is_none() && !self.about().is_supervised()
    }

    /// The probability that a row with this score is positive, among such rows.
    pub fn probability_among(&self, score: f32, among: Among) -> f32 {
        probability(f64::from(score) - self.about().back(among, self.about().shift)) as f32
    }

    /// The probability from which on a row is predicted positive, as it reads among such rows: the decision is the same.
    pub fn threshold_among(&self, among: Among) -> f64 {
        let (threshold, back) = (self.about().threshold, self.about().back(among, self.about().shift));
        match threshold {
            // Nothing reaches a threshold above 1, and it stays.
            threshold if threshold > 0.0 && threshold < 1.0 && back != 0.0 => {
                probability((threshold / (1.0 - threshold)).ln() - back)
            }
            threshold => threshold,
        }
    }

    /// Between which probabilities that of a row with this score lies over the interval of an estimated prior; `None` where
    /// the prior was given or none is used.
    pub fn probability_range(&self, score: f32, among: Among) -> Option<(f32, f32)> {
        let about = self.about();
        let ends = about.at_prior_ends.as_ref()?;
        let calibration = about.calibration;
        let raw = ((f64::from(score) - about.shift - calibration.offset) / calibration.slope) as f32;
        let at = |end: &AtPrior| {
            let logit = end.calibration.apply(raw) + end.shift - about.back(among, end.shift);
            probability(logit) as f32
        };
        let all = [at(&ends[0]), at(&ends[1]), self.probability_among(score, among)];
        Some((all.iter().copied().fold(1.0, f32::min), all.iter().copied().fold(0.0, f32::max)))
    }
}
