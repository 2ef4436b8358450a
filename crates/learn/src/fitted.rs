//! What scores rows: the closed set of what a model file can hold, and a scorer of one's own next to it.

use crate::Error;
use crate::views::{described, shape_of};
use onesided_classic::{ClassicModel, Link, Rows, ScoreForm};
use onesided_data::{Columns, Dataset, Description, Encoding, Phase, Store};
use onesided_net::{Device, ExecutorConfig, Layer, Network, Precision, Source, Weights, scores_with};
use onesided_trees::TreesModel;
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// Sparse rows are written out for a network this many at a time.
const ROWS_AT_ONCE: usize = 4096;

/// A probability of more than this is no longer distinguished from 1; scores keep rising with f, so that rows keep their
/// order.
pub const CERTAIN: f64 = 1.0 - 1e-4;

/// What scores.
#[derive(Clone)]
pub enum Fitted {
    /// A network.
    Network {
        /// Its layers.
        network: Network,
        /// Their weights.
        weights: Weights,
    },
    /// What a classic system learned.
    Classic(ClassicModel),
    /// Boosted trees.
    Trees(TreesModel),
    /// Boosted trees whose scores a theory turns into probabilities.
    LinkedTrees(LinkedTrees),
    /// A weighted sum of others.
    Ensemble(Vec<Member>),
    /// Another one, on the numbers that describe pictures.
    Described {
        /// What describes them.
        by: Description,
        /// What scores the numbers.
        model: Box<Fitted>,
    },
    /// A model of one's own.
    Own {
        /// What it is called.
        name: String,
        /// The model.
        model: Arc<dyn OwnModel>,
    },
}

/// A model of one's own, made by a [`Scorer`](crate::Scorer) of one's own. It scores, is calibrated and measured as every other is; what
/// it cannot be is written to a model file.
pub trait OwnModel: Send + Sync {
    /// The score of each row: the higher, the likelier positive.
    fn scores(&self, rows: &onesided_data::Dataset) -> Result<Vec<f32>, Error>;
}

/// Boosted trees, and the way from their scores to probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedTrees {
    /// The trees.
    pub trees: TreesModel,
    /// From a score to the probability of being positive.
    pub link: Link,
    /// c, the share of positives that are labeled.
    pub label_frequency: f64,
}

impl LinkedTrees {
    /// The logit of the probability at a score of the trees.
    pub(crate) fn logit(&self, score: f64) -> f64 {
        logit(self.link, score)
    }

    /// Whether its numbers are possible values.
    pub fn is_sound(&self) -> bool {
        let link = match self.link {
            Link::LabelFrequency { c } => c > 0.0 && c <= 1.0,
            Link::Odds { factor } => factor > 0.0 && factor.is_finite(),
            Link::Sigmoid => true,
        };
        link && self.label_frequency > 0.0 && self.label_frequency <= 1.0
    }
}

/// One part of an ensemble.
#[derive(Clone, Debug)]
pub struct Member {
    /// What its scores are multiplied by.
    pub weight: f64,
    /// What scores.
    pub fitted: Fitted,
}

impl fmt::Debug for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fitted::Network { network, .. } => f.debug_tuple("Network").field(network).finish(),
            Fitted::Classic(model) => f.debug_tuple("Classic").field(model).finish(),
            Fitted::Trees(model) => f.debug_struct("Trees").field("trees", &model.trees().len()).finish(),
            Fitted::LinkedTrees(linked) => f.debug_tuple("LinkedTrees").field(&linked.link).finish(),
            Fitted::Ensemble(members) => f.debug_tuple("Ensemble").field(members).finish(),
            Fitted::Described { by, model } => f.debug_tuple("Described").field(by).field(model).finish(),
            Fitted::Own { name, .. } => f.debug_tuple("Own").field(name).finish(),
        }
    }
}

impl Fitted {
    /// Whether rows of the training data are part of it, as the support vectors of a kernel machine are.
    pub fn holds_rows(&self) -> bool {
        match self {
            Fitted::Classic(model) => matches!(model.scorer, ScoreForm::Kernel(_)),
            Fitted::Ensemble(members) => members.iter().any(|member| member.fitted.holds_rows()),
            Fitted::Described { model, .. } => model.holds_rows(),
            Fitted::Network { .. } | Fitted::Trees(_) | Fitted::LinkedTrees(_) | Fitted::Own { .. } => false,
        }
    }

    /// f of each row, before calibration, on a device. The rows must be encoded as those it was fitted on.
    pub fn scores(&self, data: &Dataset, device: Device, threads: usize) -> Result<Vec<f32>, Error> {
        self.scores_of(&RowsToScore { data, whole: OnceCell::new() }, device, threads)
    }

