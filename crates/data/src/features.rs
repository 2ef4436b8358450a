//! From a table to the matrix that a learner sees, the same way at training and at prediction.
//!
//! A numeric column x becomes (x - mean) / scale with the mean and the standard deviation of the training rows; a
//! boolean column likewise, as 0 and 1; a text column becomes one 0/1 column a level (one-hot). Missing numbers follow
//! the [`MissingPolicy`]; a missing text, or one that training never saw, has 0 in all its levels. [`Features`] holds
//! all of that and is stored in the model file.

use crate::error::listed;
use crate::frame::{Column, MISSING_CODE, Values};
use crate::read::ReadOptions;
use crate::{DataError, Frame, Matrix, MissingPolicy};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How each column of a table turns into columns of a matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    features: Vec<Feature>,
    missing: MissingPolicy,
}

/// One column of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Its name in the header.
    pub name: String,
    /// What it holds and how it is scaled.
    #[serde(flatten)]
    pub kind: FeatureKind,
}

/// What a column holds and how it is scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FeatureKind {
    /// Numbers, encoded as (x - mean) / scale.
    Numeric {
        /// Mean of the training rows.
        mean: f64,
        /// Standard deviation of the training rows (division by n).
        scale: f64,
    },
    /// Truth values, encoded as (x - mean) / scale with x = 0 or 1.
    Boolean {
        /// Share of `true` in the training rows.
        mean: f64,
        /// Standard deviation of the training rows (division by n).
        scale: f64,
    },
    /// Texts, encoded as one 0/1 column a level.
    Categorical {
        /// The texts that training saw, sorted.
        levels: Vec<String>,
    },
}

/// What [`Features::encode`] met on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EncodeReport {
    /// Columns of the table that are not features.
    pub ignored: Vec<String>,
    /// How many cells of which column held a text that training never saw.
    pub unseen: Vec<(String, usize)>,
    /// How many cells of which column were missing.
    pub missing: Vec<(String, usize)>,
}

impl Features {
    /// Learns the encoding from every column of `frame` but those named in `exclude`.
    ///
    /// A column that is constant or has no value at all is refused.
    pub fn fit(frame: &Frame, exclude: &[&str], missing: MissingPolicy) -> Result<Self, DataError> {
        let features = frame
            .columns
            .iter()
            .filter(|column| !exclude.contains(&column.name.as_str()))
            .map(|column| Feature::fit(column, missing))
            .collect::<Result<Vec<_>, _>>()?;
        if features.is_empty() {
            return Err(DataError::NoFeatures);
        }
        Ok(Self { features, missing })
    }

    /// Learns mean and scale of a bare matrix; without `names` its columns are called `x0`, `x1`, …
    ///
    /// Constant columns and values that are not finite are refused; see [`Features::unscaled`] for pixels.
    pub fn from_matrix(matrix: &Matrix, names: Option<Vec<String>>) -> Result<Self, DataError> {
        let mut fitted = Self::unscaled(named(matrix.cols(), names)?);
        matrix.check_finite(|col| fitted.features[col].name.clone())?;
        if fitted.features.is_empty() {
            return Err(DataError::NoFeatures);
        }
        // All columns at once, row by row: the matrix is row-major.
        let mut moments: Vec<Moments> = vec![Moments::default(); matrix.cols()];
        let rows = || (0..matrix.rows()).map(|i| matrix.row(i));
        rows().for_each(|row| moments.iter_mut().zip(row).for_each(|(m, &x)| m.first_pass(f64::from(x))));
        rows().for_each(|row| moments.iter_mut().zip(row).for_each(|(m, &x)| m.second_pass(f64::from(x))));
        for (feature, moments) in fitted.features.iter_mut().zip(moments) {
            let (mean, scale) = moments.finish(&feature.name)?;
            feature.kind = FeatureKind::Numeric { mean, scale };
        }
        Ok(fitted)
    }

    /// Numeric features that are passed on as they are (mean 0, scale 1).
    pub fn unscaled(names: Vec<String>) -> Self {
        let kind = FeatureKind::Numeric { mean: 0.0, scale: 1.0 };
        let features = names.into_iter().map(|name| Feature { name, kind: kind.clone() }).collect();
        Self { features, missing: MissingPolicy::Refuse }
    }

