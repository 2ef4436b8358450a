//! The distance of a point to the convex hull of others, by moving weight between two corners at a time.
//!
//! With the Gram matrix K of the corners and the inner products b of the point with them, the nearest point Σ w_j z_j of
//! the hull minimizes ½ wᵀ K w − bᵀ w over w ≥ 0, Σ w = 1. Each step takes weight from the corner with the steepest
//! gradient among those that have some and gives it to the corner with the least (pairwise Frank-Wolfe, which is the
//! scheme of sequential minimal optimization): O(corners) a step.

/// A point of the hull, and the gradient K w − b there.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub w: Vec<f64>,
    /// K w, which does not depend on the point that is approached.
    pub kw: Vec<f64>,
}

/// Steps stop when no exchange of weight improves at a higher rate than this.
const TOLERANCE: f64 = 1e-7;
const MOST_STEPS: usize = 20_000;

impl Weights {
    /// Equal weight on the first `of` corners.
    pub(crate) fn equal(gram: &[f64], corners: usize, of: usize) -> Self {
        let share = 1.0 / of as f64;
        let w = (0..corners).map(|i| if i < of { share } else { 0.0 }).collect();
        let kw =
            (0..corners).map(|i| gram[i * corners..i * corners + of].iter().sum::<f64>() * share).collect();
        Self { w, kw }
    }

    /// Moves to the point of the hull that is nearest to the one with inner products `b`.
    pub(crate) fn approach(&mut self, gram: &[f64], b: &[f64]) {
        let n = self.w.len();
        let mut gradient: Vec<f64> = self.kw.iter().zip(b).map(|(kw, b)| kw - b).collect();
        for _ in 0..MOST_STEPS {
            let (mut to, mut from) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
            for (i, (&g, &w)) in gradient.iter().zip(&self.w).enumerate() {
                if g < to.0 {
                    to = (g, i);
                }
                if w > 0.0 && g > from.0 {
                    from = (g, i);
                }
            }
            let ((low, to), (high, from)) = (to, from);
            if high - low < TOLERANCE {
                break;
            }
            let (row_to, row_from) = (&gram[to * n..(to + 1) * n], &gram[from * n..(from + 1) * n]);
            let bend = (row_to[to] + row_from[from] - 2.0 * row_to[from]).max(1e-12);
            let step = ((high - low) / bend).min(self.w[from]);
            self.w[to] += step;
            self.w[from] = if step >= self.w[from] { 0.0 } else { self.w[from] - step };
            for ((gradient, a), b) in gradient.iter_mut().zip(row_to).zip(row_from) {
                *gradient += step * (a - b);
            }
        }
        self.kw.iter_mut().zip(gradient.iter().zip(b)).for_each(|(kw, (gradient, b))| *kw = gradient + b);
    }
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
            let mut weights = Weights::equal(&gram, 3, 1);
            weights.approach(&gram, &corners.map(|corner| inner(corner, point)));
            let found = [weights.w[1], weights.w[2]];
            assert!((0..2).all(|i| (found[i] - nearest[i]).abs() < 1e-6), "{found:?} against {nearest:?}");
            assert!((weights.w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
