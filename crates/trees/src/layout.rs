//! Bins row by row, eight features to a word, as histograms read them.
//!
//! A node of a tree holds rows from all over the data. Column by column each of them would cost a cache line; row by row
//! eight features come with one load, and all features of a row lie together. Features are grouped by how many bins they
//! have, so that eight flags take eight histograms of four cells, not of 256.

use crate::bins::Binned;
use crate::derivatives::Placed;
use crate::packed::PackedRows;
use std::ops::Range;

/// Features in a group, one to a byte of a word.
pub(crate) const LANES: usize = 8;
/// Sizes of histograms: a feature takes the first that holds its bins and the missing ones.
pub(crate) const STRIDES: [usize; 5] = [4, 16, 64, 128, 256];
/// Rows that are laid out together.
const ROWS_AT_ONCE: usize = 1024;

/// Eight features with histograms of one size.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// At most [`LANES`]; the last group of a size may have fewer.
    pub features: Vec<u32>,
    /// Cells of each histogram.
    pub stride: usize,
    /// Where the group's cells begin.
    pub start: usize,
}

impl Group {
    /// Where the group's cells lie.
    pub fn cells(&self) -> Range<usize> {
        self.start..self.start + self.features.len() * self.stride
    }
}

/// Bins of some features, row by row.
pub(crate) struct Layout<'b> {
    pub groups: Vec<Group>,
    words: Words<'b>,
}

enum Words<'b> {
    /// Of the training rows, by their places.
    Own(Vec<u64>),
    /// Of all rows, packed when they were binned.
    Packed { rows: &'b PackedRows, own: Vec<Own<'b>> },
}

/// Bins that stand in place of those that were packed.
struct Own<'b> {
    group: usize,
    lane: usize,
    bins: &'b [u8],
}

/// Features in groups: those of one size of histogram together, each size in its order.
pub(crate) fn groups_of(features: &[u32], value_bins: impl Fn(usize) -> usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut start = 0;
    for stride in STRIDES {
        let fits = |feature: &u32| {
            let cells = value_bins(*feature as usize) + 1;
            STRIDES.iter().find(|&&stride| cells <= stride) == Some(&stride)
        };
        let here: Vec<u32> = features.iter().copied().filter(fits).collect();
        for some in here.chunks(LANES) {
            groups.push(Group { features: some.to_vec(), stride, start });
            start += some.len() * stride;
        }
    }
    groups
}

impl<'b> Layout<'b> {
    /// The bins of `rows`, in their order. Of packed rows all features are looked at, whichever are asked for.
    pub fn new(binned: &'b Binned, features: &[u32], rows: &[u32]) -> Self {
        if let Some(packed) = binned.rows_packed() {
            let every: Vec<u32> = (0..binned.features() as u32).collect();
            let groups = groups_of(&every, |feature| binned.room(feature));
            let mut own = Vec::new();
            for (group, of) in groups.iter().enumerate() {
                for (lane, &feature) in of.features.iter().enumerate() {
                    own.extend(binned.own(feature as usize).map(|bins| Own { group, lane, bins }));
                }
            }
            return Self { groups, words: Words::Packed { rows: packed, own } };
        }
        let groups = groups_of(features, |feature| binned.room(feature));
        let many = groups.len();
        let mut words = vec![0u64; rows.len() * many];
        if many == 0 {
            return Self { groups, words: Words::Own(words) };
        }
        for (rows, words) in rows.chunks(ROWS_AT_ONCE).zip(words.chunks_mut(ROWS_AT_ONCE * many)) {
            for (number, group) in groups.iter().enumerate() {
                for (lane, &feature) in group.features.iter().enumerate() {
                    let bins = binned.feature(feature as usize);
                    for (word, &row) in words.chunks_exact_mut(many).zip(rows) {
                        word[number] |= u64::from(bins.at(row)) << (8 * lane);
                    }
                }
            }
        }
        Self { groups, words: Words::Own(words) }
    }

    /// Cells of all histograms.
    pub fn cells(&self) -> usize {
        self.groups.last().map_or(0, |group| group.cells().end)
    }

    /// Where the cells of some features are, in the order of the groups.
    pub fn of_features<'s>(&'s self, wanted: &'s [bool]) -> impl Iterator<Item = Range<usize>> + 's {
        self.groups.iter().flat_map(|group| {
            let lanes = group.features.iter().enumerate();
            lanes.filter(|(_, feature)| wanted[**feature as usize]).map(|(lane, _)| {
                let start = group.start + lane * group.stride;
                start..start + group.stride
            })
        })
    }

    /// The words of some rows for neighboring groups, the first of which is number `from`, one row behind the other.
    pub fn gather(&self, groups: &[Group], from: usize, rows: &[Placed], words: &mut [u64]) {
        match &self.words {
            Words::Own(all) => {
                let many = self.groups.len();
                let all = &all[from.min(all.len())..];
                match groups.len() {
                    1 => gather_words::<1>(all, many, rows, words),
                    2 => gather_words::<2>(all, many, rows, words),
                    3 => gather_words::<3>(all, many, rows, words),
                    4 => gather_words::<4>(all, many, rows, words),
                    wide => words.chunks_exact_mut(wide.max(1)).zip(rows).for_each(|(words, row)| {
                        let start = row.place as usize * many;
                        words.copy_from_slice(&all[start..start + wide]);
                    }),
                }
            }
            Words::Packed { rows: packed, own } => {
                let here = from..from + groups.len();
                words.chunks_exact_mut(groups.len().max(1)).zip(rows).for_each(|(words, row)| {
                    packed.words(row.row, groups, words);
                    for Own { group, lane, bins } in own.iter().filter(|own| here.contains(&own.group)) {
                        let (word, shift) = (&mut words[group - from], 8 * lane);
                        *word = *word & !(0xff << shift) | u64::from(bins[row.row as usize]) << shift;
                    }
                });
            }
        }
    }
}

/// The first `WIDE` words of some rows that have `many` each: so few that a call to copy them would cost more than they do.
fn gather_words<const WIDE: usize>(all: &[u64], many: usize, rows: &[Placed], words: &mut [u64]) {
    let (of_rows, _) = words.as_chunks_mut::<WIDE>();
    for (words, row) in of_rows.iter_mut().zip(rows) {
        if let Some(found) = all[row.place as usize * many..].first_chunk() {
            *words = *found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn features_are_grouped_by_their_bins() {
        // A flag, a feature of 40 values, and another flag.
        let values: Vec<f32> = (0..40).flat_map(|i| [(i % 2) as f32, i as f32, (i / 20) as f32]).collect();
        let binned = Binned::new(&Matrix::new(40, 3, values).unwrap()).unwrap();
        let layout = Layout::new(&binned, &[0, 1, 2], &(0..40).collect::<Vec<u32>>());
        let groups: Vec<(&[u32], usize, usize)> =
            layout.groups.iter().map(|group| (&group.features[..], group.stride, group.start)).collect();
        assert_eq!(groups, [(&[0, 2][..], 4, 0), (&[1][..], 64, 8)]);
        let mut words = [0; 2];
        layout.gather(&layout.groups, 0, &[Placed { row: 21, place: 21 }], &mut words);
        assert_eq!((words, layout.cells()), ([0x0101, 21], 8 + 64));
        assert!(Layout::new(&binned, &[], &[0]).groups.is_empty());
    }
}
