//! Training that knows rows: shares that an objective sets once an epoch, and rows that are mixed.

use onesided_data::Stream;
use onesided_loss::{
    Cvir, Loss, Objective, Options, Paced, Part, Sampling, Setting, Shared, method, mixup, sigmoid,
};
use onesided_net::*;
use onesided_net::{BatchSampler, Mix};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const WIDE: usize = 6;
const ROWS: usize = 300;

/// Noise in six columns. The first 120 rows are positives and lie higher in each; the first 40 of them are labeled.
fn numbers() -> Vec<f32> {
    let mut stream = Stream::new(1, "rows");
    let higher = |i: usize| if i / WIDE < 120 { 1.0 } else { -0.6 };
    (0..ROWS * WIDE).map(|i| (stream.normal() + higher(i)) as f32).collect()
}

struct Task {
    network: Network,
    data: Vec<f32>,
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
}

impl Task {
    fn new() -> Self {
        let layers = vec![
            Layer::Dense { outputs: 8, bias: true },
            Layer::BatchNorm,
            Layer::Activate { activation: Activation::Relu },
            Layer::Dense { outputs: 1, bias: true },
        ];
        let network = Network { input: Shape::flat(WIDE), layers };
        let (positive, unlabeled) = ((0..40).collect(), (40..ROWS as u32).collect());
        Self { network, data: numbers(), positive, unlabeled }
    }

    fn job<'j>(
        &'j self,
        objective: &'j dyn Objective,
        config: &'j TrainConfig,
        checkpoint: Option<&'j Path>,
    ) -> Job<'j> {
        Job {
            network: &self.network,
            data: Source::Numbers(&self.data),
            positive: &self.positive,
            unlabeled: &self.unlabeled,
            held_out_positive: &[],
            held_out_unlabeled: &[],
            negatives: None,
            weights: None,
            objective,
            start_bias: -0.8,
            share: Some(80.0 / 260.0),
            risk: None,
            risk_name: "",
            config,
            checkpoint,
        }
    }

    fn accuracy(&self, weights: &Weights) -> f64 {
        let all = scores(&self.network, weights, &self.data, 1).unwrap();
        let right = all.iter().enumerate().filter(|&(row, &score)| (score > 0.0) == (row < 120)).count();
        right as f64 / ROWS as f64
    }
}

fn config() -> TrainConfig {
    TrainConfig {
        batch: 60,
        epochs: 20,
        learning_rate: 1e-2,
        mix: Mix::AtLeast(0.2),
        seed: 7,
        threads: 1,
        ..TrainConfig::default()
    }
}

