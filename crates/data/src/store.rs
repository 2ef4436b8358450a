//! Rows as they are held: dense, sparse, or bytes of pictures.

use crate::matrix::check_values;
use crate::{DataError, Matrix, SparseMatrix};
use std::borrow::Cow;

/// Values that sparse rows may be written out to: 2³⁰ of them take 4 GiB.
pub const MOST_VALUES: usize = 1 << 30;

/// Rows of one width.
#[derive(Clone, Debug, PartialEq)]
pub enum Store {
    /// Every value is stored.
    Dense(Matrix),
    /// Zeros are left out: texts.
    Sparse(SparseMatrix),
    /// A byte per value: pictures.
    Bytes(Pictures),
    /// Not held: the rows were binned while they were read, one byte per cell, and only trees learn from them.
    Away {
        /// How many there are.
        rows: usize,
        /// How many columns they would have.
        cols: usize,
    },
}

/// Pictures of one size as bytes, one after the other: line by line, pixel by pixel, channels together (NHWC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pictures {
    /// Channels, lines and pixels per line.
    pub shape: PictureShape,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PictureShape {
    /// 1 for gray, 3 for red, green and blue.
    pub channels: usize,
    /// Lines of pixels.
    pub height: usize,
    /// Pixels per line.
    pub width: usize,
}

impl PictureShape {
    /// Values of one picture; `None` where that is beyond counting.
    #[allow(clippy::len_without_is_empty)] // a picture without a pixel is a mistake, not a case
    pub fn len(self) -> Option<usize> {
        self.channels.checked_mul(self.height)?.checked_mul(self.width)
    }
}

impl std::fmt::Display for PictureShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.channels, self.height, self.width)
    }
}

impl std::str::FromStr for PictureShape {
    type Err = DataError;

    /// `3x32x32`: channels, height, width.
    fn from_str(text: &str) -> Result<Self, DataError> {
        let numbers: Option<Vec<usize>> =
            text.split('x').map(|part| part.parse().ok().filter(|&number| number > 0)).collect();
        match numbers.as_deref() {
            Some(&[channels, height, width]) => Ok(Self { channels, height, width }),
            _ => Err(DataError::UnknownShape(text.to_string())),
        }
    }
}

impl Pictures {
    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.shape.len().unwrap_or(1).max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Mean and standard deviation (division by n) of each channel, in units of a byte, 0 to 255.
    pub fn channel_moments(&self) -> Vec<(f64, f64)> {
        channel_moments(&self.bytes, self.shape.channels)
    }
}

/// [`Pictures::channel_moments`] of any bytes.
pub(crate) fn channel_moments(bytes: &[u8], channels: usize) -> Vec<(f64, f64)> {
    // 256 counts per channel say all there is to know; sums over them lose nothing to the number of pixels.
    let channels = channels.max(1);
    let mut counts = vec![[0u64; 256]; channels];
    for pixel in bytes.chunks_exact(channels) {
        pixel.iter().zip(&mut counts).for_each(|(&byte, count)| count[usize::from(byte)] += 1);
    }
    let pixels = (bytes.len() / channels).max(1) as f64;
    let mean_of = |count: &[u64; 256], f: &dyn Fn(f64) -> f64| {
        count.iter().enumerate().map(|(byte, &n)| n as f64 * f(byte as f64)).sum::<f64>() / pixels
    };
    let moments = |count: &[u64; 256]| {
        let mean = mean_of(count, &|x| x);
        (mean, mean_of(count, &|x| (x - mean).powi(2)).sqrt())
    };
    counts.iter().map(moments).collect()
}

