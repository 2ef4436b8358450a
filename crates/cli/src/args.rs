//! The flags as they are typed. What they mean is for the commands to say.

use crate::config_flags::ConfigFlags;
use crate::inputs::Places;
use crate::model_flags::{LabelFlags, ScoringFlags};
use crate::reading_flags::{FileFlags, OfFit, ReadingFlags};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Flags of every command come after its own in help, however many it has.
const LAST: usize = 900;
const EVERYWHERE: &str = "Every command";

/// Learns classifiers from positive and unlabeled examples
///
/// Some rows are known to be positive; the rest are unlabeled, a mix of positives and negatives. 'fit' learns a model from a
/// table, texts or pictures, 'predict' ranks new rows with calibrated probabilities, and 'evaluate' measures a model without
/// negatives. The share of positives is estimated unless you give it.
#[derive(Debug, Parser)]
#[command(name = "onesided", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Print only warnings and errors, and results that are not written to a file.
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = EVERYWHERE, display_order = LAST)]
    pub quiet: bool,
    /// Report progress every second, the time taken, and where an internal error happened.
    #[arg(short, long, global = true, help_heading = EVERYWHERE, display_order = LAST)]
    pub verbose: bool,
    /// Print one JSON object on standard output.
    #[arg(long, global = true, help_heading = EVERYWHERE, display_order = LAST)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Go from a built-in table to a share, a list, promises and a page.
    Demo(Demo),
    /// Learn a model from a table, texts or pictures.
    Fit(Box<Fit>),
    /// Score and rank rows, texts or pictures.
    Predict(Predict),
    /// Measure a model.
    Evaluate(Evaluate),
    /// Tell whether new rows still look like those of the fit, and whether to fit again.
    Watch(crate::commands::watch::Watch),
    /// Measure how much a model relies on each column.
    Importance(crate::commands::importance::Importance),
    /// Write a page of a model and a table, to look at and to send.
    Report(Box<crate::commands::report::Report>),
    /// Write a model for another runtime.
    Export(crate::commands::export::Export),
    /// Draw rows for a person to label, and estimate from the answers how good a model is.
    Audit(crate::commands::audit::Audit),
    /// Close rows unread: those that are not positive, with a bound on mistakes.
    Negatives(Box<crate::commands::negatives::Negatives>),
    /// Estimate how many positives are hidden among the unlabeled rows.
    Prior(Box<crate::commands::prior::Prior>),
    /// List the methods, or describe one.
    Methods(Methods),
    /// Measure how fast this machine trains.
    Bench(Bench),
    /// Derive a loss from a reward, check it, and show what it learns.
    Elicit(Elicit),
    /// Compute a model's generalization bound, part by part.
    Bound(Bound),
    /// List and check published data sets.
    Data(Data),
    /// Run the experiment in a spec, or print its table.
    Experiment(Box<crate::commands::experiment::Experiment>),
    /// Print completions for a shell.
    Completions(crate::commands::shell::Completions),
    /// Print manual pages, or write them all.
    Man(crate::commands::shell::Man),
}

/// Flags of `demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Instead compare all methods on built-in handwritten digits.
    #[arg(long, conflicts_with = "out")]
    pub compare: bool,
    /// The folder for the table, the model, the list and the page [default: onesided-demo].
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Random splits to average over, with --compare.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub seeds: u64,
    /// Threads to use; 0 means all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Where to train: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub device: String,
}

/// Flags of `methods`.
#[derive(Debug, Args)]
pub struct Methods {
    /// The method to describe in full.
    pub name: Option<String>,
}

/// Flags of `fit`.
#[derive(Debug, Args)]
pub struct Fit {
    /// Where the rows are.
    #[command(flatten)]
    pub places: Places,
    /// Where to write the model.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Answered audit files of this table: learn from the answers, and take the share of positives from them.
    #[arg(long, value_name = "FILE", value_delimiter = ',', num_args = 1..)]
    pub audit: Vec<PathBuf>,
    /// Also write a page of the model and its table, as 'onesided report' does: a name that ends in .html.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Leave the rows of the table out of the page.
    #[arg(long, requires = "report")]
    pub no_rows: bool,
    /// How they are read.
    #[command(flatten)]
    pub reading: ReadingFlags<OfFit>,
    /// What is learned, and how.
    #[command(flatten)]
    pub config: ConfigFlags,
}

