//! Products with a right-hand side that is already laid out in panels.
//!
//! Winograd's convolution multiplies many short matrices by the same weights. A general product copies ("packs") both
//! sides on every call, which took a third of the time of a VGG-16 step; here the weights are laid out once per step, and
//! the left side is read where it lies.

use super::simd::{Vector, simd_fn};

/// Columns of a panel for a matrix of `columns` (a multiple of 16) columns: two vectors if they come out even.
pub(crate) fn width(columns: usize) -> usize {
    if columns.is_multiple_of(32) { 32 } else { 16 }
}

/// A left-hand side: its numbers, and whether rows or columns lie side by side `step` apart.
#[derive(Clone, Copy)]
pub(crate) enum Left<'a> {
    /// Row-major, `step` numbers per row.
    Rows(&'a [f32], usize),
    /// The transpose of a row-major matrix with `step` numbers per row.
    Columns(&'a [f32], usize),
}

/// A right-hand side of `inner` × `columns`.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// Panel after panel, each `inner` rows of [`width`] numbers.
    Panels(&'a [f32]),
    /// Row-major.
    Rows(&'a [f32]),
}

simd_fn! {
    /// `out` (rows × columns, row-major) becomes, or grows by, `left · right`. `columns` is a multiple of 16.
    pub fn multiply<V>(
        out: &mut [f32],
        size: (usize, usize, usize),
        left: Left,
        right: Right,
        accumulate: bool,
    ) {
        let (rows, columns, inner) = size;
        let panel = width(columns);
        let (a, step, by_rows) = match left {
            Left::Rows(a, step) => (a, step, true),
            Left::Columns(a, step) => (a, step, false),
        };
        let (long, short) = if by_rows { (rows, inner) } else { (inner, rows) };
        let b = match right {
            Right::Panels(b) | Right::Rows(b) => b,
        };
        assert!(
            columns.is_multiple_of(16)
                && out.len() >= rows * columns
                && b.len() >= inner * columns
                && (long == 0 || short == 0 || a.len() >= (long - 1) * step + short),
            "product of {rows}x{inner} and {inner}x{columns} does not fit its slices"
        );
        if rows == 0 || columns == 0 || inner == 0 {
            return;
        }
        for first in (0..columns).step_by(panel) {
            let (b, b_step) = match right {
                Right::Panels(b) => (&b[first * inner..], panel),
                Right::Rows(b) => (&b[first..], columns),
            };
            let mut row = 0;
            while row < rows {
                let a = &a[if by_rows { row * step } else { row }..];
                let c = &mut out[row * columns + first..];
                let left = rows - row;
                macro_rules! tile {
                    ($height:literal, $vectors:literal) => {{
                        // SAFETY: the assertion above bounds every row and column of the three matrices, and this
                        // tile lies inside them: `$height` ≤ rows left, 16 · `$vectors` ≤ columns left.
                        unsafe {
                            let job = Tile { inner, a: a.as_ptr(), step, b: b.as_ptr(), b_step, c: c.as_mut_ptr(), columns, accumulate };
                            if by_rows { job.run::<V, $height, $vectors, true>() } else { job.run::<V, $height, $vectors, false>() }
                        }
                        row += $height;
                    }};
                }
                match (V::WIDE, panel == 32) {
                    (true, true) if left >= 12 => tile!(12, 2),
                    (true, true) if left >= 8 => tile!(8, 2),
                    (true, true) if left >= 4 => tile!(4, 2),
                    (true, true) if left >= 2 => tile!(2, 2),
                    (_, true) if left >= 3 => tile!(3, 2),
                    (_, true) => tile!(1, 2),
                    (true, false) if left >= 12 => tile!(12, 1),
                    (_, false) if left >= 6 => tile!(6, 1),
                    (_, false) if left >= 2 => tile!(2, 1),
                    _ => tile!(1, 1),
                }
            }
        }
    }
}

/// One block of the output that is summed in registers.
struct Tile {
    inner: usize,
    a: *const f32,
    step: usize,
    b: *const f32,
    b_step: usize,
    c: *mut f32,
    columns: usize,
    accumulate: bool,
}

impl Tile {
    /// # Safety
    /// `a` reaches `HEIGHT` rows by `inner` columns in the given order, `b` `inner` rows of 16 · `VECTORS` numbers, `c`
    /// `HEIGHT` rows of as many; `c` overlaps neither.
    #[inline(always)]
    unsafe fn run<V: Vector, const HEIGHT: usize, const VECTORS: usize, const BY_ROWS: bool>(self) {
        let (mut a, mut b) = (self.a, self.b);
        let mut sums = [[V::zero(); VECTORS]; HEIGHT];
        for _ in 0..self.inner {
            let mut line = [V::zero(); VECTORS];
            for (j, v) in line.iter_mut().enumerate() {
                // SAFETY: inside `b`'s row, by the contract.
                *v = unsafe { V::load_from(b.add(16 * j)) };
            }
            for (i, row) in sums.iter_mut().enumerate() {
                // SAFETY: inside `a`, by the contract.
                let x = V::splat(unsafe { *a.add(if BY_ROWS { i * self.step } else { i }) });
                for (sum, v) in row.iter_mut().zip(line) {
                    *sum = x.mul_add(v, *sum);
                }
            }
            a = a.wrapping_add(if BY_ROWS { 1 } else { self.step });
            b = b.wrapping_add(self.b_step);
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, &sum) in row.iter().enumerate() {
                // SAFETY: inside `c`'s row, by the contract.
                unsafe {
                    let c = self.c.add(i * self.columns + 16 * j);
                    let sum = if self.accumulate { V::load_from(c).add(sum) } else { sum };
                    sum.store_to(c);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::simd::tests::at_every_level;

    #[test]
    fn panels_give_the_product() {
        at_every_level(panels_case);
    }

    fn panels_case() {
        for (rows, columns, inner) in
            [(1, 16, 1), (13, 32, 7), (36, 64, 48), (29, 48, 5), (12, 96, 3), (7, 16, 9), (23, 32, 4)]
        {
            // Integers this small are exact in f32.
            let a: Vec<f32> = (0..rows * inner).map(|i| ((i * 37) % 19) as f32 - 9.0).collect();
            let b: Vec<f32> = (0..inner * columns).map(|i| ((i * 53) % 23) as f32 - 11.0).collect();
            let at: Vec<f32> = (0..inner * rows).map(|i| a[(i % rows) * inner + i / rows]).collect();
            let w = width(columns);
            let panels: Vec<f32> = (0..inner * columns)
                .map(|i| b[(i % (inner * w) / w) * columns + i / (inner * w) * w + i % w])
                .collect();
            let want: Vec<f32> = (0..rows * columns)
                .map(|i| (0..inner).map(|k| a[i / columns * inner + k] * b[k * columns + i % columns]).sum())
                .collect();
            for left in [Left::Rows(&a, inner), Left::Columns(&at, rows)] {
                for right in [Right::Rows(&b), Right::Panels(&panels)] {
                    let mut out = vec![5.0; rows * columns];
                    multiply(&mut out, (rows, columns, inner), left, right, false);
                    assert_eq!(out, want, "{rows}x{columns}x{inner}");
                    multiply(&mut out, (rows, columns, inner), left, right, true);
                    assert!(out.iter().zip(&want).all(|(o, w)| *o == 2.0 * w), "{rows}x{columns}x{inner}");
                }
            }
        }
    }
}
