//! How much a model relies on each column: what its AUC loses when the column's cells change places between rows.
//!
//! L. Breiman, "Random forests", Machine Learning 45, 2001. With a column's cells shuffled, the model still sees values that
//! occur, but they say nothing of the row. The AUC that is lost, a mean over several shuffles, is the column's importance: with
//! true labels that of positives against negatives, without them that of labeled positives against unlabeled rows, which under
//! random labeling is (1 - μ) times as large and gives the same order.
//!
//! Of a model of texts the words are measured, each as a column of how much of it every text has: those that differ most between
//! positives and the others.
//! Pictures have nothing of the kind.
//!
//! Columns that say the same stand in for one another, and each of them seems to matter little.
//!
//! **Intervals.** The AUC is a mean over positives of the share of others that they outscore, and a mean over the others of the
//! share of positives that outscore them. The lost AUC has both parts for each row, so its variance is that of the first over the
//! number of positives and that of the second over the number of others (E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson,
//! Biometrics 44, 1988). Each row has been given other cells, so chance of the shuffles is in it, too.

use crate::shuffled::Shuffled;
use crate::{Error, Model};
use onesided_data::{Dataset, Encoding, Label, Store, Stream};
use onesided_eval::Interval;
use onesided_learn::Signal;
use serde::Serialize;

/// From a standard error to one side of a 95 % interval.
const SIDE: f64 = 1.959_963_984_540_054;

/// How columns are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportanceSettings {
    /// Shuffles of each column.
    pub repeats: usize,
    /// Columns that are measured in full; of more, those that lost most in a first pass.
    pub columns: usize,
    /// Rows to measure on, at most; of more, a random sample with all positives if they are at most half of it. With many
    /// columns and shuffles it is fewer, so that about 300,000 rows are scored in all, but never fewer than 2,000 rows are used.
    pub rows: usize,
    /// The seed of the shuffles.
    pub seed: u64,
}

impl Default for ImportanceSettings {
    fn default() -> Self {
        Self { repeats: 5, columns: 50, rows: 20_000, seed: 0 }
    }
}

/// Rows of the first pass, at most, and the fewest that a sample is cut to.
const FIRST_PASS_ROWS: usize = 2_000;

/// Of the terms of texts, those that tell positives from the others best are measured in the first pass: this many for each that is
/// measured in full.
const TERMS_PER_COLUMN: usize = 10;

/// Rows that are scored in all, over columns and shuffles.
const SCORED: usize = 300_000;

impl ImportanceSettings {
    /// Rows to measure this many columns on.
    fn rows_for(&self, columns: usize) -> usize {
        let passes = columns.min(self.columns).max(1) * self.repeats.max(1);
        self.rows.min((SCORED / passes).max(FIRST_PASS_ROWS))
    }
}

/// What positives were compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// True negatives.
    Negatives,
    /// Unlabeled rows.
    Unlabeled,
}

/// How much a model counts on its columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// What positives were compared with.
    pub against: Against,
    /// How many positives and others it was measured on.
    pub rows: (usize, usize),
    /// The AUC with every column in place.
    pub auc: f64,
    /// The columns, the most important first.
    pub columns: Vec<ColumnImportance>,
    /// How many columns were left after a first pass on a few rows.
    pub not_measured: usize,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnImportance {
    /// Its name.
    pub column: String,
    /// The AUC that is lost without it.
    pub lost: Interval,
}

impl Model {
    /// How much the model relies on each column of its table, or on the words of its texts, measured on these rows. They need the truth, or labels, and should
    /// be rows that the model was not fitted on.
    pub fn importance(&self, data: &Dataset, settings: &ImportanceSettings) -> Result<Importance, Error> {
        self.importance_with(data, settings, &mut |_, _| Signal::Continue)
    }

