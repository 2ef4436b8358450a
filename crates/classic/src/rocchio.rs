//! Rocchio's classifier: two prototype vectors, and the cosine to each.
//!
//! J. J. Rocchio, "Relevance feedback in information retrieval", in The SMART Retrieval System, 1971; as a classifier in
//! T. Joachims, ICML 1997. With rows d of unit length, a weight α for the own class and β for the other,
//!
//! ```text
//! c⁺ = α mean_{d in +} d - β mean_{d in -} d          c⁻ = α mean_{d in -} d - β mean_{d in +} d
//! f(x) = cos(x, c⁺) - cos(x, c⁻)
//! ```
//!
//! α = 16 and β = 4 are those of C. Buckley, G. Salton and J. Allan, SIGIR 1994.

use crate::rows::{products, weighted_sum};
use crate::{Examples, LinearModel};

/// Settings of Rocchio's classifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rocchio {
    /// The weight of a class in its own prototype.
    pub own: f64,
    /// The weight of the other class, subtracted.
    pub other: f64,
}

impl Default for Rocchio {
    fn default() -> Self {
        Self { own: 16.0, other: 4.0 }
    }
}

/// Two directions of unit length; a row belongs where its cosine is larger.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototypes {
    /// c⁺ / |c⁺| - c⁻ / |c⁻|: its product with x / |x| is f.
    difference: LinearModel,
}

impl Rocchio {
    /// The prototypes of weighted examples.
    pub fn fit(&self, examples: Examples) -> Prototypes {
        let rows = examples.rows;
        let lengths: Vec<f64> = (0..rows.rows()).map(|i| rows.squared_length(i).sqrt()).collect();
        let [positive, negative] = [examples.as_positive, examples.as_negative].map(|weights| {
            let total: f64 = weights.iter().sum();
            // A row of zeros has no direction and adds nothing to the sum.
            let share =
                |(weight, &length): (&f64, &f64)| if length > 0.0 { weight / (total * length) } else { 0.0 };
            weighted_sum(rows, &weights.iter().zip(&lengths).map(share).collect::<Vec<_>>())
        });
        let unit = |own: &[f64], other: &[f64]| -> Vec<f64> {
            let prototype: Vec<f64> =
                own.iter().zip(other).map(|(own, other)| self.own * own - self.other * other).collect();
            let length = prototype.iter().map(|c| c * c).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            prototype.iter().map(|c| c / length).collect()
        };
        let (up, down) = (unit(&positive, &negative), unit(&negative, &positive));
        let weights = up.iter().zip(&down).map(|(up, down)| up - down).collect();
        Prototypes { difference: LinearModel { weights, bias: 0.0 } }
    }
}

impl Prototypes {
    /// cos(x, c⁺) - cos(x, c⁻) of every row; 0 for rows of zeros.
    pub fn scores(&self, rows: &dyn crate::Rows) -> Vec<f64> {
        let products = products(rows, &self.difference.weights, 0.0);
        let cosine = |(i, product): (usize, f64)| match rows.squared_length(i).sqrt() {
            0.0 => 0.0,
            length => product / length,
        };
        products.into_iter().enumerate().map(cosine).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn by_hand() {
        // Unit rows: + is (1, 0) twice at other lengths, - is (0, 1). c⁺ ∝ (16, -4), c⁻ ∝ (-4, 16).
        let rows = Matrix::new(4, 2, vec![3.0, 0.0, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0]).unwrap();
        let prototypes = Rocchio::default().fit(examples);
        let length = 272.0_f64.sqrt();
        let scores = prototypes.scores(&rows);
        assert!((scores[0] - 20.0 / length).abs() < 1e-12 && (scores[1] - 20.0 / length).abs() < 1e-12);
        assert!((scores[2] + 20.0 / length).abs() < 1e-12);
        assert_eq!(scores[3], 0.0);
    }

    #[test]
    fn a_row_of_zeros_in_a_class_does_no_harm() {
        let rows = Matrix::new(3, 1, vec![1.0, 0.0, -1.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]).unwrap();
        let scores = Rocchio::default().fit(examples).scores(&rows);
        assert!(scores.iter().all(|score| score.is_finite()) && scores[0] > 0.0 && scores[2] < 0.0);
    }
}
