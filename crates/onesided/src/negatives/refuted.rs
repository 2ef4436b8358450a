//! Why no row is certified: what that rests on is known to be wrong.
//!
//! A bound that holds "if labels are a random sample of the positives" is none where the fit shows that they are not. Labeling odds above 1 allow
//! labels that favor some positives, so a test of random labels says nothing against them. A share that cannot be right, and columns
//! that hold something else, are in the way of any odds.

use crate::Model;
use onesided_data::ColumnShift;
use onesided_eval::LabelingOdds;
use onesided_learn::WhoLabels;

/// Random labels are given up below this p-value: the level at which a share and labels are, and a fifth of that at which a warning is printed.
const GIVEN_UP: f64 = 0.01;
/// What random labels stand against, where the learner or the model takes labels to favor some positives.
pub(super) const FAVORED: &str = "labels are taken to favor likely positives, and the bound is for random ones; say by how much they may \
                                  favor some with labeling odds above 1";

/// Why a model certifies no row, where that is so.
pub(crate) fn not_certified(
    model: &Model,
    shifted: &[&ColumnShift],
    labeling: LabelingOdds,
) -> Option<String> {
    let why = model.why_withheld(shifted);
    why.or_else(|| {
        let random = labeling.is_random();
        let refuted = model.refuted_labels().filter(|test| random && test.p < GIVEN_UP);
        let refuted = refuted
            .map(|test| format!("{test}; labeling odds above 1 allow labels that favor some positives"));
        let favored = matches!(model.about().report.who_labels, Some(WhoLabels::EasyFirst)) && random;
        refuted.or_else(|| favored.then(|| FAVORED.to_string()))
    })
}
