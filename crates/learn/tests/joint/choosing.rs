//! One candidate is kept.

use crate::scripted::{Fails, Says, Script, Scripted, auc, said, table};
use onesided_data::{Dataset, Label, Matrix, Scenario};
use onesided_learn::{Error, Fitted, Learned, Machine, Signal, Task, Views, Warning, learn};

fn learned(scorer: &Scripted, task: &Task, hold_out: Option<f64>) -> Result<Learned, Error> {
    learn(scorer, task, &Views::new(task.data), hold_out, &mut |_| Signal::Continue)
}

/// A candidate whose positives score so much higher.
fn seeing(name: &str, signal: f32, noise: u32) -> Script {
    Script::new(name, Says { signal, noise, ..Says::default() })
}

fn kept(learned: &Learned) -> &str {
    learned.report.chosen().unwrap().name.as_str()
}

#[test]
fn the_first_is_kept_unless_another_is_better_by_more_than_noise() {
    let table = table(400, 2);
    let task = table.task();
    // The second sees what the first cannot.
    let better = Scripted::choosing(vec![seeing("first", 0.2, 1), seeing("second", 3.0, 2)]);
    let outcome = learned(&better, &task, None).unwrap();
    assert_eq!(kept(&outcome), "second");
    let [first, second] = &outcome.report.candidates[..] else { panic!("{:?}", outcome.report.candidates) };
    assert!(first.risk.unwrap() > second.risk.unwrap() + outcome.report.noise.unwrap());
    // The same candidates the other way around.
    let other = Scripted::choosing(vec![seeing("second", 3.0, 2), seeing("first", 0.2, 1)]);
    assert_eq!(kept(&learned(&other, &task, None).unwrap()), "second");
    // Two that see the same through noise of their own: whoever comes first stays.
    for (first, second) in [(1, 2), (2, 1)] {
        let scripts = vec![seeing("first", 1.0, first), seeing("second", 1.0, second)];
        let outcome = learned(&Scripted::choosing(scripts), &task, None).unwrap();
        assert_eq!(kept(&outcome), "first", "{}", outcome.report.choice());
        assert!(outcome.report.noise.unwrap() > 0.0);
    }
}

#[test]
fn a_risk_that_is_no_number_never_wins_and_is_warned_of() {
    let table = table(400, 2);
    let task = table.task();
    let silent = Script { fails: Fails::Silently, ..seeing("silent", 3.0, 1) };
    let both = Scripted::choosing(vec![silent.clone(), seeing("plain", 0.5, 2)]);
    let outcome = learned(&both, &task, None).unwrap();
    assert_eq!(kept(&outcome), "plain");
    assert_eq!(outcome.report.candidates[0].risk, None);
    assert!(!outcome.report.warnings.contains(&Warning::Diverged));
    // Scores that are no numbers cannot be calibrated.
    assert!(matches!(learned(&Scripted::choosing(vec![silent]), &task, None), Err(Error::Eval(_))));
}

#[test]
fn small_data_are_held_out_in_turn_and_then_trained_on_as_a_whole() {
    let table = table(400, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![seeing("weak", 0.2, 1), seeing("strong", 3.0, 2)]);
    let outcome = learned(&scorer, &task, None).unwrap();
    assert_eq!(outcome.report.folds, 5);
    let asked = scorer.asked();
    // Five folds of each, and the chosen one on all rows.
    assert_eq!(asked.len(), 11);
    assert!(asked.iter().all(|one| one.run.1 == 11 && one.seed == 7 && one.threads == 2));
    let mut numbers: Vec<usize> = asked.iter().map(|one| one.run.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..11).collect::<Vec<usize>>());
    assert_eq!(*scorer.cleaned_up.lock().unwrap(), Some(11));
    let (whole, folds): (Vec<_>, Vec<_>) = asked.into_iter().partition(|one| one.scored.is_empty());
    assert_eq!((whole.len(), whole[0].name.as_str(), whole[0].training.len()), (1, "strong", 400));
    assert!(whole[0].stopping.is_empty() && whole[0].stop_after.is_some());
    for name in ["weak", "strong"] {
        let of_name = || folds.iter().filter(|one| one.name == name);
        let mut scored: Vec<u32> = of_name().flat_map(|one| one.scored.clone()).collect();
        scored.sort_unstable();
        assert_eq!(scored, (0..400).collect::<Vec<u32>>());
        for fold in of_name() {
            // The rows held out decide when to stop, and are no rows to learn from.
            assert_eq!(fold.stopping.all(), fold.scored);
            assert!(fold.training.all().iter().all(|row| !fold.scored.contains(row)));
            assert_eq!(fold.training.len() + fold.scored.len(), 400);
            assert_eq!(fold.stop_after, None);
        }
    }
}

