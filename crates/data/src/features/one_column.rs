//! One column at a time, for tables that are too large to be encoded as a whole.

use super::encode::{self, Encoded};
use super::{EncodeReport, Feature, FeatureKind, FeatureOptions, Features, Seen, refuse_missing};
use crate::column_summary::ColumnSummary;
use crate::{ColumnKind, Columns, DataError, Matrix, MissingPolicy, Store};
use onesided_table::{CellsRead, Column, MISSING_CODE, WhyLeftOut};
use std::borrow::Cow;

impl Features {
    /// Learns a column that is neither of times nor of texts, and gives its cells as trees see them ([`Features::whole`]): the
    /// same feature and the same numbers as [`Features::fit`], without a column per level. What is missing goes to `missing`.
    pub(crate) fn fit_column(
        column: Column,
        read: &[CellsRead],
        options: &FeatureOptions,
        missing: &mut Vec<(String, usize)>,
    ) -> Result<Result<(Feature, Columns<'static>), WhyLeftOut>, DataError> {
        if options.missing == MissingPolicy::Refuse {
            refuse_missing(&column.name, &column.values)?;
        }
        let summary = ColumnSummary::of(&column.values);
        let mut feature = match Feature::fit(&column, &summary) {
            Ok(feature) => feature,
            Err(why) => return Ok(Err(why)),
        };
        feature.seen = Some(Seen::of(&summary, &feature.kind));
        feature.learn_writing(read, &summary);
        drop(summary);
        let rows = column.values.len();
        let alone =
            Self { features: vec![feature.clone()], missing: options.missing, scaling: options.scaling };
        let mut report = EncodeReport::default();
        let columns = if let FeatureKind::Categorical { levels, .. } = &feature.kind {
            let levels = levels.len() as u32;
            let encoded = feature.encoder(column.values, &alone, &Default::default(), &mut report)?;
            let Encoded::Hot(codes) = encoded else { return Err(DataError::OtherEncoding) };
            let code = |code: u32| if code == MISSING_CODE { f32::NAN } else { code as f32 };
            let matrix = Matrix::new(rows, 1, codes.into_iter().map(code).collect())?;
            Columns { matrix: Cow::Owned(matrix), kinds: vec![ColumnKind::Categories { levels }] }
        } else {
            let store = encode::store(&alone, vec![encode::Part::Column(column)], rows, &mut report)?;
            let whole = alone.whole(&store, &report.cells)?;
            let kinds = whole.kinds;
            let made = match whole.matrix {
                Cow::Owned(matrix) => Some(matrix),
                Cow::Borrowed(_) => None,
            };
            // Rows that trees see as they are need no copy.
            let matrix = match (made, store) {
                (Some(matrix), _) | (None, Store::Dense(matrix)) => matrix,
                _ => return Err(DataError::OtherEncoding),
            };
            Columns { matrix: Cow::Owned(matrix), kinds }
        };
        missing.extend(report.missing);
        Ok(Ok((feature, columns)))
    }

    /// An encoding of features that were learned one by one.
    pub(crate) fn of_columns(mut features: Vec<Feature>, options: &FeatureOptions) -> Self {
        Feature::learn_from_others(&mut features);
        Self { features, missing: options.missing, scaling: options.scaling }
    }
}
