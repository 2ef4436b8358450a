//! What training saw of a column, in a few numbers, and what a table to be scored holds in it.
//!
//! Of each column the model keeps how many cells there were, how many of them missing, the range of its numbers with three points in
//! between, how many cells each category and each truth value has, how many cells have their own category, the first and the last date.
//! At prediction a few counters per column are filled on the way, so that tables of any length are compared in one pass.

use super::{Feature, FeatureKind};
use crate::column_summary::{BLOCK, ColumnSummary, Holds, Logs, NumberSummary, Single};
use onesided_table::{MISSING_CODE, TimeStyle, Values};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// New categories that are counted one by one.
const NEW_LEVELS: usize = 100;
/// Seconds of a year.
const YEAR: f64 = 365.25 * 86_400.0;
/// Dates are far from those of training if they are beyond them by more than training spans, which is one more month for a model of a
/// month; but by a year at least, since models are used for a while, and by no more than ten, which no calendar repeats in.
const FAR_DATES: [f64; 2] = [YEAR, 10.0 * YEAR];

/// What training saw of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Rows.
    pub rows: usize,
    /// Rows without a value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: usize,
    /// Of numbers the lowest, the 10 % point, the middle, the 90 % point and the highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[f64; 5]>,
    /// How many numbers are between these points.
    #[serde(default, skip_serializing_if = "is_none_between")]
    pub between: [usize; 4],
    /// Of numbers the logarithms of those that are not 0.
    #[serde(default, skip_serializing_if = "Logs::is_empty")]
    pub logs: Logs,
    /// Of categories the cells whose category came once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub single: usize,
    /// How many cells each category that is learned from has, in their order; of truth values how many are false, and true. Nothing in
    /// models of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<usize>,
    /// The first and the last date, in seconds since 1970. Nothing in models of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<[f64; 2]>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_none_between(counts: &[usize; 4]) -> bool {
    *counts == [0; 4]
}

impl Seen {
    pub(super) fn of(summary: &ColumnSummary<'_>, kind: &FeatureKind) -> Self {
        let (rows, missing) = (summary.rows as usize, summary.missing as usize);
        let seen = Self { rows, missing, ..Self::default() };
        match (&summary.holds, kind) {
            (Holds::Numbers(numbers), _) => seen.with_numbers(numbers),
            (Holds::Categories(levels), kind) => {
                let single = levels.iter().filter(|(_, count)| *count == 1).count();
                let kept = match kind {
                    FeatureKind::Categorical { levels, .. } => levels.as_slice(),
                    _ => return Self { single, ..seen },
                };
                // Both are sorted.
                let count = |level: &String| {
                    let at = levels.binary_search_by(|(other, _)| other.as_ref().cmp(level.as_str()));
                    at.map_or(0, |at| levels[at].1 as usize)
                };
                Self { single, levels: kept.iter().map(count).collect(), ..seen }
            }
            (Holds::Flags([no, yes]), _) => Self { levels: vec![*no as usize, *yes as usize], ..seen },
            (Holds::Times(times), _) if times.style != TimeStyle::Clock => {
                Self { dates: times.seconds.range().map(|(first, last)| [first, last]), ..seen }
            }
            _ => seen,
        }
    }

    fn with_numbers(mut self, numbers: &NumberSummary) -> Self {
        let cumulated = numbers.counts.cumulated();
        let (Some((low, high)), Some(&(_, all))) = (numbers.moments.range(), cumulated.last()) else {
            return self;
        };
        // The number of this rank, of which those up to it are counted.
        let point = |percent: u64| {
            let rank = (all - 1) * percent / 100;
            cumulated[cumulated.partition_point(|(_, up_to)| *up_to <= rank)]
        };
        let [tenth, middle, ninetieth] = [10, 50, 90].map(point);
        self.points = Some([low, tenth.0, middle.0, ninetieth.0, high]);
        let between = [tenth.1, middle.1 - tenth.1, ninetieth.1 - middle.1, all - ninetieth.1];
        self.between = between.map(|count| count as usize);
        self.logs = numbers.logs;
        self
    }

    /// Rows with a value.
    pub(super) fn cells(&self) -> usize {
        self.rows.saturating_sub(self.missing)
    }

    /// Dates before the first of these, or after the second, are far from all that training saw.
    pub(super) fn near_dates(&self) -> Option<[f64; 2]> {
        let [first, last] = self.dates?;
        let far = (last - first).clamp(FAR_DATES[0], FAR_DATES[1]);
        Some([first - far, last + far])
    }
}

/// What a table to be scored holds in a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub(super) missing: usize,
    pub(super) cells: usize,
    /// The lowest and the highest number or date.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Cells below the lowest point of training, up to each of the others, and above the highest.
    pub(super) shares: [usize; 6],
    pub(super) logs: Logs,
    /// Cells of each category of training, or that are false and true.
    pub(super) levels: Vec<usize>,
    /// Cells of other categories, by their names as long as these are few.
    pub(super) new: usize,
    pub(super) new_levels: BTreeMap<String, usize>,
    /// Dates long before and long after those of training.
    pub(super) far: [usize; 2],
}

