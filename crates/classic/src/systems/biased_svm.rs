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
use super::space::{Space, behind, random_features, support_vectors};
use crate::choice::{ENOUGH, ENOUGH_FOR_KERNELS, choose};
use crate::{ClassicError, ClassicModel, Kernel, Task};

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

impl System for BiasedSvm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fit(&self, task: &Task) -> Result<ClassicModel, ClassicError> {
        task.check()?;
        match self.space {
            Space::Linear => self.fit_with(task, None),
            Space::Kernel(kernel) => self.fit_with(task, Some(kernel)),
            Space::RandomFeatures { gamma, features } => {
                let (map, rows) = random_features(task, gamma, features)?;
                let model = self.fit_with(&Task { rows: &rows, ..*task }, None)?;
                Ok(ClassicModel { scorer: behind(map, model.scorer), ..model })
            }
        }
    }
}

impl BiasedSvm {
    fn fit_with(&self, task: &Task, kernel: Option<Kernel>) -> Result<ClassicModel, ClassicError> {
        let pairs = self.costs.iter().flat_map(|&cost| self.ratios.iter().map(move |&ratio| (cost, ratio)));
        let candidates: Vec<(f64, f64)> = pairs.collect();
        let fit = |&(cost, ratio): &(f64, f64), task: &Task, times: f64| {
            // What one example may do to a kernel machine stays near it, however many there are elsewhere.
            let times = if kernel.is_some() { 1.0 } else { times };
            let positive = task.weights(times * cost * ratio, 0.0);
            let negative = task.weights(0.0, times * cost);
            let scorer = support_vectors(task.rows, kernel, (&positive, &negative), task.seed)?;
            Ok(ClassicModel::new(NAME, scorer))
        };
        let enough = if kernel.is_some() { ENOUGH_FOR_KERNELS } else { ENOUGH };
        let (cost, ratio) = choose(NAME, task, &candidates, enough, fit)?;
        Ok(fit(&(cost, ratio), task, 1.0)?.with("cost", cost).with("ratio", ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn in_every_space_it_comes_near_the_best_boundary() {
        // Four columns: the Bayes error is Φ(-2) = 2.3 % for equal classes.
        let data = simulated(1500, 4, 0.3);
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        let rbf = Space::Kernel(Kernel::Rbf { gamma: 0.1 });
        let random = Space::RandomFeatures { gamma: Some(0.1), features: 200 };
        for space in [Space::Linear, rbf, random] {
            let model = BiasedSvm { space, ..BiasedSvm::default() }.fit(&task).unwrap();
            assert!(data.accuracy(&model) > 0.95, "{} in {space:?}", data.accuracy(&model));
            assert!(model.check().is_ok());
        }
        // Without the prior, by the score of Lee and Liu.
        let model = BiasedSvm::default().fit(&Simulated::task(&data.rows, &data.labels, None)).unwrap();
        assert!(data.accuracy(&model) > 0.93, "{}", data.accuracy(&model));
    }
}
