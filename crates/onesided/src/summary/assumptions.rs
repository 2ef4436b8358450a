//! What every number rests on, and how that stands.

use crate::{Doubt, FittedRows, HowScored, Model};
use onesided_data::{ColumnShift, agree, counted};
use serde::Serialize;

/// Columns that are named.
const NAMED: usize = 6;

/// Something that is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumed {
    /// Labels are a random sample of the positives.
    RandomLabels,
    /// The share of positives is right.
    Share,
    /// Rows are like those that the model was fitted on.
    LikeTraining,
    /// Rows are scored by models that have not met them.
    NotMet,
}

/// How an assumption stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It was looked at, and nothing speaks against it.
    Holds,
    /// The rows cannot tell.
    Unknown,
    /// It does not hold.
    Fails,
    /// Answers of people took its place.
    Audited,
}

/// An assumption.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumption {
    /// What is assumed.
    pub what: Assumed,
    /// How it stands.
    pub state: State,
    /// Why.
    pub why: String,
}

/// Those behind the numbers of a model on some rows.
pub(super) fn of(
    model: &Model,
    scored: HowScored,
    is_same: bool,
    shifted: &[&ColumnShift],
    fitted: Option<&FittedRows>,
) -> Vec<Assumption> {
    let mut all = Vec::new();
    if model.about().method != "supervised" {
        all.push(random_labels(model));
        all.extend(share(model));
    }
    all.push(like_training(model, is_same, shifted, fitted));
    all.push(not_met(scored));
    all
}

pub(super) fn random_labels(model: &Model) -> Assumption {
    let about = model.about();
    let (state, why) = match (&about.doubt, about.answers) {
        (Some(Doubt::Audit(verdict)), _) => (State::Fails, verdict.to_string()),
        (Some(Doubt::Share(_)), _) => (
            State::Fails,
            "labeled rows rank higher than any random sample of the positives could with this share of positives".to_string(),
        ),
        (None, Some(answers)) => (
            State::Audited,
            format!("metrics were measured on {} of an audit, and the labels agree with them", counted(answers, "answers")),
        ),
        (None, None) => match &about.report.labeling {
            Some(test) if test.refutes() => (State::Fails, test.to_string()),
            Some(test) => (State::Unknown, test.to_string()),
            None => (
                State::Unknown,
                "the rows alone cannot show which positives were labeled; an audit of some rows can".to_string(),
            ),
        },
    };
    Assumption { what: Assumed::RandomLabels, state, why }
}

fn share(model: &Model) -> Option<Assumption> {
    let about = model.about();
    let mu = about.prior_in_unlabeled?.get();
    let estimate = about.prior_estimate.as_ref();
    let (state, why) = match (&about.doubt, estimate) {
        (Some(Doubt::Share(found)), _) => (State::Fails, found.to_string()),
        (_, None) => (
            State::Unknown,
            format!("{mu:.3} of the unlabeled rows; it was given, and nothing here checks it"),
        ),
        (_, Some(estimate)) => match (estimate.audited, &estimate.assumed) {
            (Some(answers), _) => {
                (State::Audited, format!("{} of an audit tell it", counted(answers, "answers")))
            }
            (None, Some(why)) => {
                (State::Unknown, format!("it is assumed, because it could not be estimated: {why}"))
            }
            (None, None) => {
                let (low, high) = estimate.interval;
                let range = match estimate.one_sided {
                    true => format!("at most {high:.3}"),
                    false => format!("between {low:.3} and {high:.3}"),
                };
                (
                    State::Unknown,
                    format!(
                        "it was estimated as {mu:.3} of the unlabeled rows, {range} on tables like this one"
                    ),
                )
            }
        },
    };
    Some(Assumption { what: Assumed::Share, state, why })
}

fn like_training(
    model: &Model,
    is_same: bool,
    shifted: &[&ColumnShift],
    fitted: Option<&FittedRows>,
) -> Assumption {
    let (state, why) = if !shifted.is_empty() {
        let names: Vec<&str> = shifted.iter().map(|shift| shift.column.as_str()).collect();
        let which = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        (
            State::Fails,
            format!(
                "{} {} something else than in training: {which}",
                counted(names.len(), "columns"),
                agree(names.len(), "holds", "hold")
            ),
        )
    } else if is_same || fitted.is_some_and(|fitted| fitted.is_fitted_table) {
        (State::Holds, "they are the rows that it was fitted on".to_string())
    } else if model.encoding().takes() == "tables" {
        (State::Holds, "no column holds something else than in training".to_string())
    } else {
        (State::Unknown, format!("nothing here compares {} with those of training", model.encoding().takes()))
    };
    Assumption { what: Assumed::LikeTraining, state, why }
}

fn not_met(scored: HowScored) -> Assumption {
    let (state, why) = match scored {
        HowScored::OutOfFold(_) => (
            State::Holds,
            "rows that it was fitted on are scored out of fold, by models that had not met them",
        ),
        HowScored::InSample => {
            (State::Fails, "the model was fitted on these rows, and there are no scores out of fold")
        }
        HowScored::New => (State::Holds, "these are not the rows that it was fitted on"),
    };
    Assumption { what: Assumed::NotMet, state, why: why.to_string() }
}
