//! Word counts and TF-IDF, fitted on some texts and applied to any.
//!
//! G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval", Information Processing and
//! Management 24(5), 1988. With tf the number of times a term occurs in a text, df the number of texts it occurs in and
//! n the number of texts fitted on,
//!
//! ```text
//! idf = 1 + ln((1 + n) / (1 + df))        value = tf · idf        (or (1 + ln tf) · idf)
//! ```
//!
//! and each row is divided by its Euclidean length. The ones in the fraction stand for one text with every term, so that
//! nothing is divided by zero. These are the numbers of scikit-learn's `CountVectorizer` and `TfidfVectorizer`.

use super::count::{Counted, LEAST, Tally, count};
use super::words::{Phrases, Tokens};
use crate::{DataError, SparseMatrix};
use onesided_table::{TableError, map_stretches};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The longest phrases that can be asked for. Longer ones hardly ever occur twice.
const LONGEST_PHRASE: usize = 8;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// How often the term occurs; what naive Bayes takes.
    Counts,
    /// TF-IDF, rows of length 1.
    TfIdf,
    /// TF-IDF with 1 + ln tf in place of tf, so that the tenth mention of a word counts less than the first.
    SublinearTfIdf,
}

/// Which terms of a text become features, and with what values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextOptions {
    /// Terms are runs of at least this many words and at most that many: (1, 1) for single words, (1, 2) for words and
    /// pairs of neighbors.
    pub phrase_lengths: (usize, usize),
    /// Words of fewer characters are left out. Characters of scripts without blanks, and emoji, are not: one of them may
    /// be a word.
    pub shortest_word: usize,
    /// Words to leave out, in lower case; see [`ENGLISH_STOP_WORDS`](crate::ENGLISH_STOP_WORDS). Phrases close over the
    /// gap.
    pub stop_words: Vec<String>,
    /// A term must occur in this many texts.
    pub min_texts: usize,
    /// At most this many terms, those that occur most often; the alphabet decides between equals.
    pub max_terms: Option<usize>,
    /// What the columns hold.
    pub weighting: Weighting,
    /// What a word is. Stored models that do not name a rule were fitted under [`Tokens::Runs`], and keep it.
    #[serde(default = "Tokens::unnamed", skip_serializing_if = "Tokens::is_unnamed")]
    pub tokens: Tokens,
}

impl Default for TextOptions {
    /// TF-IDF of single words of two characters or more that occur in at least two texts.
    fn default() -> Self {
        Self {
            phrase_lengths: (1, 1),
            shortest_word: 2,
            stop_words: Vec::new(),
            min_texts: 2,
            max_terms: None,
            weighting: Weighting::TfIdf,
            tokens: Tokens::ByScript,
        }
    }
}

impl TextOptions {
    /// Learns the terms of `texts` and, for TF-IDF, how rare they are.
    pub fn fit<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<TextFeatures, DataError> {
        self.fit_transform(texts).map(|(features, _)| features)
    }

