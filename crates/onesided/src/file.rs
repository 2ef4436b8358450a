//! The model file: safetensors, with one JSON document in the metadata.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | length of the header, little-endian |
//! | header | JSON: `__metadata__` = {`format`: `onesided-model`, `onesided`: the document, `version`: `1`}, then each tensor's type, shape and place |
//! | rest | the tensors, 32-bit floats, little-endian, one after another |
//!
//! The header is written here, with its keys in order, because the same model must give the same bytes; reading is left
//! to the `safetensors` crate, which checks every length and place before anything is allocated.

use crate::{About, Error};
use onesided_net::{Tensor, Weights};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

const FORMAT: &str = "onesided-model";
const VERSION: u32 = 1;
/// The header is padded with spaces so that the tensors start at a multiple of this.
const ALIGNMENT: usize = 8;

pub(crate) fn to_bytes(about: &About, weights: &Weights) -> Result<Vec<u8>, Error> {
    let broken = |cause: serde_json::Error| Error::ModelFile {
        file: "the model".to_string(),
        what: format!("cannot be written as JSON ({cause})"),
    };
    let document = serde_json::to_string(about).map_err(broken)?;
    // Keys in order, whatever features of `serde_json` another crate turns on.
    let mut header: BTreeMap<String, Value> = BTreeMap::new();
    let metadata = json!({ "format": FORMAT, "onesided": document, "version": VERSION.to_string() });
    header.insert("__metadata__".to_string(), metadata);
    let mut end = 0;
    for tensor in &weights.tensors {
        let start = end;
        end += 4 * tensor.data.len();
        let place = json!({ "data_offsets": [start, end], "dtype": "F32", "shape": tensor.shape });
        header.insert(tensor.name.clone(), place);
    }
    let mut header = serde_json::to_vec(&header).map_err(broken)?;
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    let values = weights.tensors.iter().flat_map(|tensor| &tensor.data);
    values.for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    Ok(bytes)
}

pub(crate) fn read(path: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let wrong = |what: String| Error::ModelFile { file: name.to_string(), what };
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(wrong("is a folder; name a model file inside it".to_string())),
        Ok(about) if !about.is_file() => Err(wrong("is not a regular file; name a model file".to_string())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Err(wrong("does not exist; check the path of the model".to_string()))
        }
        _ => fs::read(path).map_err(|cause| wrong(format!("cannot be read: {cause}"))),
    }
}

pub(crate) fn from_bytes(bytes: &[u8], name: &str) -> Result<(About, Weights), Error> {
    let wrong = |what: String| Error::ModelFile { file: name.to_string(), what };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| wrong(unreadable(&error)))?;
    let metadata = header.metadata().as_ref();
    let entry = |key: &str| metadata.and_then(|metadata| metadata.get(key)).map(String::as_str);
    if entry("format") != Some(FORMAT) {
        return Err(wrong(
            "is a safetensors file, but no model of onesided; name a file that 'onesided fit' wrote"
                .to_string(),
        ));
    }
    match entry("version").map(str::parse::<u32>) {
        Some(Ok(VERSION)) => {}
        Some(Ok(version)) if version > VERSION => {
            return Err(wrong(format!(
                "has format version {version}, and this onesided reads up to {VERSION}; update onesided"
            )));
        }
        _ => return Err(damaged(name, "it has no sound version number")),
    }
    let document = entry("onesided").ok_or_else(|| damaged(name, "its description is missing"))?;
    let about: About = serde_json::from_str(document)
        .map_err(|error| damaged(name, &format!("its description cannot be read: {error}")))?;

    // Parsed once more for the data; the places were checked above.
    let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(unreadable(&error)))?;
    let mut tensors = Vec::with_capacity(file.len());
    for key in header.offset_keys() {
        let view = file.tensor(&key).map_err(|error| damaged(name, &error.to_string()))?;
        if view.dtype() != Dtype::F32 {
            return Err(damaged(name, &format!("tensor '{key}' does not hold 32-bit floats")));
        }
        let floats = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let data: Vec<f32> = floats.collect();
        if data.iter().any(|value| !value.is_finite()) {
            return Err(damaged(name, &format!("tensor '{key}' holds a weight that is not finite")));
        }
        tensors.push(Tensor { name: key, shape: view.shape().to_vec(), data });
    }
    let weights = Weights { tensors };
    check(&about, &weights).map_err(|what| damaged(name, &what))?;
    Ok((about, weights))
}

/// What serde cannot know: the parts must fit together.
fn check(about: &About, weights: &Weights) -> Result<(), String> {
    let shape = about.network.input;
    let inputs = shape.channels.checked_mul(shape.height).and_then(|n| n.checked_mul(shape.width));
    let width = about.features.width();
    if inputs != Some(width) || width == 0 {
        return Err(format!("its network does not take the {width} features it names"));
    }
    about.network.check(weights).map_err(|error| format!("its weights do not fit its network: {error}"))?;
    let variances = weights.tensors.iter().filter(|tensor| tensor.name.ends_with(".variance"));
    if let Some(tensor) = variances.into_iter().find(|tensor| tensor.data.iter().any(|&v| v < 0.0)) {
        return Err(format!("tensor '{}' holds a negative variance", tensor.name));
    }
    let calibration = about.calibration;
    if !(calibration.slope > 0.0 && calibration.slope.is_finite() && calibration.offset.is_finite()) {
        return Err("its calibration is not a rising line".to_string());
    }
    if about.prior_estimate.as_ref().is_some_and(|estimate| !estimate.is_sound()) {
        return Err("its estimate of the prior lies outside its interval".to_string());
    }
    if !(about.shift.is_finite() && about.threshold.is_finite()) {
        return Err("its threshold is not a number".to_string());
    }
    Ok(())
}

fn damaged(file: &str, what: &str) -> Error {
    let what = format!("is a damaged model file ({what}); copy it again, or fit the model again");
    Error::ModelFile { file: file.to_string(), what }
}

fn unreadable(error: &SafeTensorError) -> String {
    match error {
        SafeTensorError::InvalidHeaderLength | SafeTensorError::MetadataIncompleteBuffer => {
            "is truncated: it ends before the data that its header announces; copy it again, or fit the model again"
                .to_string()
        }
        SafeTensorError::HeaderTooLarge
        | SafeTensorError::HeaderTooSmall
        | SafeTensorError::InvalidHeader(_)
        | SafeTensorError::InvalidHeaderDeserialization(_) => {
            "is not a safetensors file; name a model file that 'onesided fit' wrote".to_string()
        }
        other => {
            format!("is a damaged safetensors file ({other}); copy it again, or fit the model again")
        }
    }
}
