//! Filling the matrix, group of columns by group of columns.

use super::time::{TimePart, TimesByName};
use super::{EncodeReport, Feature, FeatureKind, Features, Scaling, refuse_missing};
use crate::{DataError, Matrix, MissingCells, MissingPolicy, SparseMatrix, Store};
use onesided_table::{Column, MISSING_CODE, Values};
use onesided_table::{Position, TableError, TimeFeature};
use std::sync::Arc;

/// `f32` values in 64 bytes.
pub(super) const FLOATS_IN_A_LINE: usize = 16;

/// How many rows of a group of columns are written together, few enough to stay in the cache.
pub(super) const ROWS_AT_ONCE: usize = 256;

/// What a feature is encoded from: its column, or terms that were counted already.
pub(super) enum Part {
    Column(Column),
    Terms(SparseMatrix),
}

/// Encodes one part per feature: dense rows, or sparse ones where there are terms.
pub(super) fn store(
    features: &Features,
    parts: Vec<Part>,
    rows: usize,
    report: &mut EncodeReport,
) -> Result<Store, DataError> {
    let sparse = features.is_sparse();
    let times = times_by_name(features, &parts);
    let (mut dense, mut terms, mut hot) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for (feature, part) in features.columns().iter().zip(parts) {
        match part {
            Part::Column(column) if sparse && matches!(feature.kind, FeatureKind::Categorical { .. }) => {
                if let Encoded::Hot(codes) = feature.encoder(column.values, features, &times, report)? {
                    hot.push(codes);
                }
            }
            Part::Terms(matrix) if sparse => terms.push(matrix),
            part => dense.push((at, feature, part)),
        }
        at += feature.width();
    }
    let matrix = matrix(dense, rows, features, &times, report)?;
    if !sparse {
        return Ok(Store::Dense(matrix));
    }
    if matrix.cols() == 0 && hot.is_empty() && terms.len() == 1 {
        return Ok(Store::Sparse(terms.remove(0)));
    }
    let mut sparse = SparseMatrix::empty(features.width());
    let mut entries = Vec::new();
    for row in 0..rows {
        entries.clear();
        let code_of = |codes: &Vec<u32>| codes[row];
        let (mut at, mut dense_at, mut term_at, mut hot_at) = (0u32, 0, 0, 0);
        for feature in features.columns() {
            let width = feature.width();
            match feature.kind {
                FeatureKind::Text { .. } => {
                    let (columns, values) = terms[term_at].row(row);
                    entries.extend(columns.iter().zip(values).map(|(column, &value)| (at + column, value)));
                    term_at += 1;
                }
                FeatureKind::Categorical { .. } => {
                    let code = code_of(&hot[hot_at]);
                    entries.extend((code != MISSING_CODE).then(|| (at + code, 1.0)));
                    hot_at += 1;
                }
                _ => {
                    let values = matrix.row(row)[dense_at..dense_at + width].iter().enumerate();
                    let there = values.filter(|(_, value)| **value != 0.0);
                    entries.extend(there.map(|(column, &value)| (at + column as u32, value)));
                    dense_at += width;
                }
            }
            at += width as u32;
        }
        sparse.push(entries.iter().copied());
    }
    Ok(Store::Sparse(sparse))
}

/// The times that others count from.
fn times_by_name(features: &Features, parts: &[Part]) -> TimesByName {
    let needed = |name: &str| {
        features.columns().iter().any(|feature| match &feature.kind {
            FeatureKind::Time { parts, .. } => {
                parts.iter().any(|part| matches!(&part.part, TimeFeature::Since(other) if other == name))
            }
            _ => false,
        })
    };
    let times = parts.iter().filter_map(|part| match part {
        Part::Column(Column { name, values: Values::Times(times) }) if needed(name) => {
            Some((name.clone(), times.seconds.clone()))
        }
        _ => None,
    });
    times.collect()
}

