//! Training on images held as bytes, with augmentation, and several jobs on one engine.

use onesided_data::Stream;
use onesided_loss::{Collective, Reduction};
use onesided_net::Mix;
use onesided_net::*;
use std::path::{Path, PathBuf};

const INPUT: Shape = Shape { channels: 2, height: 6, width: 7 };
const ROWS: usize = 90;

/// Images of noise; the first 40 are brighter on their left, which a mirror would undo.
fn bytes() -> Vec<u8> {
    let mut stream = Stream::new(1, "images");
    (0..ROWS * INPUT.len())
        .map(|i| {
            let (row, x) = (i / INPUT.len(), i / INPUT.channels % INPUT.width);
            stream.below(150) as u8 + if row < 40 && x < 3 { 60 } else { 0 }
        })
        .collect()
}

const SCALE: [f32; 2] = [0.02, 0.013];
const SHIFT: [f32; 2] = [-1.5, -0.9];

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.iter().enumerate().map(|(i, &b)| f32::from(b) * SCALE[i % 2] + SHIFT[i % 2]).collect()
}

fn network() -> Network {
    let layers = vec![
        Layer::Conv { outputs: 4, bias: true },
        Layer::BatchNorm,
        Layer::Activate { activation: Activation::Relu },
        Layer::Flatten,
        Layer::Dropout { probability: 0.1 },
        Layer::Dense { outputs: 1, bias: true },
    ];
    Network { input: INPUT, layers }
}

fn config(augment: &str) -> TrainConfig {
    TrainConfig {
        batch: 20,
        epochs: 4,
        mix: Mix::AtLeast(0.3),
        seed: 3,
        threads: 1,
        augment: augment.parse().unwrap(),
        ..TrainConfig::default()
    }
}

/// What jobs borrow.
struct Task {
    network: Network,
    objective: Collective,
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
}

fn task() -> Task {
    Task {
        network: network(),
        objective: Collective::new(0.25, Reduction::SumOfMeans).unwrap(),
        positive: (0..30).collect(),
        unlabeled: (30..ROWS as u32).collect(),
    }
}

