//! One cell of a text table: missing, a number, a truth value, or text.

use crate::number::{NumberStyle, written};

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Missing,
    /// A word that stands for "no value" among numbers and truth values, and for itself among words.
    Marker,
    /// A number within the range of `f32`, in full.
    Number(f64),
    /// A number of a file that has a type for numbers: the same whatever the decimal sign.
    Typed(f64),
    /// A number as people write it: what it is with a decimal point, and with a decimal comma.
    Written {
        point: Option<f64>,
        comma: Option<f64>,
    },
    Flag(bool),
    /// An infinity, written out.
    NotFinite,
    /// A number beyond the range of `f32`.
    TooLarge,
    Text,
}

/// Looks at a cell, blanks around it aside.
///
/// Numbers are rounded to `f64` here and, if at all, to `f32` later, which is what happens to an `f64` column in a Parquet
/// file: the same table gives the same bits in either format.
pub(super) fn look(cell: &[u8]) -> Cell {
    let cell = cell.trim_ascii();
    if let Some(value) = plain_decimal(cell) {
        return narrowed(value, cell);
    }
    if is_missing(cell) {
        return Cell::Missing;
    }
    if is_marker(cell) {
        return Cell::Marker;
    }
    if cell.eq_ignore_ascii_case(b"true") {
        return Cell::Flag(true);
    }
    if cell.eq_ignore_ascii_case(b"false") {
        return Cell::Flag(false);
    }
    let Ok(text) = std::str::from_utf8(cell) else { return Cell::Text };
    if let Ok(value) = text.parse::<f64>() {
        return narrowed(value, cell);
    }
    match (written(text, NumberStyle::Point), written(text, NumberStyle::Comma)) {
        (None, None) => Cell::Text,
        (point, comma) => Cell::Written { point, comma },
    }
}

/// Stands before a number that a file with types holds as a number, and before a text that begins with one of these two, where such a file
/// becomes a text table.
const NUMBER: u8 = 0x1f;
const TEXT: u8 = 0x1e;

/// What stands before a cell of a file with types.
pub(super) fn mark(cell: &str, is_number: bool) -> Option<u8> {
    match cell.as_bytes().first() {
        _ if is_number => Some(NUMBER),
        Some(&(NUMBER | TEXT)) => Some(TEXT),
        _ => None,
    }
}

/// A cell of a file with types without its mark, and whether it is a number.
pub(super) fn unmarked(cell: &[u8]) -> (&[u8], bool) {
    match cell {
        [NUMBER, rest @ ..] => (rest, true),
        [TEXT, rest @ ..] => (rest, false),
        _ => (cell, false),
    }
}

/// Looks at a cell that is a number or a text by the file's own word.
pub(super) fn look_typed(cell: &[u8], is_number: bool) -> Cell {
    match look(cell) {
        Cell::Number(value) if is_number => Cell::Typed(value),
        seen => seen,
    }
}

/// A number of a file that has a type for numbers as one would type it: `10`, whether that was 10, 10.0 or 1e1. Whole numbers keep
/// all their digits.
pub(super) fn typed_text(cell: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    let value = std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() && !digits.iter().all(u8::is_ascii_digit) => {
            value.to_string().into_bytes().into()
        }
        _ => cell.into(),
    }
}

/// Whether a cell is a number, with a point or a comma.
pub(super) fn is_plain_number(cell: &[u8]) -> bool {
    matches!(look(cell), Cell::Number(_) | Cell::Written { .. })
}

/// What a cell that [`look`] calls a number is with a decimal comma: `1.234` is another number there, `1.5` is none.
pub(super) fn with_comma(value: f64, cell: &[u8]) -> Option<f64> {
    let Some(point) = cell.iter().position(|&byte| byte == b'.') else { return Some(value) };
    let (whole, part) = (&cell[..point], &cell[point + 1..]);
    let whole = whole.strip_prefix(b"-").or(whole.strip_prefix(b"+")).unwrap_or(whole);
    // Between groups of digits, the first of which does not begin with 0.
    let grouped = part.len() == 3 && (1..=3).contains(&whole.len()) && whole[0] != b'0';
    (grouped && part.iter().all(u8::is_ascii_digit)).then(|| (value * 1000.0).round())
}

