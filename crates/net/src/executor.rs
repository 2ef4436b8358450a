//! The joint between the training loop and a device.

use crate::NetError;
use crate::dropped_numbers::Dropped;
use crate::mixup::Partner;
use crate::optimizer::Clock;
use crate::spec::Shape;
use crate::strong_views::Strong;
use crate::weights::Weights;

/// Whether a pass learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Batch statistics, dropout, everything kept for the backward pass.
    Train,
    /// Batch statistics, no dropout, nothing kept: the running statistics stay as they are.
    Observe,
    /// Running statistics, no dropout.
    Predict,
}

impl Mode {
    /// Whether a batch norm takes the statistics of the batch.
    pub(crate) fn of_batch(self) -> bool {
        self != Mode::Predict
    }
}

/// Where an image is cut from and whether it is mirrored. One for each row of a batch.
///
/// With r the reflection at the border that repeats no edge, the pixel (y, x) of the result is the pixel
/// (r(y + down), r(x + right)) of the image; a mirrored one has width - 1 - x in the place of x.
// Four bytes, sent to a device as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Draw {
    /// Pixels that the cut lies below the image's own place.
    pub down: i8,
    /// Pixels that it lies to the right.
    pub right: i8,
    /// 1 for an image whose left is put on the right, else 0.
    pub mirror: u8,
    /// Always 0.
    pub spare: u8,
}

/// What goes through the network at once.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// Row numbers of the data set.
    pub rows: &'b [u32],
    /// One draw per row, or none at all: rows as they are.
    pub draws: &'b [Draw],
    /// Strong views of the last rows, as many as there are entries here.
    pub strong: &'b [Strong],
    /// Strong views of the last rows where rows are no images; not together with those of images.
    pub dropped: &'b [Dropped],
    /// What the last rows are mixed with, so many as there are of them here; not together with strong views.
    pub partners: &'b [Partner],
    /// Key of the dropout draws of a training pass.
    pub dropout_key: u64,
}

impl<'b> Batch<'b> {
    /// Rows as they are.
    pub fn plain(rows: &'b [u32]) -> Self {
        Self { rows, draws: &[], strong: &[], dropped: &[], partners: &[], dropout_key: 0 }
    }

    /// Refuses rows that a data set of `rows` does not have, and draws that leave an image by more than its own size.
    pub(crate) fn check(&self, rows: usize, input: Shape) -> Result<(), NetError> {
        check_rows(self.rows, rows)?;
        if !self.draws.is_empty() && self.draws.len() != self.rows.len() {
            let (draws, rows) = (self.draws.len(), self.rows.len());
            return Err(NetError::Config(format!("a batch of {rows} rows has {draws} draws")));
        }
        let views = self.strong.len() + self.dropped.len();
        if views > self.rows.len() || !(self.strong.is_empty() || self.dropped.is_empty()) {
            let rows = self.rows.len();
            return Err(NetError::Config(format!("a batch of {rows} rows has {views} strong views")));
        }
        if !self.strong.is_empty() && input.pixels() == 1 {
            return Err(NetError::Config(format!("strong views are of images, but a row has shape {input}")));
        }
        if self.partners.len() > self.rows.len() || !(self.partners.is_empty() || views == 0) {
            let (partners, rows) = (self.partners.len(), self.rows.len());
            return Err(NetError::Config(format!(
                "a batch of {rows} rows has {partners} partners to mix with and {views} strong views"
            )));
        }
        if let Some(partner) = self.partners.iter().find(|partner| partner.row as usize >= rows) {
            check_rows(&[partner.row], rows)?;
        }
        let fits = |by: i8, side: usize| usize::from(by.unsigned_abs()) < side;
        let draws = self.draws.iter().chain(self.partners.iter().map(|partner| &partner.draw));
        match draws.into_iter().find(|d| !fits(d.down, input.height) || !fits(d.right, input.width)) {
            Some(Draw { down, right, .. }) => Err(NetError::Config(format!(
                "an image of shape {input} cannot be cut {down} pixels down and {right} to the right"
            ))),
            None => Ok(()),
        }
    }
}

/// Refuses row numbers past the end of a data set of `rows`.
pub(crate) fn check_rows(numbers: &[u32], rows: usize) -> Result<(), NetError> {
    match numbers.iter().max() {
        Some(&row) if row as usize >= rows => {
            Err(NetError::Config(format!("row {row} was asked for, but the data has {rows} rows")))
        }
        _ => Ok(()),
    }
}

