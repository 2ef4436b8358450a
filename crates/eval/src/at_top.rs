//! What the first k rows of a ranked list hold: lift without a prior, precision with one.
//!
//! Of held-out positives a share r scores high enough to be among the first k of N rows. If they are a random sample of the
//! positives, then
//!
//! * lift = r / (k / N): how many times as many positives as k rows drawn blindly would hold. It needs no prior;
//! * precision = share of positives among the N rows · lift, and k · precision is how many of the k rows are positive.
//!
//! A precision above 1 is left out, and what it would be is kept: it shows that the share is too high, or that labels were not
//! given at random.
//!
//! k and N are known, so the interval of the lift is that of r (Jeffreys). The precision and the count are of these very rows, so
//! theirs carry the interval of the share and the scatter of a count in one file. Products and sums of independent intervals are
//! combined end by end (Zou and Donner, 2008: distances from the estimate add in squares).

use crate::beta::jeffreys;
use crate::bootstrap::Interval;
use crate::error::{EvalError, check_scores};
use crate::labeling::LabelingOdds;
use crate::random_labels::UNSEEN;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The level of these intervals.
const CONFIDENCE: f64 = 0.95;
/// The normal quantile that belongs to it.
const NORMAL: f64 = 1.959_963_984_540_054;

/// How many rows from the top: a number, or a share of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    /// A number of rows.
    Rows(usize),
    /// A share of all rows, in (0, 1].
    Share(f64),
}

impl FromStr for Top {
    type Err = EvalError;

    /// `100` or `1%`.
    fn from_str(text: &str) -> Result<Self, EvalError> {
        let unknown = || EvalError::UnknownTop(text.to_string());
        match text.trim().strip_suffix('%') {
            Some(percent) => {
                let share = percent.trim().parse::<f64>().map_err(|_| unknown())? / 100.0;
                if share > 0.0 && share <= 1.0 { Ok(Top::Share(share)) } else { Err(unknown()) }
            }
            None => match text.trim().parse() {
                Ok(rows) if rows > 0 => Ok(Top::Rows(rows)),
                _ => Err(unknown()),
            },
        }
    }
}

impl fmt::Display for Top {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Top::Rows(rows) => write!(f, "{rows}"),
            Top::Share(share) => write!(f, "{}%", 100.0 * share),
        }
    }
}

impl Top {
    /// The number of rows of a list of `all`; a share is rounded, to 1 at least.
    pub fn of(self, all: usize) -> Result<usize, EvalError> {
        match self {
            Top::Rows(rows) if rows == 0 || rows > all => Err(EvalError::Top { rows, all }),
            Top::Rows(rows) => Ok(rows),
            Top::Share(share) => Ok(((share * all as f64).round() as usize).clamp(1, all.max(1))),
        }
    }
}

/// The first rows of a ranked list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtTop {
    /// How many rows, k.
    pub rows: usize,
    /// Of how many, N.
    pub of: usize,
    /// The score of the last of them.
    pub cut: f32,
    /// The share of all positives that they hold.
    pub recall: Interval,
    /// Positives there over positives among as many rows drawn blindly.
    pub lift: Interval,
    /// The share of them that is positive. `None` without a share of positives in the list, and where all of its interval would be
    /// above 1; without a value, NaN, where the value alone would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Interval>,
    /// What the precision would be, where all of its interval is above 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impossible_precision: Option<f64>,
    /// How many of them are positive. `None` where there is no precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positives: Option<Interval>,
    /// The mean of the probabilities that a model gives them. It knows the scores of these rows and not where positives rank, so it
    /// is another answer to the same question as `precision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How many of them stay among the first rows for every labeling within odds above 1 ([`LabelingOdds::stay`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stay: Option<usize>,
}

/// The first `rows` of the rows whose scores are `list`, in any order, from the scores of held-out positives and, where it
/// is known or estimated, the share of positives in the list. Of rows that tie at the cut only some are among the first;
/// positives that tie with them count by as much.
pub fn at_top(
    positive: &[f32],
    list: &[f32],
    rows: usize,
    share: Option<Interval>,
) -> Result<AtTop, EvalError> {
    Ok(at_tops(positive, list, &[rows], share)?.remove(0))
}

