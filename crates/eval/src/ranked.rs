//! Positives ranked against another sample: AUC and average precision, with ties, on a sample or a resample of it.

use crate::bootstrap::Draw;
use crate::sample::Sample;

/// Positives and the sample they are compared with (negatives or unlabeled rows), each sorted, with the place of
/// every positive among the others worked out once.
pub(crate) struct Ranked {
    /// Scores of the positives, ascending.
    pub(crate) positive: Vec<f32>,
    /// Scores of the others, ascending.
    pub(crate) other: Vec<f32>,
    /// For each positive, how many others score strictly lower, and how many score lower or equal.
    places: Vec<[usize; 2]>,
    /// Weights of either sample, in its order.
    weights: (Option<Vec<f64>>, Option<Vec<f64>>),
}

impl Ranked {
    /// Sorts both samples. The scores must not be NaN.
    pub(crate) fn new(positive: Vec<f32>, other: Vec<f32>) -> Self {
        Self::weighted((&positive).into(), (&other).into())
    }

    /// [`new`](Self::new) with weights.
    pub(crate) fn weighted(positive: Sample, other: Sample) -> Self {
        let ((positive, of_positive), (other, of_other)) = (positive.sorted(), other.sorted());
        let (mut lower, mut not_higher) = (0, 0);
        let places = positive
            .iter()
            .map(|score| {
                lower += other[lower..].iter().take_while(|o| *o < score).count();
                not_higher += other[not_higher..].iter().take_while(|o| *o <= score).count();
                [lower, not_higher]
            })
            .collect();
        Self { positive, other, places, weights: (of_positive, of_other) }
    }

    /// Every member of both samples once.
    pub(crate) fn each_once(&self) -> (Draw, Draw) {
        let (of_positive, of_other) = self.weights.clone();
        (Draw::weighted(self.positive.len(), of_positive), Draw::weighted(self.other.len(), of_other))
    }

    /// The first place in each sorted sample that is predicted positive.
    pub(crate) fn cut(&self, threshold: f64) -> (usize, usize) {
        let place = |sorted: &[f32]| sorted.partition_point(|&score| f64::from(score) < threshold);
        (place(&self.positive), place(&self.other))
    }

    /// The probability that a positive outscores one of the others, ties counting half (Mann and Whitney, 1947).
    /// `None` if either sample is empty.
    pub(crate) fn auc(&self, positive: &Draw, other: &Draw) -> Option<f64> {
        let pairs = positive.total() * other.total();
        // Twice the number of pairs won: a tie is in one of the two counts and a win in both.
        let doubled: f64 = positive
            .counts()
            .zip(&self.places)
            .map(|(count, &[lower, not_higher])| count * (other.below(lower) + other.below(not_higher)))
            .sum();
        (pairs > 0.0).then(|| doubled / (2.0 * pairs))
    }

    /// Average precision Σ (R_k - R_{k-1}) P_k over the distinct scores from the top, without interpolation: the mean
    /// over the positives of the precision at a threshold equal to their own score. `None` without positives.
    pub(crate) fn average_precision(&self, positive: &Draw, other: &Draw) -> Option<f64> {
        let mut start = 0;
        let mut sum = 0.0;
        for (place, count) in positive.counts().enumerate() {
            if self.positive[place] != self.positive[start] {
                start = place;
            }
            if count > 0.0 {
                let hits = positive.from(start);
                sum += count * hits / (hits + other.from(self.places[place][0]));
            }
        }
        (positive.total() > 0.0).then(|| sum / positive.total())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auc(positive: &[f32], other: &[f32]) -> Option<f64> {
        let ranked = Ranked::new(positive.to_vec(), other.to_vec());
        let (p, o) = ranked.each_once();
        ranked.auc(&p, &o)
    }

    #[test]
    fn auc_counts_pairs_and_halves_ties() {
        // 3 beats all three, 2 beats one and ties with one, 1 ties with one: (3 + 1.5 + 0.5) / 9.
        assert_eq!(auc(&[3.0, 1.0, 2.0], &[2.0, 1.0, 2.5]), Some(5.0 / 9.0));
        assert_eq!(auc(&[1.0], &[0.0]), Some(1.0));
        assert_eq!(auc(&[0.0], &[1.0]), Some(0.0));
        assert_eq!(auc(&[-0.0, 0.0], &[0.0, -0.0]), Some(0.5), "the two zeros are one score");
        assert_eq!(auc(&[], &[1.0]), None);
        assert_eq!(auc(&[1.0], &[]), None);
    }

    #[test]
    fn weights_count_like_repeated_scores() {
        let (p, o) = ([3.0, 1.0, 2.0], [2.0, 1.0, 2.5]);
        let weighted = Ranked::weighted(
            Sample { scores: &p, weights: Some(&[1.0, 2.0, 1.0]) },
            Sample { scores: &o, weights: Some(&[3.0, 1.0, 1.0]) },
        );
        let (draw_p, draw_o) = weighted.each_once();
        let repeated = auc(&[3.0, 1.0, 1.0, 2.0], &[2.0, 2.0, 2.0, 1.0, 2.5]);
        assert_eq!(weighted.auc(&draw_p, &draw_o), repeated);
        assert_eq!((draw_p.total(), draw_o.from(1)), (4.0, 4.0));
    }

    #[test]
    fn average_precision_by_hand() {
        // From the top: 4 P, 3 O, 2 P and O, 1 P. Precision there: 1/1; 2/4; 3/5. Each adds a third of the recall.
        let ranked = Ranked::new(vec![4.0, 2.0, 1.0], vec![3.0, 2.0]);
        let (p, o) = ranked.each_once();
        let value = ranked.average_precision(&p, &o).unwrap();
        assert!((value - (1.0 + 0.5 + 0.6) / 3.0).abs() < 1e-15, "{value}");
    }

    #[test]
    fn a_resample_measures_like_the_repeated_scores() {
        let positive: Vec<f32> = (0..40).map(|i| ((i * 7) % 13) as f32).collect();
        let other: Vec<f32> = (0..60).map(|i| ((i * 5) % 11) as f32 - 2.0).collect();
        let ranked = Ranked::new(positive, other);
        let (mut p, mut o) = ranked.each_once();
        let mut stream = onesided_data::Stream::new(1, "bootstrap");
        p.resample(&mut stream);
        o.resample(&mut stream);
        let repeat = |scores: &[f32], draw: &Draw| -> Vec<f32> {
            scores.iter().zip(draw.counts()).flat_map(|(&s, n)| std::iter::repeat_n(s, n as usize)).collect()
        };
        let spelled_out = Ranked::new(repeat(&ranked.positive, &p), repeat(&ranked.other, &o));
        let (once_p, once_o) = spelled_out.each_once();
        assert_eq!(ranked.auc(&p, &o), spelled_out.auc(&once_p, &once_o));
        let (left, right) = (
            ranked.average_precision(&p, &o).unwrap(),
            spelled_out.average_precision(&once_p, &once_o).unwrap(),
        );
        assert!((left - right).abs() < 1e-14, "{left} {right}");
        let (cut_p, cut_o) = ranked.cut(3.0);
        let (spelled_p, spelled_o) = spelled_out.cut(3.0);
        assert_eq!(p.from(cut_p), once_p.from(spelled_p));
        assert_eq!(o.from(cut_o), once_o.from(spelled_o));
    }
}
