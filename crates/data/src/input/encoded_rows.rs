//! Some rows of a table that was encoded already, and how its options say it is written.

use super::{Cutting, Dataset, Encoding, Input, InputOptions, ReadAgain, Roles};
use crate::DataError;
use onesided_table::TableError;
use std::sync::Arc;

impl InputOptions {
    /// How to read the same table again: as it is written, with what is known of its rows.
    pub fn again(&self) -> ReadAgain {
        let roles = Roles { truth: None, id: Vec::new(), ..self.roles.clone() };
        ReadAgain { roles, ..self.written_again() }
    }

    /// How to read the features of the same table again.
    pub fn written_again(&self) -> ReadAgain {
        self.files.clone().into()
    }
}

impl Encoding {
    /// The rows of a table that are wanted, by their numbers from 0, in their order; nothing else is held.
    pub fn read_some(
        self: &Arc<Self>,
        input: &Input,
        also: &ReadAgain,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Dataset, DataError> {
        let (mut first, mut some): (usize, Option<Dataset>) = (0, None);
        self.stream::<DataError>(input, also, Cutting::default(), &mut |piece| {
            let here: Vec<usize> = (0..piece.len()).filter(|&row| wanted(first + row)).collect();
            first += piece.len();
            let more = piece.select(&here);
            some = Some(match some.take() {
                None => more,
                Some(rows) => rows.concat(more)?,
            });
            Ok(())
        })?;
        some.ok_or_else(|| TableError::NoRows { file: input.paths()[0].display().to_string() }.into())
    }
}
