//! A table as a Parquet file.

use super::{OutBatch, OutColumn, common_length, write_out};
use crate::TableError;
use ::parquet::arrow::ArrowWriter;
use ::parquet::errors::ParquetError;
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray, UInt64Array};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes a table as a Parquet file.
pub fn write_parquet(path: &Path, columns: &[(&str, OutColumn)]) -> Result<(), TableError> {
    common_length(columns)?;
    let batch =
        RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (name, column.clone().into_arrow())))
            .map_err(|error| TableError::Write {
                file: path.display().to_string(),
                cause: io::Error::other(error),
            })?;
    write_out(path, |file| {
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).map_err(of_parquet)?;
        writer.write(&batch).map_err(of_parquet)?;
        writer.close().map_err(of_parquet)?;
        Ok(())
    })
}

/// Writes batches as one table.
pub(super) fn table_of_batches(
    file: &mut (dyn Write + Send),
    next: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
) -> io::Result<()> {
    let mut file = Some(file);
    let mut writer = None;
    while let Some(columns) = next()? {
        let columns = columns.into_iter().map(|(name, column)| (name, column.into_arrow()));
        let batch = RecordBatch::try_from_iter(columns).map_err(io::Error::other)?;
        if let Some(file) = file.take() {
            writer = Some(ArrowWriter::try_new(file, batch.schema(), None).map_err(of_parquet)?);
        }
        if let Some(writer) = &mut writer {
            writer.write(&batch).map_err(of_parquet)?;
        }
    }
    if let Some(writer) = writer {
        writer.close().map_err(of_parquet)?;
    }
    Ok(())
}

/// [`as_io`] for the writer of Parquet.
fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => {
            cause.downcast::<io::Error>().map_or_else(io::Error::other, |cause| *cause)
        }
        other => io::Error::other(other),
    }
}

impl OutColumn {
    fn into_arrow(self) -> ArrayRef {
        match self {
            OutColumn::U64(values) => Arc::new(UInt64Array::from(values)),
            OutColumn::F64(values) => Arc::new(Float64Array::from(values)),
            OutColumn::F32(values) | OutColumn::Share(values) => Arc::new(Float32Array::from(values)),
            OutColumn::Text(values) | OutColumn::Choice { cells: values, .. } => {
                Arc::new(StringArray::from_iter_values(&values))
            }
        }
    }
}
