//! `onesided predict`: a model and a table in, a ranked list out.

use super::scored::{Scored, read_rows};
use super::{device, tell_device};
use crate::args::Predict;
use crate::failure::Failure;
use crate::outlet;
use crate::output::{note, print, print_json, table};
use crate::progress::guarded;
use onesided::data::{Column, OutColumn, Values, write_table};
use onesided::eval::probability;
use onesided::{Carried, Encoding, Model};
use serde_json::{Value, json};

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

/// Scores every row; the most likely positive comes first.
pub fn run(flags: &Predict, as_json: bool) -> Result<(), Failure> {
    if let Some(out) = &flags.out {
        outlet::check_table(out)?;
        outlet::check(out, &[&flags.model, &flags.file])?;
    }
    if flags.explain == Some(0) {
        return Err(Failure::input("--explain must name at least 1 feature, but is 0"));
    }
    let device = device(&flags.device)?;
    let model = Model::load(&flags.model)?.on_device(device);
    // A model that cannot explain itself is refused before any row is read.
    let explainer = flags.explain.map(|most| Ok::<_, Failure>((model.explainer()?, most))).transpose()?;
    let (scored, id) = read(&model, flags)?;
    tell_device(&model, scored.get().rows());

    let mut ranked = Ranked::new(&model, model.score(scored.get())?, id);
    if let Some((explainer, most)) = explainer {
        let shown = if flags.out.is_some() { ranked.rows.len() } else { SHOWN };
        let row = |&row: &u64| explainer.row(scored.get(), row as usize - 1, most);
        ranked.because = Some(ranked.rows.iter().take(shown).map(row).collect());
    }
    if let Some(out) = &flags.out {
        guarded(|| write_table(out, &ranked.columns()))?;
    }
    if as_json {
        return print_json(&ranked.as_object(flags));
    }
    match &flags.out {
        Some(out) => print(&format!(
            "wrote {} rows to {}, {} of them predicted positive (probability at least {})\n",
            ranked.rows.len(),
            out.display(),
            ranked.predicted_positive,
            model.about().threshold
        )),
        None => {
            if ranked.rows.len() > SHOWN {
                note(&format!("the {SHOWN} best of {} rows; --out writes all", ranked.rows.len()));
            }
            print(&ranked.as_text())
        }
    }
}

/// Names of rows: what they are called, and one for each.
type Names = (String, Vec<String>);

/// The rows, and what they are known by: the column asked for, or the files of a folder.
fn read(model: &Model, flags: &Predict) -> Result<(Scored, Option<Names>), Failure> {
    let id = flags.id.as_deref();
    let is_feature = |name: &str| match &model.about().features {
        Encoding::Table(features) => features.columns().iter().any(|feature| feature.name == name),
        Encoding::Text(_) => false,
    };
    if let Some(name) = id.filter(|name| is_feature(name)) {
        // Both a feature and the name of rows: read once as either.
        let (scored, _) = read_rows(model, &flags.file, &flags.text, &[], |_| String::new())?;
        let frame = super::texts::read_table(&flags.file, &[], &[name])?;
        return Ok((scored, Some(identifiers(frame.column(name)?))));
    }
    let extra: Vec<&str> = id.into_iter().collect();
    let (scored, frame) = read_rows(model, &flags.file, &flags.text, &extra, |name| {
        format!("column '{name}' holds the texts that are scored; name another with --id, or leave it out")
    })?;
    let column = id.or_else(|| flags.file.is_dir().then_some("file"));
    let names = column.map(|name| Ok::<_, Failure>(identifiers(frame.column(name)?))).transpose()?;
    Ok((scored, names))
}

/// Rows in the order of their scores.
struct Ranked {
    /// Row numbers from 1, the header not counted.
    rows: Vec<u64>,
    scores: Vec<f32>,
    probabilities: Vec<f32>,
    id: Option<Names>,
    /// What carried the scores, of the first rows.
    because: Option<Vec<Vec<Carried>>>,
    predicted_positive: usize,
}

impl Ranked {
    fn new(model: &Model, scores: Vec<f32>, id: Option<Names>) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        // Equal scores keep the order of the file.
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let sorted: Vec<f32> = order.iter().map(|&row| scores[row]).collect();
        let probabilities: Vec<f32> = sorted.iter().map(|&s| probability(f64::from(s)) as f32).collect();
        Self {
            rows: order.iter().map(|&row| row as u64 + 1).collect(),
            predicted_positive: probabilities.iter().filter(|&&q| model.decide(q)).count(),
            scores: sorted,
            probabilities,
            id: id.map(|(name, cells)| (name, order.iter().map(|&row| cells[row].clone()).collect())),
            because: None,
        }
    }

    fn columns(&self) -> Vec<(&str, OutColumn)> {
        let ranks = (1..=self.rows.len() as u64).collect();
        let mut columns = vec![
            ("row", OutColumn::U64(self.rows.clone())),
            ("score", OutColumn::F32(self.scores.clone())),
            ("probability", OutColumn::F32(self.probabilities.clone())),
            ("rank", OutColumn::U64(ranks)),
        ];
        // A column of that name is there already where the identifier has one of these names.
        if let Some((name, cells)) = &self.id {
            let name = if columns.iter().any(|(taken, _)| taken == name) { "id" } else { name.as_str() };
            columns.push((name, OutColumn::Text(cells.clone())));
        }
        if let Some(because) = &self.because {
            let name =
                if columns.iter().any(|(taken, _)| *taken == "because") { "carried_by" } else { "because" };
            columns.push((name, OutColumn::Text(because.iter().map(|parts| sentence(parts)).collect())));
        }
        columns
    }

    fn top(&self) -> impl Iterator<Item = usize> {
        0..self.rows.len().min(SHOWN)
    }

    fn as_object(&self, flags: &Predict) -> Value {
        let mut object = json!({
            "out": flags.out.as_ref().map(|out| out.display().to_string()),
            "rows": self.rows.len(),
            "predicted_positive": self.predicted_positive,
        });
        if flags.out.is_none() {
            let row = |at: usize| {
                let mut row = json!({
                    "row": self.rows[at],
                    "score": self.scores[at],
                    "probability": self.probabilities[at],
                    "rank": at + 1,
                    "id": self.id.as_ref().map(|(_, cells)| &cells[at]),
                });
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
        rows[0].extend(self.id.iter().map(|(name, _)| name.clone()));
        rows[0].extend(self.because.iter().map(|_| "because".to_string()));
        for at in self.top() {
            let mut row = vec![
                (at + 1).to_string(),
                self.rows[at].to_string(),
                format!("{:.4}", self.scores[at]),
                format!("{:.4}", self.probabilities[at]),
            ];
            row.extend(self.id.iter().map(|(_, cells)| cells[at].clone()));
            row.extend(self.because.iter().map(|because| sentence(&because[at])));
            rows.push(row);
        }
        table(&rows)
    }
}

/// `goal +1.20, team +0.75, bank -0.31`.
fn sentence(parts: &[Carried]) -> String {
    let part = |Carried { feature, part }: &Carried| format!("{feature} {part:+.2}");
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The cells of the column that rows are known by, as text.
fn identifiers(column: &Column) -> Names {
    let cells = match column.to_text().values {
        Values::Categorical { codes, levels } => {
            codes.iter().map(|&code| levels.get(code as usize).cloned().unwrap_or_default()).collect()
        }
        // Columns as text are never of another kind.
        _ => Vec::new(),
    };
    (column.name.clone(), cells)
}
