//! `onesided fit`: from a table, texts or pictures to a model file.

use super::fit_says::{self, measured, metrics};
use super::fit_verdict;
use super::prior::print_prior;
use super::report;
use super::{with_estimates, with_intervals};
use crate::columns::print_columns;
use crate::failure::{Failure, as_flag};
use crate::inputs::detail_notes;
use crate::output::{detail, is_verbose, note, print_json, print_of_file, warn};
use crate::progress::{Display, guarded};
use crate::{args, output_path, progress};
use onesided::data::{ColumnRead, FileOptions, Note};
use onesided::{
    At, AuditFile, Config, Error, Fit, InShort, Input, Learner, List, Model, ReadAgain, Signal,
    prior_warnings, rows_file,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Turns flags into a fit, checks the way out, reads, learns, saves and tells.
pub fn run(flags: &args::Fit, as_json: bool) -> Result<(), Failure> {
    let started = Instant::now();
    let config = flags.config.config()?;
    let input = place(flags, &config)?;
    let options = flags.reading.options(&input.paths())?;
    if flags.out.as_os_str() == "-" {
        return Err(Failure::input("a model is not written to standard output; name a file with --out"));
    }
    output_path::check(&flags.out, &input.paths())?;
    output_path::check_beside(&rows_file(&flags.out), &input.paths())?;
    if let Some(checkpoint) = &config.checkpoint {
        output_path::check_regular(checkpoint)?;
        output_path::check(checkpoint, &[input.paths(), vec![&flags.out]].concat())?;
    }
    // However the table is written: this file has been through other hands.
    let audits = flags.audit.iter().map(|file| AuditFile::read(file, &FileOptions::default()));
    let fit = Fit::new(Learner::from_config(config.clone()))
        .reading(options)
        .audits(&audits.collect::<Result<Vec<_>, _>>()?)?
        .scratch(flags.out.parent().filter(|folder| folder.is_dir()).map(Path::to_path_buf));
    let by_columns = "the table does not fit into the memory: its columns are read a few at a time and kept as one byte per cell";
    if let Some(page) = &flags.report {
        let beside = rows_file(&flags.out);
        report::check(page, &[input.paths(), vec![&flags.out, &beside]].concat(), &input)?;
    }
    let ready = fit.read_with(&input, &mut || note(by_columns));
    let ready = ready.map_err(|error| too_large(&fit, &input, error))?;
    print_columns(ready.data());
    let columns = ready.data().columns_read().to_vec();
    let notes = ready.data().notes().to_vec();
    let mut warnings = detail_notes(ready.data());
    let of_audit = ready.answered().map_or_else(Vec::new, |answered| answered.warnings.clone());
    ready.answered().into_iter().for_each(fit_says::print_answers);
    warnings.extend(of_audit.iter().cloned());
    fit_says::print_data(&config, &input, &ready)?;

    let (takes, is_drawn) = (ready.data().encoding().takes(), ready.data().drawn_from().is_some());
    let mut display = Display::new(config.checkpoint.as_deref());
    let (mut estimated, mut told) = (Vec::new(), false);
    let fitted = guarded(|| {
        ready.learn(&mut |progress| match progress.at {
            At::Estimated(report) => {
                estimated = prior_warnings(report);
                if is_verbose() {
                    print_prior(report);
                }
                fit_says::print_estimate(report, takes);
                told = true;
                Signal::from(!progress::interrupted())
            }
            _ => display.update(progress),
        })
    });
    display.finish();
    let model = fitted?;
    if progress::interrupted() {
        return Err(Failure::Interrupted("interrupted, and no model was written".to_string()));
    }
    let about = model.about();
    display.tell(&about.report.device, about.report.resumed_from);
    guarded(|| model.save(&flags.out))?;
    super::fitted_rows::print_written(&model, &flags.out, is_drawn);
    if progress::interrupted() {
        return Err(Failure::Interrupted("interrupted after the model was written".to_string()));
    }

    let mut wrote =
        vec![format!("wrote {} in {:.1} s", flags.out.display(), started.elapsed().as_secs_f64())];
    fit_says::print_reserve(about);
    about.report.notes.iter().for_each(|text| detail(&format!("note: {text}")));
    let doubted: Vec<String> = model.refuted_labels().map(ToString::to_string).into_iter().collect();
    if let (Some(test), true) = (&about.report.labeling, doubted.is_empty()) {
        detail(&test.to_string());
    }
    about.report.who_labels.iter().for_each(|labels| note(&labels.to_string()));
    let inverted: Vec<String> = about.inverted().map(fit_says::inverted_labels).into_iter().collect();
    let short = InShort::of(&model, &columns, &notes, &of_audit);
    if is_verbose() {
        // What was said when the prior was estimated is not said again.
        let new = about.report.warnings.iter().filter(|warning| !(told && warning.is_guessed_prior()));
        warn(&doubted);
        warn(&new.map(ToString::to_string).collect::<Vec<_>>());
        warn(&inverted);
    } else {
        fit_verdict::warn_in_short(&short, flags, wrote.len() + usize::from(flags.report.is_some()));
    }
    warnings.extend(estimated);
    warnings.extend(about.report.warnings.iter().map(ToString::to_string).chain(doubted).chain(inverted));
    let page = flags.report.as_ref();
    let page = page.map(|out| write_page(&model, flags, config.threads, &input, (&columns, &notes), out));
    wrote.extend(page.transpose()?.map(|line| line.trim_end().to_string()));
    let seconds = started.elapsed().as_secs_f64();
    if as_json {
        return print_json(&as_object(&model, &flags.out, seconds, &columns, &warnings));
    }
    if is_verbose() {
        print_of_file(&format!("{}\n", fit_says::as_text(&model, &fit_verdict::audit_command(flags))))?;
    }
    print_of_file(&fit_verdict::verdict(&short, flags, &wrote))
}

/// Writes the page of a model that was just fitted, and says so.
fn write_page(
    model: &Model,
    flags: &args::Fit,
    threads: Option<usize>,
    input: &Input,
    (columns, notes): (&[ColumnRead], &[Note]),
    out: &Path,
) -> Result<String, Failure> {
    let also = ReadAgain::from(flags.reading.files()?);
    let list = List::of(model).threads(threads.unwrap_or(0));
    let summary =
        list.summary(input, &also, &report::settings(flags.no_rows)).map_err(Failure::of_reading)?;
    let summary = summary.with_fit(columns, notes);
    let bytes = report::write(&summary, out)?;
    Ok(report::wrote(&summary, out, bytes))
}

/// Of a table that is too large for the memory it is said how many of its rows are not, and what takes all of them.
fn too_large(fit: &Fit, input: &Input, error: Error) -> Failure {
    let instead = fit.instead(input, &error);
    match Failure::from(error) {
        Failure::Input(sentence) => {
            let ways: Vec<String> = [sentence].into_iter().chain(instead.iter().map(as_flag)).collect();
            Failure::Input(ways.join(", or "))
        }
        failure => failure,
    }
}

/// Where the rows are; columns of answers that contradict the method are refused.
fn place(flags: &args::Fit, config: &Config) -> Result<Input, Failure> {
    let method = config.method()?;
    if !method.needs_truth() && flags.reading.has("truth") {
        return Err(Failure::input(format!(
            "--truth is for the method supervised, but the method is {}; leave the column out with --drop instead",
            method.name()
        )));
    }
    if method.needs_truth() {
        if flags.reading.has("negative") || flags.places.negatives.is_some() {
            return Err(Failure::input(
                "the method supervised learns from true labels, and negatives are among them; leave --negative and \
                 --negatives out",
            ));
        }
        return match flags.places.input(&[])? {
            Input::Two { .. } => {
                Err(Failure::input("the method supervised reads one table with a --truth column"))
            }
            one if !flags.reading.has("truth") && !one.paths()[0].is_dir() => {
                Err(Error::NeedsTruth(method.name().to_string()).into())
            }
            one => Ok(one),
        };
    }
    flags.reading.input(&flags.places)
}

fn as_object(model: &Model, out: &Path, seconds: f64, columns: &[ColumnRead], warnings: &[String]) -> Value {
    let about = model.about();
    let chosen = about.report.chosen();
    let is_estimate = about.answers.is_none() && !about.is_supervised();
    json!({
        "model": out.display().to_string(),
        "method": about.method,
        "objective": about.objective,
        "reduction": about.report.reduction().map(|reduction| reduction.to_string()),
        "scores_by": about.model,
        "parameters": model.fitted().network().map(|(network, _)| network.parameters()),
        "options": about.options,
        "features": about.features.width(),
        "columns": columns,
        "scenario": about.scenario,
        "positive": about.counts.positive,
        "unlabeled": about.counts.unlabeled,
        "negative": about.counts.negative,
        "prior": about.class_prior,
        "prior_in_unlabeled": about.prior_in_unlabeled,
        "prior_estimate": about.prior_estimate,
        "epochs": chosen.map(|candidate| candidate.epochs).filter(|&epochs| epochs > 0),
        "best_epoch": chosen.map(|candidate| candidate.best_epoch).filter(|&epoch| epoch > 0),
        "candidates": about.report.candidates,
        "teacher": about.report.config.as_ref().and_then(|config| config.teacher),
        "beside": about.report.beside,
        "reserved": about.reserve.len(),
        "held_out": about.report.held_out,
        "folds": about.report.folds,
        "threshold": about.threshold,
        "threshold_rule": about.threshold_rule_name(),
        "metrics": if is_estimate { with_estimates(metrics(about)) } else { with_intervals(metrics(about)) },
        "measured": measured(about),
        "assumes": is_estimate.then(|| about.assumes()),
        "doubt": about.doubt,
        "labeling": about.report.labeling,
        "who_labels": about.report.who_labels,
        "labels_by_answers": about.report.labels_by_answers,
        "warnings": warnings,
        "device": about.report.device,
        "threads": about.report.threads,
        "resumed_from": about.report.resumed_from,
        "rows_per_second": model.rows_per_second().ok().flatten(),
        "seconds": seconds,
    })
}
