//! What trees are grown from: two numbers per row.

/// Gradient and curvature of a row's loss in its score: a finite number, and one that is finite and not below 0.
pub type Derivatives = (f32, f32);

/// A row, and its place among the training rows, where its derivatives and its score are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub row: u32,
    pub place: u32,
}
