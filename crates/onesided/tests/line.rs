//! The line example: what the population minimizer says a logistic model will learn, and what training finds.
//!
//! Positives are N(1, 1), negatives N(-1, 1), and a quarter of U is positive, so the posterior in U is σ(2x - ln 3). The
//! collective loss is trained to its end on one large sample a reduction; no epoch is chosen, nothing is calibrated.

use onesided::data::Stream;
use onesided::eval::probability;
use onesided::loss::elicit::{ClassOverlap, Gaussian, PopulationMinimizer, RiskWeights};
use onesided::loss::{Collective, Reduction};
use onesided::net::{Architecture, Device, Job, Shape, Source, TrainConfig, train};

const MU: f64 = 0.25;
const LABELED: usize = 20_000;
const UNLABELED: usize = 40_000;

/// Labeled positives, then U, whose first quarter is positive.
fn sample() -> Vec<f32> {
    let hidden = (MU * UNLABELED as f64) as usize;
    let mut stream = Stream::new(5, "line");
    let center = |i: usize| if i < LABELED + hidden { 1.0 } else { -1.0 };
    (0..LABELED + UNLABELED).map(|i| (center(i) + stream.normal()) as f32).collect()
}

/// Slope and offset after training on whole batches.
fn trained(x: &[f32], reduction: Reduction) -> (f64, f64) {
    let network = Architecture::Linear.network(Shape::flat(1)).unwrap();
    let objective = Collective::new(MU, reduction).unwrap();
    let rows: Vec<u32> = (0..x.len() as u32).collect();
    let (positive, unlabeled) = rows.split_at(LABELED);
    let config = TrainConfig {
        batch: x.len(),
        epochs: 300,
        learning_rate: 0.5,
        keep_best: false,
        device: Device::Cpu,
        ..TrainConfig::default()
    };
    let job = Job {
        network: &network,
        data: Source::Numbers(x),
        positive,
        unlabeled,
        held_out_positive: &[],
        held_out_unlabeled: &[],
        negatives: None,
        weights: None,
        objective: &objective,
        start_bias: (MU / (1.0 - MU)).ln(),
        share: None,
        risk: None,
        risk_name: "",
        config: &config,
        checkpoint: None,
    };
    let weights = train(&job, &mut |_| true).unwrap().weights;
    let number = |what: &str| {
        f64::from(weights.tensors.iter().find(|tensor| tensor.name.ends_with(what)).unwrap().data[0])
    };
    (number("weight"), number("bias"))
}

/// The mean prediction on U.
fn mean_unlabeled(x: &[f32], (slope, offset): (f64, f64)) -> f64 {
    x[LABELED..].iter().map(|&x| probability(slope * f64::from(x) + offset)).sum::<f64>() / UNLABELED as f64
}

#[test]
fn training_finds_what_the_population_minimizer_says() {
    let x = sample();
    let [positive, negative] = [1.0, -1.0].map(|mean| Gaussian { mean, deviation: 1.0 });
    let overlap = ClassOverlap::gaussians(positive, negative, MU).unwrap();
    // Slope, offset and mean prediction, from a quadrature of the population risk by SciPy (line.py next to this file).
    let golden = [(2.634, 0.040, 0.3549), (3.153, 1.337, 0.4538), (2.000, -1.099, 0.2500)];
    for (reduction, golden) in Reduction::ALL.into_iter().zip(golden) {
        let weights = RiskWeights::of(reduction, MU, LABELED, UNLABELED);
        let predicted = overlap.logistic_fit(weights).unwrap();
        let minimizer = PopulationMinimizer::new(&overlap, weights).unwrap();
        let found = trained(&x, reduction);
        let mean = mean_unlabeled(&x, found);
        println!("{reduction}: predicted {predicted:?}; trained {found:?}, mean {mean}");
        assert!((predicted.slope - golden.0).abs() < 1e-3, "{reduction}: {predicted:?}");
        assert!((predicted.intercept - golden.1).abs() < 1e-3, "{reduction}: {predicted:?}");
        assert!((predicted.mean_unlabeled - golden.2).abs() < 1e-4, "{reduction}: {predicted:?}");
        // Samples of this size have a standard deviation of up to 0.045 in the slope and 0.025 in the offset (line.py).
        assert!((found.0 - predicted.slope).abs() < 0.15, "{reduction}: {found:?} against {predicted:?}");
        assert!((found.1 - predicted.intercept).abs() < 0.12, "{reduction}: {found:?} against {predicted:?}");
        assert!((mean - predicted.mean_unlabeled).abs() < 0.01, "{reduction}: {mean} against {predicted:?}");
        // A logistic model holds the posterior: it is calibrated exactly where the free minimizer is.
        assert_eq!(minimizer.calibrated, (mean - MU).abs() < 0.01, "{reduction}: {minimizer:?}, mean {mean}");
    }
}