    /// [`importance`](Self::importance) with an observer, which is told how many columns of how many are measured, those of
    /// the first pass included. Whatever it answers but to continue makes this an [`Error::Interrupted`].
    pub fn importance_with(
        &self,
        data: &Dataset,
        settings: &ImportanceSettings,
        observer: &mut dyn FnMut(usize, usize) -> Signal,
    ) -> Result<Importance, Error> {
        let against = if data.truth().is_some() { Against::Negatives } else { Against::Unlabeled };
        let filled = data.without_blank();
        let data = self.encoded(&filled)?;
        let of_rows = sides(&data)?;
        let mut stream = Stream::new(settings.seed, "rows to measure on");
        let (spans, rare) = match self.encoding().as_ref() {
            Encoding::Table(features) => (features.spans(), 0),
            Encoding::Text(input) => {
                let terms = input.text.terms();
                let some = telling(
                    data.rows(),
                    &of_rows,
                    terms.len(),
                    TERMS_PER_COLUMN.saturating_mul(settings.columns.max(1)),
                );
                let rare = terms.len() - some.len();
                (some.into_iter().map(|term| (terms[term].clone(), term..term + 1)).collect(), rare)
            }
            _ => return Err(Error::NoColumns { takes: self.encoding().takes() }),
        };
        let some = sampled(&of_rows, settings.rows_for(spans.len()), &mut stream);
        let chosen = data.select(&some);
        let measured = Measured::new(self, &chosen, settings.repeats.max(1), settings.seed)?;
        let mut wanted: Vec<usize> = (0..spans.len()).collect();
        let in_full = settings.columns.max(1);
        let all = if wanted.len() > in_full { wanted.len() + in_full } else { wanted.len() };
        let mut done = 0;
        let mut next = || match observer(done, all) {
            Signal::Continue => {
                done += 1;
                Ok(())
            }
            _ => Err(Error::Interrupted { epoch: 0, checkpoint: None }),
        };
        if wanted.len() > in_full {
            let few: Vec<bool> = some.iter().map(|&row| of_rows[row] == Some(true)).collect();
            let few: Vec<Option<bool>> = few.into_iter().map(Some).collect();
            let rows = sampled(&few, FIRST_PASS_ROWS, &mut stream);
            let first = Measured::new(self, &chosen.select(&rows), 1, settings.seed)?;
            let lost: Vec<f64> = wanted
                .iter()
                .map(|&column| {
                    next()?;
                    Ok(first.lost(&spans[column].1, column)?.value)
                })
                .collect::<Result<_, Error>>()?;
            wanted.sort_by(|&a, &b| lost[b].total_cmp(&lost[a]).then(a.cmp(&b)));
            wanted.truncate(in_full);
        }
        let mut columns = Vec::with_capacity(wanted.len());
        for &column in &wanted {
            next()?;
            let lost = measured.lost(&spans[column].1, column)?;
            columns.push(ColumnImportance { column: spans[column].0.clone(), lost });
        }
        columns.sort_by(|a, b| b.lost.value.total_cmp(&a.lost.value).then(a.column.cmp(&b.column)));
        let positives = measured.positive.iter().filter(|positive| **positive).count();
        Ok(Importance {
            against,
            rows: (positives, measured.positive.len() - positives),
            auc: measured.shares.auc(),
            columns,
            not_measured: spans.len() - wanted.len() + rare,
        })
    }
}

/// The terms whose share of texts differs most between positives and the others, at most this many, in the order of their columns. One
/// that is in no text cannot matter here.
fn telling(rows: &Store, sides: &[Option<bool>], terms: usize, most: usize) -> Vec<usize> {
    let mut texts = [vec![0usize; terms], vec![0usize; terms]];
    for (row, positive) in sides.iter().enumerate().filter_map(|(row, side)| Some((row, (*side)?))) {
        let texts = &mut texts[usize::from(positive)];
        match rows {
            Store::Sparse(rows) => rows.row(row).0.iter().for_each(|&term| texts[term as usize] += 1),
            Store::Dense(rows) => {
                let has = rows.row(row).iter().map(|&value| usize::from(value != 0.0));
                has.zip(texts).for_each(|(has, texts)| *texts += has);
            }
            _ => {}
        }
    }
    let count = |positive: bool| sides.iter().filter(|side| **side == Some(positive)).count().max(1) as f64;
    let (others, positives) = (count(false), count(true));
    let apart = |term: usize| (texts[1][term] as f64 / positives - texts[0][term] as f64 / others).abs();
    let mut some: Vec<usize> = (0..terms).filter(|&term| texts[0][term] + texts[1][term] > 0).collect();
    some.sort_by(|&a, &b| apart(b).total_cmp(&apart(a)));
    some.truncate(most);
    some.sort_unstable();
    some
}

