//! How much of each candidate a blend has.

use crate::criterion::HeldScores;
use crate::quantile_alignment::{FoldScores, aligned_to};
use onesided_data::{PriorInUnlabeled, map_stretches};
use onesided_eval::Sample;
use std::sync::Arc;

/// How often a member is drawn into the mean.
const PICKS: usize = 15;
/// How fast weights fall with the distance from the best AUC, in units of 1 / √n_p, the noise of an AUC within a constant.
const FALL: f64 = 4.0;
/// Positives that what members usually reach counts as.
const USUAL: f64 = 50.0;
/// Positives at which half of the weight is drawn greedily.
const HALF_GREEDY: f64 = 100.0;
/// Members with less are left out.
const LEAST_WEIGHT: f64 = 0.03;
/// Positives from which it is seen what a member adds to the mean, and how much AUC the mean may lose by members that are left
/// out, all together: less is not worth the time that they take with every row.
const EARNS_FROM: usize = 1_000;
const NOT_EARNED: f64 = 0.0003;
/// Scores that comparisons look at, evenly spaced, of either kind: more would not move an AUC that matters.
const MOST_COMPARED: usize = 20_000;

/// What a member says of the rows that it was not trained on, at mean 0 and deviation 1 over the unlabeled ones.
#[derive(Clone, Debug, Default)]
pub(super) struct OutOfFold {
    pub positive: Vec<f32>,
    pub unlabeled: Vec<f32>,
    /// Of known negatives.
    pub negative: Vec<f32>,
    /// What is the same for all members.
    pub rows: Arc<Judging>,
}

/// What members are judged by besides their scores.
#[derive(Clone, Debug, Default)]
pub(super) struct Judging {
    /// Weights of the rows of each kind, where rows have weights.
    pub weights: [Option<Vec<f32>>; 3],
    /// μ, where it is known: how little an unlabeled row is of a negative.
    pub mu: Option<PriorInUnlabeled>,
}

impl Judging {
    /// What a difference in AUC against true negatives becomes against unlabeled rows.
    fn of_negatives(&self) -> f64 {
        1.0 - self.mu.map_or(0.0, PriorInUnlabeled::get)
    }
}

impl OutOfFold {
    /// The scores with their weights.
    pub fn held(&self) -> HeldScores<'_> {
        let [wp, wu, wn] = self.rows.weights.each_ref().map(Option::as_deref);
        HeldScores {
            positive: Sample { scores: &self.positive, weights: wp },
            unlabeled: Sample { scores: &self.unlabeled, weights: wu },
            negative: Sample { scores: &self.negative, weights: wn },
        }
    }

    /// The AUC of positives against unlabeled rows and known negatives.
    pub fn auc(&self) -> f64 {
        1.0 - self.held().ranking(self.rows.mu)
    }

    fn thinned(&self) -> Self {
        fn some(of: &[f32]) -> Vec<f32> {
            of.iter().step_by(of.len().div_ceil(MOST_COMPARED).max(1)).copied().collect()
        }
        let weights = self.rows.weights.each_ref().map(|weights| weights.as_deref().map(some));
        Self {
            positive: some(&self.positive),
            unlabeled: some(&self.unlabeled),
            negative: some(&self.negative),
            rows: Arc::new(Judging { weights, mu: self.rows.mu }),
        }
    }

    /// The scores of rows whose part is wanted.
    fn some(&self, parts: &Parts, wanted: impl Fn(usize) -> bool) -> Self {
        let some = |kind: usize, of: &[f32]| -> Vec<f32> {
            let rows = of.iter().zip(&parts.of_rows[kind]);
            rows.filter(|(_, part)| wanted(**part)).map(|(of_row, _)| *of_row).collect()
        };
        let weights =
            std::array::from_fn(|kind| self.rows.weights[kind].as_deref().map(|weights| some(kind, weights)));
        Self {
            positive: some(0, &self.positive),
            unlabeled: some(1, &self.unlabeled),
            negative: some(2, &self.negative),
            rows: Arc::new(Judging { weights, mu: self.rows.mu }),
        }
    }

    fn add(&mut self, other: &Self) {
        self.positive.iter_mut().zip(&other.positive).for_each(|(sum, &score)| *sum += score);
        self.unlabeled.iter_mut().zip(&other.unlabeled).for_each(|(sum, &score)| *sum += score);
        self.negative.iter_mut().zip(&other.negative).for_each(|(sum, &score)| *sum += score);
    }
}

