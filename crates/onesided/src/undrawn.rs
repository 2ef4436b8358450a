//! Unlabeled rows that a draw left out: nothing was trained on them, so they calibrate and measure.
//!
//! A model that learned from a draw of the unlabeled rows is calibrated so that the mean probability of the unlabeled rows is
//! μ. The draw's held-out fifth would do; all rows that were not drawn do better, because a threshold far out (one row in
//! 10,000) is set where the held-out rows of a draw hardly have any. The table is read once more, piece by piece, and of each
//! row 4 bytes are kept.

use crate::Error;
use onesided_data::{Cutting, Dataset, Encoding, Input, InputOptions, Label, Phase, draw_unlabeled};
use onesided_eval::{Calibration, Sample};
use onesided_learn::{Fitted, Learned, Task};
use onesided_net::Device;
use std::sync::Arc;

/// What rows were drawn of.
#[derive(Clone, Copy)]
pub(crate) enum DrawnOf<'a> {
    /// A table that can be read again.
    Table { input: &'a Input, options: &'a InputOptions },
    /// Rows in memory: what gives those that were not drawn.
    Memory(&'a EncodeRest<'a>),
}

/// Encodes the unlabeled rows that were not drawn, with their weights where rows have weights.
pub type EncodeRest<'a> = dyn Fn(&Arc<Encoding>) -> Result<Dataset, Error> + 'a;

/// The unlabeled rows that were not drawn.
pub(crate) struct Undrawn {
    /// Their scores by the model, before calibration.
    pub scores: Vec<f32>,
    /// Their weights, where rows have weights.
    pub weights: Option<Vec<f32>>,
}

impl DrawnOf<'_> {
    /// Scores the rows that were not drawn, of about this many in all.
    pub fn rest(
        &self,
        fitted: &Fitted,
        encoding: &Arc<Encoding>,
        rows: usize,
        threads: usize,
    ) -> Result<Undrawn, Error> {
        let phase = Phase::new("scoring rows that were not drawn", rows as u64, "rows");
        match self {
            DrawnOf::Table { input, options } => {
                rest_of_table(input, options, fitted, encoding, threads, &phase)
            }
            DrawnOf::Memory(encode) => {
                let data = encode(encoding)?;
                let data = data.without_blank();
                let scores = fitted.scores(&data, Device::Cpu, threads)?;
                check_finite(&scores, 0)?;
                Ok(Undrawn { scores, weights: data.weights().map(<[f32]>::to_vec) })
            }
        }
    }
}

/// Reads a table again, piece by piece.
fn rest_of_table(
    input: &Input,
    options: &InputOptions,
    fitted: &Fitted,
    encoding: &Arc<Encoding>,
    threads: usize,
    phase: &Phase,
) -> Result<Undrawn, Error> {
    let mut scores: Vec<f32> = Vec::new();
    let cut = Cutting { threads, ..Cutting::default() };
    let streamed = encoding.stream(input, &options.again(), cut, &mut |piece: Dataset| {
        let first = scores.len();
        scores.extend(fitted.scores(&piece, Device::Cpu, threads)?);
        phase.add(piece.len() as u64);
        check_finite(&scores, first)
    })?;
    let labels = streamed.labels.ok_or(Error::NeedsLabels)?;
    // Of two tables, the draw was of the second alone; in either case it goes by the unlabeled rows in their order.
    let skipped = match input {
        Input::One(_) | Input::Parts(_) => 0,
        Input::Two { .. } => labels.iter().take_while(|&&label| label == Label::Positive).count(),
    };
    let end = match input {
        Input::One(_) | Input::Parts(_) => labels.len(),
        Input::Two { .. } => skipped + count(&labels[skipped..], Label::Unlabeled),
    };
    let of = options.max_unlabeled.unwrap_or(usize::MAX);
    let drawn = draw_unlabeled(&labels[skipped..end], of, options.seed);
    let left_out = |row: &usize| {
        let is_blank = streamed.blank.binary_search(&(*row as u32)).is_ok();
        let in_draw = drawn.as_ref().is_none_or(|drawn| drawn.contains(row - skipped));
        labels[*row] == Label::Unlabeled && !in_draw && !is_blank
    };
    let rows: Vec<usize> = (skipped..end).filter(left_out).collect();
    let weights = streamed.weights.map(|all| rows.iter().map(|&row| all[row]).collect());
    Ok(Undrawn { scores: rows.iter().map(|&row| scores[row]).collect(), weights })
}

/// Refuses scores from `first` on that are not numbers.
fn check_finite(scores: &[f32], first: usize) -> Result<(), Error> {
    match scores[first..].iter().position(|score| !score.is_finite()) {
        Some(at) => Err(Error::Score { row: first + at + 1, score: scores[first + at] }),
        None => Ok(()),
    }
}

fn count(labels: &[Label], wanted: Label) -> usize {
    labels.iter().filter(|&&label| label == wanted).count()
}

/// Calibrates what was learned on the held-out positives and the unlabeled rows that nothing was trained on: those held out, and
/// those not drawn. A theory's own probabilities stay as they are.
pub(crate) fn calibrate(learned: &mut Learned, task: &Task, undrawn: Option<&Undrawn>) -> Result<(), Error> {
    let mu = learned.priors.map(|priors| priors.in_unlabeled);
    let (None, Some(mu)) = (learned.fitted.link(), mu) else { return Ok(()) };
    let more = undrawn.map_or(&[][..], |undrawn| &undrawn.scores);
    let unlabeled = [learned.unlabeled.as_slice(), more].concat();
    let weights = task.weights_of(&learned.held_out).map(|held| {
        let more = undrawn.and_then(|undrawn| undrawn.weights.as_deref()).unwrap_or_default();
        let (positive, other) = held.split_at(learned.positive.len());
        (positive.to_vec(), [other, more].concat())
    });
    // Rows that were not drawn have weights where the others have.
    let weights = weights.filter(|(_, of_unlabeled)| of_unlabeled.len() == unlabeled.len());
    let (of_p, of_u) = match &weights {
        Some((positive, unlabeled)) => (Some(positive.as_slice()), Some(unlabeled.as_slice())),
        None => (None, None),
    };
    let positive = Sample { scores: &learned.positive, weights: of_p };
    learned.calibration =
        Calibration::fit_weighted(positive, Sample { scores: &unlabeled, weights: of_u }, mu)?;
    Ok(())
}
