//! A reward J and everything that follows from it.

use super::built_in::{BuiltIn, times};
use super::checks::checks;
use super::formula::Formula;
use crate::error::LossError;
use std::fmt;
use std::sync::Arc;

/// A function of one number, shared between clones and threads.
type Function = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// The maximal reward J on [0, 1], with its derivative.
///
/// The conditional rewards follow by Savage's formulas, [`positive`](Self::positive) = I1 = J + (1 − q) J' and
/// [`negative`](Self::negative) = I0 = J − q J'. The loss needs a link. A [built-in](BuiltIn) has the link of its
/// publication. A reward of the user's own has the canonical link c = J', inverted by bisection; for it
/// φ(v) = −J(q) − (1 − q) v and φ'(v) = −(1 − q) at q = c⁻¹(v), a convex loss for every convex J.
///
/// Arguments outside [0, 1] give NaN. Whether J is convex and symmetric is for [`checks`](super::checks) to say.
#[derive(Clone)]
pub struct Reward {
    name: String,
    form: Form,
}

#[derive(Clone)]
enum Form {
    BuiltIn(BuiltIn),
    Formula(Arc<Formula>),
    Own { value: Function, derivative: Function },
}

/// What was derived, as text to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Formulas {
    /// J.
    pub value: String,
    /// J'.
    pub derivative: String,
    /// I1.
    pub positive: String,
    /// I0.
    pub negative: String,
    /// c.
    pub link: String,
    /// φ.
    pub loss: String,
}

impl From<BuiltIn> for Reward {
    fn from(built_in: BuiltIn) -> Self {
        Self { name: built_in.to_string(), form: Form::BuiltIn(built_in) }
    }
}

impl Reward {
    /// A reward of your own: J and J' on [0, 1]. They must be finite in (0, 1); J' may be infinite at the ends.
    pub fn new(
        name: &str,
        value: impl Fn(f64) -> f64 + Send + Sync + 'static,
        derivative: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let form = Form::Own { value: Arc::new(value), derivative: Arc::new(derivative) };
        Self { name: name.to_string(), form }
    }

    /// A reward written as a formula in `x` (or `eta`), such as `x*ln(x)+(1-x)*ln(1-x)`, differentiated exactly.
    pub fn formula(formula: &str) -> Result<Self, LossError> {
        let parsed = Formula::parse(formula)?;
        Ok(Self { name: formula.trim().to_string(), form: Form::Formula(Arc::new(parsed)) })
    }

    /// The built-in reward of that name, or else the formula. What can be neither is refused as an unknown name.
    pub fn named_or_formula(text: &str) -> Result<Self, LossError> {
        match text.trim().parse::<BuiltIn>() {
            Ok(built_in) => Ok(built_in.into()),
            Err(unknown) if text.trim().chars().all(|c| c.is_ascii_alphabetic() || c == '-') => {
                match text.trim() {
                    "x" | "eta" => Self::formula(text),
                    _ => Err(unknown),
                }
            }
            Err(_) => Self::formula(text),
        }
    }

    /// This reward if it elicits a loss; else the first check that fails, with its numbers.
    pub fn checked(self) -> Result<Self, LossError> {
        match checks(&self).first_failure() {
            None => Ok(self),
            Some(witness) => Err(LossError::Reward { name: self.name, witness }),
        }
    }

    /// Its name: that of the built-in, the formula, or the one given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which built-in it is, if any.
    pub fn built_in(&self) -> Option<BuiltIn> {
        match self.form {
            Form::BuiltIn(built_in) => Some(built_in),
            _ => None,
        }
    }

    /// What was derived, as text; `None` for a reward given by functions.
    pub fn formulas(&self) -> Option<Formulas> {
        let texts = match &self.form {
            Form::BuiltIn(built_in) => built_in.texts().map(str::to_string),
            Form::Formula(formula) => {
                let [value, derivative] =
                    [formula.text(), "dJ/dη, differentiated exactly"].map(str::to_string);
                let [positive, negative] = ["J(q) + (1−q) J'(q)", "J(q) − q J'(q)"].map(str::to_string);
                let (link, loss) = ("J'(η)".to_string(), "−J(q) − (1−q) v at J'(q) = v".to_string());
                [value, derivative, positive, negative, link, loss]
            }
            Form::Own { .. } => return None,
        };
        let [value, derivative, positive, negative, link, loss] = texts;
        Some(Formulas { value, derivative, positive, negative, link, loss })
    }

    /// J(η).
    pub fn value(&self, eta: f64) -> f64 {
        inside(eta, || match &self.form {
            Form::BuiltIn(built_in) => built_in.value(eta, 1.0 - eta),
            Form::Formula(formula) => formula.value(eta),
            Form::Own { value, .. } => value(eta),
        })
    }

