//! How far each column of a table is from what training saw, part by part.
//!
//! A part of a column is something that a cell has or has not: it is missing, it is a number up to a point of training, a category, a new
//! category, a date long after the others. Its share of the cells is compared with that of training ([`Shares`]). What `predict`
//! and `evaluate` warn of ([`Shift`]) is the same comparison where a difference is large.

use super::shift::{FEW_CELLS, FEW_TRAINED, shift};
use super::{ColumnShift, Feature, FeatureKind, Features, Seen, Shift, Tally};
use crate::shares::Shares;
use serde::Serialize;

/// How far a column is from what training saw.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDrift {
    /// The name in the header.
    pub column: String,
    /// Its parts, before and now. None where there are too few cells, or where the model does not tell what training saw.
    pub parts: Vec<(ColumnPart, Shares)>,
    /// The total variation distance of its cells from those of training, or the change of the share that is missing if that is more: 0 for
    /// the same, 1 for cells that have nothing in common.
    pub distance: f64,
    /// What is told of it when rows are scored.
    pub shift: Option<Shift>,
}

/// What a cell has or has not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum ColumnPart {
    /// No value.
    Missing,
    /// A number below all of training.
    Below {
        /// The lowest of training.
        point: f64,
    },
    /// A number up to a point of training.
    UpTo {
        /// The point.
        point: f64,
    },
    /// A number above all of training.
    Above {
        /// The highest of training.
        point: f64,
    },
    /// A category of training.
    Level {
        /// Its name.
        level: String,
    },
    /// A category that training never saw, or in few rows.
    NewLevel,
    /// True.
    True,
    /// A date long before all of training.
    LongBefore,
    /// A date long after all of training.
    LongAfter,
}

impl ColumnDrift {
    /// How likely a column would have a part whose share is that far off, if none of the true ones differed by more than `allowed`; by
    /// Bonferroni's inequality over its parts. 1 without parts.
    pub fn p_value(&self, allowed: f64) -> f64 {
        let least = self.parts.iter().map(|(_, shares)| shares.p_value(allowed)).fold(1.0, f64::min);
        (least * self.parts.len().max(1) as f64).min(1.0)
    }

    /// The part whose share is the furthest off.
    pub fn most(&self) -> Option<&(ColumnPart, Shares)> {
        let p = |shares: &Shares| (shares.p_value(0.0), -shares.difference().abs());
        self.parts
            .iter()
            .min_by(|(_, a), (_, b)| p(a).partial_cmp(&p(b)).unwrap_or(std::cmp::Ordering::Equal))
    }
}

impl Features {
    /// How far each column of a table is from what training saw. A tally per feature, and the cells of each column whose category is new.
    pub(crate) fn drifts(&self, tallies: &[Tally], unseen: &[(String, usize)]) -> Vec<ColumnDrift> {
        let one = |(feature, tally): (&Feature, &Tally)| {
            let new = unseen.iter().find(|(name, _)| *name == feature.name).map_or(0, |(_, cells)| *cells);
            let nothing =
                ColumnDrift { column: feature.name.clone(), parts: Vec::new(), distance: 0.0, shift: None };
            match &feature.seen {
                Some(seen) => ColumnDrift {
                    shift: shift(feature, seen, tally, new),
                    ..compared(nothing, feature, seen, tally)
                },
                None => nothing,
            }
        };
        self.columns().iter().zip(tallies).map(one).collect()
    }
}

impl ColumnShift {
    /// Those that are told of when rows are scored.
    pub(crate) fn among(drifts: &[ColumnDrift]) -> Vec<ColumnShift> {
        let one = |drift: &ColumnDrift| {
            Some(ColumnShift { column: drift.column.clone(), shift: drift.shift.clone()? })
        };
        drifts.iter().filter_map(one).collect()
    }
}

