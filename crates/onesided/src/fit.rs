//! One fit, from where rows are to a model: of Rust, the command and Python alike.
//!
//! What is decided here, and nowhere else: which settings contradict the rows or one another, how rows are read for a method, what
//! becomes of a table that does not fit into the memory, and what an audit teaches. How the rows were drawn comes with them
//! ([`Dataset::scenario`]); a share that few rows do not tell is assumed by the learner.

use crate::undrawn::{DrawnOf, EncodeRest};
use crate::{Answered, Audit, AuditFile, Error, LargeTable, Learner, Model, Table};
use onesided_data::{DataError, Dataset, Hint, Input, InputOptions, Scenario, TableError, WouldFit};
use onesided_learn::{ModelChoice, Observer, PriorGiven, Priors};
use std::path::PathBuf;

/// What is to be learned, how rows are read for it, and what is known from audits. [`Learner::fit`] is the short way.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Fit {
    learner: Learner,
    reading: InputOptions,
    audit: Option<Audit>,
    scratch: Option<PathBuf>,
}

/// What rows are, as far as settings depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsAre {
    /// Rows of tables.
    Table,
    /// Texts, or a sparse matrix.
    Sparse,
    /// Pictures.
    Pictures,
}

/// Rows that were read for a fit, with the answers of an audit among them: all but learning is done.
#[derive(Debug)]
pub struct Ready {
    learner: Learner,
    data: Dataset,
    answered: Option<Answered>,
    large: Option<LargeTable>,
    /// The table that its rows may be a draw of.
    place: Option<(Input, InputOptions)>,
}

impl Fit {
    /// A fit with these settings.
    pub fn new(learner: Learner) -> Self {
        Self { learner, ..Self::default() }
    }

    /// How rows are read.
    pub fn reading(mut self, options: InputOptions) -> Self {
        self.reading = options;
        self
    }

    /// Answers of audits of a model of these rows, if there are files.
    pub fn audits(mut self, files: &[AuditFile]) -> Result<Self, Error> {
        self.audit = if files.is_empty() { None } else { Some(Audit::of_files(files)?) };
        Ok(self)
    }

    /// The folder for the temporary file of a table that does not fit into the memory; the system's where nothing is said.
    pub fn scratch(mut self, folder: impl Into<Option<PathBuf>>) -> Self {
        self.scratch = folder.into();
        self
    }

    /// How rows of a kind are to be read for this fit. Settings that contradict the method, the rows or one another are refused.
    pub fn options(&self, rows: RowsAre) -> Result<InputOptions, Error> {
        let config = self.learner.config();
        if !self.learner.is_own() {
            config.check(rows == RowsAre::Pictures)?;
        }
        let mut options = self.reading.clone();
        config.reading(&mut options)?;
        if config.method()?.needs_truth() {
            // A label column next to the truth is not a feature either.
            options.drop.extend(options.roles.label.take());
        }
        let no_draw = match options.max_unlabeled {
            Some(_) if options.roles.truth.is_some() => {
                Some("draws from unlabeled rows, and the method supervised has none")
            }
            Some(_) if rows != RowsAre::Table => {
                Some("draws from the rows of tables, and not from texts, pictures or sparse matrices")
            }
            _ => None,
        };
        if let Some(why) = no_draw {
            return Err(Error::NoUse { setting: "max-unlabeled", why });
        }
        let depends = !config.labeling_depends_on.is_empty();
        if depends && options.max_unlabeled.is_some() {
            let why = "a chance of being labeled is that of all rows";
            return Err(Error::Contradicting { setting: "labeling-depends-on", other: "max-unlabeled", why });
        }
        if depends && self.audit.is_some() {
            let why = "the answers show which positives were labeled";
            return Err(Error::Contradicting { setting: "labeling-depends-on", other: "audit", why });
        }
        if let Some(audit) = &self.audit {
            let tells = "the audit tells the share";
            let given = [
                ("prior", matches!(config.prior, Some(PriorGiven::Share(_))), tells),
                ("prior-in-unlabeled", config.prior_in_unlabeled.is_some(), tells),
                ("truth", options.roles.truth.is_some(), tells),
                ("max-unlabeled", options.max_unlabeled.is_some(), "an audit is of all rows"),
            ];
            if let Some(&(setting, _, why)) = given.iter().find(|(_, given, _)| *given) {
                return Err(Error::Contradicting { setting, other: "audit", why });
            }
            options.keys_of = audit.keyed_columns().filter(|&columns| columns != 0);
        }
        options.seed = config.seed.unwrap_or(0);
        Ok(options)
    }

    /// Reads rows in files. A table that does not fit into the memory is read some columns at a time, if trees are to be grown of it.
    pub fn read(&self, input: &Input) -> Result<Ready, Error> {
        self.read_with(input, &mut || {})
    }

    /// [`read`](Self::read) that says so before it goes through a table again, some columns at a time.
    pub fn read_with(&self, input: &Input, by_columns: &mut dyn FnMut()) -> Result<Ready, Error> {
        // Before anything is looked at.
        self.learner.config().device.unwrap_or_default().check()?;
        let folders = input.paths().iter().any(|path| path.is_dir());
        let rows = match self.reading.is_images(input)? {
            true => RowsAre::Pictures,
            false if folders => RowsAre::Sparse,
            false => RowsAre::Table,
        };
        let options = self.options(rows)?;
        if self.audit.is_some() && matches!(input, Input::Two { .. }) && !folders {
            let why = "goes with one table and its label column or with folders, not with two files";
            return Err(Error::NoUse { setting: "audit", why });
        }
        match self.read_to_hold(&options, input) {
            Err(Error::Data(DataError::Table(TableError::Memory { .. }))) if self.takes_bytes(input) => {
                by_columns();
                Ok(self.take_large(LargeTable::read(&options, input, self.scratch.as_deref())?))
            }
            data => Ok(Ready { place: Some((input.clone(), options)), ..self.take(data?)? }),
        }
    }

