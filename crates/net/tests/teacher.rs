//! Averaged weights, strong views and training with a teacher, on the CPU.

use onesided_data::Stream;
use onesided_loss::{Collective, Lesson, Loss, Part, Reduction};
use onesided_net::Mix;
use onesided_net::*;
use serde::Deserialize;
use std::path::Path;

const INPUT: Shape = Shape { channels: 3, height: 8, width: 8 };
const ROWS: usize = 120;

/// Images of noise; the first 50 are brighter.
fn numbers() -> Vec<f32> {
    let mut stream = Stream::new(1, "images");
    let bright = |i: usize| if i / INPUT.len() < 50 { 0.8 } else { -0.4 };
    (0..ROWS * INPUT.len()).map(|i| (stream.normal() + bright(i)) as f32).collect()
}

fn network() -> Network {
    let layers = vec![
        Layer::Conv { outputs: 4, bias: false },
        Layer::BatchNorm,
        Layer::Activate { activation: Activation::Relu },
        Layer::Flatten,
        Layer::Dropout { probability: 0.2 },
        Layer::Dense { outputs: 1, bias: true },
    ];
    Network { input: INPUT, layers }
}

fn config() -> TrainConfig {
    TrainConfig {
        batch: 40,
        epochs: 4,
        learning_rate: 3e-3,
        mix: Mix::AtLeast(0.25),
        seed: 7,
        threads: 1,
        augment: "crop:2".parse().unwrap(),
        teacher: Some(Teacher { rate: 0.9, confidence: 0.8, weight: 2.0, ramp: 1.0, ..Teacher::default() }),
        ..TrainConfig::default()
    }
}

struct Task {
    network: Network,
    data: Vec<f32>,
    objective: Collective,
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
}

impl Task {
    fn new() -> Self {
        Self {
            network: network(),
            data: numbers(),
            objective: Collective::new(0.3, Reduction::PriorWeighted).unwrap(),
            positive: (0..20).collect(),
            unlabeled: (20..ROWS as u32).collect(),
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
            start_bias: -0.8,
            share: Some(0.3),
            risk: None,
            risk_name: "",
            config,
            checkpoint,
        }
    }
}

fn step(executor: &mut dyn Executor, rows: &[u32]) {
    executor.forward(&Batch::plain(rows), Mode::Train).unwrap();
    executor.backward(&vec![0.1; rows.len()]).unwrap();
    executor.step(1e-2).unwrap();
}

#[test]
fn an_average_is_the_sum_of_what_it_was_and_what_is_and_scores_as_its_weights_do() {
    let (network, data) = (network(), numbers());
    let start = Weights::initial(&network, 0.0, 2).unwrap();
    let engine = Engine::new(Device::Cpu, Source::Numbers(&data), INPUT).unwrap();
    let mut executor = engine.executor(&network, &start, &ExecutorConfig::default()).unwrap();
    assert!(executor.average(0.9).is_err() && executor.averaged().is_err());
    executor.start_average(None).unwrap();
    let rows: Vec<u32> = (0..60).collect();
    step(executor.as_mut(), &rows);
    executor.average(0.75).unwrap();
    let (now, averaged) = (executor.weights().unwrap(), executor.averaged().unwrap());
    for ((start, now), averaged) in start.tensors.iter().zip(&now.tensors).zip(&averaged.tensors) {
        for ((a, b), c) in start.data.iter().zip(&now.data).zip(&averaged.data) {
            assert!((0.75 * a + 0.25 * b - c).abs() < 1e-6, "{}: {a} {b} {c}", start.name);
        }
    }
    // Neither kind of look changes anything, and a prediction is the one of a network with these weights.
    let observed = executor.forward_average(&Batch::plain(&rows), Mode::Observe).unwrap().to_vec();
    let predicted = executor.forward_average(&Batch::plain(&rows), Mode::Predict).unwrap().to_vec();
    assert_ne!(observed, predicted);
    assert_eq!(executor.averaged().unwrap(), averaged);
    assert_eq!(executor.weights().unwrap(), now);
    let all = scores(&network, &averaged, &data, 1).unwrap();
    assert_eq!(predicted, all[..60]);
    // What is observed has the statistics of the batch: adding a constant to all images would change nothing before
    // the border; shuffling the batch changes only the order.
    let turned: Vec<u32> = rows.iter().rev().copied().collect();
    let mut again = executor.forward_average(&Batch::plain(&turned), Mode::Observe).unwrap().to_vec();
    again.reverse();
    again.iter().zip(&observed).for_each(|(a, b)| assert!((a - b).abs() < 1e-4, "{a} {b}"));
    // An average can be taken up again.
    executor.start_average(Some(&start)).unwrap();
    assert_eq!(executor.averaged().unwrap(), start);
}

