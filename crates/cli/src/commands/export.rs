//! `onesided export`: a model as a file that another runtime reads.

use crate::failure::Failure;
use crate::output::{print, print_json, table};
use crate::output_path;
use clap::Args;
use onesided::Model;
use onesided::data::write_atomically;
use onesided_export::{Exported, Format, export};
use serde_json::json;
use std::path::PathBuf;

/// Flags of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
onnx: columns in, score, probability and decision out, for onnxruntime in Python, Java, C#, JavaScript and others. Each column is \
an input of its name. NaN is a missing number, and the empty string a missing category. What cannot be written exactly is refused.")]
pub struct Export {
    /// The model file.
    pub model: PathBuf,
    /// The format: onnx.
    #[arg(long, default_value = "onnx", value_name = "NAME")]
    pub format: String,
    /// Where to write it.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Loads, translates and writes.
pub fn run(flags: &Export, as_json: bool) -> Result<(), Failure> {
    let format: Format = flags.format.parse()?;
    output_path::check(&flags.out, &[&flags.model])?;
    let Exported { bytes, inputs } = export(&Model::load(&flags.model)?, format)?;
    write_atomically(&flags.out, |file| file.write_all(&bytes))?;
    if as_json {
        let input = |input: &onesided_export::Input| json!({ "name": input.name, "type": input.kind, "width": input.width });
        return print_json(&json!({
            "format": format.name(),
            "out": flags.out.display().to_string(),
            "bytes": bytes.len(),
            "inputs": inputs.iter().map(input).collect::<Vec<_>>(),
        }));
    }
    let mut rows = vec![["input", "type", "width"].map(str::to_string).to_vec()];
    rows.extend(
        inputs.iter().map(|input| vec![input.name.clone(), input.kind.to_string(), input.width.to_string()]),
    );
    print(&format!("{}\nwrote {} ({} bytes)\n", table(&rows), flags.out.display(), bytes.len()))
}
