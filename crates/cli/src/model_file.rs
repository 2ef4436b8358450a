//! Model files as arguments: they come before the rows, and people type them the other way around.

use crate::failure::Failure;
use onesided::Model;
use onesided::data::is_stream;
use std::path::Path;

/// Loads a model for rows in `places`. Where it cannot be loaded and one of the places is a model, the two were swapped.
pub fn load<'p>(model: &Path, places: impl IntoIterator<Item = &'p Path>) -> Result<Model, Failure> {
    Model::load(model).map_err(|error| {
        let is_model = |place: &&Path| !is_stream(place) && place.is_file() && Model::load(place).is_ok();
        match places.into_iter().filter(|place| *place != model).find(is_model) {
            Some(swapped) => Failure::input(format!(
                "'{}' is a model, and '{}' is not; name the model first, then the rows",
                swapped.display(),
                model.display()
            )),
            None => error.into(),
        }
    })
}
