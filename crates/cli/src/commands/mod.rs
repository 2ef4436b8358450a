//! One file a command.

pub mod bench;
pub mod bound;
pub mod data;
pub mod demo;
pub mod elicit;
pub mod evaluate;
pub mod experiment;
pub mod fit;
pub mod methods;
pub mod predict;
pub mod prior;
mod scored;
mod source;
pub mod texts;

use crate::failure::Failure;
use onesided::data::EncodeReport;
use onesided::{Device, Estimate, Model};
use serde_json::{Map, Value, json};

/// A device by its name; one that this machine cannot use is refused before any work.
fn device(name: &str) -> Result<Device, Failure> {
    let device: Device = name.parse()?;
    device.check()?;
    Ok(device)
}

/// Says where rows will be scored, if not on the CPU.
fn tell_device(model: &Model, rows: usize) {
    let device = model.device_for(rows);
    if device != Device::Cpu {
        crate::output::note(&format!("device: {device}"));
    }
}

/// `{"recall": 0.9, "recall_interval": [0.8, 0.95], …}`.
fn with_intervals<'a>(metrics: impl IntoIterator<Item = (&'a str, Estimate)>) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, Estimate { value, low, high }) in metrics {
        object.insert(name.to_string(), json!(value));
        object.insert(format!("{name}_interval"), json!([low, high]));
    }
    object
}

/// A line a metric: name, value, interval.
fn metric_rows<'a>(metrics: impl IntoIterator<Item = (&'a str, Estimate)>) -> Vec<Vec<String>> {
    let row = |(name, Estimate { value, low, high }): (&str, Estimate)| {
        vec![name.replace('_', " "), format!("{value:.4}"), format!("[{low:.4}, {high:.4}]")]
    };
    metrics.into_iter().map(row).collect()
}

/// `note: missing cells in body (3)`.
fn tell_missing(missing: &[(String, usize)]) {
    if !missing.is_empty() {
        crate::output::note(&format!("note: missing cells in {}", told(missing)));
    }
}

fn told(cells: &[(String, usize)]) -> String {
    let listed: Vec<String> =
        cells.iter().take(8).map(|(column, count)| format!("{column} ({count})")).collect();
    let more = cells.len().saturating_sub(8);
    if more > 0 { format!("{} and {more} more", listed.join(", ")) } else { listed.join(", ") }
}

/// What encoding met: said once, for both files that are fitted on and files that are predicted.
fn tell_encoding(report: &EncodeReport) {
    tell_missing(&report.missing);
    if !report.unseen.is_empty() {
        crate::output::note(&format!(
            "warning: texts that training never saw, taken as no level, in {}",
            told(&report.unseen)
        ));
    }
}
