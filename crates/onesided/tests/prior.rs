//! The share of positives: scores that never saw their rows, estimates, and models that were fitted without a prior.

use onesided::data::Stream;
use onesided::learn::{Machine, Task, Views};
use onesided::prior::{CrossFitted, CrossFitting, PriorReport, PriorScorer, PriorSettings};
use onesided::{
    Among, Dataset, Error, Label, Learner, Matrix, Model, ModelChoice, PriorInUnlabeled, Scenario, Signal,
};

/// `n_p` positives around 1.5 in each of two columns, `n_u` unlabeled rows of which a share `mu` is like them and the rest
/// lies around -1.5.
fn two_normals(n_p: usize, n_u: usize, mu: f64, seed: u64) -> Dataset {
    let mut stream = Stream::new(seed, "two normals");
    let hidden = (mu * n_u as f64).round() as usize;
    let values = (0..n_p + n_u)
        .flat_map(|row| [if row < n_p + hidden { 1.5 } else { -1.5 }; 2])
        .map(|center: f64| (center + stream.normal()) as f32)
        .collect();
    let labels = (0..n_p + n_u).map(|row| if row < n_p { Label::Positive } else { Label::Unlabeled });
    dataset(Matrix::new(n_p + n_u, 2, values).unwrap(), labels.collect())
}

fn dataset(matrix: Matrix, labels: Vec<Label>) -> Dataset {
    let names = (0..matrix.cols()).map(|column| ["a", "b"][column].to_string()).collect();
    Dataset::from_scaled(matrix, Some(names)).unwrap().with_labels(labels).unwrap()
}

fn cross_fit(
    data: &Dataset,
    scorer: PriorScorer,
    threads: usize,
    signal: Signal,
) -> Result<CrossFitted, Error> {
    let machine = Machine { threads, ..Machine::default() };
    let task = Task::new(data, false, Scenario::SingleSample, 0, machine).unwrap();
    let fitting = CrossFitting { scorer, ..CrossFitting::default() };
    fitting.run(&task, &Views::new(data), &mut |_| signal)
}

fn estimate(data: &Dataset, scenario: Scenario, settings: PriorSettings) -> Result<PriorReport, Error> {
    Learner::new().scenario(scenario).prior_settings(settings).estimate_prior(data)
}

#[test]
fn no_row_is_scored_by_a_model_that_saw_it() {
    // Labels that no feature knows of: a model that saw a row could tell its label, one that did not cannot.
    let mut stream = Stream::new(3, "noise");
    let values = (0..1_200).map(|_| stream.normal() as f32).collect();
    let labels = (0..600).map(|i| if i % 3 == 0 { Label::Positive } else { Label::Unlabeled }).collect();
    let data = dataset(Matrix::new(600, 2, values).unwrap(), labels);
    for scorer in [PriorScorer::Mix, PriorScorer::Trees, PriorScorer::Mlp, PriorScorer::Linear] {
        let fitted = cross_fit(&data, scorer, 0, Signal::Continue).unwrap();
        // Ties count half: trees that find nothing leave every row at one logit.
        let wins = |p: &f64, u: &f64| {
            if p > u {
                1.0
            } else if p == u {
                0.5
            } else {
                0.0
            }
        };
        let pairs = fitted.positive.iter().flat_map(|p| fitted.unlabeled.iter().map(move |u| wins(p, u)));
        let auc = pairs.sum::<f64>() / (200.0 * 400.0);
        // The standard error of an AUC of 200 against 400 rows is 0.025.
        assert!((auc - 0.5).abs() < 0.09, "{scorer}: {auc}");
    }
}

#[test]
fn scores_are_log_ratios_whichever_fold_they_come_from() {
    // ln[n_p p_p / (n_u p_u)] for p_u = 0.3 p_p + 0.7 p_n and ln p_p/p_n = 3 (x + y).
    let data = two_normals(1_000, 3_000, 0.3, 1);
    let fitted = cross_fit(&data, PriorScorer::Mlp, 0, Signal::Continue).unwrap();
    let features = data.dense().unwrap();
    let truth = |row: &[f32]| {
        let ratio = (3.0 * f64::from(row[0] + row[1])).exp();
        (1_000.0 / 3_000.0 * ratio / (0.3 * ratio + 0.7)).ln()
    };
    let rows: Vec<usize> = (1_000..4_000).collect();
    // Where rows look positive the logit levels off at ln(1 / (3 · 0.3)) = 0.105.
    let errors: Vec<f64> = rows
        .iter()
        .zip(&fitted.unlabeled)
        .filter(|(row, _)| features.row(**row).iter().sum::<f32>() > 1.0)
        .map(|(row, score)| score - truth(features.row(*row)))
        .collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(errors.len() > 500 && mean.abs() < 0.15, "{mean} over {} rows", errors.len());
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let data = two_normals(150, 450, 0.3, 2);
    let run = |threads| cross_fit(&data, PriorScorer::Auto, threads, Signal::Continue).unwrap();
    assert_eq!(run(1), run(3));
    assert_eq!(run(1).scorer, PriorScorer::Mix);
}

