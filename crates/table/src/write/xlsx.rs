//! A table as a spreadsheet: an `.xlsx` file is a zip of small XML documents (ECMA-376, Office Open XML).
//!
//! Numbers are numbers and texts are texts, written into their cells. A text that is a number, and reads the same once a
//! spreadsheet shows it, is a number, too: `12.50` with two decimals, but neither `007` nor a card's 16 digits. A spreadsheet shows
//! numbers with the decimal sign of its user, and runs no text as a formula. The header stays in view, is bold and filters; columns are
//! as wide as what is in them; probabilities are percentages; a column to answer offers its answers; and it prints on pages as wide as
//! the table (`xlsx_parts.rs`).

use super::xlsx_parts::{
    Answers, HEADER, OF_PACKAGE, OF_WORKBOOK, PERCENT, TYPES, after_rows, before_rows, styles, workbook,
};
use super::{Cut, MOST_CHARACTERS, OutBatch, OutColumn};
use crate::NumberStyle;
use std::fmt::Write as _;
use std::io::{self, Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Rows of a sheet, its header among them.
const MOST_ROWS: usize = 1 << 20;

/// Columns of a sheet.
const MOST_COLUMNS: usize = 1 << 14;

/// Digits that a spreadsheet holds of a number.
const MOST_DIGITS: usize = 15;

/// Decimals that a cell can be told to show.
pub(super) const MOST_DECIMALS: usize = 9;

/// Writes batches as the one sheet of a workbook; texts that are numbers with this decimal sign become numbers, and `cut` says
/// which had no room. It is packed in memory, since a zip is completed at its start.
pub(super) fn sheet_of_batches(
    file: &mut dyn Write,
    decimal: NumberStyle,
    next: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
    cut: &mut Option<Cut>,
) -> io::Result<()> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let styles = styles();
    let documents = [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", OF_PACKAGE),
        ("xl/_rels/workbook.xml.rels", OF_WORKBOOK),
        ("xl/styles.xml", &styles),
    ];
    for (name, text) in documents {
        zip.start_file(name, options)?;
        zip.write_all(text.as_bytes())?;
    }
    zip.start_file("xl/worksheets/sheet1.xml", options)?;
    let (mut names, mut rows) = (Vec::new(), 0);
    let mut answers: Vec<Answers> = Vec::new();
    let mut text = String::new();
    let mut note = |is_cut: bool, row: usize, column: &str| {
        if is_cut {
            let first = || Cut { texts: 0, row, column: column.to_string() };
            cut.get_or_insert_with(first).texts += 1;
        }
    };
    while let Some(columns) = next()? {
        text.clear();
        if rows == 0 {
            names = column_letters(columns.len())?;
            rows = 1;
            text.push_str(&before_rows(&columns));
            text.push_str("<row r=\"1\">");
            for ((header, column), name) in columns.iter().zip(&names) {
                note(push_text(&mut text, name, 1, header, HEADER), 1, header);
                if let OutColumn::Choice { of, .. } = column {
                    answers.push(Answers { column: name.clone(), of });
                }
            }
            text.push_str("</row>");
        }
        for row in 0..columns.first().map_or(0, |(_, column)| column.len()) {
            rows += 1;
            if rows > MOST_ROWS {
                return Err(io::Error::other(format!(
                    "a spreadsheet has room for {} rows; write .csv or .parquet, or list the first rows only",
                    MOST_ROWS - 1
                )));
            }
            let _ = write!(text, "<row r=\"{rows}\">");
            for ((header, column), name) in columns.iter().zip(&names) {
                note(push_cell(&mut text, name, rows, column, row, decimal), rows, header);
            }
            text.push_str("</row>");
        }
        zip.write_all(text.as_bytes())?;
    }
    if names.is_empty() {
        zip.write_all(before_rows(&[]).as_bytes())?;
    }
    zip.write_all(after_rows(names.last(), rows, &answers).as_bytes())?;
    zip.start_file("xl/workbook.xml", options)?;
    zip.write_all(workbook(names.last(), rows).as_bytes())?;
    file.write_all(&zip.finish()?.into_inner())
}

