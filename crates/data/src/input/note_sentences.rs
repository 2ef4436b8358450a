//! The sentences of notes.

use super::notes::{Note, OtherCells};
use crate::LabelStop;
use crate::features::{ColumnShift, Shift};
use crate::{agree, counted, grouped, part_of};
use onesided_table::shortened;
use onesided_table::{Exact, WhyLeftOut};
use std::fmt;

/// Names shown of a long list.
const SHOWN: usize = 8;

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::LeftOut { columns, why } => {
                let shown = listed(columns, |name| name.clone());
                let reason = match why {
                    WhyLeftOut::Constant => "the same value in every row",
                    WhyLeftOut::Empty => "empty in every row",
                    WhyLeftOut::Identifier => "too many different texts, as in an identifier",
                    WhyLeftOut::ShortText => "too many different texts, as in names and titles",
                    WhyLeftOut::FreeText => "free text",
                    WhyLeftOut::Index => "the first column has no name, so it is an index of the rows",
                    WhyLeftOut::RowOrder => {
                        "it rises or falls with the row number, so it tells where a row is and not what it is"
                    }
                    WhyLeftOut::TimeOrder => {
                        "its times rise or fall with the row number, so they tell when a row was written and not what it is"
                    }
                    WhyLeftOut::Key => "a different whole number in every row, as in an identifier",
                    WhyLeftOut::Type => {
                        "a type that is not learned from, such as lists of words or nested records"
                    }
                };
                match columns.len() {
                    1 => write!(f, "{shown} is left out: {reason}"),
                    several => write!(f, "{several} columns are left out ({shown}): {reason}"),
                }
            }
            Note::TimesInOrder(columns) => write!(
                f,
                "times rise or fall with the row number, so the date itself is not used; parts that recur (month, weekday, day, \
                 hour) and days between dates are, in {}",
                listed(columns, |name| name.clone())
            ),
            Note::LabelsStop(stop) => label_stop(f, stop),
            Note::NotUsed(columns) => write!(f, "not used: {}", listed(columns, |name| name.clone())),
            Note::Blank { rows: 1, first } => {
                write!(f, "row {} is empty in every column that is learned from", grouped(*first))
            }
            Note::Blank { rows, first } => write!(
                f,
                "{} are empty in every column that is learned from, the first of them row {}",
                counted(*rows, "rows"),
                grouped(*first)
            ),
            Note::Missing(cells) => write!(f, "missing cells in {}", listed(cells, with_count)),
            Note::Unseen(cells) => {
                write!(f, "new categories, treated as unknown, in {}", listed(cells, with_count))
            }
            Note::UnknownTexts(cells) => {
                write!(f, "texts without a term that training saw in {}", listed(cells, with_count))
            }
            Note::NoKnownTerm { texts, all } => {
                let (have, score) = (agree(*texts, "has", "have"), agree(*texts, "scores", "score"));
                let of = part_of(*texts, *all, "texts");
                write!(f, "{of} {have} no term that training saw, and {score} alike")
            }
            Note::Written { examples } => {
                let shown = |(column, cell, value): &(String, String, String)| {
                    format!("{column} ({cell} read as {value})")
                };
                write!(f, "numbers are not written plainly in {}", listed(examples, shown))
            }
            Note::DecimalCommas { columns, example: (cell, value) } => {
                let short = digits(*value, 6);
                // A cell of many digits says no more than its value does.
                let cell = if cell.chars().count() <= 16 { shortened(cell) } else { short.replace('.', ",") };
                match columns.as_slice() {
                    [one] => write!(f, "decimal commas in {one}: {cell} is {short}"),
                    [first, ..] => {
                        write!(f, "decimal commas in {} columns: {cell} in {first} is {short}", columns.len())
                    }
                    [] => f.write_str("decimal commas"),
                }
            }
            Note::NumberTexts { examples } => {
                let shown = |(column, cell, value): &(String, String, String)| {
                    if cell.is_empty() { column.clone() } else { format!("{column} ({cell} read as {value})") }
                };
                write!(f, "texts that are numbers are read as numbers in {}", listed(examples, shown))
            }
            Note::Others { columns, .. } => {
                let shown = |other: &OtherCells| match &other.first {
                    Some((cell, place)) => {
                        format!("{} ({}, first '{cell}' in {place})", other.column, grouped(other.cells))
                    }
                    None => format!("{} ({})", other.column, grouped(other.cells)),
                };
                write!(
                    f,
                    "cells that are unlike the rest of their column, taken as missing, in {}",
                    listed(columns, shown)
                )?;
                match OtherCells::are_one_row(columns) {
                    true => f.write_str("; all in one row: if it holds units or a second header, delete it"),
                    false => Ok(()),
                }
            }
            Note::OtherLabel { column, value } => {
                write!(f, "'{value}' and empty cells of column '{column}' are both unlabeled")
            }
            Note::Drawn { unlabeled, of } => {
                write!(
                    f,
                    "{} {} drawn and {} learned from; the shares of positives are those among all rows",
                    part_of(*unlabeled, *of, "unlabeled rows"),
                    agree(*unlabeled, "was", "were"),
                    agree(*unlabeled, "is", "are")
                )
            }
            Note::Labels { column, positive, unlabeled: Some(unlabeled) } => {
                write!(
                    f,
                    "column '{column}': '{positive}' is taken as positive and '{unlabeled}' as unlabeled"
                )
            }
            Note::Labels { column, positive, unlabeled: None } => {
                write!(f, "column '{column}': '{positive}' is taken as positive and empty cells as unlabeled")
            }
            Note::FoldedLabels { column, values } => {
                let shown = |(kept, others): &(String, Vec<String>)| {
                    format!("{} read as '{kept}'", listed(others, |other| format!("'{other}'")))
                };
                write!(f, "column '{column}': {}", listed(values, shown))
            }
            Note::File(remark) => remark.fmt(f),
            Note::OpenDates(columns) => {
                let shown = |(name, month): &(String, bool)| {
                    format!("{name} (read as {} first)", if *month { "month" } else { "day" })
                };
                write!(f, "no date tells whether day or month comes first in {}", listed(columns, shown))
            }
            Note::CalledIds(columns) => write!(
                f,
                "called like an identifier but learned from, since values repeat: {}",
                listed(columns, |name| name.clone())
            ),
            Note::TellsApart(columns) => {
                let shown =
                    |(name, area): &(String, u16)| format!("{name} (AUC {:.3})", f64::from(*area) / 1000.0);
                write!(
                    f,
                    "labeled and unlabeled rows are told apart almost perfectly by {} alone",
                    listed(columns, shown)
                )
            }
            Note::Shifted(ColumnShift { column, shift }) => shifted(f, column, shift),
            Note::Repeated { rows, all } => write!(
                f,
                "{} {} equal to an earlier one in all that is learned from; each counts as a separate row in shares \
                 and intervals, so drop those that are the same thing once more",
                part_of(*rows, *all, "rows"),
                agree(*rows, "is", "are")
            ),
            Note::Copies { unlabeled: 1 } => f.write_str(
                "1 unlabeled row is equal to a labeled one in all that is learned from; if it is the same thing once \
                 more, drop it or label it, too",
            ),
            Note::Copies { unlabeled } => write!(
                f,
                "{} unlabeled rows are equal to labeled ones in all that is learned from; if they are the same things \
                 once more, drop them or label them, too",
                grouped(*unlabeled)
            ),
            Note::Delimiter(sign) => {
                let name = match sign {
                    ';' => "a semicolon".to_string(),
                    '\t' => "a tab".to_string(),
                    other => format!("'{other}'"),
                };
                write!(f, "{name} separates the cells of the table, by its first lines")
            }
            Note::OtherEncoding { files, all, folder, encoding } => {
                let (are, were) = (agree(*files, "is", "are"), agree(*files, "was", "were"));
                let of = part_of(*files, *all, "files");
                write!(f, "{of} of '{folder}' {are} not UTF-8 and {were} read as {encoding}")
            }
            Note::Malformed { files, all, folder } => write!(
                f,
                "{} of '{folder}' {} bytes that their encoding does not have, read as U+FFFD",
                part_of(*files, *all, "files"),
                agree(*files, "holds", "hold")
            ),
            Note::Unreadable { files, all, first, why } => {
                write!(
                    f,
                    "{} cannot be read and {} left out, first '{first}' ({why})",
                    part_of(*files, *all, "pictures"),
                    agree(*files, "is", "are")
                )
            }
            Note::OtherPictures { files, first } => write!(
                f,
                "{} {} neither PNG nor JPEG and {} left out, first '{first}'; convert {} to PNG",
                counted(*files, "pictures"),
                agree(*files, "is", "are"),
                agree(*files, "is", "are"),
                agree(*files, "it", "them")
            ),
            Note::TextsAmongPictures { files, first } => write!(
                f,
                "{} among the pictures {} left out, first '{first}'",
                counted(*files, "texts"),
                agree(*files, "is", "are")
            ),
            Note::Resized { files, all, shape } => {
                write!(
                    f,
                    "{} {} brought to {} x {} pixels",
                    part_of(*files, *all, "pictures"),
                    agree(*files, "was", "were"),
                    shape.width,
                    shape.height
                )
            }
        }
    }
}

