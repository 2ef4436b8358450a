//! What is in a spreadsheet's container, looked at before a reader takes its word for it.
//!
//! A file of a few kilobytes can announce gigabytes: zeros that pack well, one cell in the last corner of a sheet, a cell
//! that repeats. Whatever the reader would make of it is counted here first, and asked for.

use crate::memory::shown_size;
use crate::{TableError, check_memory};
use bytes::Bytes;
use std::io::{self, Cursor, Read};

/// What a cell takes while a sheet is held whole, twice over for a while.
const BYTES_PER_CELL: u64 = 2 * 56;

/// How much is unpacked between two questions about memory.
const STEP: u64 = 1 << 22;

/// The most columns and rows that a sheet has.
const MOST_COLUMNS: u64 = 16_384;
const MOST_ROWS: u64 = 1 << 20;

/// The kinds of spreadsheets that are ZIP archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zipped {
    Xlsx,
    Xlsb,
    Ods,
}

/// Unpacks all parts of an archive once, to know how large they are, and tells which kind of spreadsheet it is.
pub(super) fn check_zip(file: &str, bytes: &Bytes) -> Result<Zipped, TableError> {
    let corrupt = |detail: String| TableError::CorruptSheet { file: file.to_string(), detail };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes.clone())).map_err(|e| corrupt(e.to_string()))?;
    let has = |name: &str| archive.index_for_name(name).is_some();
    let kind = if has("EncryptedPackage") {
        return Err(TableError::ProtectedSheet { file: file.to_string() });
    } else if has("xl/workbook.bin") {
        Zipped::Xlsb
    } else if has("xl/workbook.xml") {
        Zipped::Xlsx
    } else if has("content.xml") {
        Zipped::Ods
    } else {
        return Err(corrupt("it is an archive of other files".to_string()));
    };
    let mut total = 0;
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).map_err(|e| corrupt(e.to_string()))?;
        let name = part.name().map(|name| name.into_owned()).unwrap_or_default();
        if ["xl/media/", "Pictures/", "Thumbnails/", "xl/embeddings/"].iter().any(|dir| name.starts_with(dir))
        {
            continue;
        }
        let keep = kind == Zipped::Ods && name == "content.xml";
        let mut kept = Vec::new();
        loop {
            let step = part.by_ref().take(STEP);
            let read = if keep {
                { step }.read_to_end(&mut kept).map(|read| read as u64)
            } else {
                io::copy(&mut { step }, &mut io::sink())
            };
            let read = read.map_err(|error| corrupt(error.to_string()))?;
            if read == 0 {
                break;
            }
            total += read;
            let what = || format!("'{file}', which unpacks to more than {}", shown_size(total));
            check_memory(what, 2 * total)?;
        }
        if keep {
            if !is_whole(&kept) {
                return Err(corrupt("its content ends before all of its parts do".to_string()));
            }
            check_memory(|| format!("the cells of '{file}'"), bytes_of_ods(&kept))?;
        }
    }
    Ok(kind)
}

/// What the cells of an OpenDocument sheet take once those that repeat are repeated.
fn bytes_of_ods(xml: &[u8]) -> u64 {
    let (mut bytes, mut at) = (0u64, 0);
    let (mut stored, mut rows, mut pending, mut width) = (0u64, 0u64, 0u64, 0u64);
    let (mut repeat, mut current, mut used, mut text) = (1u64, 0u64, 0u64, 0u64);
    while let Some(start) = position(xml, at, b"<") {
        let Some(end) = position(xml, start, b">") else { break };
        let tag = &xml[start + 1..end];
        at = end + 1;
        let closed = tag.ends_with(b"/");
        if tag.starts_with(b"table:table-row") && !tag.starts_with(b"table:table-rows") {
            repeat = number(tag, b"number-rows-repeated=\"").min(MOST_ROWS);
            (current, used, text) = (0, 0, 0);
        } else if tag.starts_with(b"table:table-cell") || tag.starts_with(b"table:covered-table-cell") {
            let count = number(tag, b"number-columns-repeated=\"").min(MOST_COLUMNS);
            current += count;
            let is_there = |name: &[u8]| position(tag, 0, name).is_some();
            if !closed || is_there(b"office:value-type") || is_there(b"table:formula") {
                used = current.min(MOST_COLUMNS);
                let inside =
                    if closed { 0 } else { position(xml, at, b"</table:").map_or(0, |end| end - at) };
                text = text.saturating_add(count.saturating_mul((tag.len() + inside) as u64));
            }
        }
        let ends = tag == b"/table:table-row" || (tag.starts_with(b"table:table-row") && closed);
        if ends && used == 0 {
            pending = (pending + repeat).min(MOST_ROWS);
        } else if ends {
            stored = stored.saturating_add(used);
            rows = (rows + pending + repeat).min(MOST_ROWS);
            (pending, width) = (0, width.max(used));
            bytes = bytes.saturating_add(text.saturating_mul(repeat + 1));
        }
        if tag == b"/table:table" {
            let cells = stored.saturating_add(rows.saturating_mul(width));
            bytes = bytes.saturating_add(cells.saturating_mul(BYTES_PER_CELL / 2));
            (stored, rows, pending, width) = (0, 0, 0, 0);
        }
    }
    bytes
}