    /// [`fit`](Self::fit) and [`TextFeatures::transform`] on the same texts, which are read once only.
    pub fn fit_transform<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
    ) -> Result<(TextFeatures, SparseMatrix), DataError> {
        let (low, high) = self.phrase_lengths;
        if low == 0 || low > high || high > LONGEST_PHRASE {
            return Err(DataError::PhraseLengths { low, high, limit: LONGEST_PHRASE });
        }
        let Counted { numbers, occurrences, stretches } = count(texts, self)?;
        let of = |number: u32| occurrences[number as usize];
        let mut kept: Vec<(Box<str>, u32)> =
            numbers.into_iter().filter(|&(_, number)| of(number).texts >= self.min_texts).collect();
        kept.sort_unstable();
        if let Some(most) = self.max_terms.filter(|&most| most < kept.len()) {
            kept.sort_by_key(|&(_, number)| Reverse(of(number).times)); // stable: equals stay in alphabetical order
            kept.truncate(most);
            kept.sort_unstable();
        }
        if kept.is_empty() {
            return Err(DataError::NoTerms {
                texts: texts.len(),
                least: self.min_texts,
                place: String::new(),
            });
        }
        let idf = |number| 1.0 + ((1 + texts.len()) as f64 / (1 + of(number).texts) as f64).ln();
        let idf = match self.weighting {
            Weighting::Counts => Vec::new(),
            Weighting::TfIdf | Weighting::SublinearTfIdf => {
                kept.iter().map(|&(_, number)| idf(number)).collect()
            }
        };
        let mut columns = vec![None; occurrences.len()];
        for (column, &(_, number)) in kept.iter().enumerate() {
            columns[number as usize] = Some(column as u32);
        }
        let terms = kept.into_iter().map(|(phrase, _)| phrase.into()).collect();
        let features = TextFeatures::try_from(Stored { options: self.clone(), terms, idf })?;
        let mut rows = SparseMatrix::empty(features.terms.len());
        let mut entries = Vec::new();
        for text in stretches.iter().flat_map(|stretch| stretch.texts()) {
            entries.clear();
            entries
                .extend(text.iter().filter_map(|&(number, times)| Some((columns[number as usize]?, times))));
            entries.sort_unstable_by_key(|&(column, _)| column);
            features.weigh(&mut entries);
            rows.push(entries.iter().copied());
        }
        Ok((features, rows))
    }

    /// What cuts texts into terms; `stop` is [`stop_set`](Self::stop_set).
    pub(super) fn phrases<'a>(&self, stop: &'a HashSet<String>) -> Phrases<'a> {
        Phrases::new(self.tokens, self.phrase_lengths, self.shortest_word, stop)
    }

    pub(super) fn stop_set(&self) -> HashSet<String> {
        self.stop_words.iter().cloned().collect()
    }
}

/// Fitted terms: stored with a model, so that new texts become the same columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct TextFeatures {
    options: TextOptions,
    terms: Vec<String>,
    idf: Vec<f64>,
    columns: HashMap<String, u32>,
}

/// What of [`TextFeatures`] is written to a model file.
#[derive(Serialize, Deserialize)]
struct Stored {
    options: TextOptions,
    terms: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    idf: Vec<f64>,
}

impl From<TextFeatures> for Stored {
    fn from(features: TextFeatures) -> Self {
        Self { options: features.options, terms: features.terms, idf: features.idf }
    }
}

impl TryFrom<Stored> for TextFeatures {
    type Error = DataError;

    fn try_from(stored: Stored) -> Result<Self, DataError> {
        let Stored { options, terms, idf } = stored;
        let (low, high) = options.phrase_lengths;
        if low == 0 || low > high || high > LONGEST_PHRASE {
            return Err(DataError::PhraseLengths { low, high, limit: LONGEST_PHRASE });
        }
        let expected = if options.weighting == Weighting::Counts { 0 } else { terms.len() };
        if idf.len() != expected {
            return Err(TableError::Length { what: "weights of terms", expected, found: idf.len() }.into());
        }
        if let Some(at) = idf.iter().position(|weight| !weight.is_finite()) {
            return Err(DataError::NotFiniteValue { column: terms[at].clone(), row: 1, value: idf[at] });
        }
        let columns: HashMap<String, u32> =
            terms.iter().enumerate().map(|(column, term)| (term.clone(), column as u32)).collect();
        if columns.len() != terms.len() {
            return Err(TableError::Length {
                what: "different terms",
                expected: terms.len(),
                found: columns.len(),
            }
            .into());
        }
        Ok(Self { options, terms, idf, columns })
    }
}

impl TextFeatures {
    /// The terms in the order of the columns, which is that of the alphabet.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The share of the training texts that had none of the terms, if each term came by itself: 0 where no weights tell how many
    /// texts a term was in.
    pub(crate) fn share_without(&self) -> f64 {
        if self.idf.is_empty() {
            return 0.0;
        }
        // idf = 1 + ln((1 + n) / (1 + df))
        self.idf.iter().map(|idf| 1.0 - (1.0 - idf).exp().min(1.0)).product::<f64>()
    }

