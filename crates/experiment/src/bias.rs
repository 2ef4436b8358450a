//! Labels that favor some positives over others, by the three rules of PU-Bench (ICLR 2026), written from its description.
//!
//! All three go by p(x), the probability of the positive class as a logistic regression gives it that is fitted to the true
//! classes of the rows to train on (½|w|² + Σ log loss, columns scaled). It plays whoever labels, and no method sees it.
//!
//! | rule | PU-Bench | which positives are labeled |
//! |---|---|---|
//! | `likely` | S2, after Gong et al. (2021) | drawn with weights 0.9 p¹⁰ / Σ p¹⁰ + 0.1 / n |
//! | `boundary` | S3, after Gong et al. (2021) | drawn with weights (2.5 - p)¹⁰: those that look least positive |
//! | `top` | S4, after Kato et al. (2019) | those of the largest p |
//!
//! Draws are without replacement. `top` leaves nothing to chance, so that seeds differ in the training alone; that is the
//! rule of PU-Bench's published runs, and a later version of its code accepts each positive with probability p / max p.

use crate::ExperimentError;
use onesided_classic::{Examples, LinearModel, Logistic, Rows};
use onesided_data::{Stream, unknown_name};
use onesided_loss::sigmoid;
use std::cmp::Ordering;

/// The power of both rules that draw.
const POWER: i32 = 10;
/// What `boundary` takes p from.
const BOUNDARY: f64 = 2.5;
/// How much of the chance `likely` gives to every positive alike.
const EVEN: f64 = 0.1;

/// Which positives are labeled rather than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bias {
    /// Those that look positive, mostly.
    Likely,
    /// Those that do not, mostly.
    Boundary,
    /// Those that look most positive, and no others.
    Top,
}

impl Bias {
    /// What a spec calls it; `none` for labels that are left to chance alone.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        match text {
            "none" => Ok(None),
            "likely" => Ok(Some(Bias::Likely)),
            "boundary" => Ok(Some(Bias::Boundary)),
            "top" => Ok(Some(Bias::Top)),
            _ => Err(unknown_name("bias", text, &["none", "likely", "boundary", "top"])),
        }
    }

    /// Which `count` of the positives are labeled, by the probability of each. The same seed gives the same ones.
    pub(crate) fn choose(self, probabilities: &[f64], count: usize, seed: u64) -> Vec<usize> {
        let keys: Vec<f64> = match self {
            Bias::Top => probabilities.to_vec(),
            Bias::Likely => {
                let whole: f64 = probabilities.iter().map(|p| p.powi(POWER)).sum();
                let even = EVEN / probabilities.len() as f64;
                let weight = |p: f64| (1.0 - EVEN) * p.powi(POWER) / whole.max(f64::MIN_POSITIVE) + even;
                keys(probabilities.iter().map(|&p| weight(p)), seed)
            }
            Bias::Boundary => keys(probabilities.iter().map(|&p| (BOUNDARY - p).powi(POWER)), seed),
        };
        let mut rows: Vec<usize> = (0..keys.len()).collect();
        rows.sort_by(|&a, &b| keys[b].partial_cmp(&keys[a]).unwrap_or(Ordering::Equal));
        rows.truncate(count);
        rows
    }
}

/// The largest of these are a draw without replacement by weight (Efraimidis and Spirakis, 2006): ln(u) / weight.
fn keys(weights: impl Iterator<Item = f64>, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "biased labels");
    weights.map(|weight| stream.uniform().max(f64::MIN_POSITIVE).ln() / weight).collect()
}

/// The probability of the positive class for each row, by a logistic regression that has seen all of them.
pub(crate) fn probabilities(rows: &dyn Rows, truth: &[bool]) -> Result<Vec<f64>, ExperimentError> {
    let weights = |wanted: bool| truth.iter().map(|&is| f64::from(u8::from(is == wanted))).collect();
    let (up, down): (Vec<f64>, Vec<f64>) = (weights(true), weights(false));
    let examples = Examples::new(rows, &up, &down)?;
    let start = LinearModel { weights: vec![0.0; rows.cols()], bias: 0.0 };
    let fitted = Logistic { tolerance: 1e-4, ..Logistic::default() }.fit_while(examples, start, &mut || true);
    Ok(fitted.model.scores(rows).into_iter().map(sigmoid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    /// 1,000 positives whose probabilities are spread evenly over (0, 1).
    fn spread() -> Vec<f64> {
        (0..1000).map(|row| (f64::from(row) + 0.5) / 1000.0).collect()
    }

    fn mean(of: &[usize], probabilities: &[f64]) -> f64 {
        of.iter().map(|&row| probabilities[row]).sum::<f64>() / of.len() as f64
    }

    #[test]
    fn a_seed_gives_the_same_rows_each_of_them_once() {
        let p = spread();
        for bias in [Bias::Likely, Bias::Boundary, Bias::Top] {
            let mut rows = bias.choose(&p, 200, 3);
            assert_eq!(rows, bias.choose(&p, 200, 3));
            assert_eq!(rows != bias.choose(&p, 200, 4), bias != Bias::Top, "{bias:?}");
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), 200, "{bias:?}");
        }
        assert_eq!(Bias::Likely.choose(&p, 1000, 3).len(), 1000);
    }

    #[test]
    fn the_first_of_many_draws_follow_the_weights() {
        let p = spread();
        let first =
            |bias: Bias| -> Vec<usize> { (0..4000).map(|seed| bias.choose(&p, 1, seed)[0]).collect() };
        // ∫ p · p¹⁰ / ∫ p¹⁰ = 11/12; a tenth of the chance is even, whose mean is 1/2.
        let likely = 0.9 * 11.0 / 12.0 + 0.1 * 0.5;
        assert!((mean(&first(Bias::Likely), &p) - likely).abs() < 0.012);
        // q = 2.5 - p from 1.5 to 2.5: ∫ q · q¹⁰ / ∫ q¹⁰ = (11/12)(2.5¹² - 1.5¹²)/(2.5¹¹ - 1.5¹¹).
        let power = |q: f64, by: i32| q.powi(by);
        let q = 11.0 / 12.0 * (power(2.5, 12) - power(1.5, 12)) / (power(2.5, 11) - power(1.5, 11));
        assert!((mean(&first(Bias::Boundary), &p) - (2.5 - q)).abs() < 0.012);
    }

    #[test]
    fn top_labels_the_most_probable_alone() {
        let mut rows = Bias::Top.choose(&[0.2, 0.9, 0.5, 0.7], 2, 0);
        rows.sort_unstable();
        assert_eq!(rows, [1, 3]);
    }

    #[test]
    fn probabilities_are_those_of_an_independent_program() {
        // LogisticRegression(C=1, tol=1e-10).fit(x, y).predict_proba(x)[:, 1] of scikit-learn 1.9.
        let rows = Matrix::new(6, 1, vec![-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]).unwrap();
        let have = probabilities(&rows, &[false, false, true, false, true, true]).unwrap();
        for (have, want) in have.iter().zip(GOLDEN) {
            assert!((have - want).abs() < 1e-3, "{have} {want}");
        }
    }

    const GOLDEN: [f64; 6] = [0.134_576, 0.266_068, 0.458_037, 0.563_398, 0.663_331, 0.914_590];

    #[test]
    fn names_are_those_of_a_spec() {
        assert_eq!(Bias::parse("none"), Ok(None));
        assert_eq!(Bias::parse("boundary"), Ok(Some(Bias::Boundary)));
        let refused = Bias::parse("botom").unwrap_err();
        assert!(refused.contains("use none, likely, boundary or top"), "{refused}");
    }
}
