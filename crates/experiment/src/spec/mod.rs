//! A spec: the data sets, splits, methods and seeds of an experiment, and every choice that was made for them.
//!
//! ```toml
//! title = "Accuracy by hidden fraction"
//! hidden = [0.2, 0.8]          # shares of the positive class that are hidden among the unlabeled rows
//! seeds = [0, 1, 2, 3, 4]
//!
//! [train]                      # choices for all runs; see `Choices`
//! network = "vgg16"
//! learning_rate = 5e-4
//!
//! [[data]]
//! name = "cifar10"
//! positive = ["bird", "cat", "deer", "dog", "frog", "horse"]
//! epochs = 40
//!
//! [[method]]
//! name = "collective"
//! reduction = "sum-of-means"
//!
//! [[adjust]]                   # later ones win over earlier ones
//! data = ["cifar10"]
//! method = ["collective"]
//! learning_rate = 1e-3
//! ```
//!
//! With `labels = [1000, 100]` in the place of `hidden`, so many positives are labeled and all other rows are unlabeled.
//!
//! Which positives are labeled is left to chance, unless a `bias` says otherwise ([`Bias`](crate::Bias)). With `unlabeled = "all"` the
//! labeled rows are among the unlabeled ones as well, as two samples have them. With `prior = "estimated"` methods are told what
//! the rows to train on suggest, and not the truth. All three are choices, of which there may be others at every level.
//!
//! A method with `aside = true` is shown in tables but cannot be the best of a row.
//!
//! A table (`name = "table:mails"`) is a file below the folder of data: `folder = "mails.csv"`, `label = "class"`, and, where a column
//! says which rows are to `train` and which to `test` on, `part = "part"`.
//!
//! Rows whose class is not positive are negative; where a data set lists `negative` classes too, all others are left out.
//! A spec of one run may have a section `[figure]`; see [`FigureSpec`].
//!
//! Choices are laid over each other in the order `[train]`, `[[data]]`, `[[method]]`, `[[adjust]]`. A run is one
//! combination of data set, hidden fraction, method, prior error and seed, and has a name: `cifar10/0.2/collective/0`.

mod figure_section;
mod kind;
mod labeled;
mod runs;

pub use figure_section::FigureSpec;
pub use kind::DataKind;
pub use labeled::Labeled;
pub use runs::Run;

use crate::ExperimentError;
use crate::choices::Choices;
use onesided_data::{check_memory, read_regular, unknown_name};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The most runs of a spec: more would take longer than anybody waits, and are a slip in one of its lists.
const MOST_RUNS: usize = 100_000;

/// What a spec says of itself; everything else is in its tables.
const KEYS: [&str; 13] = [
    "title",
    "hidden",
    "labels",
    "seeds",
    "prior_errors",
    "prior_error_kind",
    "train",
    "printed",
    "reuse",
    "figure",
    "data",
    "method",
    "adjust",
];

/// What a byte of TOML may take as a tree of values.
const BYTES_PER_BYTE: u64 = 32;

/// The text of a file that people write, and whose values are held at once.
pub(crate) fn text_of(file: &Path) -> io::Result<String> {
    let length = std::fs::metadata(file)?.len();
    check_memory(|| "its values".to_string(), length.saturating_mul(BYTES_PER_BYTE))
        .map_err(io::Error::other)?;
    String::from_utf8(read_regular(file)?).map_err(|_| io::Error::other("it is not valid UTF-8"))
}

/// An experiment as its file describes it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file.
    pub file: PathBuf,
    /// One line over its table.
    pub title: String,
    /// How many positives are labeled: shares of the positive class hidden among the unlabeled rows, or numbers of labels.
    pub labeled: Vec<Labeled>,
    /// Seeds: each is a split and a training run.
    pub seeds: Vec<u64>,
    /// By how much the prior that the methods are told is off.
    pub prior_errors: Vec<f64>,
    /// Whether these errors are shares of the prior or are added to it.
    pub prior_error_kind: PriorErrorKind,
    /// The data sets.
    pub data: Vec<DataSpec>,
    /// The methods.
    pub methods: Vec<MethodSpec>,
    /// The printed values to compare the results with: a file and the name of a table in it.
    pub printed: Option<(PathBuf, String)>,
    /// Other results files that may hold runs of this spec.
    pub reuse: Vec<PathBuf>,
    /// What is drawn of its one run, if something is.
    pub figure: Option<FigureSpec>,
    train: Choices,
    adjustments: Vec<Adjustment>,
}

/// What a prior error means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorErrorKind {
    /// μ (1 + error).
    #[default]
    Relative,
    /// μ + error.
    Absolute,
}

