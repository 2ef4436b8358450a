//! What to set so that a refused input is taken: a fact, which each front end writes in its own words.
//!
//! Libraries name settings, front ends name flags: the command line writes a hint as `drop it with --drop age`, Python as
//! `drop it with drop=['age']`.

use std::borrow::Cow;

/// A way out of an error, as a setting and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What setting it does, such as `drop it`.
    pub act: Cow<'static, str>,
    /// The name of the setting, as the configuration spells it: `drop`, `prior`, `max-terms`.
    pub setting: &'static str,
    /// The value to give it; a word in capitals where the user must choose one, nothing for a switch.
    pub value: Option<String>,
}

impl Hint {
    /// `act` by setting `setting` to `value`.
    pub fn new(act: impl Into<Cow<'static, str>>, setting: &'static str, value: impl Into<String>) -> Self {
        Self { act: act.into(), setting, value: Some(value.into()) }
    }
}
