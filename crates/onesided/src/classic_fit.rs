//! `fit` for the classic systems: hold rows out, learn, calibrate, measure, as for networks.
//!
//! The systems choose their own settings on a part of the rows they are given. What is held out here is kept from that
//! too, and serves to calibrate and to measure: a fifth of P and of U, or each fifth in turn where that would be few, after
//! which the system learns once more from all rows. The models of the turns may have chosen different costs, and the size
//! of their scores goes with these; so each model's scores are first brought to mean 0 and standard deviation 1 on the
//! rows it learned from, and the calibration is fitted to that.
//!
//! **Probabilities.** Where the theory of a system gives P(y = 1 | x) (its [`Link`]), that is the answer; it holds for the
//! population. Elsewhere the scores are calibrated as those of a network are, on the held-out rows and at the prior
//! ([`Calibration::fit`]).
//!
//! **The prior.** A system is told μ where the user gave it, or where it cannot learn without. An estimate that serves the
//! calibration alone is kept from it: without a prior the systems choose their settings as their papers do. Elkan and
//! Noto's label frequency c is itself an estimate, μ = n_p (1 - c) / (c n_u), and is used where no other is there.

use crate::about::{About, Candidate, Report};
use crate::criterion::held_out_risk;
use crate::model::Body;
use crate::rows::Rows;
use crate::training::{splits, warnings};
use crate::{Encoding, Error, Learner, Model};
use onesided_classic::{
    ClassicError, ClassicModel, Link, ScoreForm, Selected, System, SystemInfo, Task, check_counts,
};
use onesided_data::{ClassPrior, Counts, DataError, Label, PriorInUnlabeled, logit_shift};
use onesided_eval::{Calibration, ThresholdRule};
use std::collections::BTreeMap;

/// A probability of more than this is no longer told apart from 1; scores go on rising with f, so that rows keep their
/// order.
const CERTAIN: f64 = 1.0 - 1e-4;

/// A share of probabilities above 1 that is worth a word.
const CLIPPED: f64 = 0.01;

/// Rows, labels and settings that belong together.
pub(crate) struct ClassicTask<'a> {
    pub learner: &'a Learner,
    pub entry: &'static SystemInfo,
    pub rows: Rows<'a>,
    pub labels: &'a [Label],
    pub encoding: Encoding,
    pub counts: Counts,
    pub priors: Option<(ClassPrior, PriorInUnlabeled)>,
}

