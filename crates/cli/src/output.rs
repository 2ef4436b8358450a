//! Standard output and standard error, neither of which may bring the command down.
//!
//! Colors are for terminals alone, and not where `NO_COLOR` is set (<https://no-color.org>).

use crate::failure::Failure;
use crate::progress::beside;
use clap::builder::StyledStr;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// How much is said on standard error besides warnings and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

impl Verbosity {
    /// What `--quiet` and `--verbose` ask for.
    pub fn of(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets how much is said from here on.
pub fn speak(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

/// Whether nothing but warnings and errors is said.
pub fn is_quiet() -> bool {
    VERBOSITY.load(Ordering::Relaxed) == Verbosity::Quiet as u8
}

/// Whether more is said than usual.
pub fn is_verbose() -> bool {
    VERBOSITY.load(Ordering::Relaxed) == Verbosity::Verbose as u8
}

/// Whether a stream is to be colored.
fn colored(is_terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

fn is_colored(stream: &impl IsTerminal) -> bool {
    let value = |name| std::env::var_os(name);
    colored(stream.is_terminal(), value("NO_COLOR").as_deref(), value("TERM").as_deref())
}

/// Prints text whose styles are ours, such as help.
pub fn print_styled(text: &StyledStr) -> Result<(), Failure> {
    if is_colored(&io::stdout()) { put(&text.ansi().to_string()) } else { put(&text.to_string()) }
}

/// Prints results on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    put(&escaped(text, |c| c == '\n'))
}

/// Prints what was written to a file, unless it is to be quiet.
pub fn print_of_file(text: &str) -> Result<(), Failure> {
    if is_quiet() { Ok(()) } else { print(text) }
}

/// Prints one JSON object on standard output.
pub fn print_json(value: &impl std::fmt::Display) -> Result<(), Failure> {
    // JSON escapes the older control characters by itself; the others occur in texts alone, where it can escape them too.
    let mut text = String::new();
    for c in value.to_string().chars() {
        if commands(c) { text.push_str(&format!("\\u{:04x}", u32::from(c))) } else { text.push(c) }
    }
    text.push('\n');
    put(&text)
}

/// Prints bytes that are not ours to change, such as a script for a shell.
pub fn print_as_is(text: &[u8]) -> Result<(), Failure> {
    put_bytes(text)
}

fn put(text: &str) -> Result<(), Failure> {
    put_bytes(text.as_bytes())
}

fn put_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let written = beside(|| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    });
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::Input(format!("cannot write to standard output: {error}"))),
    }
}

/// Whether a character commands a terminal, or turns the direction of what follows.
fn commands(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    c.is_control() || turns
}

/// Text that may come from files: characters that command a terminal are shown as what they are, `\u{1b}`, apart from those
/// that are meant.
fn escaped(text: &str, meant: fn(char) -> bool) -> Cow<'_, str> {
    let stray = |c: char| commands(c) && !meant(c);
    if !text.contains(stray) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if stray(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// A line on standard error, unless it is to be quiet there.
pub fn note(line: &str) {
    if !is_quiet() {
        say(None, line);
    }
}

/// A line on standard error for whoever wants to know more.
pub fn detail(line: &str) {
    if is_verbose() {
        note(line);
    }
}

/// A line on standard error for each warning.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| say(Some(("warning", YELLOW)), warning));
}

/// Why the command ends early, on standard error.
pub fn error(sentence: &str) {
    say(Some(("error", RED)), sentence);
}

/// Colors of terminals, bold.
const RED: &str = "1;31";
const YELLOW: &str = "1;33";

/// Writes `KIND: LINE` to standard error. If that cannot be written, nothing can be done.
fn say(kind: Option<(&str, &str)>, line: &str) {
    let line = escaped(line, |_| false);
    beside(|| {
        let mut stderr = io::stderr().lock();
        let _ = match kind {
            Some((word, color)) if is_colored(&stderr) => {
                writeln!(stderr, "\u{1b}[{color}m{word}:\u{1b}[0m {line}")
            }
            Some((word, _)) => writeln!(stderr, "{word}: {line}"),
            None => writeln!(stderr, "{line}"),
        };
    });
}

/// Lines of equal-width columns: the first to the left, the others to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<Cow<str>>> =
        rows.iter().map(|row| row.iter().map(|cell| escaped(cell, |_| false)).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => line.push_str(&format!("{cell:<width$}")),
                _ => line.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_shown_as_what_it_is() {
        let none = |_| false;
        assert_eq!(
            escaped("a\u{1b}[2Jb\u{9b}c\rd\ne\u{202e}", none),
            "a\\u{1b}[2Jb\\u{9b}c\\rd\\ne\\u{202e}"
        );
        assert_eq!(escaped("two\nlines\u{7}", |c| c == '\n'), "two\nlines\\u{7}");
        assert!(matches!(escaped("π — čaj 東京", none), Cow::Borrowed(_)));
        assert_eq!(table(&[vec!["a\nb".to_string(), "\u{1b}c".to_string()]]), "a\\nb  \\u{1b}c\n");
    }

    #[test]
    fn colors_are_for_terminals_that_want_them() {
        let (set, empty, dumb, xterm) = ("1".as_ref(), "".as_ref(), "dumb".as_ref(), "xterm".as_ref());
        assert!(colored(true, None, Some(xterm)) && colored(true, Some(empty), None));
        assert!(!colored(false, None, Some(xterm)));
        assert!(!colored(true, Some(set), Some(xterm)) && !colored(true, None, Some(dumb)));
    }

    #[test]
    fn columns_line_up() {
        let row = |cells: [&str; 2]| cells.map(str::to_string).to_vec();
        let text = table(&[row(["method", "auc"]), row(["nnpu", "0.9"]), row(["π", ""])]);
        assert_eq!(text, "method  auc\nnnpu    0.9\nπ\n");
    }
}