/// For each row whether it is a positive, or of the others; `None` for known negatives where the others are unlabeled.
fn sides(data: &Dataset) -> Result<Vec<Option<bool>>, Error> {
    let sides: Vec<Option<bool>> = match (data.truth(), data.labels()) {
        (Some(truth), _) => truth.iter().map(|&truth| Some(truth)).collect(),
        (None, Some(labels)) => labels
            .iter()
            .map(|label| match label {
                Label::Positive => Some(true),
                Label::Unlabeled => Some(false),
                Label::Negative => None,
            })
            .collect(),
        (None, None) => return Err(Error::NeedsLabels),
    };
    for (what, wanted) in [("positives", true), ("other rows", false)] {
        if !sides.contains(&Some(wanted)) {
            return Err(onesided_data::DataError::TooFew { what, count: 0 }.into());
        }
    }
    Ok(sides)
}

/// Rows of either side, at most this many together and not more than half of them positives unless there are no others.
fn sampled(sides: &[Option<bool>], most: usize, stream: &mut Stream) -> Vec<usize> {
    let mut of = |wanted: bool| -> Vec<usize> {
        let mut rows: Vec<usize> = (0..sides.len()).filter(|&row| sides[row] == Some(wanted)).collect();
        stream.shuffle(&mut rows);
        rows
    };
    let (mut positive, mut other) = (of(true), of(false));
    if positive.len() + other.len() > most {
        let kept = positive.len().min((most / 2).max(most.saturating_sub(other.len())));
        positive.truncate(kept.max(1));
        other.truncate((most.saturating_sub(kept)).max(1));
    }
    let mut rows = [positive, other].concat();
    rows.sort_unstable();
    rows
}

/// Rows with the scores that a model gives them. All shuffles of a column are scored together.
struct Measured<'m> {
    shuffled: Shuffled<'m>,
    repeats: usize,
    positive: Vec<bool>,
    shares: Shares,
    seed: u64,
}

impl<'m> Measured<'m> {
    fn new(model: &'m Model, data: &Dataset, repeats: usize, seed: u64) -> Result<Self, Error> {
        let positive: Vec<bool> = sides(data)?.into_iter().map(|side| side == Some(true)).collect();
        let shares = Shares::of(&model.raw(data)?, &positive);
        let rows: Vec<usize> = (0..repeats).flat_map(|_| 0..data.len()).collect();
        let shuffled = Shuffled::new(model, data.select(&rows))?;
        Ok(Self { shuffled, repeats, positive, shares, seed })
    }

    /// What the AUC loses with some encoded columns shuffled.
    fn lost(&self, span: &std::ops::Range<usize>, column: usize) -> Result<Interval, Error> {
        let mut stream = Stream::new(self.seed, &format!("shuffles of column {column}"));
        let rows = self.positive.len();
        let (mut order, mut of_all): (Vec<usize>, Vec<usize>) = ((0..rows).collect(), Vec::new());
        for repeat in 0..self.repeats {
            stream.shuffle(&mut order);
            of_all.extend(order.iter().map(|row| repeat * rows + row));
        }
        let mut left = Shares::zero(&self.shares);
        for scores in self.shuffled.scores(span, &of_all)?.chunks(rows) {
            left.add(&Shares::of(scores, &self.positive), 1.0 / self.repeats as f64);
        }
        let lost = self.shares.less(&left);
        let (value, side) = (lost.auc(), SIDE * lost.variance().sqrt());
        Ok(Interval { value, low: value - side, high: value + side })
    }
}

/// For each positive the share of others that it outscores, and for each other the share of positives that outscore it; ties
/// count half.
struct Shares {
    positive: Vec<f64>,
    other: Vec<f64>,
}

impl Shares {
    fn of(scores: &[f32], positive: &[bool]) -> Self {
        let side = |wanted: bool| -> Vec<f32> {
            let some = scores.iter().zip(positive).filter(|(_, positive)| **positive == wanted);
            some.map(|(score, _)| *score).collect()
        };
        let (p, o) = (side(true), side(false));
        let sorted = |scores: &[f32]| {
            let mut sorted = scores.to_vec();
            sorted.sort_unstable_by(f32::total_cmp);
            sorted
        };
        let below = |sorted: &[f32], score: f32| -> f64 {
            let lower = sorted.partition_point(|&other| other < score);
            let not_higher = sorted.partition_point(|&other| other <= score);
            (lower + not_higher) as f64 / (2 * sorted.len()) as f64
        };
        let (sorted_p, sorted_o) = (sorted(&p), sorted(&o));
        Self {
            positive: p.iter().map(|&score| below(&sorted_o, score)).collect(),
            other: o.iter().map(|&score| 1.0 - below(&sorted_p, score)).collect(),
        }
    }

