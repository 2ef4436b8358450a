//! How good is a classifier when no negative is labeled?
//!
//! * [`with_truth`]: the usual metrics, for when true labels exist.
//! * [`without_negatives`]: recall, estimated precision, risk and AUC from held-out positives and unlabeled rows.
//! * [`Contradiction`]: a share of positives and labels that cannot both be right, and [`RANDOM_LABELS`], what all of it rests on.
//! * [`Calibration`]: turns scores into probabilities that hold at the prior of the unlabeled sample.
//! * [`ThresholdRule`]: where to cut.
//! * [`RecallTarget`]: the cut that finds a given share of the positives with a given confidence.
//! * [`labeling_test`]: whether labels can be a random sample of the positives.
//! * [`LabelingOdds`]: what is left of such a promise if labels favor some positives, up to a bound.
//! * [`NegativesTarget`]: rows that are not positive, with a bound on how many of them are.
//! * [`reliability()`]: whether probabilities hold, group by group.
//! * [`at_top`]: lift and precision of the first rows of a ranked list; [`at_tops`] at several places of it.
//! * [`drift`]: how far scores of new rows are from those of a fit, and how the share of positives moved.
//! * [`audit`]: rows drawn with known probabilities for somebody to label, and what their answers say.
//! * [`pu_log_risk`] and its siblings: criteria for choosing among models without looking at hidden labels.
//!
//! A score is *predicted positive* when it is greater than or equal to the threshold, everywhere in this crate.
//!
//! ```
//! use onesided_data::PriorInUnlabeled;
//! use onesided_eval::{Calibration, PuInput, RESAMPLES, probability, without_negatives};
//!
//! let (positive, unlabeled) = ([2.0, 1.5, 0.2, 1.1], [1.8, -1.0, -0.3, 0.4, -2.0, -1.2]);
//! let prior = PriorInUnlabeled::new(0.3)?;
//! let calibration = Calibration::fit(&positive, &unlabeled, prior)?;
//! let calibrated = |scores: &[f32]| -> Vec<f32> {
//!     scores.iter().map(|&score| probability(calibration.apply(score)) as f32).collect()
//! };
//! let (positive, unlabeled) = (calibrated(&positive), calibrated(&unlabeled));
//! let input = PuInput { positive: &positive, unlabeled: &unlabeled, threshold: 0.5, prior: Some(prior) };
//! let metrics = without_negatives(&input, RESAMPLES, 0)?;
//! assert_eq!(metrics.recall.value, 0.75);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod agreed;
mod at_top;
pub mod audit;
mod beta;
mod bootstrap;
mod calibrate;
mod criteria;
mod degenerate;
pub mod drift;
mod error;
mod guarantee;
mod labeling;
mod labeling_test;
mod negatives;
mod random_labels;
mod ranked;
mod reliability;
mod sample;
mod threshold;
mod warning;
mod with_truth;
mod without_negatives;

pub use at_top::{AtTop, Top, at_top, at_tops};
pub use bootstrap::{Interval, RESAMPLES, held_out_in_turn};
pub use calibrate::{Calibration, probability};
pub use criteria::{pu_log_risk, ranking_risk, sigmoid_risk, weighted_ranking_risk, zero_one_risk};
pub use degenerate::degenerate;
pub use error::EvalError;
pub use guarantee::{Over, RecallCut, RecallTarget};
pub use labeling::LabelingOdds;
pub use labeling_test::{
    ColumnTold, LABELING_LEVEL, LabelingRows, LabelingSets, LabelingTest, RowsTold, labeling_test,
};
pub use negatives::{CertifiedCut, EValueList, NegativesTarget, RankCounts, rank_among};
pub use random_labels::{Contradiction, LeastShare, RANDOM_LABELS};
pub use reliability::{Reliability, reliability};
pub use sample::Sample;
pub use threshold::{ThresholdRule, share_above};
pub use warning::MetricWarning;
pub use with_truth::{TruthMetrics, auc, with_truth, with_truth_intervals};
pub use without_negatives::{
    PuInput, PuMetrics, without_negatives, without_negatives_estimated, without_negatives_weighted,
};
