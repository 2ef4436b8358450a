//! The plateau of the label probability over the upper positives.
//!
//! Let g be the probability that a row of the pool P ∪ U is labeled, by isotonic regression of "labeled" on the score
//! (Zadrozny and Elkan, KDD 2002). Elkan and Noto (KDD 2008) read the label frequency c off it: g = c wherever a row is
//! surely positive, and there μ = (n_p / n_u)(1 − g)/g. Where to read is the whole question. At the very top g rests on a
//! handful of rows, and isotonic regression bends it upward there (the "spiking" of Woodroofe and Sun, 1993), so μ
//! comes out too low; further down positives overlap with negatives, and it comes out too high. Both errors are smooth in
//! the place, of opposite sign, and smallest in between, so this estimator takes the mean over a range of places:
//!
//! ```text
//!   μ = mean over k of  min(1, (n_p / n_u)(1 − g_k)/g_k),   g_k at the k-th of 15 percentiles of P from 60 to 95
//! ```
//!
//! An estimator of this project; the range was chosen once, on seeds of the benchmark that its tables do not
//! use ([docs/prior.md](https://docs.rs/onesided)). It is `elkan-noto-top` with fifteen places instead of one.

use crate::cells::Cells;
use crate::elkan_noto::{from_frequency, isotonic, place_of};
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding, thinned};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};

static INFO: EstimatorInfo = EstimatorInfo {
    name: "plateau",
    title: "label frequency as the mean isotonic score over the upper part of the positives",
    citation: "of this project, after Elkan and Noto, KDD 2008",
    assumes: "labels picked at random among the positives, and two fifths of them that are (nearly) surely positive; \
              otherwise the answer is an upper bound",
    interval: "percentile bootstrap of the scores, recalibrated each time and centered on the estimate: shows variance, \
               not bias",
    needs: Needs::Scores,
    reconstruction: false,
};

/// Shares of the positives above the places where the label probability is read.
const FROM: f64 = 0.05;
const TO: f64 = 0.40;
const PLACES: usize = 15;

/// The mean over the plateau.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plateau;

/// The share above the `k`-th place.
fn share(k: usize) -> f64 {
    FROM + (TO - FROM) * k as f64 / (PLACES - 1) as f64
}

fn mu(cells: &Cells) -> f64 {
    let (n_p, n_u) = cells.totals();
    let g = isotonic(cells);
    let at = |k: usize| from_frequency(g[place_of(cells, share(k))], n_p, n_u).clamp(0.0, 1.0);
    (0..PLACES).map(at).sum::<f64>() / PLACES as f64
}

impl Estimator for Plateau {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let answer = mu(&cells);
        let coarse = cells.coarse(200);
        let ((n_p, n_u), g) = (coarse.totals(), isotonic(&coarse));
        let (mut above, mut points) = (0.0, Vec::new());
        for i in (0..coarse.len()).rev().filter(|&i| coarse.positive[i] > 0.0) {
            above += coarse.positive[i];
            points.push((above / n_p, from_frequency(g[i], n_p, n_u).clamp(0.0, 1.0)));
        }
        let curve = Curve {
            x: "share of positives above",
            y: "share of positives in U if the score there is the label frequency",
            points: thinned(points, 400),
            chosen: ((FROM + TO) / 2.0, answer),
        };
        // A resample has ties, whose spikes are higher: its answers are too low by about as much as the first one is.
        // Centering keeps their spread and drops that second helping of the bias.
        let mut resampled = cells.bootstrap(evidence, INFO.name, mu);
        let mean = resampled.iter().sum::<f64>() / resampled.len() as f64;
        resampled.iter_mut().for_each(|value| *value = (*value - mean + answer).clamp(0.0, 1.0));
        Ok(Finding::bootstrapped(answer, resampled, curve, evidence).finish(&INFO, evidence, &cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    #[test]
    fn a_pure_top_gives_its_share_exactly() {
        // At score 1 there are 40 of P and 60 of U, at 0 only 140 of U: g is 0.4 there, μ = 40/200 · 1.5 = 0.3.
        let (p, u) = (vec![1.0; 40], [vec![1.0; 60], vec![0.0; 140]].concat());
        let estimate = Plateau.estimate(&Evidence::of_scores(&p, &u)).unwrap();
        assert!((estimate.mu - 0.3).abs() < 1e-12, "{}", estimate.mu);
        assert!(estimate.interval.0 < 0.3 && estimate.interval.1 > 0.3, "{:?}", estimate.interval);
    }

    #[test]
    fn the_lower_positives_have_no_say() {
        // As above, and 20 positives among 500 rows of U further down: a third of P, below the range.
        let p = [vec![1.0; 40], vec![0.0; 20]].concat();
        let u = [vec![1.0; 60], vec![0.0; 500]].concat();
        let estimate = Plateau.estimate(&Evidence::of_scores(&p, &u)).unwrap();
        assert!((estimate.mu - 60.0 / 560.0 * 1.5).abs() < 1e-12, "{}", estimate.mu);
    }

    #[test]
    fn two_normals_are_told_within_three_hundredths() {
        for (seed, mu) in [(1, 0.1), (2, 0.3), (3, 0.7)] {
            let mut stream = Stream::new(seed, "normals");
            // Log odds of N(1.4, 1) against N(-1.4, 1) are 2.8 x, any rising function of which is a score.
            let p: Vec<f64> = (0..2_000).map(|_| 1.4 + stream.normal()).collect();
            let u: Vec<f64> = (0..8_000)
                .map(|i| if f64::from(i) < mu * 8_000.0 { 1.4 } else { -1.4 } + stream.normal())
                .collect();
            let estimate = Plateau.estimate(&Evidence::of_scores(&p, &u)).unwrap();
            assert!((estimate.mu - mu).abs() < 0.03, "{} for {mu}", estimate.mu);
        }
    }
}
