//! A run of a classic system: the same splits and test rows as networks have.

use crate::ExperimentError;
use crate::results::Record;
use crate::set::Set;
use crate::spec::{PriorErrorKind, Run};
use crate::split::Split;
use onesided_classic::{ClassicError, Rows, Selected, Task, system, system_info};
use onesided_data::{PriorInUnlabeled, Scenario};
use onesided_eval::auc;
use std::sync::OnceLock;
use std::time::Instant;

/// The rows of a set in both forms that systems take, each made when it is first asked for.
#[derive(Default)]
pub(crate) struct Forms {
    plain: OnceLock<[Box<dyn Rows + Send>; 2]>,
    counts: OnceLock<[Box<dyn Rows + Send>; 2]>,
}

impl Forms {
    fn of(&self, set: &Set, counts: bool) -> Result<&[Box<dyn Rows + Send>; 2], ExperimentError> {
        let form = if counts { &self.counts } else { &self.plain };
        if form.get().is_none() {
            // Two that make it at once make the same.
            let _ = form.set(set.for_system(counts)?);
        }
        form.get().ok_or_else(|| ClassicError::NoRows { kind: "training" }.into())
    }
}

/// Fits the run's system and tests it.
pub(crate) fn go(
    run: &Run,
    kind: PriorErrorKind,
    set: &Set,
    forms: &Forms,
) -> Result<Record, ExperimentError> {
    let started = Instant::now();
    let name = &run.settings.objective;
    let needs_counts = system_info(name).is_some_and(|info| info.needs_counts);
    let [train, test] = forms.of(set, needs_counts)?;
    let split = Split::new(run, kind, set)?;
    let mut rows: Vec<usize> =
        split.positive.iter().chain(&split.unlabeled).map(|&row| row as usize).collect();
    rows.sort_unstable();
    let labels: Vec<_> = rows.iter().map(|&row| split.labels[row]).collect();
    let selected = Selected::new(train.as_ref(), &rows);
    let task = Task {
        rows: &selected,
        labels: &labels,
        prior: split.prior.map(|(_, told)| PriorInUnlabeled::new(told)).transpose()?,
        scenario: Scenario::SingleSample,
        seed: run.seed,
        threads: 0,
    };
    let model = system(name)?.fit(&task)?;
    let scores = model.scores(test.as_ref())?;
    let right = scores.iter().zip(&set.test).filter(|&(&score, &truth)| (score > model.threshold) == truth);
    let single: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
    Ok(Record {
        run: run.name.clone(),
        fingerprint: run.fingerprint.clone(),
        accuracy: right.count() as f64 / scores.len() as f64,
        auc: auc(&single, &set.test).unwrap_or(f64::NAN),
        rows: (split.positive.len(), split.unlabeled.len()),
        prior: split.prior,
        estimated_accuracy: None,
        loss: 0.0,
        seconds: started.elapsed().as_secs_f64(),
        device: "cpu".into(),
        version: env!("CARGO_PKG_VERSION").into(),
    })
}
