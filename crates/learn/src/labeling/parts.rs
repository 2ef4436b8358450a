//! Columns cut into parts, so that a chance may depend on them in any way, with few numbers.

use crate::Error;
use crate::depends_on::check_varies;
use onesided_data::{ColumnKind, Columns, Matrix};
use std::collections::BTreeMap;
use std::ops::Range;

/// A column of numbers is cut at these many quantiles.
const CUTS: usize = 8;
/// Levels of a category that have a part each, the most frequent ones; the others share one.
const LEVELS: usize = 20;

/// How one column is cut. A row is in part 0 or in one of the others; what is missing has the last.
#[derive(Clone, Debug)]
enum Cut {
    /// Values from each of these on are in the next part.
    At(Vec<f32>),
    /// Codes of levels that have a part.
    Levels(Vec<u32>),
}

/// How columns are cut.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    cuts: Vec<(usize, Cut)>,
}

impl Parts {
    /// Cuts columns by the values that `rows` have. A column with one value in all of `labeled` is refused.
    pub fn new(
        columns: &Columns,
        named: &[(String, Range<usize>)],
        rows: &[u32],
        labeled: &[u32],
    ) -> Result<Self, Error> {
        let mut cuts = Vec::new();
        check_varies(columns, named, labeled)?;
        for (_, places) in named {
            let value = |place: usize, row: u32| columns.matrix.row(row as usize)[place];
            for place in places.clone() {
                let values = rows.iter().map(|&row| value(place, row));
                cuts.push((place, Cut::of(columns.kinds[place], values)));
            }
        }
        Ok(Self { cuts })
    }

    /// How many columns a row becomes.
    pub fn width(&self) -> usize {
        self.cuts.iter().map(|(_, cut)| cut.width()).sum()
    }

    /// Rows as the steps that they are beyond, and the level that they have.
    pub fn of_rows(&self, columns: &Columns, rows: &[u32]) -> Result<Matrix, Error> {
        let width = self.width();
        let mut matrix = Matrix::new(rows.len(), width, vec![0.0; rows.len() * width])?;
        for (&row, out) in rows.iter().zip(matrix.as_mut_slice().chunks_exact_mut(width.max(1))) {
            let mut from = 0;
            for (place, cut) in &self.cuts {
                cut.put(columns.matrix.row(row as usize)[*place], &mut out[from..from + cut.width()]);
                from += cut.width();
            }
        }
        Ok(matrix)
    }
}

impl Cut {
    fn of(kind: ColumnKind, values: impl Iterator<Item = f32>) -> Self {
        let mut there: Vec<f32> = values.filter(|value| !value.is_nan()).collect();
        if kind != ColumnKind::Numbers {
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            there.iter().for_each(|&code| *counts.entry(code as u32).or_default() += 1);
            let mut levels: Vec<(u32, usize)> = counts.into_iter().collect();
            levels.sort_by_key(|&(code, count)| (std::cmp::Reverse(count), code));
            // The most frequent one is what the others are compared with.
            return Cut::Levels(levels.into_iter().skip(1).take(LEVELS - 1).map(|(code, _)| code).collect());
        }
        there.sort_unstable_by(f32::total_cmp);
        let mut cuts: Vec<f32> =
            (1..CUTS).filter_map(|cut| there.get(cut * there.len() / CUTS).copied()).collect();
        // A value that few rows have is a part of its own.
        cuts.extend(there.last());
        cuts.dedup();
        cuts.retain(|cut| there.first().is_some_and(|first| cut > first));
        Cut::At(cuts)
    }

    fn width(&self) -> usize {
        match self {
            Cut::At(cuts) => cuts.len() + 1,
            Cut::Levels(levels) => levels.len() + 1,
        }
    }

    fn put(&self, value: f32, out: &mut [f32]) {
        let missing = out.len() - 1;
        match self {
            _ if value.is_nan() => out[missing] = 1.0,
            Cut::At(cuts) => {
                cuts.iter().zip(out).filter(|(cut, _)| value >= **cut).for_each(|(_, out)| *out = 1.0)
            }
            Cut::Levels(levels) => {
                levels.iter().position(|&code| code == value as u32).into_iter().for_each(|at| out[at] = 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_levels() {
        let number = Cut::of(ColumnKind::Numbers, (0..80).map(|value| value as f32));
        let mut out = vec![0.0; number.width()];
        number.put(25.0, &mut out);
        // Beyond the steps at 10 and 20, and no further; the last place is that of missing values.
        assert_eq!(out, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let yes = Cut::of(ColumnKind::Numbers, [0.0, 1.0, 0.0, 0.0].into_iter());
        assert_eq!(yes.width(), 2);
        let levels =
            Cut::of(ColumnKind::Categories { levels: 3 }, [2.0, 2.0, 0.0, 1.0, 1.0, 1.0].into_iter());
        let put = |value: f32| {
            let mut out = vec![0.0; levels.width()];
            levels.put(value, &mut out);
            out
        };
        assert_eq!((put(1.0), put(2.0), put(0.0)), (vec![0.0; 3], vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]));
        assert_eq!((put(f32::NAN), put(7.0)), (vec![0.0, 0.0, 1.0], vec![0.0; 3]));
        let many = Cut::of(ColumnKind::Categories { levels: 90 }, (0..90).map(|code| code as f32));
        assert_eq!(many.width(), LEVELS);
    }
}
