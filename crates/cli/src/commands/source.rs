//! Where `fit`, `prior` and `evaluate` take rows and labels from: a table, two, or folders of texts.

use super::tell_encoding;
use super::texts::{TextFlags, read_folder, read_texts};
use crate::args::{Fit, Inputs};
use crate::failure::Failure;
use onesided::data::{
    Features, Frame, Label, Matrix, MissingPolicy, PuData, ReadOptions, SparseMatrix, labels_from_column,
    read, stack, truth_from_column,
};
use onesided::prior::PriorReport;
use onesided::{Learner, MethodCard, Model, Scenario, TextInput};
use std::path::Path;

/// One table, or positives and unlabeled rows apart.
pub enum Place<'a> {
    One(&'a Path),
    Two { positives: &'a Path, unlabeled: &'a Path },
}

/// Where positives and unlabeled rows come from.
#[derive(Clone, Copy)]
pub enum Marked<'a> {
    Labeled { file: &'a Path, label: &'a str },
    TwoFiles { positives: &'a Path, unlabeled: &'a Path },
    TwoFolders { positives: &'a Path, unlabeled: &'a Path },
}

/// Where `fit` takes rows from.
pub enum Source<'a> {
    Marked(Marked<'a>),
    Known { file: &'a Path, truth: &'a str },
}

/// What was read.
pub enum Rows {
    Table { data: PuData, features: Features },
    Texts { rows: SparseMatrix, labels: Vec<Label>, input: TextInput },
    Known { matrix: Matrix, truth: Vec<bool>, features: Features },
    KnownTexts { rows: SparseMatrix, truth: Vec<bool>, input: TextInput },
}

impl Rows {
    /// Refuses what `fit` would refuse before its first step.
    pub fn check(&self, learner: &Learner) -> Result<(), onesided::Error> {
        match self {
            Rows::Table { data, features } => learner.check(&data.features, &data.labels, features),
            Rows::Texts { rows, labels, input } => learner.check(rows, labels, input.clone()),
            Rows::Known { .. } | Rows::KnownTexts { .. } => Ok(()),
        }
    }

    /// Estimates the share of positives.
    pub fn estimate_prior(&self, learner: &Learner) -> Result<PriorReport, onesided::Error> {
        match self {
            Rows::Table { data, .. } => learner.estimate_prior(data),
            Rows::Texts { rows, labels, .. } => learner.estimate_prior_on(rows, labels),
            Rows::Known { .. } | Rows::KnownTexts { .. } => {
                Err(onesided::Error::NeedsTruth("supervised".to_string()))
            }
        }
    }

    /// Learns.
    pub fn fit(
        &self,
        learner: &Learner,
        observer: &mut dyn FnMut(&onesided::Progress) -> bool,
    ) -> Result<Model, onesided::Error> {
        match self {
            Rows::Table { data, features } => learner.fit_with(data, features, observer),
            Rows::Texts { rows, labels, input } => learner.fit_rows(rows, labels, input.clone(), observer),
            Rows::Known { matrix, truth, features } => {
                learner.fit_supervised(matrix, truth, features, observer)
            }
            Rows::KnownTexts { rows, truth, input } => {
                learner.fit_supervised(rows, truth, input.clone(), observer)
            }
        }
    }
}

impl Inputs {
    /// Where the rows are. Flags of columns that hold answers are refused where positives are apart.
    pub fn place(&self, answers: &[(&str, bool)]) -> Result<Place<'_>, Failure> {
        match (&self.file, &self.positives, &self.unlabeled) {
            (Some(file), ..) => Ok(Place::One(file)),
            (None, Some(positives), Some(unlabeled)) => match answers.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Failure::input(format!(
                    "two files need no {flag}: every row of --positives is positive"
                ))),
                None => Ok(Place::Two { positives, unlabeled }),
            },
            _ => Err(Failure::input("name a table, or two with --positives and --unlabeled")),
        }
    }
}

impl<'a> Marked<'a> {
    /// Which of these it is; flags that contradict one another are refused.
    pub fn of(
        inputs: &'a Inputs,
        label: Option<&'a str>,
        positive: Option<&str>,
        texts: &TextFlags,
    ) -> Result<Self, Failure> {
        check_label(label, texts)?;
        let answers = [("--label", label.is_some()), ("--positive", positive.is_some())];
        let (positives, unlabeled) = match (inputs.place(&answers)?, label) {
            (Place::Two { positives, unlabeled }, _) => (positives, unlabeled),
            (Place::One(file), Some(label)) => return Ok(Marked::Labeled { file, label }),
            (Place::One(_), None) => {
                return Err(Failure::input("name the label column with --label COLUMN"));
            }
        };
        let (folder, other) = match (positives.is_dir(), unlabeled.is_dir()) {
            (true, true) => return Ok(Marked::TwoFolders { positives, unlabeled }),
            (false, false) => return Ok(Marked::TwoFiles { positives, unlabeled }),
            (true, false) => (positives, unlabeled),
            (false, true) => (unlabeled, positives),
        };
        Err(Failure::input(format!(
            "'{}' is a folder and '{}' is not; give two folders of texts, or two tables",
            folder.display(),
            other.display()
        )))
    }