/// [`at_top`] at several places of one list, which is sorted once.
pub fn at_tops(
    positive: &[f32],
    list: &[f32],
    rows: &[usize],
    share: Option<Interval>,
) -> Result<Vec<AtTop>, EvalError> {
    check_scores("positive", positive)?;
    check_scores("unlabeled", list)?;
    if let Some(&rows) = rows.iter().find(|&&rows| rows == 0 || rows > list.len()) {
        return Err(EvalError::Top { rows, all: list.len() });
    }
    let (positive, list) = (falling(positive), falling(list));
    Ok(rows.iter().map(|&rows| at_sorted(&positive, &list, rows, share)).collect())
}

fn falling(scores: &[f32]) -> Vec<f32> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted
}

/// Both sorted, the highest score first.
fn at_sorted(positive: &[f32], list: &[f32], rows: usize, share: Option<Interval>) -> AtTop {
    let (of, m, cut) = (list.len(), positive.len() as f64, list[rows - 1]);
    // How many score above the cut, and how many tie with it.
    let count = |scores: &[f32]| {
        let above = scores.partition_point(|&score| score > cut);
        (above, scores[above..].partition_point(|&score| score >= cut))
    };
    let ((above, tied), (positive_above, positive_tied)) = (count(list), count(positive));
    let inside = (rows - above) as f64 / tied as f64;
    let hits = positive_above as f64 + inside * positive_tied as f64;
    let recall = jeffreys(hits, m, CONFIDENCE);
    let blind = rows as f64 / of as f64;
    let lift = scaled(recall, 1.0 / blind);
    let count = share.map(|share| in_one_file(product(share, lift), rows, of));
    // Where the first rows are all positive, chance puts the estimate above 1 as often as below.
    let most = rows as f64 * (1.0 + UNSEEN);
    let impossible_precision = count.filter(|count| count.low > most).map(|count| count.value / rows as f64);
    let count = count.filter(|_| impossible_precision.is_none());
    let value_of = |told: Interval, count: Interval| Interval {
        value: if count.value > most { f64::NAN } else { told.value },
        ..told
    };
    let positives = count.map(|count| value_of(capped(count, rows as f64), count));
    let precision = count.map(|count| value_of(scaled(count, 1.0 / rows as f64).clipped(), count));
    let (probability, stay) = (None, None);
    AtTop { rows, of, cut, recall, lift, precision, impossible_precision, positives, probability, stay }
}

impl AtTop {
    /// The same where labels may favor some positives: recall and lift are those of labeled positives, with all that the odds allow in
    /// their intervals. What also rests on a share of positives, which labels tell, is left out.
    pub fn with_labeling(self, labeling: LabelingOdds) -> Self {
        if labeling.is_random() {
            return self;
        }
        let recall = labeling.widened(self.recall);
        let lift = scaled(recall, self.of as f64 / self.rows as f64);
        let (precision, impossible_precision, positives, probability) = (None, None, None, None);
        Self { recall, lift, precision, impossible_precision, positives, probability, ..self }
    }
}

fn scaled(Interval { value, low, high }: Interval, by: f64) -> Interval {
    Interval { value: value * by, low: low * by, high: high * by }
}

fn capped(Interval { value, low, high }: Interval, most: f64) -> Interval {
    Interval { value: value.min(most), low: low.clamp(0.0, most), high: high.min(most) }
}

/// The product of two independent estimates.
fn product(a: Interval, b: Interval) -> Interval {
    let value = a.value * b.value;
    let square = |x: f64| x * x;
    let (down_a, down_b) = (a.value - a.low, b.value - b.low);
    let (up_a, up_b) = (a.high - a.value, b.high - b.value);
    let down = square(b.value * down_a) + square(a.value * down_b) - square(down_a * down_b);
    let up = square(b.value * up_a) + square(a.value * up_b) + square(up_a * up_b);
    Interval { value, low: value - down.max(0.0).sqrt(), high: value + up.sqrt() }
}