/// A weighted sum of what members say.
pub(super) fn mean(members: &[OutOfFold], weights: &[f64]) -> OutOfFold {
    let sum = |of: fn(&OutOfFold) -> &Vec<f32>| -> Vec<f32> {
        let mut sum = vec![0f64; members.first().map_or(0, |member| of(member).len())];
        for (member, &weight) in members.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            sum.iter_mut().zip(of(member)).for_each(|(sum, &score)| *sum += weight * f64::from(score));
        }
        sum.into_iter().map(|sum| sum as f32).collect()
    };
    OutOfFold {
        positive: sum(|member| &member.positive),
        unlabeled: sum(|member| &member.unlabeled),
        negative: sum(|member| &member.negative),
        rows: members.first().map(|member| member.rows.clone()).unwrap_or_default(),
    }
}

/// Which part each row of a kind is in: positives, unlabeled rows, known negatives.
pub(super) struct Parts {
    pub of_rows: [Vec<usize>; 3],
    pub number: usize,
}

/// What the mean says of each row by weights that the rows of its part had no say in, on the scale of `mean_of_all`.
///
/// Weights follow the positives they are drawn by, so the mean ranks these higher than others: on 20 tables that alone was
/// .013 of AUC. Calibration and metrics must not rest on it.
pub(super) fn weighed_by_other_parts(
    members: &[OutOfFold],
    usual: &[f64],
    single: bool,
    parts: &Parts,
    mean_of_all: &OutOfFold,
    threads: usize,
) -> OutOfFold {
    let kinds = [&mean_of_all.positive, &mean_of_all.unlabeled, &mean_of_all.negative].map(Vec::len);
    let first = [0, kinds[0], kinds[0] + kinds[1]];
    let of_part = |part: usize| {
        let others: Vec<OutOfFold> = members.iter().map(|one| one.some(parts, |of| of != part)).collect();
        let weights = weights(&others, usual, single);
        // Without a positive elsewhere there is nothing to go by.
        if !weights.iter().sum::<f64>().is_normal() {
            return None;
        }
        let own: Vec<OutOfFold> = members.iter().map(|one| one.some(parts, |of| of == part)).collect();
        let OutOfFold { positive, unlabeled, negative, .. } = mean(&own, &weights);
        let rows = (0..3).flat_map(|kind| {
            let of_kind = parts.of_rows[kind].iter().enumerate().filter(|(_, of)| **of == part);
            of_kind.map(move |(at, _)| (first[kind] + at) as u32)
        });
        let scores = [positive.as_slice(), &unlabeled, &negative].concat();
        Some(FoldScores { rows: rows.collect(), scores, unlabeled })
    };
    let numbers: Vec<usize> = (0..parts.number).collect();
    let stretches = map_stretches(&numbers, threads, 1, |numbers| {
        numbers.iter().map(|&part| of_part(part)).collect::<Vec<Option<FoldScores>>>()
    });
    let Some(of_parts) = stretches.into_iter().flatten().collect::<Option<Vec<FoldScores>>>() else {
        return mean_of_all.clone();
    };
    let mut scores = vec![0.0; kinds.iter().sum()];
    for (at, score) in aligned_to(mean_of_all.unlabeled.clone(), of_parts) {
        scores[at as usize] = score;
    }
    let negative = scores.split_off(first[2]);
    let unlabeled = scores.split_off(first[1]);
    OutOfFold { positive: scores, unlabeled, negative, rows: mean_of_all.rows.clone() }
}

/// Weights of the members, which add up to 1. With `single` the best has all of it. `usual` is how far above the others a
/// member's AUC against negatives usually is.
///
/// One part of the weight is drawn greedily with replacement, each time the member with which the mean ranks best. That
/// finds members with their own errors, and with few positives it follows luck. The other part falls off evenly with
/// the distance from the best AUC, in units of its noise: with few positives all members share it, with many the best
/// ones. The first part is n_p / (n_p + 100).
///
/// For the second part, and for the best one, AUCs are those that n_p positives found and 50 more would find if members
/// were as far apart as usual. So a member that is seldom good must show more before it counts.
pub(super) fn weights(members: &[OutOfFold], usual: &[f64], single: bool) -> Vec<f64> {
    let positives = members.first().map_or(0, |member| member.positive.len()) as f64;
    let members: Vec<OutOfFold> = members.iter().map(OutOfFold::thinned).collect();
    let aucs: Vec<f64> = members.iter().map(OutOfFold::auc).collect();
    let expected = expected(&members, &aucs, usual, positives);
    let (Some(best), Some(first)) = (largest(&expected), largest(&aucs)) else {
        return vec![0.0; members.len()];
    };
    if single {
        return (0..members.len()).map(|at| if at == best { 1.0 } else { 0.0 }).collect();
    }
    let drawn = drawn(&members, &aucs, first);
    let (scale, greedy) = (FALL * (positives + USUAL).sqrt(), positives / (positives + HALF_GREEDY));
    let even: Vec<f64> = expected
        .iter()
        .map(|auc| if auc.is_finite() { (scale * (auc - expected[best])).exp() } else { 0.0 })
        .collect();
    let all: f64 = even.iter().sum();
    let mut weights: Vec<f64> =
        drawn.iter().zip(&even).map(|(drawn, even)| greedy * drawn + (1.0 - greedy) * even / all).collect();
    // What hardly counts costs as much time as the rest.
    weights.iter_mut().filter(|weight| **weight < LEAST_WEIGHT).for_each(|weight| *weight = 0.0);
    if positives >= EARNS_FROM as f64 {
        leave_out(&members, &mut weights);
    }
    let all: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all).collect()
}

