//! What a scorer is told of the data it learns from.

use crate::Error;
use onesided_data::{
    Amounts, ClassPrior, Copies, Counts, DataError, Dataset, Label, PriorInUnlabeled, Scenario, Stream,
    amounts, count_labels, logit_shift,
};
use onesided_loss::{Sampling, Setting};
use onesided_net::{Device, Precision};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Groups that positives, and unlabeled rows, must be in where groups are told: one to be held out in each fold of five.
const FEWEST_GROUPS: usize = 5;

/// Both priors of one data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Priors {
    /// π, of the population.
    pub class: ClassPrior,
    /// μ, of the unlabeled rows.
    pub in_unlabeled: PriorInUnlabeled,
    /// Whether they were estimated from the data.
    pub estimated: bool,
}

impl Priors {
    /// Both from μ.
    pub fn from_unlabeled(
        mu: PriorInUnlabeled,
        scenario: Scenario,
        amounts: impl Into<Amounts>,
        estimated: bool,
    ) -> Self {
        Self { class: mu.to_class_prior(scenario, amounts), in_unlabeled: mu, estimated }
    }

    /// From a logit at μ to one at π.
    pub fn shift(&self) -> f64 {
        logit_shift(self.in_unlabeled, self.class)
    }
}

/// Where and how work is done; none of it belongs to what is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Threads of the CPU; 0 for every core.
    pub threads: usize,
    /// Where networks are trained.
    pub device: Device,
    /// Numbers of a GPU.
    pub precision: Precision,
}

impl Default for Machine {
    fn default() -> Self {
        Self { threads: 0, device: Device::Auto, precision: Precision::default() }
    }
}

/// Rows, labels, and what is known of them.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The rows, encoded.
    pub data: &'a Dataset,
    /// A label per row. Where the truth is learned from, true negatives take the place of the unlabeled rows.
    pub labels: Cow<'a, [Label]>,
    /// Whether the labels are themselves what is to be predicted: the truth, or "labeled" against "unlabeled".
    pub truth: bool,
    /// How many rows of each kind there are.
    pub counts: Counts,
    /// A weight per row, where rows have weights.
    pub weights: Option<&'a [f32]>,
    /// How much the rows of each kind weigh; their numbers, where there are no weights.
    pub amounts: Amounts,
    /// How much was drawn: those, and positives that were set aside. One prior follows from the other by these.
    pub drawn: Amounts,
    /// How many positives were set aside.
    pub reserved: usize,
    /// How many unlabeled rows there are, where those that are learned from were drawn of them.
    pub all_unlabeled: Option<usize>,
    /// The priors, where they are known or estimated; of the truth π alone counts.
    pub priors: Option<Priors>,
    /// How the rows were drawn.
    pub scenario: Scenario,
    /// The seed of everything random.
    pub seed: u64,
    /// Where and how work is done.
    pub machine: Machine,
    /// Whether every row is held out in turn, however many there are.
    pub cross_fit: bool,
    /// Rows that are equal, where some are: splits keep them together.
    pub copies: Option<Arc<Copies>>,
}

