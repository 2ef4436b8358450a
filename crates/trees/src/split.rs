//! The best place to cut the rows of a node in two.

use crate::bins::{Binned, Feature};
use crate::config::TreesConfig;
use crate::histogram::{Cell, Sums, Units, minus, plus};
use crate::layout::Group;

/// Categories on the smaller side of a cut: more would describe the rows one by one.
const MOST_CATEGORIES: usize = 32;
/// Rows below which a category is not told from the others, and what is added to curvatures before categories are put in
/// order: few rows say little.
const CATEGORY_ROWS: u32 = 10;
/// With so few categories any cut is as safe as one of numbers.
const FEW_CATEGORIES: usize = 4;

/// Which bins go left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cut {
    /// Those up to a bin, and the missing ones or not.
    After { bin: u8, missing: u8, missing_left: bool },
    /// Some, a bit for each.
    Set([u64; 4]),
}

impl Cut {
    pub fn goes_left(&self, of: u8) -> bool {
        match *self {
            Cut::After { bin, missing, missing_left } => {
                if of == missing {
                    missing_left
                } else {
                    of <= bin
                }
            }
            Cut::Set(bits) => bits[usize::from(of / 64)] >> (of % 64) & 1 == 1,
        }
    }
}

/// A cut and what it brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub feature: u32,
    pub cut: Cut,
    pub gain: f64,
    pub left: Cell,
    pub right: Cell,
}

impl Split {
    /// The better of two: the larger gain, then the first feature.
    pub fn better(one: Option<Split>, other: Option<Split>) -> Option<Split> {
        match (one, other) {
            (Some(a), Some(b)) if b.gain > a.gain || (b.gain == a.gain && b.feature < a.feature) => Some(b),
            (Some(a), _) => Some(a),
            (None, b) => b,
        }
    }
}

/// Between which values the answers of a node must lie, so that constraints above it hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: f64,
    pub high: f64,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };

    fn are_none(self) -> bool {
        self == Self::NONE
    }

    /// The best constant within, -G / (H + λ).
    pub fn value(self, sums: Sums, l2: f64) -> f64 {
        let below = sums.curvature + l2;
        let free = if below > 0.0 { -sums.gradient / below } else { 0.0 };
        free.clamp(self.low, self.high)
    }

    /// Twice how much the loss falls at that constant: G² / (H + λ) where nothing bounds it.
    fn score(self, sums: Sums, l2: f64) -> f64 {
        let below = sums.curvature + l2;
        if !self.are_none() {
            let value = self.value(sums, l2);
            -(2.0 * sums.gradient * value + below * value * value)
        } else if below > 0.0 {
            sums.gradient * sums.gradient / below
        } else {
            0.0
        }
    }
}

/// What a search for cuts knows of a node.
pub(crate) struct Search<'s> {
    pub binned: &'s Binned,
    pub config: &'s TreesConfig,
    pub units: Units,
    /// Which features may be looked at.
    pub allowed: &'s [bool],
}

/// A node: the sum over its rows, and the bounds of its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub total: Cell,
    pub bounds: Bounds,
}

