//! The joint between the training loop and a device.

/// Whether a pass learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Batch statistics, dropout, everything kept for the backward pass.
    Train,
    /// Running statistics, no dropout.
    Predict,
}

/// A network on a device, together with its data set. The host sends row numbers and receives scores.
pub trait Executor {
    /// Scores of the given rows of the data set, in order.
    fn forward(&mut self, rows: &[u32], mode: Mode) -> &[f32];

    /// Gradients of all weights from the gradient of the last training pass's scores.
    fn backward(&mut self, gradient: &[f32]);

    /// One optimizer step at this learning rate.
    fn step(&mut self, learning_rate: f64);
}
