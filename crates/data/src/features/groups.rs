//! Which encoded columns belong together: the levels of a category, the parts of one column.

use super::{FeatureKind, Features, Scaling};
use onesided_table::TimeFeature;
use std::ops::Range;

/// Encoded columns in the groups that a person would name: a number is a group, a category with all its levels, each term
/// of a text, each part of a date and each place of a vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnGroups {
    /// The group of each encoded column.
    pub of_encoded: Vec<usize>,
    /// The group of each whole column, where a category is one code.
    pub of_whole: Vec<usize>,
    /// A name for each group.
    pub names: Vec<String>,
    /// Whether a group is a category.
    pub category: Vec<bool>,
}

impl ColumnGroups {
    /// Every column by itself.
    pub fn single(names: Vec<String>) -> Self {
        let all: Vec<usize> = (0..names.len()).collect();
        Self { of_encoded: all.clone(), of_whole: all, category: vec![false; names.len()], names }
    }
}

impl Features {
    /// Which columns belong together.
    pub fn groups(&self) -> ColumnGroups {
        let alone = self.features.len() == 1;
        let mut groups = ColumnGroups::default();
        for feature in &self.features {
            let (first, wide) = (groups.names.len(), feature.width());
            match &feature.kind {
                FeatureKind::Text { .. } | FeatureKind::Vector { .. } => {
                    groups.of_encoded.extend(first..first + wide);
                    groups.of_whole.extend(first..first + wide);
                    groups.names.extend(feature.names(alone));
                    groups.category.extend(vec![false; wide]);
                }
                FeatureKind::Time { parts, .. } => {
                    groups.of_encoded.extend(first..first + wide);
                    groups.of_whole.extend(first..first + wide);
                    groups.names.extend(parts.iter().map(|part| match part.part {
                        TimeFeature::Days => format!("{} (days)", feature.name),
                        _ => part.part.named(&feature.name),
                    }));
                    groups.category.extend(vec![false; wide]);
                }
                kind => {
                    let category = matches!(kind, FeatureKind::Categorical { .. });
                    groups.of_encoded.extend(vec![first; wide]);
                    groups.of_whole.extend(vec![first; if category { 1 } else { wide }]);
                    groups.names.push(feature.name.clone());
                    groups.category.push(category);
                }
            }
        }
        groups
    }

    /// The columns of the table, each with the encoded columns that it became.
    pub fn spans(&self) -> Vec<(String, Range<usize>)> {
        let mut end = 0;
        let span = |feature: &super::Feature| {
            let start = end;
            end += feature.width();
            (feature.name.clone(), start..end)
        };
        self.features.iter().map(span).collect()
    }

    /// An encoded row that says nothing: numbers at their mean, no level of a category, no term of a text.
    pub fn nothing(&self) -> Vec<f32> {
        if self.scaling == Scaling::Standard {
            return vec![0.0; self.width()];
        }
        let of = |feature: &super::Feature| match &feature.kind {
            FeatureKind::Numeric { mean, .. } | FeatureKind::Boolean { mean, .. } => vec![*mean as f32],
            FeatureKind::Vector { means, .. } => means.iter().map(|&mean| mean as f32).collect(),
            _ => vec![0.0; feature.width()],
        };
        self.features.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::FeatureOptions;
    use super::*;
    use crate::read_csv_bytes;

    #[test]
    fn levels_belong_together_and_numbers_stand_alone() {
        let frame = read_csv_bytes(b"x,color,y\n1,red,3\n3,blue,5\n5,green,4\n").unwrap();
        let options = FeatureOptions { scaling: Scaling::AsIs, ..FeatureOptions::default() };
        let (features, _, _) = Features::fit(frame, &options).unwrap();
        let groups = features.groups();
        assert_eq!(groups.of_encoded, [0, 1, 1, 1, 2]);
        assert_eq!((groups.of_whole, groups.category), (vec![0, 1, 2], vec![false, true, false]));
        assert_eq!(groups.names, ["x", "color", "y"]);
        assert_eq!(features.spans()[1], ("color".to_string(), 1..4));
        assert_eq!(features.nothing(), [3.0, 0.0, 0.0, 0.0, 4.0]);
    }
}
