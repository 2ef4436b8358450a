//! A model in a service: rows come in as JSON lines, probabilities go out as JSON lines, one for each.
//!
//! `cargo run --release -p onesided --example service -- MODEL < ROWS`, where MODEL was fitted on a table. The model is loaded
//! once. A row that cannot be scored is answered with the reason, and the next one is read.

use onesided::data::{FileOptions, ReadOptions, TableFormat, read_table_bytes};
use onesided::{Encoding, Model};
use serde_json::json;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

/// The probability that one row is positive, which is an object with the columns of the table as keys.
fn probability(model: &Model, row: &str) -> Result<f32, Box<dyn Error>> {
    let Encoding::Table(features) = model.encoding().as_ref() else {
        return Err("the model was not fitted on a table".into());
    };
    // Cells are read as those of the training table were.
    let options = ReadOptions {
        files: FileOptions { format: Some(TableFormat::Json), ..features.read_options().files },
        ..features.read_options()
    };
    let data = model.encoding().encode_frame(read_table_bytes(row.as_bytes(), &options)?)?;
    let probabilities = model.predict_proba(&data)?;
    probabilities.first().copied().ok_or_else(|| "there is no row".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name the file of a model")?;
    let model = Model::load(file)?;
    let mut answers = stdout().lock();
    for row in stdin().lock().lines() {
        let answer = match probability(&model, &row?) {
            Ok(probability) => json!({"probability": probability, "positive": model.decide(probability)}),
            Err(error) => json!({"error": error.to_string()}),
        };
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}