    fn scores_of(&self, rows: &RowsToScore, device: Device, threads: usize) -> Result<Vec<f32>, Error> {
        let data = rows.data;
        match self {
            Fitted::Network { network, weights } => network_scores(network, weights, data, device, threads),
            Fitted::Classic(model) => match data.rows() {
                Store::Dense(matrix) => classic_scores(model, matrix),
                Store::Sparse(matrix) => classic_scores(model, matrix),
                _ => classic_scores(model, data.dense()?.as_ref()),
            },
            Fitted::Trees(model) => {
                Ok(rows.by_trees(model, threads)?.into_iter().map(|logit| logit as f32).collect())
            }
            Fitted::LinkedTrees(linked) => {
                let scores = rows.by_trees(&linked.trees, threads)?;
                Ok(scores.into_iter().map(|score| linked.logit(score) as f32).collect())
            }
            Fitted::Ensemble(members) => {
                let mut sum = vec![0f64; data.len()];
                let phase = Phase::new("scoring", (members.len() * data.len()) as u64, "scores");
                for Member { weight, fitted } in members {
                    let scores = fitted.scores_of(rows, device, threads)?;
                    phase.add(data.len() as u64);
                    sum.iter_mut().zip(scores).for_each(|(sum, score)| *sum += weight * f64::from(score));
                }
                Ok(sum.into_iter().map(|sum| sum as f32).collect())
            }
            Fitted::Described { by, model } => model.scores(&described(data, *by, threads)?, device, threads),
            Fitted::Own { model, .. } => model.scores(data),
        }
    }

    /// How many columns rows must have; `None` for a model of one's own, and where others say it.
    pub fn width(&self) -> Option<usize> {
        match self {
            Fitted::Network { network, .. } => {
                let shape = network.input;
                shape.channels.checked_mul(shape.height)?.checked_mul(shape.width)
            }
            Fitted::Classic(model) => Some(model.cols()),
            // Trees look at whole columns, of which there may be fewer than of encoded ones.
            Fitted::Trees(_) | Fitted::LinkedTrees(_) => None,
            Fitted::Ensemble(members) => members.iter().find_map(|member| member.fitted.width()),
            // It takes pictures of any size that has a pixel for every number.
            Fitted::Described { .. } | Fitted::Own { .. } => None,
        }
    }

    /// The network, where it is one.
    pub fn network(&self) -> Option<(&Network, &Weights)> {
        match self {
            Fitted::Network { network, weights } => Some((network, weights)),
            _ => None,
        }
    }

    /// What a classic system learned, where one did.
    pub fn classic(&self) -> Option<&ClassicModel> {
        match self {
            Fitted::Classic(model) => Some(model),
            _ => None,
        }
    }

    /// The link from scores to probabilities that a theory gives.
    pub fn link(&self) -> Option<Link> {
        match self {
            Fitted::LinkedTrees(linked) => Some(linked.link),
            _ => self.classic().and_then(|model| model.link),
        }
    }

    /// c, the share of positives that are labeled, where the scorer estimated it.
    pub fn label_frequency(&self) -> Option<f64> {
        match self {
            Fitted::LinkedTrees(linked) => Some(linked.label_frequency),
            _ => self.classic().and_then(|model| model.label_frequency),
        }
    }

    /// The weights of a score that is a weighted sum of features: slope by slope, in the order of the columns.
    pub fn linear(&self) -> Option<Vec<f64>> {
        match self {
            Fitted::Classic(model) => model.linear().map(|linear| linear.weights.clone()),
            Fitted::Network { network, weights } => {
                let one_layer =
                    |layer: &Layer| matches!(layer, Layer::Flatten | Layer::Dense { outputs: 1, .. });
                let dense =
                    network.layers.iter().filter(|layer| matches!(layer, Layer::Dense { .. })).count();
                if !network.layers.iter().all(one_layer) || dense != 1 {
                    return None;
                }
                let tensor = weights.tensors.iter().find(|tensor| tensor.name.ends_with(".weight"))?;
                Some(tensor.data.iter().map(|&w| f64::from(w)).collect())
            }
            Fitted::Trees(_)
            | Fitted::LinkedTrees(_)
            | Fitted::Ensemble(_)
            | Fitted::Described { .. }
            | Fitted::Own { .. } => None,
        }
    }

    /// Where this many rows would be scored: [`Device::Auto`] comes to one of the others.
    pub fn device_for(&self, device: Device, rows: usize) -> Device {
        match self {
            Fitted::Network { network, .. } => device.for_scoring(network, rows),
            _ => Device::Cpu,
        }
    }
}

/// Rows with what several members look at, made once for all of them.
struct RowsToScore<'d> {
    data: &'d Dataset,
    whole: OnceCell<Columns<'d>>,
}

