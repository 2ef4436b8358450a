//! A mean of the candidates is put together.

use crate::scripted::{Asked, Fails, Says, Script, Scripted, auc, said, table};
use onesided_data::Label;
use onesided_learn::{
    At, Blend, Error, Fitted, Kinds, Learned, Policy, Signal, Task, Tried, Views, Warning, learn,
};

fn learned(scorer: &Scripted, task: &Task, hold_out: Option<f64>) -> Result<Learned, Error> {
    learn(scorer, task, &Views::new(task.data), hold_out, &mut |_| Signal::Continue)
}

fn five_folds() -> Blend {
    Blend { folds: 5, ..Blend::default() }
}

/// A candidate of a fixed number of rounds whose positives score so much higher.
fn seeing(name: &str, signal: f32, noise: u32) -> Script {
    Script::of_rounds(name, 3, Says { signal, noise, ..Says::default() })
}

fn tried<'l>(learned: &'l Learned, name: &str) -> &'l Tried {
    learned.report.candidates.iter().find(|one| one.name == name).unwrap()
}

#[test]
fn candidates_with_errors_of_their_own_are_better_together() {
    let table = table(600, 2);
    let task = table.task();
    let scripts: Vec<Script> = (1u32..=4)
        .map(|noise| seeing(&format!("noise {noise}"), 0.7, noise))
        .chain([seeing("blind", 0.0, 9)])
        .collect();
    let outcome = learned(&Scripted::blending(scripts, five_folds()), &task, None).unwrap();
    let weights: Vec<f64> = outcome.report.candidates.iter().map(|one| one.weight.unwrap()).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{weights:?}");
    assert!(weights[..4].iter().all(|&weight| weight > 0.05) && weights[4] < 0.1, "{weights:?}");
    let best = outcome.report.candidates.iter().filter_map(|one| one.auc).fold(0.0, f64::max);
    let mean = said(&outcome.fitted, &table.data);
    let labeled: Vec<bool> = task.labels.iter().map(|&label| label == Label::Positive).collect();
    assert!(auc(&mean, &labeled) > best + 0.02);
    // The one of the largest weight counts as the chosen one, alone.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let chosen: Vec<&Tried> = outcome.report.candidates.iter().filter(|one| one.chosen).collect();
    assert_eq!((chosen.len(), chosen[0].weight), (1, Some(largest)));
    assert_eq!((outcome.report.folds, outcome.report.noise), (5, None));
}

#[test]
fn a_candidate_is_the_mean_of_its_folds_models() {
    let table = table(600, 2);
    let says = [(1, 1.0), (2, 4.0)].map(|(noise, size)| Says { signal: 0.7, noise, size, ..Says::default() });
    let scripts = vec![Script::of_rounds("plain", 3, says[0]), Script::of_rounds("large", 3, says[1])];
    let outcome = learned(&Scripted::blending(scripts, five_folds()), &table.task(), None).unwrap();
    let Fitted::Ensemble(members) = &outcome.fitted else { panic!("{:?}", outcome.fitted) };
    assert_eq!(members.len(), 10);
    // Scores that are four times as large do not count four times.
    let share = |name: &str| -> f64 {
        let named = |member: &&onesided_learn::Member| matches!(&member.fitted, Fitted::Own { name: of, .. } if of == name);
        members.iter().filter(named).map(|member| member.weight).sum()
    };
    let [plain, large] = ["plain", "large"].map(|name| tried(&outcome, name).weight.unwrap());
    let ratio = (share("plain") / share("large")) / (plain / large);
    assert!((ratio - 4.0).abs() < 0.4, "{ratio}");
    // Described by weight, the largest first.
    let first = if plain >= large { "plain" } else { "large" };
    assert!(
        outcome.described.ends_with(if first == "plain" { "large" } else { "plain" }),
        "{}",
        outcome.described
    );
    assert!(outcome.report.choice().contains("plain (") && outcome.report.choice().contains("large ("));
}

