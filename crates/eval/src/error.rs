//! What can be wrong with the numbers handed in, and the checks at the door.

use crate::labeling::LabelingOdds;
use onesided_data::{agree, counted, grouped};

/// Why an evaluation was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// Nothing to measure.
    #[error("no {0} rows are left to evaluate")]
    Empty(&'static str),
    /// NaN or infinite.
    #[error("the {sample} score at index {index} is {value}; scores must be finite")]
    NotFinite {
        /// Which sample holds it.
        sample: &'static str,
        /// Position in that sample.
        index: usize,
        /// The score.
        value: f32,
    },
    /// A score where a probability is needed.
    #[error("the probability at index {index} is {value}, outside [0, 1]")]
    NotProbability {
        /// Position in the slice.
        index: usize,
        /// The value found there.
        value: f32,
    },
    /// Scores and labels that do not belong together.
    #[error("there are {scores} scores but {truth} true labels")]
    Lengths {
        /// Number of scores.
        scores: usize,
        /// Number of labels.
        truth: usize,
    },
    /// No comparison with this number means anything.
    #[error("the threshold must be a number, but is {0}")]
    Threshold(f64),
    /// Not a rule.
    #[error("{}", onesided_data::unknown_name("threshold rule", .0, &["half", "quantile", "max-pu-accuracy"]))]
    UnknownRule(String),
    /// Not strictly between 0 and 1.
    #[error("the {what} must lie strictly between 0 and 1, but is {value}{}", onesided_data::as_share(*.value))]
    OutsideUnit {
        /// What is set.
        what: &'static str,
        /// What it was set to.
        value: f64,
    },
    /// A guarantee that so few positives cannot give.
    #[error(
        "{} {} too few to promise a recall of {recall} with confidence {confidence}{}{}: that takes at least {}",
        counted(*.found, "held-out positives"),
        agree(*.found, "is", "are"),
        if *.in_file { " for the positives in one file" } else { "" },
        if .labeling.is_random() { String::new() } else { format!(" at labeling odds of {}", .labeling.get()) },
        grouped(*.needed)
    )]
    TooFewPositives {
        /// Positives there are.
        found: usize,
        /// Positives it takes.
        needed: usize,
        /// The recall asked for.
        recall: f64,
        /// The confidence asked for.
        confidence: f64,
        /// Whether the promise is about one file, and not about the population.
        in_file: bool,
        /// How much labels may favor some positives.
        labeling: LabelingOdds,
    },
    /// Γ that is no bound.
    #[error(
        "the labeling odds must lie between 1 and {}, but are {}: by how many times the odds of being labeled may differ \
         between two positives, and 1 for labels at random",
        grouped(LabelingOdds::MOST as usize),
        .0
    )]
    LabelingOdds(f64),
    /// More rows than there are, or none.
    #[error(
        "the first {} {} asked for, but there {} {}",
        counted(*.rows, "rows"),
        agree(*.rows, "was", "were"),
        agree(*.all, "is", "are"),
        grouped(*.all)
    )]
    Top {
        /// Rows asked for.
        rows: usize,
        /// Rows there are.
        all: usize,
    },
    /// Not a number of rows.
    #[error("'{0}' is not a number of rows; use a whole number from 1 such as 100, or a share such as 1%")]
    UnknownTop(String),
    /// An audit that cannot be drawn.
    #[error(
        "an audit of {} draws from {} to {} of them, but {} {} asked for",
        counted(*.all, "rows"),
        grouped(*.least),
        grouped(*.all),
        grouped(*.rows),
        agree(*.rows, "was", "were")
    )]
    AuditRows {
        /// Rows asked for.
        rows: usize,
        /// The fewest: two per stratum.
        least: usize,
        /// Rows there are.
        all: usize,
    },
    /// An audit without enough answers.
    #[error("{} of the audit {} answered, and at least 2 are needed", counted(*.0, "rows"), agree(*.0, "is", "are"))]
    FewAnswers(usize),
    /// An interval needs at least one resample.
    #[error("the number of bootstrap resamples must be at least 1, but is 0")]
    NoResamples,
}

/// Refuses an empty sample and one that holds NaN or an infinity.
pub(crate) fn check_scores(sample: &'static str, scores: &[f32]) -> Result<(), EvalError> {
    if scores.is_empty() {
        return Err(EvalError::Empty(sample));
    }
    match scores.iter().position(|score| !score.is_finite()) {
        Some(index) => Err(EvalError::NotFinite { sample, index, value: scores[index] }),
        None => Ok(()),
    }
}

/// Refuses a threshold that is NaN. Infinite ones are fine: they predict everything or nothing.
pub(crate) fn check_threshold(threshold: f64) -> Result<(), EvalError> {
    if threshold.is_nan() { Err(EvalError::Threshold(threshold)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_sample_the_place_and_the_value() {
        let error = check_scores("unlabeled", &[0.1, f32::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "the unlabeled score at index 1 is NaN; scores must be finite");
        let error = check_scores("positive", &[f32::INFINITY]).unwrap_err();
        assert_eq!(error.to_string(), "the positive score at index 0 is inf; scores must be finite");
        let error = check_scores("positive", &[]).unwrap_err();
        assert_eq!(error.to_string(), "no positive rows are left to evaluate");
        assert!(check_threshold(f64::NAN).is_err() && check_threshold(f64::INFINITY).is_ok());
    }
}
