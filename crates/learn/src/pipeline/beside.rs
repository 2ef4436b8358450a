//! What stands beside a blend: the plain alternative, calling everything negative, and the student that takes its place.

use super::race::Judged;
use super::shift;
use super::weights::OutOfFold;
use crate::{Beside, Task};
use onesided_data::PriorInUnlabeled;
use onesided_eval::Calibration;

/// The mean, the plain alternative, and calling everything negative, by what can be said without a negative.
pub(super) fn beside(task: &Task, judged: &[Judged], blended: &OutOfFold) -> Vec<Beside> {
    let Some(mu) = task.mu() else { return Vec::new() };
    let shift = shift(task, task.priors);
    // An accuracy at a prior that is a guess would be one, too.
    let known = task.priors.is_some_and(|priors| !priors.estimated);
    let row = |name: &str, scores: &OutOfFold| Beside {
        name: name.to_string(),
        auc: Some(scores.auc()),
        accuracy: accuracy(scores, mu, shift).filter(|_| known),
    };
    let mut rows = vec![row("auto", blended)];
    if let Some(naive) = judged.iter().find(|one| one.candidate.is_naive) {
        rows.push(row("naive", &naive.scores));
    }
    let accuracy = known.then_some(1.0 - mu.get());
    rows.push(Beside { name: "all negative".to_string(), auc: Some(0.5), accuracy });
    rows
}

/// A student takes the place of the blend, which stands beside it: what it costs.
pub(super) fn beside_student(task: &Task, rows: &mut Vec<Beside>, student: &OutOfFold) {
    let Some(mu) = task.mu() else { return };
    let known = task.priors.is_some_and(|priors| !priors.estimated);
    let accuracy = accuracy(student, mu, shift(task, task.priors)).filter(|_| known);
    if let Some(first) = rows.first_mut() {
        first.name = "the blend".to_string();
    }
    rows.insert(0, Beside { name: "auto, fast".to_string(), auc: Some(student.auc()), accuracy });
}

/// The accuracy on unlabeled rows if their prior is right, of scores that were calibrated to it and decide for the
/// population: μ r + (1 - u) - μ (1 - r), where r and u are the shares of P and of U that are called positive.
fn accuracy(scores: &OutOfFold, mu: PriorInUnlabeled, shift: f64) -> Option<f64> {
    let held = scores.held();
    let calibration = Calibration::fit_weighted(held.positive, held.unlabeled, mu).ok()?;
    let called = |score: f32| if calibration.apply(score) + shift >= 0.0 { 1.0 } else { 0.0 };
    let (found, called, mu) = (held.positive.mean(called), held.unlabeled.mean(called), mu.get());
    // Beyond 1 the share and the labels do not fit together, and there is no accuracy to tell.
    Some(mu * found + (1.0 - called) - mu * (1.0 - found)).filter(|accuracy| (0.0..=1.0).contains(accuracy))
}
