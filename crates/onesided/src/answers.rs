//! What an audit teaches: rows that were answered become positives and known negatives, and the share of what is left.
//!
//! The rows of an audit were drawn by score, row i with probability p_i. To stand for all positives, or all negatives, of the
//! unlabeled rows they are weighted by 1/p_i; for either kind the weights are scaled to a mean of 1, so that an answer counts
//! as much as a label does. The audit says that a share s of the N unlabeled rows is positive. Where n of them were
//! answered and k are positive, the share among the N − n others is
//!
//! ```text
//!   μ = (s N − k) / (N − n),
//! ```
//!
//! and so for both ends of the interval.

use crate::{Audit, AuditedRow, Error};
use onesided_data::{Dataset, Fingerprint, Label, PriorInUnlabeled, Scaling};
use onesided_learn::prior::PriorEstimate;

/// The level of the interval of the share.
const CONFIDENCE: f64 = 0.95;

/// A table with the answers in it, and the share of positives among rows that are still unlabeled.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The rows, with labels and weights.
    pub data: Dataset,
    /// The share of positives among those without a label.
    pub prior: PriorEstimate,
    /// Answers that say positive.
    pub positive: usize,
    /// Answers that say negative.
    pub negative: usize,
    /// The answers themselves, of rows that had no label before.
    pub answers: Vec<AuditedRow>,
}

impl Audit {
    /// Puts the answers into the table that they are of. The table must be read as it was for the model that was audited.
    pub fn teach(&self, data: &Dataset) -> Result<Answered, Error> {
        let wrong = |what: String| Error::AuditFile { file: self.name().to_string(), what };
        let labels = data.labels().ok_or(Error::NeedsLabels)?;
        let is_ours = |scaling| {
            let scaled = data.scaled(scaling);
            let rows = Fingerprint::default().of_rows(scaled.as_ref());
            if rows.of_labels(labels).letters() == self.table() {
                Some(true)
            } else {
                (rows.letters() == self.table()).then_some(false)
            }
        };
        let found = is_ours(Scaling::Standard).or_else(|| is_ours(Scaling::AsIs));
        if found == Some(false) {
            return Err(wrong(
                "was drawn from all rows, labeled ones among them, and says nothing of the unlabeled ones alone; draw it \
                 with the label column"
                    .to_string(),
            ));
        }
        if found.is_none() {
            return Err(wrong(
                "is an audit of another table, or of this one read in another way; give the table and the flags that its \
                 model was fitted with"
                    .to_string(),
            ));
        }
        let answered: Vec<(usize, bool, f64)> =
            self.rows().filter_map(|row| Some((row.row, row.answer?, row.probability))).collect();
        let mut labels = labels.to_vec();
        let mut weights = data.weights().map_or_else(|| vec![1.0; labels.len()], <[f32]>::to_vec);
        let (mut positive, mut negative, mut answers) = (0, 0, Vec::new());
        for kind in [true, false] {
            let of_kind = || answered.iter().filter(|(_, answer, _)| *answer == kind);
            let mean = of_kind().map(|(_, _, p)| 1.0 / p).sum::<f64>() / of_kind().count().max(1) as f64;
            for &(row, _, probability) in of_kind() {
                let Some(label) = labels.get_mut(row) else {
                    return Err(wrong(format!("has row {}, and the table ends before it", row + 1)));
                };
                if *label != Label::Unlabeled {
                    // Drawn without its label; what was known before stays.
                    continue;
                }
                *label = if kind { Label::Positive } else { Label::Negative };
                weights[row] *= (1.0 / probability / mean) as f32;
                answers.push(AuditedRow { row, answer: Some(kind), probability });
                *(if kind { &mut positive } else { &mut negative }) += 1;
            }
        }
        let left = labels.iter().filter(|&&label| label == Label::Unlabeled).count();
        if left == 0 {
            return Err(wrong("answers every row: none is left to learn from as unlabeled".to_string()));
        }
        let report = self.report(CONFIDENCE)?;
        let (all, found) = (self.listed() as f64, report.found as f64);
        // Rows of the list that are neither answered nor labeled: those that the share is about.
        let others = all - answered.len() as f64;
        let edge = 0.5 / all;
        let of_others = |share: f64| ((share * all - found) / others).clamp(edge, 1.0 - edge);
        let share = report.estimate.share;
        let prior = PriorEstimate {
            mu: PriorInUnlabeled::new(of_others(share.value))?,
            cautious: None,
            interval: (of_others(share.low), of_others(share.high)),
            confidence: CONFIDENCE,
            one_sided: false,
            bound: None,
            audited: Some(answered.len()),
            agreement: true,
            scorer: "audit".to_string(),
            estimates: Vec::new(),
        };
        let data = data.clone().with_labels(labels)?.with_weights(weights)?;
        Ok(Answered { data, prior, positive, negative, answers })
    }
}
