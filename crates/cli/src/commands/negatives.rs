//! `onesided negatives`: rows that are not positive, of a new table by a model or of a labeled table by its own labels.

use super::predict::{not_written, scratch_folder};
use super::review::{labeling, share};
use super::{device, print_device};
use crate::config_flags::ConfigFlags;
use crate::failure::Failure;
use crate::inputs::{check_texts, print_new_notes, tell};
use crate::list_style::ListStyle;
use crate::model_file;
use crate::output::{note, print, print_json, print_of_file, table, warn};
use crate::output_path;
use crate::progress::{self, Display, guarded, interrupted};
use crate::reading_flags::{OfNegatives, ReadingFlags};
use clap::Args;
use onesided::data::{TableError, column_names, counted, grouped, is_standard_output};
use onesided::{
    At, Certified, CertifiedColumns, CertifiedRow, FileOptions, Input, LabelingOdds, Learner, List,
    NegativesTarget, Roles, Signal, TableNegatives,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Rows shown when there is no file to write them to.
const SHOWN: usize = 10;

/// Flags of `negatives`.
#[derive(Debug, Args)]
#[command(after_help = "\
With MODEL, which must have been fitted with --reserve, rows of a new table are looked at: the reserved positives say how low positives \
score. Without it, unlabeled rows of a labeled table are: half of its positives are learned from, and the other half say how low positives \
score, so it fits for itself and takes the flags of 'fit'. Rows that a model was fitted on cannot be certified by that model.")]
pub struct Negatives {
    /// A model and a table of new rows (- for standard input), or a table with labels alone.
    #[arg(required = true, num_args = 1..=2, value_names = ["MODEL", "FILE"])]
    pub places: Vec<PathBuf>,
    /// The share of positives that such a list may have on average.
    #[arg(long, value_name = "SHARE", default_value = "0.05", allow_hyphen_values = true)]
    pub fdr: String,
    /// Where to write row, score and p-value of the rows that are not positive: .csv, .tsv, .jsonl, .xlsx or .parquet, or - for standard
    /// output. Without it, the ten surest are shown.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What if labels are not a random sample: bound the share for labels that favor some positives, whose odds of being labeled are up to
    /// this many times those of others, such as 2 [default: 1, labels at random].
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    pub labeling_odds: Option<String>,
    /// Split the labeled positives N times, without MODEL: a list that depends less on luck, for N times the time [default: 1].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub splits: Option<usize>,
    /// The style of a text list: plain (comma-separated, decimal points), semicolon (semicolons, decimal commas) or like-input
    /// (the style of the table) [default: plain].
    #[arg(long, value_name = "NAME", requires = "out")]
    pub out_style: Option<String>,
    /// Columns to copy into the output to identify the rows.
    #[arg(short, long, value_name = "COLUMN")]
    pub id: Vec<String>,
    /// Columns to append to the output unchanged, or all.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Put an apostrophe before cells and headers that a spreadsheet would run as a formula.
    #[arg(long, requires = "out")]
    pub safe_csv: bool,
    /// How rows are read.
    #[command(flatten)]
    pub reading: ReadingFlags<OfNegatives>,
    /// How to learn.
    #[command(flatten)]
    pub config: ConfigFlags,
}

/// What was certified, whichever way.
struct Found {
    certified: Certified,
    columns: CertifiedColumns,
    warnings: Vec<String>,
    /// How to write a text list.
    how: onesided::data::WriteAs,
}

/// Certifies and writes.
pub fn run(flags: &Negatives, as_json: bool) -> Result<(), Failure> {
    let fdr = share("--fdr", &flags.fdr)?;
    let odds = flags.labeling_odds.as_deref().map_or(Ok(LabelingOdds::RANDOM), labeling)?;
    let target = NegativesTarget::new(fdr).map_err(|error| Failure::input(format!("--fdr: {error}")))?;
    let target = target.with_labeling(odds);
    let files = flags.reading.files()?;
    let to_stdout = flags.out.as_deref().is_some_and(is_standard_output);
    if to_stdout && as_json {
        return Err(Failure::input(
            "--json and --out - both write to standard output; leave one of them out",
        ));
    }
    let style = ListStyle::named(flags.out_style.as_deref())?;
    let places: Vec<&Path> = flags.places.iter().map(PathBuf::as_path).collect();
    if let (Some(out), false) = (&flags.out, to_stdout) {
        output_path::check_table(out, files.format)?;
        output_path::check(out, &places)?;
    }
    match places[..] {
        [model, file] => of_new_rows(flags, target, &files, style, model, file, as_json),
        _ => of_table(flags, target, &files, style, places[0], as_json),
    }
}

fn of_new_rows(
    flags: &Negatives,
    target: NegativesTarget,
    files: &FileOptions,
    style: ListStyle,
    model: &Path,
    file: &Path,
    as_json: bool,
) -> Result<(), Failure> {
    let reads_again = ["label", "positive", "negative", "group", "text"];
    let of_fit = flags.reading.first(|setting| !setting.is_for_models() || !is_named(&reads_again, setting));
    let of_fit = of_fit.or_else(|| flags.config.first_but(&["threads", "device"]));
    let of_fit = of_fit.or_else(|| flags.splits.map(|_| "--splits".to_string()));
    if let Some(flag) = of_fit {
        return Err(Failure::input(format!(
            "{flag} says how to learn, and '{}' has learned already; leave it out, or certify the labeled table without a model",
            model.display()
        )));
    }
    let config = flags.config.config()?;
    let threads = config.threads.unwrap_or(0);
    let device = device(&config.device.map_or_else(|| "auto".to_string(), |device| device.to_string()))?;
    let (loaded, beside) = model_file::load_with_rows(model, [file])?;
    let loaded = loaded.on_device(device).with_threads(threads);
    let text: Vec<String> = flags.reading.all("text");
    check_texts(&loaded, &text)?;
    let also = flags.reading.again(&[file], Roles::named_by(&flags.id), &flags.keep, &text)?;
    let mut list = List::of(&loaded)
        .rows_of_model(Some(beside.as_ref()))
        .threads(threads)
        .scratch(scratch_folder(flags.out.as_deref()));
    if let Some(label) = flags.reading.get("label") {
        list = list.label(label, flags.reading.get("positive"), flags.reading.get("negative"));
    }
    let group = flags.reading.get("group");
    let list = list.negatives(&Input::one(file), &also, target, group).map_err(Failure::of_certifying)?;
    let mut warnings = print_new_notes(&loaded, &list.notes);
    print_device(&loaded, list.largest_piece);
    let doubted: Vec<String> = loaded.refuted_labels().map(ToString::to_string).into_iter().collect();
    let said: Vec<String> = list.said.iter().map(ToString::to_string).collect();
    warn(&doubted);
    warn(&said);
    warnings.extend(doubted.into_iter().chain(said));
    let how = style.write_as(file, files, &list.notes, flags.safe_csv);
    let found = Found { certified: list.certified.clone(), columns: list.columns.clone(), warnings, how };
    written(flags, &found, list.into_rows()?, as_json)
}

fn is_named(names: &[&str], setting: &onesided::ReadingInfo) -> bool {
    setting.about == onesided::ReadingAbout::Files || names.contains(&setting.name)
}

fn of_table(
    flags: &Negatives,
    target: NegativesTarget,
    files: &FileOptions,
    style: ListStyle,
    file: &Path,
    as_json: bool,
) -> Result<(), Failure> {
    if !flags.reading.has("label") {
        return Err(Failure::input(
            "name the label column of the table with --label COLUMN, or a model and a table of new rows",
        ));
    }
    if is_standard_output(file) {
        return Err(Failure::input(
            "a labeled table is read more than once, so it cannot come from standard input; name a file",
        ));
    }
    let splits = flags.splits.unwrap_or(1);
    if splits == 0 {
        return Err(Failure::input("--splits must be at least 1, but is 0"));
    }
    let config = flags.config.config()?;
    if let Some(checkpoint) = &config.checkpoint {
        return Err(Failure::input(format!(
            "--checkpoint '{}' is of one model, and none is kept here; leave it out",
            checkpoint.display()
        )));
    }
    config.device.unwrap_or_default().check()?;
    let reading = flags.reading.options(&[file])?;
    let keep = match flags.keep.as_slice() {
        [all] if all == "all" => column_names(file, &files.clone().into()).unwrap_or_default(),
        names => names.to_vec(),
    };
    let also = flags.reading.again(&[file], Roles::named_by(&flags.id), &keep, &[])?;
    let (ids, mut kept) = (also.roles.id, also.keep);
    kept.retain(|name| !ids.contains(name));
    let mut display = Display::new(None);
    let certified = guarded(|| {
        TableNegatives::new(Learner::from_config(config), target).splits(splits).read(
            file,
            &reading,
            [&ids, &kept],
            &mut |progress| match progress.at {
                At::Estimated(_) => Signal::from(!progress::interrupted()),
                _ => display.update(progress),
            },
        )
    });
    display.finish();
    let list = certified.map_err(Failure::of_certifying)?;
    let warnings = tell(&list.notes);
    let how = style.write_as(file, files, &list.notes, flags.safe_csv);
    let found = Found { certified: list.certified, columns: list.columns, warnings, how };
    written(flags, &found, list.rows.into_iter().map(Ok), as_json)
}

/// Writes or shows the rows, and says what they are.
fn written(
    flags: &Negatives,
    found: &Found,
    list: impl Iterator<Item = Result<CertifiedRow, TableError>> + Send,
    as_json: bool,
) -> Result<(), Failure> {
    let Found { certified, columns, warnings, how } = found;
    let notes = certified.notes();
    let mut shown = Vec::new();
    match &flags.out {
        Some(out) => {
            let write = || columns.write(out, how, certified.rows, list, &interrupted);
            let (_, cut) = guarded(write).map_err(not_written)?;
            cut.iter().for_each(|cut| note(&format!("note: {cut}")));
        }
        None => shown = list.take(SHOWN).collect::<Result<_, _>>()?,
    }
    notes.iter().for_each(|text| note(&format!("note: {text}")));
    if as_json {
        let mut object = json!(certified);
        object["sentence"] = json!(certified.to_string());
        object["out"] = json!(flags.out.as_ref().map(|out| out.display().to_string()));
        object["warnings"] = json!(warnings);
        if flags.out.is_none() {
            object["surest"] = shown.iter().map(|row| as_object(columns, row)).collect();
        }
        return print_json(&object);
    }
    match &flags.out {
        Some(out) if is_standard_output(out) => note(&certified.to_string()),
        Some(out) => {
            let wrote = format!("wrote {} to {}", counted(certified.rows, "rows"), out.display());
            return print_of_file(&format!("{certified}\n{wrote}\n"));
        }
        None => {
            if certified.rows > SHOWN {
                note(&format!("the {SHOWN} surest of {} rows; --out writes all", grouped(certified.rows)));
            }
            let rows =
                if shown.is_empty() { String::new() } else { format!("{}\n", as_text(columns, &shown)) };
            return print(&format!("{rows}{certified}\n"));
        }
    }
    Ok(())
}

fn as_object(columns: &CertifiedColumns, row: &CertifiedRow) -> Value {
    let (ids, kept) = row.cells.split_at(columns.ids.len());
    let named = |names: &[String], cells: &[String]| -> Value {
        names
            .iter()
            .cloned()
            .zip(cells.iter().map(|cell| json!(cell)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut object = json!({
        "row": row.row + 1,
        "score": row.score,
        "ids": named(&columns.ids, ids),
        "kept": named(&columns.kept, kept),
    });
    object[columns.evidence()] = json!(row.evidence);
    object
}

fn as_text(columns: &CertifiedColumns, rows: &[CertifiedRow]) -> String {
    let mut lines = vec![["row", "score", columns.evidence()].map(str::to_string).to_vec()];
    lines[0].extend(columns.ids.iter().chain(&columns.kept).cloned());
    lines.extend(rows.iter().map(|row| {
        let evidence =
            if columns.e_values { format!("{:.1}", row.evidence) } else { format!("{:.5}", row.evidence) };
        let mut line = vec![(row.row + 1).to_string(), format!("{:.4}", row.score), evidence];
        line.extend(row.cells.iter().cloned());
        line
    }));
    table(&lines)
}