    fn zero(like: &Shares) -> Self {
        Self { positive: vec![0.0; like.positive.len()], other: vec![0.0; like.other.len()] }
    }

    fn add(&mut self, more: &Shares, weight: f64) {
        self.positive.iter_mut().zip(&more.positive).for_each(|(sum, share)| *sum += weight * share);
        self.other.iter_mut().zip(&more.other).for_each(|(sum, share)| *sum += weight * share);
    }

    fn less(&self, other: &Shares) -> Self {
        let mut lost = Self { positive: self.positive.clone(), other: self.other.clone() };
        lost.add(other, -1.0);
        lost
    }

    fn auc(&self) -> f64 {
        self.positive.iter().sum::<f64>() / self.positive.len().max(1) as f64
    }

    fn variance(&self) -> f64 {
        let of = |shares: &[f64]| -> f64 {
            let (n, mean) = (shares.len() as f64, shares.iter().sum::<f64>() / shares.len() as f64);
            if shares.len() < 2 {
                return 0.0;
            }
            shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (n - 1.0) / n
        };
        of(&self.positive) + of(&self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_columns_are_measured_on_fewer_rows() {
        let settings = ImportanceSettings::default();
        // 300,000 / (13 × 5) = 4,615; 50 columns at most, and 2,000 rows at least.
        assert_eq!(
            [1, 3, 13, 30, 400].map(|columns| settings.rows_for(columns)),
            [20_000, 20_000, 4_615, 2_000, 2_000]
        );
        let few = ImportanceSettings { rows: 500, ..settings };
        assert_eq!(few.rows_for(13), 500);
    }

    #[test]
    fn terms_that_tell_positives_from_the_others_are_measured() {
        // Of two positives and two others: the first term is in one positive, the second in no text, the third in both positives, the
        // last in every text. A known negative counts on neither side.
        let values = vec![
            1.0, 0.0, 0.3, 0.5, //
            0.0, 0.0, 1.0, 1.0, //
            0.0, 0.0, 0.0, 0.2, //
            0.0, 0.0, 0.0, 0.2, //
            0.0, 9.0, 0.0, 0.2,
        ];
        let sides = [Some(true), Some(true), Some(false), Some(false), None];
        let dense = onesided_data::Matrix::new(5, 4, values).unwrap();
        let sparse = Store::Sparse(onesided_data::SparseMatrix::from_dense(&dense));
        for rows in [sparse, Store::Dense(dense)] {
            assert_eq!(telling(&rows, &sides, 4, 10), [0, 2, 3]);
            assert_eq!(telling(&rows, &sides, 4, 2), [0, 2]);
            assert_eq!(telling(&rows, &sides, 4, 1), [2]);
        }
    }

    #[test]
    fn shares_and_their_variance_by_hand() {
        // Positives 3 and 1 against 2, 1 and 0: the first beats all, the second beats one and ties with one.
        let shares = Shares::of(&[3.0, 1.0, 2.0, 1.0, 0.0], &[true, true, false, false, false]);
        assert_eq!(shares.positive, [1.0, 0.5]);
        assert_eq!(shares.other, [0.5, 0.75, 1.0]);
        assert_eq!(shares.auc(), 0.75);
        // Variances 1/8 over 2 positives and 1/16 over 3 others.
        assert!((shares.variance() - (1.0 / 16.0 + 1.0 / 48.0)).abs() < 1e-15);
    }

    #[test]
    fn samples_keep_both_sides() {
        let sides: Vec<Option<bool>> = (0..1_000).map(|row| Some(row % 10 == 0)).collect();
        let rows = sampled(&sides, 100, &mut Stream::new(0, "test"));
        let positives = rows.iter().filter(|row| **row % 10 == 0).count();
        assert_eq!((rows.len(), positives), (100, 50));
        assert_eq!(sampled(&sides, 5_000, &mut Stream::new(0, "test")).len(), 1_000);
    }
}
