//! Lists of rows that the model was fitted on: ranked out of fold, without those that are labeled.

use crate::args::Predict;
use crate::failure::Failure;
use crate::output::{note, warn};
use onesided::{Dataset, KnownRows, Model, Ranked, RankedList, RowKind, RowsFileError, ScoredBy, rows_file};
use serde::Serialize;

/// Rows to list, and what is said of them.
pub struct Listed {
    /// The rows, the likeliest positive first.
    pub rows: Vec<Ranked>,
    /// What each row of the data is to the model, where labeled rows are listed, too.
    pub kinds: Option<Vec<RowKind>>,
    /// How the list came about, where the model was fitted on some of it.
    pub facts: Option<FittedRows>,
    /// What a reader must know of it; said already.
    pub warnings: Vec<String>,
}

/// How a list of rows that the model was fitted on came about.
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
}

/// Ranks rows: by their scores out of fold where the model was fitted on them, and by its own otherwise.
pub fn rank(model: &Model, flags: &Predict, data: &Dataset) -> Result<Listed, Failure> {
    let plainly = |warnings: Vec<String>| -> Result<Listed, Failure> {
        warn(&warnings);
        Ok(Listed { rows: model.rank(data)?, kinds: None, facts: None, warnings })
    };
    if flags.in_sample {
        return plainly(Vec::new());
    }
    let in_sample =
        "the model has met these very rows and scores them in sample, where a hidden positive may rank low";
    let known = match KnownRows::beside(&flags.model) {
        Ok(known) => known,
        // Nothing is amiss unless it would have been needed.
        Err(RowsFileError::Missing(_)) if model.was_fitted_on(data)? != Some(true) => {
            return plainly(Vec::new());
        }
        Err(RowsFileError::Missing(file)) => {
            return plainly(vec![format!(
                "{in_sample}: '{file}', which fit wrote beside the model, is not there; copy it, too"
            )]);
        }
        Err(unusable) => {
            return plainly(vec![format!(
                "{unusable}, so it is not used: rows that the model was fitted on are scored in sample; copy it again with \
                 its model, or fit again"
            )]);
        }
    };
    let RankedList { rows, kinds, out_of_fold, left_out, is_fitted_table } =
        model.rank_known(data, &known, flags.all)?;
    let found = kinds.iter().filter(|kind| **kind != RowKind::New).count();
    if found == 0 {
        return Ok(Listed { rows, kinds: None, facts: None, warnings: Vec::new() });
    }
    let mut warnings = Vec::new();
    if !known.is_complete() && is_fitted_table {
        warnings.push(format!("{in_sample}; fit with --method auto or --cross-fit keeps scores out of fold"));
    }
    if out_of_fold > 0 || left_out > 0 {
        let all = kinds.len();
        let met =
            if found == all { "these rows".to_string() } else { format!("{found} of these {all} rows") };
        let how = match (out_of_fold, known.by()) {
            (0, _) => "",
            (_, ScoredBy::Method) => {
                ": they are ranked by scores of models that had not met them (out of fold)"
            }
            (_, ScoredBy::Prior) => {
                ": they are ranked out of fold by the models that the share of positives was estimated with, since the method \
                 itself has met most of them (fit with --cross-fit for its own)"
            }
        };
        let labeled = match left_out {
            0 => String::new(),
            left_out => format!("; {left_out} labeled ones are left out (--all lists them)"),
        };
        note(&format!("the model was fitted on {met}{how}{labeled}"));
    }
    warn(&warnings);
    let facts = Some(FittedRows { known: found, out_of_fold, by: known.by(), left_out });
    let kinds = (flags.all && is_fitted_table).then_some(kinds);
    Ok(Listed { rows, kinds, facts, warnings })
}

/// What promises are worth on rows that the model was fitted on.
pub fn of_review(out_of_fold: bool) -> &'static str {
    match out_of_fold {
        true => {
            "the model was fitted on these very rows, and each is ranked by models of a part of them, while the finished model \
             scored the reserved positives: what is said of rows to review holds for new rows"
        }
        false => {
            "the model was fitted on these very rows and may score positives that it met as unlabeled ones too low: what is \
             said of rows to review holds for new rows"
        }
    }
}

/// Where the rows of a model go, if it says so: a file that is not one of rows is not written over.
pub fn tell_written(model: &Model, out: &std::path::Path) {
    let beside = rows_file(out);
    match (model.known_rows(), KnownRows::beside(out)) {
        (Some(rows), Ok(_)) if rows.is_complete() => note(&format!(
            "'{}' holds the scores out of fold of these {} rows: predict ranks this table by them",
            beside.display(),
            rows.len()
        )),
        (Some(rows), Err(RowsFileError::Damaged(file))) if !rows.is_empty() => note(&format!(
            "'{file}' is there already and holds something else, so scores out of fold are not kept; choose another name for \
             the model to keep them"
        )),
        _ => {}
    }
}
