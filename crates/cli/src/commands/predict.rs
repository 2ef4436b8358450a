//! `onesided predict`: a model and rows in, a ranked list out.
//!
//! The table is read, scored and forgotten piece by piece. What is left of a row is its score and what the list shows of it,
//! which is sorted outside memory where it does not fit (`ranking.rs`).

use super::fitted_rows::{self, Verdict, Watch};
use super::ranking::{ListColumns, Listed, Ranking, RepeatedIds, decision, sentence};
use super::review::{self, ReviewAnswer};
use super::{device, print_device};
use crate::args::Predict;
use crate::failure::Failure;
use crate::inputs::{check_texts, print_new_notes, shifts};
use crate::list_style::ListStyle;
use crate::model_file;
use crate::output::{note, print, print_json, table, warn};
use crate::output_path;
use crate::progress::{guarded, interrupted};
use onesided::data::{
    LabelColumn, Phase, TableError, WriteAs, counted, grouped, is_standard_output, write_batches,
};
use onesided::{Among, Cutting, Input, KnownRows, Model, RANDOM_LABELS, ReadAgain, Top};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

/// Rows written at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// Scores every row; the most likely positive comes first.
pub fn run(flags: &Predict, as_json: bool) -> Result<(), Failure> {
    flags.files.limit_memory()?;
    let format = flags.files.format()?;
    let to_stdout = flags.out.as_deref().is_some_and(is_standard_output);
    if to_stdout && as_json {
        return Err(Failure::input(
            "--json and --out - both write to standard output; leave one of them out",
        ));
    }
    let style = ListStyle::named(flags.out_style.as_deref())?;
    if let (Some(out), false) = (&flags.out, to_stdout) {
        output_path::check_table(out, format)?;
        output_path::check(out, &[&flags.model, &flags.file])?;
    }
    if flags.explain == Some(0) {
        return Err(Failure::input("--explain must name at least 1 feature, but is 0"));
    }
    let device = device(&flags.device)?;
    let (model, beside) = model_file::load_with_rows(&flags.model, [flags.file.as_path()])?;
    let model = model.on_device(device).with_threads(flags.threads);
    check_texts(&model, &flags.text)?;
    let asked = review::check(&model, &flags.review)?;
    // A model that cannot explain itself is refused before any row is read.
    let explainer = flags.explain.map(|most| Ok::<_, Failure>((model.explainer()?, most))).transpose()?;
    let known = beside.as_ref().ok().and_then(KnownRows::label_column);
    let also = read_again(flags, known)?;
    let top: Vec<Top> = match (asked.top(), &flags.out) {
        ([], None) => vec![Top::Rows(SHOWN)],
        (given, _) => given.to_vec(),
    };
    // Names of files are those of rows where there is no table.
    let ids = if also.keep.is_empty() { usize::MAX } else { also.id.len() };
    let reserved = !model.about().reserve.is_empty();
    let folder = scratch_folder(flags.out.as_deref());
    let mut ranking = Ranking::new(&model, &top, ids, explainer, folder, reserved, flags.all);
    let beside = (!flags.in_sample).then_some(&beside);
    let mut watch = Watch::new(&model, beside, flags.label.is_some());
    let mut largest = 0;
    let cut = Cutting { rows: None, threads: flags.threads };
    let streamed = model
        .stream(&Input::one(&flags.file), &also, cut, &mut |mut piece| {
            largest = largest.max(piece.data.len());
            let met = watch.next(&mut piece)?;
            ranking.add(&piece, met.as_deref(), watch.matcher())
        })
        .map_err(Failure::of_reading)?;
    if let (Some(label), false) = (&flags.label, watch.is_told()) {
        return Err(Failure::input(format!(
            "'{}' has no column '{label}'; name the column of labels, or leave --label out",
            flags.file.display()
        )));
    }
    let mut warnings = print_new_notes(&model, &streamed.notes);
    print_device(&model, largest);
    let verdict = watch.finish(flags);
    ranking.settle(watch.matcher());
    warnings.extend(verdict.warnings.iter().cloned());
    warnings.extend(print_label_warning(&model));

    let rows = ranking.rows();
    let scale = scale_of(&model, &verdict, rows);
    // A list of unlabeled rows alone has their share of positives.
    let among = if let Scale::Probability(among) = scale { among } else { Among::Population };
    let shifted = shifts(&streamed.notes);
    let review = match (ranking.take_scores(), model.withheld(&shifted)) {
        (None, _) => None,
        (Some(_), Some(why)) => Some(ReviewAnswer::refused("review", why)),
        (Some(scores), None) => Some(ReviewAnswer::of(
            &model.review_among(scores, among)?,
            &asked.within(rows),
            flags.review.promised(),
            "fit with --reserve",
        )?),
    };
    let mut of_review = review.as_ref().map_or_else(Vec::new, ReviewAnswer::warnings);
    if review.as_ref().is_some_and(ReviewAnswer::promises) && watch.is_same() {
        let out_of_fold = verdict.facts.as_ref().is_some_and(|facts| facts.out_of_fold > 0);
        of_review.push(fitted_rows::of_review(out_of_fold).to_string());
    }
    warn(&of_review);
    warnings.extend(of_review);
    asked.note_more_than(rows, "listed");
    let limit = match top.as_slice() {
        [] => rows,
        top => top.iter().map(|top| top.of(rows).unwrap_or(rows)).max().unwrap_or(rows),
    };
    let (ids, kept) = ranking.names();
    let (ids, kept) = (ids.to_vec(), kept.to_vec());
    let columns = ListColumns {
        ranges: model.about().at_prior_ends.is_some(),
        ids: &ids,
        kept: &kept,
        because: flags.explain.is_some(),
        yes_no: flags.yes_no,
        kinds: verdict.shows_kinds,
    };
    let predicted_positive = ranking.predicted_positive();
    let mut object = as_facts(flags, &model, &verdict, rows, predicted_positive, &warnings);
    if !shifted.is_empty() {
        object["shifted"] = json!(shifted);
    }
    if !asked.top().is_empty() {
        object["listed"] = json!(limit.min(rows));
    }
    let mut shown = Vec::new();
    let mut written = Written::default();
    let mut repeated = RepeatedIds::new(if also.id.is_empty() { 0 } else { ids.len() });
    let list = ranking.finish(limit, watch.matcher())?.inspect(|row| {
        if let Ok(row) = row {
            repeated.look_at(row);
        }
    });
    match &flags.out {
        Some(out) => {
            let how = style.write_as(&flags.file, &flags.files, &streamed.notes, flags.safe_csv)?;
            written = write_list(out, &how, &columns, limit.min(rows), list)?;
        }
        None => shown = list.collect::<Result<_, _>>()?,
    }
    let repeated = repeated.told();
    repeated.iter().for_each(|told| note(&format!("note: {told}")));
    if as_json {
        if flags.out.is_none() {
            let row = |(at, listed): (usize, &Listed)| as_object(&columns, at, listed);
            object["top"] = shown.iter().enumerate().map(row).collect();
        }
        for (name, value) in review.iter().flat_map(ReviewAnswer::as_objects) {
            object[name] = value;
        }
        return print_json(&object);
    }
    let review = review.map_or_else(String::new, |answer| {
        answer.lacking.iter().for_each(|why| note(&format!("note: {why}")));
        answer.as_text("reserved positives", !watch.is_same())
    });
    print_guess_note(&model);
    let wrote = |place: &str| {
        let what = if asked.top().is_empty() {
            counted(written.rows as usize, "rows")
        } else {
            format!("the {} best of {} rows", grouped(written.rows as usize), grouped(rows))
        };
        format!(
            "wrote {what} to {place}, {} of them predicted positive ({})",
            grouped(written.positive),
            cut_of(&model, scale)
        )
    };
    match &flags.out {
        Some(_) if to_stdout => {
            note(&wrote("standard output"));
            review.lines().for_each(note);
            Ok(())
        }
        Some(out) => print(&format!("{}\n{review}", wrote(&out.display().to_string()))),
        None => {
            if rows > SHOWN && asked.top().is_empty() {
                note(&format!("the {SHOWN} best of {} rows; --out writes all", grouped(rows)));
            }
            let cut = if flags.yes_no {
                format!("positive is yes: {}\n", cut_of(&model, scale))
            } else {
                String::new()
            };
            print(&format!(
                "{}{cut}{}{review}",
                as_text(&columns, &shown),
                if review.is_empty() { "" } else { "\n" }
            ))
        }
    }
}

