//! What can be wrong with the files of a published set, one clear sentence each.

use onesided_data::{DataError, TableError};

/// Why a published set was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum SetError {
    /// What is wrong with its rows or its folders.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file of a published data set with too few or too many bytes.
    #[error("'{file}' has {found} bytes where the published file has {expected}; copy or download it again")]
    FileSize { file: String, found: u64, expected: u64 },
    /// An image of a class that the set does not have.
    #[error(
        "'{file}' gives image {image} the class {label}, but the classes are 0 to {}; copy or download it again",
        classes - 1
    )]
    ImageLabel { file: String, image: usize, label: u8, classes: usize },
    /// A file of a published data set with the right size and the wrong images.
    #[error(
        "'{file}' counts {found} of class {class} where the published file counts {expected}; it is another file \
         of that name, or damaged"
    )]
    ClassCount { file: String, class: &'static str, found: usize, expected: usize },
    /// A file of a published data set that was cut short.
    #[error("'{file}' ends after {found} bytes, before the end of {what}; copy or download it again")]
    EndsEarly { file: String, found: u64, what: String },
    /// A file of a published data set that is not what its name says.
    #[error("'{file}' is not a sound {format} file: {detail}; copy or download it again")]
    NotFormat { file: String, format: &'static str, detail: String },
    /// A line of a published text file that makes no sense.
    #[error("'{file}' line {line}: {detail}; copy or download it again")]
    BadLine { file: String, line: u64, detail: String },
    /// Too few or too many items in a published file or folder.
    #[error(
        "'{file}' holds {found} {what} where the published set holds {expected}; it is another file of that name, or \
         damaged"
    )]
    ItemCount { file: String, what: &'static str, found: usize, expected: usize },
}

impl From<TableError> for SetError {
    fn from(error: TableError) -> Self {
        SetError::Data(error.into())
    }
}
