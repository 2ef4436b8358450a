//! A loss of your own through the whole pipeline: held-out rows, calibration, threshold and metrics come with it.
//!
//! `cargo run --release -p onesided --example own_loss`.

use onesided::data::{Dataset, digits, hide};
use onesided::loss::{Objective, sigmoid};
use onesided::{ClassPrior, Learner};
use std::error::Error;

/// (mean_P σ(f) − 1)² + (mean_U σ(f) − μ)²: positives shall be 1, and unlabeled examples μ on average.
struct SquaredMeans {
    prior_in_unlabeled: f64,
}

/// (mean σ(f) − goal)² and its gradient, 2 (mean − goal) σ(f) σ(−f) / n.
fn squared(scores: &[f32], goal: f64, gradient: &mut [f32]) -> f64 {
    let n = scores.len().max(1) as f64;
    let off = scores.iter().map(|&f| sigmoid(f64::from(f))).sum::<f64>() / n - goal;
    for (gradient, &f) in gradient.iter_mut().zip(scores) {
        *gradient = (2.0 * off * sigmoid(f64::from(f)) * sigmoid(-f64::from(f)) / n) as f32;
    }
    if scores.is_empty() { 0.0 } else { off * off }
}

impl Objective for SquaredMeans {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        squared(positive, 1.0, grad_p) + squared(unlabeled, self.prior_in_unlabeled, grad_u)
    }

    fn describe(&self) -> String {
        "squared means".to_string()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Even digits against odd ones; 40 % of the even ones are hidden among the odd.
    let digits = digits();
    let even: Vec<bool> = digits.labels.iter().map(|digit| digit % 2 == 0).collect();
    let prior = even.iter().filter(|&&even| even).count() as f64 / even.len() as f64;
    let data = Dataset::from_scaled(digits.images, None)?.with_labels(hide(&even, 0.4, 0)?)?;

    let learner = Learner::new().prior(ClassPrior::new(prior)?).model("mlp".parse()?).objective(
        "squared-means",
        true,
        |setting| Ok(Box::new(SquaredMeans { prior_in_unlabeled: setting.prior_in_unlabeled })),
    );
    let model = learner.fit(&data)?;
    let right =
        model.predict(&data)?.iter().zip(&even).filter(|(predicted, truth)| predicted == truth).count();
    println!(
        "{}: {:.3} of the digits are called right",
        model.about().objective,
        right as f64 / even.len() as f64
    );
    Ok(())
}
