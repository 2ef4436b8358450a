//! What `onesided fit` says: a verdict of a few lines, and all of it for whoever wants to know more.

use crate::args;
use crate::failure::{Failure, as_flag};
use crate::metrics::{estimate_table, metric_table, plain_name, range_table};
use crate::output::{detail, is_verbose, table, warn};
use crate::usage::joined;
use onesided::data::{agree, counted, grouped, noun, shown_share};
use onesided::learn::PriorGiven;
use onesided::prior::PriorReport;
use onesided::{
    About, Answered, Check, Config, Error, Fitted, InShort, Input, Interval, Inverted, Model, NextStep,
    RANDOM_LABELS, Ready, RecallTarget, Told, Tried, Warned, experience, rows_of,
};

/// Lines of the verdict, warnings among them: what fits on a screen that shows a command and its answer.
const LINES: usize = 15;
/// Letters of what a line is about.
const ABOUT: usize = 14;

/// The verdict: what was learned from, what is assumed, how good it is beside doing less, and what to do next. `wrote` are lines about
/// files.
pub fn verdict(short: &InShort, flags: &args::Fit, wrote: &[String]) -> String {
    let mut text = String::new();
    let mut line = |about: &str, said: &str| text.push_str(&format!("{about:<ABOUT$}{said}\n"));
    for (about, said) in short.lines() {
        line(about, &said);
    }
    let mut about = "next";
    for step in steps(short, flags) {
        line(about, &format!("{}: {}", step.why(), command(step, flags)));
        about = "";
    }
    if !is_verbose() {
        line(about, "all of it: the same with -v or --json");
    }
    text.extend(wrote.iter().map(|line| format!("{line}\n")));
    text
}

/// Steps that were not asked for already.
fn steps(short: &InShort, flags: &args::Fit) -> Vec<NextStep> {
    let mut steps = short.next.clone();
    steps.retain(|&step| !(step == NextStep::Report && flags.report.is_some()));
    steps
}

/// Says what to look at, as far as a verdict has room.
pub fn warn_in_short(short: &InShort, flags: &args::Fit, wrote: usize) {
    // One line says how to see the rest.
    let others = short.lines().len() + steps(short, flags).len() + wrote + 1;
    let room = LINES.saturating_sub(others).max(1);
    let all = &short.warnings;
    let shown = if all.len() > room { room.saturating_sub(1).max(1) } else { all.len() };
    let said: Vec<String> = all[..shown].iter().map(warned).collect();
    warn(&said);
    if all.len() > shown {
        let more = all.len() - shown;
        warn(&[format!(
            "{} {} not shown here: -v shows all",
            counted(more, "more warnings"),
            agree(more, "is", "are")
        )]);
    }
}

/// A warning with the flag that may help.
fn warned(one: &Warned) -> String {
    let more = match one.more {
        0 => String::new(),
        more => format!(" (and {} on this: -v)", counted(more, "more warnings")),
    };
    format!("{}{more}", with_flag(&one.check))
}

fn with_flag(check: &Check) -> String {
    match &check.hint {
        Some(hint) if check.text.ends_with('?') => format!("{} --{} {}", check.text, hint.setting, hint.act),
        Some(hint) => format!("{}; {}", check.text, as_flag(hint)),
        None => check.text.clone(),
    }
}

/// The command of a step, with the names of this fit.
fn command(step: NextStep, flags: &args::Fit) -> String {
    let out = shell_word(&flags.out.display().to_string());
    let table = flags.places.file.as_ref().filter(|file| file.as_os_str() != "-");
    let table = table.map_or_else(|| "TABLE".to_string(), |file| shell_word(&file.display().to_string()));
    match step {
        NextStep::Rank => format!("onesided predict {out} {table} --out list.csv"),
        NextStep::Audit => audit_command(flags),
        NextStep::Report => format!("onesided report {out} {table} --out page.html"),
    }
}

