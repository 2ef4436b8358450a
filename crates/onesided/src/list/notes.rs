//! What is to be said of a ranked list: facts, which are made sentences at the last moment.

use crate::ScoredBy;
use onesided_data::{Hint, agree, counted, grouped};
use serde::Serialize;
use std::fmt;

/// How a list of rows that the model was fitted on was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FittedRows {
    /// How many of the rows of the data the model was fitted on.
    pub known: usize,
    /// How many rows of the list are ranked by a score out of fold.
    pub out_of_fold: usize,
    /// What those scores come from.
    pub by: ScoredBy,
    /// How many labeled rows are not in the list.
    pub left_out: usize,
    /// How many rows are equal to labeled ones and cannot be told from them; they are in the list.
    pub ambiguous: usize,
    /// How many rows there are.
    #[serde(skip)]
    pub rows: usize,
    /// How many of them are equal to one that the model was fitted on.
    #[serde(skip)]
    pub met: usize,
    /// Whether they are the rows that the model was fitted on, perhaps with others.
    #[serde(skip)]
    pub is_fitted_table: bool,
    /// How many of them are known to be labeled, listed or not.
    #[serde(skip)]
    pub labeled: usize,
    /// How many of them are known to be unlabeled.
    #[serde(skip)]
    pub unlabeled: usize,
    /// How many a column calls labeled that were not when the model was fitted.
    #[serde(skip)]
    pub labeled_since: usize,
    /// How many were labeled when the model was fitted and are not by a column.
    #[serde(skip)]
    pub not_labeled_now: usize,
}

impl FittedRows {
    /// Which rows the model has met: its own table, or rows that are equal in all that it looks at.
    pub fn which(&self) -> String {
        let (found, all) = (if self.is_fitted_table { self.known } else { self.met }, self.rows);
        match (self.is_fitted_table, found) {
            _ if self.known == 0 => "a column says which rows are labeled".to_string(),
            (true, found) if found == all => "the model was fitted on these rows".to_string(),
            (true, _) => format!("the model was fitted on {} of these {} rows", grouped(found), grouped(all)),
            (false, 1) => format!(
                "1 of these {} is equal to one that the model was fitted on, in all that it looks at",
                counted(all, "rows")
            ),
            (false, _) => format!(
                "{} of these {} rows are equal to some that the model was fitted on, in all that it looks at",
                grouped(found),
                grouped(all)
            ),
        }
    }
}

/// Something to be said of a list. Front ends write the way out, where there is one, in their own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListNote {
    /// Rows that the model was fitted on are ranked out of fold, or labeled rows are left out.
    Fitted(FittedRows),
    /// The model was fitted on these rows and there are no scores out of fold.
    InSample {
        /// Why, where it could be otherwise.
        why: Option<String>,
    },
    /// The rows of the model are there and cannot be used: why.
    RowsNotUsed(String),
    /// Rows are equal to labeled ones, and nothing tells them apart.
    Ambiguous {
        /// How many.
        rows: usize,
        /// Whether a column of labels was named.
        told: bool,
    },
    /// The column of labels says something else than when the model was fitted.
    LabelsDiffer {
        /// How many rows are labeled in it that were not.
        since: usize,
        /// How many are not that were.
        not_now: usize,
    },
    /// No row is left to list.
    Empty,
    /// What the model was fitted with contradicts itself: how.
    Doubted(String),
    /// The model has no share of positives.
    OfLabels,
    /// Rows are certified, and whether the model was fitted on some of them cannot be told.
    NotLookedUp,
    /// Rows are drawn for an audit of the fitted table, and which of them are labeled is not known.
    LabeledDrawn,
}

impl ListNote {
    /// Whether it is a warning.
    pub fn is_warning(&self) -> bool {
        !matches!(self, ListNote::Fitted(_))
    }

    /// What can be done about it.
    pub fn hint(&self) -> Option<Hint> {
        let switch = |act: &'static str, setting| Hint { act: act.into(), setting, value: None };
        match self {
            ListNote::Fitted(fitted) if fitted.left_out > 0 => {
                Some(switch(agree(fitted.left_out, "list it", "list them"), "all"))
            }
            ListNote::InSample { why: None } => {
                Some(switch("keep scores out of fold by fitting", "cross-fit"))
            }
            ListNote::Ambiguous { told: false, .. } | ListNote::LabeledDrawn => {
                Some(Hint::new("leave the labeled ones out", "label", "COLUMN"))
            }
            ListNote::OfLabels => Some(Hint::new("have the latter by fitting", "prior", "SHARE")),
            _ => None,
        }
    }
}

impl fmt::Display for ListNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListNote::Fitted(fitted) => {
                let how = match (fitted.out_of_fold, fitted.by) {
                    (0, _) => "",
                    (1, ScoredBy::Method) => {
                        ": it is ranked by scores of models that had not met it (out of fold)"
                    }
                    (_, ScoredBy::Method) => {
                        ": they are ranked by scores of models that had not met them (out of fold)"
                    }
                    (_, ScoredBy::Prior) => {
                        ": they are ranked out of fold by the models that the share of positives was estimated with, since the \
                         method itself has met most of them (cross-fitting makes its own)"
                    }
                };
                write!(f, "{}{how}", fitted.which())?;
                match fitted.left_out {
                    0 => Ok(()),
                    1 => f.write_str("; 1 labeled one is left out"),
                    rows => write!(f, "; {} labeled ones are left out", grouped(rows)),
                }
            }
            ListNote::InSample { why } => {
                f.write_str(
                    "the model has met these very rows and scores them in sample, where a hidden positive may rank low",
                )?;
                why.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
            }
            ListNote::RowsNotUsed(why) => write!(
                f,
                "{why}, so it is not used: rows that the model was fitted on are scored in sample; copy it again with its model, or \
                 fit again"
            ),
            ListNote::Ambiguous { rows, .. } => write!(
                f,
                "{} equal in every learned column to labeled ones and cannot be told apart; {} listed",
                agree(*rows, "1 row is", &format!("{} rows are", grouped(*rows))),
                agree(*rows, "it is", "they are"),
            ),
            ListNote::LabelsDiffer { since, not_now } => {
                let (are, were) = (agree(*since, "row is", "rows are"), agree(*not_now, "row was", "rows were"));
                let (since, not_now) = (grouped(*since), grouped(*not_now));
                write!(
                    f,
                    "the label column contradicts the rows that the model was fitted on: {since} {are} labeled in it and not then, and \
                     {not_now} {were} labeled then and not in it"
                )
            }
            ListNote::Empty => f.write_str("no row is left to list: all are labeled, or empty in every column that is learned from"),
            ListNote::Doubted(how) => write!(f, "{how}; do not count on the probabilities of this list"),
            ListNote::NotLookedUp => f.write_str(
                "whether the model was fitted on some of these rows cannot be told without its file of rows; such rows must not be \
                 certified, so copy that file again with the model if there may be some",
            ),
            ListNote::LabeledDrawn => {
                f.write_str("labeled rows are drawn, too, and fitting with an audit refuses answers to such rows")
            }
            ListNote::OfLabels => f.write_str(
                "the model was fitted without a share of positives, so each probability is that of being labeled and not of being \
                 positive",
            ),
        }
    }
}
