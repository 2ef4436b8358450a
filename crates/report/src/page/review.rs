//! A page to work in: the rows of an audit one at a time, answered by keys, kept by the browser, and written as the file that
//! `onesided audit read` takes.

use super::document;
use super::html::{NAME, cell, escaped, grouped, json_number, json_text, short};
use super::sections::name_of;

const SCRIPT: &str = include_str!("review.js");
/// Letters of a cell and of a text that are shown at most.
const CELL: usize = 2_000;
const TEXT: usize = 20_000;

/// Rows for a person to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewPage {
    /// Where the rows are from.
    pub place: String,
    /// What they are: `rows`, `texts` or `pictures`.
    pub things: String,
    /// What was drawn, as each line of the file says it.
    pub draw: String,
    /// The name of the draw, under which a browser keeps the answers.
    pub fingerprint: String,
    /// The columns that are shown.
    pub columns: Vec<String>,
    /// The rows, in the order they are asked about.
    pub rows: Vec<ReviewRow>,
    /// The command that reads the answers.
    pub next: String,
}

/// A row to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewRow {
    /// Its key in the draw.
    pub key: String,
    /// Its number in the table, from 1.
    pub row: u64,
    /// Its cells.
    pub cells: Vec<String>,
    /// A text to read.
    pub text: Option<String>,
    /// A picture as the address of its own bytes (`data:image/png;base64,…`).
    pub picture: Option<String>,
    /// What raised and lowered its score, and by how much; shown when asked for.
    pub because: Vec<(String, f64)>,
}

/// Rows to answer as one HTML file.
pub fn review_page(page: &ReviewPage) -> String {
    let thing = match page.things.as_str() {
        "texts" => "Text",
        "pictures" => "Picture",
        _ => "Row",
    };
    let list = |texts: &[String], most: usize| {
        format!("[{}]", texts.iter().map(|text| json_text(&short(text, most))).collect::<Vec<_>>().join(","))
    };
    let row = |row: &ReviewRow| {
        let or_null = |text: &Option<String>, most| {
            text.as_ref().map_or("null".to_string(), |text| json_text(&short(text, most)))
        };
        let part = |(name, value): &(String, f64)| {
            format!("[{},{}]", json_text(&short(name, NAME)), json_number(*value))
        };
        let because: Vec<String> = row.because.iter().map(part).collect();
        format!(
            "{{\"key\":{},\"row\":{},\"cells\":{},\"text\":{},\"picture\":{},\"because\":[{}]}}",
            json_text(&row.key),
            row.row,
            list(&row.cells, CELL),
            or_null(&row.text, TEXT),
            or_null(&row.picture, usize::MAX),
            because.join(",")
        )
    };
    let rows: Vec<String> = page.rows.iter().map(row).collect();
    let data = format!(
        "{{\"draw\":{},\"thing\":{},\"name\":{},\"columns\":{},\"rows\":[{}]}}",
        json_text(&page.draw),
        json_text(thing),
        json_text(&page.fingerprint),
        list(&page.columns, 200),
        rows.join(",")
    );
    let contains = if page.things == "rows" { "rows of the table" } else { &page.things };
    let key = |key: &str| format!("<kbd>{key}</kbd>");
    let why = match page.rows.iter().any(|row| !row.because.is_empty()) {
        true => format!(
            "<div class=\"why\"><button type=\"button\" id=\"why\" aria-expanded=\"false\" aria-controls=\"because\">What the model goes by \
             {}</button><p id=\"because\" hidden></p></div>",
            key("W")
        ),
        false => String::new(),
    };
    let body = format!(
        "<header class=\"narrow\"><p class=\"kind\">onesided · review</p><h1>{} to answer, from {}</h1><p class=\"private\"><strong>This page contains {contains}.</strong> It loads nothing and sends nothing; your answers stay in this browser until you save them as a file.</p>\
         <noscript><p class=\"withheld\">Answering needs a script, which this browser does not run. The same rows can be drawn as a table: \
         <code>onesided audit draw … --out rows.csv</code>.</p></noscript></header>\n<main class=\"narrow\" id=\"main\"><p id=\"storage\" class=\"withheld\" role=\"alert\" \
         hidden>This browser keeps nothing for this page. Save the file before you close it; you can load it again and go on.</p><section \
         aria-labelledby=\"place\"><div class=\"progress\"><h2 id=\"place\" tabindex=\"-1\">Row</h2><span id=\"count\" role=\"status\"></span></div><progress \
         id=\"done\" max=\"{}\" value=\"0\" aria-label=\"Answered\"></progress><div id=\"row\"></div>{}<p class=\"ask\">Is it positive? <span id=\"given\"></span></p><div \
         class=\"answers\"><button type=\"button\" id=\"yes\">Yes {}</button><button type=\"button\" id=\"no\">No {}</button><button type=\"button\" \
         id=\"unsure\">Unsure {}</button><button type=\"button\" id=\"undo\">Undo {}</button></div><div class=\"tools\"><button type=\"button\" \
         id=\"back\">Before {}</button><button type=\"button\" id=\"ahead\">After {}</button><label for=\"note\">Note {}</label><input type=\"text\" id=\"note\" \
         autocomplete=\"off\"></div></section><section aria-labelledby=\"save-title\"><h2 id=\"save-title\">Save the answers</h2><div class=\"tools\"><label \
         for=\"reviewer\">Your name</label><input type=\"text\" id=\"reviewer\" autocomplete=\"off\"><button type=\"button\" id=\"save\">Save as \
         a file</button></div><p id=\"saved\" role=\"status\"></p><p>Send the file back, or read it with <code>{}</code>. What you leave out \
         stays without an answer.</p><details><summary>Go on from a file, or start again</summary><div class=\"tools\"><label for=\"load\">Load a saved \
         file</label><input type=\"file\" id=\"load\" accept=\".csv,text/csv\"><button type=\"button\" id=\"clear\">Clear all answers here</button></div></details></section></main>\n",
        escaped(&format!("{} {}", grouped(page.rows.len()), page.things)),
        cell(&name_of(&page.place), 80),
        page.rows.len(),
        why,
        key("Y"),
        key("N"),
        key("U"),
        key("Z"),
        key("K"),
        key("J"),
        key("E"),
        escaped(&short(&page.next, 300)),
    );
    document(&format!("onesided: {} {} to answer", page.rows.len(), page.things), &body, &data, SCRIPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_file_cannot_end_the_data() {
        let row = ReviewRow {
            key: "k".to_string(),
            row: 7,
            cells: vec!["</script><script>alert(1)</script>".to_string(), "x".repeat(10_000)],
            ..ReviewRow::default()
        };
        let columns = vec!["<b>".to_string(), "long".to_string()];
        let page = review_page(&ReviewPage {
            things: "rows".to_string(),
            place: "a/<i>.csv".to_string(),
            columns,
            rows: vec![row],
            ..ReviewPage::default()
        });
        assert_eq!(page.matches("</script>").count(), 2, "that of the data and that of the script");
        assert!(
            page.contains("\\u003c/script>\\u003cscript>alert(1)")
                && page.contains("<bdi>&lt;i&gt;.csv</bdi>")
        );
        assert!(page.len() < 40_000, "{}", page.len());
    }
}
