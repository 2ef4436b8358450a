//! What can be wrong, one sentence each: what, where, and what to do.

use crate::OptionError;
use onesided_data::Hint;

/// Why a classic method refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum ClassicError {
    /// Somebody asked to stop.
    #[error("fitting was stopped")]
    Stopped,
    /// A list of weights of another length than the rows.
    #[error("there are {found} {kind} weights for {rows} rows")]
    Weights { kind: &'static str, found: usize, rows: usize },
    /// A weight below zero, or not a number.
    #[error("the {kind} weight of row {row} is {value}, but a weight is a finite number of at least 0")]
    Weight { kind: &'static str, row: usize, value: f64 },
    /// Nothing to learn one class from.
    #[error("no row has a weight above 0 as a {kind} example")]
    NoExamples { kind: &'static str },
    /// A value that is not finite.
    #[error("row {row}, column {column}: {value} is not a finite number")]
    NotFinite { row: usize, column: usize, value: f32 },
    /// A setting outside its range.
    #[error("{name} must be {range}, but is {value}")]
    Setting { name: &'static str, range: &'static str, value: f64 },
    /// Naive Bayes counts words; there are no negative counts.
    #[error(
        "row {row}, column {column}: {value} is negative, and naive Bayes takes counts; use word counts or TF-IDF, \
         or another method"
    )]
    NegativeCount { row: usize, column: usize, value: f32 },
    /// A model for other columns.
    #[error("the model takes {expected} columns, but the rows have {found}")]
    Width { expected: usize, found: usize },
    /// Rows of labels and of values do not match.
    #[error("there are {found} labels for {rows} rows")]
    Labels { found: usize, rows: usize },
    /// Rows of one kind only.
    #[error("there are no {kind} rows; both positive and unlabeled ones are needed")]
    NoRows { kind: &'static str },
    /// A method that cannot do without the prior.
    #[error("{method} needs the share of positives among the unlabeled rows; give it a prior")]
    NoPrior { method: &'static str },
    /// Too few rows of a kind.
    #[error("{method} needs at least {least} {what}, but there are {found}; {remedy}")]
    TooFew { method: &'static str, what: &'static str, least: usize, found: usize, remedy: &'static str },
    /// The two-step methods found nothing to call negative.
    #[error(
        "{method} found no reliable negatives among {}: {why}",
        onesided_data::counted(*.unlabeled, "unlabeled rows")
    )]
    NoReliableNegatives { method: &'static str, unlabeled: usize, why: &'static str },
    /// S-EM's threshold would hang on a handful of rows.
    #[error(
        "s-em would have {spies} spies ({share} of {}) and needs at least {least}, which takes {} at that share",
        onesided_data::counted(*.positives, "positives"),
        onesided_data::counted(*.needed, "positives")
    )]
    TooFewSpies { spies: usize, positives: usize, share: f64, least: usize, needed: usize },
    /// LDCE's published correction divides by 1 - 2ph.
    #[error(
        "LDCE's published centroid divides by 1 - 2ph, which is {value:.4} here (class prior p = {prior:.4}, hidden \
         share h = {hidden:.4}); use the default centroid, which has no such limit"
    )]
    Correction { value: f64, prior: f64, hidden: f64 },
    /// More rows than a kernel machine can be trained on; `remedy` is the option that uses random features instead.
    #[error(
        "{method} with a kernel takes at most {limit} rows, but there are {rows}; random features have no such limit"
    )]
    TooManyRows { method: &'static str, rows: usize, limit: usize, remedy: Option<&'static str> },
    /// More columns than a generator can draw.
    #[error(
        "{method} takes rows of at most {limit} columns, but there are {cols}; use another method, or fewer columns"
    )]
    TooWide { method: &'static str, cols: usize, limit: usize },
    /// Rows that nothing tells apart.
    #[error(
        "the {cols} columns have one value each in all rows, which tells no row from another; give columns that vary"
    )]
    AllConstant { cols: usize },
    /// A game whose losses stopped being numbers.
    #[error(
        "{method} diverged in all of its games ({games}), the last one at step {step}: a loss is not a finite number; \
         lower the rate"
    )]
    Diverged { method: &'static str, step: usize, games: usize },
    /// A system without a setting to try.
    #[error("{method} has no settings to choose from; name at least one")]
    NoCandidates { method: &'static str },
    /// A name that no system has.
    #[error("there is no system '{name}'")]
    UnknownSystem { name: String },
    /// An option that the system does not have, or a value that it does not take.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A model file that does not fit together.
    #[error("the stored model does not fit together: {detail}")]
    Stored { detail: String },
}

impl ClassicError {
    /// What to set so that the rows are taken, where a setting helps.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        match self {
            // With fewer positives no share of them is enough.
            ClassicError::TooFewSpies { positives, least, .. } if positives > least => {
                Some(Hint::new("raise the spies' share", "option", "spies=SHARE"))
            }
            ClassicError::TooManyRows { remedy, .. } => {
                remedy.map(|option| Hint::new("use them", "option", option))
            }
            ClassicError::NoReliableNegatives { .. } => {
                Some(Hint::new("use a method that needs none", "method", "weighted-lr"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the command line writes it.
    fn with_hint(error: &ClassicError) -> String {
        let hint = error
            .hint()
            .map(|hint| format!("; {} with --{} {}", hint.act, hint.setting, hint.value.unwrap_or_default()));
        format!("{error}{}", hint.unwrap_or_default())
    }

    #[test]
    fn a_sentence_and_its_hint_read_as_one() {
        let few = |positives| ClassicError::TooFewSpies {
            spies: 2,
            positives,
            share: 0.15,
            least: 20,
            needed: 134,
        };
        assert_eq!(
            with_hint(&few(100)),
            "s-em would have 2 spies (0.15 of 100 positives) and needs at least 20, which takes 134 positives at that \
             share; raise the spies' share with --option spies=SHARE"
        );
        assert_eq!(few(20).hint(), None);
        let many =
            |remedy| ClassicError::TooManyRows { method: "kldce", rows: 70_000, limit: 50_000, remedy };
        assert_eq!(
            with_hint(&many(Some("random-features=500"))),
            "kldce with a kernel takes at most 50000 rows, but there are 70000; random features have no such limit; use \
             them with --option random-features=500"
        );
        assert_eq!(many(None).hint(), None);
        let why = "positives and unlabeled rows point the same way";
        assert_eq!(
            with_hint(&ClassicError::NoReliableNegatives { method: "roc-svm", unlabeled: 3, why }),
            "roc-svm found no reliable negatives among 3 unlabeled rows: positives and unlabeled rows point the same way; \
             use a method that needs none with --method weighted-lr"
        );
        assert_eq!(ClassicError::NoPrior { method: "puld" }.hint(), None);
    }
}
