//! Pieces of a Parquet table: threads share out its columns, each with a reader of its own over the same rows.

use super::arrow::{ArrowTable, TableEnd};
use super::contained::contained;
use super::footer::{check_codecs, rows_at_once};
use super::parquet::{BYTES_PER_BATCH, corrupt, reader_of, refuse_other};
use super::parts::Parts;
use super::pieces::{Piece, PiecePlan, PiecesEnd};
use super::{Bytes, ReadOptions, Source};
use crate::frame::{Column, TextColumn, Values};
use crate::scratch::ScratchReader;
use crate::{Frame, Phase, TableError, check_memory};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Fewer cells than this are not worth another thread.
const FEW_CELLS: usize = 100_000;

/// The bytes of a file, wherever they are.
enum Chunks {
    File(File),
    Parts(Parts),
    Memory(bytes::Bytes),
    Spooled(ScratchReader),
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Chunks::File(file) => file.len(),
            Chunks::Parts(parts) => parts.len(),
            Chunks::Memory(bytes) => bytes.len() as u64,
            Chunks::Spooled(scratch) => scratch.end(),
        }
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Chunks::File(file) => Box::new(file.get_read(start)?),
            Chunks::Parts(parts) => parts.get_read(start)?,
            Chunks::Memory(bytes) => Box::new(bytes.get_read(start)?),
            Chunks::Spooled(scratch) => Box::new(BufReader::new(scratch.from(start))),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        match self {
            Chunks::File(file) => file.get_bytes(start, length),
            Chunks::Parts(parts) => parts.get_bytes(start, length),
            Chunks::Memory(bytes) => bytes.get_bytes(start, length),
            Chunks::Spooled(scratch) => {
                let mut bytes = vec![0; length];
                scratch.from(start).read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

impl Chunks {
    /// Bytes with a place of their own to read at, and the footer of several files.
    fn open(source: &Source<'_>) -> Result<(Self, Option<ParquetMetaData>), TableError> {
        let chunks = match &source.bytes {
            Bytes::File(path) => Chunks::File(source.open_file(path)?),
            Bytes::Parts(files) => {
                let (parts, metadata) = Parts::open(files)?;
                return Ok((Chunks::Parts(parts), Some(metadata)));
            }
            Bytes::Memory(bytes) => Chunks::Memory(bytes::Bytes::copy_from_slice(bytes)),
            Bytes::Read(bytes) => Chunks::Memory(bytes.clone()),
            Bytes::Json(..) => Chunks::Memory(source.all()?),
            Bytes::Spooled(scratch) => Chunks::Spooled(scratch.reader(0, scratch.len())),
        };
        Ok((chunks, None))
    }
}

/// What a thread has made of its columns.
enum Part {
    Rows { features: Frame, verbatim: Frame },
    End { answers: Vec<Column>, table: TableEnd },
}

pub(super) fn read<E: From<TableError>>(
    source: &Source<'_>,
    plan: &PiecePlan<'_>,
    visit: &mut dyn FnMut(Piece) -> Result<(), E>,
) -> Result<PiecesEnd, E> {
    refuse_other(source)?;
    let first =
        contained(|| Reader::open(source, plan)).unwrap_or_else(|panic| Err(corrupt(&source.name, panic)))?;
    let handed_out = first.handed_out.clone();
    let cells = first.rows.saturating_mul(first.kept.len());
    let threads = if cells < FEW_CELLS { 1 } else { plan.threads().min(first.kept.len()).max(1) };
    let (columns, phase) = (first.kept.clone(), Phase::new("reading", first.rows as u64, "rows"));
    drop(first);
    let mut end = PiecesEnd::default();
    thread::scope(|scope| {
        let mut parts = Vec::with_capacity(threads);
        for part in 0..threads {
            let mine: Vec<usize> = columns.iter().copied().skip(part).step_by(threads).collect();
            let (send, receive) = sync_channel(1);
            parts.push(receive);
            scope.spawn(move || {
                let read = contained(|| Reader::open(source, plan)?.read(&mine, plan, &send));
                if let Err(error) = read.unwrap_or_else(|panic| Err(corrupt(&source.name, panic))) {
                    // Nobody takes it: the reader has given up.
                    let _ = send.send(Err(error));
                }
            });
        }
        let broken = || corrupt(&source.name, "its columns differ in length");
        loop {
            let (mut piece, mut ended, mut verbatim) = (Frame::default(), 0, Vec::new());
            for (at, part) in parts.iter().enumerate() {
                match part.recv().unwrap_or_else(|_| Err(broken()))? {
                    Part::Rows { features, verbatim: texts } => {
                        if at > 0 && piece.rows != features.rows {
                            return Err(broken().into());
                        }
                        piece.rows = features.rows;
                        piece.columns.extend(features.columns);
                        piece.left_out.extend(features.left_out);
                        verbatim.extend(texts.columns);
                    }
                    Part::End { answers, table } => {
                        ended += 1;
                        end.answers.extend(answers);
                        end.cells.extend(table.cells);
                        end.others.extend(table.others);
                    }
                }
            }
            match ended {
                0 => {
                    end.rows += piece.rows;
                    phase.add(piece.rows as u64);
                    visit(Piece { frame: piece, verbatim: in_order(verbatim, &handed_out)? })?;
                }
                all if all == parts.len() => return Ok::<(), E>(()),
                _ => return Err(broken().into()),
            }
        }
    })?;
    if end.rows == 0 {
        return Err(TableError::NoRows { file: source.name.clone() }.into());
    }
    let place = |name: &String| plan.answers.iter().position(|other| other == name);
    end.answers.sort_by_key(|column| place(&column.name));
    let place = |name: &str| columns_of(plan).position(|other| other == name);
    end.cells.sort_by_key(|cells| place(&cells.column));
    Ok(end)
}

/// The names of the columns.
pub(super) fn names(source: &Source<'_>) -> Result<Vec<String>, TableError> {
    Ok(opened(source)?.names)
}

/// How many rows the footer tells of.
pub(super) fn rows(source: &Source<'_>) -> Result<usize, TableError> {
    Ok(opened(source)?.rows)
}

fn opened(source: &Source<'_>) -> Result<Reader, TableError> {
    refuse_other(source)?;
    let (features, none) = (ReadOptions { only: Some(Vec::new()), ..ReadOptions::default() }, Vec::new());
    let plan = PiecePlan {
        features: &features,
        answers: none.clone(),
        verbatim: none.clone(),
        optional: none,
        all: false,
        rows: 1,
        range: None,
        threads: 1,
    };
    let opened = contained(|| Reader::open(source, &plan));
    opened.unwrap_or_else(|panic| Err(corrupt(&source.name, panic)))
}

/// The features by name.
fn columns_of<'p>(plan: &'p PiecePlan<'_>) -> impl Iterator<Item = &'p str> {
    plan.features.only.iter().flatten().map(String::as_str)
}

/// Columns in the order in which they were asked for.
fn in_order(columns: Vec<Column>, names: &[String]) -> Result<Vec<(String, TextColumn)>, TableError> {
    let mut texts: Vec<(String, TextColumn)> = Vec::with_capacity(names.len());
    for Column { name, values } in columns {
        // Columns asked for verbatim are never of another kind.
        if let Values::Text(cells) = values {
            texts.push((name, cells));
        }
    }
    texts.sort_by_key(|(name, _)| names.iter().position(|other| other == name));
    Ok(texts)
}

/// A reader of neighboring rows: row groups without one of them are not touched.
fn some_rows<C: ChunkReader + 'static>(
    builder: ParquetRecordBatchReaderBuilder<C>,
    range: &Range<usize>,
) -> ParquetRecordBatchReaderBuilder<C> {
    let (mut first, mut groups, mut skipped) = (0, Vec::new(), None);
    for (number, group) in builder.metadata().row_groups().iter().enumerate() {
        let end = first + usize::try_from(group.num_rows()).unwrap_or(0);
        if first < range.end && end > range.start {
            groups.push(number);
            skipped = skipped.or(Some(range.start.saturating_sub(first)));
        }
        first = end;
    }
    builder.with_row_groups(groups).with_offset(skipped.unwrap_or(0)).with_limit(range.len())
}

/// A reader over some columns of the file.
struct Reader {
    builder: ParquetRecordBatchReaderBuilder<Chunks>,
    file: String,
    names: Vec<String>,
    rows: usize,
    /// The columns that are read, by their place in the schema.
    kept: Vec<usize>,
    handed_out: Vec<String>,
}

impl Reader {
    fn open(source: &Source<'_>, plan: &PiecePlan<'_>) -> Result<Self, TableError> {
        let file = source.name.clone();
        let (chunks, metadata) = Chunks::open(source)?;
        let builder = reader_of(&file, chunks, metadata)?;
        let names: Vec<String> =
            builder.schema().fields().iter().map(|field| field.name().trim().to_string()).collect();
        if names.is_empty() {
            return Err(TableError::Empty { file });
        }
        let mut handed_out = plan.handed_out(&names)?;
        // Of all columns, those that are one cell per row.
        let is_cell = |name: &String| {
            let at = names.iter().position(|other| other == name);
            at.is_none_or(|at| ArrowTable::is_cell(builder.schema().field(at).data_type()))
        };
        handed_out.retain(|name| plan.verbatim.contains(name) || is_cell(name));
        let features = ArrowTable::named(&file, &names, builder.schema(), plan.features)?;
        let mut kept = features.columns();
        let also = plan.answers.iter().chain(&handed_out);
        kept.extend(also.filter_map(|name| names.iter().position(|other| other == name)));
        kept.sort_unstable();
        kept.dedup();
        if kept.is_empty() {
            // Rows are counted by some column, whatever it is: that features lack is for the encoding to say.
            kept.push(0);
        }
        check_codecs(&file, builder.metadata(), &kept)?;
        let rows = usize::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        if rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { file, limit: u32::MAX as usize - 1 });
        }
        let (builder, rows) = match &plan.range {
            None => (builder, rows),
            Some(range) => (some_rows(builder, range), range.end.min(rows).saturating_sub(range.start)),
        };
        Ok(Self { builder, file, names, rows, kept, handed_out })
    }

    fn read(
        self,
        mine: &[usize],
        plan: &PiecePlan<'_>,
        send: &SyncSender<Result<Part, TableError>>,
    ) -> Result<(), TableError> {
        let Self { builder, file, names, kept, handed_out, .. } = self;
        let table = |options: &ReadOptions| -> Result<ArrowTable, TableError> {
            let mut table = ArrowTable::named(&file, &names, builder.schema(), options)?;
            table.restrict(mine);
            Ok(table)
        };
        let mut features = table(plan.features)?;
        let only = Some(handed_out.clone());
        let mut verbatim = table(&ReadOptions { verbatim: handed_out, only, ..ReadOptions::default() })?;
        let only = Some(plan.answers.clone());
        let mut answers =
            table(&ReadOptions { categories: plan.answers.clone(), only, ..ReadOptions::default() })?;
        // All threads read as many rows at a time, whatever their columns.
        let most = rows_at_once(&file, builder.metadata(), &kept)?.min(plan.rows.max(1));
        let mask = ProjectionMask::roots(builder.parquet_schema(), mine.iter().copied());
        let reader = builder.with_projection(mask).with_batch_size(most).build();
        let (mut held, mut rows) = (0, 0);
        for batch in reader.map_err(|error| corrupt(&file, error))? {
            if rows > 0 {
                check_memory(|| format!("'{file}' beyond row {rows}"), BYTES_PER_BATCH)?;
            }
            let batch = batch.map_err(|error| corrupt(&file, error))?;
            if batch.num_columns() != mine.len() {
                return Err(corrupt(&file, "a column is missing from a row group"));
            }
            rows += batch.num_rows();
            let mut start = 0;
            while start < batch.num_rows() {
                let some = (batch.num_rows() - start).min(plan.rows.max(1) - held);
                for (&at, array) in mine.iter().zip(batch.columns()) {
                    let array = array.slice(start, some);
                    for table in [&mut features, &mut verbatim, &mut answers] {
                        table.push(at, array.as_ref())?;
                    }
                }
                (held, start) = (held + some, start + some);
                if held >= plan.rows {
                    let part = Part::Rows { features: features.take(held)?, verbatim: verbatim.take(held)? };
                    held = 0;
                    if send.send(Ok(part)).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        if held > 0 {
            let part = Part::Rows { features: features.take(held)?, verbatim: verbatim.take(held)? };
            if send.send(Ok(part)).is_err() {
                return Ok(());
            }
        }
        let table = features.end()?;
        let answers = match rows {
            0 => Vec::new(),
            rows => answers.finish(rows)?.columns,
        };
        let _ = send.send(Ok(Part::End { answers, table }));
        Ok(())
    }
}
