//! Where `fit` and `prior` take rows and labels from: a table, two, or folders of texts.

use super::tell_encoding;
use super::texts::{TextFlags, read_folder, read_texts};
use crate::args::Fit;
use crate::failure::Failure;
use onesided::data::{
    Features, Frame, Label, Matrix, MissingPolicy, PuData, ReadOptions, SparseMatrix, labels_from_column,
    read, stack, truth_from_column,
};
use onesided::prior::PriorReport;
use onesided::{Learner, MethodCard, Model, Scenario, TextInput};
use std::path::Path;

/// Where rows and labels come from.
pub enum Source<'a> {
    Labeled { file: &'a Path, label: &'a str },
    Known { file: &'a Path, truth: &'a str },
    TwoFiles { positives: &'a Path, unlabeled: &'a Path },
    TwoFolders { positives: &'a Path, unlabeled: &'a Path },
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
        check_label(asked, &flags.texts)?;
        let source = match (&flags.positives, &flags.unlabeled, &flags.file) {
            (Some(positives), Some(unlabeled), _) if !method.needs_truth => {
                if label.is_some() || flags.positive.is_some() {
                    return Err(Failure::input(
                        "two files need no --label and no --positive: every row of --positives is positive",
                    ));
                }
                match both_folders(positives, unlabeled)? {
                    true => Source::TwoFolders { positives, unlabeled },
                    false => Source::TwoFiles { positives, unlabeled },
                }
            }
            (None, None, Some(file)) => match (method.needs_truth, label, truth) {
                (true, _, Some(truth)) => Source::Known { file, truth },
                (true, _, None) => return Err(onesided::Error::NeedsTruth(method.name.to_string()).into()),
                (false, Some(label), _) => Source::Labeled { file, label },
                (false, None, _) => return Err(Failure::input("name the label column with --label COLUMN")),
            },
            (None, None, None) => {
                return Err(Failure::input("name a table, or two with --positives and --unlabeled"));
            }
            _ => return Err(Failure::input("the method supervised reads one table with a --truth column")),
        };
        if are_texts(&flags.texts, matches!(source, Source::TwoFolders { .. }), &flags.drop)?
            && flags.image_shape.is_some()
        {
            return Err(Failure::input("texts are no images; leave --image-shape out"));
        }
        flags.texts.options(method)?;
        Ok(source)
    }

    /// One sample, or two drawn apart.
    pub fn default_scenario(&self) -> Scenario {
        match self {
            Source::TwoFiles { .. } | Source::TwoFolders { .. } => Scenario::CaseControl,
            _ => Scenario::SingleSample,
        }
    }

    /// What is read.
    pub fn files(&self) -> Vec<&'a Path> {
        match self {
            Source::Labeled { file, .. } | Source::Known { file, .. } => vec![file],
            Source::TwoFiles { positives, unlabeled } | Source::TwoFolders { positives, unlabeled } => {
                vec![positives, unlabeled]
            }
        }
    }

    /// Reads and encodes.
    pub fn read(&self, flags: &Fit, method: &MethodCard) -> Result<Rows, Failure> {
        if !flags.texts.text.is_empty() || matches!(self, Source::TwoFolders { .. }) {
            return self.read_texts(flags, method);
        }
        let missing: MissingPolicy = flags.missing.parse()?;
        let mut options = ReadOptions { drop: flags.drop.clone(), missing, ..ReadOptions::default() };
        let positive = flags.positive.as_deref();
        let (frame, labels) = match self {
            Source::Labeled { file, label } => labeled_table(file, label, positive, options)?,
            Source::Known { file, truth } => {
                // A label column beside the truth is no feature either.
                options.drop.extend(flags.label.iter().cloned());
                options.text.push(truth.to_string());
                let mut frame = read(file, &options)?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (matrix, features) = encoded(frame, missing)?;
                return Ok(Rows::Known { matrix, truth, features });
            }
            Source::TwoFiles { positives, unlabeled } | Source::TwoFolders { positives, unlabeled } => {
                two_tables(positives, unlabeled, &options)?
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
        let (texts, labels) = match self {
            Source::Labeled { file, label } => labeled_texts(file, columns, label, positive, missing)?,
            Source::Known { file, truth } => {
                let (texts, mut frame) = read_texts(file, columns, &[truth], missing)?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (input, rows) = fitted(&texts)?;
                return Ok(Rows::KnownTexts { rows, truth, input });
            }
            Source::TwoFiles { positives, unlabeled } | Source::TwoFolders { positives, unlabeled } => {
                two_texts(positives, unlabeled, columns, missing)?
            }
        };
        let (input, rows) = fitted(&texts)?;
        Ok(Rows::Texts { rows, labels, input })
    }
}

/// Whether positives and unlabeled rows are folders of texts; a folder and a table are refused.
pub fn both_folders(positives: &Path, unlabeled: &Path) -> Result<bool, Failure> {
    let (folder, other) = match (positives.is_dir(), unlabeled.is_dir()) {
        (true, false) => (positives, unlabeled),
        (false, true) => (unlabeled, positives),
        (both, _) => return Ok(both),
    };
    Err(Failure::input(format!(
        "'{}' is a folder and '{}' is not; give two folders of texts, or two tables",
        folder.display(),
        other.display()
    )))
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
pub fn check_label(label: Option<&str>, flags: &TextFlags) -> Result<(), Failure> {
    match label.filter(|label| flags.text.iter().any(|text| text == label)) {
        Some(name) => {
            Err(Failure::input(format!("column '{name}' cannot hold both the texts and the labels")))
        }
        None => Ok(()),
    }
}

/// A table and its labels.
pub fn labeled_table(
    file: &Path,
    label: &str,
    positive: Option<&str>,
    mut options: ReadOptions,
) -> Result<(Frame, Vec<Label>), Failure> {
    options.text.push(label.to_string());
    let mut frame = read(file, &options)?;
    let labels = labels_from_column(&frame.take(label)?, positive)?;
    Ok((frame, labels))
}

/// A table of positives, and one of unlabeled rows under it.
pub fn two_tables(
    positives: &Path,
    unlabeled: &Path,
    options: &ReadOptions,
) -> Result<(Frame, Vec<Label>), Failure> {
    let (first, second) = (read(positives, options)?, read(unlabeled, options)?);
    let labels = one_after_the_other(first.rows, second.rows);
    Ok((stack(first, second)?, labels))
}

/// The texts of a table and their labels.
pub fn labeled_texts(
    file: &Path,
    columns: &[String],
    label: &str,
    positive: Option<&str>,
    missing: MissingPolicy,
) -> Result<(Vec<String>, Vec<Label>), Failure> {
    let (texts, mut frame) = read_texts(file, columns, &[label], missing)?;
    Ok((texts, labels_from_column(&frame.take(label)?, positive)?))
}

/// The texts of positives, of a table or a folder, and those of unlabeled rows after them.
pub fn two_texts(
    positives: &Path,
    unlabeled: &Path,
    columns: &[String],
    missing: MissingPolicy,
) -> Result<(Vec<String>, Vec<Label>), Failure> {
    let read = |path: &Path| match path.is_dir() {
        true => read_folder(path).map(|files| files.texts),
        false => read_texts(path, columns, &[], missing).map(|(texts, _)| texts),
    };
    let (mut texts, more) = (read(positives)?, read(unlabeled)?);
    let labels = one_after_the_other(texts.len(), more.len());
    texts.extend(more);
    Ok((texts, labels))
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
