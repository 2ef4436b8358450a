//! The systems: one file each, one trait, one list.

pub mod bagging;
pub mod biased_svm;
pub mod elkan_noto;
pub(crate) mod info;
pub mod kldce;
pub mod ldce;
pub mod puld;
pub mod roc_svm;
pub mod s_em;
mod space;
pub mod weighted_lr;

pub use info::{Growth, SystemInfo};
pub use space::Space;

use crate::{ClassicError, ClassicModel, Problem};
use std::fmt;

/// A way to learn from positives and unlabeled rows. Its fields are its settings, with the paper's as defaults.
pub trait System: fmt::Debug + Send + Sync {
    /// The name on the command line and in the model file.
    fn name(&self) -> &'static str;

    /// Learns from a problem that was checked: what a system implements. Call [`System::fit`].
    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError>;

    /// Checks the problem and learns from it, on as many threads as it says. Same problem, same model, to the bit, on any
    /// number of threads.
    fn fit(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        problem.checked(|| self.learn(problem))
    }
}

/// All systems, in the order they are listed to users.
#[must_use]
pub fn systems() -> &'static [&'static SystemInfo] {
    &SYSTEMS
}

/// What there is to know of the system of that name.
#[must_use]
pub fn system_info(name: &str) -> Option<&'static SystemInfo> {
    SYSTEMS.into_iter().find(|info| info.name == name)
}

/// The system of that name with its defaults.
pub fn system(name: &str) -> Result<Box<dyn System>, ClassicError> {
    let info = system_info(name).ok_or_else(|| ClassicError::UnknownSystem { name: name.to_string() })?;
    Ok(info.with_options(&[])?)
}

/// A system is a file and a line here.
static SYSTEMS: [&SystemInfo; 11] = [
    &weighted_lr::INFO,
    &biased_svm::INFO,
    &elkan_noto::INFO,
    &elkan_noto::WEIGHTED_INFO,
    &bagging::INFO,
    &s_em::INFO,
    &roc_svm::INFO,
    &ldce::INFO,
    &kldce::INFO,
    &puld::INFO,
    &crate::genpu::INFO,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Takes;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn every_system_learns_keeps_its_word_and_repeats_itself() {
        let mut data = simulated(600, 3, 0.3);
        // Counts for naive Bayes: no value below zero.
        data.rows.as_mut_slice().iter_mut().for_each(|value| *value += 5.0);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        for info in systems() {
            let system = system(info.name).unwrap();
            assert_eq!(system.name(), info.name);
            let model = system.fit(&problem).unwrap();
            assert_eq!(model.system, info.name);
            assert_eq!(model.link.is_some(), info.gives_probability, "{}", info.name);
            let json = serde_json::to_string(&model).unwrap();
            assert_eq!(json, serde_json::to_string(&system.fit(&problem).unwrap()).unwrap(), "{}", info.name);
            let read: ClassicModel = serde_json::from_str(&json).unwrap();
            read.check().unwrap();
            assert_eq!(read.scores(&data.rows), model.scores(&data.rows), "{}", info.name);
            let without = system.fit(&Simulated::problem(&data.rows, &data.labels, None));
            let refused = matches!(without, Err(ClassicError::NoPrior { .. }));
            assert_eq!(refused, info.needs_prior, "{}", info.name);
        }
        assert_eq!(system("svm").err().map(|e| e.to_string()).unwrap(), "there is no system 'svm'");
    }

    #[test]
    fn threads_change_nothing() {
        // Enough rows that passes over them are cut into blocks too; few for those whose time grows with their square.
        let [many, few] = [9000, 500].map(|n| {
            let mut data = simulated(n, 3, 0.3);
            data.rows.as_mut_slice().iter_mut().for_each(|value| *value = (*value + 5.0).max(0.0));
            data
        });
        for info in systems() {
            let data = if ["kldce", "genpu"].contains(&info.name) { &few } else { &many };
            let system = system(info.name).unwrap();
            let fit = |threads| {
                let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
                let model = system.fit(&Problem { threads, ..problem }).unwrap();
                (model.scores(&data.rows).unwrap(), serde_json::to_string(&model).unwrap())
            };
            assert!(fit(1) == fit(3), "{}", info.name);
        }
    }

    #[test]
    fn every_system_is_built_under_its_name_and_every_option_changes_it() {
        for info in systems() {
            let built = |given: &[(&str, &str)]| {
                let given: Vec<(String, String)> =
                    given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
                info.with_options(&given).map(|system| {
                    assert_eq!(system.name(), info.name);
                    format!("{system:?}")
                })
            };
            assert!(!info.citation.is_empty() && !info.assumes.is_empty() && !info.options.is_empty());
            for option in info.options {
                // γ and the number of features count where there is a kernel.
                let kernel = [("kernel", "random-features")];
                let with_kernel = info.name == "biased-svm" && ["gamma", "features"].contains(&option.name);
                let before: &[(&str, &str)] = if with_kernel { &kernel } else { &[] };
                let value = match option.takes {
                    Takes::Choice(words) => words[words.len() - 1],
                    Takes::Share => "0.37",
                    _ => "7",
                };
                let changed = built(&[before, &[(option.name, value)]].concat()).unwrap();
                assert_ne!(changed, built(before).unwrap(), "{}: {}", info.name, option.name);
                assert!(built(&[(option.name, "-1")]).is_err(), "{}: {}", info.name, option.name);
                assert!(!option.what.contains("--"), "{}: {}", info.name, option.name);
            }
        }
        let message = |system: &str, name: &str, value: &str| {
            let given = [(name.to_string(), value.to_string())];
            system_info(system).unwrap().with_options(&given).unwrap_err().to_string()
        };
        assert_eq!(message("puld", "c", "1"), "the method puld has no option 'c'; its options are: cost");
        assert_eq!(
            message("s-em", "spies", "1.5"),
            "the option spies cannot be '1.5'; it takes between 0 and 1"
        );
        assert_eq!(
            message("ldce", "centroid", "mean"),
            "the option centroid cannot be 'mean'; it takes exact, published"
        );
    }

    #[test]
    fn sparse_rows_give_what_dense_rows_give() {
        let data = simulated(400, 3, 0.3);
        let sparse = onesided_data::SparseMatrix::from_dense(&data.rows);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        for info in systems().iter().filter(|info| !info.needs_counts) {
            let system = system(info.name).unwrap();
            let dense = system.fit(&problem).unwrap().scores(&data.rows).unwrap();
            let model = system.fit(&Problem { rows: &sparse, ..problem }).unwrap();
            let scores = model.scores(&sparse).unwrap();
            // Products are summed in another order, and solvers stop at a tolerance.
            let far = dense.iter().zip(&scores).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 0.05, "{}: {far}", info.name);
        }
    }
}
