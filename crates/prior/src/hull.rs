//! The distance of a point to the convex hull of others, by moving weight between two corners at a time.
//!
//! With the Gram matrix K of the corners and the inner products b of the point with them, the nearest point Σ w_j z_j of
//! the hull minimizes ½ wᵀ K w − bᵀ w over w ≥ 0, Σ w = 1. Each step takes weight from the corner with the steepest
//! gradient among those that have some and gives it to the corner with the least (pairwise Frank-Wolfe, which is the
//! scheme of sequential minimal optimization): O(corners) a step.

/// A point of the hull.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    w: Vec<f64>,
    /// K w, which does not depend on the point that is approached.
    kw: Vec<f64>,
}

/// Steps stop when the rate at which an exchange of weight lowers ½ d², which bounds its error, is this share of d².
const RELATIVE: f64 = 0.01;
/// At most this many steps a corner.
const MOST_STEPS: usize = 10;

impl Nearest {
    /// Equal weight on the first `of` corners.
    pub(crate) fn equal(gram: &[f64], corners: usize, of: usize) -> Self {
        let share = 1.0 / of as f64;
        let w = (0..corners).map(|i| if i < of { share } else { 0.0 }).collect();
        let kw =
            (0..corners).map(|i| gram[i * corners..i * corners + of].iter().sum::<f64>() * share).collect();
        Self { w, kw }
    }

    /// ⟨Σ w_j z_j, x⟩ for an x with these inner products with the corners.
    pub(crate) fn inner(&self, with_corners: &[f64]) -> f64 {
        crate::kernel::dot_wide(&self.w, with_corners)
    }

    /// Moves to the point of the hull that is nearest to the one with inner products `b` and square norm `own`, or until
    /// the square of the distance is below `negligible`; answers that square.
    pub(crate) fn approach(&mut self, gram: &[f64], b: &[f64], own: f64, negligible: f64) -> f64 {
        let n = self.w.len();
        let mut square = own - 2.0 * self.inner(b) + self.inner(&self.kw);
        let mut gradient: Vec<f64> = self.kw.iter().zip(b).map(|(kw, b)| kw - b).collect();
        for _ in 0..MOST_STEPS * n {
            let (low, high) = extremes(&gradient, &self.w);
            if square < negligible || high - low < RELATIVE * square {
                break;
            }
            let to = gradient.iter().position(|&g| g == low);
            let from = gradient.iter().zip(&self.w).position(|(&g, &w)| g == high && w > 0.0);
            let (Some(to), Some(from)) = (to, from) else { break };
            let (row_to, row_from) = (&gram[to * n..(to + 1) * n], &gram[from * n..(from + 1) * n]);
            let bend = (row_to[to] + row_from[from] - 2.0 * row_to[from]).max(1e-12);
            let step = ((high - low) / bend).min(self.w[from]);
            square -= 2.0 * step * (high - low) - step * step * bend;
            self.w[to] += step;
            self.w[from] = if step >= self.w[from] { 0.0 } else { self.w[from] - step };
            for ((gradient, a), b) in gradient.iter_mut().zip(row_to).zip(row_from) {
                *gradient += step * (a - b);
            }
        }
        self.kw.iter_mut().zip(gradient.iter().zip(b)).for_each(|(kw, (gradient, b))| *kw = gradient + b);
        square.max(0.0)
    }
}

/// The least gradient, and the largest among corners with weight; in lanes, so that the compiler can use vectors.
fn extremes(gradient: &[f64], w: &[f64]) -> (f64, f64) {
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (chunks_g, chunks_w) = (gradient.chunks_exact(8), w.chunks_exact(8));
    let rest = chunks_g.remainder().iter().zip(chunks_w.remainder());
    for (&g, &w) in rest {
        low[0] = if g < low[0] { g } else { low[0] };
        high[0] = if w > 0.0 && g > high[0] { g } else { high[0] };
    }
    for (g, w) in chunks_g.zip(chunks_w) {
        for lane in 0..8 {
            low[lane] = if g[lane] < low[lane] { g[lane] } else { low[lane] };
            let used = if w[lane] > 0.0 { g[lane] } else { f64::NEG_INFINITY };
            high[lane] = if used > high[lane] { used } else { high[lane] };
        }
    }
    (low.into_iter().fold(f64::INFINITY, f64::min), high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_beside_a_triangle() {
        // Corners (0,0), (1,0), (0,1). Nearest to (1,1) is (½, ½); to (0.2, 0.3) it is itself; to (−1, 0.4): (0, 0.4).
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let inner = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let gram: Vec<f64> = corners.iter().flat_map(|&a| corners.map(|b| inner(a, b))).collect();
        for (point, nearest) in
            [([1.0, 1.0], [0.5, 0.5]), ([0.2, 0.3], [0.2, 0.3]), ([-1.0, 0.4], [0.0, 0.4])]
        {
            for start in 1..=3 {
                let mut found = Nearest::equal(&gram, 3, start);
                let square = found.approach(
                    &gram,
                    &corners.map(|corner| inner(corner, point)),
                    inner(point, point),
                    1e-8,
                );
                let off = [point[0] - nearest[0], point[1] - nearest[1]];
                assert!((square - inner(off, off)).abs() < 0.02 * inner(off, off) + 1e-8, "{square}");
                let place = [found.inner(&[0.0, 1.0, 0.0]), found.inner(&[0.0, 0.0, 1.0])];
                assert!(
                    (0..2).all(|i| (place[i] - nearest[i]).abs() < 0.01),
                    "{place:?} against {nearest:?}"
                );
            }
        }
    }

    #[test]
    fn extremes_look_at_weights_only_above() {
        let gradient: Vec<f64> = (0..11).map(f64::from).collect();
        let w: Vec<f64> = (0..11).map(|i| f64::from(u8::from(i == 4 || i == 9))).collect();
        assert_eq!(extremes(&gradient, &w), (0.0, 9.0));
    }
}
