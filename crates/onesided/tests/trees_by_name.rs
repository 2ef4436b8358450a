//! Trees under every name: forests, bags, Elkan and Noto's ways, and scores that only go up or down.

use onesided::classic::Link;
use onesided::data::Stream;
use onesided::{
    At, Dataset, Error, Fitted, Label, Learner, Matrix, Model, PriorInUnlabeled, Scenario, Signal,
};

/// 1,200 rows of three columns: positives (the first 500, of which 300 are labeled) lie a standard deviation and a half higher in
/// each of the first two.
fn simulated() -> (Dataset, Vec<bool>) {
    let mut stream = Stream::new(11, "trees by name");
    let truth: Vec<bool> = (0..1_200).map(|row| row < 500).collect();
    let value = |shift: f64, stream: &mut Stream| (shift + stream.normal()) as f32;
    let values = truth
        .iter()
        .flat_map(|&positive| {
            let shift = if positive { 1.5 } else { 0.0 };
            [value(shift, &mut stream), value(shift, &mut stream), value(0.0, &mut stream)]
        })
        .collect();
    let labels = (0..1_200).map(|row| if row < 300 { Label::Positive } else { Label::Unlabeled }).collect();
    let names = ["a", "b", "c"].map(str::to_string).to_vec();
    let data = Dataset::from_scaled(Matrix::new(1_200, 3, values).unwrap(), Some(names)).unwrap();
    (data.with_labels(labels).unwrap(), truth)
}

/// 200 of 900 unlabeled rows are positive.
fn mu() -> PriorInUnlabeled {
    PriorInUnlabeled::new(200.0 / 900.0).unwrap()
}

fn learner(settings: &[(&str, &str)]) -> Learner {
    settings.iter().fold(Learner::new(), |learner, (name, value)| learner.set(name, value).unwrap())
}

fn auc(scores: &[f32], truth: &[bool]) -> f64 {
    let of = |wanted: bool| scores.iter().zip(truth).filter(move |(_, truth)| **truth == wanted);
    let pairs = of(true).flat_map(|(p, _)| of(false).map(move |(n, _)| (p, n)));
    let (wins, all) = pairs.fold((0.0, 0.0), |(wins, all), (p, n)| {
        (
            wins + if p > n {
                1.0
            } else if p == n {
                0.5
            } else {
                0.0
            },
            all + 1.0,
        )
    });
    wins / all
}

/// Saved, loaded and asked again: the same bytes, the same scores.
fn round_trip(model: &Model, data: &Dataset) {
    let bytes = model.to_bytes().unwrap();
    let loaded = Model::load_bytes(&bytes).unwrap();
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert_eq!(loaded.score(data).unwrap(), model.score(data).unwrap());
}

#[test]
fn forests_and_bags_by_name_learn_explain_and_come_back() {
    let (data, truth) = simulated();
    for (name, method) in [("forest", "naive"), ("extra-trees", "naive"), ("bagged-trees", "naive")] {
        let fit = |threads: &str| {
            let given = learner(&[("model", name), ("threads", threads)]).prior_in_unlabeled(mu());
            given.fit(&data).unwrap()
        };
        let model = fit("1");
        let about = model.about();
        assert_eq!((about.method.as_str(), about.model.as_str()), (method, name));
        // The best possible AUC is Φ(1.5), 0.933.
        let found = auc(&model.score(&data).unwrap(), &truth);
        assert!(found > 0.9, "{name}: {found}");
        let probabilities = model.predict_proba(&data).unwrap();
        let mean = probabilities[300..].iter().map(|&p| f64::from(p)).sum::<f64>() / 900.0;
        assert!((mean - 500.0 / 1_200.0).abs() < 0.15, "{name}: {mean}");
        let parts = model.explainer().unwrap().row(&data, 0, 3).unwrap();
        assert_eq!(parts.len(), 3);
        round_trip(&model, &data);
        let again = fit("3");
        assert_eq!(again.score(&data).unwrap(), model.score(&data).unwrap(), "{name}");
    }
}

#[test]
fn elkan_and_noto_take_trees() {
    let (data, truth) = simulated();
    for (name, weighted) in [("elkan-noto", false), ("elkan-noto-weighted", true)] {
        for scenario in [Scenario::SingleSample, Scenario::CaseControl] {
            let given = learner(&[("method", name), ("model", "trees"), ("hold-out", "0.2")]);
            let given = given.scenario(scenario);
            let model = given.fit(&data).unwrap();
            let Fitted::LinkedTrees(linked) = model.fitted() else { panic!("{:?}", model.fitted()) };
            match (weighted, scenario, linked.link) {
                (true, _, Link::Sigmoid) => {}
                (false, Scenario::SingleSample, Link::LabelFrequency { c }) => {
                    assert_eq!(c, linked.label_frequency);
                }
                (false, Scenario::CaseControl, Link::Odds { factor }) => {
                    let c = linked.label_frequency;
                    assert!((factor - (1.0 - c) / c).abs() < 1e-12);
                }
                other => panic!("{name}: {other:?}"),
            }
            // 300 of 500 positives are labeled. Where classes overlap g never reaches c, so the mean of g is too low.
            let c = linked.label_frequency;
            assert!(c > 0.4 && c < 0.65, "{name}: {c}");
            assert!(auc(&model.score(&data).unwrap(), &truth) > 0.9, "{name}");
            // The prior follows from c.
            let prior = model.about().prior_in_unlabeled.unwrap().get();
            assert!((prior - 240.0 * (1.0 - c) / (c * 720.0)).abs() < 0.05, "{name}: {prior}");
            assert_eq!(model.explainer().unwrap().row(&data, 0, 3).unwrap().len(), 3);
            round_trip(&model, &data);
            // A prior that was given says what c is.
            let told = given.prior_in_unlabeled(mu()).fit(&data).unwrap();
            let Fitted::LinkedTrees(linked) = told.fitted() else { panic!("{:?}", told.fitted()) };
            assert!((linked.label_frequency - 0.6).abs() < 1e-9, "{}", linked.label_frequency);
        }
    }
    let bags = learner(&[("method", "bagging"), ("model", "trees")]).prior_in_unlabeled(mu());
    let bags = bags.fit(&data).unwrap();
    assert_eq!((bags.about().method.as_str(), bags.about().model.as_str()), ("bagging", "bagged-trees"));
}

