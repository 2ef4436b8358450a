//! The systems: one file each, one trait, one list.

pub mod bagging;
pub mod biased_svm;
pub mod elkan_noto;
pub mod kldce;
pub mod ldce;
pub mod puld;
pub mod roc_svm;
pub mod s_em;
mod space;
pub mod weighted_lr;

pub use space::Space;

use crate::{ClassicError, ClassicModel, Task};

/// A way to learn from positives and unlabeled rows. Its fields are its settings, with the paper's as defaults.
pub trait System: Send + Sync {
    /// The name on the command line and in the model file.
    fn name(&self) -> &'static str;

    /// Learns. Same task, same model, to the bit.
    fn fit(&self, task: &Task) -> Result<ClassicModel, ClassicError>;
}

/// A system as users see it listed.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Whether it cannot do without the prior.
    pub needs_prior: bool,
    /// Whether rows must hold no negative values.
    pub needs_counts: bool,
    /// Whether its scores come with a probability.
    pub gives_probability: bool,
    /// Whether parts of it were put together from secondary sources.
    pub reconstruction: bool,
    /// The system with its defaults.
    pub build: fn() -> Box<dyn System>,
}

/// All systems, in the order they are listed to users.
pub fn systems() -> &'static [Entry] {
    &SYSTEMS
}

/// The system of that name with its defaults.
pub fn system(name: &str) -> Result<Box<dyn System>, ClassicError> {
    let found = SYSTEMS.iter().find(|entry| entry.name == name);
    found.map(|entry| (entry.build)()).ok_or_else(|| ClassicError::UnknownSystem { name: name.to_string() })
}

static SYSTEMS: [Entry; 10] = [
    Entry {
        name: "weighted-lr",
        summary: "logistic regression of positives against unlabeled rows, both kinds with equal weight",
        citation: "Lee and Liu, ICML 2003",
        needs_prior: false,
        needs_counts: false,
        gives_probability: false,
        reconstruction: false,
        build: || Box::new(weighted_lr::WeightedLr::default()),
    },
    Entry {
        name: "biased-svm",
        summary: "support vector machine that pays more for a missed positive than for an unlabeled row",
        citation: "Liu, Dai, Li, Lee and Yu, ICDM 2003",
        needs_prior: false,
        needs_counts: false,
        gives_probability: false,
        reconstruction: false,
        build: || Box::new(biased_svm::BiasedSvm::default()),
    },
    Entry {
        name: "elkan-noto",
        summary: "probability of being labeled, divided by that of a positive",
        citation: "Elkan and Noto, KDD 2008",
        needs_prior: false,
        needs_counts: false,
        gives_probability: true,
        reconstruction: false,
        build: || Box::new(elkan_noto::ElkanNoto::default()),
    },
    Entry {
        name: "elkan-noto-weighted",
        summary: "each unlabeled row as a positive and as a negative, weighted by how likely either is",
        citation: "Elkan and Noto, KDD 2008",
        needs_prior: false,
        needs_counts: false,
        gives_probability: true,
        reconstruction: false,
        build: || Box::new(elkan_noto::ElkanNoto { form: elkan_noto::Form::Weighted, ..Default::default() }),
    },
    Entry {
        name: "bagging",
        summary: "mean of many machines, each on the positives and a sample of the unlabeled rows",
        citation: "Mordelet and Vert, Pattern Recognition Letters 2014",
        needs_prior: false,
        needs_counts: false,
        gives_probability: false,
        reconstruction: false,
        build: || Box::new(bagging::Bagging::default()),
    },
    Entry {
        name: "s-em",
        summary: "naive Bayes and EM from negatives that spies among the unlabeled rows point out",
        citation: "Liu, Lee, Yu and Li, ICML 2002",
        needs_prior: false,
        needs_counts: true,
        gives_probability: true,
        reconstruction: true,
        build: || Box::new(s_em::SEm::default()),
    },
    Entry {
        name: "roc-svm",
        summary: "Rocchio finds reliable negatives, support vector machines find the others in turn",
        citation: "Li and Liu, IJCAI 2003",
        needs_prior: false,
        needs_counts: false,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(roc_svm::RocSvm::default()),
    },
    Entry {
        name: "ldce",
        summary: "hinge loss whose unlabeled part needs nothing but the labeled mean of the unlabeled rows",
        citation: "Shi, Pan, Yang and Gong, IJCAI 2018",
        needs_prior: true,
        needs_counts: false,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(ldce::Ldce::default()),
    },
    Entry {
        name: "kldce",
        summary: "the same with a kernel, or with random features for large sets",
        citation: "Gong, Shi, Liu, Zhang, Yang and Tao, TPAMI 2021",
        needs_prior: true,
        needs_counts: false,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(kldce::Kldce::default()),
    },
    Entry {
        name: "puld",
        summary: "margin between the likelier and the other label of each unlabeled row, with the prior's share positive",
        citation: "Zhang, Ren, Liu, Yang and Gong, IJCAI 2019",
        needs_prior: true,
        needs_counts: false,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(puld::Puld::default()),
    },
];
