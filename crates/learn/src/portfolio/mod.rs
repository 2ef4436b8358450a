//! `auto`: many ways to learn, tried on the same folds, and what they say put together.
//!
//! No learner is the best on every table, and without negatives you cannot see which one is. But under random labeling
//! the AUC of positives against unlabeled rows orders rankings as the AUC against true negatives does (it is
//! `AUC' = ½ μ + (1 - μ) AUC`), and needs no prior. Known negatives, where there are any, are among the rows it is taken
//! against. So every member scores the rows that it was not trained on, and a
//! mean of them is put together greedily by that criterion (Caruana, Niculescu-Mizil, Crew, Ksikes, "Ensemble selection
//! from libraries of models", ICML 2004).

mod members;

pub use members::{Effort, PortfolioMember};

use crate::{
    Blend, Candidate, Config, Error, Info, Observer, Policy, Scorer, Subset, Task, TrainedScorer, Trainer,
    Views,
};
use onesided_data::{Dataset, Store};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Several scorers of which the best, or a mean, is kept.
pub struct Portfolio {
    /// What is tried.
    pub members: Vec<PortfolioMember>,
    /// Names of members that are not, because they cannot hold a score to going up or down with a column.
    pub not_monotone: Vec<String>,
    /// Whether one model is wanted instead of a mean of several.
    pub single: bool,
    /// Whether the model is one of trees that learned what the mean says.
    pub fast: bool,
    /// How much time it may take.
    pub effort: Effort,
}

impl Portfolio {
    /// The members for a data set.
    pub fn new(data: &Dataset, config: &Config) -> Result<Self, Error> {
        let effort = config.effort.unwrap_or_default();
        let (members, not_monotone) = members::for_data(data, config, effort)?;
        let fast = config.fast.unwrap_or(false);
        if fast && !config.monotone.is_empty() {
            let why = "keeps trees that learned scores, which need not keep going up or down with a column";
            return Err(Error::NoUse { setting: "fast", why });
        }
        if fast && (data.encoding().shape().is_some() || matches!(data.rows(), Store::Sparse(_))) {
            let why = "keeps trees that learned scores of columns, not of texts or pictures";
            return Err(Error::NoUse { setting: "fast", why });
        }
        Ok(Self { members, not_monotone, single: config.single.unwrap_or(false), fast, effort })
    }
}

impl Scorer for Portfolio {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("auto"),
            model: Cow::Borrowed(match (self.fast, self.single) {
                (true, _) => "trees",
                (false, true) => "single",
                (false, false) => "ensemble",
            }),
            needs_truth: false,
            needs_prior: true,
            works_without_prior: false,
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |member: &PortfolioMember| Candidate {
            name: member.name.clone(),
            reduction: member.reduction,
            rounds: member.rounds,
            is_naive: member.is_naive,
            usual: member.usual,
        };
        self.members.iter().map(candidate).collect()
    }

    fn policy(&self) -> Policy {
        let (single, fast, folds) = (self.single, self.fast, self.effort.folds());
        Policy::Blend(Blend { single, fast, folds, not_monotone: self.not_monotone.clone() })
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        self.members.iter().try_for_each(|member| member.scorer.takes_negatives())
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        self.members.iter().try_for_each(|member| member.scorer.takes_weights())
    }

    /// One member that can learn is enough; the others are left out when it comes to it.
    fn check(&self, task: &Task) -> Result<(), Error> {
        let mut checked = self.members.iter().map(|member| member.scorer.check(task));
        let first = checked.next().unwrap_or(Ok(()));
        if checked.any(|one| one.is_ok()) { Ok(()) } else { first }
    }

    /// A trainer of all members.
    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let opened = self.members.iter().map(|_| OnceLock::new()).collect();
        Ok(Box::new(MembersTrainer { portfolio: self, task, views, opened }))
    }
}

/// Members by the name of the candidate, each with its rows in place once it is first asked for: on all rows, few are.
struct MembersTrainer<'d, 'v> {
    portfolio: &'d Portfolio,
    task: &'d Task<'d>,
    views: &'d Views<'v>,
    /// Trainers, or why there is none.
    opened: Vec<OnceLock<Result<Box<dyn Trainer + 'd>, String>>>,
}

impl<'d> MembersTrainer<'d, '_> {
    fn trainer(&self, number: usize) -> Result<&(dyn Trainer + 'd), &String> {
        let open = || {
            let scorer = &self.portfolio.members[number].scorer;
            scorer.open(self.task, self.views).map_err(|error| error.to_string())
        };
        self.opened[number].get_or_init(open).as_ref().map(Box::as_ref)
    }

    fn trainers(&self) -> impl Iterator<Item = &(dyn Trainer + 'd)> {
        (0..self.opened.len()).filter_map(|number| self.trainer(number).ok())
    }
}

impl Trainer for MembersTrainer<'_, '_> {
    fn fit(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let named = |member: &PortfolioMember| member.name == candidate.name;
        let number = self.portfolio.members.iter().position(named).ok_or(Error::NeedsLabels)?;
        let trainer = self.trainer(number).map_err(|why| Error::NotOpened(why.clone()))?;
        trainer.fit(subset, &self.portfolio.members[number].candidate(), observer)
    }

    /// That of the first member that is not on the CPU.
    fn device(&self) -> String {
        let mut devices = self.trainers().map(|trainer| trainer.device());
        devices.find(|device| device != "cpu").unwrap_or_else(|| "cpu".to_string())
    }

    fn side_by_side(&self) -> bool {
        self.trainers().all(|trainer| trainer.side_by_side())
    }
}
