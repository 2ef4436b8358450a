//! `onesided evaluate`: how good a model is on a table, with true labels or without negatives.

use super::fit_says::inverted_labels;
use super::fitted_rows::tell_metrics;
use super::review::{Asked, ReviewAnswer};
use super::{device, print_device, with_estimates, with_intervals};
use crate::args::Evaluate;
use crate::failure::Failure;
use crate::inputs::{Places, check_texts, print_new_notes, shifts};
use crate::metrics::{estimate_table, metric_table};
use crate::model_file;
use crate::output::{note, print, print_json, table, warn};
use onesided::data::{ColumnShift, TextColumn, count_labels, counted, shown_share};
use onesided::eval::RESAMPLES;
use onesided::{
    About, Contradiction, Cutting, FittedRows, HowScored, Input, Interval, Inverted, Label, LabelingOdds,
    Met, MetRows, Model, NegativeMetrics, Roles, RowKind, RowLookup, Streamed, pu_metrics_by_name,
    rests_on_prior,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The seed of the bootstrap: the same table gives the same intervals.
const SEED: u64 = 0;

/// Where the rows are; flags that say nothing, or contradict one another, are refused.
fn place(flags: &Evaluate) -> Result<Input, Failure> {
    let negative = [("negative", flags.negative.is_some())];
    let input = answered(&flags.places, &flags.label, &flags.truth, flags.positive.as_deref(), &negative)?;
    if flags.negative.is_some() && flags.label.is_none() {
        return Err(Failure::input("--negative is a value of the label column; name it with --label COLUMN"));
    }
    if flags.weight.is_some() && flags.truth.is_some() {
        return Err(Failure::input(
            "metrics against true labels count every row once, so --weight would do nothing; leave it out",
        ));
    }
    Ok(input)
}

/// Where rows are with an answer to which of them are positive: a column of labels or of the truth, folders, or two places.
pub(super) fn answered(
    places: &Places,
    label: &Option<String>,
    truth: &Option<String>,
    positive: Option<&str>,
    more: &[(&str, bool)],
) -> Result<Input, Failure> {
    let answers = [("label", label.is_some()), ("truth", truth.is_some()), ("positive", positive.is_some())];
    let input = places.input(&[&answers, more].concat())?;
    match (&input, label, truth) {
        (Input::One(folder), None, None) if folder.is_dir() && positive.is_some() => Ok(input),
        (Input::One(folder), None, None) if folder.is_dir() => Err(Failure::input(format!(
            "'{}' is a folder; name the folder of the positives in it with --positive NAME",
            folder.display()
        ))),
        (Input::One(_) | Input::Parts(_), None, None) => Err(Failure::input(
            "give --label COLUMN (which rows are labeled positive) or --truth COLUMN (the true labels)",
        )),
        (_, Some(label), Some(truth)) if label == truth => {
            Err(Failure::input(format!("column '{truth}' cannot be both the label and the truth")))
        }
        _ => Ok(input),
    }
}

/// The truth that the names of folders tell, for a folder with a folder per class.
pub(super) fn classes(
    files: Option<&TextColumn>,
    folder: &Path,
    positive: &str,
) -> Result<Vec<bool>, Failure> {
    let class = |file: &str| Path::new(file).parent().map(|class| class.display().to_string());
    let classes: Vec<String> = files.into_iter().flat_map(|names| names.iter()).filter_map(class).collect();
    let known: BTreeSet<&str> =
        classes.iter().map(String::as_str).filter(|class| !class.is_empty()).collect();
    if !known.contains(positive) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Failure::input(if known.is_empty() {
            format!("'{}' has no folder per class, so --positive tells nothing", folder.display())
        } else {
            let known: Vec<String> = known.iter().map(|class| format!("'{class}'")).collect();
            format!("'{}' has no folder '{positive}'; its folders are {}", folder.display(), known.join(", "))
        }));
    }
    Ok(classes.iter().map(|class| class == positive).collect())
}

fn is_folder(input: &Input) -> bool {
    matches!(input, Input::One(folder) if folder.is_dir())
}