impl ClassicTask<'_> {
    pub fn run(self) -> Result<Model, Error> {
        let system = self.check()?;
        let splits = splits(self.learner, self.labels)?;
        let in_turn = splits.len() > 1;
        let mut fitted = None;
        let mut held_out = (Vec::new(), Vec::new());
        for (kept, held) in &splits {
            let model = self.learn(system.as_ref(), kept, true)?;
            let scale = if in_turn { self.scale(&model, kept)? } else { Scale::ONE };
            let scores = raw_scores(&model, &Selected::new(self.rows.as_classic(), held.as_slice()))?;
            for (&row, score) in held.iter().zip(scores) {
                let score = scale.apply(score);
                match self.labels[row] {
                    Label::Positive => held_out.0.push(score),
                    Label::Unlabeled => held_out.1.push(score),
                }
            }
            fitted = Some(model);
        }
        let (model, scale) = match fitted {
            Some(only) if !in_turn => (only, Scale::ONE),
            _ => {
                let all: Vec<usize> = (0..self.labels.len()).collect();
                let model = self.learn(system.as_ref(), &all, false)?;
                let scale = self.scale(&model, &all)?;
                (model, scale)
            }
        };
        self.model(model, scale, held_out, splits.len())
    }

    /// Of a model's scores on the rows it learned from; a theory's logits stay as they are.
    fn scale(&self, model: &ClassicModel, of: &[usize]) -> Result<Scale, Error> {
        match model.link {
            Some(_) => Ok(Scale::ONE),
            None => Ok(Scale::of(&raw_scores(model, &Selected::new(self.rows.as_classic(), of))?)),
        }
    }

    /// Everything that can be refused before anything is learned.
    pub fn check(&self) -> Result<Box<dyn System>, Error> {
        let (rows, width) = (self.rows, self.encoding.width());
        if self.labels.len() != rows.rows() {
            let (expected, found) = (rows.rows(), self.labels.len());
            return Err(DataError::Length { what: "labels", expected, found }.into());
        }
        if rows.cols() != width {
            return Err(DataError::Width { expected: width, found: rows.cols() }.into());
        }
        let names = self.encoding.names();
        rows.check_finite(|col| names[col].clone())?;
        if self.entry.needs_counts
            && let Err(ClassicError::NegativeCount { row, column, value }) = check_counts(rows.as_classic())
        {
            let (method, column) = (self.entry.name.to_string(), names[column].clone());
            return Err(Error::NegativeCount { method, column, row: row + 1, value });
        }
        if self.learner.threshold != ThresholdRule::Half && self.priors.is_none() {
            return Err(Error::ThresholdNeedsPrior);
        }
        Ok(self.entry.with_options(&self.learner.system_options)?)
    }

    fn learn(&self, system: &dyn System, of: &[usize], held_out: bool) -> Result<ClassicModel, Error> {
        let labels: Vec<Label> = of.iter().map(|&row| self.labels[row]).collect();
        let known = self.entry.needs_prior || self.learner.estimate.is_none();
        let task = Task {
            rows: &Selected::new(self.rows.as_classic(), of),
            labels: &labels,
            prior: self.priors.map(|(_, mu)| mu).filter(|_| known),
            scenario: self.learner.scenario,
            seed: self.learner.wishes.seed,
            threads: self.learner.wishes.threads,
        };
        system.fit(&task).map_err(|source| self.refused(source, held_out))
    }

    /// What the system says, and what it cannot know.
    fn refused(&self, source: ClassicError, held_out: bool) -> Error {
        let Counts { positive, unlabeled } = self.counts;
        let rest = match &source {
            ClassicError::TooFewSpies { .. } | ClassicError::TooFew { .. } if held_out => {
                format!(" (a fifth of the {positive} positives is held out to measure the model)")
            }
            ClassicError::NoReliableNegatives { .. } => {
                format!(" (the rest of {unlabeled} unlabeled rows is held out)")
            }
            _ => String::new(),
        };
        let hint = source.hint().map_or(String::new(), |hint| {
            format!("; {} with --{} {}", hint.act, hint.setting, hint.value.unwrap_or_default())
        }) + &rest;
        Error::Classic { source, hint }
    }

    /// Calibrates on the held-out rows, whose scores are on a scale of their own, and measures there.
    fn model(
        &self,
        model: ClassicModel,
        scale: Scale,
        (positive, unlabeled): (Vec<f32>, Vec<f32>),
        folds: usize,
    ) -> Result<Model, Error> {
        let priors = self.priors.or_else(|| self.by_label_frequency(&model));
        let mu = priors.map(|(_, mu)| mu);
        let shift = priors.map_or(0.0, |(class, mu)| logit_shift(mu, class));
        let calibration = match (model.link, mu) {
            // The logit holds for the population already: what the shift will add is taken off.
            (Some(_), _) => Calibration { slope: 1.0, offset: -shift },
            (None, Some(mu)) => Calibration::fit(&positive, &unlabeled, mu)?,
            (None, None) => return Err(Error::NeedsPrior(self.entry.name.to_string())),
        };
        let risk = held_out_risk(&positive, &unlabeled, mu);
        let mut said = warnings(self.learner, positive.len(), risk);
        let certain = (CERTAIN / (1.0 - CERTAIN)).ln() as f32;
        let clipped = unlabeled.iter().filter(|&&logit| logit >= certain).count();
        if matches!(model.link, Some(Link::LabelFrequency { .. } | Link::Odds { .. }))
            && clipped as f64 > CLIPPED * unlabeled.len() as f64
        {
            said.push(format!(
                "the formula gives {clipped} of {} held-out unlabeled rows a probability above 1, taken as 1: the label \
                 frequency it rests on is too low, or the labels were not given at random",
                unlabeled.len()
            ));
        }
        let about = About {
            onesided: env!("CARGO_PKG_VERSION").to_string(),
            method: self.entry.name.to_string(),
            objective: described(&model),
            architecture: kind(&model).to_string(),
            network: None,
            options: self.learner.system_options.clone(),
            features: self.encoding.clone(),
            scenario: self.learner.scenario,
            counts: self.counts,
            class_prior: priors.map(|(class, _)| class),
            prior_in_unlabeled: mu,
            prior_estimate: self.learner.estimate.clone().filter(|_| self.priors.is_some()),
            calibration: scale.before(calibration),
            shift,
            threshold_rule: self.learner.threshold,
            threshold: 0.5,
            report: Report {
                config: None,
                seed: Some(self.learner.wishes.seed),
                device: "cpu".to_string(),
                resumed_from: None,
                folds,
                held_out: Counts { positive: positive.len(), unlabeled: unlabeled.len() },
                criterion: match mu {
                    Some(_) => "calibrated log loss of held-out positives",
                    None => "1 - AUC of held-out positives against unlabeled rows",
                }
                .to_string(),
                candidates: vec![Candidate {
                    name: self.entry.name.to_string(),
                    risk: risk.is_finite().then_some(risk),
                    epochs: 0,
                    best_epoch: 0,
                    chosen: true,
                }],
                noise: None,
                history: Vec::new(),
                metrics: BTreeMap::new(),
                warnings: said,
            },
        };
        let mut model = Model::new(about, Body::Classic(model));
        let back =
            |scores: Vec<f32>| -> Vec<f32> { scores.into_iter().map(|score| scale.undo(score)).collect() };
        model.settle(&back(positive), &back(unlabeled), false)?;
        Ok(model)
    }

    /// The priors that follow from a label frequency c that the system estimated.
    fn by_label_frequency(&self, model: &ClassicModel) -> Option<(ClassPrior, PriorInUnlabeled)> {
        let c = model.label_frequency?;
        let Counts { positive, unlabeled } = self.counts;
        let mu = PriorInUnlabeled::new(positive as f64 * (1.0 - c) / (c * unlabeled as f64)).ok()?;
        Some((mu.to_class_prior(self.learner.scenario, self.counts), mu))
    }
}

