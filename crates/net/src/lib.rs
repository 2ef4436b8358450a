//! Networks for scores: their layers, the executors that run them, optimizers and the training loop.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod augment;
mod averaged;
pub mod bench;
mod checkpoint;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod error;
mod executor;
mod norms;
mod optimizer;
mod scores;
mod side_by_side;
mod spec;
mod stages;
mod teacher;
mod train;
mod views;
mod weights;
mod zoo;

pub use augment::Augment;
pub use cpu::CpuExecutor;
#[cfg(feature = "cuda")]
pub use cuda::{Card, CardData, CudaExecutor};
pub use device::{Device, Engine, ExecutorConfig, Precision};
pub use error::NetError;
pub use executor::{Batch, Draw, Executor, Mode, OptimizerState, Source};
pub use norms::{LayerNorms, NetworkNorms};
pub use optimizer::{Optimizer, Schedule};
pub use scores::{score_rows, score_views, scores, scores_on, scores_with};
pub use side_by_side::train_side_by_side;
pub use spec::{Activation, Layer, Network, Shape};
pub use teacher::{Teacher, Teaching};
pub use train::{
    EpochRecord, Job, NegativeRows, Risk, TrainConfig, TrainProgress, Trained, Watcher, train, train_on,
    train_watched,
};
pub use views::Strong;
pub use weights::{Tensor, Weights};
pub use zoo::Architecture;
