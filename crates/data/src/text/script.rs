//! Texts cut by script: what each character is to the rule for words, and the pieces that follow from it.

/// What a character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter or digit of a script that has blanks between words.
    Word,
    /// Han, Hiragana or Katakana: most say something alone.
    Character,
    /// A letter of Thai, Lao, Khmer or Myanmar, scripts with an alphabet but without blanks.
    Letter,
    /// Belongs to the `Character` or `Letter` before it: a vowel or tone sign, a voicing mark.
    Mark,
    /// Chooses a look for the character before it, and says nothing.
    Selector,
    /// An emoji or another picture.
    Emoji,
    /// A color of skin.
    Tone,
    /// Half of a flag.
    Flag,
    /// A letter of the hidden name in the flag of a region.
    Tag,
    /// Zero width joiner, between emoji that are drawn as one.
    Joiner,
    /// Neither letter nor digit.
    Gap,
}

/// Whether `text` has for certain only characters of kind [`Kind::Word`] and [`Kind::Gap`], or joiners with nothing to join,
/// by the bytes of UTF-8.
pub(super) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Nothing from U+0800 on. Without an early end the compiler makes this many bytes at a time.
    if bytes.chunks(1024).all(|chunk| chunk.iter().fold(0, |most, &byte| byte.max(most)) < 0xE0) {
        return true;
    }
    // Or only scripts of India, Latin and Greek with more accents, and punctuation such as curly quotes.
    bytes.windows(2).all(|pair| match pair[0] {
        ..0xE0 => true,
        0xE0 => pair[1] < 0xB8,  // U+0800 to U+0DFF
        0xE1 => pair[1] >= 0xB8, // U+1E00 to U+1FFF
        0xE2 => pair[1] < 0x8C,  // U+2000 to U+22FF
        _ => false,
    })
}

/// The kind of `c`.
pub(super) fn kind(c: char) -> Kind {
    if c < '\u{E01}' {
        return word_or_gap(c);
    }
    match u32::from(c) {
        // Thai and Lao.
        0xE31 | 0xE34..=0xE3A | 0xE47..=0xE4E | 0xEB1 | 0xEB4..=0xEBC | 0xEC8..=0xECE => Kind::Mark,
        0xE01..=0xE33 | 0xE40..=0xE46 | 0xE81..=0xEC6 | 0xEDC..=0xEDF => Kind::Letter,
        // Myanmar; in between lie its digits and punctuation.
        0x102B..=0x103E | 0x1056..=0x1059 | 0x105E..=0x1060 | 0x1062..=0x1064 | 0x1067..=0x106D => Kind::Mark,
        0x1071..=0x1074 | 0x1082..=0x108D | 0x108F | 0x109A..=0x109D | 0xA9E5 | 0xAA7B..=0xAA7D => Kind::Mark,
        0x1000..=0x103F | 0x1050..=0x108E | 0xA9E0..=0xA9EF | 0xA9FA..=0xA9FE => Kind::Letter,
        0xAA60..=0xAA76 | 0xAA7A..=0xAA7F => Kind::Letter,
        // Khmer.
        0x17B4..=0x17D3 | 0x17DD => Kind::Mark,
        0x1780..=0x17B3 | 0x17D7 | 0x17DC => Kind::Letter,
        // Kana: voicing marks, the letters, their half-width forms, and letters of older times.
        0x3099..=0x309A | 0xFF9E..=0xFF9F => Kind::Mark,
        0x3031..=0x3035 | 0x303C | 0x3041..=0x3096 | 0x309D..=0x309F => Kind::Character,
        0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9D => Kind::Character,
        0x1AFF0..=0x1AFFE | 0x1B000..=0x1B167 => Kind::Character,
        // Han, with its signs for "again", "closed" and zero.
        0x3005..=0x3007 | 0x303B | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAD9 => Kind::Character,
        0x20000..=0x3FFFF => Kind::Character,
        // Emoji: clocks and buttons, miscellaneous symbols and dingbats without brackets, arrows and stars, and the blocks
        // made for them. Letters and digits in circles and squares are among these, and stay words.
        0x1F3FB..=0x1F3FF => Kind::Tone,
        0x1F1E6..=0x1F1FF => Kind::Flag,
        0x231A..=0x231B | 0x23E9..=0x23FA | 0x2600..=0x2767 | 0x2794..=0x27BF | 0x2B05..=0x2B55 => {
            Kind::Emoji
        }
        0x1F000..=0x1FAFF if !c.is_alphanumeric() => Kind::Emoji,
        0xE0020..=0xE007F => Kind::Tag,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => Kind::Selector,
        0x200D => Kind::Joiner,
        _ => word_or_gap(c),
    }
}

