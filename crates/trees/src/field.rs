//! The rows of boosting, tree after tree, in this process.

use crate::TreesError;
use crate::bins::Binned;
use crate::config::TreesConfig;
use crate::derivatives::{Derivatives, Placed};
use crate::ground::RowsHere;
use crate::grow::Growing;
use crate::histogram::{Cell, Units};
use crate::layout::Layout;
use crate::levels::Tallies;
use crate::model::Tree;
use crate::threads::in_threads;
use std::cell::RefCell;

/// The share of features from which they are laid out once, for every tree.
const LAID_OUT_ONCE: f64 = 0.6;
/// Rows to walk through a tree below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 50_000;

/// The rows that trees are grown on and those that were held out, wherever their cells are.
pub(crate) trait Field {
    /// Takes the derivatives of all training rows for the next tree.
    fn take(&mut self, of_rows: Vec<Derivatives>, units: Units) -> Result<(), TreesError>;

    /// Grows that tree on the rows at some places, which may look at some features, and adds its answers to the scores of the
    /// training rows and of those that were held out.
    fn grow(
        &mut self,
        places: Vec<u32>,
        features: &[u32],
        scores: &mut [f64],
        held_out: &mut [f64],
    ) -> Result<Tree, TreesError>;
}

/// Rows whose cells are here.
pub(crate) struct FieldHere<'b> {
    binned: &'b Binned,
    training: &'b [u32],
    held_out: &'b [u32],
    config: &'b TreesConfig,
    threads: usize,
    /// Few features of many are laid out for each tree, most of them once for all.
    once: Option<Layout<'b>>,
    pool: RefCell<Vec<Vec<Cell>>>,
    tallies: RefCell<Tallies<Cell>>,
    cells: Vec<Cell>,
    units: Units,
}

impl<'b> FieldHere<'b> {
    pub fn new(
        binned: &'b Binned,
        training: &'b [u32],
        held_out: &'b [u32],
        config: &'b TreesConfig,
    ) -> Self {
        let every: Vec<u32> = (0..binned.features() as u32).collect();
        let once = (config.column_share >= LAID_OUT_ONCE).then(|| Layout::new(binned, &every, training));
        let (pool, tallies) = (RefCell::new(Vec::new()), RefCell::new(Tallies::default()));
        let (cells, units) = (Vec::new(), Units::new(0, std::iter::empty()));
        let threads = config.workers();
        Self { binned, training, held_out, config, threads, once, pool, tallies, cells, units }
    }
}

impl Field for FieldHere<'_> {
    fn take(&mut self, of_rows: Vec<Derivatives>, units: Units) -> Result<(), TreesError> {
        let mut cells: Vec<Cell> = vec![LEFT_OUT; of_rows.len()];
        in_threads(&mut cells, self.threads, WORTH_A_THREAD, |cells, from| {
            cells.iter_mut().zip(&of_rows[from..]).for_each(|(cell, &of_row)| *cell = units.cell(of_row));
        });
        (self.cells, self.units) = (cells, units);
        Ok(())
    }

    fn grow(
        &mut self,
        places: Vec<u32>,
        features: &[u32],
        scores: &mut [f64],
        held_out: &mut [f64],
    ) -> Result<Tree, TreesError> {
        let Self { binned, training, config, threads, units, .. } = *self;
        let mut cells = std::mem::take(&mut self.cells);
        leave_out_others(&mut cells, &places);
        let mut rows: Vec<Placed> =
            places.into_iter().map(|place| Placed { row: training[place as usize], place }).collect();
        let allowed = allowed(binned.features(), features);
        let now = if self.once.is_none() { Some(Layout::new(binned, features, training)) } else { None };
        let Some(layout) = self.once.as_ref().or(now.as_ref()) else { return Err(TreesError::NoRows) };
        let (pool, tallies) = (&self.pool, &self.tallies);
        let (rows, right, cells) = (&mut rows[..], Vec::new(), &cells[..]);
        let allowed = &allowed[..];
        let mut ground =
            RowsHere { binned, layout, allowed, cells, units, config, threads, pool, tallies, rows, right };
        let grown = Growing { binned, config, units }.grow(&mut ground)?;
        let rows = ground.rows;
        for (answer, span) in grown.answers() {
            rows[span].iter().for_each(|row| scores[row.place as usize] += f64::from(answer));
        }
        // The rows that were not drawn for this tree walk through it.
        let walk = |row: u32| f64::from(grown.tree.value_of_bins(&grown.cuts, binned, row));
        if rows.len() < training.len() {
            let places = scores.iter_mut().zip(training).zip(cells);
            for ((score, &row), _) in places.filter(|(_, cell)| **cell == LEFT_OUT) {
                *score += walk(row);
            }
        }
        in_threads(held_out, threads, WORTH_A_THREAD, |scores, from| {
            scores.iter_mut().zip(&self.held_out[from..]).for_each(|(score, &row)| *score += walk(row));
        });
        Ok(grown.tree)
    }
}

/// Which of all features are among some.
pub(crate) fn allowed(all: usize, features: &[u32]) -> Vec<bool> {
    let mut allowed = vec![false; all];
    features.iter().for_each(|&feature| allowed[feature as usize] = true);
    allowed
}

/// The cell of a row that a tree is not grown on; all others count at least one row.
const LEFT_OUT: Cell = [0; 2];

/// Marks the cells of all places but some, which are in their order.
fn leave_out_others(cells: &mut [Cell], places: &[u32]) {
    let mut next = 0;
    for &place in places {
        cells[next..place as usize].fill(LEFT_OUT);
        next = place as usize + 1;
    }
    cells[next..].fill(LEFT_OUT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_drawn_are_marked() {
        let cell = Units::new(5, [(1.0f32, 0.0f32)].into_iter()).cell((0.0, 0.0));
        assert_ne!(cell, LEFT_OUT);
        for places in [&[0, 2, 3][..], &[4], &[], &[0, 1, 2, 3, 4]] {
            let mut cells = [cell; 5];
            leave_out_others(&mut cells, places);
            let left: Vec<u32> = (0..5).filter(|&place| cells[place as usize] != LEFT_OUT).collect();
            assert_eq!(left, places);
        }
    }
}
