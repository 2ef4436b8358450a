//! What a fit came to in a few lines: what was learned from, what is assumed, how good it is beside doing less, what to look at, and what to
//! do next. The command prints it, and a notebook shows it.

use super::assumptions;
use super::{Assumption, Check, Level, State};
use crate::{Doubt, Model, Told, Warning};
use onesided_data::{ColumnIs, ColumnRead, LabelStop, Note, Scenario, counted, grouped, noun, shown_share};
use onesided_eval::{Interval, RANDOM_LABELS};
use onesided_learn::Beside;
use serde::Serialize;

/// Columns that are left out and named.
const NAMED: usize = 4;
/// Two AUC that are told with three digits differ from here on.
const AHEAD: f64 = 0.000_5;
/// The metrics that a few lines tell.
const METRICS: [&str; 3] = ["accuracy", "precision", "recall"];

/// A fit in a few lines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InShort {
    /// What it learned from.
    pub learned: LearnedFrom,
    /// What it is.
    pub model: String,
    /// That labels are random, and how that stands; `None` where the truth is known.
    pub assumption: Option<Assumption>,
    /// By a test of the labels that refutes nothing: how often random labels would look as odd.
    pub labels_p: Option<f64>,
    /// How many of the unlabeled rows are positive, in words.
    pub share: Option<String>,
    /// How well it ranks.
    pub ranks: Ranks,
    /// How good its decisions are, in words.
    pub decisions: Option<String>,
    /// What to look at, one for each cause, the most important first.
    pub warnings: Vec<Warned>,
    /// What to do next, the most useful first.
    pub next: Vec<NextStep>,
}

/// The rows and columns of a fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LearnedFrom {
    /// What rows are called: `rows`, `texts` or `pictures`.
    pub rows: &'static str,
    /// Labeled positives; of the truth, positives.
    pub positive: usize,
    /// Unlabeled rows.
    pub unlabeled: usize,
    /// Known negatives.
    pub negative: usize,
    /// How many of the positives were set aside.
    pub reserved: usize,
    /// What it sees of a row: `6 features`, `8 x 8 pixels, gray`.
    pub sees: String,
    /// Columns that it does not learn from.
    pub left_out: Vec<String>,
    /// How the rows were drawn.
    pub scenario: Scenario,
    /// Whether it learned from true labels.
    pub truth: bool,
}

/// How well a model ranks, beside doing less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranks {
    /// Labeled positives against unlabeled rows, next to the plain alternative.
    Beside {
        /// The AUC of the model.
        auc: f64,
        /// Between which it lies, where that is told.
        interval: Option<(f64, f64)>,
        /// The AUC of taking every unlabeled row for a negative.
        naive: f64,
    },
    /// Without a plain alternative.
    Alone {
        /// The AUC, of labeled positives or of true ones.
        auc: Interval,
    },
    /// By the answers of an audit.
    Answered {
        /// The AUC, of positives against negatives.
        auc: Interval,
    },
    /// Nothing was measured.
    Unknown,
}

impl Ranks {
    /// By what stands beside a model, and by its metrics.
    pub fn of(beside: &[Beside], auc: Option<Interval>) -> Self {
        let of = |is_naive: bool| {
            beside.iter().find(|one| one.auc.is_some() && (one.name == "naive") == is_naive)?.auc
        };
        match (of(false), of(true), auc) {
            (Some(ours), Some(naive), auc) => {
                let interval = auc.filter(|told| told.low <= ours && ours <= told.high);
                Ranks::Beside { auc: ours, interval: interval.map(|told| (told.low, told.high)), naive }
            }
            (_, _, Some(auc)) => Ranks::Alone { auc },
            _ => Ranks::Unknown,
        }
    }

    /// Whether doing less ranks better.
    pub fn is_behind(&self) -> bool {
        matches!(self, Ranks::Beside { auc, naive, .. } if *naive > auc + AHEAD)
    }
}

