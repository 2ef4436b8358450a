//! How a text table is laid out, by its first lines: what separates its cells, and where its header is.
//!
//! Programs put more into a file than a table. Spreadsheets write `sep=;` first, reports have titles above the header, R's
//! `write.table` leaves the name of the row names out, and MySQL puts a backslash before a quote. All of it is recognized
//! where the lines below agree with it, and a table that is plain is read as ever.

use super::Source;
use super::pass::Pass;
use crate::decode::TextEncoding;
use ::csv::{ByteRecord, ReaderBuilder};
use std::io::Read;

/// What separates cells unless something else is seen.
pub(super) const USUAL: u8 = b',';

/// In the order in which they are preferred where several would do.
const KNOWN: [u8; 4] = [USUAL, b';', b'\t', b'|'];

/// How much of a table is looked at.
const HEAD: u64 = 1 << 16;

/// How many rows are looked at.
const ROWS: usize = 50;

/// The part of the lines, in percent, that must agree with a header that has lines above it.
const AGREE: usize = 90;

/// How the text of a table becomes records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The byte between cells.
    pub delimiter: u8,
    /// Whether a backslash before a quote makes it a part of the cell.
    pub escaped: bool,
    /// How many bytes of the text are before the header.
    pub skip: u64,
    /// How many lines with something in them these are, `sep=;` aside.
    pub titles: usize,
    /// Whether lines have one cell more than the header, in front: the names of rows.
    pub row_names: bool,
}

impl From<u8> for Layout {
    fn from(delimiter: u8) -> Self {
        Layout { delimiter, escaped: false, skip: 0, titles: 0, row_names: false }
    }
}

/// The layout of a table: with the delimiter that is `given`, or that its first line names, or with the sign that parts the
/// header in two or more and every row alike (a comma if it does, else the one that makes the most columns). Where no sign
/// does, lines above the header are passed over. A comma where nothing fits, so that the reader says what is wrong.
pub(super) fn found(source: &Source<'_>, encoding: Option<TextEncoding>, given: Option<u8>) -> Layout {
    let plain = Layout::from(given.unwrap_or(USUAL));
    // What cannot be read is for the reader of the whole to say.
    let Ok(pass) = Pass::open(source, USUAL, encoding) else { return plain };
    let mut head = Vec::new();
    if pass.into_bytes().take(HEAD).read_to_end(&mut head).is_err() {
        return plain;
    }
    if head.len() as u64 == HEAD {
        let end = head.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        head.truncate(end);
    }
    let (named, skip) = named_sign(&head);
    let rest = head.get(skip..).unwrap_or_default();
    let given = given.or(named);
    let signs = given.as_ref().map_or(&KNOWN[..], std::slice::from_ref);
    let layout = of_lines(rest, signs).unwrap_or(Layout::from(given.unwrap_or(USUAL)));
    Layout { skip: layout.skip + skip as u64, ..layout }
}

/// The sign that a first line such as `sep=;` names, and how long that line is.
fn named_sign(head: &[u8]) -> (Option<u8>, usize) {
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let line = head[mark..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let bare = line.strip_suffix(b"\r").unwrap_or(line);
    let bare = bare.strip_prefix(b"\"").and_then(|bare| bare.strip_suffix(b"\"")).unwrap_or(bare);
    match bare {
        [s, e, p, b'=', sign] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") && *sign != b'"' => {
            (Some(*sign), (mark + line.len() + 1).min(head.len()))
        }
        _ => (None, 0),
    }
}

fn of_lines(head: &[u8], signs: &[u8]) -> Option<Layout> {
    let backslashes = head.windows(2).any(|pair| pair == b"\\\"");
    let escapes = if backslashes { &[false, true][..] } else { &[false] };
    let all: Vec<Lines> = escapes
        .iter()
        .flat_map(|&escaped| signs.iter().map(move |&sign| Lines::of(head, sign, escaped)))
        .collect();
    if let Some(plain) = all.iter().find(|lines| lines.is_even() && lines.layout.delimiter == signs[0]) {
        return Some(plain.layout);
    }
    let best = all.iter().filter(|lines| lines.is_even()).rev();
    if let Some(lines) = best.max_by_key(|lines| lines.records[0].cells) {
        return Some(lines.layout);
    }
    let fits = all.iter().rev().filter_map(|lines| Some((lines.below_titles()?, lines)));
    fits.max_by_key(|((wide, _), _)| *wide).map(|((_, layout), _)| layout)
}

/// The first lines, parted by one sign.
struct Lines {
    layout: Layout,
    records: Vec<Line>,
}

struct Line {
    start: u64,
    cells: usize,
    /// Cells with something in them.
    filled: usize,
    /// Where the last of these ends.
    used: usize,
    numbers: usize,
    comment: bool,
}

impl Lines {
    fn of(head: &[u8], delimiter: u8, escaped: bool) -> Self {
        let layout = Layout { escaped, ..Layout::from(delimiter) };
        let escape = escaped.then_some(b'\\');
        let mut builder = ReaderBuilder::new();
        let builder = builder.delimiter(delimiter).has_headers(false).flexible(true).escape(escape);
        let mut reader = builder.from_reader(head);
        let (mut records, mut record) = (Vec::new(), ByteRecord::new());
        while records.len() <= ROWS && reader.read_byte_record(&mut record).unwrap_or(false) {
            let is_filled = |cell: &&[u8]| !cell.trim_ascii().is_empty();
            let is_number = |cell: &&[u8]| super::cell::is_plain_number(cell);
            records.push(Line {
                start: record.position().map_or(0, |position| position.byte()),
                cells: record.len(),
                filled: record.iter().filter(is_filled).count(),
                used: record.iter().collect::<Vec<_>>().iter().rposition(is_filled).map_or(0, |at| at + 1),
                numbers: record.iter().filter(is_number).count(),
                comment: record.get(0).is_some_and(|cell| cell.starts_with(b"#")),
            });
        }
        Lines { layout, records }
    }

