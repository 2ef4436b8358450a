//! Batches with both kinds of rows in each.
//!
//! PU objectives need positives and unlabeled rows in every batch, so the two are shuffled by streams of their own and
//! drawn separately. The rows of an epoch are spread evenly over its batches (sizes differ by at most one), so there
//! is no tiny last batch with a wild gradient. Known negatives, where there are any, have a share of every batch too.

use crate::NetError;
use onesided_data::{DataError, Stream};
use serde::{Deserialize, Serialize};

/// How many positives a batch has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// The share that positives have in the data. An epoch visits every row once; only where there are fewer positives
    /// (or unlabeled rows) than batches are they repeated, so that each batch has one.
    Proportional,
    /// At least this share of the batch. An epoch visits every unlabeled row once and repeats positives as needed.
    AtLeast(f64),
}

/// Row numbers of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRows<'a> {
    /// Rows of positives.
    pub positive: &'a [u32],
    /// Rows of unlabeled examples.
    pub unlabeled: &'a [u32],
    /// Rows of known negatives.
    pub negative: &'a [u32],
}

/// Hands out the rows of a data set, epoch by epoch.
#[derive(Clone, Debug)]
pub struct BatchSampler {
    positive: Side,
    unlabeled: Side,
    negative: Side,
    batches: usize,
    streams: SamplerState,
    /// How many positives and unlabeled rows each batch of the epoch has.
    shapes: Vec<(usize, usize)>,
}

/// What a checkpoint must hold to continue with the same batches: take it after an epoch, restore it before the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplerState {
    positive: Stream,
    unlabeled: Stream,
    shapes: Stream,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    negative: Option<Stream>,
}

/// One kind of rows.
#[derive(Clone, Debug)]
struct Side {
    rows: Vec<u32>,
    /// How many are handed out in an epoch; more than there are rows means repeating.
    dealt: usize,
    order: Vec<u32>,
}

/// Known negatives have at least this share of a batch, which repeats them, and at most the other, which leaves some of
/// them to later epochs: their mean is a term of its own, so what they weigh does not depend on it.
const SHARE_OF_NEGATIVES: [f64; 2] = [1.0 / 16.0, 0.25];

impl BatchSampler {
    /// A sampler for batches of at most `batch` rows. `stream` seeds the shuffles.
    pub fn new(
        positives: Vec<u32>,
        unlabeled: Vec<u32>,
        batch: usize,
        mix: Mix,
        mut stream: Stream,
    ) -> Result<Self, NetError> {
        let (n_p, n_u) = (positives.len(), unlabeled.len());
        if n_p == 0 {
            return Err(DataError::NoPositives { column: "batch sampler".to_string(), rows: n_u }.into());
        }
        if n_u == 0 {
            return Err(DataError::NoUnlabeled { column: "batch sampler".to_string(), rows: n_p }.into());
        }
        if batch < 2 {
            return Err(NetError::BatchTooSmall { batch, positive: 1 });
        }
        Self::build((positives, unlabeled, Vec::new()), (batch, 0), mix, &mut stream)
    }

    /// [`new`](Self::new) with known negatives, some of which are in every batch.
    pub fn with_negatives(
        positives: Vec<u32>,
        unlabeled: Vec<u32>,
        negatives: Vec<u32>,
        batch: usize,
        mix: Mix,
        mut stream: Stream,
    ) -> Result<Self, NetError> {
        if negatives.is_empty() || positives.is_empty() || unlabeled.is_empty() || batch < 2 {
            return Self::new(positives, unlabeled, batch, mix, stream);
        }
        let all = (positives.len() + unlabeled.len() + negatives.len()) as f64;
        let [least, most] = SHARE_OF_NEGATIVES;
        let share = (negatives.len() as f64 / all).clamp(least, most);
        let of_batch = ((share * batch as f64).round() as usize).max(1);
        if batch < of_batch + 2 {
            return Err(NetError::BatchTooSmall { batch, positive: 1 });
        }
        let rows = (positives, unlabeled, negatives);
        Self::build(rows, (batch - of_batch, of_batch), mix, &mut stream)
    }

