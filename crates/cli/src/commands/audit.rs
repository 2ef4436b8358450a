//! `onesided audit`: rows for a person to label, and what the answers say of a model and a table.

use super::fitted_rows::tell_list;
use super::review::share;
use super::{device, print_device};
use crate::failure::Failure;
use crate::inputs::{check_texts, print_new_notes};
use crate::list_style::ListStyle;
use crate::model_file;
use crate::output::{note, print, print_json, print_of_file, table, warn};
use crate::output_path;
use crate::progress::guarded;
use crate::reading_flags::FileFlags;
use clap::{Args, Subcommand};
use onesided::data::{
    Dataset, Encoding, FileOptions, ImageFrom, OutColumn, column_names, counted, decode, grouped,
    is_standard_output, write_atomically, write_table_as,
};
use onesided::eval::EvalError;
use onesided::eval::audit::{CutEstimate, FirstPartTarget};
use onesided::{
    Audit as Answers, AuditDraw, AuditFile, AuditReport, AuditSettings, ForecastBy, Input, Interval,
    KnownRows, Model, RANDOM_LABELS, Roles, rows_of,
};
use onesided_report::{ReviewPage, ReviewRow, data_address, picture_address, review_page};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Columns of a table that a page to answer in shows at most, where none are named.
const PAGE_COLUMNS: usize = 40;

/// Flags of `audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// What to do.
    #[command(subcommand)]
    pub action: Option<AuditAction>,
}

/// What can be done with audits.
#[derive(Debug, Subcommand)]
pub enum AuditAction {
    /// Draw rows for a person to label, with known probabilities.
    Draw(Box<Draw>),
    /// Estimate the share of positives, and precision and recall at the cuts, from the answers.
    Read(Box<Read>),
}

