//! `onesided predict`: a model and rows in, a ranked list out.

use super::review::{self, ReviewAnswer};
use super::{device, tell_device};
use crate::args::Predict;
use crate::failure::Failure;
use crate::inputs::{check_texts, tell_notes};
use crate::outlet;
use crate::output::{note, print, print_json, table, warn};
use crate::progress::guarded;
use onesided::data::{DataError, OutColumn, TextColumn, is_standard_output, write_table_as};
use onesided::{Contribution, Dataset, Input, Model, Ranked, ReadAgain};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io::ErrorKind;

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

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
    if let (Some(out), false) = (&flags.out, to_stdout) {
        outlet::check_table(out, format)?;
        outlet::check(out, &[&flags.model, &flags.file])?;
    }
    if flags.explain == Some(0) {
        return Err(Failure::input("--explain must name at least 1 feature, but is 0"));
    }
    let device = device(&flags.device)?;
    let model = Model::load(&flags.model)?.on_device(device).with_threads(flags.threads);
    check_texts(&model, &flags.text)?;
    let asked = review::check(&model, &flags.review)?;
    // A model that cannot explain itself is refused before any row is read.
    let explainer = flags.explain.map(|most| Ok::<_, Failure>((model.explainer()?, most))).transpose()?;
    let mut id = flags.files.columns(&flags.id, &[&flags.file])?;
    let mut seen = HashSet::new();
    id.retain(|name| seen.insert(name.clone()));
    let also = ReadAgain {
        id,
        text: flags.files.columns(&flags.text, &[&flags.file])?,
        encoding: flags.files.encoding()?,
        delimiter: flags.files.delimiter()?,
        decimal: flags.files.decimal()?,
        sheet: flags.files.sheet.clone(),
        format,
        follow_links: flags.files.follow_links,
        ..ReadAgain::default()
    };
    let data = model.read_with(&Input::one(&flags.file), &also).map_err(Failure::of_reading)?;
    let mut warnings = tell_notes(&data);
    tell_device(&model, data.len());

    let rows = model.rank(&data)?;
    let ranges = rows.iter().map(|row| model.probability_range(row.score)).collect();
    let mut list = List { rows, data: &data, ranges, because: None };
    let review = match model.about().reserve.is_empty() {
        true => None,
        false => {
            let scores = list.rows.iter().map(|row| row.score).collect();
            Some(ReviewAnswer::of(
                &model.review(scores)?,
                &asked,
                flags.review.given(),
                "fit with --reserve",
            )?)
        }
    };
    let mut of_review = review.as_ref().map_or_else(Vec::new, ReviewAnswer::warnings);
    if review.is_some() && model.was_fitted_on(&data)? == Some(true) {
        of_review.push(
            "the model was fitted on these very rows and may score positives that it met as unlabeled ones too low: what is \
             said of rows to review holds for new rows"
                .to_string(),
        );
    }
    warn(&of_review);
    warnings.extend(of_review);
    if let Some((explainer, most)) = explainer {
        let shown = if flags.out.is_some() { list.rows.len() } else { SHOWN };
        let row = |ranked: &Ranked| explainer.row(&data, ranked.row, most);
        list.because = Some(list.rows.iter().take(shown).map(row).collect::<Result<_, _>>()?);
    }
    if let Some(out) = &flags.out {
        let mut columns = list.columns();
        if flags.safe_csv {
            columns.iter_mut().for_each(|(_, cells)| make_safe(cells));
        }
        guarded(|| write_table_as(out, format, &columns)).map_err(closed_or)?;
    }
    if as_json {
        let mut object = list.as_object(flags, &warnings);
        for (name, value) in review.iter().flat_map(ReviewAnswer::as_objects) {
            object[name] = value;
        }
        return print_json(&object);
    }
    let review = review.map_or_else(String::new, |answer| {
        answer.lacking.iter().for_each(|why| note(&format!("note: {why}")));
        answer.as_text("reserved positives")
    });
    let written = |place: &str| {
        let about = model.about();
        let guessed = about.prior_estimate.as_ref().is_some_and(|estimate| estimate.audited.is_none());
        let cautious = if guessed { ", a cautious cut, since the share of positives is a guess" } else { "" };
        // As many digits as it has, but no more than matter.
        let threshold = format!("{:.4}", about.threshold);
        let threshold = threshold.trim_end_matches('0').trim_end_matches('.');
        format!(
            "wrote {} rows to {place}, {} of them predicted positive (probability at least {threshold}{cautious})",
            list.rows.len(),
            list.predicted_positive(),
        )
    };
    match &flags.out {
        Some(_) if to_stdout => {
            note(&written("standard output"));
            review.lines().for_each(note);
            Ok(())
        }
        Some(out) => print(&format!("{}\n{review}", written(&out.display().to_string()))),
        None => {
            if list.rows.len() > SHOWN {
                note(&format!("the {SHOWN} best of {} rows; --out writes all", list.rows.len()));
            }
            print(&format!("{}{}{review}", list.as_text(), if review.is_empty() { "" } else { "\n" }))
        }
    }
}

