//! Training speed of the machine at hand: real steps (forward, collective loss, backward, NAdam) on random data.
//!
//! ```
//! use onesided_net::bench::{Case, BenchOptions, measure};
//! use onesided_net::Shape;
//! use std::time::Duration;
//!
//! let case = Case { network: "linear".into(), input: Shape::flat(50), batch: 512, runs: 1 };
//! let measured = measure(&case, &BenchOptions { time: Duration::from_millis(20), ..BenchOptions::default() })?;
//! println!("{case}: {:.0} rows/s on {}", measured.rows_per_second.median, measured.device);
//! # Ok::<(), onesided_net::NetError>(())
//! ```

use crate::{
    Architecture, Batch, Device, Engine, ExecutorConfig, Mode, NetError, Network, Precision, Shape, Source,
    Weights,
};
use onesided_data::Stream;
use onesided_loss::{Collective, Objective, Reduction};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// Parts that the time of a case is cut into; their spread is the spread of the measurement.
const REPEATS: usize = 5;
/// Steps before the clock starts: a device chooses kernels and records its step in the first of them.
const WARM_UP: usize = 3;
/// Batches that the data has rows for.
const BATCHES: usize = 4;
const LEARNING_RATE: f64 = 5e-4;

/// What is measured: a network on rows of a shape, at a size of the batch, once or several times side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The network by the name users type.
    pub network: String,
    /// The shape of a row; an image is held as bytes, everything else as numbers.
    pub input: Shape,
    /// Rows per step.
    pub batch: usize,
    /// Training runs at once on the device.
    pub runs: usize,
}

impl Case {
    /// The lines of the throughput table; the larger ones are left out where there is no card to run them on.
    pub fn all(on_card: bool) -> Vec<Case> {
        let image = |channels, side| Shape { channels, height: side, width: side };
        let case = |network: &str, input, batch, runs| Case { network: network.into(), input, batch, runs };
        let mut all = vec![case("vgg16", image(3, 32), 128, 1)];
        if on_card {
            let photo = image(3, 32);
            all.extend(
                [(512, 1), (2048, 1), (128, 4)].map(|(batch, runs)| case("vgg16", photo, batch, runs)),
            );
            all.extend([128, 512, 2048].map(|batch| case("resnet18", photo, batch, 1)));
        }
        all.extend([
            case("cnn", image(1, 28), 512, 1),
            case("mlp:300x5:softsign", Shape::flat(300), 128, 1),
            case("mlp:300x5:softsign", Shape::flat(300), 512, 1),
            case("mlp", Shape::flat(64), 128, 1),
            case("linear", Shape::flat(50), 512, 1),
        ]);
        all
    }
}

impl fmt::Display for Case {
    /// `vgg16/512`, or `vgg16/128x4` for four runs side by side.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.batch)?;
        if self.runs > 1 { write!(f, "x{}", self.runs) } else { Ok(()) }
    }
}

/// Where and for how long.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// The device; [`Device::Auto`] is what training would take.
    pub device: Device,
    /// Numbers of a GPU.
    pub precision: Precision,
    /// Threads of the CPU; 0 for every core.
    pub threads: usize,
    /// The time to measure for, after the warm-up. At least five steps are taken whatever it is.
    pub time: Duration,
}

impl Default for BenchOptions {
    fn default() -> Self {
        let (device, precision) = (Device::default(), Precision::default());
        Self { device, precision, threads: 0, time: Duration::from_secs(3) }
    }
}

/// Rates of the repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The one in the middle.
    pub median: f64,
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
}

impl Spread {
    fn of(mut rates: Vec<f64>) -> Self {
        rates.sort_by(f64::total_cmp);
        let at = |place: usize| rates.get(place).copied().unwrap_or(0.0);
        Self { median: at(rates.len() / 2), min: at(0), max: at(rates.len().saturating_sub(1)) }
    }

    /// The same in another unit.
    pub fn times(self, factor: f64) -> Self {
        Self { median: self.median * factor, min: self.min * factor, max: self.max * factor }
    }
}

/// What was measured. Rates are of all runs together.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The device by its name.
    pub device: String,
    /// Whether it is the CPU, which computes in f32.
    pub on_cpu: bool,
    /// Rows per second.
    pub rows_per_second: Spread,
    /// Steps per second.
    pub steps_per_second: Spread,
    /// Steps that were counted.
    pub steps: usize,
    /// When the first step was finished, warm-up included.
    pub first_step: Instant,
}

