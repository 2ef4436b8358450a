//! Columns that hold something else than in training: other units, other names of levels, other years, hardly any cells.
//!
//! A difference is told where it is large and far beyond what rows drawn from the same place would show.
//!
//! Numbers are compared by the shares of cells below, between and above five points of training (lowest, 10 %, 50 %, 90 %,
//! highest). Half the sum of the differences of shares is the total variation distance, 0 for equal shares and 1 for cents in
//! place of dollars, either way round. Where numbers span many powers of ten, or most are 0, cents lie among the dollars. But other
//! units shift all logarithms by the same amount, so the mean of log₂ |x| is compared, too, where its spread is the same. Categories that are new are expected as often as training had cells whose category came
//! once (I. J. Good, "The population frequencies of species and the estimation of population parameters", Biometrika 40, 1953).
//! A category that training had often and that is gone, with a new one that comes as often, was renamed. Dates are far where they are beyond
//! those of training by more than these span.

use super::{Feature, FeatureKind, Seen, Tally};
use crate::column_rule::ColumnRule;
use crate::column_summary::Logs;
use crate::shares::Shares;
use serde::Serialize;

/// What is said of columns of new rows.
pub(crate) static RULE: ColumnRule = ColumnRule {
    name: "changed since training",
    finds: "a column of new rows with other units, missing cells, categories or dates than in training; named in a warning",
    constants: &[
        ("FEW_CELLS", FEW_CELLS as f64),
        ("FEW_TRAINED", FEW_TRAINED as f64),
        ("LARGE_SHARE", LARGE_SHARE),
        ("LARGE_DISTANCE", LARGE_DISTANCE),
        ("CELLS_OF_DISTANCE", CELLS_OF_DISTANCE as f64),
        ("FAR_OFF", FAR_OFF),
        ("RENAMED_SHARE", RENAMED_SHARE),
        ("RENAMED_RATIO", RENAMED_RATIO),
        ("LARGE_FACTOR", LARGE_FACTOR),
        ("SAME_SPREAD", SAME_SPREAD),
    ],
    evidence: "benches/tables/README.md (alarms.py)",
};

/// Fewer cells than this tell nothing,
pub(super) const FEW_CELLS: usize = 20;
/// and of training fewer than this.
pub(super) const FEW_TRAINED: usize = 50;
/// A share of cells outside of the range, or beyond the missing cells or new categories that are expected, that is worth a word.
const LARGE_SHARE: f64 = 0.2;
/// A total variation distance that is.
const LARGE_DISTANCE: f64 = 0.6;
/// Cells from which the distance is looked at.
const CELLS_OF_DISTANCE: usize = 50;
/// How many standard errors a mean must be off,
const FAR_OFF: f64 = 4.0;
/// and the chance of a share that far off: of a normal variable beyond four standard errors.
const FAR_OFF_CHANCE: f64 = 6.334e-5;
/// A category with a smaller share is not told to be renamed.
const RENAMED_SHARE: f64 = 0.05;
/// The new name comes between half and twice as often as the old one did.
const RENAMED_RATIO: f64 = 2.0;
/// A shift of the mean of log₂ |x| that is worth a word: a factor of 8.
const LARGE_FACTOR: f64 = 3.0;
/// The largest ratio of two spreads of log₂ |x| that are the same.
const SAME_SPREAD: f64 = 1.5;

/// By which factor numbers are larger than others, where all of them seem to be.
fn factor_over(logs: &Logs, before: &Logs) -> Option<f64> {
    let (n, m) = (logs.numbers as f64, before.numbers as f64);
    if n < FEW_CELLS as f64 || m < FEW_TRAINED as f64 {
        return None;
    }
    let ((mean, spread), (mean_before, spread_before)) = (logs.moments(), before.moments());
    let larger = spread.max(spread_before);
    let same = larger <= SAME_SPREAD * spread.min(spread_before);
    let uncertain = FAR_OFF * larger * (1.0 / n + 1.0 / m).sqrt();
    (same && (mean - mean_before).abs() >= LARGE_FACTOR.max(uncertain)).then(|| (mean - mean_before).exp2())
}

/// A column that holds something else than in training, with the numbers of both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnShift {
    /// The name in the header.
    pub column: String,
    /// What is different.
    #[serde(flatten)]
    pub shift: Shift,
}