    /// Whether it is folders of texts.
    pub fn is_folders(self) -> bool {
        matches!(self, Marked::TwoFolders { .. })
    }

    /// One sample, or two drawn apart.
    pub fn default_scenario(self) -> Scenario {
        match self {
            Marked::Labeled { .. } => Scenario::SingleSample,
            Marked::TwoFiles { .. } | Marked::TwoFolders { .. } => Scenario::CaseControl,
        }
    }

    /// What is read.
    pub fn files(self) -> Vec<&'a Path> {
        match self {
            Marked::Labeled { file, .. } => vec![file],
            Marked::TwoFiles { positives, unlabeled } | Marked::TwoFolders { positives, unlabeled } => {
                vec![positives, unlabeled]
            }
        }
    }

    /// The rows as a table, positives above unlabeled ones where they come apart, and their labels.
    pub fn table(
        self,
        positive: Option<&str>,
        mut options: ReadOptions,
    ) -> Result<(Frame, Vec<Label>), Failure> {
        match self {
            Marked::Labeled { file, label } => {
                options.text.push(label.to_string());
                let mut frame = read(file, &options)?;
                let labels = labels_from_column(&frame.take(label)?, positive)?;
                Ok((frame, labels))
            }
            Marked::TwoFiles { positives, unlabeled } | Marked::TwoFolders { positives, unlabeled } => {
                let (first, second) = (read(positives, &options)?, read(unlabeled, &options)?);
                let labels = one_after_the_other(first.rows, second.rows);
                Ok((stack(first, second)?, labels))
            }
        }
    }

    /// The rows as texts, of these columns or of files, and their labels.
    pub fn texts(
        self,
        columns: &[String],
        positive: Option<&str>,
        missing: MissingPolicy,
    ) -> Result<(Vec<String>, Vec<Label>), Failure> {
        let (first, second) = match self {
            Marked::Labeled { file, label } => {
                let (texts, mut frame) = read_texts(file, columns, &[label], missing)?;
                return Ok((texts, labels_from_column(&frame.take(label)?, positive)?));
            }
            Marked::TwoFiles { positives, unlabeled } => {
                let texts = |file| read_texts(file, columns, &[], missing).map(|(texts, _)| texts);
                (texts(positives)?, texts(unlabeled)?)
            }
            Marked::TwoFolders { positives, unlabeled } => {
                (read_folder(positives)?.texts, read_folder(unlabeled)?.texts)
            }
        };
        let labels = one_after_the_other(first.len(), second.len());
        Ok(([first, second].concat(), labels))
    }
}

impl<'a> Source<'a> {
    /// Which of these it is; flags that contradict one another are refused.
    pub fn of(flags: &'a Fit, method: &MethodCard) -> Result<Self, Failure> {
        flags.missing.parse::<MissingPolicy>()?;
        let (label, truth) = (flags.label.as_deref(), flags.truth.as_deref());
        if !method.needs_truth && truth.is_some() {
            return Err(Failure::input(format!(
                "--truth is for the method supervised, but the method is {}; drop the column with --drop instead",
                method.name
            )));
        }
        let asked = if method.needs_truth { truth } else { label };
        if let Some(name) = asked.filter(|name| flags.drop.iter().any(|dropped| dropped == name)) {
            return Err(Failure::input(format!(
                "column '{name}' holds the labels and cannot be dropped as well; labels are never taken as a feature"
            )));
        }
        let source = match method.needs_truth {
            true => {
                check_label(truth, &flags.texts)?;
                match (flags.inputs.place(&[])?, truth) {
                    (Place::Two { .. }, _) => {
                        let detail = "the method supervised reads one table with a --truth column";
                        return Err(Failure::input(detail));
                    }
                    (Place::One(_), None) => {
                        return Err(onesided::Error::NeedsTruth(method.name.to_string()).into());
                    }
                    (Place::One(file), Some(truth)) => Source::Known { file, truth },
                }
            }
            false => {
                Source::Marked(Marked::of(&flags.inputs, label, flags.positive.as_deref(), &flags.texts)?)
            }
        };
        if source.is_texts(flags)? && flags.image_shape.is_some() {
            return Err(Failure::input("texts are no images; leave --image-shape out"));
        }
        flags.texts.options(method)?;
        Ok(source)
    }