    /// Whether the header has several cells and every line as many.
    fn is_even(&self) -> bool {
        let Some(first) = self.records.first() else { return false };
        let title = first.filled <= 1 && self.records.iter().any(|line| line.filled > 2);
        first.cells > 1 && !title && self.records.iter().all(|line| line.cells == first.cells)
    }

    /// How wide the table is whose header is the first line that is not a title, if the lines below agree.
    fn below_titles(&self) -> Option<(usize, Layout)> {
        let wide = most_common(self.records.iter().map(|line| line.cells))?;
        if wide < 2 {
            return None;
        }
        let filled =
            most_common(self.records.iter().filter(|line| line.cells == wide).map(|line| line.filled))?;
        let titles = self.records.iter().take_while(|line| line.is_title(filled)).count();
        let (header, below) = self.records.get(titles..)?.split_first()?;
        let row_names =
            header.cells + 1 == wide && !below.is_empty() && below.iter().all(|line| line.cells == wide);
        let columns = header.cells + usize::from(row_names);
        let agree = |line: &&Line| line.used <= columns && (line.cells >= 2 || line.is_footer());
        let enough = below.iter().filter(agree).count() * 100 >= below.len() * AGREE;
        // One column of texts with commas in it has no header of several words and no numbers below.
        let sure = titles == 0 || (wide > 2 && below.len() > 1) || below.iter().any(|line| line.numbers > 0);
        let named = header.numbers == 0 || titles == 0;
        if !enough || !sure || !named || columns < 2 {
            return None;
        }
        let skip = if titles == 0 { 0 } else { header.start };
        Some((columns, Layout { skip, titles, row_names, ..self.layout }))
    }
}

impl Line {
    /// Whether the line is above a table whose lines have this many cells filled: it has one, or a few of many, or is a
    /// comment.
    fn is_title(&self, usual: usize) -> bool {
        self.filled <= 1 || (usual >= 4 && 2 * self.filled <= usual) || (self.comment && self.filled < usual)
    }

    /// Whether it may be the last line of a listing, such as `(3 rows)`.
    fn is_footer(&self) -> bool {
        self.filled <= 1
    }
}

/// The most common number, the larger of two that are as common.
fn most_common(numbers: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_insert(0usize) += 1);
    counts.into_iter().max_by_key(|&(number, count)| (count, number)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        found(&Source::memory(text.as_bytes()), None, None)
    }

    #[test]
    fn the_header_and_the_first_rows_decide() {
        for (text, sign) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("a\tb\tc\n1\t2\t3\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            // Commas in names and quotes do not mislead.
            ("price, net;amount;place\n1;2;3\n", b';'),
            ("\"a;b\",c\n1,2\n", b','),
            // Both would do.
            ("a;b,c\n1;2,3\n", b','),
            // One column, whatever its cells hold.
            ("text\na;b\nc;d\n", b','),
            // A ragged table is a ragged table with commas.
            ("a,b\n1,2\n3\n", b','),
            ("", b','),
        ] {
            assert_eq!(layout(text), Layout::from(sign), "{text:?}");
        }
    }

    #[test]
    fn a_long_table_is_cut_at_a_line() {
        let text = format!("a;b\n{}", "1,5;2\n".repeat(40_000));
        assert_eq!(layout(&text), Layout::from(b';'));
    }

    #[test]
    fn lines_above_the_header_are_passed_over() {
        let at = |delimiter, skip, titles| Layout { skip, titles, ..Layout::from(delimiter) };
        for (text, expected) in [
            ("Sales 2024\n\na;b;c\n1;2;3\n4;5;6\n", at(b';', 11, 1)),
            ("Report;;\nMay;;\na;b;c\n1;2;3\n", at(b';', 15, 2)),
            ("# made by x, 2\na,b,c\n1,2,3\n4,5,6\n", at(b',', 15, 1)),
            ("from;1 May\na;b;c;d\n1;2;3;4\n1;2;3;4\n", at(b';', 11, 1)),
            ("sep=;\na;b\n1;2\n", at(b';', 6, 0)),
            ("\u{feff}sep=|\r\na|b\r\n1|2\r\n", at(b'|', 10, 0)),
            ("#a,b\n1,2\n", at(b',', 0, 0)),
        ] {
            assert_eq!(layout(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_of_rows_and_backslashes() {
        let r = Layout { row_names: true, ..Layout::from(b',') };
        assert_eq!(layout("\"a\",\"b\"\n\"1\",3,4\n\"2\",5,6\n"), r);
        let dump = "a,b\n\"x \\\"y, z\\\"\",1\n\"w\",2\n";
        assert_eq!(layout(dump), Layout { escaped: true, ..Layout::from(b',') });
        // A path that ends in a backslash is not a reason.
        assert_eq!(layout("a,b\n\"C:\\\",1\n"), Layout::from(b','));
    }
}
