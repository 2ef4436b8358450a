//! Rows and columns of an `.xlsx` sheet that are hidden, by a filter or by hand.
//!
//! The reader of cells hands these over like others. Whoever looks at the sheet does not see them, so they are told.

use bytes::Bytes;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::ops::RangeInclusive;
use zip::ZipArchive;

/// What is hidden in a sheet, by numbers from 0.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    pub rows: HashSet<u32>,
    pub columns: Vec<RangeInclusive<u32>>,
}

impl Hidden {
    /// What is hidden in the sheet that a workbook names at this place; nothing where that cannot be told.
    pub(super) fn of_sheet(workbook: &Bytes, at: usize) -> Self {
        (|| {
            let mut archive = ZipArchive::new(Cursor::new(workbook.clone())).ok()?;
            let sheets = tags(archive.by_name("xl/workbook.xml").ok()?, "sheet");
            let id = attribute(sheets.get(at)?, "id")?.to_string();
            let parts = tags(archive.by_name("xl/_rels/workbook.xml.rels").ok()?, "Relationship");
            let part = parts.iter().find(|part| attribute(part, "Id") == Some(&id))?;
            let target = attribute(part, "Target")?;
            let path = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_string);
            Some(Self::in_xml(archive.by_name(&path).ok()?))
        })()
        .unwrap_or_default()
    }

    fn in_xml(xml: impl Read) -> Self {
        let (mut hidden, mut next) = (Self::default(), 0);
        each_tag(xml, |tag| {
            let number = |name| attribute(tag, name).and_then(|digits| digits.parse::<u32>().ok());
            let is_hidden = || matches!(attribute(tag, "hidden"), Some("1" | "true"));
            match local_name(tag) {
                "row" => {
                    // A row without a number follows the one before.
                    let row = number("r").map_or(next, |row| row.saturating_sub(1));
                    next = row.saturating_add(1);
                    if is_hidden() {
                        hidden.rows.insert(row);
                    }
                }
                "col" if is_hidden() => {
                    if let (Some(from), Some(to)) = (number("min"), number("max")) {
                        hidden.columns.push(from.saturating_sub(1)..=to.saturating_sub(1));
                    }
                }
                _ => {}
            }
        });
        hidden
    }
}

/// Hands over what is between `<` and `>`, tag by tag.
fn each_tag(xml: impl Read, mut take: impl FnMut(&str)) {
    let (mut xml, mut piece) = (BufReader::with_capacity(1 << 16, xml), Vec::new());
    while xml.read_until(b'>', &mut piece).is_ok_and(|read| read > 0) {
        let tag = piece.iter().rposition(|&byte| byte == b'<').map(|start| &piece[start + 1..]);
        if let Some(tag) = tag.and_then(|tag| std::str::from_utf8(tag).ok()) {
            take(tag.trim_end_matches('>'));
        }
        piece.clear();
    }
}

/// All tags of this name.
fn tags(xml: impl Read, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_tag(xml, |tag| {
        if local_name(tag) == name {
            found.push(tag.to_string());
        }
    });
    found
}

/// The name of a tag without that of its namespace.
fn local_name(tag: &str) -> &str {
    let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default()
}

/// The value of an attribute, whatever its namespace.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    loop {
        let (key, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = value[1..].split_once(quote)?;
        let key = key.trim_end().rsplit([' ', '\t', '\r', '\n', ':']).next().unwrap_or_default();
        if key == name {
            return Some(value);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_that_are_hidden() {
        let xml = r#"<worksheet><cols><col min="2" max="3" width="0" hidden="1"/><col min="5" max="5"/></cols>
            <sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="3" spans="1:2" hidden="1"><c/></row>
            <x:row hidden='true'/><row hidden="0"/></sheetData></worksheet>"#;
        let hidden = Hidden::in_xml(xml.as_bytes());
        assert_eq!(hidden.rows, HashSet::from([2, 3]));
        assert_eq!(hidden.columns, [1..=2]);
    }

    #[test]
    fn attributes_are_found_by_their_names_alone() {
        let tag = r#"sheet name="id=&quot;7" r:id = "rId2" state='hidden'/"#;
        assert_eq!([attribute(tag, "id"), attribute(tag, "state")], [Some("rId2"), Some("hidden")]);
        assert_eq!([attribute(tag, "hidden"), attribute("sheet", "id")], [None, None]);
    }
}
