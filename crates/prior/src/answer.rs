//! One answer, with what it rests on.
//!
//! Three things are known of μ, each by less right than the one before. The data bound it from above
//! ([`bound`](crate::bound)). On tables like this one it lay in a range ([`experience`](crate::experience)). And the
//! estimators name it, if somewhere there are only positives ([`consensus`](crate::consensus())). The answer's interval is
//! the range, cut off at the bound. If its ends are further apart than a factor of [`FACTOR`], the lower end means nothing,
//! and the answer is "at most": an interval from 0. The upper end stays where the two-sided one had it, to be on the safe side.
//! The best guess is the median for usual shares of positives. Where the classes look well separated ([`ScoreSummary::separation`]) there is
//! evidence for a (nearly) pure region, and the estimators are exact there: the guess is then theirs, as far as the middle of
//! the range goes, 30 to 70 %.

use crate::bound::{Descending, upper_bound};
use crate::consensus::Consensus;
use crate::error::EvidenceError;
use crate::estimator::Evidence;
use crate::experience::{Experience, ScoreSummary};
use onesided_data::PriorInUnlabeled;
use serde::Serialize;

/// The ends of an interval that has a lower end are within this factor.
pub const FACTOR: f64 = 15.0;
/// A separation from which classes look well separated.
const APART: f64 = 0.97;
/// How far into the tails of the range the estimators are believed.
const BELIEVED: f64 = 0.3;
/// The share of tables like this that have less than the cautious guess.
const CAUTIOUS: f64 = 0.3;
/// No guess is nearer to 0 or 1: it is to be learned with.
const EDGE: f64 = 1e-4;

/// μ, the share of positives in U: a guess, an interval, and what the data alone show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The best guess, strictly inside (0, 1).
    pub mu: f64,
    /// A cautious guess, at most the best one: seven in ten tables like this have more. What is called positive at it is
    /// seldom called so by mistake.
    pub cautious: f64,
    /// Where it lies on tables like this; from 0 where nothing speaks for a lower end.
    pub interval: (f64, f64),
    /// The level of the interval and of the bound.
    pub confidence: f64,
    /// Whether only "at most" can be said.
    pub one_sided: bool,
    /// The most that the data allow, whatever the classes are like.
    pub bound: f64,
    /// What it rests on.
    pub seen: ScoreSummary,
}

impl Answer {
    /// The same answer with another best guess, where more is known of the ranking than its scores show. The interval holds it.
    pub fn with_guess(self, mu: f64) -> Self {
        let mu = mu.min(self.bound).clamp(EDGE, 1.0 - EDGE);
        let (low, high) = self.interval;
        Self { mu, cautious: self.cautious.min(mu), interval: (low.min(mu), high.max(mu)), ..self }
    }

    /// The same answer after a look at other scores of the same rows, out of fold: those of the model that was learned with it. How
    /// many times more positives than unlabeled rows lie above each cut bounds the share there, too, so both bounds hold. Where these
    /// scores rank better, guesses and ends are averaged, as logarithms: neither look is better than the other on every table.
    pub fn with_scores(self, positive: &[f64], unlabeled: &[f64]) -> Result<Self, EvidenceError> {
        let evidence = Evidence { confidence: self.confidence, ..Evidence::of_scores(positive, unlabeled) };
        let again = answered_with(self.seen.consensus, &evidence)?;
        let bound = self.bound.min(again.bound);
        let is_better = again.seen.auc > self.seen.auc;
        let mean = |a: f64, b: f64| if is_better { (a * b).sqrt() } else { a }.min(bound);
        let mu = mean(self.mu, again.mu);
        let one_sided = self.one_sided || (is_better && again.one_sided);
        let low = if one_sided { 0.0 } else { mean(self.interval.0, again.interval.0) };
        Ok(Self {
            mu,
            cautious: mean(self.cautious, again.cautious).min(mu),
            interval: (low.min(mu), mean(self.interval.1, again.interval.1).max(mu)),
            one_sided,
            bound,
            ..self
        })
    }

    /// The guess as a prior to learn with.
    pub fn prior_in_unlabeled(&self) -> Result<PriorInUnlabeled, EvidenceError> {
        let outside = |_| EvidenceError::AtTheEnd { estimator: "the answer".to_string(), mu: self.mu };
        PriorInUnlabeled::new(self.mu).map_err(outside)
    }
}

/// Puts together what the data show, what is known of tables like this, and what the estimators say.
pub fn answer(consensus: &Consensus, evidence: &Evidence) -> Result<Answer, EvidenceError> {
    answered_with(consensus.mu, evidence)
}

