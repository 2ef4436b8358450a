//! What there is to try, for tables, texts and pictures.

use crate::scorers::{
    Boosting, DescribedScorer, LabelTreesScorer, LogisticScorer, NetworkScorer, ObjectiveChoice, TableSize,
    TreesScorer,
};
use crate::{Candidate, Config, Error, Scorer};
use onesided_data::{Dataset, Description, Encoding, FeatureKind, Store};
use onesided_loss::{Options, Reduction, method};
use onesided_net::{Architecture, Device};
use onesided_trees::{ForestConfig, RowDraw, TreesConfig};
use std::fmt;
use std::str::FromStr;

/// Encoded columns beyond which a dense network is not tried on sparse rows.
const WIDEST_NETWORK: usize = 5_000;
/// Rows up to which a kernel is tried, and its random features.
const KERNEL_ROWS: usize = 50_000;
const RANDOM_FEATURES: usize = 300;
/// Ridges of least squares, of a line and of a kernel, in units of the mean variance of a column.
const WHITENED: f64 = 0.01;
const SMOOTH: f64 = 10.0;
/// How far the AUC of a line is below that of other members on a usual table: on average over 26 tables of the benchmark's
/// roles learn and choose, cut to 700 and 2,000 rows, with 10 to 500 labels.
const LINES_BELOW: f64 = 0.04;

/// Costs of lines on what describes pictures, chosen on training images of CIFAR-10 and MNIST with 30 to 1,000 labels.
const COARSE_COST: f64 = 0.001;
const FINE_COST: f64 = 0.0005;

/// Rows from which boosted trees are larger.
const LARGE_TABLE: usize = 15_000;

/// Levels of a category that trees have bins for.
const MOST_BINS: usize = 255;

/// Boosted trees of members learn slowly; how many they are, and how large, is what they differ in.
const SLOW: Boosting = Boosting { trees: 50, max_leaves: 31, learning_rate: 0.05, l2: 1.0 };

/// How much time may be spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// A few members, three folds.
    Quick,
    /// All members, five folds.
    #[default]
    Normal,
    /// All members, the drawn ones three times as large, ten folds.
    Thorough,
}

impl Effort {
    /// Folds in which members are judged.
    pub(super) fn folds(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal => 5,
            Effort::Thorough => 10,
        }
    }
}

impl FromStr for Effort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "quick" => Ok(Effort::Quick),
            "normal" => Ok(Effort::Normal),
            "thorough" => Ok(Effort::Thorough),
            other => Err(Error::unknown_name("effort", other, &["quick", "normal", "thorough"])),
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Thorough => "thorough",
        })
    }
}

/// One scorer of a portfolio.
pub struct PortfolioMember {
    /// What it is called.
    pub name: String,
    /// What learns.
    pub scorer: Box<dyn Scorer>,
    /// The reduction of the collective loss, where it has one.
    pub reduction: Option<Reduction>,
    /// Rounds that it always takes; `None` for what stops by rows set aside.
    pub rounds: Option<usize>,
    /// Whether it is the plain alternative, "labeled" against the rest, that others are compared with.
    pub is_naive: bool,
    /// Whether it can hold a score to going up or down with a column.
    pub is_monotone: bool,
    /// How far its AUC is above that of others on a usual table, or below it.
    pub usual: f64,
}

impl PortfolioMember {
    fn new(name: &str, scorer: impl Scorer + 'static) -> Self {
        Self {
            name: name.to_string(),
            scorer: Box::new(scorer),
            reduction: None,
            rounds: Some(0),
            is_naive: false,
            is_monotone: false,
            usual: 0.0,
        }
    }

    /// What its trainer is asked for.
    pub fn candidate(&self) -> Candidate {
        match self.reduction {
            Some(reduction) => Candidate::reduction(reduction),
            None => Candidate::only(self.name.clone()),
        }
    }
}

/// The members for a data set, and the names of those that were left out because they cannot keep a constraint.
pub(super) fn for_data(
    data: &Dataset,
    config: &Config,
    effort: Effort,
) -> Result<(Vec<PortfolioMember>, Vec<String>), Error> {
    let all = all(data, config, effort)?;
    // Refused where a column is not there, whatever is tried.
    if config.monotone.directions(data)?.is_empty() {
        return Ok((all, Vec::new()));
    }
    let (kept, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|member| member.is_monotone);
    if kept.is_empty() {
        Err(Error::NoMonotoneMember { rows: "a table with a column of texts" })
    } else {
        Ok((kept, others.into_iter().map(|member| member.name).collect()))
    }
}

fn all(data: &Dataset, config: &Config, effort: Effort) -> Result<Vec<PortfolioMember>, Error> {
    match data.rows() {
        Store::Bytes(_) => pictures(data, config, effort),
        Store::Sparse(_) if data.encoding().whole_width() > WIDEST_NETWORK => texts(data, config, effort),
        _ if data.encoding().has_texts() => texts(data, config, effort),
        _ => table(data, config, effort),
    }
}

fn objective(name: &str) -> Result<ObjectiveChoice, Error> {
    Ok(ObjectiveChoice::Named(method(name)?))
}