fn label_stop(f: &mut fmt::Formatter<'_>, stop: &LabelStop) -> fmt::Result {
    let (verb, side) = if stop.stops { ("stop", "after") } else { ("begin", "before") };
    write!(
        f,
        "labels {verb} at {} in column '{}': {} {side} it {} labeled, {} of {} others",
        stop.at,
        stop.column,
        part_of(stop.labeled, stop.rows, "rows"),
        agree(stop.labeled, "is", "are"),
        grouped(stop.other_labeled),
        grouped(stop.other_rows)
    )?;
    if stop.used {
        write!(f, "; the model learns when rows were labeled")
    } else {
        write!(f, "; the date itself is not used")
    }
}

fn shifted(f: &mut fmt::Formatter<'_>, column: &str, shift: &Shift) -> fmt::Result {
    let percent = |count: usize, of: usize| share(count as f64 / of.max(1) as f64);
    match shift {
        Shift::Range { outside, cells, training: [low, high], here: [lowest, highest] } => write!(
            f,
            "column '{column}': {} of {} are outside of what training saw ({} to {}; here {} to {}): is it in other units?",
            percent(*outside, *cells),
            counted(*cells, "numbers"),
            number(*low),
            number(*high),
            number(*lowest),
            number(*highest)
        ),
        Shift::Values { cells, training: [low, high], here: [lowest, highest], .. } => write!(
            f,
            "column '{column}': the {} {} unlike those of training (there mostly {} to {}; here {} to {}): is it in other units?",
            counted(*cells, "numbers"),
            agree(*cells, "is", "are"),
            number(*low),
            number(*high),
            number(*lowest),
            number(*highest)
        ),
        Shift::Factor { factor, cells, .. } => write!(
            f,
            "column '{column}': the {} other than 0 {} about {} times those of training: is it in other units?",
            counted(*cells, "numbers"),
            agree(*cells, "is", "are"),
            number(rounded(*factor))
        ),
        Shift::Missing { missing, rows, training } => write!(
            f,
            "column '{column}': {} of {} {} missing, {} in training",
            percent(*missing, *rows),
            counted(*rows, "cells"),
            agree(*missing, "is", "are"),
            share(*training)
        ),
        Shift::Levels { unseen, cells } => write!(
            f,
            "column '{column}': {} of {} {} new categories, treated as unknown",
            percent(*unseen, *cells),
            counted(*cells, "cells"),
            agree(*unseen, "holds", "hold")
        ),
        Shift::Renamed { from, to, training, here } => write!(
            f,
            "column '{column}': '{from}', {} of training, does not come, and '{to}', new, is in {} of the cells: was it renamed?",
            share(*training),
            share(*here)
        ),
        Shift::Dates { far, cells, training: [first, last], here: [earliest, latest] } => write!(
            f,
            "column '{column}': {} of {} are far from those of training ({} to {}; here {} to {})",
            percent(*far, *cells),
            counted(*cells, "dates"),
            date(*first),
            date(*last),
            date(*earliest),
            date(*latest)
        ),
    }
}

