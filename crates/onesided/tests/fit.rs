//! What `fit` refuses, chooses and reports.

use onesided::data::{Pictures, digits, hide};
use onesided::eval::ThresholdRule;
use onesided::{
    At, ClassPrior, Dataset, Device, Error, Label, Learner, Matrix, Model, ModelChoice, PriorInUnlabeled,
    Reduction, Scenario, Signal,
};

fn even() -> Vec<bool> {
    digits().labels.iter().map(|digit| digit % 2 == 0).collect()
}

/// The digits with some of the even ones hidden.
fn data(hidden_fraction: f64) -> Dataset {
    let names = (0..64).map(|pixel| format!("pixel{pixel}")).collect();
    let data = Dataset::from_scaled(digits().images, Some(names)).unwrap();
    data.with_labels(hide(&even(), hidden_fraction, 0).unwrap()).unwrap()
}

/// The same as pictures.
fn pictures(hidden_fraction: f64) -> Dataset {
    let bytes = digits().images.as_slice().iter().map(|&x| (x * 16.0).clamp(0.0, 255.0) as u8).collect();
    let data = Dataset::from_pictures(Pictures { shape: "1x8x8".parse().unwrap(), bytes }).unwrap();
    data.with_labels(hide(&even(), hidden_fraction, 0).unwrap()).unwrap()
}

fn rows_of(data: &Dataset, wanted: Label) -> Dataset {
    let labels = data.labels().unwrap();
    let rows: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == wanted).collect();
    data.select(&rows)
}

fn quick() -> Learner {
    Learner::new().model("linear".parse::<ModelChoice>().unwrap()).learning_rate(0.05).epochs(5)
}

fn prior(value: f64) -> ClassPrior {
    ClassPrior::new(value).unwrap()
}

fn refusal(learner: Learner) -> String {
    learner.fit(&data(0.5)).unwrap_err().to_string()
}

#[test]
fn the_prior_is_estimated_where_it_is_needed() {
    // 446 of the 891 even digits are hidden among 1352 rows: μ = 0.330.
    for method in ["collective", "nnpu"] {
        let model = quick().method(method).fit(&data(0.5)).unwrap();
        let estimate = model.about().prior_estimate.clone().unwrap();
        assert!((estimate.mu.get() - 0.330).abs() < 0.04, "{method}: {estimate:?}");
    }
    let without = quick().method("naive").fit(&data(0.5)).unwrap();
    assert_eq!((without.about().prior_in_unlabeled, without.about().prior_estimate.clone()), (None, None));
}

#[test]
fn an_impossible_prior_is_refused_with_the_numbers() {
    // 891 even digits, half of them (446 after rounding) hidden: 445 of 1797 rows are labeled.
    let message = refusal(quick().prior(prior(0.2)));
    assert!(
        message.contains("a class prior of 0.2 is impossible in the single-sample scenario"),
        "{message}"
    );
    assert!(message.contains("445 of 1797"), "{message}");
    let learner = quick().prior(prior(0.2)).scenario(Scenario::CaseControl).epochs(1);
    assert!(learner.fit(&data(0.5)).is_ok());
}

#[test]
fn settings_are_checked_at_the_door() {
    let given = || quick().prior(prior(0.5));
    assert!(refusal(given().method("colective")).contains("did you mean 'collective'?"));
    assert!(refusal(given().method("supervised")).contains("learns from true labels"));
    assert!(refusal(given().epochs(0)).contains("the number of epochs must be at least 1"));
    assert!(
        refusal(given().hold_out(1.5))
            .contains("share held out must be strictly between 0 and 1, but is 1.5")
    );
    assert!(refusal(given().method("nnpu").gamma(2.0)).contains("gamma"));
    let message = refusal(given().model("cnn".parse::<ModelChoice>().unwrap()));
    assert!(message.contains("the model cnn takes pictures, but the rows are tables"), "{message}");
    let mut holes = digits().images;
    holes.as_mut_slice()[65] = f32::NAN;
    let message = Dataset::from_scaled(holes, None).unwrap_err().to_string();
    assert!(message.contains("column 'x1', row 2: NaN"), "{message}");
}

