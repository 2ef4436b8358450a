//! The grid of the prior benchmark: every data set, share of positives and seed, every estimator and their consensus.
//!
//! ```text
//! python benches/prior/export.py TABLES
//! cargo run --release -p onesided-tools --bin prior_grid -- benches/prior/grid.json TABLES SETS OUT.jsonl [SEED [SEEDS]]
//! ```
//!
//! TABLES is the folder that export.py filled, SETS the one around the published `mnist` and `usps`. Each finished run is
//! appended to OUT as one line of JSON; runs that are there already are not repeated. Where the grid has `rows`, each run's
//! rows are written to TABLES/rows as well, for peers to be measured on the same ones.

use onesided::data::{Stream, digits};
use onesided::learn::{Machine, Task, Views};
use onesided::prior::{CrossFitting, Evidence, Needs, answer, consensus, estimators};
use onesided::{Dataset, Input, InputOptions, Label, Matrix, Scenario, Signal};
use onesided_data::Roles;
use onesided_experiment::{mnist, usps};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// The grid as its file says it.
#[derive(Deserialize)]
struct Grid {
    sets: Vec<String>,
    /// Shares of positives in U.
    mu: Vec<f64>,
    seeds: u64,
    /// The most labeled positives and unlabeled rows of a run.
    most_positive: usize,
    most_unlabeled: usize,
    /// Resamples for the intervals of estimators that read rows, each of which costs as much as the estimate.
    row_resamples: usize,
    /// Estimators that are left out.
    skip: Vec<String>,
    /// Whether the rows of each run are written out.
    #[serde(default)]
    rows: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [grid, tables, sets, out, rest @ ..] = &arguments[..] else {
        return Err("give GRID.json TABLES SETS OUT.jsonl, and perhaps a first seed and how many".into());
    };
    let grid: Grid = serde_json::from_str(&fs::read_to_string(grid)?)?;
    let number = |at: usize, or: u64| rest.get(at).map_or(Ok(or), |text| text.parse::<u64>());
    let (first, seeds) = (number(0, 0)?, number(1, grid.seeds)?);
    let done: HashSet<String> = fs::read_to_string(out)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|run| name_of(&run["set"], &run["mu"], &run["seed"]))
        .collect();
    let mut file = OpenOptions::new().create(true).append(true).open(out)?;
    // Seed by seed, so that an interrupted grid has seen every set equally often.
    let mut loaded: HashMap<&str, (Matrix, Vec<bool>)> = HashMap::new();
    for seed in first..first + seeds {
        for set in &grid.sets {
            for &mu in &grid.mu {
                if done.contains(&name_of(&json!(set), &json!(mu), &json!(seed))) {
                    continue;
                }
                if !loaded.contains_key(set.as_str()) {
                    loaded.insert(set, load(set, Path::new(tables), Path::new(sets))?);
                }
                let (matrix, truth) = &loaded[set.as_str()];
                let (data, hidden) = draw(&grid, set, mu, seed, matrix, truth)?;
                if grid.rows {
                    write_rows(&data, &Path::new(tables).join("rows"), &format!("{set}_{mu}_{seed}.csv"))?;
                }
                writeln!(file, "{}", rounded(run(&grid, set, mu, seed, &data, hidden)?))?;
            }
        }
    }
    Ok(())
}

fn name_of(set: &Value, mu: &Value, seed: &Value) -> String {
    format!("{set}/{mu}/{seed}")
}

/// P and U, drawn separately without a row in common and with exactly the share of positives asked for; and how many are hidden.
fn draw(
    grid: &Grid,
    set: &str,
    mu: f64,
    seed: u64,
    matrix: &Matrix,
    truth: &[bool],
) -> Result<(Dataset, usize), Box<dyn Error>> {
    let mut stream = Stream::new(seed, &format!("{set} {mu}"));
    let mut of = |class: bool| {
        let mut rows: Vec<usize> = (0..truth.len()).filter(|&row| truth[row] == class).collect();
        stream.shuffle(&mut rows);
        rows
    };
    let (positive, negative) = (of(true), of(false));
    let n_p = grid.most_positive.min(positive.len() / 3);
    let most = (grid.most_unlabeled as f64)
        .min((positive.len() - n_p) as f64 / mu)
        .min(negative.len() as f64 / (1.0 - mu));
    let n_u = most.floor() as usize;
    let hidden = (mu * n_u as f64).round() as usize;
    let rows: Vec<usize> =
        positive[..n_p + hidden].iter().chain(&negative[..n_u - hidden]).copied().collect();
    let kinds = |i: usize| if i < n_p { Label::Positive } else { Label::Unlabeled };
    let data = Dataset::from_scaled(matrix.select(&rows), None)?;
    Ok((data.with_labels((0..rows.len()).map(kinds).collect())?, hidden))
}