#[test]
fn large_data_and_a_share_that_is_asked_for_are_held_out_once() {
    let (small, large) = (table(400, 2), table(6_000, 2));
    for (table, hold_out, held) in [(&small, Some(0.25), 100), (&large, None, 1_200)] {
        let task = table.task();
        let scorer = Scripted::choosing(vec![seeing("only", 1.0, 1)]);
        let outcome = learned(&scorer, &task, hold_out).unwrap();
        let asked = scorer.asked();
        assert_eq!((asked.len(), outcome.report.folds), (1, 1));
        assert_eq!((asked[0].scored.len(), asked[0].run), (held, (0, 1)));
        // What the fold learned is the model, and scores what it did not meet.
        let there: Vec<u32> = (0u32..)
            .zip(&outcome.out_of_fold)
            .filter(|(_, score)| score.is_some())
            .map(|(row, _)| row)
            .collect();
        let mut scored = asked[0].scored.clone();
        scored.sort_unstable();
        assert_eq!(there, scored);
        assert_eq!(outcome.held_out.len(), held);
    }
    // Asked to hold out in turn, large data are.
    let task = Task { cross_fit: true, ..large.task() };
    let scorer = Scripted::choosing(vec![seeing("only", 1.0, 1)]);
    let outcome = learned(&scorer, &task, None).unwrap();
    assert_eq!((scorer.asked().len(), outcome.report.folds), (6, 5));
    assert!(outcome.out_of_fold.iter().all(Option::is_some));
}

#[test]
fn very_few_positives_are_held_out_once() {
    let table = table(60, 3);
    let task = table.task();
    assert_eq!(task.counts.positive, 8);
    let scorer = Scripted::choosing(vec![seeing("only", 1.0, 1)]);
    let outcome = learned(&scorer, &task, None).unwrap();
    assert_eq!((scorer.asked().len(), outcome.report.folds), (1, 1));
    let few = Warning::FewHeldOut { positives: outcome.report.held_out.positive, all: false };
    assert_eq!(outcome.report.warnings[0], few);
}

/// Systems may choose other costs in each fold: the size of their scores is no part of what they say.
#[test]
fn folds_whose_scores_differ_in_size_and_place_are_calibrated_as_one() {
    let table = table(400, 2);
    let task = table.task();
    let plain = Says::default();
    let stretched = Says { size: 3.0, offset: 2.0, ..plain };
    let both: Vec<Learned> = [plain, stretched]
        .map(|says| learned(&Scripted::choosing(vec![Script::new("only", says)]), &task, None).unwrap())
        .into();
    let logits = |one: &Learned| -> Vec<f64> {
        said(&one.fitted, task.data).iter().map(|&score| one.calibration.apply(score)).collect()
    };
    let far = |a: f64, b: f64| (a - b).abs() > 1e-4;
    assert!(!logits(&both[0]).into_iter().zip(logits(&both[1])).any(|(a, b)| far(a, b)));
    // Out of fold, rows have the model's own size.
    let list = |one: &Learned| -> Vec<f64> {
        one.out_of_fold.iter().map(|score| one.calibration.apply(score.unwrap())).collect()
    };
    assert!(!list(&both[0]).into_iter().zip(list(&both[1])).any(|(a, b)| far(a, b)));
    let spread = |scores: &[f32]| scores.iter().copied().fold(f32::MIN, f32::max);
    assert!(spread(&both[1].unlabeled) > 2.0 * spread(&both[0].unlabeled));
}

