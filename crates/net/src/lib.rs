//! Networks for scores: their layers, the executors that run them, optimizers and the training loop.

mod checkpoint;
mod cpu;
mod error;
mod executor;
mod optimizer;
mod spec;
mod train;
mod weights;
mod zoo;

pub use cpu::CpuExecutor;
pub use error::NetError;
pub use executor::{Executor, Mode};
pub use optimizer::{Optimizer, Schedule};
pub use spec::{Activation, Layer, Network, Shape};
pub use train::{EpochRecord, Job, Progress, Risk, TrainConfig, Trained, scores, train};
pub use weights::{Tensor, Weights};
pub use zoo::Architecture;
