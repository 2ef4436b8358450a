//! Filling the matrix, group of columns by group of columns.

use super::{EncodeReport, Feature, FeatureKind, refuse_missing};
use crate::frame::{Column, MISSING_CODE, Values};
use crate::{DataError, Matrix, MissingPolicy};

/// `f32` values in 64 bytes.
pub(super) const FLOATS_IN_A_LINE: usize = 16;

/// How many rows of a group of columns are written together, few enough to stay in the cache.
pub(super) const ROWS_AT_ONCE: usize = 256;

/// Encodes `columns`, one for each of `features`, and frees each once it is written.
pub(super) fn matrix(
    features: &[Feature],
    columns: Vec<Option<Column>>,
    rows: usize,
    policy: MissingPolicy,
    report: &mut EncodeReport,
) -> Result<Matrix, DataError> {
    let width = features.iter().map(Feature::width).sum();
    let mut matrix = Matrix::zeros(rows, width)?;
    let mut group: Vec<(usize, Encoded<'_>)> = Vec::new();
    let mut at = 0;
    for (feature, column) in features.iter().zip(columns.into_iter().flatten()) {
        group.push((at, feature.encoder(column.values, policy, report)?));
        at += feature.width();
        // One column at a time would touch each cache line of the matrix sixteen times over.
        if at - group[0].0 >= FLOATS_IN_A_LINE {
            fill(&mut matrix, &group)?;
            group.clear();
        }
    }
    fill(&mut matrix, &group)?;
    Ok(matrix)
}

/// The cells of one feature, ready to be written.
enum Encoded<'a> {
    Numbers {
        name: &'a str,
        values: Vec<f32>,
        mean: f64,
        scale: f64,
    },
    Flags {
        values: Vec<Option<bool>>,
        mean: f64,
        scale: f64,
    },
    /// A column of the one-hot block a row, or [`MISSING_CODE`] for none.
    Hot(Vec<u32>),
}

fn fill(matrix: &mut Matrix, group: &[(usize, Encoded<'_>)]) -> Result<(), DataError> {
    let (width, rows) = (matrix.cols(), matrix.rows());
    for start in (0..rows).step_by(ROWS_AT_ONCE) {
        let block = start..rows.min(start + ROWS_AT_ONCE);
        for (at, encoded) in group {
            let out = &mut matrix.as_mut_slice()[block.start * width + at..];
            match encoded {
                Encoded::Numbers { name, values, mean, scale } => {
                    for (i, &x) in values[block.clone()].iter().enumerate() {
                        // A missing number is the mean, which is 0 after scaling.
                        if !x.is_nan() {
                            let z = ((f64::from(x) - mean) / scale) as f32;
                            if !z.is_finite() {
                                let (column, row) = (name.to_string(), block.start + i + 1);
                                return Err(DataError::NotFiniteValue { column, row, value: f64::from(x) });
                            }
                            out[i * width] = z;
                        }
                    }
                }
                Encoded::Flags { values, mean, scale } => {
                    for (i, x) in values[block.clone()].iter().enumerate() {
                        let z = x.map_or(0.0, |x| (f64::from(u8::from(x)) - mean) / scale);
                        out[i * width] = z as f32;
                    }
                }
                Encoded::Hot(codes) => {
                    for (i, &code) in codes[block.clone()].iter().enumerate() {
                        if code != MISSING_CODE {
                            out[i * width + code as usize] = 1.0;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

impl Feature {
    /// Checks that the values are of the fitted type. A column without a single value fits any type.
    fn encoder(
        &self,
        values: Values,
        policy: MissingPolicy,
        report: &mut EncodeReport,
    ) -> Result<Encoded<'_>, DataError> {
        if policy == MissingPolicy::Refuse {
            refuse_missing(&self.name, &values)?;
        }
        let (rows, missing, found) = (values.len(), values.missing(), values.kind());
        if missing > 0 {
            report.missing.push((self.name.clone(), missing));
        }
        match (&self.kind, values) {
            (&FeatureKind::Numeric { mean, scale }, Values::Numeric(values)) => {
                Ok(Encoded::Numbers { name: &self.name, values, mean, scale })
            }
            (&FeatureKind::Boolean { mean, scale }, Values::Boolean(values)) => {
                Ok(Encoded::Flags { values, mean, scale })
            }
            // 0 and 1 are another way to write false and true.
            (&FeatureKind::Boolean { mean, scale }, Values::Numeric(values))
                if values.iter().all(|x| x.is_nan() || *x == 0.0 || *x == 1.0) =>
            {
                Ok(Encoded::Numbers { name: &self.name, values, mean, scale })
            }
            (FeatureKind::Categorical { levels: fitted }, Values::Categorical { mut codes, levels }) => {
                let moved: Vec<u32> = levels
                    .iter()
                    .map(|level| {
                        fitted.iter().position(|other| other == level).map_or(MISSING_CODE, |at| at as u32)
                    })
                    .collect();
                codes.iter_mut().for_each(|c| *c = moved.get(*c as usize).copied().unwrap_or(MISSING_CODE));
                let unseen = codes.iter().filter(|&&code| code == MISSING_CODE).count() - missing;
                if unseen > 0 {
                    report.unseen.push((self.name.clone(), unseen));
                }
                Ok(Encoded::Hot(codes))
            }
            _ if missing == rows => Ok(Encoded::Hot(vec![MISSING_CODE; rows])),
            _ => Err(self.changed(found)),
        }
    }
}
