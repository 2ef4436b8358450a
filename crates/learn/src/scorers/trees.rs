//! Boosted trees under an objective.
//!
//! Every tree is grown on the gradient and the curvature that the objective gives for the scores so far. Objectives that
//! compare a mean over U with the prior see U in random parts, new ones before each tree, as a network sees batches.

use super::ObjectiveChoice;
use super::network::same_rows;
use crate::criterion::HeldScores;
use crate::{
    At, Candidate, Error, Fitted, History, Info, Observer, Progress, ScoreScale, Scorer, Signal, Subset,
    Task, TrainedScorer, Trainer, Views, Wants,
};
use onesided_data::{Label, Stream, map_stretches};
use onesided_eval::Sample;
use onesided_loss::{Loss, Objective, Options, Part, Reduction, Setting};
use onesided_net::OnTheWay;
use onesided_trees::{Binned, Boosting, HeldOut, TreesConfig};
use std::borrow::Cow;

/// Parts that U is split into before each tree, where it is large enough.
const PARTS: usize = 64;
/// Fewer unlabeled rows than this make a part whose mean is mostly noise.
const SMALLEST_PART: usize = 256;

/// Rows whose derivatives another thread is worth.
const WORTH_A_THREAD: usize = 50_000;

/// Boosted trees under an objective.
#[derive(Clone, Debug)]
pub struct TreesScorer {
    /// The loss.
    pub objective: ObjectiveChoice,
    /// Its options.
    pub options: Options,
    /// The reduction of the collective loss; `None` tries two.
    pub reduction: Option<Reduction>,
    /// How trees are grown.
    pub config: TreesConfig,
    /// What μ is multiplied by before the objective is told of it; 1 but for those who look around.
    pub prior_factor: f64,
}

impl TreesScorer {
    /// The trees that this project grows where nothing is said.
    pub fn default_config() -> TreesConfig {
        TreesConfig {
            trees: 300,
            max_leaves: 15,
            row_share: 0.8,
            column_share: 0.8,
            patience: 20,
            ..TreesConfig::default()
        }
    }

    fn setting(&self, task: &Task) -> Setting {
        let mut setting = task.setting();
        if self.prior_factor != 1.0 {
            let mu = setting.prior_in_unlabeled;
            // Never more than halfway from μ to 1.
            setting.prior_in_unlabeled = (mu * self.prior_factor).min((1.0 + mu) / 2.0);
        }
        setting
    }

    fn options(&self, candidate: &Candidate) -> Options {
        Options { reduction: candidate.reduction.unwrap_or(self.options.reduction), ..self.options }
    }

    fn build(&self, task: &Task, candidate: &Candidate) -> Result<Box<dyn Objective>, Error> {
        Ok(self.objective.build(&self.setting(task), &self.options(candidate))?)
    }
}

impl Scorer for TreesScorer {
    fn info(&self) -> Info {
        self.objective.info("trees".to_string())
    }

    fn wants(&self) -> Wants {
        Wants { dense: true, ..Wants::default() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        self.objective.candidates(self.reduction)
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        self.objective.takes_negatives()
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        self.objective.takes_weights()
    }

    fn check(&self, task: &Task) -> Result<(), Error> {
        self.build(task, &self.candidates()[0])?;
        Ok(())
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Ok(Box::new(TreesTrainer { scorer: self, task, binned: views.binned()? }))
    }
}

struct TreesTrainer<'d> {
    scorer: &'d TreesScorer,
    task: &'d Task<'d>,
    binned: &'d Binned,
}

