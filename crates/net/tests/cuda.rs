//! Networks on a GPU: every layer against the CPU, whole trainings, and refusals. Where no card can be used, each test
//! says so on stderr and passes.
//!
//! Sums of floats differ in their last digits between devices, and a ReLU or a pooling whose inputs are that close
//! turns the last digit into another gradient. The layer tests avoid this by their numbers: data are odd multiples of
//! 1/32 and weights multiples of 1/128, so that sums of products in front of a ReLU are exact, and the four pixels of
//! a pooling's block are never equal. All of them are bf16 numbers too, so that only a layer's own rounding differs.
#![cfg(feature = "cuda")]

use onesided_data::Stream;
use onesided_loss::{Collective, Objective, Reduction};
use onesided_net::Activation::{Relu, Softsign};
use onesided_net::Mix;
use onesided_net::*;
use std::io::Write;
use std::path::Path;

const GPU: Device = Device::Cuda(0);

/// The first card, held open so that a test finds the same kernels and engines throughout; none after saying why.
fn card() -> Option<Card> {
    match Card::open(0) {
        Ok(card) => Some(card),
        Err(reason) => {
            let thread = std::thread::current();
            // Not `eprintln`, whose words the test harness keeps to itself when a test passes.
            let _ = writeln!(std::io::stderr(), "{} skipped: {reason}", thread.name().unwrap_or("test"));
            None
        }
    }
}

fn setting(precision: Precision, batch: usize) -> ExecutorConfig {
    ExecutorConfig { precision, batch, threads: 1, ..ExecutorConfig::default() }
}

fn norm(values: &[f32]) -> f64 {
    values.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt()
}

/// ‖have - want‖ / ‖want‖; infinite where a number is missing or is none.
fn gap(have: &[f32], want: &[f32]) -> f64 {
    if have.len() != want.len() || have.iter().chain(want).any(|x| !x.is_finite()) {
        return f64::INFINITY;
    }
    let apart: Vec<f32> = have.iter().zip(want).map(|(a, b)| a - b).collect();
    norm(&apart) / norm(want).max(f64::MIN_POSITIVE)
}

/// All numbers of all tensors, one after the other.
fn flat(weights: &Weights) -> Vec<f32> {
    weights.tensors.iter().flat_map(|t| t.data.iter().copied()).collect()
}

fn bits(weights: &Weights) -> Vec<u32> {
    flat(weights).into_iter().map(f32::to_bits).collect()
}

fn normals(seed: u64, n: usize) -> Vec<f32> {
    let mut stream = Stream::new(seed, "test");
    (0..n).map(|_| stream.normal() as f32).collect()
}

/// A layer or a few, behind one that hands the data on as they are and in front of the score.
struct Case {
    network: Network,
    weights: Weights,
    data: Vec<f32>,
    rows: Vec<u32>,
    gradient: Vec<f32>,
}

/// Rows of the data set beyond those of the batch.
const MORE: usize = 5;

impl Case {
    fn new(input: Shape, tested: &[Layer], rows: usize, seed: u64) -> Self {
        let channels = input.channels;
        let mut layers = match input.pixels() {
            1 => vec![Layer::Dense { outputs: channels, bias: false }],
            _ => vec![Layer::Conv { outputs: channels, bias: false }],
        };
        layers.extend(tested);
        layers.extend([Layer::Flatten, Layer::Dense { outputs: 1, bias: true }]);
        let network = Network { input, layers };
        let mut stream = Stream::new(seed, "layers");
        let data = data(input, rows + MORE, &mut stream);
        let numbers: Vec<u32> = (0..rows).map(|i| (rows + MORE - 1 - i) as u32).collect();
        let weights = weights(&network, &data, &numbers, &mut stream);
        let gradient = (0..rows).map(|_| (1.5 * stream.uniform() - 0.25) as f32).collect();
        Self { network, weights, data, rows: numbers, gradient }
    }

    /// What a device makes of it: a pass with every row, then the one that is looked at, with fewer.
    fn on(&self, device: Device, precision: Precision) -> Result<Outcome, NetError> {
        let engine = Engine::new(device, Source::Numbers(&self.data), self.network.input)?;
        let every: Vec<u32> = (0..engine.rows() as u32).collect();
        let setting = setting(precision, every.len() + 4);
        let mut executor = engine.executor(&self.network, &self.weights, &setting)?;
        executor.forward(&Batch { dropout_key: 77, ..Batch::plain(&every) }, Mode::Train)?;
        executor.backward(&vec![0.5; every.len()])?;
        let batch = Batch { dropout_key: 0x1234_5678_9abc_def0, ..Batch::plain(&self.rows) };
        let scores = executor.forward(&batch, Mode::Train)?.to_vec();
        executor.backward(&self.gradient)?;
        let gradients = executor.gradients()?;
        let weights = executor.weights()?;
        let predicted = executor.forward(&Batch::plain(&self.rows), Mode::Predict)?.to_vec();
        Ok(Outcome { scores, gradients, weights, predicted })
    }

