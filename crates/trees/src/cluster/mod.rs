//! Trees of rows that workers hold, some each: what decides is here, what holds cells is there.
//!
//! A [`Worker`] holds bins of some rows and answers commands; the coordinator (boosting itself, over a [`Binned`](crate::Binned) made by
//! [`Sorting::away`]) keeps scores and derivatives, draws rows and features, adds histograms up and finds cuts. Histograms are whole
//! numbers and add up to the same sums in any order, so the trees are those of one machine to the bit, whoever holds which rows. Nothing
//! here knows of machines or networks: messages are bytes, and [`Workers`](crate::Workers) hands them over.
//!
//! Per tree and row a worker gets a bit and, where the tree is grown on the row, the eight bytes of its derivatives; it gives back one
//! byte, the row's leaf. Per cut each worker gives the histogram of the smaller side.

mod coordinator;
mod message;
mod partition;
mod worker;

pub(crate) use coordinator::{FieldAway, logits, of_rows, order};
pub use partition::{PartitionBuilder, Sorting};
pub use worker::{Worker, add_answers};
