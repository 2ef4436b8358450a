//! What was set by hand before a fit, so that the same can be asked again.

use onesided_data::{Dataset, ReadingAbout, ReadingInfo};
use onesided_learn::Config;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Settings of the machine, and those that the document has in another place: `scenario`, `options` and `report.seed`.
const ELSEWHERE: [&str; 7] = ["threads", "device", "checkpoint", "scenario", "option", "monotone", "seed"];

/// Settings by their names, as texts; how a table is read by the names of options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Given {
    settings: BTreeMap<String, Value>,
}

impl Given {
    /// Whether a setting was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.settings.get(name).is_some_and(|value| !value.is_null())
    }
}

/// What a learner and the rows that it learned from were asked for. What was left open is not among it, nor is a draw of
/// rows that were too few to draw from.
pub(crate) fn given(config: &Config, data: &Dataset, are_drawn: bool) -> Given {
    let settings = object(serde_json::to_value(config));
    let settings = settings.into_iter().filter(|(name, _)| !ELSEWHERE.contains(&name.as_str()));
    let reading = data.asked().map_or_else(Map::new, |options| object(serde_json::to_value(options)));
    let plain = object(serde_json::to_value(onesided_data::InputOptions::default()));
    let reading = reading.into_iter().filter(|(name, value)| {
        is_told(name)
            && plain.get(name).is_none_or(|default| default != value)
            && (are_drawn || name != "max-unlabeled")
    });
    Given { settings: settings.chain(reading).collect() }
}

/// Of how a table is read, what its encoding does not tell: which columns are features, of which kind, and which rows are read.
fn is_told(name: &str) -> bool {
    let about = ReadingInfo::find(name).map(|setting| setting.about);
    matches!(about, Some(ReadingAbout::Features | ReadingAbout::Rows))
}

/// Both are written as objects.
fn object(written: serde_json::Result<Value>) -> Map<String, Value> {
    match written {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}
