//! What a build without pictures says in the place of their decoders.

use super::resize::{Header, Picture};

const ABSENT: &str = "this build reads no pictures; enable the feature 'pictures'";

pub(crate) fn decode(_: &[u8]) -> Result<Picture, String> {
    Err(ABSENT.to_string())
}

pub(crate) fn probe(_: &[u8]) -> Result<Header, String> {
    Err(ABSENT.to_string())
}
