//! What is said of rows that the model was fitted on.

use crate::failure::as_flag;
use crate::output::{detail, note, warn};
use onesided::data::{agree, grouped};
use onesided::{
    FittedRows, KnownRows, ListNote, MetRows, Model, RowLookup, RowsFileError, ScoredBy, rows_file,
};
use std::path::Path;

/// Says how a list was made, with ways out that are flags of the command; returns the warnings among it for `--json`.
pub fn tell_list(said: &[ListNote], flags: &[&str]) -> Vec<String> {
    let mut warnings = Vec::new();
    for one in said {
        let sentence = match one.hint().filter(|hint| flags.contains(&hint.setting)) {
            Some(hint) => format!("{one}; {}", as_flag(&hint)),
            None => one.to_string(),
        };
        if one.is_warning() {
            warn(std::slice::from_ref(&sentence));
            warnings.push(sentence);
        } else {
            note(&sentence);
        }
    }
    warnings
}

/// How metrics of rows that the model was fitted on were made; prints it.
pub fn tell_metrics(lookup: &RowLookup) -> (Option<FittedRows>, Option<String>) {
    let optimistic = "the model was fitted on these very rows, so the metrics are optimistic";
    let fitted = lookup.fitted_rows(true).filter(|fitted| fitted.known > 0);
    let warning = match (fitted, lookup.met_rows()) {
        (Some(fitted), _) if fitted.out_of_fold > 0 => {
            let by = match (fitted.by, fitted.known) {
                (ScoredBy::Method, 1) => "by models that had not met it (out of fold)",
                (ScoredBy::Method, _) => "by models that had not met them (out of fold)",
                (ScoredBy::Prior, _) => {
                    "out of fold, by the models that the share of positives was estimated with"
                }
            };
            // The list needs one scale for all folds, while fit measures each as it is.
            note(&format!(
                "{}: {} scored {by}; folds are brought to one scale, so the numbers differ a little from fit's",
                fitted.which(),
                agree(fitted.known, "it is", "they are")
            ));
            return (Some(FittedRows { ambiguous: 0, ..fitted }), None);
        }
        (Some(fitted), _) if fitted.is_fitted_table => {
            format!("{optimistic}; keep scores out of fold by fitting with --cross-fit")
        }
        (_, MetRows::All(Some(unusable))) => format!("{optimistic}: {unusable}"),
        (_, MetRows::All(None)) => optimistic.to_string(),
        _ => return (None, None),
    };
    warn(std::slice::from_ref(&warning));
    (None, Some(warning))
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
        (Some(rows), Ok(_)) if rows.is_complete() && drawn => detail(&format!(
            "'{}' holds the scores out of fold of the {} rows that were learned from: predict uses them for those rows, and lists \
             labeled ones, too",
            beside.display(),
            grouped(rows.len())
        )),
        (Some(rows), Ok(_)) if rows.is_complete() => detail(&format!(
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
