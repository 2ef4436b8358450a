//! Lists of rows that the model was fitted on: ranked out of fold, without those that are labeled.

use crate::args::Predict;
use crate::output::{note, warn};
use onesided::data::{agree, counted, grouped};
use onesided::{
    Error, KnownRows, Label, MatchedRows, Met, Model, Recognizer, RowMatcher, RowsFileError, ScoredBy,
    ScoredRows, rows_file,
};
use serde::Serialize;
use std::path::Path;

/// How a list of rows that the model was fitted on was made.
#[derive(Debug, Serialize)]
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
}

/// What is to be done with a list, and what is said of it.
#[derive(Default)]
pub struct Verdict {
    /// Labeled rows are in it on request, so each row says what it is.
    pub shows_kinds: bool,
    /// How many of its rows are known to be unlabeled.
    pub unlabeled: usize,
    /// How it was made, if the model was fitted on some of it.
    pub facts: Option<FittedRows>,
    /// What a reader must know of it; said already.
    pub warnings: Vec<String>,
}

/// Which rows of a table a model has met, as far as that is known.
pub enum MetRows {
    /// Each row was looked up.
    Counted {
        /// How many of them it has met.
        met: usize,
        /// Whether these have scores out of fold.
        out_of_fold: bool,
    },
    /// Rows are equal to some that it was fitted on, but no more of them than of new rows like these.
    Chance,
    /// It was fitted on this very table, and there are no scores out of fold.
    All {
        /// The reason.
        why: String,
    },
    /// It was not fitted on this very table; whether on some of its rows cannot be told without the file next to it.
    Unknown,
}

/// Looks for rows that the model was fitted on, piece by piece, and gives them their scores out of fold.
pub struct Watch<'k> {
    model: &'k Model,
    beside: Option<&'k Result<KnownRows, RowsFileError>>,
    matcher: Option<RowMatcher<'k>>,
    recognizer: Option<Recognizer>,
    rows: usize,
    /// Rows of which a column that was named says whether they are labeled.
    told: usize,
}

impl<'k> Watch<'k> {
    /// `beside` are the rows next to the model, unless scores in sample are asked for. With `told`, a column was named that says
    /// which rows are labeled.
    pub fn new(model: &'k Model, beside: Option<&'k Result<KnownRows, RowsFileError>>, told: bool) -> Self {
        let matcher = match beside {
            Some(Ok(known)) => Some(known.matcher().with_told(told)),
            _ => told.then(|| KnownRows::none().matcher().with_told(told)),
        };
        Self { model, beside, matcher, recognizer: model.recognizer(), rows: 0, told: 0 }
    }

    /// What is known of each row of the next piece, where that may matter; their scores become those to list them by.
    pub fn next(&mut self, piece: &mut ScoredRows) -> Result<Option<Vec<Met>>, Error> {
        self.rows += piece.data.len();
        if let Some(recognizer) = &mut self.recognizer {
            recognizer.add(&piece.data);
        }
        self.told += piece.data.told().map_or(0, <[Label]>::len);
        let Some(matcher) = &mut self.matcher else { return Ok(None) };
        let known = match self.beside {
            Some(Ok(known)) => known,
            _ => KnownRows::none(),
        };
        let own = std::mem::take(&mut piece.scores);
        let scored = self.model.rescore_known(&piece.data, own, known, matcher)?;
        let (met, scores) = scored.into_iter().unzip();
        piece.scores = scores;
        Ok(Some(met))
    }