/// Why something is to be looked at. What is said of one cause is said once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Training did not work.
    Diverged,
    /// Labels are no random sample of the positives, or mean something else.
    Labels,
    /// A column tells labels too well.
    TellsApart,
    /// Labels stop along a column.
    LabelsStop,
    /// Unlabeled rows equal labeled ones.
    Copies,
    /// Doing less ranks better.
    Naive,
    /// The share of positives.
    Share,
    /// Too few rows to measure by.
    FewRows,
    /// What the decisions come to.
    Decisions,
    /// Cells and files that could not be read as they should be.
    Cells,
    /// The answers of an audit.
    Audit,
    /// What was tried.
    Tried,
    /// Anything else.
    Other,
}

/// Something to look at, and how much more there is of its cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warned {
    /// Its cause.
    pub cause: Cause,
    /// What was found.
    pub check: Check,
    /// How many more of the same cause are not said.
    pub more: usize,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextStep {
    /// Rank rows.
    Rank,
    /// Have some rows labeled.
    Audit,
    /// Write a page.
    Report,
}

impl NextStep {
    /// What it is for.
    pub fn why(self) -> &'static str {
        match self {
            NextStep::Rank => "rank rows",
            NextStep::Audit => "measure the share and test the labels",
            NextStep::Report => "see it all on a page",
        }
    }
}

/// What rows are called: `rows` of tables, `texts` or `pictures`.
pub fn rows_of(takes: &str) -> &'static str {
    match takes {
        "texts" => "texts",
        "pictures" => "pictures",
        _ => "rows",
    }
}

/// What the guess of a share rests on. It was learned from tables, and pictures and texts are told so.
pub fn experience(takes: &str) -> &'static str {
    if takes == "tables" { "experience with other tables" } else { "experience, which is with tables" }
}

impl InShort {
    /// Of a model, with what reading its rows met where that is known, and what an audit's answers warn of.
    pub fn of(model: &Model, columns: &[ColumnRead], notes: &[Note], audit: &[String]) -> Self {
        let about = model.about();
        let auc = ["auc_pu", "auc"].iter().find_map(|name| about.report.metrics.get(*name)).copied();
        // How labeled rows rank says nothing of the list where answers measure it.
        let measured = about.answers.and_then(|_| about.report.metrics.get("auc").copied());
        let ranks =
            measured.map_or_else(|| Ranks::of(&about.report.beside, auc), |auc| Ranks::Answered { auc });
        let assumption = (!about.is_supervised()).then(|| assumptions::random_labels(model));
        let settled = about.prior_estimate.as_ref().is_some_and(|estimate| estimate.audited.is_some());
        let mut next = vec![NextStep::Rank];
        next.extend((assumption.is_some() && !settled).then_some(NextStep::Audit));
        next.push(NextStep::Report);
        Self {
            learned: LearnedFrom::of(model, columns),
            model: made_of(model),
            share: share(model),
            decisions: decisions(model),
            warnings: warnings(model, ranks, notes, audit),
            labels_p: about.report.labeling.as_ref().filter(|test| !test.refutes()).map(|test| test.p),
            assumption,
            ranks,
            next,
        }
    }

    /// The lines, each with what it is about.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("learned from", self.learned.to_string()), ("model", self.model.clone())];
        lines.extend(self.assumption.as_ref().map(|one| ("assumed", assumed(one, self.labels_p))));
        lines.extend(self.share.clone().map(|share| ("share", share)));
        lines.push(("how good", self.ranks.to_string()));
        lines.extend(self.decisions.clone().map(|decisions| ("decisions", decisions)));
        lines
    }
}

impl LearnedFrom {
    fn of(model: &Model, columns: &[ColumnRead]) -> Self {
        let (about, encoding) = (model.about(), model.encoding());
        let sees = match encoding.shape() {
            Some(shape) if shape.channels == 1 => format!("{} x {} pixels, gray", shape.width, shape.height),
            Some(shape) => {
                format!("{} x {} pixels, {} channels", shape.width, shape.height, shape.channels)
            }
            None => counted(encoding.width(), encoding.columns_are()),
        };
        let is_out = |column: &&ColumnRead| column.kind == ColumnIs::LeftOut;
        let counts = about.counts;
        Self {
            rows: rows_of(encoding.takes()),
            positive: counts.positive,
            unlabeled: counts.unlabeled,
            negative: counts.negative,
            reserved: about.reserve.len(),
            sees,
            left_out: columns.iter().filter(is_out).map(|column| column.name.clone()).collect(),
            scenario: about.scenario,
            truth: about.is_supervised(),
        }
    }
}

