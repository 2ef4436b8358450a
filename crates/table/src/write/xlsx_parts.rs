//! The documents around the rows of a sheet: what is bold, how wide columns are, what a cell may be answered with, and how it prints.

use super::xlsx::MOST_DECIMALS;
use super::{OutBatch, OutColumn};
use std::fmt::Write as _;

/// The name of the sheet.
const SHEET: &str = "list";
/// Cells that are looked at for the width of their column, and widths in letters: the least, the most, and what a border takes.
const LOOKED_AT: usize = 1_000;
const WIDTHS: (usize, usize) = (6, 40);
const BORDER: usize = 2;
/// Formats of their own begin here.
const OWN: usize = 164;
/// The built-in format `0.00%`.
const PERCENT_FORMAT: usize = 10;

/// The style of percentages, and of headers: behind the one that a spreadsheet likes, and those of so many decimals.
pub(super) const PERCENT: usize = MOST_DECIMALS + 2;
pub(super) const HEADER: usize = MOST_DECIMALS + 3;

pub(super) const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;

pub(super) const OF_PACKAGE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

pub(super) const OF_WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;

/// A column to answer.
pub(super) struct Answers {
    /// Its letters.
    pub column: String,
    /// What may be answered.
    pub of: &'static [&'static str],
}

/// The workbook: its sheet, which rows filter, and that the header stands on every page.
pub(super) fn workbook(last: Option<&String>, rows: usize) -> String {
    let names = last.map_or_else(String::new, |last| {
        format!(
            "<definedNames><definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"0\" hidden=\"1\">{SHEET}!$A$1:${last}${rows}</definedName>\
             <definedName name=\"_xlnm.Print_Titles\" localSheetId=\"0\">{SHEET}!$1:$1</definedName></definedNames>"
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<workbook \
         xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"{SHEET}\" sheetId=\"1\" \
         r:id=\"rId1\"/></sheets>{names}</workbook>"
    )
}

/// What comes before the rows: pages as wide as the table, the header that stays, and how wide columns are.
pub(super) fn before_rows(columns: &[OutBatch]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<worksheet \
         xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr><sheetViews><sheetView \
         workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>",
    );
    if !columns.is_empty() {
        text.push_str("<cols>");
        for (at, (header, column)) in columns.iter().enumerate() {
            let (column_number, width) = (at + 1, width(header, column));
            let _ = write!(
                text,
                "<col min=\"{column_number}\" max=\"{column_number}\" width=\"{width}\" customWidth=\"1\"/>"
            );
        }
        text.push_str("</cols>");
    }
    text.push_str("<sheetData>");
    text
}

/// Letters of the widest cell of a column, its header among them; a header has room for the sign of its filter.
fn width(header: &str, column: &OutColumn) -> usize {
    let letters = |text: &str| text.lines().next().map_or(0, |line| line.chars().count());
    let widest = |cells: &[String]| cells.iter().take(LOOKED_AT).map(|cell| letters(cell)).max().unwrap_or(0);
    let of_cells = match column {
        OutColumn::Text(cells) => widest(cells),
        OutColumn::Choice { of, .. } => of.iter().map(|word| letters(word)).max().unwrap_or(0),
        OutColumn::U64(values) => {
            values.iter().take(LOOKED_AT).map(|value| value.to_string().len()).max().unwrap_or(0)
        }
        OutColumn::Share(_) => "100.00%".len(),
        OutColumn::F32(_) | OutColumn::F64(_) => 10,
    };
    (of_cells.max(letters(header) + BORDER) + BORDER).clamp(WIDTHS.0, WIDTHS.1)
}

/// What comes after the rows: the filter, the answers that a cell offers, and pages that lie on their side.
pub(super) fn after_rows(last: Option<&String>, rows: usize, answers: &[Answers]) -> String {
    let mut text = String::from("</sheetData>");
    if let Some(last) = last {
        let _ = write!(text, "<autoFilter ref=\"A1:{last}{rows}\"/>");
    }
    if !answers.is_empty() && rows > 1 {
        let _ = write!(text, "<dataValidations count=\"{}\">", answers.len());
        for Answers { column, of } in answers {
            let _ = write!(
                text,
                "<dataValidation type=\"list\" allowBlank=\"1\" showErrorMessage=\"1\" \
                 sqref=\"{column}2:{column}{rows}\"><formula1>\"{}\"</formula1></dataValidation>",
                of.join(",")
            );
        }
        text.push_str("</dataValidations>");
    }
    text.push_str(
        "<pageMargins left=\"0.4\" right=\"0.4\" top=\"0.5\" bottom=\"0.5\" header=\"0.3\" footer=\"0.3\"/><pageSetup orientation=\"landscape\" \
         fitToWidth=\"1\" fitToHeight=\"0\"/></worksheet>",
    );
    text
}

/// The formats of cells: as the spreadsheet likes, then with no decimals, with one, with two, …, percentages, and bold for headers.
pub(super) fn styles() -> String {
    let formats: String = (1..=MOST_DECIMALS)
        .map(|decimals| {
            format!(r#"<numFmt numFmtId="{}" formatCode="0.{}"/>"#, OWN + decimals, "0".repeat(decimals))
        })
        .collect();
    let of = |id: usize| {
        format!(r#"<xf numFmtId="{id}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>"#)
    };
    let all = [0, 1].into_iter().chain((1..=MOST_DECIMALS).map(|at| OWN + at)).chain([PERCENT_FORMAT]);
    let cells: String = all.map(of).collect();
    let bold = r#"<xf numFmtId="0" fontId="1" fillId="0" borderId="0" applyFont="1"/>"#;
    let count = HEADER + 1;
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="{MOST_DECIMALS}">{formats}</numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="{count}">{cells}{bold}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_within_bounds() {
        let texts = |cell: &str| OutColumn::Text(vec![cell.to_string()]);
        assert_eq!(width("id", &texts("c204")), WIDTHS.0);
        assert_eq!(width("id", &texts("a longer cell\nof two lines")), 15);
        assert_eq!(width("id", &texts(&"x".repeat(900))), 40);
        assert_eq!(width("probability", &OutColumn::Share(vec![0.5])), 15);
    }

    #[test]
    fn styles_are_as_many_as_they_say() {
        let text = styles();
        let (_, cells) = text.split_once("<cellXfs").unwrap();
        assert_eq!(cells.matches("<xf ").count(), HEADER + 1);
        assert!(cells.contains(&format!("count=\"{}\"", HEADER + 1)));
        let nth = |at: usize| cells.split("<xf ").nth(at + 1).unwrap().to_string();
        assert!(nth(PERCENT).starts_with("numFmtId=\"10\"") && nth(HEADER).contains("fontId=\"1\""));
    }
}
