//! What must hold for any batch: drawn at random from a fixed seed, and at the extremes of `f32`.

use onesided_loss::{
    Collective, Objective, Options, Reduction, Sampling, Setting, Surrogate, elicited_methods, later_methods,
    methods, sigmoid,
};

/// SplitMix64: enough to scatter scores, and the same ones every time.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A batch of 1 to 40 scores around a random center, some batches wide enough to saturate.
    fn scores(&mut self) -> Vec<f32> {
        let n = 1 + (40.0 * self.uniform()) as usize;
        let center = 20.0 * self.uniform() - 10.0;
        let width = 10.0f64.powf(4.0 * self.uniform() - 2.0);
        (0..n).map(|_| (center + width * (2.0 * self.uniform() - 1.0)) as f32).collect()
    }
}

/// L_U and its gradient: the collective loss of a batch without positives.
fn unlabeled_term(mu: f64, scores: &[f32]) -> (f64, Vec<f32>) {
    let mut grad = vec![f32::NAN; scores.len()];
    let loss = Collective::new(mu, Reduction::SumOfMeans).unwrap();
    (loss.evaluate(&[], scores, &mut [], &mut grad), grad)
}

#[test]
fn swapping_the_classes_mirrors_the_unlabeled_term() {
    let mut draws = Draws(1);
    for _ in 0..500 {
        let (mu, scores) = (0.001 + 0.998 * draws.uniform(), draws.scores());
        let mirrored: Vec<f32> = scores.iter().map(|f| -f).collect();
        let ((value, grad), (mirror, mirror_grad)) =
            (unlabeled_term(mu, &scores), unlabeled_term(1.0 - mu, &mirrored));
        assert!((value - mirror).abs() < 1e-12, "mu {mu}: {value} against {mirror}");
        for (a, b) in grad.iter().zip(&mirror_grad) {
            assert!((a + b).abs() < 1e-7, "mu {mu}: {a} against {b}");
        }
    }
}

#[test]
fn the_unlabeled_term_and_its_gradient_are_bounded() {
    let mut draws = Draws(2);
    for _ in 0..2000 {
        let (mu, scores) = (0.001 + 0.998 * draws.uniform(), draws.scores());
        let (value, grad) = unlabeled_term(mu, &scores);
        let ceiling = -mu.min(1.0 - mu).ln();
        assert!((0.0..=ceiling + 1e-12).contains(&value), "mu {mu}: {value} exceeds {ceiling}");

        let total: f64 = grad.iter().map(|&g| f64::from(g).abs()).sum();
        let mean = scores.iter().map(|&f| sigmoid(f64::from(f))).sum::<f64>() / scores.len() as f64;
        let bound = mean * (1.0 - mean) / (1.0 - (mean - mu).abs());
        assert!(total <= bound + 1e-6, "mu {mu}: {total} exceeds {bound}");
        assert!(total < 1.0, "mu {mu}: {total}");
    }
}

#[test]
fn finite_scores_give_finite_numbers() {
    let extremes = [f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 0.0, -0.0, 88.0, -88.0, 110.0, -110.0, 750.0];
    let batches: Vec<Vec<f32>> = extremes
        .iter()
        .map(|&f| vec![f; 3])
        .chain([extremes.to_vec(), vec![f32::MAX, -f32::MAX], vec![]])
        .collect();
    let priors = [5e-324, f64::MIN_POSITIVE, 1e-30, 1e-6, 0.5, 1.0 - 1e-6, 1.0 - f64::EPSILON / 2.0];
    let samplings = [1e-12, 0.5, 1.0 - 1e-12]
        .map(|labeled_share| Sampling::SingleSample { labeled_share })
        .into_iter()
        .chain([Sampling::CaseControl]);
    let options: Vec<Options> = Surrogate::ALL
        .map(|surrogate| Options { surrogate, ..Options::default() })
        .into_iter()
        .chain(Reduction::ALL.map(|reduction| Options { reduction, ..Options::default() }))
        .chain([1e-300, 0.1, 1e300].map(|smoothing| Options { smoothing, ..Options::default() }))
        .collect();
    for sampling in samplings {
        for prior_in_unlabeled in priors {
            let setting = Setting { prior_in_unlabeled, sampling };
            for (method, options) in methods()
                .iter()
                .chain(later_methods())
                .chain(elicited_methods())
                .flat_map(|m| options.iter().map(move |o| (m, o)))
            {
                let objective = method.build(&setting, options).unwrap();
                for (positive, unlabeled) in batches.iter().flat_map(|p| batches.iter().map(move |u| (p, u)))
                {
                    let mut grad_p = vec![f32::NAN; positive.len()];
                    let mut grad_u = vec![f32::NAN; unlabeled.len()];
                    let value = objective.evaluate(positive, unlabeled, &mut grad_p, &mut grad_u);
                    let finite = value.is_finite() && grad_p.iter().chain(&grad_u).all(|g| g.is_finite());
                    assert!(
                        finite,
                        "{} at {setting:?}, P {positive:?}, U {unlabeled:?}: {value}, {grad_p:?}, {grad_u:?}",
                        objective.describe()
                    );
                }
            }
        }
    }
}

#[test]
fn the_order_of_a_batch_does_not_matter_and_old_gradients_are_overwritten() {
    let setting =
        Setting { prior_in_unlabeled: 0.3, sampling: Sampling::SingleSample { labeled_share: 0.2 } };
    let (p, u) = ([0.5, -1.0, 2.0], [1.0, -2.0, 0.25]);
    let reversed = |mut scores: [f32; 3]| {
        scores.reverse();
        scores
    };
    for method in methods().iter().chain(later_methods()).chain(elicited_methods()) {
        let objective = method.build(&setting, &Options::default()).unwrap();
        let run = |p: &[f32; 3], u: &[f32; 3], before: f32| {
            let (mut grad_p, mut grad_u) = ([before; 3], [before; 3]);
            let value = objective.evaluate(p, u, &mut grad_p, &mut grad_u);
            (value, grad_p, grad_u)
        };
        let (value, grad_p, grad_u) = run(&p, &u, 0.0);
        assert_eq!((value, grad_p, grad_u), run(&p, &u, 7.5), "{}", method.name);
        let (other, other_p, other_u) = run(&reversed(p), &reversed(u), 0.0);
        assert!((value - other).abs() < 1e-15, "{}", method.name);
        for (a, b) in grad_p.iter().chain(&grad_u).zip(reversed(other_p).iter().chain(&reversed(other_u))) {
            assert!((a - b).abs() < 1e-8, "{}: {a} against {b}", method.name);
        }
    }
}
