//! Multinomial naive Bayes with soft labels, and EM over rows whose class is not known.
//!
//! A text is a bag of words drawn from the word distribution of its class (A. McCallum and K. Nigam, "A comparison of
//! event models for naive Bayes text classification", AAAI workshop 1998). With weights a_i of row i as positive and
//! b_i as negative, d columns and smoothing s (Laplace's is 1),
//!
//! ```text
//! P(word k | +) = (s + Σ_i a_i x_ik) / (s d + Σ_k Σ_i a_i x_ik)          P(+) = Σ a / Σ (a + b)
//! f(x) = ln P(+) - ln P(-) + Σ_k x_k (ln P(k | +) - ln P(k | -))         P(+ | x) = σ(f(x))
//! ```
//!
//! so a fitted model is a [`LinearModel`], and its score is a log-odds. EM (K. Nigam, A. McCallum, S. Thrun and
//! T. Mitchell, "Text classification from labeled and unlabeled documents using EM", Machine Learning 39, 2000) sets the
//! weights of free rows to P(+ | x) and P(- | x) under the model (E) and fits again (M); each round raises
//! Σ ln P(x, y) over labeled rows + Σ ln P(x) over free rows, but for the smoothing, which acts as a prior.

use crate::rows::{products, weighted_sum};
use crate::{ClassicError, Examples, LinearModel, Rows};
use onesided_loss::sigmoid;

/// Settings of naive Bayes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NaiveBayes {
    /// Added to every count; 1 is Laplace's.
    pub smoothing: f64,
}

impl Default for NaiveBayes {
    fn default() -> Self {
        Self { smoothing: 1.0 }
    }
}

/// A class a row of an EM run may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    /// Known to be positive.
    Positive,
    /// Known, or taken, to be negative.
    Negative,
    /// Not known; starts with this probability of being positive.
    Free(f64),
}

/// A run of EM.
#[derive(Clone, Debug)]
pub struct EmFit {
    /// The last model: weights and bias of the log-odds.
    pub model: LinearModel,
    /// P(+ | x) of every row; 1 or 0 where the class is known.
    pub positive: Vec<f64>,
    /// The penalized log-likelihood after each round, which never falls.
    pub likelihood: Vec<f64>,
}

/// Refuses negative values and numbers that are not finite; says where the first one is.
pub fn check_counts(rows: &dyn Rows) -> Result<(), ClassicError> {
    let mut wrong = None;
    for row in 0..rows.rows() {
        rows.each(row, &mut |column, value| {
            if wrong.is_none() && !(value >= 0.0 && value.is_finite()) {
                wrong = Some(if value < 0.0 && value.is_finite() {
                    ClassicError::NegativeCount { row, column, value }
                } else {
                    ClassicError::NotFinite { row, column, value }
                });
            }
        });
        if let Some(error) = wrong {
            return Err(error);
        }
    }
    Ok(())
}

/// Word distributions and shares of the two classes, as logarithms.
struct Classes {
    words: [Vec<f64>; 2],
    shares: [f64; 2],
}

impl NaiveBayes {
    /// Fits word distributions to weighted examples. Refuses negative values.
    pub fn fit(&self, examples: Examples) -> Result<LinearModel, ClassicError> {
        self.check()?;
        check_counts(examples.rows)?;
        Ok(self.classes(examples.rows, examples.as_positive, examples.as_negative).model())
    }

    /// EM from the given classes. Ends when a round raises the likelihood by less than `tolerance` of it, or after
    /// `rounds`. Both classes must have a row to start from.
    pub fn em(
        &self,
        rows: &dyn Rows,
        classes: &[Class],
        tolerance: f64,
        rounds: usize,
    ) -> Result<EmFit, ClassicError> {
        self.check()?;
        check_counts(rows)?;
        let start = |class: &Class| match *class {
            Class::Positive => 1.0,
            Class::Negative => 0.0,
            Class::Free(probability) => probability,
        };
        let mut positive: Vec<f64> = classes.iter().map(start).collect();
        let mut likelihood: Vec<f64> = Vec::new();
        loop {
            let negative: Vec<f64> = positive.iter().map(|p| 1.0 - p).collect();
            Examples::new(rows, &positive, &negative)?;
            let fitted = self.classes(rows, &positive, &negative);
            let joint = fitted.joint(rows);
            for ((p, class), [up, down]) in positive.iter_mut().zip(classes).zip(&joint) {
                if matches!(class, Class::Free(_)) {
                    *p = sigmoid(up - down);
                }
            }
            likelihood.push(fitted.likelihood(classes, &joint, self.smoothing));
            let now = likelihood[likelihood.len() - 1];
            let before = likelihood.len().checked_sub(2).map(|k| likelihood[k]);
            let settled = before.is_some_and(|before| now - before <= tolerance * now.abs());
            if settled || likelihood.len() >= rounds {
                return Ok(EmFit { model: fitted.model(), positive, likelihood });
            }
        }
    }

