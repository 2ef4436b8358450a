//! Which rows are held out: one plan deals all folds of a fit, to choose and calibrate, to blend, and to estimate the prior.

use crate::{Candidate, Error, Kinds, RunNumber, Subset, Task};
use onesided_data::{Label, Split, Stream, first_folds, stratified_holdout};
use std::borrow::Cow;
use std::collections::HashSet;

/// Rows up to which holding out in turn is worth eleven trainings instead of two.
const MOST_IN_TURN: usize = 50_000;
/// Parts that rows are split into; one is held out at a time.
pub(crate) const FOLDS: usize = 5;
/// Held-out rows of either kind from which one hold-out is enough: a calibration on fewer is mostly noise (its offset
/// alone has a standard error of about 0.15 logits at 200 rows).
pub(crate) const ENOUGH_HELD_OUT: usize = 200;
/// Cells of a sample on which members are judged, where a table has more, but at least and at most this many rows of it.
const MOST_JUDGED: usize = 8_000_000;
const JUDGED_ROWS: [usize; 2] = [20_000, 170_000];
/// One row in this many of a sample may be a positive at least, however rare they are in the table.
const JUDGED_POSITIVES: usize = 8;
/// Cells up to which members are judged in as many folds as are asked for; three for more, and two where the rows are a sample
/// of the table: what more folds would tell, the number of rows tells.
const MANY_FOLDS: usize = 2_500_000;
/// Rows of the sample on which members are tried first, and how many times as many rows must be there to judge them for that.
const SCREENED_ROWS: usize = 30_000;
const LONG: usize = 2;
/// Rows, and cells, of which a member learns at most once it was chosen: on a made table of 1.3 million rows of five columns the AUC
/// on new rows was .8511 with all of them and with these.
const LEARNED_ROWS: usize = 500_000;
const LEARNED_CELLS: usize = 25_000_000;

/// One part of the rows: those to learn from, those that decide when to stop, and those to be scored.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub training: Kinds,
    pub stopping: Kinds,
    /// Training rows and stopping ones, for candidates that do not stop by rows; `None` where all do.
    pub all: Option<Kinds>,
    /// Rows held out.
    pub scored: Vec<u32>,
    pub seed: u64,
}

static NO_ROWS: Kinds = Kinds { positive: Vec::new(), unlabeled: Vec::new(), negative: Vec::new() };

impl Fold {
    /// How many rows it learns from, stops by and scores together.
    pub fn all_rows(&self) -> usize {
        self.training.len() + self.stopping.len() + self.scored.len()
    }

    /// What a trainer is asked for: a candidate that takes a number of rounds learns from every row that is not held out.
    pub fn subset<'s>(&'s self, candidate: &Candidate, threads: usize, run: RunNumber<'s>) -> Subset<'s> {
        let (training, stopping) = match candidate.rounds {
            Some(_) => (self.all.as_ref().unwrap_or(&self.training), &NO_ROWS),
            None => (&self.training, &self.stopping),
        };
        let (scored, stop_after, seed) = (&self.scored[..], candidate.rounds, self.seed);
        Subset { training, stopping, scored, stop_after, seed, threads, run }
    }
}

/// How the folds of a fit are dealt.
pub(crate) struct FoldPlan<'a> {
    /// The rows that are dealt; all of them where none are named.
    sample: Option<&'a [usize]>,
    parts: Parts,
    stop: StopBy,
    /// Whether rows are scored by kind, or in their own order. A network's batches follow it.
    by_kind: bool,
    /// The stream that each fold's own seed comes from; the fit's seed where there is none.
    seeds: Option<&'static str>,
}

/// How often rows are held out.
#[derive(Clone, Copy)]
enum Parts {
    /// This share of them, once.
    Once(f64),
    /// Each of so many parts in turn, the first `taken` of them.
    InTurn { parts: usize, taken: usize },
}

