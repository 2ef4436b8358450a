//! Labels that favor some positives: what is said of those they leave out, beside values of scipy and in simulated draws.

use onesided_data::Stream;
use onesided_eval::{EvalError, LabelingOdds, Over, RecallTarget, at_top};

fn odds(gamma: f64) -> LabelingOdds {
    LabelingOdds::new(gamma).unwrap()
}

/// `golden/labeling.py` searches for the worst labeling.
#[test]
fn bounds_and_promises_are_those_of_a_search() {
    let golden = include_str!("golden/labeling.txt");
    let (mut recalls, mut promises) = (0, 0);
    for line in golden.lines() {
        let (what, rest) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
        if what == "recall" {
            let [gamma, labeled, low, high] = numbers[..] else { panic!("{line}") };
            let gamma = odds(gamma);
            assert!((gamma.least_recall(labeled) - low).abs() < 1e-12, "{line}");
            assert!((gamma.most_recall(labeled) - high).abs() < 1e-12, "{line}");
            recalls += 1;
            continue;
        }
        let [recall, confidence, m, gamma, rank, holds] = numbers[..] else { panic!("{line}") };
        let target = RecallTarget::new(recall, confidence).unwrap().with_labeling(odds(gamma));
        let scores: Vec<f32> = (0..m as usize).map(|score| score as f32).collect();
        promises += 1;
        match target.cut(&scores, Over::Population) {
            Ok(cut) => {
                assert_eq!(cut.rank, rank as usize, "{line}");
                let told = cut.holds_up_to_labeling_odds;
                assert!((told / holds - 1.0).abs() < 1e-6 && told >= gamma, "{line}: {told}");
            }
            Err(refused) => {
                assert!(rank == 0.0 && matches!(refused, EvalError::TooFewPositives { .. }), "{line}");
            }
        }
    }
    assert_eq!((recalls, promises), (16, 48));
}

/// Whatever the odds are within Γ, recall among hidden positives (one sample) and among all of them (two) is inside the bounds, and
/// labels that favor those above the cut reach the lower one.
#[test]
fn recall_stays_inside_for_every_labeling() {
    let mut stream = Stream::new(0, "labeling");
    for trial in 0..2_000 {
        let gamma = 1.0 + 9.0 * stream.uniform();
        let (base, cut) = (0.01 + 2.0 * stream.uniform(), 50 + (trial % 900));
        // 1,000 positives by their score: odds that jump at any place, rise, fall, or are drawn anew for each.
        let (jump, up) = ((1_000.0 * stream.uniform()) as usize, stream.uniform() < 0.5);
        let kind = trial % 3;
        let chances: Vec<f64> = (0..1_000)
            .map(|at| {
                let part = match kind {
                    0 => f64::from(u8::from((at >= jump) == up)),
                    1 => at as f64 / 999.0,
                    _ => stream.uniform(),
                };
                let odds = base * gamma.powf(part);
                odds / (1.0 + odds)
            })
            .collect();
        let recall = |weight: fn(f64) -> f64| {
            let of = |rows: &[f64]| rows.iter().map(|&e| weight(e)).sum::<f64>();
            of(&chances[cut..]) / of(&chances)
        };
        let (labeled, hidden, all) = (recall(|e| e), recall(|e| 1.0 - e), recall(|_| 1.0));
        let (least, most) = (odds(gamma).least_recall(labeled), odds(gamma).most_recall(labeled));
        for (whose, found) in [("hidden", hidden), ("all", all)] {
            assert!(
                least - 1e-9 <= found && found <= most + 1e-9,
                "{whose} {found}: [{least}, {most}] at {gamma}"
            );
        }
    }
    // Reached at the cut itself.
    let e = |above: bool| if above { 0.75 } else { 0.5 };
    let sum = |weight: fn(f64) -> f64| (900.0 * weight(e(true)), 100.0 * weight(e(false)));
    let ((above, below), (left_above, left_below)) = (sum(|e| e), sum(|e| 1.0 - e));
    let (labeled, hidden) = (above / (above + below), left_above / (left_above + left_below));
    assert!((odds(3.0).least_recall(labeled) - hidden).abs() < 1e-12);
}

