//! Every estimator by name.
//!
//! A new estimator is one file with its [`Estimator`], and one line in the list below.

use crate::alphamax::AlphaMax;
use crate::bbe::Bbe;
use crate::dedpul::Dedpul;
use crate::elkan_noto::ElkanNoto;
use crate::error::EvidenceError;
use crate::estimator::Estimator;
use crate::km::Km;
use crate::pen_l1::PenL1;
use crate::plateau::Plateau;
use crate::tice::Tice;

static ESTIMATORS: [&dyn Estimator; 10] = [
    &Plateau,
    &Bbe::DEFAULT,
    &Dedpul::DEFAULT,
    &AlphaMax::DEFAULT,
    &ElkanNoto::TOP,
    &ElkanNoto::MEAN,
    &Tice::DEFAULT,
    &Km::TWO,
    &Km::ONE,
    &PenL1::DEFAULT,
];

/// All estimators, in the order they are listed to users.
pub fn estimators() -> &'static [&'static dyn Estimator] {
    &ESTIMATORS
}

/// The estimator called `name`, in upper or lower case.
pub fn estimator(name: &str) -> Result<&'static dyn Estimator, EvidenceError> {
    let found = ESTIMATORS.iter().find(|estimator| estimator.info().name.eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| EvidenceError::UnknownEstimator {
        name: name.to_string(),
        known: ESTIMATORS.map(|estimator| estimator.info().name).to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_estimators() {
        for one in estimators() {
            let name = one.info().name;
            assert_eq!(estimator(&name.to_uppercase()).unwrap().info().name, name);
        }
        let error = estimator("bbee").err().unwrap().to_string();
        assert!(
            error.starts_with("unknown estimator 'bbee' (did you mean 'bbe'?); use ")
                && error.contains("dedpul"),
            "{error}"
        );
    }
}
