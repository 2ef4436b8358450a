//! What each estimator says of a simulated table, and how long it takes.
//!
//! ```text
//! cargo run --release -p onesided-prior --example growth -- ROWS COLUMNS MU DISTANCE [ESTIMATOR,…] [exact|features]
//! ```
//!
//! Two Gaussians whose means lie DISTANCE apart; a quarter of the rows are labeled positives, the rest is U with a share
//! MU of positives. The scores are the true log-ratios of the densities of P and U, so that the estimators are seen separately
//! from any classifier. The last word forces one form of the kernel.

use onesided_data::{Matrix, Stream};
use onesided_prior::{Estimator, Evidence, KernelForm, Km, PenL1, estimators};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, or: f64| words.get(i).and_then(|word| word.parse().ok()).unwrap_or(or);
    let (rows, columns, mu, distance) =
        (number(0, 2000.0) as usize, number(1, 5.0) as usize, number(2, 0.3), number(3, 3.0));
    let chosen: Vec<&str> = words.get(4).map(|names| names.split(',').collect()).unwrap_or_default();
    let form = words.get(5).map(String::as_str);

    let mut stream = Stream::new(0, "simulation");
    let (n_p, n_u) = (rows / 4, rows - rows / 4);
    let mut sample = |n: usize, share: f64| {
        let mut data = Vec::with_capacity(n * columns);
        let scores: Vec<f64> = (0..n)
            .map(|_| {
                let shift = if stream.uniform() < share { distance / 2.0 } else { -distance / 2.0 };
                let first = shift + stream.normal();
                data.push(first as f32);
                data.extend((1..columns).map(|_| stream.normal() as f32));
                // ln p_p / p_u = −ln(μ + (1 − μ) e^{−distance · x}).
                -(mu + (1.0 - mu) * (-distance * first).exp()).ln()
            })
            .collect();
        (Matrix::new(n, columns, data).expect("as many values as rows times columns"), scores)
    };
    let (p, scores_p) = sample(n_p, 1.0);
    let (u, scores_u) = sample(n_u, mu);
    let evidence = Evidence::of_scores(&scores_p, &scores_u).with_rows(&p, &u);
    println!("{rows} rows, {columns} columns, true share {mu}");
    let kernel = match form {
        Some("exact") => KernelForm::Exact,
        Some("features") => KernelForm::RandomFeatures,
        _ => KernelForm::Auto,
    };
    let centers = if form == Some("exact") { usize::MAX } else { PenL1::DEFAULT.centers };
    let (km1, km2, pen_l1) =
        (Km { form: kernel, ..Km::ONE }, Km { form: kernel, ..Km::TWO }, PenL1 { centers, ..PenL1::DEFAULT });
    let forced: [&dyn Estimator; 3] = [&km1, &km2, &pen_l1];
    for estimator in estimators() {
        let name = estimator.info().name;
        if !chosen.is_empty() && !chosen.contains(&name) && chosen != ["all"] {
            continue;
        }
        let estimator = forced.into_iter().find(|one| one.info().name == name).unwrap_or(*estimator);
        let start = Instant::now();
        match estimator.estimate(&evidence) {
            Ok(found) => println!(
                "{name:15} {:.4}  [{:.4}, {:.4}]  {:.2} s  {}",
                found.mu,
                found.interval.0,
                found.interval.1,
                start.elapsed().as_secs_f64(),
                found.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            ),
            Err(error) => println!("{name:15} {error}"),
        }
    }
}
