//! Can the labels be a random sample of the positives? Which rows could show that they are not.
//!
//! Let a share μ of the unlabeled rows be positive. Under random labels every positive is labeled with the same chance
//! c = m / (m + μ n), of m labeled and n unlabeled rows, so a row with features x is labeled with the chance c η(x) ≤ c:
//!
//! > **In no set of rows that is chosen without looking at their labels may more than a share c of them be labeled, but for chance.**
//!
//! And that is all there is to test. Where the chance of being labeled, g(x), is nowhere above c, η = g / c is a sound class probability
//! that explains the same data by random labels. So every valid test looks for a set with too many labels, and without a share nothing
//! can be tested: any g is at most some c. With a share that was estimated from the same labels little can be. (Teisseyre, Furmańczyk
//! and Mielniczuk, ECAI 2024, compare labeled rows with likely positives; what their test sees beyond this rests on the model of η.)
//!
//! The sets: the first k rows by scores of models that had not met them, where labels are densest, for k that grow by half; and of each
//! column, those of them with high or with low values. The statistic of a set of k rows with a labeled is
//! (a - c k) / √(k c (1 - c)), that of a family of sets the largest. Its law is drawn for the data that are hardest to tell from a bias:
//! the classes do not overlap and scores are perfect, so the positives are the first rows, all labeled with chance c. Other random labels
//! are stochastically fewer in every set. The draws carry what is uncertain about c: the number of positives scatters, in one sample
//! with that of labeled rows. Corrected for the number of columns by the law of the largest of all (Westfall and Young, 1993).

use crate::random_labels::{LeastShare, RANDOM_LABELS};
use onesided_data::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Random labels are called refuted below this.
pub const LABELING_LEVEL: f64 = 0.05;
/// A set has at least this many rows, and this many labeled ones are expected in it.
const LEAST_ROWS: usize = 10;
const LEAST_EXPECTED: f64 = 4.0;
/// The first sets grow by this factor.
const GROWTH: f64 = 1.5;
/// Columns are cut at these many quantiles.
const CUTS: usize = 8;
/// No more of the first rows, and no more columns, are looked at.
const MOST_ROWS: usize = 20_000;
const MOST_COLUMNS: usize = 200;
/// Draws from the law under random labels: as many as this much work allows (rows times columns), within bounds.
const WORK: usize = 200_000_000;
const DRAWS: (usize, usize) = (199, 999);

/// What a test looks at. Rows that are known to be negative are none of these.
#[derive(Clone, Copy, Debug)]
pub struct LabelingRows<'a> {
    /// A score per row by what was trained without it.
    pub scores: &'a [f32],
    /// Whether each is labeled.
    pub labeled: &'a [bool],
    /// The share of positives among those that are not, or the least that it may be.
    pub least: LeastShare,
    /// Whether it was estimated from these labels.
    pub estimated: bool,
    /// One sample in which some rows were labeled, so that their number is chance; else it is fixed.
    pub one_sample: bool,
    /// The seed of the draws.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelingTest {
    /// How often labels that are random would look as odd as this or odder, by all sets together.
    pub p: f64,
    /// By the first rows alone, as if columns had not been looked at. With `auto`, whose folds are brought to one scale, 9 % of random
    /// labels are below .05 here; go by [`p`](Self::p).
    pub p_of_rows: f64,
    /// The set of first rows with the most labels beyond what can be.
    pub rows: RowsTold,
    /// Columns with a set that has too many labels, corrected for their number, the oddest first.
    pub columns: Vec<ColumnTold>,
    /// How many columns were looked at.
    pub columns_tested: usize,
    /// The most that the share of labeled rows may be in any set, c.
    pub most_labeled: f64,
    /// The share of positives among unlabeled rows that this follows from; of an estimate, the least.
    pub share: f64,
    /// Whether it was estimated from the same labels.
    pub estimated: bool,
}

/// The first rows of a list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsTold {
    /// How many.
    pub rows: usize,
    /// How many of them are labeled.
    pub labeled: usize,
}