/// What `of_folds` was asked for, in folds alone.
fn folds<'a>(asked: &'a [Asked], name: &str) -> Vec<&'a Asked> {
    asked.iter().filter(|one| one.name == name && !one.scored.is_empty()).collect()
}

fn disjoint(a: &[u32], b: &[u32]) -> bool {
    a.iter().all(|row| !b.contains(row))
}

#[test]
fn rows_that_candidates_are_scored_on_do_not_decide_when_they_stop() {
    let table = table(400, 2);
    let task = table.task();
    let epochs = (1u8..=4).map(|epoch| Says { signal: f32::from(epoch), ..Says::default() }).collect();
    let stops = Script { epochs, ..Script::new("stops", Says::default()) };
    let scorer = Scripted::blending(vec![seeing("rounds", 1.0, 2), stops], five_folds());
    learned(&scorer, &task, None).unwrap();
    let asked = scorer.asked();
    let (rounds, stops) = (folds(&asked, "rounds"), folds(&asked, "stops"));
    assert_eq!((rounds.len(), stops.len()), (5, 5));
    for (rounds, stops) in rounds.into_iter().zip(stops) {
        assert_eq!(rounds.scored, stops.scored);
        // What takes its rounds learns from all rows that are not held out.
        assert_eq!((rounds.training.len(), rounds.stopping.len(), rounds.stop_after), (320, 0, Some(3)));
        // What stops by rows has an eighth of either kind for that.
        assert_eq!(stops.stop_after, None);
        let eighth = |rows: &[u32]| rows.len().div_ceil(8);
        assert_eq!(stops.stopping.positive.len(), eighth(&rounds.training.positive));
        assert_eq!(stops.stopping.unlabeled.len(), eighth(&rounds.training.unlabeled));
        assert!(disjoint(&stops.stopping.all(), &stops.training.all()));
        assert!(disjoint(&stops.stopping.all(), &stops.scored));
        let mut both = [stops.training.all(), stops.stopping.all()].concat();
        let mut all = rounds.training.all();
        both.sort_unstable();
        all.sort_unstable();
        assert_eq!(both, all);
    }
}

#[test]
fn one_model_is_trained_on_all_rows() {
    let table = table(400, 2);
    let task = table.task();
    let scripts = || vec![seeing("weak", 0.3, 1), seeing("strong", 2.0, 2), seeing("fair", 0.9, 3)];
    let single = Blend { single: true, ..five_folds() };
    let scorer = Scripted::blending(scripts(), single.clone());
    let outcome = learned(&scorer, &task, None).unwrap();
    assert_eq!(tried(&outcome, "strong").weight, Some(1.0));
    let Fitted::Ensemble(members) = &outcome.fitted else { panic!("{:?}", outcome.fitted) };
    assert!(
        matches!(&members[..], [one] if matches!(&one.fitted, Fitted::Own { name, .. } if name == "strong"))
    );
    let whole: Vec<Asked> = scorer.asked().into_iter().filter(|one| one.scored.is_empty()).collect();
    assert_eq!(whole.len(), 1);
    assert_eq!(
        (whole[0].name.as_str(), whole[0].training.len(), whole[0].stop_after),
        ("strong", 400, Some(3))
    );
    assert_eq!((whole[0].run, whole[0].threads), ((0, 1), 2));
    // What was asked to be held out stays out: the fold's model is the model.
    let scorer = Scripted::blending(scripts(), single);
    let outcome = learned(&scorer, &task, Some(0.25)).unwrap();
    assert!(scorer.asked().iter().all(|one| one.training.len() == 300 && one.scored.len() == 100));
    assert_eq!(outcome.out_of_fold.iter().flatten().count(), 100);
    assert_eq!(outcome.report.folds, 1);
}

