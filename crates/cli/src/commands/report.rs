//! `onesided report`: a model and a table as a page to look at and to send.

use super::print_device;
use crate::failure::Failure;
use crate::inputs::Places;
use crate::model_flags::{LabelFlags, ScoringFlags};
use crate::output::{note, print, print_json};
use crate::output_path;
use crate::progress::guarded;
use crate::reading_flags::FileFlags;
use crate::typed::typed;
use clap::Args;
use onesided::data::{counted, grouped, is_stream, write_atomically};
use onesided::{Comparison, Input, List, Model, Roles, Side, State, Summary, SummarySettings};
use onesided_report::{PageSettings, compare_page, page};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Flags of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
The page is one HTML file that loads nothing and needs no server: what was found and how sure it is, what is assumed and how that stands, how \
far to read, what drives the model, and the first rows with reasons. It contains rows of the table unless you say --no-rows.

With --compare, name the table alone: 'onesided report TABLE --compare A B --out page.html' puts models side by side.")]
pub struct Report {
    /// The model file; with --compare, the table.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Where the rows are.
    #[command(flatten)]
    pub places: Places,
    /// Where to write the page: a name that ends in .html.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Put these models side by side on one table, instead of one model.
    #[arg(long, value_name = "MODEL", num_args = 2.., conflicts_with_all = ["file", "positives", "unlabeled", "negatives", "no_rows", "id"])]
    pub compare: Vec<PathBuf>,
    /// Leave the rows of the table out of the page.
    #[arg(long)]
    pub no_rows: bool,
    /// Columns to know the rows by; they are shown first.
    #[arg(short, long, value_name = "COLUMN")]
    pub id: Vec<String>,
    /// Which of them are labeled.
    #[command(flatten)]
    pub labels: LabelFlags,
    /// With what they are scored.
    #[command(flatten)]
    pub scoring: ScoringFlags,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Reads, measures and writes.
pub fn run(flags: &Report, as_json: bool) -> Result<(), Failure> {
    if !flags.compare.is_empty() {
        return compare(flags, as_json);
    }
    let input = flags.places.input(&[("label", flags.labels.label.is_some())])?;
    let read: Vec<&Path> = [flags.model.as_path()].into_iter().chain(input.paths()).collect();
    check(&flags.out, &read, &input)?;
    let (model, beside) = flags.scoring.load(&flags.model, flags.places.file.as_deref())?;
    let roles = Roles { id: flags.id.clone(), ..Roles::default() };
    let also = flags.files.again(&input.paths(), roles, &[], &flags.scoring.text)?;
    let list = flags.labels.on(List::of(&model).rows_of_model(Some(beside.as_ref())));
    let list = list.threads(flags.scoring.threads);
    let summary = list.summary(&input, &also, &settings(flags.no_rows)).map_err(Failure::of_reading)?;
    print_device(&model, summary.rows);
    let bytes = write(&summary, &flags.out)?;
    if as_json {
        return print_json(&json!({
            "out": flags.out.display().to_string(),
            "bytes": bytes,
            "contains_rows": summary.has_rows(),
            "rows": summary.rows,
            "predicted_positive": summary.predicted_positive,
            "share": summary.share,
            "positives": summary.positives,
            "assumptions": summary.assumptions,
            "checks": summary.checks,
        }));
    }
    for one in summary.assumptions.iter().filter(|one| one.state == State::Fails) {
        note(&format!("fails: {}", one.why));
    }
    print(&wrote(&summary, &flags.out, bytes))
}

/// Models side by side.
fn compare(flags: &Report, as_json: bool) -> Result<(), Failure> {
    let input = Input::one(&flags.model);
    let read: Vec<&Path> = flags.compare.iter().map(PathBuf::as_path).chain(input.paths()).collect();
    check(&flags.out, &read, &input)?;
    if flags.model.is_file() && Model::load(&flags.model).is_ok() {
        return Err(Failure::input(format!(
            "'{}' is a model; with --compare, name the table first and all models behind --compare",
            flags.model.display()
        )));
    }
    let load = |path: &PathBuf| flags.scoring.load(path, []);
    let models = flags.compare.iter().map(load).collect::<Result<Vec<_>, Failure>>()?;
    let also = flags.files.again(&input.paths(), Roles::default(), &[], &flags.scoring.text)?;
    let mut lists: Vec<(String, List)> = Vec::new();
    for ((model, beside), name) in models.iter().zip(names_of(&flags.compare)) {
        let list = flags.labels.on(List::of(model).rows_of_model(Some(beside.as_ref())));
        lists.push((name, list.threads(flags.scoring.threads)));
    }
    let comparison = Comparison::of(&lists, &input, &also).map_err(Failure::of_reading)?;
    let page = compare_page(&comparison, &PageSettings { command: typed() });
    guarded(|| write_atomically(&flags.out, |file| file.write_all(page.as_bytes())))?;
    if as_json {
        let side = |side: &Side| {
            json!({
                "model": side.name,
                "rows": side.summary.rows,
                "predicted_positive": side.summary.predicted_positive,
                "share": side.summary.share,
                "assumptions": side.summary.assumptions,
            })
        };
        return print_json(&json!({
            "out": flags.out.display().to_string(),
            "bytes": page.len(),
            "models": comparison.models.iter().map(side).collect::<Vec<_>>(),
            "overlaps": comparison.overlaps,
        }));
    }
    print(&format!(
        "wrote {} ({} KB): {} side by side; it contains no rows of the table\n",
        flags.out.display(),
        grouped(page.len().div_ceil(1_000)),
        counted(lists.len(), "models")
    ))
}

/// What models are called: the names of their files, with their folders where two are alike.
fn names_of(paths: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| {
        path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    let all: Vec<String> = paths.iter().map(short).collect();
    let is_alone = |name: &String| all.iter().filter(|other| *other == name).count() == 1;
    let name = |(path, name): (&PathBuf, &String)| {
        if is_alone(name) { name.clone() } else { path.display().to_string() }
    };
    paths.iter().zip(&all).map(name).collect()
}

/// What a page holds.
pub fn settings(no_rows: bool) -> SummarySettings {
    let all = SummarySettings::default();
    SummarySettings { rows: if no_rows { 0 } else { all.rows }, ..all }
}

/// Refuses a page that could not be written, and rows that cannot be read twice.
pub fn check(out: &Path, read: &[&Path], input: &Input) -> Result<(), Failure> {
    if !output_path::has_extension(out, "html") && !output_path::has_extension(out, "htm") {
        return Err(Failure::input(format!("'{}' must end in .html, which browsers open", out.display())));
    }
    if input.paths().iter().any(|path| is_stream(path)) {
        return Err(Failure::input("a page reads the table twice, so name a file, not a stream"));
    }
    output_path::check(out, read)
}

/// Writes the page; returns how large it is.
pub fn write(summary: &Summary, out: &Path) -> Result<usize, Failure> {
    let page = page(summary, &PageSettings { command: typed() });
    guarded(|| write_atomically(out, |file| file.write_all(page.as_bytes())))?;
    Ok(page.len())
}

/// What was written, and what to know before it is sent.
pub fn wrote(summary: &Summary, out: &Path, bytes: usize) -> String {
    let rows = match summary.first.len() {
        0 => "it contains no rows of the table".to_string(),
        rows => format!("it contains {} of the table", counted(rows, "rows")),
    };
    format!("wrote {} ({} KB); {rows}\n", out.display(), grouped(bytes.div_ceil(1_000)))
}
