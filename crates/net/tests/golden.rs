//! The executor against PyTorch: values made by `golden/make_golden.py` and `golden/make_networks.py`.

use onesided_loss::{Collective, Objective, Reduction};
use onesided_net::{
    Architecture, Batch, CpuExecutor, Executor, Layer, Mode, Network, Optimizer, Shape, Tensor, Weights,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Stored {
    name: String,
    shape: Vec<usize>,
    data: Vec<f32>,
}

fn weights(stored: &[Stored]) -> Weights {
    let tensors = stored
        .iter()
        .map(|t| Tensor { name: t.name.clone(), shape: t.shape.clone(), data: t.data.clone() })
        .collect();
    Weights { tensors }
}

fn network(shape: [usize; 3], layers: &[Layer]) -> Network {
    let [channels, height, width] = shape;
    Network { input: Shape { channels, height, width }, layers: layers.to_vec() }
}

/// Largest difference as a share of the largest value expected (of 0.05 where all are smaller).
fn gap(have: &[f32], want: &[f32]) -> f32 {
    assert_eq!(have.len(), want.len());
    let size = want.iter().fold(0.05f32, |m, x| m.max(x.abs()));
    have.iter().zip(want).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / size
}

#[derive(Deserialize)]
struct LayerCase {
    name: String,
    shape: [usize; 3],
    layers: Vec<Layer>,
    input: Vec<f32>,
    weights: Vec<Stored>,
    score_gradient: Vec<f32>,
    scores: Vec<f32>,
    gradients: Vec<Stored>,
    statistics: Vec<Stored>,
    predictions: Vec<f32>,
}

/// PyTorch's values are f64, ours f32 through up to six layers.
const TOLERANCE: f32 = 2e-5;

#[test]
fn every_layer_matches_pytorch_forward_and_backward() {
    let cases: Vec<LayerCase> = serde_json::from_str(include_str!("golden/layers.json")).unwrap();
    assert_eq!(cases.len(), 10);
    for case in &cases {
        for threads in [1, 2, 3] {
            let network = network(case.shape, &case.layers);
            let weights = weights(&case.weights);
            let mut executor =
                CpuExecutor::new(&network, &weights, &case.input, threads, Optimizer::Nadam, 0.0)
                    .unwrap()
                    .with_work_a_thread(1);
            let rows: Vec<u32> = (0..case.scores.len() as u32).collect();
            let what = format!("{} on {threads} threads", case.name);
            let scores = executor.forward(&Batch::plain(&rows), Mode::Train).unwrap();
            assert!(gap(scores, &case.scores) < TOLERANCE, "{what}: {scores:?} against {:?}", case.scores);
            executor.backward(&case.score_gradient).unwrap();
            let gradients = executor.gradients().unwrap();
            assert_eq!(gradients.len(), case.gradients.len(), "{what}");
            for ((name, have), want) in gradients.iter().zip(&case.gradients) {
                assert_eq!(name, &want.name);
                let gap = gap(have, &want.data);
                assert!(gap < TOLERANCE, "{what}: gradient of {name} is off by {gap}");
            }
            let after = executor.weights().unwrap();
            for want in &case.statistics {
                let have = after.tensors.iter().find(|t| t.name == want.name).unwrap();
                assert!(gap(&have.data, &want.data) < TOLERANCE, "{what}: {}", want.name);
            }
            let predictions = executor.forward(&Batch::plain(&rows), Mode::Predict).unwrap();
            assert!(gap(predictions, &case.predictions) < TOLERANCE, "{what}: predictions");
        }
    }
}

#[derive(Deserialize)]
struct Trajectory {
    shape: [usize; 3],
    layers: Vec<Layer>,
    rows: usize,
    positives: usize,
    prior: f64,
    learning_rate: f64,
    data: Vec<f32>,
    weights: Vec<Stored>,
    losses: Vec<f64>,
    r#final: Vec<Stored>,
    predictions: Vec<f32>,
}

/// Twenty steps of a small CNN with batch norm under the collective loss with NAdam, to 1e-4.
#[test]
fn a_training_trajectory_matches_pytorch() {
    let golden: Trajectory = serde_json::from_str(include_str!("golden/trajectory.json")).unwrap();
    let network = network(golden.shape, &golden.layers);
    let start = weights(&golden.weights);
    let mut executor = CpuExecutor::new(&network, &start, &golden.data, 2, Optimizer::Nadam, 0.0)
        .unwrap()
        .with_work_a_thread(1);
    let objective = Collective::new(golden.prior, Reduction::SumOfMeans).unwrap();
    let mut gradient = vec![0.0; golden.rows];
    for (k, want) in golden.losses.iter().enumerate() {
        let first = (k % 4 * golden.rows) as u32;
        let rows: Vec<u32> = (first..first + golden.rows as u32).collect();
        let scores = executor.forward(&Batch::plain(&rows), Mode::Train).unwrap();
        let (positive, unlabeled) = scores.split_at(golden.positives);
        let (to_positive, to_unlabeled) = gradient.split_at_mut(golden.positives);
        let loss = objective.evaluate(positive, unlabeled, to_positive, to_unlabeled);
        assert!((loss - want).abs() < 1e-4 * want.abs().max(1.0), "step {k}: {loss} against {want}");
        executor.backward(&gradient).unwrap();
        executor.step(golden.learning_rate).unwrap();
    }
    for (have, want) in executor.weights().unwrap().tensors.iter().zip(&golden.r#final) {
        let gap = gap(&have.data, &want.data);
        assert!(gap < 1e-4, "{} is off by {gap} after 20 steps", have.name);
    }
    let all: Vec<u32> = (0..4 * golden.rows as u32).collect();
    assert!(gap(executor.forward(&Batch::plain(&all), Mode::Predict).unwrap(), &golden.predictions) < 1e-4);
}

#[derive(Deserialize)]
struct NetworkCase {
    name: String,
    scores: Vec<f32>,
    predictions: Vec<f32>,
    /// The norm of each parameter's gradient, and its product with numbers of a hash.
    gradients: Vec<[f64; 2]>,
}

/// Numbers from 0 to 1 for the places of a tensor: the hash of `make_networks.py`.
fn filled(number: u32, count: usize) -> impl Iterator<Item = f64> {
    (0..count as u32).map(move |place| {
        let x = place.wrapping_add(number.wrapping_mul(1_000_003)).wrapping_mul(0x9E37_79B1);
        let x = (x ^ (x >> 15)).wrapping_mul(0x85EB_CA77);
        let x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE3D);
        (f64::from(x ^ (x >> 16)) + 0.5) / 2f64.powi(32)
    })
}