/// Draws positives and labels them by the worst odds within Γ until enough are labeled. Scores of hidden positives (one sample), or of
/// all (two), are uniform on [0, 1], so that their recall at a cut is 1 - cut.
fn labeled(stream: &mut Stream, gamma: f64, recall: f64, m: usize, one_sample: bool) -> Vec<f32> {
    let base = 0.25;
    let chance = |score: f64| {
        let above = if score >= 1.0 - recall { gamma } else { 1.0 };
        if one_sample { base * above / (1.0 + base * above) } else { 0.9 * above / gamma }
    };
    // Positives are to be left uniform by the labels: there are 1 / (1 - e) times as many.
    let many = |score: f64| if one_sample { 1.0 / (1.0 - chance(score)) } else { 1.0 };
    let most = many(1.0);
    let mut scores = Vec::new();
    while scores.len() < m {
        let score = stream.uniform();
        let is_there = stream.uniform() < many(score) / most;
        if is_there && stream.uniform() < chance(score) {
            scores.push(score as f32);
        }
    }
    scores
}

/// The share of 2,000 draws in which a promise is kept under the worst labels within Γ: at least its confidence if it was made for Γ,
/// and less if it was made for random labels.
#[test]
fn promises_are_kept_under_the_worst_labels() {
    const DRAWS: usize = 2_000;
    for (gamma, recall, m, one_sample) in
        [(2.0, 0.8, 100, true), (2.0, 0.8, 100, false), (4.0, 0.7, 150, true), (1.5, 0.9, 300, false)]
    {
        let target = RecallTarget::new(recall, 0.95).unwrap();
        let mut stream = Stream::new(m as u64, "worst-labels");
        let (mut kept, mut naive) = (0, 0);
        for _ in 0..DRAWS {
            let scores = labeled(&mut stream, gamma, recall, m, one_sample);
            let found = |target: RecallTarget| {
                1.0 - f64::from(target.cut(&scores, Over::Population).unwrap().cut) >= recall
            };
            kept += usize::from(found(target.with_labeling(odds(gamma))));
            naive += usize::from(found(target));
        }
        let [kept, naive] = [kept, naive].map(|count| count as f64 / DRAWS as f64);
        println!("gamma {gamma}, recall {recall}, {m} labeled: kept {kept}, made for random labels {naive}");
        // Three standard errors of 2,000 draws are .015.
        assert!(kept >= 0.935, "{kept} at {gamma}, {recall}, {m}");
        assert!(naive < 0.7, "{naive} at {gamma}, {recall}, {m}: these labels hurt nobody");
    }
}

/// The same of the positives in one file, drawn anew each time.
#[test]
fn promises_about_one_file_are_kept_under_the_worst_labels() {
    const DRAWS: usize = 2_000;
    for (gamma, recall, m, hidden, one_sample) in
        [(2.0, 0.8, 150, 60, true), (3.0, 0.7, 200, 300, true), (1.5, 0.8, 150, 25, false)]
    {
        let target = RecallTarget::new(recall, 0.95).unwrap();
        let over = Over::File { least: hidden, most: hidden };
        let mut stream = Stream::new(hidden as u64, "worst-labels-file");
        let rank = |target: RecallTarget| target.rank(m, over).unwrap();
        let (at_odds, at_random) = (rank(target.with_labeling(odds(gamma))), rank(target));
        let (mut kept, mut naive) = (0, 0);
        for _ in 0..DRAWS {
            let scores = labeled(&mut stream, gamma, recall, m, one_sample);
            let file: Vec<f32> = (0..hidden).map(|_| stream.uniform() as f32).collect();
            let mut sorted = scores.clone();
            sorted.sort_by(f32::total_cmp);
            let found = |rank: usize| {
                let cut = sorted[rank - 1];
                file.iter().filter(|&&score| score >= cut).count() as f64 >= recall * hidden as f64 - 1e-9
            };
            kept += usize::from(found(at_odds));
            naive += usize::from(found(at_random));
        }
        let [kept, naive] = [kept, naive].map(|count| count as f64 / DRAWS as f64);
        println!(
            "gamma {gamma}, recall {recall}, {m} labeled, {hidden} in the file: kept {kept}, for random labels {naive}"
        );
        assert!(kept >= 0.935 && naive < 0.9, "{kept} {naive} at {gamma}, {recall}, {m}, {hidden}");
    }
}

