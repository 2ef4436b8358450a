//! From a table to the rows that a learner sees, the same way at training and at prediction.
//!
//! A numeric column x becomes (x - mean) / scale with the mean and the standard deviation of the training rows; a
//! boolean column likewise, as 0 and 1; each place of a column of vectors likewise. A column of categories becomes one 0/1
//! column per level (one-hot), a column of texts one column per term. Missing numbers follow the [`MissingPolicy`]; a
//! missing category, or one that training never saw, has 0 in all its levels. [`Features`] holds all of that and is
//! stored in the model file.

mod drift;
mod encode;
mod groups;
mod kinds;
mod one_column;
mod rescale;
mod seen;
mod shift;
mod time;
mod validation;
mod whole_columns;

pub use drift::{ColumnDrift, ColumnPart};
pub use groups::ColumnGroups;
pub(crate) use kinds::RULE as CATEGORIES;
pub use kinds::{Feature, FeatureKind};
pub use seen::{Seen, Tally};
pub(crate) use shift::RULE as SHIFTS;
pub use shift::{ColumnShift, Shift};
pub use time::TimePart;

use crate::column_rule::ColumnRule;
use crate::column_summary::{ColumnSummary, Holds};
use crate::text::TextOptions;
use crate::{
    DataError, ENGLISH_STOP_WORDS, Frame, Matrix, MissingCells, MissingPolicy, Phase, SparseMatrix, Store,
};
use onesided_table::{BlankRows, listed};
use onesided_table::{Column, LeftOut, Values, WhyLeftOut};
use onesided_table::{DatesWritten, NumbersWritten, ReadOptions, Written};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Levels of all columns together beyond which rows are held sparse.
const MANY_LEVELS: usize = 1_000;

/// What is learned of free text that is one of several columns.
pub(crate) static TERMS: ColumnRule = ColumnRule {
    name: "free text beside others",
    finds: "free text among other columns; its most frequent terms without stop words are learned from",
    constants: &[("TERMS_BESIDE", TERMS_BESIDE as f64), ("TEXTS_OF_A_TERM", TEXTS_OF_A_TERM as f64)],
    evidence: "docs/texts.md",
};

/// The most terms of free text that is one of several columns.
const TERMS_BESIDE: usize = 200;

/// This many texts must have such a term.
const TEXTS_OF_A_TERM: usize = 5;

/// How each column of a table turns into columns of a matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    features: Vec<Feature>,
    missing: MissingPolicy,
    #[serde(default, skip_serializing_if = "Scaling::is_standard")]
    scaling: Scaling,
}

/// Whether numbers are brought to one scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Mean 0 and standard deviation 1 over the training rows.
    #[default]
    Standard,
    /// As they are, for methods that count and for those that scale by themselves. A missing number is the mean.
    AsIs,
}

impl Scaling {
    fn is_standard(&self) -> bool {
        *self == Scaling::Standard
    }
}

/// How columns become features.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureOptions {
    /// How missing values are handled.
    pub missing: MissingPolicy,
    /// Whether numbers are scaled.
    pub scaling: Scaling,
    /// Which terms of texts become columns.
    pub text: TextOptions,
}

/// What [`Features::encode`] met on its way.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EncodeReport {
    /// Columns of the table that are not features.
    pub ignored: Vec<String>,
    /// How many cells of which column held a category that training never saw.
    pub unseen: Vec<(String, usize)>,
    /// Columns of texts most of which have no term that training saw, and how many have none.
    pub unknown_texts: Vec<(String, usize)>,
    /// How many texts of which column have no term that training saw, be they most or not.
    #[serde(skip)]
    pub without_terms: Vec<(String, usize)>,
    /// How many cells of which column were missing.
    pub missing: Vec<(String, usize)>,
    /// Columns that training could not learn from, and why.
    pub left_out: Vec<LeftOut>,
    /// Columns of times in the order of rows, of which it is not learned how late they are.
    pub times_in_order: Vec<String>,
    /// Which cells of the encoded rows were missing and have been filled in.
    #[serde(skip)]
    pub cells: MissingCells,
    /// What each column holds, to be compared with training.
    #[serde(skip)]
    pub tallies: Vec<Tally>,
    /// Rows that are missing in every feature, from 0.
    #[serde(skip)]
    pub blank: Vec<u32>,
}