/// What is read of the table besides the model's columns; a column that is named twice is read once.
fn read_again(flags: &Predict, known: Option<&LabelColumn>) -> Result<ReadAgain, Failure> {
    let once = |names: &[String]| -> Result<Vec<String>, Failure> {
        let mut seen = HashSet::new();
        let mut names = flags.files.columns(names, &[&flags.file])?;
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    };
    // Of a column that is named, cells mean what they meant when the model was fitted, unless something else is said.
    let named = flags.label.clone().map(|column| {
        let same = |values: fn(&LabelColumn) -> &Vec<String>, given: &Option<String>| match given {
            Some(value) => vec![value.clone()],
            None => known.map_or_else(Vec::new, |known| values(known).clone()),
        };
        let positive = same(|known| &known.positive, &flags.positive);
        LabelColumn { column, positive, negative: same(|known| &known.negative, &flags.negative) }
    });
    Ok(ReadAgain {
        told: named.or_else(|| known.cloned()),
        id: once(&flags.id)?,
        keep: once(&flags.keep)?,
        text: flags.files.columns(&flags.text, &[&flags.file])?,
        ..flags.files.again()?
    })
}

/// What `--json` says of any list.
fn as_facts(
    flags: &Predict,
    model: &Model,
    verdict: &Verdict,
    rows: usize,
    predicted_positive: usize,
    warnings: &[String],
) -> Value {
    let mut object = json!({
        "out": flags.out.as_ref().map(|out| out.display().to_string()),
        "rows": rows,
        "predicted_positive": predicted_positive,
        "threshold": model.about().threshold,
        "probability_of": if model.is_of_labels() { "being labeled" } else { "being positive" },
        "cautious": is_cautious(model),
        "warnings": warnings,
    });
    if verdict.unlabeled > 0 {
        object["threshold_in_unlabeled"] = json!(model.threshold_among(Among::Unlabeled));
    }
    if let Some(facts) = &verdict.facts {
        object["fitted_rows"] = json!(facts);
    }
    object
}

