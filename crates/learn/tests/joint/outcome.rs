//! What a fit gives: the parts of an outcome, what is refused before it begins, and scorers from a function.

use crate::scripted::{Says, Script, Scripted, said, table};
use onesided_data::{Dataset, Label, Matrix, PriorInUnlabeled, Scenario};
use onesided_eval::{ThresholdRule, probability};
use onesided_learn::prior::{
    CrossFitting, PriorScorer, PriorSettings, estimate_prior, estimate_prior_scored,
};
use onesided_learn::{
    At, Config, Effort, Error, Fitted, Info, Kinds, Machine, Observer, OwnModel, OwnScorer, Policy,
    Portfolio, PortfolioMember, Priors, Scorer, Signal, Task, Trainer, Views, Warning, check, learn,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn go_on(_: &onesided_learn::Progress) -> Signal {
    Signal::Continue
}

/// The share of positives among rows that are called so should be what their probabilities say.
#[test]
fn probabilities_add_up_to_the_share_of_positives() {
    let table = table(2_000, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![Script::new("only", Says { signal: 1.2, ..Says::default() })]);
    let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut go_on).unwrap();
    let mean = |scores: &[f32]| {
        let sum: f64 = scores.iter().map(|&score| probability(outcome.calibration.apply(score))).sum();
        sum / scores.len() as f64
    };
    let mu = task.mu().unwrap().get();
    assert!((mean(&outcome.unlabeled) - mu).abs() < 0.03, "{} {mu}", mean(&outcome.unlabeled));
    assert!(mean(&outcome.positive) > mu + 0.2);
    // In the population there are more positives than among the rows without a label, so every logit is moved up.
    let class = task.priors.unwrap().class.get();
    assert!(class > mu && outcome.shift > 0.0);
    let logit = |share: f64| (share / (1.0 - share)).ln();
    assert!((outcome.shift - (logit(class) - logit(mu))).abs() < 1e-9);
    assert_eq!(outcome.priors, task.priors);
}

#[test]
fn a_report_says_how_it_went() {
    let table = table(400, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![Script::new("only", Says::default())]);
    let report = learn(&scorer, &task, &Views::new(task.data), None, &mut go_on).unwrap().report;
    assert_eq!((report.seed(), report.threads, report.device.as_str()), (7, Some(2), "cpu"));
    assert_eq!((report.config, report.resumed_from, report.noise), (None, None, None));
    assert_eq!((report.held_out, report.folds), (task.counts, 5));
    assert!(report.metrics.is_empty() && report.history.is_empty() && report.beside.is_empty());
    assert_eq!(report.candidates.len(), 1);
    assert!(report.candidates[0].chosen && report.candidates[0].weight.is_none());
}

#[test]
fn the_same_seed_gives_the_same_outcome_and_another_one_other_folds() {
    let table = table(400, 2);
    let run = |seed: u64| {
        let task = Task { seed, ..table.task() };
        let scorer = Scripted::choosing(vec![Script::new("only", Says::default())]);
        let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut go_on).unwrap();
        let first = scorer.asked().into_iter().find(|one| one.run.0 == 0).unwrap();
        (outcome.held_out, outcome.out_of_fold, outcome.report.seed, first.scored)
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3).3, run(4).3);
}

#[test]
fn what_cannot_be_learned_from_is_refused_before_anything_is() {
    let table = table(400, 2);
    let task = table.task();
    let scorer = Scripted::choosing(vec![Script::new("only", Says::default())]);
    assert!(check(&scorer, &task, ThresholdRule::Half).is_ok());
    let no_prior = Task { priors: None, ..task.clone() };
    assert!(matches!(check(&scorer, &no_prior, ThresholdRule::Quantile), Err(Error::ThresholdNeedsPrior)));
    let weights = vec![1.0; 400];
    let weighted = Task { weights: Some(&weights), ..task.clone() };
    assert!(matches!(check(&scorer, &weighted, ThresholdRule::Quantile), Err(Error::ThresholdWeights)));
    // A scorer that says nothing of weights and negatives takes neither, with a reason.
    let plain = Plain;
    let refused = check(&plain, &weighted, ThresholdRule::Half).unwrap_err();
    assert!(
        matches!(&refused, Error::NoWeights { method, why } if method == "plain" && why.contains("once"))
    );
    let labels = (0..400).map(|row| if row % 10 == 3 { Label::Negative } else { task.labels[row] });
    let known = table.data.clone().with_labels(labels.collect()).unwrap();
    let known = Task::new(&known, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    let refused = check(&plain, &known, ThresholdRule::Half).unwrap_err();
    assert!(matches!(&refused, Error::NoNegatives { method, .. } if method == "plain"), "{refused}");
    // What needs the truth is not given labels.
    let truth = NeedsTruth;
    let refused = check(&truth, &task, ThresholdRule::Half).unwrap_err();
    assert!(matches!(&refused, Error::NeedsTruth(method) if method == "supervised"), "{refused}");
    assert_eq!(scorer.asked().len(), 0);
}

/// The least that a scorer is.
struct Plain;

impl Scorer for Plain {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("plain"),
            model: Cow::Borrowed("nothing"),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: false,
        }
    }

    fn open<'d>(&'d self, _: &'d Task<'_>, _: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Err(Error::NeedsLabels)
    }
}