impl Features {
    /// Learns the encoding from every column of `frame` and encodes it, freeing columns on the way.
    ///
    /// A column that is constant or has no value at all is left out, and the report says so.
    pub fn fit(frame: Frame, options: &FeatureOptions) -> Result<(Self, Store, EncodeReport), DataError> {
        let Frame { columns, rows, ignored, left_out, cells, .. } = frame;
        let mut report = EncodeReport { ignored, left_out, ..EncodeReport::default() };
        let (mut features, mut parts, mut blank) = (Vec::new(), Vec::new(), BlankRows::default());
        let alone = columns.len() == 1;
        let dates = time::paired(&columns);
        for column in Phase::new("encoding", columns.len() as u64, "columns").each(columns) {
            if options.missing == MissingPolicy::Refuse {
                refuse_missing(&column.name, &column.values)?;
            }
            let summary = ColumnSummary::of(&column.values);
            if let Values::Text(texts) = &column.values {
                report.count_missing(&column);
                blank.meet(&column.values);
                let (rows, missing) = (summary.rows as usize, summary.missing as usize);
                let seen = Some(Seen { rows, missing, ..Seen::default() });
                let texts: Vec<&str> = texts.iter().collect();
                let (text, terms) =
                    options.text.fit_transform(&texts).map_err(|e| e.of_column(&column.name))?;
                let kind = FeatureKind::Text { text, beside: false };
                features.push(Feature { seen, ..Feature::new(column.name, kind) });
                parts.push(encode::Part::Terms(terms));
                continue;
            }
            match Feature::fit(&column, &summary) {
                Ok(mut feature) => {
                    feature.learn_writing(&cells, &summary);
                    if let (FeatureKind::Time { parts, .. }, Values::Times(times)) =
                        (&mut feature.kind, &column.values)
                        && let Some(at) = dates.iter().position(|date| date.name == feature.name)
                    {
                        parts.extend(time::since(&dates, at, times));
                    }
                    if matches!(&column.values, Values::Times(times) if times.in_order.is_some()) {
                        report.times_in_order.push(feature.name.clone());
                    }
                    feature.seen = Some(Seen::of(&summary, &feature.kind));
                    drop(summary);
                    blank.meet(&column.values);
                    features.push(feature);
                    parts.push(encode::Part::Column(column));
                }
                Err(WhyLeftOut::FreeText) => match found_text(&column, options, alone)? {
                    Some((kind, terms)) => {
                        report.count_missing(&column);
                        blank.meet(&column.values);
                        let seen = Some(Seen { single: 0, ..Seen::of(&summary, &kind) });
                        drop(summary);
                        features.push(Feature { seen, ..Feature::new(column.name, kind) });
                        parts.push(encode::Part::Terms(terms));
                    }
                    None => report.left_out.push(LeftOut { column: column.name, why: WhyLeftOut::FreeText }),
                },
                Err(why) => report.left_out.push(LeftOut { column: column.name, why }),
            }
        }
        if features.is_empty() {
            return Err(DataError::NoFeatures { left_out: report.left_out });
        }
        report.blank = blank.finish();
        Feature::learn_from_others(&mut features);
        let fitted = Self { features, missing: options.missing, scaling: options.scaling };
        let store = encode::store(&fitted, parts, rows, &mut report)?;
        Ok((fitted, store, report))
    }

    /// Learns mean and scale of a bare matrix; without `names` its columns are called `x0`, `x1`, …
    ///
    /// Values that are not finite are refused; a constant column stays, centered.
    pub fn from_matrix(matrix: &Matrix, names: Option<Vec<String>>) -> Result<Self, DataError> {
        let mut fitted = Self::unscaled(named(matrix.cols(), names)?);
        matrix.check_finite(|col| fitted.features[col].name.clone())?;
        if fitted.features.is_empty() {
            return Err(DataError::NoFeatures { left_out: Vec::new() });
        }
        for (col, feature) in fitted.features.iter_mut().enumerate() {
            let column = Values::Numeric(matrix.column(col));
            let summary = ColumnSummary::of(&column);
            let (mean, scale) = match &summary.holds {
                Holds::Numbers(numbers) => numbers.moments.or_centered(),
                _ => (0.0, 1.0),
            };
            feature.kind = FeatureKind::Numeric { mean, scale, wide: false };
            feature.seen = Some(Seen::of(&summary, &feature.kind));
            feature.learn_writing(&[], &summary);
        }
        Feature::learn_from_others(&mut fitted.features);
        Ok(fitted)
    }