/// Flags of `audit draw`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file has a line per drawn row, in random order and without scores. Fill its column positive with yes, no (1 or 0, true or \
false, positive or negative) or unsure, and note and reviewer as you like, and read it with 'onesided audit read'. Lines and columns \
may be sorted and moved; key and draw say which row a line is about and must stay with it. For a second draw that adds to the first \
take another --seed.")]
pub struct Draw {
    /// The model file.
    pub model: PathBuf,
    /// The table to audit, or a folder of texts or pictures.
    pub file: PathBuf,
    /// How many rows to draw.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub rows: usize,
    /// Where to write them: .csv, .tsv, .xlsx or .parquet, or .html for a page to answer in with a browser.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The style of a text table: plain (comma-separated, decimal points), semicolon (semicolons, decimal commas) or like-input
    /// (the style of the audited table) [default: plain].
    #[arg(long, value_name = "NAME")]
    pub out_style: Option<String>,
    /// Columns to copy into the file for the reviewer.
    #[arg(long, value_name = "COLUMN")]
    pub id: Vec<String>,
    /// The column that says which rows are labeled positive; these are not drawn. Not needed for the table that the model was
    /// fitted on.
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The value in it that means positive.
    #[arg(long, value_name = "VALUE", requires = "label")]
    pub positive: Option<String>,
    /// The value in it that means negative; these rows are not drawn either.
    #[arg(long, value_name = "VALUE", requires = "label")]
    pub negative: Option<String>,
    /// More cuts to judge besides the model's own: the first 100 or 1% of the rows, for example. At least about a quarter of the
    /// draws go to the rows above them.
    #[arg(long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    pub top: Vec<String>,
    /// Include scores (may bias the reviewer).
    #[arg(long)]
    pub scores: bool,
    /// Let a page show, when the reviewer asks, the N columns or words that contributed most to a score, which may bias the reviewer [5
    /// if N is omitted].
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5")]
    pub explain: Option<usize>,
    /// Put an apostrophe before cells and headers that a spreadsheet would run as a formula.
    #[arg(long)]
    pub safe_csv: bool,
    /// The seed of the draw.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// For a model fitted on folders of texts: the text column of a table.
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Threads to use; 0 means all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Where to score: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub device: String,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Flags of `audit read`.
#[derive(Debug, Args)]
#[command(after_help = "\
Several files of one model and one table add up: a row counts once, with the probability of being in any of the draws. Files \
of one seed are parts of one draw. Rows without an answer are left out, and the answered rows of their stratum stand for \
them; a warning says how much they could change at most.")]
pub struct Read {
    /// The model file.
    pub model: PathBuf,
    /// The files that 'onesided audit draw' wrote, with the answers filled in.
    #[arg(required = true)]
    pub file: Vec<PathBuf>,
    /// The confidence of the intervals.
    #[arg(long, value_name = "SHARE", default_value = "0.95", allow_hyphen_values = true)]
    pub confidence: String,
    /// Name the longest first part of the list with at least this precision, at that confidence for all lengths at once, or how many more
    /// answers it may take.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Draws or reads.
pub fn run(flags: &Audit, as_json: bool) -> Result<(), Failure> {
    match &flags.action {
        Some(AuditAction::Draw(flags)) => draw(flags, as_json),
        Some(AuditAction::Read(flags)) => read(flags, as_json),
        None => Err(Failure::input(
            "say what to do: 'onesided audit draw' draws rows to label, 'onesided audit read' reads the answers",
        )),
    }
}

fn draw(flags: &Draw, as_json: bool) -> Result<(), Failure> {
    let files = flags.files.files()?;
    if is_standard_output(&flags.out) {
        return Err(Failure::input("rows to label are written to a file; name one with --out"));
    }
    let as_page =
        output_path::has_extension(&flags.out, "html") || output_path::has_extension(&flags.out, "htm");
    if !as_page {
        output_path::check_table(&flags.out, files.format)?;
    }
    let style = ListStyle::named(flags.out_style.as_deref())?;
    output_path::check(&flags.out, &[&flags.model, &flags.file])?;
    let filled = if as_page { 0 } else { AuditFile::filled(&flags.out, &files) };
    if filled > 0 {
        return Err(Failure::input(format!(
            "'{}' holds {}, which a new draw would replace; name another file with --out, or delete it",
            flags.out.display(),
            counted(filled, "answers")
        )));
    }
    let top = flags.top.iter().map(|text| text.parse()).collect::<Result<_, EvalError>>();
    let cuts = top.map_err(|error| Failure::input(format!("--top: {error}")))?;
    let device = device(&flags.device)?;
    let (model, beside) = model_file::load_with_rows(&flags.model, [flags.file.as_path()])?;
    let model = model.on_device(device).with_threads(flags.threads);
    check_texts(&model, &flags.text)?;
    // Whoever answers in a browser has nothing else to look at.
    let all = match as_page && flags.id.is_empty() && flags.file.is_file() {
        true => columns_of(&model, flags, &files, beside.as_ref().ok()),
        false => Vec::new(),
    };
    let roles = Roles {
        id: if all.is_empty() { flags.id.clone() } else { all },
        label: flags.label.clone(),
        positive: flags.positive.clone(),
        negative: flags.negative.clone(),
        ..Roles::default()
    };
    let also = flags.files.again(&[&flags.file], roles, &[], &flags.text)?;
    if flags.explain.is_some() && !as_page {
        return Err(Failure::input(
            "--explain is for a page, which shows reasons when the reviewer asks for them; name an .html file with --out, or leave it out",
        ));
    }
    let settings = AuditSettings { rows: flags.rows, cuts, seed: flags.seed, explain: flags.explain };
    let input = Input::one(&flags.file);
    let drawn = model.audit_place(&input, &also, flags.threads, &settings, Some(beside.as_ref()));
    let drawn = drawn.map_err(Failure::of_reading)?;
    let mut warnings = print_new_notes(&model, &drawn.notes);
    print_device(&model, drawn.largest_piece);
    warnings.extend(tell_list(&drawn.said, &["cross-fit", "label"]));
    if as_page {
        // Pictures that a table holds or names are shown as the model sees them.
        let pictures = match model.encoding().shape() {
            Some(_) if flags.file.is_file() => {
                Some(model.read_with(&input, &also).map_err(Failure::of_reading)?)
            }
            _ => None,
        };
        write_page(&model, &drawn, pictures.as_ref(), flags, &files)?;
    }
    let columns = drawn.columns(flags.scores);
    let columns: Vec<(&str, OutColumn)> =
        columns.iter().map(|(name, cells)| (name.as_str(), cells.clone())).collect();
    if !as_page {
        let how = style.write_as(&flags.file, &files, &drawn.notes, flags.safe_csv);
        let cut = guarded(|| write_table_as(&flags.out, &how, &columns))?;
        cut.iter().for_each(|cut| note(&format!("note: {cut}")));
    }
    if as_json {
        let [draw, of_model, of_table] = drawn.fingerprints();
        return print_json(&json!({
            "out": flags.out.display().to_string(),
            "rows": drawn.rows.len(),
            "of": drawn.forecast.rows,
            "strata": drawn.strata,
            "forecast": drawn.forecast,
            "forecast_by": drawn.forecast_by,
            "asked": drawn.asked,
            "predicted_positive": drawn.predicted,
            "out_of_fold": drawn.out_of_fold,
            "left_out": drawn.left_out,
            "ambiguous": drawn.ambiguous,
            "seed": flags.seed,
            "draw": draw,
            "model": of_model,
            "table": of_table,
            "warnings": warnings,
        }));
    }
    print_of_file(&drawn_as_text(&drawn, flags, as_page))
}

/// The columns of the table but for that of the labels, which would tell what to answer, and for pixels.
fn columns_of(model: &Model, flags: &Draw, files: &FileOptions, known: Option<&KnownRows>) -> Vec<String> {
    let labels = flags.label.iter().chain(known.and_then(KnownRows::label_column).map(|label| &label.column));
    let labels: Vec<&String> = labels.collect();
    let mut names = column_names(&flags.file, &files.clone().into()).unwrap_or_default();
    let pixels: &[String] = match model.encoding().as_ref() {
        Encoding::Image(image) => match &image.from {
            ImageFrom::Columns(names) => names,
            _ => &[],
        },
        _ => &[],
    };
    names.retain(|name| !labels.contains(&name) && !name.is_empty() && !pixels.contains(name));
    names.truncate(PAGE_COLUMNS);
    names
}

/// Writes the drawn rows as a page to answer in.
fn write_page(
    model: &Model,
    drawn: &AuditDraw,
    pictures: Option<&Dataset>,
    flags: &Draw,
    files: &FileOptions,
) -> Result<(), Failure> {
    let texts = |column: &OutColumn| match column {
        OutColumn::Text(cells) | OutColumn::Choice { cells, .. } => cells.clone(),
        _ => Vec::new(),
    };
    let columns = drawn.columns(false);
    let of = |wanted: &str| {
        columns.iter().find(|(name, _)| name == wanted).map_or_else(Vec::new, |(_, cells)| texts(cells))
    };
    let (keys, draws) = (of("key"), of("draw"));
    let ids = drawn.ids();
    let in_folder = flags.file.is_dir();
    let row = |at: usize| -> Result<ReviewRow, Failure> {
        let cells: Vec<String> = ids.iter().filter_map(|(_, cells)| cells.get(at).cloned()).collect();
        let (text, picture) = match (in_folder, cells.first()) {
            (true, Some(name)) => shown(&flags.file.join(name), files)?,
            _ => {
                let seen = pictures.and_then(|data| model.picture(data, drawn.rows[at].row));
                (None, seen.as_ref().and_then(picture_address))
            }
        };
        let because = drawn.because().get(at).map_or(&[][..], Vec::as_slice);
        let because = because.iter().map(|part| (part.feature.clone(), part.value)).collect();
        let row = drawn.rows[at].row as u64 + 1;
        Ok(ReviewRow { key: keys[at].clone(), row, cells, text, picture, because })
    };
    let page = ReviewPage {
        place: flags.file.display().to_string(),
        things: rows_of(model.encoding().takes()).to_string(),
        draw: draws.first().cloned().unwrap_or_default(),
        fingerprint: drawn.fingerprints()[0].clone(),
        columns: ids.iter().map(|(name, _)| name.clone()).collect(),
        rows: (0..drawn.rows.len()).map(row).collect::<Result<_, _>>()?,
        next: format!("onesided audit read {} answers.csv", flags.model.display()),
    };
    let page = review_page(&page);
    Ok(guarded(|| write_atomically(&flags.out, |file| file.write_all(page.as_bytes())))?)
}

/// A file of a folder: its text, or its picture as an address that holds it.
fn shown(path: &Path, files: &FileOptions) -> Result<(Option<String>, Option<String>), Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::input(format!("cannot read '{}': {error}", path.display())))?;
    let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_lowercase();
    Ok(match kind.as_str() {
        "png" => (None, Some(data_address("image/png", &bytes))),
        "jpg" | "jpeg" => (None, Some(data_address("image/jpeg", &bytes))),
        _ => (Some(decode(bytes, files.encoding).text), None),
    })
}

