//! TEDn: CVIR that finds its own share of positives.
//!
//! S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. C. Lipton, "Mixture proportion estimation and PU learning: a modern
//! approach", NeurIPS 2021: transform, estimate, discard.

use crate::cvir::{Cvir, WARM_UP};
use crate::objective::Objective;
use crate::paced::{Paced, Shared};
use crate::part::{Part, Weighted, by_weights};

/// One row in so many is set aside for the share.
const ASIDE: usize = 5;
/// The constants of best bin estimation, as its authors have them.
const GAMMA: f64 = 0.01;
const DELTA: f64 = 0.1;
/// No more of U is left out, so that some of it is learned from.
const MOST: f64 = 0.99;

/// [`Cvir`] whose share of positives is estimated before every epoch instead of told.
///
/// One row in five of P and of U is set aside: it has no part in the loss. Before an epoch, after a tenth of them, best bin
/// estimation on the scores of the rows set aside gives the share μ̂: with q_p(c) and q_u(c) the parts of them that score at
/// least c, the cut is the one with the least
///
/// q_u / q_p + (1 + γ) / q_p · (√(ln(4/δ) / 2n_u) + √(ln(4/δ) / 2n_p)),
///
/// and μ̂ is q_u / q_p there. Then the share μ̂ of the other rows of U that scores highest is left out of the epoch. Value,
/// gradient and curvature are those of [`Cvir`] at μ̂. The authors set half of all rows aside.
///
/// By [`Objective::evaluate`] alone, which knows no epochs, both steps look at the scores that are given.
///
/// It assumes that the labeled positives are a random subset of all positives, and that some scores are above those of all
/// negatives: otherwise μ̂ is too high.
#[derive(Clone, Copy, Debug)]
pub struct Tedn;

/// Best bin estimation, as `onesided-prior` has it with intervals; losses stand alone.
fn share(positive: Part, unlabeled: Part) -> f64 {
    let (n_p, n_u) = (positive.total(), unlabeled.total());
    if !(n_p > 0.0 && n_u > 0.0) {
        return 0.0;
    }
    let deviation = |n: f64| ((4.0 / DELTA).ln() / (2.0 * n)).sqrt();
    let noise = (1.0 + GAMMA) * (deviation(n_u) + deviation(n_p));
    let of =
        |part: Part, kind: usize| part.iter().map(move |(score, own)| (score, kind, own)).collect::<Vec<_>>();
    let mut rows = [of(positive, 0), of(unlabeled, 1)].concat();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut above, mut best) = ([0.0; 2], (f64::INFINITY, 1.0));
    for (at, &(score, kind, own)) in rows.iter().enumerate() {
        above[kind] += own;
        // A cut lies between different scores.
        let is_cut = rows.get(at + 1).is_none_or(|next| next.0 != score);
        if is_cut && above[0] > 0.0 {
            let (q_p, q_u) = (above[0] / n_p, above[1] / n_u);
            if (q_u + noise) / q_p < best.0 {
                best = ((q_u + noise) / q_p, q_u / q_p);
            }
        }
    }
    best.1.min(MOST)
}

/// The rows of a part that are set aside, or the others, as weights; all where there are too few to set any aside.
fn weights(part: Part, aside: bool) -> Vec<f32> {
    let few = part.scores().len() < ASIDE;
    let belongs = |at: usize| few || (at % ASIDE == ASIDE - 1) == aside;
    part.iter().enumerate().map(|(at, (_, own))| if belongs(at) { own as f32 } else { 0.0 }).collect()
}

fn at(positive: Part, unlabeled: Part) -> Cvir {
    Cvir::at(share(positive, unlabeled))
}

impl Objective for Tedn {
    by_weights!();

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }

    fn describe(&self) -> String {
        "tedn".to_string()
    }
}

impl Weighted for Tedn {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        at(positive, unlabeled).evaluate_weighted(positive, unlabeled, grad_p, grad_u)
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        at(positive, unlabeled).curvature_weighted(positive, unlabeled, curve_p, curve_u);
    }
}

impl Paced for Tedn {
    fn needs_epochs(&self) -> bool {
        true
    }