fn word_or_gap(c: char) -> Kind {
    if c.is_alphanumeric() { Kind::Word } else { Kind::Gap }
}

/// A part of a text that is a word, an emoji, or a character with its marks.
pub(super) struct Piece<'a> {
    /// `Word`, `Emoji`, `Character` or `Letter`.
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) text: &'a str,
}

/// The pieces of a text by the scripts of its characters; what lies between is left out.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces { text, at: 0 }
}

/// See [`pieces`].
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let start = self.at;
            let first = self.text[start..].chars().next()?;
            self.at += first.len_utf8();
            let kind = match kind(first) {
                Kind::Word => {
                    self.skip(|kind| kind == Kind::Word);
                    Kind::Word
                }
                kind @ (Kind::Character | Kind::Letter) => {
                    self.skip(|kind| matches!(kind, Kind::Mark | Kind::Selector));
                    kind
                }
                kind @ (Kind::Emoji | Kind::Tone | Kind::Flag) => {
                    self.skip_emoji(kind);
                    Kind::Emoji
                }
                Kind::Mark | Kind::Selector | Kind::Tag | Kind::Joiner | Kind::Gap => continue,
            };
            return Some(Piece { kind, start, text: &self.text[start..self.at] });
        }
    }
}

impl Pieces<'_> {
    fn skip(&mut self, belongs: impl Fn(Kind) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !belongs(kind(c))).unwrap_or(rest.len());
    }

    /// Goes to the end of the emoji that began with a character of kind `first`: a second half of a flag, then selectors,
    /// skin tones, the tags of a region, and further emoji behind joiners.
    fn skip_emoji(&mut self, first: Kind) {
        let mut rest = self.text[self.at..].chars();
        if first == Kind::Flag && rest.clone().next().is_some_and(|c| kind(c) == Kind::Flag) {
            rest.next();
        }
        loop {
            let mut ahead = rest.clone();
            let belongs = match ahead.next().map(kind) {
                Some(Kind::Selector | Kind::Tone | Kind::Tag) => true,
                Some(Kind::Joiner) => ahead.next().is_some_and(|c| kind(c) == Kind::Emoji),
                _ => false,
            };
            if !belongs {
                break;
            }
            rest = ahead;
        }
        self.at = self.text.len() - rest.as_str().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Golden {
        kinds: Vec<(u32, u32, String)>,
    }

    /// Against names and categories of Python's `unicodedata`; the script that made the file is next to it.
    #[test]
    fn every_character_is_what_unicode_says() {
        let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/words.json")).unwrap();
        for (first, last, expected) in &golden.kinds {
            for c in (*first..=*last).filter_map(char::from_u32) {
                let found = match kind(c) {
                    Kind::Word | Kind::Gap => "other".to_string(),
                    kind => format!("{kind:?}").to_lowercase(),
                };
                assert_eq!(found, *expected, "U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn plain_texts_hold_words_and_gaps_only() {
        assert!(is_plain("naïve Кот, γάτα, חתול, قطة"));
        assert!(
            is_plain("it’s “so” — Việt Nam, हिन्दी") && !is_plain("猫") && !is_plain("😀") && !is_plain("★")
        );
        let long = "x".repeat(5000);
        assert!(is_plain(&long) && !is_plain(&(long + "猫")) && is_plain(""));
        for c in (0..0x40000).filter_map(char::from_u32).filter(|c| is_plain(&c.to_string())) {
            assert!(matches!(kind(c), Kind::Word | Kind::Gap | Kind::Joiner), "{c:?}");
        }
    }
}
