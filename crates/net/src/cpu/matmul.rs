//! Matrix products on one thread, over slices with explicit strides.

/// A matrix as a slice with the steps between rows and between columns.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    data: &'a [f32],
    row_step: usize,
    column_step: usize,
}

impl<'a> View<'a> {
    /// Row-major with `columns` numbers per row.
    pub fn rows(data: &'a [f32], columns: usize) -> Self {
        Self { data, row_step: columns, column_step: 1 }
    }

    /// The transpose of a row-major matrix with `columns` numbers per row.
    pub fn transposed(data: &'a [f32], columns: usize) -> Self {
        Self { data, row_step: 1, column_step: columns }
    }

    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0
            || columns == 0
            || (rows - 1) * self.row_step + (columns - 1) * self.column_step < self.data.len()
    }
}

/// `out` (rows × columns, row-major) becomes `left · right`, or grows by it if `accumulate`; `inner` is the length
/// summed over.
pub(crate) fn multiply(
    out: &mut [f32],
    (rows, columns, inner): (usize, usize, usize),
    left: View,
    right: View,
    accumulate: bool,
) {
    assert!(
        out.len() >= rows * columns && left.holds(rows, inner) && right.holds(inner, columns),
        "product of {rows}x{inner} and {inner}x{columns} does not fit its slices"
    );
    if inner == 0 {
        if !accumulate {
            out[..rows * columns].fill(0.0);
        }
        return;
    }
    // SAFETY: the assertion above shows that every element the product reads or writes lies in its slice, and `out`
    // is borrowed mutably, so it overlaps neither operand.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.as_mut_ptr(),
            1,
            columns as isize,
            accumulate,
            left.data.as_ptr(),
            left.column_step as isize,
            left.row_step as isize,
            right.data.as_ptr(),
            right.column_step as isize,
            right.row_step as isize,
            1.0f32,
            1.0f32,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_odd_sizes_match_the_definition() {
        for (rows, columns, inner) in
            [(1, 1, 1), (3, 5, 7), (17, 33, 19), (64, 1, 300), (2, 70, 129), (5, 3, 0)]
        {
            let a: Vec<f32> = (0..rows * inner).map(|i| ((i * 37) % 19) as f32 - 9.0).collect();
            let b: Vec<f32> = (0..inner * columns).map(|i| ((i * 53) % 23) as f32 - 11.0).collect();
            let want =
                |r: usize, c: usize| (0..inner).map(|k| a[r * inner + k] * b[k * columns + c]).sum::<f32>();
            let mut out = vec![1.0; rows * columns];
            multiply(&mut out, (rows, columns, inner), View::rows(&a, inner), View::rows(&b, columns), false);
            // The same product from operands stored transposed, added once more.
            let at: Vec<f32> = (0..inner * rows).map(|i| a[(i % rows) * inner + i / rows]).collect();
            let bt: Vec<f32> =
                (0..columns * inner).map(|i| b[(i % inner.max(1)) * columns + i / inner.max(1)]).collect();
            let mut twice = out.clone();
            multiply(
                &mut twice,
                (rows, columns, inner),
                View::transposed(&at, rows),
                View::transposed(&bt, inner),
                true,
            );
            for r in 0..rows {
                for c in 0..columns {
                    // Integers this small are exact in f32.
                    assert_eq!(out[r * columns + c], want(r, c));
                    assert_eq!(twice[r * columns + c], 2.0 * want(r, c));
                }
            }
        }
    }
}