#[test]
fn both_priors_are_recorded_and_agree() {
    let data = data(0.5);
    let counts = data.counts().unwrap();
    let by_class = quick().prior(prior(0.5)).fit(&data).unwrap();
    let mu = (0.5 * 1797.0 - counts.positive as f64) / counts.unlabeled as f64;
    let about = by_class.about();
    assert!((about.prior_in_unlabeled.unwrap().get() - mu).abs() < 1e-12);
    // μ -> π moves the odds by π (1 - μ) / ((1 - π) μ), here (1 - μ) / μ.
    assert!((about.shift - ((1.0 - mu) / mu).ln()).abs() < 1e-12);
    let by_mu = quick().prior_in_unlabeled(PriorInUnlabeled::new(mu).unwrap()).fit(&data).unwrap();
    assert!((by_mu.about().class_prior.unwrap().get() - 0.5).abs() < 1e-12);
}

#[test]
fn two_reductions_compete_and_both_numbers_are_told() {
    let report = quick().prior(prior(0.5)).fit(&data(0.5)).unwrap().about().report.clone();
    let names: Vec<&str> = report.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    assert_eq!(names, ["sum-of-means", "prior-weighted"]);
    let risk = |i: usize| report.candidates[i].risk.unwrap();
    let second_leads = risk(1) + report.noise.unwrap() < risk(0);
    assert_eq!(report.candidates[1].chosen, second_leads, "{}", report.choice());
    assert!(report.choice().starts_with("chose "));
    // Small data: five parts held out in turn, then all rows until the middle of the five best epochs.
    assert_eq!(report.folds, 5);
    assert_eq!(Some(report.held_out), data(0.5).counts());
    assert_eq!(report.history.len(), report.chosen().unwrap().best_epoch);
    assert!(report.metrics.contains_key("accuracy") && report.metrics.contains_key("auc"));
}

#[test]
fn elicited_methods_take_reductions_and_the_log_one_is_the_collective_loss() {
    let fit = |method: &str, reduction: Reduction| {
        let learner = quick().prior(prior(0.5)).method(method).reduction(reduction).hold_out(0.2);
        learner.fit(&data(0.5)).unwrap()
    };
    let square = fit("elicited:square", Reduction::PriorWeighted);
    assert!(square.about().objective.contains("prior-weighted"), "{}", square.about().objective);
    let images = data(0.5);
    let scores = |method| fit(method, Reduction::SumOfMeans).score(&images).unwrap();
    let (log, collective) = (scores("elicited:log"), scores("collective"));
    let gap = log.iter().zip(&collective).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(gap < 1e-3, "{gap}");
}

#[test]
fn held_out_probabilities_average_to_the_prior_in_unlabeled() {
    // All rows of U, not only the held-out ones: calibration holds up to the noise of a fifth of them.
    let data = data(0.5);
    let model = quick().prior(prior(0.5)).epochs(30).fit(&data).unwrap();
    let about = model.about();
    let scores = model.score(&rows_of(&data, Label::Unlabeled)).unwrap();
    let at_mu = |score: &f32| onesided::eval::probability(f64::from(*score) - about.shift);
    let mean = scores.iter().map(at_mu).sum::<f64>() / scores.len() as f64;
    let mu = about.prior_in_unlabeled.unwrap().get();
    assert!((mean - mu).abs() < 0.03, "mean probability {mean}, prior in unlabeled {mu}");
}

#[test]
fn naive_works_without_a_prior_and_says_what_its_probability_means() {
    let model = quick().method("naive").fit(&data(0.5)).unwrap();
    let about = model.about();
    assert_eq!((about.class_prior, about.shift, about.calibration.slope), (None, 0.0, 1.0));
    assert!(
        about.report.warnings.iter().any(|warning| warning.to_string().contains("those of being labeled"))
    );
    let rule = quick().method("naive").threshold(ThresholdRule::Quantile);
    assert!(refusal(rule).contains("works without the share of positives"));
}

#[test]
fn few_positives_are_warned_of_and_one_is_refused() {
    let few = data(0.98);
    assert_eq!(few.counts().unwrap().positive, 18);
    let model = quick().prior(prior(0.5)).fit(&few).unwrap();
    let warnings = &model.about().report.warnings;
    assert!(warnings.iter().any(|w| w.to_string().contains("there are only 18 positives")), "{warnings:?}");
    let one = data(0.999);
    let message = quick().prior(prior(0.5)).fit(&one).unwrap_err().to_string();
    assert!(message.contains("1 positive cannot be split in two"), "{message}");
}