/// What decides when a training stops.
#[derive(Clone, Copy)]
enum StopBy {
    /// The rows held out.
    HeldOut,
    /// Some of the others.
    Others(SetAside),
    /// Nothing but the number of rounds.
    Rounds,
}

/// Rows that are set aside from training to decide when it stops. Members of a blend and models behind the prior draw them by streams
/// of their own, as ever: one draw for both would change every fit.
#[derive(Clone, Copy)]
struct SetAside {
    /// One row in so many.
    one_in: usize,
    /// The most rows that are trained on; P and U are thinned evenly.
    most: usize,
    stream: &'static str,
    /// Whether the stream goes on from one fold to the next, or begins again.
    goes_on: bool,
    /// Whether known negatives are learned from.
    negatives: bool,
}

const OF_MEMBERS: SetAside = SetAside {
    one_in: 8,
    most: usize::MAX,
    stream: "rows that decide when to stop",
    goes_on: false,
    negatives: true,
};
/// More rows to train on would rank better, but not by enough to wait for.
const OF_PRIOR: SetAside =
    SetAside { one_in: 6, most: 100_000, stream: "stopping rows", goes_on: true, negatives: false };

impl<'a> FoldPlan<'a> {
    /// To choose among candidates and calibrate: once, or in turn where one hold-out would be too small to calibrate on. The rows
    /// held out also decide when to stop.
    pub fn choosing(task: &Task, hold_out: Option<f64>) -> Self {
        let fewest = task.counts.positive.min(task.counts.unlabeled);
        let enough = fewest >= ENOUGH_HELD_OUT * FOLDS || task.labels.len() > MOST_IN_TURN;
        let parts = match hold_out {
            Some(share) => Parts::Once(share),
            None if fewest < 2 * FOLDS => Parts::Once(1.0 / FOLDS as f64),
            // The folds that cross-fitting for the prior has, too.
            None if enough && !task.cross_fit => Parts::InTurn { parts: FOLDS, taken: 1 },
            None => Parts::InTurn { parts: FOLDS, taken: FOLDS },
        };
        Self { sample: None, parts, stop: StopBy::HeldOut, by_kind: true, seeds: None }
    }

    /// To judge members of a blend on these rows, in about so many folds. Rows that members are scored on must not decide when
    /// they stop, so that others are set aside where a member stops by rows.
    pub fn blending(
        task: &Task,
        sample: &'a [usize],
        hold_out: Option<f64>,
        folds: usize,
        by_rows: bool,
    ) -> Self {
        let of_kind = |kind: Label| sample.iter().filter(|&&row| task.labels[row] == kind).count();
        let fewest = of_kind(Label::Positive).min(of_kind(Label::Unlabeled));
        let many = sample.len() * task.data.encoding().whole_width() > MANY_FOLDS;
        let most = match many {
            _ if sample.len() < task.labels.len() => 2,
            true => 3,
            false => folds,
        };
        let wanted = folds.min(most).min(fewest / 2).max(2);
        // Each part has a group of positives.
        let wanted = wanted.min(task.positive_groups().unwrap_or(wanted)).max(2);
        let parts = match hold_out {
            Some(share) => Parts::Once(share),
            None if fewest < 4 => Parts::Once(0.5),
            None => Parts::InTurn { parts: wanted, taken: wanted },
        };
        let stop = if by_rows { StopBy::Others(OF_MEMBERS) } else { StopBy::Rounds };
        Self { sample: Some(sample), parts, stop, by_kind: true, seeds: None }
    }

    /// To score every row for the prior by a model that did not see it and did not stop by it.
    pub fn prior(folds: usize) -> Self {
        let parts = Parts::InTurn { parts: folds, taken: folds };
        let stop = StopBy::Others(OF_PRIOR);
        Self { sample: None, parts, stop, by_kind: false, seeds: Some("cross-fit") }
    }

    /// To score every row by a network that a teacher stops.
    pub fn taught(folds: usize) -> Self {
        Self { stop: StopBy::Rounds, seeds: None, ..Self::prior(folds) }
    }