/// A cell that begins like a formula is run by spreadsheets; behind an apostrophe it is a text.
pub(super) fn make_safe(cells: &mut OutColumn) {
    let OutColumn::Text(texts) = cells else { return };
    for text in texts.iter_mut().filter(|text| text.starts_with(['=', '+', '-', '@', '\t', '\r'])) {
        text.insert(0, '\'');
    }
}

/// A reader of the list that has gone has seen enough.
fn closed_or(error: DataError) -> Failure {
    match error {
        DataError::Write { cause, .. } if cause.kind() == ErrorKind::BrokenPipe => Failure::Closed,
        other => other.into(),
    }
}

/// Ranked rows with the names they are known by.
struct List<'d> {
    rows: Vec<Ranked>,
    data: &'d Dataset,
    /// Between which probabilities a row's lies, where the prior is a guess.
    ranges: Option<Vec<(f32, f32)>>,
    /// What carried the scores, of the first rows.
    because: Option<Vec<Vec<Contribution>>>,
}

impl List<'_> {
    fn predicted_positive(&self) -> usize {
        self.rows.iter().filter(|row| row.positive).count()
    }

    fn ids(&self) -> impl Iterator<Item = (&str, &TextColumn)> {
        self.data.ids().iter().map(|(name, ids)| (name.as_str(), ids))
    }

    fn columns(&self) -> Vec<(&str, OutColumn)> {
        let rows = || self.rows.iter();
        let mut columns = vec![
            ("row", OutColumn::U64(rows().map(|row| row.row as u64 + 1).collect())),
            ("score", OutColumn::F32(rows().map(|row| row.score).collect())),
            ("probability", OutColumn::F32(rows().map(|row| row.probability).collect())),
            ("rank", OutColumn::U64((1..=self.rows.len() as u64).collect())),
        ];
        // A column of that name is there already where the identifier has one of these names.
        for (name, ids) in self.ids() {
            let name = if columns.iter().any(|(taken, _)| *taken == name) { "id" } else { name };
            let cells = rows().map(|row| ids.get(row.row).to_string()).collect();
            columns.push((name, OutColumn::Text(cells)));
        }
        if let Some(ranges) = &self.ranges {
            let end = |of: fn(&(f32, f32)) -> f32| ranges.iter().map(of).collect();
            columns.push(("probability_low", OutColumn::F32(end(|range| range.0))));
            columns.push(("probability_high", OutColumn::F32(end(|range| range.1))));
        }
        if let Some(because) = &self.because {
            let name =
                if columns.iter().any(|(taken, _)| *taken == "because") { "carried_by" } else { "because" };
            columns.push((name, OutColumn::Text(because.iter().map(|parts| sentence(parts)).collect())));
        }
        columns
    }

    fn top(&self) -> impl Iterator<Item = (usize, &Ranked)> {
        self.rows.iter().take(SHOWN).enumerate()
    }

    fn as_object(&self, flags: &Predict, warnings: &[String]) -> Value {
        let mut object = json!({
            "out": flags.out.as_ref().map(|out| out.display().to_string()),
            "rows": self.rows.len(),
            "predicted_positive": self.predicted_positive(),
            "warnings": warnings,
        });
        if flags.out.is_none() {
            let row = |(at, ranked): (usize, &Ranked)| {
                let mut row = json!({
                    "row": ranked.row + 1,
                    "score": ranked.score,
                    "probability": ranked.probability,
                    "rank": at + 1,
                    "id": self.ids().next().map(|(_, ids)| ids.get(ranked.row)),
                });
                if self.ids().count() > 1 {
                    let named = self.ids().map(|(name, ids)| (name.to_string(), json!(ids.get(ranked.row))));
                    row["ids"] = named.collect::<Map<_, _>>().into();
                }
                if let Some(ranges) = &self.ranges {
                    row["probability_interval"] = json!(ranges[at]);
                }
                if let Some(because) = &self.because {
                    row["because"] = json!(because[at]);
                }
                row
            };
            object["top"] = self.top().map(row).collect();
        }
        object
    }

    fn as_text(&self) -> String {
        let mut rows = vec![["rank", "row", "score", "probability"].map(str::to_string).to_vec()];
        rows[0].extend(self.ranges.iter().map(|_| "if the prior is off".to_string()));
        rows[0].extend(self.ids().map(|(name, _)| name.to_string()));
        rows[0].extend(self.because.iter().map(|_| "because".to_string()));
        for (at, ranked) in self.top() {
            let mut row = vec![
                (at + 1).to_string(),
                (ranked.row + 1).to_string(),
                format!("{:.4}", ranked.score),
                format!("{:.4}", ranked.probability),
            ];
            let range = |ranges: &Vec<(f32, f32)>| format!("{:.2} to {:.2}", ranges[at].0, ranges[at].1);
            row.extend(self.ranges.iter().map(range));
            row.extend(self.ids().map(|(_, ids)| ids.get(ranked.row).to_string()));
            row.extend(self.because.iter().map(|because| sentence(&because[at])));
            rows.push(row);
        }
        table(&rows)
    }
}

/// `goal +1.20, team +0.75, bank -0.31`.
fn sentence(parts: &[Contribution]) -> String {
    let part = |Contribution { feature, value }: &Contribution| format!("{feature} {value:+.2}");
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}
