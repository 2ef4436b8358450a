//! Settings of the classic systems by name: what can be set, and the system that comes of it.
//!
//! Only what users have a reason to set is here; the types of [`onesided_classic::systems`] have all of it. A setting
//! that is a list names candidates, between which held-out rows decide; one number fixes it.

use crate::Error;
use onesided_classic::genpu::GenPu;
use onesided_classic::systems::bagging::Bagging;
use onesided_classic::systems::biased_svm::BiasedSvm;
use onesided_classic::systems::elkan_noto::ElkanNoto;
use onesided_classic::systems::kldce::Kldce;
use onesided_classic::systems::ldce::{Centroid, Ldce};
use onesided_classic::systems::puld::Puld;
use onesided_classic::systems::roc_svm::RocSvm;
use onesided_classic::systems::s_em::SEm;
use onesided_classic::systems::weighted_lr::WeightedLr;
use onesided_classic::systems::{Entry, Space, elkan_noto};
use onesided_classic::{Kernel, System};

/// One setting of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemOption {
    /// What users type.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Its values, and the default.
    pub values: &'static str,
}

const fn option(name: &'static str, what: &'static str, values: &'static str) -> SystemOption {
    SystemOption { name, what, values }
}

const COST: &str = "the price of an example on the wrong side, against the size of the weights";

static WEIGHTED_LR: [SystemOption; 1] = [option("cost", COST, "numbers above 0; 0.1,1,10,100")];
static BIASED_SVM: [SystemOption; 5] = [
    option("cost", "the price of an unlabeled row called positive", "numbers above 0; 0.01,0.04,0.16,0.61"),
    option("ratio", "how much more a missed positive costs", "numbers above 0; 1,2,4,10,30,100"),
    option(
        "kernel",
        "the boundary: a plane, or that of an RBF kernel",
        "linear, rbf, random-features; linear",
    ),
    option("gamma", "γ of the RBF kernel exp(-γ|x - y|²), with --option kernel", "a number above 0; 1"),
    option("features", "how many random features", "a whole number; 500"),
];
static ELKAN_NOTO: [SystemOption; 1] = [option("cost", COST, "numbers above 0; 0.01,0.1,1,10,100")];
static BAGGING: [SystemOption; 3] = [
    option("machines", "how many machines are averaged", "a whole number; 30"),
    option(
        "sample",
        "unlabeled rows that each machine sees",
        "a whole number; as many as there are positives",
    ),
    option("cost", COST, "numbers above 0; 0.01,0.1,1"),
];
static S_EM: [SystemOption; 4] = [
    option("spies", "the share of positives put among the unlabeled rows", "between 0 and 1; 0.15"),
    option(
        "noise",
        "the share of spies allowed below the threshold of reliable negatives",
        "between 0 and 1; 0.15",
    ),
    option("rounds", "rounds of EM at most", "a whole number; 20"),
    option("smoothing", "added to every count of naive Bayes", "a number above 0; 1"),
];
static ROC_SVM: [SystemOption; 3] = [
    option("cost", COST, "numbers above 0; 0.1,1,10"),
    option("rejected", "the share of positives that the last machine may reject", "between 0 and 1; 0.08"),
    option("rounds", "machines at most", "a whole number; 50"),
];
static LDCE: [SystemOption; 4] = [
    option("ridge", "λ, the weight of |w|²", "numbers above 0; 2^-18 to 2^-2"),
    option("radius", "b, how far the centroid may move", "numbers from 0; 0,0.1,0.9"),
    option(
        "centroid",
        "the exact centroid for labels at random, or the published one",
        "exact, published; exact",
    ),
    option("turns", "turns of weights and centroid", "a whole number; 3"),
];
static KLDCE: [SystemOption; 3] = [
    option("ridge", "λ, the weight of |f|²", "numbers above 0; 2^-18 to 2^-3"),
    option("gamma", "γ of the RBF kernel", "a number above 0; 1 / (columns · variance)"),
    option("random-features", "as many random features instead of the kernel matrix", "a whole number; none"),
];
static PULD: [SystemOption; 1] = [option("cost", COST, "numbers above 0; 0.001,0.01,0.1,1")];
static GENPU: [SystemOption; 4] = [
    option("steps", "steps of a game", "a whole number; 3000, beyond 32 columns 5000"),
    option("games", "games, of which held-out rows choose", "a whole number; 1"),
    option("hidden", "units of a hidden layer", "a whole number; 64, beyond 32 columns 128"),
    option("rate", "the size of a step", "a number above 0; 0.001, beyond 32 columns 0.0005"),
];

