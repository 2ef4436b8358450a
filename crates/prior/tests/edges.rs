//! Every estimator on every kind of unpleasant data: an answer in [0, 1] or one sentence, never a crash.

use onesided_data::{Matrix, Stream};
use onesided_prior::{Estimate, Estimator, Evidence, EvidenceError, estimators};

/// Rows and scores of P and U.
struct Case {
    p: Matrix,
    u: Matrix,
    scores_p: Vec<f64>,
    scores_u: Vec<f64>,
}

impl Case {
    /// Two Gaussians with means ±`distance`/2 in the first column; scores are that column.
    fn gaussians(n_p: usize, n_u: usize, mu: f64, distance: f64, columns: usize) -> Self {
        let mut stream = Stream::new(11, "edges");
        let mut draw = |n: usize, positives: usize| -> Vec<f32> {
            (0..n * columns)
                .map(|at| {
                    let shift = if at / columns < positives { distance / 2.0 } else { -distance / 2.0 };
                    (stream.normal() + if at % columns == 0 { shift } else { 0.0 }) as f32
                })
                .collect()
        };
        let (p, u) = (draw(n_p, n_p), draw(n_u, (mu * n_u as f64).round() as usize));
        Self::of(columns, p, u)
    }

    fn of(columns: usize, p: Vec<f32>, u: Vec<f32>) -> Self {
        let scores = |rows: &[f32]| rows.iter().step_by(columns).map(|&x| f64::from(x)).collect();
        let (scores_p, scores_u) = (scores(&p), scores(&u));
        let matrix = |rows: Vec<f32>| Matrix::new(rows.len() / columns, columns, rows).unwrap();
        Self { p: matrix(p), u: matrix(u), scores_p, scores_u }
    }

    fn ask(&self, estimator: &dyn Estimator) -> Result<Estimate, EvidenceError> {
        let evidence = Evidence::of_scores(&self.scores_p, &self.scores_u).with_rows(&self.p, &self.u);
        estimator.estimate(&Evidence { resamples: 20, ..evidence })
    }

    /// The answers of all estimators, each sound in itself and the same when asked again.
    fn answers(&self) -> Vec<Estimate> {
        let answers: Vec<Estimate> = estimators()
            .iter()
            .map(|&one| self.ask(one).unwrap_or_else(|e| panic!("{}: {e}", one.info().name)))
            .collect();
        for answer in &answers {
            let (low, high) = answer.interval;
            assert!(0.0 <= low && low <= answer.mu && answer.mu <= high && high <= 1.0, "{answer:?}");
            let curve = &answer.curve;
            let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
            assert!(curve.points.iter().all(finite) && finite(&curve.chosen), "{answer:?}");
            assert!(!curve.points.is_empty() && curve.points.len() <= 500, "{answer:?}");
        }
        answers
    }
}

#[test]
fn rare_positives() {
    for mu in [0.01, 0.001] {
        for answer in Case::gaussians(100, 400, mu, 4.0, 3).answers() {
            // Upward errors are allowed for, since every estimator bounds from above; nobody answers "many".
            assert!(answer.mu < 0.3, "{mu}: {} answers {}", answer.estimator, answer.mu);
        }
    }
}

#[test]
fn few_positives_are_refused_and_ten_are_not() {
    for one in estimators() {
        let error = Case::gaussians(9, 50, 0.3, 3.0, 2).ask(*one).unwrap_err();
        assert_eq!(
            error.to_string(),
            "9 positive rows are too few to estimate the prior; at least 10 are needed"
        );
        let error = Case::gaussians(50, 9, 0.3, 3.0, 2).ask(*one).unwrap_err();
        assert_eq!(
            error.to_string(),
            "9 unlabeled rows are too few to estimate the prior; at least 10 are needed"
        );
    }
    Case::gaussians(10, 50, 0.3, 3.0, 2).answers();
    Case::gaussians(10, 10, 0.5, 3.0, 2).answers();
}

#[test]
fn constant_scores_bound_nothing() {
    let case = Case::of(2, [0.5, 1.0].repeat(40), [0.5, 1.0].repeat(100));
    for answer in case.answers() {
        assert!(answer.mu > 0.9, "{} answers {}", answer.estimator, answer.mu);
        assert!(answer.interval.0 == 0.0 && answer.interval.1 > 0.98, "{answer:?}");
        assert!(
            answer.warnings.iter().any(|w| w.to_string().contains("do not tell positives from unlabeled")),
            "{answer:?}"
        );
    }
}

#[test]
fn two_samples_of_one_distribution_may_all_be_positive() {
    for answer in Case::gaussians(300, 600, 1.0, 2.0, 3).answers() {
        // The top of a ranking by chance looks a little purer than it is.
        assert!(answer.mu > 0.65, "{} answers {}", answer.estimator, answer.mu);
        assert!(answer.interval.1 - answer.interval.0 > 0.5, "{answer:?}");
    }
}

