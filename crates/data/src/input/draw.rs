//! Tables of which only some unlabeled rows are read.
//!
//! A first reading looks at the labels alone, or counts rows. Then unlabeled rows are drawn, each choice being as likely,
//! and the second reading takes them and all others. The share of positives among the drawn rows is that among all, but for
//! chance; what the labeled ones are a share of is not, so the numbers of all rows are kept ([`DrawnFrom`]).

use super::table::{Table, finish, learn, read_settled, read_source, stacked};
use super::{Dataset, Input, InputOptions, Note, Roles};
use crate::label::{amounts, apart, count_labels};
use crate::{Amounts, Counts, DataError, Frame, Label};
use onesided_table::{KeptRows, ReadOptions, Source};
use std::sync::Arc;

/// The rows that others were drawn of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnFrom {
    /// How many there are.
    pub counts: Counts,
    /// How much they weigh.
    pub amounts: Amounts,
}

impl DrawnFrom {
    fn of(labels: &[Label], weights: Option<&[f32]>) -> Self {
        Self { counts: count_labels(labels), amounts: amounts(labels, weights) }
    }

    /// Without rows that are empty in every column: unlabeled ones that were not read are taken to be empty as often as those that were
    /// drawn.
    pub(super) fn filled(self, blank: &[u32], drawn: Option<&[Label]>) -> Self {
        let is_unlabeled =
            |row: &&u32| drawn.is_some_and(|labels| labels[**row as usize] == Label::Unlabeled);
        let of = drawn.map_or(0, |labels| count_labels(labels).unlabeled);
        let empty = blank.iter().filter(is_unlabeled).count();
        let left = if of > 0 { 1.0 - empty as f64 / of as f64 } else { 1.0 };
        let unlabeled = (left * self.counts.unlabeled as f64).round() as usize;
        Self {
            counts: Counts { unlabeled, ..self.counts },
            amounts: Amounts { unlabeled: left * self.amounts.unlabeled, ..self.amounts },
        }
    }
}

impl InputOptions {
    /// [`learn`](Self::learn) of the rows that were drawn of others: the frame holds the drawn rows, `labels` and `weights` are
    /// those of all rows.
    pub fn learn_drawn(
        &self,
        frame: Frame,
        labels: &[Label],
        weights: Option<&[f32]>,
        drawn: &KeptRows,
    ) -> Result<Dataset, DataError> {
        self.check()?;
        let is_drawn = |(row, _): &(usize, &Label)| drawn.contains(*row);
        let kept: Vec<Label> = labels.iter().enumerate().filter(is_drawn).map(|(_, label)| *label).collect();
        let from = DrawnFrom::of(labels, weights);
        let data = learn(self, frame, Some(&kept))?.with_drawn_from(Some(from)).with_labels(kept)?;
        let weights = weights.map(|weights| {
            weights.iter().enumerate().filter(|(row, _)| drawn.contains(*row)).map(|(_, &weight)| weight)
        });
        let data = match weights {
            Some(weights) => data.with_weights(weights.collect())?,
            None => data,
        };
        Ok(noted(data))
    }
}

/// With a note of the draw.
fn noted(data: Dataset) -> Dataset {
    let note = data
        .drawn_from()
        .zip(data.counts())
        .map(|(from, counts)| Note::Drawn { unlabeled: counts.unlabeled, of: from.counts.unlabeled });
    data.with_notes(note)
}

/// One table with a column of labels, or positives and unlabeled rows separately.
pub(super) fn read(options: &InputOptions, input: &Input, unlabeled: usize) -> Result<Dataset, DataError> {
    match input {
        Input::One(_) | Input::Parts(_) => {
            let source = input.first_source()?;
            let Some(label) = &options.roles.label else {
                return Err(DataError::NoLabelColumn { file: source.name().to_string() });
            };
            let only = ReadOptions { only: Some(Vec::new()), ..options.as_written() };
            let roles = Roles { id: Vec::new(), truth: None, ..options.roles.clone() };
            let Table { answers, .. } = read_source(&source, only, (&roles).into())?;
            let labels = answers.labels.ok_or(DataError::NoLabelColumn { file: label.clone() })?;
            let from = DrawnFrom::of(&labels, answers.weights.as_deref());
            let drawn = draw_unlabeled(&labels, unlabeled, options.seed);
            drop(labels);
            let (drawn_from, rows) = (drawn.as_ref().map(|_| from), drawn.map(Arc::new));
            let read = ReadOptions { rows, ..options.read_options() };
            let Table { frame, answers } = read_source(&source, read, (&options.roles).into())?;
            finish(learn(options, frame, answers.labels.as_deref())?.with_drawn_from(drawn_from), answers)
        }
        // What contradicts two places is for the reader of all rows to say.
        Input::Two { .. } if options.roles.label.is_some() || options.roles.truth.is_some() => {
            let all = InputOptions { max_unlabeled: None, ..options.clone() };
            super::table::read(&all, input)
        }
        Input::Two { positives, unlabeled: others, negatives } => {
            let whole = options.read_options();
            let source = Source::at(others)?;
            let only = ReadOptions { only: Some(Vec::new()), ..options.as_written() };
            let bare = Roles { id: Vec::new(), ..options.roles.clone() };
            let Table { frame: counted, answers: weighed } = read_source(&source, only, (&bare).into())?;
            let labels = vec![Label::Unlabeled; counted.rows];
            let drawn = draw_unlabeled(&labels, unlabeled, options.seed);
            let mut from = DrawnFrom::of(&labels, weighed.weights.as_deref());
            let is_drawn = drawn.is_some();
            let read = ReadOptions { rows: drawn.map(Arc::new), ..whole.clone() };
            let positives = Source::at(positives)?;
            let negatives = negatives.as_deref().map(Source::at).transpose()?;
            let mut places = vec![(&positives, whole.clone()), (&source, read)];
            places.extend(negatives.iter().map(|source| (source, whole.clone())));
            let tables = read_settled(&places, (&options.roles).into())?;
            let of =
                |table: &Table, labels: &[Label]| DrawnFrom::of(labels, table.answers.weights.as_deref());
            let of_positives = of(&tables[0], &apart(tables[0].frame.rows, 0, 0));
            (from.counts.positive, from.amounts.positive) =
                (of_positives.counts.positive, of_positives.amounts.positive);
            if let Some(negatives) = tables.get(2) {
                let negative = of(negatives, &apart(0, 0, negatives.frame.rows));
                (from.counts.negative, from.amounts.negative) =
                    (negative.counts.negative, negative.amounts.negative);
            }
            let Table { frame, answers } = stacked(tables)?;
            finish(
                learn(options, frame, answers.labels.as_deref())?.with_drawn_from(is_drawn.then_some(from)),
                answers,
            )
        }
    }
    .map(noted)
}

/// All labeled rows, and this many of the unlabeled ones; `None` where there are no more than that.
pub fn draw_unlabeled(labels: &[Label], unlabeled: usize, seed: u64) -> Option<KeptRows> {
    KeptRows::draw(labels.len(), |row| labels[row] != Label::Unlabeled, unlabeled, seed)
}