/// Whether a trimmed text stands for "no value".
pub fn is_missing_cell(cell: &str) -> bool {
    is_missing(cell.as_bytes())
}

/// Whether a trimmed cell stands for "no value".
pub(super) fn is_missing(cell: &[u8]) -> bool {
    matches!(cell, b"" | b"NA" | b"N/A" | b"null" | b"NULL" | b"None" | b"?" | b"\\N")
}

/// The longest marker.
const LONGEST_MARKER: usize = 14;

/// Whether a trimmed cell stands for "no value" where the rest of its column is numbers or truth values. Upper and lower
/// case do not matter.
fn is_marker(cell: &[u8]) -> bool {
    let mut lower = [0u8; LONGEST_MARKER];
    let Some(lower) = lower.get_mut(..cell.len()) else { return false };
    lower.copy_from_slice(cell);
    lower.make_ascii_lowercase();
    let dashes = matches!(&*lower, b"-" | b"--" | b"---" | b"\xe2\x80\x93" | b"\xe2\x80\x94" | b"." | b"..");
    let words: &[&[u8]] = &[
        b"na",
        b"n/a",
        b"n.a.",
        b"nan",
        b"-nan",
        b"null",
        b"(null)",
        b"none",
        b"nil",
        b"missing",
        b"unknown",
        b"<na>",
        b"not available",
        b"not applicable",
        b"not known",
        b"not stated",
    ];
    // German, French, Spanish, Portuguese and Italian.
    let of_languages: &[&[u8]] = &[
        b"k.a.",
        b"k. a.",
        b"keine angabe",
        b"unbekannt",
        b"fehlt",
        b"inconnu",
        b"n.c.",
        b"n.d.",
        b"n/d",
        b"s/d",
        b"s.d.",
        b"sin datos",
        b"sem dados",
        b"desconocido",
        b"desconhecido",
    ];
    let of_sheets: &[&[u8]] = &[
        b"#n/a",
        b"#n/a n/a",
        b"#na",
        b"#div/0!",
        b"#value!",
        b"#ref!",
        b"#num!",
        b"#name?",
        b"#null!",
        b"#error!",
        b"1.#ind",
        b"-1.#ind",
        b"1.#qnan",
        b"-1.#qnan",
        b"#nv",
        b"#wert!",
        b"#bezug!",
        b"#zahl!",
        b"#valeur!",
        b"#nombre!",
        b"#valor!",
        "#¡valor!".as_bytes(),
        "#¡div/0!".as_bytes(),
    ];
    dashes || [words, of_languages, of_sheets].iter().any(|markers| markers.contains(&&*lower))
}

fn narrowed(value: f64, cell: &[u8]) -> Cell {
    if (value as f32).is_finite() {
        Cell::Number(value)
    } else if cell.iter().any(u8::is_ascii_digit) {
        Cell::TooLarge
    } else {
        Cell::NotFinite
    }
}

