//! Texts out of web pages.
//!
//! Not a parser: tags go, their words stay. Each character is looked at a bounded number of times, whatever the page holds.

use super::entities::entity;

/// Tags that begin or end a line.
#[rustfmt::skip]
const LINES: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog",
    "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "head", "header", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup",
    "option", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
];

/// How far into a text [`looks_like_html`] looks.
const NEAR: usize = 1024;

/// The words of a web page: without tags, without comments, scripts and styles, with entities as characters.
///
/// Tags of blocks become line breaks, those of cells blanks, and others nothing; all other white space is one blank, as a
/// browser shows it. What does not look like a tag stays, such as `a < b`, `<3` or `<me@example.org>`. A comment, script
/// or style without an end hides the rest, as in a browser.
///
/// ```
/// use onesided_data::strip_html;
///
/// let page = "<p>Fish &amp; <b>chips</b>&nbsp;&pound;5<p>if a < b<script>track()</script>";
/// assert_eq!(strip_html(page), "Fish & chips £5\nif a < b");
/// ```
pub fn strip_html(text: &str) -> String {
    let mut out = Tidy { text: String::with_capacity(text.len() / 2), gap: Gap::None };
    let mut tags = Tags::default();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push(&rest[..at]);
        rest = &rest[at..];
        let found = if rest.starts_with('&') { entity(rest) } else { None };
        if let Some((character, length)) = found {
            out.push(character.encode_utf8(&mut [0; 4]));
            rest = &rest[length..];
            continue;
        }
        match tags.read(rest) {
            Markup::Tag { name, length } => {
                out.leave(gap_of(name));
                rest = &rest[length..];
                if let Some(name) = hides(name) {
                    rest = after_end(rest, name);
                }
            }
            Markup::Hidden { length } => rest = &rest[length..],
            Markup::Text { length } => {
                out.push(&rest[..length]);
                rest = &rest[length..];
            }
        }
    }
    out.push(rest);
    out.text
}

/// Whether a text is a web page: it starts with a tag, and a doctype, `html`, `head` or `body` comes soon. Pieces of a page
/// are not recognized, since prose may hold a tag too.
pub fn looks_like_html(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let start = &text.as_bytes()[..text.len().min(NEAR)];
    let begins = |at: usize, tag: &str| {
        let rest = &start[at + 1..];
        rest.len() > tag.len()
            && rest[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
            && !rest[tag.len()].is_ascii_alphanumeric()
            && rest[tag.len()] != b'-'
    };
    let is_page = |at: usize| ["!doctype html", "html", "head", "body"].iter().any(|tag| begins(at, tag));
    text.starts_with('<') && (0..start.len()).any(|at| start[at] == b'<' && is_page(at))
}

/// What starts with `<` or `&`, or what the first character of it is.
enum Markup<'a> {
    Tag { name: &'a str, length: usize },
    Hidden { length: usize },
    Text { length: usize },
}

/// Reads tags, and remembers which quotes have no partner, so that none is looked for twice.
#[derive(Default)]
struct Tags {
    no_more: [bool; 2],
}

impl Tags {
    fn read<'a>(&mut self, text: &'a str) -> Markup<'a> {
        if let Some(comment) = text.strip_prefix("<!--") {
            // The shortest comments are <!--> and <!--->.
            let ends = [">", "->"].into_iter().find(|end| comment.starts_with(end)).map(str::len);
            let length = ends.or_else(|| comment.find("-->").map(|at| at + 3));
            return Markup::Hidden { length: length.map_or(text.len(), |length| 4 + length) };
        }
        let inner = text.strip_prefix("</").or_else(|| text.strip_prefix("<!"));
        let inner = inner.or_else(|| text.strip_prefix("<?")).or_else(|| text.strip_prefix('<'));
        let Some(inner) =
            inner.filter(|inner| inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '['))
        else {
            return Markup::Text { length: 1 };
        };
        let end =
            inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':').unwrap_or(inner.len());
        let name = &inner[..end];
        let follows = inner[end..].chars().next();
        let declares = text.starts_with("<!") || text.starts_with("<?");
        let is_name =
            !name.ends_with(':') && follows.is_some_and(|c| c == '>' || c == '/' || c.is_whitespace());
        if !is_name && !declares {
            return Markup::Text { length: text.len() - inner[end..].len() };
        }
        let start = text.len() - inner.len() + end;
        match self.close(text, start) {
            Ok(length) if declares => Markup::Hidden { length },
            Ok(length) => Markup::Tag { name, length },
            Err(length) => Markup::Text { length },
        }
    }

    /// The length of a tag up to its `>`, quoted values skipped; or of what is text after all, since another tag begins or
    /// nothing follows.
    fn close(&mut self, text: &str, mut at: usize) -> Result<usize, usize> {
        while let Some(next) = text[at..].find(['<', '>', '"', '\'']) {
            at += next;
            let found = text.as_bytes()[at];
            match found {
                b'>' => return Ok(at + 1),
                b'<' => return Err(at),
                quote => {
                    at += 1;
                    // Only a value is quoted; elsewhere it is an apostrophe.
                    let no_more = &mut self.no_more[usize::from(quote == b'"')];
                    if !*no_more && text[..at - 1].ends_with(['=', ' ']) {
                        match text[at..].find(char::from(quote)) {
                            Some(length) => at += length + 1,
                            None => *no_more = true,
                        }
                    }
                }
            }
        }
        Err(text.len())
    }
}

