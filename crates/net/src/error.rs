//! What can go wrong in a network.

use onesided_data::Hint;

/// An error of the network crate; each message is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A network that cannot be built on this input.
    #[error("{0}")]
    Architecture(String),
    /// Weights that do not belong to the network.
    #[error("the weights do not fit the network: {0}")]
    Weights(String),
    /// A setting outside its range.
    #[error("{0}")]
    Config(String),
    /// The loss stopped being a number.
    #[error("training diverged at epoch {epoch}: the loss is {loss} at a learning rate of {learning_rate}")]
    Diverged {
        /// Epoch, counted from 1.
        epoch: usize,
        /// The loss that is not finite.
        loss: f64,
        /// The learning rate in force.
        learning_rate: f64,
    },
    /// A checkpoint that cannot be read or belongs to another job.
    #[error("checkpoint {path}: {reason}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A device that is not there or cannot be used.
    #[error("{0}")]
    Device(String),
    /// A GPU without enough free memory.
    #[error("{}", short_of_memory(*.asked, *.free, *.batch, *.suggestion))]
    DeviceMemory {
        /// Bytes that were needed.
        asked: u64,
        /// Bytes that were free.
        free: u64,
        /// Rows of the batch; 0 where it is the data set that does not fit.
        batch: usize,
        /// Rows of a batch that would fit.
        suggestion: Option<usize>,
    },
    /// Reading or writing data.
    #[error(transparent)]
    Data(#[from] onesided_data::DataError),
    /// A batch that cannot hold both kinds of rows.
    #[error(
        "a batch of {batch} cannot hold at least {} and 1 unlabeled row; enlarge it",
        onesided_data::counted(*.positive, "positives")
    )]
    BatchTooSmall {
        /// Its rows.
        batch: usize,
        /// Positives that it should hold.
        positive: usize,
    },
}

impl NetError {
    /// The setting that would help, where one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            NetError::Device(_) | NetError::DeviceMemory { suggestion: None, .. } => {
                Some(Hint::new("train on the CPU", "device", "cpu"))
            }
            NetError::DeviceMemory { suggestion: Some(rows), .. } => {
                Some(Hint::new("make the batch smaller", "batch", rows.to_string()))
            }
            NetError::Diverged { learning_rate, .. } => {
                Some(Hint::new("lower the rate", "learning-rate", format!("{}", learning_rate / 10.0)))
            }
            _ => None,
        }
    }

    /// The same refusal once more, for another job that it stops.
    pub(crate) fn duplicate(&self) -> Self {
        match *self {
            NetError::DeviceMemory { asked, free, batch, suggestion } => {
                NetError::DeviceMemory { asked, free, batch, suggestion }
            }
            NetError::Device(ref what) => NetError::Device(what.clone()),
            ref other => NetError::Config(other.to_string()),
        }
    }
}

fn short_of_memory(asked: u64, free: u64, batch: usize, suggestion: Option<usize>) -> String {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let what = match batch {
        0 => "the data set".to_string(),
        rows => format!("training with a batch of {rows}"),
    };
    let advice = match suggestion {
        Some(rows) => format!("use a batch of {rows} or fewer"),
        None => "use the CPU".to_string(),
    };
    let (asked, free) = (mebibytes(asked), free >> 20);
    format!("{what} needs {asked} MiB of the GPU's memory, but {free} MiB are free; {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_card_says_what_was_asked_and_what_to_do() {
        let full =
            NetError::DeviceMemory { asked: 3 << 30, free: 1 << 30, batch: 4096, suggestion: Some(1024) };
        let sentence = "training with a batch of 4096 needs 3072 MiB of the GPU's memory, but 1024 MiB are free; \
                        use a batch of 1024 or fewer";
        assert_eq!(full.to_string(), sentence);
        assert_eq!(full.duplicate().to_string(), sentence);
        let data = NetError::DeviceMemory { asked: (1 << 20) + 1, free: 5, batch: 0, suggestion: None };
        assert_eq!(
            data.to_string(),
            "the data set needs 2 MiB of the GPU's memory, but 0 MiB are free; use the CPU"
        );
    }
}
