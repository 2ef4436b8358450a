//! Pictures: folders of files, a table of files, or a table of pixels.
//!
//! **Size.** All pictures are brought to one size: the shape asked for; or that of the pictures, where all have the same
//! and no side is above 64 pixels; or, with the proportions they share, that size shrunk to 64 pixels on its longer side;
//! or 64 × 64 where sizes differ, each side scaled by itself. They are gray where every file is gray, else color.
//!
//! **Scaling.** Each channel is brought to mean 0 and standard deviation 1 over the training pictures, as byte × scale +
//! shift. Pixels are not scaled one by one, so a picture may be moved or mirrored, and one that never changes is no
//! error.
//!
//! **Damage.** A file that cannot be decoded is left out and named, or refused where missing values are.

use super::files::{self, pictures_below};
use super::table::{self, Table, read_tables};
use super::{Dataset, Encoding, Input, InputOptions, Note};
use crate::error::listed;
use crate::formats::picture::{Picture, decode, probe};
use crate::frame::{Column, TextColumn, Values};
use crate::label::two_parts;
use crate::parallel::map_stretches;
use crate::read::ReadOptions;
use crate::{DataError, Frame, Label, Matrix, MissingPolicy, PictureShape, Pictures, Store};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest side that pictures are given where nobody asks for a size.
const LONGEST_SIDE: usize = 64;
/// The longest side that can be asked for.
const LARGEST: usize = 4096;

/// How pictures become numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageInput {
    /// The shape of every picture.
    pub image: PictureShape,
    /// A factor per channel.
    pub scale: Vec<f32>,
    /// A summand per channel, after the factor.
    pub shift: Vec<f32>,
    /// Where pictures come from.
    pub from: ImageFrom,
}

/// Where pictures come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageFrom {
    /// Files of a folder, or bytes in memory.
    Files,
    /// Files that a column of a table names.
    Column(String),
    /// Columns of a table, a pixel of a channel each.
    Columns(Vec<String>),
}

impl ImageInput {
    /// Learns the scale of each channel.
    pub fn fit(pictures: &Pictures) -> Result<Self, DataError> {
        let expected =
            pictures.shape.len().filter(|&wide| wide > 0 && pictures.bytes.len().is_multiple_of(wide));
        if expected.is_none() || pictures.is_empty() {
            let rows = pictures.len();
            return Err(DataError::Shape {
                rows,
                cols: pictures.shape.len().unwrap_or(0),
                len: pictures.bytes.len(),
            });
        }
        Ok(Self::of_moments(pictures.shape, pictures.channel_moments(), ImageFrom::Files))
    }

    fn of_moments(image: PictureShape, moments: Vec<(f64, f64)>, from: ImageFrom) -> Self {
        let one = |(mean, deviation): (f64, f64)| {
            let scale = if deviation > 0.0 { 1.0 / deviation } else { 1.0 };
            (scale as f32, (-mean * scale) as f32)
        };
        let (scale, shift) = moments.into_iter().map(one).unzip();
        Self { image, scale, shift, from }
    }

    /// A byte of a channel as the number that models see.
    pub fn pixel(&self, channel: usize, byte: u8) -> f32 {
        self.number(channel, f64::from(byte))
    }

    fn number(&self, channel: usize, value: f64) -> f32 {
        (value * f64::from(self.scale[channel]) + f64::from(self.shift[channel])) as f32
    }

    /// What serde cannot know.
    pub fn check(&self) -> Result<(), DataError> {
        let channels = self.image.channels;
        let sound = |list: &[f32]| list.len() == channels && list.iter().all(|x| x.is_finite());
        let wide = self.image.len().filter(|&wide| wide > 0);
        let columns = match &self.from {
            ImageFrom::Columns(names) => Some(names.len()) == wide,
            ImageFrom::Files | ImageFrom::Column(_) => true,
        };
        match sound(&self.scale) && sound(&self.shift) && wide.is_some() && columns {
            true => Ok(()),
            false => Err(DataError::UnknownShape(self.image.to_string())),
        }
    }
}