/// The command that draws rows of this table to be labeled.
pub(super) fn audit_command(flags: &args::Fit) -> String {
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

/// Says what the answers of an audit came to.
pub(super) fn print_answers(answered: &Answered) {
    let Answered { positive, negative, prior, notes, warnings, labeling, .. } = answered;
    if is_verbose() {
        warn(warnings);
    }
    detail(&format!(
        "{} and {} come from the audit",
        counted(*positive, "positives"),
        counted(*negative, "negatives")
    ));
    notes.iter().for_each(|text| detail(&format!("note: {text}")));
    if let Some(test) = labeling {
        let weighted =
            if test.refutes() { "; labeled rows are weighted to be like the answered ones" } else { "" };
        detail(&format!("{test}{weighted}"));
    }
    let (low, high) = prior.interval;
    detail(&format!(
        "share of positives: {:.3} of the rows that are left unlabeled (audited, {low:.3} to {high:.3} with {:.0} % confidence)",
        prior.mu.get(),
        100.0 * prior.confidence
    ));
}

/// The scenario and both priors, always: mixing them up is the field's most common mistake.
pub(super) fn print_data(config: &Config, input: &Input, ready: &Ready) -> Result<(), Failure> {
    if config.method()?.needs_truth() {
        detail("scenario: fully labeled (supervised)");
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
    detail(&format!(
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
        (false, Input::One(_) | Input::Parts(_)) => "the default for one file with a label column",
    };
    let rests = match config.labeling_depends_on.is_empty() {
        true => format!("shares, metrics and promises hold {RANDOM_LABELS}"),
        false => format!("whether labels depend on {} is told below", config.labeling_depends_on),
    };
    detail(&format!("scenario: {} ({origin}); {rests}", ready.scenario()));
    if let Some(priors) = ready.priors()? {
        let of_population = matches!(config.prior, Some(PriorGiven::Share(_)));
        let (first, second) = if of_population { ("given", "derived") } else { ("derived", "given") };
        detail(&format!(
            "share of positives: {} in the population ({first}), {} in the unlabeled rows ({second})",
            shown_share(priors.class.get()),
            shown_share(priors.in_unlabeled.get())
        ));
    }
    Ok(())
}

/// What the prior was taken to be where none was given.
pub(super) fn print_estimate(report: &PriorReport, takes: &str) {
    let answer = &report.answer;
    let (low, high) = answer.interval;
    let range = if answer.one_sided {
        format!("at most {high:.3} by {}", experience(takes))
    } else {
        format!("{low:.3} to {high:.3} by {}", experience(takes))
    };
    detail(&format!(
        "share of positives: unknown; at most {:.3} of the unlabeled rows by the data alone, {range} ({:.0} %), {RANDOM_LABELS}",
        answer.bound,
        100.0 * answer.confidence,
    ));
    detail(&format!(
        "learning with a guess, {:.3} of the unlabeled rows ({:.3} of the population); the ranking hardly depends on it, \
         probabilities and the threshold do. --prior gives a share that you know",
        answer.mu,
        report.in_population(answer.mu),
    ));
}

/// Labels that look inverted, and what to do.
pub(super) fn inverted_labels(inverted: Inverted) -> String {
    let hint = inverted.hint();
    format!("{inverted} --{} {}", hint.setting, hint.act)
}

/// What the positives that were set aside can promise.
pub(super) fn print_reserve(about: &About) {
    let reserved = about.reserve.len();
    if reserved > 0 && about.doubt.is_none() {
        let most = (1000.0 * RecallTarget::most_recall(reserved, 0.95)).floor() / 10.0;
        detail(&format!(
            "{} {} set aside: they can promise a recall of up to {most:.1} % with 95 % confidence, {} (predict --recall)",
            counted(reserved, "positives"),
            agree(reserved, "was", "were"),
            about.assumes()
        ));
    }
}

pub(super) fn metrics(about: &About) -> impl Iterator<Item = (&str, Interval)> {
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
    let all = about.told_metrics();
    let of = |how: Told| all.iter().filter(move |one| one.2 == how).map(|&(name, told, _)| (name, told));
    if estimate.assumed.is_some() {
        return format!(
            "{}\nprecision, F1, accuracy and AUC cannot be told without the share of positives: give it with --prior, or have some rows \
             labeled: {audit}\n",
            metric_table(of(Told::Value))
        );
    }
    let (low, high) = estimate.interval;
    let (useless, ranges): (Vec<_>, Vec<_>) = (of(Told::Untold).collect(), of(Told::Range).collect());
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
    format!("{}{told}{untold}", metric_table(of(Told::Value)))
}

/// What the metrics were measured by, and what they rest on.
pub(super) fn measured(about: &About) -> String {
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

/// All of it, for whoever wants to know more.
pub(super) fn as_text(model: &Model, audit: &str) -> String {
    let about = model.about();
    let report = &about.report;
    let metrics = metric_tables(about, audit);
    if !report.beside.is_empty() {
        return format!(
            "{}\nout-of-fold scores ({}, {}), {}:\n{}\n",
            as_portfolio(about),
            counted(report.held_out.positive, "positives"),
            counted(report.held_out.unlabeled, "others"),
            measured(about),
            metrics,
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
        "{} {made_of}; {}\n\n{held} ({}, {}), {}:\n{}\n",
        about.objective,
        report.choice_by(unit),
        counted(report.held_out.positive, "positives"),
        counted(report.held_out.unlabeled, "others"),
        measured(about),
        metrics,
    )
}
