//! Boosted trees of rows that workers hold, with the model of one machine to the byte.
//!
//! A [`ClusterWorker`] holds the bins of some neighboring rows of a Parquet table and answers messages; a [`Cluster`] hands messages to
//! workers through an [`ClusterEngine`], which places them, moves bytes and starts anew what dies. [`Fit::read_in_cluster`](crate::Fit) makes a
//! [`LargeTable`](crate::LargeTable) of it: folds, draws, objectives, early stopping, calibration and metrics are those of every fit. What
//! trees ask of workers is in [`onesided_trees`].
//!
//! A worker that died starts without rows and says so. It is told again which rows are its, and what happened to them in the tree that is
//! grown just now; a message that it had answered before is answered from memory, so nothing happens twice.

mod link;
mod message;
mod worker;

pub use link::{Cluster, ClusterEngine};
pub use message::add_messages;
pub use worker::ClusterWorker;

pub(crate) use link::Message;
pub(crate) use message::{Ask, Partition, parted};
pub(crate) use worker::as_numbers;
