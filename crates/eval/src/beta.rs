//! The beta law: the regularized incomplete beta function, its inverse, and the binomial interval that follows from it.
//!
//! I_x(a, b) is the probability that a Beta(a, b) variable is at most x. It is computed by its continued fraction
//! (Abramowitz and Stegun, 26.5.8) with Lentz's method, on the side of the mean where the fraction converges fast; the
//! inverse is found by bisection, which cannot fail.

use crate::bootstrap::Interval;
use std::f64::consts::PI;

/// Lanczos's coefficients for g = 7 (Godfrey's, nine terms): relative error below 1e-14.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// ln Γ(x) for x > 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    if x < 0.5 {
        // Euler's reflection.
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let t = x + 7.5;
    let terms = LANCZOS[1..].iter().enumerate();
    let sum = LANCZOS[0] + terms.map(|(i, c)| c / (x + i as f64 + 1.0)).sum::<f64>();
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// I_x(a, b), for a and b above 0.
pub(crate) fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_cdf(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    (front * continued_fraction(a, b, x)).clamp(0.0, 1.0)
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut f = d;
    // The number of terms grows like the square root of a and b.
    for m in 1..100_000 {
        let m = f64::from(m);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            f *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    f
}

/// The x with I_x(a, b) = `share`.
pub(crate) fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..200 {
        // Halfway on the scale of exponents where the answer is tiny: bisection would take a thousand steps there.
        let middle = if low > 0.0 && high / low > 4.0 { (low * high).sqrt() } else { 0.5 * (low + high) };
        if middle <= low || middle >= high {
            break;
        }
        if beta_cdf(a, b, middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The share behind `hits` of `trials`, with Jeffreys' interval: quantiles of Beta(hits + ½, misses + ½), and the end of
/// [0, 1] where there was no hit or no miss (Brown, Cai and DasGupta, 2001).
pub(crate) fn jeffreys(hits: f64, trials: f64, confidence: f64) -> Interval {
    let tail = 0.5 * (1.0 - confidence);
    let (a, b) = (hits + 0.5, trials - hits + 0.5);
    Interval {
        value: hits / trials,
        low: if hits <= 0.0 { 0.0 } else { beta_quantile(a, b, tail) },
        high: if hits >= trials { 1.0 } else { beta_quantile(a, b, 1.0 - tail) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_closed_forms() {
        assert!((ln_gamma(5.0) - 24f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - 0.5 * PI.ln()).abs() < 1e-13);
        // I_x(1, b) = 1 - (1 - x)^b and I_x(a, 1) = x^a.
        assert!((beta_cdf(1.0, 7.0, 0.3) - (1.0 - 0.7f64.powi(7))).abs() < 1e-14);
        assert!((beta_cdf(59.0, 1.0, 0.95) - 0.95f64.powi(59)).abs() < 1e-14);
        assert_eq!((beta_cdf(2.0, 3.0, 0.0), beta_cdf(2.0, 3.0, 1.0)), (0.0, 1.0));
    }

    #[test]
    fn values_are_those_of_scipy() {
        let golden = include_str!("../tests/golden/trust.txt");
        let mut seen = 0;
        for line in golden.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let numbers: Vec<f64> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
            let ours = match (words[0], numbers.as_slice()) {
                ("cdf", &[a, b, x, _]) => beta_cdf(a, b, x),
                ("quantile", &[a, b, p, _]) => beta_quantile(a, b, p),
                _ => continue,
            };
            let theirs = numbers[3];
            assert!((ours - theirs).abs() < 1e-9, "{line}: {ours}");
            seen += 1;
        }
        assert_eq!(seen, 56);
    }

    #[test]
    fn jeffreys_ends_at_the_ends() {
        let none = jeffreys(0.0, 20.0, 0.95);
        assert_eq!((none.value, none.low), (0.0, 0.0));
        // scipy: betaincinv(.5, 20.5, .975).
        assert!((none.high - 0.116_638_982_904_875_39).abs() < 1e-12, "{none:?}");
        let all = jeffreys(20.0, 20.0, 0.95);
        assert!((all.low - (1.0 - none.high)).abs() < 1e-12 && all.high == 1.0);
    }
}
