//! Every objective by name, with what a user has to know to choose one.
//!
//! A new objective is one file with its [`Objective`], and one entry in the list below.

use crate::collective::{Collective, Reduction};
use crate::count::Count;
use crate::cvir::Cvir;
use crate::dist_pu::DistPu;
use crate::elicit::{BuiltIn, Elicited};
use crate::error::LossError;
use crate::naive::Naive;
use crate::negatives::{NegativeTerm, check_weight};
use crate::nnpu::Nnpu;
use crate::objective::Objective;
use crate::pulda::Pulda;
use crate::robust_pu::RobustPu;
use crate::sampling::{Sampling, Weights, check_prior};
use crate::supervised::Supervised;
use crate::surrogate::Surrogate;
use crate::tedn::Tedn;
use crate::upu::Upu;
use crate::vpu::Vpu;

/// What the data say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// μ, the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub prior_in_unlabeled: f64,
    /// How positives and unlabeled examples were drawn.
    pub sampling: Sampling,
}

/// What the user may choose. Each objective reads the options it has and ignores the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How the collective loss puts its two terms together.
    pub reduction: Reduction,
    /// The margin loss of the risks.
    pub surrogate: Surrogate,
    /// How far the negative part of a non-negative risk may fall below zero.
    pub beta: f64,
    /// The step of the non-negative correction, in [0, 1].
    pub gamma: f64,
    /// Rounding of the kink of the collective loss; 0 is the loss as published.
    pub smoothing: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reduction: Reduction::SumOfMeans,
            surrogate: Surrogate::Sigmoid,
            beta: 0.0,
            gamma: 1.0,
            smoothing: 0.0,
        }
    }
}

/// How an entry makes its objective.
type Build = fn(&Setting, &Options) -> Result<Box<dyn Objective>, LossError>;

/// What known negatives add to an objective, in kind; [`crate::Loss`] has the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negatives {
    /// Their cross entropy, times 1 − μ.
    CrossEntropy,
    /// Their cross entropy, as a share of a pool.
    Pooled,
    /// The risk of P and N.
    Risk,
    /// The same by the logistic loss, whatever the options say.
    LogisticRisk,
    /// The same with both classes weighing the same.
    BalancedRisk,
    /// Nothing, for a reason.
    Nothing(&'static str),
}

/// One entry of the registry.
#[derive(Debug)]
pub struct LossInfo {
    /// The name users type.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Which sampling scenarios it is made for.
    pub scenario: &'static str,
    /// Whether it reads [`Setting::prior_in_unlabeled`].
    pub needs_prior: bool,
    /// Whether its second slice must hold true negatives instead of unlabeled examples.
    pub needs_truth: bool,
    /// The [`Options`] it reads, by name.
    pub reads: &'static [&'static str],
    /// Whether it averages over the whole batch, so that the share of positives in a batch matters; the others average
    /// over positives and over unlabeled examples separately.
    pub pooled: bool,
    /// Whether its scores are good for their order alone, so that the share μ of U that scores highest is called positive
    /// unless another rule is asked for.
    pub ranks: bool,
    /// Whether it finds the share of positives itself while it learns, so that its scores are not those of being labeled
    /// though it needs no prior.
    pub finds_share: bool,
    /// What of it was put together here because the sources leave it open; `None` where nothing was.
    pub reconstruction: Option<&'static str>,
    negatives: Negatives,
    build: Build,
}

impl LossInfo {
    /// Whether it weighs P against U by a [`Reduction`]: the collective loss and those elicited in its manner.
    pub fn has_reductions(&self) -> bool {
        self.reads.contains(&"reduction")
    }

    /// Whether it can only be learned by what trains in epochs ([`Paced`](crate::Paced)).
    pub fn needs_epochs(&self) -> bool {
        let any = Setting { prior_in_unlabeled: 0.5, sampling: Sampling::CaseControl };
        let objective = self.build(&any, &Options::default());
        objective.is_ok_and(|objective| objective.paced().is_some_and(|paced| paced.needs_epochs()))
    }

    /// Whether its scores, where no prior turns them into others, are those of being labeled.
    pub fn tells_labeled(&self) -> bool {
        !self.needs_prior && !self.needs_truth && !self.finds_share
    }

    /// Refuses known negatives where the objective has no place for them, with the reason.
    pub fn check_negatives(&self) -> Result<(), LossError> {
        match self.negatives {
            Negatives::Nothing(why) => Err(LossError::NoNegatives { method: self.name.to_string(), why }),
            _ => Ok(()),
        }
    }

