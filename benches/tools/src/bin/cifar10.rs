//! CIFAR-10 from positives and unlabeled images, as in the paper of the collective loss.
//!
//! Animals are positive, except that a share of the training animals is hidden among the vehicles: those are the
//! unlabeled images, and the share of animals among them is known. VGG-16 trains on crops and mirror images with NAdam
//! and a cosine schedule; nothing is held out, the last epoch is kept, and the 10,000 test images are judged by the
//! sign of their score.
//!
//!     cargo run --release -p onesided-tools --features onesided-net/cuda --bin cifar10 -- DIR --device cuda
//!     cargo run --release -p onesided-tools --bin cifar10 -- DIR --limit 2000 --epochs 1 --network cnn
//!
//! With `--labels 1000`, vehicles are positive, 1,000 of them are labeled, and everything else is unlabeled: the setting in
//! which methods for few labels are compared. `--teacher on` trains with a teacher, and `--keep-out 10000` judges on the last
//! 10,000 training images, which then take no part in training, so that settings can be chosen without the test images.
//!
//! DIR holds the binary version of CIFAR-10. Prints a JSON object for each seed and one for all of them. The options and
//! their defaults are those of [`Options`].

use onesided_data::{Label, hide, label_some};
use onesided_experiment::{CIFAR10_CLASSES, Cifar10, cifar10};
use onesided_loss::{Objective, Sampling, method};
use onesided_net::Mix;
use onesided_net::{
    Architecture, Augment, Device, Draw, Engine, Job, NetError, Network, Precision, Shape, Source, Teaching,
    TrainConfig, TrainProgress, Trained, score_views, train_on, train_side_by_side,
};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Instant;

const POSITIVE: [&str; 6] = ["bird", "cat", "deer", "dog", "frog", "horse"];

/// What can be chosen: `--method nnpu --hidden 0.8 --at-once 5` and so on.
struct Options {
    folder: PathBuf,
    /// `collective`, `nnpu`, `supervised` or another of the methods.
    method: String,
    /// The share of the training animals among the unlabeled images.
    hidden: f64,
    /// Splits, each with its own training run.
    seeds: u64,
    /// Runs that share the device.
    at_once: usize,
    network: Architecture,
    /// Train on this many images, the first ones.
    limit: usize,
    /// Labeled vehicles, instead of hidden animals.
    labels: Option<usize>,
    /// Training images to judge on instead of the test images.
    keep_out: usize,
    /// Judge by the mean of an image's score and its mirror image's.
    both_sides: bool,
    reduction: Option<String>,
    /// The share of positives among the unlabeled images that training is told, instead of the true one.
    told: Option<f64>,
    /// What the share that training is told is multiplied by: 0.9 for one that is a tenth too low.
    prior_times: f64,
    /// The rest; `--rate` is its learning rate.
    config: TrainConfig,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let config = TrainConfig {
            epochs: 20,
            learning_rate: 5e-4,
            augment: Augment { crop: 4, mirror: true },
            ..TrainConfig::default()
        };
        let mut options = Options {
            folder: PathBuf::new(),
            method: "collective".into(),
            hidden: 0.2,
            seeds: 5,
            at_once: 1,
            network: Architecture::Vgg16 { batch_norm: true },
            limit: usize::MAX,
            labels: None,
            keep_out: 0,
            both_sides: false,
            reduction: None,
            told: None,
            prior_times: 1.0,
            config,
        };
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                options.folder = word.into();
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let config = &mut options.config;
            match word.as_str() {
                "--method" => options.method = value,
                "--hidden" => options.hidden = read(&word, &value)?,
                "--seeds" => options.seeds = read(&word, &value)?,
                "--at-once" => options.at_once = read(&word, &value)?,
                "--network" => options.network = read(&word, &value)?,
                "--limit" => options.limit = read(&word, &value)?,
                "--labels" => options.labels = Some(read(&word, &value)?),
                "--keep-out" => options.keep_out = read(&word, &value)?,
                "--both-sides" => options.both_sides = read(&word, &value)?,
                "--reduction" => options.reduction = Some(value),
                "--prior" => options.told = Some(read(&word, &value)?),
                "--prior-times" => options.prior_times = read(&word, &value)?,
                "--first-seed" => config.seed = read(&word, &value)?,
                "--positives" => config.mix = Mix::AtLeast(read(&word, &value)?),
                "--teacher" => config.teacher = read::<Teaching>(&word, &value)?.into(),
                "--average" => config.average = Some(read(&word, &value)?),
                "--epochs" => config.epochs = read(&word, &value)?,
                "--batch" => config.batch = read(&word, &value)?,
                "--rate" => config.learning_rate = read(&word, &value)?,
                "--optimizer" => config.optimizer = read(&word, &value)?,
                "--weight-decay" => config.weight_decay = read(&word, &value)?,
                "--augment" => config.augment = read(&word, &value)?,
                "--device" => config.device = read::<Device>(&word, &value)?,
                "--precision" => config.precision = read::<Precision>(&word, &value)?,
                "--threads" => config.threads = read(&word, &value)?,
                _ => return Err(format!("unknown option {word}")),
            }
        }
        if options.folder.as_os_str().is_empty() {
            return Err("name the folder of CIFAR-10".into());
        }
        if options.seeds == 0 || options.at_once == 0 {
            return Err("--seeds and --at-once must be at least 1".into());
        }
        Ok(options)
    }
}

