//! Parquet files one below the other, read as one file whose row groups are those of all.
//!
//! The footers are joined: each file's bytes are taken to lie behind those of the file before it. Whatever reads one file reads many.

use super::footer::check_chunks;
use super::parquet::{corrupt, encrypted};
use crate::TableError;
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData, RowGroupMetaDataBuilder,
};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files, and where the bytes of each begin.
pub(super) struct Parts {
    files: Vec<(u64, File)>,
    end: u64,
}

impl Length for Parts {
    fn len(&self) -> u64 {
        self.end
    }
}

impl ChunkReader for Parts {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let (first, file) = self.at(start)?;
        Ok(Box::new(file.get_read(start - first)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        // No column chunk reaches into the next file: that was checked.
        let (first, file) = self.at(start)?;
        file.get_bytes(start - first, length)
    }
}

impl Parts {
    fn at(&self, place: u64) -> io::Result<(u64, &File)> {
        let behind = self.files.partition_point(|(first, _)| *first <= place);
        let (first, file) =
            behind.checked_sub(1).map(|at| &self.files[at]).ok_or_else(io::Error::last_os_error)?;
        Ok((*first, file))
    }

    /// Opens files, and joins their footers.
    pub(super) fn open(paths: &[PathBuf]) -> Result<(Self, ParquetMetaData), TableError> {
        let (mut files, mut end, mut groups): (Vec<(u64, File)>, u64, Vec<RowGroupMetaData>) =
            (Vec::new(), 0, Vec::new());
        let mut first: Option<(String, FileMetaData)> = None;
        let mut rows = 0i64;
        for path in paths {
            let name = path.display().to_string();
            let (file, length) = open(path, &name)?;
            let metadata =
                ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|error| {
                    match error.to_string().contains("encryption feature is disabled") {
                        true => encrypted(&name),
                        false => corrupt(&name, error),
                    }
                })?;
            check_chunks(&metadata, length).map_err(|error| corrupt(&name, error))?;
            let about = metadata.file_metadata();
            if let Some((other, before)) = &first {
                same_columns(before.schema_descr(), other, about.schema_descr(), &name)?;
            }
            for group in metadata.row_groups() {
                groups.push(moved(group, end).map_err(|error| corrupt(&name, error))?);
            }
            rows = rows.saturating_add(about.num_rows());
            first.get_or_insert_with(|| (name, about.clone()));
            files.push((end, file));
            end += length;
        }
        let Some((_, about)) = first else {
            return Err(TableError::Empty { file: "the list of files".to_string() });
        };
        let orders = about.column_orders().cloned();
        let about = FileMetaData::new(about.version(), rows, None, None, about.schema_descr_ptr(), orders);
        Ok((Self { files, end }, ParquetMetaData::new(about, groups)))
    }
}

fn open(path: &Path, name: &str) -> Result<(File, u64), TableError> {
    let read = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => TableError::NotFound { file: name.to_string() },
        _ => TableError::Read { file: name.to_string(), cause },
    };
    let file = File::open(path).map_err(read)?;
    let length = file.metadata().map_err(read)?.len();
    let mut start = [0; 4];
    match file.get_read(0).map(|mut bytes| bytes.read_exact(&mut start)) {
        Ok(Ok(())) if start == super::magic_bytes::PARQUET => Ok((file, length)),
        _ if start == super::magic_bytes::ENCRYPTED_PARQUET => Err(encrypted(name)),
        _ => Err(TableError::NotParquet { file: name.to_string() }),
    }
}

/// A row group whose file begins at this byte.
fn moved(group: &RowGroupMetaData, by: u64) -> ParquetResult<RowGroupMetaData> {
    let by = i64::try_from(by).unwrap_or(i64::MAX);
    let columns = group.columns().iter().map(|column| {
        let (data, dictionary, index) =
            (column.data_page_offset(), column.dictionary_page_offset(), column.index_page_offset());
        let moved = column.clone().into_builder().set_data_page_offset(data.saturating_add(by));
        let moved = moved.set_dictionary_page_offset(dictionary.map(|at| at.saturating_add(by)));
        moved.set_index_page_offset(index.map(|at| at.saturating_add(by))).build()
    });
    let builder: RowGroupMetaDataBuilder = group.clone().into_builder();
    builder.set_column_metadata(columns.collect::<ParquetResult<_>>()?).build()
}

/// Refuses a file whose columns are not those of the first: another name, another type, or another order.
fn same_columns(
    first: &SchemaDescriptor,
    of_first: &str,
    other: &SchemaDescriptor,
    of_other: &str,
) -> Result<(), TableError> {
    let names = |schema: &SchemaDescriptor| -> Vec<String> {
        schema.root_schema().get_fields().iter().map(|field| field.name().trim().to_string()).collect()
    };
    let (ours, theirs) = (names(first), names(other));
    let differ = |what: String| {
        let (file, first) = (of_other.to_string(), of_first.to_string());
        Err(TableError::PartsDiffer { file, first, what })
    };
    if let Some(name) = ours.iter().find(|name| !theirs.contains(name)) {
        return differ(format!("has no column '{name}'"));
    }
    if let Some(name) = theirs.iter().find(|name| !ours.contains(name)) {
        return differ(format!("has the column '{name}' besides"));
    }
    if ours != theirs || first.num_columns() != other.num_columns() {
        return differ("has the same columns in another order".to_string());
    }
    for (one, two) in first.columns().iter().zip(other.columns()) {
        let like = one.path() == two.path()
            && one.physical_type() == two.physical_type()
            && one.logical_type_ref() == two.logical_type_ref()
            && one.converted_type() == two.converted_type()
            && (one.max_def_level(), one.max_rep_level()) == (two.max_def_level(), two.max_rep_level())
            && (one.type_length(), one.type_scale(), one.type_precision())
                == (two.type_length(), two.type_scale(), two.type_precision());
        if !like {
            return differ(format!("has the column '{}' as another type", one.path().parts()[0]));
        }
    }
    Ok(())
}
