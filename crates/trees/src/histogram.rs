//! Sums of gradients in each bin, and the best place to cut them in two.

use crate::bins::{Binned, MISSING};
use crate::boost::{Derivatives, Placed};
use crate::config::TreesConfig;
use std::num::NonZero;

/// Sums over some rows: of first derivatives, of second derivatives, and of ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub gradient: f64,
    pub hessian: f64,
    pub rows: u32,
}

impl Sums {
    fn plus(self, other: Sums) -> Sums {
        Sums {
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
            rows: self.rows + other.rows,
        }
    }

    pub fn minus(self, other: Sums) -> Sums {
        Sums {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }

    /// G² / (H + λ): twice how much the loss falls at the best constant.
    fn score(self, l2: f64) -> f64 {
        let below = self.hessian + l2;
        if below > 0.0 { self.gradient * self.gradient / below } else { 0.0 }
    }

    /// The best constant, -G / (H + λ).
    pub fn value(self, l2: f64) -> f64 {
        let below = self.hessian + l2;
        if below > 0.0 { -self.gradient / below } else { 0.0 }
    }
}

/// 256 sums for each feature; the last is of missing values.
pub(crate) type Histogram = Vec<[Sums; 256]>;

/// Additions below which another thread costs more than it saves (waking one takes tens of microseconds).
const WORTH_A_THREAD: usize = 400_000;

/// The histograms of `features` over `rows`. Each feature is summed by one thread in the order of the rows.
pub(crate) fn histogram(
    binned: &Binned,
    features: &[u32],
    rows: &[Placed],
    derivatives: &[Derivatives],
    threads: usize,
) -> Histogram {
    // Gathered once, read once for each feature.
    let here: Vec<(u32, Derivatives)> =
        rows.iter().map(|&Placed { row, place }| (row, derivatives[place as usize])).collect();
    let mut sums = vec![[Sums::default(); 256]; features.len()];
    let add = |sums: &mut [[Sums; 256]], features: &[u32]| {
        for (bins, &feature) in sums.iter_mut().zip(features) {
            let of_row = binned.feature(feature as usize);
            for &(row, (gradient, hessian)) in &here {
                let sum = &mut bins[usize::from(of_row[row as usize])];
                sum.gradient += f64::from(gradient);
                sum.hessian += f64::from(hessian);
                sum.rows += 1;
            }
        }
    };
    let parts = threads.min(rows.len() * features.len() / WORTH_A_THREAD + 1).min(features.len());
    let Some(parts) = NonZero::new(parts).filter(|parts| parts.get() > 1) else {
        add(&mut sums, features);
        return sums;
    };
    let share = features.len().div_ceil(parts.get());
    std::thread::scope(|scope| {
        for (sums, features) in sums.chunks_mut(share).zip(features.chunks(share)) {
            scope.spawn(move || add(sums, features));
        }
    });
    sums
}

/// A cut: values up to a bin go left, the missing ones to their side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub feature: u32,
    /// The last bin that goes left.
    pub bin: u8,
    pub missing_left: bool,
    pub gain: f64,
    pub left: Sums,
    pub right: Sums,
}

impl Split {
    pub fn goes_left(&self, bin: u8) -> bool {
        if bin == MISSING { self.missing_left } else { bin <= self.bin }
    }
}

/// The cut after which the loss falls most,
///
/// ```text
/// gain = ½ [ G_L² / (H_L + λ) + G_R² / (H_R + λ) - G² / (H + λ) ],
/// ```
///
/// with enough rows and weight on both sides; the first of equals. None if no cut helps.
pub(crate) fn best_split(
    binned: &Binned,
    features: &[u32],
    histogram: &Histogram,
    total: Sums,
    config: &TreesConfig,
) -> Option<Split> {
    let enough = |sums: Sums| {
        sums.rows as usize >= config.min_child_rows.max(1) && sums.hessian >= config.min_child_weight
    };
    let before = total.score(config.l2);
    let mut best: Option<Split> = None;
    for (&feature, bins) in features.iter().zip(histogram) {
        let missing = bins[usize::from(MISSING)];
        // With nothing missing, unseen missing values go right; both sides are tried only where it matters.
        let sides: &[bool] = if missing.rows > 0 { &[false, true] } else { &[false] };
        for &missing_left in sides {
            let mut left = if missing_left { missing } else { Sums::default() };
            let cuts = binned.value_bins(feature as usize) - 1;
            for (bin, &sums) in bins[..cuts].iter().enumerate() {
                left = left.plus(sums);
                let right = total.minus(left);
                if !enough(left) || !enough(right) {
                    continue;
                }
                let gain = 0.5 * (left.score(config.l2) + right.score(config.l2) - before);
                if gain > best.map_or(1e-12, |best| best.gain) {
                    let bin = bin as u8;
                    best = Some(Split { feature, bin, missing_left, gain, left, right });
                }
            }
        }
    }
    best
}