impl Trainer for TreesTrainer<'_> {
    fn any_threads(&self) -> bool {
        true
    }

    /// Workers that hold the rows grow one tree at a time.
    fn side_by_side(&self) -> bool {
        !self.binned.is_away()
    }

    fn bytes_for(&self, rows: usize) -> u64 {
        self.binned.bytes_to_grow(rows).saturating_add(OnTheWay::MOST_BYTES)
    }

    fn fit(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let (task, run) = (self.task, subset.run);
        let objective = self.scorer.build(task, candidate)?;
        let mut config =
            TreesConfig { seed: subset.seed, threads: subset.threads, ..self.scorer.config.clone() };
        if let Some(trees) = subset.stop_after {
            config.trees = trees.max(1);
        }
        let training = subset.training.all();
        let (setting, options) = (self.scorer.setting(task), self.scorer.options(candidate));
        let negatives =
            self.scorer.objective.negatives(&setting, &options, subset.training.negative.len())?;
        let loss = Loss { objective: objective.as_ref(), negatives };
        let kinds = [&subset.training.positive, &subset.training.unlabeled, &subset.training.negative];
        let mut derivatives =
            Rounds::new(loss, self.scorer.objective.is_pooled(), kinds.map(Vec::len), subset.seed);
        derivatives.weights = task.weights_of(&training);
        derivatives.threads = subset.threads;
        let stopping = subset.stopping.all();
        let weights = task.weights_by_kind(subset.stopping);
        let mut rounds = OnTheWay::default();
        if same_rows(subset.stopping, subset.scored) {
            rounds = OnTheWay::new(config.trees, stopping.len());
        }
        // The first look is before the first tree.
        let mut trees = 0;
        let mut judge = |scores: &[f64]| {
            let scores: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
            rounds.keep(trees, || scores.clone());
            trees += 1;
            let [positive, unlabeled, negative] = subset.stopping.split(&scores);
            let [wp, wu, wn] = weights.each_ref().map(Option::as_deref);
            let held = HeldScores {
                positive: Sample { scores: positive, weights: wp },
                unlabeled: Sample { scores: unlabeled, weights: wu },
                negative: Sample { scores: negative, weights: wn },
            };
            if task.truth { held.log_loss() } else { held.risk(task.mu()) }
        };
        let held_out = if subset.stop_after.is_none() && !stopping.is_empty() {
            Some(HeldOut { rows: &stopping, judge: &mut judge })
        } else {
            None
        };
        // Levels beyond the number of bins have the order that these rows give them.
        let of_label = |row: u32| task.labels[row as usize] == Label::Positive;
        let ordered = self.binned.ordered(&training, of_label, subset.seed)?;
        let binned = ordered.as_ref().unwrap_or(self.binned);
        let boosting = Boosting {
            binned,
            training: &training,
            start: self.scorer.objective.start(task),
            config: &config,
        };
        let mut signal = Signal::Continue;
        let boosted = boosting.run(
            &mut |scores, of_rows| derivatives.fill(scores, of_rows),
            held_out,
            &mut |round| {
                signal = observer(&Progress {
                    name: run.name,
                    run: run.number,
                    runs: run.all,
                    device: "cpu",
                    resumed_from: None,
                    at: At::Tree { done: round.trees, most: config.trees },
                });
                signal == Signal::Continue
            },
        )?;
        if signal == Signal::Abort {
            return Err(Error::Interrupted { epoch: boosted.model.trees().len(), checkpoint: None });
        }
        let scores = |rows: &[u32]| -> Result<Vec<f32>, Error> {
            let logits = boosted.model.logits_of_with_threads(binned, rows, subset.threads)?;
            Ok(logits.into_iter().map(|logit| logit as f32).collect())
        };
        let grown = boosted.held_out_loss.len().saturating_sub(1).max(boosted.model.trees().len());
        Ok(TrainedScorer {
            stopping: scores(&stopping)?,
            scored: scores(subset.scored)?,
            rounds,
            scale: ScoreScale::ONE,
            history: History {
                epochs: grown,
                best_epoch: boosted.model.trees().len(),
                of_epochs: Vec::new(),
                config: None,
            },
            fitted: Fitted::Trees(boosted.model),
            described: objective.describe(),
            resumed_from: None,
            finished_early: signal == Signal::Finish,
        })
    }
}

/// Derivatives of an objective before each tree: the unlabeled rows in random parts, each with all positives and negatives
/// or, where there are many, with as large a part of them.
struct Rounds<'o> {
    loss: Loss<'o>,
    /// Places of the training rows of each kind.
    kinds: [Vec<u32>; 3],
    /// Weights of the training rows.
    weights: Option<Vec<f32>>,
    parts: usize,
    threads: usize,
    /// Whether a kind is split among the parts.
    split: [bool; 3],
    stream: Stream,
}

impl<'o> Rounds<'o> {
    fn new(loss: Loss<'o>, pooled: bool, counts: [usize; 3], seed: u64) -> Self {
        let [positive, unlabeled, negative] = counts;
        let parts = if pooled { 1 } else { (unlabeled / SMALLEST_PART).clamp(1, PARTS) };
        let places = |from: usize, many: usize| (from as u32..(from + many) as u32).collect::<Vec<u32>>();
        let kinds =
            [places(0, positive), places(positive, unlabeled), places(positive + unlabeled, negative)];
        Self {
            loss,
            kinds,
            weights: None,
            parts,
            threads: 1,
            split: [positive * parts > unlabeled, true, negative * parts > unlabeled],
            stream: Stream::new(seed, "parts of U"),
        }
    }

    fn fill(&mut self, scores: &[f64], of_rows: &mut [(f32, f32)]) {
        if self.parts > 1 {
            // U first: what is drawn for the others changes nothing of it.
            for kind in [1, 0, 2] {
                if self.split[kind] {
                    self.stream.shuffle(&mut self.kinds[kind]);
                }
            }
        }
        of_rows.fill((0.0, 0.0));
        // A mean over n rows times n, so that limits on sums of curvatures mean what they mean for log loss.
        let weight = (scores.len() as f64 / self.parts as f64) as f32;
        let numbers: Vec<usize> = (0..self.parts).collect();
        let threads = if scores.len() < WORTH_A_THREAD { 1 } else { self.threads };
        let stretches = map_stretches(&numbers, threads, 1, |numbers| {
            numbers.iter().map(|&number| self.part(number, scores)).collect::<Vec<OfPart>>()
        });
        // Added up in the order of the parts, whichever thread had them.
        for (number, OfPart { slopes, curves }) in stretches.into_iter().flatten().enumerate() {
            for (kind, places) in self.places(number).iter().enumerate() {
                for (&place, (slope, curve)) in places.iter().zip(slopes[kind].iter().zip(&curves[kind])) {
                    let of_row = &mut of_rows[place as usize];
                    *of_row = (of_row.0 + weight * slope, of_row.1 + weight * curve);
                }
            }
        }
    }

