//! Texts as numbers: words, their counts, and TF-IDF.
//!
//! [`words`] says what a word is. [`TextOptions::fit`] learns which words and phrases of some texts are features;
//! [`TextFeatures::transform`] turns any texts into rows of a [`SparseMatrix`](crate::SparseMatrix), now and when the
//! model is used. [`strip_html`] makes a text of a web page first.

mod count;
mod entities;
mod features;
mod html;
mod script;
mod stop_words;
mod words;

pub use features::{TextFeatures, TextOptions, Weighting};
pub use html::{looks_like_html, strip_html};
pub use stop_words::ENGLISH_STOP_WORDS;
pub use words::{Tokens, words};
