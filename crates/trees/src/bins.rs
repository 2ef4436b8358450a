//! Values sorted into bins, once for every tree.

use crate::TreesError;
use crate::away::Away;
use crate::code_set::contains;
use crate::packed::PackedRows;
use crate::split::Cut;
use crate::threads::in_threads;
use onesided_data::{ColumnKind, Columns, Matrix, Phase, available_threads};
use std::borrow::Cow;
use std::sync::Arc;

/// What boosting keeps of a row besides its cells: its number in a few lists, a score, two derivatives.
pub const BYTES_PER_ROW: u64 = 50;

/// The most bins of values; one more holds what is missing.
pub(crate) const MOST_BINS: usize = 255;
/// Rows below which a table has at most this many bins: with the one of what is missing, a histogram of 64, or of 128.
const FEW_BINS: [(usize, usize); 2] = [(1_500, 63), (4_000, 127)];
/// Rows that edges are chosen from, evenly spaced through the data: more would not move a quantile that matters.
const ROWS_FOR_EDGES: usize = 200_000;
/// Columns that share a cache line of the matrix, and are binned together.
const COLUMNS_AT_ONCE: usize = 16;

/// Rows below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 50_000;

/// A matrix as bin numbers: feature after feature, or row after row where there are many ([`BinnedBuilder`](crate::BinnedBuilder)).
///
/// A feature with few distinct values gets a bin for each, with edges halfway between neighbors; one with more gets bins
/// of nearly equal numbers of rows: at most 255 of them, fewer in short tables. Of categories, the 254 most frequent have
/// a bin each, and the others share one until training rows give them an order ([`ordered`](Binned::ordered)). What is missing
/// has its own bin, the last. Labels take no part, so one `Binned` serves every fold of a cross-fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Binned {
    rows: usize,
    features: Vec<Feature>,
    bins: Arc<Cells>,
    /// Codes of the rows of features with more levels than bins; empty where there is none.
    codes: Vec<Option<Arc<Codes>>>,
    /// Bins that stand in place of others; empty where there are none.
    own: Vec<Option<Vec<u8>>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Cells {
    Columns(Vec<u8>),
    Rows(PackedRows),
    /// Workers hold them.
    Away(Away),
}

/// The codes of a column of categories, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Codes {
    /// The last number is what is missing.
    Short(Vec<u16>),
    /// The last number is what is missing.
    Long(Vec<u32>),
}

impl Codes {
    /// No rows, of a column with this many levels.
    pub fn none(levels: u32) -> Self {
        if levels < u32::from(u16::MAX) { Codes::Short(Vec::new()) } else { Codes::Long(Vec::new()) }
    }

    /// The next row's code, NaN where it is missing.
    pub fn push(&mut self, code: f32) {
        match self {
            Codes::Short(codes) => codes.push(if code.is_nan() { u16::MAX } else { code as u16 }),
            Codes::Long(codes) => codes.push(if code.is_nan() { u32::MAX } else { code as u32 }),
        }
    }

    /// Those of a column, where it has more levels than bins.
    pub fn of(columns: &Columns, col: usize, feature: &Feature) -> Option<Arc<Codes>> {
        let Feature::Categories { others, .. } = feature else { return None };
        let ColumnKind::Categories { levels } = columns.kinds[col] else { return None };
        if others.is_empty() {
            return None;
        }
        let mut codes = Codes::none(levels);
        (0..columns.matrix.rows()).for_each(|row| codes.push(columns.matrix.row(row)[col]));
        Some(Arc::new(codes))
    }

    /// The code of a row; `None` where it is missing.
    pub fn at(&self, row: usize) -> Option<usize> {
        match self {
            Codes::Short(codes) => Some(codes[row]).filter(|&code| code != u16::MAX).map(usize::from),
            Codes::Long(codes) => Some(codes[row]).filter(|&code| code != u32::MAX).map(|code| code as usize),
        }
    }

    /// The number that stands for what is missing.
    pub fn missing(&self) -> u32 {
        match self {
            Codes::Short(_) => u32::from(u16::MAX),
            Codes::Long(_) => u32::MAX,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Codes::Short(codes) => codes.len(),
            Codes::Long(codes) => codes.len(),
        }
    }
}

