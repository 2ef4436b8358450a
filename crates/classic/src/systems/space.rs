//! Where a support vector machine draws its boundary.

use crate::{
    ClassicError, Examples, Kernel, KernelSvm, LinearSvm, Problem, RandomFeatures, Rows, ScoreForm,
    scale_gamma,
};
use onesided_data::{Matrix, Stream};

/// The space of the boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Space {
    /// The columns as they are: a plane.
    #[default]
    Linear,
    /// The space of a kernel, for up to [`MOST_ROWS`](crate::MOST_ROWS) rows.
    Kernel(Kernel),
    /// Random features of an RBF kernel, for any number of rows.
    RandomFeatures {
        /// γ of exp(-γ ‖x - y‖²); [`scale_gamma`] where it is not given.
        gamma: Option<f64>,
        /// How many.
        features: usize,
    },
}

/// Random features of all rows of a problem, drawn from its seed.
pub(super) fn random_features(
    problem: &Problem,
    gamma: Option<f64>,
    features: usize,
) -> Result<(RandomFeatures, Matrix), ClassicError> {
    let gamma = gamma.unwrap_or_else(|| scale_gamma(problem.rows));
    let mut stream = Stream::new(problem.seed, "random-features");
    let map = RandomFeatures::new(problem.rows.cols(), gamma, features, &mut stream)?;
    let rows = map.transform(problem.rows)?;
    Ok((map, rows))
}

/// A support vector machine on weighted examples, linear or with a kernel.
pub(super) fn support_vectors(
    rows: &dyn Rows,
    kernel: Option<Kernel>,
    weights: (&[f64], &[f64]),
    seed: u64,
) -> Result<ScoreForm, ClassicError> {
    let examples = Examples::new(rows, weights.0, weights.1)?;
    Ok(match kernel {
        Some(kernel) => ScoreForm::Kernel(KernelSvm::new(kernel).fit(examples)?.model),
        None => {
            let fitted = LinearSvm::quick(rows).fit(examples, &mut Stream::new(seed, "svm"));
            ScoreForm::Linear(fitted.model)
        }
    })
}

/// Puts the map in front of a model that was trained behind it.
pub(super) fn behind(map: RandomFeatures, scorer: ScoreForm) -> ScoreForm {
    match scorer {
        ScoreForm::Linear(model) => ScoreForm::RandomFeatures { map, model },
        other => other,
    }
}
