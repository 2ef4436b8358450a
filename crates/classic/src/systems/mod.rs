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
    /// Whether columns are best left as they are: counts, or values that the system scales itself.
    pub unscaled: bool,
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

static SYSTEMS: [Entry; 11] = [
    Entry {
        name: "weighted-lr",
        summary: "logistic regression of positives against unlabeled rows, both kinds with equal weight",
        citation: "Lee and Liu, ICML 2003",
        needs_prior: false,
        needs_counts: false,
        unscaled: false,
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
        unscaled: false,
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
        unscaled: false,
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
        unscaled: false,
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
        unscaled: false,
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
        unscaled: true,
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
        unscaled: false,
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
        unscaled: false,
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
        unscaled: false,
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
        unscaled: false,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(puld::Puld::default()),
    },
    Entry {
        name: "genpu",
        summary: "networks that generate positives and negatives, and a classifier that learns from what they make",
        citation: "Hou, Chaib-draa, Li and Zhao, IJCAI 2018",
        needs_prior: true,
        needs_counts: false,
        unscaled: true,
        gives_probability: false,
        reconstruction: true,
        build: || Box::new(crate::genpu::GenPu::default()),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn every_system_learns_keeps_its_word_and_repeats_itself() {
        let mut data = simulated(600, 3, 0.3);
        // Counts for naive Bayes: no value below zero.
        data.rows.as_mut_slice().iter_mut().for_each(|value| *value += 5.0);
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        for entry in systems() {
            let system = system(entry.name).unwrap();
            assert_eq!(system.name(), entry.name);
            let model = system.fit(&task).unwrap();
            assert_eq!(model.system, entry.name);
            assert_eq!(model.link.is_some(), entry.gives_probability, "{}", entry.name);
            let json = serde_json::to_string(&model).unwrap();
            assert_eq!(json, serde_json::to_string(&system.fit(&task).unwrap()).unwrap(), "{}", entry.name);
            let read: ClassicModel = serde_json::from_str(&json).unwrap();
            read.check().unwrap();
            assert_eq!(read.scores(&data.rows), model.scores(&data.rows), "{}", entry.name);
            let without = system.fit(&Simulated::task(&data.rows, &data.labels, None));
            let refused = matches!(without, Err(ClassicError::NoPrior { .. }));
            assert_eq!(refused, entry.needs_prior, "{}", entry.name);
        }
        assert_eq!(system("svm").err().map(|e| e.to_string()).unwrap(), "there is no system 'svm'");
    }

    #[test]
    fn sparse_rows_give_what_dense_rows_give() {
        let data = simulated(400, 3, 0.3);
        let sparse = onesided_data::SparseMatrix::from_dense(&data.rows);
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        for entry in systems().iter().filter(|entry| !entry.needs_counts) {
            let dense = (entry.build)().fit(&task).unwrap().scores(&data.rows).unwrap();
            let model = (entry.build)().fit(&Task { rows: &sparse, ..task }).unwrap();
            let scores = model.scores(&sparse).unwrap();
            // Products are summed in another order, and solvers stop at a tolerance.
            let far = dense.iter().zip(&scores).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 0.05, "{}: {far}", entry.name);
        }
    }
}