fn boosted(name: &str, loss: &str, trees: TreesConfig) -> Result<PortfolioMember, Error> {
    let reduction = (loss == "collective").then_some(Reduction::PriorWeighted);
    let rounds = Some(trees.trees);
    let scorer = TreesScorer {
        objective: objective(loss)?,
        options: Options::default(),
        reduction,
        config: trees,
        prior_factor: 1.0,
    };
    Ok(PortfolioMember { reduction, rounds, is_monotone: true, ..PortfolioMember::new(name, scorer) })
}

fn network(
    name: &str,
    loss: &str,
    reduction: Option<Reduction>,
    architecture: Architecture,
    config: &Config,
    device: Option<Device>,
) -> Result<PortfolioMember, Error> {
    let scorer = NetworkScorer {
        objective: objective(loss)?,
        options: config.options(),
        reduction,
        architecture,
        train: config.train.clone().into(),
        start_bias: None,
        checkpoint: None,
        device,
    };
    Ok(PortfolioMember { reduction, rounds: None, ..PortfolioMember::new(name, scorer) })
}

fn table(data: &Dataset, config: &Config, effort: Effort) -> Result<Vec<PortfolioMember>, Error> {
    let rows = data.len();
    let (size, monotone) = (TableSize::of(data), config.monotone.directions(data)?);
    // Members are means over the folds, so that each fold's part of one may be small.
    let more = if effort == Effort::Thorough { 3 } else { 1 };
    let constrained = |config: TreesConfig| TreesConfig { monotone: monotone.clone(), ..config };
    let trees = |boosting: Boosting| constrained(size.boosted(boosting));
    let few = size.few_columns();
    let twice = (2.0 * few).min(1.0);
    let leaf = size.leaf();
    let forest = |name: &str, config: ForestConfig| {
        let config = ForestConfig { trees: config.trees * more, ..config };
        PortfolioMember::new(name, LabelTreesScorer::Forest(config))
    };
    let bags = |name: &str, bags: usize, config: TreesConfig| {
        let scorer = LabelTreesScorer::Bags { method: "naive", bags: bags * more, config };
        PortfolioMember { is_monotone: true, ..PortfolioMember::new(name, scorer) }
    };
    // More rows bear larger trees, and more of them.
    let large = rows >= LARGE_TABLE;
    let line = |name: &str, line: LogisticScorer| PortfolioMember {
        usual: -LINES_BELOW,
        ..PortfolioMember::new(name, line)
    };
    let mut naive = Boosting { trees: if large { 100 } else { 50 }, max_leaves: 31, ..SLOW };
    if many_levels(data) {
        // To know a level by what else is in its rows takes many cuts.
        naive = Boosting { trees: 100, learning_rate: 0.1, ..naive };
    }
    let naive = trees(naive);
    // Of as many positives as others.
    let balanced = ForestConfig {
        trees: 60,
        min_leaf_rows: leaf.min(rows / 200).max(2),
        columns_a_split: twice,
        rows: RowDraw::Balanced,
        ..ForestConfig::default()
    };
    let extra = ForestConfig {
        trees: 50,
        min_leaf_rows: leaf,
        columns_a_split: few,
        rows: RowDraw::All,
        random_cuts: true,
        ..ForestConfig::default()
    };
    let mut members = vec![
        line("linear", LogisticScorer { cost: Some(0.03), ..LogisticScorer::default() }),
        PortfolioMember { is_naive: true, ..boosted("naive trees", "naive", naive)? },
        bags("bagged trees", 8, constrained(size.bag())),
        forest("extra trees", extra),
        forest("balanced extra trees", ForestConfig { random_cuts: true, ..balanced }),
        boosted("collective trees", "collective", trees(Boosting { trees: 100, max_leaves: 8, ..SLOW }))?,
    ];
    if effort == Effort::Quick {
        return Ok(members);
    }
    let bootstrap = ForestConfig {
        trees: 50,
        min_leaf_rows: leaf,
        columns_a_split: twice,
        rows: RowDraw::Bootstrap,
        random_cuts: false,
        ..ForestConfig::default()
    };
    let (most_trees, most_leaves) = if large { (250, 31) } else { (150, 15) };
    let largest = Boosting { trees: most_trees, max_leaves: most_leaves, ..SLOW };
    members.extend([
        line("linear, weak", LogisticScorer { cost: Some(1.0), ..LogisticScorer::default() }),
        line("linear, ridge", LogisticScorer { cost: Some(0.003), ..LogisticScorer::default() }),
        // The others find directions in which rows differ much, this one may find one in which they hardly do.
        line(
            "linear, least squares",
            LogisticScorer { cost: Some(1.0), ridge: Some(WHITENED), ..LogisticScorer::default() },
        ),
        PortfolioMember::new("naive Bayes", LabelTreesScorer::NaiveBayes),
        boosted("naive trees, small", "naive", trees(Boosting { trees: 100, max_leaves: 6, ..SLOW }))?,
        bags(
            "bagged trees, small",
            10,
            trees(Boosting { trees: 40, max_leaves: 6, learning_rate: 0.1, ..SLOW }),
        ),
        forest("forest", bootstrap),
        forest("balanced forest", ForestConfig { random_cuts: false, ..balanced }),
        boosted("collective trees, large", "collective", trees(largest))?,
    ]);
    if rows <= KERNEL_ROWS {
        let kernel = LogisticScorer { cost: Some(0.1), ridge: None, random_features: RANDOM_FEATURES };
        members.push(PortfolioMember::new("kernel", kernel));
        let kernel = LogisticScorer { ridge: Some(SMOOTH), ..kernel };
        members.push(PortfolioMember::new("kernel, least squares", kernel));
    }
    if data.encoding().width() <= WIDEST_NETWORK {
        let network = |name: &str, loss: &str, reduction| {
            network(name, loss, reduction, Architecture::mlp(), config, Some(Device::Cpu))
        };
        members.push(network("collective network", "collective", Some(Reduction::PriorWeighted))?);
    }
    Ok(members)
}