fn read<T: FromStr<Err: std::fmt::Display>>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|error| format!("{option} {value}: {error}"))
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let Cifar10 { mut train, mut test } = cifar10(&options.folder)?;
    let shape = Shape { channels: train.channels, height: train.height, width: train.width };
    if options.keep_out > 0 {
        let first = train.len().saturating_sub(options.keep_out);
        test.bytes = train.bytes.split_off(first * shape.len());
        test.labels = train.labels.split_off(first);
    }
    let images = options.limit.min(train.len());
    train.bytes.truncate(images * shape.len());
    train.labels.truncate(images);

    // The device holds one data set, bytes as they are in the files: the images to train on, then those to test on.
    let (scale, shift) = train.normalization();
    train.bytes.extend_from_slice(&test.bytes);
    let source = Source::Bytes { bytes: &train.bytes, scale: &scale, shift: &shift };
    let truth = |labels: &[u8]| -> Vec<bool> {
        let animal = |label: u8| POSITIVE.contains(&CIFAR10_CLASSES[usize::from(label)]);
        labels.iter().map(|&label| animal(label) == options.labels.is_none()).collect()
    };
    let (to_learn, to_test) = (truth(&train.labels), truth(&test.labels));

    let network = options.network.network(shape)?;
    let splits: Vec<Split> = (0..options.seeds)
        .map(|seed| Split::new(&options, &to_learn, options.config.seed + seed))
        .collect::<Result<_, _>>()?;
    let jobs: Vec<Job> = splits.iter().map(|split| split.job(&network, source)).collect();

    let device = options.config.device_for(&network);
    let engine = Engine::new(device, source, shape)?;
    eprintln!("{} on {}, {} images", options.network, engine.describe(), images);
    let tester = Tester {
        engine: &engine,
        network: &network,
        first: images as u32,
        truth: &to_test,
        both_sides: options.both_sides,
    };
    let clocks: Vec<Mutex<Option<Clock>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let watch = |run: usize, progress: &TrainProgress| Clock::tick(&clocks[run], run, progress);
    let mut accuracies = Vec::new();
    let mut rows = 0;
    let mut finish = |run: usize, trained: Result<Trained, NetError>| -> Result<(), Box<dyn Error>> {
        let (split, trained) = (&splits[run], trained?);
        let scores = tester.scores(&trained, &split.config)?;
        let accuracy = tester.accuracy(&scores);
        let clock = clocks[run].lock().ok().and_then(|clock| *clock);
        let (seconds, rate) = clock.map_or((0.0, 0.0), |clock| (clock.seconds(), clock.rate()));
        rows += clock.map_or(0, |clock| clock.rows);
        accuracies.push(accuracy);
        let line = json!({
            "method": options.method,
            "network": options.network.to_string(),
            "labels": options.labels,
            "hidden": options.labels.is_none().then_some(options.hidden),
            "images": images,
            "judged_on": if options.keep_out > 0 { "kept out" } else { "test" },
            "epochs": options.config.epochs,
            "optimizer": options.config.optimizer.to_string(),
            "weight_decay": options.config.weight_decay,
            "teacher": options.config.teacher.map_or(Teaching::Off, Teaching::from).to_string(),
            "prior": split.mu,
            "seed": split.config.seed,
            "accuracy": accuracy,
            "seconds": seconds,
            "images_per_second": rate,
            "final_loss": trained.history.last().map(|epoch| epoch.loss),
            "labeled_by_class": split.labeled_by_class(&train.labels),
            "called_positive_by_class": tester.called_positive(&scores, &test.labels),
        });
        println!("{line}");
        Ok(())
    };
    // Of all runs together, with what each needs before its first batch; testing is not counted.
    let mut seconds = 0.0;
    if options.at_once > 1 {
        let started = Instant::now();
        let all = train_side_by_side(&jobs, options.at_once, &watch);
        seconds += started.elapsed().as_secs_f64();
        all.into_iter().enumerate().try_for_each(|(run, trained)| finish(run, trained))?;
    } else {
        for (run, job) in jobs.iter().enumerate() {
            let started = Instant::now();
            let trained = train_on(&engine, job, &mut |progress| watch(run, progress));
            seconds += started.elapsed().as_secs_f64();
            finish(run, trained)?;
        }
    }
    let (mean, deviation) = mean_and_deviation(&accuracies);
    let line = json!({
        "method": options.method,
        "hidden": options.hidden,
        "epochs": options.config.epochs,
        "network": options.network.to_string(),
        "batch": options.config.batch,
        "device": engine.describe(),
        "precision": if device == Device::Cpu { Precision::F32 } else { options.config.precision },
        "augment": options.config.augment.to_string(),
        "seeds": options.seeds,
        "at_once": options.at_once,
        "accuracy": mean,
        "deviation": deviation,
        "accuracy_in_percent": format!("{:.2} ± {:.2}", 100.0 * mean, 100.0 * deviation),
        "seconds": seconds,
        "images_per_second": rows as f64 / seconds,
    });
    println!("{line}");
    Ok(())
}