/// 10^0 to 10^22, all exact in `f64`.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The fast path of Clinger (1990): digits below 2^53 divided by a power of ten that is exact round once, hence
/// correctly. Longer numbers and exponents are left to the standard library (`None`).
fn plain_decimal(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        match byte.wrapping_sub(b'0') {
            digit @ 0..=9 => mantissa = mantissa * 10 + u64::from(digit),
            _ if byte == b'.' && point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let after_point = point.map_or(0, |at| digits.len() - 1 - at);
    if mantissa > 1 << 53 || digits == b"." {
        return None;
    }
    let value = mantissa as f64 / TENS[after_point];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn kinds_of_cells() {
        for (text, expected) in [
            ("1", Cell::Number(1.0)),
            (" -2.50 ", Cell::Number(-2.5)),
            ("+3", Cell::Number(3.0)),
            (".5", Cell::Number(0.5)),
            ("5.", Cell::Number(5.0)),
            ("1e-3", Cell::Number(1e-3)),
            ("3.4028234e38", Cell::Number(3.402_823_4e38)),
            ("1e39", Cell::TooLarge),
            ("-1e999", Cell::TooLarge),
            ("NaN", Cell::Marker),
            ("nan", Cell::Marker),
            ("-inf", Cell::NotFinite),
            ("Infinity", Cell::NotFinite),
            ("TRUE", Cell::Flag(true)),
            ("false", Cell::Flag(false)),
            ("", Cell::Missing),
            ("  ", Cell::Missing),
            ("N/A", Cell::Missing),
            ("?", Cell::Missing),
            ("None", Cell::Missing),
            (".", Cell::Marker),
            (" - ", Cell::Marker),
            ("Unknown", Cell::Marker),
            ("none", Cell::Marker),
            ("#N/A", Cell::Marker),
            ("#N/A N/A", Cell::Marker),
            ("#DIV/0!", Cell::Marker),
            ("<NA>", Cell::Marker),
            ("Not available", Cell::Marker),
            ("1.2.3", Cell::Text),
            ("1,5", Cell::Written { point: None, comma: Some(1.5) }),
            ("1,500", Cell::Written { point: Some(1500.0), comma: Some(1.5) }),
            ("12%", Cell::Written { point: Some(0.12), comma: Some(0.12) }),
            ("0x10", Cell::Text),
        ] {
            assert_eq!(look(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(look(b"\xff\xfe"), Cell::Text);
    }

    #[test]
    fn numbers_of_files_with_types_stay_numbers_and_texts_stay_texts() {
        for (cell, is_number) in
            [("12.345", true), ("12.345", false), ("\u{1f}1", false), ("\u{1e}", false), ("", false)]
        {
            let mark = mark(cell, is_number);
            let marked: Vec<u8> = mark.into_iter().chain(cell.bytes()).collect();
            assert_eq!(unmarked(&marked), (cell.as_bytes(), is_number), "{cell:?}");
        }
        assert_eq!(look_typed(b"12.345", true), Cell::Typed(12.345));
        assert_eq!(look_typed(b"12.345", false), Cell::Number(12.345));
        assert_eq!(look_typed(b"1e300", true), Cell::TooLarge);
        let typed = |cell: &str| String::from_utf8(typed_text(cell.as_bytes()).into_owned()).unwrap();
        assert_eq!(["10.0", "1e1", "10", "-0.50"].map(typed), ["10", "10", "10", "-0.5"]);
        assert_eq!(typed("12345678901234567890123"), "12345678901234567890123");
        assert_eq!(typed("1E400"), "1E400");
    }

    #[test]
    fn plain_numbers_with_a_decimal_comma() {
        for (text, value) in
            [("7", Some(7.0)), ("-1.234", Some(-1234.0)), ("12.345", Some(12345.0)), ("1e3", Some(1e3))]
        {
            let Cell::Number(plain) = look(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(with_comma(plain, text.as_bytes()), value, "{text}");
            assert_eq!(written(text, NumberStyle::Comma), value, "{text}");
        }
        for text in ["1.5", "0.123", "1234.567", ".123", "1.2e3", "-.5", "5."] {
            let Cell::Number(plain) = look(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(with_comma(plain, text.as_bytes()), None, "{text}");
            assert_eq!(written(text, NumberStyle::Comma), None, "{text}");
        }
    }

    #[test]
    fn the_fast_path_agrees_with_the_standard_library() {
        let mut stream = Stream::new(0, "decimals");
        let mut taken = 0;
        for _ in 0..200_000 {
            let digits = stream.below(17);
            let whole = stream.next_u64() % 10u64.pow(stream.below(9) as u32 + 1);
            let sign = if stream.below(2) == 0 { "" } else { "-" };
            let text = format!("{sign}{whole}.{:0digits$}", stream.next_u64() % 10u64.pow(digits as u32));
            if let Some(fast) = plain_decimal(text.as_bytes()) {
                taken += 1;
                assert_eq!(fast.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
            }
        }
        assert!(taken > 50_000, "only {taken} numbers took the fast path");
    }
}
