//! One reading of `benches/busy.py`, which says how to run it: trains job `JOB` on `THREADS` threads (0 for the default) and
//! prints the seconds it took and a hash of the weights it ended with.

use onesided_data::Stream;
use onesided_loss::{Collective, Objective, Reduction};
use onesided_net::{
    Activation, Architecture, Batch, CpuExecutor, Executor, Mode, Network, Optimizer, Shape, Weights,
};
use std::time::Instant;

/// Name, rows in a batch, steps.
const JOBS: [(&str, usize, usize); 3] = [("mlp", 128, 400), ("mlp", 512, 120), ("cnn", 64, 40)];

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [job, threads] = numbers[..] else { return eprintln!("JOB and THREADS; see benches/busy.py") };
    let (name, batch, steps) = JOBS[job];
    let network = network(name);
    let mut stream = Stream::new(0, "bench");
    let data: Vec<f32> = (0..batch * network.input.len()).map(|_| stream.normal() as f32).collect();
    let rows: Vec<u32> = (0..batch as u32).collect();
    let weights = Weights::initial(&network, 0.0, 0).expect("initial weights");
    let mut executor =
        CpuExecutor::new(&network, &weights, &data, threads, Optimizer::Nadam, 0.0).expect("an executor");
    let objective = Collective::new(0.3, Reduction::SumOfMeans).expect("a prior inside (0, 1)");
    let mut gradient = vec![0.0; batch];
    let mut step = || {
        let scores = executor.forward(&Batch::plain(&rows), Mode::Train).expect("scores");
        let (positive, unlabeled) = scores.split_at(batch / 2);
        let (to_positive, to_unlabeled) = gradient.split_at_mut(batch / 2);
        objective.evaluate(positive, unlabeled, to_positive, to_unlabeled);
        executor.backward(&gradient).expect("gradients");
        executor.step(5e-4).expect("a step");
    };
    (0..3).for_each(|_| step());
    let start = Instant::now();
    (0..steps).for_each(|_| step());
    let seconds = start.elapsed().as_secs_f64();
    let weights = executor.weights().expect("weights");
    let bits = weights.tensors.iter().flat_map(|tensor| &tensor.data).map(|x| u64::from(x.to_bits()));
    // FNV-1a, a number at a time.
    let hash = bits.fold(0xcbf2_9ce4_8422_2325u64, |hash, x| (hash ^ x).wrapping_mul(0x0100_0000_01b3));
    println!("{seconds} {hash:016x}");
}

fn network(name: &str) -> Network {
    let (architecture, input) = match name {
        "cnn" => (Architecture::Cnn, Shape { channels: 1, height: 28, width: 28 }),
        _ => {
            let (hidden, activation) = (vec![300; 4], Activation::Softsign);
            (Architecture::Mlp { hidden, activation, batch_norm: false, dropout: 0.0 }, Shape::flat(300))
        }
    };
    architecture.network(input).expect("a network of the zoo")
}
