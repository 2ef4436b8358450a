//! Texts of a Parquet file that are to be read as numbers or truth values, by the rules of text tables.

use super::cell::{Cell, look};
use super::guess::{Guess, Habit, Outcome, Remarks, Seen, as_flag, as_number};
use super::times::{Others, TimeReader};
use super::{DatesWritten, Dictionary, Numbers, Trouble};
use crate::Position;
use crate::frame::{CellsRead, TextColumn, Values};
use crate::number::NumberStyle;

/// The column as what is wanted, and what is to be told of it; categories where not one cell is that. Or what is wrong with
/// the cell of which row, counted from 1. The guess has seen all cells.
pub(super) fn as_kind(
    texts: &TextColumn,
    guess: Guess,
    habit: Habit,
    name: &str,
    refuse: bool,
) -> Result<(Values, Option<CellsRead>), (Trouble, u64, String)> {
    let lossy = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    let cells = || texts.iter().map(|text| (look(text.as_bytes()), text.trim_ascii().as_bytes()));
    if let Some(row) = cells().position(|(seen, _)| seen == Cell::Missing).filter(|_| refuse) {
        return Err((Trouble::Missing, row as u64 + 1, String::new()));
    }
    let (outcome, remarks) =
        guess.finish(habit).map_err(|(trouble, (cell, row))| (trouble, row, lossy(&cell)))?;
    let values = match outcome {
        Outcome::Done(values) => values,
        Outcome::Numbers(style) => {
            let mut numbers = Numbers::missing(0);
            cells().for_each(|(seen, text)| match as_number(seen, text, style) {
                Some(value) => numbers.push(value),
                None => numbers.push_missing(),
            });
            numbers.finish()
        }
        Outcome::Flags => Values::Boolean(cells().map(|(seen, _)| as_flag(seen)).collect()),
        Outcome::Text => {
            let mut dictionary = Dictionary::default();
            for (row, text) in texts.iter().enumerate() {
                dictionary
                    .push_cell(text.as_bytes())
                    .map_err(|trouble| (trouble, row as u64 + 1, text.to_string()))?;
            }
            dictionary.finish()
        }
    };
    refuse_others(refuse, &remarks).map_err(|(trouble, row, cell)| (trouble, row, lossy(&cell)))?;
    Ok((values, cells_read(remarks, name)))
}

/// Where missing cells are refused, so are words that stand for them and cells that are something else.
pub(super) fn refuse_others(refuse: bool, remarks: &Remarks) -> Result<(), (Trouble, u64, Vec<u8>)> {
    match (refuse, remarks.first_marker, &remarks.first_other) {
        (true, Some(row), _) => Err((Trouble::Missing, row, Vec::new())),
        (true, None, Some((cell, row))) if remarks.others > 0 => {
            Err((Trouble::NotANumber, *row, cell.clone()))
        }
        _ => Ok(()),
    }
}

/// How the cells of a column were read, where that should be told.
pub(super) fn cells_read(remarks: Remarks, name: &str) -> Option<CellsRead> {
    let lossy = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    let Remarks { style, sure, groups, example, others, first_other, .. } = remarks;
    (example.is_some() || others > 0).then(|| CellsRead {
        column: name.to_string(),
        style,
        sure,
        groups,
        example: example.map(|(cell, value)| (lossy(&cell), value)),
        others,
        first_other: first_other.filter(|_| others > 0).map(|(cell, row)| (lossy(&cell), Position::Row(row))),
        asked: true,
        kept_as_texts: false,
    })
}

/// The style in which texts are numbers, where nearly all are: at least 95 of 100 cells that are there, or all of them where
/// missing cells are refused; and whether they leave it open. Texts with a leading zero, such as `01234`, are codes, and whoever kept them as texts knew why.
pub(super) fn number_style<'t>(
    texts: impl Iterator<Item = (&'t [u8], usize)>,
    least: usize,
) -> Option<(NumberStyle, bool)> {
    let (mut cells, mut point, mut comma, mut open) = (0usize, 0usize, 0usize, false);
    for (text, count) in texts {
        let text = text.trim_ascii();
        let unsigned = text.strip_prefix(b"-").unwrap_or(text);
        if unsigned.len() > 1 && unsigned[0] == b'0' && unsigned.iter().all(u8::is_ascii_digit) {
            return None;
        }
        match look(text) {
            Cell::Missing => {}
            // Among numbers a word for nothing is missing, and is refused as such later.
            Cell::Marker if least < 100 => {}
            seen => {
                let of = |style| as_number(seen, text, style);
                let (with_point, with_comma) = (of(NumberStyle::Point), of(NumberStyle::Comma));
                cells += count;
                point += with_point.map_or(0, |_| count);
                comma += with_comma.map_or(0, |_| count);
                open |= with_point.is_some() && with_comma.is_some() && with_point != with_comma;
            }
        }
    }
    let (style, fits) = if comma > point { (NumberStyle::Comma, comma) } else { (NumberStyle::Point, point) };
    (fits > 0 && fits * 100 >= cells * least).then_some((style, open && point == comma))
}