    /// What tells in the end what a row is; `None` where nothing is known of any.
    pub fn matcher(&self) -> Option<&RowMatcher<'k>> {
        self.matcher.as_ref()
    }

    /// Whether a column said of every row whether it is labeled.
    pub fn is_told(&self) -> bool {
        self.told == self.rows
    }

    /// Whether the rows were those that the model was fitted on, in their order.
    pub fn is_same(&self) -> bool {
        self.recognizer.as_ref().is_some_and(Recognizer::is_same)
    }

    /// Which rows the model has met: its own table, or rows that are equal in all that it looks at.
    fn met(&self, matcher: &RowMatcher) -> String {
        let is_fitted_table = matcher.is_fitted_table();
        let (found, all) = (if is_fitted_table { matcher.found() } else { matcher.met() }, self.rows);
        match (is_fitted_table, found) {
            (true, found) if found == all => "the model was fitted on these rows".to_string(),
            (true, _) => format!("the model was fitted on {} of these {} rows", grouped(found), grouped(all)),
            (false, 1) => format!(
                "1 of these {} is equal to one that the model was fitted on, in all that it looks at",
                counted(all, "rows")
            ),
            (false, _) => {
                format!(
                    "{} of these {} rows are equal to some that the model was fitted on, in all that it looks at",
                    grouped(found),
                    grouped(all)
                )
            }
        }
    }

    /// What is known of the rows for promises, which rest on rows that the model has not met.
    pub fn met_rows(&self) -> MetRows {
        match (self.beside, &self.matcher) {
            (Some(Ok(_)), Some(matcher)) if matcher.found() > 0 && matcher.may_be_new() => MetRows::Chance,
            (Some(Ok(known)), Some(matcher)) => {
                MetRows::Counted { met: matcher.met(), out_of_fold: known.is_complete() }
            }
            (Some(Err(unusable)), _) if self.is_same() => MetRows::All { why: unusable.to_string() },
            (None, _) if self.is_same() => MetRows::All { why: "--in-sample asks for none".to_string() },
            _ => MetRows::Unknown,
        }
    }

    /// How metrics of rows that the model was fitted on were made; prints it.
    pub fn of_metrics(&self) -> (Option<FittedRows>, Option<String>) {
        let optimistic = "the model was fitted on these very rows, so the metrics are optimistic";
        let warning = match (self.beside, &self.matcher) {
            (Some(Ok(known)), Some(matcher)) if known.is_complete() && matcher.found() > 0 => {
                let met = self.met(matcher);
                let by = match known.by() {
                    ScoredBy::Method => "by models that had not met them (out of fold)",
                    ScoredBy::Prior => {
                        "out of fold, by the models that the share of positives was estimated with"
                    }
                };
                let they = agree(matcher.found(), "it is", "they are");
                let by = if matcher.found() == 1 { by.replace("them", "it") } else { by.to_string() };
                // The list needs one scale for all folds, while fit measures each as it is.
                note(&format!(
                    "{met}: {they} scored {by}; folds are brought to one scale, so the numbers differ a little from fit's"
                ));
                let found = matcher.found();
                let facts = FittedRows {
                    known: found,
                    out_of_fold: found,
                    by: known.by(),
                    left_out: 0,
                    ambiguous: 0,
                };
                return (Some(facts), None);
            }
            (Some(Ok(_)), Some(matcher)) if matcher.is_fitted_table() => {
                format!("{optimistic}; fit with --method auto or --cross-fit keeps scores out of fold")
            }
            (Some(Err(unusable)), _) if self.is_same() => format!("{optimistic}: {unusable}"),
            (None, _) if self.is_same() => optimistic.to_string(),
            _ => return (None, None),
        };
        warn(std::slice::from_ref(&warning));
        (None, Some(warning))
    }

    /// How the list is ranked; prints how it was made.
    pub fn finish(&self, flags: &Predict) -> Verdict {
        let in_sample = "the model has met these very rows and scores them in sample, where a hidden positive may rank low";
        let plainly = |warning: String| {
            let warnings = vec![warning];
            warn(&warnings);
            Verdict { warnings, ..Verdict::default() }
        };
        let nothing = KnownRows::none();
        let (known, matcher) = match (self.beside, &self.matcher) {
            (Some(Ok(known)), Some(matcher)) => (known, matcher),
            // Nothing is amiss unless it would have been needed.
            (Some(Err(RowsFileError::Missing(file))), _) if self.is_same() => {
                return plainly(format!(
                    "{in_sample}: '{file}', which fit wrote next to the model, is not there; copy it, too"
                ));
            }
            (None | Some(Err(RowsFileError::Missing(_))), Some(matcher)) => (nothing, matcher),
            (None | Some(Err(RowsFileError::Missing(_))), None) | (Some(Ok(_)), None) => {
                return Verdict::default();
            }
            (Some(Err(unusable)), _) => {
                return plainly(format!(
                    "{unusable}, so it is not used: rows that the model was fitted on are scored in sample; copy it again \
                     with its model, or fit again"
                ));
            }
        };
        let MatchedRows { found, is_fitted_table, labeled, labeled_new, unlabeled, ambiguous } =
            matcher.summary();
        if found == 0 && labeled == 0 {
            return Verdict::default();
        }
        let left_out = if flags.all { 0 } else { labeled };
        let new_left_out = if flags.all { 0 } else { labeled_new };
        let out_of_fold = if known.is_complete() { found.saturating_sub(left_out - new_left_out) } else { 0 };
        let mut warnings = Vec::new();
        if !known.is_complete() && is_fitted_table {
            warnings
                .push(format!("{in_sample}; fit with --method auto or --cross-fit keeps scores out of fold"));
        }
        if ambiguous > 0 && !flags.all {
            let label = if flags.label.is_some() {
                String::new()
            } else {
                "; name the label column with --label to leave the labeled ones out".to_string()
            };
            warnings.push(format!(
                "{} equal in every learned column to labeled ones and cannot be told apart; {} listed{label}",
                agree(ambiguous, "1 row is", &format!("{} rows are", grouped(ambiguous))),
                agree(ambiguous, "it is", "they are"),
            ));
        }
        if out_of_fold > 0 || left_out > 0 {
            let met = if found > 0 {
                self.met(matcher)
            } else {
                "a column says which rows are labeled".to_string()
            };
            let how = match (out_of_fold, known.by()) {
                (0, _) => "",
                (1, ScoredBy::Method) => {
                    ": it is ranked by scores of models that had not met it (out of fold)"
                }
                (_, ScoredBy::Method) => {
                    ": they are ranked by scores of models that had not met them (out of fold)"
                }
                (_, ScoredBy::Prior) => {
                    ": they are ranked out of fold by the models that the share of positives was estimated with, since the \
                     method itself has met most of them (fit with --cross-fit for its own)"
                }
            };
            let labeled = match left_out {
                0 => String::new(),
                1 => "; 1 labeled one is left out (--all lists it)".to_string(),
                left_out => {
                    format!("; {} labeled ones are left out (--all lists them)", grouped(left_out))
                }
            };
            note(&format!("{met}{how}{labeled}"));
        }
        warn(&warnings);
        let facts = Some(FittedRows { known: found, out_of_fold, by: known.by(), left_out, ambiguous });
        let shows_kinds = flags.all && (is_fitted_table || labeled > 0);
        Verdict { shows_kinds, unlabeled, facts, warnings }
    }
}