/// Pictures that were decoded, and which of the files asked for they are.
struct Decoded {
    pictures: Pictures,
    kept: Vec<usize>,
    notes: Vec<Note>,
}

/// One folder with a folder per class.
pub(super) fn read_classes(options: &InputOptions, folder: &Path) -> Result<Dataset, DataError> {
    options.check_folders(folder)?;
    let (mut paths, mut of) = (Vec::new(), Vec::new());
    let mut classes = Vec::new();
    for inner in files::list(folder)?.folders {
        let pictures = files::list(&inner)?.pictures;
        if !pictures.is_empty() {
            of.extend(std::iter::repeat_n(classes.len(), pictures.len()));
            classes.push(inner.file_name().unwrap_or_default().to_string_lossy().into_owned());
            paths.extend(pictures);
        }
    }
    let shown = folder.display().to_string();
    let Some(positive) = &options.positive else {
        return Err(DataError::WhichClass { folder: shown, classes: listed(&classes, ", ", 8) });
    };
    if !classes.contains(positive) {
        let seen = listed(&classes, ", ", 8);
        return Err(DataError::NoSuchLabel { column: shown, value: positive.clone(), seen });
    }
    let is_positive = |&row: &usize| classes[of[row]] == *positive;
    let decoded = decode_files(&paths, options)?;
    let truth: Vec<bool> = decoded.kept.iter().map(is_positive).collect();
    let label = |&positive: &bool| if positive { Label::Positive } else { Label::Unlabeled };
    let labels = truth.iter().map(label).collect();
    let data = learned(decoded, ImageFrom::Files, &paths, folder)?;
    // A folder per class says the truth, if the user says that it does: for a method that sees every label.
    data.with_labels(labels)?.with_truth(truth)
}

/// Two folders of pictures.
pub(super) fn read_folders(
    options: &InputOptions,
    positives: &Path,
    unlabeled: &Path,
) -> Result<Dataset, DataError> {
    let (first, second) = (pictures_below(positives)?, pictures_below(unlabeled)?);
    let positive = first.len();
    let paths = [first, second].concat();
    let decoded = decode_files(&paths, options)?;
    let kept_positive = decoded.kept.iter().filter(|&&row| row < positive).count();
    let labels = two_parts(kept_positive, decoded.kept.len() - kept_positive);
    learned(decoded, ImageFrom::Files, &paths, Path::new(""))?.with_labels(labels)
}

/// A table with a column of picture files.
pub(super) fn read_table(options: &InputOptions, input: &Input) -> Result<Dataset, DataError> {
    // `read` comes here only where the column is named.
    let column = options.image.clone().unwrap_or_default();
    let read = ReadOptions {
        verbatim: vec![column.clone()],
        only: Some(vec![column.clone()]),
        encoding: options.encoding,
        ..ReadOptions::default()
    };
    let (table, paths) = read_paths(input, read, options, &column)?;
    let decoded = decode_files(&paths, options)?;
    let kept = decoded.kept.clone();
    let data = learned(decoded, ImageFrom::Column(column), &paths, Path::new(""))?;
    finish_some(data, table, &kept)
}

/// Labels and names of the rows whose pictures could be read.
fn finish_some(data: Dataset, table: Table, kept: &[usize]) -> Result<Dataset, DataError> {
    let unused = (!table.frame.ignored.is_empty()).then(|| Note::NotUsed(table.frame.ignored.clone()));
    let labels = table.labels.map(|labels| kept.iter().map(|&row| labels[row]).collect());
    let truth = table.truth.map(|truth| kept.iter().map(|&row| truth[row]).collect());
    let ids = table.ids.into_iter();
    let ids = ids.map(|(name, ids)| (name, kept.iter().map(|&row| ids.get(row)).collect::<TextColumn>()));
    table::finish(data.with_notes(unused), labels, truth, ids.collect())
}

