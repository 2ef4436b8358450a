//! Sums of derivatives in each bin.
//!
//! Derivatives become whole numbers before they are added: of the largest of a tree as many steps as leave room for the
//! sum over its rows. Whole numbers add up to the same sum in every order, so neither threads nor the difference of two
//! histograms change a bit of a tree, and a cell is two additions.

use crate::derivatives::{Derivatives, Placed};
use crate::layout::{Group, LANES, Layout};

/// A cell: the gradient, and the curvature above the number of rows.
pub(crate) type Cell = [u64; 2];

/// Steps of the largest derivative that more bits would not improve: beyond the digits of an `f32`.
const MOST_BITS: u32 = 40;
/// Rows that are added to one group before the next, so that their derivatives stay in the cache.
const ROWS_AT_ONCE: usize = 256;
/// Words of rows that are brought together.
const WORDS_AT_ONCE: usize = 2048;

/// Sums over some rows: of first derivatives, of second derivatives, and of ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub gradient: f64,
    pub curvature: f64,
    pub rows: u32,
}

/// What the whole numbers of a tree stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units {
    gradient: f64,
    curvature: f64,
    /// How many of them there are in 1.
    of_gradient: f64,
    of_curvature: f64,
    /// Bits of the number of rows.
    bits: u32,
}

impl Units {
    /// For the derivatives of this many rows.
    pub fn new(rows: usize, of_rows: impl Iterator<Item = Derivatives>) -> Self {
        let (mut gradient, mut curvature) = (0f32, 0f32);
        for (g, h) in of_rows {
            gradient = gradient.max(g.abs());
            curvature = curvature.max(h);
        }
        let bits = usize::BITS - rows.leading_zeros();
        let unit = |largest: f32, free: u32| {
            if largest > 0.0 { f64::from(largest) / 2f64.powi(free.min(MOST_BITS) as i32) } else { 1.0 }
        };
        // Rows and the sum of curvatures share a word; 2²⁸ rows leave eight bits for each.
        let (gradient, curvature) =
            (unit(gradient, 61 - bits), unit(curvature, (64u32.saturating_sub(2 * bits)).max(1) - 1));
        Self { gradient, curvature, of_gradient: 1.0 / gradient, of_curvature: 1.0 / curvature, bits }
    }

    /// The numbers that make them.
    pub fn parts(&self) -> ([f64; 4], u32) {
        ([self.gradient, self.curvature, self.of_gradient, self.of_curvature], self.bits)
    }

    /// What [`parts`](Self::parts) told of.
    pub fn of_parts([gradient, curvature, of_gradient, of_curvature]: [f64; 4], bits: u32) -> Self {
        Self { gradient, curvature, of_gradient, of_curvature, bits: bits.min(32) }
    }

    /// A row's cell.
    pub fn cell(&self, (gradient, curvature): Derivatives) -> Cell {
        let gradient = f64::from(gradient) * self.of_gradient;
        // Nearest whole numbers; `round` is a call on processors without an instruction for it.
        let gradient = (gradient + 0.5f64.copysign(gradient)) as i64;
        let curvature = (f64::from(curvature) * self.of_curvature + 0.5) as u64;
        [gradient as u64, curvature << self.bits | 1]
    }

    /// What a cell stands for.
    pub fn sums(&self, cell: Cell) -> Sums {
        Sums {
            gradient: cell[0] as i64 as f64 * self.gradient,
            // There is a bit for the rows at least, so the number has no sign, and signed ones convert in one instruction.
            curvature: (cell[1] >> self.bits) as i64 as f64 * self.curvature,
            rows: self.rows(cell),
        }
    }

    /// The number of rows in a cell.
    pub fn rows(&self, cell: Cell) -> u32 {
        (cell[1] & ((1 << self.bits) - 1)) as u32
    }
}

pub(crate) fn plus(a: Cell, b: Cell) -> Cell {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}

pub(crate) fn minus(a: Cell, b: Cell) -> Cell {
    [a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1])]
}

/// Adds rows to the histograms of some neighboring groups, the first of which is number `from`; `cells` are theirs.
pub(crate) fn add(
    layout: &Layout,
    groups: &[Group],
    from: usize,
    rows: &[Placed],
    of: &[Cell],
    cells: &mut [Cell],
) {
    let Some(first) = groups.first() else { return };
    let at_once = (WORDS_AT_ONCE / groups.len()).clamp(16, ROWS_AT_ONCE);
    let mut values = [[0u64; 2]; ROWS_AT_ONCE];
    let mut words = vec![0u64; at_once * groups.len()];
    for block in rows.chunks(at_once) {
        // Rows lie anywhere. Brought together first, with nothing else to do, many are on their way at once.
        layout.gather(groups, from, block, &mut words);
        for (value, row) in values.iter_mut().zip(block) {
            *value = of[row.place as usize];
        }
        for (number, group) in groups.iter().enumerate() {
            let at = group.start - first.start;
            let here = &mut cells[at..at + group.features.len() * group.stride];
            let words = words[number..].iter().step_by(groups.len());
            let rows = words.zip(&values[..block.len()]);
            match group.stride {
                4 => add_block::<4>(group.features.len(), here, rows),
                16 => add_block::<16>(group.features.len(), here, rows),
                64 => add_block::<64>(group.features.len(), here, rows),
                128 => add_block::<128>(group.features.len(), here, rows),
                _ => add_block::<256>(group.features.len(), here, rows),
            }
        }
    }
}

