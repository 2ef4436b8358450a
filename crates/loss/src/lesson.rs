//! What a student learns from a teacher: targets for unlabeled rows, and the loss against them.
//!
//! The teacher is an earlier or averaged form of the same model (Tarvainen and Valpola, 2017), and scores an easy view of a
//! row; the student must give a hard view of it the same answer where the teacher is sure (Sohn et al., 2020, for known
//! classes). Two things are particular to positive and unlabeled rows. The mean of the teacher's probabilities over U must
//! be μ, so one number b is added to its logits that makes it so, averaged over batches; and rows known to be positive take
//! part with their label. With q = σ(f_teacher + b), sure rows S = {q > c or q < 1 - c} and t = [q > 1/2]:
//!
//! L = Σ_{S} w BCE(f, t) / Σ_U w + μ/2 · mean_P softplus(-f)
//!
//! where f are the student's logits of hard views. The slopes are (σ(f) - t) w / Σ_U w on S, 0 on the rest of U and
//! -μ/2 · σ(-f) w / Σ_P w on P. Two parts can be taken away, to see what they do: [`Lesson::unaligned`] leaves b at 0, and
//! [`Lesson::soft`] has S = U and t = q.

use crate::part::Part;
use crate::sigmoid::{sigmoid, sigmoid_pair, softplus};

/// How much of the shift stays from batch to batch.
const KEPT: f64 = 0.98;
/// The shift is found when the mean is this close to μ.
const CLOSE: f64 = 1e-6;
/// Halvings of the bracket that are enough for any scores.
const MOST_STEPS: usize = 60;

/// A teacher's answers about the unlabeled rows of a batch, and the shift that keeps their mean at μ.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    share: f64,
    confidence: f64,
    is_aligned: bool,
    is_soft: bool,
    shift: Option<f64>,
    targets: Vec<Option<f64>>,
}

impl Lesson {
    /// A lesson for unlabeled rows of which `share` are positive; an answer counts from the probability `confidence` on.
    pub fn new(share: f64, confidence: f64) -> Self {
        Self { share, confidence, is_aligned: true, is_soft: false, shift: None, targets: Vec::new() }
    }

    /// The same with the teacher's logits taken as they are.
    #[must_use]
    pub fn unaligned(self) -> Self {
        Self { is_aligned: false, ..self }
    }

    /// The same with the teacher's probabilities as targets, of every row.
    #[must_use]
    pub fn soft(self) -> Self {
        Self { is_soft: true, ..self }
    }

    /// The shift of the teacher's logits; nothing before the first batch.
    pub fn shift(&self) -> Option<f64> {
        self.shift
    }

    /// Continues from the shift of an earlier run.
    pub fn restore(&mut self, shift: Option<f64>) {
        self.shift = shift;
    }

    /// Takes the teacher's logits of the unlabeled rows of a batch.
    pub fn take(&mut self, teacher: Part) {
        self.targets.clear();
        if teacher.is_empty() {
            return;
        }
        let now = if self.is_aligned { aligned(teacher, self.share) } else { 0.0 };
        let shift = self.shift.map_or(now, |before| KEPT * before + (1.0 - KEPT) * now);
        self.shift = Some(shift);
        let (confidence, is_soft) = (self.confidence, self.is_soft);
        self.targets.extend(teacher.scores().iter().map(|&score| match sigmoid(f64::from(score) + shift) {
            q if is_soft => Some(q),
            q if q > confidence => Some(1.0),
            q if q < 1.0 - confidence => Some(0.0),
            _ => None,
        }));
    }

    /// The probability that each unlabeled row of the batch should have; nothing where the teacher is not sure.
    pub fn targets(&self) -> &[Option<f64>] {
        &self.targets
    }