fn write_rows(data: &Dataset, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let (mut text, rows) = (String::new(), data.dense()?);
    for (row, label) in data.labels().unwrap_or_default().iter().enumerate() {
        let cells: Vec<String> = rows.row(row).iter().map(f32::to_string).collect();
        text += &format!("{},{}\n", u8::from(*label == Label::Positive), cells.join(","));
    }
    Ok(fs::write(folder.join(name), text)?)
}

/// One run: scores, estimates, consensus.
fn run(
    grid: &Grid,
    set: &str,
    mu: f64,
    seed: u64,
    data: &Dataset,
    hidden: usize,
) -> Result<Value, Box<dyn Error>> {
    let started = Instant::now();
    let machine = Machine { threads: 1, ..Machine::default() };
    let task = Task::new(data, false, Scenario::CaseControl, seed, machine)?;
    let (n_p, n_u) = (task.counts.positive, task.counts.unlabeled);
    let scores = CrossFitting::default().run(&task, &Views::new(data), &mut |_| Signal::Continue)?;
    let scoring = started.elapsed().as_secs_f64();
    let rows = data.dense()?;
    // Positives come first.
    let (p_rows, u_rows) =
        (rows.select(&(0..n_p).collect::<Vec<_>>()), rows.select(&(n_p..n_p + n_u).collect::<Vec<_>>()));
    let evidence = Evidence { seed, ..Evidence::of_scores(&scores.positive, &scores.unlabeled) }
        .with_rows(&p_rows, &u_rows);
    let (mut estimates, mut of_scores) = (Vec::new(), Vec::new());
    for estimator in estimators() {
        let name = estimator.info().name;
        if grid.skip.iter().any(|skipped| skipped == name) {
            continue;
        }
        let started = Instant::now();
        let needs = estimator.info().needs;
        let resamples = if needs == Needs::Rows { grid.row_resamples } else { evidence.resamples };
        estimates.push(match estimator.estimate(&Evidence { resamples, ..evidence }) {
            Ok(estimate) => {
                let seconds = started.elapsed().as_secs_f64();
                let ((low, high), mu) = (estimate.interval, estimate.mu);
                if needs == Needs::Scores {
                    of_scores.push(estimate);
                }
                json!({ "estimator": name, "mu": mu, "low": low, "high": high, "seconds": seconds })
            }
            Err(error) => json!({ "estimator": name, "error": error.to_string() }),
        });
    }
    // Of the estimators that `fit` asks, so that the slow ones do not change it from seed to seed.
    let consensus = consensus(&of_scores, &evidence)?;
    let answer = answer(&consensus, &evidence)?;
    let (low, high) = consensus.interval;
    Ok(json!({
        "answer": { "mu": answer.mu, "low": answer.interval.0, "high": answer.interval.1,
                    "one_sided": answer.one_sided, "bound": answer.bound },
        "consensus": { "mu": consensus.mu, "low": low, "high": high, "agreement": consensus.agreement,
                       "reason": consensus.reason, "level_top": consensus.signs.level_top.holds() },
        "set": set, "mu": mu, "seed": seed, "truth": hidden as f64 / n_u as f64, "positive": n_p, "unlabeled": n_u,
        "features": rows.cols(), "scorer": scores.scorer.to_string(), "scoring_seconds": scoring,
        "estimates": estimates,
    }))
}

/// Five decimals are more than anybody reads.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!((number.as_f64().unwrap_or(f64::NAN) * 1e5).round() / 1e5)
        }
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(entries) => entries.into_iter().map(|(name, value)| (name, rounded(value))).collect(),
        other => other,
    }
}

/// The rows of a set and which of them are positive.
fn load(set: &str, tables: &Path, sets: &Path) -> Result<(Matrix, Vec<bool>), Box<dyn Error>> {
    let even = |labels: &[u8]| labels.iter().map(|digit| digit % 2 == 0).collect::<Vec<bool>>();
    Ok(match set {
        // Two features, centers (1, 1) and (-1, -1), unit variance.
        "two-gaussian" => {
            let mut stream = Stream::new(0, "two-gaussian");
            let truth: Vec<bool> = (0..20_000).map(|row| row % 2 == 0).collect();
            let centers = truth.iter().flat_map(|&positive| [if positive { 1.0 } else { -1.0 }; 2]);
            let values = centers.map(|center: f64| (center + stream.normal()) as f32).collect();
            (Matrix::new(truth.len(), 2, values)?, truth)
        }
        "digits" => {
            let digits = digits();
            (digits.images, even(&digits.labels))
        }
        "mnist" => {
            let images = mnist(sets)?.train;
            let values = images.bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
            (Matrix::new(images.len(), images.height * images.width, values)?, even(&images.labels))
        }
        "usps" => {
            let images = usps(sets)?.train;
            (Matrix::new(images.labels.len(), 256, images.values)?, even(&images.labels))
        }
        table => {
            let options = InputOptions { roles: Roles::true_in("truth"), ..InputOptions::default() };
            let data = options.read(&Input::one(tables.join(format!("{table}.csv"))))?;
            (data.dense()?.into_owned(), data.truth().unwrap_or_default().to_vec())
        }
    })
}