fn compared(mut drift: ColumnDrift, feature: &Feature, seen: &Seen, tally: &Tally) -> ColumnDrift {
    let rows = tally.missing + tally.cells;
    if rows < FEW_CELLS || seen.rows < FEW_TRAINED {
        return drift;
    }
    let missing = Shares::of_counts(seen.missing, seen.rows, tally.missing, rows);
    drift.parts.push((ColumnPart::Missing, missing));
    drift.distance = missing.difference().abs();
    let (before, now) = (seen.cells(), tally.cells);
    if now < FEW_CELLS || before < FEW_TRAINED {
        return drift;
    }
    let shares = |of_before: usize, of_now: usize| Shares::of_counts(of_before, before, of_now, now);
    let mut cells: Vec<Shares> = Vec::new();
    match &feature.kind {
        FeatureKind::Categorical { levels, rest } if seen.levels.len() == levels.len() => {
            let kept: usize = seen.levels.iter().sum();
            // A category that came once was one row, and had it not been there, one that is new.
            let new = before.saturating_sub(kept) + if *rest { 0 } else { seen.single };
            for (at, level) in levels.iter().enumerate() {
                let of_level = shares(seen.levels[at], tally.levels.get(at).copied().unwrap_or(0));
                cells.push(of_level);
                drift.parts.push((ColumnPart::Level { level: level.clone() }, of_level));
            }
            cells.push(shares(before.saturating_sub(kept), tally.new));
            drift.parts.push((ColumnPart::NewLevel, shares(new, tally.new)));
        }
        FeatureKind::Boolean { .. } => {
            if let ([_, before], [_, now]) = (&seen.levels[..], &tally.levels[..]) {
                let of_true = shares(*before, *now);
                drift.parts.push((ColumnPart::True, of_true));
                // Those that are false differ by as much.
                cells.extend([of_true; 2]);
            }
        }
        FeatureKind::Time { .. } if seen.dates.is_some() => {
            let [long_before, long_after] = tally.far.map(|far| shares(0, far));
            drift.parts.extend([(ColumnPart::LongBefore, long_before), (ColumnPart::LongAfter, long_after)]);
            let far = shares(0, tally.far[0] + tally.far[1]);
            cells.extend([far; 2]);
        }
        _ => {
            let Some(points) = seen.points else { return drift };
            let [low, .., high] = points;
            // Two of a row more than training had would be its lowest or its highest.
            drift.parts.push((ColumnPart::Below { point: low }, shares(1, tally.shares[0])));
            drift.parts.push((ColumnPart::Above { point: high }, shares(1, tally.shares[5])));
            cells.extend([shares(0, tally.shares[0]), shares(0, tally.shares[5])]);
            // Of very many numbers a part is counted, which stands for all.
            let counted = seen.between.iter().sum::<usize>().max(1) as f64;
            let of_all = |between: usize| between as f64 * before as f64 / counted;
            let shares = |before: f64, now: usize| Shares { before, ..shares(0, now) };
            let (mut up_to, mut up_to_now) = (0, tally.shares[0]);
            for (at, &between) in seen.between.iter().enumerate() {
                cells.push(shares(of_all(between), tally.shares[at + 1]));
                up_to += between;
                up_to_now += tally.shares[at + 1];
                if at < 3 {
                    drift
                        .parts
                        .push((ColumnPart::UpTo { point: points[at + 1] }, shares(of_all(up_to), up_to_now)));
                }
            }
        }
    }
    let variation = cells.iter().map(|shares| shares.difference().abs()).sum::<f64>() / 2.0;
    drift.distance = drift.distance.max(variation);
    drift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column_summary::ColumnSummary;
    use onesided_table::{Column, DAY, Frame, Moment, Values};

    fn feature(kind: FeatureKind, values: &Values) -> Feature {
        let seen = Some(Seen::of(&ColumnSummary::of(values), &kind));
        Feature { seen, ..Feature::new("x".to_string(), kind) }
    }

    fn drift(feature: &Feature, values: &Values) -> ColumnDrift {
        let nothing = ColumnDrift { column: String::new(), parts: Vec::new(), distance: 0.0, shift: None };
        let (seen, tally) = (feature.seen.as_ref().unwrap(), Tally::of(feature, values));
        ColumnDrift { shift: shift(feature, seen, &tally, 0), ..compared(nothing, feature, seen, &tally) }
    }

    fn numbers(rows: usize, of: impl Fn(usize) -> f32) -> (Feature, Values) {
        let values = Values::Numeric((0..rows).map(of).collect());
        let kind = FeatureKind::Numeric { mean: 0.0, scale: 1.0, wide: false };
        (feature(kind, &values), values)
    }

    fn colors(counts: [usize; 3], third: &str) -> Values {
        let codes = counts.iter().enumerate().flat_map(|(code, &count)| vec![code as u32; count]).collect();
        Values::Categorical { codes, levels: ["blue", "green", third].map(str::to_string).to_vec() }
    }

    fn colored() -> Feature {
        let levels = ["blue", "green", "red"].map(str::to_string).to_vec();
        feature(FeatureKind::Categorical { levels, rest: false }, &colors([500, 300, 200], "red"))
    }

    #[test]
    fn the_same_numbers_have_not_drifted_and_larger_ones_have_in_the_part_that_moved() {
        let (feature, values) = numbers(1_000, |row| row as f32);
        let same = drift(&feature, &values);
        assert_eq!((same.distance, same.p_value(0.0), same.parts.len()), (0.0, 1.0, 6));
        // Of 0, 2.54, …, up to 2537: a tenth of training is up to 99, and here 40 of 1,000.
        let inches = Values::Numeric((0..1_000).map(|row| row as f32 * 2.54).collect());
        let moved = drift(&feature, &inches);
        // Above 999 are 606, 590 of them more than the last part lost.
        assert!((moved.distance - 0.606).abs() < 0.002 && moved.p_value(0.05) < 1e-12, "{moved:?}");
        assert!(matches!(moved.most(), Some((ColumnPart::Above { point }, _)) if *point == 999.0));
        // Few cells tell nothing.
        assert_eq!(drift(&feature, &Values::Numeric(vec![5_000.0; 19])).parts, []);
        assert!(drift(&feature, &Values::Numeric(vec![5_000.0; 20])).p_value(0.05) < 1e-6);
    }

    #[test]
    fn missing_cells_are_a_part() {
        let (feature, _) = numbers(1_000, |row| if row % 10 == 0 { f32::NAN } else { row as f32 });
        let fewer =
            Values::Numeric((0..1_000).map(|row| if row % 10 < 4 { f32::NAN } else { row as f32 }).collect());
        let moved = drift(&feature, &fewer);
        assert!(
            matches!(moved.most(), Some((ColumnPart::Missing, shares)) if (shares.difference() - 0.3).abs() < 1e-12)
        );
        assert!(moved.distance >= 0.3);
    }

    #[test]
    fn a_level_that_was_renamed_is_told_and_one_that_grew_is_none() {
        let colored = colored();
        let now = drift(&colored, &colors([100, 60, 40], "rot"));
        let renamed =
            Shift::Renamed { from: "red".to_string(), to: "rot".to_string(), training: 0.2, here: 0.2 };
        assert_eq!(now.shift, Some(renamed));
        assert!((now.distance - 0.2).abs() < 1e-12);
        let grown = drift(&colored, &colors([60, 60, 80], "red"));
        assert_eq!(grown.shift, None);
        assert!(grown.p_value(0.05) < 1e-3);
        // A few rows of the old name, or a new one that comes far less often: something else happened.
        let mut both = Tally::of(&colored, &colors([100, 60, 40], "rot"));
        both.add(&Tally::of(&colored, &colors([0, 0, 2], "red")));
        assert_eq!(shift(&colored, colored.seen.as_ref().unwrap(), &both, 0), None);
        assert_eq!(drift(&colored, &colors([150, 140, 15], "rot")).shift, None);
        // 5 % is the least that is told; ten times that would miss one of 20 %.
        let rare = |red: usize| {
            let levels = ["blue", "green", "red"].map(str::to_string).to_vec();
            feature(
                FeatureKind::Categorical { levels, rest: false },
                &colors([5_000, 5_000 - red, red], "red"),
            )
        };
        assert!(drift(&rare(600), &colors([500, 440, 60], "rot")).shift.is_some());
        assert!(drift(&rare(300), &colors([500, 470, 30], "rot")).shift.is_none());
    }

    #[test]
    fn truth_values_and_dates_are_compared() {
        let flags = |yes: usize, all: usize| Values::Boolean((0..all).map(|row| Some(row < yes)).collect());
        let feature = feature(FeatureKind::Boolean { mean: 0.1, scale: 0.3 }, &flags(100, 1_000));
        assert_eq!(drift(&feature, &flags(20, 200)).p_value(0.0), 1.0);
        let more = drift(&feature, &flags(100, 200));
        assert!((more.distance - 0.4).abs() < 1e-12 && more.p_value(0.05) < 1e-12);
    }

    /// A table of days, so many from a first one on.
    fn days(first: i64, rows: i64) -> Frame {
        let written = |day: i64| {
            let Moment { year, month, day, .. } = Moment::at(day as f64 * DAY);
            (year * 10_000) as f64 + f64::from(month * 100 + day)
        };
        let times = onesided_table::from_numbers((0..rows).map(|row| written(first + row * 7 % rows)));
        Frame {
            columns: vec![Column { name: "day".to_string(), values: Values::Times(times) }],
            rows: rows as usize,
            ..Frame::default()
        }
    }

    #[test]
    fn dates_are_far_beyond_a_year_or_what_training_spans() {
        let (fitted, ..) = Features::fit(days(18_000, 300), &Default::default()).unwrap();
        let told = |first: i64, rows: i64| {
            let (_, report) = fitted.encode(days(first, rows)).unwrap();
            fitted.drifts(&report.tallies, &report.unseen).remove(0).shift
        };
        // The months after training are no surprise, and neither is the year after.
        assert_eq!(told(18_000, 300), None);
        assert_eq!(told(18_300, 30), None);
        assert_eq!(told(18_600, 60), None);
        // 18,299 is the last day, and 365 more are near.
        assert!(matches!(told(18_299 + 366, 100), Some(Shift::Dates { far: 100, cells: 100, .. })));
        assert!(matches!(told(18_000 + 25 * 365, 300), Some(Shift::Dates { far: 300, .. })));
        assert!(matches!(told(18_000 - 25 * 365, 300), Some(Shift::Dates { far: 300, .. })));
        // Dates of thirty years: ten years beyond them are near, and no more.
        let (fitted, ..) = Features::fit(days(0, 11_000), &Default::default()).unwrap();
        let far = fitted.columns()[0].seen.as_ref().unwrap().near_dates().unwrap();
        assert!((far[1] / 86_400.0 - (10_999.0 + 3_652.5)).abs() < 1e-6);
    }
}