/// What is to be told of a column of texts that are numbers.
pub(super) fn numbers_read(remarks: Remarks, name: &str) -> CellsRead {
    let (style, sure, groups) = (remarks.style, remarks.sure, remarks.groups);
    let plain = || CellsRead {
        column: name.to_string(),
        style,
        sure,
        groups,
        example: None,
        others: 0,
        first_other: None,
        asked: false,
        kept_as_texts: true,
    };
    cells_read(remarks, name).map_or_else(plain, |read| CellsRead {
        asked: false,
        kept_as_texts: true,
        ..read
    })
}

/// Texts as times in a style, or in the one that fits most; categories where not one cell is a date.
pub(super) fn as_times(
    texts: &TextColumn,
    dates: Option<DatesWritten>,
    name: &str,
    refuse: bool,
) -> Result<(Values, Option<CellsRead>), (Trouble, u64, String)> {
    let mut dictionary = Dictionary::default();
    for (row, text) in texts.iter().enumerate() {
        dictionary
            .push_cell(text.as_bytes())
            .map_err(|trouble| (trouble, row as u64 + 1, text.to_string()))?;
    }
    let found = match dates {
        None => {
            dictionary.times(1).map(|(times, count)| (Values::Times(times), Others { count, first: None }))
        }
        Some(dates) => {
            let mut reader = TimeReader::new(dates);
            for (row, text) in texts.iter().enumerate() {
                if reader.push(text.as_bytes(), row as u64 + 1) && refuse {
                    return Err((Trouble::Missing, row as u64 + 1, String::new()));
                }
            }
            let lossy = |(trouble, (cell, row)): (Trouble, Seen)| {
                (trouble, row, String::from_utf8_lossy(&cell).into_owned())
            };
            reader.finish().map_err(lossy)?
        }
    };
    match found {
        Some((values, others)) => Ok((values, others.cells_read(name, true).map(|(cells, _)| cells))),
        None => Ok((dictionary.finish(), None)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::guess::Wanted;
    use super::*;

    fn as_wanted(
        texts: &TextColumn,
        wanted: Wanted,
        refuse: bool,
    ) -> Result<(Values, Option<CellsRead>), (Trouble, u64, String)> {
        let mut guess = Guess::new(wanted);
        for (row, text) in texts.iter().enumerate() {
            guess.push(text.as_bytes(), row as u64 + 1);
        }
        as_kind(texts, guess, Habit::default(), "x", refuse)
    }

    #[test]
    fn texts_become_what_is_wanted() {
        let texts: TextColumn = ["3,5", "7", "x", ""].iter().collect();
        let (values, told) = as_wanted(&texts, Wanted::Numbers(None), false).unwrap();
        let Values::Numeric(numbers) = values else { panic!() };
        assert_eq!(numbers[..2], [3.5, 7.0]);
        assert!(numbers[2].is_nan() && numbers[3].is_nan());
        let told = told.unwrap();
        assert_eq!((told.others, told.first_other), (1, Some(("x".to_string(), Position::Row(3)))));
        let flags: TextColumn = ["true", "0"].iter().collect();
        let (values, told) = as_wanted(&flags, Wanted::Flags, false).unwrap();
        assert!(
            matches!(values, Values::Boolean(flags) if flags == [Some(true), Some(false)]) && told.is_none()
        );
        assert!(matches!(as_wanted(&texts, Wanted::Numbers(None), true), Err((Trouble::Missing, 4, _))));
        let words: TextColumn = ["red", "blue"].iter().collect();
        let (values, _) = as_wanted(&words, Wanted::Numbers(None), false).unwrap();
        assert!(matches!(values, Values::Categorical { .. }));
    }
}
