//! Scores of several folds on one scale, so that rows of all of them make one list.
//!
//! Each fold is scored by its own model, and one that stopped earlier, or met other rows, says other numbers for the same
//! thing. Rows were assigned at random, so the unlabeled rows of all folds have scores of one distribution but for chance: each
//! fold's quantiles are moved to those of all folds together. The order within a fold stays; labels take no part.

/// Quantiles that are moved; between them the map is linear, beyond them it continues with the slope of the whole.
const QUANTILES: usize = 50;

/// The rows of one fold, what its models say of them, and what they say of the unlabeled ones among them.
pub(crate) struct FoldScores {
    pub rows: Vec<u32>,
    pub scores: Vec<f32>,
    pub unlabeled: Vec<f32>,
}

/// All rows with their scores on one scale.
pub(crate) fn aligned(folds: Vec<FoldScores>) -> Vec<(u32, f32)> {
    let all = folds.iter().flat_map(|fold| fold.unlabeled.iter().copied()).collect();
    aligned_to(all, folds)
}

/// [`aligned`], on the scale of these scores of unlabeled rows.
pub(crate) fn aligned_to(unlabeled: Vec<f32>, folds: Vec<FoldScores>) -> Vec<(u32, f32)> {
    let all = quantiles(unlabeled);
    let moved = |fold: FoldScores| {
        let own = quantiles(fold.unlabeled);
        let scores = fold.scores.into_iter().map(|score| moved(score, &own, &all)).collect::<Vec<f32>>();
        fold.rows.into_iter().zip(scores)
    };
    folds.into_iter().flat_map(moved).collect()
}

/// Evenly spaced quantiles, not quite from the lowest score to the highest: the best rows of all folds must not become equal.
/// Nothing of scores that are not numbers.
fn quantiles(mut scores: Vec<f32>) -> Vec<f64> {
    if scores.is_empty() || scores.iter().any(|score| !score.is_finite()) {
        return Vec::new();
    }
    scores.sort_unstable_by(f32::total_cmp);
    let last = (scores.len() - 1) as f64;
    let at = |number: usize| {
        let place = last * (number as f64 + 0.5) / (QUANTILES + 1) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        let (a, b) = (f64::from(scores[low]), f64::from(scores[high]));
        a + (b - a) * (place - place.floor())
    };
    (0..=QUANTILES).map(at).collect()
}

fn moved(score: f32, from: &[f64], to: &[f64]) -> f32 {
    let (Some(&low), Some(&high), true) = (from.first(), from.last(), from.len() == to.len()) else {
        return score;
    };
    let wide = f64::from(score);
    let slope = if high > low { (to[to.len() - 1] - to[0]) / (high - low) } else { 1.0 };
    let moved = if wide <= low {
        slope * (wide - low) + to[0]
    } else if wide >= high {
        slope * (wide - high) + to[to.len() - 1]
    } else {
        let next = from.partition_point(|&quantile| quantile <= wide);
        let (a, b) = (from[next - 1], from[next]);
        to[next - 1] + (to[next] - to[next - 1]) * (wide - a) / (b - a)
    };
    moved as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(from: u32, scores: Vec<f32>) -> FoldScores {
        FoldScores { rows: (from..from + scores.len() as u32).collect(), unlabeled: scores.clone(), scores }
    }

    #[test]
    fn folds_that_differ_in_place_and_scale_come_to_one_order() {
        // The same rows in two folds whose second model says 10 + 3 f.
        let f: Vec<f32> = (0..201).map(|i| (i as f32 / 20.0).sin() * i as f32).collect();
        let other = f.iter().map(|f| 10.0 + 3.0 * f).collect();
        let both = aligned(vec![fold(0, f), fold(201, other)]);
        let (first, second) = both.split_at(201);
        assert_eq!(second[0].0, 201);
        assert!(first.iter().zip(second).all(|(a, b)| (a.1 - b.1).abs() < 1e-3));
        // The order within a fold stays.
        let mut order: Vec<&(u32, f32)> = first.iter().collect();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        let f = |row: u32| (row as f32 / 20.0).sin() * row as f32;
        assert!(order.windows(2).all(|pair| f(pair[0].0) <= f(pair[1].0)));
    }

    #[test]
    fn folds_come_to_a_scale_that_is_given() {
        let f: Vec<f32> = (0..201).map(|i| i as f32).collect();
        let target = f.iter().map(|f| 7.0 - 2.0 * f).collect();
        let moved = aligned_to(target, vec![fold(0, f)]);
        assert!(moved.iter().all(|(row, score)| (score - (2.0 * *row as f32 - 393.0)).abs() < 1e-2));
    }

    #[test]
    fn one_fold_stays_as_it_is_and_what_lies_beyond_is_shifted() {
        let mut one = fold(0, vec![1.0, 2.0, 2.0, 4.0]);
        one.rows.push(9);
        one.scores.push(7.5);
        let same = aligned(vec![one]);
        assert!(same.iter().zip([1.0, 2.0, 2.0, 4.0, 7.5]).all(|(a, b)| (a.1 - b).abs() < 1e-6), "{same:?}");
        assert!(aligned(vec![fold(0, vec![f32::NAN, 1.0])])[0].1.is_nan());
        assert_eq!(aligned(vec![fold(0, vec![3.0]), fold(1, vec![5.0])]).len(), 2);
    }
}
