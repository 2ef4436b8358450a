//! Adam, with the first moment kept short as in games between networks.
//!
//! D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015:
//!
//! ```text
//! m ← β₁ m + (1 - β₁) g,   v ← β₂ v + (1 - β₂) g²,   w ← w - rate · m̂ / (√v̂ + ε),   m̂ = m / (1 - β₁ᵗ), v̂ = v / (1 - β₂ᵗ)
//! ```
//!
//! with β₁ = 0.5, which A. Radford, L. Metz and S. Chintala (ICLR 2016) found to calm a game, β₂ = 0.999, ε = 1e-8.

const FIRST: f64 = 0.5;
const SECOND: f64 = 0.999;
const LEAST: f32 = 1e-8;

/// The moments of one network's gradients.
#[derive(Clone, Debug)]
pub struct Adam {
    rate: f64,
    steps: i32,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    /// For this many parameters.
    pub fn new(parameters: usize, rate: f64) -> Self {
        Self { rate, steps: 0, first: vec![0.0; parameters], second: vec![0.0; parameters] }
    }

    /// One step against the gradient, which is set to zero for the next one.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        self.steps = self.steps.saturating_add(1);
        let size = self.rate / (1.0 - FIRST.powi(self.steps));
        let root = (1.0 - SECOND.powi(self.steps)).sqrt();
        // size · m / (√v / root + ε)
        let (size, inverse) = (size as f32, (1.0 / root) as f32);
        let (b1, b2) = (FIRST as f32, SECOND as f32);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((w, g), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *m = b1 * *m + (1.0 - b1) * *g;
            *v = b2 * *v + (1.0 - b2) * *g * *g;
            *w -= size * *m / (v.sqrt() * inverse + LEAST);
            *g = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        let mut adam = Adam::new(2, 0.1);
        let mut w = [1.0, -1.0];
        let mut gradient = [2.0, 0.0];
        adam.step(&mut w, &mut gradient);
        // The first step has the size of the rate, whatever the gradient; no gradient, no step.
        assert!((w[0] - 0.9).abs() < 1e-6 && w[1] == -1.0);
        assert_eq!(gradient, [0.0, 0.0]);
        adam.step(&mut w, &mut [-1.0, 0.0]);
        // m = 0.5 · 1 + 0.5 · -1 = 0, so nothing moves.
        assert!((w[0] - 0.9).abs() < 1e-6);
        adam.step(&mut w, &mut [4.0, 0.0]);
        // m = 2, m̂ = 2 / 0.875; v = 0.001 (4 · 0.998001 + 0.999 + 16), v̂ = v / (1 - 0.999³).
        let v = 0.001 * (4.0 * 0.998_001 + 0.999 + 16.0) / (1.0 - 0.999_f64.powi(3));
        let want = 0.9 - 0.1 * (2.0 / 0.875) / v.sqrt();
        assert!((f64::from(w[0]) - want).abs() < 1e-5, "{} {want}", w[0]);
    }
}
