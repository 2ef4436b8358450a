//! GenPU (draft).

mod adam;
pub mod dense;
mod game;
pub mod players;

use crate::systems::System;
use crate::{Called, ClassicError, ClassicModel, Rows, Scorer, Task};
use dense::{DenseNet, Output, Pass};
use game::Game;
use onesided_data::Stream;

const NAME: &str = "genpu";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct GenPu {
    /// λ_p
    pub lambda_p: f64,
    /// λ_u
    pub lambda_u: f64,
    /// λ_n
    pub lambda_n: f64,
    /// Units of a hidden layer.
    pub hidden: Option<usize>,
    /// Steps.
    pub steps: usize,
    /// Rows of each kind a step.
    pub batch: usize,
    /// Size of a step.
    pub rate: f64,
    /// Target of real rows.
    pub smooth: f64,
    /// Noise
    pub noise: f64,
    /// How often a game is looked at.
    pub looks: usize,
    /// print
    pub verbose: bool,
}

impl Default for GenPu {
    fn default() -> Self {
        Self {
            lambda_p: 1.0,
            lambda_u: 1.0,
            lambda_n: 1.0,
            hidden: None,
            steps: 3000,
            batch: 64,
            rate: 2e-4,
            smooth: 0.9,
            noise: 0.1,
            looks: 8,
            verbose: false,
        }
    }
}

/// x
pub struct Fit {
    /// m
    pub model: ClassicModel,
    /// p
    pub positives: Vec<f32>,
    /// n
    pub negatives: Vec<f32>,
    /// All looks
    pub seen: Vec<(f64, ClassicModel)>,
}

impl GenPu {
    fn width(&self, cols: usize) -> usize {
        self.hidden.unwrap_or(if cols <= 32 { 64 } else { 256 })
    }

    fn latent(&self, cols: usize) -> usize {
        (4 * cols).clamp(8, 64)
    }

    /// f
    pub fn fit_game(&self, task: &Task) -> Result<Fit, ClassicError> {
        task.check()?;
        let mu = task.needed_prior(NAME)?;
        let cols = task.rows.cols();
        let parts = task.held_out(NAME, usize::MAX)?;
        let (shift, scale, output) = scaling(task.rows);
        let load = |i: usize, out: &mut [f32]| {
            out.iter_mut().zip(shift.iter().zip(&scale)).for_each(|(x, (m, s))| *x = -m * s);
            task.rows.each(i, &mut |c, v| out[c] = (v - shift[c]) * scale[c]);
        };
        let kept = |positive: bool| -> Vec<usize> {
            parts.kept.indices.iter().copied().filter(|&i| task.is_positive(i) == positive).collect()
        };
        let (p, u) = (kept(true), kept(false));
        let mut game = Game::new(self, cols, output, mu, task.seed, 0);
        let mut stream = Stream::new(task.seed, "genpu batches");
        let mut batch_p = vec![0.0; self.batch * cols];
        let mut batch_u = batch_p.clone();
        let mut best: Option<Fit> = None;
        let mut best_risk = f64::INFINITY;
        let mut seen = Vec::new();
        let held = parts.held.rows(task);
        for step in 1..=self.steps {
            for (rows, batch) in [(&p, &mut batch_p), (&u, &mut batch_u)] {
                for out in batch.chunks_exact_mut(cols) {
                    load(rows[stream.below(rows.len())], out);
                }
            }
            let follow = step > self.steps / 4;
            if !game.step(&mut batch_p, &mut batch_u, self.noise as f32, follow) {
                panic!("diverged at {step}");
            }
            if step % (self.steps / self.looks).max(1) == 0 && follow {
                let net = game.classifier.net.clone().absorb(&shift, &scale);
                let model = ClassicModel::new(NAME, Scorer::Network(net));
                let scores = model.scores(&held)?;
                let called = Called::new(&parts.held.labels, scores.iter().map(|&s| s > 0.0));
                let risk = called.cost(task.prior);
                if self.verbose {
                    eprintln!("{step} risk {risk:.4} r {:.3} a {:.3} {:.3?}", called.recall, called.share, game.losses());
                }
                seen.push((risk, model.clone()));
                if risk <= best_risk {
                    best_risk = risk;
                    let mut made = |net: &DenseNet, name: &str| {
                        let mut pass = Pass::default();
                        let z = game::latent(&mut Stream::new(task.seed, name), 500 * self.latent(cols));
                        net.forward(&z, &mut pass);
                        let mut out = pass.output().to_vec();
                        for row in out.chunks_exact_mut(cols) {
                            for c in 0..cols { row[c] = row[c] / scale[c] + shift[c]; }
                        }
                        out
                    };
                    best = Some(Fit { model, positives: made(&game.g_p.net, "p"), negatives: made(&game.g_n.net, "n"), seen: Vec::new() });
                }
            }
        }
        let mut best = best.unwrap();
        best.seen = seen;
        Ok(best)
    }
}

fn scaling(rows: &dyn Rows) -> (Vec<f32>, Vec<f32>, Output) {
    let (n, cols) = (rows.rows() as f64, rows.cols());
    let (mut sum, mut squares) = (vec![0.0; cols], vec![0.0; cols]);
    let (mut low, mut high) = (0.0_f32, 0.0_f32);
    for i in 0..rows.rows() {
        rows.each(i, &mut |c, v| {
            sum[c] += f64::from(v);
            squares[c] += f64::from(v) * f64::from(v);
            low = low.min(v);
            high = high.max(v);
        });
    }
    if low >= 0.0 && high <= 1.0 {
        return (vec![0.5; cols], vec![2.0; cols], Output::Tanh);
    }
    let shift: Vec<f32> = sum.iter().map(|s| (s / n) as f32).collect();
    let scale = sum.iter().zip(&squares).map(|(s, q)| {
        let variance = (q / n - (s / n) * (s / n)).max(0.0);
        if variance > 1e-12 { (1.0 / variance.sqrt()) as f32 } else { 1.0 }
    });
    (shift, scale.collect(), Output::Linear)
}

impl System for GenPu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fit(&self, task: &Task) -> Result<ClassicModel, ClassicError> {
        self.fit_game(task).map(|fit| fit.model)
    }
}