    /// The columns of the table, in the order of the matrix.
    pub fn columns(&self) -> &[Feature] {
        &self.features
    }

    /// What becomes of missing values.
    pub fn missing(&self) -> MissingPolicy {
        self.missing
    }

    /// How many columns the matrix has.
    pub fn width(&self) -> usize {
        self.features.iter().map(Feature::width).sum()
    }

    /// The names of the matrix's columns: `age`, `color=red`, `color=blue`, …
    pub fn names(&self) -> Vec<String> {
        let names = |feature: &Feature| match &feature.kind {
            FeatureKind::Categorical { levels } => {
                levels.iter().map(|level| format!("{}={level}", feature.name)).collect()
            }
            _ => vec![feature.name.clone()],
        };
        self.features.iter().flat_map(names).collect()
    }

    /// How to read a file for [`encode`](Self::encode): these columns and no others, texts as texts even where all
    /// of them look like numbers, and in addition the columns in `text`.
    pub fn read_options(&self, text: &[&str]) -> ReadOptions {
        let is_text = |feature: &&Feature| matches!(feature.kind, FeatureKind::Categorical { .. });
        let extra = || text.iter().map(ToString::to_string);
        ReadOptions {
            drop: Vec::new(),
            text: self.features.iter().filter(is_text).map(|f| f.name.clone()).chain(extra()).collect(),
            only: Some(self.features.iter().map(|f| f.name.clone()).chain(extra()).collect()),
            missing: self.missing,
        }
    }

    /// Encodes a table, and frees its columns on the way.
    pub fn encode(&self, frame: Frame) -> Result<(Matrix, EncodeReport), DataError> {
        let rows = frame.rows;
        let mut report = EncodeReport { ignored: frame.ignored, ..EncodeReport::default() };
        let mut places: HashMap<&str, usize> =
            self.features.iter().enumerate().map(|(at, feature)| (feature.name.as_str(), at)).collect();
        let mut columns: Vec<Option<Column>> = self.features.iter().map(|_| None).collect();
        for column in frame.columns {
            match places.remove(column.name.as_str()) {
                Some(at) => columns[at] = Some(column),
                None => report.ignored.push(column.name),
            }
        }
        if !places.is_empty() {
            let names = || self.features.iter().map(|feature| feature.name.as_str());
            return Err(DataError::LackingColumns {
                missing: listed(names().filter(|name| places.contains_key(name)), ", ", 8),
                needed: listed(names(), ", ", 20),
            });
        }

        let mut matrix = Matrix::zeros(rows, self.width())?;
        let mut group: Vec<(usize, Encoded<'_>)> = Vec::new();
        let mut at = 0;
        for (feature, column) in self.features.iter().zip(columns.into_iter().flatten()) {
            group.push((at, feature.encoder(column.values, self.missing, &mut report)?));
            at += feature.width();
            // One column at a time would touch each cache line of the matrix sixteen times over.
            if at - group[0].0 >= FLOATS_IN_A_LINE {
                fill(&mut matrix, &group)?;
                group.clear();
            }
        }
        fill(&mut matrix, &group)?;
        Ok((matrix, report))
    }

    /// Scales a bare matrix in place. Its columns are this encoding's, in order; text features need a table.
    pub fn encode_matrix(&self, mut matrix: Matrix) -> Result<Matrix, DataError> {
        let mut scales = Vec::with_capacity(self.features.len());
        for feature in &self.features {
            scales.push(match feature.kind {
                FeatureKind::Numeric { mean, scale } | FeatureKind::Boolean { mean, scale } => (mean, scale),
                FeatureKind::Categorical { .. } => return Err(feature.changed("numeric")),
            });
        }
        if matrix.cols() != scales.len() {
            return Err(DataError::Width { expected: scales.len(), found: matrix.cols() });
        }
        matrix.check_finite(|col| self.features[col].name.clone())?;
        for row in matrix.as_mut_slice().chunks_exact_mut(scales.len()) {
            for (value, (mean, scale)) in row.iter_mut().zip(&scales) {
                *value = ((f64::from(*value) - mean) / scale) as f32;
            }
        }
        matrix.check_finite(|col| self.features[col].name.clone())?;
        Ok(matrix)
    }
}

/// `f32` values in 64 bytes.
const FLOATS_IN_A_LINE: usize = 16;

/// How many rows of a group of columns are written together, few enough to stay in the cache.
const ROWS_AT_ONCE: usize = 256;

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
    fn fit(column: &Column, missing: MissingPolicy) -> Result<Self, DataError> {
        if missing == MissingPolicy::Refuse {
            refuse_missing(&column.name, &column.values)?;
        }
        let constant = || DataError::ConstantColumn { column: column.name.clone() };
        let kind = match &column.values {
            Values::Numeric(values) => {
                let present = || values.iter().filter(|x| !x.is_nan()).map(|&x| f64::from(x));
                let (mean, scale) = Moments::of(present).finish(&column.name)?;
                FeatureKind::Numeric { mean, scale }
            }
            Values::Boolean(values) => {
                let present = || values.iter().flatten().map(|&x| f64::from(u8::from(x)));
                let (mean, scale) = Moments::of(present).finish(&column.name)?;
                FeatureKind::Boolean { mean, scale }
            }
            Values::Categorical { codes, levels } => match levels.len() {
                0 => return Err(DataError::NoValues { column: column.name.clone() }),
                // One level beside missing cells still tells the two apart.
                1 if !codes.contains(&MISSING_CODE) => return Err(constant()),
                _ => FeatureKind::Categorical { levels: levels.clone() },
            },
        };
        Ok(Self { name: column.name.clone(), kind })
    }