/// A column in which labels are denser than random ones can be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnTold {
    /// Its name.
    pub column: String,
    /// Whether its values are high in that set, above their mean over all rows, or low.
    pub high: bool,
    /// p, corrected for the number of columns.
    pub p: f64,
    /// How many rows of the first have such values.
    pub rows: usize,
    /// How many of them are labeled.
    pub labeled: usize,
}

impl LabelingTest {
    /// Whether random labels are refuted, if the share is right.
    pub fn refutes(&self) -> bool {
        self.p < LABELING_LEVEL
    }

    /// What rests on random labels, with what the test says of them where it refutes them.
    pub fn assumes(test: Option<&Self>) -> String {
        match test.filter(|test| test.refutes()) {
            Some(test) => format!("{RANDOM_LABELS}, which a test of the labels refutes ({})", shown(test.p)),
            None => RANDOM_LABELS.to_string(),
        }
    }
}

/// `p = .003`, or a bound where no draw was as odd.
pub(crate) fn shown(p: f64) -> String {
    match p {
        p if p < 0.001_5 => "p = .001 at most".to_string(),
        p => format!("p = {p:.3}").replacen("0.", ".", 1),
    }
}

impl fmt::Display for LabelingTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows: RowsTold { rows, labeled }, most_labeled, share, .. } = self;
        let whose = if self.estimated { "an estimated share" } else { "a share" };
        if !self.refutes() {
            let weak = if self.estimated {
                ", which takes labels to be random, so that only a strong bias shows"
            } else {
                ""
            };
            return write!(
                f,
                "labels may be a random sample of the positives ({}, with {whose} of {share:.3} of the unlabeled rows{weak}); a bias \
                 that gives no rows more labels than they have positives is never seen",
                shown(self.p)
            );
        }
        write!(
            f,
            "labels are not a random sample of the positives, or there are fewer positives than {share:.3} of the unlabeled rows ({}): \
             in no set of rows may more than {:.1} % be labeled, but ",
            shown(self.p),
            100.0 * most_labeled
        )?;
        match self.columns.first() {
            Some(ColumnTold { column, high, p, rows, labeled }) => {
                let side = if *high { "high" } else { "low" };
                write!(
                    f,
                    "of {rows} rows with {side} '{column}' and high scores {labeled} are ({}, corrected for {} columns)",
                    shown(*p),
                    self.columns_tested
                )?;
            }
            None => write!(f, "of the first {rows} by score {labeled} are")?,
        }
        write!(f, "; numbers that rest on random labels are doubtful, and other biases are not seen")
    }
}

/// A column by bands of the ranking and parts of its values.
struct Cells {
    /// For each of the first rows, which part of the values it is in.
    part: Vec<u8>,
    parts: usize,
    /// For each place of the ranking where sets end: rows in the parts up to it, cumulative over the ranking.
    rows: Vec<Vec<usize>>,
}

/// A set within a column.
#[derive(Clone, Copy)]
struct Best {
    statistic: f64,
    rows: usize,
    labeled: usize,
    /// The set: the first rows up to here, in these parts of the values.
    end: usize,
    parts: (usize, usize),
}

/// Tests whether labels can be random, by all rows and by each of the columns, `value(column, row)`. `None` where no share, no label
/// or no chance of one (c of 0 or 1) makes it a question.
pub fn labeling_test(
    given: LabelingRows,
    columns: &[String],
    value: impl Fn(usize, usize) -> f32,
) -> Option<LabelingTest> {
    let all = given.scores.len();
    let sum = |column: usize| (0..all).map(|row| f64::from(value(column, row))).sum::<f64>();
    Some(LabelingSets::new(given)?.test(columns, &value, sum))
}

/// A test of labels before it looks at columns, for rows whose cells are not at hand: only those of [`rows`](Self::rows) are needed.
pub struct LabelingSets<'a> {
    given: LabelingRows<'a>,
    /// Labeled rows, hidden ones and the most that a share of labeled ones may be.
    m: usize,
    hidden: f64,
    chance: f64,
    ends: Vec<usize>,
    /// The first rows.
    first: Vec<u32>,
    stream: Stream,
}

