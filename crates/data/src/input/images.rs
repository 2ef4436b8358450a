//! How pictures become numbers, whether they are files or columns of pixels.
//!
//! Each channel is brought to mean 0 and standard deviation 1 over the training pictures, as byte × scale + shift. Pixels
//! are not scaled one by one, so a picture may be moved or mirrored, and one that never changes is not an error.

use super::{Dataset, Encoding, Input, ReadAgain, pictures, pixels};
use crate::{DataError, PictureShape, Pictures};
use onesided_table::TableError;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

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

    pub(super) fn of_moments(image: PictureShape, moments: Vec<(f64, f64)>, from: ImageFrom) -> Self {
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

    /// A value of a channel, byte or not.
    pub(super) fn number(&self, channel: usize, value: f64) -> f32 {
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
        if sound(&self.scale) && sound(&self.shift) && wide.is_some() && columns {
            Ok(())
        } else {
            Err(DataError::UnknownShape(self.image.to_string()))
        }
    }

    /// Reads a folder of pictures, each brought to the model's shape.
    pub(super) fn read_folder(
        &self,
        encoding: &Arc<Encoding>,
        folder: &Path,
        also: &ReadAgain,
    ) -> Result<Dataset, DataError> {
        also.check_folder(folder)?;
        pictures::read_folder(self.image, encoding, folder, also.files.follow_links)
    }

    /// Reads tables as the model's own were: of files, or of pixels.
    pub(super) fn read_tables(
        &self,
        encoding: &Arc<Encoding>,
        input: &Input,
        also: &ReadAgain,
    ) -> Result<Dataset, DataError> {
        match &self.from {
            ImageFrom::Files => {
                let path = input.paths()[0];
                let file = path.display().to_string();
                let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
                Err(match end.as_deref() {
                    _ if !path.exists() => TableError::NotFound { file }.into(),
                    Some(end) if super::files::PICTURES.contains(&end) => DataError::OnePicture { file },
                    _ => DataError::OtherInput { fitted: "pictures", found: "a table", file },
                })
            }
            ImageFrom::Column(column) => {
                pictures::read_table_again(self.image, encoding, (input, column), also)
            }
            ImageFrom::Columns(columns) => pixels::read_again(self, encoding, (input, columns), also),
        }
    }
}
