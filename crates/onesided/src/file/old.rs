//! Versions 1 and 2 of the model file.
//!
//! A network's tensors are its weights, and its layers are in the description. A classic model has a second document,
//! `classic` in the metadata, whose long lists of numbers are tensors.

use super::body::{lists_of, weights};
use super::lists;
use crate::About;
use onesided_classic::ClassicModel;
use onesided_learn::Fitted;
use safetensors::tensor::SafeTensors;
use serde_json::Value;

pub(super) fn read(
    about: &mut About,
    classic: Option<&str>,
    file: &SafeTensors,
    names: Vec<String>,
) -> Result<Fitted, String> {
    match (classic, about.network.take()) {
        (Some(_), Some(_)) => Err("it has both a network and a classic model".to_string()),
        (None, None) => Err("it has neither a network nor a classic model".to_string()),
        (None, Some(network)) => Ok(Fitted::Network { network, weights: weights(file, names, "")? }),
        (Some(document), None) => {
            let unread = |error: serde_json::Error| format!("its classic model cannot be read: {error}");
            let mut lists = lists_of(file, names, "")?;
            let mut tree: Value = serde_json::from_str(document).map_err(unread)?;
            lists::restore(&mut tree, &mut lists)?;
            if let Some(name) = lists.keys().next() {
                return Err(format!("nothing refers to tensor '{name}'"));
            }
            let model: ClassicModel = serde_json::from_value(tree).map_err(unread)?;
            model.check().map_err(|error| error.to_string())?;
            Ok(Fitted::Classic(model))
        }
    }
}