fn build(name: &str) -> Box<dyn Objective> {
    let sampling = Sampling::SingleSample { labeled_share: 40.0 / 300.0 };
    let setting = Setting { prior_in_unlabeled: 80.0 / 260.0, sampling };
    method(name).unwrap().build(&setting, &Options::default()).unwrap()
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("onesided-net-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("checkpoint.safetensors")
}

/// Gives the rows shares that tell them apart, and writes down what it meets.
#[derive(Default)]
struct Witness {
    asked: Mutex<Vec<(f64, usize, usize)>>,
    met: Mutex<Vec<f32>>,
}

impl Objective for Witness {
    fn evaluate(&self, _: &[f32], _: &[f32], _: &mut [f32], _: &mut [f32]) -> f64 {
        panic!("rows have shares")
    }

    fn describe(&self) -> String {
        "witness".into()
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Paced for Witness {
    fn weighs(&self, done: f64) -> bool {
        done > 0.0
    }

    fn shares(&self, done: f64, p: Part, u: Part, shares_p: &mut [f32], shares_u: &mut [f32]) {
        self.asked.lock().unwrap().push((done, p.scores().len(), u.scores().len()));
        shares_p.fill(0.5);
        shares_u.iter_mut().enumerate().for_each(|(at, share)| *share = at as f32);
    }

    fn evaluate_paced(&self, done: f64, p: Shared, u: Shared, grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        grad_p.fill(0.0);
        grad_u.fill(0.0);
        let expected = if done > 0.0 { 0.5 } else { 1.0 };
        assert!(p.shares().iter().all(|&share| share == expected));
        if done > 0.0 {
            self.met.lock().unwrap().extend_from_slice(u.shares());
        }
        0.0
    }
}

#[test]
fn each_row_of_a_batch_comes_with_its_own_share() {
    let (task, witness) = (Task::new(), Witness::default());
    let config = TrainConfig { epochs: 2, ..config() };
    train(&task.job(&witness, &config, None), &mut |_| true).unwrap();
    // The first epoch weighs nothing and asks for nothing; in the second every unlabeled row is met with its share.
    assert_eq!(*witness.asked.lock().unwrap(), [(0.5, 40, 260)]);
    let mut met = witness.met.lock().unwrap().clone();
    met.sort_by(f32::total_cmp);
    met.dedup();
    assert_eq!(met, (0..260).map(|at| at as f32).collect::<Vec<_>>());
}

#[test]
fn objectives_with_shares_learn_and_resume_to_the_same_weights() {
    let (task, config) = (Task::new(), config());
    for name in ["cvir", "robust-pu"] {
        let objective = build(name);
        let whole = train(&task.job(objective.as_ref(), &config, None), &mut |_| true).unwrap();
        let accuracy = task.accuracy(&whole.weights);
        assert!(accuracy > 0.9, "{name}: {accuracy}");
        let path = scratch(name);
        let job = task.job(objective.as_ref(), &config, Some(&path));
        assert!(train(&job, &mut |progress| progress.epoch < 15).unwrap().interrupted);
        let rest = train(&job, &mut |_| true).unwrap();
        assert_eq!((rest.resumed_from, &rest.weights), (Some(14), &whole.weights), "{name}");
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}

/// Ranked in all of U, the rows that are left out of an epoch are the same in every batch; ranked in a batch they are not.
#[test]
fn a_ranking_of_all_rows_is_not_that_of_a_batch() {
    struct WithinBatches(Cvir);
    impl Objective for WithinBatches {
        fn evaluate(&self, p: &[f32], u: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
            self.0.evaluate(p, u, grad_p, grad_u)
        }
        fn describe(&self) -> String {
            "within batches".into()
        }
    }
    let (task, config) = (Task::new(), config());
    let (all, batch) = (build("cvir"), WithinBatches(Cvir::new(80.0 / 260.0).unwrap()));
    let weights = |objective: &dyn Objective| {
        train(&task.job(objective, &config, None), &mut |_| true).unwrap().weights
    };
    assert_ne!(weights(all.as_ref()), weights(&batch));
}

/// A linear score of a mixed row is the mixed score.
#[test]
fn mixed_rows_are_the_sums_of_their_parts_on_any_number_of_threads() {
    let (data, images) = (numbers(), Shape { channels: 1, height: 2, width: 3 });
    for input in [Shape::flat(WIDE), images] {
        let network = Architecture::Linear.network(input).unwrap();
        let weights = Weights::initial(&network, 0.0, 2).unwrap();
        let draw =
            if input == images { Draw { right: 1, mirror: 1, ..Draw::default() } } else { Draw::default() };
        let pass = |rows: &[u32], draws: &[Draw], partners: &[Partner], threads: usize| {
            let executor =
                CpuExecutor::new(&network, &weights, &data, threads, Optimizer::Nadam, 0.0).unwrap();
            let batch = Batch { draws, partners, ..Batch::plain(rows) };
            executor.with_work_a_thread(1).forward(&batch, Mode::Train).unwrap().to_vec()
        };
        let rows: Vec<u32> = (0..9).chain(0..5).collect();
        let partners: Vec<Partner> =
            (0..5).map(|at| Partner { row: 20 + at, draw, share: 0.25 * at as f32 }).collect();
        let (own, other) = (pass(&rows, &[], &[], 1), pass(&[20, 21, 22, 23, 24], &[draw; 5], &[], 1));
        for threads in [1, 3] {
            let found = pass(&rows, &[], &partners, threads);
            assert_eq!(found[..9], own[..9]);
            for at in 0..5 {
                let share = partners[at].share;
                let expected = share * own[at] + (1.0 - share) * other[at];
                assert!((found[9 + at] - expected).abs() < 1e-5, "{} against {expected}", found[9 + at]);
            }
        }
    }
    let network = Architecture::Linear.network(Shape::flat(WIDE)).unwrap();
    let weights = Weights::initial(&network, 0.0, 2).unwrap();
    let mut executor = CpuExecutor::new(&network, &weights, &data, 1, Optimizer::Nadam, 0.0).unwrap();
    let absent = [Partner { row: ROWS as u32, draw: Draw::default(), share: 0.5 }; 2];
    for (partners, words) in
        [(&absent[..], "a batch of 1 rows has 2 partners"), (&absent[..1], "row 300 was asked for")]
    {
        let message = executor.forward(&Batch { partners, ..Batch::plain(&[0]) }, Mode::Train).unwrap_err();
        assert!(message.to_string().contains(words), "{message}");
    }
}

/// The first step, put together from its parts by hand, is the one that training takes.
#[test]
fn a_step_is_the_objective_on_plain_rows_and_the_regularizer_on_mixed_ones() {
    let (task, objective) = (Task::new(), build("vpu"));
    let mixing = Mixup { weight: 2.0, alpha: 0.3 };
    let config = TrainConfig {
        batch: ROWS,
        epochs: 2,
        stop_after: Some(1),
        mix: Mix::Proportional,
        schedule: Schedule::Constant,
        mixup: Some(mixing),
        ..config()
    };
    let shares = Mutex::new(Vec::new());
    let network = Architecture::Linear.network(Shape::flat(WIDE)).unwrap();
    let job = Job { network: &network, ..task.job(objective.as_ref(), &config, None) };
    let trained = train(&job, &mut |progress| {
        shares.lock().unwrap().push(progress.rows_seen);
        true
    })
    .unwrap();
    assert_eq!(*shares.lock().unwrap(), [560], "260 unlabeled rows pass once more");
    let mut sampler = BatchSampler::new(
        task.positive.clone(),
        task.unlabeled.clone(),
        ROWS,
        Mix::Proportional,
        Stream::new(config.seed, "batches"),
    )
    .unwrap();
    let mut batches = sampler.next_epoch();
    let batch = batches.next().unwrap();
    // What a step draws: two gammas, whose share is g, then a positive for each row of U.
    let (g, mut draws) = mixing.draw(config.seed, 0);
    let draw = Draw::default();
    let partners: Vec<Partner> =
        (0..260).map(|_| Partner { row: batch.positive[draws.below(40)], draw, share: g as f32 }).collect();
    let start = Weights::initial(&network, -0.8, config.seed).unwrap();
    let engine = Engine::new(Device::Cpu, Source::Numbers(&task.data), Shape::flat(WIDE)).unwrap();
    let mut executor = engine.executor(&network, &start, &config.executor_config()).unwrap();
    let rows = [batch.positive, batch.unlabeled, batch.unlabeled].concat();
    let scores =
        executor.forward(&Batch { partners: &partners, ..Batch::plain(&rows) }, Mode::Train).unwrap();
    let mut gradient = vec![0.0; rows.len()];
    let (plain, of_mixed) = gradient.split_at_mut(ROWS);
    let (of_p, of_u) = plain.split_at_mut(40);
    let loss = Loss { objective: objective.as_ref(), negatives: None };
    let part = |range: std::ops::Range<usize>| Part::from(&scores[range]);
    let mut value = loss.evaluate([part(0..40), part(40..ROWS), part(0..0)], [of_p, of_u, &mut []]);
    value += mixup(g, part(40..ROWS), &scores[ROWS..], 2.0, of_u, of_mixed);
    executor.backward(&gradient).unwrap();
    executor.step(config.learning_rate).unwrap();
    assert_eq!(trained.weights, executor.weights().unwrap());
    assert!((trained.history[0].loss - value).abs() < 1e-12);
}

#[test]
fn mixing_resumes_and_keeps_predictions_for_the_population_near_the_truth() {
    let (task, objective) = (Task::new(), build("vpu"));
    let config = TrainConfig { mixup: Some(Mixup::default()), ..config() };
    let whole = train(&task.job(objective.as_ref(), &config, None), &mut |_| true).unwrap();
    let path = scratch("mixup");
    let job = task.job(objective.as_ref(), &config, Some(&path));
    assert!(train(&job, &mut |progress| progress.epoch < 9).unwrap().interrupted);
    assert_eq!(train(&job, &mut |_| true).unwrap().weights, whole.weights);
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let alone = TrainConfig { mixup: None, ..config.clone() };
    let plain = train(&task.job(objective.as_ref(), &alone, None), &mut |_| true).unwrap();
    assert_ne!(plain.weights, whole.weights);
    // The variational objective fixes predictions up to a factor; the regularizer takes labeled positives to 1.
    let mean = |weights: &Weights| {
        let all = scores(&task.network, weights, &task.data, 1).unwrap();
        all[..40].iter().map(|&score| sigmoid(f64::from(score))).sum::<f64>() / 40.0
    };
    assert!(mean(&whole.weights) > mean(&plain.weights), "{} {}", mean(&whole.weights), mean(&plain.weights));
}

#[test]
fn what_cannot_be_mixed_is_refused() {
    let (task, objective) = (Task::new(), build("vpu"));
    let message = |config: TrainConfig| {
        train(&task.job(objective.as_ref(), &config, None), &mut |_| true).unwrap_err().to_string()
    };
    let mixup = Some(Mixup::default());
    let both = TrainConfig { mixup, teacher: Some(Teacher::default()), ..config() };
    assert!(message(both).contains("leave one of them out"));
    let wrong = TrainConfig { mixup: Some(Mixup { weight: -1.0, alpha: 0.3 }), ..config() };
    assert!(message(wrong).contains("mixup's weight must be above 0, but is -1"));
}
