//! Cross-fitted scores of a table by each scorer, and what the estimators say of them: for learning how far they are off.
//!
//! `cargo run --release -p onesided --example prior_scores -- train.csv OUT`: the columns `label` and `truth` are 1 or 0.
//! Writes `OUT.bin`, 32-bit floats: labels, truth, then the calibrated logits of each scorer; and `OUT.json`, the consensus
//! of today's estimators on the mean of trees and mlp.

use onesided::learn::{Machine, Task, Views};
use onesided::prior::{CrossFitting, Evidence, Needs, PriorScorer, consensus, estimators};
use onesided::{Input, InputOptions, Label, Scenario, Signal};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [train, out] = &given[..] else { return Err("train.csv OUT".into()) };
    let named = |name: &str| Some(name.to_string());
    let options = InputOptions { label: named("label"), truth: named("truth"), ..InputOptions::default() };
    let data = options.read(&Input::One(train.into()))?;
    let machine = Machine { threads: 1, ..Machine::default() };
    let task = Task::new(&data, false, Scenario::SingleSample, 0, machine)?;
    let views = Views::new(&data);
    let labels = task.labels.iter().map(|&label| f32::from(u8::from(label == Label::Positive)));
    let truth = data.truth().ok_or("no truth")?.iter().map(|&truth| f32::from(u8::from(truth)));
    let mut floats: Vec<f32> = labels.chain(truth).collect();
    let scorers =
        [PriorScorer::Trees, PriorScorer::Mlp, PriorScorer::Mix, PriorScorer::Forest, PriorScorer::Bags];
    let mut all = Vec::new();
    for scorer in scorers {
        let cross = CrossFitting { scorer, ..CrossFitting::default() };
        let scored = cross.run(&task, &views, &mut |_| Signal::Continue)?;
        floats.extend(scored.logits.iter().map(|&logit| logit as f32));
        all.push(scored);
    }
    let mean = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (a + b) / 2.0).collect() };
    let (p, u) = (mean(&all[0].positive, &all[1].positive), mean(&all[0].unlabeled, &all[1].unlabeled));
    let evidence = Evidence::of_scores(&p, &u);
    let estimates: Vec<_> = estimators()
        .iter()
        .filter(|one| one.info().needs == Needs::Scores)
        .filter_map(|one| one.estimate(&evidence).ok())
        .collect();
    let said = consensus(&estimates, &evidence)?;
    let of: Vec<_> =
        estimates.iter().map(|e| json!([e.estimator, e.mu, e.interval.0, e.interval.1])).collect();
    let result = json!({ "mu": said.mu, "low": said.interval.0, "high": said.interval.1, "agreement": said.agreement,
        "level_top": said.signs.level_top, "random_labels": said.signs.random_labels, "estimates": of });
    std::fs::write(format!("{out}.json"), result.to_string())?;
    let bytes: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(format!("{out}.bin"), bytes)?;
    Ok(())
}