impl Search<'_> {
    /// The cut after which the loss falls most,
    ///
    /// ```text
    /// gain = ½ [ G_L² / (H_L + λ) + G_R² / (H_R + λ) - G² / (H + λ) ],
    /// ```
    ///
    /// with enough rows and weight on both sides; the first of equals. None if no cut helps. `cells` are those of `groups`.
    pub fn best(&self, groups: &[Group], cells: &[Cell], here: Here) -> Option<Split> {
        let first = groups.first()?.start;
        if (self.units.rows(here.total) as usize) < 2 * self.config.min_child_rows.max(1) {
            return None;
        }
        let mut best = None;
        for group in groups {
            for (lane, &feature) in group.features.iter().enumerate() {
                if !self.allowed[feature as usize] {
                    continue;
                }
                let at = group.start - first + lane * group.stride;
                let bins = &cells[at..at + group.stride];
                let found = match self.binned.kind(feature as usize) {
                    Feature::Numbers(edges) => self.numbers(feature, edges.len() + 1, bins, here),
                    Feature::Ordered { bins: many, .. } => self.numbers(feature, *many, bins, here),
                    Feature::Categories { .. } => self.categories(feature, bins, here),
                };
                best = Split::better(best, found);
            }
        }
        best
    }

    fn enough(&self, sums: Sums) -> bool {
        sums.rows as usize >= self.config.min_child_rows.max(1)
            && sums.curvature >= self.config.min_child_weight
    }

    /// What a cut gains, less what it must gain; `None` where it is not allowed.
    fn gain(
        &self,
        feature: u32,
        left: Sums,
        right: Sums,
        l2: f64,
        before: f64,
        bounds: Bounds,
    ) -> Option<f64> {
        if !self.enough(left) || !self.enough(right) {
            return None;
        }
        let direction = self.config.monotone.get(feature as usize).copied().unwrap_or(0);
        if direction != 0 {
            let rise = bounds.value(right, l2) - bounds.value(left, l2);
            if rise * f64::from(direction) < 0.0 {
                return None;
            }
        }
        let gain = 0.5 * (bounds.score(left, l2) + bounds.score(right, l2) - before);
        (gain > 1e-12).then_some(gain)
    }

    /// Whether nothing constrains an answer and no sum is divided by 0, so that cuts are compared without a division.
    fn is_plain(&self, feature: u32, here: Here) -> bool {
        let direction = self.config.monotone.get(feature as usize).copied().unwrap_or(0);
        let divides = self.config.l2 > 0.0 || self.config.min_child_weight > 0.0;
        here.bounds.are_none() && direction == 0 && divides
    }

    /// [`numbers`](Self::numbers) where it [is plain](Self::is_plain): a cut is better if
    /// `G_L² (H_R + λ) + G_R² (H_L + λ) > best (H_L + λ) (H_R + λ)`.
    fn plain_numbers(&self, feature: u32, values: usize, bins: &[Cell], here: Here) -> Option<Split> {
        let (units, l2) = (self.units, self.config.l2);
        let (total, absent) = (units.sums(here.total), bins[values]);
        let before = here.bounds.score(total, l2);
        let fewest = self.config.min_child_rows.max(1) as u32;
        let some_missing = units.rows(absent) > 0;
        let sides: &[bool] = if some_missing { &[false, true] } else { &[false] };
        let mut best: Option<(usize, bool, Cell)> = None;
        let mut most = before + 2e-12;
        for &missing_left in sides {
            let mut left: Cell = if missing_left { absent } else { [0; 2] };
            let last = if some_missing && !missing_left { values } else { values - 1 };
            for (bin, &cell) in bins[..last].iter().enumerate() {
                if cell[1] == 0 {
                    continue;
                }
                left = plus(left, cell);
                let rows = units.rows(left);
                if rows < fewest {
                    continue;
                }
                if total.rows - rows < fewest {
                    break;
                }
                let sums = units.sums(left);
                let (gradient, curvature) =
                    (total.gradient - sums.gradient, total.curvature - sums.curvature);
                let least = self.config.min_child_weight;
                if sums.curvature < least || curvature < least {
                    continue;
                }
                let (a, b) = (sums.curvature + l2, curvature + l2);
                let above = sums.gradient * sums.gradient * b + gradient * gradient * a;
                if above > most * (a * b) {
                    most = above / (a * b);
                    best = Some((bin, missing_left, left));
                }
            }
        }
        best.map(|(bin, missing_left, left)| {
            let missing_left = if some_missing { missing_left } else { 2 * units.rows(left) > total.rows };
            let cut = Cut::After { bin: bin as u8, missing: values as u8, missing_left };
            Split { feature, cut, gain: 0.5 * (most - before), left, right: minus(here.total, left) }
        })
    }

    fn numbers(&self, feature: u32, values: usize, bins: &[Cell], here: Here) -> Option<Split> {
        if self.is_plain(feature, here) {
            return self.plain_numbers(feature, values, bins, here);
        }
        let (units, l2) = (self.units, self.config.l2);
        let missing = values as u8;
        let absent = bins[values];
        let before = here.bounds.score(units.sums(here.total), l2);
        let mut best: Option<Split> = None;
        let some_missing = units.rows(absent) > 0;
        // Both sides are tried only where something is missing.
        let sides: &[bool] = if some_missing { &[false, true] } else { &[false] };
        let fewest = self.config.min_child_rows.max(1) as u32;
        let all = units.rows(here.total);
        for &missing_left in sides {
            let mut left: Cell = if missing_left { absent } else { [0; 2] };
            // All values may go left and the missing ones right.
            let last = if some_missing && !missing_left { values } else { values - 1 };
            for (bin, &cell) in bins[..last].iter().enumerate() {
                if units.rows(cell) == 0 {
                    continue;
                }
                left = plus(left, cell);
                let rows = units.rows(left);
                if rows < fewest {
                    continue;
                }
                if all - rows < fewest {
                    break;
                }
                let right = minus(here.total, left);
                let gain = self.gain(feature, units.sums(left), units.sums(right), l2, before, here.bounds);
                if let Some(gain) = gain.filter(|&gain| best.is_none_or(|best| gain > best.gain)) {
                    // Where training met nothing missing, what is missing later goes the way of most rows.
                    let missing_left = if some_missing { missing_left } else { 2 * rows > all };
                    let cut = Cut::After { bin: bin as u8, missing, missing_left };
                    best = Some(Split { feature, cut, gain, left, right });
                }
            }
        }
        best
    }

    /// Categories in the order of their gradients, cut from either end (Fisher, JASA 1958: for sums of squares no other
    /// cut is better).
    fn categories(&self, feature: u32, bins: &[Cell], here: Here) -> Option<Split> {
        let units = self.units;
        let few = bins.iter().filter(|&&cell| units.rows(cell) > 0).count() <= FEW_CATEGORIES;
        let l2 = self.config.l2 + if few { 0.0 } else { self.config.category_l2 };
        let before = here.bounds.score(units.sums(here.total), self.config.l2);
        let mut order: Vec<(f64, u8)> = Vec::new();
        for (bin, &cell) in bins.iter().enumerate() {
            let sums = units.sums(cell);
            if sums.rows >= if few { 1 } else { CATEGORY_ROWS } {
                let smooth = if few { 1e-9 } else { f64::from(CATEGORY_ROWS) };
                order.push((sums.gradient / (sums.curvature + smooth), bin as u8));
            }
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<Split> = None;
        let most = MOST_CATEGORIES.min(order.len());
        for backwards in [false, true] {
            let (mut left, mut set) = ([0; 2], [0u64; 4]);
            for step in 0..most {
                let at = if backwards { order.len() - 1 - step } else { step };
                let bin = order[at].1;
                left = plus(left, bins[usize::from(bin)]);
                set[usize::from(bin / 64)] |= 1 << (bin % 64);
                let right = minus(here.total, left);
                let gain = self.gain(feature, units.sums(left), units.sums(right), l2, before, here.bounds);
                if let Some(gain) = gain.filter(|&gain| best.is_none_or(|best| gain > best.gain)) {
                    best = Some(Split { feature, cut: Cut::Set(set), gain, left, right });
                }
            }
        }
        best
    }
}
