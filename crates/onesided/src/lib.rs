//! Learning classifiers from positive and unlabeled examples.
//!
//! Some rows are known to be positive, the others are not labeled: they hold positives and negatives alike, and nobody
//! has marked a negative. A [`Learner`] turns such data into a [`Model`] that scores new rows; besides the rows it
//! needs to know how they came about (the [`Scenario`]) and one number, the share of positives, which it estimates where
//! nobody knows it ([`prior`]).
//!
//! # From rows to a model
//!
//! The built-in handwritten digits, even against odd, with 40 % of the even ones hidden among the rest:
//!
//! ```
//! use onesided::data::{Features, digits, hide};
//! use onesided::{ClassPrior, Learner, PuData};
//!
//! let digits = digits();
//! let even: Vec<bool> = digits.labels.iter().map(|digit| digit % 2 == 0).collect();
//! let prior = even.iter().filter(|&&even| even).count() as f64 / even.len() as f64;
//! let features = Features::unscaled((0..64).map(|pixel| format!("pixel{pixel}")).collect());
//! let data = PuData::new(digits.images, hide(&even, 0.4, 0)?)?;
//!
//! let learner = Learner::new().prior(ClassPrior::new(prior)?).architecture("linear".parse()?).epochs(20);
//! let model = learner.fit(&data, &features)?;
//!
//! let predicted = model.predict(&data.features)?;
//! let right = predicted.iter().zip(&even).filter(|(predicted, truth)| predicted == truth).count();
//! assert!(right as f64 > 0.8 * even.len() as f64);
//! println!("{}", model.about().report.choice());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Texts, and methods without a network
//!
//! Every method of [`methods`] is trained by the same learner. The classic ones (support vector machines, logistic
//! regression, naive Bayes) take sparse rows, and linear models say which words carried a score:
//!
//! ```
//! use onesided::data::{Label, TextOptions};
//! use onesided::{Learner, PriorInUnlabeled, TextInput};
//!
//! let sports = ["the team won the game", "a late goal won the match", "the game went to the home team"];
//! let others = ["the bank raised its rates", "rates of the bank fell", "the team lost the late game"];
//! let texts: Vec<&str> = sports.iter().chain(&others).copied().cycle().take(300).collect();
//! let labels: Vec<Label> = (0..300).map(|i| if i % 6 < 3 { Label::Positive } else { Label::Unlabeled }).collect();
//! let (input, rows) = TextInput::fit(&TextOptions::default(), Vec::new(), &texts)?;
//!
//! let learner = Learner::new().method("weighted-lr").prior_in_unlabeled(PriorInUnlabeled::new(1.0 / 3.0)?);
//! let model = learner.fit_rows(&rows, &labels, input.clone(), &mut |_| true)?;
//! let new = input.rows(&["a goal of the home team", "the bank and its rates"]);
//! assert_eq!(model.predict(&new)?, [true, false]);
//! let against = &model.explainer()?.row(&new, 1, 1)[0];
//! assert!(["bank", "rates"].contains(&against.feature.as_str()) && against.part < 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # One loss in code of your own
//!
//! Objectives know scores and nothing else, so they fit any training loop: score a batch, evaluate, send the gradient
//! back. See [`loss`] for a whole training run.
//!
//! ```
//! use onesided::loss::{Collective, Objective, Reduction};
//!
//! let objective = Collective::new(0.3, Reduction::PriorWeighted)?;
//! let (positive, unlabeled) = ([2.0, 0.5], [-1.0, 0.2, -3.0]); // scores of one batch
//! let (mut grad_p, mut grad_u) = ([0.0; 2], [0.0; 3]);
//! let value = objective.evaluate(&positive, &unlabeled, &mut grad_p, &mut grad_u);
//! assert!(value > 0.0 && grad_p.iter().all(|&g| g < 0.0));
//! # Ok::<(), onesided::loss::LossError>(())
//! ```
//!
//! # The rooms behind this facade
//!
//! [`data`] reads tables and splits them, [`loss`] holds the objectives, [`net`] the networks and the training loop,
//! [`classic`] those without one, [`eval`] metrics and calibration. This crate puts them together and adds the model file.

mod about;
pub mod bench;
mod bound;
mod choices;
mod classic_fit;
mod criterion;
mod encoding;
mod error;
mod explain;
mod file;
mod learner;
mod methods;
mod model;
pub mod prior;
mod prior_of_texts;
mod rows;
mod training;

pub use onesided_classic as classic;
pub use onesided_data as data;
pub use onesided_eval as eval;
pub use onesided_loss as loss;
pub use onesided_net as net;

pub use about::{About, Candidate, Epoch, Estimate, Report};
pub use bound::{LayerNorms, ModelBound};
pub use criterion::held_out_risk;
pub use encoding::{Encoding, NETWORK_TERMS, TextInput};
pub use error::Error;
pub use explain::{Carried, Explainer};
pub use learner::{Learner, Progress};
pub use methods::{Family, MethodCard, method, methods};
pub use model::Model;
pub use onesided_classic::{OptionError, OptionInfo, Takes};
pub use onesided_data::{ClassPrior, Counts, Features, Label, Matrix, PriorInUnlabeled, PuData, Scenario};
pub use onesided_eval::ThresholdRule;
pub use onesided_loss::{Reduction, Surrogate};
pub use onesided_net::{Architecture, Augment, Device, Precision, Shape};
pub use rows::{MOST_VALUES, Rows};
