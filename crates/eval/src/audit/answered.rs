//! A model measured on rows that a person answered, each drawn with a known probability.
//!
//! Row i was drawn with probability p_i, so it stands for 1/p_i rows of the list (Horvitz and Thompson, 1952), and every metric is
//! the usual one with these weights. Labels take no part, so nothing is assumed of how they were given. Answers are resampled
//! for the intervals; a share of few answers, or one on which all agree, has the interval that Jeffreys gives it for as many rows
//! of weight 1 (Kish, 1965).

use crate::beta::jeffreys;
use crate::bootstrap::Interval;
use onesided_data::Stream;

/// With fewer rows of a kind, the bootstrap of the AUC repeats the same few.
const FEW: f64 = 10.0;

/// A row that was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnsweredRow {
    /// Its score.
    pub score: f32,
    /// Whether it is predicted positive.
    pub predicted: bool,
    /// The answer.
    pub positive: bool,
    /// How many rows it stands for.
    pub weight: f64,
}

/// Sums of weights: positives and negatives that are predicted positive, and all of them.
#[derive(Clone, Copy, Default)]
struct Table {
    found: f64,
    mistaken: f64,
    positive: f64,
    negative: f64,
}

impl Table {
    fn all(&self) -> f64 {
        self.positive + self.negative
    }

    fn predicted(&self) -> f64 {
        self.found + self.mistaken
    }
}

/// Metrics of the list that the rows were drawn from, by name, with 95 % intervals. One that the answers leave undefined, as a recall
/// without a positive, is left out.
pub fn measured_on(rows: &[AnsweredRow], resamples: usize, seed: u64) -> Vec<(&'static str, Interval)> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.score.total_cmp(&b.score));
    let once = vec![1.0; sorted.len()];
    let mut stream = Stream::new(seed, "answers");
    let draws: Vec<Vec<f64>> = (0..resamples)
        .map(|_| {
            let mut times = vec![0.0; sorted.len()];
            sorted.iter().for_each(|_| times[stream.below(sorted.len())] += 1.0);
            times
        })
        .collect();
    let interval = |metric: &dyn Fn(&[f64]) -> Option<f64>| {
        let found = Interval::percentile(metric(&once), draws.iter().map(|times| metric(times)));
        found.map(Interval::holding_value)
    };
    let of_table = |metric: fn(&Table) -> f64| {
        interval(&|times| Some(metric(&table(&sorted, times))).filter(|x| x.is_finite()))
    };
    // A share of some of the rows, with room for as few of them as there are.
    let share = |metric: fn(&Table) -> f64, of: &dyn Fn(&AnsweredRow) -> bool| {
        let found = of_table(metric)?;
        let number = effective(sorted.iter().filter(|row| of(row)).map(|row| row.weight));
        let few = jeffreys(found.value * number, number, 0.95);
        Some(found.holding(few.low, few.high))
    };
    let auc = interval(&|times| auc(&sorted, times)).map(|found| {
        let of = |positive: bool| {
            effective(sorted.iter().filter(|row| row.positive == positive).map(|row| row.weight))
        };
        let number = of(true).min(of(false));
        let few = jeffreys(found.value * number, number, 0.95);
        if number < FEW { found.holding(few.low, few.high) } else { found }
    });
    let metrics = [
        ("recall", share(|t| t.found / t.positive, &|row| row.positive)),
        ("predicted_positive", share(|t| t.predicted() / t.all(), &|_| true)),
        ("lift", of_table(|t| t.found / t.positive / (t.predicted() / t.all()))),
        ("precision", share(|t| t.found / t.predicted(), &|row| row.predicted)),
        ("f1", of_table(|t| 2.0 * t.found / (t.positive + t.predicted()))),
        ("accuracy", share(|t| (t.found + t.negative - t.mistaken) / t.all(), &|_| true)),
        ("risk", share(|t| (t.positive - t.found + t.mistaken) / t.all(), &|_| true)),
        ("auc", auc),
    ];
    metrics.into_iter().filter_map(|(name, found)| Some((name, found?))).collect()
}

/// How many rows of weight 1 say as much.
fn effective(weights: impl Iterator<Item = f64>) -> f64 {
    let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

fn table(rows: &[AnsweredRow], times: &[f64]) -> Table {
    rows.iter().zip(times).fold(Table::default(), |mut table, (row, times)| {
        let weight = times * row.weight;
        let predicted = if row.predicted { weight } else { 0.0 };
        if row.positive {
            table.positive += weight;
            table.found += predicted;
        } else {
            table.negative += weight;
            table.mistaken += predicted;
        }
        table
    })
}

/// The weighted AUC of rows in the order of their scores, ties counting half.
fn auc(rows: &[AnsweredRow], times: &[f64]) -> Option<f64> {
    let (mut below, mut won, mut at) = ([0.0, 0.0], 0.0, 0);
    while at < rows.len() {
        let tied = rows[at..].iter().take_while(|row| row.score == rows[at].score).count();
        let mut here = [0.0, 0.0];
        for (row, times) in rows[at..at + tied].iter().zip(&times[at..]) {
            here[usize::from(row.positive)] += times * row.weight;
        }
        won += here[1] * (below[0] + here[0] / 2.0);
        below = [below[0] + here[0], below[1] + here[1]];
        at += tied;
    }
    let pairs = below[0] * below[1];
    (pairs > 0.0).then(|| won / pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(score: f32, positive: bool, weight: f64) -> AnsweredRow {
        AnsweredRow { score, predicted: score >= 0.5, positive, weight }
    }

    #[test]
    fn metrics_by_hand() {
        // Of the upper rows all were answered, of the lower ones every tenth.
        let mut rows =
            vec![row(0.9, true, 1.0), row(0.8, true, 1.0), row(0.7, false, 1.0), row(0.6, false, 1.0)];
        rows.extend([
            row(0.4, true, 10.0),
            row(0.3, false, 10.0),
            row(0.2, false, 10.0),
            row(0.1, false, 10.0),
        ]);
        let found = measured_on(&rows, 200, 1);
        let of = |name: &str| found.iter().find(|(other, _)| *other == name).unwrap().1;
        let close = |name: &str, value: f64| {
            let found = of(name);
            assert!((found.value - value).abs() < 1e-12, "{name}: {found:?}");
            assert!(found.low <= value && value <= found.high, "{name}: {found:?}");
        };
        // 2 + 10 positives of 44 rows, 2 + 2 called positive, 30 negatives below.
        close("recall", 2.0 / 12.0);
        close("precision", 0.5);
        close("predicted_positive", 4.0 / 44.0);
        close("lift", (2.0 / 12.0) / (4.0 / 44.0));
        close("f1", 4.0 / 16.0);
        close("accuracy", 32.0 / 44.0);
        close("risk", 12.0 / 44.0);
        // The two upper positives beat all 32 negatives, the lower ten 30 of them.
        close("auc", (2.0 * 32.0 + 10.0 * 30.0) / (12.0 * 32.0));
        assert!(of("precision").high - of("precision").low > 0.5, "four answers say little");
    }

    #[test]
    fn what_answers_leave_open_is_left_out() {
        let found = measured_on(&[row(0.2, false, 1.0), row(0.1, false, 1.0)], 50, 1);
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["predicted_positive", "accuracy", "risk"]);
        assert!(measured_on(&[], 50, 1).is_empty());
    }
}
