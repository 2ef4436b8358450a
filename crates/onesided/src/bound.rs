//! The generalization bound of a trained model, from its own numbers.
//!
//! [`Bound`] has the theorem; here its parts are read off a model and the table it was trained
//! on. The network is taken as it scores, before calibration, which the loss did not see:
//!
//! * Each dense layer or convolution is a matrix. A batch norm, as it scores, multiplies and shifts every channel, so it
//!   belongs to the layer before it. The bias is one more column, whose input is always 1; layers in between hand that 1
//!   on. So ‖W‖_F² = Σ w² + Σ b² (+ 1 for every layer but the last, where there is a bias).
//! * A convolution's matrix repeats a weight wherever the kernel fits: (H − |k_y|)(W − |k_x|) times for an offset
//!   (k_y, k_x) from the center of a 3×3 kernel on an H × W image.
//! * C_x is the largest norm of an encoded row, with the 1 of the bias in it, and C = C_x ∏ ‖W‖_F bounds every score of the
//!   class.
//!
//! The spectral norm of each layer, by power iteration, is shown beside: their product bounds how far this network's score
//! moves with its input.

use crate::{Error, Model};
use onesided_data::{Dataset, Label, Matrix, Stream};
use onesided_loss::elicit::RiskWeights;
use onesided_loss::{Bound, BoundParts, Collective, Lipschitz, Objective, Rademacher, Reduction};
use onesided_net::{Activation, Layer, Network, Shape, Weights};

/// What batch norm adds to a variance.
const EPSILON: f64 = 1e-5;
/// Steps of the power iteration; it comes from below, and within a percent long before this.
const STEPS: usize = 100;

/// The bound and everything it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBound {
    /// What the bound was computed from.
    pub parts: BoundParts,
    /// The bound, term by term, and the paper's beside it.
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

