//! The reward of positive and unlabeled data, its maximum, and the theorem that was printed about it.
//!
//! An unlabeled example is not negative: a share μ of them is positive. The collective loss (C. Xie et al., arXiv
//! 2005.03228, eq. Ipu) therefore pays for being close to μ instead of 0. For any reward,
//!
//! I(q, η) = η I1(q) + (1 − η) I0(|q − μ|),  for the logarithm η ln q + (1 − η) ln(1 − |q − μ|).
//!
//! Below μ both terms rise in q, so the maximum lies in [μ, 1]. There
//! ∂I/∂q = η (1 − q) J''(q) − (1 − η) (q − μ) J''(q − μ), which gives
//!
//! | reward | η | maximizer q* | maximum |
//! |---|---|---|---|
//! | log | η ≤ μ/(1+μ) | μ | η ln μ |
//! | | between | η (1+μ) | η ln η + (1−η) ln(1−η) + ln(1+μ) |
//! | | η ≥ 1/(1+μ) | 1 | (1−η) ln μ |
//! | square, savage, tangent (J = −a η(1−η)) | all | μ + η (1−μ) | −a (1−μ)² η (1−η) |
//! | others | all | by a certified search | |
//!
//! Each maximum is convex in η, as a supremum of linear functions. Under the logarithm q* is flat in the outer ranges,
//! so η cannot be read off q* there; under the quadratic rewards it can everywhere. Under the exponential reward the
//! ends μ and 1 are local maxima for every η, and for μ > 1/3 the only ones that win: q* jumps from μ to 1 at η = ½.
//!
//! The paper's Theorem 1 prints, for the logarithm, q* = η (1+μ) with the middle row's maximum if η > μ, else the
//! first row. [`Rectified::discrepancy`] says where that departs from the table.
//!
//! All this is a statement about one example. A training puts the absolute value around the mean of a batch; what it
//! converges to is in [`PopulationMinimizer`](super::PopulationMinimizer).

use super::built_in::{BuiltIn, times};
use super::maximize::{Maximum, maximize};
use super::reward::Reward;
use crate::error::LossError;
use crate::sampling::check_prior;

/// A reward rectified for a prior μ.
#[derive(Clone, Debug)]
pub struct Rectified {
    reward: Reward,
    mu: f64,
}

/// What the paper's theorem says at one η.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedReward {
    /// The printed maximizer. It exceeds 1 for η > 1/(1+μ).
    pub q: f64,
    /// The printed maximal reward.
    pub value: f64,
}

/// A range of η on which the printed theorem is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// The range is open at this end.
    pub from: f64,
    /// And closed at this.
    pub to: f64,
    /// Where in the range the two maxima differ most.
    pub eta: f64,
    /// What is printed there.
    pub printed: PrintedReward,
    /// What is true there.
    pub exact: Maximum,
}

/// Where the printed theorem and the exact maximum part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    /// μ/(1+μ) < η ≤ μ: the printed maximizer is still μ, the true one has left it.
    pub late: Departure,
    /// η > max(μ, 1/(1+μ)): the printed maximizer is above 1.
    pub beyond_one: Departure,
    /// By how much the printed maximum jumps upward at η = μ, so that it is not convex.
    pub jump_at_prior: f64,
    /// The printed maximum at η = 1, ln(1+μ), where no reward above 0 can be had.
    pub excess_at_one: f64,
}