/// What promises are worth on rows that the model was fitted on.
pub fn of_review(out_of_fold: bool) -> &'static str {
    if out_of_fold {
        "the model was fitted on these very rows, and each is ranked by models of a part of them, while the finished model \
             scored the reserved positives: what is said of rows to review holds for new rows"
    } else {
        "the model was fitted on these very rows and may score positives that it met as unlabeled ones too low: what is \
             said of rows to review holds for new rows"
    }
}

/// Where the rows of a model go, if it says so: a file that is not one of rows is not written over.
pub fn print_written(model: &Model, out: &Path, drawn: bool) {
    let beside = rows_file(out);
    match (model.known_rows(), KnownRows::beside(out)) {
        (Some(rows), Ok(_)) if rows.is_complete() && drawn => note(&format!(
            "'{}' holds the scores out of fold of the {} rows that were learned from: predict uses them for those rows, and lists \
             labeled ones, too",
            beside.display(),
            grouped(rows.len())
        )),
        (Some(rows), Ok(_)) if rows.is_complete() => note(&format!(
            "'{}' holds the scores out of fold of these {} rows: predict ranks them by those",
            beside.display(),
            grouped(rows.len())
        )),
        (Some(rows), Err(RowsFileError::Damaged(file))) if !rows.is_empty() => note(&format!(
            "'{file}' is there already and holds something else, so scores out of fold are not kept; choose another name for \
             the model to keep them"
        )),
        _ => {}
    }
}