    /// J'(η).
    pub fn derivative(&self, eta: f64) -> f64 {
        inside(eta, || match &self.form {
            Form::BuiltIn(built_in) => built_in.derivative(eta, 1.0 - eta),
            Form::Formula(formula) => formula.derivative(eta),
            Form::Own { derivative, .. } => derivative(eta),
        })
    }

    /// J''(η), where it is not known by a central difference of J' (an error of about 1e-9 of its size).
    pub fn second_derivative(&self, eta: f64) -> f64 {
        inside(eta, || match &self.form {
            Form::BuiltIn(built_in) => built_in.second_derivative(eta, 1.0 - eta),
            Form::Formula(formula) => formula.second_derivative(eta),
            Form::Own { derivative, .. } => {
                // ε^(1/3) of the distance to the nearer end, on which J'' may depend as a power.
                let step = 6e-6 * eta.min(1.0 - eta);
                (derivative(eta + step) - derivative(eta - step)) / (2.0 * step)
            }
        })
    }

    /// I1(q), the reward for saying q when the event happens.
    pub fn positive(&self, q: f64) -> f64 {
        inside(q, || match &self.form {
            Form::BuiltIn(built_in) => built_in.positive(q, 1.0 - q),
            // (1 − q) J'(q) ≤ J(1) − J(q) vanishes at q = 1 even where J' is infinite.
            _ => self.value(q) + times(1.0 - q, self.derivative(q)),
        })
    }

    /// I0(q), the reward for saying q when it does not happen.
    pub fn negative(&self, q: f64) -> f64 {
        inside(q, || match &self.form {
            Form::BuiltIn(built_in) => built_in.positive(1.0 - q, q),
            _ => self.value(q) - times(q, self.derivative(q)),
        })
    }

    /// I(q, η) = η I1(q) + (1 − η) I0(q), the expected reward for saying q when the probability is η.
    pub fn expected(&self, q: f64, eta: f64) -> f64 {
        inside(eta, || times(eta, self.positive(q)) + times(1.0 - eta, self.negative(q)))
    }

    /// The link v = c(η).
    pub fn link(&self, eta: f64) -> f64 {
        inside(eta, || match &self.form {
            Form::BuiltIn(built_in) => built_in.link(eta, 1.0 - eta),
            _ => self.derivative(eta),
        })
    }

    /// η = c⁻¹(v), 0 or 1 where v lies past the link's ends. A canonical link is inverted by bisection until no
    /// `f64` is left between the bounds, so J' at the two neighbors of the answer encloses v.
    pub fn inverse_link(&self, v: f64) -> f64 {
        match &self.form {
            Form::BuiltIn(built_in) => built_in.inverse_link(v),
            _ if v.is_nan() => f64::NAN,
            _ if v <= self.derivative(0.0) => 0.0,
            _ if v >= self.derivative(1.0) => 1.0,
            _ => {
                let (mut low, mut high) = (0.0, 1.0);
                loop {
                    let middle = middle(low, high);
                    if middle <= low || middle >= high {
                        return if low == 0.0 { high } else { low };
                    }
                    if self.derivative(middle) < v { low = middle } else { high = middle }
                }
            }
        }
    }

    /// The loss φ(v) for a positive; that of a negative is φ(−v).
    pub fn loss(&self, v: f64) -> f64 {
        match &self.form {
            Form::BuiltIn(built_in) => built_in.loss(v),
            _ => {
                let q = self.inverse_link(v);
                -self.value(q) - times(1.0 - q, v)
            }
        }
    }

    /// φ'(v).
    pub fn loss_derivative(&self, v: f64) -> f64 {
        match &self.form {
            Form::BuiltIn(built_in) => built_in.loss_derivative(v),
            _ => self.inverse_link(v) - 1.0,
        }
    }

    /// I1 of a symmetric reward with 1 − q given separately, precise at both ends: evaluated at the smaller of the two,
    /// as I1(q) = I0(1 − q).
    pub(super) fn positive_at(&self, q: f64, rest: f64) -> f64 {
        match &self.form {
            Form::BuiltIn(built_in) => built_in.positive(q, rest),
            _ if q <= rest => self.positive(q),
            _ => self.negative(rest),
        }
    }

    /// J'' of a symmetric reward with 1 − q given separately.
    pub(super) fn second_derivative_at(&self, q: f64, rest: f64) -> f64 {
        match &self.form {
            Form::BuiltIn(built_in) => built_in.second_derivative(q, rest),
            _ => self.second_derivative(q.min(rest)),
        }
    }
}

/// NaN outside [0, 1].
fn inside(x: f64, f: impl FnOnce() -> f64) -> f64 {
    if (0.0..=1.0).contains(&x) { f() } else { f64::NAN }
}

/// A point between: the geometric mean far down, where halving would need a thousand steps.
fn middle(low: f64, high: f64) -> f64 {
    if high < 1e-3 { (low.max(f64::MIN_POSITIVE) * high).sqrt() } else { 0.5 * (low + high) }
}

impl fmt::Debug for Reward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reward").field(&self.name).finish()
    }
}
