//! `onesided fit`: from a table, or two, to a model file.

use super::prior::tell_warnings;
use super::{device, metric_rows, tell_encoding, with_intervals};
use crate::args::{Fit, PriorFlag};
use crate::failure::Failure;
use crate::output::{note, print, print_json, table, warn};
use crate::progress::{Display, guarded};
use crate::{outlet, progress};
use onesided::data::{
    Features, Frame, Label, Matrix, MissingPolicy, PuData, ReadOptions, labels_from_column, read, stack,
    truth_from_column,
};
use onesided::loss::method;
use onesided::prior::PriorReport;
use onesided::{
    About, Candidate, ClassPrior, Estimate, Learner, Model, PriorInUnlabeled, Scenario, Shape, ThresholdRule,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Checks the flags and the way out, reads, learns, saves and tells.
pub fn run(flags: &Fit, as_json: bool) -> Result<(), Failure> {
    let started = Instant::now();
    let source = Source::of(flags)?;
    let mut learner = learner(flags, source.default_scenario())?;
    outlet::check(&flags.out, &source.files())?;
    if let Some(checkpoint) = &flags.checkpoint {
        outlet::check(checkpoint, &[source.files(), vec![&flags.out]].concat())?;
    }
    let rows = source.read(flags)?;
    tell_data(flags, &source, &learner, &rows)?;
    if let Rows::Labeled { data, features } = &rows
        && learner.must_estimate()?
    {
        learner.check(data, features)?;
        let report = learner.estimate_prior(data);
        let report = report.map_err(|why| learner.no_estimate(why))?;
        learner = learner.with_report(&report)?;
        tell_warnings(&report);
        tell_estimate(&report);
    }

    let mut display = Display::new(flags.checkpoint.as_deref());
    let mut observer = |progress: &onesided::Progress| display.update(progress);
    let fitted = guarded(|| match &rows {
        Rows::Labeled { data, features } => learner.fit_with(data, features, &mut observer),
        Rows::Known { matrix, truth, features } => {
            learner.fit_supervised(matrix, truth, features, &mut observer)
        }
    });
    display.finish();
    let model = fitted?;
    display.tell(&model.about().report.device, model.about().report.resumed_from);
    guarded(|| model.save(&flags.out))?;
    if progress::interrupted() {
        return Err(Failure::Interrupted("interrupted after the model was written".to_string()));
    }

    let seconds = started.elapsed().as_secs_f64();
    warn(&model.about().report.warnings);
    if as_json {
        print_json(&as_object(&model, &flags.out, seconds))
    } else {
        print(&as_text(&model, &flags.out, seconds))
    }
}

/// Where rows and labels come from.
enum Source<'a> {
    Labeled { file: &'a Path, label: &'a str },
    Known { file: &'a Path, truth: &'a str },
    TwoFiles { positives: &'a Path, unlabeled: &'a Path },
}

/// What was read.
enum Rows {
    Labeled { data: PuData, features: Features },
    Known { matrix: Matrix, truth: Vec<bool>, features: Features },
}

impl<'a> Source<'a> {
    /// Which of the three it is; flags that contradict one another are refused.
    fn of(flags: &'a Fit) -> Result<Self, Failure> {
        let method = method(&flags.method)?;
        let (label, truth) = (flags.label.as_deref(), flags.truth.as_deref());
        if !method.needs_truth && truth.is_some() {
            return Err(Failure::input(format!(
                "--truth is for the method supervised, but the method is {}; drop the column with --drop instead",
                method.name
            )));
        }
        let asked = if method.needs_truth { truth } else { label };
        if let Some(name) = asked.filter(|name| flags.drop.iter().any(|dropped| dropped == name)) {
            return Err(Failure::input(format!(
                "column '{name}' holds the labels and cannot be dropped as well; labels are never taken as a feature"
            )));
        }
        match (&flags.positives, &flags.unlabeled, &flags.file) {
            (Some(positives), Some(unlabeled), _) if !method.needs_truth => {
                if label.is_some() || flags.positive.is_some() {
                    return Err(Failure::input(
                        "two files need no --label and no --positive: every row of --positives is positive",
                    ));
                }
                Ok(Source::TwoFiles { positives, unlabeled })
            }
            (None, None, Some(file)) => match (method.needs_truth, label, truth) {
                (true, _, Some(truth)) => Ok(Source::Known { file, truth }),
                (true, _, None) => Err(onesided::Error::NeedsTruth(method.name.to_string()).into()),
                (false, Some(label), _) => Ok(Source::Labeled { file, label }),
                (false, None, _) => Err(Failure::input("name the label column with --label COLUMN")),
            },
            (None, None, None) => {
                Err(Failure::input("name a table, or two with --positives and --unlabeled"))
            }
            _ => Err(Failure::input("the method supervised reads one table with a --truth column")),
        }
    }

