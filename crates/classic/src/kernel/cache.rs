//! Rows of the kernel matrix, computed when asked for and kept while there is room.

use super::Kernel;
use crate::Rows;
use crate::rows::blocks_for;
use crate::threads::in_blocks;

/// The kernel matrix of some rows, of which at most a number of rows is held; the least recently used one makes room.
pub(crate) struct KernelRows<'a> {
    rows: &'a dyn Rows,
    kernel: Kernel,
    lengths: Vec<f64>,
    held: Vec<Held>,
    /// Where the row is held.
    place: Vec<Option<usize>>,
    room: usize,
    clock: u64,
    computed: usize,
}

struct Held {
    row: usize,
    used: u64,
    values: Vec<f32>,
}

impl<'a> KernelRows<'a> {
    /// Room for as many kernel rows as fit in `bytes`, but for two at least.
    pub(crate) fn new(rows: &'a dyn Rows, kernel: Kernel, bytes: usize) -> Self {
        let n = rows.rows();
        Self {
            rows,
            kernel,
            lengths: (0..n).map(|i| rows.squared_length(i)).collect(),
            held: Vec::new(),
            place: vec![None; n],
            room: (bytes / (4 * n.max(1))).max(2),
            clock: 0,
            computed: 0,
        }
    }

    /// K(x_i, x_i).
    pub(crate) fn diagonal(&self, i: usize) -> f64 {
        self.kernel.value(self.lengths[i], self.lengths[i], self.lengths[i])
    }

    /// K(x_i, ·) and K(x_j, ·).
    pub(crate) fn pair(&mut self, i: usize, j: usize) -> (&[f32], &[f32]) {
        self.hold(i);
        self.hold(j); // i was used last, so it is not what makes room
        let [i, j] = [i, j].map(|row| self.place[row].map_or(&[][..], |at| &self.held[at].values));
        (i, j)
    }

    /// K(x_i, ·).
    pub(crate) fn row(&mut self, i: usize) -> &[f32] {
        self.pair(i, i).0
    }

    /// How often a row was computed.
    #[cfg(test)]
    pub(crate) fn computed(&self) -> usize {
        self.computed
    }

    fn hold(&mut self, row: usize) {
        self.clock += 1;
        if let Some(at) = self.place[row] {
            self.held[at].used = self.clock;
            return;
        }
        let values = self.compute(row);
        let new = Held { row, used: self.clock, values };
        self.computed += 1;
        if self.held.len() < self.room {
            self.place[row] = Some(self.held.len());
            self.held.push(new);
            return;
        }
        let oldest = (0..self.held.len()).min_by_key(|&at| self.held[at].used).unwrap_or(0);
        self.place[self.held[oldest].row] = None;
        self.place[row] = Some(oldest);
        self.held[oldest] = new;
    }

    fn compute(&self, row: usize) -> Vec<f32> {
        // Laid out in full, so that each product is one pass over the other row.
        let mut laid_out = vec![0.0; self.rows.cols()];
        self.rows.add_to(row, 1.0, &mut laid_out);
        let length = self.lengths[row];
        let parts = in_blocks(self.rows.rows(), blocks_for(self.rows, 4096), |range| {
            let value = |other: usize| {
                self.kernel.value(self.rows.dot(other, &laid_out), length, self.lengths[other]) as f32
            };
            range.map(value).collect::<Vec<f32>>()
        });
        parts.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn rows_are_computed_once_while_there_is_room() {
        let rows = Matrix::new(4, 1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        let mut cache = KernelRows::new(&rows, Kernel::Linear, 4 * 4 * 3);
        assert_eq!(cache.row(2), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(cache.diagonal(3), 9.0);
        cache.row(1);
        cache.row(3);
        cache.row(2); // of the three, row 1 is now the oldest
        assert_eq!(cache.computed(), 3);
        cache.row(0);
        cache.row(2);
        cache.row(3);
        assert_eq!(cache.computed(), 4);
        cache.row(1);
        assert_eq!(cache.computed(), 5);
        // Two rows always fit, and a pair is two rows.
        let mut tight = KernelRows::new(&rows, Kernel::Linear, 0);
        let (i, j) = tight.pair(1, 3);
        assert_eq!((i, j), ([0.0, 1.0, 2.0, 3.0].as_slice(), [0.0, 3.0, 6.0, 9.0].as_slice()));
    }
}