    /// Draws the folds.
    pub fn deal(&self, task: &Task) -> Result<Vec<Fold>, Error> {
        let mut aside = match self.stop {
            StopBy::Others(aside) => Some((aside, Stream::new(task.seed, aside.stream))),
            _ => None,
        };
        let one = |(number, (kept, held)): (usize, Split)| {
            let scored = if self.by_kind { task.split(&held).all() } else { narrow(&held) };
            let seed = self
                .seeds
                .map_or(task.seed, |name| Stream::new(task.seed, &format!("{name} {number}")).next_u64());
            let others = task.split(&kept);
            let (training, stopping, all) = match &mut aside {
                Some((aside, stream)) => aside.part(others, task, stream),
                None if matches!(self.stop, StopBy::HeldOut) => (others, task.split(&held), None),
                None => (others, Kinds::default(), None),
            };
            Fold { training, stopping, all, scored, seed }
        };
        Ok(self.splits(task)?.into_iter().enumerate().map(one).collect())
    }

    /// Rows that are not held out and rows that are, with rows that are equal on one side.
    fn splits(&self, task: &Task) -> Result<Vec<Split>, Error> {
        let labels: Cow<[Label]> = match self.sample {
            Some(rows) => rows.iter().map(|&row| task.labels[row]).collect(),
            None => Cow::Borrowed(&task.labels),
        };
        let (drawn, taken) = match self.parts {
            Parts::Once(share) => (vec![stratified_holdout(&labels, share, task.seed)?], 1),
            Parts::InTurn { parts, taken } => {
                // Equal rows may move between any two parts.
                let drawn = if task.copies.is_some() { parts } else { taken };
                (first_folds(&labels, parts, drawn, task.seed)?, taken)
            }
        };
        let in_sample = |rows: Vec<usize>| match self.sample {
            Some(sample) => rows.into_iter().map(|at| sample[at]).collect(),
            None => rows,
        };
        let drawn = drawn.into_iter().map(|(kept, held)| (in_sample(kept), in_sample(held))).collect();
        let mut splits = keep_copies_together(task, drawn);
        splits.truncate(taken);
        Ok(splits)
    }
}

impl SetAside {
    /// Rows to train on, rows that decide when to stop, and both: where rows are thinned, nothing trains on all of them.
    fn part(&self, rows: Kinds, task: &Task, stream: &mut Stream) -> (Kinds, Kinds, Option<Kinds>) {
        if !self.goes_on {
            *stream = Stream::new(task.seed, self.stream);
        }
        let over = (rows.len() as f64 / self.most as f64).max(1.0);
        let mut parted = |rows: &[u32], least: usize| {
            let mut training = rows.to_vec();
            if rows.len() < least {
                return (training, Vec::new());
            }
            stream.shuffle(&mut training);
            training.truncate((rows.len() as f64 / over).ceil() as usize);
            let kept = training.split_off(training.len().div_ceil(self.one_in));
            let mut stopping = std::mem::replace(&mut training, kept);
            training.sort_unstable();
            stopping.sort_unstable();
            (training, stopping)
        };
        let (positive, unlabeled) = (parted(&rows.positive, 0), parted(&rows.unlabeled, 0));
        // Of few negatives none is spared.
        let negative = if self.negatives { parted(&rows.negative, self.one_in) } else { Default::default() };
        let mut training = Kinds { positive: positive.0, unlabeled: unlabeled.0, negative: negative.0 };
        let mut stopping = Kinds { positive: positive.1, unlabeled: unlabeled.1, negative: negative.1 };
        if task.copies.is_some() {
            let wide = |rows: &Kinds| rows.all().into_iter().map(|row| row as usize).collect();
            let [kept, aside] = task.gathered([wide(&training), wide(&stopping)]);
            (training, stopping) = (task.split(&kept), task.split(&aside));
        }
        (training, stopping, (self.most == usize::MAX).then_some(rows))
    }
}