    /// Places of the rows of each kind in a part.
    fn places(&self, number: usize) -> [&[u32]; 3] {
        std::array::from_fn(|kind| {
            let (all, parts) = (self.kinds[kind].as_slice(), self.parts);
            if self.split[kind] {
                &all[number * all.len() / parts..(number + 1) * all.len() / parts]
            } else {
                all
            }
        })
    }

    /// The derivatives of one part.
    fn part(&self, number: usize, scores: &[f64]) -> OfPart {
        let places = self.places(number);
        let of_kinds = places
            .map(|places| places.iter().map(|&place| scores[place as usize] as f32).collect::<Vec<f32>>());
        let weights = self.weights.as_ref().map(|all| {
            places.map(|places| places.iter().map(|&place| all[place as usize]).collect::<Vec<f32>>())
        });
        let mut slopes = places.map(|places| vec![0.0; places.len()]);
        let mut curves = slopes.clone();
        let parts = std::array::from_fn(|kind| {
            Part::new(&of_kinds[kind], weights.as_ref().map(|weights| weights[kind].as_slice()))
        });
        self.loss.evaluate(parts, slopes.each_mut().map(Vec::as_mut_slice));
        self.loss.curvature(parts, curves.each_mut().map(Vec::as_mut_slice));
        OfPart { slopes, curves }
    }
}

/// Gradients and curvatures of the rows of a part, by kind.
struct OfPart {
    slopes: [Vec<f32>; 3],
    curves: [Vec<f32>; 3],
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_loss::{Setting, method, sigmoid};

    fn objective(name: &str) -> Box<dyn Objective> {
        let setting = Setting { prior_in_unlabeled: 0.3, sampling: onesided_loss::Sampling::CaseControl };
        let options = Options { reduction: Reduction::PriorWeighted, ..Options::default() };
        method(name).unwrap().build(&setting, &options).unwrap()
    }

    fn filled(objective: &dyn Objective, pooled: bool, positive: usize, scores: &[f64]) -> Vec<(f32, f32)> {
        let mut rounds = Rounds::new(objective.into(), pooled, [positive, scores.len() - positive, 0], 7);
        let mut of_rows = vec![(9.0, 9.0); scores.len()];
        rounds.fill(scores, &mut of_rows);
        of_rows
    }

    #[test]
    fn naive_trees_get_the_derivatives_of_log_loss() {
        let scores = [0.7, -1.2, 0.0, 2.5, -0.3];
        let found = filled(objective("naive").as_ref(), true, 2, &scores);
        for (row, (&score, (slope, curve))) in scores.iter().zip(found).enumerate() {
            let s = sigmoid(score);
            let expected = if row < 2 { s - 1.0 } else { s };
            assert!((f64::from(slope) - expected).abs() < 1e-6, "{row}: {slope}");
            assert!((f64::from(curve) - s * (1.0 - s)).abs() < 1e-6, "{row}: {curve}");
        }
    }

    #[test]
    fn parts_of_u_add_up_to_finite_differences_of_their_mean_loss() {
        // 1,024 unlabeled rows are four parts, seen with all 16 positives; the same seed makes the same parts again.
        let (positive, unlabeled) = (16, 4 * SMALLEST_PART);
        let mut scores: Vec<f64> =
            (0..positive + unlabeled).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
        let collective = objective("collective");
        let found = filled(collective.as_ref(), false, positive, &scores);
        let loss = |scores: &[f64]| -> f64 {
            let mut order: Vec<u32> = (positive as u32..scores.len() as u32).collect();
            Stream::new(7, "parts of U").shuffle(&mut order);
            let of = |places: &[u32]| {
                places.iter().map(|&place| scores[place as usize] as f32).collect::<Vec<f32>>()
            };
            let p = of(&(0..positive as u32).collect::<Vec<_>>());
            let parts = order.chunks(SMALLEST_PART).map(|part| {
                let u = of(part);
                collective.evaluate(&p, &u, &mut vec![0.0; p.len()], &mut vec![0.0; u.len()])
            });
            scores.len() as f64 * parts.sum::<f64>() / 4.0
        };
        for row in [0, 5, 15, 16, 300, 1_039] {
            let (at, step) = (scores[row], 1.0 / 64.0);
            scores[row] = at + step;
            let above = loss(&scores);
            scores[row] = at - step;
            let below = loss(&scores);
            scores[row] = at;
            let slope = (above - below) / (2.0 * step);
            assert!(
                (slope - f64::from(found[row].0)).abs() < 2e-3,
                "{row}: {slope} against {:?}",
                found[row]
            );
            assert!(found[row].1 > 0.0);
        }
    }
}
