//! The share of positives among the unlabeled rows of a run, estimated from its rows to train on as the command `prior` does.

use crate::ExperimentError;
use crate::set::Set;
use crate::split::Split;
use onesided_data::PriorInUnlabeled;
use onesided_learn::prior::{PriorEstimate, PriorSettings, estimate_prior};
use onesided_learn::{Error, Machine, Signal, Task, Views};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Estimates that were made: methods that learn from the same rows share one.
#[derive(Default)]
pub(crate) struct Estimates {
    of_splits: Mutex<HashMap<String, Arc<Mutex<Option<PriorInUnlabeled>>>>>,
}

impl Estimates {
    /// The estimate for a split of a set, which `name` tells from others of the same set.
    pub fn of(
        &self,
        name: String,
        split: &Split,
        set: &Set,
        seed: u64,
        machine: Machine,
    ) -> Result<PriorInUnlabeled, ExperimentError> {
        let place = {
            let mut all = self.of_splits.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            all.entry(name).or_default().clone()
        };
        // One run makes it, and those that want the same wait for it.
        let mut place = place.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match *place {
            Some(there) => Ok(there),
            None => Ok(*place.insert(estimate(split, set, seed, machine)?)),
        }
    }
}

/// Estimates μ from the rows to train on: neither the truth nor a row that is held out or tested on is looked at.
fn estimate(
    split: &Split,
    set: &Set,
    seed: u64,
    machine: Machine,
) -> Result<PriorInUnlabeled, ExperimentError> {
    let data = split.training_set(set.rows())?;
    let task = Task::new(&data, false, split.scenario, seed, machine)?;
    let report =
        estimate_prior(&task, &Views::new(&data), &PriorSettings::quick(), &mut |_| Signal::Continue)?;
    Ok(PriorEstimate::from_report(&report).map_err(Error::from)?.mu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::numbered;
    use crate::spec::PriorErrorKind;
    use crate::spec::tests::{SMALL, parsed};

    /// Positives have the numbers 0 to 199 and negatives 200 to 499, so that the share can be read off the rows.
    #[test]
    fn an_estimate_is_made_from_the_rows_to_train_on_and_kept() {
        let set = numbered(200, 300, 50);
        let spec = parsed(&SMALL.replace("hidden = [0.2, 0.8]", "hidden = [0.5, 0.8]")).unwrap();
        let run = spec.runs().unwrap().remove(0);
        let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
        let estimates = Estimates::default();
        let machine = Machine { threads: 1, ..Machine::default() };
        let one = || estimates.of("a".into(), &split, &set, 0, machine).unwrap().get();
        let first = one();
        // 100 of 400 unlabeled rows are positive.
        assert!((first - 0.25).abs() < 0.1, "{first}");
        assert_eq!(one(), first);
        assert_eq!(estimates.of_splits.lock().unwrap().len(), 1);
    }
}