    /// What known negatives add to it when they weigh `v` times as much as the unlabeled examples, from 0 to 2.
    pub fn negative_term(
        &self,
        setting: &Setting,
        options: &Options,
        v: f64,
    ) -> Result<NegativeTerm, LossError> {
        self.check_negatives()?;
        let v = check_weight(v)?;
        let none =
            NegativeTerm { on_positive: 0.0, on_negative: v, pooled: false, surrogate: Surrogate::Logistic };
        Ok(match self.negatives {
            Negatives::CrossEntropy => {
                NegativeTerm { on_negative: v * (1.0 - check_prior(setting.prior_in_unlabeled)?), ..none }
            }
            Negatives::Pooled | Negatives::Nothing(_) => NegativeTerm { pooled: true, ..none },
            Negatives::Risk | Negatives::LogisticRisk => {
                let weights = Weights::new(setting.prior_in_unlabeled, setting.sampling)?;
                let (on_positive, on_negative) = (v * weights.positive, v * weights.share_of_negatives());
                let logistic = self.negatives == Negatives::LogisticRisk;
                let surrogate = if logistic { Surrogate::Logistic } else { options.surrogate };
                NegativeTerm { on_positive, on_negative, surrogate, ..none }
            }
            Negatives::BalancedRisk => {
                let half = v / 2.0;
                NegativeTerm { on_positive: half, on_negative: half, surrogate: options.surrogate, ..none }
            }
        })
    }

    /// The objective for these data and options, or the value that is out of range.
    pub fn build(&self, setting: &Setting, options: &Options) -> Result<Box<dyn Objective>, LossError> {
        (self.build)(setting, options)
    }
}

/// An entry that reads μ and no option, for either scenario; what differs is said around it.
const fn entry(name: &'static str, summary: &'static str, citation: &'static str, build: Build) -> LossInfo {
    LossInfo {
        name,
        summary,
        citation,
        scenario: "either",
        needs_prior: true,
        needs_truth: false,
        reads: &[],
        pooled: false,
        ranks: false,
        finds_share: false,
        reconstruction: None,
        negatives: Negatives::Nothing(NO_PLACE),
        build,
    }
}

/// Why losses of distributions have no place for known negatives.
const NO_PLACE: &str = "its terms are made of positives and unlabeled rows alone";

static METHODS: [LossInfo; 6] = [
    LossInfo {
        reads: &["reduction", "smoothing"],
        negatives: Negatives::CrossEntropy,
        ..entry(
            "collective",
            "cross entropy on positives; the mean prediction on unlabeled must match the prior",
            "Xie, Cheng, Chen, Liang and Xiao 2020, arXiv 2005.03228",
            |setting, options| {
                let loss = Collective::new(setting.prior_in_unlabeled, options.reduction)?;
                Ok(Box::new(loss.with_smoothing(options.smoothing)?))
            },
        )
    },
    LossInfo {
        scenario: "either, with its own weights",
        reads: &["surrogate"],
        negatives: Negatives::Risk,
        ..entry(
            "upu",
            "unbiased estimate of the classification risk; can overfit below zero",
            "du Plessis, Niu and Sugiyama, NeurIPS 2014 and ICML 2015",
            |setting, options| {
                Ok(Box::new(Upu::new(setting.prior_in_unlabeled, setting.sampling, options.surrogate)?))
            },
        )
    },
    LossInfo {
        scenario: "either, with its own weights",
        reads: &["surrogate", "beta", "gamma"],
        negatives: Negatives::Risk,
        ..entry(
            "nnpu",
            "unbiased risk whose negative part is kept from falling below zero",
            "Kiryo, Niu, du Plessis and Sugiyama, NeurIPS 2017",
            |setting, options| {
                let Options { surrogate, beta, gamma, .. } = *options;
                Ok(Box::new(Nnpu::new(setting.prior_in_unlabeled, setting.sampling, surrogate, beta, gamma)?))
            },
        )
    },
    LossInfo {
        reads: &["surrogate", "beta", "gamma"],
        reconstruction: Some("the weights of the two classes; not checked against the paper"),
        negatives: Negatives::BalancedRisk,
        ..entry(
            "imbalanced-nnpu",
            "non-negative risk with both classes weighing the same, for rare positives",
            "Su, Chen and Xu, IJCAI 2021",
            |setting, options| {
                let Options { surrogate, beta, gamma, .. } = *options;
                let mu = setting.prior_in_unlabeled;
                Ok(Box::new(Nnpu::imbalanced(mu, setting.sampling, surrogate, beta, gamma)?))
            },
        )
    },
    LossInfo {
        needs_prior: false,
        pooled: true,
        negatives: Negatives::Pooled,
        ..entry(
            "naive",
            "cross entropy with unlabeled taken as negative; the baseline to beat",
            "analyzed by Elkan and Noto, KDD 2008",
            |_, _| Ok(Box::new(Naive)),
        )
    },
    LossInfo {
        scenario: "fully labeled",
        needs_prior: false,
        needs_truth: true,
        pooled: true,
        negatives: Negatives::Nothing("it learns from true labels, and negatives are among them"),
        ..entry(
            "supervised",
            "cross entropy on true labels; the ceiling, for data whose truth is known",
            "textbook",
            |_, _| Ok(Box::new(Supervised)),
        )
    },
];

