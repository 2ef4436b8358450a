//! Networks for scores: their layers, the executors that run them, optimizers and the training loop.
//!
//! An [`Architecture`] of the zoo makes a [`Network`] for rows of a [`Shape`]. A [`Job`] names the rows to learn from and
//! the [`Objective`](onesided_loss::Objective), [`train()`] runs it on the device of its [`TrainConfig`], and [`scores()`]
//! scores rows. Several jobs on one data set share an [`Engine`], which holds the rows on a device once.
//!
//! ```
//! use onesided_loss::{Collective, Reduction};
//! use onesided_net::{Architecture, Job, Shape, Source, TrainConfig, scores, train};
//!
//! // One number per row. Rows 0 to 19 are labeled positives around 2; of the unlabeled rows 20 to 99 a quarter is like
//! // them, and the others lie around -2.
//! let positive = |row: u32| row < 20 || row % 4 == 0;
//! let rows: Vec<f32> = (0..100u32)
//!     .map(|row| if positive(row) { 2.0 } else { -2.0 } + (row * 37 % 100) as f32 / 100.0 - 0.5)
//!     .collect();
//! let network = Architecture::Linear.network(Shape::flat(1))?;
//! let objective = Collective::new(0.25, Reduction::PriorWeighted)?;
//! let config = TrainConfig { epochs: 100, batch: 100, learning_rate: 0.1, threads: 1, ..TrainConfig::default() };
//! let job = Job {
//!     network: &network,
//!     data: Source::Numbers(&rows),
//!     positive: &(0..20).collect::<Vec<u32>>(),
//!     unlabeled: &(20..100).collect::<Vec<u32>>(),
//!     held_out_positive: &[],
//!     held_out_unlabeled: &[],
//!     negatives: None,
//!     weights: None,
//!     objective: &objective,
//!     start_bias: (0.25f64 / 0.75).ln(),
//!     share: None,
//!     risk: None,
//!     risk_name: "none",
//!     config: &config,
//!     checkpoint: None,
//! };
//! let trained = train(&job, &mut |_| true)?;
//! let scores = scores(&network, &trained.weights, &rows, 1)?;
//! assert!((0..100u32).all(|row| (scores[row as usize] > 0.0) == positive(row)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod augment;
mod averaged;
pub mod bench;
mod checkpoint;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod dropped_numbers;
mod engine;
mod error;
mod executor;
mod held_out_scores;
mod mixup;
mod next_batch;
mod norms;
mod optimizer;
mod sampler;
mod scores;
mod side_by_side;
mod spec;
mod stages;
mod strong_views;
mod teacher;
mod train;
mod train_config;
mod weights;
mod zoo;

pub use augment::Augment;
pub use cpu::CpuExecutor;
#[cfg(feature = "cuda")]
pub use cuda::{Card, CardData, CudaExecutor};
pub use device::{Device, Precision};
pub use dropped_numbers::Dropped;
pub use engine::{Engine, ExecutorConfig};
pub use error::NetError;
pub use executor::{Batch, Draw, Executor, Mode, OptimizerState, Source};
pub use held_out_scores::OnTheWay;
pub use mixup::{Mixing, Mixup, Partner};
pub use norms::{LayerNorms, NetworkNorms};
pub use optimizer::{Optimizer, Schedule};
pub use sampler::{BatchRows, BatchSampler, Batches, Mix, SamplerState};
pub use scores::{score_rows, score_views, scores, scores_on, scores_with};
pub use side_by_side::train_side_by_side;
pub use spec::{Activation, Layer, Network, Shape};
pub use strong_views::Strong;
pub use teacher::{ObjectiveViews, Targets, Teacher, TeacherNumbers, Teaching};
pub use train::{
    EpochRecord, Job, NegativeRows, Risk, TrainProgress, Trained, Watcher, train, train_on, train_watched,
};
pub use train_config::TrainConfig;
pub use weights::{Tensor, Weights};
pub use zoo::Architecture;
