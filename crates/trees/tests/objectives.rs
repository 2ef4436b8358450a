//! Trees trained by positive-unlabeled objectives, through derivatives that come from outside.
//!
//! Classes overlap: P ~ N(m, I) and negatives N(-m, I) with |m| = 1, so no score ranks better than Φ(√2) = 0.921, and
//! a quarter of U is positive.

use onesided_data::{Matrix, Stream};
use onesided_eval::auc;
use onesided_loss::{Collective, Naive, Nnpu, Objective, Reduction, Sampling, Surrogate, sigmoid, softplus};
use onesided_trees::{Binned, BoostedTrees, Boosting, Derivatives, HeldOut, TreesConfig};

const MU: f64 = 0.25;
/// The best there is, Φ(√2), less what trees lose on 12,000 rows.
const LEAST_AUC: f64 = 0.9;

/// A table with its hidden truth: labeled positives first, then unlabeled rows.
struct Simulated {
    binned: Binned,
    matrix: Matrix,
    truth: Vec<bool>,
    labeled: usize,
}

fn simulated(labeled: usize, unlabeled: usize, cols: usize, name: &str) -> Simulated {
    let mut stream = Stream::new(5, name);
    let truth: Vec<bool> = (0..labeled + unlabeled).map(|i| i < labeled || stream.uniform() < MU).collect();
    let mut values = Vec::with_capacity(truth.len() * cols);
    for &positive in &truth {
        // Two features say something, the others nothing.
        let mean = if positive { 0.5f64.sqrt() } else { -(0.5f64.sqrt()) };
        values.extend((0..cols).map(|col| (stream.normal() + if col < 2 { mean } else { 0.0 }) as f32));
    }
    let matrix = Matrix::new(truth.len(), cols, values).unwrap();
    Simulated { binned: Binned::new(&matrix).unwrap(), matrix, truth, labeled }
}

/// The derivatives of an objective whose training rows are `labeled` positives and then unlabeled rows. Before each tree
/// both are split into `parts` random batches, whose mean is descended. Times the number of rows, so that the sum of
/// curvatures in a leaf is of the size it has for log loss.
fn derivatives(
    objective: &dyn Objective,
    labeled: usize,
    parts: usize,
    seed: u64,
) -> impl FnMut(&[f64], &mut [Derivatives]) {
    let mut stream = Stream::new(seed, "parts");
    move |scores, of_rows| {
        let scale = (scores.len() as f64 / parts as f64) as f32;
        let mut positive: Vec<usize> = (0..labeled).collect();
        let mut unlabeled: Vec<usize> = (labeled..scores.len()).collect();
        stream.shuffle(&mut positive);
        stream.shuffle(&mut unlabeled);
        let batches = positive
            .chunks(positive.len().div_ceil(parts))
            .zip(unlabeled.chunks(unlabeled.len().div_ceil(parts)));
        for (p, u) in batches {
            let [of_p, of_u] = [p, u].map(|rows| rows.iter().map(|&i| scores[i] as f32).collect::<Vec<_>>());
            let (mut grad_p, mut grad_u) = (vec![0.0; p.len()], vec![0.0; u.len()]);
            let (mut curve_p, mut curve_u) = (grad_p.clone(), grad_u.clone());
            objective.evaluate(&of_p, &of_u, &mut grad_p, &mut grad_u);
            objective.curvature(&of_p, &of_u, &mut curve_p, &mut curve_u);
            let filled = grad_p.iter().chain(&grad_u).zip(curve_p.iter().chain(&curve_u));
            for (&i, (&gradient, &curvature)) in p.iter().chain(u).zip(filled) {
                of_rows[i] = (scale * gradient, scale * curvature);
            }
        }
    }
}

fn config() -> TreesConfig {
    TreesConfig { trees: 100, learning_rate: 0.05, max_leaves: 15, threads: 1, ..TreesConfig::default() }
}

fn train(table: &Simulated, objective: &dyn Objective, parts: usize, config: &TreesConfig) -> BoostedTrees {
    let training: Vec<u32> = (0..table.truth.len() as u32).collect();
    let start = (MU / (1.0 - MU)).ln();
    let boosting = Boosting { binned: &table.binned, training: &training, start, config };
    let mut derivatives = derivatives(objective, table.labeled, parts, config.seed);
    boosting.run(&mut derivatives, None, &mut |_| true).unwrap()
}

/// AUC on rows that were not seen, and the mean of σ over them; they have U's prior.
fn judged(objective: &dyn Objective, parts: usize, config: &TreesConfig) -> (f64, f64) {
    let (table, fresh) = (simulated(2_000, 10_000, 5, "table"), simulated(0, 10_000, 5, "fresh"));
    let boosted = train(&table, objective, parts, config);
    boosted.model.check().unwrap();
    assert_eq!((boosted.model.trees().len(), boosted.held_out_loss.len()), (config.trees, 0));
    let logits = boosted.model.logits_with_threads(&fresh.matrix, 0).unwrap();
    let mean = logits.iter().map(|&f| sigmoid(f)).sum::<f64>() / logits.len() as f64;
    let scores: Vec<f32> = logits.iter().map(|&f| f as f32).collect();
    let auc = auc(&scores, &fresh.truth).unwrap();
    assert!(auc > LEAST_AUC && auc < 0.93, "{} in {parts} parts: AUC {auc}", objective.describe());
    (auc, mean)
}

