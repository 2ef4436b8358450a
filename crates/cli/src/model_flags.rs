//! Flags of every command that takes rows to a model: which of the rows are labeled, and with what they are scored.

use crate::commands::device;
use crate::failure::Failure;
use crate::inputs::check_texts;
use crate::model_file;
use clap::Args;
use onesided::{KnownRows, List, Model, Roles, RowsFileError};
use std::path::Path;

/// Which rows are labeled.
#[derive(Debug, Args)]
pub struct LabelFlags {
    /// The column that says which rows are labeled positive. Lists and draws leave them out. Not needed for the table that the model
    /// was fitted on, unless the column was renamed.
    #[arg(short, long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The value in it that means positive.
    #[arg(long, value_name = "VALUE", requires = "label")]
    pub positive: Option<String>,
    /// The value in it that means negative.
    #[arg(long, value_name = "VALUE", requires = "label", allow_hyphen_values = true)]
    pub negative: Option<String>,
}

impl LabelFlags {
    /// A list that knows them.
    pub fn on<'m>(&self, list: List<'m>) -> List<'m> {
        match &self.label {
            Some(label) => list.label(label, self.positive.as_deref(), self.negative.as_deref()),
            None => list,
        }
    }

    /// The columns that say so.
    pub fn roles(&self) -> Roles {
        Roles {
            label: self.label.clone(),
            positive: self.positive.clone(),
            negative: self.negative.clone(),
            ..Roles::default()
        }
    }
}

/// With what rows are scored.
#[derive(Debug, Args)]
pub struct ScoringFlags {
    /// For a model fitted on folders of texts: the text column of a table.
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Threads to use; 0 means all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Where to score: auto (a GPU if it is faster), cpu, cuda or cuda:N.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub device: String,
}

impl ScoringFlags {
    /// A model for rows in `places`, and the rows that it was fitted on.
    pub fn load<'p>(
        &self,
        model: &Path,
        places: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(Model, Result<KnownRows, RowsFileError>), Failure> {
        let device = device(&self.device)?;
        let (model, beside) = model_file::load_with_rows(model, places)?;
        check_texts(&model, &self.text)?;
        Ok((model.on_device(device).with_threads(self.threads), beside))
    }
}
