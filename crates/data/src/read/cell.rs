//! One cell of a text table: missing, a number, a truth value, or text.

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Missing,
    /// A number within the range of `f32`, in full.
    Number(f64),
    Flag(bool),
    /// NaN or an infinity, written out.
    NotFinite,
    /// A number beyond the range of `f32`.
    TooLarge,
    Text,
}

/// Looks at a cell, blanks around it aside.
///
/// Numbers are rounded to `f64` here and, if at all, to `f32` later, which is what becomes of an `f64` column in a Parquet
/// file: the same table gives the same bits in either format.
pub(super) fn look(cell: &[u8]) -> Cell {
    let cell = cell.trim_ascii();
    if let Some(value) = plain_decimal(cell) {
        return narrowed(value, cell);
    }
    if is_missing(cell) {
        return Cell::Missing;
    }
    if cell.eq_ignore_ascii_case(b"true") {
        return Cell::Flag(true);
    }
    if cell.eq_ignore_ascii_case(b"false") {
        return Cell::Flag(false);
    }
    match std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(value) => narrowed(value, cell),
        None => Cell::Text,
    }
}

/// Whether a trimmed cell stands for "no value".
pub(super) fn is_missing(cell: &[u8]) -> bool {
    matches!(cell, b"" | b"NA" | b"N/A" | b"null" | b"NULL" | b"None" | b"?")
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
            ("NaN", Cell::NotFinite),
            ("-inf", Cell::NotFinite),
            ("Infinity", Cell::NotFinite),
            ("TRUE", Cell::Flag(true)),
            ("false", Cell::Flag(false)),
            ("", Cell::Missing),
            ("  ", Cell::Missing),
            ("N/A", Cell::Missing),
            ("?", Cell::Missing),
            ("None", Cell::Missing),
            (".", Cell::Text),
            ("-", Cell::Text),
            ("1.2.3", Cell::Text),
            ("1,5", Cell::Text),
            ("0x10", Cell::Text),
        ] {
            assert_eq!(look(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(look(b"\xff\xfe"), Cell::Text);
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