#[test]
fn the_prior_weighted_collective_loss_ranks_and_is_calibrated() {
    let loss = Collective::new(MU, Reduction::PriorWeighted).unwrap();
    for parts in [1, 8] {
        let (_, mean) = judged(&loss, parts, &config());
        assert!((mean - MU).abs() < 0.02, "{parts} parts: {mean}");
    }
    // A tree grown on 60 % of the rows takes the derivatives of all.
    let (_, mean) = judged(&loss, 4, &TreesConfig { row_share: 0.6, column_share: 0.8, ..config() });
    assert!((mean - MU).abs() < 0.02, "{mean}");
}

#[test]
fn the_sum_of_means_ranks_and_predicts_too_much() {
    // Where classes overlap its optimum is min(1, t η) with t > 1; without the minimum the mean would be (1 + μ) / 2.
    let (_, mean) = judged(&Collective::new(MU, Reduction::SumOfMeans).unwrap(), 4, &config());
    assert!(mean > MU + 0.1 && mean < 0.625, "{mean}");
}

#[test]
fn the_non_negative_risk_ranks_and_knows_the_prior_of_its_population() {
    // In one sample the scores are at the population's prior, 3/8, where rows with U's mix have a mean of about 1/3.
    let one_sample = Sampling::SingleSample { labeled_share: 1.0 / 6.0 };
    for (sampling, expected) in [(Sampling::CaseControl, MU), (one_sample, 1.0 / 3.0)] {
        let nnpu = Nnpu::new(MU, sampling, Surrogate::Logistic, 0.0, 1.0).unwrap();
        let (_, mean) = judged(&nnpu, 1, &config());
        assert!((mean - expected).abs() < 0.06, "{sampling}: {mean}");
    }
}

#[test]
fn naive_ranks_and_predicts_the_share_of_labels() {
    // σ is the probability of being labeled: a sixth of the rows are, and fewer among rows like U.
    let (_, mean) = judged(&Naive, 1, &config());
    assert!(mean < MU, "{mean}");
}

#[test]
fn neither_threads_nor_repetition_change_a_tree() {
    // Enough work for several threads.
    let table = simulated(6_000, 24_000, 20, "threads");
    let loss = Collective::new(MU, Reduction::PriorWeighted).unwrap();
    let trees = |threads, seed| {
        let config = TreesConfig { trees: 4, row_share: 0.8, threads, seed, ..config() };
        train(&table, &loss, 4, &config).model
    };
    let one = trees(1, 0);
    assert_eq!(one, trees(1, 0));
    assert_eq!(one, trees(3, 0));
    assert_ne!(one, trees(1, 1), "other rows and other parts are drawn");
}

#[test]
fn held_out_rows_and_the_observer_decide_when_to_stop() {
    let table = simulated(500, 2_500, 5, "stopping");
    // A part of P and a part of U are held out: every fifth row. Naive overtrains at this rate.
    let (held_out, training): (Vec<u32>, Vec<u32>) = (0..3_000).partition(|row| row % 5 == 0);
    let config = TreesConfig { learning_rate: 0.3, ..config() };
    let boosting = Boosting { binned: &table.binned, training: &training, start: 0.0, config: &config };
    let of_held_out = |scores: &[f64]| -> f64 {
        let loss = |(&row, &f): (&u32, &f64)| softplus(if row < 500 { -f } else { f });
        held_out.iter().zip(scores).map(loss).sum::<f64>() / scores.len() as f64
    };
    let grow = |most: usize| {
        let mut judge = of_held_out;
        let held_out = HeldOut { rows: &held_out, judge: &mut judge };
        let mut seen = Vec::new();
        let boosted = boosting
            .run(&mut derivatives(&Naive, 400, 1, 0), Some(held_out), &mut |round| {
                assert_eq!(round.scores.len(), training.len());
                seen.push(round.held_out_loss.unwrap());
                round.trees < most
            })
            .unwrap();
        assert_eq!(boosted.held_out_loss[1..], seen);
        boosted
    };
    let whole = grow(usize::MAX);
    let (best, grown) = (whole.model.trees().len(), whole.held_out_loss.len() - 1);
    assert!(best > 0 && grown == best + config.patience && grown < 100, "{best} of {grown}");
    let scores = whole.model.logits_of(&table.binned, &held_out).unwrap();
    assert!((of_held_out(&scores) - whole.held_out_loss[best]).abs() < 1e-12);
    // Stopped past the best tree: the same model. Stopped before: the trees up to there.
    assert_eq!(grow(best + 2).model, whole.model);
    let cut = grow(best - 1);
    assert!(cut.held_out_loss.len() == best && cut.model.trees().len() < best);
    assert_eq!(cut.model.trees(), &whole.model.trees()[..cut.model.trees().len()]);
}