impl std::fmt::Display for LearnedFrom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&counted(self.positive, "positives"))?;
        if self.reserved > 0 {
            write!(f, " ({} of them set aside)", grouped(self.reserved))?;
        }
        if self.truth {
            write!(f, ", {}", counted(self.negative + self.unlabeled, "negatives"))?;
        } else {
            write!(f, ", {} unlabeled {}", grouped(self.unlabeled), noun(self.unlabeled, self.rows))?;
            if self.negative > 0 {
                write!(f, ", {}", counted(self.negative, "known negatives"))?;
            }
        }
        write!(f, ", {}", self.sees)?;
        if !self.left_out.is_empty() {
            let named = self.left_out.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = match self.left_out.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            write!(f, "; left out: {named}{more}")?;
        }
        Ok(())
    }
}

/// `auto: a mean of 2 of 18 models tried`, or what was trained.
fn made_of(model: &Model) -> String {
    let about = model.about();
    let tried = &about.report.candidates;
    let kept = tried.iter().filter(|one| one.weight.is_some_and(|weight| weight > 0.0)).count();
    if kept == 0 {
        return format!("{}, {}", about.objective, about.model);
    }
    let what = if kept == 1 { "the best".to_string() } else { format!("a mean of {kept}") };
    let what = if about.model == "trees" { format!("trees that learned {what}") } else { what };
    format!("{}: {what} of {} tried", about.method, counted(tried.len(), "models"))
}

/// The assumption behind all numbers, and how it stands.
fn assumed(one: &Assumption, p: Option<f64>) -> String {
    let labels = "labels are a random sample of the positives";
    match one.state {
        State::Fails => {
            format!("{labels}, and they are not: do not use the numbers before that is cleared up")
        }
        State::Holds => format!("{labels}: nothing speaks against it"),
        State::Audited => format!("{labels}: the answers of an audit agree"),
        State::Weighted => "labels are not a random sample of the positives, as the answers of an audit show: labeled rows are weighted to be like \
             the answered ones"
            .to_string(),
        State::Unknown => match p {
            Some(p) => format!(
                "{labels}, which the rows alone cannot show; a test finds nothing against it (p = {p:.2})"
            ),
            None => format!("{labels}, which the rows alone cannot show"),
        },
    }
}

/// How many of the unlabeled rows are positive, and where that comes from.
fn share(model: &Model) -> Option<String> {
    let about = model.about();
    if about.is_supervised() {
        return None;
    }
    let (Some(of_all), Some(of_unlabeled)) = (about.class_prior, about.prior_in_unlabeled) else {
        return Some("not known, so probabilities are those of being labeled".to_string());
    };
    let (of_all, mu) = (of_all.get(), of_unlabeled.get());
    let Some(estimate) = &about.prior_estimate else {
        let of_population = about.given.as_ref().is_some_and(|given| given.has("prior"));
        let (first, second) = if of_population { ("given", "derived") } else { ("derived", "given") };
        return Some(format!(
            "{} in the population ({first}), {} in the unlabeled rows ({second})",
            shown_share(of_all),
            shown_share(mu)
        ));
    };
    let (low, high) = estimate.interval;
    Some(match (estimate.audited, &estimate.assumed) {
        (Some(answers), _) => format!(
            "{mu:.3} of the unlabeled rows ({low:.3} to {high:.3}), by {} of an audit",
            counted(answers, "answers")
        ),
        (None, Some(why)) => format!("{mu:.3} of the unlabeled rows is assumed: {why}"),
        (None, None) => {
            let range = if estimate.one_sided { "at most".to_string() } else { format!("{low:.3} to") };
            let bound = estimate
                .bound
                .map_or_else(String::new, |bound| format!("; by the data alone at most {bound:.3}"));
            format!(
                "a guess, {mu:.3} of the unlabeled rows ({range} {high:.3} by {}{bound}); it moves probabilities and the threshold, hardly \
                 the order",
                experience(about.features.takes())
            )
        }
    })
}

