//! Rows to score: read as the model's own input was, be it a table or texts.

use super::tell_encoding;
use super::texts::{read_folder, read_table, take_texts};
use crate::failure::Failure;
use onesided::data::{Column, Frame, Matrix, MissingPolicy, SparseMatrix, Values, read};
use onesided::{Encoding, Model, Rows};
use std::path::Path;

/// What was read and encoded.
pub enum Scored {
    Dense(Matrix),
    Sparse(SparseMatrix),
}

impl Scored {
    pub fn get(&self) -> Rows<'_> {
        match self {
            Scored::Dense(matrix) => matrix.into(),
            Scored::Sparse(matrix) => matrix.into(),
        }
    }

    /// These rows, then others that the same model encoded.
    pub fn followed_by(self, other: Scored) -> Result<Scored, Failure> {
        Ok(match (self, other) {
            (Scored::Dense(first), Scored::Dense(second)) => {
                let (rows, cols) = (first.rows() + second.rows(), first.cols());
                let mut values = first.into_vec();
                values.extend_from_slice(second.as_slice());
                Scored::Dense(Matrix::new(rows, cols, values)?)
            }
            (Scored::Sparse(mut first), Scored::Sparse(second)) => {
                first.append(&second);
                Scored::Sparse(first)
            }
            // A model has one encoding.
            (Scored::Dense(_), Scored::Sparse(_)) | (Scored::Sparse(_), Scored::Dense(_)) => {
                return Err(Failure::input("texts and tables cannot be measured together"));
            }
        })
    }
}

/// Reads a table, or a folder of texts, and the columns in `extra` with it. These may not be features of the model:
/// `refusal` says so. The names of a folder's files come as a column `file`.
pub fn read_rows(
    model: &Model,
    file: &Path,
    text: &[String],
    extra: &[&str],
    refusal: impl Fn(&str) -> String,
) -> Result<(Scored, Frame), Failure> {
    let input = match &model.about().features {
        Encoding::Table(features) => {
            if !text.is_empty() {
                return Err(Failure::input(
                    "the model was fitted on columns of a table, not on texts; leave --text out",
                ));
            }
            let is_feature = |name: &&&str| features.columns().iter().any(|feature| feature.name == **name);
            if let Some(name) = extra.iter().find(is_feature) {
                return Err(Failure::Input(refusal(name)));
            }
            let mut frame = read(file, &features.read_options(extra))?;
            let taken = extra.iter().map(|name| frame.take(name)).collect::<Result<Vec<Column>, _>>()?;
            let ignored = frame.ignored.clone();
            let (matrix, report) = features.encode(frame)?;
            tell_encoding(&report);
            let rows = matrix.rows();
            return Ok((Scored::Dense(matrix), Frame { columns: taken, rows, ignored }));
        }
        Encoding::Text(input) => input,
    };
    if file.is_dir() {
        if !text.is_empty() {
            return Err(Failure::input("a folder of texts has no columns; leave --text out"));
        }
        if let Some(name) = extra.first() {
            return Err(Failure::input(format!(
                "a folder of texts has no column '{name}'; put the texts into a table with such a column"
            )));
        }
        let files = read_folder(file)?;
        let rows = files.texts.len();
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by(|&a, &b| files.names[a as usize].cmp(&files.names[b as usize]));
        let mut codes = vec![0; rows];
        order.iter().enumerate().for_each(|(code, &row)| codes[row as usize] = code as u32);
        let levels = order.iter().map(|&row| files.names[row as usize].clone()).collect();
        let column = Column { name: "file".to_string(), values: Values::Categorical { codes, levels } };
        return Ok((
            Scored::Sparse(input.rows(&files.texts)),
            Frame { columns: vec![column], rows, ignored: Vec::new() },
        ));
    }
    let columns = if text.is_empty() { &input.columns } else { text };
    if columns.is_empty() {
        if !file.exists() {
            return Err(Failure::input(format!(
                "there is no file or folder '{}'; check the path",
                file.display()
            )));
        }
        return Err(Failure::input(
            "the model was fitted on folders of texts; name the column of the table that holds texts with --text COLUMN, \
             or give a folder",
        ));
    }
    if let Some(name) = extra.iter().find(|name| columns.iter().any(|column| column == **name)) {
        return Err(Failure::Input(refusal(name)));
    }
    let mut frame = read_table(file, columns, extra)?;
    let texts = take_texts(&mut frame, columns, MissingPolicy::default())?;
    Ok((Scored::Sparse(input.rows(&texts)), frame))
}
