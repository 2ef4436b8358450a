//! One error for everything that can go wrong between data and a model.

use onesided_classic::{ClassicError, OptionError};
use onesided_data::{DataError, Hint, PriorError, TableError, agree, counted, grouped};
use onesided_eval::EvalError;
use onesided_loss::LossError;
use onesided_net::NetError;

/// Why fitting, predicting, saving or loading was refused, in one sentence; [`hint`](Error::hint) names a setting that
/// would help.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading, encoding, splitting or writing.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A prior that is impossible.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// An objective that does not exist, or a parameter of one out of range.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// A network that cannot be built or trained.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Scores that cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A classic system that cannot learn from these rows.
    #[error("{source}{}", held_out_of(*.held_out))]
    Classic {
        /// What the system says.
        source: ClassicError,
        /// What it cannot know: how many positives there were before a fifth was held out.
        held_out: Option<usize>,
    },
    /// A setting that a system does not have, or a value that it cannot take.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Naive Bayes counts, and there are no negative counts.
    #[error(
        "column '{column}', row {row}: {value} is negative, and the method {method} takes counts; give it word counts or \
         columns without negative values, or choose another method"
    )]
    NegativeCount {
        /// The method.
        method: String,
        /// The column.
        column: String,
        /// Counted from 1.
        row: usize,
        /// The value.
        value: f32,
    },
    /// A model whose columns are pixels.
    #[error(
        "a score of this model ({method}, {kind}) is not explained: it looks at pictures, and no single pixel carries a score; \
         models of tables and texts can be explained"
    )]
    NotExplained {
        /// The method.
        method: String,
        /// How it scores.
        kind: String,
    },
    /// What a model counts on is asked of the columns of a table and the words of texts.
    #[error(
        "the model takes {takes}, and how much it counts on a column or a word can be said of tables and texts alone: no single pixel \
         carries a score"
    )]
    NoColumns {
        /// What it takes.
        takes: &'static str,
    },
    /// Boosted trees that cannot be grown.
    #[error(transparent)]
    Trees(#[from] onesided_trees::TreesError),
    /// A constraint that cannot be kept.
    #[error(transparent)]
    Monotone(#[from] crate::MonotoneError),
    /// Labels that cannot depend on what was named.
    #[error(transparent)]
    DependsOn(#[from] crate::DependsOnError),
    /// No member of a portfolio keeps a constraint.
    #[error("nothing that is tried on {rows} can keep a score going up or down with a column")]
    NoMonotoneMember {
        /// What the rows are.
        rows: &'static str,
    },
    /// A model that does not go with a method.
    #[error("the method {method} cannot take the model {model}: {why}")]
    ModelForMethod {
        /// The method.
        method: &'static str,
        /// The model.
        model: String,
        /// Why not, and what goes together.
        why: String,
    },
    /// A member of a portfolio that could not begin, in its own words.
    #[error("{0}")]
    NotOpened(String),
    /// No member of a portfolio could be trained.
    #[error("nothing that was tried could learn from these rows: {0}")]
    AllMembersFailed(String),
    /// A word that is none of those known.
    #[error("{}", onesided_data::unknown_name(.what, .found, .known))]
    UnknownName {
        /// What was to be named.
        what: &'static str,
        /// What was named.
        found: String,
        /// What can be.
        known: Vec<&'static str>,
    },
    /// A value that cannot be read.
    #[error("unknown {what} '{found}'; use {known}")]
    Unknown {
        /// What was to be given.
        what: &'static str,
        /// What was given.
        found: String,
        /// What can be, in words.
        known: String,
    },
    /// Evidence that no estimator of the prior can use.
    #[error(transparent)]
    Evidence(#[from] onesided_prior::EvidenceError),
    /// The method needs a prior, none was given, and the data do not tell it.
    #[error("the method '{method}' needs the share of positives, and it cannot be estimated: {why}")]
    NoEstimate {
        /// The method.
        method: String,
        /// Why there is no estimate.
        why: String,
    },
    /// Something cannot be computed without a prior.
    #[error("the method '{0}' needs the share of positives")]
    NeedsPrior(String),
    /// The method wants true labels.
    #[error("the method '{0}' learns from true labels, and there are none")]
    NeedsTruth(String),
    /// Nothing says which rows are positive.
    #[error("nothing says which rows are positive")]
    NeedsLabels,
    /// The generalization bound is that of one loss.
    #[error("the bound is that of the collective loss on a table, but the model was trained with '{0}'")]
    NoBound(String),
    /// A rule that counts on a share of positives among unlabeled rows.
    #[error("only the threshold rule 'half' works without the share of positives in unlabeled rows")]
    ThresholdNeedsPrior,
    /// Labels that favor likely positives hide how many there are.
    #[error("labels that favor likely positives do not tell the share of positives")]
    EasyFirstShare,
    /// More positives to set aside than there are to spare.
    #[error(
        "{} cannot be set aside: there {} {}, and some must be left to learn from",
        counted(*.number, "positives"),
        agree(*.positives, "is", "are"),
        grouped(*.positives)
    )]
    Reserve {
        /// How many were to be set aside.
        number: usize,
        /// How many there are.
        positives: usize,
    },
    /// Too few groups to hold some out as a whole.
    #[error(
        "{what} are in {}, and whole groups are held out in turn: at least {needed} must have some",
        counted(*.groups, "groups")
    )]
    FewGroups {
        /// Rows of which kind.
        what: &'static str,
        /// In how many groups they are.
        groups: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A promise that rests on positives the model has never met, of which it has none.
    #[error("the model has no reserved positives, and what it finds can only be promised from such")]
    NoReserve,
    /// Rows to certify that the model was fitted on.
    #[error(
        "the model was fitted on these very rows and cannot certify them: it has met their hidden positives as unlabeled rows, and scores \
         them lower than new ones"
    )]
    CertifiesFitted,
    /// No row is certified, since what that rests on is known to be wrong: why.
    #[error("no row can be certified: {0}")]
    NotCertified(String),
    /// An audit file that cannot be used.
    #[error("'{file}' {what}")]
    AuditFile {
        /// The file.
        file: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// Rules that count rows, and rows that count more than others.
    #[error("only the threshold rule 'half' takes weights of rows")]
    ThresholdWeights,
    /// A method that has no place for known negatives.
    #[error("the method {method} cannot use known negatives: {why}")]
    NoNegatives {
        /// The method.
        method: String,
        /// Why not.
        why: String,
    },
    /// A method that has no place for weights of rows.
    #[error("the method {method} cannot use weights of rows: {why}")]
    NoWeights {
        /// The method.
        method: String,
        /// Why not.
        why: String,
    },
    /// A setting out of range.
    #[error("the {what} must be {range}, but is {value}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What is set, in words.
        what: &'static str,
        /// Where it may lie.
        range: &'static str,
        /// What it was set to.
        value: f64,
    },
    /// Every row in turn, and one share alone.
    #[error(
        "hold-out names one share to hold out, and cross-fit holds out every row in turn; leave one of them out"
    )]
    CrossFitHoldOut,
    /// A setting that nothing here reads.
    #[error("{setting} is {for_what}, and {chosen} has no use for it; leave it out")]
    NotForThis {
        /// The setting.
        setting: &'static str,
        /// What it is for.
        for_what: &'static str,
        /// What was chosen.
        chosen: String,
    },
    /// A setting that these rows, or this method, leave nothing to do for.
    #[error("{setting} {why}; leave it out")]
    NoUse {
        /// The setting.
        setting: &'static str,
        /// What it does, and why not here.
        why: &'static str,
    },
    /// Two settings of which one is enough.
    #[error("{setting} and {other} contradict one another: {why}; leave {setting} out")]
    Contradicting {
        /// The setting to leave out.
        setting: &'static str,
        /// The other one.
        other: &'static str,
        /// What the other one says already.
        why: &'static str,
    },
    /// An estimator of the prior that looks at rows where there are too many columns to look at.
    #[error("the estimator {0} looks at the rows themselves, and texts have too many columns for that")]
    SparseRows(String),
    /// A prior that was to be estimated for nothing.
    #[error("the method {0} needs no prior, so there is nothing to estimate")]
    NothingToEstimate(String),
    /// A model that rows of this kind do not go into.
    #[error("the model {model} takes {takes}, but the rows are {rows}")]
    ModelInput {
        /// The model.
        model: String,
        /// What it takes.
        takes: &'static str,
        /// What there is.
        rows: &'static str,
    },
    /// A row that overflows the model, or weights that do.
    #[error(
        "row {row} has a score of {score}; its values, or the model's weights, are too large for 32-bit floats"
    )]
    Score {
        /// Counted from 1.
        row: usize,
        /// Infinite or NaN.
        score: f32,
    },
    /// More rows than the sampler can number.
    #[error("{} are more than can be trained on; draw a sample of them", counted(*.0, "rows"))]
    TooManyRows(usize),
    /// The observer asked to stop and to keep nothing.
    #[error("training was interrupted{} and no model was made{}", in_epoch(*.epoch), kept(.checkpoint.as_deref()))]
    Interrupted {
        /// The epoch that was not completed; 0 where there are none, as among trees and blends.
        epoch: usize,
        /// Where training can be resumed from.
        checkpoint: Option<String>,
    },
    /// A scorer of one's own has no place in a model file.
    #[error(
        "the model was made by a scorer of your own ('{0}'), which no model file can hold; save its parts yourself"
    )]
    OwnScorer(String),
    /// A model file that cannot be used.
    #[error("'{file}' {what}")]
    ModelFile {
        /// The file.
        file: String,
        /// What is wrong and what to do.
        what: String,
    },
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Error::Data(error.into())
    }
}