/// ReLUs of numbers that are nearly 0 fall on either side in f32: PyTorch's own gradients in f32 are off by up to 1 %.
const GRADIENT_TOLERANCE: f64 = 0.02;

/// Whole networks of the zoo, which `make_networks.py` writes down layer by layer: f32 through up to 28 of them.
#[test]
fn residual_networks_of_the_zoo_match_pytorch() {
    let cases: Vec<NetworkCase> = serde_json::from_str(include_str!("golden/networks.json")).unwrap();
    assert_eq!(cases.len(), 3);
    for case in &cases {
        let image = Shape { channels: 3, height: 32, width: 32 };
        let network = case.name.parse::<Architecture>().unwrap().network(image).unwrap();
        let mut weights = Weights::initial(&network, 0.0, 0).unwrap();
        let learned =
            |tensor: &&mut Tensor| !tensor.name.ends_with("mean") && !tensor.name.ends_with("variance");
        for (number, tensor) in weights.tensors.iter_mut().filter(learned).enumerate() {
            let is_norm = tensor.shape.len() == 1 && tensor.name.ends_with("weight");
            let bound = (6.0 / tensor.shape[1..].iter().product::<usize>() as f64).sqrt();
            let is_bias = tensor.name.ends_with("bias");
            tensor.data = filled(number as u32, tensor.data.len())
                .map(|u| match (is_norm, is_bias) {
                    (true, _) => (0.5 + u) as f32,
                    (_, true) => (u - 0.5) as f32,
                    _ => ((2.0 * u - 1.0) * bound) as f32,
                })
                .collect();
        }
        let rows: Vec<f32> = filled(10_000, 2 * 3 * 32 * 32).map(|u| (2.0 * u - 1.0) as f32).collect();
        let mut executor = CpuExecutor::new(&network, &weights, &rows, 2, Optimizer::Nadam, 0.0).unwrap();
        let name = &case.name;
        let scores = executor.forward(&Batch::plain(&[0, 1]), Mode::Train).unwrap();
        assert!(gap(scores, &case.scores) < 1e-4, "{name}: {scores:?} against {:?}", case.scores);
        executor.backward(&[1.0, -0.5]).unwrap();
        let gradients = executor.gradients().unwrap();
        assert_eq!(gradients.len(), case.gradients.len(), "{name}");
        for (number, ((tensor, have), &[norm, product])) in gradients.iter().zip(&case.gradients).enumerate()
        {
            let have_norm = have.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
            let numbers = filled(20_000 + number as u32, have.len());
            let have_product: f64 = have.iter().zip(numbers).map(|(&g, u)| f64::from(g) * (u - 0.5)).sum();
            let off = (have_norm - norm).abs().max((have_product - product).abs()) / norm;
            assert!(off < GRADIENT_TOLERANCE, "{name}: gradient of {tensor} is off by {off}");
        }
        let predictions = executor.forward(&Batch::plain(&[0, 1]), Mode::Predict).unwrap();
        assert!(gap(predictions, &case.predictions) < 1e-4, "{name}: {predictions:?}");
    }
}
