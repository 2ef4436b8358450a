//! Axes: the range shown, and round numbers along it.

/// The range of one axis: finite, with `low < high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
}

/// Beyond this, differences of two ends would overflow.
const LARGEST: f64 = 1e300;

impl Axis {
    /// From one number to another. Ends in the wrong order change places; equal or absurd ones are moved apart.
    pub fn between(a: f64, b: f64) -> Self {
        let sound = |x: f64| if x.is_finite() { x.clamp(-LARGEST, LARGEST) } else { 0.0 };
        let (a, b) = (sound(a), sound(b));
        let (low, high) = (a.min(b), a.max(b));
        // Closer than this, ticks could not be told apart.
        let least = 1e-9 * low.abs().max(high.abs());
        if high - low > least {
            return Self { low, high };
        }
        let half = if low == 0.0 { 0.5 } else { 0.5 * low.abs() };
        Self { low: low - half, high: high + half }
    }

    /// Around these numbers, with this share of air at either end; numbers that are not finite do not count.
    pub fn around(values: impl Iterator<Item = f64>, air: f64) -> Self {
        let finite = values.filter(|x| x.is_finite());
        let range = finite.fold(None, |range: Option<(f64, f64)>, x| {
            Some(range.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
        });
        let Some((low, high)) = range else { return Self { low: 0.0, high: 1.0 } };
        let Self { low, high } = Self::between(low, high);
        let air = air * (high - low);
        Self { low: low - air, high: high + air }
    }

    /// Where a number lies: 0 at the low end, 1 at the high end.
    pub fn share(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }

    /// Round numbers within the range, about `wanted` of them, with the text at each.
    pub fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let rough = span / wanted.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|leading| leading * power)
            .find(|step| span / step <= wanted as f64 + 0.5)
            .unwrap_or(10.0 * power);
        let tolerance = 1e-6 * span;
        let first = ((self.low - tolerance) / step).ceil();
        (0..=wanted + 1)
            .map(|i| (first + i as f64) * step)
            .take_while(|tick| *tick <= self.high + tolerance)
            .map(|tick| (tick, written(tick, step)))
            .collect()
    }
}

/// A tick with as many digits as its step needs, and a true minus sign.
fn written(tick: f64, step: f64) -> String {
    let tick = if tick.abs() < 1e-6 * step { 0.0 } else { tick };
    let text = if tick != 0.0 && !(1e-4..1e6).contains(&step) {
        format!("{tick:.1e}")
    } else {
        let digits = (-step.log10()).ceil().max(0.0) as usize;
        format!("{tick:.digits$}")
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks(5).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(labels(Axis::between(0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Axis::between(-7.0, 3.0)), ["−6", "−4", "−2", "0", "2"]);
        assert_eq!(labels(Axis::between(0.0, 4e7)), ["0", "1.0e7", "2.0e7", "3.0e7", "4.0e7"]);
        for (low, high) in [(0.0, 1e-7), (-1e300, 1e300), (3.0, 3.0), (1e9, 1e9 + 0.5), (0.1, 0.7)] {
            let axis = Axis::between(low, high);
            let ticks = axis.ticks(5);
            assert!((2..=7).contains(&ticks.len()), "{axis:?}: {ticks:?}");
            assert!(ticks.iter().all(|(x, _)| (-1e-5..1.0 + 1e-5).contains(&axis.share(*x))), "{ticks:?}");
        }
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(Axis::between(2.0, 2.0), Axis { low: 1.0, high: 3.0 });
        assert_eq!(Axis::between(0.0, 0.0), Axis { low: -0.5, high: 0.5 });
        assert_eq!(Axis::between(1.0, 0.0), Axis { low: 0.0, high: 1.0 });
        assert_eq!(Axis::around([].into_iter(), 0.0), Axis { low: 0.0, high: 1.0 });
        assert_eq!(Axis::around([f64::NAN, f64::INFINITY].into_iter(), 0.0), Axis { low: 0.0, high: 1.0 });
        let axis = Axis::around([f64::NEG_INFINITY, -1.0, 1.0].into_iter(), 0.04);
        assert!((axis.low + 1.08).abs() < 1e-12 && (axis.high - 1.08).abs() < 1e-12);
    }
}