/// `2024-03-01`, or with the time of day where it is not midnight.
fn date(seconds: f64) -> String {
    Exact::of(seconds as i64, 1).written(false)
}

/// `97 %`; one digit more of small shares.
fn share(share: f64) -> String {
    match 100.0 * share {
        percent if percent == 0.0 || percent >= 9.5 => format!("{percent:.0} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// Two digits that count.
fn rounded(x: f64) -> f64 {
    let unit = 10f64.powf(x.abs().log10().floor() - 1.0);
    if unit > 0.0 { (x / unit).round() * unit } else { x }
}

/// A number with four digits that count.
fn number(x: f64) -> String {
    digits(x, 4)
}

/// A number with this many digits that count.
pub(super) fn digits(x: f64, most: i32) -> String {
    let size = x.abs();
    if x == x.trunc() && size < 1e9 {
        return format!("{x}");
    }
    match size {
        s if !(1e-4..1e9).contains(&s) => format!("{x:.3e}"),
        s => {
            let digits = (most - 1 - s.log10().floor() as i32).clamp(0, 8) as usize;
            let shown = format!("{x:.digits$}");
            if shown.contains('.') {
                shown.trim_end_matches('0').trim_end_matches('.').to_string()
            } else {
                shown
            }
        }
    }
}

fn with_count((name, count): &(String, usize)) -> String {
    format!("{name} ({})", grouped(*count))
}

fn listed<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = items.iter().take(SHOWN).map(show).collect();
    match items.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