/// One seed's labels, and the loss that fits them.
struct Split {
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
    objective: Box<dyn Objective>,
    start_bias: f64,
    /// The share of positives among the unlabeled images.
    mu: f64,
    config: TrainConfig,
}

impl Split {
    fn new(options: &Options, truth: &[bool], seed: u64) -> Result<Self, Box<dyn Error>> {
        let method = method(&options.method)?;
        let labels = match options.labels {
            None => hide(truth, options.hidden, seed)?,
            Some(count) => label_some(truth, count, seed)?,
        };
        let in_first =
            |row: usize| if method.needs_truth { truth[row] } else { labels[row] == Label::Positive };
        let (positive, unlabeled): (Vec<u32>, Vec<u32>) =
            (0..truth.len() as u32).partition(|&row| in_first(row as usize));
        let hidden = unlabeled.iter().filter(|&&row| truth[row as usize]).count();
        let true_share = hidden as f64 / unlabeled.len() as f64;
        let mu = options.told.unwrap_or(true_share) * options.prior_times;
        let labeled_share = positive.len() as f64 / truth.len() as f64;
        let setting = onesided_loss::Setting {
            prior_in_unlabeled: mu,
            sampling: Sampling::SingleSample { labeled_share },
        };
        let reduction = options.reduction.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let more = onesided_loss::Options { reduction, ..onesided_loss::Options::default() };
        let objective = method.build(&setting, &more)?;
        // The logit that a network without an input would give.
        let share = if method.needs_prior { mu } else { labeled_share };
        let start_bias = (share / (1.0 - share)).ln();
        let config = TrainConfig { seed, ..options.config.clone() };
        Ok(Self { positive, unlabeled, objective, start_bias, mu, config })
    }

