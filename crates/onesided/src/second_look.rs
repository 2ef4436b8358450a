//! A guessed share of positives, looked at again once there is a model.
//!
//! The share was guessed with the scores of quick models. The blend that `auto` learns ranks the same rows, out of fold, by other scores,
//! mostly better ones, and these bound the share, too: a lift of 8 among the first rows and a share of a third cannot both be right. The
//! two looks make one guess ([`Answer::with_scores`](onesided_learn::prior::Answer::with_scores)), and what was learned is calibrated to
//! it. Other methods are taken as they come: one that ranks poorly has nothing to say of the share.

use crate::Error;
use crate::undrawn::{Undrawn, calibrate};
use onesided_learn::prior::{PriorEstimate, PriorReport};
use onesided_learn::{Learned, Priors, Task};

/// The share after the second look; `None` where there are no scores to look at, or probabilities are a theory's own.
pub(crate) fn guess_again(
    mut report: PriorReport,
    learned: &mut Learned,
    task: &mut Task,
    undrawn: Option<&Undrawn>,
) -> Result<Option<PriorEstimate>, Error> {
    if learned.fitted.link().is_some() {
        return Ok(None);
    }
    let wide = |scores: &[f32]| scores.iter().map(|&score| f64::from(score)).collect::<Vec<f64>>();
    // Too few held-out rows, or scores that are all the same, say nothing.
    let Ok(again) = report.answer.with_scores(&wide(&learned.positive), &wide(&learned.unlabeled)) else {
        return Ok(None);
    };
    let before = report.answer.mu;
    if again == report.answer {
        return Ok(None);
    }
    report.answer = again;
    let Ok(estimate) = PriorEstimate::from_report(&report) else { return Ok(None) };
    let priors = Priors::from_unlabeled(estimate.mu, task.scenario, task.drawn, true);
    (task.priors, learned.priors, learned.shift) = (Some(priors), Some(priors), priors.shift());
    calibrate(learned, task, undrawn)?;
    learned.report.notes.push(format!(
        "the guess of the share was looked at again with the model's own scores out of fold: {before:.3} became {:.3} of the \
         unlabeled rows",
        again.mu
    ));
    Ok(Some(estimate))
}
