//! Text tables: separated by commas, tabs or whatever their first lines show, plain or compressed.
//!
//! Two passes at most. The first stores every column as what its first cells are (see [`Guess`]); columns that turn out to
//! be something else are read again. A purely numeric file is read once, and at no time is there more in memory than the
//! columns themselves and one record.

use super::cell::{is_missing, look_typed, unmarked};
use super::guess::{Guess, Habit, Outcome, Remarks, as_flag, as_number};
use super::header::Header;
use super::layout::{self, Layout};
use super::legacy;
use super::pass::{Pass, place_of, places_of};
use super::times::{Others, TimeReader};
use super::{
    Dictionary, FileOptions, MAX_LEVELS, MissingPolicy, Numbers, ReadOptions, Role, Source, Trouble, Wanted,
    roles,
};
use crate::Position;
use crate::Remark;
use crate::dates::NEARLY_ALL;
use crate::decode::TextEncoding;
use crate::frame::{CellsRead, Column, LeftOut, TextColumn, Values, WhyLeftOut};
use crate::number::NumberStyle;
use crate::{Frame, TableError};
use std::io;

/// Reads a table whose cells are separated by `delimiter`, or by what its first lines show.
pub(super) fn read(
    source: &Source<'_>,
    delimiter: Option<u8>,
    options: &ReadOptions,
) -> Result<Frame, TableError> {
    let given = options.files.delimiter.or(delimiter);
    let read = |options: &ReadOptions| {
        read_laid_out(source, layout::found(source, options.files.encoding, given), given.is_some(), options)
    };
    match read(options) {
        Err(TableError::NotUtf8 { file, place }) if options.files.encoding.is_none() => {
            let Some(encoding) = legacy::encoding_of(source)? else {
                return Err(TableError::TwoEncodings { file, place });
            };
            let files = FileOptions { encoding: Some(encoding), ..options.files.clone() };
            let mut frame = read(&ReadOptions { files, ..options.clone() })?;
            frame.remarks.insert(0, Remark::Encoding(encoding));
            Ok(frame)
        }
        other => other,
    }
}

/// Reads a table whose layout is known; whether its delimiter was `given` decides if it is told.
pub(super) fn read_laid_out(
    source: &Source<'_>,
    layout: Layout,
    given: bool,
    options: &ReadOptions,
) -> Result<Frame, TableError> {
    let table = Table { source, layout, encoding: options.files.encoding };
    let frame = table.read(options).map_err(|error| table.explained(error))?;
    let unusual = !given && layout.delimiter != layout::USUAL && source.counts_rows.is_none();
    let unusual = unusual.then_some(char::from(layout.delimiter));
    Ok(Frame { delimiter: unusual, ..frame })
}

/// The names in the header.
pub(super) fn names(
    source: &Source<'_>,
    delimiter: Option<u8>,
    options: &ReadOptions,
) -> Result<Vec<String>, TableError> {
    let layout = layout::found(source, options.files.encoding, delimiter);
    Ok(Header::new(Pass::open(source, layout, options.files.encoding)?.header()?).names)
}

/// Where a table is and how its bytes become records.
#[derive(Clone, Copy)]
pub(super) struct Table<'s> {
    pub source: &'s Source<'s>,
    pub layout: Layout,
    pub encoding: Option<TextEncoding>,
}

/// A column in the first pass.
enum Slot {
    Skip,
    Category(Dictionary),
    /// Texts, and whether markers of missing values count.
    Text(TextColumn, bool),
    Times(TimeReader),
    Open(Box<Guess>),
}

/// A cell, and whether it is a number by the file's own word.
#[derive(Clone, Copy)]
struct Typed<'c> {
    cell: &'c [u8],
    is_number: bool,
}

/// A column in the second pass.
enum Again {
    Categories(Dictionary),
    /// Texts that are not dates, where those were learned.
    Words(Dictionary),
    Numbers(Numbers, NumberStyle),
    Flags(Vec<Option<bool>>),
    Times(TimeReader),
    LeftOut(WhyLeftOut),
}

/// What is done with a column after the first pass.
enum Half {
    Skip,
    Done(Values),
    Again(Again),
}