    /// Everything in which the card is further than `tolerance` from the CPU.
    fn differences(&self, precision: Precision, tolerance: f64) -> Vec<String> {
        let place =
            || format!("{:?} on {} rows of {}", self.network.layers, self.rows.len(), self.network.input);
        let want = self.on(Device::Cpu, precision).unwrap();
        let have = match self.on(GPU, precision) {
            Ok(have) => have,
            Err(error) => return vec![format!("{}: {error}", place())],
        };
        let mut gaps = vec![
            ("training scores".to_string(), gap(&have.scores, &want.scores)),
            ("prediction scores".to_string(), gap(&have.predicted, &want.predicted)),
        ];
        let names =
            |gradients: &[(String, Vec<f32>)]| gradients.iter().map(|g| g.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&have.gradients), names(&want.gradients), "{}", place());
        let largest = want.gradients.iter().map(|g| norm(&g.1)).fold(0.0, f64::max);
        for ((name, have), (_, want)) in have.gradients.iter().zip(&want.gradients) {
            if norm(want) >= 1e-6 * largest {
                gaps.push((format!("gradient of {name}"), gap(have, want)));
            } else if norm(have) > tolerance * largest {
                gaps.push((format!("gradient of {name}, which should vanish,"), norm(have) / largest));
            }
        }
        for (have, want) in have.weights.tensors.iter().zip(&want.weights.tensors) {
            gaps.push((want.name.clone(), gap(&have.data, &want.data)));
        }
        let far = gaps.into_iter().filter(|(_, gap)| *gap >= tolerance);
        far.map(|(what, gap)| format!("{}: {what} is off by {gap:.2e}", place())).collect()
    }
}

struct Outcome {
    scores: Vec<f32>,
    gradients: Vec<(String, Vec<f32>)>,
    /// With the running statistics after both passes.
    weights: Weights,
    predicted: Vec<f32>,
}

/// Odd multiples of 1/32 up to 87/32; which of them depends on a pixel's place in its 2x2 block.
fn data(input: Shape, rows: usize, stream: &mut Stream) -> Vec<f32> {
    let number = |i: usize| {
        let (x, y) = (i / input.channels % input.width, i / input.channels / input.width % input.height);
        let place = (2 * (y % 2) + x % 2) as f32;
        (8.0 * (stream.below(20) as f32 - 10.0) + 2.0 * place + 1.0) / 32.0
    };
    (0..rows * input.len()).map(number).collect()
}

/// The layer that hands data on, random ones, and those that keep a kink away from the values in front of it.
fn weights(network: &Network, data: &[f32], rows: &[u32], stream: &mut Stream) -> Weights {
    let mut weights = Weights::initial(network, 0.0, 0).unwrap();
    let pooled = network.layers.contains(&Layer::MaxPool);
    for tensor in &mut weights.tensors {
        let (layer, what) = tensor.name.split_once('.').unwrap();
        let layer: usize = layer.parse().unwrap();
        let fan_in: usize = tensor.shape[1..].iter().product();
        let mut fine =
            |spread: f64| (128.0 * spread * stream.normal()).round().clamp(-255.0, 255.0) as f32 / 128.0;
        match (network.layers[layer], what) {
            (_, "weight") if layer == 0 => identity(tensor),
            (Layer::BatchNorm, "weight") => {
                tensor.data.iter_mut().for_each(|x| *x = fine(0.2).clamp(-0.5, 0.5) + 1.0);
                tensor.data.iter_mut().step_by(3).for_each(|x| *x = -*x);
            }
            (Layer::BatchNorm, "mean") => tensor.data.iter_mut().for_each(|x| *x = fine(0.5)),
            (Layer::BatchNorm, "variance") => tensor.data.iter_mut().for_each(|x| *x = 0.5 + fine(0.5).abs()),
            (Layer::BatchNorm, _) => {}
            // In front of ReLU and pooling, one pixel for each output: its value stays exact in bf16. Pixels beyond
            // the border are equal zeros, which the bias puts below ReLU's kink.
            (Layer::Conv { .. }, "weight") if pooled => {
                tensor.data.fill(0.0);
                for filter in tensor.data.chunks_exact_mut(fan_in) {
                    filter[stream.below(fan_in)] = if stream.below(2) == 0 { 1.0 } else { -1.0 };
                }
            }
            (Layer::Conv { .. }, _) if pooled => {
                tensor.data.iter_mut().for_each(|x| *x = -(2.0 * stream.below(3) as f32 + 1.0) / 64.0);
            }
            (_, "weight") => tensor.data.iter_mut().for_each(|x| *x = fine((fan_in as f64).powf(-0.5))),
            // Half a step of the products' grid away from it.
            _ => tensor.data.iter_mut().for_each(|x| *x = fine(0.5) + 1.0 / 8192.0),
        }
    }
    let Some(at) = network.layers.iter().position(|layer| *layer == Layer::BatchNorm) else { return weights };
    let gamma = weights.tensors.iter().find(|t| t.name == format!("{at}.weight")).unwrap().data.clone();
    let beta = weights.tensors.iter_mut().find(|t| t.name == format!("{at}.bias")).unwrap();
    for (channel, beta) in beta.data.iter_mut().enumerate() {
        let (mean, deviation) = moments(network.input, data, rows, channel);
        // Data are odd multiples of 1/32, so γ ẑ + β = 0 at an even one lies between two of them.
        let kink = (stream.below(21) as f64 - 10.0) / 16.0;
        *beta = (f64::from(-gamma[channel]) * (kink - mean) / deviation) as f32;
    }
    weights
}

