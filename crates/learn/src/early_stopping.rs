//! Where the rows that training stops by are scored to be measured: where others would have stopped.
//!
//! A model that stopped where its few held-out positives looked best ranks these, and no others, too high: on 20 tables the AUC came
//! out about .03 too high for that. So each fold is scored after as many epochs (or trees) as the other folds settle on, as the
//! final model is. Where few positives are held out once, each fifth of the held-out rows is scored where the other four would have
//! stopped.

use crate::criterion::HeldScores;
use crate::folds::{ENOUGH_HELD_OUT, FOLDS, Fold};
use crate::quantile_alignment::FoldScores;
use crate::{Task, TrainedScorer};
use onesided_eval::Sample;

/// How many unlabeled rows of a hold-out with few positives say where others would have stopped.
const UNLABELED_TO_STOP_BY: usize = 4_000;

/// For each fold, the scores of its rows after as many epochs (or trees) as the other folds settle on: the middle one of their
/// best, or the last there was. `None` where nothing stopped by rows, or no other fold is there.
pub(crate) fn stopped_by_other_folds(fits: &[TrainedScorer]) -> Option<Vec<&[f32]>> {
    if fits.len() < 2 || fits.iter().any(|fit| fit.rounds.after(1).is_none()) {
        return None;
    }
    let of_fold = |at: usize| {
        let others = fits.iter().enumerate().filter(|(other, _)| *other != at);
        let mut best: Vec<usize> = others.map(|(_, other)| other.history.best_epoch).collect();
        best.sort_unstable();
        // Of an even number two are in the middle.
        let middle = (best[(best.len() - 1) / 2] + best[best.len() / 2]) / 2;
        let fit = &fits[at];
        let there = fit.rounds.after(middle).filter(|_| middle != fit.history.best_epoch);
        there.unwrap_or(&fit.scored)
    };
    Some((0..fits.len()).map(of_fold).collect())
}

/// For one hold-out with few positives: the scores of each part of its rows where the others would have stopped. `None` where nothing
/// stopped by rows, and where there are so many positives that none of them matters.
pub(crate) fn stopped_by_other_parts(
    fit: &TrainedScorer,
    fold: &Fold,
    task: &Task,
) -> Option<Vec<FoldScores>> {
    let kinds = &fold.stopping;
    let by_rows = fit.history.config.as_ref().is_none_or(|config| config.keep_best);
    if !by_rows || kinds.positive.len() < 2 || kinds.positive.len() >= ENOUGH_HELD_OUT {
        return None;
    }
    let parts = FOLDS.min(kinds.positive.len());
    let weights = task.weights_by_kind(kinds);
    // Few positives leave the choice so uncertain that some thousand unlabeled rows are as good as all.
    let step = kinds.unlabeled.len().div_ceil(UNLABELED_TO_STOP_BY).max(1);
    let of_part = |part: usize| {
        let judged =
            |kind: usize, at: usize| at % parts != part && (kind != 1 || (at / parts).is_multiple_of(step));
        let some = |kind: usize, of: &[f32]| -> Vec<f32> {
            let wanted = of.iter().enumerate().filter(|(at, _)| judged(kind, *at));
            wanted.map(|(_, value)| *value).collect()
        };
        let weights: [Option<Vec<f32>>; 3] =
            std::array::from_fn(|kind| weights[kind].as_deref().map(|weights| some(kind, weights)));
        let [wp, wu, wn] = weights.each_ref().map(Option::as_deref);
        let risk = |scores: &[f32]| {
            let split = kinds.split(scores);
            let [p, u, n]: [Vec<f32>; 3] = std::array::from_fn(|kind| some(kind, split[kind]));
            let held = HeldScores {
                positive: Sample { scores: &p, weights: wp },
                unlabeled: Sample { scores: &u, weights: wu },
                negative: Sample { scores: &n, weights: wn },
            };
            if task.truth { held.log_loss() } else { held.risk(task.mu()) }
        };
        let risks = fit.rounds.all().iter().map(|scores| (risk(scores), scores));
        let (_, best) = risks.filter(|(risk, _)| risk.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let split = kinds.split(best);
        let rows = [&kinds.positive, &kinds.unlabeled, &kinds.negative];
        let own = |kind: usize| (part..rows[kind].len()).step_by(parts);
        Some(FoldScores {
            rows: (0..3).flat_map(|kind| own(kind).map(move |at| rows[kind][at])).collect(),
            scores: (0..3).flat_map(|kind| own(kind).map(move |at| split[kind][at])).collect(),
            unlabeled: own(1).map(|at| split[1][at]).collect(),
        })
    };
    (0..parts).map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Fitted, History, OwnModel, ScoreScale};
    use onesided_data::Dataset;
    use onesided_net::OnTheWay;
    use std::sync::Arc;

    struct Nothing;

    impl OwnModel for Nothing {
        fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
            Ok(vec![0.0; rows.len()])
        }
    }

    /// A fold of one row whose score is 100 times the fold plus the number of epochs.
    fn fit(fold: usize, best_epoch: usize, epochs: usize) -> TrainedScorer {
        let score = |epoch: usize| (100 * fold + epoch) as f32;
        let mut rounds = OnTheWay::new(epochs, 1);
        (1..=epochs).for_each(|epoch| rounds.keep(epoch, || vec![score(epoch)]));
        TrainedScorer {
            fitted: Fitted::Own { name: String::new(), model: Arc::new(Nothing) },
            stopping: Vec::new(),
            scored: vec![score(best_epoch)],
            rounds,
            scale: ScoreScale::ONE,
            history: History { epochs, best_epoch, ..History::default() },
            described: String::new(),
            resumed_from: None,
            finished_early: false,
        }
    }

    #[test]
    fn a_fold_is_scored_where_the_others_stopped() {
        let fits = [fit(0, 9, 12), fit(1, 2, 5), fit(2, 4, 7), fit(3, 6, 9), fit(4, 20, 23)];
        let scores: Vec<f32> =
            stopped_by_other_folds(&fits).unwrap().iter().map(|scores| scores[0]).collect();
        // The others' best epochs are 2 4 6 20, 4 6 9 20 (of which this fold ran 5), 2 6 9 20, 2 4 9 20 and 2 4 6 9.
        assert_eq!(scores, [5.0, 105.0, 207.0, 306.0, 405.0]);
        // Nothing but its own rows, or no rows that decided.
        assert!(stopped_by_other_folds(&fits[..1]).is_none());
        assert!(stopped_by_other_folds(&[fit(0, 3, 3), fit(1, 2, 0)]).is_none());
        // A model of no trees is one of one tree once it is fitted on all rows.
        let none = [fit(0, 0, 3), fit(1, 2, 5), fit(2, 0, 4)];
        assert_eq!(stopped_by_other_folds(&none).unwrap()[1], [101.0]);
    }
}
