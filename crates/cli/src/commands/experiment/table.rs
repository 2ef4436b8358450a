//! The table of a spec's results: as Markdown, CSV or JSON.

use super::spec;
use crate::failure::Failure;
use crate::output::{print, print_json};
use clap::Args;
use onesided_experiment::{Measure, Results, Table};
use std::path::PathBuf;

/// Flags of `experiment table`.
#[derive(Debug, Args)]
pub struct Flags {
    /// The spec: a .toml file, or the name of one in the folder experiments.
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// markdown or csv; --json for JSON.
    #[arg(long, default_value = "markdown")]
    pub format: String,
    /// accuracy, auc, or estimated-accuracy (of rows held out, without a negative).
    #[arg(long, default_value = "accuracy")]
    pub measure: String,
    /// Where the results are [default: results/SPEC.jsonl beside the spec].
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
}

/// Prints the table.
pub fn run(flags: &Flags, as_json: bool) -> Result<(), Failure> {
    let measure: Measure = flags.measure.parse().map_err(Failure::Input)?;
    if !["markdown", "csv"].contains(&flags.format.as_str()) {
        return Err(Failure::Input(format!(
            "unknown format '{}'; use markdown or csv, or --json",
            flags.format
        )));
    }
    let spec = spec(&flags.spec)?;
    let file = flags.results.clone().unwrap_or_else(|| spec.results_file());
    let table = Table::new(&spec, &Results::read(&file, &spec.reuse)?, measure)?;
    match (as_json, flags.format.as_str()) {
        (true, _) => print_json(&table.json()),
        (false, "csv") => print(&table.csv()),
        _ => print(&table.markdown()),
    }
}
