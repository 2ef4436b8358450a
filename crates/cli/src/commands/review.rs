//! How many rows to review, and what they hold, in the words of `predict` and `evaluate`.

use crate::failure::Failure;
use crate::metrics::shown_value;
use crate::output::{note, table};
use clap::Args;
use onesided::data::{agree, counted, grouped};
use onesided::eval::EvalError;
use onesided::{
    AtTop, Error, Interval, LabelingOdds, Model, Over, Promise, Promised, RecallTarget, Review, ReviewList,
    ShareAtOdds, ShareInList, Top,
};
use serde_json::{Value, json};

/// The recall that a ranked list is judged by where the model has a reserve and nothing is asked.
const RECALL: f64 = 0.9;
const CONFIDENCE: f64 = 0.95;

/// Flags of `predict` and `evaluate`.
#[derive(Debug, Args)]
#[command(next_help_heading = "How many rows to review")]
pub struct ReviewFlags {
    /// Say how many rows to review to find this share of the positives, such as 0.95 [default: 0.9 if the model has reserved
    /// positives].
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub recall: Option<String>,
    /// The confidence of that promise [default: 0.95].
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub confidence: Option<String>,
    /// The first rows, as a count or a share, such as 100 or 1%; several may be given. predict lists only these. Their recall,
    /// lift and precision are printed if there are positives to judge them by.
    #[arg(short = 'n', long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    pub top: Vec<String>,
    /// What if labels are not a random sample: promise for labels that favor some positives, whose odds of being labeled are up to this
    /// many times those of others, such as 2 [default: 1, labels at random].
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    pub labeling_odds: Option<String>,
}

/// What the flags ask for.
#[derive(Clone, Debug)]
pub struct Asked {
    target: Option<RecallTarget>,
    top: Vec<Top>,
    confidence: f64,
    labeling: LabelingOdds,
}

impl Asked {
    /// The first rows that were asked for.
    pub fn top(&self) -> &[Top] {
        &self.top
    }

    /// The same without a recall to promise.
    pub fn only_top(&self) -> Self {
        Self { target: None, ..self.clone() }
    }

    /// The recall to promise alone.
    pub fn only_recall(&self) -> Self {
        Self { top: Vec::new(), ..self.clone() }
    }

    /// How much labels may favor some positives.
    pub fn labeling(&self) -> LabelingOdds {
        self.labeling
    }

    /// The recall to promise.
    pub fn target(&self) -> Option<RecallTarget> {
        self.target
    }

    /// Says which of the first rows are more than there are.
    pub fn note_more_than(&self, rows: usize, done: &str) {
        for more in self.top.iter().filter(|top| matches!(top, Top::Rows(number) if *number > rows)) {
            note(&format!(
                "note: the first {more} rows were asked for, but there {} {}: all of them are {done}",
                agree(rows, "is", "are"),
                grouped(rows)
            ));
        }
    }

    /// The same of a list of this many rows: more than all are all.
    pub fn within(&self, rows: usize) -> Self {
        let most = |top: &Top| match *top {
            Top::Rows(asked) => Top::Rows(asked.min(rows)),
            share => share,
        };
        Self { top: self.top.iter().map(most).collect(), ..self.clone() }
    }
}

/// A share as people write it: 0.95 or 95%.
pub fn share(flag: &str, text: &str) -> Result<f64, Failure> {
    let (number, by) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let parsed: Result<f64, _> = number.parse();
    parsed
        .map(|number| number / by)
        .map_err(|_| Failure::input(format!("{flag} must be a share such as 0.95 or 95%, but is '{text}'")))
}

/// How much labels may favor some positives.
pub fn labeling(text: &str) -> Result<LabelingOdds, Failure> {
    let odds = text.trim().parse();
    let odds = odds.map_err(|_| {
        Failure::input(format!("--labeling-odds must be a number from 1, such as 2, but is '{text}'"))
    })?;
    LabelingOdds::new(odds).map_err(|error| Failure::input(format!("--labeling-odds: {error}")))
}