/// Measures one case.
pub fn measure(case: &Case, how: &BenchOptions) -> Result<Measured, NetError> {
    if case.batch < 2 || case.runs == 0 {
        return Err(NetError::Config(format!(
            "a run of training with a batch of at least 2 rows is needed, but the case is {} of {}",
            case.runs, case.batch
        )));
    }
    let network = case.network.parse::<Architecture>()?.network(case.input)?;
    let data = Data::random(case);
    let engine = Engine::new(how.device.resolve(&network, case.batch), data.source(), case.input)?;
    let bench = Bench { case, how, engine: &engine, network: &network, board: Board::default() };
    let logs = bench.run()?;
    let first_step = logs.iter().map(|log| log.first_step).min().unwrap_or_else(Instant::now);
    let (steps, rates) = rates(&logs);
    let steps_per_second = Spread::of(rates);
    Ok(Measured {
        device: engine.describe(),
        on_cpu: engine.device() == Device::Cpu,
        rows_per_second: steps_per_second.times(case.batch as f64),
        steps_per_second,
        steps,
        first_step,
    })
}

/// Random rows; zeros would let a processor off lightly.
enum Data {
    Bytes { bytes: Vec<u8>, scale: Vec<f32>, shift: Vec<f32> },
    Numbers(Vec<f32>),
}

impl Data {
    fn random(case: &Case) -> Self {
        let mut stream = Stream::new(0, "bench");
        let (count, channels) = (BATCHES * case.batch * case.input.len(), case.input.channels);
        if case.input.pixels() == 1 {
            return Data::Numbers((0..count).map(|_| stream.normal() as f32).collect());
        }
        let mut bytes: Vec<u8> =
            (0..count.div_ceil(8)).flat_map(|_| stream.next_u64().to_le_bytes()).collect();
        bytes.truncate(count);
        // Uniform bytes have mean 127.5 and standard deviation 73.9.
        Data::Bytes { bytes, scale: vec![1.0 / 73.9; channels], shift: vec![-127.5 / 73.9; channels] }
    }

    fn source(&self) -> Source<'_> {
        match self {
            Data::Bytes { bytes, scale, shift } => Source::Bytes { bytes, scale, shift },
            Data::Numbers(numbers) => Source::Numbers(numbers),
        }
    }
}

/// What the runs tell each other.
#[derive(Default)]
struct Board {
    /// Runs past their warm-up; steps count once all are.
    ready: AtomicUsize,
    /// The time is up.
    stop: AtomicBool,
    /// A run has ended early, and the others need not continue.
    failed: AtomicBool,
}

/// One run's steps.
struct Log {
    first_step: Instant,
    /// When the warm-up ended, then when each step did.
    ends: Vec<Instant>,
}

struct Bench<'b> {
    case: &'b Case,
    how: &'b BenchOptions,
    engine: &'b Engine<'b>,
    network: &'b Network,
    board: Board,
}

impl Bench<'_> {
    fn run(&self) -> Result<Vec<Log>, NetError> {
        let board = &self.board;
        thread::scope(|scope| {
            let start = |run| {
                let named = thread::Builder::new().name(format!("bench {run}"));
                named.spawn_scoped(scope, move || self.train(run))
            };
            let mut runs = Vec::new();
            for run in 0..self.case.runs {
                match start(run) {
                    Ok(handle) => runs.push(handle),
                    Err(error) => {
                        board.failed.store(true, SeqCst);
                        return Err(NetError::Config(format!("cannot start thread {run}: {error}")));
                    }
                }
            }
            while board.ready.load(SeqCst) < runs.len() && !runs.iter().any(|run| run.is_finished()) {
                thread::sleep(Duration::from_millis(1));
            }
            if board.ready.load(SeqCst) < runs.len() {
                board.failed.store(true, SeqCst)
            } else {
                thread::sleep(self.how.time)
            }
            board.stop.store(true, SeqCst);
            // Every run is waited for before the first error is given back.
            let results: Vec<_> = runs
                .into_iter()
                .map(|run| run.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)))
                .collect();
            results.into_iter().collect()
        })
    }

    /// Steps until the time is up.
    fn train(&self, run: usize) -> Result<Log, NetError> {
        let Bench { case, how, engine, network, board } = self;
        let setting = ExecutorConfig {
            threads: how.threads,
            precision: how.precision,
            batch: case.batch,
            ..ExecutorConfig::default()
        };
        let weights = Weights::initial(network, 0.0, run as u64)?;
        let mut executor = engine.executor(network, &weights, &setting)?;
        let objective =
            Collective::new(0.3, Reduction::SumOfMeans).expect("0.3 lies strictly between 0 and 1");
        let mut order: Vec<u32> = (0..(BATCHES * case.batch) as u32).collect();
        Stream::new(run as u64, "bench order").shuffle(&mut order);
        let mut gradient = vec![0.0; case.batch];
        let mut first_step = None;
        let mut ends = Vec::new();
        let mut counted = 0;
        for (step, rows) in order.chunks_exact(case.batch).cycle().enumerate() {
            let scores = executor.forward(&Batch::plain(rows), Mode::Train)?;
            // A GPU keeps working after `step` has returned; once it has the next scores, that step is behind it. The same
            // holds of every interval below: what is still under way at its start is left over at its end.
            if step == 1 {
                first_step.get_or_insert_with(Instant::now);
            }
            let (positive, unlabeled) = scores.split_at(case.batch / 2);
            let (to_positive, to_unlabeled) = gradient.split_at_mut(case.batch / 2);
            objective.evaluate(positive, unlabeled, to_positive, to_unlabeled);
            executor.backward(&gradient)?;
            executor.step(LEARNING_RATE)?;
            if engine.device() == Device::Cpu {
                first_step.get_or_insert_with(Instant::now);
            }
            if step + 1 < WARM_UP {
                continue;
            }
            if step + 1 == WARM_UP {
                board.ready.fetch_add(1, SeqCst);
            }
            ends.push(Instant::now());
            counted += usize::from(board.ready.load(SeqCst) == case.runs);
            if board.failed.load(SeqCst) || (board.stop.load(SeqCst) && counted > REPEATS) {
                break;
            }
        }
        Ok(Log { first_step: first_step.unwrap_or_else(Instant::now), ends })
    }
}

