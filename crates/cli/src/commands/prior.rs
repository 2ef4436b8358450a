//! `onesided prior`: how many positives are hidden among the unlabeled rows, by several estimators.

use crate::failure::Failure;
use crate::inputs::{Places, print_notes};
use crate::output::{note, print, print_json, table, warn};
use crate::output_path;
use crate::progress::{Display, guarded};
use crate::reading_flags::{OfPrior, ReadingFlags};
use clap::Args;
use onesided::data::{counted, grouped, noun, write_atomically};
use onesided::prior::{CrossFitting, Experience, PriorReport, PriorScorer, PriorSettings, estimators};
use onesided::{
    Error, Learner, RANDOM_LABELS, Scenario, estimators_by_name, prior_as_json, prior_lines, prior_warnings,
    rows_of,
};
use onesided_report::Intervals;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Flags of `prior`.
#[derive(Debug, Args)]
#[command(after_help = listing())]
pub struct Prior {
    /// Where the rows are.
    #[command(flatten)]
    pub places: Places,
    /// The estimators: quick (those that need scores only), all, or names such as bbe,km2.
    #[arg(long, default_value = "quick", value_name = "NAMES")]
    pub estimator: String,
    /// How the data were sampled: single-sample (the default for one file or folder) or case-control (for two).
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// The classifier of positives against unlabeled rows: auto, mix (the mean of all but cnn), trees, forest, bags, mlp, cnn or linear.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub scorer: String,
    /// Where to draw the estimates: .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Threads to use; 0 means all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Where networks on pictures are trained: auto, cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub device: String,
    /// Describe the estimators instead.
    #[arg(long)]
    pub list: bool,
    /// How they are read.
    #[command(flatten)]
    pub reading: ReadingFlags<OfPrior>,
}

/// Reads, scores, estimates, and says what came of it.
pub fn run(flags: &Prior, as_json: bool) -> Result<(), Failure> {
    if flags.list {
        return list(as_json);
    }
    let started = Instant::now();
    let input = flags.reading.input(&flags.places)?;
    let options = flags.reading.options(&input.paths())?;
    let settings = settings(flags)?;
    let scenario = flags.scenario.as_deref().map(str::parse::<Scenario>).transpose()?;
    let device = super::device(&flags.device)?;
    if let Some(plot) = &flags.plot {
        output_path::check_picture(plot, &input.paths())?;
    }
    let data = options.read(&input)?;
    let mut warnings = print_notes(&data);
    let data = data.without_blank();
    let counts = data.counts().ok_or(Error::NeedsLabels)?;
    let encoding = data.encoding();
    let takes = encoding.takes();
    note(&format!(
        "{}, {} unlabeled {}, {}",
        counted(counts.positive, "positives"),
        grouped(counts.unlabeled),
        noun(counts.unlabeled, rows_of(takes)),
        counted(encoding.width(), encoding.columns_are())
    ));
    let learner = Learner::new().scenario(scenario).seed(flags.seed).threads(flags.threads).device(device);
    let mut display = Display::new(None);
    let report = guarded(|| {
        learner.prior_settings(settings).estimate_prior_with(&data, &mut |progress| display.update(progress))
    });
    display.finish();
    let report = report?;
    let seconds = started.elapsed().as_secs_f64();
    if let Some(plot) = &flags.plot {
        let chart = Intervals::shares(prior_lines(&report));
        write_atomically(plot, |file| {
            if output_path::has_extension(plot, "png") {
                file.write_all(&chart.to_png()?)
            } else {
                file.write_all(chart.to_svg().as_bytes())
            }
        })?;
    }
    print_prior(&report);
    warnings.extend(prior_warnings(&report));
    if as_json {
        print_json(&prior_as_json(&report, seconds, &warnings))
    } else {
        print(&as_text(&report, takes, seconds))
    }
}

/// Says the warnings, and which estimators have no answer.
pub fn print_prior(report: &PriorReport) {
    warn(&prior_warnings(report));
    for refusal in &report.refusals {
        note(&format!("note: {} has no answer: {}", refusal.estimator, refusal.why));
    }
}

