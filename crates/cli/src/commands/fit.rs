//! `onesided fit`: from a table, or two, to a model file.

use super::prior::tell_warnings;
use super::source::{Marked, Rows, Source};
use super::{device, metric_rows, with_intervals};
use crate::args::{Fit, PriorFlag};
use crate::failure::Failure;
use crate::output::{note, print, print_json, table, warn};
use crate::progress::{Display, guarded};
use crate::{outlet, progress};
use onesided::data::Label;
use onesided::prior::PriorReport;
use onesided::{
    About, Candidate, ClassPrior, Counts, Encoding, Estimate, Family, Learner, MethodCard, Model,
    PriorInUnlabeled, Scenario, Shape, ThresholdRule, method,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Checks the flags and the way out, reads, learns, saves and tells.
pub fn run(flags: &Fit, as_json: bool) -> Result<(), Failure> {
    let started = Instant::now();
    let method = method(&flags.method)?;
    let source = Source::of(flags, &method)?;
    let mut learner = learner(flags, &method, source.default_scenario())?;
    outlet::check(&flags.out, &source.files())?;
    if let Some(checkpoint) = &flags.checkpoint {
        outlet::check(checkpoint, &[source.files(), vec![&flags.out]].concat())?;
    }
    let rows = source.read(flags, &method)?;
    tell_data(flags, &source, &learner, &rows)?;
    if !method.needs_truth && learner.must_estimate()? {
        rows.check(&learner)?;
        let report = rows.estimate_prior(&learner).map_err(|why| learner.no_estimate(why))?;
        learner = learner.with_report(&report)?;
        tell_warnings(&report);
        tell_estimate(&report);
    }

    let mut display = Display::new(flags.checkpoint.as_deref());
    let fitted = match method.family {
        Family::Network => guarded(|| rows.fit(&learner, &mut |progress| display.update(progress))),
        // Nothing is at stake before the file is written, and there are no batches to stop between: Ctrl-C just ends it.
        Family::Classic => rows.fit(&learner, &mut |_| true),
    };
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

/// The flags' meaning, checked.
fn learner(flags: &Fit, method: &MethodCard, default_scenario: Scenario) -> Result<Learner, Failure> {
    check_family(flags, method)?;
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
        .architecture(flags.net.as_deref().unwrap_or("mlp").parse()?)
        .image_shape(flags.image_shape.as_deref().map(shape).transpose()?)
        .scenario(scenario.unwrap_or(default_scenario))
        .seed(flags.seed)
        .batch(flags.batch)
        .epochs(flags.epochs)
        .learning_rate(flags.lr)
        .optimizer(flags.optimizer.as_deref().map(str::parse).transpose()?)
        .schedule(flags.schedule.as_deref().map(str::parse).transpose()?)
        .warm_up(flags.warm_up)
        .weight_decay(flags.weight_decay)
        .patience(flags.patience)
        .hold_out(flags.holdout)
        .threshold(threshold)
        .checkpoint(flags.checkpoint.clone())
        .threads(flags.threads)
        .device(device(&flags.device)?)
        .precision(flags.precision.parse()?)
        .augment(flags.augment.parse()?);
    for option in &flags.option {
        let Some((name, value)) = option.split_once('=') else {
            return Err(Failure::input(format!(
                "'{option}' is no setting; write it as NAME=VALUE, such as cost=0.1"
            )));
        };
        learner = learner.option(name.trim(), value);
    }
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

/// Flags that a method of this family has no use for.
fn check_family(flags: &Fit, method: &MethodCard) -> Result<(), Failure> {
    if method.family == Family::Network {
        return match flags.option.first() {
            Some(_) => Err(Failure::input(format!(
                "--option is for classic methods, and {} trains a network; its settings have flags of their own, such as \
                 --net and --lr",
                method.name
            ))),
            None => Ok(()),
        };
    }
    let given = [
        ("--net", flags.net.is_some()),
        ("--image-shape", flags.image_shape.is_some()),
        ("--epochs", flags.epochs.is_some()),
        ("--batch", flags.batch.is_some()),
        ("--lr", flags.lr.is_some()),
        ("--optimizer", flags.optimizer.is_some()),
        ("--schedule", flags.schedule.is_some()),
        ("--warm-up", flags.warm_up.is_some()),
        ("--weight-decay", flags.weight_decay.is_some()),
        ("--patience", flags.patience.is_some()),
        ("--checkpoint", flags.checkpoint.is_some()),
        ("--threads", flags.threads != 0),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::input(format!(
            "{flag} is for methods that train a network, and {0} trains none; leave it out ('onesided methods {0}' lists \
             what can be set with --option)",
            method.name
        ))),
        None => Ok(()),
    }
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
    let (counts, what) = match rows {
        Rows::Table { data, features } => (data.counts(), format!("rows, {} features", features.width())),
        Rows::Texts { labels, input, .. } => {
            let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
            let counts = Counts { positive, unlabeled: labels.len() - positive };
            (counts, format!("texts, {} terms", input.text.terms().len()))
        }
        Rows::Known { .. } | Rows::KnownTexts { .. } => {
            if flags.prior_in_unlabeled.is_some() {
                return Err(Failure::input(
                    "--prior-in-unlabeled has no meaning for supervised: with true labels no row is unlabeled; \
                     give --prior or leave it out"
                        .to_string(),
                ));
            }
            note("scenario: fully labeled (supervised)");
            return Ok(());
        }
    };
    note(&format!("{} positives, {} unlabeled {what}", counts.positive, counts.unlabeled));
    let (scenario, origin) = match (&flags.scenario, source) {
        (Some(scenario), _) => (scenario.clone(), "given"),
        (None, Source::Marked(Marked::TwoFiles { .. })) => {
            ("case-control".to_string(), "the default for two files")
        }
        (None, Source::Marked(Marked::TwoFolders { .. })) => {
            ("case-control".to_string(), "the default for two folders")
        }
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
        "parameters": about.network.as_ref().map(|network| network.parameters()),
        "options": about.options,
        "features": about.features.width(),
        "scenario": about.scenario,
        "positive": about.counts.positive,
        "unlabeled": about.counts.unlabeled,
        "prior": about.class_prior,
        "prior_in_unlabeled": about.prior_in_unlabeled,
        "prior_estimate": about.prior_estimate,
        "epochs": chosen.map(|candidate| candidate.epochs).filter(|&epochs| epochs > 0),
        "best_epoch": chosen.map(|candidate| candidate.best_epoch).filter(|&epoch| epoch > 0),
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
    let made_of = match (&about.network, &about.features) {
        (Some(network), _) => {
            let epochs =
                report.chosen().map_or_else(String::new, |Candidate { best_epoch, epochs, .. }| {
                    format!(", epoch {best_epoch} of {epochs}")
                });
            format!("with {} ({} parameters{epochs})", about.architecture, network.parameters())
        }
        (None, Encoding::Table(features)) => {
            format!("on {} features, {}", features.width(), about.architecture)
        }
        (None, Encoding::Text(input)) => {
            format!("on {} terms, {}", input.text.terms().len(), about.architecture)
        }
    };
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
        "{} {made_of}; {}\n\n{held} ({} positives, {} others), {kind}:\n{}\nwrote {} in {seconds:.1} s\n",
        about.objective,
        report.choice(),
        report.held_out.positive,
        report.held_out.unlabeled,
        table(&metric_rows(metrics(about))),
        out.display(),
    )
}
