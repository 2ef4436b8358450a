//! The runs of a spec: every combination, the choices laid over each other for it, its name and its fingerprint.

use super::{Adjustment, Labeled, PriorErrorKind, Spec};
use crate::choices::{Choices, PriorSource, Settings};

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Number of its data set in the spec.
    pub data: usize,
    /// Number of its method.
    pub method: usize,
    /// How many positives are labeled; none for a method that sees every label.
    pub labeled: Option<Labeled>,
    /// By how much the prior is off.
    pub prior_error: f64,
    /// Its seed.
    pub seed: u64,
    /// What was chosen for it.
    pub settings: Settings,
    /// `cifar10/0.2/collective/0`.
    pub name: String,
    /// A number that changes with everything that can change the result.
    pub fingerprint: String,
}

impl Spec {
    /// Every run, one data set after the other, and seed after seed, so that half of an experiment is the whole
    /// experiment with fewer seeds.
    pub fn runs(&self) -> Result<Vec<Run>, String> {
        let mut runs = Vec::new();
        for data in 0..self.data.len() {
            for &seed in &self.seeds {
                for method in 0..self.methods.len() {
                    let one = |labeled, error| self.run(data, method, labeled, error, seed);
                    let first = one(Some(self.labeled[0]), 0.0)?;
                    if first.settings.needs_truth() {
                        runs.push(one(None, 0.0)?);
                        continue;
                    }
                    for &labeled in &self.labeled {
                        for &error in &self.prior_errors {
                            runs.push(one(Some(labeled), error)?);
                        }
                    }
                }
            }
        }
        runs.retain(|run| !run.settings.skip);
        Ok(runs)
    }

    fn run(
        &self,
        data: usize,
        method: usize,
        labeled: Option<Labeled>,
        prior_error: f64,
        seed: u64,
    ) -> Result<Run, String> {
        let (set, by) = (&self.data[data], &self.methods[method]);
        let mut choices = by.choices.merge(&set.choices.merge(&self.train));
        for adjustment in &self.adjustments {
            if adjustment.is_for(&set.name, &by.name, labeled) {
                choices = adjustment.choices.merge(&choices);
            }
        }
        let mut name = match labeled {
            Some(labeled) => format!("{}/{labeled}/{}", set.name, by.name),
            None => format!("{}/all/{}", set.name, by.name),
        };
        name.push_str(&self.error_in_name(prior_error));
        name.push_str(&format!("/{seed}"));
        let refused = |detail: String| format!("{name}: {detail}");
        let settings = choices.resolve(&by.name).map_err(refused)?;
        settings.check().map_err(|error| refused(error.to_string()))?;
        if settings.prior == PriorSource::Estimated && prior_error != 0.0 {
            let why =
                "an estimated prior is off by itself; leave 'prior_errors' or prior = \"estimated\" out";
            return Err(refused(why.into()));
        }
        // The objective belongs to it even where it is the method's name; how a table shows the method does not.
        let made = Choices { objective: Some(settings.objective.clone()), ..choices };
        let mut positive = set.positive.clone();
        positive.extend(set.label.iter().map(|label| format!("of column {label}")));
        let kind = self.unit_of(prior_error);
        let key = (&set.name, &positive, &set.folder, labeled, prior_error, kind, seed, made);
        let mut key = serde_json::to_string(&key).map_err(|error| error.to_string())?;
        if let Some(negative) = &set.negative {
            key += &serde_json::to_string(negative).map_err(|error| error.to_string())?;
        }
        if let Some(part) = &set.part {
            key += &format!("parts by {part}");
        }
        let fingerprint = format!("{:016x}", fnv(key.as_bytes()));
        Ok(Run { data, method, labeled, prior_error, seed, settings, name, fingerprint })
    }

    /// What of a run's name says that the prior is off, such as `/-10%`; nothing where it is right.
    pub(crate) fn error_in_name(&self, prior_error: f64) -> String {
        if prior_error == 0.0 {
            String::new()
        } else {
            format!("/{:+}{}", (prior_error * 1e4).round() / 100.0, self.unit_of(prior_error))
        }
    }

    fn unit_of(&self, prior_error: f64) -> &'static str {
        match self.prior_error_kind {
            _ if prior_error == 0.0 => "",
            PriorErrorKind::Relative => "%",
            PriorErrorKind::Absolute => " points",
        }
    }
}

impl Run {
    /// Whether `only`, such as `cifar10/0.2/collective`, is the start of the run's name, part by part; `*` is any part.
    pub fn matches(&self, only: &str) -> bool {
        let parts: Vec<&str> = self.name.split('/').collect();
        let asked: Vec<&str> = only.trim_end_matches('/').split('/').collect();
        asked.len() <= parts.len()
            && asked.iter().zip(&parts).all(|(asked, part)| *asked == "*" || asked == part)
    }

    /// The prior that the method is told, for a true one of `mu`.
    pub fn given_prior(&self, mu: f64, kind: PriorErrorKind) -> f64 {
        match kind {
            PriorErrorKind::Relative => mu * (1.0 + self.prior_error),
            PriorErrorKind::Absolute => mu + self.prior_error,
        }
    }
}

impl Adjustment {
    fn is_for(&self, data: &String, method: &String, labeled: Option<Labeled>) -> bool {
        let says = |list: &Option<Vec<String>>, name| list.as_ref().is_none_or(|list| list.contains(name));
        let labels = match (&self.labeled, labeled) {
            (None, _) => true,
            (Some(list), Some(labeled)) => list.contains(&labeled),
            (Some(_), None) => false,
        };
        says(&self.data, data) && says(&self.method, method) && labels
    }
}

