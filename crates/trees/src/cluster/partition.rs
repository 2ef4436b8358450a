//! How columns are sorted into bins, learned without keeping a row, and bins of some of the rows by it.

use crate::TreesError;
use crate::away::{Away, Workers};
use crate::bins::{Binned, Codes, Feature, Sorter, feature_of};
use crate::codec::{Reader, Writer};
use crate::layout::groups_of;
use crate::packed::{BEHIND, PackedRows};
use onesided_data::{ColumnKind, Columns};
use std::sync::Arc;

/// How the columns of a table are sorted into bins: all that a coordinator knows of cells, and what workers sort theirs by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sorting {
    /// Each feature with the number of its column, and the levels of one that has more of them than bins.
    features: Vec<(usize, Feature, Option<u32>)>,
}

impl Sorting {
    /// Learns from whole columns, each with the number of the table's column that it belongs to. Edges are those that
    /// [`Binned::of_columns`] gives them.
    pub fn push(&mut self, numbers: &[usize], columns: &Columns) -> Result<(), TreesError> {
        for (col, &number) in numbers.iter().enumerate() {
            let feature = feature_of(columns, col)?;
            let levels = match (&feature, columns.kinds[col]) {
                (Feature::Categories { others, .. }, ColumnKind::Categories { levels })
                    if !others.is_empty() =>
                {
                    Some(levels)
                }
                _ => None,
            };
            self.features.push((number, feature, levels));
        }
        Ok(())
    }

    /// With the columns that another one learned from.
    pub fn merge(&mut self, other: Self) {
        self.features.extend(other.features);
    }

    /// Puts features into the order of the table's columns.
    pub fn sort(&mut self) {
        self.features.sort_by_key(|(number, ..)| *number);
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// The rows that workers hold, so many each, one behind the other.
    pub fn away(&self, rows: &[usize], workers: Arc<dyn Workers>) -> Binned {
        let codes = |levels: &Option<u32>| levels.map(|levels| Arc::new(Codes::none(levels)));
        let codes = self.features.iter().map(|(.., levels)| codes(levels)).collect();
        let features = self.features.iter().map(|(_, feature, _)| feature.clone()).collect();
        Binned::in_workers(features, Away::new(rows, workers)).with_codes(codes)
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.each(&self.features, |to, (number, feature, levels)| {
            to.one(*number as u64).one(u8::from(levels.is_some())).one(levels.unwrap_or(0));
            match feature {
                Feature::Numbers(edges) => _ = to.one(0u8).list(edges),
                Feature::Categories { of_bins, others } => _ = to.one(1u8).list(of_bins).list(others),
                // Levels are put in an order for one set of training rows, later.
                Feature::Ordered { of_level, bins } => _ = to.one(2u8).list(of_level).one(*bins as u32),
            }
        });
        to.0
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TreesError> {
        let mut from = Reader::new(bytes);
        let features = from.each(|from| {
            let number = from.one::<u64>()? as usize;
            let (many, levels) = (from.flag()?, from.one::<u32>()?);
            let feature = match from.one::<u8>()? {
                0 => Feature::Numbers(from.list()?),
                1 => Feature::Categories { of_bins: from.list()?, others: from.list()? },
                2 => Feature::Ordered { of_level: from.list()?, bins: from.one::<u32>()? as usize },
                _ => return Err(TreesError::Message),
            };
            Ok((number, feature, many.then_some(levels)))
        })?;
        from.end()?;
        Ok(Self { features })
    }
}

/// Sorts rows into bins as they come, all columns of some rows at a time.
#[derive(Debug)]
pub struct PartitionBuilder {
    sorting: Sorting,
    places: Vec<usize>,
    bytes: Vec<u8>,
    rows: usize,
    codes: Vec<Option<Codes>>,
}

impl PartitionBuilder {
    /// For about this many rows.
    pub fn new(sorting: Sorting, rows: usize) -> Self {
        let width = sorting.features();
        let every: Vec<u32> = (0..width as u32).collect();
        let groups = groups_of(&every, |feature| sorting.features[feature].1.value_bins());
        // Groups are written one behind the other, without gaps.
        let mut places = vec![0; width];
        let in_row = groups.iter().flat_map(|group| &group.features);
        in_row.enumerate().for_each(|(place, &feature)| places[feature as usize] = place);
        let codes = sorting.features.iter().map(|(.., levels)| levels.map(Codes::none)).collect();
        Self { sorting, places, bytes: Vec::with_capacity(rows * width + BEHIND), rows: 0, codes }
    }

    /// The next rows.
    pub fn push(&mut self, columns: &Columns) -> Result<(), TreesError> {
        let (matrix, width) = (columns.matrix.as_ref(), self.sorting.features());
        if matrix.cols() != width {
            return Err(TreesError::Width { expected: width, found: matrix.cols() });
        }
        let first = self.bytes.len();
        self.bytes.resize(first + matrix.rows() * width, 0);
        let features = self.sorting.features.iter().zip(&self.places).zip(&mut self.codes);
        for (col, (((_, feature, _), &place), codes)) in features.enumerate() {
            let sorter = Sorter::new(feature);
            let cells = self.bytes[first + place..].iter_mut().step_by(width);
            cells.zip(0..matrix.rows()).for_each(|(cell, row)| *cell = sorter.bin(matrix.row(row)[col]));
            if let Some(codes) = codes {
                (0..matrix.rows()).for_each(|row| codes.push(matrix.row(row)[col]));
            }
        }
        self.rows += matrix.rows();
        Ok(())
    }

    /// The rows.
    pub fn finish(self) -> Binned {
        let Self { sorting, places, mut bytes, rows, codes } = self;
        let width = places.len();
        bytes.extend([0; BEHIND]);
        let features = sorting.features.into_iter().map(|(_, feature, _)| feature).collect();
        let codes = codes.into_iter().map(|codes| codes.map(Arc::new)).collect();
        Binned::packed(rows, features, PackedRows::new(bytes, width, places)).with_codes(codes)
    }
}
