//! How the columns that matter most matter: the mean probability of some rows with a column at each of several values.
//!
//! J. H. Friedman, "Greedy function approximation: A gradient boosting machine", Annals of Statistics 29, 2001 (partial dependence). A value is
//! that of a row of the table, so every one occurs; next to the mean stands the middle half of the rows.

use crate::{Among, Error, Model};
use onesided_data::{Dataset, Encoding, Feature, FeatureKind, Matrix, Scaling, Store, Stream};
use serde::Serialize;

/// Rows that are scored for each value, and values of a column of numbers.
const ROWS: usize = 300;
const VALUES: usize = 18;
/// Levels of a category that are shown: those of the most rows.
const LEVELS: usize = 10;

/// How a column matters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The column.
    pub column: String,
    /// Whether its values are numbers; else each has a name.
    pub is_number: bool,
    /// What it does at some of its values, ascending or the most frequent first.
    pub points: Vec<EffectPoint>,
}

/// A column at a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectPoint {
    /// The value, of numbers.
    pub at: f64,
    /// The value as people write it.
    pub name: String,
    /// The share of rows with it, of levels.
    pub share: f64,
    /// The mean probability.
    pub mean: f64,
    /// The lower and the upper quartile.
    pub half: (f64, f64),
}

/// Effects of the first of these columns that have numbers or levels.
pub(super) fn of(
    model: &Model,
    data: &Dataset,
    first: &[&str],
    most: usize,
    seed: u64,
) -> Result<Vec<Effect>, Error> {
    let Encoding::Table(features) = model.encoding().as_ref() else { return Ok(Vec::new()) };
    let data = data.without_blank();
    let data = model.encoded(&data)?;
    let Store::Dense(matrix) = data.rows() else { return Ok(Vec::new()) };
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let mut drawn: Vec<usize> = (0..data.len()).collect();
    Stream::new(seed, "rows of effects").shuffle(&mut drawn);
    let scaled = features.scaling() == Scaling::Standard;
    let spans = features.spans();
    let mut effects = Vec::new();
    for name in first {
        let Some(at) = spans.iter().position(|(other, _)| other == name) else { continue };
        let (feature, span) = (&features.columns()[at], spans[at].1.clone());
        let values = values_of(feature, matrix, &span, scaled);
        if values.len() < 2 || effects.len() >= most {
            continue;
        }
        // The rows that have the values, and behind them the rows to be scored with each.
        let some: Vec<usize> =
            values.iter().map(|value| value.row).chain(drawn.iter().copied().take(ROWS)).collect();
        let rows = data.select(&some);
        let mut points = Vec::new();
        for (place, value) in values.iter().enumerate() {
            let mut order: Vec<usize> = (0..some.len()).collect();
            order[values.len()..].fill(place);
            let scores = model.score(&rows.permuted(span.clone(), &order)?)?;
            let mut each: Vec<f64> = scores[values.len()..]
                .iter()
                .map(|&score| f64::from(model.probability_among(score, Among::Population)))
                .collect();
            each.sort_by(f64::total_cmp);
            let mean = each.iter().sum::<f64>() / each.len() as f64;
            let quartile = |share: f64| each[((each.len() - 1) as f64 * share).round() as usize];
            let Value { at, name, share, .. } = value.clone();
            points.push(EffectPoint { at, name, share, mean, half: (quartile(0.25), quartile(0.75)) });
        }
        effects.push(Effect { column: feature.name.clone(), is_number: !is_category(feature), points });
    }
    Ok(effects)
}

/// A value of a column, and a row that has it.
#[derive(Clone)]
struct Value {
    row: usize,
    at: f64,
    name: String,
    share: f64,
}

fn is_category(feature: &Feature) -> bool {
    matches!(feature.kind, FeatureKind::Categorical { .. } | FeatureKind::Boolean { .. })
}

fn values_of(feature: &Feature, matrix: &Matrix, span: &std::ops::Range<usize>, scaled: bool) -> Vec<Value> {
    let n = matrix.rows();
    match &feature.kind {
        FeatureKind::Numeric { mean, scale, .. } => {
            let column = span.start;
            let mut order: Vec<usize> = (0..n).filter(|&row| matrix.row(row)[column].is_finite()).collect();
            order.sort_by(|&a, &b| matrix.row(a)[column].total_cmp(&matrix.row(b)[column]).then(a.cmp(&b)));
            if order.is_empty() {
                return Vec::new();
            }
            // From the 1st to the 99th percentile.
            let place = |i: usize| 0.01 + 0.98 * i as f64 / (VALUES - 1) as f64;
            let mut rows: Vec<usize> =
                (0..VALUES).map(|i| order[((order.len() - 1) as f64 * place(i)).round() as usize]).collect();
            rows.dedup_by(|a, b| matrix.row(*a)[column] == matrix.row(*b)[column]);
            let value = |row: usize| {
                let x = f64::from(matrix.row(row)[column]);
                let at = if scaled { x * scale + mean } else { x };
                // An encoded number has the digits of f32.
                Value { row, at, name: format!("{}", (at as f32 * 1e4).round() / 1e4), share: 0.0 }
            };
            rows.into_iter().map(value).collect()
        }
        FeatureKind::Boolean { mean, scale } => {
            let column = span.start;
            let raw = |row: usize| {
                let x = f64::from(matrix.row(row)[column]);
                if scaled { x * scale + mean } else { x }
            };
            let of = |wanted: f64, name: &str| {
                let rows: Vec<usize> = (0..n).filter(|&row| (raw(row) - wanted).abs() < 0.01).collect();
                let share = rows.len() as f64 / n as f64;
                Some(Value { row: *rows.first()?, at: wanted, name: name.to_string(), share })
            };
            [of(0.0, "no"), of(1.0, "yes")].into_iter().flatten().collect()
        }
        FeatureKind::Categorical { levels, .. } => {
            let of = |(at, name): (usize, &String)| {
                let has = |row: &usize| matrix.row(*row)[span.start + at] != 0.0;
                let row = (0..n).find(|row| has(row))?;
                let share = (0..n).filter(|row| has(row)).count() as f64 / n as f64;
                Some(Value { row, at: at as f64, name: name.clone(), share })
            };
            if span.len() < levels.len() {
                return Vec::new();
            }
            let mut values: Vec<Value> = levels.iter().enumerate().filter_map(of).collect();
            values.sort_by(|a, b| b.share.total_cmp(&a.share));
            values.truncate(LEVELS);
            values
        }
        _ => Vec::new(),
    }
}
