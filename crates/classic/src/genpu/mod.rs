//! GenPU: generated positives against generated negatives.
//!
//! M. Hou, B. Chaib-draa, C. Li and Q. Zhao, "Generative adversarial positive-unlabeled learning", IJCAI 2018 (arXiv
//! 1711.08054). Two generators, G_p and G_n, and three discriminators, D_p, D_u and D_n, play
//!
//! ```text
//! μ       [ λ_p V(D_p; p_p, G_p) + λ_u V(D_u; p_u, G_p) ]
//! + (1 - μ) [ λ_u V(D_u; p_u, G_n) + λ_n V(D_n; p_p, G_n) ],      V(D; p, G) = E_p ln D(x) + E_z ln(1 - D(G(z)))
//! ```
//!
//! Every discriminator raises its V. G_p lowers both of its own: it makes rows like the labeled positives (D_p) that also
//! occur among the unlabeled ones (D_u). G_n lowers the first of its own and *raises* the second: its rows occur among the
//! unlabeled ones and are not positives (D_n). D_u sees both generators in the shares μ and 1 - μ, so the mixture of the
//! two has to be p_u; with G_p at p_p, what is left for G_n is p_n. A classifier is trained on the rows they make.
//!
//! This is a reconstruction: the abstract and introduction were read, the objective is recalled, and no code is known. Of
//! our own are:
//!
//! * Losses. Generators pay -ln D where they want to convince (I. Goodfellow and others, NeurIPS 2014), G_n pays
//!   -ln(1 - D_n), real rows have the target 0.9 (T. Salimans and others, NeurIPS 2016); see [`players`]. The factors μ
//!   and 1 - μ in front of a generator's whole loss are left out, since Adam does not notice them.
//! * Noise. With few positives a discriminator soon knows every one by heart, and its generator learns nothing more.
//!   All that networks see is blurred by noise (C. Sønderby and others, ICLR 2017), the classifier's rows too: it must not
//!   learn to tell the generators by their flaws.
//! * The classifier learns alongside the game instead of after it, from its second quarter on, from the same batches, and
//!   its weights are averaged over its last steps. So a single game gives a row of candidates.
//! * Threshold. As large a share of the unlabeled rows lies above it as is positive, μ.
//! * Choice. A fifth of the rows is held out, and of all looks at all games the one is kept whose classifier has the lowest
//!   positive-unlabeled 0-1 risk on them ([`PredictedShares`]), or the last one that is not worse beyond chance. No negative is
//!   needed. Wide rows are looked at once, at the end: a fifth of few positives is worth more to the generator.
//!
//! All networks are [`dense`] with two hidden layers: for rows of some columns, or small images such as 28 × 28.
//!
//! Doubts. Generative methods do poorly in benchmarks of this field. A judge that knows generated rows by how they are drawn
//! rather than by what they show teaches nothing about the classes: on images D_n is right almost from the start, after
//! which G_n is not pushed away from the positives, and only D_u's shares keep the classes apart. The game has no
//! value to watch; trust the risk in the model's notes, and compare with `nnpu`, which is quicker. With a wrong μ the
//! generators divide the unlabeled rows wrongly. At the equilibrium the classifier's score would be a log-odds, but games
//! end before it and the scores are far too sure, so no probability is offered: a calibration has to give it.

mod adam;
pub mod dense;
mod frame;
mod game;
pub mod players;
mod settings;

pub use settings::GenPu;
pub(crate) use settings::INFO;

use crate::problem::Parts;
use crate::systems::System;
use crate::{ClassicError, ClassicModel, PredictedShares, Problem, ScoreForm, Selected};
use dense::{DenseNet, Pass};
use frame::Frame;
use game::Game;
use onesided_data::{ClassPrior, Counts, Label, Stream};

const NAME: &str = "genpu";

/// Rows may have this many columns: 32 × 32 pixels. Dense generators draw nothing larger.
pub const MOST_COLUMNS: usize = 1024;
/// A class has to be learned from this many examples at least.
pub const LEAST_POSITIVES: usize = 10;
/// The threshold is set on this many unlabeled rows at most.
const RANKED: usize = 5000;

/// A model with the generators that taught it.
#[derive(Clone, Debug, PartialEq)]
pub struct GenPuFit {
    /// The classifier.
    pub model: ClassicModel,
    /// What it was taught by.
    pub generators: Generators,
}

/// The two generators, at the step that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Generators {
    positive: DenseNet,
    negative: DenseNet,
    frame: Frame,
}

impl Generators {
    /// `count` generated positives, one after the other, as wide as the rows that were learned from.
    pub fn positives(&self, count: usize, seed: u64) -> Vec<f32> {
        self.draw(&self.positive, count, &mut Stream::new(seed, "genpu positives"))
    }