#[test]
fn an_observer_can_stop_it() {
    let data = two_normals(100, 300, 0.3, 2);
    let stopped = cross_fit(&data, PriorScorer::Auto, 0, Signal::Abort);
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
}

#[test]
fn the_consensus_finds_the_share_and_its_interval_holds_it() {
    for (seed, mu) in [(1, 0.1), (2, 0.3), (3, 0.7)] {
        let data = two_normals(500, 1_500, mu, seed);
        let report = estimate(&data, Scenario::CaseControl, PriorSettings::quick()).unwrap();
        let consensus = &report.consensus;
        assert!((consensus.mu - mu).abs() < 0.05, "{} for {mu}", consensus.mu);
        assert!(
            consensus.interval.0 <= mu && mu <= consensus.interval.1,
            "{:?} for {mu}",
            consensus.interval
        );
        assert!(consensus.agreement && report.refusals.is_empty(), "{report:?}");
        assert_eq!(
            report.in_population(mu),
            mu,
            "the two priors are one where P and U were drawn separately"
        );
    }
}

#[test]
fn all_estimators_run_on_a_table_with_one_feature() {
    let data = two_normals(60, 200, 0.4, 5);
    let values = data.dense().unwrap().as_slice().iter().step_by(2).copied().collect();
    let data = dataset(Matrix::new(260, 1, values).unwrap(), data.labels().unwrap().to_vec());
    let settings = PriorSettings { resamples: 20, ..PriorSettings::default() };
    let report = estimate(&data, Scenario::SingleSample, settings).unwrap();
    assert!(report.refusals.is_empty(), "{:?}", report.refusals);
    assert!(report.estimates.len() >= 10 && report.consensus.voices.len() == report.estimates.len());
    assert!(report.estimates.iter().all(|e| (0.0..=1.0).contains(&e.mu)), "{:?}", report.estimates);
}

#[test]
fn a_model_fitted_without_a_prior_keeps_the_estimate_and_its_interval() {
    let data = two_normals(300, 900, 0.3, 7);
    let learner = Learner::new().model("linear".parse::<ModelChoice>().unwrap()).epochs(20).seed(1);
    let model = learner.fit(&data).unwrap();
    let about = model.about();
    let estimate = about.prior_estimate.as_ref().unwrap();
    assert_eq!(Some(estimate.mu), about.prior_in_unlabeled);
    assert!((estimate.mu.get() - 0.3).abs() < 0.06 && estimate.agreement, "{estimate:?}");
    assert!(estimate.interval.0 < 0.3 && estimate.interval.1 > 0.3 && estimate.estimates.len() >= 5);
    // π = (300 + μ 900) / 1200.
    let pi = about.class_prior.unwrap().get();
    assert!((pi - (0.25 + 0.75 * estimate.mu.get())).abs() < 1e-12, "{pi}");
    assert_eq!(Model::load_bytes(&model.to_bytes().unwrap()).unwrap().about(), about);
    assert_eq!(learner.fit(&data).unwrap().to_bytes().unwrap(), model.to_bytes().unwrap());
}

