//! `auto`: many ways to learn, tried on the same folds, and what they say put together.
//!
//! No learner is the best on every table, and without negatives you cannot see which one is. But under random labeling
//! the AUC of positives against unlabeled rows orders rankings as the AUC against true negatives does (it is
//! `AUC' = ½ μ + (1 - μ) AUC`), and needs no prior. Known negatives, where there are any, are among the rows it is taken
//! against. So every member scores the rows that it was not trained on, and a
//! mean of them is put together greedily by that criterion (Caruana, Niculescu-Mizil, Crew, Ksikes, "Ensemble selection
//! from libraries of models", ICML 2004).

mod blend;
mod judge;
mod learn;
mod members;

pub(crate) use learn::learn;
pub use members::{Effort, PortfolioMember};

use crate::{Candidate, Config, Error, Info, Scorer, Task, Trainer, Views, Wants};
use onesided_data::Dataset;
use std::borrow::Cow;

/// Several scorers of which the best, or a mean, is kept.
pub struct Portfolio {
    /// What is tried.
    pub members: Vec<PortfolioMember>,
    /// Names of members that are not, because they cannot hold a score to going up or down with a column.
    pub not_monotone: Vec<String>,
    /// Whether one model is wanted instead of a mean of several.
    pub single: bool,
    /// How much time it may take.
    pub effort: Effort,
}

impl Portfolio {
    /// The members for a data set.
    pub fn new(data: &Dataset, config: &Config) -> Result<Self, Error> {
        let effort = config.effort.unwrap_or_default();
        let (members, not_monotone) = members::of(data, config, effort)?;
        Ok(Self { members, not_monotone, single: config.single.unwrap_or(false), effort })
    }

    fn member(&self, name: &str) -> Option<&PortfolioMember> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Scorer for Portfolio {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("auto"),
            model: Cow::Borrowed("ensemble"),
            needs_truth: false,
            needs_prior: true,
            works_without_prior: false,
        }
    }

    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn candidates(&self) -> Vec<Candidate> {
        self.members.iter().map(|member| Candidate::only(member.name.clone())).collect()
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

    /// A trainer of any member, by the name of the candidate.
    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Ok(Box::new(AnyMember { portfolio: self, task, views }))
    }

    fn portfolio(&self) -> Option<&Portfolio> {
        Some(self)
    }
}

struct AnyMember<'d, 'v> {
    portfolio: &'d Portfolio,
    task: &'d Task<'d>,
    views: &'d Views<'v>,
}

impl Trainer for AnyMember<'_, '_> {
    fn fit(
        &self,
        subset: &crate::Subset,
        candidate: &Candidate,
        observer: crate::Observer,
    ) -> Result<crate::Fit, Error> {
        let member = self.portfolio.member(&candidate.name).ok_or(Error::NeedsLabels)?;
        let trainer = member.scorer.open(self.task, self.views)?;
        trainer.fit(subset, &member.candidate(), observer)
    }
}