/// Trees that learned what two candidates say out of fold stand for both, are measured on rows that they had not met, and have
/// what the mean had beside them.
#[test]
fn a_student_learns_what_the_mean_says() {
    let table = table(1_000, 2);
    let task = table.task();
    let scripts = || vec![seeing("one", 1.5, 1), seeing("two", 1.5, 2)];
    let blend = learned(&Scripted::blending(scripts(), five_folds()), &task, None).unwrap();
    let scorer = Scripted::blending(scripts(), Blend { fast: true, ..five_folds() });
    let fast = learned(&scorer, &task, None).unwrap();
    assert!(matches!(fast.fitted, Fitted::Trees(_)), "{:?}", fast.fitted);
    assert!(fast.described.starts_with("200 trees that learned the scores of 0."), "{}", fast.described);
    // Members are not trained on all rows for it.
    assert!(scorer.asked().iter().all(|one| !one.scored.is_empty()));
    let names: Vec<&str> = fast.report.beside.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["auto, fast", "the blend", "all negative"]);
    assert_eq!(fast.report.beside[1].auc, blend.report.beside[0].auc);
    // Scores of this table come from noise of each row, which no column tells: what can be learned of them is the signal.
    assert!(fast.out_of_fold.iter().all(Option::is_some));
    assert_ne!(fast.out_of_fold, blend.out_of_fold);
    assert_eq!((fast.positive.len(), fast.unlabeled.len()), (task.counts.positive, task.counts.unlabeled));
    let own = fast.report.beside[0].auc.unwrap();
    assert!(own > 0.4 && own < blend.report.beside[0].auc.unwrap(), "{own}");
}

/// Two of five folds show that one is behind, and it is trained on no other.
#[test]
fn what_is_behind_on_the_first_folds_goes_no_further() {
    let table = table(2_000, 2);
    let scripts = vec![seeing("strong", 2.0, 1), seeing("blind", 0.0, 2), seeing("fair", 1.5, 3)];
    let scorer = Scripted::blending(scripts, five_folds());
    let outcome = learned(&scorer, &table.task(), None).unwrap();
    let asked = scorer.asked();
    assert_eq!(["strong", "blind", "fair"].map(|name| folds(&asked, name).len()), [5, 2, 5]);
    // It is told with the AUC that it had.
    let blind = tried(&outcome, "blind");
    assert_eq!((blind.weight, blind.chosen), (Some(0.0), false));
    assert!(blind.auc.is_some_and(|auc| (auc - 0.5).abs() < 0.1), "{blind:?}");
    assert_eq!(outcome.report.folds, 5);
    let note = "judged on 800 rows alone, where they were behind by more than noise: 'blind'";
    assert_eq!(outcome.report.notes, [note]);
    // The others come to what they come to without it.
    let alone = vec![seeing("strong", 2.0, 1), seeing("fair", 1.5, 3)];
    let alone = learned(&Scripted::blending(alone, five_folds()), &table.task(), None).unwrap();
    assert_eq!((&alone.out_of_fold, alone.calibration), (&outcome.out_of_fold, outcome.calibration));
}

#[test]
fn what_cannot_be_trained_is_left_out_with_its_reason() {
    let table = table(400, 2);
    let task = table.task();
    let fails = Script { fails: Fails::WhereScored(17), ..seeing("fails once", 3.0, 1) };
    let silent = Script { fails: Fails::Silently, ..seeing("silent", 3.0, 2) };
    let plain = seeing("plain", 0.8, 3);
    let scorer = Scripted::blending(vec![silent.clone(), fails.clone(), plain.clone()], five_folds());
    let outcome = learned(&scorer, &task, None).unwrap();
    let names: Vec<&str> = outcome.report.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((names, tried(&outcome, "plain").weight), (vec!["plain"], Some(1.0)));
    let why = Error::NeedsTruth("fails once".to_string()).to_string();
    let expected = [
        Warning::LeftOut { name: "fails once".to_string(), why },
        Warning::LeftOut { name: "silent".to_string(), why: "its scores are not numbers".to_string() },
    ];
    let left_out: Vec<&Warning> =
        outcome.report.warnings.iter().filter(|one| matches!(one, Warning::LeftOut { .. })).collect();
    assert_eq!(left_out, expected.iter().collect::<Vec<&Warning>>());
    // One that fails does not change what the others come to.
    let alone = learned(&Scripted::blending(vec![plain], five_folds()), &task, None).unwrap();
    assert_eq!((&alone.out_of_fold, alone.calibration), (&outcome.out_of_fold, outcome.calibration));
    // All of them must not.
    let error = learned(&Scripted::blending(vec![fails, silent], five_folds()), &task, None).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, Error::AllMembersFailed(_)), "{said}");
    assert!(said.contains("fails once: ") && said.contains("silent: its scores are not numbers"), "{said}");
}

