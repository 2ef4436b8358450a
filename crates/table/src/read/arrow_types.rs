//! What types of Arrow mean here.

use arrow_schema::DataType;
use std::fmt::Display;

/// The type of cells that are held as codes, and one name for the three ways to hold texts.
pub(super) fn plain_type(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::LargeUtf8 | DataType::Utf8View => &DataType::Utf8,
        other => other,
    }
}

/// Whether each cell can be written as one word or number.
pub(super) fn can_be_text(kind: &DataType) -> bool {
    let kind = plain_type(kind);
    let simple =
        matches!(kind, DataType::Utf8 | DataType::Boolean | DataType::Null | DataType::Decimal128(..));
    simple || kind.is_integer() || kind.is_floating()
}

/// Whether cells are dates, or dates with times.
pub(super) fn is_time(kind: &DataType) -> bool {
    matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// Whether a column can be learned from: words, numbers, dates, or lists of numbers.
pub(super) fn is_feature(kind: &DataType) -> bool {
    match kind {
        // Parquet has one type of list, whatever the writer called it.
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            item.data_type().is_floating()
        }
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => true,
        kind => can_be_text(kind) || is_time(plain_type(kind)),
    }
}

/// An unsupported type in the user's words.
pub(super) fn described(kind: &DataType) -> String {
    match kind {
        DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_) => "dates or times".to_string(),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => "lists".to_string(),
        DataType::Struct(_) | DataType::Map(..) => "nested records".to_string(),
        DataType::Binary | DataType::FixedSizeBinary(_) => "bytes that are not marked as text".to_string(),
        other => format!("values of type {other}"),
    }
}

/// A decimal number to the last digit.
#[derive(Clone, Copy)]
pub(super) struct Decimal {
    pub value: i128,
    pub scale: i8,
}

impl Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ok(places @ 1..) = usize::try_from(self.scale) else {
            let zeros = usize::from(self.scale.unsigned_abs());
            let zeros = if self.value == 0 || self.scale >= 0 { 0 } else { zeros };
            return write!(f, "{}{}", self.value, "0".repeat(zeros));
        };
        let digits = format!("{:0>width$}", self.value.unsigned_abs(), width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        write!(f, "{}{whole}.{part}", if self.value < 0 { "-" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_digit_by_digit() {
        for (value, scale, text) in [
            (120, 2, "1.20"),
            (-5, 2, "-0.05"),
            (5, 3, "0.005"),
            (0, 2, "0.00"),
            (0, 0, "0"),
            (-7, 0, "-7"),
            (12, -3, "12000"),
            (-12, -1, "-120"),
            (0, -3, "0"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ] {
            assert_eq!(Decimal { value, scale }.to_string(), text);
        }
    }
}
