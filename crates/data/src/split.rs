//! Random splits: hiding positives of labeled data, and holding rows out.
//!
//! Every split is a function of its seed. Strata are drawn separately, so that shares are kept to the row; index lists
//! come out in ascending order.

use crate::label::check_both;
use crate::{DataError, Label, Stream};

/// Rows to train on, and rows held out of training.
pub type Split = (Vec<usize>, Vec<usize>);

/// Makes PU data of fully labeled data: `hidden_fraction` of the positives (rounded to the row) go to the unlabeled
/// rows, where all negatives are.
///
/// Which ones is left to chance alone (SCAR: labeled positives are a random subset of the positives), and the result is
/// a single sample in the sense of [`Scenario::SingleSample`](crate::Scenario::SingleSample).
pub fn hide(truth: &[bool], hidden_fraction: f64, seed: u64) -> Result<Vec<Label>, DataError> {
    if !(0.0..1.0).contains(&hidden_fraction) {
        let (what, range) = ("hidden fraction", "[0, 1)");
        return Err(DataError::Fraction { what, range, value: hidden_fraction });
    }
    let mut positives: Vec<usize> = (0..truth.len()).filter(|&i| truth[i]).collect();
    let hidden = (hidden_fraction * positives.len() as f64).round() as usize;
    Stream::new(seed, "hide").shuffle(&mut positives);
    let mut labels = vec![Label::Unlabeled; truth.len()];
    positives[hidden..].iter().for_each(|&i| labels[i] = Label::Positive);
    check_both(&labels, "after hiding")?;
    Ok(labels)
}

/// Makes PU data of fully labeled data: `count` of the positives are labeled, and all other rows are unlabeled. Which ones is
/// left to chance alone, as with [`hide`].
pub fn label_some(truth: &[bool], count: usize, seed: u64) -> Result<Vec<Label>, DataError> {
    let mut positives: Vec<usize> = (0..truth.len()).filter(|&row| truth[row]).collect();
    Stream::new(seed, "labels").shuffle(&mut positives);
    let mut labels = vec![Label::Unlabeled; truth.len()];
    positives.into_iter().take(count).for_each(|row| labels[row] = Label::Positive);
    check_both(&labels, "after labeling")?;
    Ok(labels)
}

/// Holds out `fraction` of the positives and `fraction` of the unlabeled rows, at least one of each on both sides, and
/// `fraction` of the known negatives. Returns the rows to train on and the rows held out.
pub fn stratified_holdout(labels: &[Label], fraction: f64, seed: u64) -> Result<Split, DataError> {
    let known: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] != Label::Negative).collect();
    let is_positive = |i: usize| labels[known[i]] == Label::Positive;
    let names = ["positives", "unlabeled rows"];
    let mut stream = Stream::new(seed, "holdout");
    let (kept, held) =
        two_strata(known.len(), is_positive, "held-out fraction", fraction, names, &mut stream)?;
    let of = |places: Vec<usize>| places.into_iter().map(|place| known[place]).collect::<Vec<usize>>();
    let (mut kept, mut held) = (of(kept), of(held));
    // Known negatives come last, so that the others are drawn as if there were none. A single one is learned from.
    let mut negatives: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == Label::Negative).collect();
    stream.shuffle(&mut negatives);
    let out = (fraction * negatives.len() as f64).round() as usize;
    held.extend(negatives.drain(..out.min(negatives.len().saturating_sub(1))));
    kept.extend(negatives);
    kept.sort_unstable();
    held.sort_unstable();
    Ok((kept, held))
}

/// Splits the positives and the unlabeled rows into `folds` parts of nearly equal size, and returns for each part the
/// rows to train on (all others) and the part itself. There must be a positive and an unlabeled row for every part; known
/// negatives are split as far as they go.
pub fn stratified_folds(labels: &[Label], folds: usize, seed: u64) -> Result<Vec<Split>, DataError> {
    first_folds(labels, folds, folds, seed)
}

/// The first `many` of [`stratified_folds`]: of a long table, the lists of all of them take 8 bytes per row and fold.
pub fn first_folds(labels: &[Label], folds: usize, many: usize, seed: u64) -> Result<Vec<Split>, DataError> {
    let mut stream = Stream::new(seed, "folds");
    let mut fold_of = vec![0u32; labels.len()];
    for (label, what) in [(Label::Positive, "positives"), (Label::Unlabeled, "unlabeled rows")] {
        let mut rows: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == label).collect();
        if folds < 2 || rows.len() < folds {
            return Err(DataError::TooFew { what, count: rows.len() });
        }
        stream.shuffle(&mut rows);
        rows.iter().enumerate().for_each(|(place, &row)| fold_of[row] = (place % folds) as u32);
    }
    // Known negatives come last, so that the others are split as if there were none.
    let mut negatives: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == Label::Negative).collect();
    stream.shuffle(&mut negatives);
    negatives.iter().enumerate().for_each(|(place, &row)| fold_of[row] = (place % folds) as u32);
    let one = |fold: usize| (0..labels.len()).partition(|&row| fold_of[row] as usize != fold);
    Ok((0..folds.min(many)).map(one).collect())
}

/// Splits fully labeled data for training and testing, each class by `test_fraction`, at least one of each on both
/// sides. Returns the rows to train on and the rows to test on.
pub fn train_test(truth: &[bool], test_fraction: f64, seed: u64) -> Result<Split, DataError> {
    let names = ["positives", "negatives"];
    two_strata(
        truth.len(),
        |i| truth[i],
        "test fraction",
        test_fraction,
        names,
        &mut Stream::new(seed, "train-test"),
    )
}

