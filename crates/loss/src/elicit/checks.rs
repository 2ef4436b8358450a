//! Does a J elicit a loss? Three properties on a grid, each with the numbers of a counterexample where it fails.
//!
//! * **Convexity**: J(m) ≤ (J(l) + J(r)) / 2 at the midpoint of every pair of grid points.
//! * **Symmetry**: J(η) = J(1 − η), without which φ(v) and φ(−v) cannot serve both classes.
//! * **Properness**, Savage's inequality: I(q, η) ≤ J(η) for every pair, and equality only at q = η, which for a
//!   convex J means that J' rises from each grid point to the next.
//!
//! A grid proves a failure, not a success: `Holds` means that [`GRID`] + 1 points show no counterexample beyond rounding.

use super::reward::Reward;
use crate::witness::Witness;

/// The grid is k / GRID for k = 0, …, GRID.
const GRID: usize = 200;
/// Rounding allowed, in units of the largest |J| on the grid. Limits at the ends are good to 4e-14.
const ROUNDING: f64 = 1e-12;

/// What the three properties came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checks {
    /// J lies below its chords.
    pub convexity: RewardCheck,
    /// J(η) = J(1 − η).
    pub symmetry: RewardCheck,
    /// I(q, η) ≤ J(η), with equality only at q = η.
    pub properness: RewardCheck,
}

/// One property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RewardCheck {
    /// No counterexample on the grid.
    Holds,
    /// A counterexample.
    Fails {
        /// Its numbers.
        witness: Witness,
    },
}

impl Checks {
    /// Whether all three hold.
    pub fn all_hold(&self) -> bool {
        self.first_failure().is_none()
    }

    /// The witness of the first property that fails.
    pub fn first_failure(&self) -> Option<Witness> {
        [self.convexity, self.symmetry, self.properness].into_iter().find_map(|check| match check {
            RewardCheck::Holds => None,
            RewardCheck::Fails { witness } => Some(witness),
        })
    }
}

/// Convexity, symmetry and properness of a reward, on a grid of 201 points.
pub fn checks(reward: &Reward) -> Checks {
    let grid: Vec<(f64, f64, f64)> = (0..=GRID)
        .map(|k| k as f64 / GRID as f64)
        .map(|eta| (eta, reward.value(eta), reward.derivative(eta)))
        .collect();
    let bad = grid.iter().enumerate().find(|(k, (_, value, derivative))| {
        let inside = *k != 0 && *k != GRID;
        !value.is_finite() || derivative.is_nan() || (inside && derivative.is_infinite())
    });
    if let Some((_, &(eta, value, derivative))) = bad {
        let check = RewardCheck::Fails { witness: Witness::NotFinite { eta, value, derivative } };
        return Checks { convexity: check, symmetry: check, properness: check };
    }
    let rounding = ROUNDING * grid.iter().map(|point| point.1.abs()).fold(f64::MIN_POSITIVE, f64::max);
    Checks {
        convexity: verdict(worst(convexity(&grid), rounding)),
        symmetry: verdict(worst(symmetry(&grid), rounding)),
        properness: verdict(worst(properness(&grid), rounding).or_else(|| flat(&grid))),
    }
}

fn verdict(witness: Option<Witness>) -> RewardCheck {
    witness.map_or(RewardCheck::Holds, |witness| RewardCheck::Fails { witness })
}

/// The witness with the largest violation, if that is more than rounding.
fn worst(found: impl Iterator<Item = (f64, Witness)>, rounding: f64) -> Option<Witness> {
    let largest = found.max_by(|a, b| a.0.total_cmp(&b.0));
    largest.filter(|(violation, _)| *violation > rounding).map(|(_, witness)| witness)
}

fn convexity(grid: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, Witness)> {
    let pairs = (0..grid.len()).flat_map(move |l| (l + 2..grid.len()).step_by(2).map(move |r| (l, r)));
    pairs.map(|(l, r)| {
        let (value, chord) = (grid[(l + r) / 2].1, 0.5 * (grid[l].1 + grid[r].1));
        (value - chord, Witness::Convexity { left: grid[l].0, right: grid[r].0, value, chord })
    })
}

fn symmetry(grid: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, Witness)> {
    grid.iter().zip(grid.iter().rev()).take(grid.len() / 2).map(|(&(eta, value, _), &(_, mirrored, _))| {
        ((value - mirrored).abs(), Witness::Symmetry { eta, value, mirrored })
    })
}

/// I(q, η) − J(η) for every pair; I(q, η) = J(q) + (η − q) J'(q).
fn properness(grid: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, Witness)> {
    grid.iter().flat_map(move |&(q, at_q, slope)| {
        grid.iter().filter(move |point| point.0 != q).map(move |&(eta, honest, _)| {
            let reward = at_q + (eta - q) * slope;
            (reward - honest, Witness::Properness { eta, q, reward, honest })
        })
    })
}

/// A stretch between neighbors on which J' does not rise: saying either end earns the same.
fn flat(grid: &[(f64, f64, f64)]) -> Option<Witness> {
    let steepest =
        grid.iter().map(|point| point.2.abs()).filter(|slope| slope.is_finite()).fold(0.0, f64::max);
    grid.windows(2).find_map(|pair| {
        let [(q, at_q, slope), (eta, honest, next)] = [pair[0], pair[1]];
        let rises = next - slope > 1e-15 * steepest;
        (!rises).then_some(Witness::Properness { eta, q, reward: at_q + (eta - q) * slope, honest })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elicit::BuiltIn;

    #[test]
    fn built_in_rewards_pass() {
        for built_in in BuiltIn::ALL {
            let checks = checks(&built_in.into());
            assert!(checks.all_hold(), "{built_in}: {checks:?}");
        }
        for formula in ["x*ln(x)+(1-x)*ln(1-x)", "(x-0.5)^8", "-sqrt(x*(1-x))", "x^4+(1-x)^4"] {
            Reward::formula(formula).unwrap().checked().unwrap();
        }
    }

    #[test]
    fn what_elicits_nothing_is_refused_with_its_numbers() {
        let sentence = |formula: &str| Reward::formula(formula).unwrap().checked().unwrap_err().to_string();
        // η(1−η) is concave: 1/4 in the middle, 0 at both ends.
        let expected = "the reward 'x*(1-x)' is refused: J is not convex: halfway between 0 and 1 it is 0.250000, \
                        above the chord's 0.000000";
        assert_eq!(sentence("x*(1-x)"), expected);
        assert!(sentence("x^2").contains("J is not symmetric: J(0) is 0.000000 but J(1) is 1.000000"));
        assert!(sentence("1/x+1/(1-x)").contains("at 0 J is inf"));
        assert!(sentence("0*x").contains("saying 0 earns 0.000000, as much as the truth's 0.000000"));
    }

    #[test]
    fn a_wrong_derivative_is_caught_by_savage() {
        // J = −η(1−η) with twice its derivative: convex and symmetric, but a step off the diagonal earns too much.
        let reward = Reward::new("twice", |x| x * (x - 1.0), |x| 4.0 * x - 2.0);
        let checks = checks(&reward);
        assert_eq!((checks.convexity, checks.symmetry), (RewardCheck::Holds, RewardCheck::Holds));
        let RewardCheck::Fails { witness: Witness::Properness { eta, q, reward: earned, honest } } =
            checks.properness
        else {
            panic!("{checks:?}");
        };
        assert!(
            (reward.value(q) + (eta - q) * reward.derivative(q) - earned).abs() < 1e-15 && earned > honest
        );
    }
}