    /// Numeric features that are passed on as they are (mean 0, scale 1).
    pub fn unscaled(names: Vec<String>) -> Self {
        let kind = FeatureKind::Numeric { mean: 0.0, scale: 1.0, wide: false };
        let features = names.into_iter().map(|name| Feature::new(name, kind.clone())).collect();
        Self { features, missing: MissingPolicy::Refuse, scaling: Scaling::Standard }
    }

    /// The columns of the table, in the order of the matrix.
    pub fn columns(&self) -> &[Feature] {
        &self.features
    }

    /// How missing values are handled.
    pub fn missing(&self) -> MissingPolicy {
        self.missing
    }

    /// Whether numbers are scaled.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// Whether a column of the table is of texts with many terms, so that rows are sparse.
    pub fn has_texts(&self) -> bool {
        self.features.iter().any(|feature| matches!(feature.kind, FeatureKind::Text { beside: false, .. }))
    }

    /// Whether rows are held sparse: there are texts, or so many categories that most of a row would be zeros.
    pub(crate) fn is_sparse(&self) -> bool {
        let levels = |feature: &Feature| match &feature.kind {
            FeatureKind::Categorical { levels, .. } => levels.len(),
            _ => 0,
        };
        self.has_texts() || self.features.iter().map(levels).sum::<usize>() > MANY_LEVELS
    }

    /// How many columns the matrix has.
    pub fn width(&self) -> usize {
        self.features.iter().map(Feature::width).sum()
    }

    /// The names of the matrix's columns: `age`, `color=red`, `color=blue`, `title:goal`, `vector[0]`, … The terms of a
    /// table of one column of texts are called as they are.
    pub fn names(&self) -> Vec<String> {
        let only_texts = self.features.len() == 1;
        self.features.iter().flat_map(|feature| feature.names(only_texts)).collect()
    }

    /// How to read a file for [`encode`](Self::encode): these columns and no others, each as the kind it had in training.
    pub fn read_options(&self) -> ReadOptions {
        let of = |wanted: fn(&FeatureKind) -> bool| -> Vec<String> {
            let some = self.features.iter().filter(|feature| wanted(&feature.kind));
            some.map(|feature| feature.name.clone()).collect()
        };
        let written = |feature: &Feature| {
            let written = match feature.kind {
                FeatureKind::Numeric { .. } => {
                    let Feature { numbers: style, grouped, no_sign, .. } = *feature;
                    Written::Numbers(Some(NumbersWritten { style, grouped, no_sign }))
                }
                FeatureKind::Boolean { .. } => Written::Flags,
                FeatureKind::Time { style, signs, .. } => Written::Dates(Some(DatesWritten { style, signs })),
                _ => return None,
            };
            Some((feature.name.clone(), written))
        };
        ReadOptions {
            written: self.features.iter().filter_map(written).collect(),
            categories: of(|kind| matches!(kind, FeatureKind::Categorical { .. })),
            text: of(|kind| matches!(kind, FeatureKind::Text { .. })),
            only: Some(of(|_| true)),
            missing: self.missing,
            ..ReadOptions::default()
        }
    }

