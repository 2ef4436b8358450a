//! `onesided watch`: whether new rows look like those that a model was fitted on, and whether to fit again.

use super::print_device;
use crate::failure::Failure;
use crate::inputs::print_new_notes;
use crate::model_file;
use crate::model_flags::{LabelFlags, ScoringFlags};
use crate::output::{note, print, print_json, print_of_file, table};
use crate::output_path;
use crate::reading_flags::FileFlags;
use clap::Args;
use onesided::data::write_atomically;
use onesided::{FalseAlarms, HistoryEntry, Input, Model, WatchHistory, Watched};
use onesided_report::{Chart, history_chart, watch_chart};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Flags of `watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns, scores, decisions and the share of positives are compared with what the model keeps of its fit, and labels where the new rows \
have some. All comparisons together raise a false alarm in at most --false-alarms of all runs, and differences too small to matter raise \
none. Without a table, --history prints and draws the runs so far.")]
pub struct Watch {
    /// The model file.
    pub model: PathBuf,
    /// The new rows: a table (- for standard input), or a folder of texts or pictures.
    #[arg(required_unless_present = "history")]
    pub file: Option<PathBuf>,
    /// Which of them are labeled.
    #[command(flatten)]
    pub labels: LabelFlags,
    /// Add this run to a file, a line of JSON each; without new rows, print the runs in it.
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Where to draw it: .svg or .png.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Exit with code 4 unless the verdict is to keep the model, or that there are too few rows to tell.
    #[arg(long, requires = "file")]
    pub strict: bool,
    /// The share of runs on rows like those of training that may raise an alarm.
    #[arg(long, default_value_t = FalseAlarms::USUAL.get(), value_name = "SHARE", allow_negative_numbers = true)]
    pub false_alarms: f64,
    /// With what they are scored.
    #[command(flatten)]
    pub scoring: ScoringFlags,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Compares, tells, keeps and draws.
pub fn run(flags: &Watch, as_json: bool) -> Result<(), Failure> {
    flags.files.files()?;
    let false_alarms = FalseAlarms::new(flags.false_alarms)?;
    let rest = [Some(&flags.model), flags.file.as_ref(), flags.history.as_ref()];
    let read: Vec<&Path> = rest.into_iter().flatten().map(PathBuf::as_path).collect();
    if let Some(out) = &flags.out {
        output_path::check_picture(out, &read)?;
    }
    if let Some(history) = &flags.history {
        output_path::check(history, &read[..read.len() - 1])?;
    }
    let Some(file) = &flags.file else { return show(flags, as_json) };
    let (model, beside) = flags.scoring.load(&flags.model, [file.as_path()])?;
    if let Some(history) = &flags.history {
        WatchHistory::check(history, &model.fingerprint()?)?;
    }
    let input = Input::one(file);
    let also = flags.files.again(&input.paths(), flags.labels.roles(), &[], &flags.scoring.text)?;
    let (watched, notes) = model
        .watch_with_notes(&input, &also, Some(beside.as_ref()), false_alarms)
        .map_err(Failure::of_reading)?;
    let warnings = print_new_notes(&model, &notes);
    print_device(&model, watched.rows);
    if let Some(history) = &flags.history {
        WatchHistory::append(history, &HistoryEntry::new(&model, &watched, &file.display().to_string())?)?;
    }
    if let Some(out) = &flags.out {
        draw(&watch_chart(&watched), out)?;
    }
    if as_json {
        let mut object = json!(watched);
        object["verdict"] = json!(watched.verdict());
        object["alarm"] = json!(watched.action.is_alarm());
        object["moved"] = json!(watched.moved());
        object["warnings"] = json!(warnings);
        object["out"] = json!(flags.out.as_ref().map(|out| out.display().to_string()));
        object["history"] = json!(flags.history.as_ref().map(|file| file.display().to_string()));
        print_json(&object)?;
    } else {
        watched.untold.iter().for_each(|untold| note(&format!("note: {untold}")));
        let text = as_text(&watched, flags);
        if flags.history.is_some() { print_of_file(&text)? } else { print(&text)? }
    }
    match flags.strict && watched.action.is_alarm() {
        true => Err(Failure::Strict(watched.verdict())),
        false => Ok(()),
    }
}

/// The runs so far.
fn show(flags: &Watch, as_json: bool) -> Result<(), Failure> {
    let Some(file) = &flags.history else {
        return Err(Failure::input("name the new rows, or a history to show with --history FILE"));
    };
    if flags.labels.label.is_some() {
        return Err(Failure::input("--label is a column of new rows; name them, or leave it out"));
    }
    let model: Model = model_file::load(&flags.model, [file.as_path()])?;
    let history = WatchHistory::read(file, &model.fingerprint()?)?;
    if let Some(out) = &flags.out {
        draw(&history_chart(&history), out)?;
    }
    if as_json {
        let out = flags.out.as_ref().map(|out| out.display().to_string());
        return print_json(&json!({ "entries": history.entries, "out": out }));
    }
    let rows: Vec<Vec<String>> = history.table().into_iter().map(|row| row.to_vec()).collect();
    let wrote = flags.out.as_ref().map_or_else(String::new, |out| format!("wrote {}\n", out.display()));
    print(&format!("{}{wrote}", table(&rows)))
}

fn draw(chart: &Chart, out: &Path) -> Result<(), Failure> {
    Ok(write_atomically(out, |file| {
        if output_path::has_extension(out, "png") {
            file.write_all(&chart.to_png()?)
        } else {
            file.write_all(chart.to_svg().as_bytes())
        }
    })?)
}

fn as_text(watched: &Watched, flags: &Watch) -> String {
    let rows: Vec<Vec<String>> = watched.table().into_iter().map(|row| row.to_vec()).collect();
    let written = [("wrote", &flags.out), ("added to", &flags.history)];
    let written =
        written.into_iter().filter_map(|(what, file)| Some(format!("{what} {}\n", file.as_ref()?.display())));
    format!("{}\n\n{}{}", watched.verdict(), table(&rows), written.collect::<String>())
}