struct NeedsTruth;

impl Scorer for NeedsTruth {
    fn info(&self) -> Info {
        Info { method: Cow::Borrowed("supervised"), needs_truth: true, ..Plain.info() }
    }

    fn open<'d>(&'d self, _: &'d Task<'_>, _: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Err(Error::NeedsLabels)
    }
}

#[test]
fn the_least_of_a_scorer_has_one_candidate_and_is_chosen() {
    let candidates = Plain.candidates();
    assert_eq!((candidates.len(), candidates[0].name.as_str()), (1, "plain"));
    assert_eq!((Plain.policy(), candidates[0].rounds, candidates[0].usual), (Policy::Choose, None, 0.0));
    let table = table(400, 2);
    let refused = learn(&Plain, &table.task(), &Views::new(&table.data), None, &mut go_on);
    assert!(matches!(refused, Err(Error::NeedsLabels)));
}

/// The mean of the labeled positives; the nearer, the higher.
struct Center(f32);

impl OwnModel for Center {
    fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
        Ok(rows.dense()?.as_slice().iter().map(|x| -(x - self.0).abs()).collect())
    }
}

fn center(data: &Dataset) -> f32 {
    let (labels, values) = (data.labels().unwrap(), data.dense().unwrap());
    let positive: Vec<f32> = values
        .as_slice()
        .iter()
        .zip(labels)
        .filter(|(_, label)| **label == Label::Positive)
        .map(|(x, _)| *x)
        .collect();
    positive.iter().sum::<f32>() / positive.len() as f32
}

/// Positives are around 2, negatives around 0 and 4.
fn around_two(rows: usize) -> (Dataset, Vec<bool>) {
    let truth: Vec<bool> = (0..rows).map(|row| row.is_multiple_of(3)).collect();
    let noise = |row: usize| ((row * 7919) % 1000) as f32 / 1000.0 - 0.5;
    let place = |row: usize| if truth[row] { 2.0 } else { (row % 2) as f32 * 4.0 };
    let values = (0..rows).map(|row| place(row) + 1.6 * noise(row)).collect();
    let label =
        |row: usize| if truth[row] && row.is_multiple_of(2) { Label::Positive } else { Label::Unlabeled };
    let data = Dataset::from_scaled(Matrix::new(rows, 1, values).unwrap(), None).unwrap();
    (data.with_labels((0..rows).map(label).collect()).unwrap(), truth)
}

#[test]
fn a_function_that_learns_is_a_scorer() {
    let (data, truth) = around_two(600);
    let task = Task::new(&data, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    let priors =
        Priors::from_unlabeled(PriorInUnlabeled::new(0.2).unwrap(), task.scenario, task.drawn, false);
    let task = Task { priors: Some(priors), ..task };
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let scorer = OwnScorer::new("nearest center", move |data, _seed| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Center(center(data))) as Arc<dyn OwnModel>)
    });
    assert!(scorer.takes_negatives().is_ok() && scorer.takes_weights().is_ok());
    let outcome = learn(&scorer, &task, &Views::new(&data), None, &mut go_on).unwrap();
    // Five folds, and all rows.
    assert_eq!(calls.load(Ordering::SeqCst), 6);
    assert_eq!(
        (outcome.described.as_str(), outcome.model.as_str()),
        ("nearest center", "a scorer of your own")
    );
    let scores = said(&outcome.fitted, &data);
    let right = scores
        .iter()
        .zip(&truth)
        .filter(|(score, truth)| (outcome.calibration.apply(**score) + outcome.shift > 0.0) == **truth);
    assert!(right.count() > 520);
    // What it refuses is the fit's refusal.
    let refuses = OwnScorer::new("refuses", |_, _| Err(Error::NeedsLabels));
    assert!(matches!(learn(&refuses, &task, &Views::new(&data), None, &mut go_on), Err(Error::NeedsLabels)));
}