    fn default_scenario(&self) -> Scenario {
        match self {
            Source::TwoFiles { .. } => Scenario::CaseControl,
            _ => Scenario::SingleSample,
        }
    }

    fn files(&self) -> Vec<&'a Path> {
        match self {
            Source::Labeled { file, .. } | Source::Known { file, .. } => vec![file],
            Source::TwoFiles { positives, unlabeled } => vec![positives, unlabeled],
        }
    }

    fn read(&self, flags: &Fit) -> Result<Rows, Failure> {
        let missing: MissingPolicy = flags.missing.parse()?;
        let mut options = ReadOptions { drop: flags.drop.clone(), missing, ..ReadOptions::default() };
        let positive = flags.positive.as_deref();
        let (frame, labels) = match self {
            Source::Labeled { file, label } => {
                options.text.push(label.to_string());
                let mut frame = read(file, &options)?;
                let labels = labels_from_column(&frame.take(label)?, positive)?;
                (frame, labels)
            }
            Source::Known { file, truth } => {
                // A label column beside the truth is no feature either.
                options.drop.extend(flags.label.iter().cloned());
                options.text.push(truth.to_string());
                let mut frame = read(file, &options)?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (matrix, features) = encoded(frame, missing)?;
                return Ok(Rows::Known { matrix, truth, features });
            }
            Source::TwoFiles { positives, unlabeled } => {
                let (first, second) = (read(positives, &options)?, read(unlabeled, &options)?);
                let mut labels = vec![Label::Positive; first.rows];
                labels.resize(first.rows + second.rows, Label::Unlabeled);
                (stack(first, second)?, labels)
            }
        };
        let (matrix, features) = encoded(frame, missing)?;
        Ok(Rows::Labeled { data: PuData::new(matrix, labels)?, features })
    }
}

pub(super) fn encoded(frame: Frame, missing: MissingPolicy) -> Result<(Matrix, Features), Failure> {
    let features = Features::fit(&frame, &[], missing)?;
    let (matrix, report) = features.encode(frame)?;
    tell_encoding(&report);
    Ok((matrix, features))
}

/// The flags' meaning, checked.
fn learner(flags: &Fit, default_scenario: Scenario) -> Result<Learner, Failure> {
    let scenario = flags.scenario.as_deref().map(str::parse).transpose()?;
    let reduction = match flags.reduction.as_str() {
        "auto" => None,
        named => Some(named.parse()?),
    };
    let threshold = match flags.threshold.as_str() {
        "half" => ThresholdRule::Half,
        "quantile" => ThresholdRule::Quantile,
        "max-pu-accuracy" => ThresholdRule::MaxPuAccuracy,
        other => {
            return Err(Failure::input(format!(
                "unknown threshold rule '{other}'; use half, quantile or max-pu-accuracy"
            )));
        }
    };
    let mut learner = Learner::new()
        .method(&flags.method)
        .reduction(reduction)
        .surrogate(flags.surrogate.parse()?)
        .beta(flags.beta)
        .gamma(flags.gamma)
        .architecture(flags.net.parse()?)
        .image_shape(flags.image_shape.as_deref().map(shape).transpose()?)
        .scenario(scenario.unwrap_or(default_scenario))
        .seed(flags.seed)
        .batch(flags.batch)
        .epochs(flags.epochs)
        .learning_rate(flags.lr)
        .optimizer(flags.optimizer.as_deref().map(str::parse).transpose()?)
        .schedule(flags.schedule.as_deref().map(str::parse).transpose()?)
        .weight_decay(flags.weight_decay)
        .patience(flags.patience)
        .hold_out(flags.holdout)
        .threshold(threshold)
        .checkpoint(flags.checkpoint.clone())
        .threads(flags.threads)
        .device(device(&flags.device)?)
        .precision(flags.precision.parse()?)
        .augment(flags.augment.parse()?);
    if let Some(PriorFlag::Share(prior)) = flags.prior {
        learner = learner.prior(ClassPrior::new(prior)?);
    }
    if let Some(prior) = flags.prior_in_unlabeled {
        learner = learner.prior_in_unlabeled(PriorInUnlabeled::new(prior)?);
    }
    if flags.prior == Some(PriorFlag::Auto) && !learner.must_estimate()? {
        return Err(Failure::input(format!(
            "the method {} needs no prior, so there is nothing to estimate; leave --prior out, or give a number",
            flags.method
        )));
    }
    Ok(learner)
}

/// `3x32x32`: channels, height, width.
fn shape(text: &str) -> Result<Shape, Failure> {
    let numbers: Option<Vec<usize>> =
        text.split('x').map(|part| part.parse().ok().filter(|&n| n > 0)).collect();
    match numbers.as_deref() {
        Some(&[channels, height, width]) => Ok(Shape { channels, height, width }),
        _ => Err(Failure::input(format!(
            "'{text}' is no image shape; write channels, height and width such as 3x32x32"
        ))),
    }
}

