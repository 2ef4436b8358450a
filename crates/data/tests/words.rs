//! Words of texts in many scripts. The terms of `golden/words.json` come from a second implementation next to it.

use onesided_data::{Stream, TextFeatures, TextOptions, Tokens, Weighting, words};
use serde::Deserialize;

/// A text, the least and greatest length of phrases, the shortest word, stop words, and the terms in order.
type Case = (String, usize, usize, usize, Vec<String>, Vec<String>);

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

/// All terms of `text`, each as often as it occurs.
fn terms(text: &str, options: &TextOptions) -> Vec<String> {
    let options = TextOptions { weighting: Weighting::Counts, min_texts: 1, ..options.clone() };
    let Ok((features, rows)) = options.fit_transform(&[text]) else { return Vec::new() };
    let (columns, counts) = rows.row(0);
    let times = columns.iter().zip(counts).map(|(&column, &count)| (column as usize, count as usize));
    times.flat_map(|(column, count)| std::iter::repeat_n(features.terms()[column].clone(), count)).collect()
}

#[test]
fn mixed_scripts_equal_a_second_implementation() {
    let golden: Golden = serde_json::from_str(include_str!("golden/words.json")).unwrap();
    assert!(golden.cases.len() > 200);
    for (text, low, high, shortest_word, stop_words, expected) in golden.cases {
        let phrase_lengths = (low, high);
        let options = TextOptions { phrase_lengths, shortest_word, stop_words, ..TextOptions::default() };
        assert_eq!(terms(&text, &options), expected, "{text:?} under {options:?}");
    }
}

#[test]
fn scripts_with_blanks_give_the_words_they_always_gave() {
    const ALPHABET: &str =
        "abcxyzABCXYZ 0159 .,;:!?'\"-_/@#&()\n\téèüñçßøÅŁžİıǅ ΑΩΣσς γάτα КотЁё ²½ºª ©®™ “”’–—…• €£ ﬁ";
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let mut random = Stream::new(5, "texts");
    for round in 0..3_000 {
        let text: String = (0..random.below(120)).map(|_| alphabet[random.below(alphabet.len())]).collect();
        let new = TextOptions {
            phrase_lengths: (1, 1 + round % 3),
            shortest_word: round % 4,
            ..Default::default()
        };
        let old = TextOptions { tokens: Tokens::Runs, ..new.clone() };
        assert_eq!(terms(&text, &new), terms(&text, &old), "{text:?}");
        let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
        assert!(words(&text).eq(runs.map(str::to_lowercase)), "{text:?}");
    }
}

#[test]
fn any_characters_do_no_harm() {
    let mut random = Stream::new(6, "texts");
    let starts = [
        0x20, 0xE00, 0x1000, 0x1780, 0x200C, 0x2600, 0x3000, 0x4E00, 0xFE00, 0xFF60, 0x1F1E0, 0x1F3F0,
        0xE0000,
    ];
    for _ in 0..3_000 {
        let draw = |_| char::from_u32(starts[random.below(starts.len())] + random.below(64) as u32);
        let text: String = (0..60).filter_map(draw).collect();
        let found: Vec<String> = words(&text).collect();
        assert!(found.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace)), "{text:?}");
    }
}

/// A model as it was stored before there was a choice of rules.
const STORED: &str = r#"{"options":{"phrase_lengths":[1,1],"shortest_word":2,"stop_words":[],"min_texts":1,"max_terms":null,"weighting":"counts"},"terms":["iphone在東京","ok","東"]}"#;

#[test]
fn stored_models_keep_their_rule_and_their_bytes() {
    let stored: TextFeatures = serde_json::from_str(STORED).unwrap();
    assert_eq!(stored.options().tokens, Tokens::Runs);
    // One word whatever its scripts; a single character is shorter than two, and emoji are gaps.
    let rows = stored.transform(&["iPhone在東京 👍 OK 東"]);
    assert_eq!(rows.row(0), ([0, 1].as_slice(), [1.0, 1.0].as_slice()));
    assert_eq!(serde_json::to_string(&stored).unwrap(), STORED);

    let (new, rows) = TextOptions::default().fit_transform(&["東京 OK", "東京!", "👍 ok 👍"]).unwrap();
    assert_eq!(new.terms(), ["ok", "京", "東", "東京"]);
    let json = serde_json::to_string(&new).unwrap();
    assert!(json.contains(r#""tokens":"by-script""#), "{json}");
    assert_eq!(
        serde_json::from_str::<TextFeatures>(&json).unwrap().transform(&["東京 OK", "東京!", "👍 ok 👍"]),
        rows
    );
}