/// What to expect of the answers: a sentence, and a line for each cut that was asked for.
fn forecast(drawn: &AuditDraw) -> String {
    let Interval { value, low, high } = drawn.forecast.share;
    let half = |interval: Interval| 0.5 * (interval.high - interval.low);
    // Half of the answers being yes makes the precision as uncertain as it can be, but not the recall.
    let cut_at = |rows: usize, whose: &str| {
        let cut = drawn.forecast.cuts.iter().find(|cut| cut.rows == rows)?;
        let recall = match drawn.forecast_by {
            ForecastBy::Model => format!(" and the recall to ± {:.3}", half(cut.recall)),
            ForecastBy::Widest => String::new(),
        };
        Some(format!("the precision of {whose} to ± {:.3}{recall}", half(cut.precision)))
    };
    let own = cut_at(drawn.predicted, "its decision").map_or_else(String::new, |own| format!(", {own}"));
    let mut text = match drawn.forecast_by {
        ForecastBy::Model => format!(
            "if the model is right ({value:.4} of the rows positive, {RANDOM_LABELS}), the answers will tell the share to about {low:.4} to \
             {high:.4}{own}\n"
        ),
        ForecastBy::Widest => format!(
            "the model has no share of positives to go by; at worst the answers will tell the share to ± {:.3}{own}\n",
            half(drawn.forecast.share)
        ),
    };
    for &asked in drawn.asked.iter().filter(|&&asked| asked != drawn.predicted) {
        let above = drawn.strata.iter().filter(|range| range.last <= asked).map(|range| range.drawn).sum();
        let first = match asked {
            1 => "the first row".to_string(),
            rows => format!("the first {} rows", grouped(rows)),
        };
        if let Some(told) = cut_at(asked, &first) {
            text.push_str(&format!("{told}, from {} of them\n", grouped(above)));
        }
    }
    text
}