impl<'a> Task<'a> {
    /// A data set and its labels, or its truth.
    pub fn new(
        data: &'a Dataset,
        truth: bool,
        scenario: Scenario,
        seed: u64,
        machine: Machine,
    ) -> Result<Self, Error> {
        let labels = if truth {
            let of = data.truth().ok_or(Error::NeedsTruth("supervised".to_string()))?;
            let label = |&truth: &bool| if truth { Label::Positive } else { Label::Unlabeled };
            Cow::Owned(of.iter().map(label).collect::<Vec<Label>>())
        } else {
            Cow::Borrowed(data.labels().ok_or(Error::NeedsLabels)?)
        };
        let counts = count_labels(&labels);
        for (kind, count) in [("positives", counts.positive), ("unlabeled rows", counts.unlabeled)] {
            if count == 0 {
                return Err(DataError::TooFew { what: kind, count: 0 }.into());
            }
        }
        if u32::try_from(data.len()).is_err() {
            return Err(Error::TooManyRows(data.len()));
        }
        let together = data.together();
        for (what, kind) in [("labeled positives", Label::Positive), ("unlabeled rows", Label::Unlabeled)] {
            if let Some(groups) = together.as_ref().filter(|together| together.are_groups())
                && let groups = groups.number_with(&labels, kind)
                && groups < FEWEST_GROUPS
            {
                return Err(Error::FewGroups { what, groups, needed: FEWEST_GROUPS });
            }
        }
        let (weights, amounts) = (data.weights(), amounts(&labels, data.weights()));
        Ok(Self {
            weights,
            amounts,
            drawn: data.drawn_from().filter(|_| !truth).map_or(amounts, |from| from.amounts),
            all_unlabeled: data.drawn_from().map(|from| from.counts.unlabeled),
            copies: together,
            ..Self::of_some_rows(data, labels, truth, counts, scenario, seed, machine)
        })
    }

    /// A data set of which some rows are learned from, so many of each kind, with a label for each row that is given apart from it.
    /// No row has a weight.
    pub fn of_some_rows(
        data: &'a Dataset,
        labels: Cow<'a, [Label]>,
        truth: bool,
        counts: Counts,
        scenario: Scenario,
        seed: u64,
        machine: Machine,
    ) -> Self {
        Self {
            data,
            labels,
            truth,
            counts,
            weights: None,
            amounts: counts.into(),
            drawn: counts.into(),
            reserved: 0,
            all_unlabeled: None,
            priors: None,
            scenario,
            seed,
            machine,
            cross_fit: false,
            copies: None,
        }
    }