#[test]
fn the_mean_stands_beside_the_plain_alternative_and_none_at_all() {
    let table = table(600, 2);
    let task = table.task();
    let mut naive = seeing("naive trees", 0.5, 1);
    naive.candidate.is_naive = true;
    let scripts = vec![naive, seeing("other", 1.5, 2)];
    let outcome = learned(&Scripted::blending(scripts, five_folds()), &task, None).unwrap();
    let beside = &outcome.report.beside;
    let names: Vec<&str> = beside.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["auto", "naive", "all negative"]);
    assert_eq!(beside[1].auc, tried(&outcome, "naive trees").auc);
    assert!(beside[0].auc > beside[1].auc && beside[0].accuracy > beside[1].accuracy);
    let mu = task.mu().unwrap().get();
    assert_eq!((beside[2].auc, beside[2].accuracy), (Some(0.5), Some(1.0 - mu)));
    // An accuracy at a prior that is a guess would be one, too.
    let guessed = task.priors.map(|priors| onesided_learn::Priors { estimated: true, ..priors });
    let task = Task { priors: guessed, ..task };
    let scripts = vec![seeing("other", 1.5, 2)];
    let outcome = learned(&Scripted::blending(scripts, five_folds()), &task, None).unwrap();
    assert!(outcome.report.beside.iter().all(|one| one.accuracy.is_none()));
}

#[test]
fn a_candidate_that_is_seldom_good_must_show_more() {
    let table = table(200, 4);
    let task = table.task();
    assert_eq!(task.counts.positive, 20);
    let scripts = |usual: f64| {
        let mut first = seeing("first", 0.9, 1);
        first.candidate.usual = usual;
        vec![first, seeing("second", 0.9, 2)]
    };
    let weight = |usual: f64| {
        let outcome = learned(&Scripted::blending(scripts(usual), five_folds()), &task, None).unwrap();
        tried(&outcome, "first").weight.unwrap()
    };
    assert!(weight(-0.2) < weight(0.0) && weight(0.0) < weight(0.2), "{}", weight(0.0));
}

#[test]
fn out_of_fold_every_row_is_scored_and_none_by_what_met_it() {
    let table = table(400, 2);
    let task = table.task();
    let outcome = learned(
        &Scripted::blending(vec![seeing("one", 1.5, 1), seeing("two", 1.0, 2)], five_folds()),
        &task,
        None,
    )
    .unwrap();
    assert!(outcome.out_of_fold.iter().all(Option::is_some));
    let scores: Vec<f32> = outcome.out_of_fold.iter().map(|score| score.unwrap()).collect();
    assert!(auc(&scores, &table.truth) > 0.85);
    // Held-out scores come by kind, positives first, and the rows with them.
    assert_eq!(
        (outcome.positive.len(), outcome.unlabeled.len()),
        (task.counts.positive, task.counts.unlabeled)
    );
    let (positive, unlabeled) = outcome.held_out.split_at(task.counts.positive);
    assert!(positive.iter().all(|&row| task.labels[row as usize] == Label::Positive));
    assert!(unlabeled.iter().all(|&row| task.labels[row as usize] == Label::Unlabeled));
    assert_eq!(outcome.report.held_out, task.counts);
}