    /// Encodes a table, and frees its columns on the way.
    pub fn encode(&self, frame: Frame) -> Result<(Store, EncodeReport), DataError> {
        let rows = frame.rows;
        let mut report =
            EncodeReport { ignored: frame.ignored, left_out: frame.left_out, ..EncodeReport::default() };
        let mut places: HashMap<&str, usize> =
            self.features.iter().enumerate().map(|(at, feature)| (feature.name.as_str(), at)).collect();
        let mut columns: Vec<Option<Column>> = self.features.iter().map(|_| None).collect();
        for column in frame.columns {
            match places.remove(column.name.as_str()) {
                Some(at) => columns[at] = Some(column),
                None => report.ignored.push(column.name),
            }
        }
        let lacking = self.features.iter().filter(|feature| places.contains_key(feature.name.as_str()));
        for feature in lacking {
            // It is there, but what it holds now could not be read as a feature.
            if let Some(other) = report.left_out.iter().find(|other| other.column == feature.name) {
                return Err(feature.changed(match other.why {
                    WhyLeftOut::Type => "of a type that is not learned from",
                    _ => "text",
                }));
            }
        }
        if !places.is_empty() {
            let names = || self.features.iter().map(|feature| feature.name.as_str());
            return Err(DataError::LackingColumns {
                missing: listed(names().filter(|name| places.contains_key(name)), ", ", 8),
                needed: listed(names(), ", ", 20),
            });
        }
        let (mut parts, mut blank) = (Vec::with_capacity(columns.len()), BlankRows::default());
        for (feature, column) in self.features.iter().zip(columns.into_iter().flatten()) {
            report.tallies.push(Tally::of(feature, &column.values));
            blank.meet(&column.values);
            parts.push(match &feature.kind {
                FeatureKind::Text { text, .. } => {
                    report.count_missing(&column);
                    if self.missing == MissingPolicy::Refuse {
                        refuse_missing(&column.name, &column.values)?;
                    }
                    let Values::Text(texts) = &column.values else {
                        return Err(feature.changed(column.values.kind()));
                    };
                    let texts: Vec<&str> = texts.iter().collect();
                    let terms = text.transform(&texts);
                    report.without_terms.push((column.name.clone(), terms.empty_rows()));
                    if text.are_unlike(terms.empty_rows(), terms.rows()) {
                        report.unknown_texts.push((column.name.clone(), terms.empty_rows()));
                    }
                    encode::Part::Terms(terms)
                }
                _ => encode::Part::Column(column),
            });
        }
        report.blank = blank.finish();
        let store = encode::store(self, parts, rows, &mut report)?;
        Ok((store, report))
    }

    /// How far each column of a bare matrix is from what training saw.
    pub(crate) fn drifts_of_matrix(&self, matrix: &Matrix) -> Vec<ColumnDrift> {
        if self.features.len() != matrix.cols() {
            return Vec::new();
        }
        let tally = |(col, feature)| Tally::of(feature, &Values::Numeric(matrix.column(col)));
        let tallies: Vec<Tally> = self.features.iter().enumerate().map(tally).collect();
        self.drifts(&tallies, &[])
    }

    /// Scales a bare matrix in place. Its columns are this encoding's, in order; categories and texts need a table.
    pub fn encode_matrix(&self, mut matrix: Matrix) -> Result<Matrix, DataError> {
        let mut scales = Vec::with_capacity(self.features.len());
        for feature in &self.features {
            match &feature.kind {
                &FeatureKind::Numeric { mean, scale, .. } | &FeatureKind::Boolean { mean, scale } => {
                    scales.push((mean, scale));
                }
                FeatureKind::Vector { means, scales: of } => {
                    scales.extend(means.iter().copied().zip(of.iter().copied()))
                }
                FeatureKind::Categorical { .. } | FeatureKind::Text { .. } | FeatureKind::Time { .. } => {
                    return Err(feature.changed("numeric"));
                }
            }
        }
        if matrix.cols() != scales.len() {
            return Err(DataError::Width { expected: scales.len(), found: matrix.cols() });
        }
        let names = self.names();
        matrix.check_finite(|col| names[col].clone())?;
        if self.scaling == Scaling::AsIs {
            return Ok(matrix);
        }
        for row in matrix.as_mut_slice().chunks_exact_mut(scales.len()) {
            for (value, (mean, scale)) in row.iter_mut().zip(&scales) {
                *value = ((f64::from(*value) - mean) / scale) as f32;
            }
        }
        matrix.check_finite(|col| names[col].clone())?;
        Ok(matrix)
    }
}

impl EncodeReport {
    fn count_missing(&mut self, column: &Column) {
        match column.values.missing() {
            0 => {}
            missing => self.missing.push((column.name.clone(), missing)),
        }
    }
}