/// `A`, `B`, …, `Z`, `AA`, …
fn column_letters(columns: usize) -> io::Result<Vec<String>> {
    if columns > MOST_COLUMNS {
        return Err(io::Error::other(format!(
            "a spreadsheet has room for {MOST_COLUMNS} columns, and the list has {columns}; write .csv or .parquet"
        )));
    }
    let letters = |mut at: usize| {
        let mut name = String::new();
        loop {
            name.insert(0, char::from(b'A' + (at % 26) as u8));
            match at / 26 {
                0 => return name,
                more => at = more - 1,
            }
        }
    };
    Ok((0..columns).map(letters).collect())
}

/// A text that is a number, with the number's style: it reads back and is shown to the letter.
fn number(cell: &str, decimal: NumberStyle) -> Option<(String, usize)> {
    let sign = if decimal == NumberStyle::Comma { ',' } else { '.' };
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let (whole, decimals) =
        digits.split_once(sign).map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let starts_well = whole == "0" || !whole.starts_with('0');
    if !are_digits(whole) || !starts_well || !decimals.is_none_or(are_digits) || cell == "-0" {
        return None;
    }
    let decimals = decimals.map_or(0, str::len);
    let number = cell.replace(sign, ".");
    if whole.len() + decimals <= MOST_DIGITS && decimals <= MOST_DECIMALS {
        return Some((number, decimals + 1));
    }
    // A number that a program computed: shown shorter, and held as it is.
    let same = decimals > 0 && number.parse::<f64>().is_ok_and(|value| format!("{value}") == number);
    same.then_some((number, 0))
}

/// Writes a cell, and tells whether it was cut.
fn push_cell(
    text: &mut String,
    name: &str,
    at: usize,
    column: &OutColumn,
    row: usize,
    decimal: NumberStyle,
) -> bool {
    let number = match column {
        OutColumn::Text(cells) => match number(&cells[row], decimal) {
            Some((number, style)) => {
                let _ = write!(text, "<c r=\"{name}{at}\" s=\"{style}\"><v>{number}</v></c>");
                return false;
            }
            None => return push_text(text, name, at, &cells[row], 0),
        },
        OutColumn::Choice { cells, .. } => return push_text(text, name, at, &cells[row], 0),
        OutColumn::Share(values) if values[row].is_finite() => {
            let _ = write!(text, "<c r=\"{name}{at}\" s=\"{PERCENT}\"><v>{:?}</v></c>", values[row]);
            return false;
        }
        OutColumn::U64(values) => values[row].to_string(),
        OutColumn::F64(values) if values[row].is_finite() => format!("{:?}", values[row]),
        OutColumn::F32(values) if values[row].is_finite() => format!("{:?}", values[row]),
        // A sheet has no number for infinity and for what is not a number.
        OutColumn::F64(values) => return push_text(text, name, at, &values[row].to_string(), 0),
        OutColumn::F32(values) | OutColumn::Share(values) => {
            return push_text(text, name, at, &values[row].to_string(), 0);
        }
    };
    let _ = write!(text, "<c r=\"{name}{at}\"><v>{number}</v></c>");
    false
}

/// Writes a cell of text in a style, one that is empty not at all, and tells whether it was cut.
fn push_text(text: &mut String, name: &str, at: usize, cell: &str, style: usize) -> bool {
    if cell.is_empty() {
        return false;
    }
    let style = if style == 0 { String::new() } else { format!(" s=\"{style}\"") };
    let _ = write!(text, "<c r=\"{name}{at}\"{style} t=\"inlineStr\"><is><t xml:space=\"preserve\">");
    let mut room = MOST_CHARACTERS;
    for (at, c) in cell.char_indices() {
        match room.checked_sub(c.len_utf16()) {
            Some(left) => room = left,
            None => {
                text.push_str("</t></is></c>");
                return true;
            }
        }
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\t' | '\n' => text.push(c),
            '\r' => text.push_str("&#13;"),
            // What XML cannot hold is written as its number, and so is the sign that would begin one.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => push_number(text, c),
            '_' if is_number(&cell.as_bytes()[at..]) => push_number(text, c),
            _ => text.push(c),
        }
    }
    text.push_str("</t></is></c>");
    false
}

