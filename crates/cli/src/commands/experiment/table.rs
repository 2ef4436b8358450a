//! The table of a spec's results: as Markdown, CSV or JSON.

use super::spec;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use clap::Args;
use onesided::data::unknown_name;
use onesided_experiment::{Measure, Results, ResultsTable};
use std::path::PathBuf;

/// Flags of `experiment table`.
#[derive(Debug, Args)]
pub struct Flags {
    /// The spec: a .toml file, or the name of one in the folder experiments or of a built-in one.
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// The format: markdown or csv; --json for JSON.
    #[arg(long, default_value = "markdown")]
    pub format: String,
    /// The measure: accuracy, auc, or estimated-accuracy (from held-out rows without negatives).
    #[arg(long, default_value = "accuracy")]
    pub measure: String,
    /// How far METHOD is above each of the others, paired by seed: mean difference and standard error, bold where p < .05
    /// (Student's t).
    #[arg(long, value_name = "METHOD")]
    pub compare: Option<String>,
    /// Where the results are [default: results/SPEC.jsonl next to the spec].
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
}

/// Prints the table.
pub fn run(flags: &Flags, as_json: bool) -> Result<(), Failure> {
    let measure: Measure = flags.measure.parse().map_err(Failure::Input)?;
    if !["markdown", "csv"].contains(&flags.format.as_str()) {
        let known = ["markdown", "csv", "--json"];
        return Err(Failure::Input(unknown_name("format", &flags.format, &known)));
    }
    let spec = spec(&flags.spec)?;
    let file = flags.results.clone().unwrap_or_else(|| spec.results_file());
    if !file.exists() {
        let file = file.display();
        match flags.results {
            Some(_) => {
                return Err(Failure::input(format!("there is no results file '{file}'; check the path")));
            }
            None => note(&format!("note: nothing is run yet, since there is no results file '{file}'")),
        }
    }
    let table = ResultsTable::new(&spec, &Results::read(&file, &spec.reuse)?, measure)?;
    if let Some(method) = &flags.compare {
        let comparison = table.compared(method)?;
        return match (as_json, flags.format.as_str()) {
            (true, _) => print_json(&comparison.json()),
            (false, "csv") => print(&comparison.csv()),
            _ => print(&comparison.markdown()),
        };
    }
    match (as_json, flags.format.as_str()) {
        (true, _) => print_json(&table.json()),
        (false, "csv") => print(&table.csv()),
        _ => print(&table.markdown()),
    }
}
