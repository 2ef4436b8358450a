//! Model files as arguments: they come before the rows, and people type them the other way around.

use crate::failure::Failure;
use onesided::data::is_stream;
use onesided::{Error, KnownRows, Model, RowsFileError};
use std::path::Path;

/// Loads a model for rows in `places`.
pub fn load<'p>(model: &Path, places: impl IntoIterator<Item = &'p Path>) -> Result<Model, Failure> {
    Model::load(model).map_err(|error| maybe_swapped(error, model, places))
}

/// [`load`] with the rows that it was fitted on.
pub fn load_with_rows<'p>(
    model: &Path,
    places: impl IntoIterator<Item = &'p Path>,
) -> Result<(Model, Result<KnownRows, RowsFileError>), Failure> {
    Model::load_with_rows(model).map_err(|error| maybe_swapped(error, model, places))
}

/// Why a model cannot be loaded. If one of the places is a model, the two were swapped.
fn maybe_swapped<'p>(error: Error, model: &Path, places: impl IntoIterator<Item = &'p Path>) -> Failure {
    let is_model = |place: &&Path| !is_stream(place) && place.is_file() && Model::load(place).is_ok();
    match places.into_iter().filter(|place| *place != model).find(is_model) {
        Some(swapped) => Failure::input(format!(
            "'{}' is a model, and '{}' is not; name the model first, then the rows",
            swapped.display(),
            model.display()
        )),
        None => error.into(),
    }
}
