//! The game: five networks that take a step each in turn, and the classifier that learns alongside them.

use super::GenPu;
use super::adam::Adam;
use super::dense::{DenseNet, Output, Pass};
use super::players::{Judge, Shown, discriminator, generator};
use crate::threads::allowed;
use onesided_data::Stream;
use std::thread;

/// A network with what it needs to learn.
pub(super) struct Player {
    pub(super) net: DenseNet,
    adam: Adam,
    gradient: Vec<f32>,
    pass: Pass,
    /// The loss of its last step.
    loss: f64,
}

impl Player {
    fn new(net: DenseNet, rate: f64) -> Self {
        let count = net.parameters().len();
        let (adam, gradient) = (Adam::new(count, rate), vec![0.0; count]);
        Self { net, adam, gradient, pass: Pass::default(), loss: 0.0 }
    }

    /// A step of a discriminator.
    fn judge(&mut self, shown: &[Shown]) {
        self.loss = discriminator(&self.net, shown, &mut self.pass, &mut self.gradient);
        self.adam.step(self.net.parameters_mut(), &mut self.gradient);
    }

    /// A generator makes rows.
    fn make(&mut self, latent: &[f32]) {
        self.net.forward(latent, &mut self.pass);
    }

    /// A step of a generator, whose rows are shown to the judges with noise added.
    fn convince(&mut self, shown: &[f32], judges: &[Judge]) {
        let mut scratch = Pass::default();
        self.loss = generator(&self.net, &self.pass, shown, judges, &mut scratch, &mut self.gradient);
        self.adam.step(self.net.parameters_mut(), &mut self.gradient);
    }
}

/// All players, and their draws.
pub(super) struct Game<'a> {
    settings: &'a GenPu,
    prior: f64,
    pub(super) g_p: Player,
    pub(super) g_n: Player,
    d_p: Player,
    d_u: Player,
    d_n: Player,
    classifier: Player,
    /// The mean of the classifier's weights over its last steps; none before its first one.
    pub(super) average: Option<DenseNet>,
    /// Draws of latent rows and of noise.
    stream: Stream,
    /// Whether a step is long enough to be worth two threads, and they are allowed. What is computed does not depend on it.
    threads: bool,
}

impl<'a> Game<'a> {
    /// Game number `round` of a seed, for rows of this many columns.
    pub(super) fn new(
        settings: &'a GenPu,
        cols: usize,
        output: Output,
        prior: f64,
        seed: u64,
        round: usize,
    ) -> Self {
        let (hidden, latent) = (settings.width(cols), settings.latent(cols));
        let player = |name: &str, inputs: usize, outputs: usize, output: Output| {
            let mut stream = Stream::new(seed, &format!("genpu {name} {round}"));
            let widths = vec![inputs, hidden, hidden, outputs];
            Player::new(DenseNet::new(widths, output, &mut stream), settings.rate(cols))
        };
        let judge = |name: &str| player(name, cols, 1, Output::Linear);
        let maker = |name: &str| player(name, latent, cols, output);
        Self {
            settings,
            prior,
            g_p: maker("G_p"),
            g_n: maker("G_n"),
            d_p: judge("D_p"),
            d_u: judge("D_u"),
            d_n: judge("D_n"),
            classifier: judge("classifier"),
            average: None,
            stream: Stream::new(seed, &format!("genpu draws {round}")),
            threads: settings.batch * hidden * (cols + hidden) > 1 << 21 && allowed() > 1,
        }
    }

