//! What the estimators of the prior say, as front ends tell it.

use crate::{Dataset, Error, RANDOM_LABELS};
use onesided_data::Store;
use onesided_learn::prior::{Needs, PriorReport, PriorSettings, ShareWarning, estimators};
use serde_json::{Value, json};

/// How the prior is estimated by these: `quick` (the estimators that look at scores alone), `all`, or some by name.
pub fn estimators_by_name(names: &[String]) -> Result<PriorSettings, Error> {
    let settings = match names {
        [one] if one.eq_ignore_ascii_case("quick") => PriorSettings::quick(),
        [one] if one.eq_ignore_ascii_case("all") => PriorSettings::default(),
        names => PriorSettings { estimators: names.to_vec(), ..PriorSettings::default() },
    };
    settings.check()?;
    Ok(settings)
}

/// Texts are many sparse columns: estimators that look at rows have nothing to look at. Of all estimators the others are left; one
/// that was named is refused.
pub(crate) fn settings_for(settings: &PriorSettings, data: &Dataset) -> Result<PriorSettings, Error> {
    if !matches!(data.rows(), Store::Sparse(_)) {
        return Ok(settings.clone());
    }
    if settings.estimators.is_empty() {
        return Ok(PriorSettings { estimators: PriorSettings::quick().estimators, ..settings.clone() });
    }
    let looks_at_rows = |name: &&String| {
        let named = estimators().iter().find(|one| one.info().name.eq_ignore_ascii_case(name));
        named.is_some_and(|one| one.info().needs == Needs::Rows)
    };
    match settings.estimators.iter().find(looks_at_rows) {
        Some(name) => Err(Error::SparseRows(name.to_lowercase())),
        None => Ok(settings.clone()),
    }
}

/// What a person should know before using the numbers. What several estimators warn of is said once, under all names.
pub fn prior_warnings(report: &PriorReport) -> Vec<String> {
    let mut told: Vec<(&ShareWarning, Vec<&str>)> = Vec::new();
    for estimate in &report.estimates {
        for warning in &estimate.warnings {
            match told.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, names)) => names.push(estimate.estimator),
                None => told.push((warning, vec![estimate.estimator])),
            }
        }
    }
    let of_estimators = told.into_iter().map(|(text, names)| format!("{}: {text}", names.join(", ")));
    of_estimators.chain(report.consensus.warnings.iter().map(ToString::to_string)).collect()
}

/// Every estimate with its name and interval, then the consensus and, last, the guess: the lines of a chart.
pub fn prior_lines(report: &PriorReport) -> Vec<(&'static str, f64, (f64, f64))> {
    let (consensus, answer) = (&report.consensus, &report.answer);
    let name = if consensus.agreement { "consensus" } else { "no agreement" };
    let mut lines: Vec<_> =
        report.estimates.iter().map(|one| (one.estimator, one.mu, one.interval)).collect();
    lines.push((name, consensus.mu, consensus.interval));
    lines.push(("tables like this", answer.mu, answer.interval));
    lines
}

/// The report as JSON, with everything that was warned of.
pub fn prior_as_json(report: &PriorReport, seconds: f64, warnings: &[String]) -> String {
    let (answer, consensus) = (&report.answer, &report.consensus);
    let both = |mu: f64, (low, high): (f64, f64)| {
        let pi = |mu| report.in_population(mu);
        json!({
            "prior_in_unlabeled": mu, "prior_in_unlabeled_interval": [low, high],
            "prior": pi(mu), "prior_interval": [pi(low), pi(high)],
        })
    };
    let with = |mut object: Value, more: Value| {
        if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
            object.extend(more);
        }
        object
    };
    let estimates = report.estimates.iter().zip(&consensus.voices).map(|(estimate, voice)| {
        let more = json!({
            "estimator": estimate.estimator, "weight": voice.weight, "curve": estimate.curve,
            "other_intervals": estimate.other_intervals, "warnings": estimate.warnings,
        });
        with(both(estimate.mu, estimate.interval), more)
    });
    let more = json!({
        "one_sided": answer.one_sided, "bound": answer.bound, "seen": answer.seen,
        "consensus": both(consensus.mu, consensus.interval), "agreement": consensus.agreement, "spread": consensus.spread, "reason": consensus.reason,
        "signs": consensus.signs, "confidence": consensus.confidence, "warnings": warnings,
        "scenario": report.scenario, "positive": report.counts.positive, "unlabeled": report.counts.unlabeled,
        "scorer": report.scorer, "estimates": estimates.collect::<Vec<_>>(), "refusals": report.refusals,
        "seconds": seconds, "assumes": RANDOM_LABELS,
    });
    with(both(answer.mu, answer.interval), more).to_string()
}