#[test]
fn supervised_learns_from_the_truth() {
    let truth = Dataset::from_scaled(digits().images, None).unwrap().with_truth(even()).unwrap();
    let model = quick().method("supervised").epochs(30).fit(&truth).unwrap();
    let about = model.about();
    assert_eq!((about.method.as_str(), about.prior_in_unlabeled, about.shift), ("supervised", None, 0.0));
    assert!((about.class_prior.unwrap().get() - 891.0 / 1797.0).abs() < 1e-12);
    assert!(about.report.metrics["accuracy"].value > 0.85, "{:?}", about.report.metrics["accuracy"]);
}

#[test]
fn an_observer_can_give_up() {
    let mut calls = 0;
    let error = quick()
        .prior(prior(0.5))
        .fit_with(&data(0.5), &mut |progress| {
            assert_eq!((progress.name, progress.run, progress.runs), ("sum-of-means", 0, 11));
            calls += 1;
            Signal::from(calls < 3)
        })
        .unwrap_err();
    assert!(matches!(error, Error::Interrupted { checkpoint: None, .. }), "{error}");
    assert_eq!(calls, 3);
}

#[test]
fn an_observer_can_stop_and_keep_the_best_so_far() {
    let even = even();
    let right = |epochs: usize| {
        let data = data(0.2);
        let learner = quick().prior(prior(0.496)).epochs(40).hold_out(0.2);
        let stop_at = |progress: &onesided::Progress| match progress.at {
            At::Batch(now) if now.epoch > epochs => Signal::Finish,
            _ => Signal::Continue,
        };
        let model = learner.fit_with(&data, &mut |progress| stop_at(progress)).unwrap();
        let predicted = model.predict(&data).unwrap();
        assert!(Model::load_bytes(&model.to_bytes().unwrap()).is_ok());
        // One candidate is enough once it was said to finish.
        assert_eq!(model.about().report.candidates.len(), if epochs < 40 { 1 } else { 2 });
        predicted.iter().zip(&even).filter(|(predicted, truth)| predicted == truth).count() as f64 / 1797.0
    };
    assert!(right(2) > 0.8 && right(40) > 0.85, "{} {}", right(2), right(40));
}

#[test]
fn a_resumed_fit_says_so_and_gives_the_same_model() {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("resumed.checkpoint");
    let (data, learner) = (data(0.5), quick().prior(prior(0.5)));
    let whole = learner.fit(&data).unwrap();
    assert_eq!(whole.about().report.resumed_from, None);
    let learner = learner.checkpoint(path.clone());
    // Stops in the third epoch of the second of eleven runs: five epochs are done, then two.
    let epoch = |progress: &onesided::Progress| match progress.at {
        At::Batch(now) => now.epoch,
        _ => 0,
    };
    let cut = learner.fit_with(&data, &mut |p| Signal::from((p.run, epoch(p)) < (1, 3))).unwrap_err();
    assert!(matches!(cut, Error::Interrupted { checkpoint: Some(_), .. }), "{cut}");
    let mut told = Vec::new();
    let resumed = learner
        .fit_with(&data, &mut |progress| {
            assert_eq!(progress.device, "cpu");
            told.push((progress.run, progress.resumed_from));
            Signal::Continue
        })
        .unwrap();
    // The first run was done, so the first batch seen is one of the second.
    assert_eq!((told[0], told.last().unwrap().1), ((1, Some(7)), Some(7)));
    assert_eq!(resumed.about().report.resumed_from, Some(7));
    assert_eq!(resumed.to_bytes().unwrap(), whole.to_bytes().unwrap());
}

#[test]
fn crops_need_images_and_are_recorded() {
    let crops = || quick().prior(prior(0.5)).augment(Some("crop+flip".parse().unwrap()));
    let table = refusal(crops());
    assert!(table.contains("augment is for networks on pictures"), "{table}");
    let fit = |learner: Learner| learner.fit(&pictures(0.5)).unwrap();
    let (moved, still) = (fit(crops()), fit(quick().prior(prior(0.5))));
    assert_eq!(moved.about().report.config.as_ref().unwrap().augment.to_string(), "crop+flip");
    let weights = |model: &Model| model.fitted().network().unwrap().1.clone();
    assert_ne!(weights(&moved), weights(&still));
}

