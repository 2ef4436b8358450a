//! Pieces of a text table: one thread finds the records, others read the cells.

use super::csv::{Table, cells_read};
use super::guess::{Guess, Habit};
use super::header::Header;
use super::layout;
use super::pass::Pass;
use super::pieces::{Piece, PiecePlan, PiecesEnd};
use super::times::TimeReader;
use super::{DatesWritten, Dictionary, MissingPolicy, Role, Source, Trouble, Wanted, legacy, roles};
use crate::Remark;
use crate::dates::TimeStyle;
use crate::decode::TextEncoding;
use crate::frame::{CellsRead, Column, TextColumn, Values};
use crate::{Frame, TableError};
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

/// A piece is at an end before it has all its rows once it holds this many bytes and its rows are whole blocks, or once it
/// holds four times as many.
const MOST_BYTES: usize = 32 << 20;
const BLOCK: usize = 1 << 12;

/// Rows whose cells are read together, few enough to stay in the cache.
const ROWS_AT_ONCE: usize = 128;

/// Fewer cells than this are not worth another thread.
const FEW_CELLS: usize = 20_000;

pub(super) fn read<E: From<TableError>>(
    source: &Source<'_>,
    delimiter: Option<u8>,
    plan: &PiecePlan<'_>,
    visit: &mut dyn FnMut(Piece) -> Result<(), E>,
) -> Result<PiecesEnd, E> {
    let given = plan.features.files.delimiter.or(delimiter);
    let encoding = plan.features.files.encoding;
    let mut handed_out = HandedOut::default();
    let read = read_as(source, given, encoding, plan, &mut |piece, plain| {
        handed_out.pieces += 1;
        handed_out.letters |= !plain;
        visit(piece)
    });
    match read {
        Err(Wrong::File(TableError::NotUtf8 { file, place })) if encoding.is_none() => {
            let Some(encoding) = legacy::encoding_of(source)? else {
                return Err(TableError::TwoEncodings { file, place }.into());
            };
            if !handed_out.same_in(source, encoding, given) {
                return Err(TableError::NotUtf8 { file, place }.into());
            }
            let mut at = 0;
            let read = read_as(source, given, Some(encoding), plan, &mut |piece, _| {
                at += 1;
                if at <= handed_out.pieces { Ok(()) } else { visit(piece) }
            });
            let mut end = read.map_err(Wrong::into)?;
            end.remarks.insert(0, Remark::Encoding(encoding));
            Ok(end)
        }
        other => other.map_err(Wrong::into),
    }
}

/// The pieces that somebody has already when a table turns out not to be UTF-8.
#[derive(Default)]
struct HandedOut {
    pieces: usize,
    /// Whether one has a letter beyond ASCII, which is another letter in another encoding.
    letters: bool,
}

impl HandedOut {
    /// Whether these pieces are the first ones of the table in the other encoding, too, so that reading continues after them.
    fn same_in(&self, source: &Source<'_>, encoding: TextEncoding, given: Option<u8>) -> bool {
        let first = |encoding| {
            let layout = layout::found(source, encoding, given);
            let header = Pass::open(source, layout, encoding).and_then(|mut pass| pass.header());
            header.ok().map(|header| (layout, header))
        };
        self.pieces == 0 || (!self.letters && first(None) == first(Some(encoding)))
    }
}

/// What ends a reading: something about the file, or whoever takes the pieces.
enum Wrong<E> {
    File(TableError),
    Visit(E),
}

impl<E: From<TableError>> Wrong<E> {
    fn into(self) -> E {
        match self {
            Wrong::File(error) => error.into(),
            Wrong::Visit(error) => error,
        }
    }
}