/// A data set of a spec.
#[derive(Clone, Debug)]
pub struct DataSpec {
    /// The name of its kind; a second word behind a colon tells two of a kind apart.
    pub name: String,
    /// What it is.
    pub kind: DataKind,
    /// Its title in tables.
    pub title: String,
    /// The positive classes; a name that ends in `*` means all classes that start with it.
    pub positive: Vec<String>,
    /// The negative classes, if rows of all others are to be left out.
    pub negative: Option<Vec<String>>,
    /// Where it is, below the data folder; where it is published to be if nothing is said.
    pub folder: Option<PathBuf>,
    /// The column of a table that holds the classes.
    pub label: Option<String>,
    /// The column of a table that says of each row whether it is to `train` or to `test` on; where there is none, a fifth of
    /// the rows is tested on.
    pub part: Option<String>,
    choices: Choices,
}

#[cfg(test)]
impl DataSpec {
    /// Pictures of this name, for tests of what is made of their classes.
    pub(crate) fn new(name: &str, positive: Vec<String>, negative: Option<Vec<String>>) -> Self {
        let (title, folder, choices) = (name.to_string(), None, Choices::default());
        let kind = DataKind::Images;
        Self { name: name.into(), kind, title, positive, negative, folder, label: None, part: None, choices }
    }
}

/// A method of a spec.
#[derive(Clone, Debug)]
pub struct MethodSpec {
    /// Its name, the first of which is also the name of the objective if nothing else is said.
    pub name: String,
    /// Its title in tables.
    pub title: String,
    /// Whether it is shown with the others but cannot be the best (`aside = true`).
    pub aside: bool,
    choices: Choices,
}

/// Choices for some data sets and methods.
#[derive(Clone, Debug)]
struct Adjustment {
    data: Option<Vec<String>>,
    method: Option<Vec<String>>,
    labeled: Option<Vec<Labeled>>,
    choices: Choices,
}

impl Spec {
    /// Reads and checks a spec.
    pub fn read(file: &Path) -> Result<Self, ExperimentError> {
        let shown = file.display().to_string();
        let text = text_of(file).map_err(|cause| ExperimentError::Read { file: shown.clone(), cause })?;
        Self::parse(file, &text).map_err(|detail| ExperimentError::Spec { file: shown, detail })
    }

    pub(crate) fn parse(file: &Path, text: &str) -> Result<Self, String> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| one_line(&error.to_string()))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let listed = |table: &mut Table, key: &str| -> Result<Vec<Table>, String> {
            Ok(take(table, key)?.unwrap_or_default())
        };
        let data = listed(&mut table, "data")?.into_iter().map(data_set).collect::<Result<Vec<_>, _>>()?;
        let methods = listed(&mut table, "method")?.into_iter().map(method).collect::<Result<Vec<_>, _>>()?;
        let adjustments =
            listed(&mut table, "adjust")?.into_iter().map(adjustment).collect::<Result<Vec<_>, _>>()?;
        let printed: Option<Printed> = take(&mut table, "printed")?;
        let reuse: Vec<PathBuf> = take(&mut table, "reuse")?.unwrap_or_default();
        let spec = Spec {
            title: need(&mut table, "title")?,
            labeled: labeled(&mut table)?.ok_or("the key 'hidden' is missing, or 'labels' in its place")?,
            seeds: need(&mut table, "seeds")?,
            prior_errors: take(&mut table, "prior_errors")?.unwrap_or_else(|| vec![0.0]),
            prior_error_kind: take(&mut table, "prior_error_kind")?.unwrap_or_default(),
            train: take(&mut table, "train")?.unwrap_or_default(),
            printed: printed.map(|printed| (folder.join(printed.file), printed.table)),
            reuse: reuse.iter().map(|file| folder.join(file)).collect(),
            figure: take(&mut table, "figure")?,
            file: file.to_path_buf(),
            data,
            methods,
            adjustments,
        };
        if let Some(key) = table.keys().next() {
            return Err(unknown_name("key", key, &KEYS));
        }
        spec.check()?;
        Ok(spec)
    }

    fn check(&self) -> Result<(), String> {
        for (what, empty) in [
            ("the list of hidden fractions, or of numbers of labels,", self.labeled.is_empty()),
            ("seeds", self.seeds.is_empty()),
            ("prior_errors", self.prior_errors.is_empty()),
            ("[[data]]", self.data.is_empty()),
            ("[[method]]", self.methods.is_empty()),
        ] {
            if empty {
                return Err(format!("{what} is empty; name at least one"));
            }
        }
        for labeled in &self.labeled {
            match labeled {
                Labeled::AllBut(share) if !(*share > 0.0 && *share < 1.0) => {
                    return Err(format!(
                        "a hidden fraction must lie strictly between 0 and 1, but one is {share}"
                    ));
                }
                Labeled::Count(0) => return Err("a number of labels must be at least 1, but one is 0".into()),
                _ => {}
            }
        }
        if let Some(wrong) = self.prior_errors.iter().find(|&&error| !(error > -1.0 && error < 1.0)) {
            return Err(format!("a prior error must lie strictly between -1 and 1, but one is {wrong}"));
        }
        let lists = [self.labeled.len(), self.seeds.len(), self.prior_errors.len()];
        let all = lists.into_iter().chain([self.data.len(), self.methods.len()]);
        let runs = all.fold(1usize, usize::saturating_mul);
        if runs > MOST_RUNS {
            return Err(format!(
                "it has {runs} runs, and {MOST_RUNS} are the most; divide it into several specs"
            ));
        }
        fn twice<T: ToString>(list: &[T]) -> Option<String> {
            let mut seen = HashSet::new();
            list.iter().map(T::to_string).find(|one| !seen.insert(one.clone()))
        }
        let repeated = [
            (self.labeled[0].key(), twice(&self.labeled)),
            ("seeds", twice(&self.seeds)),
            ("prior_errors", twice(&self.prior_errors)),
        ];
        if let Some((what, Some(value))) = repeated.iter().find(|(_, value)| value.is_some()) {
            return Err(format!("{what} lists {value} twice; leave one out"));
        }
        let names = |names: Vec<&String>| {
            let mut seen = HashSet::new();
            names.into_iter().find(|name| !seen.insert(*name)).map_or(Ok(()), |twice| {
                Err(format!("'{twice}' is there twice; give the second another name"))
            })
        };
        names(self.data.iter().map(|data| &data.name).collect())?;
        names(self.methods.iter().map(|method| &method.name).collect())?;
        let known = |what: &str, asked: &Option<Vec<String>>, known: Vec<&String>| {
            let unknown = asked.iter().flatten().find(|name| !known.contains(name));
            unknown.map_or(Ok(()), |name| {
                Err(format!("[[adjust]] names the {what} '{name}', which is not there"))
            })
        };
        for adjustment in &self.adjustments {
            known("data set", &adjustment.data, self.data.iter().map(|data| &data.name).collect())?;
            known("method", &adjustment.method, self.methods.iter().map(|method| &method.name).collect())?;
        }
        let runs = self.runs()?;
        self.figure.as_ref().map_or(Ok(()), |figure| figure.check(&runs))
    }

    /// Where the results are: next to the spec, in the folder `results`, under its name.
    pub fn results_file(&self) -> PathBuf {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = self.file.parent().unwrap_or(Path::new(""));
        folder.join("results").join(format!("{stem}.jsonl"))
    }
}