/// The name of an element whose content is not text.
fn hides(name: &str) -> Option<&'static str> {
    ["script", "style"].into_iter().find(|hidden| hidden.eq_ignore_ascii_case(name))
}

/// What follows `</name`, or nothing.
fn after_end<'a>(mut text: &'a str, name: &str) -> &'a str {
    while let Some(at) = text.find("</") {
        let rest = &text[at + 2..];
        let is_end = rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_end && rest[name.len()..].starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace()) {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
        text = rest;
    }
    ""
}

/// What lies between two words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Blank,
    Line,
}

fn gap_of(name: &str) -> Gap {
    let is = |tag: &&str| tag.eq_ignore_ascii_case(name);
    if LINES.iter().any(is) {
        Gap::Line
    } else if ["td", "th", "img", "input", "button", "select"].iter().any(is) {
        Gap::Blank
    } else {
        Gap::None
    }
}

/// A text with single blanks and line breaks, and none at its ends.
struct Tidy {
    text: String,
    gap: Gap,
}

impl Tidy {
    fn leave(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn push(&mut self, text: &str) {
        // A soft hyphen only says where a word may be broken.
        for c in text.chars().filter(|&c| c != '\u{ad}') {
            if c.is_whitespace() {
                self.leave(Gap::Blank);
                continue;
            }
            match self.gap {
                Gap::Blank if !self.text.is_empty() => self.text.push(' '),
                Gap::Line if !self.text.is_empty() => self.text.push('\n'),
                _ => {}
            }
            self.gap = Gap::None;
            self.text.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn pages_become_lines_of_words() {
        for (page, text) in [
            (
                "<!DOCTYPE html><html><head><title>A  page</title></head><body><h1>Hi</h1> there",
                "A page\nHi\nthere",
            ),
            ("one<br>two<BR/>three<br />four", "one\ntwo\nthree\nfour"),
            ("<b>bo</b>ld <i>it</i>", "bold it"),
            ("<table><tr><td>1<td>2</tr><tr><th>3</table>", "1 2\n3"),
            ("a<!-- <b>no</b> -->b<!-->c<!--->d", "abcd"),
            ("x<script type='a'>if (a</b>c) '</scripts>'</SCRIPT >y<style>p{}</style>z", "xyz"),
            ("<a href=\"x>y\" title='<b>'>link</a>", "link"),
            ("<?xml version='1.0'?><p>x</p><![CDATA[y]]>", "x"),
            (" \n a \t b\u{a0}&nbsp; c ", "a b c"),
            ("hy&shy;phen hy\u{ad}phen", "hyphen hyphen"),
            ("<my-tag>x</my-tag><svg:rect/>y", "xy"),
        ] {
            assert_eq!(strip_html(page), text, "{page}");
        }
    }

    #[test]
    fn prose_stays() {
        for text in [
            "if a < b and c > d",
            "I <3 you",
            "a<b",
            "x <",
            "</",
            "<!",
            "<me@example.org>",
            "<https://example.org>",
            "AT&T & co; R&D",
            "1<2>0",
            "a <b and c",
            "<",
            "&",
            "&#;",
            "&#x;",
            "&;",
            "no markup",
            "",
        ] {
            assert_eq!(strip_html(text), text);
        }
        assert_eq!(strip_html("a <b and <i>c</i>"), "a <b and c");
        assert_eq!(strip_html("<p class=\"x>y</p>z"), "y\nz");
        assert_eq!(strip_html("<p don't>y</p> it's"), "y\nit's");
    }

    #[test]
    fn what_has_no_end_hides_the_rest() {
        assert_eq!(strip_html("a<!-- b"), "a");
        assert_eq!(strip_html("a<script>b</script"), "a");
        assert_eq!(strip_html("a<style>b"), "a");
    }

    #[test]
    fn broken_pages_do_no_harm() {
        let parts = [
            "<", ">", "</", "<!--", "-->", "<!", "<?", "<a ", "<p>", "<script>", "</script", "=\"", "='",
            "\"", "&", "&#", "&#x", "110000;", "&amp", ";", "é", "東", "😀", " ", "x", "<style", "/>", "[",
            "--",
        ];
        let mut random = Stream::new(8, "pages");
        for _ in 0..20_000 {
            let page: String = (0..random.below(30)).map(|_| parts[random.below(parts.len())]).collect();
            let text = strip_html(&page);
            assert!(text.len() <= page.len() && text.trim() == text, "{page}");
            looks_like_html(&page);
        }
        // A second look from every place would take hours here.
        for part in
            ["<", "<a ", "<a \"", "<a =\"", "<a ='<a =\"", "<!-", "<![", "&", "&#1", "</script", "<a", "&amp"]
        {
            let page = part.repeat(300_000);
            strip_html(&page);
            strip_html(&format!("<script>{page}"));
            strip_html(&format!("<a {page}"));
        }
    }

    #[test]
    fn pages_are_told_from_prose() {
        for page in
            ["<!DOCTYPE html>\n<p>x", "\u{feff} <HTML lang=en>", "<!-- saved --><body>", "<?xml?><html>"]
        {
            assert!(looks_like_html(page), "{page}");
        }
        for text in [
            "",
            "<",
            "<p>x</p>",
            "write a <body> tag",
            "<htmlx>",
            "<header>x",
            "<html",
            "<!doctype svg>",
            "東",
        ] {
            assert!(!looks_like_html(text), "{text}");
        }
        assert!(!looks_like_html(&format!("<p>{}<body>", "é".repeat(600))));
    }
}
