//! Margin losses l(z): what a score f costs when the class is positive (z = f) or negative (z = −f).
//!
//! | name | l(z) | l'(z) | property |
//! |---|---|---|---|
//! | `sigmoid` | σ(−z) | −σ(z) σ(−z) | symmetric: l(z) + l(−z) = 1 |
//! | `logistic` | ln(1 + e^{−z}) | −σ(−z) | linear-odd: l(z) − l(−z) = −z |
//! | `squared` | (z − 1)² / 4 | (z − 1) / 2 | linear-odd |
//! | `double-hinge` | max(−z, max(0, (1 − z) / 2)) | −1, −1/2 or 0 | linear-odd |
//!
//! Linear-odd losses make the unbiased risk convex in the score, and unbounded below with it; the sigmoid loss keeps
//! every risk bounded but has no gradient far from the boundary.

use crate::curvature::logistic;
use crate::error::LossError;
use crate::sigmoid::{sigmoid_pair, softplus};
use std::fmt;
use std::str::FromStr;

/// A margin loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surrogate {
    /// σ(−z), bounded and symmetric; the default of nnPU.
    #[default]
    Sigmoid,
    /// ln(1 + e^{−z}), cross entropy.
    Logistic,
    /// (z − 1)² / 4.
    Squared,
    /// max(−z, max(0, (1 − z) / 2)), piecewise linear (du Plessis, Niu and Sugiyama, 2015).
    DoubleHinge,
}

/// A loss and its derivative at one margin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub value: f64,
    pub slope: f64,
}

impl Surrogate {
    /// All surrogates, in the order they are listed to users.
    pub const ALL: [Surrogate; 4] =
        [Surrogate::Sigmoid, Surrogate::Logistic, Surrogate::Squared, Surrogate::DoubleHinge];

    /// l(z).
    pub fn loss(self, z: f64) -> f64 {
        self.at(z).value
    }

    /// l'(z). At the corners of the double hinge (z = ±1) the slope is that of the middle piece, −1/2.
    pub fn slope(self, z: f64) -> f64 {
        self.at(z).slope
    }

    /// A positive substitute for l''(z), the same at z and −z.
    ///
    /// * Logistic and squared: l'' itself, σ(z) σ(−z) and 1/2.
    /// * Sigmoid: σ(z) σ(−z), a bound on |l''| = σ(z) σ(−z) |1 − 2 σ(z)|. It equals |l'|, so a step is never longer than 1.
    /// * Double hinge: its slope changes by 1/2 at each of z = ±1 and nowhere else. σ(z) σ(−z) spreads the same total of
    ///   1 over the neighborhood.
    pub(crate) fn curvature(self, z: f64) -> f64 {
        match self {
            Surrogate::Sigmoid | Surrogate::Logistic | Surrogate::DoubleHinge => logistic(z),
            Surrogate::Squared => 0.5,
        }
    }

    #[inline]
    pub(crate) fn at(self, z: f64) -> Point {
        self.at_both_signs(z).0
    }

    /// The loss at z and at −z. They share their one exponential.
    #[inline]
    pub(crate) fn at_both_signs(self, z: f64) -> (Point, Point) {
        match self {
            Surrogate::Sigmoid => {
                let (up, down) = sigmoid_pair(z);
                let slope = -up * down;
                (Point { value: down, slope }, Point { value: up, slope })
            }
            Surrogate::Logistic => {
                let (up, down) = sigmoid_pair(z);
                // softplus(±z) = max(±z, 0) + softplus(−|z|); the last term has the exponential of σ in it.
                let fold = softplus(-z.abs());
                (
                    Point { value: (-z).max(0.0) + fold, slope: -down },
                    Point { value: z.max(0.0) + fold, slope: -up },
                )
            }
            Surrogate::Squared => (squared(z), squared(-z)),
            Surrogate::DoubleHinge => (double_hinge(z), double_hinge(-z)),
        }
    }
}

fn squared(z: f64) -> Point {
    Point { value: (z - 1.0) * (z - 1.0) / 4.0, slope: (z - 1.0) / 2.0 }
}

fn double_hinge(z: f64) -> Point {
    if z < -1.0 {
        Point { value: -z, slope: -1.0 }
    } else if z <= 1.0 {
        Point { value: (1.0 - z) / 2.0, slope: -0.5 }
    } else {
        Point { value: 0.0, slope: 0.0 }
    }
}

impl fmt::Display for Surrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Surrogate::Sigmoid => "sigmoid",
            Surrogate::Logistic => "logistic",
            Surrogate::Squared => "squared",
            Surrogate::DoubleHinge => "double-hinge",
        })
    }
}

impl FromStr for Surrogate {
    type Err = LossError;

    fn from_str(s: &str) -> Result<Self, LossError> {
        let named = Self::ALL.into_iter().find(|surrogate| surrogate.to_string() == s);
        named.ok_or_else(|| LossError::UnknownSurrogate(s.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGINS: [f64; 7] = [-30.0, -2.5, -0.75, 0.0, 0.3, 1.5, 30.0];

    #[test]
    fn values_by_hand() {
        assert_eq!(Surrogate::Sigmoid.loss(0.0), 0.5);
        assert_eq!(Surrogate::Squared.loss(3.0), 1.0);
        assert_eq!(Surrogate::DoubleHinge.loss(-2.0), 2.0);
        assert_eq!(Surrogate::DoubleHinge.loss(0.0), 0.5);
        assert_eq!(Surrogate::DoubleHinge.loss(2.0), 0.0);
        for z in MARGINS {
            assert!((Surrogate::Logistic.loss(z) / softplus(-z) - 1.0).abs() < 1e-14, "{z}");
        }
    }

    #[test]
    fn the_sigmoid_loss_is_symmetric_and_the_others_are_linear_odd() {
        for z in MARGINS {
            assert!((Surrogate::Sigmoid.loss(z) + Surrogate::Sigmoid.loss(-z) - 1.0).abs() < 1e-15);
            for surrogate in [Surrogate::Logistic, Surrogate::Squared, Surrogate::DoubleHinge] {
                let odd = surrogate.loss(z) - surrogate.loss(-z);
                assert!((odd + z).abs() < 1e-13, "{surrogate} at {z}: {odd}");
                assert!((surrogate.slope(z) + surrogate.slope(-z) + 1.0).abs() < 1e-15, "{surrogate} at {z}");
            }
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        let h = 1e-5;
        for surrogate in Surrogate::ALL {
            for z in MARGINS {
                let difference = (surrogate.loss(z + h) - surrogate.loss(z - h)) / (2.0 * h);
                let slope = surrogate.slope(z);
                assert!(
                    (difference - slope).abs() < 1e-8,
                    "{surrogate} at {z}: {difference} against {slope}"
                );
            }
        }
    }

    #[test]
    fn names_go_there_and_back() {
        for surrogate in Surrogate::ALL {
            assert_eq!(surrogate.to_string().parse(), Ok(surrogate));
        }
        let error = "hinge".parse::<Surrogate>().unwrap_err();
        assert!(error.to_string().contains("'hinge'"), "{error}");
    }
}
