//! Two shares, before and now, and whether chance can part them: the one statistic of drift.
//!
//! Of all rows of before, K of N have something, and of those of now, k of n. With r = (K + k) / (N + n) the likelihood ratio of one
//! share for both is
//!
//! ```text
//! G = 2 [ n KL(k/n ‖ r) + N KL(K/N ‖ r) ],  KL(p ‖ r) = p ln(p/r) + (1 - p) ln((1 - p)/(1 - r)),
//! ```
//!
//! and √G is about the absolute value of a normal variable, for counts of 0 and shares near 0, too (S. S. Wilks, "The large-sample
//! distribution of the likelihood ratio for testing composite hypotheses", Annals of Mathematical Statistics 9, 1938). A difference that
//! does not matter is no finding however many rows show it. So a p-value is asked for with the difference that is allowed: the
//! share of before first comes towards that of now by as much.
//!
//! Columns ([`ColumnDrift`](crate::ColumnDrift)), scores, decisions and labels are all compared by it.

use serde::Serialize;

/// How many rows have something, before and now. Counts of weighted rows need not be whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Rows of before that have it.
    pub before: f64,
    /// All rows of before.
    pub of_before: f64,
    /// Rows of now that have it.
    pub now: f64,
    /// All rows of now.
    pub of_now: f64,
}

impl Shares {
    /// From counts of rows.
    pub fn of_counts(before: usize, of_before: usize, now: usize, of_now: usize) -> Self {
        let [before, of_before, now, of_now] = [before, of_before, now, of_now].map(|rows| rows as f64);
        Self { before, of_before, now, of_now }
    }

    /// The share of before; 0 of no rows.
    pub fn share_before(&self) -> f64 {
        share(self.before, self.of_before)
    }

    /// The share of now; 0 of no rows.
    pub fn share_now(&self) -> f64 {
        share(self.now, self.of_now)
    }

    /// By how much the share is larger now.
    pub fn difference(&self) -> f64 {
        self.share_now() - self.share_before()
    }

    /// How likely two shares would be at least this far apart if the true ones differed by no more than `allowed`. 1 where they do not,
    /// and where there are no rows.
    pub fn p_value(&self, allowed: f64) -> f64 {
        let (n, m) = (self.of_now, self.of_before);
        let now = self.share_now();
        let before = self.share_before() + self.difference().clamp(-allowed, allowed);
        if n <= 0.0 || m <= 0.0 || self.difference().abs() <= allowed {
            return 1.0;
        }
        let both = (n * now + m * before) / (n + m);
        let g = 2.0 * (n * divergence(now, both) + m * divergence(before, both));
        chance_beyond(g.max(0.0).sqrt())
    }
}

/// How likely a normal variable is at least so many standard deviations from its mean, on either side.
pub fn chance_beyond(deviations: f64) -> f64 {
    erfc(deviations.abs() / std::f64::consts::SQRT_2).min(1.0)
}

fn share(rows: f64, of: f64) -> f64 {
    if of > 0.0 { rows / of } else { 0.0 }
}

/// KL(p ‖ r) of two shares.
fn divergence(p: f64, r: f64) -> f64 {
    let part = |p: f64, r: f64| if p > 0.0 { p * (p / r).ln() } else { 0.0 };
    part(p, r) + part(1.0 - p, 1.0 - r)
}

/// 2 / √π ∫ₓ^∞ exp(-t²) dt for x ≥ 0, to seven digits however small it is: Chebyshev's fit of Press et al., "Numerical recipes", 6.2.
fn erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let sum = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| coefficient + t * sum);
    t * (sum - x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(before: usize, of_before: usize, now: usize, of_now: usize) -> Shares {
        Shares::of_counts(before, of_before, now, of_now)
    }

    #[test]
    fn the_tail_of_the_normal_law_is_that_of_tables() {
        // 2 (1 - Φ(z)) = erfc(z / √2), from tables.
        for (z, tail) in
            [(0.0, 1.0), (1.0, 0.317_310_5), (1.959_964, 0.05), (4.0, 6.334_248e-5), (8.0, 1.244_19e-15)]
        {
            let found = chance_beyond(z);
            assert!((found / tail - 1.0).abs() < 1e-5, "{z}: {found}");
        }
    }

    /// Σ C(N, K+k-x) C(n, x) / C(N+n, K+k) over x ≥ k: how likely so many of them are among the rows of now (Fisher).
    fn exact(Shares { before, of_before, now, of_now }: Shares) -> f64 {
        let ln = |n: f64| (1..=n as usize).map(|i| (i as f64).ln()).sum::<f64>();
        let choose = |n: f64, k: f64| ln(n) - ln(k) - ln(n - k);
        let drawn = before + now;
        let all = choose(of_before + of_now, drawn);
        (now as usize..=drawn.min(of_now) as usize)
            .map(|x| (choose(of_now, x as f64) + choose(of_before, drawn - x as f64) - all).exp())
            .sum()
    }

    #[test]
    fn p_values_are_near_the_exact_ones_down_to_counts_of_nothing() {
        for (k, n, l, m) in
            [(10, 100, 25, 100), (0, 500, 4, 60), (3, 2_000, 9, 300), (50, 400, 60, 200), (0, 60, 8, 60)]
        {
            let shares = counts(k, n, l, m);
            // Both sides of the approximation, one of the exact law: smaller where nothing was there before, by less than eight times.
            let ratio = shares.p_value(0.0) / exact(shares);
            assert!((1.0 / 8.0..5.0).contains(&ratio), "{shares:?}: {ratio}");
        }
    }

    #[test]
    fn what_is_allowed_is_no_finding_however_many_rows_show_it() {
        let many = counts(100_000, 1_000_000, 140_000, 1_000_000);
        assert!(many.p_value(0.0) < 1e-100);
        assert_eq!(many.p_value(0.05), 1.0);
        assert!(many.p_value(0.03) < 1e-10);
        // Either way round, and without rows.
        assert_eq!(counts(14, 100, 10, 100).p_value(0.05), 1.0);
        assert_eq!(counts(0, 0, 10, 100).p_value(0.0), 1.0);
        assert_eq!(counts(10, 100, 0, 0).p_value(0.0), 1.0);
    }
}