impl Error {
    /// The setting that would help, where one would; front ends write it as a flag or an argument.
    pub fn hint(&self) -> Option<Hint> {
        let prior = || Hint::new("give it for the population", "prior", "SHARE");
        match self {
            Error::Data(error) => error.hint(),
            Error::Net(error) => error.hint(),
            Error::Classic { source, .. } => source.hint(),
            Error::NoEstimate { .. }
            | Error::NeedsPrior(_)
            | Error::ThresholdNeedsPrior
            | Error::EasyFirstShare => Some(prior()),
            Error::SparseRows(_) => Some(Hint::new("take those of scores", "estimator", "quick")),
            Error::NeedsTruth(_) => Some(Hint::new("name their column", "truth", "COLUMN")),
            Error::NoReserve => Some(Hint::new("set some aside when fitting", "reserve", "0.2")),
            Error::CertifiesFitted => {
                Some(Hint::new("leave the model out and name the label column", "label", "COLUMN"))
            }
            Error::Reserve { .. } => Some(Hint::new("set fewer aside", "reserve", "0.2")),
            Error::NeedsLabels => Some(Hint::new("name the label column", "label", "COLUMN")),
            Error::NoNegatives { .. } | Error::NoWeights { .. } => {
                Some(Hint::new("choose another", "method", "auto"))
            }
            Error::ThresholdWeights => Some(Hint::new("take it", "threshold", "half")),
            Error::NoMonotoneMember { .. } => Some(Hint::new("grow trees alone", "model", "trees")),
            Error::NoBound(_) => Some(Hint::new("fit one", "method", "collective")),
            _ => None,
        }
    }

    pub(crate) fn unknown_name(what: &'static str, found: &str, known: &[&'static str]) -> Self {
        Error::UnknownName { what, found: found.to_string(), known: known.to_vec() }
    }

    pub(crate) fn of_classic(source: ClassicError) -> Self {
        Error::Classic { source, held_out: None }
    }
}

fn held_out_of(positives: Option<usize>) -> String {
    positives.map_or_else(String::new, |positives| {
        format!(" (a fifth of the {} is held out to measure the model)", counted(positives, "positives"))
    })
}

fn in_epoch(epoch: usize) -> String {
    if epoch == 0 { String::new() } else { format!(" in epoch {epoch}") }
}

fn kept(checkpoint: Option<&str>) -> String {
    checkpoint.map_or_else(String::new, |path| {
        format!("; run the same command again to resume from the checkpoint '{path}'")
    })
}