/// Encodes columns, each with its place in the encoded row, and frees each once it is written.
fn matrix(
    columns: Vec<(usize, &Feature, Part)>,
    rows: usize,
    features: &Features,
    times: &TimesByName,
    report: &mut EncodeReport,
) -> Result<Matrix, DataError> {
    let width = columns.iter().map(|(_, feature, _)| feature.width()).sum();
    let mut matrix = Matrix::zeros(rows, width)?;
    let mut group: Vec<(usize, Encoded<'_>)> = Vec::new();
    let mut at = 0;
    for (place, feature, part) in columns {
        let encoded = match part {
            Part::Column(column) => feature.encoder(column.values, features, times, report)?,
            Part::Terms(terms) => Encoded::Terms(terms),
        };
        encoded.note_missing(place, &mut report.cells);
        group.push((at, encoded));
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

/// Numbers become (x - mean) / scale, and missing ones `missing`.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    mean: f64,
    scale: f64,
    missing: f32,
}

impl Scale {
    fn new(mean: f64, scale: f64, scaling: Scaling) -> Self {
        match scaling {
            // A missing number is the mean, which is 0 after scaling.
            Scaling::Standard => Self { mean, scale, missing: 0.0 },
            Scaling::AsIs => Self { mean: 0.0, scale: 1.0, missing: mean as f32 },
        }
    }

    fn of(self, x: f64) -> f32 {
        ((x - self.mean) / self.scale) as f32
    }

    /// The numbers of a block, side by side so that they are divided several at a time.
    fn of_block(self, values: impl Iterator<Item = f64>) -> [f32; ROWS_AT_ONCE] {
        let mut scaled = [0.0; ROWS_AT_ONCE];
        for (z, x) in scaled.iter_mut().zip(values) {
            let divided = self.of(x);
            *z = if x.is_nan() { self.missing } else { divided };
        }
        scaled
    }
}

/// The cells of one feature, ready to be written.
pub(super) enum Encoded<'a> {
    Numbers {
        name: &'a str,
        values: Vec<f32>,
        scale: Scale,
    },
    Wide {
        name: &'a str,
        values: Vec<f64>,
        scale: Scale,
    },
    Flags {
        values: Vec<Option<bool>>,
        scale: Scale,
    },
    /// Few terms of texts.
    Terms(SparseMatrix),
    /// A column of the one-hot block per row, or [`MISSING_CODE`] for none.
    Hot(Vec<u32>),
    Vectors {
        name: &'a str,
        values: Vec<f32>,
        scales: Vec<Scale>,
    },
    Times {
        name: &'a str,
        seconds: Arc<Vec<f64>>,
        parts: Vec<TimeOf<'a>>,
    },
}

/// A part of a time, the times it counts from where it does, and how it is scaled.
pub(super) struct TimeOf<'a> {
    part: &'a TimeFeature,
    since: Option<Arc<Vec<f64>>>,
    scale: Scale,
}

impl TimeOf<'_> {
    /// The part in a row, NaN where a time is missing.
    fn at(&self, seconds: f64, row: usize) -> f64 {
        let since = self.since.as_ref().map_or(0.0, |since| since[row]);
        if seconds.is_nan() || since.is_nan() { f64::NAN } else { self.part.value(seconds, since) }
    }
}

impl Encoded<'_> {
    /// Notes the cells that are filled in; a missing category needs no note, none of its levels is there.
    fn note_missing(&self, place: usize, cells: &mut MissingCells) {
        match self {
            // Nearly always none is, which is quicker to see for all at once.
            Encoded::Numbers { values, .. } if !values.iter().fold(false, |any, x| any | x.is_nan()) => {}
            Encoded::Numbers { values, .. } => {
                cells.note(place, values.len(), missing(values, |x| x.is_nan()))
            }
            Encoded::Wide { values, .. } => cells.note(place, values.len(), missing(values, |x| x.is_nan())),
            Encoded::Flags { values, .. } => {
                cells.note(place, values.len(), missing(values, Option::is_none))
            }
            Encoded::Hot(_) | Encoded::Terms(_) => {}
            Encoded::Times { seconds, parts, .. } => {
                for (column, part) in parts.iter().enumerate() {
                    let is_missing = |row: &usize| part.at(seconds[*row], *row).is_nan();
                    cells.note(place + column, seconds.len(), (0..seconds.len()).filter(is_missing));
                }
            }
            Encoded::Vectors { values, scales, .. } => {
                let width = scales.len().max(1);
                for column in 0..scales.len() {
                    let of_column = values[column..].iter().step_by(width);
                    let there = of_column.enumerate().filter(|(_, x)| x.is_nan()).map(|(row, _)| row);
                    cells.note(place + column, values.len() / width, there);
                }
            }
        }
    }
}

fn missing<T>(values: &[T], is_missing: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
    values.iter().enumerate().filter(move |(_, value)| is_missing(value)).map(|(row, _)| row)
}