#[test]
fn metrics_hold_both_ends_of_the_prior() {
    let data = two_normals(300, 900, 0.3, 7);
    let learner =
        Learner::new().model("linear".parse::<ModelChoice>().unwrap()).epochs(20).learning_rate(0.05);
    let estimated = learner.fit(&data).unwrap();
    let estimate = estimated.about().prior_estimate.clone().unwrap();
    // The same model with the same prior as given: metrics as exact as the prior is taken to be.
    let given = learner.prior_in_unlabeled(estimate.mu).fit(&data).unwrap();
    assert!(given.about().prior_estimate.is_none());
    let wide = estimated.without_negatives(&data, 100, 0).unwrap();
    let narrow = given.without_negatives(&data, 100, 0).unwrap();
    assert_eq!(wide.auc_pu, narrow.auc_pu, "no prior in it");
    // A guess is decided at with caution: fewer rows are called positive.
    assert!(estimated.about().threshold >= given.about().threshold);
    assert!(wide.predicted_positive.value <= narrow.predicted_positive.value);
    assert!(
        estimated
            .about()
            .report
            .warnings
            .iter()
            .any(|text| text.to_string().starts_with("the prior is a guess"))
    );
    assert!(!given.about().report.warnings.iter().any(|text| text.to_string().contains("guess")));
    let range = estimated.probability_range(0.0, Among::Population).unwrap();
    assert!(
        range.0 < 0.5 && range.1 > 0.5 && given.probability_range(0.0, Among::Population).is_none(),
        "{range:?}"
    );
    let (wide, recall) = (wide.precision.unwrap(), wide.recall.value);
    // Precision is μ r / a: at the upper end of μ it is larger by the ratio of the two.
    let [low, high] = estimate.ends().map(PriorInUnlabeled::get);
    let mu = estimate.mu.get();
    assert!(
        recall > 0.0 && wide.high >= (wide.value * high / mu).min(1.0) && wide.low <= wide.value * low / mu,
        "{wide:?}"
    );
}

#[test]
fn what_cannot_be_estimated_is_said_before_training() {
    let data = two_normals(9, 1_000, 0.3, 1);
    let error = Learner::new().fit(&data).unwrap_err().to_string();
    assert!(error.contains("'auto' needs the share of positives"), "{error}");
    assert!(error.contains("9 positive rows are too few"), "{error}");
    // A setting that is wrong is named first, and by its own name.
    let error = Learner::new().epochs(0).fit(&data).unwrap_err().to_string();
    assert!(error.contains("number of epochs"), "{error}");
    let unknown = PriorSettings { estimators: vec!["guess".to_string()], ..PriorSettings::quick() };
    let error = estimate(&data, Scenario::SingleSample, unknown).unwrap_err().to_string();
    assert!(error.starts_with("unknown estimator 'guess'; use plateau, bbe"), "{error}");
}

#[test]
fn a_share_that_few_rows_do_not_tell_is_assumed_and_nothing_that_rests_on_it_is_told() {
    let model = Learner::new().fit(&two_normals(9, 98, 0.3, 1)).unwrap();
    let about = model.about();
    let estimate = about.prior_estimate.as_ref().unwrap();
    assert_eq!((estimate.mu.get(), estimate.interval), (0.01, (0.0, 1.0)));
    let why = "9 positive rows are too few to estimate the prior; at least 10 are needed";
    assert_eq!(estimate.assumed.as_deref(), Some(why));
    assert!(
        about
            .report
            .warnings
            .iter()
            .any(|text| text.to_string().starts_with("the prior is assumed, 0.010 of the"))
    );
    let told: Vec<&str> = about.report.metrics.keys().map(String::as_str).collect();
    assert!(told.contains(&"recall") && !told.iter().any(|name| onesided::rests_on_prior(name)), "{told:?}");
    let (low, high) = model.probability_range(0.0, Among::Population).unwrap();
    assert!(low < 0.5 && high > 0.999, "{low} {high}");
    assert_eq!(Model::load_bytes(&model.to_bytes().unwrap()).unwrap().about(), about);
}

#[test]
fn the_ends_are_honest() {
    // Identical P and U: nearly all may be positive, and nothing is ruled out.
    let same = two_normals(200, 800, 1.0, 1);
    let found = estimate(&same, Scenario::CaseControl, PriorSettings::quick()).unwrap().consensus;
    assert!(found.mu > 0.85 && found.interval.0 < 0.5 && found.interval.1 > 0.99, "{found:?}");
    // P nowhere in U: hardly any are hidden, or the labels were not picked at random; both are said.
    let near = two_normals(200, 800, 0.0, 1);
    let mut values = near.dense().unwrap().into_owned();
    values.as_mut_slice()[..400].iter_mut().for_each(|value| *value += 20.0);
    let apart = dataset(values, near.labels().unwrap().to_vec());
    let found = estimate(&apart, Scenario::CaseControl, PriorSettings::quick()).unwrap().consensus;
    assert!(found.mu < 0.02 && found.interval.1 < 0.1, "{found:?}");
    assert!(found.warnings.iter().any(|text| text.to_string().contains("labels favor some")), "{found:?}");
    // Five of 5,000.
    let few = two_normals(300, 5_000, 0.001, 2);
    let found = estimate(&few, Scenario::CaseControl, PriorSettings::quick()).unwrap().consensus;
    assert!(found.mu < 0.02 && found.interval.0 <= 0.001 && found.interval.1 < 0.1, "{found:?}");
}
