//! What a reader should know before trusting a model, as facts; sentences are made when they are shown or stored.

use crate::prior::PriorEstimate;
use onesided_data::{agree, counted, part_of};
use onesided_eval::{MetricWarning, RANDOM_LABELS};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What a reader should know before trusting a model. Two are equal that say the same.
#[derive(Clone, Debug)]
pub enum Warning {
    /// Few positives were held out.
    FewHeldOut {
        /// How many.
        positives: usize,
        /// Whether there are no others.
        all: bool,
    },
    /// A share that was estimated from rows without weights is taken for a weighted one.
    UnweightedShare,
    /// The held-out risk is not a number.
    Diverged,
    /// Without a prior, probabilities are those of being labeled.
    NoPrior,
    /// A method that ranks under biased labels is measured as if labels were random.
    RanksAlone,
    /// A theory gives probabilities above 1.
    AboveOne {
        /// To how many held-out unlabeled rows.
        rows: usize,
        /// Of how many.
        of: usize,
    },
    /// Trees were not tried, because a column was asked to be a text.
    TextWithoutTrees {
        /// The column.
        column: String,
        /// How many terms it gives.
        terms: usize,
        /// How many other columns there are.
        others: usize,
    },
    /// A candidate was left out of a blend.
    LeftOut {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// Candidates were judged on a sample.
    JudgedOnSample {
        /// How many rows it has.
        rows: usize,
        /// Of how many.
        of: usize,
        /// How many the model was trained on.
        learned: usize,
    },
    /// The prior is a guess.
    GuessedPrior {
        /// μ.
        mu: f64,
        /// Its interval.
        interval: (f64, f64),
        /// The level of the interval.
        confidence: f64,
        /// Whether only "at most" can be said.
        one_sided: bool,
    },
    /// The prior is assumed: the rows do not tell it.
    AssumedPrior {
        /// μ.
        mu: f64,
        /// Why none can be estimated.
        why: String,
    },
    /// Of the metrics.
    Metric(MetricWarning),
    /// In words: one that was stored with a model, or that another part found.
    Sentence(String),
}

impl Warning {
    /// That a model rests on an estimated or an assumed prior.
    pub fn guessed_prior(estimate: &PriorEstimate) -> Self {
        if let Some(why) = &estimate.assumed {
            return Warning::AssumedPrior { mu: estimate.mu.get(), why: why.clone() };
        }
        let &PriorEstimate { mu, interval, confidence, one_sided, .. } = estimate;
        Warning::GuessedPrior { mu: mu.get(), interval, confidence, one_sided }
    }

    /// Whether it says that the prior is a guess, or assumed. A warning that was stored does not tell.
    pub fn is_guessed_prior(&self) -> bool {
        matches!(self, Warning::GuessedPrior { .. } | Warning::AssumedPrior { .. })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Warning::FewHeldOut { positives, all } => {
                let (be, positives) = (agree(positives, "is", "are"), counted(positives, "positives"));
                if all {
                    write!(f, "there {be} only {positives}")?;
                } else {
                    write!(f, "only {positives} {be} held out")?;
                }
                f.write_str(": the choices, the calibration and the metrics rest on very few rows")
            }
            Warning::UnweightedShare => f.write_str(
                "the share of positives was estimated from rows that count once each, and is taken for the weighted share",
            ),
            Warning::Diverged => f.write_str("the held-out risk is not a number: training diverged"),
            Warning::NoPrior => f.write_str(
                "no prior was given: the probabilities are those of being labeled, not of being positive",
            ),
            Warning::RanksAlone => f.write_str(
                "what is measured here, and every probability, assumes labels at random: where they favor some positives, trust \
                 the order of the rows alone",
            ),
            &Warning::AboveOne { rows, of } => write!(
                f,
                "the formula gives {} a probability above 1, taken as 1: the label frequency it rests on is too low, or the labels \
                 were not given at random",
                part_of(rows, of, "held-out unlabeled rows")
            ),
            Warning::TextWithoutTrees { column, terms, others } => write!(
                f,
                "trees were not tried on the {others} other columns, because column '{column}' was asked to be a text and gives \
                 {terms} terms; a column of free text that is not asked for gives few, and trees learn from them and from the others"
            ),
            Warning::LeftOut { name, why } => write!(f, "'{name}' was left out: {why}"),
            &Warning::JudgedOnSample { rows, of, learned } => {
                let judged = part_of(rows, of, "rows");
                write!(f, "members were judged on a sample of {judged}; the model was trained on ")?;
                match learned {
                    _ if learned == of => f.write_str("all others, too"),
                    _ if learned == rows => f.write_str("these alone"),
                    _ => write!(f, "{}, more would hardly change it", part_of(learned, of, "rows")),
                }
            }
            Warning::GuessedPrior { mu, interval: (low, high), confidence, one_sided } => {
                let level = 100.0 * confidence;
                write!(f, "the prior is a guess, {mu:.3} of the unlabeled rows: ")?;
                if *one_sided {
                    write!(f, "at most {high:.3} are positive ({level:.0} %), which is all that can be said")?;
                } else {
                    write!(f, "between {low:.3} and {high:.3} of the unlabeled rows are positive ({level:.0} %)")?;
                }
                write!(
                    f,
                    ", {RANDOM_LABELS}. Probabilities, the threshold, precision, F1, accuracy and AUC against negatives rest on \
                     it; the ranking, recall and lift do not. A prior that you know, or an audit of some rows, settles it"
                )
            }
            Warning::AssumedPrior { mu, why } => write!(
                f,
                "the prior is assumed, {mu:.3} of the unlabeled rows, so that most of them count as negative: {why}. Probabilities \
                 and the threshold rest on it; precision, F1, accuracy and AUC against negatives would, too, and are left out. The \
                 ranking, recall and lift do not. A prior that you know, or an audit of some rows, settles it"
            ),
            Warning::Metric(warning) => warning.fmt(f),
            Warning::Sentence(sentence) => f.write_str(sentence),
        }
    }
}

