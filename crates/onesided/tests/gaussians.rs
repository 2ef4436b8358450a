//! Overlapping classes whose posterior is known: two Gaussians in ten dimensions.
//!
//! Negatives are N(0, I), positives N(m, I) with |m| = 1.8, so the posterior is σ(m·x - |m|²/2 + logit of the prior) and
//! the AUC is Φ(|m| / √2) = 0.898. One sample of the population, some of its positives labeled, μ = 0.1 left in U.

use onesided::data::Stream;
use onesided::eval::{probability, with_truth};
use onesided::{Dataset, Label, Learner, Matrix, PriorInUnlabeled};

const DIMENSIONS: usize = 10;
const DISTANCE: f64 = 1.8;

fn row(positive: bool, stream: &mut Stream) -> Vec<f32> {
    let step = DISTANCE / (DIMENSIONS as f64).sqrt();
    (0..DIMENSIONS).map(|_| (stream.normal() + if positive { step } else { 0.0 }) as f32).collect()
}

fn sample(positives: usize, negatives: usize, stream: &mut Stream) -> Matrix {
    let rows = (0..positives + negatives).flat_map(|i| row(i < positives, stream));
    Matrix::new(positives + negatives, DIMENSIONS, rows.collect()).unwrap()
}

#[test]
fn the_default_fit_nears_the_true_posterior() {
    let (labeled, unlabeled, mu) = (3_000, 30_000, 0.1);
    let hidden = (mu * unlabeled as f64) as usize;
    let mut stream = Stream::new(11, "gaussians");
    let matrix = sample(labeled + hidden, unlabeled - hidden, &mut stream);
    let labels =
        (0..matrix.rows()).map(|i| if i < labeled { Label::Positive } else { Label::Unlabeled }).collect();
    let data = Dataset::from_matrix(matrix, None).unwrap().with_labels(labels).unwrap();
    let prior = PriorInUnlabeled::new(mu).unwrap();
    let model = Learner::new().prior_in_unlabeled(prior).fit(&data).unwrap();

    // Fresh rows of the population, whose share of positives is π = (3,000 + 3,000) / 33,000.
    let class_prior = model.about().class_prior.unwrap();
    assert!((class_prior.get() - 2.0 / 11.0).abs() < 1e-12);
    let (positives, negatives) = (20_000, 90_000);
    let fresh = sample(positives, negatives, &mut stream);
    let truth: Vec<bool> = (0..fresh.rows()).map(|i| i < positives).collect();
    let step = DISTANCE / (DIMENSIONS as f64).sqrt();
    let posterior: Vec<f32> = (0..fresh.rows())
        .map(|i| fresh.row(i).iter().map(|&x| step * f64::from(x)).sum::<f64>())
        .map(|along| probability(along - DISTANCE * DISTANCE / 2.0 + class_prior.logit()) as f32)
        .collect();
    let best = with_truth(&posterior, &truth, 0.5).unwrap();
    let probabilities = model.predict_proba(&model.encoding().encode_matrix(fresh).unwrap()).unwrap();
    let reached = with_truth(&probabilities, &truth, model.about().threshold).unwrap();
    println!("{}; best {best:?}; reached {reached:?}", model.about().report.choice());
    assert!((best.auc.unwrap() - 0.898).abs() < 0.01, "{best:?}");
    assert!(reached.accuracy > best.accuracy - 0.005, "{} against {}", reached.accuracy, best.accuracy);
    assert!(reached.ece < 0.02, "expected calibration error {}", reached.ece);
}