impl Slot {
    fn new(name: &str, role: Role, options: &ReadOptions) -> Self {
        match role {
            Role::Skip => Slot::Skip,
            Role::Category => Slot::Category(Dictionary::default()),
            Role::Text => Slot::Text(TextColumn::default(), true),
            Role::Verbatim => Slot::Text(TextColumn::default(), false),
            Role::Feature(Wanted::Times(Some(dates))) => Slot::Times(TimeReader::new(dates)),
            Role::Feature(Wanted::Times(None)) => {
                Slot::Category(Dictionary::default().with_order(options.files.date_order))
            }
            Role::Feature(wanted) => Slot::Open(Box::new(Guess::of_column(name, wanted, options))),
        }
    }

    fn push(
        &mut self,
        Typed { cell, is_number }: Typed<'_>,
        offset: u64,
        refuse: bool,
    ) -> Result<(), Trouble> {
        match self {
            Slot::Skip => Ok(()),
            Slot::Category(dictionary) => dictionary.push_typed(cell, is_number).map(|_| ()),
            Slot::Text(texts, true) if is_missing(cell.trim_ascii()) => {
                texts.push_missing();
                Ok(())
            }
            Slot::Text(texts, _) => {
                texts.push(std::str::from_utf8(cell).map_err(|_| Trouble::NotUtf8)?);
                Ok(())
            }
            Slot::Times(times) => match times.push(cell, offset) {
                true if refuse => Err(Trouble::Missing),
                _ => Ok(()),
            },
            Slot::Open(guess) => {
                let missing =
                    if is_number { guess.push_typed(cell, true, offset) } else { guess.push(cell, offset) };
                if missing && refuse { Err(Trouble::Missing) } else { Ok(()) }
            }
        }
    }
}

impl Again {
    fn push(&mut self, typed: Typed<'_>, offset: u64, refuse: bool) -> Result<(), Trouble> {
        let Typed { cell, is_number } = typed;
        match self {
            Again::Categories(dictionary) => match dictionary.push_typed(cell, is_number) {
                Ok(true) if refuse => return Err(Trouble::Missing),
                Err(Trouble::TooManyLevels) => {
                    if let Some((times, others)) = dictionary.times(least(refuse)) {
                        let mut times = TimeReader::after(times, others);
                        times.push(cell, offset);
                        *self = Again::Times(times);
                        return Ok(());
                    }
                    if dictionary.lifts_limit() {
                        return self.push(typed, offset, refuse);
                    }
                    *self = Again::LeftOut(WhyLeftOut::Identifier);
                }
                other => {
                    other?;
                }
            },
            Again::Words(dictionary) => {
                if dictionary.push_typed(cell, is_number)? && refuse {
                    return Err(Trouble::Missing);
                }
            }
            Again::Numbers(numbers, style) => {
                match as_number(look_typed(cell, is_number), cell.trim_ascii(), *style) {
                    Some(value) => numbers.push(value),
                    None => numbers.push_missing(),
                }
            }
            Again::Flags(flags) => flags.push(as_flag(look_typed(cell, is_number))),
            Again::Times(times) => {
                if times.push(cell, offset) && refuse {
                    return Err(Trouble::Missing);
                }
            }
            Again::LeftOut(_) => {}
        }
        Ok(())
    }

    fn finish(self, refuse: bool) -> Result<(Values, Others), WhyLeftOut> {
        let values = match self {
            Again::Categories(dictionary) => return Ok(categories_or_times(dictionary, least(refuse))),
            Again::Words(dictionary) => dictionary.finish(),
            Again::Numbers(numbers, _) => numbers.finish(),
            Again::Flags(flags) => Values::Boolean(flags),
            // The style is the one of its own first cells.
            Again::Times(times) => return times.finish().ok().flatten().ok_or(WhyLeftOut::Identifier),
            Again::LeftOut(why) => return Err(why),
        };
        Ok((values, Others::default()))
    }
}

/// The percentage of cells that must be dates for a column of dates: where missing cells are refused, so are others.
fn least(refuse: bool) -> usize {
    if refuse { 100 } else { NEARLY_ALL }
}

/// Texts as times if at least `least` percent of them are dates.
fn categories_or_times(dictionary: Dictionary, least: usize) -> (Values, Others) {
    match dictionary.times(least) {
        Some((times, count)) => (Values::Times(times), Others { count, first: None }),
        None => (dictionary.finish(), Others::default()),
    }
}