/// Output c is input c.
fn identity(tensor: &mut Tensor) {
    let (outputs, fan_in) = (tensor.shape[0], tensor.shape[1..].iter().product::<usize>());
    let middle = if tensor.shape.len() == 4 { 4 * tensor.shape[3] } else { 0 };
    tensor.data.fill(0.0);
    (0..outputs).for_each(|o| tensor.data[o * fan_in + middle + o] = 1.0);
}

/// Mean of a channel over some rows, and √(variance + 1e-5).
fn moments(input: Shape, data: &[f32], rows: &[u32], channel: usize) -> (f64, f64) {
    let row = |&row: &u32| &data[row as usize * input.len()..(row as usize + 1) * input.len()];
    let values = || rows.iter().flat_map(row).skip(channel).step_by(input.channels).map(|&x| f64::from(x));
    let n = (rows.len() * input.pixels()) as f64;
    let mean = values().sum::<f64>() / n;
    (mean, (values().map(|x| (x - mean).powi(2)).sum::<f64>() / n + 1e-5).sqrt())
}

fn activate(activation: Activation) -> Layer {
    Layer::Activate { activation }
}

/// Every kind of layer over images and rows of many shapes; batches are not multiples of 8.
fn cases() -> Vec<Case> {
    let (norm, pool) = (Layer::BatchNorm, Layer::MaxPool);
    let mut cases = Vec::new();
    // Channels, height, width, channels of a convolution's result, rows.
    let images = [
        (1, 4, 4, 5, 7),
        (3, 5, 7, 8, 13),
        (5, 9, 4, 3, 11),
        (8, 6, 11, 16, 9),
        (16, 7, 8, 24, 13),
        (24, 11, 5, 40, 10),
        (40, 4, 9, 16, 7),
        (64, 10, 10, 72, 11),
        (72, 8, 7, 64, 9),
        // The widest layers of the large wide residual network.
        (320, 5, 4, 640, 6),
        (640, 4, 3, 640, 5),
    ];
    for (seed, (channels, height, width, outputs, rows)) in images.into_iter().enumerate() {
        let conv = |bias| Layer::Conv { outputs, bias };
        for tested in [
            vec![conv(true)],
            vec![conv(false)],
            vec![norm],
            vec![activate(Relu), norm],
            vec![activate(Softsign), norm],
            vec![norm, activate(Relu)],
            vec![norm, activate(Softsign)],
            vec![norm, activate(Relu), pool],
            vec![conv(true), activate(Relu), pool],
            vec![activate(Relu)],
            vec![activate(Softsign)],
            vec![pool],
            vec![Layer::Dropout { probability: 0.3 }],
        ] {
            cases.push(Case::new(Shape { channels, height, width }, &tested, rows, seed as u64));
        }
    }
    // Features, width of a dense layer, rows.
    let tables = [(1, 3, 9), (3, 1, 11), (5, 8, 13), (20, 64, 13), (64, 300, 7), (72, 40, 27), (300, 20, 19)];
    for (seed, (features, outputs, rows)) in tables.into_iter().enumerate() {
        let dense = |outputs, bias| Layer::Dense { outputs, bias };
        let mut kinds = vec![
            vec![dense(outputs, true)],
            vec![dense(outputs, false)],
            vec![activate(Relu)],
            vec![activate(Softsign)],
            vec![Layer::Dropout { probability: 0.25 }],
            vec![dense(outputs, true), activate(Relu), Layer::Dropout { probability: 0.25 }],
            vec![dense(outputs, true), activate(Softsign), dense(12, true)],
            vec![dense(outputs, true), activate(Softsign), Layer::Conv { outputs: 12, bias: false }],
        ];
        // With a single feature, what comes back through a batch norm is nothing but rounding.
        if features > 1 {
            kinds.extend([
                vec![norm],
                vec![activate(Relu), norm],
                vec![activate(Softsign), norm],
                vec![norm, activate(Relu)],
                vec![norm, activate(Softsign)],
            ]);
        }
        for tested in kinds {
            cases.push(Case::new(Shape::flat(features), &tested, rows, 100 + seed as u64));
        }
    }
    cases
}

fn every_layer_matches_the_cpu(precision: Precision, tolerance: f64) {
    let Some(_card) = card() else { return };
    let cases = cases();
    let far: Vec<String> = cases.iter().flat_map(|case| case.differences(precision, tolerance)).collect();
    assert!(far.is_empty(), "{} differences in {} networks:\n{}", far.len(), cases.len(), far.join("\n"));
}

/// Scores, gradients and running statistics of each kind of layer are the CPU's up to the order of sums.
#[test]
fn every_layer_matches_the_cpu_in_f32() {
    every_layer_matches_the_cpu(Precision::F32, 1e-4);
}

/// They are the CPU's up to the rounding of activations and their gradients, 2^-9 each.
#[test]
fn every_layer_matches_the_cpu_in_bf16() {
    every_layer_matches_the_cpu(Precision::Bf16, 2e-2);
}