/// Where the printed values are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    file: PathBuf,
    table: String,
}

fn data_set(mut table: Table) -> Result<DataSpec, String> {
    let name: String = need(&mut table, "name").map_err(|error| format!("[[data]]: {error}"))?;
    let located = |error: String| format!("the data set '{name}': {error}");
    let kind = DataKind::of(&name).map_err(located)?;
    let positive = need(&mut table, "positive").map_err(located)?;
    let negative = take(&mut table, "negative").map_err(located)?;
    let title = take(&mut table, "title").map_err(located)?.unwrap_or_else(|| name.clone());
    let folder = take(&mut table, "folder").map_err(located)?;
    let label = take(&mut table, "label").map_err(located)?;
    let part = take(&mut table, "part").map_err(located)?;
    if part.is_some() && kind != DataKind::Table {
        return Err(located("only a table has a column that says what to train on; leave 'part' out".into()));
    }
    let choices = rest(table).map_err(located)?;
    Ok(DataSpec { kind, title, positive, negative, folder, label, part, choices, name })
}

fn method(mut table: Table) -> Result<MethodSpec, String> {
    let name: String = need(&mut table, "name").map_err(|error| format!("[[method]]: {error}"))?;
    let located = |error: String| format!("the method '{name}': {error}");
    let title = take(&mut table, "title").map_err(located)?.unwrap_or_else(|| name.clone());
    let aside = take(&mut table, "aside").map_err(located)?.unwrap_or_default();
    let choices = rest(table).map_err(located)?;
    Ok(MethodSpec { title, aside, choices, name })
}

fn adjustment(mut table: Table) -> Result<Adjustment, String> {
    let located = |error: String| format!("[[adjust]]: {error}");
    let (data, method) =
        (take(&mut table, "data").map_err(located)?, take(&mut table, "method").map_err(located)?);
    let labeled = labeled(&mut table).map_err(located)?;
    Ok(Adjustment { data, method, labeled, choices: rest(table).map_err(located)? })
}