/// Mean and standard deviation of some scores.
#[derive(Clone, Copy)]
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    const ONE: Scale = Scale { mean: 0.0, deviation: 1.0 };

    fn of(scores: &[f32]) -> Self {
        let n = scores.len().max(1) as f64;
        let mean = scores.iter().map(|&f| f64::from(f)).sum::<f64>() / n;
        let variance = scores.iter().map(|&f| (f64::from(f) - mean).powi(2)).sum::<f64>() / n;
        // Scores that are all the same have no scale.
        let deviation = variance.sqrt();
        if deviation > 0.0 && deviation.is_finite() { Self { mean, deviation } } else { Self::ONE }
    }

    fn apply(self, score: f32) -> f32 {
        ((f64::from(score) - self.mean) / self.deviation) as f32
    }

    fn undo(self, score: f32) -> f32 {
        (f64::from(score) * self.deviation + self.mean) as f32
    }

    /// A calibration of scaled scores as one of the scores themselves.
    fn before(self, Calibration { slope, offset }: Calibration) -> Calibration {
        let slope = slope / self.deviation;
        Calibration { slope, offset: offset - slope * self.mean }
    }
}

/// f of each row, or the logit of its probability where the theory gives one.
pub(crate) fn raw_scores(model: &ClassicModel, rows: &dyn onesided_classic::Rows) -> Result<Vec<f32>, Error> {
    let scores = model.scores(rows).map_err(|source| Error::Classic { source, hint: String::new() })?;
    Ok(scores.into_iter().map(|f| model.link.map_or(f, |link| logit(link, f)) as f32).collect())
}

/// The logit of a link's probability. Beyond [`CERTAIN`] it rises as f does.
fn logit(link: Link, f: f64) -> f64 {
    // Where the probability is CERTAIN.
    let end = match link {
        Link::Sigmoid => return f,
        Link::LabelFrequency { c } => (c * CERTAIN / (1.0 - c * CERTAIN)).ln(),
        Link::Odds { factor } => (CERTAIN / factor).ln(),
    };
    let q = link.probability(f.min(end));
    (q / (1.0 - q)).ln() + (f - end).max(0.0)
}

/// `ldce (ridge 0.0625, radius 0)`.
fn described(model: &ClassicModel) -> String {
    let chosen: Vec<String> =
        model.chosen.iter().map(|(name, value)| format!("{name} {}", short(*value))).collect();
    match chosen.is_empty() {
        true => model.system.clone(),
        false => format!("{} ({})", model.system, chosen.join(", ")),
    }
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

fn kind(model: &ClassicModel) -> &'static str {
    if model.linear().is_some() {
        "linear"
    } else if matches!(model.scorer, ScoreForm::Kernel(_)) {
        "kernel"
    } else if matches!(model.scorer, ScoreForm::RandomFeatures { .. }) {
        "random features"
    } else {
        "network of its own"
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

    #[test]
    fn a_calibration_of_scaled_scores_is_one_of_scores() {
        let scale = Scale::of(&[1.0, 3.0, 5.0, 7.0]);
        assert_eq!((scale.mean, scale.deviation), (4.0, 5f64.sqrt()));
        let calibration = Calibration { slope: 2.0, offset: 0.5 };
        let moved = scale.before(calibration);
        assert!((moved.apply(7.0) - calibration.apply(scale.apply(7.0))).abs() < 1e-6);
        assert!((scale.undo(scale.apply(7.0)) - 7.0).abs() < 1e-6);
        assert_eq!(Scale::of(&[2.0, 2.0]).deviation, 1.0);
    }

    #[test]
    fn logits_of_links_by_hand_and_rising_without_end() {
        // σ(0) / 0.8 = 0.625, odds 5/3; 0.25 · e^(ln 2) = 1/2.
        assert!((logit(Link::LabelFrequency { c: 0.8 }, 0.0) - (5f64 / 3.0).ln()).abs() < 1e-12);
        assert!(logit(Link::Odds { factor: 0.25 }, 2f64.ln()).abs() < 1e-12);
        assert_eq!(logit(Link::Sigmoid, 3.5), 3.5);
        for link in
            [Link::LabelFrequency { c: 0.3 }, Link::LabelFrequency { c: 1.0 }, Link::Odds { factor: 0.5 }]
        {
            let all: Vec<f64> = (-80..80).map(|f| logit(link, f64::from(f) / 2.0)).collect();
            assert!(all.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite()), "{link:?}: {all:?}");
        }
    }
}