/// The norms of one layer as a matrix, batch norm included.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorms {
    /// Its number in the network, from 0.
    pub layer: usize,
    /// Such as `dense 64 to 128`.
    pub what: String,
    /// ‖W‖_F, with the bias.
    pub frobenius: f64,
    /// The largest factor by which the layer stretches a change of its input; for a convolution an upper bound.
    pub spectral: f64,
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
        let affine = affine_layers(network, weights)?;
        let biased = affine.iter().any(|layer| layer.bias_norm2 > 0.0);
        let carried = if biased { 1.0 } else { 0.0 };
        let last = affine.len() - 1;
        let layers: Vec<LayerNorms> = affine
            .iter()
            .enumerate()
            .map(|(i, layer)| layer.norms(if i < last { carried } else { 0.0 }))
            .collect();
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
                "the model was fitted on {} positives and {} unlabeled rows, not on this table: the bound holds for the data \
                 a model was trained on",
                about.counts.positive, about.counts.unlabeled
            ));
        } else if about.report.folds == 1 {
            let held = about.report.held_out;
            caveats.push(format!(
                "{} of these rows were held out from training to choose the epoch; they are counted as training rows",
                held.positive + held.unlabeled
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

/// A layer with weights as a matrix (outputs × inputs of one place), with how often its weights occur.
struct Affine {
    layer: usize,
    what: String,
    rows: Vec<Vec<f64>>,
    /// Σ w² over the whole matrix of a convolution.
    weight_norm2: f64,
    bias_norm2: f64,
    /// By how much the matrix of one place underrates the stretching at most: 3 for a 3×3 kernel, as every pixel
    /// enters nine places.
    overlap: f64,
}

impl Affine {
    fn norms(&self, carried: f64) -> LayerNorms {
        LayerNorms {
            layer: self.layer,
            what: self.what.clone(),
            frobenius: (self.weight_norm2 + self.bias_norm2 + carried).sqrt(),
            spectral: self.overlap * spectral_norm(&self.rows),
        }
    }
}

/// The layers with weights, each batch norm folded into the one before it.
fn affine_layers(network: &Network, weights: &Weights) -> Result<Vec<Affine>, Error> {
    let tensor = |layer: usize, what: &str| {
        let name = format!("{layer}.{what}");
        weights.tensors.iter().find(|tensor| tensor.name == name).map(|tensor| tensor.data.as_slice())
    };
    let shapes = network.shapes()?;
    let mut found: Vec<Affine> = Vec::new();
    for (i, layer) in network.layers.iter().enumerate() {
        let before = if i == 0 { network.input } else { shapes[i - 1] };
        let (what, outputs, conv) = match *layer {
            Layer::Dense { outputs, .. } => ("dense", outputs, false),
            Layer::Conv { outputs, .. } => ("conv", outputs, true),
            // One that does not follow a layer with weights is a diagonal matrix.
            Layer::BatchNorm if i == 0 || !has_weights(&network.layers[i - 1]) => {
                ("batch norm", before.channels, false)
            }
            _ => continue,
        };
        let norm_alone = *layer == Layer::BatchNorm;
        let norm_at = if norm_alone { Some(i) } else { Some(i + 1) };
        let norm_at = norm_at.filter(|&at| network.layers.get(at) == Some(&Layer::BatchNorm));
        let scale_and_shift = |o: usize| -> (f64, f64) {
            let Some(at) = norm_at else { return (1.0, 0.0) };
            let number = |what: &str| tensor(at, what).map_or(0.0, |data| f64::from(data[o]));
            let scale = number("weight") / (number("variance") + EPSILON).sqrt();
            (scale, number("bias") - scale * number("mean"))
        };
        let mut affine = Affine {
            layer: i,
            what: format!("{what} {} to {outputs}", before.channels),
            rows: Vec::with_capacity(outputs),
            weight_norm2: 0.0,
            bias_norm2: 0.0,
            overlap: if conv { 3.0 } else { 1.0 },
        };
        let matrix = if norm_alone { None } else { tensor(i, "weight") };
        let bias = if norm_alone { None } else { tensor(i, "bias") };
        for o in 0..outputs {
            let (scale, shift) = scale_and_shift(o);
            let row: Vec<f64> = match matrix {
                Some(matrix) => {
                    let width = matrix.len() / outputs;
                    matrix[o * width..(o + 1) * width].iter().map(|&w| scale * f64::from(w)).collect()
                }
                None => (0..outputs).map(|k| if k == o { scale } else { 0.0 }).collect(),
            };
            let bias = scale * bias.map_or(0.0, |bias| f64::from(bias[o])) + shift;
            affine.bias_norm2 += before.pixels() as f64 * bias * bias;
            let times =
                |k: usize| if conv { places(before, k / before.channels) } else { before.pixels() as f64 };
            affine.weight_norm2 += row.iter().enumerate().map(|(k, w)| times(k) * w * w).sum::<f64>();
            affine.rows.push(row);
        }
        found.push(affine);
    }
    Ok(found)
}

fn has_weights(layer: &Layer) -> bool {
    matches!(layer, Layer::Dense { .. } | Layer::Conv { .. })
}

/// At how many places of an image the k-th of the nine weights of a 3×3 kernel meets a pixel.
fn places(image: Shape, k: usize) -> f64 {
    let off = |position: usize| usize::from(position != 1);
    ((image.height - off(k / 3)) * (image.width - off(k % 3))) as f64
}

/// The largest singular value, by power iteration on WᵀW.
fn spectral_norm(rows: &[Vec<f64>]) -> f64 {
    let width = rows.first().map_or(0, Vec::len);
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut stream = Stream::new(0, "power iteration");
    let mut v: Vec<f64> = (0..width).map(|_| stream.normal()).collect();
    let mut found = 0.0;
    for _ in 0..STEPS {
        let length = norm(&v);
        if length == 0.0 {
            return 0.0;
        }
        v.iter_mut().for_each(|x| *x /= length);
        let mut next = vec![0.0; width];
        let mut stretched2 = 0.0;
        for row in rows {
            let along: f64 = row.iter().zip(&v).map(|(w, x)| w * x).sum();
            stretched2 += along * along;
            next.iter_mut().zip(row).for_each(|(next, w)| *next += along * w);
        }
        let before = found;
        found = stretched2.sqrt();
        if (found - before).abs() <= 1e-9 * found {
            break;
        }
        v = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_net::Tensor;

    fn tensor(name: &str, shape: &[usize], data: &[f32]) -> Tensor {
        Tensor { name: name.to_string(), shape: shape.to_vec(), data: data.to_vec() }
    }

    #[test]
    fn power_iteration_finds_the_largest_singular_value() {
        // WᵀW of [[3, 0], [4, 5]] has the eigenvalues 45 and 5.
        let found = spectral_norm(&[vec![3.0, 0.0], vec![4.0, 5.0]]);
        assert!((found - 45f64.sqrt()).abs() < 1e-6, "{found}");
        assert_eq!(spectral_norm(&[vec![0.0, 0.0]]), 0.0);
        assert_eq!(spectral_norm(&[]), 0.0);
    }

    #[test]
    fn a_batch_norm_belongs_to_the_layer_before_it() {
        let network = Network {
            input: Shape::flat(2),
            layers: vec![
                Layer::Dense { outputs: 1, bias: false },
                Layer::BatchNorm,
                Layer::Activate { activation: Activation::Relu },
                Layer::Dense { outputs: 1, bias: true },
            ],
        };
        let tensors = vec![
            tensor("0.weight", &[1, 2], &[3.0, 4.0]),
            tensor("1.weight", &[1], &[2.0]),
            tensor("1.bias", &[1], &[1.0]),
            tensor("1.mean", &[1], &[0.5]),
            tensor("1.variance", &[1], &[4.0]),
            tensor("3.weight", &[1, 1], &[2.0]),
            tensor("3.bias", &[1], &[-1.0]),
        ];
        let layers = affine_layers(&network, &Weights { tensors }).unwrap();
        // A scale of 2 / √4 = 1 and a shift of 1 - 0.5: ‖(3, 4, 0.5)‖, and 1 more to hand on; then ‖(2, -1)‖.
        let first = layers[0].norms(1.0);
        assert!((first.frobenius - (25.0f64 + 0.25 + 1.0).sqrt()).abs() < 1e-4, "{first:?}");
        assert!((first.spectral - 5.0).abs() < 1e-4, "{first:?}");
        let second = layers[1].norms(0.0);
        assert!((second.frobenius - 5f64.sqrt()).abs() < 1e-12, "{second:?}");
        assert_eq!((layers.len(), second.what.as_str()), (2, "dense 1 to 1"));
    }

    #[test]
    fn a_convolution_counts_as_the_matrix_it_is() {
        // All nine weights 1 on a 2×3 image: each output pixel sums its neighbors, 4 or 6 of them; 4·4 + 2·6 ones.
        let network = Network {
            input: Shape { channels: 1, height: 2, width: 3 },
            layers: vec![Layer::Conv { outputs: 1, bias: false }, Layer::MaxPool],
        };
        let tensors = vec![tensor("0.weight", &[1, 3, 3, 1], &[1.0; 9])];
        let conv = affine_layers(&network, &Weights { tensors }).unwrap().remove(0).norms(0.0);
        assert!((conv.frobenius - 28f64.sqrt()).abs() < 1e-12, "{conv:?}");
        // The kernel as a row has norm 3; the bound on the operator is three times that.
        assert!((conv.spectral - 9.0).abs() < 1e-9, "{conv:?}");
    }
}