/// The rows that members of a blend are judged on: all, or of a large table some positives and some unlabeled ones, as many as
/// fit, positives not below an eighth.
pub(crate) fn rows_to_judge(task: &Task) -> Vec<usize> {
    let columns = task.data.encoding().whole_width().max(1);
    sampled_rows(task, (MOST_JUDGED / columns).clamp(JUDGED_ROWS[0], JUDGED_ROWS[1]))
}

/// The rows on which members are tried first: of a table of which a sample is judged, where that has many more.
pub(crate) fn rows_to_screen(task: &Task, judged: usize) -> Option<Vec<usize>> {
    let is_long = judged < task.labels.len() && judged > LONG * SCREENED_ROWS;
    is_long.then(|| sampled_rows(task, SCREENED_ROWS))
}

/// The rows of some that a chosen member learns from: all, or as many as it has a use for.
pub(crate) fn rows_to_learn(task: &Task, mut rows: Vec<usize>) -> Vec<usize> {
    let columns = task.data.encoding().whole_width().max(1);
    let most = (LEARNED_CELLS / columns).clamp(JUDGED_ROWS[1], LEARNED_ROWS);
    if rows.len() > most {
        let drawn: HashSet<usize> = sampled_rows(task, most).into_iter().collect();
        rows.retain(|row| drawn.contains(row));
    }
    rows
}

fn sampled_rows(task: &Task, most: usize) -> Vec<usize> {
    let all = task.labels.len();
    if all <= most {
        return (0..all).collect();
    }
    let share = |count: usize| (count as f64 * most as f64 / all as f64) as usize;
    let positives = share(task.counts.positive).max(most / JUDGED_POSITIVES).min(task.counts.positive);
    let mut stream = Stream::new(task.seed, "judged rows");
    let mut rows = Vec::new();
    // Known negatives come last, so that the others are drawn as if there were none, and share what is left with U.
    let negatives = share(task.counts.negative).max(most / JUDGED_POSITIVES).min(task.counts.negative);
    let unlabeled = most - positives - negatives.min(most / 2);
    let kinds = [(Label::Positive, positives), (Label::Unlabeled, unlabeled), (Label::Negative, negatives)];
    for (kind, many) in kinds {
        let mut of_kind: Vec<usize> = (0..all).filter(|&row| task.labels[row] == kind).collect();
        stream.shuffle(&mut of_kind);
        of_kind.truncate(many);
        rows.extend(of_kind);
    }
    rows.sort_unstable();
    rows
}

/// Folds in which the unlabeled rows alone are held out in turn, and all positives are learned from. Positives are scored with
/// them for no other reason than that scores of both are looked at.
pub(crate) fn unlabeled_in_turn(task: &Task, parts: usize) -> Vec<Fold> {
    let all = task.split(&(0..task.data.len()).collect::<Vec<usize>>());
    let mut dealt = all.unlabeled.clone();
    Stream::new(task.seed, "unlabeled rows of the list").shuffle(&mut dealt);
    let part = |rows: &[u32], number: usize| -> Vec<usize> {
        let mut some: Vec<usize> = rows.iter().skip(number).step_by(parts).map(|&row| row as usize).collect();
        some.sort_unstable();
        some
    };
    let mut unlabeled: Vec<Vec<usize>> = (0..parts).map(|number| part(&dealt, number)).collect();
    task.gather(&mut unlabeled);
    let mut stream = Stream::new(task.seed, OF_MEMBERS.stream);
    let one = |number: usize| {
        let rows = Kinds { unlabeled: narrow(&others(&unlabeled, number)), ..all.clone() };
        let (training, stopping, all_rows) = OF_MEMBERS.part(rows, task, &mut stream);
        let scored = [narrow(&part(&all.positive, number)), narrow(&unlabeled[number])].concat();
        Fold { training, stopping, all: all_rows, scored, seed: task.seed }
    };
    (0..parts).map(one).collect()
}

