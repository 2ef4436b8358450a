//! What a person who reviews a ranked list may count on.
//!
//! All of it rests on positives that the model has never met: its reserve ([`Learner::reserve`](crate::Learner::reserve)),
//! or those of a table that it was not fitted on. How many of the reviewed rows are positive depends on the share of
//! positives, too: the population's, π, for a list of new rows, and μ for unlabeled rows, some of whose positives are
//! labeled elsewhere. What labels that favor some positives would leave of it is said by [`LabelingOdds`].

use crate::{Among, Error, Model};
use onesided_data::{ColumnShift, Label, counted};
use onesided_eval::{
    AtTop, EvalError, Interval, LabelingOdds, Over, RecallCut, RecallTarget, Reliability, Top, at_tops,
    probability, reliability,
};
use onesided_learn::prior::share_at_most;
use serde::Serialize;

/// The normal quantile of 95 %.
const NORMAL: f64 = 1.96;

/// Scores that promises are made from: of positives the model has never met, and of the list to review.
#[derive(Clone, Debug)]
pub struct ReviewList {
    positive: Vec<f32>,
    list: Vec<f32>,
    share: Option<ShareInList>,
    /// What is between a score and the logit of a row of this list; `None` if scores say nothing of the kind.
    back: Option<f64>,
    /// What is said to rest on random labels.
    at_random: String,
}

/// The share of positives in a list, and where it is from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareInList {
    /// The share; both ends equal it where it was given.
    #[serde(flatten)]
    pub share: Interval,
    /// Whether it was estimated from the data, which can be wrong by more than its interval says.
    pub estimated: bool,
    /// How many answers of an audit tell it, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audited: Option<usize>,
    /// How many labeled positives are not in the list, and not in the share.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: usize,
}

fn is_none(rows: &usize) -> bool {
    *rows == 0
}

impl ShareInList {
    /// One that was given.
    pub fn given(share: f64) -> Self {
        Self {
            share: Interval { value: share, low: share, high: share },
            estimated: false,
            audited: None,
            left_out: 0,
        }
    }
}

/// The most that the share of positives in a list may be if labels favor some positives. No data tell a least.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareAtOdds {
    /// How much labels may favor some positives.
    pub labeling_odds: LabelingOdds,
    /// How sure [`most`](Self::most) is.
    pub confidence: f64,
    /// The most that the share may be.
    pub most: f64,
    /// The most that it may be if labels are a random sample of the positives.
    pub most_at_random: f64,
    /// The share that the model goes by, whose lower end is all that stands against a share of next to 0. Told by whoever gave it, by an
    /// audit, or by an estimate that takes labels to be random. `None` without one, and where it is above [`most`](Self::most).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<ShareInList>,
}

/// How many rows to review for a recall, in each of the senses of the word.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// What is promised.
    #[serde(flatten)]
    pub target: RecallTarget,
    /// Over the population that the positives come from.
    pub population: Promise,
    /// For the positives in this list, whatever their number.
    pub this_file: Promised,
    /// For the positives in this list, if there are as many as the share of positives says. `None` without a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this_file_by_share: Option<Promised>,
    /// The share that the numbers of positives rest on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<ShareInList>,
    /// How many positives there may be, if labels favor some. `None` for labels at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_at_odds: Option<ShareAtOdds>,
    /// What all of it rests on, [`RANDOM_LABELS`](crate::RANDOM_LABELS) or a bound ([`LabelingOdds::assumes`]).
    pub assumes: String,
}

/// A promise, or what it would take.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // there are two per list
pub enum Promised {
    /// It is made.
    Made(Promise),
    /// There are too few positives for it.
    TooFew {
        /// How many it takes.
        needed: usize,
    },
}

/// One promise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// The cut, and what it rests on.
    #[serde(flatten)]
    pub cut: RecallCut,
    /// How many rows of the list score at least the cut.
    pub rows: usize,
    /// What these rows hold. `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<AtTop>,
}

impl ReviewList {
    /// From scores of positives that the model has never met, scores of the list, and the share of positives in it.
    pub fn new(positive: Vec<f32>, list: Vec<f32>, share: Option<ShareInList>) -> Self {
        Self { positive, list, share, back: None, at_random: LabelingOdds::RANDOM.assumes() }
    }

    /// With a share that is that of this list and of labeled rows that were left out of it: their positives are taken off. None is
    /// told where more were left out than the share knows of.
    pub(crate) fn without(mut self, rows: usize, positive: usize) -> Self {
        let listed = self.list.len() as f64;
        let left = |share: f64| (share * (listed + rows as f64) - positive as f64) / listed;
        self.share = self.share.filter(|told| rows == 0 || left(told.share.value) > 0.0).map(|told| {
            let Interval { value, low, high } = told.share;
            let [value, low, high] = [value, low, high].map(|share| left(share).clamp(0.0, 1.0));
            if rows == 0 {
                told
            } else {
                ShareInList { share: Interval { value, low, high }, left_out: positive, ..told }
            }
        });
        self
    }