    fn build(
        (positives, unlabeled, negatives): (Vec<u32>, Vec<u32>, Vec<u32>),
        (batch, of_negatives): (usize, usize),
        mix: Mix,
        stream: &mut Stream,
    ) -> Result<Self, NetError> {
        let plan = Plan::new(positives.len(), unlabeled.len(), batch, mix)?;
        let side = |rows, dealt| Side { rows, dealt, order: Vec::new() };
        let has_negatives = !negatives.is_empty();
        let mut derived = |name| Stream::new(stream.next_u64(), name);
        Ok(Self {
            positive: side(positives, plan.positive),
            unlabeled: side(unlabeled, plan.unlabeled),
            negative: side(negatives, of_negatives * plan.batches),
            batches: plan.batches,
            streams: SamplerState {
                positive: derived("positive"),
                unlabeled: derived("unlabeled"),
                shapes: derived("shapes"),
                negative: has_negatives.then(|| derived("negative")),
            },
            shapes: Vec::new(),
        })
    }

    /// Shuffles, and returns the batches of the new epoch.
    pub fn next_epoch(&mut self) -> Batches<'_> {
        self.positive.shuffle(&mut self.streams.positive);
        self.unlabeled.shuffle(&mut self.streams.unlabeled);
        if let Some(stream) = &mut self.streams.negative {
            self.negative.shuffle(stream);
        }
        // Batches with one more positive are not the batches with one more unlabeled row, as far as that is possible:
        // the former are counted from the front and the latter from the back. Then they are mixed.
        let batches = self.batches;
        let share = |dealt: usize, at: usize| dealt / batches + usize::from(at < dealt % batches);
        self.shapes.clear();
        self.shapes.extend(
            (0..batches)
                .map(|b| (share(self.positive.dealt, b), share(self.unlabeled.dealt, batches - 1 - b))),
        );
        self.streams.shapes.shuffle(&mut self.shapes);
        self.batches()
    }

    /// The batches of the current epoch once more; none before the first epoch.
    pub fn batches(&self) -> Batches<'_> {
        Batches {
            shapes: self.shapes.iter(),
            positive: self.positive.order.as_slice(),
            unlabeled: self.unlabeled.order.as_slice(),
            negative: self.negative.order.as_slice(),
            of_negatives: self.negative.dealt / self.batches,
        }
    }

    /// How many batches an epoch has.
    pub fn batches_per_epoch(&self) -> usize {
        self.batches
    }

    /// The state of the streams, for a checkpoint between epochs.
    pub fn state(&self) -> SamplerState {
        self.streams.clone()
    }

    /// Continues from a checkpoint: the next epoch is the one that would have followed it.
    pub fn restore(&mut self, state: SamplerState) {
        self.streams = state;
    }
}

impl Side {
    /// A new order. It starts from the rows as they were given, so that it depends on the stream alone.
    fn shuffle(&mut self, stream: &mut Stream) {
        self.order.clear();
        while self.order.len() < self.dealt {
            let start = self.order.len();
            self.order.extend_from_slice(&self.rows);
            stream.shuffle(&mut self.order[start..]);
        }
        self.order.truncate(self.dealt);
    }
}

/// How many batches an epoch has, and how many rows of each kind it hands out.
struct Plan {
    batches: usize,
    positive: usize,
    unlabeled: usize,
}

impl Plan {
    fn new(n_p: usize, n_u: usize, batch: usize, mix: Mix) -> Result<Self, NetError> {
        if let Mix::AtLeast(floor) = mix {
            if !(floor > 0.0 && floor < 1.0) {
                let (what, range) = ("share of positives in a batch", "(0, 1)");
                return Err(DataError::Fraction { what, range, value: floor }.into());
            }
            // A data set that is richer in positives than the floor needs no help.
            if (n_p as f64) < floor * (n_p + n_u) as f64 {
                let positive = (floor * batch as f64).ceil() as usize;
                if positive >= batch {
                    return Err(NetError::BatchTooSmall { batch, positive });
                }
                let batches = n_u.div_ceil(batch - positive);
                return Ok(Self { batches, positive: positive * batches, unlabeled: n_u });
            }
        }
        // Each batch has one of either kind; repeating rows to that end may take more batches in turn.
        let mut batches = (n_p + n_u).div_ceil(batch);
        loop {
            let (positive, unlabeled) = (n_p.max(batches), n_u.max(batches));
            let needed = (positive + unlabeled).div_ceil(batch);
            if needed <= batches {
                return Ok(Self { batches, positive, unlabeled });
            }
            batches = needed;
        }
    }
}

