//! Binned rows with levels in an order ([`levels`](crate::levels)), wherever their cells are.

use crate::TreesError;
use crate::away::Away;
use crate::bins::Binned;
use crate::cluster::{of_rows, order};
use crate::levels::{Levels, PARTS, counted};
use onesided_data::Stream;

impl Binned {
    /// The same rows, with columns of more levels than bins in the order that these training rows give them; `None` where
    /// there is no such column. Rows that are not among the training rows are sorted by all of them.
    pub fn ordered(
        &self,
        training: &[u32],
        positive: impl Fn(u32) -> bool,
        seed: u64,
    ) -> Result<Option<Binned>, TreesError> {
        let many: Vec<usize> =
            (0..self.features()).filter(|&feature| self.codes(feature).is_some()).collect();
        if many.is_empty() || training.is_empty() {
            return Ok(None);
        }
        let mut stream = Stream::new(seed, "parts of levels");
        let parts: Vec<u8> = (0..self.rows()).map(|_| stream.below(PARTS) as u8).collect();
        if let Some(away) = self.away() {
            return away_ordered(self, away, &many, &of_rows(&parts, training, positive)).map(Some);
        }
        let mut ordered = self.clone();
        let mut trained = vec![false; self.rows()];
        training.iter().for_each(|&row| trained[row as usize] = true);
        for feature in many {
            if let Some(codes) = self.codes(feature) {
                let rows = training.iter().map(|&row| (row, parts[row as usize], 1, positive(row)));
                let levels = Levels::of(&counted(codes, rows));
                let bins = levels.bins_of(codes, |row| (parts[row], trained[row]));
                ordered.replace(feature, levels.feature(), bins);
            }
        }
        Ok(Some(ordered))
    }
}

/// The same where workers hold the rows.
fn away_ordered(binned: &Binned, away: &Away, many: &[usize], of_rows: &[u8]) -> Result<Binned, TreesError> {
    let (away, levels) = order(away, many, of_rows)?;
    let mut ordered = binned.clone().held_by(away);
    for (&feature, levels) in many.iter().zip(levels) {
        ordered.replace(feature, levels.feature(), Vec::new());
    }
    Ok(ordered)
}