impl Table<'_> {
    /// What an error of reading comes from. A damaged compressed file often shows first as nonsense in its text, and its
    /// checksum comes last: if the stream is not sound, that is what to say.
    pub(super) fn explained(self, error: TableError) -> TableError {
        match error {
            TableError::Memory { .. } | TableError::LongRecord { .. } => error,
            other => Pass::open(self.source, self.layout, None).and_then(Pass::drain).err().unwrap_or(other),
        }
    }

    /// A cell with what the file says of its type. Only a text table that was made of another file has types.
    fn typed(self, cell: &[u8]) -> Typed<'_> {
        let (cell, is_number) =
            if self.source.counts_rows.is_some() { unmarked(cell) } else { (cell, false) };
        Typed { cell, is_number }
    }

    fn read(self, options: &ReadOptions) -> Result<Frame, TableError> {
        let file = self.source.name.as_str();
        let mut pass = Pass::open(self.source, self.layout, self.encoding)?;
        let mut header = Header::new(pass.header()?);
        let names = header.names.clone();
        let (mut roles, ignored) = roles(file, &names, options)?;
        let mut left_out: Vec<LeftOut> = header.leave_out_index(&mut roles, options).into_iter().collect();
        let refuse = options.missing == MissingPolicy::Refuse;
        let mut slots: Vec<Slot> =
            roles.iter().zip(&names).map(|(&role, name)| Slot::new(name, role, options)).collect();
        let (mut rows, mut read) = (0usize, 0usize);
        let kept = options.rows.as_deref();
        pass.holds(slots.iter().filter(|slot| !matches!(slot, Slot::Skip)).count());
        while let Some((record, offset)) = pass.next()? {
            read += 1;
            if kept.is_some_and(|kept| !kept.contains(read - 1)) {
                continue;
            }
            for ((slot, cell), name) in slots.iter_mut().zip(record.iter()).zip(&names) {
                slot.push(self.typed(cell), offset, refuse)
                    .map_err(|trouble| self.trouble(trouble, offset, name, b""))?;
            }
            rows += 1;
            pass.hold_row();
        }
        kept.map_or(Ok(()), |kept| kept.check(file, read))?;
        let short = pass.remark(rows);
        if rows == 0 {
            return Err(TableError::NoRows { file: file.to_string() });
        }
        if rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
        }
        let mut halves = Vec::with_capacity(slots.len());
        let mut cells: Vec<(CellsRead, u64)> = Vec::new();
        let guesses = slots
            .iter()
            .filter_map(|slot| if let Slot::Open(guess) = slot { Some(guess.seen()) } else { None });
        let habit = Habit::of(guesses, self.layout.delimiter == b';');
        for ((slot, name), &role) in slots.into_iter().zip(&names).zip(&roles) {
            halves.push(match slot {
                Slot::Skip => Half::Skip,
                Slot::Category(dictionary) if role == Role::Feature(Wanted::Times(None)) => {
                    let (values, others) = categories_or_times(dictionary, 1);
                    cells.extend(others.cells_read(name, true));
                    Half::Done(values)
                }
                Slot::Category(dictionary) => Half::Done(dictionary.finish()),
                Slot::Times(times) => {
                    match times
                        .finish()
                        .map_err(|(trouble, (cell, offset))| self.trouble(trouble, offset, name, &cell))?
                    {
                        Some((values, others)) => {
                            cells.extend(others.cells_read(name, true));
                            Half::Done(values)
                        }
                        None => Half::Again(Again::Words(Dictionary::default())),
                    }
                }
                Slot::Text(texts, _) => Half::Done(Values::Text(texts)),
                Slot::Open(guess) => {
                    let (half, remarks) = self.decide(*guess, name, habit, options)?;
                    self.refuse_others(refuse, &remarks, name)?;
                    cells.extend(cells_read(remarks, name, role));
                    half
                }
            });
        }
        self.read_again(&names, &mut halves, rows, options)?;
        let mut columns = Vec::new();
        for (name, half) in names.into_iter().zip(halves) {
            match half {
                Half::Skip => {}
                Half::Done(values) => columns.push(Column { name, values }),
                Half::Again(again) => match again.finish(refuse) {
                    Ok((values, others)) => {
                        cells.extend(others.cells_read(&name, false));
                        columns.push(Column { name, values });
                    }
                    Err(why) => left_out.push(LeftOut { column: name, why }),
                },
            }
        }
        let cells = self.with_places(cells);
        // A separator at the end of each line, or a margin next to the table, makes columns of nothing.
        let unnamed = |name: &str| header.unnamed.iter().any(|&at| header.names[at] == name);
        columns.retain(|column: &Column| !unnamed(&column.name) || column.values.missing() < rows);
        header.remark_unnamed(|name| columns.iter().any(|column| column.name == name));
        let row_names = self.layout.row_names.then_some(Remark::RowNames);
        let titles = self.layout.titles;
        let titles = (titles > 0).then_some(Remark::Titles { lines: titles });
        let remarks = titles.into_iter().chain(row_names).chain(header.remarks).chain(short).collect();
        Ok(Frame { columns, rows, ignored, left_out, cells, delimiter: None, remarks })
    }

    /// What a column is, by its cells.
    fn decide(
        self,
        guess: Guess,
        name: &str,
        habit: Habit,
        options: &ReadOptions,
    ) -> Result<(Half, Remarks), TableError> {
        let (outcome, remarks) = guess
            .finish(habit)
            .map_err(|(trouble, (cell, offset))| self.trouble(trouble, offset, name, &cell))?;
        let half = match outcome {
            Outcome::Done(values) => Half::Done(values),
            Outcome::Numbers(style) => Half::Again(Again::Numbers(Numbers::missing(0), style)),
            Outcome::Flags => Half::Again(Again::Flags(Vec::new())),
            Outcome::Text => {
                let texts = Dictionary::limited(MAX_LEVELS).with_order(options.files.date_order);
                Half::Again(Again::Categories(texts))
            }
        };
        Ok((half, remarks))
    }

    /// Where missing cells are refused, so are words that stand for them and cells that are something else.
    pub(super) fn refuse_others(self, refuse: bool, remarks: &Remarks, name: &str) -> Result<(), TableError> {
        match (refuse, remarks.first_marker, &remarks.first_other) {
            (true, Some(offset), _) => Err(self.trouble(Trouble::Missing, offset, name, b"")),
            (true, None, Some((cell, offset))) if remarks.others > 0 => {
                Err(self.trouble(Trouble::NotANumber, *offset, name, cell))
            }
            _ => Ok(()),
        }
    }

    /// What is told of columns, with the lines of the cells that are something else.
    pub(super) fn with_places(self, cells: Vec<(CellsRead, u64)>) -> Vec<CellsRead> {
        let offsets: Vec<u64> = cells.iter().map(|(_, offset)| *offset).collect();
        let places = if cells.iter().any(|(cells, _)| cells.others > 0) {
            places_of(self.source, self.encoding, &offsets)
        } else {
            Vec::new()
        };
        let mut cells: Vec<CellsRead> = cells.into_iter().map(|(cells, _)| cells).collect();
        for (cells, place) in cells.iter_mut().zip(places) {
            if let Some((_, first)) = &mut cells.first_other {
                *first = place;
            }
        }
        cells
    }

    /// The second pass: fills the columns that the first could not store.
    fn read_again(
        self,
        names: &[String],
        halves: &mut [Half],
        rows: usize,
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        let refuse = options.missing == MissingPolicy::Refuse;
        if !halves.iter().any(|half| matches!(half, Half::Again(_))) {
            return Ok(());
        }
        let mut pass = Pass::open(self.source, self.layout, self.encoding)?;
        pass.header()?;
        pass.holds(halves.iter().filter(|half| matches!(half, Half::Again(_))).count());
        let (mut again, mut read) = (0usize, 0usize);
        while let Some((record, offset)) = pass.next()? {
            read += 1;
            if options.rows.as_deref().is_some_and(|kept| !kept.contains(read - 1)) {
                continue;
            }
            for ((half, cell), name) in halves.iter_mut().zip(record.iter()).zip(names) {
                let Half::Again(column) = half else { continue };
                column
                    .push(self.typed(cell), offset, refuse)
                    .map_err(|trouble| self.trouble(trouble, offset, name, b""))?;
            }
            again += 1;
            pass.hold_row();
        }
        if again != rows {
            let cause = io::Error::other("it changed while it was being read");
            return Err(TableError::Read { file: self.source.name.clone(), cause });
        }
        Ok(())
    }

    /// What is wrong with a cell of the record at `offset`.
    pub(super) fn trouble(self, trouble: Trouble, offset: u64, column: &str, cell: &[u8]) -> TableError {
        let (cell, place) = (String::from_utf8_lossy(cell), place_of(self.source, self.encoding, offset));
        trouble.at(&self.source.name, place, column, cell.trim())
    }
}

