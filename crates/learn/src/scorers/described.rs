//! Another scorer, on the numbers that describe pictures in place of their pixels.

use crate::{
    Candidate, Error, Fitted, Info, Observer, Scorer, Subset, Task, TrainedScorer, Trainer, Views, Wants,
};
use onesided_data::Description;
use std::borrow::Cow;

/// A scorer of tables that looks at what describes pictures.
pub struct DescribedScorer {
    /// What describes them.
    pub by: Description,
    /// What learns.
    pub scorer: Box<dyn Scorer>,
}

impl Scorer for DescribedScorer {
    fn info(&self) -> Info {
        self.scorer.info()
    }

    fn wants(&self) -> Wants {
        Wants { pictures: true, ..self.scorer.wants() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        self.scorer.candidates()
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        self.scorer.takes_negatives()
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        self.scorer.takes_weights()
    }

    fn check(&self, task: &Task) -> Result<(), Error> {
        self.scorer.check(task)
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let trainer = self.scorer.open(task, views.described(self.by)?)?;
        Ok(Box::new(DescribedTrainer { by: self.by, trainer }))
    }
}

struct DescribedTrainer<'d> {
    by: Description,
    trainer: Box<dyn Trainer + 'd>,
}

impl Trainer for DescribedTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let fit = self.trainer.fit(subset, candidate, observer)?;
        Ok(TrainedScorer { fitted: Fitted::Described { by: self.by, model: Box::new(fit.fitted) }, ..fit })
    }

    fn device(&self) -> String {
        self.trainer.device()
    }

    fn any_threads(&self) -> bool {
        self.trainer.any_threads()
    }

    fn side_by_side(&self) -> bool {
        self.trainer.side_by_side()
    }

    fn bytes_for(&self, rows: usize) -> u64 {
        self.trainer.bytes_for(rows)
    }
}
