//! What a model said of itself next to what the answers of an audit say.
//!
//! What a model says of its recall and precision holds if labels are a random sample of the positives. An audit asks a person about
//! rows that were drawn with known probabilities, and assumes nothing. Where the intervals of the two do not meet, the assumption
//! has failed: that is the verdict, and the numbers that it refutes are not printed as the model's any more.

use onesided_eval::{Contradiction, Interval};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The level of an audit's intervals in a verdict: three comparisons together are wrong once in 33 audits at most.
pub(crate) const CONFIDENCE: f64 = 0.99;

/// One number, as the model said it and as the answers do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// `share`, `precision`, `recall` or `auc`.
    pub what: String,
    /// What the model said.
    pub said: Interval,
    /// What the answers say.
    pub found: Interval,
    /// Whether the two intervals meet.
    pub agrees: bool,
}

impl Compared {
    pub(crate) fn new(what: &str, said: Interval, found: Interval) -> Self {
        let agrees = said.low <= found.high && found.low <= said.high;
        Self { what: what.to_string(), said, found, agrees }
    }
}

/// Whether an audit agrees with what the model said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether all of it agrees.
    pub agrees: bool,
    /// Who said it: `the model`, or, of a model that was measured on the answers, `the labels`.
    pub by: String,
    /// Number by number.
    pub compared: Vec<Compared>,
}

impl Verdict {
    /// `None` where there is nothing to compare.
    pub(crate) fn of(by: &str, compared: Vec<Compared>) -> Option<Self> {
        let agrees = compared.iter().all(|one| one.agrees);
        (!compared.is_empty()).then(|| Self { agrees, by: by.to_string(), compared })
    }

    /// What labeled rows say of recall and AUC, next to what positive answers say.
    pub(crate) fn of_labels(
        said: &BTreeMap<String, Interval>,
        found: &BTreeMap<String, Interval>,
    ) -> Option<Self> {
        let both = ["recall", "auc"]
            .iter()
            .filter_map(|what| Some(Compared::new(what, *said.get(*what)?, *found.get(*what)?)));
        Self::of("the labels", both.collect())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |Interval { value, low, high }: Interval| match low < high {
            true => format!("{value:.3} [{low:.3}, {high:.3}]"),
            false => format!("{value:.3}"),
        };
        let name = |what: &str| match what {
            "share" => "a share of positives of".to_string(),
            "auc" => "an AUC of".to_string(),
            other => format!("a {other} of"),
        };
        let listed = |of: fn(&Compared) -> Interval, agrees: bool| {
            let some = self.compared.iter().filter(|one| one.agrees == agrees);
            some.map(|one| format!("{} {}", name(&one.what), number(of(one)))).collect::<Vec<_>>().join(", ")
        };
        if self.agrees {
            return write!(
                f,
                "they agree: {} said {}, the audit says {}",
                self.by,
                listed(|one| one.said, true),
                listed(|one| one.found, true)
            );
        }
        // Recall and AUC are measured on labels alone, so a wrong share does not explain them.
        let by_labels =
            self.compared.iter().any(|one| !one.agrees && one.what != "share" && one.what != "precision");
        let why = if by_labels {
            "the labels are probably not a random sample of the positives"
        } else {
            "the share of positives that the model was fitted with is wrong, or the labels are not a random sample of the positives"
        };
        write!(
            f,
            "{} said {}, the audit says {}: {why}",
            self.by,
            listed(|one| one.said, false),
            listed(|one| one.found, false)
        )
    }
}

/// Why promises of a model are withheld.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The share of positives and the labels cannot both be right.
    Share(Contradiction),
    /// The answers of an audit refute what the labels say.
    Audit(Verdict),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Share(contradiction) => contradiction.fmt(f),
            Doubt::Audit(verdict) => verdict.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, low: f64, high: f64) -> Interval {
        Interval { value, low, high }
    }

    #[test]
    fn verdicts_in_words() {
        let share = Compared::new("share", of(0.2, 0.1, 0.3), of(0.25, 0.2, 0.3));
        let agreed = Verdict::of("the model", vec![share.clone()]).unwrap();
        assert_eq!(
            agreed.to_string(),
            "they agree: the model said a share of positives of 0.200 [0.100, 0.300], the audit says a share of positives of \
             0.250 [0.200, 0.300]"
        );
        let recall = Compared::new("recall", of(0.97, 0.9, 1.0), of(0.2, 0.1, 0.3));
        let parted = Verdict::of("the model", vec![share, recall]).unwrap();
        assert_eq!(
            parted.to_string(),
            "the model said a recall of 0.970 [0.900, 1.000], the audit says a recall of 0.200 [0.100, 0.300]: the labels are \
             probably not a random sample of the positives"
        );
        // A told share has no interval, and is wrong alone.
        let told =
            Verdict::of("the model", vec![Compared::new("share", of(0.5, 0.5, 0.5), of(0.2, 0.1, 0.3))])
                .unwrap();
        assert!(
            told.to_string().starts_with("the model said a share of positives of 0.500, the audit"),
            "{told}"
        );
        assert!(told.to_string().contains("fitted with is wrong, or the labels"), "{told}");
        assert_eq!(Verdict::of("the model", Vec::new()), None);
    }
}