fn two_strata(
    rows: usize,
    in_first: impl Fn(usize) -> bool,
    what: &'static str,
    fraction: f64,
    names: [&'static str; 2],
    stream: &mut Stream,
) -> Result<Split, DataError> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(DataError::Fraction { what, range: "(0, 1)", value: fraction });
    }
    let (first, second) = (0..rows).partition::<Vec<usize>, _>(|&i| in_first(i));
    let (mut kept, mut held) = (Vec::new(), Vec::new());
    for (mut stratum, what) in [first, second].into_iter().zip(names) {
        if stratum.len() < 2 {
            return Err(DataError::TooFew { what, count: stratum.len() });
        }
        stream.shuffle(&mut stratum);
        let out = ((fraction * stratum.len() as f64).round() as usize).clamp(1, stratum.len() - 1);
        held.extend_from_slice(&stratum[..out]);
        kept.extend_from_slice(&stratum[out..]);
    }
    kept.sort_unstable();
    held.sort_unstable();
    Ok((kept, held))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_hold_every_row_once_and_both_kinds() {
        let labels: Vec<Label> =
            (0..103).map(|i| if i % 4 == 0 { Label::Positive } else { Label::Unlabeled }).collect();
        let folds = stratified_folds(&labels, 5, 9).unwrap();
        let mut seen: Vec<usize> = folds.iter().flat_map(|(_, held)| held.clone()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..103).collect::<Vec<_>>());
        for (kept, held) in &folds {
            assert_eq!(kept.len() + held.len(), 103);
            assert!(held.iter().all(|row| !kept.contains(row)));
            let positives = held.iter().filter(|&&row| labels[row] == Label::Positive).count();
            assert!((5..=6).contains(&positives), "26 positives in 5 parts, {positives} here");
        }
        assert!(stratified_folds(&labels[..10], 5, 9).is_err());
    }

    #[test]
    fn hiding_is_exact_and_touches_positives_only() {
        let truth: Vec<bool> = (0..1000).map(|i| i % 3 == 0).collect(); // 334 positives
        for (fraction, hidden) in [(0.0, 0), (0.2, 67), (0.5, 167), (0.8, 267)] {
            let labels = hide(&truth, fraction, 1).unwrap();
            let labeled = labels.iter().filter(|&&label| label == Label::Positive).count();
            assert_eq!(labeled, 334 - hidden, "{fraction}");
            assert!(labels.iter().zip(&truth).all(|(label, &t)| t || *label == Label::Unlabeled));
        }
        assert_eq!(hide(&truth, 0.2, 1).unwrap(), hide(&truth, 0.2, 1).unwrap());
        assert_ne!(hide(&truth, 0.2, 1).unwrap(), hide(&truth, 0.2, 2).unwrap());
    }

    #[test]
    fn labels_are_as_many_as_asked_for_and_on_positives_only() {
        let truth: Vec<bool> = (0..1000).map(|i| i % 3 == 0).collect();
        for count in [1, 20, 334] {
            let labels = label_some(&truth, count, 1).unwrap();
            assert_eq!(labels.iter().filter(|&&label| label == Label::Positive).count(), count);
            assert!(labels.iter().zip(&truth).all(|(label, &t)| t || *label == Label::Unlabeled));
        }
        assert_ne!(label_some(&truth, 20, 1).unwrap(), label_some(&truth, 20, 2).unwrap());
        assert!(label_some(&truth, 0, 1).is_err());
        // No more labels than positives.
        assert_eq!(label_some(&truth, 335, 1).unwrap(), label_some(&truth, 334, 1).unwrap());
    }

    #[test]
    fn every_positive_is_as_likely_to_be_hidden() {
        let truth = [true, true, true, true, false];
        let mut hidden = [0usize; 4];
        for seed in 0..4000 {
            let labels = hide(&truth, 0.25, seed).unwrap();
            (0..4).filter(|&i| labels[i] == Label::Unlabeled).for_each(|i| hidden[i] += 1);
        }
        // Binomial(4000, 1/4): standard deviation 27.
        assert!(hidden.iter().all(|&count| count.abs_diff(1000) < 120), "{hidden:?}");
    }

    #[test]
    fn hiding_refuses_what_leaves_one_kind() {
        let message = |truth: &[bool], fraction| hide(truth, fraction, 0).unwrap_err().to_string();
        assert_eq!(message(&[true, false], 1.0), "the hidden fraction must lie in [0, 1), but is 1");
        assert!(message(&[true, false], f64::NAN).contains("NaN"));
        assert!(message(&[true, false], 0.9).contains("no positives among 2 rows"));
        assert!(message(&[true, true], 0.0).contains("none is unlabeled"));
    }

    #[test]
    fn holdouts_keep_the_shares_and_lose_no_row() {
        let labels: Vec<Label> =
            (0..1000).map(|i| if i < 100 { Label::Positive } else { Label::Unlabeled }).collect();
        let (train, held) = stratified_holdout(&labels, 0.2, 5).unwrap();
        let positives = |rows: &[usize]| rows.iter().filter(|&&i| labels[i] == Label::Positive).count();
        assert_eq!((positives(&train), train.len(), positives(&held), held.len()), (80, 800, 20, 200));
        let mut all = [train, held].concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn both_sides_get_at_least_one_of_each() {
        let truth = [true, true, false, false, false];
        for fraction in [0.01, 0.99] {
            let (train, test) = train_test(&truth, fraction, 0).unwrap();
            for side in [train, test] {
                assert!(side.iter().any(|&i| truth[i]) && side.iter().any(|&i| !truth[i]), "{side:?}");
            }
        }
        let error = train_test(&[true, false, false], 0.5, 0).unwrap_err().to_string();
        assert_eq!(error, "1 positive cannot be split in two; at least 2 are needed");
        assert!(train_test(&truth, 0.0, 0).is_err() && train_test(&truth, 1.0, 0).is_err());
    }
}