impl Task {
    fn job<'j>(&'j self, data: Source<'j>, config: &'j TrainConfig, checkpoint: Option<&'j Path>) -> Job<'j> {
        Job {
            network: &self.network,
            data,
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

    fn weights(&self, data: Source, augment: &str) -> Weights {
        train(&self.job(data, &config(augment), None), &mut |_| true).unwrap().weights
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("checkpoint.safetensors")
}

#[test]
fn bytes_train_like_the_numbers_they_stand_for() {
    let (task, bytes) = (task(), bytes());
    let numbers = numbers(&bytes);
    let source = Source::Bytes { bytes: &bytes, scale: &SCALE, shift: &SHIFT };
    let plain = task.weights(source, "none");
    assert_eq!(plain, task.weights(Source::Numbers(&numbers), "none"));
    let augmented = task.weights(source, "crop+flip");
    assert_eq!(augmented, task.weights(Source::Numbers(&numbers), "crop+flip"));
    assert_ne!(plain, augmented);
    let rows: Vec<u32> = vec![5, 80, 5];
    let engine = Engine::new(Device::Cpu, source, INPUT).unwrap();
    let all = scores(&task.network, &plain, &numbers, 1).unwrap();
    let some = scores_on(&engine, &task.network, &plain, &rows, &ExecutorConfig::default()).unwrap();
    assert_eq!(some, [all[5], all[80], all[5]]);
}

#[test]
fn a_resumed_run_draws_the_same_crops() {
    let (task, bytes, path) = (task(), bytes(), scratch("crops"));
    let (source, config) =
        (Source::Bytes { bytes: &bytes, scale: &SCALE, shift: &SHIFT }, config("crop+flip"));
    let whole = train(&task.job(source, &config, None), &mut |_| true).unwrap();
    let job = task.job(source, &config, Some(&path));
    assert!(train(&job, &mut |progress| progress.epoch < 3).unwrap().interrupted);
    let mut told = None;
    let rest = train(&job, &mut |progress| {
        told = progress.resumed_from;
        true
    });
    assert_eq!(told, Some(2));
    assert_eq!(rest.unwrap().weights, whole.weights);
    // Another device may continue where this one stopped; other crops may not.
    let elsewhere = TrainConfig { device: Device::Auto, ..config.clone() };
    assert!(train(&task.job(source, &elsewhere, Some(&path)), &mut |_| true).is_ok());
    let flips = TrainConfig { augment: "flip".parse().unwrap(), ..config };
    let error = train(&task.job(source, &flips, Some(&path)), &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("belongs to another run"), "{error}");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn jobs_side_by_side_give_what_they_give_one_after_another() {
    let (task, bytes) = (task(), bytes());
    let source = Source::Bytes { bytes: &bytes, scale: &SCALE, shift: &SHIFT };
    let configs: Vec<TrainConfig> = (0..3)
        .map(|seed| {
            // The last two have a teacher each.
            let teacher = (seed > 0).then(|| Teacher { ramp: 1.0, ..Teacher::default() });
            TrainConfig { seed, teacher, ..config("crop+flip") }
        })
        .collect();
    let jobs: Vec<Job> = configs.iter().map(|config| task.job(source, config, None)).collect();
    let alone: Vec<Weights> = jobs.iter().map(|job| train(job, &mut |_| true).unwrap().weights).collect();
    assert_ne!(alone[0], alone[1]);
    for at_once in [0, 1, 3, 8] {
        let results = train_side_by_side(&jobs, at_once, &|_, _| true);
        let weights: Vec<Weights> = results.into_iter().map(|r| r.unwrap().weights).collect();
        assert_eq!(weights, alone, "{at_once} at once");
    }
    let stopped = train_side_by_side(&jobs, 2, &|number, _| number != 1);
    let interrupted: Vec<bool> = stopped.into_iter().map(|r| r.unwrap().interrupted).collect();
    assert_eq!(interrupted, [false, true, false]);
    assert!(train_side_by_side(&[], 2, &|_, _| true).is_empty());
}

#[test]
fn a_job_that_fails_leaves_the_results_of_the_others() {
    let (task, bytes) = (task(), bytes());
    let source = Source::Bytes { bytes: &bytes, scale: &SCALE, shift: &SHIFT };
    let (good, bad) = (config("none"), TrainConfig { epochs: 0, ..config("none") });
    let jobs = [task.job(source, &good, None), task.job(source, &bad, None), task.job(source, &good, None)];
    let results = train_side_by_side(&jobs, 2, &|_, _| true);
    assert!(results[0].is_ok() && results[2].is_ok());
    assert!(results[1].as_ref().unwrap_err().to_string().contains("epochs"));
}

#[test]
fn jobs_that_share_too_little_are_all_refused() {
    let (task, bytes) = (task(), bytes());
    let others = bytes.clone();
    let held = |bytes| Source::Bytes { bytes, scale: &SCALE, shift: &SHIFT };
    let (cpu, path) = (config("none"), scratch("shared"));
    let auto = TrainConfig { device: Device::Auto, ..cpu.clone() };
    let (one, twice) = (task.job(held(&bytes), &cpu, None), task.job(held(&bytes), &cpu, Some(&path)));
    let again = task.job(held(&bytes), &cpu, Some(&path));
    for (jobs, word) in [
        (vec![&one, &task.job(held(&others), &cpu, None)], "one data set"),
        (vec![&one, &task.job(held(&bytes), &auto, None)], "the device"),
        (vec![&one, &twice, &again], "two jobs side by side name the checkpoint"),
    ] {
        let jobs: Vec<Job> = jobs.into_iter().map(|job| Job { ..*job }).collect();
        for result in train_side_by_side(&jobs, 2, &|_, _| true) {
            let error = result.unwrap_err();
            assert!(matches!(error, NetError::Config(_)) && error.to_string().contains(word), "{error}");
        }
    }
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn rows_draws_and_data_that_do_not_belong_are_sentences() {
    let (task, bytes) = (task(), bytes());
    let source = Source::Bytes { bytes: &bytes, scale: &SCALE, shift: &SHIFT };
    let weights = Weights::initial(&task.network, 0.0, 0).unwrap();
    let mut executor = CpuExecutor::new(&task.network, &weights, source, 1, Optimizer::Nadam, 0.0).unwrap();
    let mut refusal = |batch: Batch| executor.forward(&batch, Mode::Train).unwrap_err().to_string();
    assert!(refusal(Batch::plain(&[0, ROWS as u32])).contains("row 90 was asked for"));
    let (near, far) = (Draw::default(), Draw { down: -6, ..Draw::default() });
    let mut batch = |draws: &[Draw]| refusal(Batch { draws, ..Batch::plain(&[0, 1]) });
    assert!(batch(&[near]).contains("2 rows has 1 draws"));
    assert!(batch(&[near, far]).contains("cut -6 pixels down"));
    assert!(executor.backward(&[1.0; 5]).unwrap_err().to_string().contains("5 gradients"));

    let (config, beyond) = (config("none"), [400]);
    let job = Job { held_out_unlabeled: &beyond, ..task.job(source, &config, None) };
    assert!(train(&job, &mut |_| true).unwrap_err().to_string().contains("row 400"));
    let (job, other) = (task.job(source, &config, None), numbers(&bytes));
    let engine = Engine::new(Device::Cpu, Source::Numbers(&other), INPUT).unwrap();
    let error = train_on(&engine, &job, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("another data set"), "{error}");
    let error = scores_on(&engine, &task.network, &weights, &[90], &ExecutorConfig::default()).unwrap_err();
    assert!(error.to_string().contains("row 90"), "{error}");
}

#[test]
fn augmentation_of_a_table_is_refused_before_training() {
    let network = Architecture::Linear.network(Shape::flat(3)).unwrap();
    let (config, data) = (config("flip"), [0.0; 90 * 3]);
    let task = Task { network, ..task() };
    let error = train(&task.job(Source::Numbers(&data), &config, None), &mut |_| true).unwrap_err();
    assert!(matches!(error, NetError::Config(_)) && error.to_string().contains("is for images"), "{error}");
}

#[test]
fn settings_written_before_there_were_devices_still_load() {
    let mut settings = serde_json::to_value(config("crop+flip")).unwrap();
    assert_eq!(settings["device"], "cpu");
    assert_eq!(serde_json::from_value::<TrainConfig>(settings.clone()).unwrap(), config("crop+flip"));
    for new in ["augment", "device", "precision"] {
        settings.as_object_mut().unwrap().remove(new);
    }
    assert_eq!(serde_json::from_value::<TrainConfig>(settings).unwrap(), config("none"));
}

/// A pixel on the left and one on the right; the score is the left one, so a mirror image scores the right one.
#[test]
fn views_of_an_image_are_averaged_in_the_order_of_the_rows() {
    let input = Shape { channels: 1, height: 1, width: 2 };
    let layers = vec![Layer::Flatten, Layer::Dense { outputs: 1, bias: false }];
    let network = Network { input, layers };
    let weight = Tensor { name: "1.weight".into(), shape: vec![1, 2], data: vec![1.0, 0.0] };
    let weights = Weights { tensors: vec![weight] };
    let data = [3.0, 5.0, -1.0, 0.0, 8.0, 2.0];
    let mut executor = CpuExecutor::new(&network, &weights, &data[..], 1, Optimizer::Adam, 0.0).unwrap();
    let mirrored = Draw { mirror: 1, ..Draw::default() };
    let rows = [2, 0, 1];
    assert_eq!(score_rows(&mut executor, &rows).unwrap(), [8.0, 3.0, -1.0]);
    assert_eq!(score_views(&mut executor, &rows, &[mirrored]).unwrap(), [2.0, 5.0, 0.0]);
    assert_eq!(score_views(&mut executor, &rows, &[Draw::default(), mirrored]).unwrap(), [5.0, 4.0, -0.5]);
    // The same through an engine, and a row that is not there.
    let engine = Engine::new(Device::Cpu, Source::Numbers(&data), input).unwrap();
    let config = ExecutorConfig { threads: 1, ..ExecutorConfig::default() };
    assert_eq!(scores_on(&engine, &network, &weights, &rows, &config).unwrap(), [8.0, 3.0, -1.0]);
    let error = scores_on(&engine, &network, &weights, &[3], &config).unwrap_err().to_string();
    assert!(error.contains('3'), "{error}");
}
