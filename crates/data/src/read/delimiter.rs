//! What separates the cells of a text table, by its first lines.

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

/// The sign that parts the header in two or more and every row alike: a comma if it does, else the one that makes the most
/// columns. A comma where none does, so that the reader says what is wrong.
pub(super) fn found(source: &Source<'_>, encoding: Option<TextEncoding>) -> u8 {
    let mut head = Vec::new();
    // What cannot be read is for the reader of the whole to say.
    let Ok(pass) = Pass::open(source, USUAL, encoding) else { return USUAL };
    if pass.into_bytes().take(HEAD).read_to_end(&mut head).is_err() {
        return USUAL;
    }
    if head.len() as u64 == HEAD {
        let end = head.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        head.truncate(end);
    }
    if columns(&head, USUAL).is_some() {
        return USUAL;
    }
    let best = KNOWN.iter().filter_map(|&sign| Some((columns(&head, sign)?, sign)));
    best.rev().max_by_key(|(columns, _)| *columns).map_or(USUAL, |(_, sign)| sign)
}

/// The number of columns, if there are several and every row has as many cells.
fn columns(head: &[u8], sign: u8) -> Option<usize> {
    let mut reader = ReaderBuilder::new().delimiter(sign).has_headers(false).flexible(true).from_reader(head);
    let mut record = ByteRecord::new();
    let (mut wide, mut seen) = (0, 0);
    while seen <= ROWS && reader.read_byte_record(&mut record).ok()? {
        match seen {
            0 => wide = record.len(),
            _ if record.len() != wide => return None,
            _ => {}
        }
        seen += 1;
    }
    (wide > 1).then_some(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(found(&Source::memory(text.as_bytes()), None), sign, "{text:?}");
        }
    }

    #[test]
    fn a_long_table_is_cut_at_a_line() {
        let text = format!("a;b\n{}", "1,5;2\n".repeat(40_000));
        assert_eq!(found(&Source::memory(text.as_bytes()), None), b';');
    }
}
