//! Text in a page: names and cells of a user's file stay text, whatever is in them.

use std::fmt::Write;

/// Letters of a cell, of a name and of a sentence that a page shows at most.
pub(super) const CELL: usize = 160;
pub(super) const NAME: usize = 48;
pub(super) const SENTENCE: usize = 700;

/// Text for HTML and SVG, as content or within double quotes. What no browser shows, or what would turn the direction of the text
/// around it, is left out.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' | '\r' => out.push(' '),
            c if c.is_control() || turns(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Marks that change the direction of what follows, and ends of lines that are none in HTML.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// The first letters of a long text.
pub(crate) fn short(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() { format!("{start}…") } else { start }
}

/// A name or cell as its own island: its direction is its own.
pub(super) fn cell(text: &str, most: usize) -> String {
    format!("<bdi>{}</bdi>", escaped(&short(text, most)))
}

/// A sentence that may quote the file.
pub(super) fn sentence(text: &str) -> String {
    let text = short(text, SENTENCE);
    let mut letters = text.chars();
    let begun =
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    let end = if begun.ends_with(['.', '?', '!', '…', ':']) { "" } else { "." };
    format!("{}{end}", escaped(&begun))
}

/// JSON within a script element, which ends at the first `</script` and may not begin a comment.
pub(super) fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A text as a string of JSON.
pub(super) fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A number of JSON, to a ten-millionth.
pub(super) fn json_number(x: f64) -> String {
    if !x.is_finite() {
        return "null".to_string();
    }
    let text = format!("{x:.7}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// `28.7 %`.
pub(super) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1}\u{a0}%", 100.0 * share) } else { "–".to_string() }
}

/// `1,234`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_is_markup() {
        assert_eq!(escaped("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
        assert_eq!(escaped("a\u{202e}b\u{0}c\nd"), "a\u{fffd}b\u{fffd}c d");
        assert_eq!(cell(&"x".repeat(10_000), 5), "<bdi>xxxxx…</bdi>");
        assert_eq!(json_in_script(r#"{"a":"</script><!--"}"#), r#"{"a":"\u003c/script>\u003c!--"}"#);
        assert_eq!(json_text("a\"\\\n"), r#""a\"\\\u000a""#);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([json_number(0.25), json_number(-0.0), json_number(f64::NAN)], ["0.25", "0", "null"]);
        assert_eq!([percent(0.2871), grouped(1_234_567), grouped(12)], ["28.7\u{a0}%", "1,234,567", "12"]);
        assert_eq!(sentence("it is so"), "It is so.");
    }
}
