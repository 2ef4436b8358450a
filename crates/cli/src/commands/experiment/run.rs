//! Running a spec: what is not done yet, several runs at a time, each recorded when it ends.

use super::spec;
use crate::commands::device;
use crate::failure::Failure;
use crate::inputs::memory_of;
use crate::output::{note, print, print_json};
use crate::progress::{guarded, interrupted};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onesided::learn::Machine;
use onesided_experiment::{
    CampaignProgress, Event, Measure, Record, Results, ResultsTable, RunOptions, Spec, pending, run_all,
};
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Flags of `experiment SPEC`.
#[derive(Debug, Args)]
pub struct Flags {
    /// The spec: a .toml file, or the name of one in the folder experiments or of a built-in one.
    #[arg(value_name = "SPEC", required_unless_present = "list")]
    pub spec: Option<PathBuf>,
    /// List the built-in specs and exit.
    #[arg(long, conflicts_with_all = ["spec", "only", "results", "dry_run"])]
    pub list: bool,
    /// The folder of the published data sets; see docs/data-sets.md.
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
    /// Runs at once; on a GPU they share it, on the CPU they share the cores.
    #[arg(long, default_value_t = 1, value_name = "K")]
    pub jobs: usize,
    /// Where to train: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto")]
    pub device: String,
    /// Precision on a GPU: bf16, or f32 for checking.
    #[arg(long, default_value = "bf16")]
    pub precision: String,
    /// Threads of each run; 0 shares the cores among the runs.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Only runs whose name starts with this: DATA, DATA/HIDDEN, DATA/HIDDEN/METHOD, …; * matches any part. May be repeated.
    #[arg(long, value_name = "RUNS")]
    pub only: Vec<String>,
    /// Where to append the results [default: results/SPEC.jsonl next to the spec].
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// List the remaining runs without starting any.
    #[arg(long)]
    pub dry_run: bool,
    /// Memory limit for reading, such as 2G or 512M [default: the free memory].
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// Does what is left of a spec and prints its table.
pub fn run(flags: &Flags, as_json: bool) -> Result<(), Failure> {
    let Some(named) = &flags.spec else { return Err(Failure::input("name a spec to run")) };
    memory_of(flags.memory.as_deref())?;
    if flags.jobs == 0 {
        return Err(Failure::input("--jobs must be at least 1"));
    }
    let machine = Machine {
        device: device(&flags.device)?,
        precision: flags.precision.parse()?,
        threads: threads(flags),
    };
    let options = RunOptions { machine, jobs: flags.jobs };
    let spec = spec(named)?;
    let file = flags.results.clone().unwrap_or_else(|| spec.results_file());
    let mut results = Results::read(&file, &spec.reuse)?;
    let mut runs = if flags.only.is_empty() { pending(&spec, &results, None)? } else { Vec::new() };
    for only in &flags.only {
        for run in pending(&spec, &results, Some(only))? {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    if flags.dry_run {
        if as_json {
            let names: Vec<&String> = runs.iter().map(|run| &run.name).collect();
            return print_json(&json!({ "runs": names }));
        }
        return print(&runs.iter().map(|run| format!("{}\n", run.name)).collect::<String>());
    }
    if runs.is_empty() {
        note(&format!("every run is in '{}' already", file.display()));
    }
    let display = Display::new(runs.len());
    let outcome = guarded(|| {
        let observer = |event: Event| display.tell(event);
        run_all(&spec, &runs, &flags.data, &options, &mut results, &observer, &interrupted)
    });
    display.bar.finish_and_clear();
    outcome?;
    let table = ResultsTable::new(&spec, &results, Measure::Accuracy)?.begun();
    if as_json { print_json(&table.json()) } else { print(&table.markdown()) }
}

/// The specs that are built in: name, number of runs and title.
pub fn list(as_json: bool) -> Result<(), Failure> {
    let mut specs = Vec::new();
    for name in Spec::built_in_names() {
        let Some(spec) = Spec::built_in(name) else { continue };
        let spec = spec?;
        specs.push((name, spec.runs().map_err(Failure::Input)?.len(), spec.title));
    }
    if as_json {
        let specs =
            specs.iter().map(|(name, runs, title)| json!({ "name": name, "runs": runs, "title": title }));
        return print_json(&json!({ "specs": specs.collect::<Vec<_>>() }));
    }
    let row = |(name, runs, title): &(&str, usize, String)| format!("{name:<18} {runs:>5} runs  {title}\n");
    print(&specs.iter().map(row).collect::<String>())
}

/// Threads of each run: as asked, or an equal share of the cores.
fn threads(flags: &Flags) -> usize {
    match flags.threads {
        0 if flags.jobs == 1 => 0,
        0 => std::thread::available_parallelism().map_or(1, |cores| (cores.get() / flags.jobs).max(1)),
        threads => threads,
    }
}

/// A bar on a terminal, one line per run elsewhere.
struct Display {
    bar: ProgressBar,
    terminal: bool,
}

impl Display {
    fn new(runs: usize) -> Self {
        let terminal = std::io::stderr().is_terminal() && !crate::output::is_quiet();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("[{bar:30}] {pos}/{len} runs, {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
        Self { bar: bar.with_style(style.progress_chars("=> ")), terminal }
    }

    fn tell(&self, event: Event) {
        match event {
            Event::Reading(data) => self.bar.suspend(|| note(&format!("reading {data}"))),
            Event::On(device) if device != "cpu" => self.bar.suspend(|| note(&format!("device: {device}"))),
            Event::Done(record, progress) => {
                let CampaignProgress { done, all, seconds, left } = progress;
                let rate = format!("{:.1} runs/min, {} left", 60.0 * done as f64 / seconds, clock(left));
                self.bar.set_position(done as u64);
                self.bar.set_message(format!("{rate}; last {}", said(record)));
                if !self.terminal {
                    note(&format!("[{done}/{all}] {}; {rate}", said(record)));
                }
            }
            _ => {}
        }
    }
}

fn said(record: &Record) -> String {
    format!("{} {:.2} % in {:.1} s", record.run, 100.0 * record.accuracy, record.seconds)
}

/// `45 s`, `12 min`, `3.4 h`.
fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn time_left_is_short() {
        assert_eq!([clock(3.2), clock(600.0), clock(9000.0)], ["3 s", "10 min", "2.5 h"]);
    }
}
