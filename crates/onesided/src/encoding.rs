//! From a table or from texts to the columns that a model sees; stored with the model.

use onesided_data::{DataError, Features, SparseMatrix, TextFeatures, TextOptions};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Terms that a network is given where nobody says how many: it takes dense rows, and the most frequent terms carry most
/// of what there is.
pub const NETWORK_TERMS: usize = 5_000;

/// How the input becomes columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Encoding {
    /// Columns of a table, scaled or one-hot.
    Table(Features),
    /// Words and phrases of texts.
    Text(TextInput),
}

/// Texts, and the terms of them that are columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TextInput {
    /// The columns of a table that hold the texts, joined by a blank in this order; none where each text was a file.
    pub columns: Vec<String>,
    /// The terms and their weights.
    pub text: TextFeatures,
}

impl PartialEq for TextInput {
    /// Whether both would be written to a file as the same bytes.
    fn eq(&self, other: &Self) -> bool {
        let written = |input: &Self| serde_json::to_value(input).ok();
        self.columns == other.columns && written(self) == written(other)
    }
}

impl TextInput {
    /// Learns the terms of `texts` and turns these into rows.
    pub fn fit<S: AsRef<str> + Sync>(
        options: &TextOptions,
        columns: Vec<String>,
        texts: &[S],
    ) -> Result<(Self, SparseMatrix), DataError> {
        let (text, rows) = options.fit_transform(texts)?;
        Ok((Self { columns, text }, rows))
    }

    /// Any texts as rows of the same columns.
    pub fn rows<S: AsRef<str> + Sync>(&self, texts: &[S]) -> SparseMatrix {
        self.text.transform(texts)
    }
}

impl Encoding {
    /// How many columns a model sees.
    pub fn width(&self) -> usize {
        match self {
            Encoding::Table(features) => features.width(),
            Encoding::Text(input) => input.text.terms().len(),
        }
    }

    /// Their names: `age`, `color=red`, … or the terms.
    pub fn names(&self) -> Vec<String> {
        match self {
            Encoding::Table(features) => features.names(),
            Encoding::Text(input) => input.text.terms().to_vec(),
        }
    }

    /// The columns of a table, where it is one.
    pub fn table(&self) -> Option<&Features> {
        match self {
            Encoding::Table(features) => Some(features),
            Encoding::Text(_) => None,
        }
    }

    /// The texts, where the input is that.
    pub fn text(&self) -> Option<&TextInput> {
        match self {
            Encoding::Table(_) => None,
            Encoding::Text(input) => Some(input),
        }
    }
}

impl From<&Features> for Encoding {
    fn from(features: &Features) -> Self {
        Encoding::Table(features.clone())
    }
}

impl From<TextInput> for Encoding {
    fn from(input: TextInput) -> Self {
        Encoding::Text(input)
    }
}

impl From<&Encoding> for Encoding {
    fn from(encoding: &Encoding) -> Self {
        encoding.clone()
    }
}

/// By hand, because an error should speak of the kind that was meant.
impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        if value.get("text").is_some() {
            serde_json::from_value(value).map(Encoding::Text).map_err(D::Error::custom)
        } else {
            serde_json::from_value(value).map(Encoding::Table).map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_stored_and_read_again() {
        let table = Encoding::from(&Features::unscaled(vec!["a".to_string(), "b".to_string()]));
        let (input, rows) = TextInput::fit(
            &TextOptions::default(),
            vec!["body".to_string()],
            &["a cat", "the cat", "the dog"],
        )
        .unwrap();
        assert_eq!((rows.rows(), rows.cols()), (3, 2));
        let text = Encoding::from(input);
        assert_eq!((text.width(), text.names()), (2, vec!["cat".to_string(), "the".to_string()]));
        for encoding in [table, text] {
            let json = serde_json::to_string(&encoding).unwrap();
            assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), encoding, "{json}");
        }
        let error = serde_json::from_str::<Encoding>("{\"features\": 3}").unwrap_err().to_string();
        assert!(error.contains("expected a sequence"), "{error}");
    }
}