/// Residual blocks on random numbers. A few values lie so near a ReLU's kink that devices differ there, so the
/// tolerances are wider than those of single layers.
fn residual_networks_match_the_cpu(precision: Precision, tolerance: f64) {
    let Some(_card) = card() else { return };
    let (relu, norm) = (activate(Relu), Layer::BatchNorm);
    let block = |outputs, stride, pre| Layer::Residual { outputs, stride, pre };
    let mut far = Vec::new();
    for (seed, (channels, height, width, rows)) in
        [(64, 16, 16, 21), (16, 8, 8, 13), (24, 7, 6, 11), (5, 6, 7, 9)].into_iter().enumerate()
    {
        // Of a few rows of 2x2 pixels, bf16 leaves too little to compare after two batch norms.
        if precision == Precision::Bf16 && seed > 0 {
            continue;
        }
        let input = Shape { channels: 3, height, width };
        let stem = Layer::Conv { outputs: channels, bias: false };
        for middle in [
            vec![norm, relu, block(channels, 1, false), block(channels, 1, false)],
            vec![norm, relu, block(2 * channels, 2, false), block(2 * channels, 1, false)],
            vec![block(channels, 1, true), block(channels, 1, true), norm, relu],
            vec![block(2 * channels, 2, true), block(2 * channels, 1, true), norm, relu],
            vec![norm, relu, block(channels, 2, false), block(channels, 2, true), relu],
            vec![norm, relu, Layer::MaxPool, block(channels, 1, false), Layer::MaxPool],
        ] {
            let mut layers = vec![stem];
            layers.extend(middle);
            layers.extend([Layer::MeanPool, Layer::Dense { outputs: 1, bias: true }]);
            let network = Network { input, layers };
            let seed = seed as u64;
            let weights = Weights::initial(&network, 0.2, seed).unwrap();
            let data = normals(seed, (rows + MORE) * input.len());
            let numbers = (0..rows).map(|i| (rows + MORE - 1 - i) as u32).collect();
            let gradient = normals(seed + 9, rows);
            let case = Case { network, weights, data, rows: numbers, gradient };
            far.extend(case.differences(precision, tolerance));
        }
    }
    assert!(far.is_empty(), "{} differences:\n{}", far.len(), far.join("\n"));
}

#[test]
fn residual_networks_match_the_cpu_in_f32() {
    residual_networks_match_the_cpu(Precision::F32, 2e-2);
}

#[test]
fn residual_networks_match_the_cpu_in_bf16() {
    residual_networks_match_the_cpu(Precision::Bf16, 0.25);
}

/// A linear score is a dot product with the pixels, so equal scores mean equal crops, mirrors and bytes.
#[test]
fn augmented_rows_match_the_cpu() {
    let Some(_card) = card() else { return };
    for (channels, height, width) in [(3, 9, 8), (1, 5, 11), (3, 32, 32), (1, 28, 28)] {
        let input = Shape { channels, height, width };
        let network = Architecture::Linear.network(input).unwrap();
        let weights = Weights::initial(&network, 0.5, 3).unwrap();
        let images = 23;
        let mut stream = Stream::new(4, "images");
        let bytes: Vec<u8> = (0..images * input.len()).map(|_| stream.below(256) as u8).collect();
        let numbers = normals(5, images * input.len());
        let (scale, shift) = ([0.017, 0.02, 0.013], [-2.1, -1.7, -1.9]);
        let (scale, shift) = (&scale[..channels], &shift[..channels]);
        let draws: Vec<Draw> = (0..2 * 9 * 9)
            .map(|i| Draw {
                down: (i / 9 % 9) as i8 - 4,
                right: (i % 9) as i8 - 4,
                mirror: (i / 81) as u8,
                spare: 0,
            })
            .collect();
        let rows: Vec<u32> = (0..draws.len()).map(|i| (i * 7 % images) as u32).collect();
        let by = normals(6, rows.len());
        for source in [Source::Numbers(&numbers), Source::Bytes { bytes: &bytes, scale, shift }] {
            for draws in [&draws[..], &[]] {
                let on = |device| {
                    let engine = Engine::new(device, source, input).unwrap();
                    let mut executor =
                        engine.executor(&network, &weights, &setting(Precision::F32, rows.len())).unwrap();
                    let batch = Batch { draws, ..Batch::plain(&rows) };
                    let scores = executor.forward(&batch, Mode::Train).unwrap().to_vec();
                    executor.backward(&by).unwrap();
                    (scores, executor.gradients().unwrap().swap_remove(0).1)
                };
                let (have, want) = (on(GPU), on(Device::Cpu));
                let gaps = (gap(&have.0, &want.0), gap(&have.1, &want.1));
                let which = (matches!(source, Source::Bytes { .. }), !draws.is_empty());
                assert!(
                    gaps.0 < 1e-5 && gaps.1 < 1e-5,
                    "{input}, (bytes, draws) = {which:?}: scores and gradient are off by {gaps:?}"
                );
            }
        }
    }
}