    /// With the probabilities that a model gives rows like these.
    fn of_model(mut self, model: &Model, among: Among) -> Self {
        self.at_random = model.about().assumes();
        self.back = (!model.is_of_labels()).then(|| model.about().back(among, model.about().shift));
        self
    }

    /// The mean probabilities of the best rows, so many of them each time.
    fn mean_probabilities(&self, cuts: &[usize]) -> Vec<Option<f64>> {
        let Some(back) = self.back else { return vec![None; cuts.len()] };
        let mut scores = self.list.clone();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut sums = vec![0.0];
        for &score in &scores {
            sums.push(sums[sums.len() - 1] + probability(f64::from(score) - back));
        }
        cuts.iter().map(|&rows| (rows > 0).then(|| sums[rows] / rows as f64)).collect()
    }

    /// From labeled positives and unlabeled rows, which were scored by models that have not met them.
    pub(crate) fn labeled(model: &Model, positive: Vec<f32>, unlabeled: Vec<f32>) -> Self {
        Self::new(positive, unlabeled, model.share_in_unlabeled()).of_model(model, Among::Unlabeled)
    }

    /// How many rows are listed.
    pub fn rows(&self) -> usize {
        self.list.len()
    }

    /// How many positives promises rest on.
    pub fn positives(&self) -> usize {
        self.positive.len()
    }

    /// How many rows of the list to review. With too few positives for a promise over the population this is an
    /// [`EvalError::TooFewPositives`], which says how many it takes.
    pub fn review(&self, target: RecallTarget) -> Result<Review, Error> {
        let rows = self.list.len();
        let promised = |over| match self.promise(target, over) {
            Ok(promise) => Ok(Promised::Made(promise)),
            Err(Error::Eval(EvalError::TooFewPositives { needed, .. })) => Ok(Promised::TooFew { needed }),
            Err(other) => Err(other),
        };
        let by_share = self.share.map(|share| {
            let (least, most) = between(share.share, rows);
            promised(Over::File { least, most })
        });
        Ok(Review {
            target,
            population: self.promise(target, Over::Population)?,
            this_file: promised(Over::File { least: 1, most: rows.max(1) })?,
            this_file_by_share: by_share.transpose()?,
            share: self.share,
            share_at_odds: self.share_at_odds(target.labeling(), target.confidence()),
            assumes: match target.labeling() {
                LabelingOdds::RANDOM => self.at_random.clone(),
                labeling => labeling.assumes(),
            },
        })
    }

    /// Lift, precision and recall of the first rows of the list, if labels favor some positives by no more than this.
    pub fn at_top(&self, top: Top, labeling: LabelingOdds) -> Result<AtTop, Error> {
        let at = self.at_tops(&[top], labeling)?.remove(0);
        let chances = (!labeling.is_random()).then(|| self.probabilities()).flatten();
        Ok(AtTop { stay: chances.map(|chances| labeling.stay(chances, at.rows)), ..at })
    }

    /// How many positives there may be if labels favor some by no more than this; `None` for labels at random.
    pub fn share_at_odds(&self, labeling: LabelingOdds, confidence: f64) -> Option<ShareAtOdds> {
        if labeling.is_random() || self.positive.is_empty() || self.list.is_empty() {
            return None;
        }
        let wide = |scores: &[f32]| scores.iter().map(|&score| f64::from(score)).collect::<Vec<f64>>();
        let (positive, list) = (wide(&self.positive), wide(&self.list));
        let most = |times: f64| share_at_most(&positive, &list, times, confidence);
        let (most, most_at_random) = (most(labeling.get()), most(1.0));
        let told = self.share.filter(|told| told.share.low <= most);
        Some(ShareAtOdds { labeling_odds: labeling, confidence, most, most_at_random, told })
    }

    /// The probability of each row, where scores say something of the kind.
    fn probabilities(&self) -> Option<Vec<f64>> {
        let back = self.back?;
        Some(self.list.iter().map(|&score| probability(f64::from(score) - back)).collect())
    }

    /// [`at_top`](Self::at_top) at several places of the list.
    pub fn at_tops(&self, tops: &[Top], labeling: LabelingOdds) -> Result<Vec<AtTop>, Error> {
        let all = self.list.len();
        let rows = tops.iter().map(|top| top.of(all)).collect::<Result<Vec<usize>, _>>()?;
        let share = self.share.map(|share| share.share);
        let at = at_tops(&self.positive, &self.list, &rows, share)?;
        let means = self.mean_probabilities(&rows);
        let with =
            |(at, probability): (AtTop, Option<f64>)| AtTop { probability, ..at }.with_labeling(labeling);
        Ok(at.into_iter().zip(means).map(with).collect())
    }