/// The second time, unlabeled rows are held out in turn and every positive is learned from.
#[test]
fn cross_fitting_scores_unlabeled_rows_once_more_with_all_positives() {
    let table = table(400, 2);
    let plain = table.task();
    let scripts = || vec![seeing("one", 1.5, 1), seeing("two", 1.0, 2)];
    let first = learned(&Scripted::blending(scripts(), five_folds()), &plain, None).unwrap();
    let task = Task { cross_fit: true, ..plain.clone() };
    let scorer = Scripted::blending(scripts(), five_folds());
    let again = learned(&scorer, &task, None).unwrap();
    let asked = scorer.asked();
    let (all, parts): (Vec<&Asked>, Vec<&Asked>) =
        asked.iter().partition(|one| one.training.positive.len() == task.counts.positive);
    assert_eq!((all.len(), parts.len()), (10, 10));
    for name in ["one", "two"] {
        let mut scored: Vec<u32> = Vec::new();
        for fold in all.iter().filter(|one| one.name == name) {
            let unlabeled = fold.scored.iter().filter(|&&row| task.labels[row as usize] == Label::Unlabeled);
            let unlabeled: Vec<u32> = unlabeled.copied().collect();
            assert!(disjoint(&unlabeled, &fold.training.unlabeled));
            scored.extend(unlabeled);
        }
        scored.sort_unstable();
        assert_eq!(scored, task.split(&(0..400).collect::<Vec<usize>>()).unlabeled);
    }
    // Positives keep their scores. The rest is measured and calibrated as without.
    let rows = task.labels.iter().zip(first.out_of_fold.iter().zip(&again.out_of_fold));
    let changed: Vec<Label> = rows.filter(|(_, (a, b))| a != b).map(|(label, _)| *label).collect();
    assert!(!changed.is_empty() && changed.iter().all(|&label| label == Label::Unlabeled));
    assert_eq!((first.calibration, &first.unlabeled), (again.calibration, &again.unlabeled));
}

#[test]
fn known_negatives_and_weights_reach_the_criterion() {
    let table = table(400, 2);
    // A few of the true negatives are known, and weights make some rows count more.
    let labels = (0..400).map(|row| match table.data.labels().unwrap()[row] {
        Label::Unlabeled if row % 10 == 3 => Label::Negative,
        label => label,
    });
    let data = table.data.clone().with_labels(labels.collect()).unwrap();
    let priors = table.task().priors;
    let run = |data: &onesided_data::Dataset| {
        let task =
            Task::new(data, false, onesided_data::Scenario::SingleSample, 7, Default::default()).unwrap();
        let task = Task { priors, ..task };
        let scorer = Scripted::blending(vec![seeing("one", 1.0, 1), seeing("two", 0.8, 2)], five_folds());
        (learned(&scorer, &task, None).unwrap(), scorer.asked())
    };
    let (plain, asked) = run(&data);
    assert_eq!((plain.negative.len(), plain.report.held_out.negative), (40, 40));
    assert!(asked.iter().all(|one| one.training.negative.len() == 32 && one.stopping.negative.is_empty()));
    assert!(plain.report.criterion.contains("negatives"), "{}", plain.report.criterion);
    // Known negatives rank below positives: their scores are the lower ones.
    let mean = |scores: &[f32]| scores.iter().sum::<f32>() / scores.len() as f32;
    assert!(mean(&plain.negative) < mean(&plain.unlabeled) && mean(&plain.unlabeled) < mean(&plain.positive));
    let weights = (0..400).map(|row| if row % 7 == 0 { 5.0 } else { 1.0 }).collect();
    let (weighted, _) = run(&data.clone().with_weights(weights).unwrap());
    assert_ne!(weighted.calibration, plain.calibration);
    assert_ne!(tried(&weighted, "one").auc, tried(&plain, "one").auc);
}

