//! The way of a sample through training, and which samples are worth following.
//!
//! A track is the score of one row after each epoch; above 0 the row is decided positive. C. Xie, Q. Cheng, L. Chen,
//! J. Liang, Y. Xiao, "Collective Loss Function for Positive and Unlabeled Learning", arXiv 2005.03228, 2020, follow five
//! samples that they picked by eye. Here rules pick them, from the scores of all epochs f₁ … f_T:
//!
//! 1. an easy positive: the labeled positive whose lowest score is highest;
//! 2. a wrong negative: the negative with the highest f_T, which must be above 0;
//! 3. one that moves over: a hidden positive with f₁ ≤ 0 < f_T, of the fewest crossings, then of the largest f_T - f₁;
//! 4. and 5. two that cross back and forth: at least two crossings; hidden positives before negatives, then the most
//!    crossings, then the smallest mean |f|.
//!
//! Among equals the first is taken. A rule that no sample satisfies picks none.

use std::fmt;

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A positive with its label.
    Labeled,
    /// A positive among the unlabeled rows.
    Hidden,
    /// A negative, unlabeled.
    Negative,
}

/// Scores of one row, epoch after epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What the row is.
    pub kind: Kind,
    /// The score after each epoch.
    pub scores: Vec<f32>,
}

/// Why a sample is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A labeled positive that is never in doubt.
    EasyPositive,
    /// A negative that ends as a positive.
    WrongNegative,
    /// A hidden positive that starts among the negatives and ends among the positives.
    MovesOver,
    /// An unlabeled row that changes sides again and again.
    BackAndForth,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::EasyPositive => "never in doubt",
            Rule::WrongNegative => "ends on the wrong side",
            Rule::MovesOver => "moves over",
            Rule::BackAndForth => "goes back and forth",
        })
    }
}

/// How often a score changes sides between one epoch and the next. 0 lies on the negative side, as in every decision.
pub fn crossings(scores: &[f32]) -> usize {
    scores.windows(2).filter(|pair| (pair[0] > 0.0) != (pair[1] > 0.0)).count()
}

/// The samples to follow, by number, with the reason; five at most.
pub fn choose(tracks: &[Track]) -> Vec<(Rule, usize)> {
    let first = |track: &Track| track.scores.first().copied().unwrap_or(f32::NAN);
    let last = |track: &Track| track.scores.last().copied().unwrap_or(f32::NAN);
    let of = |kind: Kind| tracks.iter().enumerate().filter(move |(_, track)| track.kind == kind);
    let lowest = |track: &Track| track.scores.iter().copied().fold(f32::INFINITY, f32::min);
    let mean = |track: &Track| track.scores.iter().map(|score| score.abs()).sum::<f32>();
    let mut chosen: Vec<(Rule, usize)> = Vec::new();

    // `min_by` takes the first among equals.
    let easy = of(Kind::Labeled).min_by(|(_, a), (_, b)| lowest(b).total_cmp(&lowest(a)));
    chosen.extend(easy.map(|(number, _)| (Rule::EasyPositive, number)));
    let wrong = of(Kind::Negative).filter(|(_, track)| last(track) > 0.0);
    let wrong = wrong.min_by(|(_, a), (_, b)| last(b).total_cmp(&last(a)));
    chosen.extend(wrong.map(|(number, _)| (Rule::WrongNegative, number)));
    let over = of(Kind::Hidden).filter(|(_, track)| first(track) <= 0.0 && last(track) > 0.0);
    let over = over.min_by(|(_, a), (_, b)| {
        let fewest = crossings(&a.scores).cmp(&crossings(&b.scores));
        fewest.then((last(b) - first(b)).total_cmp(&(last(a) - first(a))))
    });
    chosen.extend(over.map(|(number, _)| (Rule::MovesOver, number)));

    let mut restless: Vec<(usize, &Track)> = of(Kind::Hidden)
        .chain(of(Kind::Negative))
        .filter(|(number, track)| {
            crossings(&track.scores) >= 2 && chosen.iter().all(|(_, taken)| taken != number)
        })
        .collect();
    restless.sort_by(|(_, a), (_, b)| {
        let hidden_first = (a.kind == Kind::Negative).cmp(&(b.kind == Kind::Negative));
        let most = crossings(&b.scores).cmp(&crossings(&a.scores));
        hidden_first.then(most).then(mean(a).total_cmp(&mean(b)))
    });
    chosen.extend(restless.into_iter().take(2).map(|(number, _)| (Rule::BackAndForth, number)));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(kind: Kind, scores: &[f32]) -> Track {
        Track { kind, scores: scores.to_vec() }
    }

    #[test]
    fn crossings_are_counted_by_hand() {
        assert_eq!(crossings(&[-1.0, 1.0, -1.0, 1.0]), 3);
        assert_eq!(crossings(&[1.0, 2.0, 0.1]), 0);
        // 0 is the negative side: up once, down once.
        assert_eq!(crossings(&[0.0, 0.0, 0.5, 0.0, -1.0]), 2);
        assert_eq!((crossings(&[3.0]), crossings(&[])), (0, 0));
    }

    #[test]
    fn each_rule_picks_what_it_says() {
        use Kind::*;
        let tracks = [
            track(Labeled, &[-1.0, 5.0, 9.0, 9.0]), // ends highest, but was in doubt
            track(Labeled, &[1.0, 2.0, 2.0, 2.0]),  // easy: its lowest is 1
            track(Labeled, &[0.5, 9.0, 9.0, 9.0]),
            track(Negative, &[3.0, 3.0, -1.0, 0.5]), // wrong at the end
            track(Negative, &[-1.0, 9.0, 9.0, -2.0]), // high before, right at the end
            track(Negative, &[-1.0, -1.0, -1.0, 0.2]),
            track(Hidden, &[-1.0, 1.0, -1.0, 8.0]), // gains most, but crosses three times
            track(Hidden, &[-1.0, -0.5, 1.0, 2.0]), // moves over once, gains 3
            track(Hidden, &[-0.5, -0.5, 1.0, 2.0]), // moves over once, gains 2.5
            track(Hidden, &[1.0, -1.0, 1.0, -1.0]), // three crossings, farther from the boundary
            track(Hidden, &[0.1, -0.1, 0.1, -0.1]), // three crossings, nearest
            track(Hidden, &[1.0, 1.0, 1.0, 1.0]),
        ];
        let expected = [
            (Rule::EasyPositive, 1),
            (Rule::WrongNegative, 3),
            (Rule::MovesOver, 7),
            (Rule::BackAndForth, 10),
            (Rule::BackAndForth, 9),
        ];
        assert_eq!(choose(&tracks), expected);
    }

    #[test]
    fn a_rule_without_a_sample_picks_none() {
        use Kind::*;
        let calm = [track(Labeled, &[1.0, 1.0]), track(Negative, &[-1.0, -1.0]), track(Hidden, &[1.0, 1.0])];
        assert_eq!(choose(&calm), [(Rule::EasyPositive, 0)]);
        assert_eq!(choose(&[]), []);
        // Negatives cross where no hidden positive does; no row is followed twice.
        let negatives = [track(Negative, &[1.0, -1.0, 2.0]), track(Negative, &[1.0, -1.0, 1.0])];
        assert_eq!(choose(&negatives), [(Rule::WrongNegative, 0), (Rule::BackAndForth, 1)]);
    }

    #[test]
    fn among_equals_the_first_is_taken() {
        let same = track(Kind::Labeled, &[1.0, 1.0]);
        assert_eq!(choose(&[same.clone(), same]), [(Rule::EasyPositive, 0)]);
    }
}
