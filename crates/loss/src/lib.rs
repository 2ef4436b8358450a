//! Objectives for learning from positive and unlabeled examples: value and gradient on scores.
//!
//! A positive-unlabeled loss never sees an image or a row. It sees one number per example, the score (logit), for one
//! batch at a time. So an [`Objective`] takes two slices of scores and fills two slices of gradients; whatever made
//! the scores, on whatever device, takes it from there. Nothing here knows of tensors. Scorers that take Newton steps,
//! such as boosted trees, also ask for a [curvature](Objective::curvature).
//!
//! | name | objective | needs |
//! |---|---|---|
//! | `collective` | [`Collective`], the collective loss | μ |
//! | `upu` | [`Upu`], the unbiased risk | μ, sampling |
//! | `nnpu` | [`Nnpu`], the non-negative risk | μ, sampling |
//! | `imbalanced-nnpu` | [`Nnpu::imbalanced`], the same for rare positives | μ, sampling |
//! | `naive` | [`Naive`], unlabeled as negative | |
//! | `supervised` | [`Supervised`], the ceiling | true negatives |
//! | `elicited:REWARD` | [`Elicited`], siblings of the collective loss; REWARD is one of [`elicit::BuiltIn`] | μ |
//!
//! The losses that came after are in [`later_methods`]; three of them are [`Paced`]: they weigh every row once an epoch.
//!
//! μ is the share of positives *among the unlabeled examples*, not in the population; [`Sampling`] says how the two
//! differ. [`methods`] lists the objectives and [`elicited_methods`] the elicited ones, [`method`] finds one by name.
//! [`Loss`] adds a term for known negatives to an objective, and a [`Part`] of the scores may have weights.
//! [`elicit`] derives a loss from a reward and says what it will learn; [`Bound`] is the generalization bound.
//!
//! # In your own training step
//!
//! A line through one feature, trained with the collective loss. Only the three commented lines change for another
//! model: score the batch, evaluate, send the gradient back.
//!
//! ```
//! use onesided_loss::{Collective, Objective, Reduction, sigmoid};
//!
//! // Labeled positives lie around 2. The unlabeled points hold three more of them and nine negatives around -2.
//! let positive = [1.2, 1.7, 2.1, 2.4, 3.0];
//! let unlabeled = [1.5, 2.0, 2.6, -0.9, -1.3, -1.6, -1.8, -2.0, -2.2, -2.5, -2.9, -3.3];
//! let loss = Collective::new(3.0 / 12.0, Reduction::PriorWeighted)?;
//!
//! let (mut slope, mut bias) = (0.0f32, -1.1);
//! let (mut grad_p, mut grad_u) = ([0.0; 5], [0.0; 12]);
//! for step in 0..2000 {
//!     let rate = 1.0 / (1.0 + 0.01 * step as f32);
//!     let score = |x: f32| slope * x + bias; // your model, forward
//!     loss.evaluate(&positive.map(score), &unlabeled.map(score), &mut grad_p, &mut grad_u);
//!     let inputs = positive.iter().chain(&unlabeled);
//!     for (x, g) in inputs.zip(grad_p.iter().chain(&grad_u)) {
//!         (slope, bias) = (slope - rate * g * x, bias - rate * g); // your model, backward
//!     }
//! }
//!
//! let probability = |x: f32| sigmoid(f64::from(slope * x + bias));
//! assert!(unlabeled[..3].iter().all(|&x| probability(x) > 0.5));
//! assert!(unlabeled[3..].iter().all(|&x| probability(x) < 0.5));
//! let mean = unlabeled.iter().map(|&x| probability(x)).sum::<f64>() / 12.0;
//! assert!((mean - 0.25).abs() < 0.01);
//! # Ok::<(), onesided_loss::LossError>(())
//! ```

#![forbid(unsafe_code)]

mod bound;
mod collective;
mod count;
mod cross_entropy;
mod curvature;
mod cvir;
mod dist_pu;
pub mod elicit;
mod error;
mod imbalanced_nnpu;
mod lesson;
mod mixup;
mod naive;
mod negatives;
mod nnpu;
mod objective;
mod paced;
mod part;
mod pulda;
mod pusb;
mod quadrature;
mod registry;
mod risk;
mod robust_pu;
mod sampling;
mod sigmoid;
mod supervised;
mod surrogate;
mod tedn;
mod upu;
mod vpu;
mod witness;

pub use bound::{Bound, BoundParts, Lipschitz, PrintedBound, Rademacher, RademacherSource};
pub use collective::{Collective, Reduction};
pub use count::Count;
pub use cvir::Cvir;
pub use dist_pu::DistPu;
pub use elicit::Elicited;
pub use error::LossError;
pub use lesson::Lesson;
pub use mixup::mixup;
pub use naive::Naive;
pub use negatives::{Loss, NegativeTerm};
pub use nnpu::Nnpu;
pub use objective::Objective;
pub use paced::{Paced, Shared};
pub use part::{Part, Weighted};
pub use pulda::Pulda;
pub use quadrature::gauss_legendre;
pub use registry::{LossInfo, Options, Setting, elicited_methods, later_methods, method, methods};
pub use robust_pu::RobustPu;
pub use sampling::Sampling;
pub use sigmoid::{sigmoid, softplus};
pub use supervised::Supervised;
pub use surrogate::Surrogate;
pub use tedn::Tedn;
pub use upu::Upu;
pub use vpu::Vpu;

/// The objective that CONTRIBUTING.md writes as an example.
#[cfg(test)]
#[path = "../tests/recipe/label_distribution.rs"]
mod label_distribution;
#[cfg(test)]
mod recipe;

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