#[test]
fn trainings_that_share_threads_give_what_they_give_in_turn() {
    let table = table(400, 2);
    let task = table.task();
    let scripts = || vec![seeing("weak", 0.2, 1), seeing("strong", 3.0, 2), seeing("fair", 1.0, 3)];
    let in_turn = Scripted::choosing(scripts());
    let shared = Scripted { any_threads: true, ..Scripted::choosing(scripts()) };
    let [a, b] = [&in_turn, &shared].map(|scorer| learned(scorer, &task, None).unwrap());
    assert_eq!(a.report, b.report);
    assert_eq!((a.positive, a.unlabeled, a.out_of_fold), (b.positive, b.unlabeled, b.out_of_fold));
    assert_eq!(a.calibration, b.calibration);
    // Two threads are shared out among fifteen trainings, and the last has both.
    let asked = shared.asked();
    assert_eq!(asked.len(), 16);
    assert!(asked.iter().all(|one| one.threads == if one.scored.is_empty() { 2 } else { 1 }));
}

/// Each epoch's model says other scores of the same rows; which is best depends on the rows that decide.
fn stopping(name: &str) -> Script {
    let epochs = (1u8..=9).map(|epoch| Says { signal: f32::from(epoch) / 3.0, noise: 4, ..Says::default() });
    Script { epochs: epochs.collect(), ..seeing(name, 0.0, 4) }
}

#[test]
fn the_model_of_all_rows_stops_in_the_middle_of_where_the_folds_did() {
    let table = table(400, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![stopping("only")]);
    let outcome = learned(&scorer, &task, None).unwrap();
    let mut best: Vec<usize> = Vec::new();
    for fold in scorer.asked().iter().filter(|one| !one.scored.is_empty()) {
        best.push(1 + fold.stopping.positive.iter().sum::<u32>() as usize % 9);
    }
    best.sort_unstable();
    assert_eq!(best.len(), 5);
    let whole = scorer.asked().into_iter().find(|one| one.scored.is_empty()).unwrap();
    assert_eq!(whole.stop_after, Some(best[2]));
    assert_eq!(outcome.described, format!("only after {}", best[2]));
    let tried = outcome.report.chosen().unwrap();
    assert_eq!((tried.epochs, tried.best_epoch), (9, best[2]));
}

/// A fold that stopped where its own rows look best would be measured too well: here the last epoch of each fold sees its own
/// positives alone.
#[test]
fn folds_are_measured_where_the_others_stopped() {
    let table = table(400, 2);
    let task = table.task();
    let outcome = learned(&Scripted::choosing(vec![stopping("only")]), &task, None).unwrap();
    // Every row's score is that of some epoch of the script, brought to one scale: the order within a fold is an epoch's.
    let scorer = Scripted::choosing(vec![stopping("only")]);
    learned(&scorer, &task, None).unwrap();
    let folds: Vec<_> = scorer.asked().into_iter().filter(|one| !one.scored.is_empty()).collect();
    let best = |at: usize| 1 + folds[at].stopping.positive.iter().sum::<u32>() as usize % 9;
    for (at, fold) in folds.iter().enumerate() {
        let mut others: Vec<usize> = (0..5).filter(|&other| other != at).map(best).collect();
        others.sort_unstable();
        let middle = (others[1] + others[2]) / 2;
        let says = Says { signal: middle as f32 / 3.0, noise: 4, ..Says::default() };
        let mut rows = fold.scored.clone();
        rows.sort_by(|a, b| says.score(*a).total_cmp(&says.score(*b)));
        let scores: Vec<f32> = rows.iter().map(|&row| outcome.out_of_fold[row as usize].unwrap()).collect();
        assert!(scores.windows(2).all(|pair| pair[0] <= pair[1] + 1e-5), "fold {at} after {middle}");
    }
}

