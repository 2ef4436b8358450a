//! `onesided prior`: how many positives are hidden among the unlabeled rows, by several estimators.

use super::source::{Marked, are_texts, encoded};
use super::texts::TextFlags;
use crate::args::Inputs;
use crate::failure::Failure;
use crate::outlet;
use crate::output::{note, print, print_json, table, warn};
use clap::Args;
use onesided::Counts;
use onesided::data::{Label, MissingPolicy, PuData, ReadOptions, SparseMatrix, Weighting, write_atomically};
use onesided::prior::{
    Needs, PriorReport, PriorSettings, Scorer, estimate_prior_of_texts, estimate_prior_with, estimator,
    estimators,
};
use onesided_report::Intervals;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Flags of `prior`.
#[derive(Debug, Args)]
#[command(after_help = listing())]
pub struct Prior {
    /// Where the rows are.
    #[command(flatten)]
    pub inputs: Inputs,
    /// The label column: 1 for positive and 0 or -1 for unlabeled, or true and false.
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The value in the label column that means positive.
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,
    /// quick (those that look at scores alone), all, or names such as bbe,km2.
    #[arg(long, default_value = "quick", value_name = "NAMES")]
    pub estimator: String,
    /// single-sample (the default for one file) or case-control (for two).
    #[arg(long)]
    pub scenario: Option<String>,
    /// The classifier of positives against unlabeled rows: auto, mix (trees and mlp), trees, mlp or linear (texts: linear).
    #[arg(long, default_value = "auto")]
    pub scorer: String,
    /// Where to draw the estimates, as .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// What becomes of missing values: mean (a missing text is empty) or refuse.
    #[arg(long, default_value = "mean")]
    pub missing: String,
    /// A column to leave out; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    pub drop: Vec<String>,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads to use; 0 is all.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Describe the estimators instead.
    #[arg(long)]
    pub list: bool,
    /// What becomes of texts.
    #[command(flatten)]
    pub texts: TextFlags,
}