/// Leaves out members, those of the least weight first, as long as the mean of the others ranks as well as that of all.
fn leave_out(members: &[OutOfFold], weights: &mut [f64]) {
    let mut order: Vec<usize> = (0..weights.len()).filter(|&at| weights[at] > 0.0).collect();
    order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a)));
    order.pop();
    let least = mean(members, weights).auc() - NOT_EARNED;
    for at in order {
        let weight = std::mem::take(&mut weights[at]);
        if mean(members, weights).auc() < least {
            weights[at] = weight;
        }
    }
}

/// What was found, as if [`USUAL`] more positives had found the mean of all members with the usual distances from it.
fn expected(members: &[OutOfFold], aucs: &[f64], usual: &[f64], positives: f64) -> Vec<f64> {
    let sound: Vec<f64> = aucs.iter().copied().filter(|auc| auc.is_finite()).collect();
    let mean = sound.iter().sum::<f64>() / sound.len() as f64;
    let of_negatives = members.first().map_or(1.0, |member| member.rows.of_negatives());
    let each = aucs.iter().zip(usual);
    each.map(|(auc, usual)| (positives * auc + USUAL * (mean + of_negatives * usual)) / (positives + USUAL))
        .collect()
}

/// The place of the first largest number.
fn largest(numbers: &[f64]) -> Option<usize> {
    let sound = (0..numbers.len()).filter(|&at| numbers[at].is_finite());
    sound.reduce(|best, at| if numbers[at] > numbers[best] { at } else { best })
}