/// Flags of `predict`.
#[derive(Debug, Args)]
pub struct Predict {
    /// The model file.
    pub model: PathBuf,
    /// The table to score (- for standard input), or a folder of texts or pictures.
    pub file: PathBuf,
    /// Where to write row, score, probability and rank: .csv, .tsv, .jsonl, .xlsx or .parquet, or - for standard output. Without it,
    /// the ten best rows are shown.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The style of a text list: plain (comma-separated, decimal points), semicolon (semicolons, decimal commas) or like-input
    /// (the style of the scored table) [default: plain].
    #[arg(long, value_name = "NAME", requires = "out")]
    pub out_style: Option<String>,
    /// Columns to copy into the output to identify the rows.
    #[arg(short, long, value_name = "COLUMN")]
    pub id: Vec<String>,
    /// Columns to append to the output unchanged, or all.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Add a column 'positive' with the model's decision, yes or no.
    #[arg(long)]
    pub yes_no: bool,
    /// Put an apostrophe before cells and headers that a spreadsheet would run as a formula: those that begin with =, +, - or @,
    /// also full-width or after blanks.
    #[arg(long, requires = "out")]
    pub safe_csv: bool,
    /// Show the N columns or words that contributed most to each score [5 if N is omitted].
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5")]
    pub explain: Option<usize>,
    /// Which of them are labeled.
    #[command(flatten)]
    pub labels: LabelFlags,
    /// List labeled rows too.
    #[arg(long)]
    pub all: bool,
    /// Rank training rows with the final model (optimistic) and list all of them.
    #[arg(long, conflicts_with = "all")]
    pub in_sample: bool,
    /// Refuse, with exit code 4 and nothing written, where columns hold something else than in training or the model's fit gave a
    /// reason to promise nothing.
    #[arg(long)]
    pub strict: bool,
    /// With what they are scored.
    #[command(flatten)]
    pub scoring: ScoringFlags,
    /// How many rows to review.
    #[command(flatten)]
    pub review: crate::commands::review::ReviewFlags,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Flags of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
With --truth, or with a folder per class and --positive, the metrics are measured against true labels. With --label, or \
with two files or folders, they are estimated from positives and unlabeled rows alone: they describe the model's decision, \
made at the population's prior, on the unlabeled rows, among which the share of positives is taken to be the one that the \
model was trained with (in the single-sample scenario it is lower than the population's).")]
pub struct Evaluate {
    /// The model file.
    pub model: PathBuf,
    /// Where the rows are.
    #[command(flatten)]
    pub places: Places,
    /// The column that says which rows are labeled positive.
    #[arg(short, long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The column of true labels.
    #[arg(long, value_name = "COLUMN")]
    pub truth: Option<String>,
    /// The value (or folder) that means positive.
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,
    /// The value in the label column that means negative.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub negative: Option<String>,
    /// A column of positive weights, for metrics without negatives.
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// Score training rows with the final model (optimistic).
    #[arg(long)]
    pub in_sample: bool,
    /// Refuse, with exit code 4 and nothing written, where columns hold something else than in training or the model's fit gave a
    /// reason to promise nothing.
    #[arg(long)]
    pub strict: bool,
    /// With what they are scored.
    #[command(flatten)]
    pub scoring: ScoringFlags,
    /// How many rows to review.
    #[command(flatten)]
    pub review: crate::commands::review::ReviewFlags,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Flags of `bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Where to train: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub device: String,
    /// Precision on a GPU: bf16, or f32 for checking.
    #[arg(long, default_value = "bf16", value_name = "NAME")]
    pub precision: String,
    /// Seconds to measure each row.
    #[arg(long, default_value_t = 3.0, value_name = "S", allow_negative_numbers = true)]
    pub seconds: f64,
    /// Measure only rows whose name starts with this, such as vgg16/512.
    #[arg(long, value_name = "ROW")]
    pub only: Option<String>,
    /// CPU threads to use; 0 means all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
}

/// Flags of `elicit`.
#[derive(Debug, Args)]
pub struct Elicit {
    /// log, square, exponential, savage or tangent, or a formula for J in x such as "x*ln(x)+(1-x)*ln(1-x)".
    #[arg(long, default_value = "log", allow_hyphen_values = true)]
    pub reward: String,
    /// The share of positives among the unlabeled examples.
    #[arg(long, default_value_t = 0.25, value_name = "SHARE", allow_negative_numbers = true)]
    pub mu: f64,
    /// Where to draw it: .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Flags of `bound`.
#[derive(Debug, Args)]
pub struct Bound {
    /// The model file.
    pub model: PathBuf,
    /// The table it was fitted on.
    pub file: PathBuf,
    /// The column that says which rows are labeled positive.
    #[arg(long, value_name = "COLUMN")]
    pub label: String,
    /// The value in it that means positive.
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,
    /// The probability that the bound fails.
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    pub delta: f64,
    /// For linear models: estimate the Rademacher complexity from N draws of random labels instead of from weight norms.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub draws: usize,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
}

/// Flags of `data`.
#[derive(Debug, Args)]
pub struct Data {
    /// What to do with them.
    #[command(subcommand)]
    pub action: Option<DataAction>,
}

/// What can be done with published data sets.
#[derive(Debug, Subcommand)]
pub enum DataAction {
    /// List the sets in a folder and check that they are intact.
    Check {
        /// The folder of a set, or the folder around several.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Memory limit for reading, such as 2G or 512M [default: the free memory].
        #[arg(long, value_name = "SIZE")]
        memory: Option<String>,
    },
}
