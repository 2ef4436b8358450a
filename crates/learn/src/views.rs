//! One data set in the forms that scorers take, each made when it is first asked for.

use crate::Error;
use onesided_classic::Rows;
use onesided_data::{Dataset, Description, Encoding, Matrix, Scaling, Store};
use onesided_net::{Shape, Source};
use onesided_trees::Binned;
use std::borrow::Cow;
use std::sync::OnceLock;

/// The forms of a data set.
pub struct Views<'d> {
    data: Cow<'d, Dataset>,
    /// Nothing in it where the data set is scaled so already.
    standard: OnceLock<Option<Dataset>>,
    as_is: OnceLock<Option<Dataset>>,
    dense: OnceLock<Matrix>,
    dense_as_is: OnceLock<Matrix>,
    binned: OnceLock<Binned>,
    coarse: OnceLock<Box<Views<'static>>>,
    fine: OnceLock<Box<Views<'static>>>,
}

impl<'d> Views<'d> {
    /// Nothing is made yet.
    pub fn new(data: &'d Dataset) -> Self {
        Self::of(Cow::Borrowed(data))
    }

    fn of(data: Cow<'d, Dataset>) -> Self {
        Self {
            data,
            standard: OnceLock::new(),
            as_is: OnceLock::new(),
            dense: OnceLock::new(),
            dense_as_is: OnceLock::new(),
            binned: OnceLock::new(),
            coarse: OnceLock::new(),
            fine: OnceLock::new(),
        }
    }

    /// A data set whose bins were made while it was read.
    pub fn of_bins(data: &'d Dataset, binned: Binned) -> Self {
        Self { binned: OnceLock::from(binned), ..Self::new(data) }
    }

    /// The data set as it was given.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The data set with its numbers scaled, or as they are.
    pub fn scaled(&self, scaling: Scaling) -> &Dataset {
        let place = match scaling {
            Scaling::Standard => &self.standard,
            Scaling::AsIs => &self.as_is,
        };
        let made = place.get_or_init(|| match self.data.scaled(scaling) {
            Cow::Borrowed(_) => None,
            Cow::Owned(scaled) => Some(scaled),
        });
        made.as_ref().unwrap_or(&self.data)
    }

    /// Pictures as a table of the numbers that describe them.
    pub fn described(&self, by: Description) -> Result<&Views<'static>, Error> {
        let place = match by {
            Description::Coarse => &self.coarse,
            Description::Fine => &self.fine,
        };
        let make = || Ok(Box::new(Views::of(Cow::Owned(described(&self.data, by, 0)?))));
        Ok(made(place, make)?)
    }

    /// Scaled rows with every value stored.
    pub fn dense(&self) -> Result<&Matrix, Error> {
        let data = self.scaled(Scaling::Standard);
        match data.rows() {
            Store::Dense(matrix) => Ok(matrix),
            _ => made(&self.dense, || Ok(data.dense()?.into_owned())),
        }
    }

    /// Bins of the columns as they came: categories whole, missing cells missing.
    pub fn binned(&self) -> Result<&Binned, Error> {
        made(&self.binned, || Ok(Binned::of_columns(&self.data.columns()?, 0)?))
    }

    /// Rows as classic systems see them: sparse ones stay sparse.
    pub fn rows(&self, scaling: Scaling) -> Result<&dyn Rows, Error> {
        match (self.scaled(scaling).rows(), scaling) {
            (Store::Dense(matrix), _) => Ok(matrix),
            (Store::Sparse(matrix), _) => Ok(matrix),
            (Store::Bytes(_), Scaling::AsIs) => {
                let plain = || Ok(self.data.rows().to_dense(|_, byte| f32::from(byte))?.into_owned());
                Ok(made(&self.dense_as_is, plain)?)
            }
            _ => Ok(self.dense()?),
        }
    }

    /// Rows as networks see them, and their shape: bytes of pictures stay bytes.
    pub fn source(&self) -> Result<(Source<'_>, Shape), Error> {
        let data = self.scaled(Scaling::Standard);
        if let (Encoding::Image(image), Store::Bytes(pictures)) = (data.encoding().as_ref(), data.rows()) {
            let source = Source::Bytes { bytes: &pictures.bytes, scale: &image.scale, shift: &image.shift };
            return Ok((source, shape_of(data)));
        }
        Ok((Source::Numbers(self.dense()?.as_slice()), shape_of(data)))
    }
}

/// What is in `place`, made first if it is not there.
fn made<T>(place: &OnceLock<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(there) = place.get() {
        return Ok(there);
    }
    let new = make()?;
    // Two that make it at once make the same.
    Ok(place.get_or_init(|| new))
}

/// A table of the numbers that describe pictures, without their labels.
pub(crate) fn described(data: &Dataset, by: Description, threads: usize) -> Result<Dataset, Error> {
    match data.rows() {
        Store::Bytes(pictures) => Ok(Dataset::from_scaled(pictures.described(by, threads)?, None)?),
        _ => {
            let (model, rows) = ("a description of pictures".to_string(), data.encoding().columns_are());
            Err(Error::ModelInput { model, takes: "pictures", rows })
        }
    }
}

/// The shape of a row: that of its pictures, or a flat one.
pub(crate) fn shape_of(data: &Dataset) -> Shape {
    match data.encoding().shape() {
        Some(shape) => Shape { channels: shape.channels, height: shape.height, width: shape.width },
        None => Shape::flat(data.encoding().width()),
    }
}