/// Whether every element that is opened is closed by its own name. The reader of OpenDocument looks for the end of a table forever.
fn is_whole(xml: &[u8]) -> bool {
    let (mut open, mut at) = (Vec::new(), 0);
    while let Some(start) = position(xml, at, b"<") {
        let inside = &xml[start + 1..];
        let passed = [(&b"!--"[..], &b"-->"[..]), (b"![CDATA[", b"]]>"), (b"?", b"?>")]
            .into_iter()
            .find(|(opens, _)| inside.starts_with(opens));
        if let Some((opens, closes)) = passed {
            let Some(end) = position(xml, start + 1 + opens.len(), closes) else { return false };
            at = end + closes.len();
            continue;
        }
        let Some(length) = tag_length(inside) else { return false };
        let tag = &inside[..length];
        at = start + length + 2;
        let name = |tag: &'_ [u8]| tag.split(u8::is_ascii_whitespace).next().unwrap_or_default().to_vec();
        match tag {
            [b'!', ..] | [.., b'/'] => {}
            [b'/', closed @ ..] if open.pop() != Some(name(closed)) => return false,
            [b'/', ..] => {}
            _ => open.push(name(tag)),
        }
    }
    open.is_empty()
}

/// How long a tag is: up to the first `>` outside of quotes.
fn tag_length(inside: &[u8]) -> Option<usize> {
    let mut quote = None;
    inside.iter().position(|&byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) if byte == open => {
            quote = None;
            false
        }
        _ => false,
    })
}

fn position(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    match what {
        [one] => rest.iter().position(|byte| byte == one).map(|at| from + at),
        _ => rest.windows(what.len()).position(|window| window == what).map(|at| from + at),
    }
}