impl ReviewFlags {
    /// The flags' meaning, checked. `by_default`: a recall is looked at though none was asked for.
    pub fn asked(&self, by_default: bool) -> Result<Asked, Failure> {
        let confidence = self.confidence.as_deref().map(|text| share("--confidence", text)).transpose()?;
        let recall = self.recall.as_deref().map(|text| share("--recall", text)).transpose()?;
        let labeling = self.labeling_odds.as_deref().map_or(Ok(LabelingOdds::RANDOM), labeling)?;
        let confidence = confidence.unwrap_or(CONFIDENCE);
        let wanted = recall.or((by_default || self.promised()).then_some(RECALL));
        let target = wanted.map(|recall| RecallTarget::new(recall, confidence)).transpose()?;
        let target = target.map(|target| target.with_labeling(labeling));
        let top = self.top.iter().map(|text| text.parse()).collect::<Result<_, EvalError>>();
        let top = top.map_err(|error| Failure::input(format!("--top: {error}")))?;
        Ok(Asked { target, top, confidence, labeling })
    }

    /// Whether a promise was asked for. Odds are about the first rows where these are named.
    pub fn promised(&self) -> bool {
        self.recall.is_some()
            || self.confidence.is_some()
            || (self.labeling_odds.is_some() && self.top.is_empty())
    }

    /// Whether any of them was given.
    pub fn given(&self) -> bool {
        self.promised() || !self.top.is_empty()
    }
}

/// Refuses, before any row is read, what the reserve of a model cannot give.
pub fn check(model: &Model, flags: &ReviewFlags) -> Result<Asked, Failure> {
    let reserved = model.about().reserve.len();
    let asked = flags.asked(reserved > 0)?;
    if !flags.given() {
        return Ok(asked);
    }
    if reserved == 0 && flags.promised() {
        return Err(Error::NoReserve.into());
    }
    match asked.target {
        Some(target)
            if flags.promised() && reserved > 0 && target.rank(reserved, Over::Population).is_none() =>
        {
            Err(too_few(reserved, target, "fit with --reserve"))
        }
        _ => Ok(asked),
    }
}

/// Too few positives: how many it takes, and what they could promise.
fn too_few(found: usize, target: RecallTarget, act: &str) -> Failure {
    let needed = target.needed(Over::Population);
    let (recall, confidence) = (target.recall(), target.confidence());
    let most = target.labeling().least_recall(RecallTarget::most_recall(found, confidence));
    let most = (1000.0 * most).floor() / 1000.0;
    let at = match target.labeling() {
        LabelingOdds::RANDOM => String::new(),
        labeling => format!(" at labeling odds of {}", labeling.get()),
    };
    Failure::input(format!(
        "{} that the model has never met {} too few to promise a recall of {recall} with confidence {confidence}{at}: that takes \
         {needed}; {act} {needed} or more, or ask for --recall {most} at most",
        counted(found, "positives"),
        agree(found, "is", "are")
    ))
}

/// What is said of a list.
pub struct ReviewAnswer {
    review: Option<Review>,
    top: Vec<AtTop>,
    labeling: LabelingOdds,
    share_at_odds: Option<ShareAtOdds>,
    positives: usize,
    /// Why there is no review though there could be one.
    pub lacking: Option<String>,
    /// The promise is about this many rows of the list, those that the model was not fitted on.
    of_unmet: Option<usize>,
    /// What cannot be said of the list, and why.
    refused: Option<Refused>,
}

/// A question about a list that has no answer, which is no reason to keep the others back.
pub struct Refused {
    /// The question's name in `--json`.
    pub what: &'static str,
    /// A sentence.
    pub why: String,
}

impl ReviewAnswer {
    /// No answer to anything.
    pub fn refused(what: &'static str, why: String) -> Self {
        let refused = Some(Refused { what, why });
        let labeling = LabelingOdds::RANDOM;
        Self {
            review: None,
            top: Vec::new(),
            labeling,
            share_at_odds: None,
            positives: 0,
            lacking: None,
            of_unmet: None,
            refused,
        }
    }

    /// Whether it says how many rows to review.
    pub fn promises(&self) -> bool {
        self.review.is_some()
    }

    /// This one, and why there is nothing more.
    pub fn without(self, what: &'static str, why: String) -> Self {
        Self { refused: Some(Refused { what, why }), ..self }
    }