/// A portfolio of scorers of one's own, and of one that cannot begin.
#[test]
fn a_portfolio_blends_any_scorers_and_names_those_that_cannot_begin() {
    let (data, _) = around_two(600);
    let task = Task::new(&data, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    let priors =
        Priors::from_unlabeled(PriorInUnlabeled::new(0.2).unwrap(), task.scenario, task.drawn, false);
    let task = Task { priors: Some(priors), ..task };
    let own = |name: &str, offset: f32| {
        OwnScorer::new(name, move |data: &Dataset, _| {
            Ok(Arc::new(Center(center(data) + offset)) as Arc<dyn OwnModel>)
        })
    };
    let member = |name: &str, scorer: Box<dyn Scorer>| PortfolioMember {
        name: name.to_string(),
        scorer,
        reduction: None,
        rounds: Some(0),
        is_naive: false,
        is_monotone: false,
        usual: 0.0,
    };
    let members = vec![
        member("broken", Box::new(Plain)),
        member("left", Box::new(own("left", -0.3))),
        member("right", Box::new(own("right", 0.3))),
    ];
    let portfolio =
        Portfolio { members, not_monotone: Vec::new(), single: false, fast: false, effort: Effort::Quick };
    let trainer_views = Views::new(&data);
    let outcome = learn(&portfolio, &task, &trainer_views, None, &mut go_on).unwrap();
    assert_eq!((outcome.report.folds, outcome.model.as_str()), (3, "ensemble"));
    let left_out = Warning::LeftOut { name: "broken".to_string(), why: Error::NeedsLabels.to_string() };
    assert_eq!(outcome.report.warnings, [left_out]);
    let weights: Vec<f64> = outcome.report.candidates.iter().map(|one| one.weight.unwrap()).collect();
    assert!(weights.len() == 2 && weights.iter().all(|&weight| weight > 0.1), "{weights:?}");
    let Fitted::Ensemble(members) = &outcome.fitted else { panic!("{:?}", outcome.fitted) };
    assert_eq!(members.len(), 6);
    // Its trainer knows the members by name.
    let trainer = portfolio.open(&task, &trainer_views).unwrap();
    assert!(trainer.side_by_side() && trainer.device() == "cpu");
    let all = task.split(&(0..600).collect::<Vec<usize>>());
    let subset = onesided_learn::Subset {
        training: &all,
        stopping: &Kinds::default(),
        scored: &[],
        stop_after: Some(0),
        seed: 1,
        threads: 1,
        run: Default::default(),
    };
    let mut quiet = go_on;
    let mut fit = |name: &str| {
        let observer: Observer = &mut quiet;
        trainer.fit(&subset, &onesided_learn::Candidate::only(name), observer)
    };
    assert_eq!(fit("left").unwrap().described, "left");
    assert!(matches!(fit("broken"), Err(Error::NotOpened(why)) if why == Error::NeedsLabels.to_string()));
    assert!(fit("nobody").is_err());
}

#[test]
fn members_follow_from_the_rows_and_the_effort() {
    let (table, _) = around_two(300);
    let names = |data: &Dataset, config: &Config| -> Vec<String> {
        Portfolio::new(data, config).unwrap().members.into_iter().map(|member| member.name).collect()
    };
    let effort = |effort: Effort| {
        let mut config = Config::default();
        config.effort = Some(effort);
        config
    };
    let (quick, normal) = (names(&table, &effort(Effort::Quick)), names(&table, &Config::default()));
    assert_eq!((quick.len(), normal.len()), (6, 18));
    assert_eq!(quick, normal[..6]);
    assert_eq!(names(&table, &effort(Effort::Thorough)), normal);
    let mut once = normal.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), normal.len());
    // Texts have lines and networks, and the line is the plain alternative.
    let texts: Vec<String> = (0..40).map(|row| format!("word{} and word{}", row % 7, row % 5)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let data = Dataset::from_texts(&texts, &onesided_data::TextOptions::default()).unwrap();
    let portfolio = Portfolio::new(&data, &Config::default()).unwrap();
    assert!(portfolio.members.iter().all(|one| one.name.contains("linear") || one.name.contains("network")));
    let naive: Vec<&str> =
        portfolio.members.iter().filter(|one| one.is_naive).map(|one| one.name.as_str()).collect();
    assert_eq!(naive, ["linear"]);
    // Folds follow from the effort, and what stops by rows is known by its candidate.
    for (wanted, folds) in [(Effort::Quick, 3), (Effort::Normal, 5), (Effort::Thorough, 10)] {
        let portfolio = Portfolio::new(&table, &effort(wanted)).unwrap();
        assert!(matches!(portfolio.policy(), Policy::Blend(blend) if blend.folds == folds && !blend.single));
    }
    let portfolio = Portfolio::new(&table, &Config::default()).unwrap();
    let by_rows: Vec<String> =
        portfolio.candidates().into_iter().filter(|one| one.rounds.is_none()).map(|one| one.name).collect();
    assert_eq!(by_rows, ["collective network"]);
}

