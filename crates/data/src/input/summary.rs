//! What the columns of a table were read as and what was done with each, as facts.

use crate::{EncodeReport, FeatureKind, Features};
use onesided_table::{LeftOut, WhyLeftOut};
use serde::Serialize;
use std::collections::HashMap;

/// What a column was read as, and what was done with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnRead {
    /// The name in the header.
    pub name: String,
    /// What it is.
    pub kind: ColumnIs,
    /// How many columns a model sees of it.
    pub features: usize,
    /// How many cells are missing, of a column that is learned from.
    pub missing: usize,
    /// Why it is not learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WhyLeftOut>,
}

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnIs {
    /// Numbers.
    Number,
    /// Truth values.
    TrueFalse,
    /// Categories.
    Category,
    /// Dates or times.
    Date,
    /// Texts whose words are learned from.
    Text,
    /// Vectors of numbers.
    Vector,
    /// Nothing that is learned from.
    LeftOut,
    /// Not looked at: others were named.
    NotUsed,
}

impl ColumnIs {
    /// What people call it.
    pub fn words(self) -> &'static str {
        match self {
            ColumnIs::Number => "numbers",
            ColumnIs::TrueFalse => "true or false",
            ColumnIs::Category => "categories",
            ColumnIs::Date => "dates",
            ColumnIs::Text => "texts",
            ColumnIs::Vector => "vectors",
            ColumnIs::LeftOut => "left out",
            ColumnIs::NotUsed => "not used",
        }
    }
}

/// The columns of a table: those that are learned from, those that are left out, and those that were not looked at.
pub(super) fn summary(features: &Features, report: &EncodeReport, unused: &[String]) -> Vec<ColumnRead> {
    let missing: HashMap<&str, usize> =
        report.missing.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let learned = features.columns().iter().map(|feature| ColumnRead {
        name: feature.name.clone(),
        kind: match feature.kind {
            FeatureKind::Numeric { .. } => ColumnIs::Number,
            FeatureKind::Boolean { .. } => ColumnIs::TrueFalse,
            FeatureKind::Categorical { .. } => ColumnIs::Category,
            FeatureKind::Time { .. } => ColumnIs::Date,
            FeatureKind::Text { .. } => ColumnIs::Text,
            FeatureKind::Vector { .. } => ColumnIs::Vector,
        },
        features: feature.width(),
        missing: missing.get(feature.name.as_str()).copied().unwrap_or(0),
        why: None,
    });
    let other =
        |name: &String, kind, why| ColumnRead { name: name.clone(), kind, features: 0, missing: 0, why };
    let left_out =
        report.left_out.iter().map(|LeftOut { column, why }| other(column, ColumnIs::LeftOut, Some(*why)));
    let unused = unused.iter().map(|name| other(name, ColumnIs::NotUsed, None));
    learned.chain(left_out).chain(unused).collect()
}