impl<'a> LabelingSets<'a> {
    /// How many columns are looked at.
    pub const COLUMNS: usize = MOST_COLUMNS;

    /// `None` as in [`labeling_test`].
    pub fn new(given: LabelingRows<'a>) -> Option<Self> {
        let LabelingRows { scores, labeled, least, seed, .. } = given;
        let all = scores.len();
        let m = labeled.iter().filter(|&&labeled| labeled).count();
        let hidden = least.share * (all - m) as f64;
        let chance = m as f64 / (m as f64 + hidden);
        if m == 0 || !(least.share > 0.0 && least.share < 1.0) || hidden < 1.0 {
            return None;
        }
        let mut stream = Stream::new(seed, "labeling-test");
        // Rows that tie are in an order that labels have no part in.
        let mut order: Vec<u32> = (0..all as u32).collect();
        stream.shuffle(&mut order);
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
        let ends = ends(chance, (m as f64 + hidden).round() as usize, all);
        order.truncate(*ends.last()?);
        Some(Self { given, m, hidden, chance, ends, first: order, stream })
    }

    /// The rows whose cells are looked at.
    pub fn rows(&self) -> &[u32] {
        &self.first
    }

    /// The test, by the cells of these rows, `value(column, row)`, and the sum of each column over all rows.
    pub fn test(
        self,
        columns: &[String],
        value: impl Fn(usize, usize) -> f32,
        sum_of_all: impl Fn(usize) -> f64,
    ) -> LabelingTest {
        let Self { given, m, hidden, chance, ends, first, mut stream } = self;
        let LabelingRows { scores, labeled, least, estimated, one_sample, .. } = given;
        let (all, last, first) = (scores.len(), first.len(), &first[..]);
        let columns = &columns[..columns.len().min(MOST_COLUMNS)];
        let cells: Vec<Cells> =
            (0..columns.len()).map(|column| cells(first, &ends, |row| value(column, row))).collect();

        let observed: Vec<bool> = first.iter().map(|&row| labeled[row as usize]).collect();
        let (of_rows, set) = of_prefixes(&observed, &ends, chance);
        let of_columns: Vec<Best> =
            cells.iter().map(|cells| of_cells(cells, &observed, &ends, chance)).collect();
        let largest = |of: &[Best]| of.iter().map(|best| best.statistic).fold(f64::NEG_INFINITY, f64::max);
        let draws = (WORK / (last * (columns.len() + 1))).clamp(DRAWS.0, DRAWS.1);
        let (mut rows_beyond, mut any_beyond, mut beyond) = (0, 0, vec![0; columns.len()]);
        let either = of_rows.max(largest(&of_columns));
        let mut drawn = vec![false; last];
        for _ in 0..draws {
            let told = draw(&mut drawn, &mut stream, Drawn { all, m, hidden, chance, one_sample });
            let (rows, _) = of_prefixes(&drawn, &ends, told);
            let of: Vec<Best> = cells.iter().map(|cells| of_cells(cells, &drawn, &ends, told)).collect();
            let of_any_column = largest(&of);
            rows_beyond += usize::from(rows >= of_rows);
            any_beyond += usize::from(rows.max(of_any_column) >= either);
            for (beyond, best) in beyond.iter_mut().zip(&of_columns) {
                *beyond += usize::from(of_any_column >= best.statistic);
            }
        }
        let p = |beyond: usize| (beyond + 1) as f64 / (draws + 1) as f64;
        let mut told: Vec<(f64, ColumnTold)> = (0..columns.len())
            .filter(|&at| p(beyond[at]) < LABELING_LEVEL)
            .map(|at| {
                let Best { statistic, rows, labeled, end, parts } = of_columns[at];
                let is_in = |place: &usize| (parts.0..=parts.1).contains(&(cells[at].part[*place] as usize));
                let in_set = (0..end).filter(is_in).map(|place| f64::from(value(at, first[place] as usize)));
                let mean_of_all = sum_of_all(at) / all as f64;
                let high = in_set.sum::<f64>() / rows as f64 > mean_of_all;
                (statistic, ColumnTold { column: columns[at].clone(), high, p: p(beyond[at]), rows, labeled })
            })
            .collect();
        told.sort_by(|a, b| b.0.total_cmp(&a.0));
        LabelingTest {
            p: p(any_beyond),
            p_of_rows: p(rows_beyond),
            rows: set,
            columns: told.into_iter().map(|(_, told)| told).collect(),
            columns_tested: columns.len(),
            most_labeled: chance,
            share: least.share,
            estimated,
        }
    }
}