    /// The same rows with "labeled" against "unlabeled" as the question, without weights.
    pub fn of_labels(&self) -> Task<'_> {
        let (labels, amounts) = (Cow::Borrowed(&*self.labels), self.counts.into());
        Task { truth: true, priors: None, weights: None, labels, amounts, ..self.clone() }
    }

    /// How many rows of each kind were drawn: those that are learned from, and positives that were set aside.
    pub fn drawn_counts(&self) -> Counts {
        let unlabeled = self.all_unlabeled.unwrap_or(self.counts.unlabeled);
        Counts { positive: self.counts.positive + self.reserved, unlabeled, ..self.counts }
    }

    /// μ, where it is known.
    pub fn mu(&self) -> Option<PriorInUnlabeled> {
        self.priors.filter(|_| !self.truth).map(|priors| priors.in_unlabeled)
    }

    /// What objectives are told.
    pub fn setting(&self) -> Setting {
        Setting {
            // Objectives that need no prior do not look at it.
            prior_in_unlabeled: self.mu().map_or(0.5, PriorInUnlabeled::get),
            sampling: match self.scenario {
                Scenario::CaseControl => Sampling::CaseControl,
                Scenario::SingleSample => {
                    Sampling::SingleSample { labeled_share: self.drawn.labeled_share() }
                }
            },
        }
    }

    /// ln of positives over the rest: the logit of "labeled" without a look at the row.
    pub fn log_odds(&self) -> f64 {
        (self.amounts.positive / self.amounts.unlabeled).ln()
    }

    /// The weights of some rows, where rows have weights.
    pub fn weights_of(&self, rows: &[u32]) -> Option<Vec<f32>> {
        self.weights.map(|weights| rows.iter().map(|&row| weights[row as usize]).collect())
    }

    /// The weights of rows of each kind, where rows have weights.
    pub(crate) fn weights_by_kind(&self, rows: &Kinds) -> [Option<Vec<f32>>; 3] {
        [&rows.positive, &rows.unlabeled, &rows.negative].map(|rows| self.weights_of(rows))
    }

    /// How much some rows weigh together.
    pub(crate) fn amount(&self, rows: &[u32]) -> f64 {
        match self.weights {
            Some(weights) => rows.iter().map(|&row| f64::from(weights[row as usize])).sum(),
            None => rows.len() as f64,
        }
    }

    /// Parts of the rows with rows that are equal in one of them. Where no two are equal, all stay as they are.
    pub(crate) fn gathered<const N: usize>(&self, mut parts: [Vec<usize>; N]) -> [Vec<usize>; N] {
        self.gather(&mut parts);
        parts
    }

    /// [`gathered`](Self::gathered) in place.
    pub(crate) fn gather(&self, parts: &mut [Vec<usize>]) {
        if let Some(copies) = &self.copies {
            copies.gather(&self.labels, parts);
        }
    }

    /// Rows to learn from and positives set aside, with labeled rows that are equal on one side. A copy without a label stays
    /// where it is learned from.
    pub fn whole_positives(&self, kept: Vec<usize>, aside: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let (labeled, others) =
            kept.into_iter().partition::<Vec<usize>, _>(|&row| self.labels[row] == Label::Positive);
        let [mut kept, aside] = self.gathered([labeled, aside]);
        kept.extend(others);
        kept.sort_unstable();
        (kept, aside)
    }

    /// In how many groups positives are, where rows have groups.
    pub(crate) fn positive_groups(&self) -> Option<usize> {
        let groups = self.copies.as_ref().filter(|copies| copies.are_groups())?;
        Some(groups.number_with(&self.labels, Label::Positive))
    }

    /// Rows to learn from without those that share a group with a positive that was set aside.
    pub fn without_groups_of(&self, mut kept: Vec<usize>, aside: &[usize]) -> Vec<usize> {
        if let Some(groups) = self.copies.as_ref().filter(|copies| copies.are_groups()) {
            let away: HashSet<usize> = aside.iter().map(|&row| groups.of_row(row)).collect();
            kept.retain(|&row| !away.contains(&groups.of_row(row)));
        }
        kept
    }

    /// One row of each group, drawn by the seed; all rows where there are no groups. Rows of a group are no independent draws, and what
    /// is promised of new rows counts those.
    pub fn one_per_group(&self, rows: &[usize]) -> Vec<usize> {
        let Some(groups) = self.copies.as_ref().filter(|copies| copies.are_groups()) else {
            return rows.to_vec();
        };
        let mut drawn = rows.to_vec();
        Stream::new(self.seed, "one row per group").shuffle(&mut drawn);
        let mut met = HashSet::new();
        drawn.retain(|&row| met.insert(groups.of_row(row)));
        drawn.sort_unstable();
        drawn
    }

    /// Some rows by kind, where their numbers are narrow.
    pub(crate) fn split_rows(&self, rows: &[u32]) -> Kinds {
        self.split(&rows.iter().map(|&row| row as usize).collect::<Vec<usize>>())
    }

    /// Some rows by kind.
    pub fn split(&self, rows: &[usize]) -> Kinds {
        let of = |wanted: Label| -> Vec<u32> {
            rows.iter().filter(|&&row| self.labels[row] == wanted).map(|&row| row as u32).collect()
        };
        Kinds {
            positive: of(Label::Positive),
            unlabeled: of(Label::Unlabeled),
            negative: of(Label::Negative),
        }
    }
}

/// Row numbers of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Of positives.
    pub positive: Vec<u32>,
    /// Of unlabeled rows.
    pub unlabeled: Vec<u32>,
    /// Of known negatives.
    pub negative: Vec<u32>,
}

impl Kinds {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.positive.len() + self.unlabeled.len() + self.negative.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positives, then unlabeled rows, then known negatives.
    pub fn all(&self) -> Vec<u32> {
        [self.positive.as_slice(), &self.unlabeled, &self.negative].concat()
    }

    /// Something that there is for each of [`all`](Self::all), by kind.
    pub fn split<'s, T>(&self, of_all: &'s [T]) -> [&'s [T]; 3] {
        let (positive, others) = of_all.split_at(self.positive.len());
        let (unlabeled, negative) = others.split_at(self.unlabeled.len());
        [positive, unlabeled, negative]
    }
}