impl Rectified {
    /// A reward that passes its [checks](super::checks), rectified for `mu`, the share of positives among the
    /// unlabeled examples.
    pub fn new(reward: Reward, mu: f64) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)?, reward: reward.checked()? })
    }

    /// The reward before the rectification.
    pub fn base(&self) -> &Reward {
        &self.reward
    }

    /// μ.
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// I(q, η) = η I1(q) + (1 − η) I0(|q − μ|).
    pub fn reward(&self, q: f64, eta: f64) -> f64 {
        times(eta, self.reward.positive(q)) + times(1.0 - eta, self.reward.negative((q - self.mu).abs()))
    }

    /// The q that earns most when the truth is η, and what it earns: in closed form for log, square, savage and
    /// tangent, else certified to 1e-8 of the reward's range. NaN for η outside [0, 1].
    pub fn maximizer(&self, eta: f64) -> Maximum {
        let mu = self.mu;
        if !(0.0..=1.0).contains(&eta) {
            return Maximum { q: f64::NAN, value: f64::NAN, bracket: (f64::NAN, f64::NAN), gap: f64::NAN };
        }
        let (q, value) = match self.reward.built_in() {
            Some(BuiltIn::Log) if eta * (1.0 + mu) <= mu => (mu, eta * mu.ln()),
            Some(BuiltIn::Log) if eta * (1.0 + mu) >= 1.0 => (1.0, (1.0 - eta) * mu.ln()),
            Some(BuiltIn::Log) => (eta * (1.0 + mu), self.reward.value(eta) + mu.ln_1p()),
            Some(BuiltIn::Square | BuiltIn::Savage | BuiltIn::Tangent) => {
                (mu + eta * (1.0 - mu), (1.0 - mu) * (1.0 - mu) * self.reward.value(eta))
            }
            // With one term left the other cannot object.
            _ if eta == 0.0 => (mu, self.reward.value(0.0)),
            _ if eta == 1.0 => (1.0, self.reward.value(1.0)),
            Some(BuiltIn::Exponential) | None => return self.searched(eta),
        };
        Maximum { q, value, bracket: (q, q), gap: 0.0 }
    }

    /// The certified search, with the maximizer then refined where the slope changes its sign.
    fn searched(&self, eta: f64) -> Maximum {
        let positive = |q: f64| times(eta, self.reward.positive(q));
        let negative = |q: f64| times(1.0 - eta, self.reward.negative(q - self.mu));
        let mut found = maximize(positive, negative, (self.mu, 1.0));
        let slope = |q: f64| {
            let d = q - self.mu;
            times(eta * (1.0 - q), self.reward.second_derivative(q))
                - times((1.0 - eta) * d, self.reward.second_derivative(d))
        };
        let (mut low, mut high) = (found.bracket.0.max(found.q - 1e-3), found.bracket.1.min(found.q + 1e-3));
        if low > self.mu && high < 1.0 && slope(low) > 0.0 && slope(high) < 0.0 {
            while high - low > 1e-15 {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if slope(middle) > 0.0 { low = middle } else { high = middle }
            }
            let value = positive(low) + negative(low);
            // Rounding aside the refined value is the larger; if it were not, the search's would be kept.
            if value >= found.value {
                found.gap = (found.gap - (value - found.value)).max(0.0);
                (found.q, found.value) = (low, value);
            } else if found.value - value < 1e-14 * value.abs() {
                found.q = low;
            }
        }
        found
    }

    /// The maximizer and the maximum as printed in Theorem 1; `None` for rewards other than the logarithm.
    pub fn printed(&self, eta: f64) -> Option<PrintedReward> {
        if self.reward.built_in() != Some(BuiltIn::Log) {
            return None;
        }
        let mu = self.mu;
        Some(if eta > mu {
            PrintedReward { q: eta * (1.0 + mu), value: self.reward.value(eta) + mu.ln_1p() }
        } else {
            PrintedReward { q: mu, value: eta * mu.ln() }
        })
    }

    /// Where the printed theorem departs from the exact maximum; `None` for rewards other than the logarithm.
    pub fn discrepancy(&self) -> Option<Discrepancy> {
        let mu = self.mu;
        // In both ranges the difference of the two maxima grows with η, so it is largest at the right end.
        let departure = |from: f64, to: f64| {
            Some(Departure { from, to, eta: to, printed: self.printed(to)?, exact: self.maximizer(to) })
        };
        Some(Discrepancy {
            late: departure(mu / (1.0 + mu), mu)?,
            beyond_one: departure(mu.max(1.0 / (1.0 + mu)), 1.0)?,
            jump_at_prior: self.reward.value(mu) + mu.ln_1p() - mu * mu.ln(),
            excess_at_one: self.printed(1.0)?.value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectified(built_in: BuiltIn, mu: f64) -> Rectified {
        Rectified::new(built_in.into(), mu).unwrap()
    }

    #[test]
    fn the_printed_theorem_jumps_at_the_prior_and_promises_too_much_at_one() {
        let found = rectified(BuiltIn::Log, 0.25).discrepancy().unwrap();
        // μ ln(1+μ) + (1−μ) ln(1−μ²) = 0.25 ln 1.25 + 0.75 ln 0.9375.
        assert!((found.jump_at_prior - 0.007382).abs() < 1e-6, "{found:?}");
        assert!((found.excess_at_one - 1.25f64.ln()).abs() < 1e-15);
        assert_eq!((found.late.from, found.late.to), (0.2, 0.25));
        assert_eq!((found.beyond_one.from, found.beyond_one.to), (0.8, 1.0));
        assert_eq!((found.late.printed.q, found.late.exact.q), (0.25, 0.3125));
        assert_eq!((found.beyond_one.printed.q, found.beyond_one.exact.q), (1.25, 1.0));
        assert_eq!(found.beyond_one.exact.value, 0.0);
        let gap = found.late.exact.value - found.late.printed.value;
        assert!((gap - found.jump_at_prior).abs() < 1e-15, "{gap}");
        assert!(rectified(BuiltIn::Square, 0.25).discrepancy().is_none());
    }

    #[test]
    fn the_printed_theorem_is_right_outside_these_ranges_and_wrong_inside() {
        for mu in [0.05, 0.25, 0.5, 0.7, 0.9] {
            let rectified = rectified(BuiltIn::Log, mu);
            let Discrepancy { late, beyond_one, .. } = rectified.discrepancy().unwrap();
            for k in 1..1000 {
                let eta = f64::from(k) / 1000.0;
                let (printed, exact) = (rectified.printed(eta).unwrap(), rectified.maximizer(eta));
                let wrong = [late, beyond_one].iter().any(|part| eta > part.from && eta <= part.to);
                let differs = (printed.q - exact.q).abs() > 1e-12;
                assert_eq!(differs, wrong, "mu {mu}, eta {eta}: {printed:?} against {exact:?}");
            }
        }
    }

    #[test]
    fn the_exponential_reward_jumps_between_the_ends_for_a_prior_above_a_third() {
        // At η = ½ the inner point (1+μ)/2 earns −√((1−μ)/(1+μ)), the ends −½ √((1−μ)/μ): equal at μ = 1/3.
        let inner = rectified(BuiltIn::Exponential, 0.3).maximizer(0.5);
        assert!((inner.q - 0.65).abs() < 1e-9, "{inner:?}");
        assert!((inner.value + (0.7f64 / 1.3).sqrt()).abs() < 1e-12, "{inner:?}");
        let above = rectified(BuiltIn::Exponential, 0.4);
        assert_eq!((above.maximizer(0.499).q, above.maximizer(0.501).q), (0.4, 1.0));
    }

    #[test]
    fn a_reward_that_fails_its_checks_is_not_rectified() {
        let concave = Reward::formula("x*(1-x)").unwrap();
        assert!(Rectified::new(concave, 0.25).unwrap_err().to_string().contains("not convex"));
        assert_eq!(Rectified::new(BuiltIn::Log.into(), 1.0).unwrap_err(), LossError::Prior(1.0));
        assert!(rectified(BuiltIn::Log, 0.25).maximizer(1.5).q.is_nan());
    }
}