/// What is different from training.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shift", rename_all = "kebab-case")]
pub enum Shift {
    /// Many numbers are outside of training's.
    Range {
        /// How many are.
        outside: usize,
        /// Of how many.
        cells: usize,
        /// The lowest and the highest of training.
        training: [f64; 2],
        /// The lowest and the highest here.
        here: [f64; 2],
    },
    /// Numbers are within the range, but most are in another part of it.
    Values {
        /// The total variation distance of the shares between the points of training.
        distance: f64,
        /// How many numbers there are.
        cells: usize,
        /// Of training, the 10 % and the 90 % point.
        training: [f64; 2],
        /// The lowest and the highest here.
        here: [f64; 2],
    },
    /// All numbers seem to be larger or smaller by a factor.
    Factor {
        /// The ratio of numbers here to those of training.
        factor: f64,
        /// How many numbers there are, without those that are 0.
        cells: usize,
        /// Of training, the lowest and the highest.
        training: [f64; 2],
        /// The lowest and the highest here.
        here: [f64; 2],
    },
    /// Far more cells are missing.
    Missing {
        /// How many are.
        missing: usize,
        /// Of how many.
        rows: usize,
        /// The share of missing cells in training.
        training: f64,
    },
    /// Many categories are new.
    Levels {
        /// Cells whose category training never saw.
        unseen: usize,
        /// Of how many.
        cells: usize,
    },
    /// A frequent category is gone, and a new one comes about as often.
    Renamed {
        /// What it was called,
        from: String,
        /// and what it may be called now.
        to: String,
        /// The share of cells that had it in training.
        training: f64,
        /// The share of cells that have the new one here.
        here: f64,
    },
    /// Many dates are long before or long after all of training.
    Dates {
        /// How many are.
        far: usize,
        /// Of how many.
        cells: usize,
        /// The first and the last of training, in seconds since 1970.
        training: [f64; 2],
        /// The first and the last here.
        here: [f64; 2],
    },
}

/// What is different in a column, of which so many cells hold a category that training never saw.
pub(super) fn shift(feature: &Feature, seen: &Seen, tally: &Tally, unseen: usize) -> Option<Shift> {
    let rows = tally.missing + tally.cells;
    if rows < FEW_CELLS || seen.rows < FEW_TRAINED {
        return None;
    }
    let cells = tally.cells;
    if is_more(tally.missing, rows, seen.missing, seen.rows) {
        let training = seen.missing as f64 / seen.rows as f64;
        return Some(Shift::Missing { missing: tally.missing, rows, training });
    }
    if cells < FEW_CELLS || seen.cells() < FEW_TRAINED {
        return None;
    }
    // A category that came once was one row, and had it not been there, one that is new.
    if 2 * unseen > cells && is_more(unseen, cells, seen.single, seen.cells()) {
        return Some(Shift::Levels { unseen, cells });
    }
    if let FeatureKind::Categorical { levels, rest: false } = &feature.kind
        && let Some(renamed) = renamed(levels, seen, tally)
    {
        return Some(renamed);
    }
    let far = tally.far[0] + tally.far[1];
    if let Some(training) = seen.dates
        && is_more(far, cells, 0, seen.cells())
    {
        return Some(Shift::Dates { far, cells, training, here: [tally.low, tally.high] });
    }
    let points = seen.points?;
    let [low, tenth, middle, ninetieth, high] = points;
    let (training, here) = ([low, high], [tally.low, tally.high]);
    let outside = tally.shares[0] + tally.shares[5];
    // Two of a row more than training had would be its lowest or its highest.
    if is_more(outside, cells, 2, seen.cells().saturating_add(1)) {
        return Some(Shift::Range { outside, cells, training, here });
    }
    let sample = seen.between.iter().map(|&cells| cells as f64).sum::<f64>().max(1.0);
    let share = |place: usize| match place {
        0 | 5 => 0.0,
        place => seen.between[place - 1] as f64 / sample,
    };
    let gap = |place: usize| (tally.shares[place] as f64 / cells as f64 - share(place)).abs();
    let distance = (0..6).map(gap).sum::<f64>() / 2.0;
    // Of numbers that are mostly a few values, any other selection of rows has other shares.
    let spread = low < tenth && tenth < middle && middle < ninetieth && ninetieth < high;
    if spread && cells >= CELLS_OF_DISTANCE && distance >= LARGE_DISTANCE {
        return Some(Shift::Values { distance, cells, training: [tenth, ninetieth], here });
    }
    let factor = factor_over(&tally.logs, &seen.logs)?;
    Some(Shift::Factor { factor, cells: tally.logs.numbers as usize, training, here })
}