/// The flags' meaning, checked before anything is read.
fn settings(flags: &Prior) -> Result<PriorSettings, Failure> {
    let names = flags.estimator.split(',').map(|name| name.trim().to_string());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(Failure::input("name an estimator, or 'quick', or 'all'; --list describes them"));
    }
    let mut settings = estimators_by_name(&names)?;
    settings.cross_fitting =
        CrossFitting { scorer: flags.scorer.parse::<PriorScorer>()?, ..CrossFitting::default() };
    Ok(settings)
}

/// `0.162 [0.120, 0.211]` in the words of a column.
fn interval((low, high): (f64, f64)) -> String {
    format!("[{low:.3}, {high:.3}]")
}

fn as_text(report: &PriorReport, takes: &str, seconds: f64) -> String {
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
    let agree = if consensus.agreement { "" } else { ", which do not agree" };
    format!(
        "share of positives, {RANDOM_LABELS}; {percent:.0} % confidence, scenario {}, scores by {} in {seconds:.1} s\n\n{}\n\
         The estimators{agree}; all of them assume that somewhere there are only positives:\n\n{}\n{}",
        report.scenario,
        report.scorer,
        table(&answers(report, takes)),
        table(&rows),
        next_step(report, rows_of(takes)),
    )
}

/// What can be said, from what the data show to what has to be assumed.
fn answers(report: &PriorReport, takes: &str) -> Vec<Vec<String>> {
    let (answer, consensus) = (&report.answer, &report.consensus);
    let row = |what: &str, in_unlabeled: String, in_population: String| {
        vec![what.to_string(), in_unlabeled, in_population]
    };
    let at_most = |share: f64| format!("at most {share:.3}");
    let pi = |mu: f64| report.in_population(mu);
    let around = |mu: f64, (low, high): (f64, f64)| format!("{mu:.3} {}", interval((low, high)));
    let both = |what: &str, mu: f64, (low, high): (f64, f64)| {
        row(what, around(mu, (low, high)), around(pi(mu), (pi(low), pi(high))))
    };
    let mut rows = vec![
        row("", "in unlabeled".to_string(), "in population".to_string()),
        row("the data alone", at_most(answer.bound), at_most(pi(answer.bound))),
    ];
    // The guess was learned from tables alone.
    let by_experience = if takes == "tables" { "on tables like this" } else { "on tables" };
    if answer.one_sided {
        let high = answer.interval.1;
        rows.push(row(by_experience, at_most(high), at_most(pi(high))));
        rows.push(row("  best guess", format!("{:.3}", answer.mu), format!("{:.3}", pi(answer.mu))));
    } else {
        rows.push(both(by_experience, answer.mu, answer.interval));
    }
    let name =
        if consensus.agreement { "if some part is pure" } else { "if some part is pure (no agreement)" };
    rows.push(both(name, consensus.mu, consensus.interval));
    rows
}

/// Which number to use, what it rests on, and how to know better.
fn next_step(report: &PriorReport, rows: &str) -> String {
    let (tasks, tables) = Experience::size();
    let answer = &report.answer;
    let sure = if answer.one_sided {
        "The data give no lower end: the share may be much smaller than the guess. "
    } else {
        ""
    };
    format!(
        "Which number to use: the best guess, {:.3} of the unlabeled {rows} {RANDOM_LABELS}. fit takes it unless you give --prior. It rests on \
         {tasks} tasks from {tables} tables whose answers are known. {sure}The last line of the first table holds if some {rows} can \
         only be positive. To know better, have a random part of the unlabeled {rows} labeled: onesided audit draw.\n",
        answer.mu
    )
}

fn list(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let all: Vec<_> = estimators().iter().map(|one| json!(one.info())).collect();
        return print_json(&json!({ "estimators": all }));
    }
    let mut text = String::new();
    for one in estimators() {
        let about = one.info();
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
        .map(|one| vec![format!("  {}", one.info().name), one.info().title.to_string()])
        .collect();
    let widest = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|row| format!("{:<widest$}  {}", row[0], row[1])).collect();
    format!("Estimators (--list says what each assumes):\n{}", lines.join("\n"))
}
