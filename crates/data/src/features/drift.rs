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
    pub parts: Vec<(Part, Shares)>,
    /// The total variation distance of its cells from those of training, or the change of the share that is missing if that is more: 0 for
    /// the same, 1 for cells that have nothing in common.
    pub distance: f64,
    /// What is told of it when rows are scored.
    pub shift: Option<Shift>,
}

/// What a cell has or has not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Part {
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
    pub fn most(&self) -> Option<&(Part, Shares)> {
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
    drift.parts.push((Part::Missing, missing));
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
                drift.parts.push((Part::Level { level: level.clone() }, of_level));
            }
            cells.push(shares(before.saturating_sub(kept), tally.new));
            drift.parts.push((Part::NewLevel, shares(new, tally.new)));
        }
        FeatureKind::Boolean { .. } => {
            if let ([_, before], [_, now]) = (&seen.levels[..], &tally.levels[..]) {
                let of_true = shares(*before, *now);
                drift.parts.push((Part::True, of_true));
                // Those that are false differ by as much.
                cells.extend([of_true; 2]);
            }
        }
        FeatureKind::Time { .. } if seen.dates.is_some() => {
            let [long_before, long_after] = tally.far.map(|far| shares(0, far));
            drift.parts.extend([(Part::LongBefore, long_before), (Part::LongAfter, long_after)]);
            let far = shares(0, tally.far[0] + tally.far[1]);
            cells.extend([far; 2]);
        }
        _ => {
            let Some(points) = seen.points else { return drift };
            let [low, .., high] = points;
            // Two of a row more than training had would be its lowest or its highest.
            drift.parts.push((Part::Below { point: low }, shares(1, tally.shares[0])));
            drift.parts.push((Part::Above { point: high }, shares(1, tally.shares[5])));
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
                        .push((Part::UpTo { point: points[at + 1] }, shares(of_all(up_to), up_to_now)));
                }
            }
        }
    }
    let variation = cells.iter().map(|shares| shares.difference().abs()).sum::<f64>() / 2.0;
    drift.distance = drift.distance.max(variation);
    drift
}
