//! The best place to cut the rows of a node in two.

use crate::bins::{Binned, Feature};
use crate::code_set::code_set;
use crate::config::TreesConfig;
use crate::histogram::{Cell, Sums, Units, minus, plus};
use crate::layout::Group;
use std::sync::Arc;

/// Categories on the smaller side of a cut: more would describe the rows one by one.
pub(crate) const MOST_CATEGORIES: usize = 32;
/// Rows below which a category is not told from the others, and what is added to curvatures before categories are put in
/// order: few rows say little.
pub(crate) const CATEGORY_ROWS: u32 = 10;
/// Rows between two looks at the cut of levels that have no bin of their own: a step by one small level is noise.
pub(crate) const GROUP_ROWS: u32 = 30;
/// Rows of the node's mean that each such level is mixed with before a cut is judged. Levels are put in order by the same rows that
/// judge the cut, so that noise alone would gain, the more the smaller they are. With 0 rows a made table of 2,000 levels lost .012
/// of AUC to the order of the whole table; with 30 to 100 it lost less than .002 and the names of storms kept what they had gained.
pub(crate) const MIXED_ROWS: f64 = 60.0;
/// With so few categories any cut is as safe as one of numbers.
const FEW_CATEGORIES: usize = 4;

/// Which bins go left.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cut {
    /// Those up to a bin, and the missing ones or not.
    After { bin: u8, missing: u8, missing_left: bool },
    /// Some, a bit for each.
    Set([u64; 4]),
    /// Some levels of a feature that has more of them than bins, a bit for each code.
    Levels { set: Arc<Vec<u32>>, missing_left: bool },
}

impl Cut {
    /// Where a bin goes; levels have none, and are asked for by [`goes_left`](Binned::goes_left).
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
            Cut::Levels { missing_left, .. } => missing_left,
        }
    }
}

/// A cut and what it brings.
#[derive(Clone, Debug, PartialEq)]
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
                if let Some(gain) = gain.filter(|&gain| best.as_ref().is_none_or(|best| gain > best.gain)) {
                    // Where training met nothing missing, what is missing later goes the way of most rows.
                    let missing_left = if some_missing { missing_left } else { 2 * rows > all };
                    let cut = Cut::After { bin: bin as u8, missing, missing_left };
                    best = Some(Split { feature, cut, gain, left, right });
                }
            }
        }
        best
    }

    /// The best cut between categories that have a bin each.
    fn categories(&self, feature: u32, bins: &[Cell], here: Here) -> Option<Split> {
        let there = bins.iter().enumerate().filter(|(_, cell)| self.units.rows(**cell) > 0);
        let there: Vec<(u32, Cell)> = there.map(|(bin, &cell)| (bin as u32, cell)).collect();
        let parted = self.parted(feature, &there, 1, here)?;
        let mut set = [0u64; 4];
        parted.left_ids.iter().for_each(|&bin| set[bin as usize / 64] |= 1 << (bin % 64));
        Some(parted.split(feature, Cut::Set(set)))
    }

    /// The best cut between levels that have no bin of their own: those that the node has rows of, by their codes; `missing`
    /// is the code of what is missing.
    pub fn levels(&self, feature: u32, there: &[(u32, Cell)], missing: u32, here: Here) -> Option<Split> {
        let parted = self.parted(feature, there, GROUP_ROWS, here)?;
        let missing_left = parted.left_ids.contains(&missing);
        let set = code_set(parted.left_ids.iter().copied().filter(|&code| code != missing));
        let set = Arc::new(set);
        Some(parted.split(feature, Cut::Levels { set, missing_left }))
    }

    /// Categories in the order of their gradients, cut from either end (Fisher, JASA 1958: for sums of squares no other
    /// cut is better), where `group` rows or more went left since the last look.
    ///
    /// Levels without a bin of their own are judged by sums that are mixed with [`MIXED_ROWS`] rows of the node's mean.
    fn parted(&self, feature: u32, there: &[(u32, Cell)], group: u32, here: Here) -> Option<Parted> {
        let units = self.units;
        let all = units.sums(here.total);
        let mixed = if group > 1 { MIXED_ROWS * all.curvature / f64::from(all.rows.max(1)) } else { 0.0 };
        let mean = all.gradient / all.curvature.max(f64::MIN_POSITIVE);
        let few = there.len() <= FEW_CATEGORIES;
        let l2 = self.config.l2 + if few { 0.0 } else { self.config.category_l2 };
        let before = here.bounds.score(all, self.config.l2);
        let mut order: Vec<(f64, u32, Cell)> = Vec::new();
        for &(id, cell) in there {
            let sums = units.sums(cell);
            if few || sums.rows >= CATEGORY_ROWS {
                let smooth = if few { 1e-9 } else { f64::from(CATEGORY_ROWS) };
                order.push((sums.gradient / (sums.curvature + smooth), id, cell));
            }
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, bool, usize, Cell)> = None;
        let most = MOST_CATEGORIES.min(order.len());
        let at = |backwards: bool, step: usize| if backwards { order.len() - 1 - step } else { step };
        for backwards in [false, true] {
            let (mut left, mut judged, mut looked_at) = ([0; 2], 0.0, 0);
            for step in 0..most {
                let cell = order[at(backwards, step)].2;
                left = plus(left, cell);
                let one = units.sums(cell);
                judged += one.curvature * (one.gradient + mixed * mean)
                    / (one.curvature + mixed).max(f64::MIN_POSITIVE);
                let rows = units.rows(left);
                if rows - looked_at < group {
                    continue;
                }
                looked_at = rows;
                let (mut of_left, mut of_right) = (units.sums(left), units.sums(minus(here.total, left)));
                if mixed > 0.0 {
                    (of_left.gradient, of_right.gradient) = (judged, all.gradient - judged);
                }
                let gain = self.gain(feature, of_left, of_right, l2, before, here.bounds);
                if let Some(gain) = gain.filter(|&gain| best.is_none_or(|best| gain > best.0)) {
                    best = Some((gain, backwards, step + 1, left));
                }
            }
        }
        let (gain, backwards, steps, left) = best?;
        let left_ids = (0..steps).map(|step| order[at(backwards, step)].1).collect();
        Some(Parted { left_ids, gain, left, right: minus(here.total, left) })
    }
}

/// Categories in two parts.
struct Parted {
    left_ids: Vec<u32>,
    gain: f64,
    left: Cell,
    right: Cell,
}

impl Parted {
    fn split(self, feature: u32, cut: Cut) -> Split {
        Split { feature, cut, gain: self.gain, left: self.left, right: self.right }
    }
}
