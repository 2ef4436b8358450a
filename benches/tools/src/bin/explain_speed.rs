//! Seconds that Shapley values of a model's rows take, for `benches/explain_speed.py`, which has LightGBM do the same.
//!
//!     cargo run --release -p onesided-tools --bin explain_speed -- model.json rows.json THREADS REPEATS

use onesided_data::Matrix;
use onesided_trees::TreesModel;
use std::error::Error;
use std::fs;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [model, rows, threads, repeats] = &given[..] else {
        return Err("name a model, its rows, threads and repeats".into());
    };
    let model: TreesModel = serde_json::from_str(&fs::read_to_string(model)?)?;
    let rows: Vec<Vec<Option<f32>>> = serde_json::from_str(&fs::read_to_string(rows)?)?;
    let cells = rows.iter().flatten().map(|cell| cell.unwrap_or(f32::NAN)).collect();
    let matrix = Matrix::new(rows.len(), model.features(), cells)?;
    let (threads, repeats): (usize, usize) = (threads.parse()?, repeats.parse()?);
    let mut seconds = Vec::new();
    let mut parts = Vec::new();
    for _ in 0..repeats {
        let start = Instant::now();
        parts = model.shap(&matrix, threads)?.parts;
        seconds.push(start.elapsed().as_secs_f64());
    }
    println!("{}", serde_json::json!({ "seconds": seconds, "parts": parts }));
    Ok(())
}