#[test]
fn one_hold_out_of_few_positives_is_measured_where_other_parts_would_have_stopped() {
    let table = table(400, 2);
    let task = table.task();
    let outcome = learned(&Scripted::choosing(vec![stopping("only")]), &task, Some(0.3)).unwrap();
    let held = task.split(&outcome.held_out.iter().map(|&row| row as usize).collect::<Vec<usize>>());
    assert!(held.positive.len() < 200);
    // Each fifth of the positives and each fifth of the unlabeled rows are in the order that some epoch gives them.
    for part in 0..5 {
        let dealt = |rows: &[u32]| rows.iter().copied().skip(part).step_by(5).collect::<Vec<u32>>();
        let rows = [dealt(&held.positive), dealt(&held.unlabeled)].concat();
        let follows = |epoch: u8| {
            let says = Says { signal: f32::from(epoch) / 3.0, noise: 4, ..Says::default() };
            let mut rows = rows.clone();
            rows.sort_by(|a, b| says.score(*a).total_cmp(&says.score(*b)));
            let score = |row: &u32| outcome.out_of_fold[*row as usize].unwrap();
            rows.windows(2).all(|pair| score(&pair[0]) <= score(&pair[1]) + 1e-5)
        };
        assert!((1..=9).any(follows), "part {part}");
    }
    // Other parts see that later epochs tell positives apart.
    let scores: Vec<f32> =
        outcome.held_out.iter().map(|&row| outcome.out_of_fold[row as usize].unwrap()).collect();
    let truth: Vec<bool> = outcome.held_out.iter().map(|&row| table.truth[row as usize]).collect();
    assert!(auc(&scores, &truth) > 0.9);
}

#[test]
fn without_a_prior_there_is_nothing_to_calibrate_by() {
    let table = table(400, 2);
    let task = Task { priors: None, ..table.task() };
    let needs = Scripted::choosing(vec![seeing("only", 1.0, 1)]);
    let refused = learned(&needs, &task, None).unwrap_err();
    assert!(matches!(&refused, Error::NeedsPrior(method) if method == "scripted"), "{refused}");
    let works = Scripted { works_without_prior: true, ..Scripted::choosing(vec![seeing("only", 1.0, 1)]) };
    let outcome = learned(&works, &task, None).unwrap();
    assert!(outcome.report.warnings.contains(&Warning::NoPrior));
    assert_eq!((outcome.calibration.slope, outcome.calibration.offset, outcome.shift), (1.0, 0.0, 0.0));
}

#[test]
fn what_learns_from_the_truth_keeps_its_scores_and_is_moved_by_its_share() {
    let values = (0..200).map(|row| row as f32).collect();
    let truth = (0..200).map(|row| row % 10 >= 6).collect();
    let data = Dataset::from_scaled(Matrix::new(200, 1, values).unwrap(), None).unwrap();
    let data = data.with_truth(truth).unwrap();
    let task = Task::new(&data, true, Scenario::SingleSample, 7, Machine::default()).unwrap();
    assert_eq!((task.counts.positive, task.mu()), (80, None));
    let outcome = learned(&Scripted::choosing(vec![seeing("only", 3.0, 1)]), &task, None).unwrap();
    assert_eq!((outcome.calibration.slope, outcome.calibration.offset), (1.0, 0.0));
    assert!(outcome.report.criterion.contains("log"), "{}", outcome.report.criterion);
    // Fewer than 50 held-out positives are no reason to warn where the truth is known, and a prior is not missed.
    assert_eq!(outcome.report.warnings, []);
}