/// The most frequent category of training that does not come, and the most frequent new one, where they come about as often.
fn renamed(levels: &[String], seen: &Seen, tally: &Tally) -> Option<Shift> {
    if seen.levels.len() != levels.len() || tally.levels.len() != levels.len() {
        return None;
    }
    let gone = (0..levels.len()).filter(|&at| tally.levels[at] == 0).max_by_key(|&at| seen.levels[at])?;
    let (to, &count) = tally.new_levels.iter().max_by_key(|(_, count)| **count)?;
    let (before, after) =
        (Shares::of_counts(seen.levels[gone], seen.cells(), 0, tally.cells), is_new(count, seen, tally));
    let (training, here) = (before.share_before(), after.share_now());
    let alike = here <= RENAMED_RATIO * training && training <= RENAMED_RATIO * here;
    let is_far_off = |shares: Shares| shares.p_value(0.0) * levels.len() as f64 <= FAR_OFF_CHANCE;
    (training >= RENAMED_SHARE && alike && is_far_off(before) && is_far_off(after)).then(|| Shift::Renamed {
        from: levels[gone].clone(),
        to: to.clone(),
        training,
        here,
    })
}

/// Cells of new categories next to those of training whose category came once.
fn is_new(count: usize, seen: &Seen, tally: &Tally) -> Shares {
    Shares::of_counts(seen.single, seen.cells(), count, tally.cells)
}

