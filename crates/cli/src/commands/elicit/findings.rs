//! Everything `elicit` finds out about a reward, as numbers.

use crate::failure::Failure;
use onesided::loss::Reduction;
use onesided::loss::elicit::{
    ClassOverlap, Discrepancy, Formulas, Gaussian, LogisticLimit, Maximum, PopulationMinimizer,
    PrintedReward, Rectified, RewardCheck, RiskWeights, checks,
};
use serde_json::{Value, json};
use std::path::Path;

/// Where functions of η and of q are shown.
const SHOWN: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];
/// Steps of the grid on which the ranges of the maximizer are looked for. A certified search takes some milliseconds.
const GRID: u32 = 40;
/// Of a batch in the line example, as many positives to unlabeled examples.
pub const BATCH: (usize, usize) = (1, 2);

/// J, I1, I0, the link and the loss at one probability.
pub struct Row {
    pub eta: f64,
    pub value: f64,
    pub positive: f64,
    pub negative: f64,
    pub link: f64,
    pub loss: f64,
}

/// What the maximizer does in a range of η.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// It stays at μ.
    AtPrior,
    /// It moves with η.
    Between,
    /// It stays at 1.
    AtOne,
}

/// A range of η.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub from: f64,
    pub to: f64,
    pub place: Place,
}

/// One η of the rectified reward.
pub struct Peak {
    pub eta: f64,
    pub exact: Maximum,
    pub printed: Option<PrintedReward>,
}

/// What one reduction converges to in the line example.
pub struct Outcome {
    pub reduction: Reduction,
    pub weights: RiskWeights,
    pub minimizer: PopulationMinimizer,
    pub line: LogisticLimit,
}