#[test]
fn small_networks_stay_on_the_cpu_and_say_so() {
    let learner = quick().prior(prior(0.5)).device(Device::Auto);
    let model = learner.fit(&data(0.5)).unwrap();
    let report = &model.about().report;
    assert_eq!((report.device.as_str(), report.config.as_ref().unwrap().device), ("cpu", Device::Cpu));
    let few = data(0.5).select(&[0, 1]);
    let auto = model.clone().on_device(Device::Auto);
    assert_eq!(auto.device_for(2), Device::Cpu);
    assert_eq!(auto.score(&few).unwrap(), model.score(&few).unwrap());
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_gpu_that_this_build_cannot_use_is_refused() {
    let message = refusal(quick().prior(prior(0.5)).device(Device::Cuda(0)));
    assert!(message.contains("no CUDA support"), "{message}");
    let model = quick().prior(prior(0.5)).fit(&data(0.5)).unwrap().on_device(Device::Cuda(1));
    let message = model.score(&data(0.5)).unwrap_err().to_string();
    assert!(message.contains("no CUDA support"), "{message}");
}

#[test]
fn other_thresholds_move_the_decision() {
    let data = data(0.5);
    let share = |rule| {
        let model = quick().prior(prior(0.5)).epochs(20).threshold(rule).fit(&data).unwrap();
        let predicted = model.predict(&rows_of(&data, Label::Unlabeled)).unwrap();
        let mu = model.about().prior_in_unlabeled.unwrap().get();
        (predicted.iter().filter(|&&positive| positive).count() as f64 / predicted.len() as f64, mu)
    };
    let (quantile, mu) = share(ThresholdRule::Quantile);
    assert!((quantile - mu).abs() < 0.06, "{quantile} predicted positive, prior {mu}");
    assert!(share(ThresholdRule::MaxPuAccuracy).0 > 0.0);
}

#[test]
fn pusb_cuts_by_rank_and_says_what_its_numbers_assume() {
    let data = data(0.5);
    let fit = |learner: Learner| learner.method("pusb").prior(prior(0.5)).fit(&data).unwrap();
    let model = fit(quick());
    assert_eq!(model.about().threshold_rule, ThresholdRule::Quantile);
    assert!(
        model
            .about()
            .report
            .warnings
            .iter()
            .any(|warning| warning.to_string().contains("assumes labels at random"))
    );
    let half = fit(quick().threshold(ThresholdRule::Half));
    assert_eq!((half.about().threshold_rule, half.about().threshold), (ThresholdRule::Half, 0.5));
}

#[test]
fn tedn_learns_without_a_share_and_is_calibrated_at_an_estimate() {
    let model = quick().method("tedn").epochs(12).fit(&data(0.5)).unwrap();
    let estimate = model.about().prior_estimate.as_ref().expect("an estimate");
    assert!(estimate.mu.get() > 0.0);
    let warnings = &model.about().report.warnings;
    assert!(
        !warnings.iter().any(|warning| warning.to_string().contains("those of being labeled")),
        "{warnings:?}"
    );
}

#[test]
fn rows_of_another_encoding_are_refused_at_prediction() {
    let model = quick().prior(prior(0.5)).fit(&data(0.5)).unwrap();
    let other = Dataset::from_scaled(Matrix::new(1, 2, vec![0.0; 2]).unwrap(), None).unwrap();
    let message = model.score(&other).unwrap_err().to_string();
    assert!(message.contains("encoded by another encoding than the model's"), "{message}");
    let narrow =
        model.encoding().encode_matrix(Matrix::new(1, 2, vec![0.0; 2]).unwrap()).unwrap_err().to_string();
    assert!(narrow.contains("takes 64 features, but the matrix has 2 columns"), "{narrow}");
}

#[test]
fn every_objective_trains_trees_too() {
    for method in ["collective", "nnpu", "naive"] {
        let learner =
            Learner::new().method(method).prior(prior(0.496)).model(ModelChoice::Trees).hold_out(0.2);
        let data = data(0.3);
        let model = learner.fit(&data).unwrap();
        let predicted = model.predict(&data).unwrap();
        let right = predicted.iter().zip(even()).filter(|(predicted, truth)| *predicted == truth).count();
        assert!(right as f64 > 0.9 * 1797.0, "{method}: {right}");
        let bytes = model.to_bytes().unwrap();
        let loaded = Model::load_bytes(&bytes).unwrap();
        assert_eq!(loaded.score(&data).unwrap(), model.score(&data).unwrap());
        assert_eq!(learner.fit(&data).unwrap().to_bytes().unwrap(), bytes, "{method}");
    }
}

#[test]
fn models_and_learners_cross_threads() {
    fn both<T: Send + Sync>() {}
    both::<Model>();
    both::<Learner>();
    both::<Dataset>();
    both::<Error>();
}