/// The recall of the first rows is inside of what is told at the true odds, at the worst labels, and with many labeled rows that is little
/// more than what the odds allow if all is known.
#[test]
fn recalls_of_first_rows_are_inside_at_the_worst_labels() {
    const SETS: usize = 500;
    for (gamma, recall, m, one_sample) in
        [(1.5, 0.5, 60, true), (2.0, 0.7, 100, false), (4.0, 0.3, 150, true), (8.0, 0.6, 300, false)]
    {
        let mut stream = Stream::new(m as u64, "first-rows");
        let list: Vec<f32> = (0..1_000).map(|at| (at as f32 + 0.5) / 1_000.0).collect();
        let rows = (1_000.0 * recall) as usize;
        let told =
            |scores: &[f32]| at_top(scores, &list, rows, None).unwrap().with_labeling(odds(gamma)).recall;
        let mut inside = 0;
        for _ in 0..SETS {
            let told = told(&labeled(&mut stream, gamma, recall, m, one_sample));
            inside += usize::from(told.low <= recall && recall <= told.high);
        }
        // Either end is a one-sided limit at 97.5 %; two standard errors are .014.
        assert!(inside as f64 >= 0.95 * SETS as f64, "{inside} of {SETS} at {gamma}, {recall}");
        let many = labeled(&mut stream, gamma, recall, 20_000, one_sample);
        let r = odds(gamma).needed(recall);
        let exact = odds(gamma).most_recall(r) - odds(gamma).least_recall(r);
        let told = told(&many);
        println!(
            "gamma {gamma}: inside in {inside} of {SETS}, width {:.3} of the exact",
            (told.high - told.low) / exact
        );
        assert!(told.high - told.low < 1.2 * exact, "{told:?} at {gamma}");
    }
}

/// Rows that are said to stay are among the first rows for every labeling that is tried.
#[test]
fn rows_that_stay_do() {
    let mut stream = Stream::new(0, "stay");
    let mut most = 0;
    for trial in 0..500 {
        let gamma = 1.0 + 4.0 * stream.uniform();
        let probabilities: Vec<f64> = (0..200).map(|_| stream.uniform().powi(4)).collect();
        let rows = 20 + trial % 100;
        let stay = odds(gamma).stay(probabilities.clone(), rows);
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
        // The worst for the last of them: it weighs 1, and all others Γ; and one that is not said to stay may leave.
        let place = |row: usize| {
            (0..200)
                .filter(|&other| other != row && gamma * probabilities[other] >= probabilities[row])
                .count()
        };
        assert!(order[..stay].iter().all(|&row| place(row) < rows), "{trial}");
        assert!(stay == rows || place(order[stay]) >= rows, "{trial}: one more would stay");
        most = most.max(stay);
    }
    assert!(most > 20, "{most}");
}

/// Too few positives are told of with the odds.
#[test]
fn what_is_not_promised() {
    let target = RecallTarget::new(0.9, 0.95).unwrap().with_labeling(odds(3.0));
    let file = Over::File { least: 1, most: 50 };
    let needed = target.needed(file);
    assert!(target.rank(needed, file) == Some(1) && target.rank(needed - 1, file).is_none(), "{needed}");
    // .9 at odds of 3 is 27/28 of the labeled ones: (27/28)^m ≤ .05 takes 83.
    let said = target.cut(&[0.5; 82], Over::Population).unwrap_err().to_string();
    assert_eq!(
        said,
        "82 held-out positives are too few to promise a recall of 0.9 with confidence 0.95 at labeling odds of 3: that takes \
         at least 83"
    );
    assert_eq!(target.rank(83, Over::Population), Some(1));
}
