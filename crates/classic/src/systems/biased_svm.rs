//! Biased SVM.
//!
//! B. Liu, Y. Dai, X. Li, W. S. Lee and P. S. Yu, "Building text classifiers using positive and unlabeled examples",
//! ICDM 2003. Unlabeled rows count as negatives, but being wrong about one of them costs less:
//!
//! ```text
//! min_w  ½‖w‖² + C₊ Σ_P max(0, 1 - f(x)) + C₋ Σ_U max(0, 1 + f(x))
//! ```
//!
//! Both costs are chosen on held-out rows by r² / Pr\[f > 0\], or by the 0-1 risk where the prior is known. The paper tries
//! C₋ = 0.01, 0.03, …, 0.61 and C₊ = j C₋ with j = 10, 20, …, 200 (recalled, not read again); the defaults here cover the
//! same range, and j down to 1, in fewer steps. Small j matter: where a share c of the positives is labeled, a row is as
//! likely positive as not where Pr\[labeled\] = c / 2, and j = (2 - c) / c weighs the two errors so; 1.5 for c = 0.8.

use super::System;
use super::info::{AT_RANDOM, Growth, SystemInfo};
use super::space::{Space, behind, random_features, support_vectors};
use crate::choice::{ENOUGH, ENOUGH_FOR_KERNELS, choose};
use crate::{ClassicError, ClassicModel, Kernel, MOST_ROWS, OptionInfo, OptionValues, Problem, Takes};

const NAME: &str = "biased-svm";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct BiasedSvm {
    /// C₋, the candidates.
    pub costs: Vec<f64>,
    /// C₊ / C₋, the candidates.
    pub ratios: Vec<f64>,
    /// Where the boundary lies.
    pub space: Space,
}

impl Default for BiasedSvm {
    fn default() -> Self {
        let (costs, ratios) = (vec![0.01, 0.04, 0.16, 0.61], vec![1.0, 2.0, 4.0, 10.0, 30.0, 100.0]);
        Self { costs, ratios, space: Space::Linear }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "support vector machine that pays more for a missed positive than for an unlabeled row",
    citation: "Liu, Dai, Li, Lee and Yu, ICDM 2003",
    assumes: AT_RANDOM,
    scales: Growth {
        time: "linear",
        more: " in the stored values; with an RBF kernel quadratic, up to 50,000 rows",
    },
    needs_prior: false,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: true,
    no_negatives: None,
    no_weights: None,
    reconstruction: Some("the grid of costs is recalled; fewer steps of it are tried"),
    options: &OPTIONS,
    build: |values| Ok(Box::new(BiasedSvm::from_options(values))),
};

static OPTIONS: [OptionInfo; 5] = [
    OptionInfo::new(
        "cost",
        "the price of an unlabeled row called positive",
        Takes::Numbers,
        "0.01,0.04,0.16,0.61",
    ),
    OptionInfo::new("ratio", "how much more a missed positive costs", Takes::Numbers, "1,2,4,10,30,100"),
    OptionInfo::new(
        "kernel",
        "the boundary: a plane, or that of an RBF kernel",
        Takes::Choice(&["linear", "rbf", "random-features"]),
        "linear",
    ),
    OptionInfo::new(
        "gamma",
        "γ of the RBF kernel exp(-γ|x - y|²), where there is one",
        Takes::Number,
        "1, of random features 1 / (columns · variance)",
    ),
    OptionInfo::new("features", "how many random features", Takes::Count, "500"),
];

impl BiasedSvm {
    fn from_options(values: &OptionValues) -> Self {
        let Self { costs, ratios, space } = Self::default();
        let (gamma, features) = (values.number("gamma"), values.count("features").unwrap_or(500));
        Self {
            costs: values.numbers("cost").unwrap_or(costs),
            ratios: values.numbers("ratio").unwrap_or(ratios),
            space: match values.choice("kernel") {
                Some("rbf") => Space::Kernel(Kernel::Rbf { gamma: gamma.unwrap_or(1.0) }),
                Some("random-features") => Space::RandomFeatures { gamma, features },
                _ => space,
            },
        }
    }
}

impl System for BiasedSvm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        match self.space {
            Space::Linear => self.fit_with(problem, None),
            Space::Kernel(kernel) => {
                let (rows, remedy) = (problem.rows.rows(), Some("kernel=random-features"));
                if rows > MOST_ROWS {
                    return Err(ClassicError::TooManyRows { method: NAME, rows, limit: MOST_ROWS, remedy });
                }
                self.fit_with(problem, Some(kernel))
            }
            Space::RandomFeatures { gamma, features } => {
                let (map, rows) = random_features(problem, gamma, features)?;
                let model = self.fit_with(&Problem { rows: &rows, ..*problem }, None)?;
                Ok(ClassicModel { scorer: behind(map, model.scorer), ..model })
            }
        }
    }
}