    fn width(&self) -> usize {
        match &self.kind {
            FeatureKind::Categorical { levels } => levels.len(),
            _ => 1,
        }
    }

    fn changed(&self, found: &'static str) -> DataError {
        let fitted = match self.kind {
            FeatureKind::Numeric { .. } => "numeric",
            FeatureKind::Boolean { .. } => "true/false",
            FeatureKind::Categorical { .. } => "text",
        };
        DataError::KindChanged { column: self.name.clone(), fitted, found }
    }

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

fn refuse_missing(name: &str, values: &Values) -> Result<(), DataError> {
    let first = match values {
        Values::Numeric(values) => values.iter().position(|x| x.is_nan()),
        Values::Boolean(values) => values.iter().position(Option::is_none),
        Values::Categorical { codes, .. } => codes.iter().position(|&code| code == MISSING_CODE),
    };
    match first {
        None => Ok(()),
        Some(at) => Err(DataError::MissingValue { column: name.to_string(), row: at + 1 }),
    }
}

fn named(cols: usize, names: Option<Vec<String>>) -> Result<Vec<String>, DataError> {
    let names = names.unwrap_or_else(|| (0..cols).map(|col| format!("x{col}")).collect());
    if names.len() != cols {
        return Err(DataError::Width { expected: names.len(), found: cols });
    }
    Ok(names)
}

/// Mean and standard deviation in two passes, which loses nothing to a mean far from zero.
#[derive(Clone, Copy)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
    low: f64,
    high: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0.0, sum: 0.0, squares: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY }
    }
}

impl Moments {
    fn of<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> Self {
        let mut moments = Self::default();
        values().for_each(|x| moments.first_pass(x));
        values().for_each(|x| moments.second_pass(x));
        moments
    }

    fn first_pass(&mut self, x: f64) {
        self.count += 1.0;
        self.sum += x;
        self.low = self.low.min(x);
        self.high = self.high.max(x);
    }

    fn second_pass(&mut self, x: f64) {
        let off = x - self.sum / self.count;
        self.squares += off * off;
    }