    /// The same list if this were the share of positives in it.
    #[must_use]
    pub fn with_share(&self, share: f64) -> Self {
        Self { share: Some(ShareInList::given(share)), ..self.clone() }
    }

    /// Whether probabilities hold, in groups of about as many rows. None where no share of positives is known or scores are no probabilities.
    pub fn reliability(&self, groups: usize) -> Result<Vec<Reliability>, Error> {
        let (Some(share), Some(back)) = (self.share, self.back) else { return Ok(Vec::new()) };
        let probability = |score: f32| probability(f64::from(score) - back);
        Ok(reliability(&self.positive, &self.list, groups, share.share, probability)?)
    }

    /// The share of positives that numbers of positives rest on.
    pub fn share(&self) -> Option<ShareInList> {
        self.share
    }

    fn promise(&self, target: RecallTarget, over: Over) -> Result<Promise, Error> {
        let cut = target.cut(&self.positive, over)?;
        let rows = self.list.iter().filter(|&&score| score >= cut.cut).count();
        let holds = match rows {
            0 => None,
            rows => Some(self.at_top(Top::Rows(rows), target.labeling())?),
        };
        Ok(Promise { cut, rows, holds })
    }
}

/// The fewest and the most positives that this many rows are likely to hold.
pub(crate) fn between(share: Interval, rows: usize) -> (usize, usize) {
    let n = rows as f64;
    let scatter = |share: f64| NORMAL * (n * share * (1.0 - share)).max(0.0).sqrt();
    let least = (n * share.low - scatter(share.low)).floor().max(1.0) as usize;
    let most = (n * share.high + scatter(share.high)).ceil().min(n) as usize;
    (least.min(rows.max(1)), most.max(least).max(1))
}

impl Model {
    /// Why nothing is promised of a list, where that is so: what the model was fitted with contradicts itself, or columns of the
    /// list hold something else than in training.
    pub fn withheld(&self, shifted: &[&ColumnShift]) -> Option<String> {
        if let Some(doubt) = &self.about().doubt {
            return Some(format!("nothing is promised of this list: {doubt}"));
        }
        let first = &shifted.first()?.column;
        let (whose, they) = match shifted.len() {
            1 => (format!("column '{first}' holds"), "it"),
            several => {
                (format!("column '{first}' and {} hold", counted(several - 1, "other columns")), "them")
            }
        };
        Some(format!(
            "nothing is promised of this list, neither a recall nor how many of the first rows are positive: {whose} something else \
             than in training; bring {they} to the units and names of training, or fit again"
        ))
    }

    /// Promises about a list of new rows, from the reserve of the model and, for numbers of positives, the population's
    /// share of them.
    pub fn review(&self, scores: Vec<f32>) -> Result<ReviewList, Error> {
        self.review_among(scores, Among::Population)
    }

    /// [`review`](Self::review) of rows that may be known to be unlabeled, of which fewer are positive.
    pub fn review_among(&self, scores: Vec<f32>, among: Among) -> Result<ReviewList, Error> {
        if self.about().reserve.is_empty() {
            return Err(Error::NoReserve);
        }
        let share = match among {
            Among::Population => self.share_in_population(),
            Among::Unlabeled => self.share_in_unlabeled(),
        };
        Ok(ReviewList::new(self.about().reserve.clone(), scores, share).of_model(self, among))
    }

    /// Promises about the unlabeled rows of scores and labels, from the labeled positives, which the model must not have been fitted on
    /// ([`was_fitted_on`](Self::was_fitted_on) knows whole tables).
    pub fn review_of(&self, scores: &[f32], labels: &[Label]) -> ReviewList {
        let of = |wanted: Label| -> Vec<f32> {
            let pairs = scores.iter().zip(labels);
            pairs.filter(|(_, label)| **label == wanted).map(|(score, _)| *score).collect()
        };
        ReviewList::labeled(self, of(Label::Positive), of(Label::Unlabeled))
    }

    /// μ with its interval, of unlabeled rows like those the model was fitted on.
    pub fn share_in_unlabeled(&self) -> Option<ShareInList> {
        let mu = self.about().prior_in_unlabeled?.get();
        Some(match &self.about().prior_estimate {
            Some(estimate) => {
                let (low, high) = estimate.interval;
                let share = Interval { value: mu, low, high };
                ShareInList {
                    share,
                    estimated: estimate.audited.is_none(),
                    audited: estimate.audited,
                    left_out: 0,
                }
            }
            None => ShareInList::given(mu),
        })
    }