    /// `count` generated negatives.
    pub fn negatives(&self, count: usize, seed: u64) -> Vec<f32> {
        self.draw(&self.negative, count, &mut Stream::new(seed, "genpu negatives"))
    }

    fn draw(&self, net: &DenseNet, count: usize, stream: &mut Stream) -> Vec<f32> {
        let mut pass = Pass::default();
        net.forward(&game::latent(stream, count * net.inputs()), &mut pass);
        self.frame.leave(pass.output())
    }
}

impl System for GenPu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        self.learn_generators(problem).map(|fit| fit.model)
    }
}

/// A look at a game.
struct Look {
    /// What it calls positive of the rows held out, where there are any.
    shares: Option<PredictedShares>,
    step: usize,
    fit: GenPuFit,
}

impl GenPu {
    /// Learns, and keeps the generators.
    pub fn fit_generators(&self, problem: &Problem) -> Result<GenPuFit, ClassicError> {
        problem.checked(|| self.learn_generators(problem))
    }

    fn learn_generators(&self, problem: &Problem) -> Result<GenPuFit, ClassicError> {
        self.check()?;
        let mu = problem.prior.ok_or(ClassicError::NoPrior { method: NAME })?;
        let cols = problem.rows.cols();
        if cols > MOST_COLUMNS {
            return Err(ClassicError::TooWide { method: NAME, cols, limit: MOST_COLUMNS });
        }
        let Counts { positive, unlabeled, .. } = problem.counts();
        for (what, found) in [("positives", positive), ("unlabeled rows", unlabeled)] {
            if found < LEAST_POSITIVES {
                let remedy = "generators cannot learn from fewer; use another method, or add rows";
                return Err(ClassicError::TooFew {
                    method: NAME,
                    what,
                    least: LEAST_POSITIVES,
                    found,
                    remedy,
                });
            }
        }
        let frame = Frame::of(problem.rows)?;
        let parts =
            if self.games * self.looks(cols) > 1 { Some(problem.held_out(NAME, usize::MAX)?) } else { None };
        let mut looks = Vec::new();
        let mut last_step = 0;
        for round in 0..self.games {
            last_step = self.play(problem, &frame, parts.as_ref(), round, &mut looks)?;
        }
        let prior = mu.to_class_prior(problem.scenario, problem.counts());
        let best = match &parts {
            Some(parts) => {
                let held = parts.held.labels.iter().filter(|&&label| label == Label::Positive).count();
                let shares: Vec<PredictedShares> = looks.iter().filter_map(|look| look.shares).collect();
                latest_of_the_best(&shares, prior, held)
            }
            None => looks.len().checked_sub(1),
        };
        let Some(best) = best else {
            return Err(ClassicError::Diverged { method: NAME, step: last_step, games: self.games });
        };
        let Look { shares, step, mut fit } = looks.swap_remove(best);
        if let Some(shares) = shares {
            fit.model = fit.model.with("held-out risk", shares.risk(prior));
        }
        fit.model = fit.model.with("step", step as f64);
        Ok(fit)
    }

    /// One game; returns the step it ended at, which is the last one unless a loss stopped being a number.
    fn play(
        &self,
        problem: &Problem,
        frame: &Frame,
        parts: Option<&Parts>,
        round: usize,
        looks: &mut Vec<Look>,
    ) -> Result<usize, ClassicError> {
        let cols = problem.rows.cols();
        let (positive, unlabeled) = match parts {
            Some(parts) => parts.kept.indices.iter().copied().partition(|&i| problem.is_positive(i)),
            None => problem.parts(),
        };
        let kinds: [Vec<usize>; 2] = [positive, unlabeled];
        let mu = problem.needed_prior(NAME)?;
        let ranked = Selected::new(problem.rows, ranked(problem));
        let mut game = Game::new(self, cols, frame.output, mu, problem.seed, round);
        let mut stream = Stream::new(problem.seed, &format!("genpu batches {round}"));
        let mut batches = [(); 2].map(|()| vec![0.0; self.batch * cols]);
        let (steps, (start, end)) = (self.steps(cols), self.noise(cols));
        let (first, looks_wanted) = (steps / 4, self.looks(cols));
        for step in 1..=steps {
            for (rows, batch) in kinds.iter().zip(&mut batches) {
                for out in batch.chunks_exact_mut(cols) {
                    frame.enter(problem.rows, rows[stream.below(rows.len())], out);
                }
            }
            let noise = start + (end - start) * step as f64 / steps as f64;
            let [batch_p, batch_u] = &mut batches;
            if !game.step(batch_p, batch_u, noise as f32, step > first) {
                return Ok(step);
            }
            // Looks are spread evenly over what follows the first quarter, the last one at the end.
            let looks_by = |step: usize| (step - first) * looks_wanted / (steps - first);
            if step > first && looks_by(step) > looks_by(step - 1) {
                let Some(net) = game.average.clone() else { continue };
                let mut model =
                    ClassicModel::new(NAME, ScoreForm::Network(net.absorb(&frame.shift, &frame.scale)));
                model.threshold = above(model.scores(&ranked)?, mu);
                let shares = match parts {
                    Some(Parts { held, .. }) => {
                        let scores = model.scores(&held.rows(problem))?;
                        let above = scores.iter().map(|&score| score > model.threshold);
                        Some(
                            PredictedShares::new(&held.labels, above)
                                .in_population(problem.scenario, problem.counts().labeled_share()),
                        )
                    }
                    None => None,
                };
                let [positive, negative] = [&game.g_p, &game.g_n].map(|maker| maker.net.clone());
                let generators = Generators { positive, negative, frame: frame.clone() };
                if model.threshold.is_finite() {
                    looks.push(Look { shares, step, fit: GenPuFit { model, generators } });
                }
            }
        }
        Ok(steps)
    }
}

