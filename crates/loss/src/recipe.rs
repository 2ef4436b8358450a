//! The recipe for a new objective in CONTRIBUTING.md compiles, and its gradient is right.

use crate::Objective;
use crate::label_distribution::LabelDistribution;

#[test]
fn the_page_shows_what_is_compiled() {
    let Ok(page) = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../CONTRIBUTING.md"))
    else {
        return eprintln!("SKIPPED: the page is in the repository alone");
    };
    let code = include_str!("../tests/recipe/label_distribution.rs");
    assert!(page.contains(&format!("```rust\n{code}```")), "CONTRIBUTING.md and the recipe differ");
}

/// σ(ln 3) = 3/4 and σ(−ln 3) = 1/4: means of 3/4 and 1/2, so 2 · 1/4 · 1/4 + |1/2 − 1/4| = 3/8.
#[test]
fn by_hand() {
    let x = 3f32.ln();
    let loss = LabelDistribution::new(0.25).unwrap();
    let (mut grad_p, mut grad_u) = ([0.0; 1], [0.0; 2]);
    let value = loss.evaluate(&[x], &[x, -x], &mut grad_p, &mut grad_u);
    assert!((value - 0.375).abs() < 1e-7, "{value}");
    // σ(f) σ(−f) = 3/16 at both: −1/2 · 3/16 on P, and 3/16 / 2 on U.
    assert!((grad_p[0] + 3.0 / 32.0).abs() < 1e-7 && grad_u.iter().all(|g| (g - 3.0 / 32.0).abs() < 1e-7));
    assert_eq!(loss.describe(), "label-distribution");
    assert!(LabelDistribution::new(1.2).is_err());
}