impl std::fmt::Display for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ranks::Beside { auc, interval, naive } => {
                let interval =
                    interval.map_or_else(String::new, |(low, high)| format!(" [{low:.3}, {high:.3}]"));
                write!(
                    f,
                    "AUC of labeled rows {auc:.3}{interval}; naive, every unlabeled row taken for a negative, {naive:.3}"
                )?;
                if self.is_behind() { f.write_str(": naive is ahead") } else { Ok(()) }
            }
            Ranks::Alone { auc: Interval { value, low, high } } => {
                write!(f, "AUC {value:.3} [{low:.3}, {high:.3}]; naive was not trained beside it")
            }
            Ranks::Answered { auc: Interval { value, low, high } } => {
                write!(f, "AUC {value:.3} [{low:.3}, {high:.3}], measured on the answers of an audit")
            }
            Ranks::Unknown => f.write_str("not measured"),
        }
    }
}

/// Metrics of its decisions, each as far as it can be told.
fn decisions(model: &Model) -> Option<String> {
    let about = model.about();
    let all = about.told_metrics();
    let of = |how: Told| {
        METRICS.iter().filter_map(move |name| all.iter().find(|one| one.0 == *name && one.2 == how).copied())
    };
    let (values, ranges, untold): (Vec<_>, Vec<_>, Vec<_>) =
        (of.clone()(Told::Value).collect(), of.clone()(Told::Range).collect(), of(Told::Untold).collect());
    let mut parts: Vec<String> = values
        .iter()
        .map(|(name, Interval { value, low, high }, _)| format!("{name} {value:.3} [{low:.3}, {high:.3}]"))
        .collect();
    parts.extend(
        ranges
            .iter()
            .map(|(name, told, _)| format!("{name} {:.2} to {:.2}", told.low.max(0.0), told.high.min(1.0))),
    );
    if !untold.is_empty() {
        let names: Vec<&str> = untold.iter().map(|one| one.0).collect();
        parts.push(format!("{} not to be told without the share", names.join(" and ")));
    }
    let by = match about.answers {
        _ if about.is_supervised() => "against true labels".to_string(),
        Some(answers) => format!("measured on {} of the audit", counted(answers, "answers")),
        None => format!("estimated without negatives, {RANDOM_LABELS}"),
    };
    (!parts.is_empty()).then(|| format!("{}; {by}", parts.join(", ")))
}

/// Everything to look at, one for each cause.
fn warnings(model: &Model, ranks: Ranks, notes: &[Note], audit: &[String]) -> Vec<Warned> {
    let about = model.about();
    let warning = |text: String| Check { level: Level::Warning, text, hint: None };
    let fails = |text: String| Check { level: Level::Fails, text, hint: None };
    let mut all: Vec<(Cause, Check)> = Vec::new();
    all.extend(about.doubt.as_ref().map(|doubt: &Doubt| (Cause::Labels, fails(doubt.to_string()))));
    let refuted = model.refuted_labels().map(ToString::to_string);
    let known: Vec<String> = all.iter().map(|(_, check)| check.text.clone()).collect();
    all.extend(refuted.filter(|text| !known.contains(text)).map(|text| (Cause::Labels, fails(text))));
    all.extend(about.inverted().map(|inverted| {
        (Cause::Labels, Check { hint: Some(inverted.hint()), ..fails(inverted.to_string()) })
    }));
    if ranks.is_behind() {
        let text = "taking every unlabeled row for a negative (naive) ranks labeled rows better than this model does: it adds nothing here but \
                    probabilities";
        all.push((Cause::Naive, warning(text.to_string())));
    }
    // The line of the share says that it is a guess, or assumed, or not known.
    let guessed = about.prior_estimate.as_ref().map(Warning::guessed_prior);
    let said = |one: &&Warning| Some(*one) != guessed.as_ref() && **one != Warning::NoPrior;
    for one in about.report.warnings.iter().filter(said) {
        let text = one.to_string();
        if all.iter().all(|(_, check)| check.text != text) {
            all.push((Cause::of_warning(one), warning(text)));
        }
    }
    let of_notes = Note::told_once(notes).into_iter().filter(Note::is_warning);
    all.extend(of_notes.map(|note| (Cause::of_note(&note), Check::of_note(&note))));
    all.extend(audit.iter().map(|text| (Cause::Audit, warning(text.clone()))));
    all.sort_by_key(|(cause, _)| *cause);
    let mut told: Vec<Warned> = Vec::new();
    for (cause, check) in all {
        match told.last_mut().filter(|last| last.cause == cause) {
            Some(last) => last.more += 1,
            None => told.push(Warned { cause, check, more: 0 }),
        }
    }
    told
}