/// The terms of free text that was found: all of them where there is nothing else, else some frequent ones, next to which
/// trees still see the other columns. Nothing where no term is frequent enough.
fn found_text(
    column: &Column,
    options: &FeatureOptions,
    alone: bool,
) -> Result<Option<(FeatureKind, SparseMatrix)>, DataError> {
    let Values::Categorical { codes, levels } = &column.values else { return Ok(None) };
    let texts: Vec<&str> =
        codes.iter().map(|&code| levels.get(code as usize).map_or("", String::as_str)).collect();
    let text = if alone {
        options.text.clone()
    } else {
        TextOptions {
            min_texts: options.text.min_texts.max(TEXTS_OF_A_TERM),
            max_terms: Some(options.text.max_terms.unwrap_or(TERMS_BESIDE).min(TERMS_BESIDE)),
            stop_words: ENGLISH_STOP_WORDS.iter().map(ToString::to_string).collect(),
            ..options.text.clone()
        }
    };
    match text.fit_transform(&texts) {
        Ok((text, terms)) => Ok(Some((FeatureKind::Text { text, beside: !alone }, terms))),
        Err(DataError::NoTerms { .. }) => Ok(None),
        Err(error) => Err(error.of_column(&column.name)),
    }
}

fn refuse_missing(name: &str, values: &Values) -> Result<(), DataError> {
    match values.first_missing() {
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

#[cfg(test)]
mod tests {
    use super::encode::{FLOATS_IN_A_LINE, ROWS_AT_ONCE};
    use super::*;
    use crate::{read_csv_bytes, stack};

    fn frame(csv: &str) -> Frame {
        read_csv_bytes(csv.as_bytes()).unwrap()
    }

    fn fit(csv: &str) -> (Features, Matrix, EncodeReport) {
        fit_with(csv, MissingPolicy::Mean).unwrap()
    }

    /// Fits on every column but `y`, as a reader does once it has taken the labels.
    fn fit_with(csv: &str, missing: MissingPolicy) -> Result<(Features, Matrix, EncodeReport), DataError> {
        let mut table = frame(csv);
        let _ = table.take("y");
        let (fitted, rows, report) =
            Features::fit(table, &FeatureOptions { missing, ..FeatureOptions::default() })?;
        Ok((fitted, dense(rows), report))
    }

    fn dense(rows: Store) -> Matrix {
        match rows {
            Store::Dense(matrix) => matrix,
            other => panic!("not dense but {other:?}"),
        }
    }

    fn encoded(fitted: &Features, csv: &str) -> (Matrix, EncodeReport) {
        let (rows, report) = fitted.encode(frame(csv)).unwrap();
        (dense(rows), report)
    }

    const TABLE: &str = "x,flag,color,y\n1,true,red,1\n2,false,blue,0\n,true,,0\n6,true,red,0\n";

    #[test]
    fn encoding_by_hand() {
        let (fitted, matrix, _) = fit(TABLE);
        assert_eq!(fitted.names(), ["x", "flag", "color=blue", "color=red"]);
        let (again, report) = encoded(&fitted, TABLE);
        assert_eq!(again, matrix);
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
        let (fitted, store, _) = Features::fit(table, &FeatureOptions::default()).unwrap();
        let matrix = dense(store);
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
        let FeatureKind::Numeric { mean, scale, wide } =
            fit("x\n16777212\n16777214\n16777216\n").0.features[0].kind
        else {
            panic!()
        };
        // All three are exact as f32.
        assert_eq!((mean, wide), (16_777_214.0, false));
        assert!((scale - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn useless_columns_are_left_out_and_named() {
        let left_out = |csv| fit(csv).2.left_out;
        let x = |why| vec![LeftOut { column: "x".to_string(), why }];
        for csv in ["x,z,y\n5,1,1\n5,2,0\n,3,0\n", "x,z\ntrue,1\ntrue,2\n", "x,z\nred,1\nred,2\n"] {
            assert_eq!(left_out(csv), x(WhyLeftOut::Constant), "{csv}");
            assert_eq!(fit(csv).0.names(), ["z"], "{csv}");
        }
        assert_eq!(left_out("x,z\n,1\n,2\n"), x(WhyLeftOut::Empty));
        // One category next to missing cells tells the two apart.
        assert_eq!(left_out("x,z\nred,1\n,2\n"), []);
        for nothing in ["x,y\n5,1\n5,0\n", "y\n1\n0\n"] {
            let error = fit_with(nothing, MissingPolicy::Mean).unwrap_err().to_string();
            assert!(error.contains("no feature columns are left"), "{error}");
        }
    }

    #[test]
    fn a_value_that_scaling_carries_too_far_is_called_so() {
        let (fitted, ..) = fit("x\n1e-40\n2e-40\n");
        let error = fitted.encode(frame("x\n1\n")).unwrap_err().to_string();
        assert!(error.contains("column 'x', row 1: 1 is so far from the values"), "{error}");
        assert!(fitted.encode(frame("x\n3e-40\n")).is_ok());
    }

    #[test]
    fn missing_values_can_be_refused() {
        let error = fit_with(TABLE, MissingPolicy::Refuse).unwrap_err().to_string();
        assert!(error.contains("'x' has no value in row 3"), "{error}");
        let (fitted, ..) = fit_with("x\n1\n2\n", MissingPolicy::Refuse).unwrap();
        let error = fitted.encode(frame("x,z\n1,1\n,1\n")).unwrap_err().to_string();
        assert!(error.contains("'x' has no value in row 2"), "{error}");
    }

    #[test]
    fn other_data_must_have_the_columns_and_their_types() {
        let (fitted, ..) = fit(TABLE);
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
        let (fitted, ..) = fit(TABLE);
        let (matrix, report) = encoded(&fitted, "color,x,flag\ngreen,3,1\nred,3,0\n,3,\n");
        assert_eq!(report.unseen, [("color".to_string(), 1)]);
        assert_eq!(report.missing, [("flag".to_string(), 1), ("color".to_string(), 1)]);
        assert_eq!(matrix.row(0)[2..], [0.0, 0.0]);
        assert_eq!(matrix.row(1)[2..], [0.0, 1.0]);
        assert_eq!(matrix.row(0)[1], (0.25 / 0.1875f64.sqrt()) as f32);
        let (matrix, _) = encoded(&fitted, "color,x,flag\n,,\n");
        assert_eq!(matrix.as_slice(), [0.0; 4]);
    }

    #[test]
    fn without_scaling_numbers_stay_what_they_are() {
        let table = "x,c,b\n3,a,true\n0,b,false\n,a,true\n";
        let as_is = FeatureOptions { scaling: Scaling::AsIs, ..FeatureOptions::default() };
        let (fitted, rows, _) = Features::fit(frame(table), &as_is).unwrap();
        let matrix = dense(rows);
        // The missing number is the mean of 3 and 0.
        assert_eq!(matrix.as_slice(), [3.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.5, 1.0, 0.0, 1.0]);
        assert_eq!(encoded(&fitted, table).0, matrix);
    }

    #[test]
    fn the_encoding_survives_json() {
        let table = stack(frame("x,c\n0.1,a\n0.7,b\n"), frame("x,c\n0.30001,a\n")).unwrap();
        let (fitted, ..) = Features::fit(table, &FeatureOptions::default()).unwrap();
        let text = serde_json::to_string(&fitted).unwrap();
        assert_eq!(serde_json::from_str::<Features>(&text).unwrap(), fitted);
        assert!(text.contains(r#"{"name":"c","kind":"categorical","levels":["a","b"],"seen":{"#), "{text}");
        // Files of before have no such thing.
        let before = text.replace(r#","seen":{"rows":3,"single":1,"levels":[2,1]}"#, "");
        assert_eq!(serde_json::from_str::<Features>(&before).unwrap().columns()[1].seen, None);
    }

    #[test]
    fn bare_matrices_are_checked() {
        let matrix = |data: &[f32]| Matrix::new(data.len() / 2, 2, data.to_vec()).unwrap();
        let message = |data| Features::from_matrix(&matrix(data), None).unwrap_err().to_string();
        // A constant column stays, centered.
        let constant = Features::from_matrix(&matrix(&[1.0, 2.0, 1.0, 4.0]), None).unwrap();
        let rows = constant.encode_matrix(matrix(&[1.0, 2.0, 1.0, 4.0])).unwrap();
        assert_eq!(rows.as_slice(), [0.0, -1.0, 0.0, 1.0]);
        assert!(message(&[1.0, 2.0, 4.0, f32::NAN]).contains("column 'x1', row 2: NaN"));
        let fitted = Features::unscaled(vec!["a".to_string()]);
        let error = fitted.encode_matrix(matrix(&[1.0, 2.0])).unwrap_err().to_string();
        assert_eq!(error, "the model takes 1 features, but the matrix has 2 columns");
        // A value that is finite but not once it is scaled.
        let tiny = Features::from_matrix(&matrix(&[0.0, 0.0, 1e-30, 1.0]), None).unwrap();
        assert!(tiny.encode_matrix(matrix(&[1e30, 0.0])).is_err());
    }
}
