//! `onesided demo --compare`: every method on the built-in digits, even against odd.

use super::device;
use crate::args::Demo;
use crate::failure::Failure;
use crate::output::{note, print, print_json, table};
use indicatif::{ProgressBar, ProgressDrawTarget};
use onesided::data::{DIGITS_ATTRIBUTION, Digits, digits, hide, train_test};
use onesided::eval::auc;
use onesided::loss::methods;
use onesided::{ClassPrior, Dataset, Learner, Matrix, Model};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::time::Instant;

/// The shares of the even digits that are hidden among the unlabeled rows.
const HIDDEN: [f64; 2] = [0.2, 0.8];
/// The share of all digits kept for testing.
const TEST: f64 = 0.3;

/// One line of the result: means over the seeds.
struct Row {
    method: &'static str,
    hidden_fraction: f64,
    accuracy: f64,
    auc: f64,
    seconds: f64,
}

/// Trains each method on each split, and tests on rows it has not seen.
pub fn run(flags: &Demo, as_json: bool) -> Result<(), Failure> {
    if flags.seeds == 0 {
        return Err(Failure::input("--seeds must be at least 1"));
    }
    let device = device(&flags.device)?;
    let started = Instant::now();
    let Digits { images, labels } = digits();
    let even: Vec<bool> = labels.iter().map(|digit| digit % 2 == 0).collect();
    let fits = HIDDEN.len() as u64 * methods().len() as u64 * flags.seeds;
    let bar = ProgressBar::with_draw_target(
        Some(fits),
        if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        },
    );
    let mut rows = Vec::new();
    for hidden_fraction in HIDDEN {
        for method in methods() {
            let mut row = Row { method: method.name, hidden_fraction, accuracy: 0.0, auc: 0.0, seconds: 0.0 };
            for seed in 0..flags.seeds {
                let clock = Instant::now();
                let (train, test) = train_test(&even, TEST, seed)?;
                let split = Split { images: images.select(&train), even: pick(&even, &train) };
                let learner =
                    Learner::new().method(method.name).seed(seed).threads(flags.threads).device(device);
                let model = split.fit(learner, (!method.needs_truth).then_some(hidden_fraction), seed)?;
                let (accuracy, auc) = tested(&model, images.select(&test), &pick(&even, &test))?;
                row.accuracy += accuracy / flags.seeds as f64;
                row.auc += auc / flags.seeds as f64;
                row.seconds += clock.elapsed().as_secs_f64() / flags.seeds as f64;
                if rows.is_empty() && seed == 0 && model.about().report.device != "cpu" {
                    bar.suspend(|| note(&format!("device: {}", model.about().report.device)));
                }
                bar.inc(1);
            }
            rows.push(row);
        }
    }
    bar.finish_and_clear();
    if as_json {
        return print_json(&json!({ "rows": rows.iter().map(Row::as_object).collect::<Vec<Value>>() }));
    }
    print(&as_text(&rows, flags.seeds))?;
    note(&format!("{:.1} s; {DIGITS_ATTRIBUTION}", started.elapsed().as_secs_f64()));
    Ok(())
}

/// The rows to train on.
struct Split {
    images: Matrix,
    even: Vec<bool>,
}

impl Split {
    /// With a share of the even digits hidden, or with the truth.
    fn fit(self, learner: Learner, hidden: Option<f64>, seed: u64) -> Result<Model, Failure> {
        let prior = self.even.iter().filter(|&&even| even).count() as f64 / self.even.len() as f64;
        let data = Dataset::from_scaled(self.images, None)?;
        let Some(hidden) = hidden else { return Ok(learner.fit(&data.with_truth(self.even)?)?) };
        let data = data.with_labels(hide(&self.even, hidden, seed)?)?;
        Ok(learner.prior(ClassPrior::new(prior)?).fit(&data)?)
    }
}

/// Accuracy of the model's decisions, and AUC of its scores.
fn tested(model: &Model, images: Matrix, even: &[bool]) -> Result<(f64, f64), Failure> {
    let data = model.encoding().encode_matrix(images)?;
    let predicted = model.predict(&data)?;
    let right = predicted.iter().zip(even).filter(|(predicted, truth)| predicted == truth).count();
    let auc = auc(&model.score(&data)?, even).unwrap_or(f64::NAN);
    Ok((right as f64 / even.len() as f64, auc))
}

fn pick(of: &[bool], rows: &[usize]) -> Vec<bool> {
    rows.iter().map(|&row| of[row]).collect()
}

impl Row {
    fn as_object(&self) -> Value {
        json!({
            "method": self.method,
            "hidden_fraction": self.hidden_fraction,
            "accuracy": self.accuracy,
            "auc": self.auc,
            "seconds": self.seconds,
        })
    }
}

fn as_text(rows: &[Row], seeds: u64) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let mut lines = vec![vec![String::new()]];
    lines[0].extend(
        HIDDEN
            .map(|hidden| format!("{:.0} % hidden", 100.0 * hidden))
            .iter()
            .flat_map(|title| [title.clone(), "AUC".to_string()]),
    );
    lines[0].push("seconds".to_string());
    for method in methods() {
        let mut line = vec![method.name.to_string()];
        let mut seconds = 0.0;
        for row in rows.iter().filter(|row| row.method == method.name) {
            line.extend([percent(row.accuracy), percent(row.auc)]);
            seconds += row.seconds / HIDDEN.len() as f64;
        }
        line.push(format!("{seconds:.2}"));
        lines.push(line);
    }
    format!(
        "handwritten digits, even against odd: accuracy and AUC in % on {:.0} % of the images, mean of {seeds} splits\n\n{}\n\
         A share of the even digits is hidden among the odd ones; the methods see some even digits and a mixture, and are\n\
         told the share of even digits. All get the same network, epochs, held-out choice of the epoch and calibration;\n\
         collective also chooses its reduction on the held-out rows. supervised sees every label and is the ceiling;\n\
         its scores are taken as they are.\n",
        100.0 * TEST,
        table(&lines),
    )
}