    /// Looks at the list. Too few positives are refused where a recall was asked for, and told of where it was not.
    pub fn of(list: &ReviewList, asked: &Asked, refuse: bool, act: &str) -> Result<Self, Failure> {
        let labeling = asked.labeling;
        let top: Vec<AtTop> =
            asked.top.iter().map(|&top| list.at_top(top, labeling)).collect::<Result<_, _>>()?;
        let positives = list.positives();
        let share_at_odds = list.share_at_odds(labeling, asked.confidence);
        let mut answer = Self {
            review: None,
            top,
            labeling,
            share_at_odds,
            positives,
            lacking: None,
            of_unmet: None,
            refused: None,
        };
        match asked.target.map(|target| (target, list.review(target))) {
            None => {}
            Some((_, Ok(review))) => answer.review = Some(review),
            Some((target, Err(Error::Eval(EvalError::TooFewPositives { .. })))) => {
                match too_few(positives, target, act) {
                    Failure::Input(sentence) if !refuse => answer.lacking = Some(sentence),
                    failure => return Err(failure),
                }
            }
            Some((_, Err(other))) => return Err(other.into()),
        }
        Ok(answer)
    }

    /// This one's first rows with a promise about those `rows` of them that the model was not fitted on.
    pub fn with_review_of(self, unmet: Self, rows: usize) -> Self {
        Self { top: self.top, of_unmet: Some(rows), ..unmet }
    }

    /// Precisions that cannot be, and what cannot be said.
    pub fn warnings(&self) -> Vec<String> {
        let said = |at: &AtTop| {
            let value = at.impossible_precision?;
            Some(format!(
                "the precision of the first {} rows is left out: the share of positives times the lift is {value:.4}, which cannot \
                 be; the share is too high, the labeled positives are not a random sample of the positives, or they are few",
                at.rows
            ))
        };
        let holds = self.review.as_ref().and_then(|review| acted_on(review).0.holds);
        let mut warnings: Vec<String> = self.top.iter().chain(&holds).filter_map(said).collect();
        warnings.dedup();
        warnings.extend(self.refused.iter().map(|refused| refused.why.clone()));
        warnings
    }

    /// For `--json`.
    pub fn as_objects(&self) -> Vec<(&'static str, Value)> {
        let mut objects = Vec::new();
        if !self.top.is_empty() {
            // Metrics beside them rest on random labels all the same.
            let name = if self.labeling.is_random() { "assumes" } else { "assumes_at_odds" };
            objects.push((name, json!(self.labeling.assumes())));
        }
        if let Some(review) = &self.review {
            objects.push(("review", json!(review)));
            objects.extend(self.of_unmet.map(|rows| ("review_of_rows_not_fitted", json!(rows))));
        }
        if !self.top.is_empty() {
            objects.push(("at_top", json!(self.top)));
        }
        objects.extend(self.share_at_odds.map(|share| ("share_at_odds", json!(share))));
        objects.extend(self.refused.iter().map(|refused| (refused.what, Value::Null)));
        objects
    }

    /// Lines for people; the last is the one to remember. `whose`: the positives it all rests on. `new`: the model was not fitted
    /// on the list.
    pub fn as_text(&self, whose: &str, new: bool) -> String {
        let mut text = String::new();
        if !self.top.is_empty() {
            let values = match self.labeling {
                LabelingOdds::RANDOM => "",
                _ => " (the values are those of labeled positives, the ranges all that this allows)",
            };
            let table = top_table(&self.top, self.labeling);
            text.push_str(&format!("{}{values}:\n{table}", self.labeling.assumes()));
        }
        let share = self.share_at_odds.map(|share| share_sentence(&share, &self.labeling.assumes()));
        text.extend(share);
        if let Some(review) = &self.review {
            if let Some(rows) = self.of_unmet {
                text.push_str(&format!("of the {} rows that the model was not fitted on:\n", grouped(rows)));
            }
            text.push_str(&sentences(review, &format!("the {} {whose}", grouped(self.positives)), new));
        }
        text
    }
}