/// Scores of each of 20 steps on batches of 45 rows, and the weights after them.
fn trajectory(
    device: Device,
    network: &Network,
    data: &[f32],
    optimizer: Optimizer,
    learning_rate: f64,
) -> (Vec<Vec<f32>>, Weights) {
    let (batch, positives) = (45, 15);
    let objective = Collective::new(0.25, Reduction::SumOfMeans).unwrap();
    let engine = Engine::new(device, Source::Numbers(data), network.input).unwrap();
    let weights = Weights::initial(network, -1.0, 11).unwrap();
    let setting = ExecutorConfig { optimizer, weight_decay: 1e-4, ..setting(Precision::F32, batch) };
    let mut executor = engine.executor(network, &weights, &setting).unwrap();
    let mut steps = Vec::new();
    for step in 0..20 {
        let rows: Vec<u32> = (0..batch).map(|i| ((step * batch + i) % engine.rows()) as u32).collect();
        let scores = executor.forward(&Batch::plain(&rows), Mode::Train).unwrap().to_vec();
        let mut gradient = vec![0.0; batch];
        let (to_positive, to_unlabeled) = gradient.split_at_mut(positives);
        objective.evaluate(&scores[..positives], &scores[positives..], to_positive, to_unlabeled);
        executor.backward(&gradient).unwrap();
        executor.step(learning_rate).unwrap();
        steps.push(scores);
    }
    (steps, executor.weights().unwrap())
}

/// Small differences of one step do not grow over the next: optimizers and layers are the same on both devices.
#[test]
fn twenty_steps_follow_the_cpu() {
    let Some(_card) = card() else { return };
    let image = Shape { channels: 1, height: 16, width: 16 };
    let optimizers = [
        (Optimizer::Nadam, 1e-3),
        (Optimizer::NadamW, 1e-3),
        (Optimizer::Adam, 1e-3),
        (Optimizer::Sgd { momentum: 0.9 }, 1e-2),
    ];
    for (name, input) in
        [("cnn", image), ("mlp:64,32", Shape::flat(30)), ("mlp:32,32:softsign", Shape::flat(30))]
    {
        let network = name.parse::<Architecture>().unwrap().network(input).unwrap();
        let data = normals(12, 230 * input.len());
        for (optimizer, rate) in optimizers {
            let on = |device| trajectory(device, &network, &data, optimizer, rate);
            let ((have, weights), (want, expected)) = (on(GPU), on(Device::Cpu));
            for (step, (have, want)) in have.iter().zip(&want).enumerate() {
                let gap = gap(have, want);
                assert!(gap < 1e-3, "{name}, {optimizer}, step {step}: scores are off by {gap:.2e}");
            }
            let gap = gap(&flat(&weights), &flat(&expected));
            assert!(gap < 1e-3, "{name}, {optimizer}: weights are off by {gap:.2e}");
        }
    }
}

/// What a training run borrows.
struct Task {
    network: Network,
    data: Vec<f32>,
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
    objective: Collective,
}

impl Task {
    fn new(name: &str, input: Shape) -> Self {
        let rows = 300;
        let mut data = normals(13, rows * input.len());
        data[..120 * input.len()].iter_mut().for_each(|x| *x += 0.3);
        Self {
            network: name.parse::<Architecture>().unwrap().network(input).unwrap(),
            data,
            positive: (0..60).collect(),
            unlabeled: (60..rows as u32).collect(),
            objective: Collective::new(0.25, Reduction::SumOfMeans).unwrap(),
        }
    }

    fn job<'j>(&'j self, config: &'j TrainConfig, checkpoint: Option<&'j Path>) -> Job<'j> {
        Job {
            network: &self.network,
            data: Source::Numbers(&self.data),
            positive: &self.positive,
            unlabeled: &self.unlabeled,
            held_out_positive: &[],
            held_out_unlabeled: &[],
            negatives: None,
            weights: None,
            objective: &self.objective,
            start_bias: -1.0,
            share: Some(0.25),
            risk: None,
            risk_name: "",
            config,
            checkpoint,
        }
    }
}

fn config(seed: u64) -> TrainConfig {
    TrainConfig {
        batch: 50,
        epochs: 5,
        mix: Mix::AtLeast(0.2),
        seed,
        threads: 1,
        device: GPU,
        precision: Precision::Bf16,
        ..TrainConfig::default()
    }
}

/// Runs that share the card on their own streams do not disturb each other, and a run can be repeated.
#[test]
fn runs_side_by_side_give_the_bytes_of_runs_one_after_another() {
    let Some(_card) = card() else { return };
    let task = Task::new("cnn", Shape { channels: 3, height: 16, width: 16 });
    let augment: Augment = "crop+flip".parse().unwrap();
    let configs: Vec<TrainConfig> = (0..3)
        .map(|seed| {
            // The last two have a teacher each.
            let teacher = (seed > 0).then(|| Teacher { ramp: 1.0, ..Teacher::default() });
            TrainConfig { augment, teacher, ..config(seed) }
        })
        .collect();
    let jobs: Vec<Job> = configs.iter().map(|config| task.job(config, None)).collect();
    let trained = |at_once| -> Vec<Vec<u32>> {
        let results = train_side_by_side(&jobs, at_once, &|_, _| true);
        results.into_iter().map(|result| bits(&result.unwrap().weights)).collect()
    };
    let alone = trained(1);
    let again = bits(&train(&jobs[0], &mut |_| true).unwrap().weights);
    assert!(again == alone[0], "a run that was repeated has other weights");
    assert!(alone[0] != alone[1] && alone[1] != alone[2], "seeds make no difference");
    for (seed, (beside, alone)) in trained(3).iter().zip(&alone).enumerate() {
        assert!(beside == alone, "the run of seed {seed} has different weights next to other runs");
    }
}