/// `_x005F_` (ECMA-376, ST_Xstring).
fn push_number(text: &mut String, c: char) {
    let _ = write!(text, "_x{:04X}_", u32::from(c));
}

/// Whether a text begins with what would be read as the number of a character.
fn is_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"_x").and_then(|rest| rest.split_at_checked(4));
    digits.is_some_and(|(digits, rest)| digits.iter().all(u8::is_ascii_hexdigit) && rest.starts_with(b"_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_spreadsheets_name_them() {
        let names = column_letters(16_384).unwrap();
        let at = |at: usize| names[at].as_str();
        assert_eq!([at(0), at(25), at(26), at(51), at(52)], ["A", "Z", "AA", "AZ", "BA"]);
        assert_eq!([at(701), at(702), at(16_383)], ["ZZ", "AAA", "XFD"]);
        assert!(column_letters(16_385).unwrap_err().to_string().contains("room for 16384 columns"));
    }

    #[test]
    fn cells_hold_what_xml_can_hold() {
        let mut text = String::new();
        assert!(!push_text(&mut text, "B", 3, "a<b> & \u{1}=1 _x0041_ _x41_ _xyz", 0));
        let start = "<c r=\"B3\" t=\"inlineStr\"><is><t xml:space=\"preserve\">";
        let held = "a&lt;b&gt; &amp; _x0001_=1 _x005F_x0041_ _x41_ _xyz";
        assert_eq!(text, format!("{start}{held}</t></is></c>"));
        text.clear();
        push_cell(&mut text, "A", 2, &OutColumn::F32(vec![0.1]), 0, NumberStyle::Point);
        push_cell(&mut text, "B", 2, &OutColumn::U64(vec![7]), 0, NumberStyle::Point);
        assert_eq!(text, "<c r=\"A2\"><v>0.1</v></c><c r=\"B2\"><v>7</v></c>");
        text.clear();
        push_cell(&mut text, "A", 2, &OutColumn::F64(vec![f64::NAN]), 0, NumberStyle::Point);
        assert!(text.contains("inlineStr") && text.contains("NaN"), "{text}");
        text.clear();
        push_cell(&mut text, "A", 2, &OutColumn::Share(vec![0.25]), 0, NumberStyle::Point);
        assert_eq!(text, format!("<c r=\"A2\" s=\"{PERCENT}\"><v>0.25</v></c>"));
    }

    #[test]
    fn texts_that_are_numbers_to_the_letter_are_numbers() {
        let is = |cell: &str| number(cell, NumberStyle::Point);
        let as_number = |text: &str, style: usize| Some((text.to_string(), style));
        assert_eq!(is("12"), as_number("12", 1));
        assert_eq!(is("-12.50"), as_number("-12.50", 3));
        assert_eq!(is("0.5"), as_number("0.5", 2));
        assert_eq!(is("123456789012345"), as_number("123456789012345", 1));
        assert_eq!(is("0.30000000000000004"), as_number("0.30000000000000004", 0));
        // A spreadsheet would show these otherwise, or hold other digits.
        for text in [
            "007",
            "1234567890123456",
            "1.30000000000000000",
            "+1",
            "-0",
            "1e5",
            ".5",
            "1.",
            "1,5",
            "=1",
            " 1",
            "",
            "-",
        ] {
            assert_eq!(is(text), None, "{text}");
        }
        assert_eq!(number("-1234,50", NumberStyle::Comma), as_number("-1234.50", 3));
        // Thousands of a table with decimal commas.
        assert_eq!(number("1.234", NumberStyle::Comma), None);
    }

    #[test]
    fn more_rows_than_a_sheet_has_are_refused() {
        let mut left = 3;
        let rows = |count| vec![("x".to_string(), OutColumn::U64(vec![1; count]))];
        let mut next = || {
            left -= 1;
            Ok((left > 0).then(|| rows(1 << 19)))
        };
        let mut file = Vec::new();
        let error =
            sheet_of_batches(&mut file, NumberStyle::Point, &mut next, &mut None).unwrap_err().to_string();
        assert!(error.contains("room for 1048575 rows"), "{error}");
        assert!(file.is_empty());
    }
}
