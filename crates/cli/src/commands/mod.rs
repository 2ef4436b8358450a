//! One file per command.

pub mod audit;
pub mod bench;
pub mod bound;
mod compare;
pub mod data;
pub mod demo;
pub mod elicit;
pub mod evaluate;
pub mod experiment;
pub mod export;
pub mod fit;
mod fit_says;
mod fitted_rows;
pub mod importance;
pub mod methods;
pub mod negatives;
pub mod predict;
pub mod prior;
pub mod report;
pub mod review;
pub mod shell;
pub mod watch;

use crate::failure::Failure;
use onesided::{Device, Interval, Model, is_cut_off};
use serde_json::{Map, Value, json};

/// A device by its name; one that this machine cannot use is refused before any work.
pub(crate) fn device(name: &str) -> Result<Device, Failure> {
    let device: Device = name.parse()?;
    device.check()?;
    Ok(device)
}

/// Says where rows will be scored, if not on the CPU.
fn print_device(model: &Model, rows: usize) {
    let device = model.device_for(rows);
    if device != Device::Cpu {
        crate::output::note(&format!("device: {device}"));
    }
}

/// [`with_intervals`] of metrics that are estimated by way of the share of positives: no value where it was cut off at 0 or 1.
fn with_estimates<'a>(metrics: impl IntoIterator<Item = (&'a str, Interval)>) -> Map<String, Value> {
    let metrics: Vec<(&str, Interval)> = metrics.into_iter().collect();
    let mut object = with_intervals(metrics.iter().copied());
    let cut_off = metrics.iter().filter(|&&(name, interval)| is_cut_off(name, interval));
    cut_off.for_each(|(name, _)| object[*name] = Value::Null);
    object
}

/// `{"recall": 0.9, "recall_interval": [0.8, 0.95], …}`.
fn with_intervals<'a>(metrics: impl IntoIterator<Item = (&'a str, Interval)>) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, Interval { value, low, high }) in metrics {
        object.insert(name.to_string(), json!(value));
        object.insert(format!("{name}_interval"), json!([low, high]));
    }
    object
}