fn fill(matrix: &mut Matrix, group: &[(usize, Encoded<'_>)]) -> Result<(), DataError> {
    let (width, rows) = (matrix.cols(), matrix.rows());
    for start in (0..rows).step_by(ROWS_AT_ONCE) {
        let block = start..rows.min(start + ROWS_AT_ONCE);
        for (at, encoded) in group {
            let out = &mut matrix.as_mut_slice()[block.start * width + at..];
            let not_finite = |name: &str, i: usize, value: f64| {
                let (column, row) = (name.to_string(), block.start + i + 1);
                if value.is_finite() {
                    Err(DataError::TooFar { column, row, value })
                } else {
                    Err(DataError::NotFiniteValue { column, row, value })
                }
            };
            match encoded {
                Encoded::Numbers { name, values, scale } => {
                    let values = &values[block.clone()];
                    let scaled = scale.of_block(values.iter().map(|&x| f64::from(x)));
                    for (i, &z) in scaled[..values.len()].iter().enumerate() {
                        if !z.is_finite() {
                            return not_finite(name, i, f64::from(values[i]));
                        }
                        out[i * width] = z;
                    }
                }
                Encoded::Wide { name, values, scale } => {
                    let values = &values[block.clone()];
                    let scaled = scale.of_block(values.iter().copied());
                    for (i, &z) in scaled[..values.len()].iter().enumerate() {
                        if !z.is_finite() {
                            return not_finite(name, i, values[i]);
                        }
                        out[i * width] = z;
                    }
                }
                Encoded::Flags { values, scale } => {
                    for (i, x) in values[block.clone()].iter().enumerate() {
                        out[i * width] = x.map_or(scale.missing, |x| scale.of(f64::from(u8::from(x))));
                    }
                }
                Encoded::Hot(codes) => {
                    for (i, &code) in codes[block.clone()].iter().enumerate() {
                        if code != MISSING_CODE {
                            out[i * width + code as usize] = 1.0;
                        }
                    }
                }
                Encoded::Terms(terms) => {
                    for (i, row) in block.clone().enumerate() {
                        let (columns, values) = terms.row(row);
                        for (&column, &value) in columns.iter().zip(values) {
                            out[i * width + column as usize] = value;
                        }
                    }
                }
                Encoded::Times { name, seconds, parts } => {
                    for (i, row) in block.clone().enumerate() {
                        for (j, part) in parts.iter().enumerate() {
                            let x = part.at(seconds[row], row);
                            let z = if x.is_nan() { part.scale.missing } else { part.scale.of(x) };
                            if !z.is_finite() {
                                return not_finite(name, i, x);
                            }
                            out[i * width + j] = z;
                        }
                    }
                }
                Encoded::Vectors { name, values, scales } => {
                    let rows = values[block.start * scales.len()..].chunks_exact(scales.len());
                    for (i, row) in rows.take(block.len()).enumerate() {
                        for (j, (&x, scale)) in row.iter().zip(scales).enumerate() {
                            let z = if x.is_nan() { scale.missing } else { scale.of(f64::from(x)) };
                            if !z.is_finite() {
                                return not_finite(name, i, f64::from(x));
                            }
                            out[i * width + j] = z;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// The first category or text that is there, and its row.
fn first_cell(values: &Values) -> Option<(String, Position)> {
    let at = |row: usize| Position::Row(row as u64 + 1);
    match values {
        Values::Categorical { codes, levels } => {
            let row = codes.iter().position(|&code| code != MISSING_CODE)?;
            Some((levels.get(codes[row] as usize)?.clone(), at(row)))
        }
        Values::Text(texts) => {
            let row = texts.iter().position(|text| !text.trim().is_empty())?;
            Some((texts.get(row).to_string(), at(row)))
        }
        _ => None,
    }
}

impl Feature {
    /// Checks that the values are of the fitted type. A column without a single value fits any type.
    pub(super) fn encoder<'s>(
        &'s self,
        values: Values,
        features: &Features,
        times: &TimesByName,
        report: &mut EncodeReport,
    ) -> Result<Encoded<'s>, DataError> {
        if features.missing() == MissingPolicy::Refuse {
            refuse_missing(&self.name, &values)?;
        }
        let (rows, missing, found) = (values.len(), values.missing(), values.kind());
        if missing > 0 {
            report.missing.push((self.name.clone(), missing));
        }
        let (name, scaling) = (self.name.as_str(), features.scaling());
        match (&self.kind, values) {
            (&FeatureKind::Numeric { mean, scale, .. }, Values::Numeric(values)) => {
                Ok(Encoded::Numbers { name, values, scale: Scale::new(mean, scale, scaling) })
            }
            (&FeatureKind::Numeric { mean, scale, wide }, Values::Wide(values)) => {
                let scale = Scale::new(mean, scale, scaling);
                if wide {
                    return Ok(Encoded::Wide { name, values, scale });
                }
                // As in training, where nothing was lost by it.
                let values = values.into_iter().map(|x| x as f32).collect();
                Ok(Encoded::Numbers { name, values, scale })
            }
            (&FeatureKind::Boolean { mean, scale }, Values::Boolean(values)) => {
                Ok(Encoded::Flags { values, scale: Scale::new(mean, scale, scaling) })
            }
            // 0 and 1 are another way to write false and true.
            (&FeatureKind::Boolean { mean, scale }, Values::Numeric(values))
                if values.iter().all(|x| x.is_nan() || *x == 0.0 || *x == 1.0) =>
            {
                Ok(Encoded::Numbers { name, values, scale: Scale::new(mean, scale, scaling) })
            }
            (
                FeatureKind::Categorical { levels: fitted, rest },
                Values::Categorical { mut codes, levels },
            ) => {
                let place = |level: &String| fitted.binary_search(level).map_or(MISSING_CODE, |at| at as u32);
                let moved: Vec<u32> = if fitted.is_sorted() {
                    levels.iter().map(place).collect()
                } else {
                    let find = |level| fitted.iter().position(|other| other == level);
                    levels.iter().map(|level| find(level).map_or(MISSING_CODE, |at| at as u32)).collect()
                };
                codes.iter_mut().for_each(|c| *c = moved.get(*c as usize).copied().unwrap_or(MISSING_CODE));
                let unseen = codes.iter().filter(|&&code| code == MISSING_CODE).count() - missing;
                if unseen > 0 && !rest {
                    report.unseen.push((self.name.clone(), unseen));
                }
                Ok(Encoded::Hot(codes))
            }
            (FeatureKind::Time { parts, .. }, values)
                if missing == rows || matches!(values, Values::Times(_)) =>
            {
                let seconds = match values {
                    Values::Times(column) => column.seconds,
                    _ => Arc::new(vec![f64::NAN; rows]),
                };
                let nothing = || Arc::new(vec![f64::NAN; rows]);
                let of = |part: &'s TimePart| TimeOf {
                    part: &part.part,
                    since: match &part.part {
                        TimeFeature::Since(other) => Some(times.get(other).cloned().unwrap_or_else(nothing)),
                        _ => None,
                    },
                    scale: Scale::new(part.mean, part.scale, scaling),
                };
                Ok(Encoded::Times { name, seconds, parts: parts.iter().map(of).collect() })
            }
            (FeatureKind::Vector { means, scales }, Values::Vectors { width, values }) => {
                if width != means.len() {
                    let (column, expected) = (self.name.clone(), means.len());
                    return Err(TableError::VectorLength { column, row: 1, expected, found: width }.into());
                }
                let scales = means
                    .iter()
                    .zip(scales)
                    .map(|(&mean, &scale)| Scale::new(mean, scale, scaling))
                    .collect();
                Ok(Encoded::Vectors { name, values, scales })
            }
            (FeatureKind::Vector { means, scales }, _) if missing == rows => {
                let scales: Vec<Scale> = means
                    .iter()
                    .zip(scales)
                    .map(|(&mean, &scale)| Scale::new(mean, scale, scaling))
                    .collect();
                Ok(Encoded::Vectors { name, values: vec![f32::NAN; rows * scales.len()], scales })
            }
            (&FeatureKind::Numeric { mean, scale, .. } | &FeatureKind::Boolean { mean, scale }, _)
                if missing == rows =>
            {
                let scale = Scale::new(mean, scale, scaling);
                Ok(Encoded::Numbers { name, values: vec![f32::NAN; rows], scale })
            }
            _ if missing == rows => Ok(Encoded::Hot(vec![MISSING_CODE; rows])),
            (_, values) => Err(self.changed_by(found, first_cell(&values))),
        }
    }
}
