//! Five rewards of the literature, in closed form.
//!
//! | name | J(η) | J'(η) | I1(q); I0(q) | link v = c(η) | loss φ(v) |
//! |---|---|---|---|---|---|
//! | log | η ln η + (1−η) ln(1−η) | ln(η/(1−η)) | ln q; ln(1−q) | ln(η/(1−η)) | ln(1 + e^−v) |
//! | square | −η(1−η) | 2η − 1 | −(1−q)²; −q² | 2η − 1 | (1−v)²/4 |
//! | exponential | −2 √(η(1−η)) | (2η−1)/√(η(1−η)) | −√((1−q)/q); −√(q/(1−q)) | ½ ln(η/(1−η)) | e^−v |
//! | savage | −η(1−η) | 2η − 1 | −(1−q)²; −q² | ln(η/(1−η)) | 1/(1+e^v)² |
//! | tangent | −4η(1−η) | 8η − 4 | −4(1−q)²; −4q² | tan(η − ½) | (2 arctan v − 1)² |
//!
//! Square and Savage share a reward and differ in the link alone; so does the tangent loss up to a factor of 4. The
//! links of square and tangent reach [−1, 1] and [−tan ½, tan ½] only: past these ends [`BuiltIn::inverse_link`] stays
//! at 0 or 1 while φ follows its formula, as it does in the literature. (Papers scale v and φ of the Savage loss
//! differently; this is the form with the logit as link.)
//!
//! Every function takes η and 1 − η separately. On paper the second follows from the first; in `f64` 1 − η of a saturated
//! score is 0 while σ(−f) has all its digits.

use crate::error::LossError;
use crate::sigmoid::{sigmoid, softplus};
use std::fmt;
use std::str::FromStr;

/// The built-in rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// The logarithmic reward (I. J. Good, "Rational decisions", J. R. Stat. Soc. B 14, 1952): cross entropy.
    Log,
    /// The quadratic reward (G. W. Brier, Mon. Weather Rev. 78, 1950): least squares.
    Square,
    /// The reward of boosting (A. Buja, W. Stuetzle and Y. Shen, "Loss functions for binary class probability
    /// estimation and classification", 2005): the exponential loss.
    Exponential,
    /// The quadratic reward through a logit (Masnadi-Shirazi and Vasconcelos, NIPS 2008): bounded, robust to outliers.
    Savage,
    /// The quadratic reward through a tangent (H. Masnadi-Shirazi, V. Mahadevan and N. Vasconcelos, "On the design of
    /// robust classifiers for computer vision", CVPR 2010): bounded, and charges for being too right as well.
    Tangent,
}

impl BuiltIn {
    /// All of them, in the order they are listed to users.
    pub const ALL: [BuiltIn; 5] =
        [BuiltIn::Log, BuiltIn::Square, BuiltIn::Exponential, BuiltIn::Savage, BuiltIn::Tangent];

