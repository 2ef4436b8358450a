//! `onesided fit`: from a table, texts or pictures to a model file.

use super::prior::print_prior;
use super::report;
use super::{with_estimates, with_intervals};
use crate::columns::print_columns;
use crate::failure::{Failure, as_flag};
use crate::inputs::print_notes;
use crate::metrics::{estimate_table, is_useless, metric_table, plain_name, range_table};
use crate::output::{note, print_json, print_of_file, share, table, warn};
use crate::progress::{Display, guarded};
use crate::usage::joined;
use crate::{args, output_path, progress};
use onesided::data::{ColumnRead, FileOptions, Note, agree, counted, grouped, noun};
use onesided::learn::PriorGiven;
use onesided::prior::PriorReport;
use onesided::{
    About, Answered, At, AuditFile, Config, Error, Fit, Fitted, Input, Interval, Inverted, Learner, List,
    Model, RANDOM_LABELS, ReadAgain, Ready, RecallTarget, Signal, Tried, prior_warnings, rests_on_prior,
    rows_file,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// A share below this is printed as 0.000.
const ZERO: f64 = 0.000_5;

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
    let mut warnings = print_notes(ready.data());
    warnings.extend(ready.answered().into_iter().flat_map(print_answers));
    print_data(&config, &input, &ready)?;

    let (takes, is_drawn) = (ready.data().encoding().takes(), ready.data().drawn_from().is_some());
    let mut display = Display::new(config.checkpoint.as_deref());
    let (mut estimated, mut told) = (Vec::new(), false);
    let fitted = guarded(|| {
        ready.learn(&mut |progress| match progress.at {
            At::Estimated(report) => {
                estimated = prior_warnings(report);
                print_prior(report);
                print_estimate(report, takes);
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
    display.tell(&model.about().report.device, model.about().report.resumed_from);
    guarded(|| model.save(&flags.out))?;
    super::fitted_rows::print_written(&model, &flags.out, is_drawn);
    if progress::interrupted() {
        return Err(Failure::Interrupted("interrupted after the model was written".to_string()));
    }

    let seconds = started.elapsed().as_secs_f64();
    print_reserve(model.about());
    // What was said when the prior was estimated is not said again.
    let new = model.about().report.warnings.iter().filter(|warning| !(told && warning.is_guessed_prior()));
    let new: Vec<String> = new.map(ToString::to_string).collect();
    model.about().report.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let doubted: Vec<String> = model.refuted_labels().map(ToString::to_string).into_iter().collect();
    if let (Some(test), true) = (&model.about().report.labeling, doubted.is_empty()) {
        note(&test.to_string());
    }
    warn(&doubted);
    model.about().report.who_labels.iter().for_each(|labels| note(&labels.to_string()));
    let inverted: Vec<String> = model.about().inverted().map(inverted_labels).into_iter().collect();
    warn(&new);
    warn(&inverted);
    warnings.extend(estimated);
    warnings
        .extend(model.about().report.warnings.iter().map(ToString::to_string).chain(doubted).chain(inverted));
    let written = flags
        .report
        .as_ref()
        .map(|out| write_page(&model, flags, config.threads, &input, (&columns, &notes), out))
        .transpose()?;
    if as_json {
        print_json(&as_object(&model, &flags.out, seconds, &columns, &warnings))
    } else {
        print_of_file(&as_text(&model, flags, seconds))?;
        written.map_or(Ok(()), |written| print_of_file(&written))
    }
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

/// Says what the answers of an audit came to; returns the warnings among it.
fn print_answers(answered: &Answered) -> Vec<String> {
    let Answered { positive, negative, prior, notes, warnings, labeling, .. } = answered;
    warn(warnings);
    note(&format!(
        "{} and {} come from the audit",
        counted(*positive, "positives"),
        counted(*negative, "negatives")
    ));
    notes.iter().for_each(|text| note(&format!("note: {text}")));
    if let Some(test) = labeling {
        let weighted =
            if test.refutes() { "; labeled rows are weighted to be like the answered ones" } else { "" };
        note(&format!("{test}{weighted}"));
    }
    let (low, high) = prior.interval;
    note(&format!(
        "share of positives: {:.3} of the rows that are left unlabeled (audited, {low:.3} to {high:.3} with {:.0} % confidence)",
        prior.mu.get(),
        100.0 * prior.confidence
    ));
    warnings.clone()
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

/// The scenario and both priors, always: mixing them up is the field's most common mistake.
fn print_data(config: &Config, input: &Input, ready: &Ready) -> Result<(), Failure> {
    if config.method()?.needs_truth() {
        note("scenario: fully labeled (supervised)");
        return Ok(());
    }
    let data = ready.data().without_blank();
    let counts = data.counts().ok_or(Error::NeedsLabels)?;
    let encoding = data.encoding();
    let what = rows_of(encoding.takes());
    let columns = match encoding.shape() {
        Some(shape) => {
            let color =
                if shape.channels == 1 { "gray".to_string() } else { format!("{} channels", shape.channels) };
            format!("{} x {} pixels, {color}", shape.width, shape.height)
        }
        None => counted(encoding.width(), encoding.columns_are()),
    };
    let negatives = match counts.negative {
        0 => String::new(),
        negatives => format!(", {}", counted(negatives, "known negatives")),
    };
    let weights = if data.weights().is_some() { ", with weights" } else { "" };
    let groups = match data.number_of_groups() {
        Some(groups) => format!(", in {}", counted(groups, "groups")),
        None => String::new(),
    };
    let reserved = config.reserve.map_or(Ok(0), |reserve| reserve.number(counts.positive))?;
    let aside = match reserved {
        0 => String::new(),
        reserved => format!(
            " (learns from {} and sets {} aside)",
            grouped(counts.positive - reserved),
            grouped(reserved)
        ),
    };
    note(&format!(
        "{}{aside}, {} unlabeled {}{negatives}, {columns}{weights}{groups}",
        counted(counts.positive, "positives"),
        grouped(counts.unlabeled),
        noun(counts.unlabeled, what)
    ));
    let origin = match (config.scenario.is_some(), input) {
        (true, _) => "given",
        (false, Input::Two { positives, .. }) if positives.is_dir() => "the default for two folders",
        (false, Input::Two { .. }) => "the default for two files",
        (false, Input::One(path)) if path.is_dir() => "the default for one folder",
        (false, Input::One(_)) => "the default for one file with a label column",
    };
    let rests = match config.labeling_depends_on.is_empty() {
        true => format!("shares, metrics and promises hold {RANDOM_LABELS}"),
        false => format!("whether labels depend on {} is told below", config.labeling_depends_on),
    };
    note(&format!("scenario: {} ({origin}); {rests}", ready.scenario()));
    if let Some(priors) = ready.priors()? {
        let of_population = matches!(config.prior, Some(PriorGiven::Share(_)));
        let (first, second) = if of_population { ("given", "derived") } else { ("derived", "given") };
        note(&format!(
            "share of positives: {} in the population ({first}), {} in the unlabeled rows ({second})",
            share(priors.class.get()),
            share(priors.in_unlabeled.get())
        ));
    }
    Ok(())
}

/// What rows are called: `rows` of tables, `texts` or `pictures`.
pub(super) fn rows_of(takes: &str) -> &str {
    if takes == "tables" { "rows" } else { takes }
}

/// What the guess of a share rests on. It was learned from tables, and pictures and texts are told so.
pub(super) fn experience(takes: &str) -> &'static str {
    if takes == "tables" { "experience with other tables" } else { "experience, which is with tables" }
}

/// What the prior was taken to be where none was given.
fn print_estimate(report: &PriorReport, takes: &str) {
    let answer = &report.answer;
    let (low, high) = answer.interval;
    let range = if answer.one_sided {
        format!("at most {high:.3} by {}", experience(takes))
    } else {
        format!("{low:.3} to {high:.3} by {}", experience(takes))
    };
    note(&format!(
        "share of positives: unknown; at most {:.3} of the unlabeled rows by the data alone, {range} ({:.0} %), {RANDOM_LABELS}",
        answer.bound,
        100.0 * answer.confidence,
    ));
    note(&format!(
        "learning with a guess, {:.3} of the unlabeled rows ({:.3} of the population); the ranking hardly depends on it, \
         probabilities and the threshold do. --prior gives a share that you know",
        answer.mu,
        report.in_population(answer.mu),
    ));
}

/// Labels that look inverted, and what to do.
pub(super) fn inverted_labels(inverted: Inverted) -> String {
    format!("{inverted} --positive names the value that means positive")
}

/// What the positives that were set aside can promise.
fn print_reserve(about: &About) {
    let reserved = about.reserve.len();
    if reserved > 0 && about.doubt.is_none() {
        let most = (1000.0 * RecallTarget::most_recall(reserved, 0.95)).floor() / 10.0;
        note(&format!(
            "{} {} set aside: they can promise a recall of up to {most:.1} % with 95 % confidence, {} (predict --recall)",
            counted(reserved, "positives"),
            agree(reserved, "was", "were"),
            about.assumes()
        ));
    }
}

fn metrics(about: &About) -> impl Iterator<Item = (&str, Interval)> {
    about.report.metrics.iter().map(|(name, interval)| (name.as_str(), *interval))
}

/// Metrics in a table, or, where the prior was estimated, those that do not rest on it and then the others as ranges. Ranges that
/// tell next to nothing are named once, with `audit`, the command that narrows them.
fn metric_tables(about: &About, audit: &str) -> String {
    if about.answers.is_some() {
        // How labeled rows rank is not a metric of the list.
        return metric_table(metrics(about).filter(|(name, _)| *name != "auc_pu"));
    }
    let Some(estimate) = &about.prior_estimate else {
        let truth = about.is_supervised();
        return if truth { metric_table(metrics(about)) } else { estimate_table(metrics(about)) };
    };
    let measured = metrics(about).filter(|(name, _)| !rests_on_prior(name));
    if estimate.assumed.is_some() {
        return format!(
            "{}\nprecision, F1, accuracy and AUC cannot be told without the share of positives: give it with --prior, or have some rows \
             labeled: {audit}\n",
            metric_table(measured)
        );
    }
    let (low, high) = estimate.interval;
    // Precision and F1 are proportional to the share: where that may be 0, so may they.
    let from_zero = |name: &str| low < ZERO && matches!(name, "precision" | "f1");
    let (useless, ranges): (Vec<_>, Vec<_>) = metrics(about)
        .filter(|(name, _)| rests_on_prior(name))
        .partition(|(name, range)| estimate.audited.is_none() && (is_useless(*range) || from_zero(name)));
    let origin = match estimate.audited {
        Some(_) => "as the audit says".to_string(),
        None => format!("which is estimated and not measured, and {}", about.assumes()),
    };
    let told = if ranges.is_empty() {
        String::new()
    } else {
        format!(
            "\nif {low:.3} to {high:.3} of the unlabeled rows are positive, {origin}:\n{}",
            range_table(ranges)
        )
    };
    let untold = if useless.is_empty() {
        String::new()
    } else {
        let names: Vec<String> = useless.iter().map(|(name, _)| plain_name(name)).collect();
        format!(
            "\n{} cannot be told without the share of positives, which is anything from {low:.3} to {high:.3} of the unlabeled \
                 rows: give it with --prior, or have some rows labeled: {audit}\n",
            joined(&names.iter().map(String::as_str).collect::<Vec<_>>(), "and")
        )
    };
    format!("{}{told}{untold}", metric_table(measured))
}

/// The command that draws rows of this table to be labeled.
fn audit_command(flags: &args::Fit) -> String {
    let mut words = vec!["onesided audit draw".to_string(), shell_word(&flags.out.display().to_string())];
    let table = flags.places.file.as_ref().filter(|file| !file.is_dir() && file.as_os_str() != "-");
    words.push(table.map_or_else(|| "TABLE".to_string(), |file| shell_word(&file.display().to_string())));
    words.extend(flags.reading.get("label").map(|label| format!("--label {}", shell_word(label))));
    words.push("--out to_label.csv".to_string());
    words.join(" ")
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/:\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
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

/// What the metrics were measured by, and what they rest on.
fn measured(about: &About) -> String {
    match about.answers {
        _ if about.is_supervised() => "against true labels".to_string(),
        Some(answers) => format!(
            "measured on {} of the audit that took no part in training, each counted as often as its chance of being drawn says",
            counted(answers, "answers")
        ),
        None => format!(
            "estimated without negatives, for the unlabeled {}, {}",
            rows_of(about.features.takes()),
            about.assumes()
        ),
    }
}

/// What was tried, how it turned out, and the plain alternatives to compare it with.
fn as_portfolio(about: &About) -> String {
    let report = &about.report;
    let number =
        |number: Option<f64>| number.map_or_else(|| "-".to_string(), |number| format!("{number:.4}"));
    let mut tried: Vec<&Tried> = report.candidates.iter().collect();
    let key = |tried: &Tried| (tried.weight.unwrap_or(0.0), tried.auc.unwrap_or(0.0));
    tried.sort_by(|a, b| key(b).0.total_cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
    let kept = tried.iter().filter(|tried| tried.weight.is_some_and(|weight| weight > 0.0)).count();
    let mut rows = vec![["model", "share", "AUC"].map(str::to_string).to_vec()];
    rows.extend(tried.iter().map(|tried| {
        let share = tried.weight.filter(|&weight| weight > 0.0);
        let share = share.map_or_else(|| "-".to_string(), |share| format!("{share:.2}"));
        vec![tried.name.clone(), share, number(tried.auc)]
    }));
    let known = report.beside.iter().any(|beside| beside.accuracy.is_some());
    let columns = |name: &str, auc: String, accuracy: String| {
        let mut row = vec![name.to_string(), auc];
        row.extend(known.then_some(accuracy));
        row
    };
    let mut beside = vec![columns("compared with", "AUC".to_string(), "accuracy".to_string())];
    beside.extend(report.beside.iter().map(|b| columns(&b.name, number(b.auc), number(b.accuracy))));
    let what = match kept {
        1 => "the best".to_string(),
        several => format!("a mean of {several}"),
    };
    let what = if about.model == "trees" { format!("trees that learned {what}") } else { what };
    format!(
        "auto on {}: {what} of {} tried, by the {}\n\n{}\n{}",
        counted(about.features.width(), about.features.columns_are()),
        counted(tried.len(), "models"),
        report.criterion,
        table(&rows),
        table(&beside)
    )
}

fn as_text(model: &Model, flags: &args::Fit, seconds: f64) -> String {
    let about = model.about();
    let (report, out) = (&about.report, &flags.out);
    let metrics = metric_tables(about, &audit_command(flags));
    if !report.beside.is_empty() {
        return format!(
            "{}\nout-of-fold scores ({}, {}), {}:\n{}\n\
             wrote {} in {seconds:.1} s\n",
            as_portfolio(about),
            counted(report.held_out.positive, "positives"),
            counted(report.held_out.unlabeled, "others"),
            measured(about),
            metrics,
            out.display(),
        );
    }
    let epochs = report.chosen().filter(|tried| tried.epochs > 0);
    let is_trees = matches!(model.fitted(), Fitted::Trees(_) | Fitted::LinkedTrees(_));
    let unit = if is_trees { "tree" } else { "epoch" };
    let epochs = epochs.map_or_else(String::new, |Tried { best_epoch, epochs, .. }| {
        format!(", {unit} {best_epoch} of {epochs}")
    });
    let made_of = match model.fitted().network() {
        Some((network, _)) => {
            let taught = report.config.as_ref().and_then(|config| config.teacher);
            let teacher = if taught.is_some() { " and a teacher" } else { "" };
            format!("with {}{teacher} ({} parameters{epochs})", about.model, grouped(network.parameters()))
        }
        None => {
            let columns = counted(about.features.width(), about.features.columns_are());
            format!("on {columns}, {}{epochs}", about.model)
        }
    };
    let held = match report.folds {
        1 => "held-out rows".to_string(),
        folds => format!("rows held out in {folds} parts in turn, before the training on all rows"),
    };
    format!(
        "{} {made_of}; {}\n\n{held} ({}, {}), {}:\n{}\nwrote {} in {seconds:.1} s\n",
        about.objective,
        report.choice_by(unit),
        counted(report.held_out.positive, "positives"),
        counted(report.held_out.unlabeled, "others"),
        measured(about),
        metrics,
        out.display(),
    )
}