/// Where sets of first rows end: none beyond the positives that there are.
fn ends(chance: f64, positives: usize, all: usize) -> Vec<usize> {
    let fewest = LEAST_ROWS.max((LEAST_EXPECTED / chance).ceil() as usize);
    let most = positives.min(all).min(MOST_ROWS);
    let grown = std::iter::successors(Some(fewest), |&end| Some((end as f64 * GROWTH).ceil() as usize));
    let mut ends: Vec<usize> = grown.take_while(|&end| end < most).collect();
    if most >= fewest {
        ends.push(most);
    }
    ends
}

/// How far a set is beyond the most that it may have.
fn statistic(labeled: usize, rows: usize, chance: f64) -> f64 {
    let rows = rows as f64;
    (labeled as f64 - chance * rows) / (rows * chance * (1.0 - chance)).max(f64::MIN_POSITIVE).sqrt()
}

fn of_prefixes(labeled: &[bool], ends: &[usize], chance: f64) -> (f64, RowsTold) {
    let (mut best, mut set) = (f64::NEG_INFINITY, RowsTold { rows: 0, labeled: 0 });
    let (mut from, mut seen) = (0, 0);
    for &end in ends {
        seen += labeled[from..end].iter().filter(|&&labeled| labeled).count();
        from = end;
        let of = statistic(seen, end, chance);
        if of > best {
            (best, set) = (of, RowsTold { rows: end, labeled: seen });
        }
    }
    (best, set)
}

/// Parts of a column's values among the first rows, by their quantiles.
fn cells(first: &[u32], ends: &[usize], value: impl Fn(usize) -> f32) -> Cells {
    let values: Vec<f32> = first.iter().map(|&row| value(row as usize)).collect();
    let mut sorted = values.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let mut cuts: Vec<f32> = (1..CUTS).map(|cut| sorted[cut * sorted.len() / CUTS]).collect();
    // A value that few rows have is a part of its own.
    cuts.push(sorted[sorted.len() - 1]);
    cuts.dedup();
    cuts.retain(|cut| *cut > sorted[0]);
    let part: Vec<u8> = values.iter().map(|value| cuts.partition_point(|cut| cut <= value) as u8).collect();
    let parts = cuts.len() + 1;
    let (mut rows, mut counts, mut from) = (Vec::new(), vec![0; parts], 0);
    for &end in ends {
        part[from..end].iter().for_each(|&part| counts[part as usize] += 1);
        from = end;
        rows.push(counts.clone());
    }
    Cells { part, parts, rows }
}

/// The oddest set of a column: high or low values among the first rows.
fn of_cells(cells: &Cells, labeled: &[bool], ends: &[usize], chance: f64) -> Best {
    let mut best = Best { statistic: f64::NEG_INFINITY, rows: 0, labeled: 0, end: 0, parts: (0, 0) };
    let last = cells.parts - 1;
    let fewest = LEAST_ROWS.max((LEAST_EXPECTED / chance).ceil() as usize);
    let (mut counts, mut from) = (vec![0; cells.parts], 0);
    for (&end, rows) in ends.iter().zip(&cells.rows) {
        for (part, &labeled) in cells.part[from..end].iter().zip(&labeled[from..end]) {
            counts[*part as usize] += usize::from(labeled);
        }
        from = end;
        let mut look = |from_above: bool| {
            let (mut in_set, mut of_set) = (0, 0);
            for step in 0..=last {
                let part = if from_above { last - step } else { step };
                in_set += rows[part];
                of_set += counts[part];
                let of = statistic(of_set, in_set, chance);
                if in_set >= fewest && in_set < end && of > best.statistic {
                    let parts = if from_above { (part, last) } else { (0, part) };
                    best = Best { statistic: of, rows: in_set, labeled: of_set, end, parts };
                }
            }
        };
        look(false);
        look(true);
    }
    best
}

