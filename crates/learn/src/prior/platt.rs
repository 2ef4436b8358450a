//! Logits that mean what they say: slope and offset by logistic regression on rows that took no part in training.
//!
//! J. Platt, "Probabilistic outputs for support vector machines", 1999, with a prior in place of his smoothed targets:
//!
//! ```text
//! minimize over a, b:  Σ softplus(∓(e^a z + b)) + 2 (a² + b²),   - for labeled rows, + for unlabeled ones
//! ```
//!
//! The second term is a normal prior of standard deviation 1/2 on ln slope and on the offset: a few hundred rows overrule
//! it, and with a handful the logits stay nearly as they are. The slope is positive, so no ranking changes.

use onesided_eval::probability;
use onesided_loss::softplus;

/// Precision of the prior.
const PRECISION: f64 = 4.0;

/// Slope and offset that make logits those of `labels`, by Gauss-Newton steps that are halved until the cost falls.
pub(super) fn platt(logits: &[f64], labels: &[bool]) -> (f64, f64) {
    let cost = |log_slope: f64, offset: f64| -> f64 {
        let slope = log_slope.exp();
        let losses = logits.iter().zip(labels).map(|(&z, &y)| {
            let z = slope * z + offset;
            softplus(if y { -z } else { z })
        });
        losses.sum::<f64>() + PRECISION / 2.0 * (log_slope * log_slope + offset * offset)
    };
    let (mut a, mut b) = (0.0f64, 0.0f64);
    for _ in 0..50 {
        let slope = a.exp();
        // Gradient and Gauss-Newton matrix in (ln slope, offset).
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) =
            (PRECISION * a, PRECISION * b, PRECISION, 0.0, PRECISION);
        for (&z, &y) in logits.iter().zip(labels) {
            let x = slope * z;
            let q = probability(x + b);
            let (error, weight) = (q - if y { 1.0 } else { 0.0 }, q * (1.0 - q));
            ga += error * x;
            gb += error;
            haa += weight * x * x;
            hab += weight * x;
            hbb += weight;
        }
        let det = haa * hbb - hab * hab;
        let (da, db) = ((hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det);
        let now = cost(a, b);
        let mut step = 1.0;
        while step > 1e-6 && cost(a - step * da, b - step * db) > now {
            step /= 2.0;
        }
        (a, b) = (a - step * da, b - step * db);
        if (da * da + db * db).sqrt() * step < 1e-9 {
            break;
        }
    }
    (a.exp(), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    #[test]
    fn calibration_undoes_a_stretch_and_a_shift() {
        let mut stream = Stream::new(2, "platt");
        let truth: Vec<f64> = (0..20_000).map(|_| 1.5 * stream.normal() - 1.0).collect();
        let labels: Vec<bool> = truth.iter().map(|&z| stream.uniform() < probability(z)).collect();
        let stretched: Vec<f64> = truth.iter().map(|z| 2.0 * z + 0.6).collect();
        let (slope, offset) = platt(&stretched, &labels);
        // z = (stretched - 0.6) / 2.
        assert!((slope - 0.5).abs() < 0.02 && (offset + 0.3).abs() < 0.05, "{slope} {offset}");
    }

    #[test]
    fn few_rows_leave_the_logits_nearly_as_they_are() {
        let (slope, offset) = platt(&[2.0, -2.0], &[true, false]);
        assert!((slope - 1.0).abs() < 0.2 && offset.abs() < 0.1, "{slope} {offset}");
        let (slope, offset) = platt(&[1e6, -1e6], &[false, true]);
        assert!(slope.is_finite() && slope > 0.0 && offset.is_finite(), "{slope} {offset}");
    }
}