/// The bins of a feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bins<'b> {
    /// From the first row's on.
    bytes: &'b [u8],
    /// How far it is to the next row's.
    step: usize,
}

impl Bins<'_> {
    /// The bin of a row.
    #[inline]
    pub fn at(self, row: u32) -> u8 {
        self.bytes[row as usize * self.step]
    }
}

/// How a feature was sorted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Feature {
    /// Ascending edges: bin b holds values in (edge b-1, edge b\].
    Numbers(Vec<f32>),
    /// The codes that have their own bin, bin after bin; `others` share the next one.
    Categories { of_bins: Vec<u32>, others: Vec<u32> },
    /// The bin of each code: neighbors among levels that were put in an order.
    Ordered { of_level: Vec<u8>, bins: usize },
}

impl Feature {
    /// How many bins of values there are; the next number is that of missing ones.
    pub fn value_bins(&self) -> usize {
        match self {
            Feature::Numbers(edges) => edges.len() + 1,
            Feature::Categories { of_bins, others } => {
                (of_bins.len() + usize::from(!others.is_empty())).max(1)
            }
            Feature::Ordered { bins, .. } => *bins,
        }
    }

    /// The bin of what is missing.
    pub fn missing(&self) -> u8 {
        self.value_bins() as u8
    }
}

impl Binned {
    /// Bins a matrix of numbers. NaN is a missing value; infinities are refused.
    pub fn new(matrix: &Matrix) -> Result<Self, TreesError> {
        Self::of_columns(&Columns::numbers(Cow::Borrowed(matrix)), 1)
    }