    /// Whether more texts have no term than texts like those of training would: most of those that should have one.
    pub(crate) fn are_unlike(&self, without: usize, texts: usize) -> bool {
        without as f64 > (1.0 + self.share_without()) / 2.0 * texts as f64
    }

    /// How rare each term is, in the order of the terms; nothing where terms are counted.
    pub fn idf(&self) -> &[f64] {
        &self.idf
    }

    /// The known and unknown terms of a text, as often as they occur: what is counted of it.
    pub fn terms_of(&self, text: &str) -> Vec<String> {
        let stop = self.options.stop_set();
        let mut phrases = self.options.phrases(&stop);
        phrases.fill(text);
        let mut found = Vec::new();
        phrases.each(|phrase| found.push(phrase.to_string()));
        found
    }

    /// What the terms were chosen by.
    pub fn options(&self) -> &TextOptions {
        &self.options
    }

    /// A row per text. Terms that were not there when the features were fitted do not count; a text without a known term
    /// becomes a row of zeros.
    pub fn transform<S: AsRef<str> + Sync>(&self, texts: &[S]) -> SparseMatrix {
        let stop = self.options.stop_set();
        let parts = map_stretches(texts, 0, LEAST, |texts| {
            let mut rows = SparseMatrix::empty(self.terms.len());
            let (mut phrases, mut tally) = (self.options.phrases(&stop), Tally::default());
            for text in texts {
                phrases.fill(text.as_ref());
                tally.count(&phrases, |phrase| self.columns.get(phrase).copied());
                self.weigh(&mut tally.counts);
                rows.push(tally.counts.iter().copied());
            }
            rows
        });
        let mut all = SparseMatrix::empty(self.terms.len());
        parts.iter().for_each(|part| all.append(part));
        all
    }

