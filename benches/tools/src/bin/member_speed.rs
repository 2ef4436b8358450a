//! Where the time of scoring goes: microseconds of the processor per row for each part of a model, on one thread.
//!
//!     cargo run --release -p onesided-tools --bin member_speed -- model.safetensors rows.csv

use onesided::net::Device;
use onesided::{Fitted, Model};
use onesided_data::Dataset;
use std::error::Error;
use std::fs;
use std::hint::black_box;

/// Passes over the rows; the quickest counts.
const TURNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [model, rows] = &given[..] else { return Err("name a model and a table".into()) };
    let model = Model::load(model)?.with_threads(1);
    let rows = model.read(rows)?;
    let whole = timed(|| Ok(black_box(model.score(&rows)?.len())))?;
    println!("{:>10.3} us per row: the model, {} rows", whole / rows.len() as f64, rows.len());
    part(model.fitted(), 1.0, &rows)
}

fn part(fitted: &Fitted, weight: f64, rows: &Dataset) -> Result<(), Box<dyn Error>> {
    if let Fitted::Ensemble(members) = fitted {
        return members.iter().try_for_each(|member| part(&member.fitted, weight * member.weight, rows));
    }
    let spent = timed(|| Ok(black_box(fitted.scores(rows, Device::Cpu, 1)?.len())))?;
    let what = match fitted {
        Fitted::Trees(trees) => {
            let leaves = trees.trees().iter().map(|tree| tree.nodes.len().div_ceil(2));
            format!("{} trees of {} leaves at most", trees.trees().len(), leaves.max().unwrap_or(0))
        }
        other => format!("{other:?}").chars().take(60).collect(),
    };
    println!("{:>10.3} us per row: {what}, weight {weight:.3}", spent / rows.len() as f64);
    Ok(())
}

/// Microseconds of this thread on a processor, those of the quickest of some turns.
fn timed(mut work: impl FnMut() -> Result<usize, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut least = f64::INFINITY;
    for _ in 0..TURNS {
        let start = on_processor()?;
        work()?;
        least = least.min(on_processor()? - start);
    }
    Ok(least)
}

fn on_processor() -> Result<f64, Box<dyn Error>> {
    let told = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = told.split_whitespace().next().ok_or("the kernel does not tell")?.parse()?;
    Ok(nanoseconds / 1000.0)
}
