//! Rows that workers hold: which of them holds which, and how messages get there.

use crate::TreesError;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A message for a worker.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The message.
    pub message: Vec<u8>,
    /// A worker that starts anew must be told this again, unless a message of the same rank or a lower one has followed, which takes its
    /// place. Cuts of one tree do not: all that followed are told again, in their order. `None` changes nothing at the worker.
    pub rank: Option<u8>,
}

/// The rank of cuts.
pub const CUTS: u8 = 5;

/// Hands messages to workers. What a worker lost (it may have died) is told it again by whoever implements this.
pub trait Workers: Send + Sync {
    /// Gives each worker a message; the answers come in the order of the workers.
    fn each(&self, asks: Vec<Ask>) -> Result<Vec<Vec<u8>>, TreesError>;

    /// The same, with the [sum](crate::add_answers) of all answers.
    fn sum(&self, asks: Vec<Ask>) -> Result<Vec<u8>, TreesError>;
}

impl fmt::Debug for dyn Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workers")
    }
}

/// The cells of rows that workers hold.
#[derive(Clone, Debug)]
pub(crate) struct Away {
    workers: Arc<dyn Workers>,
    /// Where the rows of each worker begin, and where the last ones end.
    starts: Vec<u32>,
    /// Which order of levels this is, 0 for none, and which one workers have.
    ordered: u64,
    newest: Arc<AtomicU64>,
}

impl PartialEq for Away {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.newest, &other.newest) && self.ordered == other.ordered
    }
}

impl Away {
    pub fn new(rows: &[usize], workers: Arc<dyn Workers>) -> Self {
        let mut starts = vec![0];
        starts.extend(rows.iter().scan(0u32, |sum, &rows| {
            *sum += rows as u32;
            Some(*sum)
        }));
        Self { workers, starts, ordered: 0, newest: Arc::default() }
    }

    pub fn rows(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// How many workers there are.
    pub fn many(&self) -> usize {
        self.starts.len() - 1
    }

    /// The worker that holds a row. Of workers without rows none does.
    pub fn holder(&self, row: u32) -> usize {
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// Rows of each worker by their numbers there, in their order.
    pub fn parted(&self, rows: &[u32]) -> Vec<Vec<u32>> {
        let mut parts = vec![Vec::new(); self.many()];
        for &row in rows {
            let holder = self.holder(row);
            parts[holder].push(row - self.starts[holder]);
        }
        parts
    }

    /// Whether workers have the order of levels that this is; false without one.
    pub fn is_current(&self) -> Result<bool, TreesError> {
        match self.ordered {
            0 => Ok(false),
            ordered if ordered == self.newest.load(Ordering::SeqCst) => Ok(true),
            _ => Err(TreesError::Message),
        }
    }

    /// The same rows, in whose newest order of levels they are now.
    pub fn newly_ordered(&self) -> Self {
        let ordered = self.newest.fetch_add(1, Ordering::SeqCst) + 1;
        Self { ordered, ..self.clone() }
    }

    /// The part of a list over all rows that is each worker's.
    pub fn parts<'l, T>(&self, list: &'l [T]) -> impl Iterator<Item = &'l [T]> {
        self.starts.windows(2).map(|pair| &list[pair[0] as usize..pair[1] as usize])
    }

    /// Hands a message to each worker.
    pub fn each(&self, asks: Vec<Ask>) -> Result<Vec<Vec<u8>>, TreesError> {
        self.workers.each(asks)
    }

    /// Hands a message to each worker, and adds their answers up.
    pub fn sum(&self, asks: Vec<Ask>) -> Result<Vec<u8>, TreesError> {
        self.workers.sum(asks)
    }
}