impl PartialEq for Warning {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl From<MetricWarning> for Warning {
    fn from(warning: MetricWarning) -> Self {
        Warning::Metric(warning)
    }
}

impl Serialize for Warning {
    /// As its sentence.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Warning {
    /// A sentence, whatever it was made from.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Warning::Sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(warning: Warning) -> String {
        warning.to_string()
    }

    /// Model files hold these sentences: they are what readers of old and new files see.
    #[test]
    fn sentences_are_what_model_files_hold() {
        let rest = ": the choices, the calibration and the metrics rest on very few rows";
        let few = |positives, all| said(Warning::FewHeldOut { positives, all });
        assert_eq!(few(18, true), format!("there are only 18 positives{rest}"));
        assert_eq!(few(1, true), format!("there is only 1 positive{rest}"));
        assert_eq!(few(12, false), format!("only 12 positives are held out{rest}"));
        assert_eq!(
            said(Warning::UnweightedShare),
            "the share of positives was estimated from rows that count once each, and is taken for the weighted share"
        );
        assert_eq!(said(Warning::Diverged), "the held-out risk is not a number: training diverged");
        assert_eq!(
            said(Warning::NoPrior),
            "no prior was given: the probabilities are those of being labeled, not of being positive"
        );
        assert_eq!(
            said(Warning::RanksAlone),
            "what is measured here, and every probability, assumes labels at random: where they favor some positives, trust the \
             order of the rows alone"
        );
        let above = said(Warning::AboveOne { rows: 30, of: 1_000 });
        assert!(above.starts_with("the formula gives 30 of "), "{above}");
        assert!(above.ends_with("is too low, or the labels were not given at random"), "{above}");
        let text = Warning::TextWithoutTrees { column: "note".to_string(), terms: 800, others: 3 };
        assert_eq!(
            said(text),
            "trees were not tried on the 3 other columns, because column 'note' was asked to be a text and gives 800 terms; a \
             column of free text that is not asked for gives few, and trees learn from them and from the others"
        );
        let left_out = Warning::LeftOut { name: "kernel".to_string(), why: "no memory".to_string() };
        assert_eq!(said(left_out), "'kernel' was left out: no memory");
        let sample = |learned| said(Warning::JudgedOnSample { rows: 20, of: 100, learned });
        assert!(sample(100).starts_with("members were judged on a sample of 20 of "), "{}", sample(100));
        assert!(sample(100).ends_with("; the model was trained on all others, too"));
        assert!(sample(20).ends_with("; the model was trained on these alone"));
        assert!(
            sample(50).ends_with("; the model was trained on 50 of 100 rows, more would hardly change it")
        );
        assert_eq!(said(MetricWarning::NoPrior.into()), MetricWarning::NoPrior.to_string());
    }

    #[test]
    fn a_guess_is_said_with_its_range_or_with_its_end() {
        let guess = |one_sided| Warning::GuessedPrior {
            mu: 0.21,
            interval: (0.1, 0.35),
            confidence: 0.95,
            one_sided,
        };
        let rest = format!(
            ", {RANDOM_LABELS}. Probabilities, the threshold, precision, F1, accuracy and AUC against negatives rest on it; the \
             ranking, recall and lift do not. A prior that you know, or an audit of some rows, settles it"
        );
        let begin = "the prior is a guess, 0.210 of the unlabeled rows: ";
        let both = "between 0.100 and 0.350 of the unlabeled rows are positive (95 %)";
        assert_eq!(said(guess(false)), format!("{begin}{both}{rest}"));
        let most = "at most 0.350 are positive (95 %), which is all that can be said";
        assert_eq!(said(guess(true)), format!("{begin}{most}{rest}"));
        assert!(guess(true).is_guessed_prior() && !Warning::NoPrior.is_guessed_prior());
    }

    #[test]
    fn what_is_stored_says_the_same_and_is_equal() {
        let all = vec![
            Warning::FewHeldOut { positives: 3, all: false },
            Warning::Diverged,
            Warning::Metric(MetricWarning::NothingPredicted),
            Warning::LeftOut { name: "a \"quoted\" one".to_string(), why: "π".to_string() },
        ];
        let stored = serde_json::to_string(&all).unwrap();
        let sentences: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(stored, serde_json::to_string(&sentences).unwrap());
        let read: Vec<Warning> = serde_json::from_str(&stored).unwrap();
        assert!(read.iter().all(|warning| matches!(warning, Warning::Sentence(_))));
        assert_eq!(read, all);
        assert_ne!(read[0], read[1]);
        assert_eq!(serde_json::to_string(&read).unwrap(), stored);
    }
}