/// A checkpoint holds everything that training on a card continues from.
#[test]
fn a_checkpoint_resumes_to_the_same_bytes() {
    let Some(_card) = card() else { return };
    let task = Task::new("mlp:64,32:dropout=0.1", Shape::flat(20));
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-cuda", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, config) = (folder.join("checkpoint.safetensors"), config(4));
    let whole = train(&task.job(&config, None), &mut |_| true).unwrap();
    let job = task.job(&config, Some(&path));
    let cut = train(&job, &mut |progress| progress.epoch < 4 || progress.batch < 2).unwrap();
    assert!(cut.interrupted && path.exists());
    let rest = train(&job, &mut |_| true).unwrap();
    assert_eq!(rest.resumed_from, Some(3));
    assert!(bits(&rest.weights) == bits(&whole.weights), "the resumed run has other weights");
    assert_eq!(rest.history, whole.history);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Strong views are the CPU's, of bytes and of numbers, with and without draws.
#[test]
fn strong_views_are_the_cpus() {
    let Some(_card) = card() else { return };
    for channels in [1, 3] {
        let input = Shape { channels, height: 18, width: 13 };
        let network = Architecture::Linear.network(input).unwrap();
        let weights = Weights::initial(&network, 0.5, 3).unwrap();
        let images = 40;
        let mut stream = Stream::new(4, "images");
        let bytes: Vec<u8> = (0..images * input.len()).map(|_| stream.below(256) as u8).collect();
        let numbers = normals(5, images * input.len());
        let (scale, shift) = ([0.017, 0.02, 0.013], [-2.1, -1.7, -1.9]);
        let (scale, shift) = (&scale[..channels], &shift[..channels]);
        let rows: Vec<u32> = (0..200).map(|i| (i * 7 % images) as u32).collect();
        let (mut draws, mut strong) = (Vec::new(), Vec::new());
        Augment { crop: 4, mirror: true }.draws(1, 2, rows.len(), &mut draws);
        Strong::draws(input, 1.0, 3, 4, 150, &mut strong);
        let by = normals(6, rows.len());
        for source in [Source::Numbers(&numbers), Source::Bytes { bytes: &bytes, scale, shift }] {
            for draws in [&draws[..], &[]] {
                let on = |device| {
                    let engine = Engine::new(device, source, input).unwrap();
                    let setting = ExecutorConfig { strong: 160, ..setting(Precision::F32, rows.len()) };
                    let mut executor = engine.executor(&network, &weights, &setting).unwrap();
                    let batch = Batch { draws, strong: &strong, ..Batch::plain(&rows) };
                    let scores = executor.forward(&batch, Mode::Train).unwrap().to_vec();
                    executor.backward(&by).unwrap();
                    (scores, executor.gradients().unwrap().swap_remove(0).1)
                };
                let (have, want) = (on(GPU), on(Device::Cpu));
                let gaps = (gap(&have.0, &want.0), gap(&have.1, &want.1));
                assert!(gaps.0 < 1e-4 && gaps.1 < 1e-4, "{input}: scores and gradient are off by {gaps:?}");
            }
        }
    }
}

/// Rows with numbers left out and mixed rows are the CPU's, of bytes and of numbers, of images and of tables.
#[test]
fn changed_rows_are_the_cpus() {
    let Some(_card) = card() else { return };
    for input in [Shape::flat(1), Shape::flat(301), Shape { channels: 3, height: 18, width: 13 }] {
        let network = Architecture::Linear.network(input).unwrap();
        let weights = Weights::initial(&network, 0.5, 3).unwrap();
        let held = 40;
        let mut stream = Stream::new(4, "rows");
        let bytes: Vec<u8> = (0..held * input.len()).map(|_| stream.below(256) as u8).collect();
        let numbers = normals(5, held * input.len());
        let scale: Vec<f32> = (0..input.channels).map(|c| 0.01 + 0.001 * (c % 7) as f32).collect();
        let shift: Vec<f32> = (0..input.channels).map(|c| -2.0 + 0.1 * (c % 5) as f32).collect();
        let rows: Vec<u32> = (0..200).map(|i| (i * 7 % held) as u32).collect();
        let (mut draws, mut dropped) = (Vec::new(), Vec::new());
        if input.pixels() > 1 {
            Augment { crop: 4, mirror: true }.draws(1, 2, rows.len(), &mut draws);
        }
        Dropped::draws(0.7, 3, 4, 150, &mut dropped);
        let partner = |i: usize| Partner {
            row: (i * 11 % held) as u32,
            draw: draws.get(i).copied().unwrap_or_default(),
            share: i as f32 / 150.0,
        };
        let partners: Vec<Partner> = (0..150).map(partner).collect();
        let by = normals(6, rows.len());
        let plain = Batch { draws: &draws, ..Batch::plain(&rows) };
        let changed = [Batch { dropped: &dropped, ..plain }, Batch { partners: &partners, ..plain }];
        let bytes = Source::Bytes { bytes: &bytes, scale: &scale, shift: &shift };
        for source in [Source::Numbers(&numbers), bytes] {
            let on = |device| {
                let engine = Engine::new(device, source, input).unwrap();
                let setting = ExecutorConfig { strong: 160, ..setting(Precision::F32, rows.len()) };
                let mut executor = engine.executor(&network, &weights, &setting).unwrap();
                // One executor takes all kinds of batches, one after the other.
                let mut seen = Vec::new();
                for batch in [plain, changed[0], changed[1], plain] {
                    let scores = executor.forward(&batch, Mode::Train).unwrap().to_vec();
                    executor.backward(&by).unwrap();
                    seen.push((scores, executor.gradients().unwrap().swap_remove(0).1));
                }
                seen
            };
            let (have, want) = (on(GPU), on(Device::Cpu));
            assert!(want[0].0 != want[1].0 && want[0].0 != want[2].0, "nothing was changed");
            for (which, (have, want)) in have.iter().zip(&want).enumerate() {
                let gaps = (gap(&have.0, &want.0), gap(&have.1, &want.1));
                let close = gaps.0 < 1e-4 && gaps.1 < 1e-4;
                assert!(close, "{input}, batch {which}: scores and gradient are off by {gaps:?}");
            }
            let engine = Engine::new(GPU, source, input).unwrap();
            let setting = ExecutorConfig { strong: 100, ..setting(Precision::F32, rows.len()) };
            let mut executor = engine.executor(&network, &weights, &setting).unwrap();
            let message = executor.forward(&changed[1], Mode::Train).unwrap_err().to_string();
            assert!(message.contains("150 strong views or mixed rows"), "{message}");
        }
    }
}

/// A teacher of rows that are no images and mixed rows: the CPU's weights in f32, the same bytes again in bf16.
#[test]
fn teachers_and_mixed_rows_of_tables_are_the_cpus() {
    let Some(_card) = card() else { return };
    let task = Task::new("mlp:32,32", Shape::flat(20));
    let teacher = Some(Teacher { rate: 0.9, confidence: 0.6, weight: 2.0, ramp: 1.0, ..Teacher::default() });
    let mixup = Some(Mixup::default());
    for config in [
        TrainConfig { teacher, epochs: 2, ..config(4) },
        TrainConfig { mixup, average: Some(0.9), epochs: 2, ..config(4) },
    ] {
        let weights = |config: &TrainConfig| train(&task.job(config, None), &mut |_| true).unwrap().weights;
        let exact = TrainConfig { precision: Precision::F32, ..config.clone() };
        let on_cpu = weights(&TrainConfig { device: Device::Cpu, ..exact.clone() });
        let gap = gap(&flat(&weights(&exact)), &flat(&on_cpu));
        assert!(gap < 1e-2, "weights are off by {gap:.2e}");
        assert!(bits(&weights(&config)) == bits(&weights(&config)), "a run repeated has other weights");
        let plain = TrainConfig { teacher: None, mixup: None, average: None, ..exact };
        assert!(self::gap(&flat(&weights(&plain)), &flat(&on_cpu)) > 1e-2, "nothing was changed");
    }
}

/// Averaged weights and statistics, and both kinds of looks at them, are the CPU's.
#[test]
fn averages_are_the_cpus() {
    let Some(_card) = card() else { return };
    let input = Shape { channels: 3, height: 8, width: 8 };
    let network = Architecture::Cnn.network(input).unwrap();
    let start = Weights::initial(&network, 0.5, 3).unwrap();
    let data = normals(5, 60 * input.len());
    let rows: Vec<u32> = (0..60).collect();
    let on = |device| {
        let engine = Engine::new(device, Source::Numbers(&data), input).unwrap();
        let mut executor = engine.executor(&network, &start, &setting(Precision::F32, rows.len())).unwrap();
        executor.start_average(None).unwrap();
        let mut looks = Vec::new();
        for _ in 0..3 {
            let seen = executor.forward_average(&Batch::plain(&rows[..40]), Mode::Observe).unwrap();
            looks.extend_from_slice(seen);
            executor.forward(&Batch::plain(&rows), Mode::Train).unwrap();
            executor.backward(&vec![0.01; rows.len()]).unwrap();
            executor.step(1e-3).unwrap();
            executor.average(0.8).unwrap();
        }
        looks.extend_from_slice(executor.forward_average(&Batch::plain(&rows), Mode::Predict).unwrap());
        (looks, flat(&executor.averaged().unwrap()))
    };
    let (have, want) = (on(GPU), on(Device::Cpu));
    let gaps = (gap(&have.0, &want.0), gap(&have.1, &want.1));
    assert!(gaps.0 < 1e-3 && gaps.1 < 1e-4, "scores and averages are off by {gaps:?}");
}

/// Training with a teacher: the CPU's weights in f32, a resumed run's in bf16.
#[test]
fn a_teacher_on_a_card_teaches_as_one_on_the_cpu_and_can_be_resumed() {
    let Some(_card) = card() else { return };
    let task = Task::new("cnn", Shape { channels: 3, height: 8, width: 8 });
    let teacher = Some(Teacher { rate: 0.9, confidence: 0.6, weight: 2.0, ramp: 1.0, ..Teacher::default() });
    let augment: Augment = "crop:2".parse().unwrap();
    let config = TrainConfig { teacher, augment, epochs: 2, ..config(4) };
    let weights = |config: &TrainConfig| {
        let job = Job { share: Some(0.25), ..task.job(config, None) };
        train(&job, &mut |_| true).unwrap().weights
    };
    let exact = TrainConfig { precision: Precision::F32, ..config.clone() };
    let on_cpu = weights(&TrainConfig { device: Device::Cpu, ..exact.clone() });
    let gap = gap(&flat(&weights(&exact)), &flat(&on_cpu));
    assert!(gap < 2e-2, "weights are off by {gap:.2e}");
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-cuda-teacher", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("checkpoint.safetensors");
    let whole = weights(&config);
    let job = Job { share: Some(0.25), ..task.job(&config, Some(&path)) };
    assert!(train(&job, &mut |progress| progress.epoch < 2).unwrap().interrupted);
    let rest = train(&job, &mut |_| true).unwrap();
    assert_eq!(rest.resumed_from, Some(1));
    assert!(bits(&rest.weights) == bits(&whole), "the resumed run has other weights");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A batch beyond the card's memory is refused with a batch that fits, and the card is as good as before.
#[test]
fn too_large_a_batch_says_what_is_free() {
    let Some(_card) = card() else { return };
    let input = Shape { channels: 3, height: 32, width: 32 };
    let network = Architecture::Vgg16 { batch_norm: true }.network(input).unwrap();
    let weights = Weights::initial(&network, 0.0, 1).unwrap();
    let data = normals(14, 8 * input.len());
    let engine = Engine::new(GPU, Source::Numbers(&data), input).unwrap();
    let wanted = 50_000_000;
    let error = engine.executor(&network, &weights, &setting(Precision::Bf16, wanted)).err().unwrap();
    let NetError::DeviceMemory { asked, free, batch, suggestion } = error else { panic!("{error}") };
    assert!(asked > free && free > 0, "{error}");
    assert!(batch >= wanted && suggestion.is_some_and(|rows| rows > 0 && rows < wanted), "{error}");
    let mut executor = engine.executor(&network, &weights, &setting(Precision::Bf16, 8)).unwrap();
    let scores = executor.forward(&Batch::plain(&[0, 3, 7]), Mode::Train).unwrap();
    assert!(scores.len() == 3 && scores.iter().all(|s| s.is_finite()), "{scores:?}");
}

/// Mistakes of a caller are errors, and the next right request is answered.
#[test]
fn wrong_requests_are_refused() {
    let Some(_card) = card() else { return };
    let network = "mlp:16".parse::<Architecture>().unwrap().network(Shape::flat(3)).unwrap();
    let weights = Weights::initial(&network, 0.0, 1).unwrap();
    let data = normals(15, 40 * 3);
    let engine = Engine::new(GPU, Source::Numbers(&data), network.input).unwrap();
    let mut executor = engine.executor(&network, &weights, &setting(Precision::F32, 8)).unwrap();
    assert!(executor.backward(&[1.0]).is_err(), "no pass came before");
    let right: Vec<u32> = (0..5).collect();
    let scores = executor.forward(&Batch::plain(&right), Mode::Predict).unwrap().to_vec();
    assert!(executor.backward(&[1.0; 5]).is_err(), "a prediction has no backward pass");
    let many: Vec<u32> = (0..executor.rows_at_once() as u32 + 1).collect();
    for mode in [Mode::Train, Mode::Predict] {
        let many = executor.forward(&Batch::plain(&many), mode).unwrap_err().to_string();
        assert!(many.contains("9 rows"), "{many}");
        let past = executor.forward(&Batch::plain(&[0, 40]), mode).unwrap_err().to_string();
        assert!(past.contains("row 40"), "{past}");
    }
    let again = executor.forward(&Batch::plain(&right), Mode::Predict).unwrap();
    assert_eq!(again, scores);
}

/// One training step of the largest network in bf16 and of a small one in f32, for memory checkers.
#[test]
#[ignore = "for memory checkers; ask for it by name"]
fn one_vgg_step() {
    let Some(_card) = card() else { return };
    for (name, precision) in [("vgg16", Precision::Bf16), ("cnn", Precision::F32)] {
        let input = Shape { channels: 3, height: 32, width: 32 };
        let network = name.parse::<Architecture>().unwrap().network(input).unwrap();
        let weights = Weights::initial(&network, -1.0, 2).unwrap();
        let data = normals(16, 32 * input.len());
        let engine = Engine::new(GPU, Source::Numbers(&data), input).unwrap();
        let mut executor = engine.executor(&network, &weights, &setting(precision, 32)).unwrap();
        let rows: Vec<u32> = (0..32).collect();
        let scores = executor.forward(&Batch::plain(&rows), Mode::Train).unwrap();
        assert!(scores.iter().all(|s| s.is_finite()), "{name}: {scores:?}");
        executor.backward(&normals(17, 32)).unwrap();
        executor.step(1e-3).unwrap();
        let moved = gap(&flat(&executor.weights().unwrap()), &flat(&weights));
        assert!(moved > 0.0 && moved.is_finite(), "{name}: weights moved by {moved}");
    }
}