/// The batches of an epoch.
#[derive(Clone, Debug)]
pub struct Batches<'a> {
    shapes: std::slice::Iter<'a, (usize, usize)>,
    positive: &'a [u32],
    unlabeled: &'a [u32],
    negative: &'a [u32],
    of_negatives: usize,
}

impl<'a> Iterator for Batches<'a> {
    type Item = BatchRows<'a>;

    fn next(&mut self) -> Option<BatchRows<'a>> {
        let &(p, u) = self.shapes.next()?;
        let (positive, unlabeled, negative);
        (positive, self.positive) = self.positive.split_at(p);
        (unlabeled, self.unlabeled) = self.unlabeled.split_at(u);
        (negative, self.negative) = self.negative.split_at(self.of_negatives);
        Some(BatchRows { positive, unlabeled, negative })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.shapes.size_hint()
    }
}

impl ExactSizeIterator for Batches<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(n_p: u32, n_u: u32, batch: usize, mix: Mix) -> BatchSampler {
        let (positives, unlabeled) = ((0..n_p).collect(), (n_p..n_p + n_u).collect());
        BatchSampler::new(positives, unlabeled, batch, mix, Stream::new(1, "batches")).unwrap()
    }

    #[test]
    fn negatives_are_in_every_batch_and_change_no_other_row() {
        let (positives, unlabeled): (Vec<u32>, Vec<u32>) = ((0..40).collect(), (40..1000).collect());
        let negatives: Vec<u32> = (1000..1010).collect();
        let mix = Mix::AtLeast(0.1);
        let stream = || Stream::new(1, "batches");
        let mut with =
            BatchSampler::with_negatives(positives.clone(), unlabeled.clone(), negatives, 160, mix, stream())
                .unwrap();
        // A sixteenth of 160 rows are 10 negatives; the other 150 are handed out as without them.
        let mut without = BatchSampler::new(positives, unlabeled, 150, mix, stream()).unwrap();
        for (a, b) in with.next_epoch().zip(without.next_epoch()) {
            assert_eq!((a.positive, a.unlabeled), (b.positive, b.unlabeled));
            let mut seen = a.negative.to_vec();
            seen.sort_unstable();
            assert_eq!(seen, (1000..1010).collect::<Vec<u32>>());
            assert!(b.negative.is_empty());
        }
        // Many negatives have a quarter of a batch, others in every epoch.
        let many = (1000..9000).collect();
        let mut many =
            BatchSampler::with_negatives((0..40).collect(), (40..1000).collect(), many, 160, mix, stream())
                .unwrap();
        assert!(many.next_epoch().all(|batch| batch.negative.len() == 40));
        let first: Vec<u32> = many.batches().flat_map(|batch| batch.negative.to_vec()).collect();
        let second: Vec<u32> = many.next_epoch().flat_map(|batch| batch.negative.to_vec()).collect();
        assert_ne!(first, second);
    }

    /// Rows of each kind in the order of the epoch, and the shapes of its batches.
    fn epoch(sampler: &mut BatchSampler) -> (Vec<u32>, Vec<u32>, Vec<(usize, usize)>) {
        let (mut p, mut u, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for batch in sampler.next_epoch() {
            p.extend_from_slice(batch.positive);
            u.extend_from_slice(batch.unlabeled);
            shapes.push((batch.positive.len(), batch.unlabeled.len()));
        }
        (p, u, shapes)
    }

    fn sorted(mut rows: Vec<u32>) -> Vec<u32> {
        rows.sort_unstable();
        rows
    }

    #[test]
    fn every_row_once_an_epoch_in_even_batches() {
        for (n_p, n_u, batch) in
            [(300, 700, 128), (24, 26, 8), (501, 499, 7), (150, 130, 100), (3, 3, 512), (90, 78, 3)]
        {
            let mut sampler = sampler(n_p, n_u, batch, Mix::Proportional);
            for _ in 0..3 {
                let (p, u, shapes) = epoch(&mut sampler);
                assert_eq!(sorted(p), (0..n_p).collect::<Vec<_>>());
                assert_eq!(sorted(u), (n_p..n_p + n_u).collect::<Vec<_>>());
                assert_eq!(shapes.len(), ((n_p + n_u) as usize).div_ceil(batch));
                let sizes: Vec<usize> = shapes.iter().map(|(p, u)| p + u).collect();
                let (least, most) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
                assert!(most <= batch && most - least <= 1, "sizes {least} to {most} for batches of {batch}");
                for (kind, count) in [(0, n_p), (1, n_u)] {
                    let exact = f64::from(count) / shapes.len() as f64;
                    let got = |shape: &(usize, usize)| if kind == 0 { shape.0 } else { shape.1 } as f64;
                    assert!(shapes.iter().all(|shape| (got(shape) - exact).abs() < 1.0), "{shapes:?}");
                }
            }
        }
    }

    #[test]
    fn scarce_rows_are_repeated_so_that_each_batch_has_one() {
        for (n_p, n_u) in [(3, 1000), (1000, 3), (1, 64)] {
            let mut sampler = sampler(n_p, n_u, 32, Mix::Proportional);
            let (p, u, shapes) = epoch(&mut sampler);
            assert!(shapes.iter().all(|&(p, u)| p >= 1 && u >= 1 && p + u <= 32), "{shapes:?}");
            let (scarce, count, rich) = if n_p < n_u { (p, n_p, u) } else { (u, n_u, p) };
            assert_eq!(scarce.len(), shapes.len());
            // Repeated evenly: numbers of visits differ by at most one.
            let visits = |row| scarce.iter().filter(|&&r| r % 1000 == row).count();
            let times: Vec<usize> = (0..count).map(visits).collect();
            assert!(times.iter().max().unwrap() - times.iter().min().unwrap() <= 1, "{times:?}");
            assert_eq!(rich.len() as u32, n_p.max(n_u));
        }
    }

    #[test]
    fn a_floor_on_the_share_of_positives() {
        let mut rich = sampler(50, 2000, 64, Mix::AtLeast(0.25));
        let (p, u, shapes) = epoch(&mut rich);
        assert_eq!(sorted(u), (50..2050).collect::<Vec<_>>());
        // 16 positives per batch leave 48 places: 2000 unlabeled rows fill 42 batches.
        assert_eq!(shapes.len(), 42);
        assert!(shapes.iter().all(|&(p, u)| p == 16 && p + u <= 64 && (47..=48).contains(&u)), "{shapes:?}");
        assert_eq!(p.len(), 16 * 42);
        // Already above the floor: nothing is repeated.
        let (p, _, _) = epoch(&mut sampler(500, 500, 64, Mix::AtLeast(0.25)));
        assert_eq!(p.len(), 500);
    }

    #[test]
    fn resuming_gives_the_same_batches() {
        let mut whole = sampler(37, 411, 32, Mix::AtLeast(0.2));
        epoch(&mut whole);
        epoch(&mut whole);
        let stored = serde_json::to_string(&whole.state()).unwrap();
        let third = epoch(&mut whole);
        let mut resumed = sampler(37, 411, 32, Mix::AtLeast(0.2));
        resumed.restore(serde_json::from_str(&stored).unwrap());
        assert_eq!(epoch(&mut resumed), third);
        assert_ne!(epoch(&mut resumed), third);
    }

    #[test]
    fn the_current_epoch_can_be_seen_again() {
        let mut sampler = sampler(10, 20, 8, Mix::Proportional);
        assert_eq!(sampler.batches().count(), 0);
        let first: Vec<Vec<u32>> = sampler.next_epoch().map(|batch| batch.unlabeled.to_vec()).collect();
        let again: Vec<Vec<u32>> = sampler.batches().map(|batch| batch.unlabeled.to_vec()).collect();
        assert_eq!(first, again);
        assert_eq!(sampler.batches().len(), sampler.batches_per_epoch());
    }

    #[test]
    fn impossible_requests_are_refused() {
        let message = |p: Vec<u32>, u: Vec<u32>, batch, mix| {
            BatchSampler::new(p, u, batch, mix, Stream::new(0, "x")).unwrap_err().to_string()
        };
        let plain = Mix::Proportional;
        assert!(message(vec![], vec![1], 8, plain).contains("no positives"));
        assert!(message(vec![1], vec![], 8, plain).contains("none is unlabeled"));
        assert!(message(vec![1], vec![2], 1, plain).contains("a batch of 1"));
        assert!(message(vec![1], vec![2, 3], 2, Mix::AtLeast(0.9)).contains("at least 2 positives"));
        assert!(message(vec![1], vec![2, 3], 2, Mix::AtLeast(1.5)).contains("but is 1.5"));
    }
}
