//! `onesided predict`: a model and rows in, a ranked list out.
//!
//! Which rows are listed, by which score and in which order is the library's to say ([`List`]).

use super::fitted_rows::{self, tell_list};
use super::print_device;
use super::review::{self, ReviewAnswer};
use crate::args::Predict;
use crate::failure::Failure;
use crate::inputs::{print_new_notes, shifts};
use crate::list_style::ListStyle;
use crate::output::{note, print, print_json, print_of_file, table, warn};
use crate::output_path;
use crate::progress::{guarded, interrupted};
use onesided::data::{TableError, agree, counted, grouped, is_standard_output};
use onesided::{
    Among, Input, List, ListColumns, ListedRow, Model, RankedList, Roles, Scale, Top, WrittenList,
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::Path;

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

/// Scores every row; the most likely positive comes first.
pub fn run(flags: &Predict, as_json: bool) -> Result<(), Failure> {
    let files = flags.files.files()?;
    let to_stdout = flags.out.as_deref().is_some_and(is_standard_output);
    if to_stdout && as_json {
        return Err(Failure::input(
            "--json and --out - both write to standard output; leave one of them out",
        ));
    }
    let style = ListStyle::named(flags.out_style.as_deref())?;
    if let (Some(out), false) = (&flags.out, to_stdout) {
        output_path::check_table(out, files.format)?;
        output_path::check(out, &[&flags.model, &flags.file])?;
    }
    if flags.explain == Some(0) {
        return Err(Failure::input("--explain must name at least 1 feature, but is 0"));
    }
    let (model, beside) = flags.scoring.load(&flags.model, [flags.file.as_path()])?;
    let asked = review::check(&model, &flags.review)?;
    let roles = Roles::named_by(&flags.id);
    let also = flags.files.again(&[&flags.file], roles, &flags.keep, &flags.scoring.text)?;
    let top: Vec<Top> = match (asked.top(), &flags.out) {
        ([], None) => vec![Top::Rows(SHOWN)],
        (given, _) => given.to_vec(),
    };
    let list = List::of(&model)
        .rows_of_model((!flags.in_sample).then_some(beside.as_ref()))
        .all(flags.all)
        .top(&top)
        .explain(flags.explain)
        .threads(flags.scoring.threads)
        .scratch(scratch_folder(flags.out.as_deref()));
    let mut list =
        flags.labels.on(list).read(&Input::one(&flags.file), &also).map_err(Failure::of_reading)?;
    let mut warnings = print_new_notes(&model, list.notes());
    print_device(&model, list.largest_piece());
    let doubted: Vec<String> = model.refuted_labels().map(ToString::to_string).into_iter().collect();
    warn(&doubted);
    warnings.extend(doubted);
    warnings.extend(tell_list(list.said(), &["all", "cross-fit", "label", "prior"]));

    let (rows, listed, scale) = (list.rows(), list.listed(), list.scale());
    let notes = list.notes().to_vec();
    let shifted = shifts(&notes);
    if let Some(why) = model.withheld(&shifted).filter(|_| flags.strict) {
        return Err(Failure::Strict(why));
    }
    let review = match (list.review()?, model.withheld(&shifted)) {
        (None, _) => None,
        (Some(_), Some(why)) => Some(ReviewAnswer::refused("review", why)),
        (Some(list), None) => {
            Some(ReviewAnswer::of(&list, &asked.within(rows), flags.review.promised(), "fit with --reserve")?)
        }
    };
    let mut of_review = review.as_ref().map_or_else(Vec::new, ReviewAnswer::warnings);
    let is_same = list.is_same();
    if review.as_ref().is_some_and(ReviewAnswer::promises) && is_same {
        let out_of_fold = list.fitted().is_some_and(|fitted| fitted.out_of_fold > 0);
        of_review.push(fitted_rows::of_review(out_of_fold).to_string());
    }
    warn(&of_review);
    warnings.extend(of_review);
    asked.note_more_than(rows, "listed");
    let columns = ListColumns { yes_no: flags.yes_no, ..list.columns().clone() };
    let mut object = as_facts(flags, &model, &list, &warnings);
    if !shifted.is_empty() {
        object["shifted"] = json!(shifted);
    }
    if !asked.top().is_empty() {
        object["listed"] = json!(listed);
    }
    let mut shown = Vec::new();
    let mut written = WrittenList::default();
    let mut repeated = RepeatedIds::new(if also.roles.id.is_empty() { 0 } else { columns.ids.len() });
    let list = list.into_rows()?.inspect(|row| {
        if let Ok(row) = row {
            repeated.look_at(row);
        }
    });
    match &flags.out {
        Some(out) => {
            let how = style.write_as(&flags.file, &files, &notes, flags.safe_csv);
            let write = || columns.write(out, &how, listed, list, &interrupted);
            written = guarded(write).map_err(not_written)?;
            written.cut.iter().for_each(|cut| note(&format!("note: {cut}")));
        }
        None => shown = list.collect::<Result<_, _>>()?,
    }
    let repeated = repeated.told();
    repeated.iter().for_each(|told| note(&format!("note: {told}")));
    if as_json {
        if flags.out.is_none() {
            let row = |(at, listed): (usize, &ListedRow)| as_object(&columns, at, listed);
            object["top"] = shown.iter().enumerate().map(row).collect();
        }
        for (name, value) in review.iter().flat_map(ReviewAnswer::as_objects) {
            object[name] = value;
        }
        return print_json(&object);
    }
    let review = review.map_or_else(String::new, |answer| {
        answer.lacking.iter().for_each(|why| note(&format!("note: {why}")));
        answer.as_text("reserved positives", !is_same)
    });
    print_guess_note(&model);
    let wrote = |place: &str| {
        let what = if asked.top().is_empty() {
            counted(written.rows, "rows")
        } else {
            format!("the {} best of {} rows", grouped(written.rows), grouped(rows))
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
        Some(out) => print_of_file(&format!("{}\n{review}", wrote(&out.display().to_string()))),
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

/// What `--json` says of any list.
fn as_facts(flags: &Predict, model: &Model, list: &RankedList, warnings: &[String]) -> Value {
    let mut object = json!({
        "out": flags.out.as_ref().map(|out| out.display().to_string()),
        "rows": list.rows(),
        "predicted_positive": list.predicted_positive(),
        "threshold": model.about().threshold,
        "probability_of": if model.is_of_labels() { "being labeled" } else { "being positive" },
        "cautious": is_cautious(model),
        "warnings": warnings,
    });
    if let Some(fitted) = list.fitted() {
        if fitted.unlabeled > 0 {
            object["threshold_in_unlabeled"] = json!(model.threshold_among(Among::Unlabeled));
        }
        object["fitted_rows"] = json!(fitted);
    }
    object
}

/// Whether the cut is the cautious one of a guessed share of positives.
fn is_cautious(model: &Model) -> bool {
    model.about().has_cautious_cut()
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
        "note: the probabilities rest on a guess, that {:.3} of the unlabeled rows are positive ({range}, {}); their ranges \
         say what else they may be",
        estimate.mu.get(),
        model.about().assumes()
    ));
}

/// Where rows go that do not fit into memory: next to the list, for which there must be room anyway.
pub(super) fn scratch_folder(out: Option<&Path>) -> Option<&Path> {
    let folder = out.filter(|out| !onesided::data::is_stream(out)).and_then(Path::parent)?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Why a list was not written.
pub(super) fn not_written(error: TableError) -> Failure {
    match error {
        TableError::Write { cause, .. } if cause.kind() == ErrorKind::Interrupted => {
            Failure::Interrupted("interrupted while the list was written; nothing is left of it".to_string())
        }
        other => other.into(),
    }
}

fn as_object(columns: &ListColumns, at: usize, listed: &ListedRow) -> Value {
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
        row["ids"] = named(&columns.ids, ids);
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
        row["kept"] = named(&columns.kept, kept);
    }
    row
}

fn as_text(columns: &ListColumns, list: &[ListedRow]) -> String {
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
        row.extend(columns.because.then(|| listed.because_text()));
        row.extend(columns.yes_no.then(|| listed.decision().to_string()));
        row.extend(kept.iter().cloned());
        rows.push(row);
    }
    table(&rows)
}

/// Rows of a list that are called as an earlier one is, among the first of them: what they are called is kept as numbers, and no
/// more than this many.
struct RepeatedIds {
    /// Columns that name rows.
    ids: usize,
    seen: HashSet<u64>,
    hasher: RandomState,
    rows: usize,
    example: Option<String>,
}

impl RepeatedIds {
    /// The most rows that are compared.
    const MOST: usize = 1 << 20;

    fn new(ids: usize) -> Self {
        Self { ids, seen: HashSet::new(), hasher: RandomState::new(), rows: 0, example: None }
    }

    fn look_at(&mut self, row: &ListedRow) {
        let Some(ids) = row.cells.get(..self.ids).filter(|ids| !ids.is_empty()) else { return };
        if self.seen.len() < Self::MOST && !self.seen.insert(self.hasher.hash_one(ids)) {
            self.rows += 1;
            self.example.get_or_insert_with(|| ids.join(", "));
        }
    }

    /// How many there are, in a sentence.
    fn told(self) -> Option<String> {
        let example = self.example?;
        Some(format!(
            "{} of the list {} called as an earlier one is, such as '{example}': ids repeat, so go by the column 'row', or name rows by \
             several columns with --id A,B",
            counted(self.rows, "rows"),
            agree(self.rows, "is", "are")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided::RowKind;

    #[test]
    fn rows_that_are_called_alike_are_counted() {
        let listed = |ids: &[&str]| ListedRow {
            row: 0,
            score: 0.0,
            probability: 0.5,
            range: None,
            positive: false,
            kind: RowKind::New,
            cells: ids.iter().map(|id| id.to_string()).collect(),
            because: Vec::new(),
        };
        let told = |ids: usize| {
            let mut repeated = RepeatedIds::new(ids);
            let rows = [["a", "1"], ["b", "1"], ["a", "2"], ["a", "3"], ["b", "1"]];
            rows.iter().for_each(|row| repeated.look_at(&listed(row)));
            repeated.told()
        };
        assert_eq!(told(0), None);
        assert!(
            told(1).unwrap().starts_with("3 rows of the list are called as an earlier one is, such as 'a'")
        );
        assert!(
            told(2).unwrap().starts_with("1 row of the list is called as an earlier one is, such as 'b, 1'")
        );
    }
}
