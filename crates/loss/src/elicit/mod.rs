//! Elicitation: choose a reward, derive the loss it elicits, rectify it for positive and unlabeled data.
//!
//! A forecaster says q about an event of probability η and is paid I1(q) if it happens, I0(q) if not, so on average
//!
//! I(q, η) = η I1(q) + (1 − η) I0(q).
//!
//! L. J. Savage ("Elicitation of personal probabilities and expectations", J. Am. Stat. Assoc. 66, 1971) showed which
//! payments make honesty the best policy: with J(η) = I(η, η) differentiable, I(q, η) ≤ J(η) with equality only at
//! q = η if and only if J is strictly convex and
//!
//! I1(q) = J(q) + (1 − q) J'(q),  I0(q) = J(q) − q J'(q).
//!
//! H. Masnadi-Shirazi and N. Vasconcelos ("On the design of loss functions for classification: theory, robustness to
//! outliers, and SavageBoost", NIPS 2008) turned that into losses: if J(η) = J(1 − η) and a link v = c(η) has
//! c⁻¹(−v) = 1 − c⁻¹(v), the one function φ(v) = −I1(c⁻¹(v)) gives both rewards, I1 = −φ(v) and I0 = −φ(−v).
//!
//! ```
//! use onesided_loss::elicit::{Rectified, Reward, checks};
//!
//! let reward = Reward::formula("x*ln(x)+(1-x)*ln(1-x)")?;
//! assert!(checks(&reward).all_hold());
//! assert!((reward.positive(0.25) - 0.25f64.ln()).abs() < 1e-12);
//! assert!((reward.loss(0.0) - 2f64.ln()).abs() < 1e-12);
//!
//! // Where a quarter of the unlabeled examples is positive, saying 0.625 earns most if the truth is 0.5.
//! let rectified = Rectified::new(reward, 0.25)?;
//! assert!((rectified.maximizer(0.5).q - 0.625).abs() < 1e-6);
//!
//! let error = Reward::formula("x*(1-x)")?.checked().unwrap_err();
//! assert!(error.to_string().contains("J is not convex: halfway between 0 and 1 it is 0.250000"));
//! # Ok::<(), onesided_loss::LossError>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `reward` | [`Reward`]: J with J', the conditional rewards, the link and the loss |
//! | `built_in` | [`BuiltIn`]: five rewards of the literature in closed form |
//! | `formula`, `jet` | a user's J as text, differentiated exactly |
//! | `checks` | [`Checks`]: convexity, symmetry and properness, each with a [`Witness`] where it fails |
//! | `rectified` | [`Rectified`]: the reward for positive and unlabeled data, its maximum, the printed theorem |
//! | `maximize` | a certified search for the maximum, where no closed form is known |
//! | `population` | [`PopulationMinimizer`]: what q(x) a training converges to |
//! | `line` | [`LogisticLimit`]: the same for a logistic model on a line |
//! | `elicited` | [`Elicited`]: the objective that trains |

mod built_in;
mod checks;
mod elicited;
mod formula;
mod jet;
mod line;
mod maximize;
mod population;
mod rectified;
mod reward;

pub use crate::witness::Witness;
pub use built_in::BuiltIn;
pub use checks::{Checks, RewardCheck, checks};
pub use elicited::Elicited;
pub use line::LogisticLimit;
pub use maximize::Maximum;
pub use population::{ClassOverlap, Gaussian, PopulationMinimizer, RiskWeights};
pub use rectified::{Departure, Discrepancy, PrintedReward, Rectified};
pub use reward::{Formulas, Reward};
