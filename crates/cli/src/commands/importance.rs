//! `onesided importance`: how much a model relies on each column.

use super::evaluate::{answered, classes};
use crate::failure::Failure;
use crate::inputs::{Places, print_new_notes};
use crate::model_flags::ScoringFlags;
use crate::output::{note, print, print_json, table, warn};
use crate::output_path;
use crate::progress::Display;
use crate::reading_flags::FileFlags;
use clap::Args;
use onesided::data::{agree, counted, write_atomically};
use onesided::{
    Against, Dataset, Encoding, Error, Importance as Measured, ImportanceSettings, Input, Label, Model,
    Roles, Signal,
};
use onesided_report::Bars;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Columns that are printed and drawn.
const SHOWN: usize = 20;

/// Flags of `importance`.
#[derive(Debug, Args)]
#[command(after_help = "\
A column's cells change places between rows, and the AUC that the model loses by it is the column's importance: with --truth the \
AUC of positives against negatives, otherwise that of labeled positives against unlabeled rows. Give it rows that the model was \
not fitted on. Columns that say the same stand in for one another, and each seems to matter little. Of a model of texts the words \
are measured.")]
pub struct Importance {
    /// The model file.
    pub model: PathBuf,
    /// Where the rows are.
    #[command(flatten)]
    pub places: Places,
    /// The column that says which rows are labeled positive.
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The column of true labels.
    #[arg(long, value_name = "COLUMN")]
    pub truth: Option<String>,
    /// The value (or folder) that means positive.
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,
    /// Where to draw it: .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Shuffles of each column.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub repeats: usize,
    /// Columns to measure in full; if there are more, a first pass on 2,000 rows picks those that matter most.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub columns: usize,
    /// The seed of the shuffles.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// With what they are scored.
    #[command(flatten)]
    pub scoring: ScoringFlags,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Reads, shuffles, measures and tells.
pub fn run(flags: &Importance, as_json: bool) -> Result<(), Failure> {
    flags.files.files()?;
    for (flag, number) in [("--repeats", flags.repeats), ("--columns", flags.columns)] {
        if number == 0 {
            return Err(Failure::input(format!("{flag} must be at least 1, but is 0")));
        }
    }
    let input = answered(&flags.places, &flags.label, &flags.truth, flags.positive.as_deref(), &[])?;
    if let Some(out) = &flags.out {
        let read: Vec<&Path> = [flags.model.as_path()].into_iter().chain(input.paths()).collect();
        output_path::check_picture(out, &read)?;
    }
    let (model, beside) = flags.scoring.load(&flags.model, flags.places.file.as_deref())?;
    let roles = Roles {
        // Where the truth is known it is what counts; a label column next to it is not a feature.
        label: flags.label.clone().filter(|_| flags.truth.is_none()),
        truth: flags.truth.clone(),
        positive: flags.positive.clone(),
        ..Roles::default()
    };
    let also = flags.files.again(&input.paths(), roles, &[], &flags.scoring.text)?;
    let data = model.read_with(&input, &also).map_err(Failure::of_reading)?;
    let is_met = model.has_met(&data, Some(beside.as_ref()))?;
    let data = match (&input, &flags.positive) {
        (Input::One(folder), Some(positive)) if folder.is_dir() => {
            with_classes(data, folder, positive, is_met)?
        }
        _ => data,
    };
    let mut warnings = print_new_notes(&model, data.notes());
    let settings = ImportanceSettings {
        repeats: flags.repeats,
        columns: flags.columns,
        seed: flags.seed,
        ..ImportanceSettings::default()
    };
    // Nothing is written yet, so Ctrl-C may end it at once.
    let mut display = Display::new(None);
    let measured = model.importance_with(&data, &settings, &mut |done, all| {
        display.columns(done, all);
        Signal::Continue
    });
    display.finish();
    let measured = measured?;
    let met = if is_met {
        vec![
            "the model was fitted on these rows: what it has learned by heart counts, too; for numbers that hold for new rows, keep \
             every fifth row or so out of the table that you fit, and measure on those"
                .to_string(),
        ]
    } else {
        Vec::new()
    };
    warn(&met);
    warnings.extend(met);
    if measured.not_measured > 0 {
        note(&format!(
            "{} that lost less in a first pass on a few rows{} {} not measured; --columns N measures more",
            counted(measured.not_measured, thing(&model).1),
            if of_texts(&model) { ", or are in fewer texts," } else { "" },
            agree(measured.not_measured, "is", "are")
        ));
    }
    if let Some(out) = &flags.out {
        let chart = picture(&measured, thing(&model).0);
        write_atomically(out, |file| {
            if output_path::has_extension(out, "png") {
                file.write_all(&chart.to_png()?)
            } else {
                file.write_all(chart.to_svg().as_bytes())
            }
        })?;
    }
    if as_json {
        let mut object = json!(measured);
        object["warnings"] = json!(warnings);
        object["out"] = json!(flags.out.as_ref().map(|out| out.display().to_string()));
        return print_json(&object);
    }
    print(&as_text(&measured, thing(&model).0, flags))
}

/// With what the names of folders tell: the labels of rows that the model was fitted on, and the truth of others.
fn with_classes(data: Dataset, folder: &Path, positive: &str, is_met: bool) -> Result<Dataset, Failure> {
    let told = classes(data.ids().first().map(|(_, names)| names), folder, positive)?;
    let label = |&told: &bool| if told { Label::Positive } else { Label::Unlabeled };
    let data =
        if is_met { data.with_labels(told.iter().map(label).collect()) } else { data.with_truth(told) };
    Ok(data.map_err(Error::from)?)
}

fn others(against: Against) -> &'static str {
    match against {
        Against::Negatives => "negatives",
        Against::Unlabeled => "unlabeled rows",
    }
}

fn of_texts(model: &Model) -> bool {
    matches!(model.encoding().as_ref(), Encoding::Text(_))
}

/// What is measured, one of it and several.
fn thing(model: &Model) -> (&'static str, &'static str) {
    if of_texts(model) { ("word", "words") } else { ("column", "columns") }
}

fn picture(measured: &Measured, thing: &str) -> Bars {
    let label = format!("AUC lost against {} when the {thing} is shuffled", others(measured.against));
    let bars = Bars::new("What the model counts on", label);
    measured
        .columns
        .iter()
        .take(SHOWN)
        .fold(bars, |bars, one| bars.row(&one.column, one.lost.value, (one.lost.low, one.lost.high)))
}

fn as_text(measured: &Measured, thing: &str, flags: &Importance) -> String {
    let (positives, rest) = measured.rows;
    let mut rows = vec![[thing, "AUC lost", "95 % interval"].map(str::to_string).to_vec()];
    rows.extend(measured.columns.iter().take(SHOWN).map(|one| {
        // Adding 0 to a number that is shown as -0.0000 takes its sign away.
        let [value, low, high] = [one.lost.value, one.lost.low, one.lost.high]
            .map(|x| format!("{:.4}", (1e4 * x).round() / 1e4 + 0.0));
        vec![one.column.clone(), value, format!("[{low}, {high}]")]
    }));
    let more = match measured.columns.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("and {more} more; --json tells all\n"),
    };
    let wrote = flags.out.as_ref().map_or_else(String::new, |out| format!("wrote {}\n", out.display()));
    format!(
        "AUC {:.4} of {} against {}\n\n{}{more}{wrote}",
        measured.auc,
        counted(positives, "positives"),
        counted(rest, others(measured.against)),
        table(&rows)
    )
}