fn drawn_as_text(drawn: &AuditDraw, flags: &Draw, as_page: bool) -> String {
    let (act, file) = match as_page {
        true => ("open it in a browser, answer, and save the answers", "answers.csv".to_string()),
        false => ("fill the column positive with yes, no or unsure", flags.out.display().to_string()),
    };
    format!(
        "wrote {} of {} rows to {}, from {} strata of the ranked list\n{}{act}, then: onesided audit read {} {file}\n",
        grouped(drawn.rows.len()),
        grouped(drawn.forecast.rows),
        flags.out.display(),
        drawn.strata.len(),
        forecast(drawn),
        flags.model.display(),
    )
}

fn read(flags: &Read, as_json: bool) -> Result<(), Failure> {
    let confidence = share("--confidence", &flags.confidence)?;
    let precision = flags.precision.as_deref().map(|text| share("--precision", text)).transpose()?;
    let target = precision.map(|precision| FirstPartTarget::new(precision, confidence)).transpose()?;
    let written = flags.files.files()?;
    let model = model_file::load(&flags.model, flags.file.iter().map(PathBuf::as_path))?;
    let files = flags.file.iter().map(|file| AuditFile::read(file, &written));
    let files: Vec<AuditFile> = files.collect::<Result<_, _>>().map_err(Failure::of_reading)?;
    let answers = Answers::new(&model, &files)?;
    let report = answers.report(confidence)?;
    let mut warnings = report.warnings();
    warnings.extend(answers.contradiction(&model)?.map(|found| found.to_string()));
    warn(&warnings);
    let verdict = answers.verdict(&model)?;
    let first = target.map(|target| answers.first_parts(target)).transpose()?;
    if as_json {
        let mut object = json!(report);
        if let Some(first) = &first {
            object["first_part"] = json!(first);
        }
        object["warnings"] = json!(warnings);
        if let Some(test) = &report.labeling {
            object["labeling"]["refuted"] = json!(test.refutes());
            object["labeling"]["sentence"] = json!(test.to_string());
        }
        object["verdict"] = verdict.map_or(Value::Null, |verdict| {
            json!({ "agrees": verdict.agrees, "compared": verdict.compared, "sentence": verdict.to_string() })
        });
        return print_json(&object);
    }
    let verdict = verdict.map_or_else(String::new, |verdict| format!("\n{verdict}\n"));
    let first = first.map_or_else(String::new, |first| format!("\n{first}\n"));
    // What refutes random labels was said as a warning.
    let labels = report.labeling.as_ref().filter(|test| !test.refutes());
    let labels = labels.map_or_else(String::new, |test| format!("\n{test}\n"));
    print(&format!("{}{first}{labels}{verdict}", report_as_text(&report)))
}

fn report_as_text(report: &AuditReport) -> String {
    let found = &report.estimate;
    let level = 100.0 * found.confidence;
    let with =
        |Interval { value, low, high }: Interval| [format!("{value:.4}"), format!("[{low:.4}, {high:.4}]")];
    let draws = if report.draws == 1 { String::new() } else { format!(" in {} draws", report.draws) };
    let mut text = format!(
        "{}{draws}, {} of them positive; {level} % intervals\n",
        counted(found.answered, "answers"),
        grouped(report.found)
    );
    if let Some(agreement) = &report.agreement {
        text.push_str(&format!("{} of them by more than one file, which agree\n", grouped(agreement.rows)));
    }
    let [share, interval] = with(found.share);
    let Interval { value, low, high } = found.positives;
    text.push_str(&format!(
        "share of positives among {} rows: {share} {interval}, about {} of them ({} to {})\n\n",
        grouped(found.rows),
        grouped(value.round() as usize),
        grouped(low.floor() as usize),
        grouped(high.ceil() as usize)
    ));
    let mut rows = vec![["first rows", "precision", "", "recall", ""].map(str::to_string).to_vec()];
    rows.extend(found.cuts.iter().map(|cut: &CutEstimate| {
        let own = if cut.rows == report.predicted { " (predicted positive)" } else { "" };
        let mut row = vec![format!("{}{own}", grouped(cut.rows))];
        row.extend(with(cut.precision));
        row.extend(with(cut.recall));
        row
    }));
    text.push_str(&table(&rows));
    text
}