    /// π with its interval.
    pub fn share_in_population(&self) -> Option<ShareInList> {
        let about = self.about();
        let pi = about.class_prior?.get();
        Some(about.prior_estimate.as_ref().map_or(ShareInList::given(pi), |estimate| {
            let [low, high] =
                estimate.ends().map(|end| end.to_class_prior(about.scenario, about.counts).get());
            ShareInList {
                share: Interval { value: pi, low: low.min(pi), high: high.max(pi) },
                estimated: estimate.audited.is_none(),
                audited: estimate.audited,
                left_out: 0,
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_by_hand() {
        // 100 positives at 0..99; the list has each of these scores ten times, so 20 % of it are 200 positives.
        let positive: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let list: Vec<f32> = (0..1000).map(|i| (i % 100) as f32).collect();
        let share = ShareInList::given(0.2);
        let list = ReviewList::new(positive, list, Some(share));
        let review = list.review(RecallTarget::new(0.9, 0.95).unwrap()).unwrap();
        // k = 5: the cut is 4, and 960 rows score at least 4.
        assert_eq!((review.population.cut.cut, review.population.rows), (4.0, 960));
        let holds = review.population.holds.unwrap();
        assert!((holds.recall.value - 0.96).abs() < 1e-12 && (holds.lift.value - 1.0).abs() < 1e-12);
        assert!((holds.positives.unwrap().value - 192.0).abs() < 1e-9);
        // Nine positives must all be found: m / (m + 9) >= .95 takes 171.
        assert_eq!(review.this_file, Promised::TooFew { needed: 171 });
        // 200 - 1.96 · √160 to 200 + …
        let Some(Promised::Made(promise)) = review.this_file_by_share else { panic!("{review:?}") };
        assert_eq!(promise.cut.over, Over::File { least: 175, most: 225 });
        assert!(promise.rows > 960, "a promise about one file takes more rows");
        // Of 1,100 rows, 60 labeled positives and 40 known negatives are not in the list: .2 · 1,100 - 60 are.
        let left = list.clone().without(100, 60).review(RecallTarget::new(0.9, 0.95).unwrap()).unwrap();
        assert!((left.share.unwrap().share.value - 0.16).abs() < 1e-12);
        assert!((left.population.holds.unwrap().positives.unwrap().value - 0.96 * 160.0).abs() < 1e-9);
        assert_eq!(left.population.rows, 960, "what is listed stays");
        assert!(list.clone().without(300, 300).share.is_none(), "more are labeled than the share knows of");
        assert_eq!(list.clone().without(0, 0).share, list.share);
        // .8 at odds of up to 2 takes 8/9 of the labeled ones, P(Bin(100, 1/9) < k) ≤ .05: k = 6. Of one file with about 200 the
        // same rows hold up to smaller odds, and the recall of the first rows is 96 of 100 with a lower end of low / (low + 2 (1 - low)).
        let twice = LabelingOdds::new(2.0).unwrap();
        let biased = list.review(RecallTarget::new(0.8, 0.95).unwrap().with_labeling(twice)).unwrap();
        assert_eq!(biased.population.cut.rank, 6);
        let Some(Promised::Made(file)) = biased.this_file_by_share else { panic!("{biased:?}") };
        let up_to = |cut: &RecallCut| cut.holds_up_to_labeling_odds;
        assert_eq!(file.cut.rank, 6);
        assert!(2.0 <= up_to(&file.cut) && up_to(&file.cut) < up_to(&biased.population.cut), "{file:?}");
        assert!(promise.cut.holds_up_to_labeling_odds < 1.3, "{promise:?}");
        let share = biased.share_at_odds.unwrap();
        // Scores tell nothing here, so all may be positive.
        assert_eq!((share.most, share.most_at_random, share.told), (1.0, 1.0, list.share));
        assert!(biased.assumes.contains("more than 2 times as likely, in odds"), "{}", biased.assumes);
        let top = Top::Rows(960);
        let (random, wide) = (list.at_top(top, LabelingOdds::RANDOM), list.at_top(top, twice));
        let (random, wide) = (random.unwrap().recall, wide.unwrap());
        assert_eq!((wide.recall.value, wide.precision, wide.positives), (random.value, None, None));
        assert!((wide.recall.low - random.low / (2.0 - random.low)).abs() < 1e-12);
        assert!((wide.lift.high - wide.recall.high / 0.96).abs() < 1e-12);
        let few = list.review(RecallTarget::new(0.99, 0.95).unwrap()).unwrap_err();
        assert!(few.to_string().contains("at least 299"), "{few}");
        assert!(list.at_top(Top::Rows(1001), LabelingOdds::RANDOM).is_err());
    }
}