    /// The loss of the student's logits, and its slopes times `weight`, which are written over the gradients.
    ///
    /// # Panics
    ///
    /// If there are not as many unlabeled rows as the teacher scored, or a gradient has another length than its scores.
    pub fn evaluate(
        &self,
        positive: Part,
        unlabeled: Part,
        weight: f64,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        assert_eq!(unlabeled.scores().len(), self.targets.len(), "one answer for each unlabeled row");
        assert_eq!((grad_p.len(), grad_u.len()), (positive.scores().len(), unlabeled.scores().len()));
        let mut loss = 0.0;
        let total = unlabeled.total();
        for (((f, w), target), slope) in unlabeled.iter().zip(&self.targets).zip(grad_u) {
            let (value, grade) = target.map_or((0.0, 0.0), |t| {
                let (q, rest) = sigmoid_pair(f);
                (t * softplus(-f) + (1.0 - t) * softplus(f), (1.0 - t) * q - t * rest)
            });
            loss += w * value / total;
            *slope = (weight * w * grade / total) as f32;
        }
        let (half, total) = (self.share / 2.0, positive.total());
        for ((f, w), slope) in positive.iter().zip(grad_p) {
            loss += half * w * softplus(-f) / total;
            *slope = (-weight * half * w * sigmoid_pair(f).1 / total) as f32;
        }
        weight * loss
    }
}