static LATER: [LossInfo; 8] = [
    LossInfo {
        scenario: "either, with its own weights",
        reads: &["beta", "gamma"],
        ranks: true,
        negatives: Negatives::LogisticRisk,
        ..entry(
            "pusb",
            "nnpu for labels that favor some positives: as many rows are called positive as the prior says",
            "Kato, Teshima and Honda, ICLR 2019",
            |setting, options| {
                let Options { beta, gamma, .. } = *options;
                Ok(Box::new(Nnpu::pusb(setting.prior_in_unlabeled, setting.sampling, beta, gamma)?))
            },
        )
    },
    LossInfo {
        needs_prior: false,
        reconstruction: Some(
            "its regularizer is a setting of training, mixup; in a single sample the population is P and U by their shares",
        ),
        ..entry(
            "vpu",
            "variational objective; needs no prior",
            "Chen, Liu, Wang, Zhao and Wu, NeurIPS 2020",
            |setting, _| Ok(Box::new(Vpu::new(setting.sampling)?)),
        )
    },
    LossInfo {
        reconstruction: Some(
            "the prior is told and stays; tedn estimates it anew each epoch. The first tenth of the epochs warms up",
        ),
        negatives: Negatives::CrossEntropy,
        ..entry(
            "cvir",
            "positives against the unlabeled examples that score lowest; the prior's share is left out",
            "Garg, Wu, Smola, Balakrishnan and Lipton, NeurIPS 2021",
            |setting, _| Ok(Box::new(Cvir::new(setting.prior_in_unlabeled)?)),
        )
    },
    LossInfo {
        needs_prior: false,
        finds_share: true,
        reconstruction: Some(
            "a fifth of the rows is set aside, where its authors set half aside; the first tenth of the epochs warms up",
        ),
        negatives: Negatives::CrossEntropy,
        ..entry(
            "tedn",
            "cvir that estimates the share to leave out before each epoch, on rows that it sets aside",
            "Garg, Wu, Smola, Balakrishnan and Lipton, NeurIPS 2021",
            |_, _| Ok(Box::new(Tedn)),
        )
    },
    LossInfo {
        reconstruction: Some("the first of its two stages; the second mixes images"),
        ..entry(
            "dist-pu",
            "mean predictions on positives and on unlabeled must match 1 and the prior",
            "Zhao, Xu, Jiang, Wen and Huang, CVPR 2022",
            |setting, _| Ok(Box::new(DistPu::new(setting.prior_in_unlabeled)?)),
        )
    },
    LossInfo {
        reconstruction: Some("of one batch: without running means over batches and without mixed images"),
        ..entry(
            "pulda",
            "dist-pu with rounded distances and a margin on either side",
            "Jiang, Xu, Zhao, Yang, Wen, Cao and Huang, TPAMI 2023",
            |setting, _| Ok(Box::new(Pulda::new(setting.prior_in_unlabeled)?)),
        )
    },
    LossInfo {
        reconstruction: Some(
            "counts are rounded, and more than 512 unlabeled examples are counted in groups",
        ),
        negatives: Negatives::CrossEntropy,
        ..entry(
            "count",
            "as many unlabeled examples of a batch must be positive as the prior says",
            "Shukla, Zeng, Ahmed and Van den Broeck, NeurIPS 2023, arXiv 2311.13718",
            |setting, _| Ok(Box::new(Count::new(setting.prior_in_unlabeled)?)),
        )
    },
    LossInfo {
        scenario: "either, with its own weights",
        pooled: true,
        reconstruction: Some(
            "how the epochs are divided: nnpu for the first half, the threshold at its last value from three quarters on",
        ),
        negatives: Negatives::Pooled,
        ..entry(
            "robust-pu",
            "nnpu, then unlabeled as negative with weights that fall where a row looks positive",
            "Zhu, Wang, Zhao, Du, Zhang, Dong, Qiao, Lin, Rajmohan and Zhang, KDD 2023",
            |setting, _| Ok(Box::new(RobustPu::new(setting.prior_in_unlabeled, setting.sampling)?)),
        )
    },
];

static ELICITED: [LossInfo; 5] = [
    elicited("elicited:log", "the collective loss, as the log reward elicits it", |setting, options| {
        build_elicited(BuiltIn::Log, setting, options)
    }),
    elicited(
        "elicited:square",
        "squares in place of logarithms; no kink, not calibrated",
        |setting, options| build_elicited(BuiltIn::Square, setting, options),
    ),
    elicited("elicited:exponential", "the reward of boosting; steep near the prior", |setting, options| {
        build_elicited(BuiltIn::Exponential, setting, options)
    }),
    elicited(
        "elicited:savage",
        "the same objective as elicited:square: scores are logits",
        |setting, options| build_elicited(BuiltIn::Savage, setting, options),
    ),
    elicited("elicited:tangent", "four times elicited:square", |setting, options| {
        build_elicited(BuiltIn::Tangent, setting, options)
    }),
];