fn top_table(top: &[AtTop], labeling: LabelingOdds) -> String {
    let believed = top.iter().any(|at| at.probability.is_some());
    let mut rows = vec![["first", "recall", "", "lift", "", "precision", ""].map(str::to_string).to_vec()];
    rows[0].extend(believed.then(|| "mean probability".to_string()));
    let told_to_stay = top.iter().any(|at| at.stay.is_some());
    rows[0].extend(told_to_stay.then(|| "stay among them".to_string()));
    let pair = |interval: Interval, digits: usize| {
        let Interval { value, low, high } = interval;
        [format!("{value:.digits$}"), format!("[{low:.digits$}, {high:.digits$}]")]
    };
    for at in top {
        let mut row = vec![format!("{} of {} rows", grouped(at.rows), grouped(at.of))];
        row.extend(pair(at.recall, 4));
        row.extend(pair(at.lift, 2));
        match at.precision {
            Some(precision) => {
                let [_, range] = pair(precision, 4);
                let value = if precision.value < 1.0 { shown_value(precision, 4) } else { "-".to_string() };
                row.extend([value, range]);
            }
            None if at.impossible_precision.is_some() => {
                row.extend(["-".to_string(), "(cannot be told)".to_string()]);
            }
            None if !labeling.is_random() => {
                row.extend(["-".to_string(), "(needs labels at random)".to_string()]);
            }
            None => row.extend(["-".to_string(), "(needs the share of positives)".to_string()]),
        }
        row.extend(at.probability.map(|mean| format!("{mean:.4}")));
        row.extend(at.stay.map(grouped));
        rows.push(row);
    }
    let mut text = table(&rows);
    if believed {
        text.push_str(
            "(two answers to one question: the precision is told by how many of the positives rank as high, the mean probability by \
             the scores of these rows, as predict lists them)\n",
        );
    }
    if told_to_stay {
        text.push_str(
            "(so many of them stay among them whichever positives labels favor, as far as the model's probabilities are those under \
             random labels)\n",
        );
    }
    text
}

/// The promise to act on, and whether it is about the positives in this very file. The reader has a file, so that one is taken
/// where it can be made: for as many positives as the share says, or for any number of them.
fn acted_on(review: &Review) -> (&Promise, bool) {
    match (&review.this_file_by_share, &review.this_file) {
        (Some(Promised::Made(promise)), _) | (_, Promised::Made(promise)) => (promise, true),
        _ => (&review.population, false),
    }
}

fn sentences(review: &Review, whose: &str, new: bool) -> String {
    let (recall, confidence) = (percent(review.target.recall()), percent(review.target.confidence()));
    let Promise { cut, rows, .. } = &review.population;
    let assumes = &review.assumes;
    if !new {
        // Rows of the list were scored by other models than the reserved positives, so their number says nothing.
        return format!(
            "nothing is promised of this list, since the model was fitted on its rows; of new rows like these, those that score at least \
             {:.4} hold at least {recall} % of the positives, with {confidence} % confidence, {assumes} ({}); to know how far to read \
             here, audit the list: onesided audit draw\n",
            cut.cut,
            up_to(cut.holds_up_to_labeling_odds)
        );
    }
    let (promise, in_this_file) = acted_on(review);
    let first = |rows: usize| match rows {
        0 => "no row".to_string(),
        1 => "the first row".to_string(),
        rows => format!("the first {} rows", grouped(rows)),
    };
    let mut text = format!(
        "with {confidence} % confidence, over the population that {whose} come from, {assumes}: {} (score at least {:.4}) \
         hold at least {recall} % of the positives\n",
        first(*rows),
        cut.cut
    );
    text.push_str(&format!(
        "that holds while no positive is more than {} times as likely, in odds, to be labeled as another\n",
        rounded_down(cut.holds_up_to_labeling_odds)
    ));
    let mut in_file = Vec::new();
    match &review.this_file_by_share {
        Some(Promised::Made(Promise { cut, rows, .. })) => {
            if let Over::File { least, most } = cut.over {
                in_file.push(format!(
                    "{} if it holds {} to {} of them ({})",
                    first(*rows),
                    grouped(least),
                    grouped(most),
                    up_to(cut.holds_up_to_labeling_odds)
                ));
            }
        }
        Some(Promised::TooFew { needed }) => in_file.push(format!(
            "a promise for as many as the share of positives says takes {} positives like these",
            grouped(*needed)
        )),
        None => {}
    }
    in_file.push(match &review.this_file {
        Promised::Made(Promise { cut, rows, .. }) => {
            format!("{} whatever their number ({})", first(*rows), up_to(cut.holds_up_to_labeling_odds))
        }
        Promised::TooFew { needed } => {
            format!("a promise whatever their number takes {} positives like these", grouped(*needed))
        }
    });
    text.push_str(&format!("for the positives in this very file, {assumes}: {}\n", in_file.join("; ")));
    let positives = promise.holds.and_then(|holds| holds.positives);
    if let (Some(ShareInList { share, estimated, audited, left_out }), true) =
        (review.share, positives.is_some())
    {
        let Interval { value, low, high } = share;
        let which = match audited {
            Some(answers) => {
                format!(
                    "the share of {value:.4} ({low:.4} to {high:.4}) that an audit of {answers} rows told"
                )
            }
            None if estimated => format!("an estimated share of {value:.4} ({low:.4} to {high:.4})"),
            None => format!("the share of {value:.4} given when fitting"),
        };
        let without = match left_out {
            0 => String::new(),
            rows => {
                format!(
                    ", without {} that {} not listed",
                    counted(rows, "labeled positives"),
                    agree(rows, "is", "are")
                )
            }
        };
        text.push_str(&format!("the number of positives rests on {which}{without}\n"));
    }
    let about = positives.map_or_else(String::new, |Interval { low, high, .. }| {
        format!(
            "; about {} to {} of them are positive",
            grouped(low.floor() as usize),
            grouped(high.ceil() as usize)
        )
    });
    let whose =
        if in_this_file { " in this file" } else { " of the population, which may be fewer of this file's" };
    text.push_str(&format!(
        "review {} to find at least {recall} % of the positives{whose}, with {confidence} % confidence, {assumes}{about}\n",
        first(promise.rows)
    ));
    text
}