/// The b for which the weighted mean of σ(f + b) is `share`: Newton's steps inside a bracket that each step narrows.
pub(crate) fn aligned(scores: Part, share: f64) -> f64 {
    let want = (share / (1.0 - share)).ln();
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for (f, _) in scores.iter() {
        (least, most) = (least.min(f), most.max(f));
    }
    // Were all scores the lowest, this much would be needed, and it is too much for the others.
    let (mut low, mut high) = (want - most, want - least);
    let total = scores.total();
    let mut b = 0.5 * (low + high);
    for _ in 0..MOST_STEPS {
        let (mut mean, mut slope) = (0.0, 0.0);
        for (f, w) in scores.iter() {
            let (q, rest) = sigmoid_pair(f + b);
            mean += w * q / total;
            slope += w * q * rest / total;
        }
        if (mean - share).abs() < CLOSE {
            break;
        }
        *(if mean < share { &mut low } else { &mut high }) = b;
        let newton = b - (mean - share) / slope;
        b = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(scores: &[f32], shift: f64) -> f64 {
        scores.iter().map(|&f| sigmoid(f64::from(f) + shift)).sum::<f64>() / scores.len() as f64
    }

    #[test]
    fn the_shift_brings_the_mean_to_the_share_whatever_the_scores() {
        let mixed: Vec<f32> = (0..100).map(|i| (i as f32 - 60.0) / 7.0).collect();
        let saturated: Vec<f32> = (0..100).map(|i| if i < 90 { -80.0 } else { 75.0 }).collect();
        for (scores, share) in [(&mixed, 0.1), (&mixed, 0.9), (&saturated, 0.1005), (&saturated, 0.5)] {
            let b = aligned(scores.as_slice().into(), share);
            assert!((mean(scores, b) - share).abs() < 1e-5, "{share}: {}", mean(scores, b));
        }
        // All the same: b is the difference of two logits.
        let b = aligned([1.5f32; 7].as_slice().into(), 0.25);
        assert!((b - ((1.0f64 / 3.0).ln() - 1.5)).abs() < 1e-5, "{b}");
        // A weight of 2 is a row twice.
        let twice = aligned([0.0f32, 0.0, 3.0].as_slice().into(), 0.4);
        let weighted = aligned(Part::new(&[0.0, 3.0], Some(&[2.0, 1.0])), 0.4);
        assert!((twice - weighted).abs() < 1e-5);
    }

    #[test]
    fn shifts_are_averaged_and_only_sure_rows_have_targets() {
        let mut lesson = Lesson::new(0.5, 0.95);
        lesson.take([-4.0f32, 4.0, -1.0, 1.0].as_slice().into());
        assert!(lesson.shift().unwrap().abs() < 1e-5);
        assert_eq!(lesson.targets(), [Some(0.0), Some(1.0), None, None]);
        // All scores 5 higher need a shift of -5, of which a fiftieth is taken.
        lesson.take([1.0f32, 9.0, 4.0, 6.0].as_slice().into());
        assert!((lesson.shift().unwrap() + 0.1).abs() < 1e-5);
        assert_eq!(lesson.targets(), [None, Some(1.0), Some(1.0), Some(1.0)]);
        let mut again = Lesson::new(0.5, 0.95);
        again.restore(Some(0.0));
        again.take([1.0f32, 9.0, 4.0, 6.0].as_slice().into());
        assert!((again.shift().unwrap() - lesson.shift().unwrap()).abs() < 1e-5);
    }

    #[test]
    fn parts_can_be_taken_away() {
        let teacher = [-3.0f32, 0.0, 5.0];
        let mut plain = Lesson::new(0.1, 0.95).unaligned();
        plain.take(teacher.as_slice().into());
        assert_eq!((plain.shift(), plain.targets()), (Some(0.0), [Some(0.0), None, Some(1.0)].as_slice()));
        let mut soft = Lesson::new(0.1, 0.95).unaligned().soft();
        soft.take(teacher.as_slice().into());
        let expected = teacher.map(|f| 1.0 / (1.0 + f64::from(-f).exp()));
        for (target, expected) in soft.targets().iter().zip(expected) {
            assert!((target.unwrap() - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn slopes_are_finite_differences_and_values_are_worked_out_by_hand() {
        let mut soft = Lesson::new(0.4, 0.9).soft();
        soft.restore(Some(0.0));
        soft.take([-1.0f32, 2.0, 0.2, -0.3].as_slice().into());
        slopes_are_finite_differences(&soft);
        let mut lesson = Lesson::new(0.4, 0.9);
        lesson.restore(Some(0.0));
        lesson.take([-5.0f32, 5.0, 0.2, -6.0].as_slice().into());
        let (value, grad_u) = slopes_are_finite_differences(&lesson);
        // 2 [(.5 sp(.3) + 1 sp(.4) + 1.5 sp(1.1)) / 5 + .2 (sp(-.7) + 3 sp(1.2)) / 4].
        let sp = |x: f64| x.exp().ln_1p();
        let by_hand =
            2.0 * ((0.5 * sp(0.3) + sp(0.4) + 1.5 * sp(1.1)) / 5.0 + 0.2 * (sp(-0.7) + 3.0 * sp(1.2)) / 4.0);
        assert!((value - by_hand).abs() < 1e-7, "{value} {by_hand}");
        assert_eq!(grad_u[2], 0.0);
    }

    /// The value of two positives and four unlabeled rows and the slopes of the latter, once all slopes are checked.
    fn slopes_are_finite_differences(lesson: &Lesson) -> (f64, [f32; 4]) {
        let (positive, unlabeled) = ([0.7f32, -1.2], [0.3f32, -0.4, 2.0, 1.1]);
        let (wp, wu) = ([1.0f32, 3.0], [0.5f32, 1.0, 2.0, 1.5]);
        let loss = |p: &[f32], u: &[f32]| {
            let (mut a, mut b) = ([0.0; 2], [0.0; 4]);
            lesson.evaluate(Part::new(p, Some(&wp)), Part::new(u, Some(&wu)), 2.0, &mut a, &mut b)
        };
        let (mut grad_p, mut grad_u) = ([9.0; 2], [9.0; 4]);
        let parts = (Part::new(&positive, Some(&wp)), Part::new(&unlabeled, Some(&wu)));
        let value = lesson.evaluate(parts.0, parts.1, 2.0, &mut grad_p, &mut grad_u);
        for i in 0..2 {
            let moved = |by: f32| {
                let mut scores = positive;
                scores[i] += by;
                loss(&scores, &unlabeled)
            };
            let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((slope - f64::from(grad_p[i])).abs() < 1e-4, "{slope} {}", grad_p[i]);
        }
        for i in 0..4 {
            let moved = |by: f32| {
                let mut scores = unlabeled;
                scores[i] += by;
                loss(&positive, &scores)
            };
            let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((slope - f64::from(grad_u[i])).abs() < 1e-4, "{slope} {}", grad_u[i]);
        }
        (value, grad_u)
    }
}