/// The answer where the estimators say `consensus`.
fn answered_with(consensus: f64, evidence: &Evidence) -> Result<Answer, EvidenceError> {
    evidence.check()?;
    let scores = Descending::new(evidence);
    let bound = upper_bound(evidence, &scores);
    let seen = ScoreSummary::of(evidence, &scores, consensus);
    let law = Experience::with(&seen);
    let outside = (1.0 - evidence.confidence) / 2.0;
    let inside = |share: f64| share.min(bound).clamp(EDGE, 1.0 - EDGE);
    let (low, high) = (inside(law.quantile(outside)), inside(law.quantile(1.0 - outside)));
    let one_sided = high > FACTOR * low;
    let usual = |level: f64| inside(law.usual(level));
    let mu = if seen.separation() >= APART {
        consensus.clamp(usual(BELIEVED), usual(1.0 - BELIEVED))
    } else {
        usual(0.5)
    };
    let cautious = usual(CAUTIOUS).min(mu);
    let interval = (if one_sided { 0.0 } else { low.min(mu) }, high.max(mu));
    Ok(Answer { mu, cautious, interval, confidence: evidence.confidence, one_sided, bound, seen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{consensus, estimators};
    use onesided_data::Stream;

    /// Scores of P ~ N(distance, 1) and of U, a share of which is like P and the rest N(0, 1).
    fn answered(distance: f64, mu: f64, (n_p, n_u): (usize, usize)) -> Answer {
        let mut stream = Stream::new(7, "answer");
        let p: Vec<f64> = (0..n_p).map(|_| distance + stream.normal()).collect();
        let hidden = (mu * n_u as f64) as usize;
        let center = |i: usize| if i < hidden { distance } else { 0.0 };
        let u: Vec<f64> = (0..n_u).map(|i| center(i) + stream.normal()).collect();
        let evidence = Evidence::of_scores(&p, &u);
        let estimates: Vec<_> =
            estimators().iter().filter_map(|estimator| estimator.estimate(&evidence).ok()).collect();
        answer(&consensus(&estimates, &evidence).unwrap(), &evidence).unwrap()
    }

    #[test]
    fn separate_classes_have_an_interval() {
        let found = answered(5.0, 0.2, (500, 2_500));
        assert!(!found.one_sided && (found.mu - 0.2).abs() < 0.03, "{found:?}");
        // Now and then a tenth of what looks pure is positive: the lower end says so.
        assert!(found.interval.0 > 0.02 && found.interval.1 < 0.3 && found.bound < 0.3, "{found:?}");
        assert!(found.interval.0 <= 0.2 && 0.2 <= found.interval.1 && 0.2 < found.bound, "{found:?}");
    }

    #[test]
    fn another_guess_is_held_by_the_interval_and_by_the_bound() {
        let found = answered(1.5, 0.2, (100, 2_000));
        let higher = found.with_guess(found.interval.1 + 0.01);
        assert_eq!((higher.mu, higher.interval), (found.interval.1 + 0.01, (found.interval.0, higher.mu)));
        assert_eq!((higher.cautious, higher.bound), (found.cautious, found.bound));
        let lower = found.with_guess(1e-3);
        assert_eq!((lower.mu, lower.cautious, lower.interval.1), (1e-3, 1e-3, found.interval.1));
        assert!(lower.interval.0 <= 1e-3);
        assert_eq!(found.with_guess(1.0).mu, found.bound);
    }

    #[test]
    fn scores_that_rank_better_bring_the_guess_down() {
        // Scores of one table: its rows, and again with the classes further apart.
        let scores = |distance: f64| {
            let mut stream = Stream::new(7, "answer");
            let p: Vec<f64> = (0..200).map(|_| distance + stream.normal()).collect();
            let u: Vec<f64> =
                (0..2_000).map(|i| if i < 100 { distance } else { 0.0 } + stream.normal()).collect();
            (p, u)
        };
        let (p, u) = scores(0.5);
        let evidence = Evidence::of_scores(&p, &u);
        let estimates: Vec<_> =
            estimators().iter().filter_map(|estimator| estimator.estimate(&evidence).ok()).collect();
        let weak = answer(&consensus(&estimates, &evidence).unwrap(), &evidence).unwrap();
        let (p, u) = scores(3.0);
        let both = weak.with_scores(&p, &u).unwrap();
        assert!(weak.mu > 0.1 && both.mu < weak.mu && both.bound < weak.bound, "{weak:?} {both:?}");
        assert!((both.mu - 0.05).abs() < (weak.mu - 0.05).abs(), "{weak:?} {both:?}");
        let (low, high) = both.interval;
        assert!(low <= both.mu && both.mu <= high && high <= both.bound && both.cautious <= both.mu);
        // Scores that rank no better change nothing.
        let (p, u) = scores(0.5);
        assert_eq!(weak.with_scores(&p, &u).unwrap(), weak);
        let (p, u) = scores(0.3);
        assert_eq!(weak.with_scores(&p, &u).unwrap().mu, weak.mu);
    }

    #[test]
    fn classes_that_overlap_have_an_upper_end_alone() {
        let found = answered(0.7, 0.05, (100, 2_000));
        assert!(found.one_sided && found.interval.0 == 0.0, "{found:?}");
        assert!(
            found.mu > 0.0 && found.mu < found.interval.1 && found.interval.1 <= found.bound,
            "{found:?}"
        );
        assert!(found.interval.1 > 0.05);
    }

    #[test]
    fn scores_that_say_nothing_leave_nearly_everything_open() {
        let found = answered(0.0, 0.5, (60, 300));
        assert!(found.one_sided && found.bound == 1.0 && found.interval.1 > 0.5, "{found:?}");
        assert!(found.prior_in_unlabeled().is_ok());
    }
}