/// Measures with whichever answers are given.
pub fn run(flags: &Evaluate, as_json: bool) -> Result<(), Failure> {
    flags.files.files()?;
    let input = place(flags)?;
    let asked = flags.review.asked(false)?;
    if flags.review.given() && matches!((&input, &flags.label), (Input::One(_), None)) && !is_folder(&input) {
        return Err(Failure::input(
            "--recall and --top need to know which rows are labeled positive; name their column with --label COLUMN",
        ));
    }
    let device = device(&flags.device)?;
    let (model, beside) = model_file::load_with_rows(&flags.model, flags.places.file.as_deref())?;
    let model = model.on_device(device).with_threads(flags.threads);
    check_texts(&model, &flags.text)?;
    let about = model.about();
    let roles = Roles {
        label: flags.label.clone(),
        truth: flags.truth.clone(),
        positive: flags.positive.clone(),
        negative: flags.negative.clone(),
        weight: flags.weight.clone(),
        ..Roles::default()
    };
    let also = flags.files.again(&input.paths(), roles, &[], &flags.text)?;
    // What is kept of a row is its score, and what is known of it.
    let (mut scores, mut names, mut largest) = (Vec::new(), None, 0);
    let mut lookup = RowLookup::new(&model, (!flags.in_sample).then_some(beside.as_ref()), false);
    // What is promised rests on rows that the model has not met.
    let mut met = flags.review.given().then(Vec::new);
    // Folders of the fitted classes hold labels, and others the truth: what each file was to the model tells which.
    let (in_folders, mut of_files) = (flags.positive.is_some() && is_folder(&input), Vec::<Met>::new());
    let cut = Cutting { threads: flags.threads, ..Cutting::default() };
    let streamed = model.stream(&input, &also, cut, &mut |mut piece| {
        let of_piece = lookup.next(&mut piece)?;
        if let Some(met) = &mut met {
            match &of_piece {
                Some(of_piece) => met.extend(of_piece.iter().map(|row| row.is_known())),
                None => met.resize(met.len() + piece.data.len(), false),
            }
        }
        if in_folders {
            of_files.extend(of_piece.into_iter().flatten());
        }
        scores.extend_from_slice(&piece.scores);
        largest = largest.max(piece.data.len());
        names = piece.data.ids().first().map(|(_, names)| names.clone());
        Ok(())
    });
    let Streamed { rows: number, mut labels, mut truth, weights, notes, .. } =
        streamed.map_err(Failure::of_reading)?;
    if let (Input::One(folder), Some(positive)) = (&input, &flags.positive)
        && folder.is_dir()
    {
        let told = classes(names.as_ref(), folder, positive)?;
        let of_class: Vec<Label> =
            told.iter().map(|&told| if told { Label::Positive } else { Label::Unlabeled }).collect();
        let as_fitted = match lookup.matcher() {
            None => lookup.is_same() && count_labels(&of_class) == about.counts,
            Some(matcher) => {
                let is_as_told = |(met, &told): (&Met, &bool)| match matcher.kind(*met) {
                    RowKind::Ambiguous => true,
                    kind => (kind == RowKind::Positive) == told,
                };
                matcher.is_fitted_table() && of_files.iter().zip(&told).all(is_as_told)
            }
        };
        // One who fits with the truth knows it.
        if as_fitted && !about.is_supervised() {
            note(&format!(
                "note: the model was fitted on these folders with '{positive}' as the labeled positives, so the other folders are \
                 unlabeled here, and nothing is known of the truth"
            ));
            labels = Some(of_class);
        } else {
            truth = Some(told);
        }
    }
    if flags.review.given() && labels.is_none() {
        return Err(Failure::input(
            "--recall and --top rank unlabeled rows by labeled positives, and these folders tell the truth of all files; leave them out",
        ));
    }
    let (labels, weights) = (labels.as_deref(), weights.as_deref());
    let mut warnings = print_new_notes(&model, &notes);
    print_device(&model, largest);
    let doubted: Vec<String> = model.refuted_labels().map(ToString::to_string).into_iter().collect();
    warn(&doubted);
    warnings.extend(doubted);
    let (fitted, in_sample) = tell_metrics(&lookup);
    warnings.extend(in_sample.clone());
    // Of the fitted table an audit told the share; its answers are no labels of the column.
    let is_fitted_table = lookup.is_same() || fitted.as_ref().is_some_and(|fitted| fitted.is_fitted_table);
    let of_table = labels.filter(|_| is_fitted_table).and_then(|labels| model.with_audited_share_of(labels));
    let model = of_table.as_ref().unwrap_or(&model);
    let about = model.about();

    let against_truth: Option<Vec<(&str, Interval)>> = match &truth {
        Some(truth) => {
            let measured = model.with_truth_of(&scores, truth, RESAMPLES, SEED)?;
            let auc = measured.iter().find(|(name, _)| *name == "auc");
            let inverted = auc.and_then(|&(_, auc)| Inverted::by_auc(auc, true)).map(inverted_labels);
            warn(inverted.as_slice());
            warnings.extend(inverted);
            Some(measured)
        }
        None => None,
    };
    let shifted = shifts(&notes);
    let mut contradiction: Option<Contradiction> = None;
    let without_negatives: Option<Vec<(&str, Interval)>> = match labels {
        Some(labels) => {
            let out_of_fold = fitted.as_ref().is_some_and(|fitted| fitted.out_of_fold > 0);
            let how = match (out_of_fold, &in_sample) {
                (true, _) => HowScored::OutOfFold(about.report.folds),
                (false, Some(_)) => HowScored::InSample,
                (false, None) => HowScored::New,
            };
            let metrics = model.without_negatives_of(&scores, labels, weights, how, RESAMPLES, SEED)?;
            if fitted.is_none() && in_sample.is_none() && about.counts == count_labels(labels) {
                note(
                    "note: as many positives and unlabeled rows as the model was fitted on; if they are the same rows, \
                     the metrics are optimistic",
                );
            }
            contradiction = metrics.contradiction;
            let mut said: Vec<String> = metrics.warnings.iter().map(ToString::to_string).collect();
            said.extend(Inverted::by_auc(metrics.auc_pu, false).map(inverted_labels));
            let mut by_name = pu_metrics_by_name(&metrics);
            if !shifted.is_empty() && about.prior_in_unlabeled.is_some() {
                // The share is that of the rows that the model was fitted on.
                by_name.retain(|(name, _)| !rests_on_prior(name));
                said.push(
                    "columns hold something else than in training, so the share of positives may be another one, and metrics that \
                     rest on it are left out"
                        .to_string(),
                );
            }
            warn(&said);
            warnings.extend(said);
            Some(by_name)
        }
        None => None,
    };

    let doubtful = contradiction.as_ref().map(|found| found.to_string()).or_else(|| model.withheld(&shifted));
    if let Some(why) = doubtful.filter(|_| flags.strict) {
        return Err(Failure::Strict(why));
    }
    let review = match labels.filter(|_| flags.review.given()) {
        None => None,
        Some(labels) => {
            let met = met.as_deref().unwrap_or_default();
            let withheld = contradiction.map(|found| format!("nothing is promised of this list: {found}"));
            let answer = match withheld.or_else(|| model.withheld(&shifted)) {
                Some(why) => ReviewAnswer::refused("review", why),
                None => reviewed(model, &asked, &lookup.met_rows(), met, &scores, labels)?,
            };
            warn(&answer.warnings());
            warnings.extend(answer.warnings());
            Some(answer)
        }
    };

    let negatives = labels.and_then(|labels| model.against_negatives_of(&scores, labels, weights));
    let measured = Measured {
        about,
        rows: number,
        against_truth,
        without_negatives,
        negatives,
        review,
        labeling: asked.labeling(),
        fitted,
        shifted,
        warnings,
    };
    if as_json { print_json(&measured.as_object()) } else { print(&measured.as_text()) }
}