fn drawn(members: &[OutOfFold], aucs: &[f64], best: usize) -> Vec<f64> {
    let mut picks = vec![0usize; members.len()];
    picks[best] = 1;
    let mut sum = members[best].clone();
    for _ in 1..PICKS {
        let with = |at: usize| {
            let mut with = sum.clone();
            with.add(&members[at]);
            with.auc()
        };
        let tried = (0..members.len()).filter(|&at| aucs[at].is_finite()).map(|at| (with(at), at));
        let next = tried.reduce(|best, one| if one.0 > best.0 { one } else { best });
        let Some((_, next)) = next else { break };
        picks[next] += 1;
        sum.add(&members[next]);
    }
    let all = picks.iter().sum::<usize>() as f64;
    picks.into_iter().map(|picks| picks as f64 / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    /// Members that see the truth through their own noise.
    fn members(noises: &[f64]) -> Vec<OutOfFold> {
        let truth: Vec<f64> = (0..600).map(|row| if row < 300 { 1.0 } else { 0.0 }).collect();
        let of = |(number, &noise): (usize, &f64)| {
            let mut stream = Stream::new(number as u64, "member");
            let scores: Vec<f32> =
                truth.iter().map(|truth| (truth + noise * stream.normal()) as f32).collect();
            let (positive, unlabeled) = (scores[..300].to_vec(), scores[300..].to_vec());
            OutOfFold { positive, unlabeled, negative: Vec::new(), rows: Arc::default() }
        };
        noises.iter().enumerate().map(of).collect()
    }

    #[test]
    fn members_with_errors_of_their_own_are_put_together() {
        let all = members(&[1.0, 1.0, 1.0, 50.0]);
        let weights = weights(&all, &[0.0; 4], false);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights[..3].iter().all(|&weight| weight > 0.15) && weights[3] == 0.0, "{weights:?}");
        let best = all.iter().map(OutOfFold::auc).fold(0.0, f64::max);
        assert!(mean(&all, &weights).auc() > best + 0.02);
    }

    /// Members that know nothing: the mean of those that were lucky looks good on the rows that chose them, and on no others.
    #[test]
    fn weights_do_not_flatter_rows_that_had_no_say_in_them() {
        let noise = |seed: u64| {
            let mut stream = Stream::new(seed, "noise");
            let mut some = |many: usize| (0..many).map(|_| stream.normal() as f32).collect::<Vec<f32>>();
            OutOfFold { positive: some(40), unlabeled: some(400), negative: some(10), rows: Arc::default() }
        };
        let (mut chosen, mut by_others) = (0.0, 0.0);
        for seed in 0..20 {
            let all: Vec<OutOfFold> = (0..12).map(|member| noise(100 * seed + member)).collect();
            let of_rows = [40, 400, 10].map(|many| (0..many).map(|at| at % 5).collect());
            let parts = Parts { of_rows, number: 5 };
            let blended = mean(&all, &weights(&all, &[0.0; 12], false));
            let fair = weighed_by_other_parts(&all, &[0.0; 12], false, &parts, &blended, 2);
            assert_eq!((fair.positive.len(), fair.unlabeled.len(), fair.negative.len()), (40, 400, 10));
            (chosen, by_others) = (chosen + blended.auc() / 20.0, by_others + fair.auc() / 20.0);
            // On the scale of the mean: its unlabeled rows have the same spread.
            let spread = |of: &OutOfFold| crate::ScoreScale::measured(&of.unlabeled).deviation;
            assert!((spread(&fair) / spread(&blended) - 1.0).abs() < 0.1);
        }
        // The standard error of a mean of 20 is 0.011.
        assert!(chosen > 0.57 && (by_others - 0.5).abs() < 0.035, "{chosen} {by_others}");
    }

    #[test]
    fn parts_without_a_positive_elsewhere_keep_the_weights_of_all() {
        let mut all = members(&[1.0, 2.0]);
        all.iter_mut().for_each(|member| member.positive.truncate(1));
        let of_rows = [vec![0], (0..300).map(|at| at % 2).collect(), Vec::new()];
        let blended = mean(&all, &[0.5, 0.5]);
        let same = weighed_by_other_parts(&all, &[0.0; 2], false, &Parts { of_rows, number: 2 }, &blended, 1);
        assert_eq!((same.positive, same.unlabeled), (blended.positive, blended.unlabeled));
    }

    /// A light twin adds nothing to a mean of two that err on their own, and neither of these can be missed.
    #[test]
    fn members_that_add_nothing_are_left_out() {
        let said = |seed: u64, twin: bool| {
            let mut stream = Stream::new(seed, "member");
            let mut others = Stream::new(9, "twin");
            let mut score = |truth: f64| {
                let own = if twin { 0.01 * others.normal() } else { 0.0 };
                (truth + stream.normal() + own) as f32
            };
            let positive = (0..2_000).map(|_| score(1.0)).collect();
            let unlabeled = (0..2_000).map(|_| score(0.0)).collect();
            OutOfFold { positive, unlabeled, ..OutOfFold::default() }
        };
        let all = [said(1, false), said(1, true), said(2, false)];
        let mut weights = vec![0.47, 0.05, 0.48];
        leave_out(&all, &mut weights);
        assert_eq!(weights, [0.47, 0.0, 0.48]);
    }

    #[test]
    fn one_model_is_the_best_one() {
        assert_eq!(weights(&members(&[2.0, 0.5, 1.0]), &[0.0; 3], true), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_member_without_numbers_takes_no_part() {
        let mut all = members(&[1.0, 1.0]);
        all[0].positive[3] = f32::NAN;
        assert_eq!(weights(&all, &[0.0; 2], false), [0.0, 1.0]);
        assert!(weights(&[], &[], false).is_empty());
    }

    /// Members that found 0.6 and 0.64 with 50 positives: what is usual counts as much, and half of its difference
    /// where half of U is positive.
    #[test]
    fn what_is_usual_counts_as_fifty_positives() {
        let mu = PriorInUnlabeled::new(0.5).unwrap();
        let rows = Arc::new(Judging { weights: [None, None, None], mu: Some(mu) });
        // A share of positives is above all unlabeled rows, the others below: the share is the AUC.
        let member = |above: usize| OutOfFold {
            positive: (0..50).map(|at| if at < above { 1.0 } else { -1.0 }).collect(),
            unlabeled: vec![0.0; 200],
            negative: Vec::new(),
            rows: rows.clone(),
        };
        let both = [member(30), member(32)];
        let aucs: Vec<f64> = both.iter().map(OutOfFold::auc).collect();
        let found = expected(&both, &aucs, &[0.1, -0.1], 50.0);
        // The mean is 0.62 and the usual ones are 0.67 and 0.57.
        assert!((found[0] - (0.6 + 0.67) / 2.0).abs() < 1e-12, "{aucs:?} {found:?}");
        assert!((found[1] - (0.64 + 0.57) / 2.0).abs() < 1e-12, "{aucs:?} {found:?}");
        assert_eq!(weights(&both, &[0.1, -0.1], true), [1.0, 0.0]);
        assert_eq!(weights(&both, &[0.0, 0.0], true), [0.0, 1.0]);
    }
}