/// How data were drawn.
#[derive(Clone, Copy)]
struct Drawn {
    all: usize,
    m: usize,
    hidden: f64,
    chance: f64,
    one_sample: bool,
}

/// Labels of the first rows, all of which are positive down to their number in this draw, and what c would be told to be.
fn draw(first: &mut [bool], stream: &mut Stream, drawn: Drawn) -> f64 {
    let Drawn { all, m, hidden, chance, one_sample } = drawn;
    let unlabeled = (all - m) as f64;
    first.fill(false);
    if one_sample {
        let positives_told = m as f64 + hidden;
        let share = positives_told / all as f64;
        let positives = binomial(stream, all as f64, share).round() as usize;
        let mut labels = 0;
        for place in 0..positives.min(first.len()) {
            first[place] = stream.uniform() < chance;
            labels += usize::from(first[place]);
        }
        let rest = positives.saturating_sub(first.len());
        let labels = labels as f64 + binomial(stream, rest as f64, chance);
        return (labels / positives_told).clamp(1e-9, 1.0 - 1e-9);
    }
    let positives = m + binomial(stream, unlabeled, hidden / unlabeled).round() as usize;
    let mut left = m;
    for place in 0..positives.min(first.len()) {
        first[place] = stream.uniform() * ((positives - place) as f64) < left as f64;
        left -= usize::from(first[place]);
    }
    chance
}