impl Store {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Store::Dense(matrix) => matrix.rows(),
            Store::Sparse(matrix) => matrix.rows(),
            Store::Bytes(pictures) => pictures.len(),
            Store::Away { rows, .. } => *rows,
        }
    }

    /// How many columns a row has.
    pub fn cols(&self) -> usize {
        match self {
            Store::Dense(matrix) => matrix.cols(),
            Store::Sparse(matrix) => matrix.cols(),
            Store::Bytes(pictures) => pictures.shape.len().unwrap_or(0),
            Store::Away { cols, .. } => *cols,
        }
    }

    /// The rows at `indices`, in that order. Panics if one of them does not exist, as indexing a slice does.
    pub fn select(&self, indices: &[usize]) -> Store {
        match self {
            Store::Dense(matrix) => Store::Dense(matrix.select(indices)),
            Store::Sparse(matrix) => Store::Sparse(matrix.select(indices)),
            Store::Bytes(pictures) => {
                let wide = self.cols();
                let bytes = indices.iter().flat_map(|&i| &pictures.bytes[i * wide..(i + 1) * wide]).copied();
                Store::Bytes(Pictures { shape: pictures.shape, bytes: bytes.collect() })
            }
            Store::Away { cols, .. } => Store::Away { rows: indices.len(), cols: *cols },
        }
    }

    /// Appends rows of the same kind and width.
    pub fn append(&mut self, other: Store) -> Result<(), DataError> {
        let (expected, found) = (self.cols(), other.cols());
        if expected != found {
            return Err(DataError::Width { expected, found });
        }
        match (self, other) {
            (Store::Dense(first), Store::Dense(second)) => {
                let rows = first.rows() + second.rows();
                let mut values = std::mem::replace(first, Matrix::zeros(0, found)?).into_vec();
                values.extend_from_slice(second.as_slice());
                *first = Matrix::new(rows, found, values)?;
            }
            (Store::Sparse(first), Store::Sparse(second)) => first.append(&second),
            (Store::Bytes(first), Store::Bytes(second)) => first.bytes.extend_from_slice(&second.bytes),
            _ => return Err(DataError::StackStores),
        }
        Ok(())
    }

    /// Refuses NaN and infinities, and says where the first one is; columns are named by `name`.
    pub fn check_finite(&self, name: impl Fn(usize) -> String) -> Result<(), DataError> {
        match self {
            Store::Dense(matrix) => matrix.check_finite(name),
            Store::Sparse(matrix) => matrix.check_finite(name),
            Store::Bytes(_) | Store::Away { .. } => Ok(()),
        }
    }

    /// Whether [`to_dense`](Self::to_dense) would be refused.
    pub fn check_dense(&self) -> Result<(), DataError> {
        let (rows, cols) = (self.rows(), self.cols());
        match self {
            Store::Sparse(_) if rows.saturating_mul(cols) > MOST_VALUES => {
                Err(DataError::TooWide { rows, cols, limit: MOST_VALUES })
            }
            _ => Ok(()),
        }
    }

    /// Rows of numbers with every value stored. Sparse rows are written out, within [`MOST_VALUES`]; bytes become what
    /// `pixel` says of their channel.
    pub fn to_dense(&self, pixel: impl Fn(usize, u8) -> f32) -> Result<Cow<'_, Matrix>, DataError> {
        self.check_dense()?;
        match self {
            Store::Dense(matrix) => Ok(Cow::Borrowed(matrix)),
            Store::Sparse(matrix) => {
                let all: Vec<u32> = (0..matrix.cols() as u32).collect();
                Ok(Cow::Owned(matrix.to_dense(&all)?))
            }
            Store::Bytes(Pictures { shape, bytes }) => {
                let channels = shape.channels.max(1);
                check_values(self.rows(), self.cols())?;
                let values = bytes.iter().enumerate().map(|(at, &byte)| pixel(at % channels, byte)).collect();
                Ok(Cow::Owned(Matrix::new(self.rows(), self.cols(), values)?))
            }
            Store::Away { .. } => Err(DataError::Away),
        }
    }
}

impl From<Matrix> for Store {
    fn from(matrix: Matrix) -> Self {
        Store::Dense(matrix)
    }
}

impl From<SparseMatrix> for Store {
    fn from(matrix: SparseMatrix) -> Self {
        Store::Sparse(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_rows_are_the_same_rows() {
        let dense = Matrix::new(2, 3, vec![0.0, 1.0, 0.0, 2.0, 0.0, 3.0]).unwrap();
        let mut sparse = Store::Sparse(SparseMatrix::from_dense(&dense));
        assert_eq!((sparse.rows(), sparse.cols()), (2, 3));
        assert_eq!(*sparse.to_dense(|_, _| 0.0).unwrap(), dense);
        assert!(matches!(Store::Dense(dense.clone()).to_dense(|_, _| 0.0).unwrap(), Cow::Borrowed(_)));
        assert!(sparse.append(Store::Dense(dense)).is_err());
        sparse.append(sparse.select(&[1])).unwrap();
        assert_eq!(sparse.rows(), 3);
    }

    #[test]
    fn rows_that_would_fill_the_memory_are_refused() {
        let wide = SparseMatrix::new(1 << 30, vec![0; 3], Vec::new(), Vec::new()).unwrap();
        let error = Store::Sparse(wide).to_dense(|_, _| 0.0).unwrap_err().to_string();
        assert!(error.starts_with("2 rows of 1073741824 columns are too much"), "{error}");
    }

    #[test]
    fn bytes_are_read_by_their_channel() {
        let shape: PictureShape = "2x1x2".parse().unwrap();
        let store = Store::Bytes(Pictures { shape, bytes: vec![1, 2, 3, 4, 5, 6, 7, 8] });
        assert_eq!((store.rows(), store.cols()), (2, 4));
        let dense = store.to_dense(|channel, byte| f32::from(byte) * 10f32.powi(channel as i32)).unwrap();
        assert_eq!(dense.as_slice(), [1.0, 20.0, 3.0, 40.0, 5.0, 60.0, 7.0, 80.0]);
        assert_eq!(store.select(&[1]), Store::Bytes(Pictures { shape, bytes: vec![5, 6, 7, 8] }));
        assert!("3x32".parse::<PictureShape>().is_err() && "3x0x2".parse::<PictureShape>().is_err());
    }
}