#[test]
fn strong_views_are_of_the_last_rows_alone_on_any_number_of_threads() {
    let (data, input) = (numbers(), INPUT);
    let network = Architecture::Linear.network(input).unwrap();
    let weights = Weights::initial(&network, 0.0, 2).unwrap();
    let engine = Engine::new(Device::Cpu, Source::Numbers(&data), input).unwrap();
    let rows: Vec<u32> = (0..30).chain(0..30).collect();
    let mut strong = Vec::new();
    Strong::draws(input, 1.0, 5, 9, 30, &mut strong);
    let pass = |strong: &[Strong], threads: usize| {
        let mut executor = CpuExecutor::new(&network, &weights, &data, threads, Optimizer::Nadam, 0.0)
            .unwrap()
            .with_work_a_thread(1);
        let batch = Batch { strong, ..Batch::plain(&rows) };
        executor.forward(&batch, Mode::Train).unwrap().to_vec()
    };
    let seen = pass(&strong, 1);
    assert_eq!(seen[..30], pass(&[], 1)[..30]);
    assert_ne!(seen[30..], seen[..30]);
    assert_eq!(seen, pass(&strong, 3));
    let pairs = pass(&[Strong::default(); 30], 2).into_iter().zip(pass(&[], 2));
    pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{a} {b}"));
    let mut executor = engine.executor(&network, &weights, &ExecutorConfig::default()).unwrap();
    let wrong = Batch { strong: &strong, ..Batch::plain(&rows[..29]) };
    let message = executor.forward(&wrong, Mode::Train).unwrap_err().to_string();
    assert!(message.contains("29 rows has 30 strong views"), "{message}");
}

#[derive(Deserialize)]
struct Views {
    shape: [usize; 3],
    cases: Vec<View>,
}

#[derive(Deserialize)]
struct View {
    image: Vec<f32>,
    warp: [f32; 6],
    contrast: f32,
    brightness: f32,
    saturation: f32,
    shift: [f32; 3],
    hole: [i16; 2],
    side: i32,
    view: Vec<f32>,
}

/// A linear score is a dot product with the pixels of a view: with as many of them as there are pixels, each can be told.
#[test]
fn strong_views_match_pytorch() {
    let golden: Views = serde_json::from_str(include_str!("golden/views.json")).unwrap();
    assert_eq!(golden.cases.len(), 8);
    let [channels, height, width] = golden.shape;
    let input = Shape { channels, height, width };
    let network = Architecture::Linear.network(input).unwrap();
    for (number, case) in golden.cases.into_iter().enumerate() {
        let View { warp, contrast, brightness, saturation, shift, hole, side, .. } = case;
        let strong = [Strong { warp, contrast, brightness, saturation, shift, hole, side }];
        for (pixel, want) in case.view.iter().enumerate() {
            let mut weights = Weights::initial(&network, 0.0, 0).unwrap();
            weights.tensors[0].data.fill(0.0);
            weights.tensors[0].data[pixel] = 1.0;
            let mut executor =
                CpuExecutor::new(&network, &weights, &case.image, 1, Optimizer::Nadam, 0.0).unwrap();
            let batch = Batch { strong: &strong, ..Batch::plain(&[0]) };
            let have = executor.forward(&batch, Mode::Train).unwrap()[0];
            assert!((have - want).abs() < 1e-5, "view {number}, number {pixel}: {have} against {want}");
        }
    }
}

/// The first step, put together from its parts by hand, is the one that training takes.
#[test]
fn a_step_is_the_objective_on_weak_views_and_the_lesson_on_strong_ones() {
    step_by_hand(ObjectiveViews::Weak);
}

#[test]
fn an_objective_can_look_at_strong_views_too() {
    step_by_hand(ObjectiveViews::Both);
}

