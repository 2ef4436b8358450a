//! The recipe for a new estimator in CONTRIBUTING.md compiles, and its answer is right.

use crate::half::Half;
use crate::{Estimator, Evidence};

#[test]
fn the_page_shows_what_is_compiled() {
    let Ok(page) = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../CONTRIBUTING.md"))
    else {
        return eprintln!("SKIPPED: the page is in the repository alone");
    };
    let code = include_str!("../tests/recipe/half.rs");
    assert!(page.contains(&format!("```rust\n{code}```")), "CONTRIBUTING.md and the recipe differ");
}

#[test]
fn twice_the_share_above_the_median() {
    // P is 0 to 99. Of 200 unlabeled rows 20 lie on 50 to 99, where half of P is, and the others below 0: μ = 2 · 0.1.
    let positive: Vec<f64> = (0..100).map(f64::from).collect();
    let above = (0..20).map(|i| 50.25 + 2.0 * f64::from(i));
    let below = (0..180).map(|i| -1.0 - f64::from(i));
    let unlabeled: Vec<f64> = above.chain(below).collect();
    let found = Half.estimate(&Evidence::of_scores(&positive, &unlabeled)).unwrap();
    assert!((found.mu - 0.2).abs() < 1e-12, "{}", found.mu);
    assert!(found.interval.0 < 0.2 && found.interval.1 > 0.2, "{:?}", found.interval);
}