impl RowsToScore<'_> {
    /// Trees look at whole columns; those of the first model files of version 3 at encoded ones.
    fn by_trees(&self, model: &TreesModel, threads: usize) -> Result<Vec<f64>, Error> {
        let columns = match self.whole.get() {
            Some(columns) => columns,
            None => {
                let columns = self.data.columns()?;
                self.whole.get_or_init(|| columns)
            }
        };
        let encoded = model.features() == self.data.encoding().width();
        Ok(if columns.kinds.len() != model.features() && encoded {
            model.logits_with_threads(self.data.dense()?.as_ref(), threads)?
        } else {
            model.logits_with_threads(columns.matrix.as_ref(), threads)?
        })
    }
}

/// What trees say of rows that are encoded as those they were grown on.
pub fn tree_scores(model: &TreesModel, data: &Dataset, threads: usize) -> Result<Vec<f64>, Error> {
    RowsToScore { data, whole: OnceCell::new() }.by_trees(model, threads)
}

fn network_scores(
    network: &Network,
    weights: &Weights,
    data: &Dataset,
    device: Device,
    threads: usize,
) -> Result<Vec<f32>, Error> {
    let config = ExecutorConfig { precision: Precision::F32, threads, ..ExecutorConfig::default() };
    let device = device.for_scoring(network, data.len());
    let score = |source: Source| scores_with(network, weights, source, device, &config);
    match (data.rows(), data.encoding().as_ref()) {
        (Store::Sparse(matrix), _) => {
            let all: Vec<u32> = (0..matrix.cols() as u32).collect();
            let mut scores = Vec::with_capacity(matrix.rows());
            for start in (0..matrix.rows()).step_by(ROWS_AT_ONCE) {
                let some: Vec<usize> = (start..matrix.rows().min(start + ROWS_AT_ONCE)).collect();
                let dense = matrix.select(&some).to_dense(&all)?;
                scores.extend(score(Source::Numbers(dense.as_slice()))?);
            }
            Ok(scores)
        }
        (Store::Bytes(pictures), Encoding::Image(image)) if shape_of(data) == network.input => {
            Ok(score(Source::Bytes { bytes: &pictures.bytes, scale: &image.scale, shift: &image.shift })?)
        }
        _ => Ok(score(Source::Numbers(data.dense()?.as_slice()))?),
    }
}

/// f of each row, or the logit of its probability where the theory gives one.
pub(crate) fn classic_scores(model: &ClassicModel, rows: &dyn Rows) -> Result<Vec<f32>, Error> {
    let scores = model.scores(rows).map_err(Error::of_classic)?;
    Ok(scores.into_iter().map(|f| model.link.map_or(f, |link| logit(link, f)) as f32).collect())
}

/// f below which a probability is next to nothing, and its logit falls as f does: e^-700 is 10^-304, and a few steps on 64 bits have
/// nothing left of which a logit could be taken.
pub const NEXT_TO_NOTHING: f64 = -700.0;

/// The logit of a link's probability. Beyond [`CERTAIN`] it rises as f does, and below [`NEXT_TO_NOTHING`] it falls as f does.
fn logit(link: Link, f: f64) -> f64 {
    // Where the probability is CERTAIN.
    let end = match link {
        Link::Sigmoid => return f,
        Link::LabelFrequency { c } => (c * CERTAIN / (1.0 - c * CERTAIN)).ln(),
        Link::Odds { factor } => (CERTAIN / factor).ln(),
    };
    let within = f.max(NEXT_TO_NOTHING).min(end);
    let q = link.probability(within);
    (q / (1.0 - q)).ln() + (f - within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_of_links_by_hand_and_rising_without_end() {
        // σ(0) / 0.8 = 0.625, odds 5/3; 0.25 · e^(ln 2) = 1/2.
        assert!((logit(Link::LabelFrequency { c: 0.8 }, 0.0) - (5f64 / 3.0).ln()).abs() < 1e-12);
        assert!(logit(Link::Odds { factor: 0.25 }, 2f64.ln()).abs() < 1e-12);
        assert_eq!(logit(Link::Sigmoid, 3.5), 3.5);
        for link in
            [Link::LabelFrequency { c: 0.3 }, Link::LabelFrequency { c: 1.0 }, Link::Odds { factor: 0.5 }]
        {
            let all: Vec<f64> = (-80..80).map(|f| logit(link, f64::from(f) / 2.0)).collect();
            assert!(all.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite()), "{link:?}: {all:?}");
            // The logit is f and a constant where the probability is small: ln of 1/c, or of the factor.
            let low = logit(link, -1e6);
            assert!(
                low < logit(link, -7000.0) && (low + 1e6 - logit(link, -600.0) - 600.0).abs() < 1e-9,
                "{link:?}: {low}"
            );
        }
    }
}