impl Cause {
    fn of_warning(warning: &Warning) -> Self {
        match warning {
            Warning::Diverged => Cause::Diverged,
            Warning::FewHeldOut { .. } => Cause::FewRows,
            Warning::UnweightedShare | Warning::NoPrior | Warning::AboveOne { .. } => Cause::Share,
            Warning::GuessedPrior { .. } | Warning::AssumedPrior { .. } => Cause::Share,
            Warning::RanksAlone => Cause::Labels,
            Warning::Metric(_) => Cause::Decisions,
            Warning::TextWithoutTrees { .. } | Warning::LeftOut { .. } | Warning::JudgedOnSample { .. } => {
                Cause::Tried
            }
            _ => Cause::Other,
        }
    }

    fn of_note(note: &Note) -> Self {
        match note {
            Note::TellsApart(_) => Cause::TellsApart,
            Note::LabelsStop(LabelStop { .. }) => Cause::LabelsStop,
            Note::Copies { .. } => Cause::Copies,
            _ => Cause::Cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(auc: f64, naive: f64) -> Vec<Beside> {
        let one = |name: &str, auc: f64| Beside { name: name.to_string(), auc: Some(auc), accuracy: None };
        vec![one("auto", auc), one("naive", naive), one("all negative", 0.5)]
    }

    #[test]
    fn naive_is_ahead_from_half_a_digit_on() {
        let ahead = |by: f64| Ranks::of(&beside(0.8, 0.8 + by), None).is_behind();
        assert!(!ahead(0.0) && !ahead(0.000_4) && ahead(0.000_6));
        let said = Ranks::of(&beside(0.749_5, 0.756_8), None).to_string();
        assert_eq!(
            said,
            "AUC of labeled rows 0.750; naive, every unlabeled row taken for a negative, 0.757: naive is ahead"
        );
    }

    #[test]
    fn an_interval_that_does_not_hold_the_number_is_not_its() {
        let told = |low: f64, high: f64| Interval { value: low, low, high };
        let shown = |interval| Ranks::of(&beside(0.8, 0.7), Some(interval)).to_string();
        assert!(shown(told(0.75, 0.85)).starts_with("AUC of labeled rows 0.800 [0.750, 0.850]; naive"));
        assert!(shown(told(0.81, 0.85)).starts_with("AUC of labeled rows 0.800; naive"));
        assert!(Ranks::of(&[], Some(told(0.7, 0.9))).to_string().starts_with("AUC 0.700 [0.700, 0.900];"));
        assert_eq!(Ranks::of(&[], None), Ranks::Unknown);
    }

    #[test]
    fn the_gravest_cause_comes_first() {
        assert!(
            Cause::Diverged < Cause::Labels && Cause::Labels < Cause::Naive && Cause::Naive < Cause::Tried
        );
        assert_eq!(Cause::of_warning(&Warning::Diverged), Cause::Diverged);
        assert_eq!(Cause::of_note(&Note::Copies { unlabeled: 3 }), Cause::Copies);
    }

    #[test]
    fn long_lists_of_columns_are_cut() {
        let learned = LearnedFrom {
            rows: "rows",
            positive: 181,
            unlabeled: 1_319,
            negative: 0,
            reserved: 20,
            sees: "6 features".to_string(),
            left_out: (0..6).map(|at| format!("c{at}")).collect(),
            scenario: Scenario::SingleSample,
            truth: false,
        };
        assert_eq!(
            learned.to_string(),
            "181 positives (20 of them set aside), 1,319 unlabeled rows, 6 features; left out: c0, c1, c2, c3 and 2 more"
        );
    }
}