#[test]
fn rows_that_are_equal_are_never_on_both_sides() {
    // Every row of the second hundred repeats one of the first.
    let values = (0..300).map(|row| if row < 200 { row % 100 } else { row } as f32).collect();
    let label = |row: usize| if row < 100 && row % 10 >= 6 { Label::Positive } else { Label::Unlabeled };
    let data = Dataset::from_scaled(Matrix::new(300, 1, values).unwrap(), None).unwrap();
    let data = data.with_labels((0..300).map(label).collect()).unwrap();
    let scorer = Scripted { works_without_prior: true, ..Scripted::choosing(vec![seeing("only", 1.0, 1)]) };
    let task = Task::new(&data, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    assert!(task.copies.is_some());
    learned(&scorer, &task, None).unwrap();
    let original = |row: u32| if row < 200 { row % 100 } else { row };
    let folds: Vec<_> = scorer.asked().into_iter().filter(|one| !one.scored.is_empty()).collect();
    assert_eq!(folds.len(), 5);
    for fold in folds {
        let trained: Vec<u32> = fold.training.all().into_iter().map(original).collect();
        assert!(fold.scored.iter().all(|&row| !trained.contains(&original(row))));
    }
}

#[test]
fn a_model_of_ones_own_comes_back_as_it_was_made() {
    let table = table(400, 2);
    let outcome = learned(&Scripted::choosing(vec![seeing("mine", 1.0, 1)]), &table.task(), None).unwrap();
    assert!(matches!(&outcome.fitted, Fitted::Own { name, .. } if name == "mine"));
    assert_eq!((outcome.model.as_str(), outcome.info.method.as_ref()), ("script", "scripted"));
    let scores = said(&outcome.fitted, &table.data);
    assert_eq!(scores[17], Says::default().score(17));
}

/// The rows that candidates are held to are the same for all of them: their risks are compared row by row.
#[test]
fn candidates_are_compared_on_the_same_folds_whatever_else_is_tried() {
    let table = table(400, 2);
    let task = table.task();
    let alone = Scripted::choosing(vec![seeing("a", 1.0, 1)]);
    let among = Scripted::choosing(vec![seeing("b", 0.4, 2), seeing("a", 1.0, 1), seeing("c", 0.2, 3)]);
    let outcomes = [&alone, &among].map(|scorer| learned(scorer, &task, None).unwrap());
    let risk = |outcome: &Learned| outcome.report.candidates.iter().find(|one| one.name == "a").unwrap().risk;
    assert_eq!(risk(&outcomes[0]), risk(&outcomes[1]));
    let folds = |scorer: &Scripted, name: &str| -> Vec<Vec<u32>> {
        let of_name = scorer.asked().into_iter().filter(|one| one.name == name && !one.scored.is_empty());
        of_name.map(|one| one.scored).collect()
    };
    assert_eq!(folds(&alone, "a"), folds(&among, "a"));
    assert_eq!(folds(&among, "a"), folds(&among, "b"));
    assert_eq!(outcomes[0].held_out, outcomes[1].held_out);
}

/// An observer that ends a fit in the middle of the second candidate leaves the first to be chosen.
#[test]
fn whoever_finishes_between_candidates_chooses_among_those_that_began() {
    let table = table(400, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![seeing("a", 0.3, 1), seeing("b", 3.0, 2), seeing("c", 1.0, 3)]);
    let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut |progress| {
        if progress.run == 7 { Signal::Finish } else { Signal::Continue }
    });
    let outcome = outcome.unwrap();
    assert_eq!(scorer.names(), ["a", "b"]);
    assert_eq!(outcome.report.candidates.len(), 2);
    // Three folds of the second were trained, and no model of all rows.
    assert_eq!(scorer.asked().len(), 8);
    assert_eq!(kept(&outcome), "b");
    assert_eq!(outcome.report.held_out.positive + outcome.report.held_out.unlabeled, 240);
}