impl Default for Tally {
    fn default() -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (levels, new_levels) = (Vec::new(), BTreeMap::new());
        let (shares, logs) = ([0; 6], Logs::default());
        Self { missing: 0, cells: 0, low, high, shares, logs, levels, new: 0, new_levels, far: [0; 2] }
    }
}

impl Tally {
    pub(super) fn of(feature: &Feature, values: &Values) -> Self {
        let missing = values.missing();
        let mut tally = Self { missing, cells: values.len() - missing, ..Self::default() };
        if let Some(points) = feature.seen.as_ref().and_then(|seen| seen.points) {
            match values {
                // The points were numbers of the same kind, which go back without a loss.
                Values::Numeric(values) => tally.count(values, points.map(|point| point as f32)),
                Values::Wide(values) => tally.count(values, points),
                _ => {}
            }
        }
        match (values, &feature.kind) {
            (Values::Categorical { codes, levels }, FeatureKind::Categorical { levels: known, .. }) => {
                tally.count_levels(codes, levels, known);
            }
            (Values::Boolean(flags), FeatureKind::Boolean { .. }) => {
                let of = |flag: bool| flags.iter().filter(|cell| **cell == Some(flag)).count();
                tally.levels = vec![of(false), of(true)];
            }
            (Values::Times(times), FeatureKind::Time { .. }) => {
                if let Some(near) = feature.seen.as_ref().and_then(Seen::near_dates) {
                    tally.count_dates(&times.seconds, near);
                }
            }
            _ => {}
        }
        tally
    }

    fn count_levels(&mut self, codes: &[u32], levels: &[String], known: &[String]) {
        let mut counts = vec![0usize; levels.len()];
        let present = codes.iter().filter(|&&code| code != MISSING_CODE);
        present.for_each(|&code| counts[code as usize] += 1);
        self.levels = vec![0; known.len()];
        for (level, count) in levels.iter().zip(counts).filter(|(_, count)| *count > 0) {
            match known.binary_search(level) {
                Ok(at) => self.levels[at] += count,
                Err(_) => self.count_new(level, count),
            }
        }
    }

    fn count_new(&mut self, level: &str, count: usize) {
        self.new += count;
        if let Some(sum) = self.new_levels.get_mut(level) {
            *sum += count;
        } else if self.new_levels.len() < NEW_LEVELS {
            self.new_levels.insert(level.to_string(), count);
        }
    }

    fn count_dates(&mut self, seconds: &[f64], [first, last]: [f64; 2]) {
        for &seconds in seconds.iter().filter(|seconds| !seconds.is_nan()) {
            self.far[0] += usize::from(seconds < first);
            self.far[1] += usize::from(seconds > last);
            self.low = self.low.min(seconds);
            self.high = self.high.max(seconds);
        }
    }

    /// Counts numbers between five points, side by side so that several are compared at a time. NaN is nowhere.
    fn count<T: PartialOrd + Single>(&mut self, numbers: &[T], points: [T; 5]) {
        for block in numbers.chunks(BLOCK) {
            let (mut below, mut up_to, mut all) = (0u32, [0u32; 4], 0u32);
            let Some(&first) = block.iter().find(|x| x.partial_cmp(x).is_some()) else { continue };
            let (mut low, mut high) = (first, first);
            for &x in block {
                below += u32::from(x < points[0]);
                for (count, &point) in up_to.iter_mut().zip(&points[1..]) {
                    *count += u32::from(x <= point);
                }
                all += u32::from(x.partial_cmp(&x).is_some());
                low = if x < low { x } else { low };
                high = if x > high { x } else { high };
            }
            self.logs.count(block);
            let [tenth, middle, ninetieth, highest] = up_to;
            let shares = [
                below,
                tenth - below,
                middle - tenth,
                ninetieth - middle,
                highest - ninetieth,
                all - highest,
            ];
            self.shares.iter_mut().zip(shares).for_each(|(sum, more)| *sum += more as usize);
            self.low = self.low.min(low.into());
            self.high = self.high.max(high.into());
        }
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        self.missing += other.missing;
        self.cells += other.cells;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.shares.iter_mut().zip(other.shares).for_each(|(sum, more)| *sum += more);
        self.logs.merge(&other.logs);
        self.levels.resize(self.levels.len().max(other.levels.len()), 0);
        self.levels.iter_mut().zip(&other.levels).for_each(|(sum, more)| *sum += more);
        let named: usize = other.new_levels.values().sum();
        other.new_levels.iter().for_each(|(level, &count)| self.count_new(level, count));
        self.new += other.new - named;
        self.far.iter_mut().zip(other.far).for_each(|(sum, more)| *sum += more);
    }
}