/// The last look whose risk does not exceed the lowest one by more than chance may: a few held-out positives are a poor
/// judge, and games get better with time. The standard error is that of the difference of two risks, from the `held`
/// positives, with one more of them found and one more missed so that it is not 0.
fn latest_of_the_best(looks: &[PredictedShares], prior: ClassPrior, held: usize) -> Option<usize> {
    let risk = |look: &PredictedShares| look.risk(prior);
    let best = looks.iter().min_by(|a, b| risk(a).total_cmp(&risk(b)))?;
    let n = held as f64;
    let recall = (best.recall * n + 1.0) / (n + 2.0);
    let chance = 2.0 * prior.get() * (2.0 * recall * (1.0 - recall) / n).sqrt();
    looks.iter().rposition(|look| risk(look) <= risk(best) + chance)
}

/// The unlabeled rows that the threshold is set on, drawn from all over: tables come sorted.
fn ranked(problem: &Problem) -> Vec<usize> {
    let mut unlabeled = problem.parts().1;
    if unlabeled.len() > RANKED {
        Stream::new(problem.seed, "genpu ranked").shuffle(&mut unlabeled);
        unlabeled.truncate(RANKED);
    }
    unlabeled
}

/// A threshold that a share `share` of the scores lies above, but for one at least on either side. There must be two.
fn above(mut scores: Vec<f64>, share: f64) -> f64 {
    scores.sort_by(f64::total_cmp);
    let n = scores.len();
    let count = ((share * n as f64).round() as usize).clamp(1, n - 1);
    0.5 * (scores[n - count - 1] + scores[n - count])
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, PriorInUnlabeled, Scenario};

    /// Positives at (-2, 2) and (2, -2), negatives at (2, 2) and (-2, -2), spread 0.4; 60 positives are labeled, and of
    /// 600 unlabeled rows the first 240 are positive.
    fn corners() -> (Matrix, Vec<Label>) {
        let mut stream = Stream::new(8, "corners");
        let values = (0..660).flat_map(|i| {
            let x = if stream.below(2) == 0 { 2.0 } else { -2.0 };
            let y = if i < 300 { -x } else { x };
            [x, y].map(|center| (center + 0.4 * stream.normal()) as f32)
        });
        let labels = (0..660).map(|i| if i < 60 { Label::Positive } else { Label::Unlabeled });
        (Matrix::new(660, 2, values.collect()).unwrap(), labels.collect())
    }

    fn problem<'a>(rows: &'a Matrix, labels: &'a [Label], mu: f64) -> Problem<'a> {
        let prior = PriorInUnlabeled::new(mu).ok();
        Problem {
            rows,
            labels,
            weights: None,
            prior,
            scenario: Scenario::CaseControl,
            seed: 2,
            threads: 0,
            go_on: None,
        }
    }

    #[test]
    fn generated_classes_lie_at_their_own_modes_and_teach_the_classifier() {
        let (rows, labels) = corners();
        let settings = GenPu { steps: Some(2000), ..GenPu::default() };
        let fit = settings.fit_generators(&problem(&rows, &labels, 0.4)).unwrap();
        // Positives have coordinates of two signs, negatives of one.
        let positive = |row: &[f32]| row[0] * row[1] < 0.0;
        let made = [fit.generators.positives(1000, 3), fit.generators.negatives(1000, 3)];
        for (made, class) in made.iter().zip([true, false]) {
            let right: Vec<&[f32]> = made.chunks_exact(2).filter(|row| positive(row) == class).collect();
            let at_first = right.iter().filter(|row| row[0] > 0.0).count();
            assert!(right.len() > 900, "{class}: {}", right.len());
            // Both modes are there.
            assert!((200..800).contains(&at_first), "{class}: {at_first}");
        }
        let scores = fit.model.scores(&rows).unwrap();
        let called = |i: &usize| scores[*i] > fit.model.threshold;
        assert!((60..660).filter(|i| called(i) == (*i < 300)).count() > 580);
        // The threshold leaves the prior's share of the unlabeled rows above it.
        assert_eq!((60..660).filter(called).count(), 240);
        assert_eq!(fit.generators.positives(1000, 3), made[0]);
    }

    #[test]
    fn of_looks_that_are_equal_but_for_chance_the_last_one_counts() {
        let look = |recall: f64| PredictedShares { recall, share: 0.5, negatives: (0.0, 0.0) };
        let prior = ClassPrior::new(0.5).unwrap();
        // Of 20 positives 19 are found: recall 20/22, chance 1.0 · √(2 · 0.0826 / 20) = 0.091.
        let looks = [0.6, 0.95, 0.9, 0.9, 0.7].map(look);
        assert_eq!(latest_of_the_best(&looks, prior, 20), Some(3));
        // Of 2000 it is 0.007, and the best one counts.
        assert_eq!(latest_of_the_best(&looks, prior, 2000), Some(1));
        assert_eq!(latest_of_the_best(&[], prior, 20), None);
    }

    #[test]
    fn the_threshold_is_set_on_rows_from_all_over_a_sorted_table() {
        // 1,000 positives, then 20,000 unlabeled rows of which the first half is of one kind.
        let labels: Vec<Label> =
            (0..21_000).map(|i| if i < 1000 { Label::Positive } else { Label::Unlabeled }).collect();
        let rows = Matrix::new(21_000, 1, vec![0.0; 21_000]).unwrap();
        let ranked = ranked(&problem(&rows, &labels, 0.5));
        let first = ranked.iter().filter(|&&i| i < 11_000).count();
        assert!(ranked.len() == RANKED && ranked.iter().all(|&i| i >= 1000));
        // Half of 5,000, with a standard deviation of 31.
        assert!((2376..2625).contains(&first), "{first}");
    }

    #[test]
    fn thresholds_by_hand() {
        let scores = vec![5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(above(scores.clone(), 0.4), 3.5);
        assert_eq!((above(scores.clone(), 0.0), above(scores, 1.0)), (4.5, 1.5));
    }

    #[test]
    fn what_cannot_be_learned_from_gets_a_sentence() {
        let (rows, mut labels) = corners();
        let message = |settings: &GenPu, rows: &Matrix, labels: &[Label], mu: f64| {
            settings.fit(&problem(rows, labels, mu)).unwrap_err().to_string()
        };
        let usual = GenPu { steps: Some(40), ..GenPu::default() };
        assert_eq!(
            message(&GenPu { rate: Some(1e30), ..usual.clone() }, &rows, &labels, 0.4)
                .split(", the last")
                .next(),
            Some("genpu diverged in all of its games (1)")
        );
        assert_eq!(
            message(&GenPu { target: 0.3, ..usual.clone() }, &rows, &labels, 0.4),
            "the target of real rows must be above 0.5 and at most 1, but is 0.3"
        );
        assert_eq!(
            message(&GenPu { looks: Some(0), ..usual.clone() }, &rows, &labels, 0.4),
            "the number of looks must be at least 1, but is 0"
        );
        assert!(message(&usual, &rows, &labels, f64::NAN).starts_with("genpu needs the share of positives"));
        labels[9..60].fill(Label::Unlabeled);
        assert_eq!(
            message(&usual, &rows, &labels, 0.4),
            "genpu needs at least 10 positives, but there are 9; generators cannot learn from fewer; use another \
             method, or add rows"
        );
        labels[..60].fill(Label::Positive);
        let alike = Matrix::new(660, 2, [3.0, 4.0].repeat(660)).unwrap();
        assert!(message(&usual, &alike, &labels, 0.4).starts_with("the 2 columns have one value each"));
        let wide = Matrix::new(660, 1025, vec![0.0; 660 * 1025]).unwrap();
        assert_eq!(
            message(&usual, &wide, &labels, 0.4),
            "genpu takes rows of at most 1024 columns, but there are 1025; use another method, or fewer columns"
        );
    }
}