/// The number of positives among the first rows of one file, which scatters around its mean: each of the file's rows is a
/// positive above the cut or not.
fn in_one_file(precision: Interval, rows: usize, of: usize) -> Interval {
    let Interval { value, low, high } = scaled(precision, rows as f64);
    let scatter = |mean: f64| NORMAL * NORMAL * mean * (1.0 - mean / of as f64).max(0.0);
    let down = ((value - low).powi(2) + scatter(value)).sqrt();
    let up = ((high - value).powi(2) + scatter(high)).sqrt();
    Interval { value, low: (value - down).max(0.0), high: value + up }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lift_and_precision_by_hand() {
        // 3 of 4 positives score at least .7, the second best of 8 rows: lift (3/4) / (2/8) = 3, precision .25 · 3.
        let positive = [0.9, 0.8, 0.7, 0.2];
        let list = [0.1, 0.9, 0.3, 0.3, 0.7, 0.2, 0.1, 0.05];
        let exact = Interval { value: 0.25, low: 0.25, high: 0.25 };
        let at = at_top(&positive, &list, 2, Some(exact)).unwrap();
        assert_eq!((at.cut, at.recall.value, at.lift.value), (0.7, 0.75, 3.0));
        let precision = at.precision.unwrap();
        assert!((precision.value - 0.75).abs() < 1e-15);
        // The precision is that of these two rows: its interval is the count's, wider than the lift's by the scatter in one file.
        let down =
            ((2.0 * 0.25 * (3.0 - at.lift.low)).powi(2) + NORMAL * NORMAL * 1.5 * (1.0 - 1.5 / 8.0)).sqrt();
        assert!((precision.low - (0.75 - down / 2.0).max(0.0)).abs() < 1e-12, "{precision:?}");
        assert!(precision.low < 0.25 * at.lift.low && precision.high == 1.0);
        // An interval that begins below 1 is told, without a value.
        let more = Interval { value: 0.4, low: 0.3, high: 0.5 };
        let above = at_top(&positive, &list, 2, Some(more)).unwrap();
        let precision = above.precision.unwrap();
        assert!(precision.value.is_nan() && precision.low < 1.0 && precision.high == 1.0, "{precision:?}");
        // Two rows hold no more than two positives.
        let (positive, list): (Vec<f32>, Vec<f32>) =
            (vec![1.0; 400], (0..100).map(|i| i as f32 / 99.0).collect());
        let too_many = at_top(&positive, &list, 2, Some(exact)).unwrap();
        assert_eq!((too_many.precision, too_many.positives), (None, None));
        assert!(too_many.impossible_precision.unwrap() > 1.0, "kept, to be seen");
        assert_eq!(at.impossible_precision, None);
        assert!(at_top(&positive, &list, 2, None).unwrap().precision.is_none());
    }

    #[test]
    fn ties_at_the_cut_count_by_share() {
        // One of two tied rows is among the first two; of the two positives that tie with them, one counts.
        let at = at_top(&[3.0, 1.0, 1.0, 0.0], &[2.0, 1.0, 1.0, 0.0], 2, None).unwrap();
        assert_eq!(at.recall.value, 0.5);
        let all = at_top(&[1.0; 5], &[1.0; 10], 10, None).unwrap();
        assert_eq!((all.recall.value, all.lift.value), (1.0, 1.0));
    }

    #[test]
    fn products_carry_both_widths() {
        let a = Interval { value: 2.0, low: 1.0, high: 4.0 };
        let one = Interval { value: 3.0, low: 3.0, high: 3.0 };
        assert_eq!(product(a, one), Interval { value: 6.0, low: 3.0, high: 12.0 });
        let zero = Interval { value: 1.0, low: 0.0, high: 2.0 };
        assert_eq!(product(zero, zero).low, 0.0);
    }

    #[test]
    fn numbers_and_shares_are_read() {
        assert_eq!("100".parse::<Top>().unwrap(), Top::Rows(100));
        assert_eq!("1%".parse::<Top>().unwrap().of(250).unwrap(), 3);
        assert_eq!("0.001%".parse::<Top>().unwrap().of(250).unwrap(), 1);
        for wrong in ["0", "-3", "ten", "0%", "101%", "", "1.5"] {
            assert!(wrong.parse::<Top>().is_err(), "{wrong}");
        }
        let refused = Top::Rows(300).of(250).unwrap_err().to_string();
        assert_eq!(refused, "the first 300 rows were asked for, but there are 250");
    }
}
