//! The bootstrap, without drawing a million rows two hundred times.
//!
//! P and U are resampled separately (Efron 1979). Instead of drawing n rows out of n, each row is taken Poisson(1) times
//! (Hanley and MacGibbon 2006; Chamandy, Muralidharan, Najmi and Naidu 2012), so a cell of k rows is taken Poisson(k)
//! times and a resample costs one draw per cell. The estimators divide by the totals, so it does not matter that these
//! vary. An interval is the span between two percentiles of the resampled answers: it shows variance, not bias.

use onesided_data::Stream;

/// Above this mean a Poisson draw is a rounded normal one; its skewness is then below 0.19.
const LARGE_MEAN: f64 = 30.0;

/// A draw from the Poisson distribution: the number of uniform factors that fit above e^−mean, or, for a large mean,
/// the rounded normal draw of the same mean and variance.
pub(crate) fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    if mean > LARGE_MEAN {
        return (mean + mean.sqrt() * stream.normal()).round().max(0.0);
    }
    let (floor, mut product, mut count) = ((-mean).exp(), stream.uniform(), 0.0);
    while product > floor {
        product *= stream.uniform();
        count += 1.0;
    }
    count
}

/// Draws how often each of `counts` is taken, until something is.
pub(crate) fn poisson_all(counts: &[f64], stream: &mut Stream, taken: &mut Vec<f64>) {
    loop {
        taken.clear();
        taken.extend(counts.iter().map(|&count| if count > 0.0 { poisson(count, stream) } else { 0.0 }));
        if taken.iter().any(|&count| count > 0.0) || counts.iter().all(|&count| count <= 0.0) {
            return;
        }
    }
}

/// The two-sided percentiles of `values` at `confidence`; those that are not numbers are left out.
pub(crate) fn percentiles(mut values: Vec<f64>, confidence: f64) -> Option<(f64, f64)> {
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    (!values.is_empty()).then(|| (quantile(&values, tail), quantile(&values, 1.0 - tail)))
}

/// Moves resampled answers so that their mean is the estimate, within [0, 1]: for estimators that a resample biases once more.
pub(crate) fn center(values: &mut [f64], estimate: f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value = (*value - mean + estimate).clamp(0.0, 1.0));
}

/// The quantile of sorted values, with linear interpolation between neighbors.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// The z that a standard normal variable stays below with probability `confidence`, 0 below one half.
pub(crate) fn normal_quantile(confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let z: f64 = (low + high) / 2.0;
        if upper_tail(z) > (1.0 - confidence).min(0.5) {
            low = z;
        } else {
            high = z;
        }
    }
    low
}

/// P(Z > z) for z ≥ 0, by Simpson's rule on [z, z + 12].
fn upper_tail(z: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = 12.0 / 2000.0;
    let inner: f64 =
        (1..2000).map(|i| density(z + f64::from(i) * step) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (density(z) + inner + density(z + 12.0)) * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_draws_have_their_mean_and_variance() {
        let mut stream = Stream::new(0, "poisson");
        for mean in [0.3, 1.0, 12.0, 29.0, 31.0, 400.0] {
            let n = 40_000;
            let draws: Vec<f64> = (0..n).map(|_| poisson(mean, &mut stream)).collect();
            let average = draws.iter().sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|x| (x - average).powi(2)).sum::<f64>() / f64::from(n);
            // Four standard errors: sqrt(mean / n) of the average, about mean sqrt(2 / n + 1 / (n mean)) of the variance.
            assert!((average - mean).abs() < 4.0 * (mean / f64::from(n)).sqrt(), "{mean}: {average}");
            let error = mean * (2.0 / f64::from(n) + 1.0 / (f64::from(n) * mean)).sqrt();
            assert!((variance - mean).abs() < 4.0 * error + 0.1, "{mean}: {variance}");
        }
    }

    #[test]
    fn percentiles_of_a_known_list() {
        let values = (0..=40).rev().map(f64::from).chain([f64::NAN]).collect();
        let (low, high) = percentiles(values, 0.95).unwrap();
        assert!((low - 1.0).abs() < 1e-12 && (high - 39.0).abs() < 1e-12, "{low} {high}");
        assert_eq!(percentiles(vec![f64::NAN], 0.95), None);
    }

    #[test]
    fn a_resample_is_never_empty() {
        let (mut stream, mut taken) = (Stream::new(0, "poisson"), Vec::new());
        for _ in 0..1000 {
            poisson_all(&[0.0, 1.0, 0.0], &mut stream, &mut taken);
            assert!(taken[1] > 0.0 && taken[0] == 0.0, "{taken:?}");
        }
    }

    #[test]
    fn a_quantile_of_the_normal_distribution() {
        // One-sided 95 % is z = 1.6449.
        assert!((normal_quantile(0.95) - 1.644_854).abs() < 1e-5);
    }
}
