//! The generalization bound of a trained model, from its own numbers.
//!
//! [`Bound`] has the theorem; here its parts are read off a model and the table it was trained
//! on. The network is taken as it scores, before calibration, which the loss did not see:
//!
//! * Each dense layer or convolution is a matrix with its bias and the batch norm after it ([`NetworkNorms`]).
//! * C_x is the largest norm of an encoded row, with the 1 of the bias in it, and C = C_x ∏ ‖W‖_F bounds every score of the
//!   class.
//!
//! The spectral norm of each layer, by power iteration, is shown, too: their product bounds how far this network's score
//! moves with its input.

use crate::{Error, Model};
use onesided_data::{Dataset, Label, Matrix, Stream, counted, grouped};
use onesided_loss::elicit::RiskWeights;
use onesided_loss::{Bound, BoundParts, Collective, Lipschitz, Objective, Rademacher, Reduction};
use onesided_net::{Activation, Layer, LayerNorms, NetworkNorms};

/// The bound and everything it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBound {
    /// What the bound was computed from.
    pub parts: BoundParts,
    /// The bound, term by term, and the paper's next to it.
    pub bound: Bound,
    /// The reduction that the model was trained with.
    pub reduction: Reduction,
    /// The network's layers with weights.
    pub layers: Vec<LayerNorms>,
    /// The largest |f| on the table.
    pub largest_seen: f64,
    /// What the reader should know before quoting it.
    pub caveats: Vec<String>,
}

impl Model {
    /// The generalization bound of the collective loss for this model and the data it was trained on, which fails with
    /// probability `delta`.
    ///
    /// With `draws` above 0 the Rademacher complexity is estimated from that many draws of random signs instead of bounded
    /// by norms, for linear models only: for |w| ≤ B the supremum over the class is B |Σ ε_i x_i| / n, so nothing has to
    /// be trained.
    pub fn bound(&self, data: &Dataset, delta: f64, draws: usize) -> Result<ModelBound, Error> {
        let about = self.about();
        let reduction = self.reduction()?;
        let mu = about.prior_in_unlabeled.ok_or_else(|| Error::NeedsPrior(about.method.clone()))?.get();
        let (positive, unlabeled) = self.raw_scores(data)?;
        let (n_p, n_u) = (positive.len(), unlabeled.len());
        let (Some((network, weights)), Some(config)) = (self.fitted().network(), &about.report.config) else {
            return Err(Error::NoBound(about.method.clone()));
        };
        let NetworkNorms { layers, carried } = NetworkNorms::new(network, weights)?;
        let frobenius: Vec<f64> = layers.iter().map(|layer| layer.frobenius).collect();
        let squares = |row: &[f32]| row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
        let encoded = self.encoded(data)?;
        let features = encoded.dense()?;
        let longest = (0..features.rows()).map(|i| squares(features.row(i))).fold(0.0, f64::max);
        let input_norm = (longest + carried).sqrt();
        let rademacher = match draws {
            0 => Rademacher::from_norms(&frobenius, input_norm, n_p + n_u)?,
            _ if layers.len() > 1 => {
                return Err(Error::Setting {
                    setting: "draws",
                    what: "number of draws of random labels",
                    range: "0 for a network with hidden layers, whose best fit to random labels is not known",
                    value: draws as f64,
                });
            }
            _ => {
                let found = random_signs(&features, frobenius[0], carried, draws, config.seed);
                Rademacher::from_random_labels(&found, n_p + n_u)?
            }
        };
        let parts = BoundParts {
            n_p,
            n_u,
            batch: (config.batch * n_u).div_ceil(n_p + n_u),
            mu,
            weights: RiskWeights::of(reduction, mu, n_p, n_u),
            lipschitz: Lipschitz::collective(mu)?,
            rademacher,
            largest_score: input_norm * frobenius.iter().product::<f64>(),
            input_norm,
            delta,
            empirical: empirical(&positive, &unlabeled, mu, reduction)?,
        };
        let seen = positive.iter().chain(&unlabeled).map(|f| f64::from(f.abs())).fold(0.0, f64::max);
        let caveats = self.caveats(data);
        Ok(ModelBound { parts, bound: Bound::new(&parts)?, reduction, layers, largest_seen: seen, caveats })
    }

    /// The reduction of the collective loss, or of `elicited:log`, which is the same loss.
    fn reduction(&self) -> Result<Reduction, Error> {
        let about = self.about();
        let known = matches!(about.method.as_str(), "collective" | "elicited:log");
        about.report.reduction().filter(|_| known).ok_or_else(|| Error::NoBound(about.method.clone()))
    }

    /// Scores of the network itself, of positives and of unlabeled rows.
    fn raw_scores(&self, data: &Dataset) -> Result<(Vec<f32>, Vec<f32>), Error> {
        let labels = data.labels().ok_or(Error::NeedsLabels)?;
        // Refuses rows that overflow.
        self.score(data)?;
        let scores = self.raw(data)?;
        let of = |wanted: Label| -> Vec<f32> {
            scores.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(f, _)| *f).collect()
        };
        Ok((of(Label::Positive), of(Label::Unlabeled)))
    }

    /// Where the theorem's conditions and this model part.
    fn caveats(&self, data: &Dataset) -> Vec<String> {
        let about = self.about();
        let layers = self.fitted().network().map_or(&[][..], |(network, _)| &network.layers);
        let mut caveats = Vec::new();
        if data.counts() != Some(about.counts) {
            caveats.push(format!(
                "the model was fitted on {} and {}, not on this table: the bound holds for the data a model was trained on",
                counted(about.counts.positive, "positives"),
                counted(about.counts.unlabeled, "unlabeled rows")
            ));
        } else if about.report.folds == 1 {
            let held = about.report.held_out;
            caveats.push(format!(
                "{} of these rows were held out from training to choose the epoch; they are counted as training rows",
                grouped(held.positive + held.unlabeled)
            ));
        }
        let softsign = Layer::Activate { activation: Activation::Softsign };
        let beyond =
            [(layers.contains(&softsign), "softsign"), (layers.contains(&Layer::MaxPool), "max pooling")];
        for (_, what) in beyond.iter().filter(|(there, _)| *there) {
            caveats.push(format!(
                "the bound by norms is proven for layers with ReLU; with {what} it is an indication"
            ));
        }
        caveats
    }
}

/// R̂: the loss with all rows as one batch.
fn empirical(positive: &[f32], unlabeled: &[f32], mu: f64, reduction: Reduction) -> Result<f64, Error> {
    let (mut grad_p, mut grad_u) = (vec![0.0; positive.len()], vec![0.0; unlabeled.len()]);
    Ok(Collective::new(mu, reduction)?.evaluate(positive, unlabeled, &mut grad_p, &mut grad_u))
}

/// sup over |w| ≤ `norm` of Σ ε_i w·x_i / n, a draw of signs each; `carried` is the constant input of the bias.
fn random_signs(features: &Matrix, norm: f64, carried: f64, draws: usize, seed: u64) -> Vec<f64> {
    let n = features.rows();
    let mut stream = Stream::new(seed, "random signs");
    let draw = |_| {
        let (mut sum, mut constant) = (vec![0.0; features.cols()], 0.0);
        for i in 0..n {
            let sign = if stream.next_u64() >> 63 == 1 { 1.0 } else { -1.0 };
            sum.iter_mut().zip(features.row(i)).for_each(|(sum, &x)| *sum += sign * f64::from(x));
            constant += sign * carried;
        }
        norm * sum.iter().chain([&constant]).map(|x| x * x).sum::<f64>().sqrt() / n as f64
    };
    (0..draws).map(draw).collect()
}
