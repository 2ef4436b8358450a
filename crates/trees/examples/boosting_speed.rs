//! Seconds to grow 100 trees on 200,000 rows of 20 features, a tenth of them held out, with one thread, and a hash of
//! what the trees say.
//!
//! `cargo run --release -p onesided-trees --example boosting_speed -- [row share]`: equal hashes mean equal trees.

use onesided_data::{Matrix, Stream};
use onesided_trees::{Binned, LabeledRows, TreesConfig, fit};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let row_share = std::env::args().nth(1).map_or(Ok(1.0), |share| share.parse())?;
    let (rows, cols) = (200_000, 20);
    let mut stream = Stream::new(1, "speed");
    let values: Vec<f32> = (0..rows * cols).map(|_| stream.normal() as f32).collect();
    let score = |row: &[f32]| f64::from(row[0] * row[1] + row[2] - row[3]);
    let positive: Vec<bool> = values.chunks(cols).map(|row| score(row) + stream.normal() > 0.5).collect();
    let binned = Binned::new(&Matrix::new(rows, cols, values)?)?;
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let (training, held_out): (Vec<u32>, Vec<u32>) = (0..rows as u32).partition(|row| row % 10 > 0);
    let config = TreesConfig { trees: 100, row_share, threads: 1, ..TreesConfig::default() };
    let begin = Instant::now();
    let fitted = fit(&sample, &training, &held_out, &config)?;
    let seconds = begin.elapsed().as_secs_f64();
    let bits =
        fitted.model.logits_of(&binned, &held_out)?.into_iter().chain(fitted.held_out_loss).map(f64::to_bits);
    let hash = bits.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ b).wrapping_mul(0x0100_0000_01b3));
    println!("{seconds:.2} s, {} trees, {hash:016x}", fitted.model.trees().len());
    Ok(())
}