/// An entry of the elicited losses, which differ in their reward alone.
const fn elicited(name: &'static str, summary: &'static str, build: Build) -> LossInfo {
    LossInfo {
        reads: &["reduction"],
        negatives: Negatives::Nothing(
            "the losses that rewards elicit are made of positives and unlabeled rows alone",
        ),
        ..entry(
            name,
            summary,
            "elicitation of Savage 1971 and Xie et al. 2020; siblings of the collective loss",
            build,
        )
    }
}

fn build_elicited(
    reward: BuiltIn,
    setting: &Setting,
    options: &Options,
) -> Result<Box<dyn Objective>, LossError> {
    Ok(Box::new(Elicited::new(reward.into(), setting.prior_in_unlabeled, options.reduction)?))
}

/// The methods of the literature, in the order they are listed to users.
pub fn methods() -> &'static [LossInfo] {
    &METHODS
}

/// The losses that came after the collective loss, in the order of their publication.
pub fn later_methods() -> &'static [LossInfo] {
    &LATER
}

/// The losses elicited by the built-in rewards: siblings of the collective loss for study, not for a table of methods.
/// They read the reduction among the [`Options`], and not the smoothing.
pub fn elicited_methods() -> &'static [LossInfo] {
    &ELICITED
}

/// The method of that name, elicited ones included. The error lists all names and suggests the nearest.
pub fn method(name: &str) -> Result<&'static LossInfo, LossError> {
    let all = || METHODS.iter().chain(&LATER).chain(&ELICITED);
    all()
        .find(|method| method.name == name)
        .ok_or_else(|| LossError::unknown_method(name, all().map(|method| method.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_builds_and_describes_itself_by_its_name() {
        let setting = Setting { prior_in_unlabeled: 0.3, sampling: Sampling::CaseControl };
        let described: Vec<String> = methods()
            .iter()
            .map(|method| method.build(&setting, &Options::default()).unwrap().describe())
            .collect();
        let expected = [
            "collective (sum-of-means)",
            "upu (case-control, sigmoid)",
            "nnpu (case-control, sigmoid, beta 0, gamma 1)",
            "imbalanced-nnpu (case-control, sigmoid, beta 0, gamma 1)",
            "naive",
            "supervised",
        ];
        assert_eq!(described, expected);
        for entry in methods().iter().chain(later_methods()).chain(elicited_methods()) {
            let description = entry.build(&setting, &Options::default()).unwrap().describe();
            assert!(description.starts_with(entry.name), "{description}");
            assert_eq!(method(entry.name).unwrap().name, entry.name);
        }
        let names: Vec<String> = BuiltIn::ALL.map(|reward| format!("elicited:{reward}")).to_vec();
        assert_eq!(elicited_methods().iter().map(|method| method.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn two_methods_need_epochs() {
        let all = methods().iter().chain(later_methods()).chain(elicited_methods());
        let names: Vec<&str> = all.filter(|method| method.needs_epochs()).map(|method| method.name).collect();
        assert_eq!(names, ["tedn", "robust-pu"]);
    }

    #[test]
    fn a_bad_prior_is_refused_by_exactly_the_methods_that_need_one() {
        let setting = Setting { prior_in_unlabeled: 1.2, sampling: Sampling::CaseControl };
        for method in methods().iter().chain(later_methods()).chain(elicited_methods()) {
            let built = method.build(&setting, &Options::default());
            assert_eq!(built.is_err(), method.needs_prior, "{}", method.name);
            if let Err(error) = built {
                let expected =
                    "the prior in the unlabeled data must lie strictly between 0 and 1, but is 1.2";
                assert_eq!(error.to_string(), expected);
            }
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one() {
        let error = method("colective").unwrap_err().to_string();
        let expected = "unknown method 'colective' (did you mean 'collective'?); the methods are \
                        collective, upu, nnpu, imbalanced-nnpu, naive, supervised, pusb, vpu, cvir, tedn, dist-pu, pulda, count, \
                        robust-pu, \
                        elicited:log, elicited:square, elicited:exponential, elicited:savage, elicited:tangent";
        assert_eq!(error, expected);
        assert!(method("nnup").unwrap_err().to_string().contains("did you mean 'nnpu'?"));
        assert!(method("elicited:cubic").unwrap_err().to_string().contains("did you mean 'elicited:"));
        assert!(!method("random-forest").unwrap_err().to_string().contains("did you mean"));
    }
}