fn step_by_hand(objective: ObjectiveViews) {
    let task = Task::new();
    let teacher =
        Teacher { rate: 0.9, confidence: 0.5, weight: 2.0, ramp: 0.0, objective, ..Teacher::default() };
    let config = TrainConfig {
        batch: ROWS,
        epochs: 2,
        stop_after: Some(1),
        mix: Mix::Proportional,
        schedule: Schedule::Constant,
        augment: Augment::default(),
        teacher: Some(teacher),
        ..config()
    };
    let network =
        Network { layers: vec![Layer::Flatten, Layer::Dense { outputs: 1, bias: true }], ..network() };
    let job = Job { network: &network, ..task.job(&config, None) };
    let trained = train(&job, &mut |_| true).unwrap();
    // One batch holds every row; its order does not matter to means. Strong views are drawn in the order of the batch,
    // so they are matched by drawing the batch again.
    let start = Weights::initial(&network, -0.8, config.seed).unwrap();
    let engine = Engine::new(Device::Cpu, Source::Numbers(&task.data), INPUT).unwrap();
    let mut executor = engine.executor(&network, &start, &config.executor_config()).unwrap();
    let mut sampler = onesided_net::BatchSampler::new(
        task.positive.clone(),
        task.unlabeled.clone(),
        ROWS,
        Mix::Proportional,
        Stream::new(config.seed, "batches"),
    )
    .unwrap();
    let mut batches = sampler.next_epoch();
    let batch = batches.next().unwrap();
    let rows: Vec<u32> = [batch.positive, batch.unlabeled, batch.positive, batch.unlabeled].concat();
    let mut strong = Vec::new();
    Strong::draws(INPUT, 1.0, config.seed, 0, ROWS, &mut strong);
    let teacher = scores_on(&engine, &network, &start, batch.unlabeled, &config.executor_config()).unwrap();
    let mut lesson = Lesson::new(0.3, 0.5);
    lesson.take(teacher.as_slice().into());
    let scores = executor.forward(&Batch { strong: &strong, ..Batch::plain(&rows) }, Mode::Train).unwrap();
    let mut gradient = vec![0.0; rows.len()];
    let (weak, of_strong) = gradient.split_at_mut(ROWS);
    let (p, u) = weak.split_at_mut(20);
    let loss = Loss { objective: &task.objective, negatives: None };
    let part = |range: std::ops::Range<usize>| Part::from(&scores[range]);
    let mut value = loss.evaluate([part(0..20), part(20..ROWS), part(0..0)], [p, u, &mut []]);
    let (p, u) = of_strong.split_at_mut(20);
    let (positive, unlabeled) = (part(ROWS..ROWS + 20), part(ROWS + 20..2 * ROWS));
    value += lesson.evaluate(positive, unlabeled, 2.0, p, u);
    if objective == ObjectiveViews::Both {
        let mut more = vec![0.0; ROWS];
        let (more_p, more_u) = more.split_at_mut(20);
        value += loss.evaluate([positive, unlabeled, part(0..0)], [more_p, more_u, &mut []]);
        of_strong.iter_mut().zip(more).for_each(|(slope, more)| *slope += more);
    }
    executor.backward(&gradient).unwrap();
    executor.step(config.learning_rate).unwrap();
    assert_eq!(trained.weights, executor.weights().unwrap());
    assert!((trained.history[0].loss - value).abs() < 1e-12);
}