/// Whether a column has more levels than trees have bins.
fn many_levels(data: &Dataset) -> bool {
    let Encoding::Table(features) = data.encoding().as_ref() else { return false };
    features.columns().iter().any(
        |feature| matches!(&feature.kind, FeatureKind::Categorical { levels, .. } if levels.len() > MOST_BINS),
    )
}

fn texts(data: &Dataset, config: &Config, effort: Effort) -> Result<Vec<PortfolioMember>, Error> {
    let mut members: Vec<PortfolioMember> =
        [("linear", 1.0), ("linear, weak", 30.0), ("linear, ridge", 0.03)]
            .into_iter()
            .map(|(name, cost)| PortfolioMember {
                is_naive: name == "linear",
                ..PortfolioMember::new(name, LogisticScorer { cost: Some(cost), ..LogisticScorer::default() })
            })
            .collect();
    if data.encoding().width() <= WIDEST_NETWORK {
        members.push(network(
            "collective network",
            "collective",
            Some(Reduction::SumOfMeans),
            Architecture::mlp(),
            config,
            None,
        )?);
        if effort != Effort::Quick {
            let weighted = Some(Reduction::PriorWeighted);
            let name = "collective network, weighted";
            members.push(network(name, "collective", weighted, Architecture::mlp(), config, None)?);
            members.push(network("naive network", "naive", None, Architecture::mlp(), config, None)?);
        }
    }
    Ok(members)
}

fn pictures(data: &Dataset, config: &Config, effort: Effort) -> Result<Vec<PortfolioMember>, Error> {
    let shape = data.encoding().shape();
    // Convolutions need some pixels to look at.
    let large = shape.is_some_and(|shape| shape.height >= 4 && shape.width >= 4);
    let architecture = || if large { Architecture::Cnn } else { Architecture::mlp() };
    let one =
        |name: &str, loss: &str, reduction| network(name, loss, reduction, architecture(), config, None);
    let described = described(data, effort);
    let mut members = vec![one("collective network", "collective", Some(Reduction::SumOfMeans))?];
    // The plain alternative is a line on what describes pictures, where they have pixels enough for that.
    if effort != Effort::Quick || described.is_empty() {
        members
            .push(PortfolioMember { is_naive: described.is_empty(), ..one("naive network", "naive", None)? });
    }
    if effort != Effort::Quick {
        members.push(one("collective network, weighted", "collective", Some(Reduction::PriorWeighted))?);
    }
    members.extend(described);
    Ok(members)
}

/// Lines and bagged trees on what describes pictures: ahead of networks where pictures are few, and done in seconds.
fn described(data: &Dataset, effort: Effort) -> Vec<PortfolioMember> {
    let Some(shape) = data.encoding().shape() else { return Vec::new() };
    let positives = data.counts().map_or(0, |counts| counts.positive);
    let mut members = Vec::new();
    for (by, name, cost) in
        [(Description::Coarse, "coarse", COARSE_COST), (Description::Fine, "fine", FINE_COST)]
    {
        if !by.suits(shape) {
            continue;
        }
        let member = |kind: &str, scorer: Box<dyn Scorer>| {
            PortfolioMember::new(&format!("{kind}, {name} features"), DescribedScorer { by, scorer })
        };
        let line = LogisticScorer { cost: Some(cost), ..LogisticScorer::default() };
        members
            .push(PortfolioMember { is_naive: by == Description::Coarse, ..member("line", Box::new(line)) });
        if by == Description::Coarse || effort != Effort::Quick {
            let size = TableSize::new(data.len(), by.width(shape.channels), positives);
            let bags = if effort == Effort::Thorough { 24 } else { 8 };
            // Bags of few pictures want less of a ridge than those of tables: LightGBM's AUC on two sets was .02 lower at 10 than at 1.
            let config = TreesConfig { l2: 1.0, min_child_rows: 5, ..size.bag() };
            let bags = LabelTreesScorer::Bags { method: "naive", bags, config };
            members.push(member("bagged trees", Box::new(bags)));
        }
    }
    members
}