/// The whole.
pub struct Findings {
    pub name: String,
    pub citation: Option<&'static str>,
    pub mu: f64,
    pub formulas: Option<Formulas>,
    pub rows: Vec<Row>,
    pub checks: [(&'static str, RewardCheck); 3],
    pub ranges: Vec<Range>,
    pub shown: Vec<Peak>,
    pub discrepancy: Option<Discrepancy>,
    /// Only the logarithm's population minimizer is known.
    pub outcomes: Vec<Outcome>,
}

impl Findings {
    pub fn of(rectified: &Rectified) -> Result<Self, Failure> {
        let (reward, mu) = (rectified.base(), rectified.mu());
        let rows = SHOWN.map(|eta| {
            let link = reward.link(eta);
            Row {
                eta,
                value: reward.value(eta),
                positive: reward.positive(eta),
                negative: reward.negative(eta),
                link,
                loss: reward.loss(link),
            }
        });
        let found = checks(reward);
        let discrepancy = rectified.discrepancy();
        Ok(Self {
            name: reward.name().to_string(),
            citation: reward.built_in().map(|built_in| built_in.citation()),
            mu,
            formulas: reward.formulas(),
            rows: rows.into(),
            checks: [
                ("convex", found.convexity),
                ("symmetric", found.symmetry),
                ("strictly proper", found.properness),
            ],
            ranges: ranges(rectified),
            shown: SHOWN.map(|eta| Peak::at(rectified, eta)).into(),
            discrepancy,
            outcomes: if discrepancy.is_some() { outcomes(mu)? } else { Vec::new() },
        })
    }

    pub fn json(&self, plot: Option<&Path>) -> Value {
        let printed =
            |printed: &Option<PrintedReward>| printed.map(|p| json!({ "q": p.q, "reward": p.value }));
        json!({
            "reward": self.name,
            "citation": self.citation,
            "mu": self.mu,
            "formulas": self.formulas.as_ref().map(|f| json!({
                "J": f.value, "derivative": f.derivative, "I1": f.positive, "I0": f.negative, "link": f.link, "loss": f.loss,
            })),
            "values": self.rows.iter().map(|row| json!({
                "eta": row.eta, "J": row.value, "I1": row.positive, "I0": row.negative, "link": row.link, "loss": row.loss,
            })).collect::<Vec<_>>(),
            // A reward that fails a check does not come this far.
            "checks": self.checks.iter().map(|(name, check)| (name.to_string(), json!(*check == RewardCheck::Holds)))
                .collect::<serde_json::Map<_, _>>(),
            "rectified": {
                "ranges": self.ranges.iter().map(|range| json!({
                    "from": range.from, "to": range.to, "maximizer": range.place.name(),
                })).collect::<Vec<_>>(),
                "maxima": self.shown.iter().map(|peak| json!({
                    "eta": peak.eta, "q": peak.exact.q, "reward": peak.exact.value, "gap": peak.exact.gap,
                    "bracket": peak.exact.bracket, "printed": printed(&peak.printed),
                })).collect::<Vec<_>>(),
                "printed_theorem": self.discrepancy.map(|d| json!({
                    "wrong": [[d.late.from, d.late.to], [d.beyond_one.from, d.beyond_one.to]],
                    "jump_at_prior": d.jump_at_prior, "excess_at_one": d.excess_at_one,
                })),
            },
            "line_example": self.outcomes.iter().map(|outcome| json!({
                "reduction": outcome.reduction.to_string(),
                "weights": [outcome.weights.positive, outcome.weights.unlabeled],
                "t": outcome.minimizer.t,
                "mean_unlabeled": outcome.minimizer.mean_unlabeled,
                "calibrated": outcome.minimizer.calibrated,
                "logistic": {
                    "slope": outcome.line.slope, "intercept": outcome.line.intercept,
                    "mean_unlabeled": outcome.line.mean_unlabeled, "accuracy": outcome.line.accuracy,
                },
            })).collect::<Vec<_>>(),
            "plot": plot.map(|path| path.display().to_string()),
        })
    }
}

impl Peak {
    pub fn at(rectified: &Rectified, eta: f64) -> Self {
        Self { eta, exact: rectified.maximizer(eta), printed: rectified.printed(eta) }
    }
}

impl Place {
    /// In one word, for machines.
    fn name(self) -> &'static str {
        match self {
            Place::AtPrior => "mu",
            Place::Between => "inner",
            Place::AtOne => "one",
        }
    }

    fn of(q: f64, mu: f64) -> Self {
        match q {
            q if (q - mu).abs() < 1e-9 => Place::AtPrior,
            q if q > 1.0 - 1e-9 => Place::AtOne,
            _ => Place::Between,
        }
    }
}

/// Where the maximizer rests and where it moves. It never falls as η rises, so each place is one range; its ends are found
/// by bisection between neighbors of the grid.
fn ranges(rectified: &Rectified) -> Vec<Range> {
    let place = |eta: f64| Place::of(rectified.maximizer(eta).q, rectified.mu());
    let mut ranges: Vec<Range> = Vec::new();
    // At η = 0 and 1 themselves every rectified reward is at an end; only a stretch counts, which for small priors is short.
    let near = [1e-6, 1e-4, 1e-3, 0.01];
    let grid = (1..GRID).map(|k| f64::from(k) / f64::from(GRID));
    for eta in near.into_iter().chain(grid).chain(near.into_iter().rev().map(|eta| 1.0 - eta)) {
        let here = place(eta);
        match ranges.last_mut() {
            Some(range) if range.place == here => range.to = eta,
            Some(range) => {
                let (mut low, mut high) = (range.to, eta);
                for _ in 0..16 {
                    let middle = 0.5 * (low + high);
                    if place(middle) == range.place { low = middle } else { high = middle }
                }
                range.to = high;
                ranges.push(Range { from: high, to: eta, place: here });
            }
            None => ranges.push(Range { from: 0.0, to: eta, place: here }),
        }
    }
    if let Some(last) = ranges.last_mut() {
        last.to = 1.0;
    }
    ranges
}

/// The line example: positives N(1, 1), negatives N(-1, 1).
fn outcomes(mu: f64) -> Result<Vec<Outcome>, Failure> {
    let [positive, negative] = [1.0, -1.0].map(|mean| Gaussian { mean, deviation: 1.0 });
    let overlap = ClassOverlap::gaussians(positive, negative, mu)?;
    let outcome = |reduction: Reduction| {
        let weights = RiskWeights::of(reduction, mu, BATCH.0, BATCH.1);
        let minimizer = PopulationMinimizer::new(&overlap, weights)?;
        Ok(Outcome { reduction, weights, minimizer, line: overlap.logistic_fit(weights)? })
    };
    Reduction::ALL.into_iter().map(outcome).collect()
}