/// Whether `found` of `all` is a far larger share than `before` of `all_before`, by more than both are uncertain.
fn is_more(found: usize, all: usize, before: usize, all_before: usize) -> bool {
    // One more of either kind: a share of 0 is uncertain, too.
    let shares = Shares::of_counts(before + 1, all_before + 2, found, all);
    let expected = shares.share_before();
    let rows = 1.0 / all as f64 + 1.0 / all_before as f64;
    shares.difference() >= LARGE_SHARE.max(FAR_OFF * (expected * (1.0 - expected) * rows).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column_summary::ColumnSummary;
    use onesided_table::Values;

    /// 1, …, 100 dollars and ten missing cells.
    fn prices() -> Values {
        Values::Numeric((0..110).map(|row| if row < 100 { (row + 1) as f32 } else { f32::NAN }).collect())
    }

    fn feature(values: &Values) -> Feature {
        let kind = FeatureKind::Numeric { mean: 0.0, scale: 1.0, wide: false };
        Feature {
            seen: Some(Seen::of(&ColumnSummary::of(values), &kind)),
            ..Feature::new("price".to_string(), kind)
        }
    }

    fn of(feature: &Feature, values: &Values, unseen: usize) -> Option<Shift> {
        shift(feature, feature.seen.as_ref()?, &Tally::of(feature, values), unseen)
    }

    #[test]
    fn training_is_kept_in_a_few_numbers() {
        let prices = prices();
        let seen = feature(&prices).seen.unwrap();
        assert_eq!((seen.rows, seen.missing), (110, 10));
        // The points are those of rank 0, 9, 49, 89 and 99 of 0 … 99.
        assert_eq!(seen.points, Some([1.0, 10.0, 50.0, 90.0, 100.0]));
        assert_eq!(seen.between, [10, 40, 40, 10]);
        let json = serde_json::to_string(&seen).unwrap();
        assert_eq!(serde_json::from_str::<Seen>(&json).unwrap(), seen);
    }

    #[test]
    fn other_units_are_told_either_way_round() {
        let feature = feature(&prices());
        assert_eq!(of(&feature, &prices(), 0), None);
        let times = |factor: f32| Values::Numeric((1..=50).map(|x| 2.0 * x as f32 * factor).collect());
        assert_eq!(of(&feature, &times(1.0), 0), None);
        // 200, 400, …, 10000 cents: none of them is a price up to 100.
        let range = Shift::Range { outside: 50, cells: 50, training: [1.0, 100.0], here: [200.0, 10_000.0] };
        assert_eq!(of(&feature, &times(100.0), 0), Some(range));
        // 0.2, …, 10: four below 1, the others up to the 10 % point, which is 1/10 of training.
        let Some(Shift::Values { distance, .. }) = of(&feature, &times(0.1), 0) else { panic!("no shift") };
        assert!((distance - (0.08 + (0.92 - 0.1) + 0.4 + 0.4 + 0.1) / 2.0).abs() < 1e-12, "{distance}");
    }

    /// Numbers that span many powers of ten: 2 to the power of 20 times something between -1 and 1, of which a third is 0.
    fn long_tailed(rows: usize, factor: f32) -> Values {
        let of = |row: usize| {
            let even = (row * 7 % 101) as f32 / 50.0 - 1.0;
            if row.is_multiple_of(3) { 0.0 } else { factor * (20.0 * even).exp2() }
        };
        Values::Numeric((0..rows).map(of).collect())
    }

    #[test]
    fn other_units_of_numbers_with_a_long_tail_are_told() {
        let trained = feature(&long_tailed(600, 1.0));
        assert_eq!(of(&trained, &long_tailed(300, 1.0), 0), None);
        assert_eq!(of(&trained, &long_tailed(300, 4.0), 0), None);
        for factor in [100.0, 0.01] {
            let Some(Shift::Factor { factor: found, cells, .. }) = of(&trained, &long_tailed(300, factor), 0)
            else {
                panic!("no shift by {factor}")
            };
            // The logarithm is .09 off at most, on average far less.
            assert!((found / f64::from(factor)).log2().abs() < 0.05 && cells == 200, "{found}, {cells}");
        }
        // Another spread is another thing, not another unit.
        let flat = Values::Numeric((0..300).map(|row| 5e4 + row as f32).collect());
        assert_eq!(of(&trained, &flat, 0), None);
    }

    #[test]
    fn few_cells_tell_nothing() {
        let feature = feature(&prices());
        let cents = |rows: usize| Values::Numeric(vec![5_000.0; rows]);
        assert_eq!(of(&feature, &cents(19), 0), None);
        assert!(of(&feature, &cents(20), 0).is_some());
    }

    #[test]
    fn missing_cells_and_new_levels_are_told_beyond_what_training_had() {
        let feature = feature(&prices());
        let with_missing = |missing: usize| {
            Values::Numeric((1..=100).map(|x| if x <= missing { f32::NAN } else { x as f32 }).collect())
        };
        // 11 of 112 are expected.
        assert_eq!(of(&feature, &with_missing(29), 0), None);
        let missing = Shift::Missing { missing: 30, rows: 100, training: 10.0 / 110.0 };
        assert_eq!(of(&feature, &with_missing(30), 0), Some(missing));
        let words = |different: u32| Values::Categorical {
            codes: (0..100).map(|row| row % different).collect(),
            levels: (0..different).map(|level| format!("{level:03}")).collect(),
        };
        let kind = FeatureKind::Categorical { levels: Vec::new(), rest: false };
        let seen = |values: &Values| Seen::of(&ColumnSummary::of(values), &kind);
        let colors = Feature { seen: Some(seen(&words(5))), ..feature.clone() };
        assert_eq!(of(&colors, &words(5), 50), None);
        assert_eq!(of(&colors, &words(5), 51), Some(Shift::Levels { unseen: 51, cells: 100 }));
        // 90 of 100 cells had their own word: most are new ever after.
        let names = Feature { seen: Some(Seen { single: 90, ..seen(&words(5)) }), ..feature };
        assert_eq!(of(&names, &words(5), 95), None);
    }

    #[test]
    fn pieces_add_up() {
        let feature = feature(&prices());
        let mut sum = Tally::of(&feature, &Values::Numeric(vec![0.5, 7.0, f32::NAN]));
        sum.add(&Tally::of(&feature, &Values::Numeric(vec![60.0, 101.0])));
        let whole = Tally::of(&feature, &Values::Numeric(vec![0.5, 7.0, f32::NAN, 60.0, 101.0]));
        assert_eq!(sum, whole);
        assert_eq!((sum.low, sum.high, sum.shares), (0.5, 101.0, [1, 1, 0, 1, 0, 1]));
    }
}