/// Everything that was measured.
struct Measured<'m> {
    about: &'m About,
    rows: usize,
    against_truth: Option<Vec<(&'m str, Interval)>>,
    without_negatives: Option<Vec<(&'m str, Interval)>>,
    negatives: Option<NegativeMetrics>,
    review: Option<ReviewAnswer>,
    labeling: LabelingOdds,
    fitted: Option<FittedRows>,
    shifted: Vec<&'m ColumnShift>,
    warnings: Vec<String>,
}

impl Measured<'_> {
    /// The recall at the threshold with all that odds above 1 allow.
    fn recall_at_odds(&self) -> Option<Interval> {
        let metrics = self.without_negatives.as_ref().filter(|_| !self.labeling.is_random())?;
        let (_, recall) = metrics.iter().find(|(name, _)| *name == "recall")?;
        Some(self.labeling.widened(*recall))
    }

    /// For `--json`.
    fn as_object(&self) -> Value {
        let about = self.about;
        let mut object = Map::new();
        match (&self.against_truth, &self.without_negatives) {
            (Some(truth), pu) => {
                object.extend(with_intervals(truth.iter().copied()));
                object.insert("measured".to_string(), json!("against true labels"));
                if let Some(pu) = pu {
                    object.insert("without_negatives".to_string(), with_estimates(pu.iter().copied()).into());
                }
            }
            (None, Some(pu)) => {
                object.extend(with_estimates(pu.iter().copied()));
                object.insert("measured".to_string(), json!("without negatives"));
            }
            (None, None) => {}
        }
        if let Some(negatives) = &self.negatives {
            object.insert("known_negatives".to_string(), json!(negatives));
        }
        if self.without_negatives.is_some() {
            object.insert("assumes".to_string(), json!(about.assumes()));
        }
        object.extend(with_estimates(self.recall_at_odds().map(|recall| ("recall_at_odds", recall))));
        object.insert("rows".to_string(), json!(self.rows));
        if !self.shifted.is_empty() {
            object.insert("shifted".to_string(), json!(self.shifted));
        }
        if let Some(fitted) = &self.fitted {
            object.insert("fitted_rows".to_string(), json!(fitted));
        }
        object.insert("threshold".to_string(), json!(about.threshold));
        object.insert("prior_in_unlabeled".to_string(), json!(about.prior_in_unlabeled));
        let interval = about.prior_estimate.as_ref().map(|estimate| estimate.interval);
        object.insert("prior_in_unlabeled_interval".to_string(), json!(interval));
        if let Some(answers) = about.prior_estimate.as_ref().and_then(|estimate| estimate.audited) {
            object.insert("prior_in_unlabeled_audited".to_string(), json!(answers));
        }
        object.insert("warnings".to_string(), json!(self.warnings));
        let answers = self.review.iter().flat_map(ReviewAnswer::as_objects);
        object.extend(answers.map(|(name, value)| (name.to_string(), value)));
        Value::Object(object)
    }

    /// For people.
    fn as_text(&self) -> String {
        let mut text = String::new();
        if let Some(metrics) = &self.against_truth {
            text.push_str(&format!(
                "against true labels, {}:\n{}",
                counted(self.rows, "rows"),
                metric_table(metrics.iter().copied())
            ));
        }
        if let Some(metrics) = &self.without_negatives {
            text.push_str(&format!(
                "estimated without negatives, for the unlabeled rows{}, {}:\n{}",
                self.share_taken(),
                self.about.assumes(),
                estimate_table(metrics.iter().copied())
            ));
        }
        if let Some(Interval { low, high, .. }) = self.recall_at_odds() {
            text.push_str(&format!("{}: recall from {low:.4} to {high:.4}\n", self.labeling.assumes()));
        }
        let review = self.review.as_ref().map(|answer| answer.as_text("labeled positives", true));
        if let Some(review) = review.filter(|review| !review.is_empty()) {
            text.push_str(&format!("\nunlabeled rows, by their score:\n{review}"));
        }
        if let Some(negatives) = &self.negatives {
            let shown = [("specificity", negatives.specificity), ("auc", negatives.auc)];
            let rows = shown.map(|(name, value)| vec![name.to_string(), format!("{value:.4}")]);
            text.push_str(&format!(
                "against {}, as far as they are like the others:\n{}",
                counted(negatives.rows, "known negatives"),
                table(&rows)
            ));
        }
        text
    }

    /// The share of positives that metrics without negatives rest on, in parentheses.
    fn share_taken(&self) -> String {
        let Some(mu) = self.about.prior_in_unlabeled else { return String::new() };
        let estimated = self.about.prior_estimate.as_ref().map_or_else(String::new, |estimate| {
            let (low, high) = estimate.interval;
            let by = match estimate.audited {
                Some(answers) => format!("an audit of {} told it", counted(answers, "rows")),
                None => "it was estimated".to_string(),
            };
            format!("; {by}, and the intervals hold the metrics from {low:.3} to {high:.3}")
        });
        format!(" (a share of {} of which is taken to be positive{estimated})", shown_share(mu.get()))
    }
}

