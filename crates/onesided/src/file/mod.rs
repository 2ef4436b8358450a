//! The model file: safetensors, with JSON documents in the metadata.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | length of the header, little-endian |
//! | header | JSON: `__metadata__` = {`format`: `onesided-model`, `version`: `3`, `onesided`: what the model is, `model`: what scores, `checksum`: CRC-32 of the two documents and the tensors}, then each tensor's type, shape and place |
//! | rest | the tensors, little-endian, one after another |
//!
//! Versions 1 (networks on tables) and 2 (classic models and texts) are read by a separate path ([`old`]) and no
//! longer written.
//!
//! The header is written here, with its keys in order, because the same model must give the same bytes; reading is left
//! to the `safetensors` crate, which checks every length and place before anything is allocated.

mod body;
mod lists;
mod old;

use crate::{About, Encoding, Error};
use onesided_learn::Fitted;
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

const FORMAT: &str = "onesided-model";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 3;
/// The header is padded with spaces so that the tensors start at a multiple of this.
const ALIGNMENT: usize = 8;

/// A tensor on its way into the file.
struct Placed {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

pub(crate) fn to_bytes(about: &About, fitted: &Fitted) -> Result<Vec<u8>, Error> {
    let broken = |cause: serde_json::Error| Error::ModelFile {
        file: "the model".to_string(),
        what: format!("cannot be written as JSON ({cause})"),
    };
    let document = serde_json::to_string(about).map_err(broken)?;
    let mut tensors = Vec::new();
    let model = body::write(fitted, "", &mut tensors)?.to_string();
    // Keys in order, whatever features of `serde_json` another crate turns on.
    let mut header: BTreeMap<String, Value> = BTreeMap::new();
    let mut data: Vec<u8> = Vec::new();
    for Placed { name, dtype, shape, bytes } in tensors {
        let start = data.len();
        data.extend(bytes);
        let place =
            json!({ "data_offsets": [start, data.len()], "dtype": format!("{dtype:?}"), "shape": shape });
        header.insert(name, place);
    }
    let checksum = checksum(&document, &model, &data);
    let metadata = json!({
        "checksum": checksum, "format": FORMAT, "model": model, "onesided": document, "version": VERSION.to_string(),
    });
    header.insert("__metadata__".to_string(), metadata);
    let mut header = serde_json::to_vec(&header).map_err(broken)?;
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    let mut bytes = Vec::with_capacity(8 + header.len() + data.len());
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(&data);
    Ok(bytes)
}

/// CRC-32 of both documents and the tensors, in hexadecimal: no flipped bit goes unnoticed.
fn checksum(document: &str, model: &str, data: &[u8]) -> String {
    let mut sum = crc32fast::Hasher::new();
    [document.as_bytes(), model.as_bytes(), data].into_iter().for_each(|part| sum.update(part));
    format!("{:08x}", sum.finalize())
}

pub(crate) fn read(path: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let wrong = |what: String| Error::ModelFile { file: name.to_string(), what };
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(wrong("is a folder; name a model file inside it".to_string())),
        Ok(about) if !about.is_file() => Err(wrong("is not a regular file; name a model file".to_string())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Err(wrong("does not exist; check the path of the model".to_string()))
        }
        about => {
            let length = about.map_or(0, |about| about.len());
            onesided_data::check_memory(|| format!("the model '{name}'"), length)?;
            fs::read(path).map_err(|cause| wrong(format!("cannot be read: {cause}")))
        }
    }
}

pub(crate) fn from_bytes(bytes: &[u8], name: &str) -> Result<(About, Fitted), Error> {
    let wrong = |what: String| Error::ModelFile { file: name.to_string(), what };
    let (start, header) = SafeTensors::read_metadata(bytes).map_err(|error| wrong(unreadable(&error)))?;
    let metadata = header.metadata().as_ref();
    let entry = |key: &str| metadata.and_then(|metadata| metadata.get(key)).map(String::as_str);
    if entry("format") != Some(FORMAT) {
        return Err(wrong(
            "is a safetensors file, but no model of onesided; name a file that 'onesided fit' wrote"
                .to_string(),
        ));
    }
    let version = match entry("version").map(str::parse::<u32>) {
        Some(Ok(version @ 1..=VERSION)) => version,
        Some(Ok(version)) if version > VERSION => {
            return Err(wrong(format!(
                "has format version {version}, and this onesided reads up to {VERSION}; update onesided"
            )));
        }
        _ => return Err(damaged(name, "it has no sound version number")),
    };
    let document = entry("onesided").ok_or_else(|| damaged(name, "its description is missing"))?;
    if version >= 3 {
        let model = entry("model").ok_or_else(|| damaged(name, "what scores is missing"))?;
        let data = bytes.get(8 + start..).unwrap_or(&[]);
        // A fuzzer does not find sums; what is behind them is to be found, too.
        if !cfg!(fuzzing) && entry("checksum") != Some(checksum(document, model, data).as_str()) {
            return Err(damaged(name, "its checksum is not that of its content"));
        }
    }
    let mut about: About = serde_json::from_str(document)
        .map_err(|error| damaged(name, &format!("its description cannot be read: {error}")))?;

    // Parsed once more for the data; the places were checked above.
    let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(unreadable(&error)))?;
    let names = header.offset_keys();
    let fitted = match entry("model").filter(|_| version >= 3) {
        Some(model) => body::read(model, &file, names),
        None => old::read(&mut about, entry("classic"), &file, names),
    };
    let fitted = fitted.map_err(|what| damaged(name, &what))?;
    check(&about, &fitted).map_err(|what| damaged(name, &what))?;
    Ok((about, fitted))
}

/// What serde cannot know: the parts must fit together.
fn check(about: &About, fitted: &Fitted) -> Result<(), String> {
    body::check(fitted, &about.features, about.features.shape())?;
    if let Fitted::Classic(model) = fitted
        && model.system != about.method
    {
        return Err(format!("it holds '{}' under the name of '{}'", model.system, about.method));
    }
    about.features.check().map_err(|error| error.to_string())?;
    if let Encoding::Text(input) = about.features.as_ref()
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
    if about.reserve.iter().any(|score| !score.is_finite()) || !about.reserve.is_sorted() {
        return Err("the scores of its reserved positives are not in order".to_string());
    }
    if about.scores.as_ref().is_some_and(|scores| !scores.is_sound()) {
        return Err("the scores of its held-out rows do not fit together".to_string());
    }
    if !(about.shift.is_finite() && (0.0..=1.0).contains(&about.threshold)) {
        return Err("its threshold is not a probability".to_string());
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
