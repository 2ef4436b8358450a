//! The command as it was typed, for what is written with it.

use std::ffi::OsString;
use std::sync::Mutex;

static TYPED: Mutex<String> = Mutex::new(String::new());

/// Keeps the words of this command, its own name first.
pub fn keep(words: &[OsString]) {
    let rest = words.iter().skip(1).map(|word| quoted(&word.to_string_lossy()));
    let line: Vec<String> = ["onesided".to_string()].into_iter().chain(rest).collect();
    if let Ok(mut typed) = TYPED.lock() {
        *typed = line.join(" ");
    }
}

/// The command that runs.
pub fn typed() -> String {
    TYPED.lock().map_or_else(|_| String::new(), |typed| typed.clone())
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_a_shell_takes_them() {
        assert_eq!(["a.csv", "it's", "", "x y"].map(quoted), ["a.csv", r"'it'\''s'", "''", "'x y'"]);
    }
}