/// What can be set of a system.
pub fn system_options(system: &str) -> &'static [SystemOption] {
    match system {
        "weighted-lr" => &WEIGHTED_LR,
        "biased-svm" => &BIASED_SVM,
        "elkan-noto" | "elkan-noto-weighted" => &ELKAN_NOTO,
        "bagging" => &BAGGING,
        "s-em" => &S_EM,
        "roc-svm" => &ROC_SVM,
        "ldce" => &LDCE,
        "kldce" => &KLDCE,
        "puld" => &PULD,
        "genpu" => &GENPU,
        _ => &[],
    }
}

/// The system with what was given; everything else at its default.
pub(crate) fn build(entry: &Entry, given: &[(String, String)]) -> Result<Box<dyn System>, Error> {
    let set = Set::new(entry.name, given)?;
    Ok(match entry.name {
        "weighted-lr" => Box::new(WeightedLr { costs: set.numbers("cost", WeightedLr::default().costs)? }),
        "biased-svm" => {
            let default = BiasedSvm::default();
            let (gamma, features) = (set.one("gamma")?, set.count("features")?);
            let space = match set.text("kernel") {
                None | Some("linear") => Space::Linear,
                Some("rbf") => Space::Kernel(Kernel::Rbf { gamma: gamma.unwrap_or(1.0) }),
                Some("random-features") => Space::RandomFeatures { gamma, features: features.unwrap_or(500) },
                Some(other) => return Err(set.wrong("kernel", other)),
            };
            Box::new(BiasedSvm {
                costs: set.numbers("cost", default.costs)?,
                ratios: set.numbers("ratio", default.ratios)?,
                space,
            })
        }
        "elkan-noto" | "elkan-noto-weighted" => {
            let form = match entry.name {
                "elkan-noto" => elkan_noto::Form::Scaled,
                _ => elkan_noto::Form::Weighted,
            };
            Box::new(ElkanNoto { form, costs: set.numbers("cost", ElkanNoto::default().costs)? })
        }
        "bagging" => {
            let default = Bagging::default();
            Box::new(Bagging {
                machines: set.count("machines")?.unwrap_or(default.machines),
                sample: set.count("sample")?.or(default.sample),
                costs: set.numbers("cost", default.costs)?,
            })
        }
        "s-em" => {
            let mut system = SEm::default();
            system.spies = set.share("spies")?.unwrap_or(system.spies);
            system.noise = set.share("noise")?.unwrap_or(system.noise);
            system.rounds = set.count("rounds")?.unwrap_or(system.rounds);
            system.naive_bayes.smoothing = set.one("smoothing")?.unwrap_or(system.naive_bayes.smoothing);
            Box::new(system)
        }
        "roc-svm" => {
            let default = RocSvm::default();
            Box::new(RocSvm {
                costs: set.numbers("cost", default.costs.clone())?,
                rejected: set.share("rejected")?.unwrap_or(default.rejected),
                rounds: set.count("rounds")?.unwrap_or(default.rounds),
                ..default
            })
        }
        "ldce" => {
            let default = Ldce::default();
            let centroid = match set.text("centroid") {
                None | Some("exact") => Centroid::Exact,
                Some("published") => Centroid::Published,
                Some(other) => return Err(set.wrong("centroid", other)),
            };
            Box::new(Ldce {
                centroid,
                ridges: set.numbers("ridge", default.ridges)?,
                radii: set.list("radius", default.radii, |radius| radius >= 0.0)?,
                turns: set.count("turns")?.unwrap_or(default.turns),
            })
        }
        "kldce" => {
            let default = Kldce::default();
            Box::new(Kldce {
                gamma: set.one("gamma")?,
                ridges: set.numbers("ridge", default.ridges.clone())?,
                random_features: set.count("random-features")?,
                ..default
            })
        }
        "puld" => Box::new(Puld { costs: set.numbers("cost", Puld::default().costs)? }),
        "genpu" => Box::new(GenPu {
            steps: set.count("steps")?,
            games: set.count("games")?.unwrap_or(GenPu::default().games),
            hidden: set.count("hidden")?,
            rate: set.one("rate")?,
            ..GenPu::default()
        }),
        _ => (entry.build)(),
    })
}