#[test]
fn efforts_come_back_by_their_names() {
    for effort in [Effort::Quick, Effort::Normal, Effort::Thorough] {
        assert_eq!(effort.to_string().parse::<Effort>().unwrap(), effort);
    }
    let refused = "slow".parse::<Effort>().unwrap_err().to_string();
    assert_eq!(refused, "unknown effort 'slow'; use quick, normal or thorough");
}

fn linear() -> PriorSettings {
    let cross_fitting = CrossFitting { scorer: PriorScorer::Forest, folds: 3 };
    PriorSettings { cross_fitting, resamples: 20, ..PriorSettings::quick() }
}

#[test]
fn the_share_is_estimated_from_rows_that_each_model_did_not_see() {
    let (data, truth) = around_two(900);
    let task = Task::new(&data, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    let (mut folds, mut estimators) = (Vec::new(), 0);
    let observed = estimate_prior_scored(&task, &Views::new(&data), &linear(), &mut |progress| {
        match progress.at {
            At::Fold { done, all, begun } => folds.push((done as f64 + begun, all)),
            At::Estimator(_) => estimators += 1,
            _ => {}
        }
        Signal::Continue
    });
    let (report, scores) = observed.unwrap();
    let hidden =
        task.labels.iter().zip(&truth).filter(|(label, truth)| **label == Label::Unlabeled && **truth);
    let mu = hidden.count() as f64 / task.counts.unlabeled as f64;
    assert!(report.answer.interval.0 < mu && mu < report.answer.bound, "{mu} {:?}", report.answer);
    assert_eq!((report.scorer, scores.scorer), (PriorScorer::Forest, PriorScorer::Forest));
    assert_eq!((scores.logits.len(), scores.positive.len()), (900, task.counts.positive));
    assert_eq!(estimators, report.estimates.len() + report.refusals.len());
    assert!(folds.iter().all(|(_, all)| *all == 3) || folds.is_empty());
    // The same again, without the scores.
    assert_eq!(estimate_prior(&task, &Views::new(&data), &linear(), &mut go_on).unwrap(), report);
}

#[test]
fn whoever_interrupts_an_estimate_has_none() {
    let (data, _) = around_two(900);
    let task = Task::new(&data, false, Scenario::SingleSample, 7, Machine::default()).unwrap();
    for signal in [Signal::Finish, Signal::Abort] {
        for threads in [1, 4] {
            let task = Task { machine: Machine { threads, ..Machine::default() }, ..task.clone() };
            let stopped = estimate_prior(&task, &Views::new(&data), &linear(), &mut |_| signal);
            assert!(matches!(stopped, Err(Error::Interrupted { .. })), "{signal:?} on {threads}");
        }
    }
    // Names that no estimator has are refused before any work.
    let settings = PriorSettings { estimators: vec!["guess".to_string()], ..linear() };
    let mut asked = 0;
    let refused = estimate_prior(&task, &Views::new(&data), &settings, &mut |_| {
        asked += 1;
        Signal::Continue
    });
    assert!(refused.is_err() && asked == 0);
}