    /// How many images of each class are labeled.
    fn labeled_by_class(&self, classes: &[u8]) -> [u32; CIFAR10_CLASSES.len()] {
        let mut labeled = [0; CIFAR10_CLASSES.len()];
        self.positive.iter().for_each(|&row| labeled[usize::from(classes[row as usize])] += 1);
        labeled
    }

    fn job<'a>(&'a self, network: &'a Network, data: Source<'a>) -> Job<'a> {
        Job {
            network,
            data,
            positive: &self.positive,
            unlabeled: &self.unlabeled,
            held_out_positive: &[],
            held_out_unlabeled: &[],
            negatives: None,
            weights: None,
            objective: self.objective.as_ref(),
            start_bias: self.start_bias,
            share: Some(self.mu),
            risk: None,
            risk_name: "",
            config: &self.config,
            checkpoint: None,
        }
    }
}

/// Judges a trained network by the images that follow the training images.
struct Tester<'a> {
    engine: &'a Engine<'a>,
    network: &'a Network,
    first: u32,
    truth: &'a [bool],
    both_sides: bool,
}

impl Tester<'_> {
    fn scores(&self, trained: &Trained, config: &TrainConfig) -> Result<Vec<f32>, NetError> {
        let rows: Vec<u32> = (self.first..).take(self.truth.len()).collect();
        let plain = Draw::default();
        let views = if self.both_sides { vec![plain, Draw { mirror: 1, ..plain }] } else { vec![plain] };
        let setting = config.executor_config();
        let mut executor = self.engine.executor(self.network, &trained.weights, &setting)?;
        score_views(executor.as_mut(), &rows, &views)
    }

    fn accuracy(&self, scores: &[f32]) -> f64 {
        let right = scores.iter().zip(self.truth).filter(|&(&score, &truth)| (score > 0.0) == truth).count();
        right as f64 / scores.len() as f64
    }

    /// The share of each class that is called positive.
    fn called_positive(&self, scores: &[f32], labels: &[u8]) -> Vec<f64> {
        let of_class = |class: usize| {
            let of = scores.iter().zip(labels).filter(|&(_, &label)| usize::from(label) == class);
            let (all, positive) =
                of.fold((0, 0), |(all, positive), (&score, _)| (all + 1, positive + u32::from(score > 0.0)));
            f64::from(positive) / f64::from(all.max(1))
        };
        (0..CIFAR10_CLASSES.len()).map(of_class).collect()
    }
}

/// The time of a run between its first batch and its last, so that setting up is not counted as training.
#[derive(Clone, Copy)]
struct Clock {
    first: Instant,
    last: Instant,
    /// Images of the first batch, and of all.
    first_rows: u64,
    rows: u64,
}

impl Clock {
    fn tick(clock: &Mutex<Option<Clock>>, run: usize, progress: &TrainProgress) -> bool {
        let (now, rows) = (Instant::now(), progress.rows_seen);
        if let Ok(mut clock) = clock.lock() {
            let clock = clock.get_or_insert(Clock { first: now, last: now, first_rows: rows, rows });
            (clock.last, clock.rows) = (now, rows);
        }
        if progress.batch == progress.batches {
            eprintln!("seed {run} epoch {}/{}: loss {:.4}", progress.epoch, progress.epochs, progress.loss);
        }
        true
    }

    fn seconds(&self) -> f64 {
        (self.last - self.first).as_secs_f64()
    }

    fn rate(&self) -> f64 {
        (self.rows - self.first_rows) as f64 / self.seconds().max(1e-9)
    }
}

/// Mean and standard deviation (division by n - 1; 0 for a single number).
fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}
