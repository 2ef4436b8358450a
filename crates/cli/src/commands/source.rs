//! Where `fit` takes rows and labels from: a table, two, or folders of texts.

use super::tell_encoding;
use super::texts::{read_folder, read_texts};
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
        if let Some(name) = asked.filter(|name| flags.texts.text.iter().any(|text| text == name)) {
            return Err(Failure::input(format!("column '{name}' cannot hold both the texts and the labels")));
        }
        let source = match (&flags.positives, &flags.unlabeled, &flags.file) {
            (Some(positives), Some(unlabeled), _) if !method.needs_truth => {
                if label.is_some() || flags.positive.is_some() {
                    return Err(Failure::input(
                        "two files need no --label and no --positive: every row of --positives is positive",
                    ));
                }
                match (positives.is_dir(), unlabeled.is_dir()) {
                    (true, true) => Source::TwoFolders { positives, unlabeled },
                    (false, false) => Source::TwoFiles { positives, unlabeled },
                    (first, _) => {
                        let (folder, other) =
                            if first { (positives, unlabeled) } else { (unlabeled, positives) };
                        return Err(Failure::input(format!(
                            "'{}' is a folder and '{}' is not; give two folders of texts, or two tables",
                            folder.display(),
                            other.display()
                        )));
                    }
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
        source.check_texts(flags, method)?;
        Ok(source)
    }

    /// Flags about texts, and about columns, that have no meaning here.
    fn check_texts(&self, flags: &Fit, method: &MethodCard) -> Result<(), Failure> {
        let folders = matches!(self, Source::TwoFolders { .. });
        let named = !flags.texts.text.is_empty();
        match flags.texts.without_texts() {
            Some(flag) if !folders && !named => Err(Failure::input(format!(
                "{flag} is for texts; name their column with --text COLUMN, or give two folders of texts"
            ))),
            _ if folders && named => {
                Err(Failure::input("folders of texts have no columns; leave --text out"))
            }
            _ if (folders || named) && !flags.drop.is_empty() => Err(Failure::input(
                "with texts no other column is learned from, so there is nothing to drop; leave --drop out",
            )),
            _ if (folders || named) && flags.image_shape.is_some() => {
                Err(Failure::input("texts are no images; leave --image-shape out"))
            }
            _ => flags.texts.options(method).map(|_| ()),
        }
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
            Source::Labeled { file, label } => {
                options.text.push(label.to_string());
                let mut frame = read(file, &options)?;
                let labels = labels_from_column(&frame.take(label)?, positive)?;
                (frame, labels)
            }
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
                let (first, second) = (read(positives, &options)?, read(unlabeled, &options)?);
                let labels = one_after_the_other(first.rows, second.rows);
                (stack(first, second)?, labels)
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
        let options = flags.texts.options(method)?;
        let texts_of = |file: &Path, extra: &[&str]| read_texts(file, columns, extra);
        let fitted = |texts: &[String]| TextInput::fit(&options, columns.clone(), texts);
        match self {
            Source::Labeled { file, label } => {
                let (texts, mut frame) = texts_of(file, &[label])?;
                let labels = labels_from_column(&frame.take(label)?, positive)?;
                let (input, rows) = fitted(&texts)?;
                Ok(Rows::Texts { rows, labels, input })
            }
            Source::Known { file, truth } => {
                let (texts, mut frame) = texts_of(file, &[truth])?;
                let truth = truth_from_column(&frame.take(truth)?, positive)?;
                let (input, rows) = fitted(&texts)?;
                Ok(Rows::KnownTexts { rows, truth, input })
            }
            Source::TwoFiles { positives, unlabeled } | Source::TwoFolders { positives, unlabeled } => {
                let read = |path: &Path| match self {
                    Source::TwoFolders { .. } => read_folder(path).map(|files| files.texts),
                    _ => texts_of(path, &[]).map(|(texts, _)| texts),
                };
                let (mut texts, more) = (read(positives)?, read(unlabeled)?);
                let labels = one_after_the_other(texts.len(), more.len());
                texts.extend(more);
                let (input, rows) = fitted(&texts)?;
                Ok(Rows::Texts { rows, labels, input })
            }
        }
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
