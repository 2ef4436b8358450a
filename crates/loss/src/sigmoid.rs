//! The logistic function and its integral, without overflow or cancellation.
//!
//! Everything rests on e^{−|f|}, which lies in (0, 1] for every f. σ(−f) = 1 − σ(f) is true on paper only: for
//! f = 40 the difference is 0 in `f64`, while σ(−40) = 4.2e-18 has its own exact formula.

/// σ(f) = 1 / (1 + e^{−f}).
pub fn sigmoid(f: f64) -> f64 {
    sigmoid_pair(f).0
}

/// ln(1 + e^f), written max(f, 0) + ln(1 + e^{−|f|}).
pub fn softplus(f: f64) -> f64 {
    f.max(0.0) + (-f.abs()).exp().ln_1p()
}

/// σ(f) and σ(−f) from one exponential, each to full relative precision.
#[inline]
pub(crate) fn sigmoid_pair(f: f64) -> (f64, f64) {
    let decay = (-f.abs()).exp();
    let large = 1.0 / (1.0 + decay);
    let small = decay * large;
    if f >= 0.0 { (large, small) } else { (small, large) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tails_keep_their_digits() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert!((sigmoid(3.0f64.ln()) - 0.75).abs() < 1e-15);
        // σ(−f) = e^{−f} (1 − e^{−f} + …): at f = 40 the first term is exact to 17 digits.
        let (large, small) = sigmoid_pair(40.0);
        assert_eq!(large, 1.0);
        assert!((small / (-40.0f64).exp() - 1.0).abs() < 1e-15, "{small}");
        assert_eq!(sigmoid_pair(-40.0), (small, large));
    }

    #[test]
    fn softplus_is_linear_far_right_and_exponential_far_left() {
        assert!((softplus(0.0) - std::f64::consts::LN_2).abs() < 1e-15);
        assert_eq!(softplus(1e30), 1e30);
        assert!((softplus(-40.0) / (-40.0f64).exp() - 1.0).abs() < 1e-15);
        // softplus(f) − softplus(−f) = f.
        for f in [-3.5, -0.25, 1.0, 7.0] {
            assert!((softplus(f) - softplus(-f) - f).abs() < 1e-14, "{f}");
        }
    }
}