/// What was written of a list.
#[derive(Default)]
struct Written {
    rows: u64,
    /// Those predicted positive.
    positive: usize,
}

/// Writes a list, some rows at a time, until it ends or Ctrl-C is pressed.
fn write_list(
    out: &Path,
    how: &WriteAs,
    columns: &ListColumns,
    rows: usize,
    mut list: impl Iterator<Item = Result<Listed, TableError>> + Send,
) -> Result<Written, Failure> {
    let (mut written, mut begun) = (Written::default(), false);
    let phase = Phase::new("writing", rows as u64, "rows");
    let mut next = || -> Result<_, TableError> {
        if interrupted() {
            let (file, cause) = (out.display().to_string(), io::Error::from(ErrorKind::Interrupted));
            return Err(TableError::Write { file, cause });
        }
        let batch: Vec<Listed> = list.by_ref().take(ROWS_AT_ONCE).collect::<Result<_, _>>()?;
        // A list of no rows still has its header.
        if batch.is_empty() && std::mem::replace(&mut begun, true) {
            return Ok(None);
        }
        begun = true;
        let of_batch = columns.of(&batch, written.rows + 1);
        written.rows += batch.len() as u64;
        phase.add(batch.len() as u64);
        written.positive += batch.iter().filter(|row| row.positive).count();
        Ok(Some(of_batch))
    };
    let cut = guarded(|| write_batches(out, how, &mut next)).map_err(not_written)?;
    cut.iter().for_each(|cut| note(&format!("note: {cut}")));
    Ok(written)
}

/// Whether the cut is the cautious one of a guessed share of positives.
fn is_cautious(model: &Model) -> bool {
    model.about().has_cautious_cut()
}

/// What the rows of a list have in common, to say from where on they are predicted positive.
#[derive(Clone, Copy)]
enum Scale {
    /// Probabilities are about the same rows.
    Probability(Among),
    /// Some are about unlabeled rows and some about any, but there is one scale of scores.
    Score,
}

/// The scale of a list of this many rows.
fn scale_of(model: &Model, verdict: &Verdict, rows: usize) -> Scale {
    if verdict.unlabeled == 0 || !model.tells_unlabeled_apart() {
        Scale::Probability(Among::Population)
    } else if verdict.unlabeled == rows {
        Scale::Probability(Among::Unlabeled)
    } else {
        Scale::Score
    }
}