/// A data set as it is held: all rows, one after the other, each as wide as the network's input (NHWC).
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Numbers as they are.
    Numbers(&'a [f32]),
    /// Bytes, each read as `byte * scale[channel] + shift[channel]`, rounded to f32 after the product.
    Bytes {
        /// The bytes.
        bytes: &'a [u8],
        /// One factor for each channel of the network's input.
        scale: &'a [f32],
        /// One summand for each channel.
        shift: &'a [f32],
    },
}

impl Source<'_> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Source::Numbers(numbers) => numbers.len(),
            Source::Bytes { bytes, .. } => bytes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rows of shape `input`, or why the data cannot be read as such rows.
    pub(crate) fn check(&self, input: Shape) -> Result<usize, NetError> {
        let wide = input.len();
        if wide == 0 || !self.len().is_multiple_of(wide) {
            return Err(NetError::Config(format!(
                "the data holds {} numbers, which is not a multiple of the network's {wide} inputs",
                self.len()
            )));
        }
        if let Source::Bytes { scale, shift, .. } = self {
            if scale.len() != input.channels || shift.len() != input.channels {
                return Err(NetError::Config(format!(
                    "bytes of {} channels need as many scales and shifts, but come with {} and {}",
                    input.channels,
                    scale.len(),
                    shift.len()
                )));
            }
            if let Some(wrong) = scale.iter().chain(*shift).find(|x| !x.is_finite()) {
                return Err(NetError::Config(format!("bytes cannot be scaled or shifted by {wrong}")));
            }
        }
        Ok(self.len() / wide)
    }

    /// Whether both are one data set: the same place in memory, read in the same way.
    pub(crate) fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Numbers(a), Source::Numbers(b)) => std::ptr::eq(*a, *b),
            (
                Source::Bytes { bytes: a, scale, shift },
                Source::Bytes { bytes: b, scale: scale_b, shift: shift_b },
            ) => std::ptr::eq(*a, *b) && scale == scale_b && shift == shift_b,
            _ => false,
        }
    }
}

impl<'a> From<&'a [f32]> for Source<'a> {
    fn from(numbers: &'a [f32]) -> Self {
        Source::Numbers(numbers)
    }
}

impl<'a> From<&'a Vec<f32>> for Source<'a> {
    fn from(numbers: &'a Vec<f32>) -> Self {
        Source::Numbers(numbers)
    }
}

/// What an optimizer keeps between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimizerState {
    pub(crate) clock: Clock,
    /// The mean of gradients, in the order of the trained tensors; empty before the first step.
    pub first: Vec<f32>,
    /// The mean of their squares.
    pub second: Vec<f32>,
}

/// A network on a device, together with its data set. The host sends row numbers and receives scores.
///
/// On a GPU, [`backward`](Executor::backward) and [`step`](Executor::step) return before the device is done.
pub trait Executor {
    /// Scores of the batch's rows, in order.
    fn forward(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError>;

    /// Gradients of all weights from the gradient of the last training pass's scores.
    fn backward(&mut self, gradient: &[f32]) -> Result<(), NetError>;

    /// One optimizer step at this learning rate.
    fn step(&mut self, learning_rate: f64) -> Result<(), NetError>;

    /// Rows that one pass outside training can take.
    fn rows_at_once(&self) -> usize;

    /// The weights and running statistics as they are.
    fn weights(&mut self) -> Result<Weights, NetError>;

    /// Gradient of every trained tensor from the last backward pass, in tensor order.
    fn gradients(&mut self) -> Result<Vec<(String, Vec<f32>)>, NetError>;

    /// Steps taken and the optimizer's two moments (in the order of the trained tensors, empty before the first step).
    fn optimizer_state(&mut self) -> Result<OptimizerState, NetError>;

    /// Puts it back; false if it is not this network's.
    fn restore(&mut self, state: OptimizerState) -> Result<bool, NetError>;

    /// Optimizer steps taken.
    fn steps(&self) -> u64;

    /// Keeps a moving average of the weights and running statistics from now on. It starts from `from`, or from the weights
    /// as they are.
    fn start_average(&mut self, from: Option<&Weights>) -> Result<(), NetError>;

    /// Moves the average: `rate` of it stays, the rest is taken from the weights as they are.
    fn average(&mut self, rate: f32) -> Result<(), NetError>;

    /// Scores of the batch's rows under the averaged weights. The averaged statistics stay as they are, and the last
    /// training pass is lost.
    fn forward_average(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError>;

    /// The averaged weights and statistics.
    fn averaged(&mut self) -> Result<Weights, NetError>;
}

/// That there is no average to ask for.
pub(crate) fn no_average() -> NetError {
    NetError::Config("an average of weights was asked for, but none was started".into())
}