/// A binomial draw: one by one where there are few, and normal, cut off, where there are many.
fn binomial(stream: &mut Stream, trials: f64, chance: f64) -> f64 {
    if trials < 64.0 {
        return (0..trials as usize).filter(|_| stream.uniform() < chance).count() as f64;
    }
    let (mean, deviation) = (trials * chance, (trials * chance * (1.0 - chance)).sqrt());
    if mean.min(trials - mean) > 30.0 {
        return (mean + deviation * stream.normal()).round().clamp(0.0, trials);
    }
    // Successes are rare, or failures: gaps between them are geometric.
    let rare = chance.min(1.0 - chance);
    let (mut at, mut found) = (0.0, 0.0);
    loop {
        at += 1.0 + (stream.uniform().max(1e-300).ln() / (-rare).ln_1p()).floor();
        if at > trials {
            return if chance <= 0.5 { found } else { trials - found };
        }
        found += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Made {
        scores: Vec<f32>,
        labeled: Vec<bool>,
        group: Vec<f32>,
        noise: Vec<f32>,
    }

    /// Positives are N(distance, 1) and negatives N(0, 1); `chance(score, group)` labels positives.
    fn made(seed: u64, rows: usize, (share, distance): (f64, f64), chance: fn(f64, bool) -> f64) -> Made {
        let mut stream = Stream::new(seed, "made");
        let mut made = Made { scores: Vec::new(), labeled: Vec::new(), group: Vec::new(), noise: Vec::new() };
        for _ in 0..rows {
            let positive = stream.uniform() < share;
            let score = stream.normal() + if positive { distance } else { 0.0 };
            let group = stream.uniform() < 0.5;
            made.labeled.push(positive && stream.uniform() < chance(score - distance, group));
            made.scores.push(score as f32);
            made.group.push(f32::from(u8::from(group)));
            made.noise.push(stream.uniform() as f32);
        }
        made
    }

    fn tested(made: &Made, share: f64, seed: u64) -> LabelingTest {
        let (all, m) =
            (made.labeled.len() as f64, made.labeled.iter().filter(|&&labeled| labeled).count() as f64);
        let least = LeastShare { share: (share * all - m) / (all - m), audited: false };
        let (scores, labeled) = (&made.scores, &made.labeled);
        let given = LabelingRows { scores, labeled, least, estimated: false, one_sample: true, seed };
        let names = ["group", "noise"].map(str::to_string);
        let value = |column: usize, row: usize| [&made.group, &made.noise][column][row];
        labeling_test(given, &names, value).unwrap()
    }

    /// Perfect classes are the worst case of the level, overlapping ones are far below it.
    #[test]
    fn random_labels_are_refuted_at_the_level() {
        let mut all = [0, 0];
        const FITS: u64 = 400;
        for (at, (distance, chance)) in
            [(20.0, (|_, _| 0.3) as fn(f64, bool) -> f64), (1.5, |_, _| 0.6)].into_iter().enumerate()
        {
            for seed in 0..FITS {
                all[at] +=
                    u32::from(tested(&made(seed, 600, (0.25, distance), chance), 0.25, seed).refutes());
            }
        }
        // 5 % of 400 is 20, with a standard deviation of 4.4.
        assert!((4..=33).contains(&all[0]) && all[1] <= 10, "{all:?}");
    }

    #[test]
    fn biases_that_can_be_seen() {
        let refuted = |distance: f64, chance: fn(f64, bool) -> f64| {
            (0..20)
                .filter(|&seed| tested(&made(seed, 2_000, (0.3, distance), chance), 0.3, seed).refutes())
                .count()
        };
        let easy = refuted(2.5, |score, _| if score > 0.5 { 0.8 } else { 0.1 });
        let group = refuted(2.5, |_, group| if group { 0.6 } else { 0.2 });
        assert!(easy >= 19 && group >= 15, "{easy} {group}");
        // Hard ones first: no set has more labels than it has positives.
        let hard = refuted(1.0, |score, _| if score < 0.0 { 0.5 } else { 0.2 });
        assert!(hard <= 4, "{hard}");
        let test = tested(&made(1, 2_000, (0.3, 2.5), |_, group| if group { 0.6 } else { 0.2 }), 0.3, 1);
        let told = &test.columns[0];
        assert!(told.column == "group" && told.high && told.p < 0.05, "{test:?}");
        assert!(told.labeled as f64 > test.most_labeled * told.rows as f64);
        let said = test.to_string();
        assert!(said.contains("rows with high 'group' and high scores"), "{said}");
        assert!(
            LabelingTest::assumes(Some(&test))
                .contains("positives, which a test of the labels refutes (p = .")
        );
        assert_eq!(LabelingTest::assumes(None), RANDOM_LABELS);
    }

    #[test]
    fn where_nothing_can_be_tested() {
        let made = made(0, 100, (0.3, 2.0), |_, _| 0.5);
        let with = |share: f64, labeled: &[bool]| {
            let (scores, least) = (&made.scores, LeastShare { share, audited: false });
            labeling_test(
                LabelingRows { scores, labeled, least, estimated: false, one_sample: false, seed: 0 },
                &[],
                |_, _| 0.0,
            )
        };
        assert!(with(0.0, &made.labeled).is_none() && with(0.2, &[false; 100]).is_none());
        let test = with(0.2, &made.labeled).unwrap();
        assert_eq!((test.columns_tested, test.columns.len()), (0, 0));
        assert!(test.to_string().contains("is never seen"), "{test}");
        // The more positives there are said to be, the fewer of them are labeled: a share that is too high refutes random labels, too.
        let too_high = with(0.99, &made.labeled).unwrap();
        assert!(too_high.refutes() && too_high.most_labeled < test.most_labeled, "{too_high}");
        assert!(too_high.to_string().contains("or there are fewer positives than 0.990"), "{too_high}");
    }

    #[test]
    fn binomial_draws_have_their_mean() {
        let mut stream = Stream::new(0, "binomial");
        for (trials, chance) in [(20.0, 0.3), (1_000.0, 0.01), (1_000.0, 0.99), (5_000.0, 0.4)] {
            let mean: f64 = (0..2_000).map(|_| binomial(&mut stream, trials, chance)).sum::<f64>() / 2_000.0;
            let deviation = (trials * chance * (1.0 - chance) / 2_000.0).sqrt();
            assert!((mean - trials * chance).abs() < 5.0 * deviation, "{mean} of {trials} at {chance}");
        }
    }
}
