//! Gauss's rule for integrals from 0 to 1.

/// Changes of a root below which it is found: a few times the spacing of numbers at 1.
const FOUND: f64 = 1e-15;
/// Newton steps at most; from where they begin here, five do.
const STEPS: usize = 20;

/// The points and weights with which ∫₀¹ p(t) dt = Σ w p(t) for every polynomial of degree below `2 · points`: the roots of
/// Legendre's polynomial, found by Newton's method and moved from [-1, 1].
///
/// ```
/// // ∫ t³ dt = 1/4.
/// let sum: f64 = onesided_loss::gauss_legendre(2).iter().map(|(t, weight)| weight * t.powi(3)).sum();
/// assert!((sum - 0.25).abs() < 1e-15);
/// ```
pub fn gauss_legendre(points: usize) -> Vec<(f64, f64)> {
    let n = points as f64;
    let at = |number: usize| {
        let mut x = (std::f64::consts::PI * (number as f64 + 0.75) / (n + 0.5)).cos();
        for _ in 0..STEPS {
            let (value, slope) = legendre(points, x);
            x -= value / slope;
            if (value / slope).abs() < FOUND {
                break;
            }
        }
        let (_, slope) = legendre(points, x);
        ((1.0 - x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..points).map(at).collect()
}

/// Legendre's polynomial of a degree of at least 1 and its slope, by Bonnet's recursion.
fn legendre(degree: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=degree {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, degree as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_below_twice_the_points_are_exact() {
        for points in [1, 2, 3, 7, 16, 60] {
            let rule = gauss_legendre(points);
            assert!(rule.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for power in 0..2 * points as i32 {
                let sum: f64 = rule.iter().map(|(t, weight)| weight * t.powi(power)).sum();
                let exact = 1.0 / f64::from(power + 1);
                assert!((sum - exact).abs() < 1e-14, "{points} points, t^{power}: {sum} for {exact}");
            }
        }
        // One power more is not: ∫ t² dt = 1/3, and at one point 1/4.
        assert_eq!(gauss_legendre(1), [(0.5, 1.0)]);
        assert!(gauss_legendre(0).is_empty());
    }
}