/// FNV-1a: short, the same everywhere, and no one is served by two specs of one number.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SMALL, parsed};
    use super::*;
    use crate::results::Results;
    use std::collections::HashSet;
    use std::path::Path;

    #[test]
    fn runs_are_every_combination_with_their_choices() {
        let spec = parsed(SMALL).unwrap();
        let runs = spec.runs().unwrap();
        // Two sets, two seeds; two methods at two fractions and one that sees all labels.
        assert_eq!(runs.len(), 2 * 2 * (2 * 2 + 1));
        let find = |name: &str| runs.iter().find(|run| run.name == name).unwrap();
        assert_eq!(find("mnist/0.2/collective/1").settings.config.epochs, 7);
        assert_eq!(find("usps/all/supervised/0").settings.config.epochs, 5);
        let rate = |name: &str| find(name).settings.config.learning_rate;
        assert_eq!((rate("usps/0.2/upu-slow/0"), rate("usps/0.8/upu-slow/0")), (1e-4, 1e-5));
        assert_eq!(find("usps/0.8/upu-slow/0").settings.objective, "upu");
        assert_eq!(spec.results_file(), Path::new("experiments/results/small.jsonl"));
        let prints: HashSet<&str> = runs.iter().map(|run| run.fingerprint.as_str()).collect();
        assert_eq!(prints.len(), runs.len());
    }

    #[test]
    fn labels_may_be_counted() {
        let text = SMALL.replace("hidden = [0.2, 0.8]", "labels = [100, 20]");
        let text = text.replace("hidden = [0.8]", "labels = [20]");
        let runs = parsed(&text).unwrap().runs().unwrap();
        assert_eq!(runs.len(), 2 * 2 * (2 * 2 + 1));
        let find = |name: &str| runs.iter().find(|run| run.name == name).unwrap();
        assert_eq!(find("mnist/100/collective/1").labeled, Some(Labeled::Count(100)));
        assert_eq!(find("usps/100/upu-slow/0").settings.config.learning_rate, 1e-4);
        assert_eq!(find("usps/20/upu-slow/0").settings.config.learning_rate, 1e-5);
    }

    #[test]
    fn the_fingerprint_follows_what_is_run_and_not_what_it_is_called() {
        let print = |text: &str| parsed(text).unwrap().runs().unwrap()[0].fingerprint.clone();
        let before = print(SMALL);
        assert_eq!(print(&SMALL.replace("title = \"small\"", "title = \"other\"")), before);
        assert_eq!(print(&SMALL.replace("seeds = [0, 1]", "seeds = [0]")), before);
        let shown = "name = \"collective\"\ntitle = \"ours\"\naside = true";
        assert_eq!(print(&SMALL.replace("name = \"collective\"", shown)), before);
        assert_ne!(print(&SMALL.replace("epochs = 7", "epochs = 8")), before);
        assert_ne!(print(&SMALL.replace("positive = [\"0\"]", "positive = [\"1\"]")), before);
        let negative = "positive = [\"0\"]\nnegative = [\"1\"]";
        assert_ne!(print(&SMALL.replace("positive = [\"0\"]", negative)), before);
        // Committed results are found by this number.
        assert_eq!(before, "f0cba8e3a75d8525");
    }

    #[test]
    fn committed_results_are_found() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        if !folder.exists() {
            return eprintln!("SKIPPED: committed results are in the repository alone");
        }
        let spec = Spec::read(&folder.join("table1.toml")).unwrap();
        let runs = spec.runs().unwrap();
        let run = runs.iter().find(|run| run.name == "20ng/0.2/collective/0").unwrap();
        assert_eq!(run.fingerprint, "90f3e64d59c2c133");
        let results = Results::read(&spec.results_file(), &spec.reuse).unwrap();
        let lost: Vec<&str> =
            runs.iter().filter(|run| results.of(run).is_none()).map(|run| run.name.as_str()).collect();
        assert_eq!(lost, [""; 0]);
    }

    #[test]
    fn names_select_by_their_parts() {
        let runs = parsed(SMALL).unwrap().runs().unwrap();
        let count = |only: &str| runs.iter().filter(|run| run.matches(only)).count();
        assert_eq!(count("mnist"), 10);
        assert_eq!(count("mnist/0.2/collective"), 2);
        assert_eq!(count("*/0.2/collective/0"), 2);
        assert_eq!((count("mnist/0.2/coll"), count("mnist/0.2/collective/0/more")), (0, 0));
    }

    #[test]
    fn prior_errors_multiply_or_add() {
        let text = SMALL.replace("[train]", "prior_errors = [-0.1, 0.0, 0.05]\n[train]");
        let spec = parsed(&text).unwrap();
        let runs = spec.runs().unwrap();
        let names: Vec<&str> = runs.iter().take(3).map(|run| run.name.as_str()).collect();
        assert_eq!(
            names,
            ["mnist/0.2/collective/-10%/0", "mnist/0.2/collective/0", "mnist/0.2/collective/+5%/0"]
        );
        let both = parsed(&text.replace("epochs = 5", "epochs = 5\nprior = \"estimated\"")).unwrap_err();
        assert!(both.contains("an estimated prior is off by itself"), "{both}");
        assert!((runs[0].given_prior(0.4, PriorErrorKind::Relative) - 0.36).abs() < 1e-12);
        assert!((runs[2].given_prior(0.4, PriorErrorKind::Absolute) - 0.45).abs() < 1e-12);
    }
}