    /// From the counts of a text to its values.
    fn weigh(&self, entries: &mut [(u32, f32)]) {
        let tf: fn(f64) -> f64 = match self.options.weighting {
            Weighting::Counts => return,
            Weighting::TfIdf => |count| count,
            Weighting::SublinearTfIdf => |count| 1.0 + count.ln(),
        };
        let value = |&(column, count): &(u32, f32)| tf(f64::from(count)) * self.idf[column as usize];
        let length = entries.iter().map(|entry| value(entry) * value(entry)).sum::<f64>().sqrt();
        entries.iter_mut().for_each(|entry| entry.1 = (value(entry) / length) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGLISH_STOP_WORDS;

    const TEXTS: [&str; 3] = ["The cat sat.", "A cat and a cat", "the dog!"];

    fn counts() -> TextOptions {
        TextOptions { weighting: Weighting::Counts, min_texts: 1, ..TextOptions::default() }
    }

    #[test]
    fn counts_by_hand() {
        let (features, rows) = counts().fit_transform(&TEXTS).unwrap();
        assert_eq!(features.terms(), ["and", "cat", "dog", "sat", "the"]);
        let dense = rows.to_dense(&[0, 1, 2, 3, 4]).unwrap();
        assert_eq!(dense.row(0), [0.0, 1.0, 0.0, 1.0, 1.0]);
        assert_eq!(dense.row(1), [1.0, 2.0, 0.0, 0.0, 0.0]);
        assert_eq!(dense.row(2), [0.0, 0.0, 1.0, 0.0, 1.0]);
        // New texts: known words count, others do not.
        let new = features.transform(&["Cat? CAT! dogs", "nothing known"]);
        assert_eq!(new.row(0), ([1].as_slice(), [2.0].as_slice()));
        assert_eq!(new.row(1), ([].as_slice(), [].as_slice()));
    }

    #[test]
    fn tf_idf_by_hand() {
        let options = TextOptions { min_texts: 1, ..TextOptions::default() };
        let (features, rows) = options.fit_transform(&TEXTS).unwrap();
        // n = 3; cat and the occur in 2 texts, the others in 1.
        let (common, rare) = (1.0 + (4.0_f64 / 3.0).ln(), 1.0 + 2.0_f64.ln());
        let length = (4.0 * common * common + rare * rare).sqrt();
        let (columns, values) = rows.row(1);
        assert_eq!(columns, [0, 1]);
        assert!((f64::from(values[0]) - rare / length).abs() < 1e-7);
        assert!((f64::from(values[1]) - 2.0 * common / length).abs() < 1e-7);
        assert_eq!(features.transform(&TEXTS), rows);
    }

    #[test]
    fn texts_of_rare_terms_are_expected_to_lack_them() {
        let options = TextOptions { min_texts: 1, max_terms: Some(2), ..TextOptions::default() };
        // Terms of 1 and 2 of 9 texts: about (1 - 2/10) (1 - 3/10) have neither.
        let texts = ["ann", "bob", "bob", "", "", "", "", "", ""];
        let features = options.fit(&texts).unwrap();
        assert!((features.share_without() - 0.8 * 0.7).abs() < 1e-12, "{}", features.share_without());
        assert!(!features.are_unlike(7, 9) && features.are_unlike(8, 9));
        // Without weights: most of them.
        let counted = counts().fit(&texts).unwrap();
        assert!(!counted.are_unlike(4, 9) && counted.are_unlike(5, 9));
    }

    #[test]
    fn which_terms_are_kept() {
        let terms = |options: TextOptions| options.fit(&TEXTS).unwrap().terms().to_vec();
        assert_eq!(terms(TextOptions { min_texts: 2, ..counts() }), ["cat", "the"]);
        // cat occurs 3 times, the 2 times; and comes before the other single words.
        assert_eq!(terms(TextOptions { max_terms: Some(3), ..counts() }), ["and", "cat", "the"]);
        let stop_words = ENGLISH_STOP_WORDS.iter().map(|word| word.to_string()).collect();
        assert_eq!(
            terms(TextOptions { stop_words, phrase_lengths: (1, 2), ..counts() }),
            ["cat", "cat cat", "cat sat", "dog", "sat"]
        );
    }

    #[test]
    fn many_texts_are_counted_as_one_by_one() {
        // Enough texts for several stretches; their order of first mention differs from the alphabet's.
        let texts: Vec<String> = (0..1000).map(|i| format!("w{} w{} all", 997 - i % 7, i * i % 31)).collect();
        let (features, rows) = TextOptions::default().fit_transform(&texts).unwrap();
        assert!(features.terms().is_sorted());
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(features.transform(&[text]).row(0), rows.row(i), "{text}");
        }
    }

    #[test]
    fn stored_with_a_model_and_read_again() {
        let (features, rows) = TextOptions::default().fit_transform(&TEXTS).unwrap();
        let json = serde_json::to_string(&features).unwrap();
        let read: TextFeatures = serde_json::from_str(&json).unwrap();
        assert_eq!(read.transform(&TEXTS), rows);
        assert_eq!(read.options(), features.options());
        let broken = json.replace("\"cat\"", "\"the\"");
        assert!(serde_json::from_str::<TextFeatures>(&broken).is_err());
        assert!(serde_json::from_str::<TextFeatures>(&json.replace("\"idf\"", "\"ifd\"")).is_err());
    }

    #[test]
    fn wrong_wishes_get_a_sentence() {
        let message = |options: TextOptions, texts: &[&str]| options.fit(texts).unwrap_err().to_string();
        assert_eq!(
            message(TextOptions { min_texts: 3, ..counts() }, &TEXTS),
            "no word or phrase occurs in at least 3 of the 3 texts; lower that number, or check that they are \
             texts"
        );
        assert!(message(counts(), &[" . ", ""]).starts_with("no word or phrase occurs"));
        assert_eq!(
            message(TextOptions { phrase_lengths: (2, 1), ..counts() }, &TEXTS),
            "phrases of 2 to 1 words cannot be made; choose lengths between 1 and 8, the shorter one first"
        );
        assert!(message(TextOptions { phrase_lengths: (0, 1), ..counts() }, &TEXTS).contains("0 to 1"));
    }
}