#[test]
fn names_of_what_cannot_keep_a_constraint_are_noted() {
    let table = table(400, 2);
    let not_monotone = vec!["linear".to_string(), "kernel".to_string()];
    let blend = Blend { not_monotone, ..five_folds() };
    let outcome =
        learned(&Scripted::blending(vec![seeing("one", 1.0, 1)], blend), &table.task(), None).unwrap();
    assert_eq!(outcome.report.notes.len(), 1);
    assert!(outcome.report.notes[0].ends_with("'linear', 'kernel'"), "{:?}", outcome.report.notes);
    assert_eq!(outcome.report.warnings, []);
}

#[test]
fn few_positives_have_fewer_folds_and_very_few_one_half() {
    let folds = |rows: usize, labeled: usize, wanted: usize| {
        let table = table(rows, labeled);
        let blend = Blend { folds: wanted, ..Blend::default() };
        let scorer = Scripted::blending(vec![seeing("one", 1.0, 1)], blend);
        let outcome = learned(&scorer, &table.task(), None).unwrap();
        (outcome.report.folds, scorer.asked().len())
    };
    assert_eq!(folds(400, 2, 5), (5, 5));
    assert_eq!(folds(400, 2, 10), (10, 10));
    assert_eq!(folds(400, 2, 3), (3, 3));
    // 8 positives: two in each fold.
    assert_eq!(folds(60, 3, 10), (4, 4));
    // 3 positives: half of them once.
    assert_eq!(folds(60, 8, 5), (1, 1));
}

#[test]
fn threads_are_one_each_unless_trainings_want_all() {
    let table = table(400, 2);
    let task = table.task();
    for side_by_side in [true, false] {
        let scripts = vec![seeing("one", 1.0, 1), seeing("two", 1.0, 2)];
        let scorer = Scripted { side_by_side, ..Scripted::blending(scripts, five_folds()) };
        learned(&scorer, &task, None).unwrap();
        let threads = if side_by_side { 1 } else { 2 };
        assert!(scorer.asked().iter().all(|one| one.threads == threads && one.run == (0, 0)));
    }
}

#[test]
fn whoever_finishes_early_has_the_candidates_that_are_whole() {
    let table = table(400, 2);
    let task = Task { machine: onesided_learn::Machine { threads: 1, ..Default::default() }, ..table.task() };
    let scripts = || (1u32..=6).map(|noise| seeing(&format!("{noise}"), 1.0, noise)).collect::<Vec<Script>>();
    let scorer = Scripted::blending(scripts(), five_folds());
    // After seven trainings on the first two folds three candidates have both.
    let mut seen = 0;
    let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut |progress| {
        let At::Member { done, all, .. } = progress.at else { panic!("{:?}", progress.at) };
        assert_eq!(all, 30);
        seen = seen.max(done);
        if done == 7 { Signal::Finish } else { Signal::Continue }
    });
    let outcome = outcome.unwrap();
    assert_eq!(seen, 7);
    let names: Vec<&str> = outcome.report.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((names, outcome.report.folds), (vec!["1", "2", "3"], 2));
    assert_eq!(scorer.names(), ["1", "2", "3", "4"]);
    // Rows of the other folds were met.
    assert_eq!(outcome.out_of_fold.iter().flatten().count(), 160);
    // Before one is whole, there is nothing to keep.
    let scorer = Scripted::blending(scripts(), five_folds());
    let nothing = learn(&scorer, &task, &Views::new(task.data), None, &mut |_| Signal::Finish);
    assert!(matches!(nothing, Err(Error::Interrupted { .. })));
}

#[test]
fn a_policy_is_what_a_scorer_says_it_is() {
    let plain = Scripted::choosing(vec![seeing("one", 1.0, 1)]);
    assert_eq!(onesided_learn::Scorer::policy(&plain), Policy::Choose);
    // A candidate with rounds is trained through them, whoever chooses.
    let table = table(400, 2);
    learned(&plain, &table.task(), None).unwrap();
    let asked = plain.asked();
    assert!(asked.iter().filter(|one| !one.scored.is_empty()).all(|one| one.stop_after == Some(3)));
    assert!(asked.iter().all(|one| one.stopping == Kinds::default()));
}
