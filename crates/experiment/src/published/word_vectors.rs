//! Word vectors in GloVe's text files, and texts as the mean of their words' vectors.
//!
//! J. Pennington, R. Socher, C. D. Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014. A line holds a
//! word and its numbers with single blanks between; `glove.6B.100d.txt` has 100 numbers per line, the 300d file 300. A
//! text x of the words w₁ … w_k that have a vector becomes (v(w₁) + … + v(w_k)) / k, and zeros if no word has one.
//! What a word is, [`words`] says.

use super::SetError;
use super::source::Source;
use onesided_data::{Matrix, check_memory, words};
use onesided_table::shortened;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The longest line that makes sense: a few thousand numbers.
const LONGEST: u64 = 1 << 17;

/// How many lines are read between two questions about memory.
const LINES_BETWEEN: usize = 1 << 12;

/// The different words of some texts: those whose vectors are worth reading.
pub fn vocabulary<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> HashSet<String> {
    let mut vocabulary = HashSet::new();
    texts.into_iter().for_each(|text| vocabulary.extend(words(text.as_ref())));
    vocabulary
}

/// Words with a vector each.
#[derive(Clone, Debug)]
pub struct WordVectors {
    dimension: usize,
    places: HashMap<String, usize>,
    values: Vec<f32>,
    lines: usize,
}

/// Texts as vectors, and how many of their words that left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Averages {
    /// A row per text.
    pub vectors: Matrix,
    /// Words in all texts together.
    pub words: usize,
    /// How many of these have no vector.
    pub unknown: usize,
    /// Texts without a single known word, whose rows are zeros.
    pub empty: usize,
}

/// Reads the vectors of the words in `wanted` from the file at `path`, plain or packed with gzip. The lines of other
/// words are only checked for their length.
pub fn word_vectors(path: &Path, wanted: &HashSet<String>) -> Result<WordVectors, SetError> {
    read(Source::open(path)?, named_dimension(path), |word| wanted.contains(word))
}

/// Reads a file to its end, every number of it, and keeps nothing: the numbers of lines and of dimensions.
pub(super) fn check(path: &Path) -> Result<(usize, usize), SetError> {
    // Each word is wanted, but its place is taken by the next.
    let mut source = Source::open(path)?;
    let (mut lines, mut dimension, mut values) = (0, named_dimension(path), Vec::new());
    let mut line = Vec::new();
    while source.line(&mut line, LONGEST)? {
        lines += 1;
        values.clear();
        let outcome = Line::split(&line, &mut dimension).and_then(|line| line.parse(&mut values));
        outcome.map_err(|detail| bad_line(&source, lines, detail))?;
    }
    match (lines, dimension) {
        (1.., Some(dimension)) => Ok((lines, dimension)),
        _ => Err(source.not("word vector", "it is empty")),
    }
}

impl WordVectors {
    /// Numbers in a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many words have a vector here.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no word has one.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many words the file has, those that were not wanted included.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// The vector of a word in lower case.
    pub fn get(&self, word: &str) -> Option<&[f32]> {
        let at = self.places.get(word)? * self.dimension;
        Some(&self.values[at..at + self.dimension])
    }

    /// Each text as the mean of its words' vectors. A word counts as often as it occurs.
    pub fn average<S: AsRef<str>>(&self, texts: &[S]) -> Result<Averages, SetError> {
        let mut values = Vec::with_capacity(texts.len() * self.dimension);
        let (mut all, mut unknown, mut empty) = (0, 0, 0);
        let mut sum = vec![0f64; self.dimension];
        for text in texts {
            sum.fill(0.0);
            let mut known = 0usize;
            for word in words(text.as_ref()) {
                all += 1;
                match self.get(&word) {
                    Some(vector) => {
                        known += 1;
                        sum.iter_mut().zip(vector).for_each(|(sum, &value)| *sum += f64::from(value));
                    }
                    None => unknown += 1,
                }
            }
            empty += usize::from(known == 0);
            values.extend(sum.iter().map(|sum| (sum / known.max(1) as f64) as f32));
        }
        let vectors = Matrix::new(texts.len(), self.dimension, values)?;
        Ok(Averages { vectors, words: all, unknown, empty })
    }
}

pub(super) fn read(
    mut source: Source,
    named: Option<usize>,
    wanted: impl Fn(&str) -> bool,
) -> Result<WordVectors, SetError> {
    let mut vectors = WordVectors { dimension: 0, places: HashMap::new(), values: Vec::new(), lines: 0 };
    let mut dimension = named;
    let mut line = Vec::new();
    while source.line(&mut line, LONGEST)? {
        vectors.lines += 1;
        // Lists grow by doubling.
        if vectors.lines.is_multiple_of(LINES_BETWEEN) {
            let more = 4 * vectors.values.len() as u64;
            check_memory(|| format!("'{}' beyond line {}", source.name, vectors.lines), more)?;
        }
        let outcome = Line::split(&line, &mut dimension).and_then(|line| {
            let word = String::from_utf8_lossy(line.word);
            if !wanted(&word) || vectors.places.contains_key(word.as_ref()) {
                return Ok(());
            }
            line.parse(&mut vectors.values)?;
            let place = vectors.places.len();
            vectors.places.insert(word.into_owned(), place);
            Ok(())
        });
        outcome.map_err(|detail| bad_line(&source, vectors.lines, detail))?;
    }
    match (vectors.lines, dimension) {
        (1.., Some(dimension)) => Ok(WordVectors { dimension, ..vectors }),
        _ => Err(source.not("word vector", "it is empty")),
    }
}

/// A line cut into its word and its numbers.
struct Line<'a> {
    word: &'a [u8],
    numbers: &'a [u8],
}