/// Adds a block of rows to as many histograms of one size as a group has features: each number of them is a loop of its
/// own, without a branch inside.
fn add_block<'r, const STRIDE: usize>(
    features: usize,
    cells: &mut [Cell],
    rows: impl Iterator<Item = (&'r u64, &'r Cell)>,
) {
    match features {
        1 => add_lanes::<STRIDE, 1>(cells, rows),
        2 => add_lanes::<STRIDE, 2>(cells, rows),
        3 => add_lanes::<STRIDE, 3>(cells, rows),
        4 => add_lanes::<STRIDE, 4>(cells, rows),
        5 => add_lanes::<STRIDE, 5>(cells, rows),
        6 => add_lanes::<STRIDE, 6>(cells, rows),
        7 => add_lanes::<STRIDE, 7>(cells, rows),
        _ => add_lanes::<STRIDE, LANES>(cells, rows),
    }
}

fn add_lanes<'r, const STRIDE: usize, const FEATURES: usize>(
    cells: &mut [Cell],
    rows: impl Iterator<Item = (&'r u64, &'r Cell)>,
) {
    let (histograms, _) = cells.as_chunks_mut::<STRIDE>();
    let (histograms, _) = histograms.as_chunks_mut::<FEATURES>();
    let Some(histograms) = histograms.first_mut() else { return };
    for (word, value) in rows {
        for (histogram, bin) in histograms.iter_mut().zip(word.to_le_bytes()) {
            // A bin is below the stride: the mask costs nothing and needs no check.
            let cell = &mut histogram[usize::from(bin) % STRIDE];
            cell[0] = cell[0].wrapping_add(value[0]);
            cell[1] = cell[1].wrapping_add(value[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::Binned;
    use onesided_data::{Matrix, Stream};

    #[test]
    fn sums_are_those_of_the_rows_in_every_order() {
        let mut stream = Stream::new(1, "rows");
        let n = 1_000;
        let values: Vec<f32> =
            (0..n * 3).map(|i| if i % 3 == 0 { (i % 5) as f32 } else { stream.normal() as f32 }).collect();
        let binned = Binned::new(&Matrix::new(n, 3, values).unwrap()).unwrap();
        let layout = Layout::new(&binned, &[0, 1, 2], &(0..n as u32).collect::<Vec<u32>>());
        let derivatives: Vec<Derivatives> =
            (0..n).map(|_| (stream.normal() as f32, stream.uniform() as f32)).collect();
        let units = Units::new(n, derivatives.iter().copied());
        let cells: Vec<Cell> = derivatives.iter().map(|&of_row| units.cell(of_row)).collect();
        let mut rows: Vec<Placed> = (0..n as u32).map(|row| Placed { row, place: row }).collect();
        let mut sums = vec![[0; 2]; layout.cells()];
        add(&layout, &layout.groups, 0, &rows, &cells, &mut sums);
        rows.reverse();
        let mut again = vec![[0; 2]; layout.cells()];
        add(&layout, &layout.groups, 0, &rows, &cells, &mut again);
        assert_eq!(sums, again);
        let group = layout.groups.iter().find(|group| group.features.contains(&1)).unwrap();
        let lane = group.features.iter().position(|&feature| feature == 1).unwrap();
        for bin in [0, 17, 60] {
            let found = units.sums(sums[group.start + lane * group.stride + bin]);
            let mut expected = (0.0, 0.0, 0);
            for (row, &(g, h)) in (0..).zip(&derivatives) {
                if usize::from(binned.feature(1).at(row)) == bin {
                    expected = (expected.0 + f64::from(g), expected.1 + f64::from(h), expected.2 + 1);
                }
            }
            assert!(
                (found.gradient - expected.0).abs() < 1e-9 && (found.curvature - expected.1).abs() < 1e-9
            );
            assert_eq!(found.rows, expected.2);
        }
    }

    #[test]
    fn many_rows_of_the_largest_derivatives_do_not_overflow() {
        for rows in [1, 2, 3, 1 << 20, (1 << 28) - 1] {
            let units = Units::new(rows, [(-3.0, 0.25), (3.0, 0.1)].into_iter());
            let cell = units.cell((-3.0, 0.25));
            let all = [cell[0].wrapping_mul(rows as u64), cell[1].wrapping_mul(rows as u64)];
            let sums = units.sums(all);
            assert_eq!(sums.rows as usize, rows);
            assert!((sums.gradient / (-3.0 * rows as f64) - 1.0).abs() < 1e-6, "{rows}: {sums:?}");
            assert!((sums.curvature / (0.25 * rows as f64) - 1.0).abs() < 1e-2, "{rows}: {sums:?}");
        }
        let nothing = Units::new(5, [(0.0, 0.0)].into_iter());
        assert_eq!(nothing.sums(nothing.cell((0.0, 0.0))), Sums { gradient: 0.0, curvature: 0.0, rows: 1 });
    }
}