    fn weighs(&self, _: f64) -> bool {
        true
    }

    fn shares(&self, done: f64, positive: Part, unlabeled: Part, shares_p: &mut [f32], shares_u: &mut [f32]) {
        let [aside_p, aside_u] = [positive, unlabeled].map(|part| weights(part, true));
        let [kept_p, kept_u] = [positive, unlabeled].map(|part| weights(part, false));
        let share = if done < WARM_UP {
            0.0
        } else {
            share(Part::new(positive.scores(), Some(&aside_p)), Part::new(unlabeled.scores(), Some(&aside_u)))
        };
        let kept = Part::new(unlabeled.scores(), Some(&kept_u));
        Cvir::at(share).shares(done, positive, kept, shares_p, shares_u);
        // Those of U that are set aside have no weight, and so no share already.
        shares_p.iter_mut().zip(&kept_p).filter(|(_, own)| **own == 0.0).for_each(|(share, _)| *share = 0.0);
    }

    fn evaluate_paced(
        &self,
        done: f64,
        positive: Shared,
        unlabeled: Shared,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        Cvir::at(0.0).evaluate_paced(done, positive, unlabeled, grad_p, grad_u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_found_where_the_top_is_pure() {
        // A thousand positives score from 1 to 2, and 300 of 1,000 unlabeled rows do.
        let p: Vec<f32> = (0..1_000).map(|i| 1.0 + i as f32 / 1_000.0).collect();
        let u: Vec<f32> =
            (0..1_000).map(|i| if i % 10 < 3 { 1.0 + i as f32 / 1_000.0 } else { -(i as f32) }).collect();
        let found = share(p.as_slice().into(), u.as_slice().into());
        assert!((found - 0.3).abs() < 0.01, "{found}");
        assert_eq!(share(p.as_slice().into(), p.as_slice().into()), MOST);
        assert_eq!(share([].as_slice().into(), u.as_slice().into()), 0.0);
    }

    #[test]
    fn rows_set_aside_have_no_part_and_the_others_are_ranked() {
        let p: Vec<f32> = (0..500).map(|i| 1.0 + i as f32 / 500.0).collect();
        let is_positive = |i: usize| i / 5 % 10 < 3;
        let u: Vec<f32> = (0..1_000)
            .map(|i| if is_positive(i) { 1.0 + i as f32 / 1_000.0 } else { -(i as f32) - 1.0 })
            .collect();
        let (mut shares_p, mut shares_u) = (vec![9.0f32; 500], vec![9.0f32; 1_000]);
        let mut shares = |done: f64| {
            Tedn.shares(done, p.as_slice().into(), u.as_slice().into(), &mut shares_p, &mut shares_u);
            (shares_p.clone(), shares_u.clone())
        };
        let aside = |at: usize| at % 5 == 4;
        let (of_p, of_u) = shares(0.0);
        assert!(of_p.iter().enumerate().all(|(at, &share)| (share == 0.0) == aside(at)));
        assert!(of_u.iter().enumerate().all(|(at, &share)| (share == 0.0) == aside(at)));
        // Three tenths of the 800 others, as those set aside say, and they are positives but for a few.
        let (_, of_u) = shares(0.5);
        let left_out: Vec<usize> = (0..1_000).filter(|&at| of_u[at] == 0.0 && !aside(at)).collect();
        assert!((220..=250).contains(&left_out.len()), "{}", left_out.len());
        assert!(left_out.iter().filter(|&&at| !is_positive(at)).count() <= 15);
    }

    #[test]
    fn few_rows_are_all_looked_at() {
        let (p, u) = ([2.0f32, 3.0], [2.5f32, -1.0, -2.0]);
        let (mut shares_p, mut shares_u) = ([9.0f32; 2], [9.0f32; 3]);
        Tedn.shares(0.5, p.as_slice().into(), u.as_slice().into(), &mut shares_p, &mut shares_u);
        assert_eq!(shares_p, [1.0; 2]);
        // A third of U is above the cut that holds all of P, and that third is left out.
        assert_eq!(shares_u, [0.0, 1.0, 1.0]);
    }
}