/// Γ up to which something holds, rounded down, so that what is said is true.
fn rounded_down(times: f64) -> String {
    format!("{:.2}", (100.0 * times + 1e-9).floor() / 100.0)
}

/// Up to which odds a promise holds.
fn up_to(times: f64) -> String {
    format!("holds up to {} times", rounded_down(times))
}

/// How many positives there may be, and what stands against there being next to none.
fn share_sentence(at_odds: &ShareAtOdds, assumes: &str) -> String {
    let ShareAtOdds { confidence, most, most_at_random, told, .. } = at_odds;
    let least = told.map_or_else(
        || "no least share is told".to_string(),
        |ShareInList { share: Interval { low, .. }, estimated, audited, .. }| match audited {
            Some(answers) => format!("at least {low:.4} by an audit of {}", counted(answers, "rows")),
            None if estimated => {
                format!("at least {low:.4} is what the estimate says, which takes labels to be random: data tell no least share")
            }
            None => format!("{low:.4} was given when fitting: data tell no least share"),
        },
    );
    format!(
        "share of positives in this list, {assumes}: at most {most:.4} with {} % confidence ({most_at_random:.4} if labels are a random \
         sample); {least}\n",
        percent(*confidence)
    )
}

/// `95`, `99.9`.
fn percent(share: f64) -> String {
    let text = format!("{:.3}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_about_the_file_at_hand() {
        // 100 positives at 0 to 99, and each of these scores ten times in the list.
        let positive: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let list: Vec<f32> = (0..1000).map(|i| (i % 100) as f32).collect();
        let last = |share: Option<ShareInList>| {
            let review = ReviewList::new(positive.clone(), list.clone(), share);
            let review = review.review(RecallTarget::new(0.9, 0.95).unwrap()).unwrap();
            sentences(&review, "the 100", true).lines().last().unwrap().to_string()
        };
        // Over the population the cut is the fifth lowest positive, 960 rows; in a file with 175 to 225 positives the fourth.
        let share = ShareInList::given(0.2);
        let said = last(Some(share));
        let expected = "review the first 970 rows to find at least 90 % of the positives in this file, with 95 % confidence, if labels are a \
                        random sample of the positives; about ";
        assert!(said.starts_with(expected), "{said}");
        // Whatever their number takes 171 positives, so without a share the population's it is.
        assert_eq!(
            last(None),
            "review the first 960 rows to find at least 90 % of the positives of the population, which may be fewer of this \
             file's, with 95 % confidence, if labels are a random sample of the positives"
        );
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1240, 1_000_000].map(grouped), ["0", "999", "1,240", "1,000,000"]);
        assert_eq!([0.9, 0.95, 0.999, 0.125].map(percent), ["90", "95", "99.9", "12.5"]);
        assert_eq!((share("--recall", "95%").unwrap(), share("--recall", " .9 ").unwrap()), (0.95, 0.9));
        assert!(share("--recall", "most").is_err());
    }
}