fn read_as<E>(
    source: &Source<'_>,
    given: Option<u8>,
    encoding: Option<TextEncoding>,
    plan: &PiecePlan<'_>,
    visit: &mut dyn FnMut(Piece, bool) -> Result<(), E>,
) -> Result<PiecesEnd, Wrong<E>> {
    let layout = layout::found(source, encoding, given);
    let table = Table { source, layout, encoding };
    // What is wrong with the file, not with what was made of it.
    let explained = |error: TableError| Wrong::File(table.explained(error));
    let header =
        Pass::open(source, layout, encoding).and_then(|mut pass| pass.header()).map_err(explained)?;
    let header = Header::new(header);
    let names = &header.names;
    let mut slots = Slot::of_columns(source, names, plan).map_err(explained)?;
    let mut end = PiecesEnd::default();
    let short = thread::scope(|scope| {
        let (send, receive) = sync_channel(1);
        // Lists that were read go back to be filled again: freed and made anew, lists of ever other lengths would leave
        // holes between them, and the memory of the process would grow with the file.
        let (give_back, used) = channel();
        let finder = scope.spawn(move || find_records(table, plan.rows.max(1), &send, &used));
        for records in Records::arriving(&receive) {
            let records = records.map_err(explained)?;
            end.rows += records.offsets.len();
            if end.rows >= u32::MAX as usize {
                let file = source.name.clone();
                return Err(Wrong::File(TableError::TooManyRows { file, limit: u32::MAX as usize - 1 }));
            }
            let cells = fill(&mut slots, &records, plan, table).map_err(explained)?;
            let (rows, plain) = (records.offsets.len(), records.bytes.is_ascii());
            // The finder is done where nobody takes it.
            let _ = give_back.send(records);
            visit(piece(&slots, cells, rows), plain).map_err(Wrong::Visit)?;
        }
        Ok::<_, Wrong<E>>(finder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    if end.rows == 0 {
        return Err(explained(TableError::NoRows { file: source.name.clone() }));
    }
    finish(slots, table, plan, &mut end).map_err(explained)?;
    let unusual = given.is_none() && layout.delimiter != layout::USUAL;
    end.delimiter = unusual.then_some(char::from(layout.delimiter));
    let row_names = layout.row_names.then_some(Remark::RowNames);
    let titles = (layout.titles > 0).then_some(Remark::Titles { lines: layout.titles });
    end.remarks = titles.into_iter().chain(row_names).chain(header.remarks).chain(short).collect();
    Ok(end)
}

/// Some records of the file, their cells one after the other.
#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<u32>,
    /// Where in the text each record starts.
    offsets: Vec<u64>,
}

impl Records {
    /// None, with room for about as many as others are.
    fn of_size(other: &Self) -> Self {
        Self {
            bytes: Vec::with_capacity(other.bytes.len() + other.bytes.len() / 16),
            ends: Vec::with_capacity(other.ends.len()),
            offsets: Vec::with_capacity(other.offsets.len()),
        }
    }

    /// None, in the room that these had.
    fn emptied(mut self) -> Self {
        self.bytes.clear();
        self.ends.clear();
        self.offsets.clear();
        self
    }

    fn cell(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start as usize..self.ends[at] as usize]
    }

    /// The cells of a column in some rows, with the offsets of their records.
    fn column(&self, at: usize, columns: usize, rows: Range<usize>) -> impl Iterator<Item = (&[u8], u64)> {
        rows.map(move |row| (self.cell(row * columns + at), self.offsets[row]))
    }

    /// Those that another thread finds.
    fn arriving(
        receive: &Receiver<Result<Self, TableError>>,
    ) -> impl Iterator<Item = Result<Self, TableError>> {
        receive.iter()
    }
}

/// Finds records until there are no more or nobody takes them.
fn find_records(
    table: Table<'_>,
    rows: usize,
    send: &SyncSender<Result<Records, TableError>>,
    used: &Receiver<Records>,
) -> Option<Remark> {
    let mut short = None;
    let mut found = || -> Result<(), TableError> {
        let mut pass = Pass::open(table.source, table.layout, table.encoding)?;
        let mut all = 0;
        pass.header()?;
        let mut records = Records::default();
        while let Some((record, offset)) = pass.next()? {
            let start = records.bytes.len() as u32;
            records.bytes.extend_from_slice(record.as_slice());
            let ends = (0..record.len()).filter_map(|cell| record.range(cell));
            records.ends.extend(ends.map(|range| start + range.end as u32));
            records.offsets.push(offset);
            all += 1;
            let (held, bytes) = (records.offsets.len(), records.bytes.len());
            let long = bytes >= MOST_BYTES && held.is_multiple_of(BLOCK) || bytes >= 4 * MOST_BYTES;
            if held >= rows || long {
                let full = std::mem::take(&mut records);
                records = match used.try_recv() {
                    Ok(used) => used.emptied(),
                    Err(_) => Records::of_size(&full),
                };
                if send.send(Ok(full)).is_err() {
                    return Ok(());
                }
            }
        }
        short = pass.remark(all);
        if !records.offsets.is_empty() {
            // Nobody takes it: the reader has given up.
            let _ = send.send(Ok(records));
        }
        Ok(())
    };
    if let Err(error) = found() {
        let _ = send.send(Err(error));
    }
    short
}

/// What is done with the cells of a column.
struct Slot {
    /// Its place in the record.
    at: usize,
    name: String,
    kind: Kind,
}

enum Kind {
    /// A feature of numbers or truth values, and what was seen of it so far.
    Guess(Box<Guess>, Wanted),
    Times(TimeReader),
    Category(Dictionary),
    Text(TextColumn),
    Verbatim(TextColumn),
    /// Kept over the whole file.
    Answer(Dictionary),
}

/// The cells of a piece.
enum Cells {
    Feature(Values),
    Verbatim(TextColumn),
    Kept,
}

impl Slot {
    fn of_columns(
        source: &Source<'_>,
        names: &[String],
        plan: &PiecePlan<'_>,
    ) -> Result<Vec<Self>, TableError> {
        let (roles, _) = roles(&source.name, names, plan.features)?;
        let mut slots = Vec::new();
        for (at, (role, name)) in roles.into_iter().zip(names).enumerate() {
            let kind = match role {
                Role::Skip => continue,
                Role::Category => Kind::Category(Dictionary::default()),
                Role::Text => Kind::Text(TextColumn::default()),
                Role::Verbatim => Kind::Verbatim(TextColumn::default()),
                Role::Feature(Wanted::Times(dates)) => {
                    let any = DatesWritten { style: TimeStyle::YearFirst, signs: 0 };
                    Kind::Times(TimeReader::new(dates.unwrap_or(any)))
                }
                Role::Feature(wanted) => {
                    Kind::Guess(Box::new(Guess::of_column(name, wanted, plan.features)), wanted)
                }
            };
            slots.push(Self { at, name: name.clone(), kind });
        }
        let answers = plan.answers.iter().map(|name| (name.clone(), Kind::Answer(Dictionary::default())));
        let empty = || Kind::Verbatim(TextColumn::default());
        let verbatim = plan.handed_out(names)?.into_iter().map(|name| (name, empty()));
        for (name, kind) in answers.chain(verbatim) {
            let at = names.iter().position(|other| *other == name).unwrap_or(0);
            slots.push(Self { at, name, kind });
        }
        Ok(slots)
    }

    /// Adds the cells of some rows.
    fn push(
        &mut self,
        records: &Records,
        columns: usize,
        rows: Range<usize>,
        refuse: bool,
    ) -> Result<(), (Trouble, u64)> {
        let cells = records.column(self.at, columns, rows);
        let text = |cell, offset| std::str::from_utf8(cell).map_err(|_| (Trouble::NotUtf8, offset));
        match &mut self.kind {
            Kind::Guess(guess, _) => {
                for (cell, offset) in cells {
                    if guess.push(cell, offset) && refuse {
                        return Err((Trouble::Missing, offset));
                    }
                }
            }
            Kind::Times(times) => {
                for (cell, offset) in cells {
                    if times.push(cell, offset) && refuse {
                        return Err((Trouble::Missing, offset));
                    }
                }
            }
            Kind::Category(dictionary) | Kind::Answer(dictionary) => {
                for (cell, offset) in cells {
                    dictionary.push_cell(cell).map_err(|trouble| (trouble, offset))?;
                }
            }
            Kind::Text(texts) => {
                for (cell, offset) in cells {
                    if super::cell::is_missing(cell.trim_ascii()) {
                        texts.push_missing()
                    } else {
                        texts.push(text(cell, offset)?)
                    }
                }
            }
            Kind::Verbatim(texts) => {
                for (cell, offset) in cells {
                    texts.push(text(cell, offset)?);
                }
            }
        }
        Ok(())
    }

    /// The cells since the last time.
    fn take(&mut self, rows: usize) -> Cells {
        match &mut self.kind {
            Kind::Guess(guess, wanted) => {
                let values = guess.take();
                Cells::Feature(match wanted {
                    Wanted::Any => Values::Numeric(vec![f32::NAN; rows]),
                    _ => values,
                })
            }
            Kind::Times(times) => Cells::Feature(times.take()),
            Kind::Category(dictionary) => Cells::Feature(std::mem::take(dictionary).finish()),
            Kind::Text(texts) => Cells::Feature(Values::Text(std::mem::take(texts))),
            Kind::Verbatim(texts) => Cells::Verbatim(std::mem::take(texts)),
            Kind::Answer(_) => Cells::Kept,
        }
    }
}

/// Reads the cells of all columns, which threads share out among them.
fn fill(
    slots: &mut [Slot],
    records: &Records,
    plan: &PiecePlan<'_>,
    table: Table<'_>,
) -> Result<Vec<Cells>, TableError> {
    let refuse = plan.features.missing == MissingPolicy::Refuse;
    let columns = records.ends.len() / records.offsets.len().max(1);
    let some = |slots: &mut [Slot]| -> Result<(), (u64, TableError)> {
        let rows = records.offsets.len();
        for start in (0..rows).step_by(ROWS_AT_ONCE) {
            for slot in slots.iter_mut() {
                let pushed = slot.push(records, columns, start..rows.min(start + ROWS_AT_ONCE), refuse);
                pushed
                    .map_err(|(trouble, offset)| (offset, table.trouble(trouble, offset, &slot.name, b"")))?;
            }
        }
        Ok(())
    };
    let threads = if records.ends.len() < FEW_CELLS { 1 } else { plan.threads() };
    let stretch = slots.len().div_ceil(threads).max(1);
    let parts: Vec<Result<(), (u64, TableError)>> = thread::scope(|scope| {
        let mut stretches = slots.chunks_mut(stretch);
        let mine = stretches.next();
        let workers: Vec<_> = stretches.map(|slots| scope.spawn(move || some(slots))).collect();
        let mut parts = vec![mine.map_or(Ok(()), some)];
        let joined = workers.into_iter().map(|worker| worker.join());
        parts.extend(joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        parts
    });
    // The error of the first record, as one who reads row by row would meet it.
    let wrong = parts.into_iter().filter_map(Result::err).min_by_key(|(offset, _)| *offset);
    if let Some((_, error)) = wrong {
        return Err(error);
    }
    Ok(slots.iter_mut().map(|slot| slot.take(records.offsets.len())).collect())
}

/// How the numbers seen so far are written, for columns that leave it open.
fn habit_of(slots: &[Slot], table: Table<'_>) -> Habit {
    let guesses = slots
        .iter()
        .filter_map(|slot| if let Kind::Guess(guess, _) = &slot.kind { Some(guess.seen()) } else { None });
    Habit::of(guesses, table.layout.delimiter == b';')
}

fn piece(slots: &[Slot], cells: Vec<Cells>, rows: usize) -> Piece {
    let (mut columns, mut verbatim) = (Vec::new(), Vec::new());
    for (slot, cells) in slots.iter().zip(cells) {
        match cells {
            Cells::Feature(values) => columns.push(Column { name: slot.name.clone(), values }),
            Cells::Verbatim(texts) => verbatim.push((slot.name.clone(), texts)),
            Cells::Kept => {}
        }
    }
    Piece { frame: Frame { columns, rows, ..Frame::default() }, verbatim }
}

/// What the columns turned out to be, and what is to be said of them.
fn finish(
    slots: Vec<Slot>,
    table: Table<'_>,
    plan: &PiecePlan<'_>,
    end: &mut PiecesEnd,
) -> Result<(), TableError> {
    let refuse = plan.features.missing == MissingPolicy::Refuse;
    let mut cells: Vec<(CellsRead, u64)> = Vec::new();
    let habit = habit_of(&slots, table);
    for Slot { name, kind, .. } in slots {
        match kind {
            Kind::Guess(guess, wanted) => {
                let (found, remarks) = guess
                    .end(habit)
                    .map_err(|(trouble, (cell, offset))| table.trouble(trouble, offset, &name, &cell))?;
                table.refuse_others(refuse, &remarks, &name)?;
                cells.extend(cells_read(remarks, &name, Role::Feature(wanted)));
                end.others.extend(found.map(|found| (name, found.word())));
            }
            Kind::Times(times) => {
                let ended = times
                    .end()
                    .map_err(|(trouble, (cell, offset))| table.trouble(trouble, offset, &name, &cell))?;
                match ended {
                    Some(others) => cells.extend(others.cells_read(&name, true)),
                    None => end.others.push((name, Wanted::Any.word())),
                }
            }
            Kind::Answer(dictionary) => end.answers.push(Column { name, values: dictionary.finish() }),
            Kind::Category(_) | Kind::Text(_) | Kind::Verbatim(_) => {}
        }
    }
    end.cells = table.with_places(cells);
    Ok(())
}