impl BiasedSvm {
    fn fit_with(&self, problem: &Problem, kernel: Option<Kernel>) -> Result<ClassicModel, ClassicError> {
        let pairs = self.costs.iter().flat_map(|&cost| self.ratios.iter().map(move |&ratio| (cost, ratio)));
        let candidates: Vec<(f64, f64)> = pairs.collect();
        let fit = |&(cost, ratio): &(f64, f64), problem: &Problem, times: f64| {
            // What one example may do to a kernel machine stays near it, however many there are elsewhere.
            let times = if kernel.is_some() { 1.0 } else { times };
            let positive = problem.weights(times * cost * ratio, 0.0);
            let negative = problem.weights(0.0, times * cost);
            let scorer = support_vectors(problem.rows, kernel, (&positive, &negative), problem.seed)?;
            Ok(ClassicModel::new(NAME, scorer))
        };
        let enough = if kernel.is_some() { ENOUGH_FOR_KERNELS } else { ENOUGH };
        let (cost, ratio) = choose(NAME, problem, &candidates, enough, fit)?;
        Ok(fit(&(cost, ratio), problem, 1.0)?.with("cost", cost).with("ratio", ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};
    use onesided_data::{Label, Matrix};

    #[test]
    fn in_every_space_it_comes_near_the_best_boundary() {
        // Four columns: the Bayes error is Φ(-2) = 2.3 % for equal classes.
        let data = simulated(1500, 4, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        let rbf = Space::Kernel(Kernel::Rbf { gamma: 0.1 });
        let random = Space::RandomFeatures { gamma: Some(0.1), features: 200 };
        for space in [Space::Linear, rbf, random] {
            let model = BiasedSvm { space, ..BiasedSvm::default() }.fit(&problem).unwrap();
            assert!(data.accuracy(&model) > 0.95, "{} in {space:?}", data.accuracy(&model));
            assert!(model.check().is_ok());
        }
        // Without the prior, by the score of Lee and Liu.
        let model = BiasedSvm::default().fit(&Simulated::problem(&data.rows, &data.labels, None)).unwrap();
        assert!(data.accuracy(&model) > 0.93, "{}", data.accuracy(&model));
    }

    #[test]
    fn options_are_its_settings() {
        let space =
            |given: &[(&str, &str)]| BiasedSvm::from_options(&OptionValues::of(&OPTIONS, given)).space;
        assert_eq!(space(&[("kernel", "rbf")]), Space::Kernel(Kernel::Rbf { gamma: 1.0 }));
        assert_eq!(space(&[("kernel", "rbf"), ("gamma", "0.5")]), Space::Kernel(Kernel::Rbf { gamma: 0.5 }));
        assert_eq!(
            space(&[("kernel", "random-features")]),
            Space::RandomFeatures { gamma: None, features: 500 }
        );
        assert_eq!(
            space(&[("kernel", "random-features"), ("gamma", "2"), ("features", "9")]),
            Space::RandomFeatures { gamma: Some(2.0), features: 9 }
        );
        let given = OptionValues::of(&OPTIONS, &[("cost", "2"), ("ratio", "3,4")]);
        let BiasedSvm { costs, ratios, .. } = BiasedSvm::from_options(&given);
        assert_eq!((costs, ratios), (vec![2.0], vec![3.0, 4.0]));
        assert_eq!(BiasedSvm::from_options(&OptionValues::stated_defaults(&OPTIONS)), BiasedSvm::default());
    }

    #[test]
    fn too_many_rows_are_refused_before_a_setting_is_tried() {
        let n = MOST_ROWS + 1;
        let rows = Matrix::new(n, 1, vec![1.0; n]).unwrap();
        let labels: Vec<Label> =
            (0..n).map(|i| if i < 9 { Label::Positive } else { Label::Unlabeled }).collect();
        let rbf = BiasedSvm { space: Space::Kernel(Kernel::Rbf { gamma: 1.0 }), ..BiasedSvm::default() };
        let error = rbf.fit(&Simulated::problem(&rows, &labels, None)).unwrap_err();
        assert!(
            error.to_string().starts_with("biased-svm with a kernel takes at most 50000 rows"),
            "{error}"
        );
        let hint = error.hint().unwrap();
        assert_eq!((hint.setting, hint.value.as_deref()), ("option", Some("kernel=random-features")));
    }
}
