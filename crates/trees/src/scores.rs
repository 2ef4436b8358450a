//! What models say of binned rows, wherever their cells are.

use crate::TreesError;
use crate::bins::Binned;
use crate::cluster::logits;
use crate::model::TreesModel;

impl TreesModel {
    /// The logits of some rows of binned data: of the data that the trees were grown on, whose bins they know.
    pub fn logits_of(&self, binned: &Binned, rows: &[u32]) -> Result<Vec<f64>, TreesError> {
        self.logits_of_with_threads(binned, rows, 1)
    }

    /// [`logits_of`](Self::logits_of) with this many threads; 0 is all there are.
    pub fn logits_of_with_threads(
        &self,
        binned: &Binned,
        rows: &[u32],
        threads: usize,
    ) -> Result<Vec<f64>, TreesError> {
        if binned.features() != self.features() {
            return Err(TreesError::Width { expected: self.features(), found: binned.features() });
        }
        binned.check_rows(rows)?;
        match binned.away() {
            Some(away) => logits(away, self, rows),
            None => Ok(self.logits_here(binned, rows, threads)),
        }
    }
}
