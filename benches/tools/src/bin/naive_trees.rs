//! Boosted trees of "labeled or not" with fixed settings, to be compared with LightGBM's (`benches/tables/equal.py`).
//!
//! `cargo run --release -p onesided-tools --bin naive_trees -- train.csv test.csv`: 100 trees of 31 leaves at the rate
//! 0.1, at least 20 rows per leaf, λ = 1. The label of `train.csv` is its column `label`, 1 or 0. Prints a score per row of
//! `test.csv`.

use onesided_data::{Input, InputOptions, Label, ReadAgain};
use onesided_learn::{Fitted, Views};
use onesided_net::Device;
use onesided_trees::{LabeledRows, TreesConfig, fit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [train, test] = &given[..] else { return Err("train.csv test.csv".into()) };
    let options = InputOptions::labeled("label");
    let data = options.read(&Input::One(train.into()))?;
    let new = data.encoding().read(&Input::One(test.into()), &ReadAgain::default())?;
    let views = Views::new(&data);
    let labels = data.labels().ok_or("no labels")?;
    let positive: Vec<bool> = labels.iter().map(|&label| label == Label::Positive).collect();
    let sample = LabeledRows { binned: views.binned()?, positive: &positive, weights: None };
    let rows: Vec<u32> = (0..data.len() as u32).collect();
    let config = TreesConfig { trees: 100, ..TreesConfig::default() };
    let fitted = Fitted::Trees(fit(&sample, &rows, &[], &config)?.model);
    for score in fitted.scores(&new, Device::Cpu, 1)? {
        println!("{score}");
    }
    Ok(())
}