/// The rows of a table with the files that a column of it names.
fn read_paths(
    input: &Input,
    read: ReadOptions,
    options: &InputOptions,
    column: &str,
) -> Result<(Table, Vec<PathBuf>), DataError> {
    let mut paths = Vec::new();
    // Names count from the folder of the table they stand in.
    for path in input.paths() {
        let folder = path.parent().unwrap_or(Path::new(""));
        let nothing = table::Known { label: None, truth: None, positive: None, ids: &[] };
        let one = table::read_one(path, read.clone(), nothing)?;
        let Values::Text(names) = &one.frame.column(column)?.values else { continue };
        paths.extend(names.iter().map(|name| folder.join(name.trim())));
    }
    let table = read_tables(input, read, options.known())?;
    Ok((table, paths))
}

/// A table whose columns are pixels.
pub(super) fn read_pixels(options: &InputOptions, input: &Input) -> Result<Dataset, DataError> {
    let shape = options.image_shape.unwrap_or(PictureShape { channels: 1, height: 1, width: 1 });
    let read = ReadOptions {
        drop: options.drop.clone(),
        only: (!options.only.is_empty()).then(|| options.only.clone()),
        missing: options.missing,
        encoding: options.encoding,
        ..ReadOptions::default()
    };
    let Table { frame, labels, truth, ids } = read_tables(input, read, options.known())?;
    let found = frame.columns.len();
    if shape.len() != Some(found) {
        let pixels = shape.len().unwrap_or(usize::MAX);
        return Err(DataError::ImageColumns { shape: shape.to_string(), pixels, found });
    }
    let names = frame.names().map(str::to_string).collect();
    let missing: Vec<(String, usize)> = missing_cells(&frame, options.missing)?;
    let (image, rows) = match bytes_of(&frame)? {
        Some(bytes) => {
            let pictures = Pictures { shape, bytes };
            let image = ImageInput { from: ImageFrom::Columns(names), ..ImageInput::fit(&pictures)? };
            (image, Store::Bytes(pictures))
        }
        None => {
            let moments = moments_of(&frame, shape.channels);
            let image = ImageInput::of_moments(shape, moments, ImageFrom::Columns(names));
            let rows = numbers_of(&frame, &image)?;
            (image, Store::Dense(rows))
        }
    };
    let data = Dataset::new(rows, Arc::new(Encoding::Image(image)));
    let missing = (!missing.is_empty()).then_some(Note::Missing(missing));
    table::finish(data.with_notes(missing), labels, truth, ids)
}

fn missing_cells(frame: &Frame, policy: MissingPolicy) -> Result<Vec<(String, usize)>, DataError> {
    let mut cells = Vec::new();
    for Column { name, values } in &frame.columns {
        match (values.first_missing(), policy) {
            (None, _) => {}
            (Some(row), MissingPolicy::Refuse) => {
                return Err(DataError::MissingValue { column: name.clone(), row: row + 1 });
            }
            (Some(_), MissingPolicy::Mean) => cells.push((name.clone(), values.missing())),
        }
    }
    Ok(cells)
}

/// A value of a pixel; NaN where it is missing.
fn pixel(column: &Column, row: usize) -> Result<f64, DataError> {
    match &column.values {
        Values::Numeric(values) => Ok(f64::from(values[row])),
        Values::Wide(values) => Ok(values[row]),
        Values::Boolean(values) => Ok(values[row].map_or(f64::NAN, |flag| f64::from(u8::from(flag)))),
        other => Err(DataError::ImageColumn { column: column.name.clone(), kind: other.kind() }),
    }
}

/// The pixels as bytes, where every one is a whole number from 0 to 255.
fn bytes_of(frame: &Frame) -> Result<Option<Vec<u8>>, DataError> {
    let wide = frame.columns.len();
    let mut bytes = vec![0u8; frame.rows * wide];
    for (at, column) in frame.columns.iter().enumerate() {
        for row in 0..frame.rows {
            let value = pixel(column, row)?;
            if !((0.0..=255.0).contains(&value) && value.fract() == 0.0) {
                return Ok(None);
            }
            bytes[row * wide + at] = value as u8;
        }
    }
    Ok(Some(bytes))
}

