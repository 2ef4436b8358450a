//! Encoded rows as the columns they came from: a category as one code, missing cells as missing.

use super::{Feature, FeatureKind, Features};
use crate::{ColumnKind, Columns, DataError, Matrix, MissingCells, Store};
use onesided_table::unknown_column;
use std::borrow::Cow;

impl Features {
    /// Rows that this encoding made, with one column per column of the table (one per term or place of texts and vectors),
    /// codes for categories, and NaN where nothing was. Borrowed where that is what the rows are.
    pub fn whole<'d>(&self, store: &'d Store, missing: &MissingCells) -> Result<Columns<'d>, DataError> {
        let kinds: Vec<ColumnKind> = self.features.iter().flat_map(Feature::kinds).collect();
        match store {
            Store::Dense(matrix)
                if kinds.len() == matrix.cols() && missing.is_empty() && !has_categories(&kinds) =>
            {
                return Ok(Columns { matrix: Cow::Borrowed(matrix), kinds });
            }
            Store::Sparse(_) if kinds.len().saturating_mul(store.rows()) > crate::MOST_VALUES => {
                store.check_dense()?;
            }
            Store::Away { .. } => return Err(DataError::Away),
            _ => {}
        }
        let mut matrix = Matrix::zeros(store.rows(), kinds.len())?;
        let nothing: Vec<f32> =
            kinds.iter().map(|kind| if *kind == ColumnKind::Numbers { 0.0 } else { f32::NAN }).collect();
        let places = self.places();
        let width = kinds.len().max(1);
        for (row, out) in matrix.as_mut_slice().chunks_exact_mut(width).enumerate() {
            out.copy_from_slice(&nothing);
            let mut put = |column: usize, value: f32| match places[column] {
                (place, Some(code)) if value != 0.0 => out[place] = code as f32,
                (_, Some(_)) => {}
                (place, None) => out[place] = value,
            };
            match store {
                Store::Dense(matrix) => {
                    matrix.row(row).iter().enumerate().for_each(|(column, &value)| put(column, value));
                }
                Store::Sparse(matrix) => {
                    let (columns, values) = matrix.row(row);
                    columns.iter().zip(values).for_each(|(&column, &value)| put(column as usize, value));
                }
                Store::Bytes(_) | Store::Away { .. } => return Err(DataError::OtherEncoding),
            }
        }
        for (column, &(place, code)) in places.iter().enumerate() {
            if code.is_none() {
                missing.rows_of(column).for_each(|row| matrix.as_mut_slice()[row * width + place] = f32::NAN);
            }
        }
        Ok(Columns { matrix: Cow::Owned(matrix), kinds })
    }

    /// For each column of the encoded rows, the whole column it belongs to, and the code it stands for where that is one of
    /// categories.
    fn places(&self) -> Vec<(usize, Option<u32>)> {
        let mut places = Vec::with_capacity(self.width());
        let mut at = 0;
        for feature in &self.features {
            match &feature.kind {
                FeatureKind::Categorical { levels, .. } => {
                    places.extend((0..levels.len()).map(|code| (at, Some(code as u32))));
                    at += 1;
                }
                _ => {
                    places.extend((0..feature.width()).map(|column| (at + column, None)));
                    at += feature.width();
                }
            }
        }
        places
    }

    /// A column by its name, and where it begins among the whole columns.
    pub fn whole_place(&self, name: &str) -> Result<(usize, &Feature), DataError> {
        let mut at = 0;
        for feature in &self.features {
            if feature.name == name {
                return Ok((at, feature));
            }
            at += feature.kinds().len();
        }
        Err(unknown_column(name, self.features.iter().map(|feature| feature.name.as_str())).into())
    }

    /// The names of the whole columns.
    pub fn whole_names(&self) -> Vec<String> {
        let alone = self.features.len() == 1;
        let names = |feature: &Feature| match &feature.kind {
            FeatureKind::Categorical { .. } => vec![feature.name.clone()],
            _ => feature.names(alone),
        };
        self.features.iter().flat_map(names).collect()
    }
}

impl Feature {
    fn kinds(&self) -> Vec<ColumnKind> {
        match &self.kind {
            FeatureKind::Categorical { levels, .. } => {
                vec![ColumnKind::Categories { levels: levels.len() as u32 }]
            }
            _ => vec![ColumnKind::Numbers; self.width()],
        }
    }
}

fn has_categories(kinds: &[ColumnKind]) -> bool {
    kinds.iter().any(|kind| *kind != ColumnKind::Numbers)
}

#[cfg(test)]
mod tests {
    use super::super::FeatureOptions;
    use super::*;
    use crate::read_csv_bytes;

    fn whole(csv: &str) -> (Vec<ColumnKind>, Matrix, Store) {
        let frame = read_csv_bytes(csv.as_bytes()).unwrap();
        let (features, store, report) = Features::fit(frame, &FeatureOptions::default()).unwrap();
        let columns = features.whole(&store, &report.cells).unwrap();
        (columns.kinds, columns.matrix.into_owned(), store)
    }

    #[test]
    fn categories_are_codes_and_missing_cells_are_missing() {
        let (kinds, matrix, _) = whole("x,color,flag\n1,red,true\n3,blue,\n,,false\n");
        assert_eq!(kinds, [ColumnKind::Numbers, ColumnKind::Categories { levels: 2 }, ColumnKind::Numbers]);
        let nan = f32::NAN;
        let expected = [-1.0, 1.0, 1.0, 1.0, 0.0, nan, nan, nan, -1.0];
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        assert!(matrix.as_slice().iter().zip(&expected).all(same), "{matrix:?}");
    }

    #[test]
    fn many_categories_are_held_sparse_and_read_the_same() {
        let rows: String = (0..4_000).map(|i| format!("c{:04},{}\n", i % 1_200, i % 7)).collect();
        let (kinds, matrix, store) = whole(&format!("level,x\n{rows}"));
        assert!(matches!(store, Store::Sparse(_)));
        assert_eq!((kinds.len(), matrix.row(1_234)[0]), (2, 34.0));
    }

    #[test]
    fn numbers_alone_are_borrowed() {
        let frame = read_csv_bytes(b"x,y\n1,2\n3,5\n").unwrap();
        let (features, store, report) = Features::fit(frame, &FeatureOptions::default()).unwrap();
        assert!(matches!(features.whole(&store, &report.cells).unwrap().matrix, Cow::Borrowed(_)));
    }
}
