//! What the footer of a Parquet file says of its columns, checked before they are read.

use super::parquet::BYTES_PER_BATCH;
use crate::memory::memory_left;
use crate::{TableError, check_memory};
use ::parquet::basic::{Compression, Type as PhysicalType};
use ::parquet::file::metadata::ParquetMetaData;

/// Rows that are read at a time, where there is memory for them.
const ROWS_AT_ONCE: usize = 8192;
/// What a number of a list takes on its way.
const BYTES_PER_NUMBER: u64 = 16;
/// A column of a batch holds at most this many bytes of text; the reader refuses more.
const MOST_TEXT: u64 = 1 << 31;

/// Checks that every column chunk lies inside the file. The reader takes the offsets of the footer on trust, and its
/// arithmetic on them panics where they are nonsense.
pub(super) fn check_chunks(metadata: &ParquetMetaData, length: u64) -> Result<(), String> {
    for (at, group) in metadata.row_groups().iter().enumerate() {
        let rows = group.num_rows();
        for chunk in group.columns() {
            let name = chunk.column_descr().name();
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            let numbers =
                [start, chunk.data_page_offset(), chunk.compressed_size(), chunk.num_values(), rows];
            let end = start.checked_add(chunk.compressed_size());
            if numbers.iter().any(|&n| n < 0) || end.is_none_or(|end| end as u64 > length) {
                return Err(format!("row group {}, column '{name}': it lies outside the file", at + 1));
            }
        }
    }
    Ok(())
}

/// Refuses columns that are compressed in a way that is not read, and names it.
pub(super) fn check_codecs(file: &str, metadata: &ParquetMetaData, kept: &[usize]) -> Result<(), TableError> {
    let schema = metadata.file_metadata().schema_descr();
    let is_kept = |leaf: &usize| kept.contains(&schema.get_column_root_idx(*leaf));
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
    for (leaf, chunk) in chunks {
        let codec = match chunk.compression() {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => continue,
        };
        if leaf < schema.num_columns() && is_kept(&leaf) {
            let how = format!("compressed with {codec}");
            let instead = "with Snappy, gzip, LZ4 or Zstandard";
            return Err(TableError::OtherParquet { file: file.to_string(), how, instead });
        }
    }
    Ok(())
}

/// Refuses columns that there is no memory for, by what the footer says of them, and returns how many rows to read at a
/// time. Both are bounds: a text of a dictionary may be in every row, and a row may hold all numbers of its group.
pub(super) fn check_rows(
    file: &str,
    metadata: &ParquetMetaData,
    kept: &[usize],
) -> Result<usize, TableError> {
    let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    check_memory(|| format!("{rows} rows of '{file}'"), rows.saturating_mul(4 * kept.len() as u64))?;
    rows_at_once(file, metadata, kept)
}

/// How many rows to read at a time, for a reader that keeps none of them.
pub(super) fn rows_at_once(
    file: &str,
    metadata: &ParquetMetaData,
    kept: &[usize],
) -> Result<usize, TableError> {
    let schema = metadata.file_metadata().schema_descr();
    let (mut texts, mut longest) = (0u64, 0u64);
    for leaf in (0..schema.num_columns()).filter(|&leaf| kept.contains(&schema.get_column_root_idx(leaf))) {
        let chunks = || metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf));
        if schema.column(leaf).max_rep_level() > 0 {
            let numbers = chunks().map(|chunk| chunk.num_values().max(0) as u64).max().unwrap_or(0);
            let what = || format!("{numbers} numbers of a row group of '{file}'");
            check_memory(what, numbers.saturating_mul(BYTES_PER_NUMBER))?;
        } else if schema.column(leaf).physical_type() == PhysicalType::BYTE_ARRAY {
            let bytes = chunks().map(|chunk| chunk.uncompressed_size().max(0) as u64).max().unwrap_or(0);
            texts += bytes.saturating_mul(ROWS_AT_ONCE as u64).min(MOST_TEXT);
            longest = longest.saturating_add(bytes);
        }
    }
    if texts <= BYTES_PER_BATCH {
        return Ok(ROWS_AT_ONCE);
    }
    let room = memory_left() / 2;
    if texts <= room {
        Ok(ROWS_AT_ONCE)
    } else {
        Ok(usize::try_from(room / longest.max(1)).unwrap_or(1).clamp(1, ROWS_AT_ONCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::ArrowWriter;
    use ::parquet::file::metadata::{ParquetMetaDataReader, RowGroupMetaData};
    use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    use std::sync::Arc;

    /// What the footer of a small file says, its second column compressed with Brotli.
    fn with_brotli() -> ParquetMetaData {
        let column = Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("a", column.clone()), ("b", column)]).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let read = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(bytes)).unwrap();
        let groups = read.row_groups().iter().map(|group| -> RowGroupMetaData {
            let mut columns = group.columns().to_vec();
            let brotli = Compression::BROTLI(Default::default());
            columns[1] = columns[1].clone().into_builder().set_compression(brotli).build().unwrap();
            group.clone().into_builder().set_column_metadata(columns).build().unwrap()
        });
        ParquetMetaData::new(read.file_metadata().clone(), groups.collect())
    }

    #[test]
    fn a_codec_that_is_not_read_is_named() {
        let metadata = with_brotli();
        assert!(check_codecs("x.parquet", &metadata, &[0]).is_ok());
        let message = check_codecs("x.parquet", &metadata, &[0, 1]).unwrap_err().to_string();
        assert_eq!(
            message,
            "'x.parquet' is a Parquet file that is compressed with Brotli, which is not read; write it with Snappy, gzip, \
             LZ4 or Zstandard"
        );
    }
}
