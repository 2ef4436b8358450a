//! Encodings by their names.

use crate::names::shortened;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Labels that a message lists: one for each part of the world that has its own.
const COMMON: [&str; 8] =
    ["utf-8", "utf-16le", "windows-1252", "windows-1251", "shift_jis", "gb18030", "big5", "euc-kr"];

/// Further labels that a slip of the finger may have meant.
#[rustfmt::skip]
const KNOWN: [&str; 14] = [
    "utf-16be", "utf-16", "latin1", "iso-8859-1", "iso-8859-2", "iso-8859-15", "cp1252", "windows-1250",
    "koi8-r", "gbk", "gb2312", "euc-jp", "iso-2022-jp", "macintosh",
];

/// Names that Python and Windows use and the Encoding Standard does not have.
const ALIASES: [(&str, &str); 7] = [
    ("latin-1", "latin1"),
    ("utf-8-sig", "utf-8"),
    ("cp65001", "utf-8"),
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
];

/// A character encoding, one of those of the WHATWG Encoding Standard.
///
/// Made from any label of the standard, in upper or lower case; shown and stored under its name there.
///
/// ```
/// use onesided_table::TextEncoding;
///
/// let latin: TextEncoding = "Latin1".parse()?;
/// assert_eq!(latin.to_string(), "windows-1252"); // as the standard has it: a superset
/// # Ok::<(), onesided_table::UnknownEncoding>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextEncoding(pub(super) &'static Encoding);

impl TextEncoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(UTF_8);
    /// windows-1252, which the standard also calls latin1.
    pub const WINDOWS_1252: Self = Self(WINDOWS_1252);

    /// The name in the standard, such as `UTF-16LE` or `Shift_JIS`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

impl FromStr for TextEncoding {
    type Err = UnknownEncoding;

    fn from_str(label: &str) -> Result<Self, UnknownEncoding> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(label.trim()));
        let label = alias.map_or(label, |(_, label)| label);
        // Labels of the replacement encoding only say that a text cannot be read.
        let found = Encoding::for_label_no_replacement(label.as_bytes());
        found.map(Self).ok_or_else(|| UnknownEncoding { label: label.to_string() })
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextEncoding({})", self.name())
    }
}

impl Serialize for TextEncoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for TextEncoding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// No encoding has this label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEncoding {
    /// The label as it was given.
    pub label: String,
}

impl UnknownEncoding {
    /// The label that may have been meant, if one is near.
    pub fn nearest(&self) -> Option<&'static str> {
        crate::names::nearest(&self.label, COMMON.into_iter().chain(KNOWN))
    }
}

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no text encoding '{}'", shortened(&self.label))?;
        if let Some(nearest) = self.nearest() {
            write!(f, " (did you mean '{nearest}'?)")?;
        }
        write!(f, "; common ones are {}", COMMON.join(", "))
    }
}

impl std::error::Error for UnknownEncoding {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_any_case_and_the_names_of_other_programs() {
        for (label, name) in [
            ("UTF-8", "UTF-8"),
            ("utf8", "UTF-8"),
            ("utf-8-sig", "UTF-8"),
            ("latin1", "windows-1252"),
            ("Latin-1", "windows-1252"),
            ("cp1252", "windows-1252"),
            (" utf-16le ", "UTF-16LE"),
            ("UTF-16BE", "UTF-16BE"),
            ("Shift_JIS", "Shift_JIS"),
            ("cp932", "Shift_JIS"),
            ("GB18030", "gb18030"),
            ("gb2312", "GBK"),
            ("iso-8859-15", "ISO-8859-15"),
        ] {
            assert_eq!(label.parse::<TextEncoding>().unwrap().to_string(), name, "{label}");
        }
        assert!(COMMON.iter().chain(&KNOWN).all(|label| label.parse::<TextEncoding>().is_ok()));
    }

    #[test]
    fn an_unknown_label_gets_a_sentence() {
        let message = |label: &str| label.parse::<TextEncoding>().unwrap_err().to_string();
        let common =
            "common ones are utf-8, utf-16le, windows-1252, windows-1251, shift_jis, gb18030, big5, euc-kr";
        assert_eq!(
            message("uft-8"),
            format!("there is no text encoding 'uft-8' (did you mean 'utf-8'?); {common}")
        );
        assert_eq!(message("klingon"), format!("there is no text encoding 'klingon'; {common}"));
        assert!(message("Shift-JIZ").contains("(did you mean 'shift_jis'?)"));
        assert!(message("windows-1225").contains("did you mean 'windows-125"));
        // A label of the standard's replacement encoding.
        assert!(message("iso-2022-kr").contains("there is no text encoding"));
        assert!(message(&"x".repeat(1000)).len() < 250);
    }

    #[test]
    fn stored_by_name() {
        let encoding: TextEncoding = "sjis".parse().unwrap();
        let json = serde_json::to_string(&encoding).unwrap();
        assert_eq!(json, "\"Shift_JIS\"");
        assert_eq!(serde_json::from_str::<TextEncoding>(&json).unwrap(), encoding);
        let error = serde_json::from_str::<TextEncoding>("\"utf-61\"").unwrap_err().to_string();
        assert!(error.starts_with("there is no text encoding 'utf-61' (did you mean 'utf-"), "{error}");
    }
}
