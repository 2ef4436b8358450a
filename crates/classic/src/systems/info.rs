//! What there is to know of a system before it learns: its facts and its options, written in its own file.

use super::System;
use crate::{OptionError, OptionInfo, OptionValues};

/// A system as users see it listed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SystemInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What must hold of the data.
    pub assumes: &'static str,
    /// How time and memory grow.
    pub scales: Growth,
    /// Whether it cannot do without the prior.
    pub needs_prior: bool,
    /// Whether rows must hold no negative values.
    pub needs_counts: bool,
    /// Whether columns are best left as they are: counts, or values that the system scales itself.
    pub as_is: bool,
    /// Whether its scores come with a probability.
    pub gives_probability: bool,
    /// Whether its model can say what carried a score: a linear one, unless a kernel is asked for.
    pub explains: bool,
    /// Why it cannot learn from known negatives; `None` where it can.
    pub no_negatives: Option<&'static str>,
    /// Why it cannot learn from rows with weights; `None` where it can.
    pub no_weights: Option<&'static str>,
    /// What of it was put together here because the sources leave it open; `None` where nothing was.
    pub reconstruction: Option<&'static str>,
    /// What can be set by name.
    pub options: &'static [OptionInfo],
    /// The system with these options, everything else at its default.
    pub build: fn(&OptionValues) -> Result<Box<dyn System>, OptionError>,
}

/// How time and memory grow.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// In a word or two, for a table.
    pub time: &'static str,
    /// The rest of the sentence.
    pub more: &'static str,
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.time, self.more)
    }
}

impl SystemInfo {
    /// The system with the options `given` as names and values, everything else at its default.
    pub fn with_options(&self, given: &[(String, String)]) -> Result<Box<dyn System>, OptionError> {
        (self.build)(&OptionValues::new(self.name, self.options, given)?)
    }
}

// What several systems say in the same words.

pub(crate) const AT_RANDOM: &str = "labeled positives are a random subset of the positives";
pub(crate) const LINEAR_TIME: Growth =
    Growth { time: "linear", more: " in the stored values; sparse rows stay sparse" };
pub(crate) const COST: &str = "the price of an example on the wrong side, against the size of the weights";