#[test]
fn disjoint_samples_hide_nothing() {
    for answer in Case::gaussians(100, 300, 0.0, 40.0, 3).answers() {
        assert!(answer.mu < 0.06, "{} answers {}", answer.estimator, answer.mu);
    }
}

#[test]
fn scores_that_rank_backwards_bound_nothing() {
    let mut case = Case::gaussians(100, 300, 0.2, 4.0, 3);
    case.scores_p.iter_mut().chain(&mut case.scores_u).for_each(|score| *score = -*score);
    for answer in case.answers() {
        assert!(answer.interval.0 == 0.0 && !answer.warnings.is_empty(), "{answer:?}");
    }
}

#[test]
fn duplicated_rows() {
    let single = Case::gaussians(60, 150, 0.3, 4.0, 3);
    let again = |rows: &Matrix| rows.as_slice().repeat(3);
    Case::of(3, again(&single.p), again(&single.u)).answers();
    // Two distinct rows only: P at one of them, U mostly at the other.
    let u = [[1.0, 1.0].repeat(25), [0.0, 0.0].repeat(75)].concat();
    for answer in Case::of(2, [1.0, 1.0].repeat(50), u).answers() {
        assert!((answer.mu - 0.25).abs() < 0.12, "{} answers {}", answer.estimator, answer.mu);
    }
}

#[test]
fn one_feature_and_a_constant_one() {
    for answer in Case::gaussians(150, 400, 0.3, 5.0, 1).answers() {
        assert!((answer.mu - 0.3).abs() < 0.2, "{} answers {}", answer.estimator, answer.mu);
    }
    let case = Case::gaussians(60, 150, 0.3, 5.0, 1);
    let beside = |rows: &Matrix| rows.as_slice().iter().flat_map(|&x| [x, 7.0]).collect();
    Case::of(2, beside(&case.p), beside(&case.u)).answers();
}

#[test]
fn huge_and_tiny_scores() {
    for factor in [1e-12, 1e12, 1e150] {
        let mut case = Case::gaussians(60, 150, 0.3, 5.0, 2);
        case.scores_p.iter_mut().chain(&mut case.scores_u).for_each(|score| *score *= factor);
        case.answers();
    }
    // One far outlier.
    let mut case = Case::gaussians(60, 150, 0.3, 5.0, 2);
    case.scores_u[0] = -1e9;
    case.answers();
}

#[test]
fn numbers_that_are_none_are_refused() {
    for one in estimators() {
        let mut case = Case::gaussians(20, 50, 0.3, 3.0, 2);
        case.scores_u[4] = f64::NAN;
        let error = case.ask(*one).unwrap_err().to_string();
        assert_eq!(error, "score 5 of the unlabeled rows is NaN; scores must be finite numbers");
        let mut case = Case::gaussians(20, 50, 0.3, 3.0, 2);
        case.scores_p[0] = f64::INFINITY;
        assert!(case.ask(*one).is_err());
    }
}

#[test]
fn rows_must_be_there_and_fit() {
    use onesided_prior::Needs;
    let case = Case::gaussians(20, 50, 0.3, 3.0, 2);
    let scores = Evidence::of_scores(&case.scores_p, &case.scores_u);
    for one in estimators() {
        let without = one.estimate(&scores);
        match one.info().needs {
            Needs::Scores => assert!(without.is_ok()),
            Needs::Rows => {
                let error = without.unwrap_err().to_string();
                assert!(error.contains("works on the rows themselves"), "{error}");
                let mut broken = case.u.clone();
                broken.as_mut_slice()[5] = f32::NAN;
                let error = one.estimate(&scores.with_rows(&case.p, &broken)).unwrap_err().to_string();
                assert_eq!(
                    error,
                    "value 2 of unlabeled row 3 is NaN; fill or drop values that are not finite"
                );
                let narrow = Matrix::new(50, 1, vec![0.0; 50]).unwrap();
                let error = one.estimate(&scores.with_rows(&case.p, &narrow)).unwrap_err().to_string();
                assert_eq!(error, "the unlabeled rows do not fit: 1 columns, but 2 were expected");
            }
        }
        let short = Matrix::new(19, 2, vec![0.0; 38]).unwrap();
        let error = one.estimate(&scores.with_rows(&short, &case.u)).unwrap_err().to_string();
        assert_eq!(error, "the positive rows do not fit: 19 rows, but 20 were expected");
        assert!(one.estimate(&Evidence { confidence: 1.0, ..scores }).is_err());
        assert!(one.estimate(&Evidence { resamples: 3, ..scores }).is_err());
    }
}

#[test]
fn the_same_evidence_gives_the_same_bits() {
    let case = Case::gaussians(80, 200, 0.4, 3.0, 3);
    for one in estimators() {
        assert_eq!(case.ask(*one).unwrap(), case.ask(*one).unwrap());
    }
}
