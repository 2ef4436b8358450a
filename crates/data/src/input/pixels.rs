//! A table whose columns are the pixels of a picture, with a shape that says how they lie.
//!
//! Whole numbers from 0 to 255 are kept as bytes. Others are scaled as they are read, channel by channel; a missing one is
//! the mean of its channel.

use super::table::{self, Table, read_tables};
use super::{Dataset, Encoding, ImageFrom, ImageInput, Input, InputOptions, Note, ReadAgain};
use crate::matrix::check_values;
use crate::{DataError, Frame, Matrix, MissingPolicy, PictureShape, Pictures, Store};
use onesided_table::ReadOptions;
use onesided_table::{Column, Values};
use std::sync::Arc;

/// A table of pixels, from which the scale of each channel is learned.
pub(super) fn read(options: &InputOptions, input: &Input) -> Result<Dataset, DataError> {
    let shape = options.image_shape.unwrap_or(PictureShape { channels: 1, height: 1, width: 1 });
    let read = ReadOptions {
        drop: options.drop.clone(),
        only: (!options.only.is_empty()).then(|| options.only.clone()),
        missing: options.missing,
        ..options.as_written()
    };
    let Table { frame, answers } = read_tables(input, read, (&options.roles).into())?;
    let found = frame.columns.len();
    if shape.len() != Some(found) {
        let pixels = shape.len().unwrap_or(usize::MAX);
        return Err(DataError::ImageColumns { shape: shape.to_string(), pixels, found });
    }
    let met = Note::of_cells(&frame);
    let names = frame.names().map(str::to_string).collect();
    let missing = missing_cells(&frame, options.missing)?;
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
    table::finish(data.with_notes(met).with_notes(missing), answers)
}

/// The same columns of another table, scaled by what was learned.
pub(super) fn read_again(
    image: &ImageInput,
    encoding: &Arc<Encoding>,
    (input, columns): (&Input, &[String]),
    also: &ReadAgain,
) -> Result<Dataset, DataError> {
    let read = ReadOptions { only: Some(columns.to_vec()), ..also.as_written() };
    let Table { mut frame, answers } = read_tables(input, read, also.known())?;
    let met = Note::of_cells(&frame);
    let columns = columns.iter().map(|name| frame.take(name)).collect::<Result<_, _>>()?;
    let frame = Frame { columns, rows: frame.rows, ..Frame::default() };
    let missing = missing_cells(&frame, MissingPolicy::Mean)?;
    let rows = match bytes_of(&frame)? {
        Some(bytes) => Store::Bytes(Pictures { shape: image.image, bytes }),
        None => Store::Dense(numbers_of(&frame, image)?),
    };
    let data = Dataset::new(rows, encoding.clone()).with_notes(met).with_notes(missing);
    table::finish(data, answers)
}

fn missing_cells(frame: &Frame, policy: MissingPolicy) -> Result<Option<Note>, DataError> {
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
    Ok((!cells.is_empty()).then_some(Note::Missing(cells)))
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
    check_values(frame.rows, wide)?;
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
    check_values(frame.rows, wide)?;
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
