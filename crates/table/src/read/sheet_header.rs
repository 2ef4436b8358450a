//! Where the header of a sheet is, among the first of its rows.
//!
//! Above it may be titles and notes: rows with one thing in them, or with few where the table has many columns. A header of
//! two rows, the upper with names of groups over merged cells, is joined.

use super::workbook::SheetCell;

/// How many rows are looked at.
pub(super) const LOOKED_AT: usize = 40;

/// A row of a sheet, column by column.
pub(super) type Row = Vec<SheetCell>;

/// The header of a sheet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SheetHeader {
    /// The names of the columns.
    pub names: Vec<String>,
    /// How many rows are above the data, the header included.
    pub rows: usize,
    /// How many rows with something in them are above the header.
    pub titles: usize,
    /// A name that was joined of two rows.
    pub joined: Option<String>,
}

/// Finds the header among the first rows, of which merged cells all have the value. `across` are the rows in which cells are
/// merged from side to side.
pub(super) fn found(rows: &[Row], across: &[usize]) -> Option<SheetHeader> {
    let width = |row: &Row| row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |at| at + 1);
    let wide = most_common(rows.iter().map(filled).filter(|&filled| filled > 0))?;
    let is_title = |row: &Row| {
        different(row) <= 1 && wide > 1 || (wide >= 4 && 2 * different(row) <= wide && !is_group(row))
    };
    let at = (0..rows.len()).find(|&at| !rows[at].is_empty() && !is_title(&rows[at]))?;
    let titles = rows[..at].iter().filter(|row| filled(row) > 0).count();
    let below = rows.get(at + 1);
    let grouped = across.contains(&at) || is_group(&rows[at]);
    let two = grouped && below.is_some_and(|below| is_words(below) && rows.get(at + 2).is_some());
    let columns = rows.iter().skip(at).map(width).max().unwrap_or(0);
    let name = |row: usize, column: usize| rows[row].get(column).map_or("", |cell| cell.text.as_str());
    if !two {
        let names = (0..columns).map(|column| name(at, column).to_string()).collect();
        return Some(SheetHeader { names, rows: at + 1, titles, joined: None });
    }
    let mut joined = None;
    let names = (0..columns).map(|column| {
        let (upper, lower) = (name(at, column), name(at + 1, column));
        match (upper.is_empty(), lower.is_empty() || upper == lower) {
            (_, true) => upper.to_string(),
            (true, false) => lower.to_string(),
            (false, false) => {
                let both = format!("{upper} {lower}");
                joined.get_or_insert_with(|| both.clone());
                both
            }
        }
    });
    let names = names.collect();
    Some(SheetHeader { names, rows: at + 2, titles, joined: joined.or(Some(String::new())) })
}

fn filled(row: &Row) -> usize {
    row.iter().filter(|cell| !cell.text.is_empty()).count()
}

/// How many different texts a row has; merged cells count as one.
fn different(row: &Row) -> usize {
    let mut cells: Vec<&String> = row.iter().map(|cell| &cell.text).filter(|text| !text.is_empty()).collect();
    cells.dedup();
    cells.len()
}

/// Whether a row names groups of columns: at least two names, one of which is over several columns.
fn is_group(row: &Row) -> bool {
    let same = row.windows(2).any(|pair| !pair[0].text.is_empty() && pair[0].text == pair[1].text);
    same && different(row) > 1 && is_words(row)
}

/// Whether a row has words, or years, and no other numbers.
fn is_words(row: &Row) -> bool {
    let is_year =
        |cell: &str| cell.len() == 4 && cell.parse::<u32>().is_ok_and(|n| (1900..2100).contains(&n));
    let mut cells = row.iter().map(|cell| &cell.text).filter(|text| !text.is_empty()).peekable();
    cells.peek().is_some() && cells.all(|cell| cell.parse::<f64>().is_err() || is_year(cell))
}

fn most_common(numbers: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_insert(0usize) += 1);
    counts.into_iter().max_by_key(|&(number, count)| (count, number)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        let cell = |cell: &str| SheetCell { text: cell.trim().to_string(), is_number: false };
        text.lines().map(|line| line.split(',').map(cell).collect()).collect()
    }

    #[test]
    fn titles_are_above_the_header() {
        let plain = found(&rows("a,b\n1,2\n3,4"), &[]).unwrap();
        assert_eq!((plain.names, plain.rows, plain.titles), (vec!["a".to_string(), "b".to_string()], 1, 0));
        let titled = found(&rows("Report\n\nmade,by me\nid,age,sex,y\n1,2,m,0\n3,4,f,1"), &[]).unwrap();
        assert_eq!((titled.names[0].as_str(), titled.rows, titled.titles), ("id", 4, 2));
        // A title over merged cells is one thing.
        let merged = found(&rows("Report,Report,Report\nid,age,sex\n1,2,m\n3,4,f"), &[0]).unwrap();
        assert_eq!((merged.names[0].as_str(), merged.rows, merged.titles), ("id", 2, 1));
        assert_eq!(found(&[], &[]), None);
    }

    #[test]
    fn two_header_rows_are_joined() {
        let header =
            found(&rows("id,income,income,city\nid,2023,2024,\n1,5,6,Rome\n2,7,8,Oslo"), &[0]).unwrap();
        assert_eq!(header.names, ["id", "income 2023", "income 2024", "city"]);
        assert_eq!((header.rows, header.joined.as_deref()), (2, Some("income 2023")));
    }
}
