//! Why a J elicits no loss: the numbers that show it.

use std::fmt;

/// The numbers of a counterexample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Witness {
    /// J or J' is not a finite number where it must be.
    NotFinite {
        /// The point.
        eta: f64,
        /// J there.
        value: f64,
        /// J' there.
        derivative: f64,
    },
    /// J rises above a chord.
    Convexity {
        /// One end of the chord.
        left: f64,
        /// The other.
        right: f64,
        /// J in the middle.
        value: f64,
        /// The chord in the middle.
        chord: f64,
    },
    /// J differs from its mirror image.
    Symmetry {
        /// The point.
        eta: f64,
        /// J(η).
        value: f64,
        /// J(1 − η).
        mirrored: f64,
    },
    /// A dishonest q earns as much as the truth, or more.
    Properness {
        /// The truth.
        eta: f64,
        /// What is said.
        q: f64,
        /// I(q, η).
        reward: f64,
        /// J(η).
        honest: f64,
    },
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Witness::NotFinite { eta, value, derivative } => write!(
                f,
                "J must be finite on [0, 1] and J' in (0, 1), but at {eta} J is {value} and J' is {derivative}"
            ),
            Witness::Convexity { left, right, value, chord } => write!(
                f,
                "J is not convex: halfway between {left} and {right} it is {value:.6}, above the chord's {chord:.6}"
            ),
            Witness::Symmetry { eta, value, mirrored } => {
                write!(
                    f,
                    "J is not symmetric: J({eta}) is {value:.6} but J({}) is {mirrored:.6}",
                    mirror(eta)
                )
            }
            Witness::Properness { eta, q, reward, honest } => write!(
                f,
                "J is not strictly proper: where the truth is {eta}, saying {q} earns {reward:.6}, as much as the \
                 truth's {honest:.6} or more"
            ),
        }
    }
}

/// 1 − η to the digits of the grid, for display.
fn mirror(eta: f64) -> f64 {
    ((1.0 - eta) * 1e6).round() / 1e6
}