    /// Bins columns of numbers and categories, with this many threads; 0 is all there are.
    pub fn of_columns(columns: &Columns, threads: usize) -> Result<Self, TreesError> {
        let matrix = columns.matrix.as_ref();
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if let Some(at) = matrix.as_slice().iter().position(|value| value.is_infinite()) {
            return Err(TreesError::Infinite { row: at / cols + 1, feature: at % cols + 1 });
        }
        let mut bins = vec![0u8; rows * cols];
        if rows == 0 || cols == 0 {
            let features = columns.kinds.iter().map(|_| Feature::Numbers(Vec::new())).collect();
            return Ok(Self::new_of(rows, features, Cells::Columns(bins)));
        }
        let threads = if threads == 0 { available_threads() } else { threads };
        // Whole groups of neighboring columns for each thread.
        let share = cols.div_ceil(COLUMNS_AT_ONCE).div_ceil(threads) * COLUMNS_AT_ONCE;
        let parts = bins.chunks_mut(share * rows).enumerate();
        let phase = Phase::new("sorting into bins", cols as u64, "columns");
        let work = |(number, bins): (usize, &mut [u8])| {
            let from = number * share;
            let of = from..cols.min(from + share);
            let mut features = Vec::with_capacity(of.len());
            for start in of.clone().step_by(COLUMNS_AT_ONCE) {
                let some = start..of.end.min(start + COLUMNS_AT_ONCE);
                let place = (start - from) * rows;
                features.extend(bin_group(
                    columns,
                    some.clone(),
                    &mut bins[place..place + some.len() * rows],
                ));
                phase.add(some.len() as u64);
            }
            features
        };
        let features: Vec<Feature> = std::thread::scope(|scope| {
            let workers: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
            let joined = workers.into_iter().map(|worker| worker.join());
            joined.flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let codes = features.iter().enumerate().map(|(col, feature)| Codes::of(columns, col, feature));
        let codes = codes.collect();
        Ok(Self::new_of(rows, features, Cells::Columns(bins)).with_codes(codes))
    }

    fn new_of(rows: usize, features: Vec<Feature>, bins: Cells) -> Self {
        Self { rows, features, bins: Arc::new(bins), codes: Vec::new(), own: Vec::new() }
    }

    /// With the codes of features that have more levels than bins.
    pub(crate) fn with_codes(self, codes: Vec<Option<Arc<Codes>>>) -> Self {
        Self { codes: if codes.iter().any(Option::is_some) { codes } else { Vec::new() }, ..self }
    }

    /// The codes of a feature that has more levels than bins.
    pub(crate) fn codes(&self, feature: usize) -> Option<&Codes> {
        self.codes.get(feature)?.as_deref()
    }

    /// The features that have more levels than bins.
    pub(crate) fn many_levels(&self) -> impl Iterator<Item = usize> {
        self.codes.iter().enumerate().filter(|(_, codes)| codes.is_some()).map(|(feature, _)| feature)
    }

    /// The bins that stand in place of a feature's.
    pub(crate) fn own(&self, feature: usize) -> Option<&[u8]> {
        self.own.get(feature)?.as_deref()
    }

    /// Bins of values that a feature's histogram has room for. Levels with an order have that of levels without, so that
    /// features stay in their places.
    pub(crate) fn room(&self, feature: usize) -> usize {
        match &self.features[feature] {
            Feature::Ordered { .. } => MOST_BINS,
            other => other.value_bins(),
        }
    }

    /// Puts other bins in place of a feature's.
    pub(crate) fn replace(&mut self, feature: usize, kind: Feature, bins: Vec<u8>) {
        self.features[feature] = kind;
        self.own.resize(self.features.len(), None);
        self.own[feature] = Some(bins);
    }

    /// Rows that were packed.
    pub(crate) fn packed(rows: usize, features: Vec<Feature>, packed: PackedRows) -> Self {
        Self::new_of(rows, features, Cells::Rows(packed))
    }

    /// About how many bytes boosting on this many rows takes: numbers of rows in a few lists, scores, derivatives, and the bins
    /// row by row where they are not packed.
    pub fn bytes_to_grow(&self, rows: usize) -> u64 {
        let laid_out =
            if self.rows_packed().is_some() || self.is_away() { 0 } else { self.features() as u64 };
        (BYTES_PER_ROW + laid_out).saturating_mul(rows as u64)
    }

    /// The rows, where they are packed.
    pub(crate) fn rows_packed(&self) -> Option<&PackedRows> {
        match self.bins.as_ref() {
            Cells::Rows(packed) => Some(packed),
            Cells::Columns(_) | Cells::Away(_) => None,
        }
    }

    /// Rows that workers hold.
    pub(crate) fn in_workers(features: Vec<Feature>, away: Away) -> Self {
        Self::new_of(away.rows(), features, Cells::Away(away))
    }

    /// The same rows where workers have put levels in another order.
    pub(crate) fn held_by(self, away: Away) -> Self {
        Self { bins: Arc::new(Cells::Away(away)), ..self }
    }

    /// The workers that hold the rows, where some do.
    pub(crate) fn away(&self) -> Option<&Away> {
        match self.bins.as_ref() {
            Cells::Away(away) => Some(away),
            Cells::Columns(_) | Cells::Rows(_) => None,
        }
    }

    /// Whether workers hold the rows: one run of boosting at a time.
    pub fn is_away(&self) -> bool {
        self.away().is_some()
    }

    /// Refuses rows that workers hold.
    pub(crate) fn check_here(&self) -> Result<(), TreesError> {
        if self.is_away() { Err(TreesError::Away) } else { Ok(()) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// That rows are among those there are.
    pub(crate) fn check_rows(&self, rows: &[u32]) -> Result<(), TreesError> {
        match rows.iter().find(|&&row| row as usize >= self.rows) {
            Some(&row) => Err(TreesError::NoSuchRow { row, rows: self.rows }),
            None => Ok(()),
        }
    }

    /// The bins of a feature.
    pub(crate) fn feature(&self, feature: usize) -> Bins<'_> {
        if let Some(bytes) = self.own(feature) {
            return Bins { bytes, step: 1 };
        }
        match self.bins.as_ref() {
            Cells::Columns(bins) => {
                Bins { bytes: &bins[feature * self.rows..(feature + 1) * self.rows], step: 1 }
            }
            Cells::Rows(packed) => {
                let (bytes, step) = packed.feature(feature);
                Bins { bytes, step }
            }
            // Who looks at cells here has asked whether they are.
            Cells::Away(_) => Bins { bytes: &[], step: 1 },
        }
    }

    /// Where a cut of a feature sends a row.
    #[inline]
    pub(crate) fn goes_left(&self, feature: u32, cut: &Cut, row: u32) -> bool {
        match cut {
            Cut::Levels { set, missing_left } => self
                .codes(feature as usize)
                .and_then(|codes| codes.at(row as usize))
                .map_or(*missing_left, |code| contains(set, code as u32)),
            cut => cut.goes_left(self.feature(feature as usize).at(row)),
        }
    }

    /// For each feature a value of each bin; nothing where a feature has more levels than bins, so that rows go by their codes.
    pub(crate) fn values_of_bins(&self) -> Option<Vec<[f32; 256]>> {
        let of_feature = |feature: usize| {
            // What is in no bin is in no set of levels, and above every edge.
            let mut values = [f32::MAX; 256];
            let kind = &self.features[feature];
            match kind {
                Feature::Numbers(edges) => values[..edges.len()].copy_from_slice(edges),
                Feature::Categories { of_bins, others } => {
                    let codes = of_bins.iter().chain(others.first());
                    values.iter_mut().zip(codes).for_each(|(value, &code)| *value = code as f32);
                }
                Feature::Ordered { .. } => return None,
            }
            values[usize::from(kind.missing())] = f32::NAN;
            self.codes(feature).is_none().then_some(values)
        };
        (0..self.features()).map(of_feature).collect()
    }

    /// How a feature was sorted.
    pub(crate) fn kind(&self, feature: usize) -> &Feature {
        &self.features[feature]
    }

    /// The largest value that goes left when a feature of numbers is split after `bin`: after the last, any value.
    pub(crate) fn edge(&self, feature: usize, bin: u8) -> f32 {
        match &self.features[feature] {
            Feature::Numbers(edges) => edges.get(usize::from(bin)).copied().unwrap_or(f32::MAX),
            Feature::Categories { .. } | Feature::Ordered { .. } => f32::from(bin),
        }
    }

    /// How many bins of values a feature has.
    #[cfg(test)]
    pub(crate) fn value_bins(&self, feature: usize) -> usize {
        self.features[feature].value_bins()
    }
}

/// The most bins of values that this many rows are worth.
fn most_bins(rows: usize) -> usize {
    FEW_BINS.iter().find(|(below, _)| rows < *below).map_or(MOST_BINS, |&(_, bins)| bins)
}

/// How a column is sorted.
fn learned(columns: &Columns, col: usize) -> Feature {
    let matrix = columns.matrix.as_ref();
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let step = rows.div_ceil(ROWS_FOR_EDGES).max(1);
    let values = || matrix.as_slice().iter().skip(col).step_by(cols).copied();
    match columns.kinds[col] {
        ColumnKind::Numbers => {
            let mut sorted: Vec<f32> = values().step_by(step).filter(|value| !value.is_nan()).collect();
            sorted.sort_unstable_by(f32::total_cmp);
            Feature::Numbers(edges_of(&sorted, most_bins(rows)))
        }
        ColumnKind::Categories { levels } => categories_of(values(), levels),
    }
}

/// How a column is sorted; infinities are refused.
pub(crate) fn feature_of(columns: &Columns, col: usize) -> Result<Feature, TreesError> {
    let matrix = columns.matrix.as_ref();
    let mut values = matrix.as_slice().iter().skip(col).step_by(matrix.cols());
    match values.position(|value| value.is_infinite()) {
        Some(row) => Err(TreesError::Infinite { row: row + 1, feature: col + 1 }),
        None => Ok(learned(columns, col)),
    }
}

/// The bins of one column.
pub(crate) fn bin_column(columns: &Columns, col: usize, feature: &Feature, threads: usize) -> Vec<u8> {
    let matrix = columns.matrix.as_ref();
    let sorter = Sorter::new(feature);
    let mut bins = vec![0u8; matrix.rows()];
    in_threads(&mut bins, threads, WORTH_A_THREAD, |bins, from| {
        for (place, row) in bins.iter_mut().zip(from..) {
            *place = sorter.bin(matrix.row(row)[col]);
        }
    });
    bins
}

/// Bins some neighboring columns, which are read together.
fn bin_group(columns: &Columns, group: std::ops::Range<usize>, bins: &mut [u8]) -> Vec<Feature> {
    let matrix = columns.matrix.as_ref();
    let rows = matrix.rows();
    let features: Vec<Feature> = group.clone().map(|col| learned(columns, col)).collect();
    let sorters: Vec<Sorter> = features.iter().map(Sorter::new).collect();
    const BLOCK: usize = 1024;
    for start in (0..rows).step_by(BLOCK) {
        let block = start..rows.min(start + BLOCK);
        for ((col, sorter), bins) in group.clone().zip(&sorters).zip(bins.chunks_mut(rows)) {
            for (place, row) in bins[block.clone()].iter_mut().zip(block.clone()) {
                *place = sorter.bin(matrix.row(row)[col]);
            }
        }
    }
    features
}

/// Finds the bin of a value.
pub(crate) enum Sorter<'f> {
    Numbers { edges: &'f [f32], missing: u8 },
    Categories { bins: Vec<u8>, missing: u8 },
}

impl<'f> Sorter<'f> {
    pub fn new(feature: &'f Feature) -> Self {
        let missing = feature.missing();
        match feature {
            Feature::Numbers(edges) => Sorter::Numbers { edges, missing },
            Feature::Categories { of_bins, others } => {
                let levels = of_bins.iter().chain(others).max().map_or(0, |&code| code as usize + 1);
                // A level that has no row goes with the others, or with what is missing where there are none.
                let mut bins = vec![missing; levels];
                of_bins.iter().enumerate().for_each(|(bin, &code)| bins[code as usize] = bin as u8);
                others.iter().for_each(|&code| bins[code as usize] = of_bins.len() as u8);
                Sorter::Categories { bins, missing }
            }
            Feature::Ordered { of_level, .. } => Sorter::Categories { bins: of_level.clone(), missing },
        }
    }

    pub fn bin(&self, value: f32) -> u8 {
        match self {
            Sorter::Numbers { missing, .. } | Sorter::Categories { missing, .. } if value.is_nan() => {
                *missing
            }
            Sorter::Numbers { edges, .. } => edges.partition_point(|&edge| edge < value) as u8,
            Sorter::Categories { bins, missing } => bins.get(value as usize).copied().unwrap_or(*missing),
        }
    }
}

/// The most frequent codes first; ties by their number.
fn categories_of(values: impl Iterator<Item = f32>, levels: u32) -> Feature {
    let mut counts = vec![0u32; levels as usize];
    values.filter(|value| !value.is_nan()).for_each(|value| {
        if let Some(count) = counts.get_mut(value as usize) {
            *count += 1;
        }
    });
    let mut of_bins: Vec<u32> = (0..levels).filter(|&code| counts[code as usize] > 0).collect();
    of_bins.sort_by_key(|&code| (std::cmp::Reverse(counts[code as usize]), code));
    let others = if of_bins.len() > MOST_BINS { of_bins.split_off(MOST_BINS - 1) } else { Vec::new() };
    Feature::Categories { of_bins, others }
}

/// Edges between at most this many bins of sorted values: one fewer than there are bins.
pub(crate) fn edges_of(sorted: &[f32], most: usize) -> Vec<f32> {
    let mut distinct: Vec<f32> = sorted.to_vec();
    distinct.dedup();
    let mut edges: Vec<f32> = if distinct.len() <= most {
        distinct.windows(2).map(|pair| halfway(pair[0], pair[1])).collect()
    } else {
        (1..most)
            .filter_map(|k| {
                let at = sorted[k * sorted.len() / most - 1];
                // The edge lies between this value and the next larger one; none above the largest.
                let next = sorted.partition_point(|&value| value <= at);
                sorted.get(next).map(|&above| halfway(at, above))
            })
            .collect()
    };
    edges.dedup();
    edges
}

/// Between two values, without overflow and never equal to the upper one.
fn halfway(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: Vec<f32>) -> Matrix {
        Matrix::new(values.len(), 1, values).unwrap()
    }

    fn bins(binned: &Binned) -> Vec<u8> {
        (0..binned.rows() as u32).map(|row| binned.feature(0).at(row)).collect()
    }

    #[test]
    fn few_values_get_a_bin_each() {
        let binned = Binned::new(&column(vec![3.0, 1.0, f32::NAN, 2.0, 1.0])).unwrap();
        assert_eq!(bins(&binned), [2, 0, 3, 1, 0]);
        assert_eq!((binned.edge(0, 0), binned.edge(0, 1), binned.value_bins(0)), (1.5, 2.5, 3));
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let binned = Binned::new(&column((0..5_100).map(|i| (i * i) as f32).collect())).unwrap();
        let mut counts = [0; MOST_BINS];
        bins(&binned).iter().for_each(|&bin| counts[usize::from(bin)] += 1);
        assert_eq!((binned.value_bins(0), counts), (MOST_BINS, [20; MOST_BINS]));
        // 126 rows have 63 bins of two.
        let short = Binned::new(&column((0..126).map(|i| i as f32).collect())).unwrap();
        assert_eq!((short.value_bins(0), bins(&short)[125]), (63, 62));
    }

    #[test]
    fn edges_keep_neighbors_apart_at_both_ends_of_the_floats() {
        for pair in [[0.0, f32::MIN_POSITIVE], [1.0, 1.0 + f32::EPSILON], [f32::MIN, f32::MAX]] {
            let binned = Binned::new(&column(pair.to_vec())).unwrap();
            assert_eq!(bins(&binned), [0, 1], "{pair:?}");
        }
        // Zeros of both signs are one value.
        assert_eq!(Binned::new(&column(vec![0.0, -0.0])).unwrap().value_bins(0), 1);
    }

    #[test]
    fn nothing_but_missing_values_is_one_empty_bin() {
        let binned = Binned::new(&column(vec![f32::NAN; 3])).unwrap();
        assert_eq!((bins(&binned), binned.value_bins(0)), (vec![1; 3], 1));
    }

    #[test]
    fn frequent_categories_come_first_and_rare_ones_share_a_bin() {
        // Code 1 three times, code 0 twice, code 2 once, code 3 never.
        let columns = |codes: Vec<f32>, levels| Columns {
            kinds: vec![ColumnKind::Categories { levels }],
            matrix: Cow::Owned(column(codes)),
        };
        let few = columns(vec![1.0, 0.0, 1.0, 2.0, f32::NAN, 1.0, 0.0], 4);
        let binned = Binned::of_columns(&few, 1).unwrap();
        assert_eq!((bins(&binned), binned.value_bins(0)), (vec![0, 1, 0, 2, 3, 0, 1], 3));
        // 1,000 levels, each as often as its number says.
        let many: Vec<f32> = (0..1_000).flat_map(|code| vec![code as f32; code / 100 + 1]).collect();
        let binned = Binned::of_columns(&columns(many, 1_000), 1).unwrap();
        assert_eq!(binned.value_bins(0), MOST_BINS);
        assert_eq!((bins(&binned)[0], *bins(&binned).last().unwrap()), (254, 99));
    }

    #[test]
    fn threads_do_not_change_bins() {
        let values = (0..40 * 300).map(|i| ((i * 7919) % 1009) as f32).collect();
        let matrix = Matrix::new(300, 40, values).unwrap();
        let columns = Columns::numbers(Cow::Borrowed(&matrix));
        let one = Binned::of_columns(&columns, 1).unwrap();
        assert!([0, 2, 3, 7].iter().all(|&threads| Binned::of_columns(&columns, threads).unwrap() == one));
    }

    #[test]
    fn an_infinite_cell_is_located() {
        let matrix = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, f32::NEG_INFINITY]).unwrap();
        let error = Binned::new(&matrix).unwrap_err().to_string();
        assert_eq!(error, "row 2, feature 2: an infinite value cannot be sorted into a bin");
    }
}