    /// One step of all players on a batch of positives and one of unlabeled rows, to which the noise is added; the
    /// classifier's only where it `follows`. False if a loss is not finite.
    pub(super) fn step(
        &mut self,
        positive: &mut [f32],
        unlabeled: &mut [f32],
        noise: f32,
        follows: bool,
    ) -> bool {
        let Self { settings, g_p, g_n, d_p, d_u, d_n, classifier, average, stream, .. } = self;
        let (mu, target, threads) = (self.prior, settings.target, self.threads);
        let [z_p, z_n] = [&g_p.net, &g_n.net].map(|net| latent(stream, settings.batch * net.inputs()));
        both(threads, || g_p.make(&z_p), || g_n.make(&z_n));
        let [mut made_p, mut made_n] = [&*g_p, &*g_n].map(|maker| maker.pass.output().to_vec());
        for rows in [&mut *positive, &mut *unlabeled, &mut made_p, &mut made_n] {
            blur(rows, noise, stream);
        }
        let real = |rows| Shown { rows, target, weight: 1.0 };
        let made = |rows, weight| Shown { rows, target: 0.0, weight };
        both(
            threads,
            || d_u.judge(&[real(unlabeled), made(&made_p, mu), made(&made_n, 1.0 - mu)]),
            || {
                d_p.judge(&[real(positive), made(&made_p, 1.0)]);
                d_n.judge(&[real(positive), made(&made_n, 1.0)]);
            },
        );
        if follows {
            // To the classifier, generated positives are what is real to the others.
            let positives = Shown { rows: &made_p, target: 1.0, weight: mu };
            classifier.judge(&[positives, made(&made_n, 1.0 - mu)]);
            // The rows it is shown keep changing, so its weights are averaged.
            let kept = 1.0 - 1.0 / settings.averaged as f32;
            let mean = average.get_or_insert_with(|| classifier.net.clone()).parameters_mut();
            for (mean, new) in mean.iter_mut().zip(classifier.net.parameters()) {
                *mean = kept * *mean + (1.0 - kept) * new;
            }
        }
        let (d_p, d_u, d_n) = (&*d_p, &*d_u, &*d_n);
        let please_u = || Judge { net: &d_u.net, weight: settings.lambda_u, sign: 1.0 };
        both(
            threads,
            || {
                let please_p = Judge { net: &d_p.net, weight: settings.lambda_p, sign: 1.0 };
                g_p.convince(&made_p, &[please_p, please_u()]);
            },
            || {
                let avoid_p = Judge { net: &d_n.net, weight: settings.lambda_n, sign: -1.0 };
                g_n.convince(&made_n, &[please_u(), avoid_p]);
            },
        );
        [d_p.loss, d_u.loss, d_n.loss, g_p.loss, g_n.loss, classifier.loss]
            .iter()
            .all(|loss| loss.is_finite())
    }
}

/// Standard normal numbers.
pub(super) fn latent(stream: &mut Stream, count: usize) -> Vec<f32> {
    (0..count).map(|_| stream.normal() as f32).collect()
}

/// Adds noise of that standard deviation, close to normal: the sum of four uniform numbers of 16 bits, from one draw.
fn blur(rows: &mut [f32], deviation: f32, stream: &mut Stream) {
    if deviation <= 0.0 {
        return;
    }
    // A uniform number of 16 bits has variance 2³² / 12; four of them in sum, 2³² / 3.
    let scale = deviation * 3.0_f32.sqrt() / 65536.0;
    for value in rows {
        let bits = stream.next_u64();
        let sum = (0..4).map(|i| (bits >> (16 * i)) & 0xffff).sum::<u64>();
        *value += scale * (sum as f32 - 2.0 * 65535.0);
    }
}

/// Runs both, the second alongside the first if `threads`.
fn both(threads: bool, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if threads {
        thread::scope(|scope| {
            scope.spawn(second);
            first();
        });
    } else {
        first();
        second();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_its_mean_and_deviation() {
        let mut rows = vec![1.0; 100_000];
        blur(&mut rows, 0.5, &mut Stream::new(2, "test"));
        let n = rows.len() as f64;
        let mean = rows.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let variance = rows.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        // Their standard errors are 0.0016 and 0.0011.
        assert!((mean - 1.0).abs() < 0.006 && (variance - 0.25).abs() < 0.004, "{mean} {variance}");
    }

    #[test]
    fn threads_change_nothing() {
        let settings = GenPu { batch: 16, hidden: Some(8), ..GenPu::default() };
        let play = |threads: bool| {
            let mut game = Game { threads, ..Game::new(&settings, 3, Output::Linear, 0.4, 1, 0) };
            let mut stream = Stream::new(9, "test");
            for _ in 0..20 {
                let [mut p, mut u] = [(); 2].map(|()| latent(&mut stream, 48));
                assert!(game.step(&mut p, &mut u, 0.1, true));
            }
            (game.g_p.net, game.g_n.net, game.average)
        };
        assert_eq!(play(true), play(false));
    }
}
