//! The model file: safetensors, with one JSON document in the metadata.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | length of the header, little-endian |
//! | header | JSON: `__metadata__` = {`format`: `onesided-model`, `onesided`: the document, `version`: `1` or `2`}, then each tensor's type, shape and place |
//! | rest | the tensors, little-endian, one after another |
//!
//! A network's tensors are its weights, 32-bit floats. A classic model has a second document, `classic` in the metadata,
//! whose long lists of numbers are tensors ([`lists`]). Models on tables whose body is a network have version 1, which
//! every reader knows; the others have version 2.
//!
//! The header is written here, with its keys in order, because the same model must give the same bytes; reading is left
//! to the `safetensors` crate, which checks every length and place before anything is allocated.

mod lists;

use crate::model::Body;
use crate::{About, Encoding, Error};
use lists::List;
use onesided_classic::ClassicModel;
use onesided_net::{Tensor, Weights};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

const FORMAT: &str = "onesided-model";
/// The newest version that is read.
const VERSION: u32 = 2;
/// The header is padded with spaces so that the tensors start at a multiple of this.
const ALIGNMENT: usize = 8;

pub(crate) fn to_bytes(about: &About, body: &Body) -> Result<Vec<u8>, Error> {
    let broken = |cause: serde_json::Error| Error::ModelFile {
        file: "the model".to_string(),
        what: format!("cannot be written as JSON ({cause})"),
    };
    let document = serde_json::to_string(about).map_err(broken)?;
    let old = matches!(body, Body::Network(_)) && about.features.table().is_some();
    let version = if old { 1 } else { VERSION };
    let mut metadata = json!({ "format": FORMAT, "onesided": document, "version": version.to_string() });
    // Keys in order, whatever features of `serde_json` another crate turns on.
    let mut header: BTreeMap<String, Value> = BTreeMap::new();
    let mut data: Vec<u8> = Vec::new();
    let mut place = |name: &str, dtype: Dtype, shape: &[usize], bytes: &mut dyn Iterator<Item = u8>| {
        let start = data.len();
        data.extend(bytes);
        let place =
            json!({ "data_offsets": [start, data.len()], "dtype": format!("{dtype:?}"), "shape": shape });
        header.insert(name.to_string(), place);
    };
    match body {
        Body::Network(weights) => {
            for Tensor { name, shape, data } in &weights.tensors {
                place(name, Dtype::F32, shape, &mut data.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        Body::Classic(model) => {
            let mut tree = serde_json::to_value(model).map_err(broken)?;
            for (name, List { dtype, len, bytes }) in lists::cut(&mut tree) {
                place(&name, dtype, &[len], &mut bytes.into_iter());
            }
            metadata["classic"] = tree.to_string().into();
        }
    }
    header.insert("__metadata__".to_string(), metadata);
    let mut header = serde_json::to_vec(&header).map_err(broken)?;
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    let mut bytes = Vec::with_capacity(8 + header.len() + data.len());
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(&data);
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

pub(crate) fn from_bytes(bytes: &[u8], name: &str) -> Result<(About, Body), Error> {
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
        Some(Ok(1..=VERSION)) => {}
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
    let names = header.offset_keys();
    let body = match entry("classic") {
        Some(document) => {
            Body::Classic(classic(&file, &names, document).map_err(|what| damaged(name, &what))?)
        }
        None if about.network.is_none() => {
            return Err(damaged(name, "it has neither a network nor a classic model"));
        }
        None => Body::Network(weights(&file, names).map_err(|what| damaged(name, &what))?),
    };
    check(&about, &body).map_err(|what| damaged(name, &what))?;
    Ok((about, body))
}

/// The tensors of a network.
fn weights(file: &SafeTensors, names: Vec<String>) -> Result<Weights, String> {
    let mut tensors = Vec::with_capacity(names.len());
    for name in names {
        let view = file.tensor(&name).map_err(|error| error.to_string())?;
        if view.dtype() != Dtype::F32 {
            return Err(format!("tensor '{name}' does not hold 32-bit floats"));
        }
        let floats = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let data: Vec<f32> = floats.collect();
        if data.iter().any(|value| !value.is_finite()) {
            return Err(format!("tensor '{name}' holds a weight that is not finite"));
        }
        tensors.push(Tensor { name, shape: view.shape().to_vec(), data });
    }
    Ok(Weights { tensors })
}

/// A classic model: its document with the lists put back.
fn classic(file: &SafeTensors, names: &[String], document: &str) -> Result<ClassicModel, String> {
    let mut lists = BTreeMap::new();
    for name in names {
        let view = file.tensor(name).map_err(|error| error.to_string())?;
        let [len] = view.shape() else { return Err(format!("tensor '{name}' is no list")) };
        let list = List { dtype: view.dtype(), len: *len, bytes: view.data().to_vec() };
        lists.insert(name.clone(), list);
    }
    let unread = |error: serde_json::Error| format!("its classic model cannot be read: {error}");
    let mut tree: Value = serde_json::from_str(document).map_err(unread)?;
    lists::restore(&mut tree, &mut lists)?;
    if let Some(name) = lists.keys().next() {
        return Err(format!("nothing refers to tensor '{name}'"));
    }
    let model: ClassicModel = serde_json::from_value(tree).map_err(unread)?;
    model.check().map_err(|error| error.to_string())?;
    Ok(model)
}

/// What serde cannot know: the parts must fit together.
fn check(about: &About, body: &Body) -> Result<(), String> {
    let width = about.features.width();
    match (body, &about.network) {
        (Body::Network(weights), Some(network)) => {
            let shape = network.input;
            let inputs = shape.channels.checked_mul(shape.height).and_then(|n| n.checked_mul(shape.width));
            if inputs != Some(width) || width == 0 {
                return Err(format!("its network does not take the {width} features it names"));
            }
            network.check(weights).map_err(|error| format!("its weights do not fit its network: {error}"))?;
            let variances = weights.tensors.iter().filter(|tensor| tensor.name.ends_with(".variance"));
            if let Some(tensor) = variances.into_iter().find(|tensor| tensor.data.iter().any(|&v| v < 0.0)) {
                return Err(format!("tensor '{}' holds a negative variance", tensor.name));
            }
        }
        (Body::Classic(model), None) => {
            if model.cols() != width || width == 0 {
                return Err(format!("its model does not take the {width} features it names"));
            }
            if model.system != about.method {
                return Err(format!("it holds '{}' under the name of '{}'", model.system, about.method));
            }
        }
        (Body::Network(_), None) => return Err("it has neither a network nor a classic model".to_string()),
        (Body::Classic(_), Some(_)) => return Err("it has both a network and a classic model".to_string()),
    }
    if let Encoding::Text(input) = &about.features
        && input.columns.iter().any(String::is_empty)
    {
        return Err("a column of texts has no name".to_string());
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
