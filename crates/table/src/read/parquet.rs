//! Parquet tables, streamed batch by batch.
//!
//! The types are those of the Parquet schema alone: the Arrow schema that some writers embed only says how the same
//! values looked in the writer's memory (dictionary, large or view strings), and ignoring it means fewer types here and
//! one thing less to be corrupt. Nulls are missing cells.

use super::arrow::ArrowTable;
use super::contained::contained;
use super::footer::{check_chunks, check_codecs, check_rows, rows_at_once};
use super::marks::{ENCRYPTED_PARQUET, PARQUET};
use super::parts::Parts;
use super::{Bytes, ReadOptions, Source};
use crate::{Frame, TableError, check_memory};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::ChunkReader;
use arrow_array::BooleanArray;
use arrow_select::filter::filter;
use std::fmt::Display;
use std::sync::Arc;

/// What a batch may take besides its texts.
pub(super) const BYTES_PER_BATCH: u64 = 16 << 20;

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, TableError> {
    refuse_other(source)?;
    let frame = contained(|| match &source.bytes {
        Bytes::File(path) => read_chunks(&source.name, source.open_file(path)?, None, options),
        Bytes::Parts(files) => {
            let (parts, metadata) = Parts::open(files)?;
            read_chunks(&source.name, parts, Some(metadata), options)
        }
        Bytes::Memory(bytes) => {
            read_chunks(&source.name, bytes::Bytes::copy_from_slice(bytes), None, options)
        }
        Bytes::Read(bytes) => read_chunks(&source.name, bytes.clone(), None, options),
        // Only readers of pieces spool.
        Bytes::Spooled(_) => Err(TableError::NotParquet { file: source.name.clone() }),
        Bytes::Json(..) => read_chunks(&source.name, source.all()?, None, options),
    });
    frame.unwrap_or_else(|panic| Err(corrupt(&source.name, panic)))
}

/// Refuses a file that does not start like Parquet, or whose footer is encrypted.
pub(super) fn refuse_other(source: &Source<'_>) -> Result<(), TableError> {
    match source.start()? {
        start if start == PARQUET => Ok(()),
        start if start == ENCRYPTED_PARQUET => Err(encrypted(&source.name)),
        _ => Err(TableError::NotParquet { file: source.name.clone() }),
    }
}

pub(super) fn encrypted(file: &str) -> TableError {
    let (file, how) = (file.to_string(), "encrypted".to_string());
    TableError::OtherParquet { file, how, instead: "without encryption" }
}

/// A reader of bytes whose footer is in them, or was read already.
pub(super) fn reader_of<C: ChunkReader + 'static>(
    file: &str,
    chunks: C,
    metadata: Option<ParquetMetaData>,
) -> Result<ParquetRecordBatchReaderBuilder<C>, TableError> {
    let corrupt = |error: &dyn Display| {
        if error.to_string().contains("encryption feature is disabled") {
            encrypted(file)
        } else {
            corrupt(file, error)
        }
    };
    let length = chunks.len();
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = match metadata {
        None => ParquetRecordBatchReaderBuilder::try_new_with_options(chunks, plain),
        Some(metadata) => ArrowReaderMetadata::try_new(Arc::new(metadata), plain)
            .map(|metadata| ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata)),
    };
    let builder = builder.map_err(|e| corrupt(&e))?;
    check_chunks(builder.metadata(), length).map_err(|e| corrupt(&e))?;
    Ok(builder)
}

fn read_chunks(
    file: &str,
    chunks: impl ChunkReader + 'static,
    metadata: Option<ParquetMetaData>,
    options: &ReadOptions,
) -> Result<Frame, TableError> {
    let corrupt = |error: &dyn Display| corrupt(file, error);
    let builder = reader_of(file, chunks, metadata)?;
    let schema = builder.schema().clone();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().trim().to_string()).collect();
    if names.is_empty() {
        return Err(TableError::Empty { file: file.to_string() });
    }
    let mut table = ArrowTable::named(file, &names, &schema, options)?;
    let kept = table.columns();
    check_codecs(file, builder.metadata(), &kept)?;
    let chosen = options.rows.as_deref();
    let rows_at_once = match chosen {
        None => check_rows(file, builder.metadata(), &kept)?,
        Some(chosen) => {
            let bytes = (chosen.len() as u64).saturating_mul(4 * kept.len() as u64);
            check_memory(|| format!("{} rows of '{file}'", chosen.len()), bytes)?;
            rows_at_once(file, builder.metadata(), &kept)?
        }
    };
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept.iter().copied());
    let reader =
        builder.with_projection(mask).with_batch_size(rows_at_once).build().map_err(|e| corrupt(&e))?;

    let (mut rows, mut read) = (0usize, 0usize);
    for batch in reader {
        if rows > 0 {
            check_memory(|| format!("'{file}' beyond row {rows}"), BYTES_PER_BATCH)?;
        }
        let batch = batch.map_err(|e| corrupt(&e))?;
        if batch.num_columns() != kept.len() {
            return Err(corrupt(&"a column is missing from a row group"));
        }
        let mask: Option<BooleanArray> = chosen
            .map(|chosen| (read..read + batch.num_rows()).map(|row| Some(chosen.contains(row))).collect());
        for (&at, array) in kept.iter().zip(batch.columns()) {
            match &mask {
                None => table.push(at, array.as_ref())?,
                Some(mask) => {
                    table.push(at, filter(array.as_ref(), mask).map_err(|e| corrupt(&e))?.as_ref())?
                }
            }
        }
        rows += mask.as_ref().map_or(batch.num_rows(), BooleanArray::true_count);
        read += batch.num_rows();
        if rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
        }
    }
    chosen.map_or(Ok(()), |chosen| chosen.check(file, read))?;
    table.finish(rows)
}

pub(super) fn corrupt(file: &str, error: impl Display) -> TableError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    TableError::CorruptParquet { file: file.to_string(), detail }
}
