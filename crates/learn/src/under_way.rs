//! How far trainings are that go on side by side, so that the time left can be told.

/// How far trainings are that go on side by side.
pub(crate) struct UnderWay {
    /// How many are done.
    pub done: usize,
    /// The part of each training under way that is done, by what it takes at most.
    pub parts: Vec<f64>,
    /// The parts after which trainings ended, added up, and how many did: most stop early.
    ends: (f64, f64),
}

impl UnderWay {
    pub fn new(trainings: usize) -> Self {
        Self { done: 0, parts: vec![0.0; trainings], ends: (0.0, 0.0) }
    }

    /// A training is over.
    pub fn end(&mut self, number: usize) {
        let part = std::mem::take(&mut self.parts[number]);
        self.done += 1;
        if part > 0.0 {
            self.ends = (self.ends.0 + part, self.ends.1 + 1.0);
        }
    }

    /// What is done of those under way, in trainings as long as the others were.
    pub fn begun(&self) -> f64 {
        let usual = if self.ends.1 > 0.0 { self.ends.0 / self.ends.1 } else { 1.0 };
        self.parts.iter().map(|part| (part / usual).min(1.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trainings_under_way_count_by_how_long_the_others_were() {
        let mut under_way = UnderWay::new(4);
        under_way.parts[1] = 0.2;
        assert_eq!((under_way.done, under_way.begun()), (0, 0.2));
        // The first one stops at two fifths of what it takes at most, and the others are expected to.
        under_way.parts[0] = 0.4;
        under_way.end(0);
        assert_eq!((under_way.done, under_way.begun()), (1, 0.5));
        under_way.parts[2] = 0.9;
        assert_eq!(under_way.begun(), 1.5);
    }
}
