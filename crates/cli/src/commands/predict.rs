//! `onesided predict`: a model and a table in, a ranked list out.

use super::{device, tell_device, tell_encoding};
use crate::args::Predict;
use crate::failure::Failure;
use crate::outlet;
use crate::output::{note, print, print_json, table};
use crate::progress::guarded;
use onesided::Model;
use onesided::data::{Column, Frame, OutColumn, Values, read, write_table};
use onesided::eval::probability;
use serde_json::{Value, json};

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

/// Scores every row; the most likely positive comes first.
pub fn run(flags: &Predict, as_json: bool) -> Result<(), Failure> {
    if let Some(out) = &flags.out {
        outlet::check_table(out)?;
        outlet::check(out, &[&flags.model, &flags.file])?;
    }
    let device = device(&flags.device)?;
    let model = Model::load(&flags.model)?.on_device(device);
    let features = &model.about().features;
    let id = flags.id.as_deref();
    let is_feature = |name: &str| features.columns().iter().any(|feature| feature.name == name);
    let extra: Vec<&str> = id.into_iter().filter(|name| !is_feature(name)).collect();
    let mut frame = read(&flags.file, &features.read_options(&extra))?;
    let id = id.map(|name| identifiers(&mut frame, name, is_feature(name))).transpose()?;
    let (matrix, report) = features.encode(frame)?;
    tell_encoding(&report);
    tell_device(&model, matrix.rows());

    let ranked = Ranked::new(&model, model.score(&matrix)?, id);
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

/// Rows in the order of their scores.
struct Ranked {
    /// Row numbers from 1, the header not counted.
    rows: Vec<u64>,
    scores: Vec<f32>,
    probabilities: Vec<f32>,
    id: Option<(String, Vec<String>)>,
    predicted_positive: usize,
}

impl Ranked {
    fn new(model: &Model, scores: Vec<f32>, id: Option<(String, Vec<String>)>) -> Self {
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
                json!({
                    "row": self.rows[at],
                    "score": self.scores[at],
                    "probability": self.probabilities[at],
                    "rank": at + 1,
                    "id": self.id.as_ref().map(|(_, cells)| &cells[at]),
                })
            };
            object["top"] = self.top().map(row).collect();
        }
        object
    }

    fn as_text(&self) -> String {
        let mut rows = vec![["rank", "row", "score", "probability"].map(str::to_string).to_vec()];
        rows[0].extend(self.id.iter().map(|(name, _)| name.clone()));
        for at in self.top() {
            let mut row = vec![
                (at + 1).to_string(),
                self.rows[at].to_string(),
                format!("{:.4}", self.scores[at]),
                format!("{:.4}", self.probabilities[at]),
            ];
            row.extend(self.id.iter().map(|(_, cells)| cells[at].clone()));
            rows.push(row);
        }
        table(&rows)
    }
}

/// The cells of the column that rows are known by, as text.
fn identifiers(frame: &mut Frame, name: &str, is_feature: bool) -> Result<(String, Vec<String>), Failure> {
    let column: Column = if is_feature { frame.column(name)?.to_text() } else { frame.take(name)? };
    let cells = match column.values {
        Values::Categorical { codes, levels } => {
            codes.iter().map(|&code| levels.get(code as usize).cloned().unwrap_or_default()).collect()
        }
        // Columns read as text are never of another kind.
        _ => vec![String::new(); frame.rows],
    };
    Ok((name.to_string(), cells))
}