    fn is_texts(&self, flags: &Fit) -> Result<bool, Failure> {
        let folders = matches!(self, Source::Marked(marked) if marked.is_folders());
        are_texts(&flags.texts, folders, &flags.drop)
    }

    /// One sample, or two drawn apart.
    pub fn default_scenario(&self) -> Scenario {
        match self {
            Source::Marked(marked) => marked.default_scenario(),
            Source::Known { .. } => Scenario::SingleSample,
        }
    }

    /// What is read.
    pub fn files(&self) -> Vec<&'a Path> {
        match self {
            Source::Marked(marked) => marked.files(),
            Source::Known { file, .. } => vec![file],
        }
    }

    /// Reads and encodes.
    pub fn read(&self, flags: &Fit, method: &MethodCard) -> Result<Rows, Failure> {
        if self.is_texts(flags)? {
            return self.read_texts(flags, method);
        }
        let missing: MissingPolicy = flags.missing.parse()?;
        let mut options = ReadOptions { drop: flags.drop.clone(), missing, ..ReadOptions::default() };
        let positive = flags.positive.as_deref();
        let (frame, labels) = match self {
            Source::Marked(marked) => marked.table(positive, options)?,
            Source::Known { file, truth } => {
                // A label column beside the truth is no feature either.
                options.drop.extend(flags.label.iter().cloned());
                options.text.push(truth.to_string());
                let mut frame = read(file, &options)?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (matrix, features) = encoded(frame, missing)?;
                return Ok(Rows::Known { matrix, truth, features });
            }
        };
        let (matrix, features) = match method.unscaled {
            true => unscaled(frame, missing)?,
            false => encoded(frame, missing)?,
        };
        Ok(Rows::Table { data: PuData::new(matrix, labels)?, features })
    }

    /// The texts, and their terms as sparse rows.
    fn read_texts(&self, flags: &Fit, method: &MethodCard) -> Result<Rows, Failure> {
        let (columns, positive) = (&flags.texts.text, flags.positive.as_deref());
        let (options, missing) = (flags.texts.options(method)?, flags.missing.parse()?);
        let fitted = |texts: &[String]| TextInput::fit(&options, columns.clone(), texts);
        match self {
            Source::Marked(marked) => {
                let (texts, labels) = marked.texts(columns, positive, missing)?;
                let (input, rows) = fitted(&texts)?;
                Ok(Rows::Texts { rows, labels, input })
            }
            Source::Known { file, truth } => {
                let (texts, mut frame) = read_texts(file, columns, &[truth], missing)?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (input, rows) = fitted(&texts)?;
                Ok(Rows::KnownTexts { rows, truth, input })
            }
        }
    }
}

/// Whether the rows are texts. Flags that have no meaning then, or only then, are refused.
pub fn are_texts(flags: &TextFlags, folders: bool, drop: &[String]) -> Result<bool, Failure> {
    let named = !flags.text.is_empty();
    match flags.without_texts() {
        Some(flag) if !folders && !named => Err(Failure::input(format!(
            "{flag} is for texts; name their column with --text COLUMN, or give two folders of texts"
        ))),
        _ if folders && named => Err(Failure::input("folders of texts have no columns; leave --text out")),
        _ if (folders || named) && !drop.is_empty() => Err(Failure::input(
            "with texts no other column is looked at, so there is nothing to drop; leave --drop out",
        )),
        _ => Ok(folders || named),
    }
}

/// Refuses a column that is asked to hold the labels and the texts.
fn check_label(label: Option<&str>, flags: &TextFlags) -> Result<(), Failure> {
    match label.filter(|label| flags.text.iter().any(|text| text == label)) {
        Some(name) => {
            Err(Failure::input(format!("column '{name}' cannot hold both the texts and the labels")))
        }
        None => Ok(()),
    }
}

/// Positives first, unlabeled rows after them.
pub fn one_after_the_other(positive: usize, unlabeled: usize) -> Vec<Label> {
    let mut labels = vec![Label::Positive; positive];
    labels.resize(positive + unlabeled, Label::Unlabeled);
    labels
}

/// Columns as they are, for methods that count and for those that scale by themselves.
fn unscaled(frame: Frame, missing: MissingPolicy) -> Result<(Matrix, Features), Failure> {
    let features = Features::fit(&frame, &[], missing)?.without_scaling();
    let (matrix, report) = features.encode(frame)?;
    tell_encoding(&report);
    Ok((matrix, features))
}

/// Columns scaled or one-hot, as most methods take them.
pub fn encoded(frame: Frame, missing: MissingPolicy) -> Result<(Matrix, Features), Failure> {
    let features = Features::fit(&frame, &[], missing)?;
    let (matrix, report) = features.encode(frame)?;
    tell_encoding(&report);
    Ok((matrix, features))
}
