//! `onesided bench`: how fast this machine trains.

use crate::args::Bench;
use crate::failure::Failure;
use crate::output::{note, print, print_json, table};
use onesided::data::grouped;
use onesided::net::bench::{BenchOptions, Case, Measured, Spread, measure};
use onesided::net::{Device, NetError, Precision};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest a row may be measured for.
const MOST_SECONDS: f64 = 3600.0;

/// Measures every row of the table, or those asked for.
pub fn run(flags: &Bench, as_json: bool) -> Result<(), Failure> {
    let started = Instant::now();
    if !(flags.seconds > 0.0 && flags.seconds <= MOST_SECONDS) {
        let sentence = format!("--seconds must lie in (0, {MOST_SECONDS}], but is {}", flags.seconds);
        return Err(Failure::input(sentence));
    }
    let how = BenchOptions {
        device: super::device(&flags.device)?,
        precision: flags.precision.parse()?,
        threads: flags.threads,
        time: Duration::from_secs_f64(flags.seconds),
    };
    let cases = chosen(Case::all(has_card(how.device)?), flags.only.as_deref())?;
    let mut rows = Vec::new();
    let (mut first_step, mut too_large) = (None, None);
    for case in cases {
        let measured = match measure(&case, &how) {
            Ok(measured) => measured,
            // A smaller card still has the other rows.
            Err(error @ NetError::DeviceMemory { .. }) => {
                note(&format!("{case}: {error}"));
                too_large = Some(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        first_step.get_or_insert((measured.first_step - started).as_secs_f64());
        note(&format!("{case}: {} rows/s", thousands(measured.rows_per_second.median)));
        rows.push(Row { case, measured });
    }
    if let (true, Some(error)) = (rows.is_empty(), too_large) {
        return Err(error.into());
    }
    let machine = Machine::of(&rows, &how, first_step);
    if as_json {
        return print_json(&machine.as_object(&rows));
    }
    print(&format!("{}\n{}", machine.as_text(), as_text(&rows)))
}

/// Whether the large rows are run on a card.
fn has_card(device: Device) -> Result<bool, Failure> {
    let Some(largest) = Case::all(false).into_iter().next() else { return Ok(false) };
    let network = largest.network.parse::<onesided::Architecture>()?.network(largest.input)?;
    Ok(device.resolve(&network, largest.batch) != Device::Cpu)
}

/// The row of that name; without one, the rows whose names begin so.
fn chosen(all: Vec<Case>, only: Option<&str>) -> Result<Vec<Case>, Failure> {
    let Some(only) = only else { return Ok(all) };
    let names: Vec<String> = all.iter().map(Case::to_string).collect();
    let exact = names.iter().any(|name| name == only);
    let wanted = |name: &str| if exact { name == only } else { !only.is_empty() && name.starts_with(only) };
    let some: Vec<Case> = all.into_iter().filter(|case| wanted(&case.to_string())).collect();
    if some.is_empty() {
        Err(Failure::input(format!(
            "there is no row '{only}' in the table of this device{}; the rows are {}",
            onesided::data::nearest(only, names.iter().map(String::as_str))
                .map_or_else(String::new, |name| format!(" (did you mean '{name}'?)")),
            names.join(", ")
        )))
    } else {
        Ok(some)
    }
}

/// One line of the table.
struct Row {
    case: Case,
    measured: Measured,
}

/// What the table is of.
struct Machine {
    devices: Vec<String>,
    threads: usize,
    precision: String,
    first_step: Option<f64>,
}

impl Machine {
    fn of(rows: &[Row], how: &BenchOptions, first_step: Option<f64>) -> Self {
        let (mut devices, mut precisions) = (Vec::new(), Vec::new());
        for Row { measured, .. } in rows {
            let precision = if measured.on_cpu { Precision::F32 } else { how.precision };
            devices.push(measured.device.clone());
            precisions.push(precision.to_string());
        }
        devices.dedup();
        precisions.dedup();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if how.threads == 0 { cores() } else { how.threads };
        Self { devices, threads, precision: precisions.join(" and "), first_step }
    }

    fn as_text(&self) -> String {
        let first = self.first_step.map_or_else(String::new, |s| format!("; first step after {s:.2} s"));
        format!(
            "onesided {} on {}, {} threads, {}{first}\n",
            env!("CARGO_PKG_VERSION"),
            self.devices.join(" and "),
            self.threads,
            self.precision,
        )
    }

    fn as_object(&self, rows: &[Row]) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "devices": self.devices,
            "threads": self.threads,
            "precision": self.precision,
            "first_step_seconds": self.first_step,
            "rows": rows.iter().map(Row::as_object).collect::<Vec<Value>>(),
        })
    }
}

impl Row {
    fn as_object(&self) -> Value {
        let spread =
            |Spread { median, min, max }: Spread| json!({ "median": median, "min": min, "max": max });
        json!({
            "name": self.case.to_string(),
            "network": self.case.network,
            "input": self.case.input.to_string(),
            "batch": self.case.batch,
            "runs": self.case.runs,
            "device": self.measured.device,
            "rows_per_second": spread(self.measured.rows_per_second),
            "steps_per_second": spread(self.measured.steps_per_second),
            "steps": self.measured.steps,
        })
    }

    /// `cuda:0` of `cuda:0 (NVIDIA H200)`, which is above the table.
    fn device(&self) -> String {
        self.measured.device.split(' ').next().unwrap_or_default().to_string()
    }
}

fn as_text(rows: &[Row]) -> String {
    let titles = ["network/batch", "input", "device", "rows/s", "lowest", "highest", "steps/s", "ms/step"];
    let mut lines = vec![titles.map(str::to_string).to_vec()];
    for row in rows {
        let (rows_a_second, steps) = (row.measured.rows_per_second, row.measured.steps_per_second.median);
        // Runs side by side take their steps at the same time.
        let milliseconds = 1e3 * row.case.runs as f64 / steps;
        lines.push(vec![
            row.case.to_string(),
            row.case.input.to_string(),
            row.device(),
            thousands(rows_a_second.median),
            thousands(rows_a_second.min),
            thousands(rows_a_second.max),
            if steps < 100.0 { format!("{steps:.1}") } else { thousands(steps) },
            format!("{milliseconds:.3}"),
        ]);
    }
    let together = if rows.iter().any(|row| row.case.runs > 1) {
        " x4 is four runs side by side,\ncounted together."
    } else {
        ""
    };
    format!(
        "{}\nTraining steps (forward, collective loss, backward, NAdam) on random data: median of five repeats, with\n\
         the lowest and the highest.{together}\n",
        table(&lines)
    )
}

/// `1234567` as `1,234,567`.
fn thousands(number: f64) -> String {
    grouped(number.round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in
            [(0.4, "0"), (999.6, "1,000"), (123_456.0, "123,456"), (1_234_567.0, "1,234,567")]
        {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn a_name_is_a_row_and_a_beginning_is_several() {
        let names = |only| -> Vec<String> {
            chosen(Case::all(true), Some(only)).unwrap_or_default().iter().map(Case::to_string).collect()
        };
        assert_eq!(names("vgg16/128"), ["vgg16/128"]);
        assert_eq!(names("vgg16/"), ["vgg16/128", "vgg16/512", "vgg16/2048", "vgg16/128x4"]);
        assert!(names("").is_empty() && names("alexnet").is_empty());
        assert_eq!(chosen(Case::all(true), None).unwrap_or_default().len(), Case::all(true).len());
    }
}