/// What was given, by name, every name known.
struct Set<'a> {
    method: &'static str,
    given: &'a [(String, String)],
}

impl<'a> Set<'a> {
    fn new(method: &'static str, given: &'a [(String, String)]) -> Result<Self, Error> {
        let known = system_options(method);
        for (at, (name, _)) in given.iter().enumerate() {
            if known.iter().all(|option| option.name != name) {
                let known: Vec<&str> = known.iter().map(|option| option.name).collect();
                let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                return Err(Error::UnknownOption { method: method.to_string(), name: name.clone(), known });
            }
            if given[..at].iter().any(|(other, _)| other == name) {
                return Err(Error::OptionTwice(name.clone()));
            }
        }
        Ok(Self { method, given })
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.given.iter().find(|(other, _)| other == name).map(|(_, value)| value.trim())
    }

    fn wrong(&self, name: &str, value: &str) -> Error {
        let known = system_options(self.method).iter().find(|option| option.name == name);
        Error::OptionValue {
            name: name.to_string(),
            value: value.to_string(),
            values: known.map_or("", |option| option.values).split(';').next().unwrap_or("").to_string(),
        }
    }

    /// A list of numbers that pass `fits`.
    fn list(&self, name: &str, default: Vec<f64>, fits: impl Fn(f64) -> bool) -> Result<Vec<f64>, Error> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let number =
            |part: &str| part.trim().parse::<f64>().ok().filter(|&number| number.is_finite() && fits(number));
        let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
        numbers.ok_or_else(|| self.wrong(name, text))
    }

    fn numbers(&self, name: &str, default: Vec<f64>) -> Result<Vec<f64>, Error> {
        self.list(name, default, |number| number > 0.0)
    }

    fn one(&self, name: &str) -> Result<Option<f64>, Error> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match self.numbers(name, Vec::new())?[..] {
            [number] => Ok(Some(number)),
            _ => Err(self.wrong(name, text)),
        }
    }

    fn share(&self, name: &str) -> Result<Option<f64>, Error> {
        match self.one(name)? {
            Some(share) if share >= 1.0 => Err(self.wrong(name, &share.to_string())),
            share => Ok(share),
        }
    }

    fn count(&self, name: &str) -> Result<Option<usize>, Error> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match text.parse::<usize>() {
            Ok(count) if count > 0 => Ok(Some(count)),
            _ => Err(self.wrong(name, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_classic::systems;

    fn built(name: &str, given: &[(&str, &str)]) -> Result<Box<dyn System>, String> {
        let entry = systems().iter().find(|entry| entry.name == name).unwrap();
        let given: Vec<(String, String)> =
            given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        build(entry, &given).map_err(|error| error.to_string())
    }

    #[test]
    fn every_system_is_built_under_its_name_with_every_option_it_lists() {
        for entry in systems() {
            assert_eq!(built(entry.name, &[]).unwrap().name(), entry.name);
            for option in system_options(entry.name) {
                let value = match option.name {
                    "kernel" => "rbf",
                    "centroid" => "published",
                    _ if option.values.starts_with("between") => "0.3",
                    _ => "2",
                };
                let system = built(entry.name, &[(option.name, value)]).unwrap();
                assert_eq!(system.name(), entry.name);
                assert!(
                    built(entry.name, &[(option.name, "-1")]).is_err(),
                    "{}: {}",
                    entry.name,
                    option.name
                );
            }
        }
    }

    #[test]
    fn what_does_not_fit_gets_a_sentence() {
        let message = |name: &str, given: &[(&str, &str)]| built(name, given).err().unwrap();
        assert_eq!(
            message("puld", &[("c", "1")]),
            "the method puld has no option 'c'; its options are: cost ('onesided methods puld' describes them)"
        );
        assert_eq!(
            message("s-em", &[("spies", "1.5")]),
            "the option spies cannot be '1.5'; it takes between 0 and 1"
        );
        assert_eq!(
            message("ldce", &[("centroid", "mean")]),
            "the option centroid cannot be 'mean'; it takes exact, published"
        );
        assert_eq!(message("puld", &[("cost", "1"), ("cost", "2")]), "the option cost was given twice");
        assert!(message("puld", &[("cost", "1,x")]).contains("it takes numbers above 0"));
    }
}
