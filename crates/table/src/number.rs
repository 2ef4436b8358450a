//! Numbers as people write them: `$12`, `12 %`, `1,234.5`, `1_000`, `(12)`, and with a decimal comma `1.234,5`.

use crate::TableError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the numbers of a column are written. In either style they may have the sign of a currency, a percent sign, and
/// digits in groups of three; `(12)` is -12, and `12%` is 0.12, as in a spreadsheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberStyle {
    /// With a decimal point: `1234.5`, or `1,234.5`.
    #[default]
    Point,
    /// With a decimal comma: `1234,5`, or `1.234,5`.
    Comma,
}

impl NumberStyle {
    /// Whether the decimal sign is a point.
    pub fn is_point(&self) -> bool {
        *self == NumberStyle::Point
    }

    /// The decimal sign.
    pub fn sign(self) -> &'static str {
        match self {
            NumberStyle::Point => ".",
            NumberStyle::Comma => ",",
        }
    }

    /// The one that this is not.
    pub fn other(self) -> Self {
        match self {
            NumberStyle::Point => NumberStyle::Comma,
            NumberStyle::Comma => NumberStyle::Point,
        }
    }

    /// The decimal sign, and the one between groups of digits.
    fn signs(self) -> (char, char) {
        match self {
            NumberStyle::Point => ('.', ','),
            NumberStyle::Comma => (',', '.'),
        }
    }
}

impl fmt::Display for NumberStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberStyle::Point => "a decimal point",
            NumberStyle::Comma => "a decimal comma",
        })
    }
}

impl std::str::FromStr for NumberStyle {
    type Err = TableError;

    fn from_str(sign: &str) -> Result<Self, TableError> {
        match sign {
            "." => Ok(NumberStyle::Point),
            "," => Ok(NumberStyle::Comma),
            other => {
                let (what, found) = ("decimal sign", other.to_string());
                Err(TableError::UnknownWord { what, found, known: &["a point", "a comma"] })
            }
        }
    }
}

const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '¢'];

/// Longer texts are not numbers.
const LONGEST: usize = 64;

/// The number that a cell stands for in a style, if it stands for one that a 32-bit float can hold.
pub(super) fn written(cell: &str, style: NumberStyle) -> Option<f64> {
    if cell.len() > LONGEST || !cell.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let cell = cell.trim();
    let (mut negative, mut rest) = match cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) if !inside.contains(['-', '+', '−']) => (true, inside.trim()),
        Some(_) => return None,
        None => (false, cell),
    };
    // The sign may be before the currency or after it: -$5, $-5.
    if !negative {
        (negative, rest) = without_sign(rest);
    }
    if let Some(after) = rest.strip_prefix(CURRENCIES) {
        let after = after.trim_start();
        let (minus, unsigned) = without_sign(after);
        if unsigned.len() < after.len() && (negative || rest.len() < cell.len()) {
            return None;
        }
        (negative, rest) = (negative || minus, unsigned);
    } else if let Some(before) = rest.strip_suffix(CURRENCIES) {
        rest = before.trim_end();
    }
    // As spreadsheets hold it: 12 % is the number 0.12.
    let percent = rest.strip_suffix('%');
    rest = percent.map_or(rest, str::trim_end);
    let value = digits(rest, style)?.parse::<f64>().ok().filter(|value| (*value as f32).is_finite())?;
    let value = if percent.is_some() { value / 100.0 } else { value };
    Some(if negative { -value } else { value })
}

fn without_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits as the standard library reads them, without the signs between groups.
fn digits(text: &str, style: NumberStyle) -> Option<String> {
    let (decimal, between) = style.signs();
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let (whole, part) = match mantissa.split_once(decimal) {
        Some((whole, part)) => (whole, Some(part)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let part = part.unwrap_or("");
    let mut plain = ungrouped(whole, between)?;
    if !all_digits(part) || plain.is_empty() && part.is_empty() {
        return None;
    }
    plain.push('.');
    plain.push_str(part);
    plain.push_str(exponent);
    Some(plain)
}

/// `1,234,567` without its commas; groups after the first have three digits, and one sign is between all of them.
fn ungrouped(whole: &str, between: char) -> Option<String> {
    let is_sign = |c: char| c == between || matches!(c, '_' | '\'' | '\u{a0}' | '\u{202f}');
    let Some(sign) = whole.chars().find(|&c| is_sign(c)) else {
        return whole.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole.to_string());
    };
    let mut groups = whole.split(sign);
    let first = groups.next()?;
    let sound = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()));
    sound.then(|| whole.replace(sign, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_decimal_point() {
        for (text, value) in [
            ("$12", 12.0),
            ("€12", 12.0),
            ("12 €", 12.0),
            ("-$5.50", -5.5),
            ("$-5", -5.0),
            ("$ 1,234.5", 1234.5),
            ("12%", 0.12),
            ("12 %", 0.12),
            ("-0.5%", -0.005),
            ("1,234.5", 1234.5),
            ("1,234,567", 1_234_567.0),
            ("1_000", 1000.0),
            ("1'000", 1000.0),
            ("1\u{a0}000", 1000.0),
            (" 12 ", 12.0),
            ("(12)", -12.0),
            ("($1,200.50)", -1200.5),
            ("+3", 3.0),
            ("−4", -4.0),
            ("1.5e3", 1500.0),
            (".5", 0.5),
        ] {
            assert_eq!(written(text, NumberStyle::Point), Some(value), "{text:?}");
        }
    }

    #[test]
    fn numbers_with_a_decimal_comma() {
        for (text, value) in [
            ("3,5", 3.5),
            ("1.234,5", 1234.5),
            ("1.234", 1234.0),
            ("12", 12.0),
            ("-3,5 %", -0.035),
            ("(0,5)", -0.5),
        ] {
            assert_eq!(written(text, NumberStyle::Comma), Some(value), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "",
            "-",
            "$",
            "%",
            "()",
            "(-3)",
            "3,5",
            "12,34",
            "0,123",
            "1,23,456",
            "1_0",
            "1,000_000",
            "12a",
            "a12",
            "1.2.3",
            "2020-01-01",
            "12:30",
            "1 2",
            "--3",
            "-$-5",
            "1e",
            "1e400",
            "0x10",
            "inf",
            "12%%",
            "٣",
        ] {
            assert_eq!(written(text, NumberStyle::Point), None, "{text:?}");
        }
        for text in ["1.5", "3,5,6", "1,234.5", "12.34"] {
            assert_eq!(written(text, NumberStyle::Comma), None, "{text:?}");
        }
        assert_eq!(written(&"1".repeat(100), NumberStyle::Point), None);
    }
}