/// The scenario and both priors, always: mixing them up is the field's most common mistake.
fn tell_data(flags: &Fit, source: &Source, learner: &Learner, rows: &Rows) -> Result<(), Failure> {
    let Rows::Labeled { data, features } = rows else {
        if flags.prior_in_unlabeled.is_some() {
            return Err(Failure::input(
                "--prior-in-unlabeled has no meaning for supervised: with true labels no row is unlabeled; \
                 give --prior or leave it out"
                    .to_string(),
            ));
        }
        note("scenario: fully labeled (supervised)");
        return Ok(());
    };
    let counts = data.counts();
    note(&format!(
        "{} positives, {} unlabeled rows, {} features",
        counts.positive,
        counts.unlabeled,
        features.width()
    ));
    let (scenario, origin) = match (&flags.scenario, source) {
        (Some(scenario), _) => (scenario.clone(), "given"),
        (None, Source::TwoFiles { .. }) => ("case-control".to_string(), "the default for two files"),
        (None, _) => ("single-sample".to_string(), "the default for one file with a label column"),
    };
    note(&format!("scenario: {scenario} ({origin})"));
    if let Some((class, in_unlabeled)) = learner.priors(counts)? {
        let (first, second) = if flags.prior.is_some() { ("given", "derived") } else { ("derived", "given") };
        note(&format!(
            "share of positives: {:.6} in the population ({first}), {:.6} in the unlabeled rows ({second})",
            class.get(),
            in_unlabeled.get()
        ));
    }
    Ok(())
}

/// What the prior was taken to be where nobody gave one.
fn tell_estimate(report: &PriorReport) {
    let consensus = &report.consensus;
    let names: Vec<&str> = report.estimates.iter().map(|estimate| estimate.estimator).collect();
    let (low, high) = consensus.interval;
    note(&format!(
        "share of positives: {:.6} in the population, {:.6} in the unlabeled rows (estimated, {:.0} % interval {low:.3} to \
         {high:.3}, by {} on scores of {}; --prior gives one that you know)",
        report.in_population(consensus.mu),
        consensus.mu,
        100.0 * consensus.confidence,
        names.join(", "),
        report.scorer,
    ));
}

fn metrics(about: &About) -> impl Iterator<Item = (&str, Estimate)> {
    about.report.metrics.iter().map(|(name, estimate)| (name.as_str(), *estimate))
}

fn as_object(model: &Model, out: &Path, seconds: f64) -> Value {
    let about = model.about();
    let chosen = about.report.chosen();
    // A candidate is named after its reduction, or after the method where there is none.
    let reduction = chosen.map(|candidate| &candidate.name).filter(|name| **name != about.method);
    json!({
        "model": out.display().to_string(),
        "method": about.method,
        "objective": about.objective,
        "reduction": reduction,
        "network": about.architecture,
        "parameters": about.network.parameters(),
        "scenario": about.scenario,
        "positive": about.counts.positive,
        "unlabeled": about.counts.unlabeled,
        "prior": about.class_prior,
        "prior_in_unlabeled": about.prior_in_unlabeled,
        "prior_estimate": about.prior_estimate,
        "epochs": chosen.map(|candidate| candidate.epochs),
        "best_epoch": chosen.map(|candidate| candidate.best_epoch),
        "candidates": about.report.candidates,
        "held_out": about.report.held_out,
        "folds": about.report.folds,
        "threshold": about.threshold,
        "threshold_rule": about.threshold_rule,
        "metrics": with_intervals(metrics(about)),
        "warnings": about.report.warnings,
        "device": about.report.device,
        "resumed_from": about.report.resumed_from,
        "seconds": seconds,
    })
}

fn as_text(model: &Model, out: &Path, seconds: f64) -> String {
    let about = model.about();
    let report = &about.report;
    let epochs = report.chosen().map_or_else(String::new, |Candidate { best_epoch, epochs, .. }| {
        format!(", epoch {best_epoch} of {epochs}")
    });
    let kind = if about.method == "supervised" {
        "against true labels"
    } else {
        "estimated without negatives, for the unlabeled rows"
    };
    let held = match report.folds {
        1 => "held-out rows".to_string(),
        folds => format!("rows held out in {folds} parts in turn, before the training on all rows"),
    };
    format!(
        "{} with {} ({} parameters{epochs}); {}\n\n{held} ({} positives, {} others), {kind}:\n{}\nwrote {} in {seconds:.1} s\n",
        about.objective,
        about.architecture,
        about.network.parameters(),
        report.choice(),
        report.held_out.positive,
        report.held_out.unlabeled,
        table(&metric_rows(metrics(about))),
        out.display(),
    )
}