    fn check(&self) -> Result<(), ClassicError> {
        if self.smoothing > 0.0 && self.smoothing.is_finite() {
            return Ok(());
        }
        Err(ClassicError::Setting { name: "smoothing", range: "a number above 0", value: self.smoothing })
    }

    fn classes(&self, rows: &dyn Rows, as_positive: &[f64], as_negative: &[f64]) -> Classes {
        let total: f64 = as_positive.iter().chain(as_negative).sum();
        let words = [as_positive, as_negative].map(|weights| {
            let mut counts = weighted_sum(rows, weights);
            let all = counts.iter().sum::<f64>() + self.smoothing * counts.len() as f64;
            counts.iter_mut().for_each(|count| *count = ((*count + self.smoothing) / all).ln());
            counts
        });
        Classes { words, shares: [as_positive, as_negative].map(|w| (w.iter().sum::<f64>() / total).ln()) }
    }
}

impl Classes {
    fn model(&self) -> LinearModel {
        let weights = self.words[0].iter().zip(&self.words[1]).map(|(up, down)| up - down).collect();
        LinearModel { weights, bias: self.shares[0] - self.shares[1] }
    }

    /// ln P(x, +) and ln P(x, -) of every row, up to the multinomial coefficient.
    fn joint(&self, rows: &dyn Rows) -> Vec<[f64; 2]> {
        let [up, down] = [0, 1].map(|class| products(rows, &self.words[class], self.shares[class]));
        up.into_iter().zip(down).map(|(up, down)| [up, down]).collect()
    }

    /// ln P(labeled rows with their classes) + ln P(free rows) + the smoothing's s Σ_k ln P(k | class).
    fn likelihood(&self, classes: &[Class], joint: &[[f64; 2]], smoothing: f64) -> f64 {
        let rows = classes.iter().zip(joint).map(|(class, &[up, down])| match class {
            Class::Positive => up,
            Class::Negative => down,
            Class::Free(_) => up.max(down) + (-(up - down).abs()).exp().ln_1p(),
        });
        rows.sum::<f64>() + smoothing * self.words.iter().flatten().sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};

    #[test]
    fn by_hand() {
        // Positive: words (3, 1); negative: (0, 2). Smoothed: 4/6, 2/6 and 1/4, 3/4.
        let rows = Matrix::new(3, 2, vec![2.0, 1.0, 1.0, 0.0, 0.0, 2.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]).unwrap();
        let model = NaiveBayes::default().fit(examples).unwrap();
        assert!((model.weights[0] - (4.0_f64 / 6.0 / 0.25).ln()).abs() < 1e-12);
        assert!((model.weights[1] - (2.0_f64 / 6.0 / 0.75).ln()).abs() < 1e-12);
        assert!((model.bias - 2.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn em_raises_the_likelihood_and_finds_the_classes() {
        // Class + uses words 0 to 4, class - words 3 to 7; twenty words per text.
        let mut stream = Stream::new(2, "texts");
        let truth: Vec<bool> = (0..200).map(|i| i % 2 == 0).collect();
        let mut values = vec![0.0; 200 * 8];
        for (i, &positive) in truth.iter().enumerate() {
            for _ in 0..20 {
                values[i * 8 + stream.below(5) + if positive { 0 } else { 3 }] += 1.0;
            }
        }
        let rows = Matrix::new(200, 8, values).unwrap();
        let classes: Vec<Class> = (0..200)
            .map(|i| match i {
                0 => Class::Positive,
                1 => Class::Negative,
                _ => Class::Free(0.5),
            })
            .collect();
        let fitted = NaiveBayes::default().em(&rows, &classes, 1e-9, 50).unwrap();
        assert!(fitted.likelihood.len() > 2);
        assert!(
            fitted.likelihood.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9),
            "{:?}",
            fitted.likelihood
        );
        assert!(fitted.positive.iter().zip(&truth).all(|(&p, &t)| (p > 0.5) == t));
        assert_eq!((fitted.positive[0], fitted.positive[1]), (1.0, 0.0));
        let scores = fitted.model.scores(&rows);
        assert!(scores.iter().zip(&truth).all(|(&f, &t)| (f > 0.0) == t));
    }

    #[test]
    fn counts_below_zero_are_refused() {
        let rows = Matrix::new(2, 2, vec![1.0, 0.0, 2.0, -3.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 0.0], &[0.0, 1.0]).unwrap();
        let message = NaiveBayes::default().fit(examples).unwrap_err().to_string();
        assert_eq!(
            message,
            "row 1, column 1: -3 is negative, and naive Bayes takes counts; use word counts or TF-IDF, or another method"
        );
        let error = NaiveBayes { smoothing: 0.0 }.fit(examples).unwrap_err().to_string();
        assert_eq!(error, "smoothing must be a number above 0, but is 0");
        let rows = Matrix::new(1, 1, vec![f32::NAN]).unwrap();
        assert!(matches!(check_counts(&rows), Err(ClassicError::NotFinite { row: 0, column: 0, .. })));
    }
}