impl<'a> Line<'a> {
    /// Cuts a line, whose number of numbers must be `dimension`; the first line of a file says what that is, if its name
    /// does not. Some words of the larger files have blanks in them, so numbers are counted from the end.
    fn split(line: &'a [u8], dimension: &mut Option<usize>) -> Result<Self, String> {
        let blanks = line.iter().filter(|&&byte| byte == b' ').count();
        let expected = *dimension.get_or_insert(blanks);
        if expected < 2 || blanks < expected {
            let wanted = if expected < 2 { "several".to_string() } else { expected.to_string() };
            return Err(format!("it has {blanks} numbers after its word instead of {wanted}"));
        }
        let mut ends = line.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
        match ends.nth(blanks - expected) {
            Some(at) if at > 0 => Ok(Line { word: &line[..at], numbers: &line[at + 1..] }),
            _ => Err("it has no word".to_string()),
        }
    }

    fn parse(&self, values: &mut Vec<f32>) -> Result<(), String> {
        for number in self.numbers.split(|&byte| byte == b' ') {
            let text = std::str::from_utf8(number).unwrap_or("not text");
            match text.parse::<f32>() {
                Ok(value) if value.is_finite() => values.push(value),
                _ => return Err(format!("'{}' is not a finite number", shortened(text))),
            }
        }
        Ok(())
    }
}

fn bad_line(source: &Source, line: usize, detail: String) -> SetError {
    SetError::BadLine { file: source.name.clone(), line: line as u64, detail }
}

/// 100 for a name such as `glove.6B.100d.txt`.
fn named_dimension(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    name.split('.').find_map(|part| part.strip_suffix('d')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::super::gzip;
    use super::*;

    const FILE: &str = "the 1 0.5\ncat -2 4\nat home 8 8\ncat 7 7\n";

    fn of(bytes: &[u8]) -> Result<WordVectors, SetError> {
        read(Source::new("v.txt", bytes)?, None, |word| word != "the")
    }

    #[test]
    fn the_rule_for_words() {
        assert_eq!(
            words("Don't e-mail ME, Café_9!").collect::<Vec<_>>(),
            ["don", "t", "e", "mail", "me", "café", "9"]
        );
        assert_eq!(words(" .\n").count(), 0);
        assert_eq!(vocabulary(["a B", "b c"]), HashSet::from(["a", "b", "c"].map(str::to_string)));
    }

    #[test]
    fn only_wanted_words_are_kept_and_the_first_of_two_counts() {
        for bytes in [FILE.as_bytes(), &gzip(FILE.as_bytes())] {
            let vectors = of(bytes).unwrap();
            assert_eq!((vectors.dimension(), vectors.len(), vectors.lines()), (2, 2, 4));
            assert_eq!((vectors.get("the"), vectors.is_empty()), (None, false));
            assert_eq!(vectors.get("cat"), Some([-2.0, 4.0].as_slice()));
            assert_eq!(vectors.get("at home"), Some([8.0, 8.0].as_slice()));
        }
    }

    #[test]
    fn a_text_is_the_mean_of_its_known_words() {
        let vectors = read(Source::new("v.txt", FILE.as_bytes()).unwrap(), None, |_| true).unwrap();
        // (1 - 2 - 2) / 3 and (0.5 + 4 + 4) / 3; "sat" is unknown.
        let averages = vectors.average(&["The cat sat: CAT!", "", "dog"]).unwrap();
        assert_eq!(averages.vectors.as_slice(), [-1.0, (8.5f64 / 3.0) as f32, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((averages.words, averages.unknown, averages.empty), (5, 2, 2));
    }

    #[test]
    fn lines_that_cannot_be_right_are_named() {
        let message = |text: &str| of(text.as_bytes()).unwrap_err().to_string();
        let again = "copy or download it again";
        assert_eq!(
            message("the 1 2\ncat 1\n"),
            format!("'v.txt' line 2: it has 1 numbers after its word instead of 2; {again}")
        );
        assert_eq!(message("cat 1 x\n"), format!("'v.txt' line 1: 'x' is not a finite number; {again}"));
        assert!(message("cat 1 inf\n").contains("'inf' is not a finite number"));
        // The head of a word2vec file.
        assert!(
            message("400000 100\n").contains("line 1: it has 1 numbers after its word instead of several")
        );
        assert!(message(" 1 2\n 3 4\n").contains("it has no word"));
        assert!(message("").contains("'v.txt' is not a sound word vector file: it is empty"));
        assert_eq!(
            message("cat 1 2\nthe 3 4"),
            format!("'v.txt' ends after 15 bytes, before the end of its last line; {again}")
        );
        let named =
            read(Source::new("v.txt", b"cat 1 2\n".as_slice()).unwrap(), Some(3), |_| true).unwrap_err();
        assert!(named.to_string().contains("2 numbers after its word instead of 3"));
        assert_eq!(named_dimension(Path::new("a.5d/glove.6B.100d.txt")), Some(100));
        assert_eq!(named_dimension(Path::new("vectors.txt")), None);
    }

    #[test]
    fn cut_within_a_line_it_is_refused_and_damaged_anywhere_it_does_not_panic() {
        cuts(FILE.as_bytes(), |cut| assert_eq!(of(cut).is_ok(), cut.ends_with(b"\n"), "{cut:?}"));
        cuts(&gzip(FILE.as_bytes()), |cut| assert!(of(cut).is_err()));
        damaged(FILE.as_bytes(), |bytes| drop(of(bytes)));
        damaged(&gzip(FILE.as_bytes()), |bytes| drop(of(bytes)));
    }
}