/// From where on a row is predicted positive.
fn cut_of(model: &Model, scale: Scale) -> String {
    let cautious =
        if is_cautious(model) { ", a cautious cut, since the share of positives is a guess" } else { "" };
    let (what, cut) = match scale {
        Scale::Probability(among) => ("probability", model.threshold_among(among)),
        Scale::Score => {
            let threshold = model.about().threshold;
            ("score", (threshold / (1.0 - threshold).max(f64::MIN_POSITIVE)).ln())
        }
    };
    // As many digits as it has, but no more than matter.
    let mut cut = format!("{cut:.4}");
    if cut.contains('.') {
        cut = cut.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    let cut = if cut == "-0" { "0" } else { &cut };
    format!("{what} at least {cut}{cautious}")
}

/// Where no share of positives was given, the probabilities rest on a guess.
fn print_guess_note(model: &Model) {
    let (Some(estimate), true) = (&model.about().prior_estimate, is_cautious(model)) else { return };
    let (low, high) = estimate.interval;
    let range =
        if estimate.one_sided { format!("at most {high:.3}") } else { format!("{low:.3} to {high:.3}") };
    note(&format!(
        "note: the probabilities rest on a guess, that {:.3} of the unlabeled rows are positive ({range}, {RANDOM_LABELS}); their \
         ranges say what else they may be",
        estimate.mu.get()
    ));
}

/// A model without a share of positives tells how likely a label is.
fn print_label_warning(model: &Model) -> Option<String> {
    let warning = "the model was fitted without a share of positives, so each probability is that of being labeled and not of being \
                   positive; fit with --prior for the latter";
    model.is_of_labels().then(|| {
        let warning = warning.to_string();
        warn(std::slice::from_ref(&warning));
        warning
    })
}

/// Where rows go that do not fit into memory: next to the list, for which there must be room anyway.
fn scratch_folder(out: Option<&Path>) -> Option<&Path> {
    let folder = out.filter(|out| !onesided::data::is_stream(out)).and_then(Path::parent)?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Why a list was not written.
fn not_written(error: TableError) -> Failure {
    match error {
        TableError::Write { cause, .. } if cause.kind() == ErrorKind::Interrupted => {
            Failure::Interrupted("interrupted while the list was written; nothing is left of it".to_string())
        }
        other => other.into(),
    }
}

fn as_object(columns: &ListColumns, at: usize, listed: &Listed) -> Value {
    let (ids, kept) = listed.cells.split_at(columns.ids.len().min(listed.cells.len()));
    let named = |names: &[String], cells: &[String]| -> Value {
        names.iter().cloned().zip(cells.iter().map(|cell| json!(cell))).collect::<Map<_, _>>().into()
    };
    let mut row = json!({
        "row": listed.row + 1,
        "score": listed.score,
        "probability": listed.probability,
        "rank": at + 1,
        "id": ids.first(),
    });
    if ids.len() > 1 {
        row["ids"] = named(columns.ids, ids);
    }
    if columns.kinds {
        row["kind"] = json!(listed.kind);
    }
    if let Some(range) = listed.range {
        row["probability_interval"] = json!(range);
    }
    if columns.because {
        row["because"] = json!(listed.because);
    }
    if columns.yes_no {
        row["positive"] = json!(listed.positive);
    }
    if !kept.is_empty() {
        row["kept"] = named(columns.kept, kept);
    }
    row
}

fn as_text(columns: &ListColumns, list: &[Listed]) -> String {
    let mut rows = vec![["rank", "row", "score", "probability"].map(str::to_string).to_vec()];
    rows[0].extend(columns.ranges.then(|| "range".to_string()));
    rows[0].extend(columns.kinds.then(|| "kind".to_string()));
    rows[0].extend(columns.ids.iter().cloned());
    rows[0].extend(columns.because.then(|| "because".to_string()));
    rows[0].extend(columns.yes_no.then(|| "positive".to_string()));
    rows[0].extend(columns.kept.iter().cloned());
    for (at, listed) in list.iter().enumerate() {
        let (ids, kept) = listed.cells.split_at(columns.ids.len().min(listed.cells.len()));
        let mut row = vec![
            (at + 1).to_string(),
            (listed.row + 1).to_string(),
            format!("{:.4}", listed.score),
            format!("{:.4}", listed.probability),
        ];
        row.extend(listed.range.map(|(low, high)| format!("{low:.2} to {high:.2}")));
        row.extend(columns.kinds.then(|| listed.kind.word().to_string()));
        row.extend(ids.iter().cloned());
        row.extend(columns.because.then(|| sentence(&listed.because)));
        row.extend(columns.yes_no.then(|| decision(listed.positive).to_string()));
        row.extend(kept.iter().cloned());
        rows.push(row);
    }
    table(&rows)
}
