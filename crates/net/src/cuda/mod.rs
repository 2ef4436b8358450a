//! Networks on an NVIDIA GPU.
//!
//! The data set lies on the card; a step sends row numbers and draws, receives scores, sends their gradient. What
//! happens between is recorded once as CUDA graphs and launched as a whole: gather and forward, backward, optimizer.
//! Convolutions are cuDNN's, the fastest of its engines for each shape by measurement; everything else is a few kernels
//! of our own, compiled for the card when it is opened. Activations and working weights are bf16, weights, statistics
//! and sums f32; an f32 mode is there for checking.
//!
//! A batch may be smaller than the one the graphs were recorded for: its rows past the end are zeros that no statistic
//! counts and whose gradient is zero.

mod backward;
mod card;
mod choice;
mod cudnn;
mod driver;
mod executor;
mod forward;
mod kernels;
mod layout;
mod library;
mod network;
mod plan;
mod tables;

pub use card::{Card, CardData};
pub use executor::CudaExecutor;

use crate::NetError;

/// Whether a card can be used and computes in bf16, without which it is too slow to be worth using.
pub fn worth_choosing(index: usize) -> bool {
    available().is_ok() && library::capability(index).is_some_and(|major| major >= 8)
}

/// Whether a card can be used: the driver with a card, cuDNN and NVRTC. Quick; opens nothing.
pub fn available() -> Result<(), NetError> {
    library::driver()?;
    library::nvrtc()?;
    library::cudnn()
}