fn narrow(rows: &[usize]) -> Vec<u32> {
    rows.iter().map(|&row| row as u32).collect()
}

/// The rows of all parts but one, in their order.
fn others(parts: &[Vec<usize>], number: usize) -> Vec<usize> {
    let others = (0..parts.len()).filter(|&other| other != number);
    let mut rows: Vec<usize> = others.flat_map(|other| parts[other].iter().copied()).collect();
    rows.sort_unstable();
    rows
}

/// Splits that keep rows together that are equal: one of all rows in two, or one for each part that is held out in turn.
fn keep_copies_together(task: &Task, splits: Vec<Split>) -> Vec<Split> {
    if task.copies.is_none() {
        return splits;
    }
    if let [(kept, held)] = &splits[..] {
        let [kept, held] = task.gathered([kept.clone(), held.clone()]);
        return vec![(kept, held)];
    }
    let mut parts: Vec<Vec<usize>> = splits.into_iter().map(|(_, held)| held).collect();
    task.gather(&mut parts);
    let kept: Vec<Vec<usize>> = (0..parts.len()).map(|number| others(&parts, number)).collect();
    kept.into_iter().zip(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;
    use onesided_data::{Dataset, Matrix, Scenario, stratified_folds};
    use std::collections::HashSet;

    /// 400 rows, of which the last 40 repeat the first 40; one in four is labeled, of a row and its copy one.
    fn table(copies: bool) -> Dataset {
        let value = |row: usize| if copies && row >= 360 { row - 360 } else { row };
        let values = (0..400).map(|row| value(row) as f32).collect();
        let label = |row: usize| if row % 4 == 1 { Label::Positive } else { Label::Unlabeled };
        let labels = (0..400).map(|row| if row < 360 { label(row) } else { label(row + 1) }).collect();
        Dataset::from_scaled(Matrix::new(400, 1, values).unwrap(), None).unwrap().with_labels(labels).unwrap()
    }

    fn task(data: &Dataset) -> Task<'_> {
        Task::new(data, false, Scenario::SingleSample, 3, Machine::default()).unwrap()
    }

    #[test]
    fn copies_are_in_one_fold_and_on_one_side_of_a_stop() {
        let data = table(true);
        let task = task(&data);
        let row_of = |row: &u32| if *row >= 360 { row - 360 } else { *row };
        let apart = |a: &[u32], b: &[u32]| {
            let met: std::collections::HashSet<u32> = a.iter().map(row_of).collect();
            b.iter().all(|row| !met.contains(&row_of(row)))
        };
        let folds = [
            FoldPlan::prior(5).deal(&task).unwrap(),
            FoldPlan::choosing(&task, None).deal(&task).unwrap(),
            FoldPlan::choosing(&task, Some(0.3)).deal(&task).unwrap(),
        ];
        for fold in folds.iter().flatten() {
            assert!(apart(&fold.training.all(), &fold.scored));
            assert!(apart(&fold.training.all(), &fold.stopping.all()));
        }
        let mut scored: Vec<u32> = folds[0].iter().flat_map(|fold| fold.scored.clone()).collect();
        scored.sort_unstable();
        assert_eq!(scored, (0..400).collect::<Vec<u32>>());
    }

    /// Of a long table members are tried on 30,000 rows, and learn from half a million.
    #[test]
    fn long_tables_are_screened_and_learned_from_in_part() {
        const ROWS: usize = 600_000;
        let labels = (0..ROWS).map(|row| if row % 20 == 0 { Label::Positive } else { Label::Unlabeled });
        let data = Dataset::from_scaled(
            Matrix::new(ROWS, 1, (0..ROWS).map(|row| row as f32).collect()).unwrap(),
            None,
        )
        .unwrap();
        let data = data.with_labels(labels.collect()).unwrap();
        let task = task(&data);
        assert_eq!(rows_to_judge(&task).len(), 170_000);
        assert_eq!((rows_to_screen(&task, 60_000), rows_to_screen(&task, ROWS)), (None, None));
        let screened = rows_to_screen(&task, 60_001).unwrap();
        let positives = screened.iter().filter(|&&row| row % 20 == 0).count();
        assert_eq!((screened.len(), positives), (30_000, 3_750));
        let all: Vec<usize> = (0..ROWS).collect();
        assert_eq!(rows_to_learn(&task, all.clone()).len(), 500_000);
        assert_eq!(rows_to_learn(&task, all[..400_000].to_vec()), all[..400_000]);
        // Two folds of a sample, whatever is asked for.
        let folds =
            |sample: &[usize]| FoldPlan::blending(&task, sample, None, 5, false).deal(&task).unwrap().len();
        assert_eq!((folds(&screened), folds(&all)), (2, 5));
    }

    #[test]
    fn groups_are_never_parted() {
        let data = table(false).with_groups((0..400).map(|row| row / 7 % 40).collect()).unwrap();
        let task = task(&data);
        let group = |row: &u32| row / 7 % 40;
        let apart = |a: &[u32], b: &[u32]| {
            let met: HashSet<u32> = a.iter().map(group).collect();
            b.iter().all(|row| !met.contains(&group(row)))
        };
        let sample: Vec<usize> = (0..400).collect();
        for folds in [
            FoldPlan::prior(5).deal(&task).unwrap(),
            FoldPlan::choosing(&task, None).deal(&task).unwrap(),
            FoldPlan::choosing(&task, Some(0.3)).deal(&task).unwrap(),
            FoldPlan::blending(&task, &sample, None, 5, true).deal(&task).unwrap(),
        ] {
            for fold in &folds {
                assert!(apart(&fold.training.all(), &fold.scored));
                assert!(task.split_rows(&fold.scored).positive.len() >= 10, "{}", fold.scored.len());
                let same = sorted(fold.stopping.all()) == sorted(fold.scored.clone());
                assert!(same || apart(&fold.training.all(), &fold.stopping.all()));
            }
        }
        // Positives that are set aside take all rows of their groups with them, and one of each group counts.
        let (kept, aside) = crate::Reserve::Share(0.2).split(&task.labels, 1).unwrap();
        let (kept, aside) = task.whole_positives(kept, aside);
        let kept = task.without_groups_of(kept, &aside);
        let narrow = |rows: &[usize]| rows.iter().map(|&row| row as u32).collect::<Vec<u32>>();
        assert!(apart(&narrow(&kept), &narrow(&aside)) && aside.len() > 10);
        let one = task.one_per_group(&aside);
        let groups: HashSet<u32> = narrow(&aside).iter().map(group).collect();
        assert!(one.len() == groups.len() && one.iter().all(|row| aside.contains(row)));
    }

    #[test]
    fn too_few_groups_are_refused() {
        let data = table(false).with_groups((0..400).map(|row| row / 100).collect()).unwrap();
        let refused = Task::new(&data, false, Scenario::SingleSample, 3, Machine::default()).unwrap_err();
        let sentence = "labeled positives are in 4 groups, and whole groups are held out in turn: at least 5 must have some";
        assert_eq!(refused.to_string(), sentence);
    }

    #[test]
    fn folds_of_other_tables_are_drawn_as_ever() {
        let data = table(false);
        let task = task(&data);
        let drawn = stratified_folds(&task.labels, 5, 3).unwrap();
        for (fold, (kept, held)) in FoldPlan::choosing(&task, None).deal(&task).unwrap().iter().zip(&drawn) {
            assert_eq!((&fold.training, &fold.stopping), (&task.split(kept), &task.split(held)));
        }
    }

    fn sorted(mut rows: Vec<u32>) -> Vec<u32> {
        rows.sort_unstable();
        rows
    }

    fn apart(a: &[u32], b: &[u32]) -> bool {
        a.iter().all(|row| !b.contains(row))
    }

    #[test]
    fn folds_for_the_prior_have_seeds_and_stopping_rows_of_their_own() {
        let data = table(false);
        let task = task(&data);
        let folds = FoldPlan::prior(4).deal(&task).unwrap();
        let mut seeds: Vec<u64> = folds.iter().map(|fold| fold.seed).collect();
        seeds.push(task.seed);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!((folds.len(), seeds.len()), (4, 5));
        for fold in &folds {
            // In the order of the rows, and a sixth of the others decides when to stop.
            assert!(fold.scored.is_sorted());
            assert_eq!(fold.stopping.positive.len(), 75usize.div_ceil(6));
            assert_eq!(fold.stopping.unlabeled.len(), 225usize.div_ceil(6));
            assert_eq!(fold.training.len() + fold.stopping.len() + fold.scored.len(), 400);
            assert!(apart(&fold.training.all(), &fold.stopping.all()));
            assert!(fold.all.is_none());
        }
        assert_ne!(folds[0].stopping, folds[1].stopping);
        assert_eq!(
            sorted(folds.into_iter().flat_map(|fold| fold.scored).collect()),
            (0..400).collect::<Vec<u32>>()
        );
    }

    #[test]
    fn folds_for_a_teacher_stop_by_nothing_and_share_the_seed() {
        let data = table(false);
        let task = task(&data);
        let folds = FoldPlan::taught(3).deal(&task).unwrap();
        assert!(folds.iter().all(|fold| fold.stopping.is_empty() && fold.seed == 3));
        assert!(folds.iter().all(|fold| fold.training.len() + fold.scored.len() == 400));
    }

    #[test]
    fn long_tables_are_thinned_for_the_prior_both_kinds_alike() {
        let data = table(false);
        let task = task(&data);
        let rows = task.split(&(0..400).collect::<Vec<usize>>());
        let thin = SetAside { most: 100, ..OF_PRIOR };
        let (training, stopping, all) = thin.part(rows, &task, &mut Stream::new(1, "test"));
        // A quarter of 100 positives and of 300 unlabeled rows, a sixth of which decides.
        assert_eq!((training.positive.len(), stopping.positive.len()), (20, 5));
        assert_eq!((training.unlabeled.len(), stopping.unlabeled.len()), (62, 13));
        assert!(all.is_none());
    }

    #[test]
    fn of_few_known_negatives_none_is_spared_to_stop_by() {
        let data = table(false);
        let mut labels = data.labels().unwrap().to_vec();
        let negatives: Vec<usize> = (0..400).filter(|row| row % 4 == 2).collect();
        for (known, spared) in [(5, 0), (16, 2)] {
            negatives[..known].iter().for_each(|&row| labels[row] = Label::Negative);
            let data = data.clone().with_labels(labels.clone()).unwrap();
            let task = task(&data);
            let rows = task.split(&(0..400).collect::<Vec<usize>>());
            let (training, stopping, all) = OF_MEMBERS.part(rows.clone(), &task, &mut Stream::new(1, "test"));
            assert_eq!((training.negative.len(), stopping.negative.len()), (known - spared, spared));
            assert_eq!(all, Some(rows.clone()));
            // Models behind the prior learn from positives and unlabeled rows alone.
            let (training, stopping, _) = OF_PRIOR.part(rows, &task, &mut Stream::new(1, "test"));
            assert!(training.negative.is_empty() && stopping.negative.is_empty());
        }
    }

    #[test]
    fn a_candidate_of_rounds_takes_the_rows_that_were_set_aside() {
        let data = table(false);
        let task = task(&data);
        let sample: Vec<usize> = (0..400).collect();
        let folds = FoldPlan::blending(&task, &sample, None, 5, true).deal(&task).unwrap();
        let mut candidate = Candidate::only("a");
        let by_rows = folds[0].subset(&candidate, 3, RunNumber::default());
        assert_eq!((by_rows.training.len() + by_rows.stopping.len(), by_rows.stop_after), (320, None));
        assert_eq!((by_rows.threads, by_rows.seed, by_rows.scored.len()), (3, 3, 80));
        assert_eq!(by_rows.stopping.len(), 80usize.div_ceil(8) + 240usize.div_ceil(8));
        candidate.rounds = Some(9);
        let by_rounds = folds[0].subset(&candidate, 3, RunNumber::default());
        assert_eq!(
            (by_rounds.training.len(), by_rounds.stopping.len(), by_rounds.stop_after),
            (320, 0, Some(9))
        );
        // Where no candidate stops by rows, none are set aside, and it takes the same.
        let plain = FoldPlan::blending(&task, &sample, None, 5, false).deal(&task).unwrap();
        let same = plain[0].subset(&candidate, 3, RunNumber::default());
        assert_eq!((same.training, same.scored), (by_rounds.training, by_rounds.scored));
    }

    #[test]
    fn folds_of_a_sample_are_of_its_rows_alone() {
        let data = table(false);
        let task = task(&data);
        let sample = sampled_rows(&task, 80);
        assert_eq!(sampled_rows(&task, 400), (0..400).collect::<Vec<usize>>());
        assert!(sample.len() == 80 && sample.is_sorted());
        // A quarter of the table is labeled, and of the sample.
        assert_eq!(task.split(&sample).positive.len(), 20);
        let folds = FoldPlan::blending(&task, &sample, None, 5, true).deal(&task).unwrap();
        let scored = sorted(folds.iter().flat_map(|fold| fold.scored.clone()).collect());
        assert_eq!(scored, narrow(&sample));
        assert!(folds.iter().all(|fold| apart(&fold.training.all(), &fold.scored)));
        assert!(folds.iter().all(|fold| fold.training.all().iter().all(|row| scored.contains(row))));
    }

    #[test]
    fn a_sample_has_positives_enough_however_rare_they_are() {
        let data = table(false);
        // 10 of 400 are labeled: in proportion a sample of 80 would have two.
        let rare = |row: usize| if row.is_multiple_of(40) { Label::Positive } else { Label::Unlabeled };
        let data = data.with_labels((0..400).map(rare).collect()).unwrap();
        let task = task(&data);
        assert_eq!(task.split(&sampled_rows(&task, 80)).positive.len(), 10);
        assert_eq!(sampled_rows(&task, 80).len(), 80);
    }

    #[test]
    fn unlabeled_rows_alone_are_held_out_for_the_second_look() {
        for copies in [false, true] {
            let data = table(copies);
            let task = task(&data);
            let folds = unlabeled_in_turn(&task, 4);
            let all = task.split(&(0..400).collect::<Vec<usize>>());
            let mut unlabeled = Vec::new();
            for fold in &folds {
                let scored = task.split_rows(&fold.scored);
                let rows = fold.all.as_ref().unwrap();
                assert_eq!(rows.positive, all.positive);
                assert!(apart(&rows.unlabeled, &scored.unlabeled));
                assert_eq!(rows.unlabeled.len() + scored.unlabeled.len(), all.unlabeled.len());
                unlabeled.extend(scored.unlabeled);
            }
            assert_eq!(sorted(unlabeled), all.unlabeled);
        }
    }

    #[test]
    fn too_few_rows_are_refused_and_a_share_leaves_both_sides_something() {
        let data = table(false);
        let task = task(&data);
        assert!(FoldPlan::prior(200).deal(&task).is_err());
        assert!(FoldPlan::prior(1).deal(&task).is_err());
        for share in [0.01, 0.5, 0.99] {
            let folds = FoldPlan::choosing(&task, Some(share)).deal(&task).unwrap();
            let [fold] = &folds[..] else { panic!("{}", folds.len()) };
            assert!(!fold.training.positive.is_empty() && !fold.stopping.positive.is_empty());
            assert_eq!(fold.scored, fold.stopping.all());
        }
    }
}
