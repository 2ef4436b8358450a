//! `onesided export`: a model as a file that another runtime reads.

use crate::failure::Failure;
use crate::output::{print_json, print_of_file, table};
use crate::output_path;
use clap::Args;
use onesided::data::{is_standard_output, write_atomically};
use onesided::{Model, rows_file};
use onesided_export::{ExportOptions, Exported, Format, export};
use serde_json::json;
use std::path::PathBuf;

/// Flags of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
onnx: columns in, score, probability and decision out, for onnxruntime in Python, Java, C#, JavaScript and others. Each column is \
an input of its name. NaN is a missing number or date, and the empty string a missing category. xgboost-json: trees alone, for XGBoost, \
treelite and others; categories are passed as codes. What cannot be written exactly is refused.")]
pub struct Export {
    /// The model file.
    pub model: PathBuf,
    /// The format: onnx or xgboost-json.
    #[arg(long, default_value = "onnx", value_name = "NAME")]
    pub format: String,
    /// You pass texts as their words, cut by the rule that docs/export.md has.
    #[arg(long)]
    pub terms: bool,
    /// Where to write it.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Loads, translates and writes.
pub fn run(flags: &Export, as_json: bool) -> Result<(), Failure> {
    let format: Format = flags.format.parse()?;
    if is_standard_output(&flags.out) {
        return Err(Failure::input("an exported model is written to a file; name one with --out"));
    }
    let other = if format == Format::Onnx { "json" } else { "onnx" };
    if output_path::has_extension(&flags.out, other) {
        return Err(Failure::input(format!(
            "'{}' is called like the other format, and --format is {}; change one of them",
            flags.out.display(),
            flags.format
        )));
    }
    output_path::check(&flags.out, &[&flags.model, &rows_file(&flags.model)])?;
    let Exported { bytes, inputs } =
        export(&Model::load(&flags.model)?, format, &ExportOptions { terms: flags.terms })?;
    write_atomically(&flags.out, |file| file.write_all(&bytes))?;
    if as_json {
        let input = |input: &onesided_export::ExportInput| {
            let mut object = json!({
                "name": input.name, "type": input.kind, "width": input.width, "holds": input.holds,
            });
            if !input.levels.is_empty() {
                object["levels"] = json!(input.levels);
            }
            object
        };
        return print_json(&json!({
            "format": format.name(),
            "out": flags.out.display().to_string(),
            "bytes": bytes.len(),
            "inputs": inputs.iter().map(input).collect::<Vec<_>>(),
        }));
    }
    let width = |input: &onesided_export::ExportInput| {
        if input.width == 0 { "any".to_string() } else { input.width.to_string() }
    };
    let mut rows = vec![["input", "type", "width", "holds"].map(str::to_string).to_vec()];
    rows.extend(inputs.iter().map(|input| {
        vec![input.name.clone(), input.kind.to_string(), width(input), input.holds.to_string()]
    }));
    print_of_file(&format!("{}\nwrote {} ({} bytes)\n", table(&rows), flags.out.display(), bytes.len()))
}
