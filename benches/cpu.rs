//! Training speed on the CPU: one step under the collective loss with NAdam, the jobs of `benches/peers/torch_cpu.py`.
//!
//!     python3 benches/peers/torch_cpu.py --threads 2 && cargo bench -p onesided-net
//!
//! Prints samples a second, the median over repeats with the range, for one thread and for two. Run the peer and this
//! one after the other on the same idle machine and quote the ratio. `cargo bench -p onesided-net -- vgg` runs the rows whose
//! name holds `vgg`.

use onesided_data::Stream;
use onesided_loss::{Collective, Objective, Reduction};
use onesided_net::{
    Activation, Architecture, Batch, CpuExecutor, Executor, Mode, Network, Optimizer, Shape, Weights,
};
use std::time::Instant;

const REPEATS: usize = 7;

fn mlp(hidden: Vec<usize>, activation: Activation) -> Architecture {
    Architecture::Mlp { hidden, activation, batch_norm: false, dropout: 0.0 }
}

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let softsign = mlp(vec![300; 4], Activation::Softsign);
    let small = mlp(vec![64, 32], Activation::Relu);
    let (digit, photo) =
        (Shape { channels: 1, height: 28, width: 28 }, Shape { channels: 3, height: 32, width: 32 });
    let jobs = [
        ("mlp 300x5 softsign", softsign.network(Shape::flat(300)), 128, 200),
        ("mlp 300x5 softsign", softsign.network(Shape::flat(300)), 512, 100),
        ("mlp 300x5 softsign", softsign.network(Shape::flat(300)), 4096, 15),
        ("mlp 50-64-32 relu", small.network(Shape::flat(50)), 512, 500),
        ("cnn 28x28", Architecture::Cnn.network(digit), 256, 10),
        ("vgg16 32x32", Architecture::Vgg16 { batch_norm: true }.network(photo), 128, 1),
    ];
    println!(
        "{:24} {:>6} {:>8} {:>12} {:>26} {:>10}",
        "network", "batch", "threads", "samples/s", "range", "ms/step"
    );
    for (name, network, batch, steps) in jobs {
        if !name.contains(&filter) {
            continue;
        }
        let network = network.expect("a network of the zoo");
        for threads in [1, 2] {
            measure(name, &network, batch, steps, threads);
        }
    }
}

fn measure(name: &str, network: &Network, batch: usize, steps: usize, threads: usize) {
    let mut stream = Stream::new(0, "bench");
    let data: Vec<f32> = (0..batch * network.input.len()).map(|_| stream.normal() as f32).collect();
    let rows: Vec<u32> = (0..batch as u32).collect();
    let weights = Weights::initial(network, 0.0, 0).expect("initial weights");
    let mut executor =
        CpuExecutor::new(network, &weights, &data, threads, Optimizer::Nadam, 0.0).expect("an executor");
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
    let mut seconds: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            (0..steps).for_each(|_| step());
            start.elapsed().as_secs_f64() / steps as f64
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let rate = |s: f64| batch as f64 / s;
    let (median, fast, slow) = (seconds[REPEATS / 2], seconds[0], seconds[REPEATS - 1]);
    println!(
        "{name:24} {batch:6} {threads:8} {:12.0} {:>12.0} –{:12.0} {:10.3}",
        rate(median),
        rate(slow),
        rate(fast),
        median * 1e3
    );
}