#[test]
fn a_resumed_run_goes_on_with_the_same_teacher() {
    let task = Task::new();
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-teacher", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, config) = (folder.join("checkpoint.safetensors"), config());
    let whole = train(&task.job(&config, None), &mut |_| true).unwrap();
    let job = task.job(&config, Some(&path));
    assert!(train(&job, &mut |progress| progress.epoch < 3).unwrap().interrupted);
    let rest = train(&job, &mut |_| true).unwrap();
    assert_eq!(rest.resumed_from, Some(2));
    assert_eq!(rest.weights, whole.weights);
    assert_eq!(rest.history, whole.history);
    let alone = TrainConfig { teacher: None, ..config.clone() };
    assert_ne!(train(&task.job(&alone, None), &mut |_| true).unwrap().weights, whole.weights);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A kept average is what the weights' own average would be, is judged by its own scores, and resumes.
#[test]
fn an_average_is_kept_in_the_place_of_the_last_weights() {
    let task = Task::new();
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-average", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("checkpoint.safetensors");
    let plain = TrainConfig { teacher: None, ..config() };
    let kept = TrainConfig { average: Some(0.8), ..plain.clone() };
    let last = train(&task.job(&plain, None), &mut |_| true).unwrap();
    let whole = train(&task.job(&kept, None), &mut |_| true).unwrap();
    assert_eq!(whole.history, last.history, "an average changes no step");
    assert_ne!(whole.weights, last.weights);
    // Of rate 0 it is the last weights.
    let none = TrainConfig { average: Some(0.0), ..plain.clone() };
    assert_eq!(train(&task.job(&none, None), &mut |_| true).unwrap().weights, last.weights);
    let job = task.job(&kept, Some(&path));
    assert!(train(&job, &mut |progress| progress.epoch < 3).unwrap().interrupted);
    assert_eq!(train(&job, &mut |_| true).unwrap().weights, whole.weights);
    // With a risk, the epochs are judged by the average: scored again, the best weights have the risk of their epoch.
    let risk = |p: &[f32], u: &[f32], _: &[f32]| f64::from(u.iter().sum::<f32>() - p.iter().sum::<f32>());
    let (positive, unlabeled): (Vec<u32>, Vec<u32>) = ((20..50).collect(), (50..80).collect());
    let judged = Job {
        risk: Some(&risk),
        held_out_positive: &positive,
        held_out_unlabeled: &unlabeled,
        ..task.job(&kept, None)
    };
    let best = train(&judged, &mut |_| true).unwrap();
    let all = scores(&task.network, &best.weights, &task.data, 1).unwrap();
    let again = risk(&all[20..50], &all[50..80], &[]);
    let then = best.history[best.best_epoch - 1].risk.unwrap();
    assert!((again - then).abs() < 1e-3 * then.abs().max(1.0), "{again} {then}");
    let beside = TrainConfig { average: Some(0.8), ..config() };
    let message = train(&task.job(&beside, None), &mut |_| true).unwrap_err().to_string();
    assert!(message.contains("give both the same rate"), "{message}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_teacher_without_a_share_is_refused() {
    let (task, config) = (Task::new(), config());
    let message = |job: &Job| train(job, &mut |_| true).unwrap_err().to_string();
    let without = Job { share: None, ..task.job(&config, None) };
    assert!(message(&without).contains("needs the share of positives"));
}

/// Rows that are no images have views without some of their numbers: the same on every number of threads and after a resume,
/// and others than those of no teacher.
#[test]
fn a_teacher_of_a_table_leaves_numbers_out() {
    let task = Task::new();
    let network = Architecture::Linear.network(Shape::flat(INPUT.len())).unwrap();
    let config = TrainConfig { augment: Augment::default(), ..config() };
    let trained = |config: &TrainConfig| {
        let job = Job { network: &network, ..task.job(config, None) };
        train(&job, &mut |_| true).unwrap().weights
    };
    let taught = trained(&config);
    assert_eq!(taught, trained(&TrainConfig { threads: 3, ..config.clone() }));
    let strength = |strength| Teacher { strength, ..config.teacher.unwrap() };
    let whole = trained(&TrainConfig { teacher: Some(strength(0.0)), ..config.clone() });
    assert_ne!(taught, whole);
    assert_ne!(whole, trained(&TrainConfig { teacher: None, ..config.clone() }));
}

#[test]
fn views_without_numbers_are_of_the_last_rows() {
    let data: Vec<f32> = (0..40).map(|x| x as f32).collect();
    let network = Architecture::Linear.network(Shape::flat(10)).unwrap();
    let weights = Weights::initial(&network, 0.0, 2).unwrap();
    let rows = [0, 1, 2, 3, 0, 1];
    let mut views = Vec::new();
    Dropped::draws(1.0, 5, 9, 2, &mut views);
    let pass = |dropped: &[Dropped], threads: usize| {
        let mut executor = CpuExecutor::new(&network, &weights, &data, threads, Optimizer::Nadam, 0.0)
            .unwrap()
            .with_work_a_thread(1);
        let batch = Batch { dropped, ..Batch::plain(&rows) };
        executor.forward(&batch, Mode::Train).map(<[f32]>::to_vec)
    };
    let (seen, plain) = (pass(&views, 1).unwrap(), pass(&[], 1).unwrap());
    assert_eq!(seen[..4], plain[..4]);
    assert!(seen[4] != plain[4] && seen[5] != plain[5]);
    assert_eq!(seen, pass(&views, 3).unwrap());
    let message = pass(&[views[0]; 7], 1).unwrap_err().to_string();
    assert!(message.contains("6 rows has 7 strong views"), "{message}");
}