/// How the cells of a column were read, where that should be told, and the offset of the first that is something else, whose
/// line is not known yet.
pub(super) fn cells_read(remarks: Remarks, name: &str, role: Role) -> Option<(CellsRead, u64)> {
    let Remarks { style, sure, groups, example, others, first_other, .. } = remarks;
    if example.is_none() && others == 0 && style.is_point() && sure.is_none() {
        return None;
    }
    let lossy = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    let (first_other, offset) = match first_other {
        Some((cell, offset)) if others > 0 => (Some((lossy(&cell), Position::Line(1))), offset),
        _ => (None, 0),
    };
    let example = example.map(|(cell, value)| (lossy(&cell), value));
    let asked = !matches!(role, Role::Feature(Wanted::Any));
    let column = name.to_string();
    let kept_as_texts = false;
    Some((
        CellsRead { column, style, sure, groups, example, others, first_other, asked, kept_as_texts },
        offset,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Written;
    use super::*;
    use crate::read_csv_bytes;

    #[test]
    fn a_table_of_every_type() {
        let table =
            read_csv_bytes(b"\xef\xbb\xbf x ,b,\"c, d\"\r\n1,true,red\r\n\"2.5\",,\" blue\"\r\n").unwrap();
        assert_eq!(table.names().collect::<Vec<_>>(), ["x", "b", "c, d"]);
        assert_eq!(table.rows, 2);
        let Values::Numeric(x) = &table.columns[0].values else { panic!() };
        assert_eq!(x, &[1.0, 2.5]);
        let Values::Boolean(b) = &table.columns[1].values else { panic!() };
        assert_eq!(b, &[Some(true), None]);
        let Values::Categorical { codes, levels } = &table.columns[2].values else { panic!() };
        assert_eq!((codes.as_slice(), levels[0].as_str(), levels[1].as_str()), (&[1, 0][..], "blue", "red"));
    }

    #[test]
    fn messages_say_the_line() {
        let message = |bytes: &[u8]| read_csv_bytes(bytes).unwrap_err().to_string();
        assert!(message(b"a,b\n1,2\n3\n").contains("line 3 has 1 cells but the header has 2"));
        assert!(message(b"a,b\n1,2\n3,4,5\n").contains("line 3 has 3 cells but the header has 2"));
        // A quoted line break counts as a line, too.
        assert!(
            message(b"a,b\n1,\"x\ny\"\ninf,z\n").contains("line 4, column 'a': inf is not a finite number")
        );
        // So does a blank line, which is not a row.
        assert!(message(b"a,b\n1,2\n\n\n3\n").contains("line 5 has 1 cells"));
        assert!(message(b"a,b\r\n1,2\r\n3\r\n").contains("line 3 has 1 cells"));
        assert!(message(b"a,b\r\n1,2\r\n\r\n3,inf\r\n").contains("line 4, column 'b'"));
        assert!(
            message(
                "a,b\nä,1\ny,2\n"
                    .as_bytes()
                    .iter()
                    .chain(b"\xff,3\n")
                    .copied()
                    .collect::<Vec<_>>()
                    .as_slice()
            )
            .contains("line 4 is not valid UTF-8")
        );
    }

    #[test]
    fn a_frame_that_is_to_be_skipped_is_skipped() {
        let mut bytes = vec![0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        bytes.extend(zstd::encode_all(&b"x,y\n1,2\n"[..], 3).unwrap());
        let table = read_csv_bytes(&bytes).unwrap();
        assert_eq!((table.rows, numbers(&table, "y")), (1, vec![2.0]));
    }

    #[test]
    fn codes_that_look_like_numbers_stay_text_where_one_is_not() {
        let table = read_csv_bytes(b"zip\n01234\n1234\nAB1\n").unwrap();
        let Values::Categorical { levels, .. } = &table.columns[0].values else { panic!() };
        assert_eq!(levels, &["01234", "1234", "AB1"]);
    }

    fn numbers(table: &Frame, name: &str) -> Vec<f32> {
        match &table.column(name).unwrap().values {
            Values::Numeric(values) => values.clone(),
            other => panic!("{name} is {}", other.kind()),
        }
    }

    /// A table of 40 rows with one cell that is something else, in line 12.
    fn with_cell(cell: &str) -> Vec<u8> {
        let rows: String =
            (0..40).map(|i| if i == 10 { format!("{cell}\n") } else { format!("{i}\n") }).collect();
        format!("x\n{rows}").into_bytes()
    }

    #[test]
    fn one_bad_cell_does_not_change_a_column() {
        for cell in ["#N/A", "-", "nan", "unknown", "."] {
            let table = read_csv_bytes(&with_cell(cell)).unwrap();
            assert!(numbers(&table, "x")[10].is_nan(), "{cell}");
            assert!(table.cells.is_empty(), "{cell}");
        }
        for (cell, value) in [("25%", 0.25), ("1_000", 1000.0), ("$12", 12.0), ("(12)", -12.0)] {
            let table = read_csv_bytes(&with_cell(cell)).unwrap();
            assert_eq!(numbers(&table, "x")[10], value);
            assert_eq!(table.cells[0].example, Some((cell.to_string(), f64::from(value))));
        }
        let table = read_csv_bytes(&with_cell("twelve")).unwrap();
        assert!(numbers(&table, "x")[10].is_nan());
        let first = Some(("twelve".to_string(), crate::Position::Line(12)));
        assert_eq!((table.cells[0].others, &table.cells[0].first_other), (1, &first));
    }

    #[test]
    fn the_lines_of_several_columns_are_counted_at_once() {
        let row = |i: usize| match i {
            7 => "7,x\n\n".to_string(),
            30 => "y,30\n".to_string(),
            _ => format!("{i},{i}\n"),
        };
        let rows: String = (0..40).map(row).collect();
        let table = read_csv_bytes(format!("a,b\n{rows}").as_bytes()).unwrap();
        let places: Vec<Position> =
            table.cells.iter().map(|cells| cells.first_other.as_ref().unwrap().1).collect();
        assert_eq!(places, [Position::Line(33), Position::Line(9)]);
    }

    #[test]
    fn decimal_commas_are_read_where_the_whole_column_has_them() {
        let table = read_csv_bytes(b"x;z\n3,5;1.200\n4;0,5\n1.000,25;7\n").unwrap();
        assert_eq!(table.delimiter, Some(';'));
        assert_eq!(numbers(&table, "x"), [3.5, 4.0, 1000.25]);
        assert_eq!(numbers(&table, "z"), [1200.0, 0.5, 7.0]);
        assert!(table.cells.iter().all(|cells| cells.style == NumberStyle::Comma));
    }

    #[test]
    fn a_column_is_what_it_is_asked_to_be() {
        let bytes = b"x,c\n1,1\nlow,2\n3,1\n";
        let source = Source::memory(bytes);
        let options = ReadOptions {
            written: vec![("x".to_string(), Written::Numbers(None))],
            categories: vec!["c".to_string()],
            ..ReadOptions::default()
        };
        let table = read(&source, None, &options).unwrap();
        assert!(numbers(&table, "x")[1].is_nan() && table.cells[0].asked);
        assert!(
            matches!(&table.columns[1].values, Values::Categorical { levels, .. } if levels == &["1", "2"])
        );
        let refuse = ReadOptions { missing: MissingPolicy::Refuse, ..options };
        let message = read(&source, None, &refuse).unwrap_err().to_string();
        assert!(message.contains("line 3, column 'x': 'low' is not a number"), "{message}");
        let message = read(&Source::memory(b"x\n1\n-\n"), None, &refuse_all()).unwrap_err().to_string();
        assert!(message.contains("line 3, column 'x': the cell is missing"), "{message}");
    }

    fn refuse_all() -> ReadOptions {
        ReadOptions { missing: MissingPolicy::Refuse, ..ReadOptions::default() }
    }
}
