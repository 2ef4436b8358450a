//! The verdict of `onesided fit`: a few lines, with what to look at before them and what to do next behind.

use crate::args;
use crate::failure::as_flag;
use crate::output::{is_verbose, warn};
use onesided::data::{agree, counted};
use onesided::{Check, InShort, NextStep, Warned};
use std::path::Path;

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

/// What there is to rank of this fit: its table, or its unlabeled rows.
fn ranked(flags: &args::Fit) -> String {
    let place = flags.places.unlabeled.as_ref().or(flags.places.file.as_ref());
    let place = place.filter(|place| place.as_os_str() != "-");
    place.map_or_else(|| "TABLE".to_string(), |place| shell_word(&place.display().to_string()))
}

/// The command of a step, with the names of this fit.
fn command(step: NextStep, flags: &args::Fit) -> String {
    let out = shell_word(&flags.out.display().to_string());
    let word = |path: &Path| shell_word(&path.display().to_string());
    match (step, &flags.places.positives, &flags.places.unlabeled) {
        (NextStep::Rank, ..) => format!("onesided predict {out} {} --out list.csv", ranked(flags)),
        (NextStep::Audit, ..) => audit_command(flags),
        (NextStep::Report, Some(positives), Some(unlabeled)) => {
            format!(
                "onesided report {out} --positives {} --unlabeled {} --out page.html",
                word(positives),
                word(unlabeled)
            )
        }
        (NextStep::Report, ..) => format!("onesided report {out} {} --out page.html", ranked(flags)),
    }
}

/// The command that draws rows of this table to be labeled.
pub(super) fn audit_command(flags: &args::Fit) -> String {
    let mut words = vec!["onesided audit draw".to_string(), shell_word(&flags.out.display().to_string())];
    words.push(ranked(flags));
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