/// How many steps all runs took together while none of them was starting or done, and steps per second in each part.
fn rates(logs: &[Log]) -> (usize, Vec<f64>) {
    let start = logs.iter().filter_map(|log| log.ends.first()).max();
    let end = logs.iter().filter_map(|log| log.ends.last()).min();
    let (Some(&start), Some(&end)) = (start, end) else { return (0, Vec::new()) };
    let mut ends: Vec<Instant> =
        logs.iter().flat_map(|log| &log.ends).copied().filter(|&at| at > start && at <= end).collect();
    ends.sort();
    let at = |step: usize| if step == 0 { start } else { ends[step - 1] };
    let parts = REPEATS.min(ends.len());
    let bound = |part: usize| part * ends.len() / parts;
    let rate = |part: usize| {
        let (from, to) = (bound(part), bound(part + 1));
        (to - from) as f64 / (at(to) - at(from)).as_secs_f64().max(1e-9)
    };
    (ends.len(), (0..parts).map(rate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(start: Instant, milliseconds: impl IntoIterator<Item = u64>) -> Log {
        let ends = milliseconds.into_iter().map(|ms| start + Duration::from_millis(ms)).collect();
        Log { first_step: start, ends }
    }

    #[test]
    fn rates_come_from_the_steps_between_warm_up_and_end() {
        let start = Instant::now();
        // Ten steps of 10 ms, the last two of 20 ms.
        let (steps, rates) = rates(&[log(start, [5, 15, 25, 35, 45, 55, 65, 75, 85, 105, 125])]);
        assert_eq!(steps, 10);
        let spread = Spread::of(rates);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(
            close(spread.median, 100.0) && close(spread.max, 100.0) && close(spread.min, 50.0),
            "{spread:?}"
        );
    }

    #[test]
    fn runs_side_by_side_are_counted_together_and_only_while_all_run() {
        let start = Instant::now();
        let long = log(start, (0..=300).map(|k| 10 * k));
        let late = log(start, (0..=100).map(|k| 1000 + 10 * k));
        let (steps, rates) = rates(&[long, late]);
        // From 1 s to 2 s both take a step every 10 ms.
        assert_eq!(steps, 200);
        assert!(rates.len() == 5 && rates.iter().all(|rate| (rate - 200.0).abs() < 1e-6), "{rates:?}");
        assert_eq!(super::rates(&[]), (0, vec![]));
    }

    #[test]
    fn every_case_is_a_network_and_has_a_name_of_its_own() {
        let cases = Case::all(true);
        let mut names: Vec<String> = cases.iter().map(Case::to_string).collect();
        assert!(names.contains(&"vgg16/128x4".to_string()) && names.contains(&"linear/512".to_string()));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cases.len());
        for case in cases {
            assert!(case.network.parse::<Architecture>().unwrap().network(case.input).is_ok(), "{case}");
        }
        assert!(Case::all(false).iter().all(|case| case.runs == 1 && case.batch <= 512));
    }

    #[test]
    fn a_case_that_cannot_run_ends_with_its_sentence() {
        let case =
            |network: &str, batch, runs| Case { network: network.into(), input: Shape::flat(8), batch, runs };
        let how = BenchOptions { time: Duration::ZERO, threads: 1, ..BenchOptions::default() };
        for wrong in [case("linear", 1, 1), case("linear", 8, 0), case("cnn", 8, 1), case("lstm", 8, 1)] {
            assert!(measure(&wrong, &how).is_err(), "{wrong}");
        }
        let measured = measure(&case("linear", 8, 3), &how).unwrap();
        assert!(measured.on_cpu && measured.steps >= REPEATS, "{measured:?}");
        assert!(measured.rows_per_second.median > 0.0, "{measured:?}");
    }
}