/// Mean and standard deviation of each channel over all pixels that are there.
fn moments_of(frame: &Frame, channels: usize) -> Vec<(f64, f64)> {
    let of_channel = |channel: usize| {
        let columns = || frame.columns.iter().skip(channel).step_by(channels.max(1));
        let values = || {
            columns()
                .flat_map(|column| (0..frame.rows).filter_map(|row| pixel(column, row).ok()))
                .filter(|x| !x.is_nan())
        };
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        (mean, (values().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt())
    };
    (0..channels).map(of_channel).collect()
}

/// The pixels as scaled numbers; a missing one is the mean of its channel, 0.
fn numbers_of(frame: &Frame, image: &ImageInput) -> Result<Matrix, DataError> {
    let (wide, channels) = (frame.columns.len(), image.image.channels.max(1));
    let mut numbers = vec![0f32; frame.rows * wide];
    for (at, column) in frame.columns.iter().enumerate() {
        for row in 0..frame.rows {
            let value = pixel(column, row)?;
            if !value.is_nan() {
                numbers[row * wide + at] = image.number(at % channels, value);
            }
        }
    }
    Matrix::new(frame.rows, wide, numbers)
}

/// A data set whose scaling is learned from its own pictures.
fn learned(decoded: Decoded, from: ImageFrom, paths: &[PathBuf], root: &Path) -> Result<Dataset, DataError> {
    let image = ImageInput { from, ..ImageInput::fit(&decoded.pictures)? };
    with_names(decoded, Arc::new(Encoding::Image(image)), paths, root)
}

fn with_names(
    decoded: Decoded,
    encoding: Arc<Encoding>,
    paths: &[PathBuf],
    root: &Path,
) -> Result<Dataset, DataError> {
    let shown = |&row: &usize| paths[row].strip_prefix(root).unwrap_or(&paths[row]).display().to_string();
    let names: TextColumn = decoded.kept.iter().map(shown).collect();
    let data = Dataset::new(Store::Bytes(decoded.pictures), encoding).with_notes(decoded.notes);
    data.with_ids("file", names)
}

impl ImageInput {
    /// Reads pictures as the model's own were: a folder, a table of files or a table of pixels.
    pub(super) fn read(
        &self,
        encoding: &Arc<Encoding>,
        path: &Path,
        known: table::Known,
        missing: MissingPolicy,
    ) -> Result<Dataset, DataError> {
        let options = InputOptions { image_shape: Some(self.image), missing, ..InputOptions::default() };
        if path.is_dir() {
            if let Some(column) = known.label.or(known.truth).or(known.ids.first().map(String::as_str)) {
                let folder = path.display().to_string();
                return Err(DataError::FolderColumn { folder, column: column.to_string() });
            }
            if files::kind_of(path)? == files::Kind::Texts {
                return Err(other_input("texts", path));
            }
            let paths = pictures_below(path)?;
            return with_names(decode_files(&paths, &options)?, encoding.clone(), &paths, path);
        }
        let only = match &self.from {
            ImageFrom::Files => return Err(other_input("a table", path)),
            ImageFrom::Column(column) => {
                let read = ReadOptions {
                    verbatim: vec![column.clone()],
                    only: Some(vec![column.clone()]),
                    ..ReadOptions::default()
                };
                let of = InputOptions {
                    label: known.label.map(str::to_string),
                    truth: known.truth.map(str::to_string),
                    positive: known.positive.map(str::to_string),
                    id: known.ids.to_vec(),
                    ..options.clone()
                };
                let (table, paths) = read_paths(&Input::one(path), read, &of, column)?;
                let decoded = decode_files(&paths, &options)?;
                let kept = decoded.kept.clone();
                let data = with_names(decoded, encoding.clone(), &paths, Path::new(""))?;
                return finish_some(data, table, &kept);
            }
            ImageFrom::Columns(names) => names,
        };
        let read = ReadOptions { only: Some(only.clone()), missing, ..ReadOptions::default() };
        let Table { mut frame, labels, truth, ids } = table::read_one(path, read, known)?;
        let mut columns = Vec::with_capacity(only.len());
        for name in only {
            columns.push(frame.take(name)?);
        }
        let frame = Frame { columns, rows: frame.rows, ..Frame::default() };
        missing_cells(&frame, missing)?;
        let rows = match bytes_of(&frame)? {
            Some(bytes) => Store::Bytes(Pictures { shape: self.image, bytes }),
            None => Store::Dense(numbers_of(&frame, self)?),
        };
        table::finish(Dataset::new(rows, encoding.clone()), labels, truth, ids)
    }
}

fn other_input(found: &'static str, path: &Path) -> DataError {
    DataError::OtherInput { fitted: "pictures", found, file: path.display().to_string() }
}

/// Decodes all files and brings them to one size.
fn decode_files(paths: &[PathBuf], options: &InputOptions) -> Result<Decoded, DataError> {
    let shape = match options.image_shape {
        Some(shape) => shape,
        None => common_shape(paths),
    };
    let PictureShape { channels, height, width } = shape;
    if !(1..=LARGEST).contains(&height) || !(1..=LARGEST).contains(&width) {
        return Err(DataError::ImageSize { height, width, limit: LARGEST });
    }
    if channels != 1 && channels != 3 {
        return Err(DataError::ImageChannels(channels));
    }
    let one = |path: &PathBuf| -> Result<(Vec<u8>, bool), String> {
        let picture = fs::read(path).map_err(|cause| cause.to_string()).and_then(|bytes| decode(&bytes))?;
        let resized = (picture.height, picture.width) != (height, width);
        let mut bytes = Vec::with_capacity(3 * height * width);
        picture.resize_into(height, width, &mut bytes);
        if channels == 1 {
            bytes = bytes.chunks_exact(3).map(Picture::luminance).collect();
        }
        Ok((bytes, resized))
    };
    let parts = map_stretches(paths, 0, 8, |some| some.iter().map(one).collect::<Vec<_>>());
    let (mut bytes, mut kept, mut resized) = (Vec::new(), Vec::new(), 0);
    let mut unreadable: Vec<(usize, String)> = Vec::new();
    for (row, decoded) in parts.into_iter().flatten().enumerate() {
        match decoded {
            Ok((picture, changed)) => {
                bytes.extend(picture);
                kept.push(row);
                resized += usize::from(changed);
            }
            Err(why) => unreadable.push((row, why)),
        }
    }
    let all = paths.len();
    let mut notes = Vec::new();
    if let Some((row, why)) = unreadable.first() {
        let (count, file) = (unreadable.len(), paths[*row].display().to_string());
        if options.missing == MissingPolicy::Refuse || kept.is_empty() {
            return Err(DataError::UnreadableImages { count, all, file, why: why.clone() });
        }
        notes.push(Note::Unreadable { files: count, all, first: file, why: why.clone() });
    }
    if resized > 0 {
        notes.push(Note::Resized { files: resized, all, shape });
    }
    Ok(Decoded { pictures: Pictures { shape, bytes }, kept, notes })
}

/// The shape that fits all pictures, by their headers alone; see the top of this file for the rule.
fn common_shape(paths: &[PathBuf]) -> PictureShape {
    let look = |path: &PathBuf| fs::read(path).ok().and_then(|bytes| probe(&bytes).ok());
    let found = map_stretches(paths, 0, 8, |some| some.iter().filter_map(look).collect::<Vec<_>>()).concat();
    let channels = if found.iter().all(|picture| picture.gray) && !found.is_empty() { 1 } else { 3 };
    let square = PictureShape { channels, height: LONGEST_SIDE, width: LONGEST_SIDE };
    let Some(first) = found.first() else { return square };
    if found.iter().any(|other| (other.height, other.width) != (first.height, first.width)) {
        return square;
    }
    let longer = first.height.max(first.width);
    if longer <= LONGEST_SIDE {
        return PictureShape { channels, height: first.height, width: first.width };
    }
    let shrunk = |side: usize| (side * LONGEST_SIDE).div_ceil(longer).max(1);
    PictureShape { channels, height: shrunk(first.height), width: shrunk(first.width) }
}
