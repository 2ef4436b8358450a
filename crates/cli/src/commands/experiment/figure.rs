//! The figure of a spec: trains its run with two units before the score, draws them, and lists who changed sides.

use super::spec;
use crate::commands::device;
use crate::failure::Failure;
use crate::output::{note, print, print_json, table};
use crate::output_path;
use crate::progress::{guarded, interrupted};
use clap::Args;
use onesided::data::write_atomically;
use onesided::learn::Machine;
use onesided_experiment::{Kind, TrainingFigure, crossings, figure, tally};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Flags of `experiment figure`.
#[derive(Debug, Args)]
pub struct Flags {
    /// A spec with a section [figure]: a .toml file, or the name of one in the folder experiments or of a built-in one.
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// The picture as SVG.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The picture as PNG.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Every unlabeled row with the number of times it crossed the boundary, as candidates for labeling, as CSV.
    #[arg(long, value_name = "FILE")]
    pub crossings: Option<PathBuf>,
    /// The folder of the published data sets; see docs/data-sets.md.
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
    /// Where to train: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto")]
    pub device: String,
    /// Precision on a GPU: bf16, or f32 for checking.
    #[arg(long, default_value = "bf16")]
    pub precision: String,
    /// CPU threads to use; 0 means all.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
}

/// Trains, draws and lists.
pub fn run(flags: &Flags, as_json: bool) -> Result<(), Failure> {
    let machine = Machine {
        device: device(&flags.device)?,
        precision: flags.precision.parse()?,
        threads: flags.threads,
    };
    let spec = spec(&flags.spec)?;
    if spec.figure.is_none() {
        let file = spec.file.display();
        return Err(Failure::Input(format!("'{file}' has no section [figure], which says what to draw")));
    }
    let wanted = [(&flags.out, "svg"), (&flags.png, "png"), (&flags.crossings, "csv")];
    let mut taken: Vec<&Path> = vec![&spec.file];
    for (file, extension) in
        wanted.iter().filter_map(|(file, extension)| Some((file.as_deref()?, *extension)))
    {
        output_path::check(file, &taken)?;
        check_extension(file, extension)?;
        taken.push(file);
    }
    if taken.len() == 1 {
        return Err(Failure::input(
            "name what to write: --out FILE.svg, --png FILE.png, --crossings FILE.csv",
        ));
    }
    note(&format!("reading {}", spec.data[0].title));
    let (started, mut told) = (Instant::now(), 0);
    let figure = guarded(|| {
        figure(&spec, &flags.data, machine, &mut |progress| {
            if progress.batch == progress.batches && progress.epoch > told {
                told = progress.epoch;
                let (seconds, loss) = (started.elapsed().as_secs_f64(), progress.loss);
                note(&format!("epoch {told}/{}: loss {loss:.4}, {seconds:.0} s", progress.epochs));
            }
            !interrupted()
        })
    })?;
    guarded(|| write(&figure, flags))?;
    if as_json { print_json(&as_object(&figure)) } else { print(&as_text(&figure, &taken[1..])) }
}

/// A name has to say what is in the file; a device or a pipe may have any.
fn check_extension(file: &Path, wanted: &str) -> Result<(), Failure> {
    if output_path::has_extension(file, wanted) || !file.metadata().map_or(true, |about| about.is_file()) {
        return Ok(());
    }
    Err(Failure::Input(format!("cannot write '{}': choose a name that ends in .{wanted}", file.display())))
}

fn write(figure: &TrainingFigure, flags: &Flags) -> Result<(), Failure> {
    let chart = figure.chart();
    // Everything is made before the first file is touched.
    let parts = [
        (&flags.out, flags.out.is_some().then(|| Ok(chart.to_svg().into_bytes()))),
        (&flags.png, flags.png.is_some().then(|| chart.to_png())),
        (&flags.crossings, Some(Ok(figure.crossings_csv().into_bytes()))),
    ];
    let mut files = Vec::new();
    for (path, content) in parts {
        if let (Some(path), Some(content)) = (path, content) {
            let content = content
                .map_err(|cause| Failure::Input(format!("cannot draw '{}': {cause}", path.display())))?;
            files.push((path, content));
        }
    }
    for (path, content) in files {
        write_atomically(path, |file| file.write_all(&content))?;
    }
    Ok(())
}

fn as_object(figure: &TrainingFigure) -> Value {
    let followed = figure.followed.iter().enumerate().map(|(number, one)| {
        let sample = &figure.samples[one.sample];
        json!({
            "sample": format!("S{}", number + 1),
            "rule": one.rule.to_string(),
            "kind": figure.named(sample.track.kind),
            "row": sample.name,
            "scores": sample.track.scores,
            "crossings": crossings(&sample.track.scores),
        })
    });
    let kinds = [Kind::Labeled, Kind::Hidden, Kind::Negative];
    let tally = tally(&figure.candidates);
    let counts = tally
        .iter()
        .map(|(crossings, rows, wrong)| json!({ "crossings": crossings, "rows": rows, "wrong": wrong }));
    json!({
        "run": figure.record.run,
        "test_accuracy": figure.record.accuracy,
        "samples": figure.samples.len(),
        "decided_positive": kinds.map(|kind| json!({
            "kind": figure.named(kind),
            "samples": figure.samples.iter().filter(|sample| sample.track.kind == kind).count(),
            "by_epoch": figure.decided_positive(kind),
        })),
        "followed": followed.collect::<Vec<_>>(),
        "unlabeled": figure.candidates.len(),
        "by_crossings": counts.collect::<Vec<_>>(),
        "seconds": figure.record.seconds,
    })
}

fn as_text(figure: &TrainingFigure, written: &[&Path]) -> String {
    let row = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<String>>();
    let mut followed =
        vec![row(&["sample", "which", "kind", if figure.files { "file" } else { "row" }, "crossings"])];
    for (number, one) in figure.followed.iter().enumerate() {
        let sample = &figure.samples[one.sample];
        let count = crossings(&sample.track.scores).to_string();
        let (rule, kind) = (one.rule.to_string(), figure.named(sample.track.kind));
        followed.push(row(&[&format!("S{}", number + 1), &rule, &kind, &sample.name, &count]));
    }
    let mut counts = vec![row(&["crossings", "unlabeled rows", "decided wrongly"])];
    for (crossings, rows, wrong) in tally(&figure.candidates) {
        let share =
            if rows == 0 { String::new() } else { format!("{:.1} %", 100.0 * wrong as f64 / rows as f64) };
        counts.push(row(&[&crossings.to_string(), &rows.to_string(), &share]));
    }
    let files: String = written.iter().map(|file| format!("wrote {}\n", file.display())).collect();
    let accuracy = 100.0 * figure.record.accuracy;
    format!(
        "{}: {accuracy:.2} % of the test rows are decided rightly\n\n{}\n{}\n{files}",
        figure.record.run,
        table(&followed),
        table(&counts)
    )
}