#[test]
fn models_and_methods_that_do_not_go_together_are_one_sentence() {
    let (data, _) = simulated();
    let refused = |settings: &[(&str, &str)]| learner(settings).fit(&data).unwrap_err().to_string();
    assert!(
        refused(&[("method", "nnpu"), ("model", "forest")])
            .starts_with("the method nnpu cannot take the model forest: it counts labeled rows")
    );
    assert_eq!(
        refused(&[("method", "robust-pu"), ("model", "trees")]),
        "the method robust-pu cannot take the model trees: it changes from epoch to epoch, and trees have none; it goes with \
         networks"
    );
    assert_eq!(
        refused(&[("method", "ldce"), ("model", "trees")]),
        "the method ldce cannot take the model trees: it has its own model; of the classic methods elkan-noto, \
         elkan-noto-weighted and bagging can take trees, and every loss but tedn and robust-pu can"
    );
    assert!(
        refused(&[("method", "elkan-noto"), ("model", "trees"), ("option", "cost=1")]).contains("option is")
    );
    assert!(
        refused(&[("model", "forest"), ("monotone", "a:up")]).contains("the model forest has no use for it")
    );
    assert!(refused(&[("model", "mlp"), ("monotone", "a:up")]).contains("monotone is for boosted trees"));
    assert!(refused(&[("model", "trees"), ("monotone", "aa:up")]).contains("did you mean 'a'?"));
    let few = data.select(&(298..400).collect::<Vec<usize>>());
    let error = learner(&[("method", "elkan-noto"), ("model", "trees")]).fit(&few).unwrap_err().to_string();
    assert!(error.starts_with("elkan-noto needs at least 5 positives, but there are "), "{error}");
}

/// The largest step against the direction when column 0 grows, over rows of all kinds.
fn wrong_way(model: &Model, data: &Dataset) -> f32 {
    let mut worst = 0f32;
    for row in (0..1_200).step_by(150) {
        let base = data.dense().unwrap().row(row).to_vec();
        let values: Vec<f32> = (-40..40).flat_map(|step| [step as f32 / 10.0, base[1], base[2]]).collect();
        let grid = Matrix::new(80, 3, values).unwrap();
        let names = ["a", "b", "c"].map(str::to_string).to_vec();
        let grid = Dataset::from_scaled(grid, Some(names)).unwrap();
        let scores = model.fitted().scores(&grid, onesided::Device::Cpu, 1).unwrap();
        worst = scores.windows(2).fold(worst, |worst, pair| worst.max(pair[1] - pair[0]));
    }
    worst
}

#[test]
fn a_constraint_is_kept_and_saved_and_members_that_cannot_are_named() {
    let (data, _) = simulated();
    // Against the data, where `a` speaks for a positive: nothing but the constraint holds the score down.
    for settings in [
        vec![("model", "trees"), ("monotone", "a:down")],
        vec![("model", "bagged-trees"), ("monotone", "a:down")],
        vec![("method", "elkan-noto-weighted"), ("model", "trees"), ("monotone", "a:down")],
        vec![("method", "auto"), ("effort", "quick"), ("monotone", "a:down")],
    ] {
        let model = learner(&settings).prior_in_unlabeled(mu()).fit(&data).unwrap();
        assert!(wrong_way(&model, &data) <= 0.0, "{settings:?}: {}", wrong_way(&model, &data));
        assert!(model.about().options.contains(&("monotone".to_string(), "a:down".to_string())));
        if settings[0].1 == "auto" {
            let said = model.about().report.notes.join("\n");
            assert!(said.contains("not tried") && said.contains("'linear'"), "{said}");
            assert!(model.about().report.candidates.iter().all(|tried| tried.name.contains("trees")));
        }
    }
    let free = learner(&[("model", "trees")]).prior_in_unlabeled(mu()).fit(&data).unwrap();
    assert!(wrong_way(&free, &data) > 0.0 && free.about().options.is_empty());
}

#[test]
fn progress_of_trees_counts_over_all_folds_and_never_goes_back() {
    let (data, _) = simulated();
    let mut told: Vec<f64> = Vec::new();
    let given = learner(&[("model", "trees"), ("cross-fit", "true"), ("threads", "2")]);
    let fitted = given.prior_in_unlabeled(mu()).fit_with(&data, &mut |progress| {
        if let At::Tree { done, most } = progress.at {
            told.push((progress.run as f64 + done as f64 / most as f64) / progress.runs as f64);
        }
        Signal::Continue
    });
    fitted.unwrap();
    assert!(told.len() > 100 && told.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9));
    assert!(told[0] < 0.01 && *told.last().unwrap() > 0.99, "{} to {:?}", told[0], told.last());
    let stopped = learner(&[("model", "trees")]).prior_in_unlabeled(mu());
    let error = stopped.fit_with(&data, &mut |_| Signal::Abort).unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error}");
    let early = stopped.fit_with(&data, &mut |_| Signal::Finish).unwrap();
    assert!(matches!(early.fitted(), Fitted::Trees(model) if model.trees().len() <= 2));
}
