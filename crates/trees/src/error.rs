//! Why boosting was refused.

/// One sentence each.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreesError {
    /// A setting out of range.
    #[error("the {what} of boosted trees must be {range}, but is {value}")]
    Setting {
        /// What is set.
        what: &'static str,
        /// Where it may lie.
        range: &'static str,
        /// What it was set to.
        value: f64,
    },
    /// A list that does not go with the rows.
    #[error("{found} {what} were given for {expected} rows")]
    Length {
        /// Labels or weights.
        what: &'static str,
        /// Rows.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A weight that cannot be used.
    #[error("weight {row} is {value}; weights must be 0 or a positive number")]
    Weight {
        /// Counted from 1.
        row: usize,
        /// Negative, infinite or NaN.
        value: f32,
    },
    /// Infinite cells have no bin.
    #[error("row {row}, feature {feature}: an infinite value cannot be sorted into a bin")]
    Infinite {
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        feature: usize,
    },
    /// A row number past the end.
    #[error("row {row} was asked for, but there are {rows} rows")]
    NoSuchRow {
        /// Counted from 0.
        row: u32,
        /// How many there are.
        rows: usize,
    },
    /// Trees of a file that does not say how many rows came to each node.
    #[error("the trees do not say how many rows came to each node, which parts of a score rest on")]
    NoCover,
    /// A tree that nobody grows.
    #[error("a tree is more than {most} nodes deep, which is too deep to say what carried a score")]
    TooDeep {
        /// The deepest that is followed.
        most: usize,
    },
    /// Nothing to tell apart.
    #[error("boosted trees need training rows of both classes with a weight above 0")]
    OneClass,
    /// Nothing to learn from.
    #[error("boosted trees need at least one training row")]
    NoRows,
    /// Derivatives that no step can be taken with.
    #[error(
        "before tree {tree}, training row {place} has the gradient {gradient} and the curvature {curvature}; both must \
         be finite, and the curvature 0 or positive"
    )]
    Derivatives {
        /// Which of the training rows, counted from 1.
        place: usize,
        /// Which tree, counted from 1.
        tree: usize,
        /// Of the row's loss.
        gradient: f32,
        /// Of the row's loss.
        curvature: f32,
    },
    /// A model with a first logit that is not a number.
    #[error("the first logit of the trees is not a number")]
    Start,
    /// A model with a tree that some row does not find its way through.
    #[error("tree {0} has a node that leads nowhere")]
    Node(usize),
    /// The disk is full, or gone.
    #[error("the temporary file of the table's bytes cannot be used: {0}")]
    Temporary(String),
    /// Workers hold the rows.
    #[error("only boosted trees learn from rows that workers hold")]
    Away,
    /// A worker, or a coordinator, of another version, or bytes that are damaged.
    #[error(
        "a message between coordinator and workers cannot be understood; all must be of the same version of onesided"
    )]
    Message,
    /// What a worker could not do.
    #[error("{0}")]
    Worker(String),
    /// A matrix of another width than the model's.
    #[error("the trees were grown on {expected} features, but the rows have {found}")]
    Width {
        /// Of the model.
        expected: usize,
        /// Of the rows.
        found: usize,
    },
}
