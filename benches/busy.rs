//! Training on a machine that has other work: threads by default and one thread, alone and beside busy loops.
//!
//!     cargo bench -p onesided-net --bench busy
//!     cargo bench -p onesided-net --bench busy -- --against OTHER --rounds 9 --loops 2
//!
//! Every reading is a process of its own. A round takes each reading once, in turn, so that a change of the machine meets
//! all of them; the table has medians over rounds with the lowest and highest, and medians of the ratios within a
//! round. `OTHER` is this benchmark built from another version (the file that `cargo bench --no-run` names): it is read
//! in the same rounds, and must give the same weights bit for bit. `--loops` is the number of busy loops, as many as
//! there are cores when it is not given.

use onesided_data::Stream;
use onesided_loss::{Collective, Objective, Reduction};
use onesided_net::{
    Activation, Architecture, Batch, CpuExecutor, Executor, Mode, Network, Optimizer, Shape, Weights,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Name, rows in a batch, steps.
const JOBS: [(&str, usize, usize); 3] = [("mlp", 128, 400), ("mlp", 512, 120), ("cnn", 64, 40)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [one, job, threads] = arguments.as_slice()
        && one == "one"
    {
        return one_reading(number(job), number(threads));
    }
    let value = |name: &str| arguments.iter().skip_while(|arg| *arg != name).nth(1);
    let rounds = value("--rounds").map_or(7, |text| number(text));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let loops = value("--loops").map_or(cores, |text| number(text));
    let mut versions = vec![std::env::current_exe().expect("this program")];
    versions.extend(value("--against").map(PathBuf::from));
    println!("{cores} cores, {rounds} rounds, {loops} busy loops; seconds, lower is better");
    println!(
        "{:12} {:6} {:8} {:26} {:26} {:24}",
        "job", "loops", "version", "threads by default", "one thread", "default / one"
    );
    for (job, (name, batch, _)) in JOBS.into_iter().enumerate() {
        for loops in [0, loops] {
            // By version: seconds by default and on one thread.
            let mut taken = vec![(Vec::new(), Vec::new()); versions.len()];
            for _ in 0..rounds {
                let mut weights = Vec::new();
                for (version, taken) in versions.iter().zip(&mut taken) {
                    let (by_default, first) = beside(loops, || reading(version, job, 0));
                    let (on_one, second) = beside(loops, || reading(version, job, 1));
                    taken.0.push(by_default);
                    taken.1.push(on_one);
                    weights.push((first, second));
                }
                assert!(
                    weights.iter().all(|other| *other == weights[0]),
                    "versions differ in what they learn"
                );
            }
            for (version, (by_default, on_one)) in taken.iter().enumerate() {
                let ratios = by_default.iter().zip(on_one).map(|(a, b)| a / b).collect();
                println!(
                    "{:12} {loops:6} {:8} {:26} {:26} {:24}",
                    format!("{name} {batch}"),
                    if version == 0 { "this" } else { "other" },
                    spread(by_default.clone()),
                    spread(on_one.clone()),
                    spread(ratios),
                );
            }
            if let [this, other] = taken.as_slice() {
                let ratios = |this: &[f64], other: &[f64]| {
                    spread(this.iter().zip(other).map(|(a, b)| a / b).collect())
                };
                println!(
                    "{:12} {loops:6} {:8} {:26} {:26}",
                    format!("{name} {batch}"),
                    "ratio",
                    ratios(&this.0, &other.0),
                    ratios(&this.1, &other.1)
                );
            }
        }
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("a whole number")
}

/// Median, lowest and highest.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    format!("{:.3} ({:.3} – {:.3})", values[values.len() / 2], values[0], values[values.len() - 1])
}

/// Does something while `loops` threads of this process are busy.
fn beside<T>(loops: usize, something: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..loops {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::black_box(0);
                }
            });
        }
        let value = something();
        stop.store(true, Ordering::Relaxed);
        value
    })
}

/// Seconds of a job in a process of its own, and a hash of the weights it ended with.
fn reading(version: &Path, job: usize, threads: usize) -> (f64, String) {
    let output = Command::new(version).args(["one", &job.to_string(), &threads.to_string()]).output();
    let text = String::from_utf8(output.expect("a reading").stdout).expect("text");
    let (seconds, weights) = text.trim().split_once(' ').expect("seconds and weights");
    (seconds.parse().expect("seconds"), weights.to_string())
}

/// Trains and prints the seconds it took and a hash of the weights.
fn one_reading(job: usize, threads: usize) {
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