    /// Where it comes from.
    pub fn citation(self) -> &'static str {
        match self {
            BuiltIn::Log => "Good 1952, J. R. Stat. Soc. B 14",
            BuiltIn::Square => "Brier 1950, Mon. Weather Rev. 78",
            BuiltIn::Exponential => "Buja, Stuetzle and Shen 2005",
            BuiltIn::Savage => "Masnadi-Shirazi and Vasconcelos, NIPS 2008",
            BuiltIn::Tangent => "Masnadi-Shirazi, Mahadevan and Vasconcelos, CVPR 2010",
        }
    }

    /// The row of the table above as text: J, J', I1, I0, link and loss.
    pub(super) fn texts(self) -> [&'static str; 6] {
        match self {
            BuiltIn::Log => {
                ["η ln η + (1−η) ln(1−η)", "ln(η/(1−η))", "ln q", "ln(1−q)", "ln(η/(1−η))", "ln(1 + e^−v)"]
            }
            BuiltIn::Square => ["−η(1−η)", "2η − 1", "−(1−q)²", "−q²", "2η − 1", "(1−v)²/4"],
            BuiltIn::Exponential => {
                ["−2 √(η(1−η))", "(2η−1)/√(η(1−η))", "−√((1−q)/q)", "−√(q/(1−q))", "½ ln(η/(1−η))", "e^−v"]
            }
            BuiltIn::Savage => ["−η(1−η)", "2η − 1", "−(1−q)²", "−q²", "ln(η/(1−η))", "1/(1+e^v)²"],
            BuiltIn::Tangent => ["−4η(1−η)", "8η − 4", "−4(1−q)²", "−4q²", "tan(η − ½)", "(2 arctan v − 1)²"],
        }
    }

    /// J at η, with 1 − η given separately.
    pub(super) fn value(self, eta: f64, rest: f64) -> f64 {
        match self {
            BuiltIn::Log => times(eta, ln(eta, rest)) + times(rest, ln(rest, eta)),
            BuiltIn::Exponential => -2.0 * (eta * rest).sqrt(),
            _ => -self.scale() * eta * rest,
        }
    }

    /// J'.
    pub(super) fn derivative(self, eta: f64, rest: f64) -> f64 {
        match self {
            BuiltIn::Log => ln(eta, rest) - ln(rest, eta),
            BuiltIn::Exponential => (eta - rest) / (eta * rest).sqrt(),
            _ => self.scale() * (eta - rest),
        }
    }

    /// J''.
    pub(super) fn second_derivative(self, eta: f64, rest: f64) -> f64 {
        match self {
            BuiltIn::Log => 1.0 / (eta * rest),
            BuiltIn::Exponential => 0.5 * (eta * rest).powf(-1.5),
            _ => 2.0 * self.scale(),
        }
    }

    /// I1; by symmetry I0(q) = I1(1 − q).
    pub(super) fn positive(self, q: f64, rest: f64) -> f64 {
        match self {
            BuiltIn::Log => ln(q, rest),
            BuiltIn::Exponential => -(rest / q).sqrt(),
            _ => -self.scale() * rest * rest,
        }
    }

    /// v = c(η).
    pub(super) fn link(self, eta: f64, rest: f64) -> f64 {
        match self {
            BuiltIn::Log | BuiltIn::Savage => ln(eta, rest) - ln(rest, eta),
            BuiltIn::Exponential => 0.5 * (ln(eta, rest) - ln(rest, eta)),
            BuiltIn::Square => eta - rest,
            BuiltIn::Tangent => (0.5 * (eta - rest)).tan(),
        }
    }

    /// η = c⁻¹(v), held in [0, 1].
    pub(super) fn inverse_link(self, v: f64) -> f64 {
        match self {
            BuiltIn::Log | BuiltIn::Savage => sigmoid(v),
            BuiltIn::Exponential => sigmoid(2.0 * v),
            BuiltIn::Square => (0.5 * (1.0 + v)).clamp(0.0, 1.0),
            BuiltIn::Tangent => (v.atan() + 0.5).clamp(0.0, 1.0),
        }
    }

    /// φ(v).
    pub(super) fn loss(self, v: f64) -> f64 {
        match self {
            BuiltIn::Log => softplus(-v),
            BuiltIn::Square => 0.25 * (1.0 - v) * (1.0 - v),
            BuiltIn::Exponential => (-v).exp(),
            BuiltIn::Savage => sigmoid(-v).powi(2),
            BuiltIn::Tangent => (2.0 * v.atan() - 1.0).powi(2),
        }
    }

    /// φ'(v).
    pub(super) fn loss_derivative(self, v: f64) -> f64 {
        match self {
            BuiltIn::Log => -sigmoid(-v),
            BuiltIn::Square => 0.5 * (v - 1.0),
            BuiltIn::Exponential => -(-v).exp(),
            BuiltIn::Savage => -2.0 * sigmoid(-v).powi(2) * sigmoid(v),
            BuiltIn::Tangent => 4.0 * (2.0 * v.atan() - 1.0) / (1.0 + v * v),
        }
    }

    /// The quadratic rewards are −a η(1 − η): this is a.
    fn scale(self) -> f64 {
        if self == BuiltIn::Tangent { 4.0 } else { 1.0 }
    }
}

/// ln of a number given with its distance from 1, without loss at either end.
fn ln(x: f64, rest: f64) -> f64 {
    if rest < 0.5 { (-rest).ln_1p() } else { x.ln() }
}

/// A product in which 0 · ∞ is 0.
pub(super) fn times(weight: f64, x: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * x }
}

impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BuiltIn::Log => "log",
            BuiltIn::Square => "square",
            BuiltIn::Exponential => "exponential",
            BuiltIn::Savage => "savage",
            BuiltIn::Tangent => "tangent",
        })
    }
}

impl FromStr for BuiltIn {
    type Err = LossError;

    fn from_str(s: &str) -> Result<Self, LossError> {
        let named = Self::ALL.into_iter().find(|reward| reward.to_string() == s);
        named.ok_or_else(|| LossError::UnknownReward(s.to_string()))
    }
}
