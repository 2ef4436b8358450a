//! What can go wrong in a network.

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
    #[error(
        "training diverged at epoch {epoch}: the loss is {loss}; lower the learning rate (now {learning_rate})"
    )]
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
    /// Reading or writing data.
    #[error(transparent)]
    Data(#[from] onesided_data::DataError),
}
