//! The game: five networks that take a step each, and the classifier that follows.

use super::GenPu;
use super::adam::Adam;
use super::dense::{DenseNet, Output, Pass};
use super::players::{Judge, Shown, discriminator, generator};
use onesided_data::Stream;
use std::thread;

/// A network with what it needs to learn.
#[derive(Clone)]
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

    fn judge(&mut self, shown: &[Shown]) {
        self.loss = discriminator(&self.net, shown, &mut self.pass, &mut self.gradient);
        self.adam.step(self.net.parameters_mut(), &mut self.gradient);
    }

    fn make(&mut self, latent: &[f32]) {
        self.net.forward(latent, &mut self.pass);
    }

    fn convince(&mut self, shown: &[f32], judges: &[Judge]) {
        let mut scratch = Pass::default();
        self.loss = generator(&self.net, &self.pass, shown, judges, &mut scratch, &mut self.gradient);
        self.adam.step(self.net.parameters_mut(), &mut self.gradient);
    }
}

/// G_p and G_n, D_p, D_u and D_n, and the classifier.
pub(super) struct Game<'a> {
    settings: &'a GenPu,
    prior: f64,
    latent: usize,
    pub(super) g_p: Player,
    pub(super) g_n: Player,
    d_p: Player,
    d_u: Player,
    d_n: Player,
    pub(super) classifier: Player,
    /// Draws of latent rows and of noise.
    stream: Stream,
    /// Whether a step is long enough to be worth two threads. What is computed does not depend on it.
    threads: bool,
}

impl<'a> Game<'a> {
    pub(super) fn new(settings: &'a GenPu, cols: usize, output: Output, prior: f64, seed: u64, round: usize) -> Self {
        let hidden = settings.width(cols);
        let latent = settings.latent(cols);
        let net = |name: &str, inputs: usize, outputs: usize, output: Output, rate: f64| {
            let mut stream = Stream::new(seed, &format!("genpu {name} {round}"));
            let widths = vec![inputs, hidden, hidden, outputs];
            Player::new(DenseNet::new(widths, output, &mut stream), rate)
        };
        let judge = |name: &str| net(name, cols, 1, Output::Linear, settings.rate);
        let maker = |name: &str| net(name, latent, cols, output, settings.rate);
        Self {
            settings,
            prior,
            latent,
            g_p: maker("G_p"),
            g_n: maker("G_n"),
            d_p: judge("D_p"),
            d_u: judge("D_u"),
            d_n: judge("D_n"),
            classifier: net("classifier", cols, 1, Output::Linear, settings.rate),
            stream: Stream::new(seed, &format!("genpu draws {round}")),
            threads: settings.batch * hidden * (cols + hidden) > 1 << 21,
        }
    }

    /// One step of all players on a batch of positives and one of unlabeled rows; false if a loss is not finite.
    pub(super) fn step(&mut self, positive: &mut [f32], unlabeled: &mut [f32], noise: f32, follow: bool) -> bool {
        let Self { settings, g_p, g_n, d_p, d_u, d_n, classifier, stream, .. } = self;
        let z: [Vec<f32>; 2] = [0, 1].map(|_| latent(stream, settings.batch * self.latent));
        both(self.threads, || g_p.make(&z[0]), || g_n.make(&z[1]));
        let mut made_p = g_p.pass.output().to_vec();
        let mut made_n = g_n.pass.output().to_vec();
        let (mu, smooth) = (self.prior, settings.smooth);
        if follow {
            let shown = |rows, target, weight| Shown { rows, target, weight };
            classifier.judge(&[shown(&made_p, 1.0, mu), shown(&made_n, 0.0, 1.0 - mu)]);
        }
        for rows in [&mut *positive, &mut *unlabeled, &mut made_p, &mut made_n] {
            blur(rows, noise, stream);
        }
        let real = |rows| Shown { rows, target: smooth, weight: 1.0 };
        let made = |rows, weight| Shown { rows, target: 0.0, weight };
        both(
            self.threads,
            || d_u.judge(&[real(unlabeled), made(&made_p, mu), made(&made_n, 1.0 - mu)]),
            || {
                d_p.judge(&[real(positive), made(&made_p, 1.0)]);
                d_n.judge(&[real(positive), made(&made_n, 1.0)]);
            },
        );
        let judge = |player: &'_ Player, weight: f64, sign: f64| (player.net.clone(), weight, sign);
        let _ = judge;
        let (d_p, d_u, d_n) = (&*d_p, &*d_u, &*d_n);
        both(
            self.threads,
            || {
                let judges = [
                    Judge { net: &d_p.net, weight: settings.lambda_p, sign: 1.0 },
                    Judge { net: &d_u.net, weight: settings.lambda_u, sign: 1.0 },
                ];
                g_p.convince(&made_p, &judges);
            },
            || {
                let judges = [
                    Judge { net: &d_u.net, weight: settings.lambda_u, sign: 1.0 },
                    Judge { net: &d_n.net, weight: settings.lambda_n, sign: -1.0 },
                ];
                g_n.convince(&made_n, &judges);
            },
        );
        [d_p.loss, d_u.loss, d_n.loss, g_p.loss, g_n.loss, classifier.loss].iter().all(|loss| loss.is_finite())
    }

    pub(super) fn losses(&self) -> [f64; 6] {
        [self.d_p.loss, self.d_u.loss, self.d_n.loss, self.g_p.loss, self.g_n.loss, self.classifier.loss]
    }
}

/// Rows of standard normal numbers.
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

/// Runs both, the second beside the first if `threads`.
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