/// Takes `hidden` or `labels` out of a table, of which one can be there.
fn labeled(table: &mut Table) -> Result<Option<Vec<Labeled>>, String> {
    let hidden: Option<Vec<f64>> = take(table, "hidden")?;
    let labels: Option<Vec<usize>> = take(table, "labels")?;
    match (hidden, labels) {
        (Some(_), Some(_)) => {
            Err("'hidden' and 'labels' say the same thing in two ways; leave one out".into())
        }
        (Some(hidden), None) => Ok(Some(hidden.into_iter().map(Labeled::AllBut).collect())),
        (None, labels) => Ok(labels.map(|labels| labels.into_iter().map(Labeled::Count).collect())),
    }
}

/// Takes a key out of a table.
fn take<T: DeserializeOwned>(table: &mut Table, key: &str) -> Result<Option<T>, String> {
    let value = table.remove(key).map(Value::try_into).transpose();
    value.map_err(|error: toml::de::Error| format!("{key}: {}", one_line(&error.to_string())))
}

fn need<T: DeserializeOwned>(table: &mut Table, key: &str) -> Result<T, String> {
    take(table, key)?.ok_or_else(|| format!("the key '{key}' is missing"))
}

/// What is left of a table once its own keys are taken: choices, and nothing else.
fn rest(table: Table) -> Result<Choices, String> {
    Value::Table(table).try_into().map_err(|error: toml::de::Error| one_line(&error.to_string()))
}

/// The message of the parser, which draws the place over several lines, as one.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub const SMALL: &str = r#"
        title = "small"
        hidden = [0.2, 0.8]
        seeds = [0, 1]
        [train]
        epochs = 5
        [[data]]
        name = "mnist"
        positive = ["0"]
        epochs = 7
        [[data]]
        name = "usps"
        positive = ["0"]
        [[method]]
        name = "collective"
        [[method]]
        name = "upu-slow"
        objective = "upu"
        learning_rate = 1e-4
        [[method]]
        name = "supervised"
        [[adjust]]
        data = ["usps"]
        method = ["upu-slow"]
        hidden = [0.8]
        learning_rate = 1e-5
    "#;

    pub fn parsed(text: &str) -> Result<Spec, String> {
        Spec::parse(Path::new("experiments/small.toml"), text)
    }

    #[test]
    fn mistakes_are_named() {
        let message = |from: &str, to: &str| parsed(&SMALL.replace(from, to)).unwrap_err();
        assert_eq!(message("title = \"small\"", ""), "the key 'title' is missing");
        assert!(message("epochs = 7", "epoch = 7").contains("the data set 'mnist': unknown field `epoch`"));
        let late = message("epochs = 7", "epochs = 7\nwarm_up = 8");
        assert!(late.starts_with("mnist/") && late.contains("the warm-up must last 0 to 7 epochs"), "{late}");
        assert!(message("epochs = 7", "epochs = 0").contains("at least 1, but is 0"));
        assert!(message("seeds = [0, 1]", "seeds = []").contains("seeds is empty"));
        assert!(message("hidden = [0.2, 0.8]", "hidden = [1.2]").contains("but one is 1.2"));
        assert!(message("hidden = [0.2, 0.8]", "labels = [0]").contains("at least 1, but one is 0"));
        assert!(message("hidden = [0.2, 0.8]", "labels = [5, 5]").contains("labels lists 5 twice"));
        assert!(message("hidden = [0.2, 0.8]", "").contains("the key 'hidden' is missing, or 'labels'"));
        assert!(message("seeds = [0, 1]", "seeds = [0]\nlabels = [5]").contains("leave one out"));
        assert_eq!(message("seeds = [0, 1]", "seeds = [3, 1, 3]"), "seeds lists 3 twice; leave one out");
        assert_eq!(
            message("hidden = [0.2, 0.8]", "hidden = [0.2, 0.2]"),
            "hidden lists 0.2 twice; leave one out"
        );
        let aside = message("name = \"collective\"", "name = \"collective\"\naside = \"yes\"");
        assert!(aside.contains("the method 'collective': ") && aside.contains("aside"), "{aside}");
        assert!(message("data = [\"usps\"]", "data = [\"uspss\"]").contains("'uspss', which is not there"));
        assert!(message("objective = \"upu\"", "objective = \"upuu\"").contains("upu"));
        let part = message("name = \"usps\"", "name = \"usps\"\npart = \"p\"");
        assert!(part.contains("the data set 'usps': only a table has a column"), "{part}");
        assert!(message("epochs = 7", "bias = \"sure\"").contains("unknown bias 'sure'"));
        assert!(message("name = \"usps\"", "name = \"mnist\"").contains("'mnist' is there twice"));
        let unknown = message("[train]", "seed = 9\n[train]");
        assert!(
            unknown.starts_with("unknown key 'seed' (did you mean 'seeds'?); use title, hidden"),
            "{unknown}"
        );
        assert!(parsed("title = ").is_err());
    }
}