/// The number behind a name, or 1.
fn number(tag: &[u8], name: &[u8]) -> u64 {
    let Some(at) = position(tag, 0, name) else { return 1 };
    let digits: String = tag[at + name.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .map(|&b| char::from(b))
        .collect();
    digits.parse().unwrap_or(u64::MAX)
}

/// Looks through the records of an `.xls` file for how far its cells lie apart, since the reader fills the space between.
pub(super) fn check_ole(file: &str, bytes: &Bytes) -> Result<(), TableError> {
    let corrupt = |detail: String| TableError::CorruptSheet { file: file.to_string(), detail };
    let protected = || TableError::ProtectedSheet { file: file.to_string() };
    let mut container =
        cfb::CompoundFile::open(Cursor::new(bytes.clone())).map_err(|e| corrupt(e.to_string()))?;
    if container.exists("/EncryptedPackage") {
        return Err(protected());
    }
    let stream = ["/Workbook", "/Book"].into_iter().find(|name| container.is_stream(name));
    let Some(stream) = stream else { return Err(corrupt("it holds no workbook".to_string())) };
    let mut records = Vec::new();
    let read = container.open_stream(stream).and_then(|mut stream| stream.read_to_end(&mut records));
    read.map_err(|error| corrupt(error.to_string()))?;
    match bytes_of_xls(&records) {
        None => Err(protected()),
        Some(bytes) => check_memory(|| format!("the cells of '{file}'"), bytes),
    }
}

/// What the cells of all sheets take, empty ones between them included; nothing where the file has a password.
fn bytes_of_xls(records: &[u8]) -> Option<u64> {
    let (mut bytes, mut starts) = bytes_of_part(records)?;
    // Each sheet begins where the list of sheets says.
    for start in std::mem::take(&mut starts) {
        let part = records.get(start..).unwrap_or_default();
        bytes = bytes.saturating_add(bytes_of_part(part)?.0);
    }
    Some(bytes)
}

/// What the cells of one sheet take, and where other sheets begin.
fn bytes_of_part(mut records: &[u8]) -> Option<(u64, Vec<usize>)> {
    const CELLS: [u16; 11] =
        [0x0006, 0x00bd, 0x00be, 0x00d6, 0x00fd, 0x0201, 0x0203, 0x0204, 0x0205, 0x0207, 0x027e];
    let (mut announced, mut area, mut starts): (u64, Option<[u64; 4]>, _) = (0, None, Vec::new());
    let mut depth = 0;
    let short = |a: u8, b: u8| u64::from(u16::from_le_bytes([a, b]));
    let long = |part: &[u8]| u64::from(u32::from_le_bytes([part[0], part[1], part[2], part[3]]));
    while let [a, b, c, d, rest @ ..] = records {
        let (kind, length) = (u16::from_le_bytes([*a, *b]), usize::from(u16::from_le_bytes([*c, *d])));
        let record = &rest[..length.min(rest.len())];
        match (kind, record) {
            (0x002f, _) => return None,
            (0x0809, _) => depth += 1,
            // The end of a chart in the sheet, or of the sheet.
            (0x000a, _) if depth > 1 => depth -= 1,
            (0x000a, _) => break,
            (0x0085, [..]) if length >= 4 && record.len() >= 4 => starts.push(long(record) as usize),
            // How large the sheet says that it is: so much is reserved for it, and the reader's difference wraps around.
            (0x0200, [..]) if record.len() >= 14 => {
                let rows = (long(&record[4..]) as u32).wrapping_sub(long(record) as u32);
                let cells = u64::from(rows).saturating_mul(short(record[10], record[11]));
                announced = announced.saturating_add(cells);
            }
            (0x0200, [a, b, c, d, _, _, e, f, ..]) => {
                let rows = (short(*c, *d) as u32).wrapping_sub(short(*a, *b) as u32);
                announced = announced.saturating_add(u64::from(rows) * short(*e, *f));
            }
            (kind, [a, b, c, d, ..]) if CELLS.contains(&kind) => {
                let (row, column) = (short(*a, *b), short(*c, *d));
                // A record of several cells ends with its last column.
                let last = match (kind, record) {
                    (0x00bd | 0x00be, [.., c, d]) => short(*c, *d),
                    _ => column,
                };
                let [top, left, bottom, right] = area.unwrap_or([row, column, row, column]);
                area = Some([top.min(row), left.min(column), bottom.max(row), right.max(column).max(last)]);
            }
            _ => {}
        }
        records = &rest[length.min(rest.len())..];
    }
    let [top, left, bottom, right] = area.unwrap_or([1, 1, 0, 0]);
    let cells = (bottom + 1).saturating_sub(top) * (right + 1).saturating_sub(left);
    Some((cells.saturating_add(announced).saturating_mul(BYTES_PER_CELL), starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_repeat_are_counted() {
        let row = |cells: &str| format!("<table:table>{cells}</table:table>");
        let small = row("<table:table-row><table:table-cell office:value-type=\"float\"/></table:table-row>");
        assert!(bytes_of_ods(small.as_bytes()) < 1000);
        // What every spreadsheet program writes at the end takes nothing.
        let margin = row("<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
             table:number-columns-repeated=\"16384\"/></table:table-row>");
        assert_eq!(bytes_of_ods(margin.as_bytes()), 0);
        let bomb = row(
            "<table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell office:value-type=\"float\" \
             table:number-columns-repeated=\"16384\"/></table:table-row>",
        );
        assert!(bytes_of_ods(bomb.as_bytes()) > 1 << 39);
    }

    #[test]
    fn what_is_opened_is_closed() {
        let whole = |xml: &str| is_whole(xml.as_bytes());
        assert!(whole(
            "<?xml version=\"1.0\"?><!DOCTYPE a><a b='>' c=\"/>\"><!-- <d> --><e/><![CDATA[<f>]]></a>\n"
        ));
        for cut in [
            "<a><b></b>",
            "<a><b></a></b>",
            "<a></b>",
            "<a",
            "<a><!-- </a>",
            "<a><![CDATA[</a>",
            "<a b=\"></a>",
            "</a>",
        ] {
            assert!(!whole(cut), "{cut}");
        }
    }

    #[test]
    fn two_cells_far_apart_are_counted() {
        let cell = |row: u16, column: u16| {
            let mut record = vec![0x03, 0x02, 14, 0];
            record.extend(row.to_le_bytes().into_iter().chain(column.to_le_bytes()).chain([0; 10]));
            record
        };
        let end = [0x0a, 0, 0, 0];
        let near = [cell(0, 0), cell(9, 9), end.to_vec()].concat();
        assert_eq!(bytes_of_xls(&near), Some(100 * BYTES_PER_CELL));
        // A sheet that says it has a row less than none.
        let wrapped =
            [vec![0, 2, 14, 0], vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0], end.to_vec()].concat();
        assert_eq!(bytes_of_xls(&wrapped), Some(u64::from(u32::MAX) * 6 * BYTES_PER_CELL));
        let far = [cell(0, 0), cell(65_535, 65_535), end.to_vec()].concat();
        assert_eq!(bytes_of_xls(&far), Some((1 << 32) * BYTES_PER_CELL));
        assert_eq!(bytes_of_xls(&[0x2f, 0, 0, 0]), None);
    }
}
