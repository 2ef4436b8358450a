//! LDCE: loss decomposition and centroid estimation.
//!
//! H. Shi, S. Pan, J. Yang and C. Gong, "Positive and unlabeled learning via loss decomposition and centroid estimation",
//! IJCAI 2018; C. Gong et al., TPAMI 2021. With z = y f(x), the hinge loss is at most
//!
//! ```text
//! ([1 - z]₊ + [1 + z]₊) / 2 + (1 - z) / 2
//! ```
//!
//! (which is the double hinge max(-z, (1 - z)/2, 0)). The first part is the same for both labels; the second needs only
//! m = mean_U(y x), the labeled centroid of the unlabeled rows. With n rows in all, n_u of them unlabeled,
//!
//! ```text
//! min_{w, m}  1/n Σ_P [1 - f]₊ + 1/2n Σ_U ([1 - f]₊ + [1 + f]₊) - n_u/2n w·m + λ‖w‖²      m near its estimate m̂
//! ```
//!
//! For fixed m this is a support vector machine around the center n_u/(4nλ) m, solved exactly
//! ([`LinearSvm::fit_around`]); for fixed w the best m is at the edge of an ellipsoid. The two take turns. λ and the
//! ellipsoid's radius are chosen on held-out rows by the 0-1 risk; the paper's λ are 2⁻⁴ to 2⁴, texts want far smaller
//! ones.
//!
//! * [`Centroid::Exact`], the default: m̂ = 2μ mean_P x - mean_U x, which is mean_U(y x) in expectation if the labeled
//!   positives are a random subset. The ellipsoid is (m - m̂)' S⁻¹ (m - m̂) ≤ b with S the covariance of mean_U x.
//! * [`Centroid::Published`]: with h the hidden share of positives and p the class prior, the mean of -x over U is divided
//!   by 1 - 2ph. That is right if labels were flipped whatever their class; here only positives are hidden, and it is
//!   biased. The mean is the median of the means of ten groups (the one nearest to the others), the ellipsoid as
//!   printed, (m - m̂)' S (m - m̂) ≤ b with a ridge of 1e-4. Known from a secondary source, which has N² where the
//!   covariance of a mean has N³ in its second term; this is the covariance. S is of the order of 1/N, so that ellipsoid
//!   is wide: on USPS a radius above 0 makes every row negative, and 0 is chosen.
//!
//! The intercept is the weight of a column of ones, with m = 2μ - 1 there. Columns should lie in [-1, 1] or so.

mod centroid;

pub use centroid::Centroid;

use super::System;
use super::info::{AT_RANDOM, LINEAR_TIME, SystemInfo};
use crate::choice::{ENOUGH, choose};
use crate::{
    ClassicError, ClassicModel, Examples, LinearModel, LinearSvm, OptionInfo, OptionValues, Problem,
    ScoreForm, Takes,
};
use centroid::Region;
use onesided_data::{Counts, Stream};

const NAME: &str = "ldce";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ldce {
    /// The estimate of the centroid.
    pub centroid: Centroid,
    /// λ, the candidates.
    pub ridges: Vec<f64>,
    /// b, the candidates; 0 keeps m at its estimate.
    pub radii: Vec<f64>,
    /// Turns of w and m.
    pub turns: usize,
}

impl Default for Ldce {
    fn default() -> Self {
        let ridges = [-18, -16, -14, -12, -10, -8, -6, -4, -2].map(|k| 2f64.powi(k)).to_vec();
        Self { centroid: Centroid::Exact, ridges, radii: vec![0.0, 0.1, 0.9], turns: 3 }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "hinge loss whose unlabeled part needs nothing but the labeled mean of the unlabeled rows",
    citation: "Shi, Pan, Yang and Gong, IJCAI 2018",
    assumes: AT_RANDOM,
    scales: LINEAR_TIME,
    needs_prior: true,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: true,
    no_negatives: Some("its centroid is that of the unlabeled rows alone"),
    no_weights: Some("its centroid counts every row once"),
    reconstruction: Some(
        "known from a secondary source; the exact centroid replaces the published one, which is an option",
    ),
    options: &OPTIONS,
    build: |values| Ok(Box::new(Ldce::from_options(values))),
};

static OPTIONS: [OptionInfo; 4] = [
    OptionInfo::new("ridge", "λ, the weight of |w|²", Takes::Numbers, "2^-18 to 2^-2"),
    OptionInfo::new("radius", "b, how far the centroid may move", Takes::NumbersFromZero, "0,0.1,0.9"),
    OptionInfo::new(
        "centroid",
        "the exact centroid for labels at random, or the published one",
        Takes::Choice(&["exact", "published"]),
        "exact",
    ),
    OptionInfo::new("turns", "turns of weights and centroid", Takes::Count, "3"),
];

impl System for Ldce {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        problem.needed_prior(NAME)?;
        let pairs =
            self.ridges.iter().flat_map(|&ridge| self.radii.iter().map(move |&radius| (ridge, radius)));
        let candidates: Vec<(f64, f64)> = pairs.collect();
        for &(ridge, radius) in &candidates {
            if !(ridge > 0.0 && ridge.is_finite()) {
                return Err(ClassicError::Setting {
                    name: "LDCE's ridge",
                    range: "a number above 0",
                    value: ridge,
                });
            }
            if !(radius >= 0.0 && radius.is_finite()) {
                return Err(ClassicError::Setting {
                    name: "LDCE's radius",
                    range: "at least 0",
                    value: radius,
                });
            }
        }
        // λ is added to means, so it needs no change on fewer rows.
        let (ridge, radius) = choose(NAME, problem, &candidates, ENOUGH, |&(ridge, radius), problem, _| {
            self.fit_one(problem, ridge, radius)
        })?;
        Ok(self.fit_one(problem, ridge, radius)?.with("ridge", ridge).with("radius", radius))
    }
}

