//! What must be true of an encoding that was read from a file.

use super::{FeatureKind, Features};
use crate::DataError;
use std::collections::HashSet;

impl Features {
    /// Refuses what no training leaves behind: names or levels that occur twice, levels out of order, scales that are not
    /// above 0.
    pub fn check(&self) -> Result<(), DataError> {
        let mut names = HashSet::new();
        for feature in self.columns() {
            let unsound = |what: &'static str| DataError::Unsound { column: feature.name.clone(), what };
            if !names.insert(feature.name.as_str()) {
                return Err(unsound("occurs twice"));
            }
            let scaled = |mean: f64, scale: f64| mean.is_finite() && scale > 0.0 && scale.is_finite();
            let sound = match &feature.kind {
                FeatureKind::Numeric { mean, scale, .. } | FeatureKind::Boolean { mean, scale } => {
                    scaled(*mean, *scale)
                }
                FeatureKind::Vector { means, scales } => {
                    means.len() == scales.len() && means.iter().zip(scales).all(|(&m, &s)| scaled(m, s))
                }
                FeatureKind::Categorical { levels, .. } => {
                    if !levels.windows(2).all(|pair| pair[0] < pair[1]) {
                        return Err(unsound("has categories that are not in order or occur twice"));
                    }
                    true
                }
                _ => true,
            };
            if !sound {
                return Err(unsound("has a scale that is not above 0"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_named() {
        let check = |features: &str| {
            let features = format!("{{\"features\": [{features}], \"missing\": \"mean\"}}");
            serde_json::from_str::<Features>(&features).unwrap().check()
        };
        let number = |name: &str, scale: &str| {
            format!("{{\"name\": \"{name}\", \"kind\": \"numeric\", \"mean\": 0.5, \"scale\": {scale}}}")
        };
        assert!(check(&number("a", "2.0")).is_ok());
        let refused = |features: &str| check(features).unwrap_err().to_string();
        assert!(refused(&number("a", "-1.0")).contains("'a' has a scale"));
        assert!(refused(&number("a", "0.0")).contains("'a' has a scale"));
        let twice = format!("{}, {}", number("a", "1.0"), number("a", "2.0"));
        assert!(refused(&twice).contains("'a' occurs twice"));
        let levels =
            |levels: &str| format!("{{\"name\": \"c\", \"kind\": \"categorical\", \"levels\": {levels}}}");
        assert!(check(&levels("[\"x\", \"y\"]")).is_ok());
        assert!(refused(&levels("[\"x\", \"x\"]")).contains("occur twice"));
        assert!(refused(&levels("[\"y\", \"x\"]")).contains("not in order"));
    }
}