/// Reads, scores, estimates, and says what came of it.
pub fn run(flags: &Prior, as_json: bool) -> Result<(), Failure> {
    if flags.list {
        return list(as_json);
    }
    let started = Instant::now();
    let source = Marked::of(&flags.inputs, flags.label.as_deref(), flags.positive.as_deref(), &flags.texts)?;
    let of_texts = are_texts(&flags.texts, source.is_folders(), &flags.drop)?;
    flags.missing.parse::<MissingPolicy>()?;
    let settings = settings(flags, of_texts)?;
    let scenario = match &flags.scenario {
        Some(named) => named.parse()?,
        None => source.default_scenario(),
    };
    if let Some(plot) = &flags.plot {
        outlet::check_picture(plot, &source.files())?;
    }
    let report = match of_texts {
        false => {
            let data = rows(source, flags)?;
            let Counts { positive, unlabeled } = data.counts();
            note(&format!(
                "{positive} positives, {unlabeled} unlabeled rows, {} features",
                data.features.cols()
            ));
            let mut told = Instant::now();
            estimate_prior_with(&data, scenario, &settings, &mut |doing| {
                // Long waits only: tables of a few thousand rows take about a second.
                if told.elapsed().as_secs() >= 5 {
                    note(doing);
                    told = Instant::now();
                }
                true
            })?
        }
        true => {
            let (rows, labels) = texts(source, flags)?;
            let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
            let unlabeled = labels.len() - positive;
            note(&format!("{positive} positives, {unlabeled} unlabeled texts, {} terms", rows.cols()));
            estimate_prior_of_texts(&rows, &labels, scenario, &settings)?
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    if let Some(plot) = &flags.plot {
        let chart = picture(&report);
        write_atomically(plot, |file| match outlet::is_called(plot, "png") {
            true => file.write_all(&chart.to_png()?),
            false => file.write_all(chart.to_svg().as_bytes()),
        })?;
    }
    tell_warnings(&report);
    if as_json { print_json(&as_object(&report, seconds)) } else { print(&as_text(&report, seconds)) }
}

/// What a person should know before using the numbers. What several estimators warn of alike is said once, under all names.
pub fn tell_warnings(report: &PriorReport) {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for estimate in &report.estimates {
        for text in &estimate.warnings {
            match told.iter_mut().find(|(known, _)| known == text) {
                Some((_, names)) => names.push(estimate.estimator),
                None => told.push((text, vec![estimate.estimator])),
            }
        }
    }
    for (text, names) in told {
        note(&format!("warning: {}: {text}", names.join(", ")));
    }
    for refusal in &report.refusals {
        note(&format!("note: {} has no answer: {}", refusal.estimator, refusal.why));
    }
    warn(&report.consensus.warnings);
}

/// The flags' meaning, checked before anything is read.
fn settings(flags: &Prior, of_texts: bool) -> Result<PriorSettings, Failure> {
    let mut settings = match flags.estimator.to_lowercase().as_str() {
        "all" if of_texts => PriorSettings::quick(),
        "all" => PriorSettings::default(),
        "quick" => PriorSettings::quick(),
        names => {
            let named = names.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty());
            let estimators: Vec<String> = named.collect();
            if estimators.is_empty() {
                return Err(Failure::input("name an estimator, or 'quick', or 'all'; --list describes them"));
            }
            PriorSettings { estimators, ..PriorSettings::default() }
        }
    };
    settings.check()?;
    settings.cross_fitting.scorer = flags.scorer.parse::<Scorer>()?;
    if of_texts {
        check_for_texts(&settings)?;
    }
    settings.cross_fitting.seed = flags.seed;
    settings.cross_fitting.threads = flags.threads;
    Ok(settings)
}

/// Texts are many sparse columns: a linear model scores them, and estimators that look at rows have nothing to look at.
fn check_for_texts(settings: &PriorSettings) -> Result<(), Failure> {
    if !matches!(settings.cross_fitting.scorer, Scorer::Auto | Scorer::Linear) {
        return Err(Failure::input(
            "texts are scored by logistic regression; leave --scorer out, or give linear",
        ));
    }
    for name in &settings.estimators {
        let about = estimator(name).map_err(onesided::Error::from)?.about();
        if about.needs == Needs::Rows {
            let quick = PriorSettings::quick().estimators.join(", ");
            return Err(Failure::input(format!(
                "the estimator {} looks at the rows themselves, and texts have too many columns for that; use {quick}",
                about.name
            )));
        }
    }
    Ok(())
}

fn rows(source: Marked, flags: &Prior) -> Result<PuData, Failure> {
    let missing = flags.missing.parse()?;
    let options = ReadOptions { drop: flags.drop.clone(), missing, ..ReadOptions::default() };
    let (frame, labels) = source.table(flags.positive.as_deref(), options)?;
    let (matrix, _) = encoded(frame, missing)?;
    Ok(PuData::new(matrix, labels)?)
}

fn texts(source: Marked, flags: &Prior) -> Result<(SparseMatrix, Vec<Label>), Failure> {
    let options = flags.texts.options_or(Weighting::TfIdf, None)?;
    let (texts, labels) =
        source.texts(&flags.texts.text, flags.positive.as_deref(), flags.missing.parse()?)?;
    Ok((options.fit_transform(&texts)?.1, labels))
}

/// `0.162 [0.120, 0.211]` in the words of a column.
fn interval((low, high): (f64, f64)) -> String {
    format!("[{low:.3}, {high:.3}]")
}

fn as_text(report: &PriorReport, seconds: f64) -> String {
    let consensus = &report.consensus;
    let percent = (100.0 * consensus.confidence).round();
    let mut rows: Vec<Vec<String>> = vec![
        ["estimator", "in unlabeled", "interval", "in population", "weight"].map(str::to_string).to_vec(),
    ];
    for (estimate, voice) in report.estimates.iter().zip(&consensus.voices) {
        rows.push(vec![
            estimate.estimator.to_string(),
            format!("{:.3}", estimate.mu),
            interval(estimate.interval),
            format!("{:.3}", report.in_population(estimate.mu)),
            format!("{:.0}%", 100.0 * voice.weight),
        ]);
    }
    let ends = (report.in_population(consensus.interval.0), report.in_population(consensus.interval.1));
    let said = if consensus.agreement {
        format!(
            "consensus: {:.3} {} of the unlabeled rows are positive, {:.3} {} of the population\n",
            consensus.mu,
            interval(consensus.interval),
            report.in_population(consensus.mu),
            interval(ends),
        )
    } else {
        format!(
            "no agreement: somewhere in {} of the unlabeled rows ({} of the population), in the middle {:.3} ({:.3})\n",
            interval(consensus.interval),
            interval(ends),
            consensus.mu,
            report.in_population(consensus.mu),
        )
    };
    format!(
        "share of positives with {percent:.0} % intervals; scenario {}, scores by {} in {seconds:.1} s\n\n{}\n{said}\
         The data alone only bound the share from above: see docs/prior.md for what each estimator assumes.\n",
        report.scenario,
        report.scorer,
        table(&rows),
    )
}

fn as_object(report: &PriorReport, seconds: f64) -> Value {
    let consensus = &report.consensus;
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
        "agreement": consensus.agreement, "spread": consensus.spread, "reason": consensus.reason,
        "signs": consensus.signs, "confidence": consensus.confidence, "warnings": consensus.warnings,
        "scenario": report.scenario, "positive": report.counts.positive, "unlabeled": report.counts.unlabeled,
        "scorer": report.scorer, "estimates": estimates.collect::<Vec<_>>(), "refusals": report.refusals,
        "seconds": seconds,
    });
    with(both(consensus.mu, consensus.interval), more)
}

fn picture(report: &PriorReport) -> Intervals {
    let consensus = &report.consensus;
    let name = if consensus.agreement { "consensus" } else { "no agreement" };
    let chart =
        Intervals::new("How many positives are hidden?", "share of the unlabeled rows that is positive");
    let rows = report.estimates.iter();
    let chart = rows.fold(chart, |chart, one| chart.row(one.estimator, one.mu, one.interval));
    chart.range(0.0, 1.0).last(name, consensus.mu, consensus.interval)
}

fn list(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let all: Vec<_> = estimators().iter().map(|one| json!(one.about())).collect();
        return print_json(&json!({ "estimators": all }));
    }
    let mut text = String::new();
    for one in estimators() {
        let about = one.about();
        text.push_str(&format!(
            "{}\n  {}\n  {}\n  assumes: {}\n  interval: {}\n\n",
            about.name, about.title, about.citation, about.assumes, about.interval
        ));
    }
    print(text.trim_end_matches('\n')).and_then(|()| print("\n"))
}

/// The estimators in a line each, for --help.
fn listing() -> String {
    let rows: Vec<Vec<String>> = estimators()
        .iter()
        .map(|one| vec![format!("  {}", one.about().name), one.about().title.to_string()])
        .collect();
    let widest = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|row| format!("{:<widest$}  {}", row[0], row[1])).collect();
    format!("Estimators (--list says what each assumes):\n{}", lines.join("\n"))
}