impl Ldce {
    fn from_options(values: &OptionValues) -> Self {
        let Self { centroid, ridges, radii, turns } = Self::default();
        Self {
            centroid: match values.choice("centroid") {
                Some("published") => Centroid::Published,
                _ => centroid,
            },
            ridges: values.numbers("ridge").unwrap_or(ridges),
            radii: values.numbers("radius").unwrap_or(radii),
            turns: values.count("turns").unwrap_or(turns),
        }
    }

    fn fit_one(&self, problem: &Problem, ridge: f64, radius: f64) -> Result<ClassicModel, ClassicError> {
        let Counts { positive, unlabeled, .. } = problem.counts();
        let n = (positive + unlabeled) as f64;
        let region = Region::new(self.centroid, problem)?;
        // Divided by 2λ, the regularizer is ½‖w‖².
        let unit = 1.0 / (2.0 * ridge);
        let up = problem.weights(unit / n, 0.5 * unit / n);
        let down = problem.weights(0.0, 0.5 * unit / n);
        let examples = Examples::new(problem.rows, &up, &down)?;
        let svm = LinearSvm::quick(problem.rows);
        let pull = unit * unlabeled as f64 / (2.0 * n);
        let mut m = region.estimate.clone();
        let mut stream = Stream::new(problem.seed, NAME);
        let mut turn = 1;
        loop {
            let weights = m.weights.iter().map(|m| pull * m).collect();
            let center = LinearModel { weights, bias: pull * m.bias };
            let model = svm.fit_around(examples, &center, &mut stream).model;
            if radius == 0.0 || turn >= self.turns {
                return Ok(ClassicModel::new(NAME, ScoreForm::Linear(model)));
            }
            m.weights = region.edge(&model.weights, radius);
            turn += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn it_comes_near_the_best_boundary() {
        let data = simulated(3000, 4, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        let model = Ldce::default().fit(&problem).unwrap();
        assert!(data.accuracy(&model) > 0.96, "{}: {:?}", data.accuracy(&model), model.chosen);
    }

    #[test]
    fn what_it_cannot_do_is_a_sentence() {
        let data = simulated(400, 2, 0.9);
        let published = Ldce { centroid: Centroid::Published, ..Ldce::default() };
        let error = |ldce: &Ldce, mu| {
            ldce.fit(&Simulated::problem(&data.rows, &data.labels, mu)).unwrap_err().to_string()
        };
        assert_eq!(
            error(&Ldce::default(), None),
            "ldce needs the share of positives among the unlabeled rows; give it a prior"
        );
        // Half of the positives hidden, p = 0.95: 1 - 0.95 = 0.05 would pass; nearly all hidden does not.
        let mut labels = vec![onesided_data::Label::Unlabeled; 400];
        labels[390..].fill(onesided_data::Label::Positive);
        let problem = Simulated::problem(&data.rows, &labels, Some(0.95));
        let message = published.fit(&problem).unwrap_err().to_string();
        assert!(
            message.starts_with("LDCE's published centroid divides by 1 - 2ph, which is -0.85"),
            "{message}"
        );
        assert!(
            error(&Ldce { ridges: vec![0.0], ..Ldce::default() }, Some(0.9)).contains("LDCE's ridge must be")
        );
    }

    #[test]
    fn options_are_its_settings() {
        let given = [("ridge", "0.5"), ("radius", "0,2"), ("centroid", "published"), ("turns", "9")];
        assert_eq!(
            Ldce::from_options(&OptionValues::of(&OPTIONS, &given)),
            Ldce { centroid: Centroid::Published, ridges: vec![0.5], radii: vec![0.0, 2.0], turns: 9 }
        );
        assert_eq!(Ldce::from_options(&OptionValues::stated_defaults(&OPTIONS)), Ldce::default());
        // As its option says.
        let ridges = Ldce::default().ridges;
        assert_eq!((ridges[0], ridges[ridges.len() - 1]), (2f64.powi(-18), 2f64.powi(-2)));
    }
}
