//! How many of the positives are labeled.

use serde::Serialize;
use std::fmt;

/// How many of the positives to train on are labeled; the others are unlabeled, as all negatives are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Labeled {
    /// All but this share, which is hidden.
    AllBut(f64),
    /// So many.
    Count(usize),
}

impl Labeled {
    /// The key of a spec that lists it, and the head of its column in tables.
    pub fn key(self) -> &'static str {
        match self {
            Labeled::AllBut(_) => "hidden",
            Labeled::Count(_) => "labels",
        }
    }
}

impl fmt::Display for Labeled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Labeled::AllBut(share) => write!(f, "{share}"),
            Labeled::Count(count) => write!(f, "{count}"),
        }
    }
}