    fn finish(self, name: &str) -> Result<(f64, f64), DataError> {
        if self.count == 0.0 {
            return Err(DataError::NoValues { column: name.to_string() });
        }
        if self.low == self.high {
            return Err(DataError::ConstantColumn { column: name.to_string() });
        }
        Ok((self.sum / self.count, (self.squares / self.count).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_csv_bytes, stack};

    fn frame(csv: &str) -> Frame {
        read_csv_bytes(csv.as_bytes()).unwrap()
    }

    const TABLE: &str = "x,flag,color,y\n1,true,red,1\n2,false,blue,0\n,true,,0\n6,true,red,0\n";

    #[test]
    fn encoding_by_hand() {
        let fitted = Features::fit(&frame(TABLE), &["y"], MissingPolicy::Mean).unwrap();
        assert_eq!(fitted.names(), ["x", "flag", "color=blue", "color=red"]);
        let (matrix, report) = fitted.encode(frame(TABLE)).unwrap();
        // x: mean 3, variance (4 + 1 + 9)/3 = 14/3; flag: mean 3/4, variance 3/16.
        let (x, flag) = ((14.0f64 / 3.0).sqrt(), 0.1875f64.sqrt());
        let expected = [
            [-2.0 / x, 0.25 / flag, 0.0, 1.0],
            [-1.0 / x, -0.75 / flag, 1.0, 0.0],
            [0.0, 0.25 / flag, 0.0, 0.0],
            [3.0 / x, 0.25 / flag, 0.0, 1.0],
        ];
        for (i, row) in expected.iter().enumerate() {
            assert_eq!(matrix.row(i), row.map(|z| z as f32), "row {i}");
        }
        assert_eq!(report.ignored, ["y"]);
        assert_eq!(report.missing, [("x".to_string(), 1), ("color".to_string(), 1)]);
    }

    #[test]
    fn wide_and_long_tables_fill_every_cell() {
        // More columns than a group and more rows than a block: cell (i, j) holds i + j² before scaling.
        let (rows, cols) = (3 * ROWS_AT_ONCE + 5, 2 * FLOATS_IN_A_LINE + 3);
        let value = |i: usize, j: usize| (i + j * j) as f32;
        let column = |j| Column {
            name: format!("c{j}"),
            values: Values::Numeric((0..rows).map(|i| value(i, j)).collect()),
        };
        let table = Frame::new((0..cols).map(column).collect()).unwrap();
        let fitted = Features::fit(&table, &[], MissingPolicy::Mean).unwrap();
        let (matrix, _) = fitted.encode(table).unwrap();
        let plain =
            Matrix::new(rows, cols, (0..rows * cols).map(|k| value(k / cols, k % cols)).collect()).unwrap();
        let from_matrix = Features::from_matrix(&plain, Some(fitted.names())).unwrap();
        assert_eq!(from_matrix.columns(), fitted.columns());
        assert_eq!(from_matrix.encode_matrix(plain).unwrap(), matrix);
        // All columns are shifts of 0, 1, …, rows - 1, whose standard deviation is known.
        let scale = ((rows * rows - 1) as f64 / 12.0).sqrt();
        let z = (0.0 - (rows - 1) as f64 / 2.0) / scale;
        assert!(matrix.row(0).iter().all(|&first| (f64::from(first) - z).abs() < 1e-6));
    }

    #[test]
    fn a_far_mean_costs_no_precision() {
        let table = frame("x\n16777212\n16777214\n16777216\n");
        let FeatureKind::Numeric { mean, scale } =
            Features::fit(&table, &[], MissingPolicy::Mean).unwrap().features[0].kind
        else {
            panic!()
        };
        assert_eq!(mean, 16_777_214.0);
        assert!((scale - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn useless_columns_are_refused_by_name() {
        let message = |csv| Features::fit(&frame(csv), &["y"], MissingPolicy::Mean).unwrap_err().to_string();
        for csv in ["x,y\n5,1\n5,0\n,0\n", "x,y\ntrue,1\ntrue,0\n", "x,y\nred,1\nred,0\n"] {
            assert!(message(csv).contains("'x' has the same value in every row"), "{csv}");
            assert!(message(csv).contains("--drop x"), "{csv}");
        }
        assert!(message("x,y\n,1\n,0\n").contains("'x' is empty in every row"));
        assert!(message("y\n1\n0\n").contains("no feature columns are left"));
    }

    #[test]
    fn missing_values_can_be_refused() {
        let error = Features::fit(&frame(TABLE), &["y"], MissingPolicy::Refuse).unwrap_err().to_string();
        assert!(error.contains("'x' has no value in row 3"), "{error}");
        let fitted = Features::fit(&frame("x\n1\n2\n"), &[], MissingPolicy::Refuse).unwrap();
        let error = fitted.encode(frame("x,z\n1,1\n,1\n")).unwrap_err().to_string();
        assert!(error.contains("'x' has no value in row 2"), "{error}");
    }

    #[test]
    fn other_data_must_have_the_columns_and_their_types() {
        let fitted = Features::fit(&frame(TABLE), &["y"], MissingPolicy::Mean).unwrap();
        let message = |csv| fitted.encode(frame(csv)).unwrap_err().to_string();
        let lacking = message("x,z\n1,1\n");
        assert!(lacking.contains("lack 'flag', 'color', which the model needs"), "{lacking}");
        assert!(lacking.contains("fitted on 'x', 'flag', 'color'"), "{lacking}");
        let text = message("x,flag,color\nhigh,true,red\n");
        assert!(text.contains("'x' was numeric when the model was fitted but is text here"), "{text}");
        let number = message("x,flag,color\n1,true,7\n");
        assert!(
            number.contains("'color' was text when the model was fitted but is numeric here"),
            "{number}"
        );
        let number = message("x,flag,color\n1,2,red\n");
        assert!(number.contains("'flag' was true/false"), "{number}");
    }

    #[test]
    fn unseen_levels_are_counted_and_empty_columns_accepted() {
        let fitted = Features::fit(&frame(TABLE), &["y"], MissingPolicy::Mean).unwrap();
        let (matrix, report) = fitted.encode(frame("color,x,flag\ngreen,3,1\nred,3,0\n,3,\n")).unwrap();
        assert_eq!(report.unseen, [("color".to_string(), 1)]);
        assert_eq!(report.missing, [("flag".to_string(), 1), ("color".to_string(), 1)]);
        assert_eq!(matrix.row(0)[2..], [0.0, 0.0]);
        assert_eq!(matrix.row(1)[2..], [0.0, 1.0]);
        assert_eq!(matrix.row(0)[1], (0.25 / 0.1875f64.sqrt()) as f32);
        let (matrix, _) = fitted.encode(frame("color,x,flag\n,,\n")).unwrap();
        assert_eq!(matrix.as_slice(), [0.0; 4]);
    }

    #[test]
    fn the_encoding_survives_json() {
        let table = stack(frame("x,c\n0.1,a\n0.7,b\n"), frame("x,c\n0.30001,a\n")).unwrap();
        let fitted = Features::fit(&table, &[], MissingPolicy::Mean).unwrap();
        let text = serde_json::to_string(&fitted).unwrap();
        assert_eq!(serde_json::from_str::<Features>(&text).unwrap(), fitted);
        assert!(text.contains(r#"{"name":"c","kind":"categorical","levels":["a","b"]}"#), "{text}");
    }

    #[test]
    fn bare_matrices_are_checked() {
        let matrix = |data: &[f32]| Matrix::new(data.len() / 2, 2, data.to_vec()).unwrap();
        let message = |data| Features::from_matrix(&matrix(data), None).unwrap_err().to_string();
        assert!(message(&[1.0, 2.0, 1.0, 3.0]).contains("'x0' has the same value"));
        assert!(message(&[1.0, 2.0, 4.0, f32::NAN]).contains("column 'x1', row 2: NaN"));
        let fitted = Features::unscaled(vec!["a".to_string()]);
        let error = fitted.encode_matrix(matrix(&[1.0, 2.0])).unwrap_err().to_string();
        assert_eq!(error, "the model takes 1 features, but the matrix has 2 columns");
        // A value that is finite but not once it is scaled.
        let tiny = Features::from_matrix(&matrix(&[0.0, 0.0, 1e-30, 1.0]), None).unwrap();
        assert!(tiny.encode_matrix(matrix(&[1e30, 0.0])).is_err());
    }
}
