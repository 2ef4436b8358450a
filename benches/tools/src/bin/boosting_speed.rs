//! Seconds to bin, to grow 100 trees, and to score, and a hash of what the trees say.
//!
//! `cargo run --release -p onesided-tools --bin boosting_speed -- [rows] [features] [threads] [row share]`: equal
//! hashes mean equal trees. Every seventh feature is a category of 50 levels.

use onesided_data::{ColumnKind, Columns, Matrix, Stream};
use onesided_trees::{Binned, LabeledRows, TreesConfig, fit};
use std::borrow::Cow;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<f64> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let given = |at: usize, default: f64| given.get(at).copied().unwrap_or(default);
    let (rows, cols, threads) =
        (given(0, 200_000.0) as usize, given(1, 20.0) as usize, given(2, 1.0) as usize);
    let mut stream = Stream::new(1, "speed");
    let is_category = |col: usize| col % 7 == 6;
    let mut values = Vec::with_capacity(rows * cols);
    for _ in 0..rows {
        for col in 0..cols {
            let category = is_category(col);
            values.push(if category { stream.below(50) as f32 } else { stream.normal() as f32 });
        }
    }
    let score = |row: &[f32]| f64::from(row[0] * row[1] + row[2] - row[3] + (row[6] as i32 % 3) as f32 - 1.0);
    let positive: Vec<bool> = values.chunks(cols).map(|row| score(row) + stream.normal() > 0.5).collect();
    let kind =
        |col| if is_category(col) { ColumnKind::Categories { levels: 50 } } else { ColumnKind::Numbers };
    let matrix = Matrix::new(rows, cols, values)?;
    let columns = Columns { matrix: Cow::Borrowed(&matrix), kinds: (0..cols).map(kind).collect() };
    let begin = Instant::now();
    let binned = Binned::of_columns(&columns, threads)?;
    let binning = begin.elapsed().as_secs_f64();
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let training: Vec<u32> = (0..rows as u32).collect();
    let config = TreesConfig { trees: 100, row_share: given(3, 1.0), threads, ..TreesConfig::default() };
    let begin = Instant::now();
    let fitted = fit(&sample, &training, &[], &config)?;
    let growing = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let logits = fitted.model.logits_with_threads(&matrix, threads)?;
    let scoring = begin.elapsed().as_secs_f64();
    let hash = logits
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ b.to_bits()).wrapping_mul(0x0100_0000_01b3));
    println!(
        "{rows} x {cols}, {threads} threads: bins {binning:.3} s, 100 trees {growing:.3} s, scores {scoring:.3} s, {hash:016x}"
    );
    Ok(())
}