    /// Takes rows in memory, read as [`options`](Self::options) says.
    pub fn take(&self, data: Dataset) -> Result<Ready, Error> {
        let taught = self.audit.as_ref().map(|audit| audit.teach_fit(&data, &self.learner)).transpose()?;
        let (data, answered) = taught.map_or((data, None), |(data, answered)| (data, Some(answered)));
        let learner = self.learner.clone();
        let learner = answered.iter().fold(learner, |learner, answered| learner.audited(answered));
        Ok(Ready { learner, data, answered, large: None, place: None })
    }

    /// Takes a table whose rows are not held here.
    pub(crate) fn take_large(&self, table: LargeTable) -> Ready {
        let (learner, data) = (self.learner.clone(), table.data().clone());
        Ready { learner, data, answered: None, large: Some(table), place: None }
    }

    /// What is to be learned, and how.
    pub(crate) fn learner(&self) -> &Learner {
        &self.learner
    }

    /// What else would take a table that did not fit into the memory, besides more of it.
    pub fn instead(&self, input: &Input, error: &Error) -> Vec<Hint> {
        let options = &self.reading;
        let is_draw = options.max_unlabeled.is_some() || options.roles.truth.is_some();
        let is_picture = options.image.is_some() || options.image_shape.is_some();
        if !matches!(error, Error::Data(DataError::Table(TableError::Memory { .. }))) || is_draw || is_picture
        {
            return Vec::new();
        }
        let Some(WouldFit { rows, columns, unlabeled }) = options.would_fit(input) else { return Vec::new() };
        let draw = unlabeled.map(|rows| {
            let act = format!("learn from a draw of about {rows} unlabeled rows, which would fit,");
            Hint::new(act, "max-unlabeled", rows.to_string())
        });
        let bytes = options.can_read_by_columns(input) && self.learner.config().model.is_none();
        let trees = (bytes && LargeTable::fits(rows, columns))
            .then(|| Hint::new("learn from all rows", "model", "trees"));
        draw.into_iter().chain(trees).collect()
    }

    /// Reads rows into memory; where they could be kept as one byte per cell, growing trees of them must fit, too.
    fn read_to_hold(&self, options: &InputOptions, input: &Input) -> Result<Dataset, Error> {
        let data = options.read(input)?;
        match self.takes_bytes(input).then(|| self.learner.check_trees(&data)) {
            // Whatever else is wrong is said by training.
            Some(Err(error @ Error::Data(DataError::Table(TableError::Memory { .. })))) => Err(error),
            _ => Ok(data),
        }
    }

    /// Whether a table that does not fit into the memory can be learned from as one byte per cell.
    fn takes_bytes(&self, input: &Input) -> bool {
        let config = self.learner.config();
        let trees = config.model == Some(ModelChoice::Trees) && config.reserve.is_none();
        let trees = trees && config.labeling_depends_on.is_empty();
        trees && !self.learner.is_own() && self.audit.is_none() && self.reading.can_read_by_columns(input)
    }
}

impl Ready {
    /// What was read: rows, labels and notes, with the answers of an audit; no rows where these do not fit into the memory.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// What an audit's answers came to.
    pub fn answered(&self) -> Option<&Answered> {
        self.answered.as_ref()
    }

    /// How the rows were drawn.
    pub fn scenario(&self) -> Scenario {
        self.learner.scenario_of(&self.data)
    }

    /// Both priors, where one was given.
    pub fn priors(&self) -> Result<Option<Priors>, Error> {
        let data = self.data.without_blank();
        // One prior follows from the other by the numbers of all rows.
        let amounts = data.drawn_from().map(|from| from.amounts).or(data.amounts());
        self.learner.priors(amounts.ok_or(Error::NeedsLabels)?, self.scenario())
    }

    /// Learns. Of rows that are a draw of a table's, the others calibrate, set the threshold and give the metrics along with those
    /// that were held out: the table is read once more, unless it is a pipe.
    pub fn learn(self, observer: Observer) -> Result<Model, Error> {
        let Self { learner, data, large, place, .. } = self;
        if let Some(table) = large {
            return learner.fit_large(table, observer);
        }
        let place = place.as_ref().filter(|(input, _)| {
            data.drawn_from().is_some() && input.paths().iter().all(|path| path.is_file())
        });
        learner.fit_of(&data, place.map(|(input, options)| DrawnOf::Table { input, options }), observer)
    }

    /// The same for rows in memory that are a draw ([`InputOptions::learn_drawn`]); `rest` encodes the unlabeled rows that were not
    /// drawn.
    pub fn learn_drawn(self, rest: &EncodeRest<'_>, observer: Observer) -> Result<Model, Error> {
        let drawn_of = self.data.drawn_from().map(|_| DrawnOf::Memory(rest));
        self.learner.fit_of(&self.data, drawn_of, observer)
    }
}

/// Rows that a [`Learner`] is fitted on.
pub trait FitRows {
    /// Learns from them.
    fn fit(&self, learner: &Learner, observer: Observer) -> Result<Model, Error>;
}

/// Rows in memory, as they are.
impl FitRows for Dataset {
    fn fit(&self, learner: &Learner, observer: Observer) -> Result<Model, Error> {
        learner.fit_of(self, None, observer)
    }
}

/// Rows in files, read as the method takes them.
impl FitRows for Table {
    fn fit(&self, learner: &Learner, observer: Observer) -> Result<Model, Error> {
        Fit::new(learner.clone()).reading(self.reading.clone()).read(&self.input)?.learn(observer)
    }
}