/// The first rows and the promise, each unless it cannot be told. The first rows are judged by scores out of fold where the model has met rows. A promise rests on
/// positives that it has never met and is about rows that it has never met, so the others are left out of it.
fn reviewed(
    model: &Model,
    asked: &Asked,
    known: &MetRows,
    met: &[bool],
    scores: &[f32],
    labels: &[Label],
) -> Result<ReviewAnswer, Failure> {
    let act = "evaluate with";
    let all = model.review_of(scores, labels);
    let unlabeled = labels.iter().filter(|&&label| label == Label::Unlabeled).count();
    asked.note_more_than(unlabeled, "judged");
    let asked = &asked.within(unlabeled);
    let (found, out_of_fold) = match known {
        MetRows::Counted { met, out_of_fold } => (*met, *out_of_fold),
        MetRows::All(why) => {
            let why = why.map_or_else(|| "--in-sample asks for none".to_string(), ToString::to_string);
            let (what, it) =
                if asked.top().is_empty() { ("review", "--recall") } else { ("at_top", "--top") };
            return Ok(ReviewAnswer::refused(
                what,
                format!(
                    "the model was fitted on this very table, and there are no scores of its rows by models that had not met them \
                     ({why}), so {it} would flatter it and is left out; name another table, or fit with --reserve and use 'onesided \
                     predict --recall'"
                ),
            ));
        }
        MetRows::Chance => {
            note(
                "note: rows like these repeat, and no more of them are equal to fitted ones than of new rows; the promises are exact if \
                 the model was fitted on none of these positives",
            );
            (0, true)
        }
        MetRows::Unknown => {
            note(
                "note: the promises are exact if the model was fitted on none of these positives, which only the file of rows \
                 next to the model can tell",
            );
            (0, true)
        }
    };
    if found == 0 {
        return ReviewAnswer::of(&all, asked, true, act);
    }
    let new: Vec<usize> = (0..labels.len()).filter(|&row| !met[row]).collect();
    let new_scores: Vec<f32> = new.iter().map(|&row| scores[row]).collect();
    let new_labels: Vec<Label> = new.iter().map(|&row| labels[row]).collect();
    let unmet = model.review_of(&new_scores, &new_labels);
    let (positives, left) = (all.positives(), unmet.positives());
    let rows = new_labels.iter().filter(|&&label| label == Label::Unlabeled).count();
    let nothing = |what: &str, why: &str| {
        format!(
            "{what} {why} positives that the model has never met: it was fitted on {} of the {positives} labeled positives here, and \
             {rows} unlabeled rows are new to it; name another table, or fit with --reserve and use 'onesided predict --recall'",
            positives - left,
        )
    };
    let is_usable = left > 0 && rows > 0;
    let top = match (asked.top().is_empty(), out_of_fold) {
        (true, _) | (_, true) => ReviewAnswer::of(&all, &asked.only_top(), true, act)?,
        (false, false) if is_usable => ReviewAnswer::of(&unmet, &asked.only_top().within(rows), true, act)?,
        _ => {
            let why = nothing("without scores out of fold, --top", "needs");
            return Ok(ReviewAnswer::refused("at_top", why));
        }
    };
    let Some(target) = asked.target() else { return Ok(top) };
    if !is_usable {
        let why = nothing(&format!("a recall of {} cannot be promised without", target.recall()), "some");
        return Ok(top.without("review", why));
    }
    note(&format!(
        "note: the promise rests on {left} positives that the model was not fitted on, and is about the {rows} unlabeled rows that it \
         was not fitted on; the other {found} rows are left out of it"
    ));
    Ok(top.with_review_of(ReviewAnswer::of(&unmet, &asked.only_recall(), true, act)?, rows))
}
