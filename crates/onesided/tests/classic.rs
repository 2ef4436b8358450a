//! Classic systems through the learner: same rows held out, probabilities, metrics and file as for networks.

use onesided::classic::systems::weighted_lr::WeightedLr;
use onesided::data::{Stream, TextOptions, Weighting};
use onesided::{
    Dataset, Encoding, Label, Learner, Matrix, Method, Model, ModelChoice, PriorInUnlabeled, Scenario,
    methods,
};

/// 900 rows of three columns around 8 (positives) or 5 with standard deviation 1: 300 labeled positives, and of the 600
/// unlabeled rows 200 are positive. The Bayes error is about Φ(-2.6), half a percent.
fn simulated() -> (Dataset, Vec<bool>) {
    let mut stream = Stream::new(7, "simulated");
    let truth: Vec<bool> = (0..900).map(|i| i < 500).collect();
    let mut value = |center: f64| (center + stream.normal()).max(0.0) as f32;
    let values = truth.iter().flat_map(|&t| [(); 3].map(|()| value(if t { 8.0 } else { 5.0 }))).collect();
    (dataset(values, 300), truth)
}

/// Three columns, the first rows labeled.
fn dataset(values: Vec<f32>, labeled: usize) -> Dataset {
    let labels = (0..900).map(|i| if i < labeled { Label::Positive } else { Label::Unlabeled }).collect();
    let names = ["a", "b", "c"].map(str::to_string).to_vec();
    let data = Dataset::from_scaled(Matrix::new(900, 3, values).unwrap(), Some(names)).unwrap();
    data.with_labels(labels).unwrap()
}

fn third() -> PriorInUnlabeled {
    PriorInUnlabeled::new(1.0 / 3.0).unwrap()
}

fn classic_of(model: &Model) -> Option<&onesided::classic::ClassicModel> {
    model.fitted().classic()
}

fn classic() -> Vec<&'static str> {
    let system = |method: &Method| match method {
        Method::System(info) => Some(info.name),
        Method::Auto | Method::Objective(_) => None,
    };
    methods().iter().filter_map(system).collect()
}

#[test]
fn every_system_learns_saves_itself_and_repeats_itself() {
    let (data, truth) = simulated();
    for name in classic() {
        let mut learner = Learner::new().method(name).prior_in_unlabeled(third());
        if name == "genpu" {
            learner = learner.option("steps", "300");
        }
        let model = learner.fit(&data).unwrap();
        let bytes = model.to_bytes().unwrap();
        assert_eq!(learner.fit(&data).unwrap().to_bytes().unwrap(), bytes, "{name}");
        let loaded = Model::load_bytes(&bytes).unwrap();
        assert_eq!((loaded.about(), classic_of(&loaded)), (model.about(), classic_of(&model)), "{name}");
        assert_eq!(loaded.score(&data).unwrap(), model.score(&data).unwrap(), "{name}");
        let predicted = loaded.predict(&data).unwrap();
        let right = predicted.iter().zip(&truth).filter(|(p, t)| p == t).count() as f64 / 900.0;
        // Naive Bayes sees proportions of the columns, which tell these classes apart no better than chance. Elkan and
        // Noto's probability of being labeled levels off, which a logistic curve cannot.
        let least = match name {
            "s-em" => 0.3,
            _ if name.starts_with("elkan-noto") => 0.95,
            _ => 0.97,
        };
        assert!(right > least, "{name}: {right}");
        let metrics = &model.about().report.metrics;
        assert!(metrics.contains_key("precision") && metrics.contains_key("auc"), "{name}");
        assert_eq!(model.about().report.folds, 5, "{name}");
    }
}

#[test]
fn probabilities_without_a_theory_are_calibrated_at_the_prior() {
    let (data, _) = simulated();
    for name in ["weighted-lr", "biased-svm", "bagging", "roc-svm", "ldce", "puld"] {
        let learner = Learner::new().method(name).prior_in_unlabeled(third()).scenario(Scenario::CaseControl);
        let q = learner.fit(&data).unwrap().predict_proba(&data).unwrap();
        let mean = q[300..].iter().map(|&q| f64::from(q)).sum::<f64>() / 600.0;
        // Fitted on the scores of other folds, so not to the last digit.
        assert!((mean - 1.0 / 3.0).abs() < 0.02, "{name}: {mean}");
    }
}

#[test]
fn elkan_noto_brings_its_own_prior_and_the_others_get_an_estimate() {
    let (data, _) = simulated();
    let own = Learner::new().method("elkan-noto").fit(&data).unwrap();
    let mu = own.about().prior_in_unlabeled.unwrap().get();
    assert!((mu - 1.0 / 3.0).abs() < 0.08, "{mu}");
    assert!(own.about().prior_estimate.is_none());
    let model = Learner::new().method("weighted-lr").fit(&data).unwrap();
    let estimate = model.about().prior_estimate.clone().unwrap();
    assert!((estimate.mu.get() - 1.0 / 3.0).abs() < 0.08, "{estimate:?}");
    // The estimate serves the probabilities; the cost is chosen as the paper does, without it.
    let given = Learner::new().method("weighted-lr").prior_estimate(estimate).fit(&data).unwrap();
    assert_eq!(classic_of(&given), classic_of(&model));
}

#[test]
fn options_reach_the_system_and_the_file() {
    let (data, _) = simulated();
    let learner = Learner::new().method("weighted-lr").prior_in_unlabeled(third()).option("cost", "0.5");
    let model = learner.fit(&data).unwrap();
    assert_eq!(classic_of(&model).unwrap().chosen, [("cost".to_string(), 0.5)]);
    assert_eq!(model.about().options, [("cost".to_string(), "0.5".to_string())]);
    assert_eq!(model.about().objective, "weighted-lr (cost 0.5)");
    let wrong = Learner::new().method("collective").prior_in_unlabeled(third()).option("cost", "1");
    let message = wrong.fit(&data).unwrap_err().to_string();
    assert!(message.starts_with("option is for classic systems, and the method collective"), "{message}");
    // The same by the fields of its type.
    let typed = Learner::new().system(WeightedLr { costs: vec![0.5] }).prior_in_unlabeled(third());
    assert_eq!(classic_of(&typed.fit(&data).unwrap()), classic_of(&model));
}

#[test]
fn parts_of_a_score_add_up_to_it() {
    let (data, _) = simulated();
    let net =
        Learner::new().model("linear".parse::<ModelChoice>().unwrap()).epochs(3).prior_in_unlabeled(third());
    let models = [
        Learner::new().method("ldce").prior_in_unlabeled(third()).fit(&data).unwrap(),
        net.fit(&data).unwrap(),
    ];
    for model in models {
        let (scores, explainer) = (model.score(&data).unwrap(), model.explainer().unwrap());
        let sum = |row: usize| -> f64 {
            explainer.row(&data, row, 3).unwrap().iter().map(|carried| carried.value).sum()
        };
        // What is left is the same for every row.
        let rest = f64::from(scores[0]) - sum(0);
        for (row, &score) in scores.iter().enumerate() {
            assert!((f64::from(score) - sum(row) - rest).abs() < 1e-3, "row {row}");
        }
        let parts = explainer.row(&data, 5, 2).unwrap();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].value.abs() >= parts[1].value.abs());
    }
    let mlp =
        Learner::new().model("mlp:4".parse::<ModelChoice>().unwrap()).epochs(1).prior_in_unlabeled(third());
    // A network's parts add up to its score less that of a row that says nothing.
    let model = mlp.fit(&data).unwrap();
    let (scores, explainer) = (model.score(&data).unwrap(), model.explainer().unwrap());
    let rows: Vec<usize> = (0..20).collect();
    let sums: Vec<f64> = explainer
        .rows(&data, &rows, usize::MAX)
        .unwrap()
        .iter()
        .map(|parts| parts.iter().map(|part| part.value).sum())
        .collect();
    let rest = f64::from(scores[0]) - sums[0];
    for (row, sum) in sums.iter().enumerate() {
        assert!((f64::from(scores[row]) - sum - rest).abs() < 1e-3, "row {row}");
    }
}

/// 400 texts about sports or banks; half of the sports ones are labeled.
fn texts() -> (Vec<String>, Vec<Label>) {
    let sports = ["the team won a game", "a late goal won", "the match went home", "players of the team run"];
    let banks =
        ["the bank raised rates", "rates fell again", "a loan of the bank", "stocks and rates and loans"];
    let text = |i: usize| match i % 4 {
        0 | 1 => format!("{} {}", sports[i / 4 % 4], sports[(i / 16) % 4]),
        _ => format!("{} {}", banks[i / 4 % 4], banks[(i / 16) % 4]),
    };
    let label = |i: usize| if i.is_multiple_of(4) { Label::Positive } else { Label::Unlabeled };
    ((0..400).map(text).collect(), (0..400).map(label).collect())
}

#[test]
fn texts_are_learned_from_sparse_rows_by_classic_methods_and_networks_alike() {
    let (texts, labels) = texts();
    let data = Dataset::from_texts(&texts, &TextOptions::default()).unwrap().with_labels(labels).unwrap();
    for name in ["roc-svm", "ldce", "collective"] {
        let mut learner = Learner::new().method(name).prior_in_unlabeled(third());
        if name == "collective" {
            learner = learner.epochs(10);
        }
        let model = learner.fit(&data).unwrap();
        let loaded = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert!(
            matches!(loaded.encoding().as_ref(), Encoding::Text(_)) && loaded.encoding() == data.encoding()
        );
        let new = loaded.encoding().encode_texts(&["the players won", "loans of a bank"]).unwrap();
        assert_eq!(loaded.predict(&new).unwrap(), [true, false], "{name}");
        // Dense or sparse, a row is a row.
        let dense =
            Dataset::from_encoded(new.dense().unwrap().into_owned(), loaded.encoding().clone()).unwrap();
        let (here, there) = (loaded.score(&new).unwrap(), loaded.score(&dense).unwrap());
        let far = here.iter().zip(&there).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f32::max) < 1e-4, "{name}");
    }
}

#[test]
fn the_prior_of_texts_is_estimated_from_sparse_rows() {
    let (texts, labels) = texts();
    let data = Dataset::from_texts(&texts, &TextOptions::default()).unwrap();
    let short = data.clone().with_labels(labels[1..].to_vec()).unwrap_err().to_string();
    assert_eq!(short, "there are 399 labels for 400 rows");
    let learner = Learner::new().method("ldce");
    assert_eq!(learner.fit(&data).unwrap_err().to_string(), "nothing says which rows are positive");
    let data = data.with_labels(labels).unwrap();
    let mu = learner.estimate_prior(&data).unwrap().answer.mu;
    assert!((mu - 1.0 / 3.0).abs() < 0.1, "{mu}");
    let model = learner.fit(&data).unwrap();
    assert_eq!(model.about().prior_estimate.as_ref().unwrap().scorer, "linear");
    assert_eq!(model.about().prior_in_unlabeled.unwrap().get(), mu);
}

#[test]
fn what_cannot_be_learned_from_is_a_sentence() {
    let (data, _) = simulated();
    let values = data.dense().unwrap().as_slice().to_vec();
    let mut negative = values.clone();
    negative[7] = -2.5;
    let s_em = Learner::new().method("s-em");
    assert_eq!(
        s_em.fit(&dataset(negative, 300)).unwrap_err().to_string(),
        "column 'b', row 3: -2.5 is negative, and the method s-em takes counts; give it word counts or columns without \
         negative values, or choose another method"
    );
    let few = dataset(values, 120);
    let error = s_em.fit(&few).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s-em would have 14 spies (0.15 of 96 positives) and needs at least 20, which takes 134 positives at that share (a \
         fifth of the 120 positives is held out to measure the model)"
    );
    let hint = error.hint().unwrap();
    assert_eq!((hint.setting, hint.value.as_deref()), ("option", Some("spies=SHARE")));
    let published = Learner::new().method("ldce").option("centroid", "published");
    let published = published.prior_in_unlabeled(PriorInUnlabeled::new(0.97).unwrap());
    let message = published.fit(&few).unwrap_err().to_string();
    assert!(
        message.contains("1 - 2ph, which is -0.") && message.contains("use the default centroid"),
        "{message}"
    );
}

/// The parts of a model file: its header as JSON, and its tensors.
fn parts(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[8..8 + length]).unwrap(), bytes[8 + length..].to_vec())
}

#[test]
fn hostile_files_of_classic_models_are_refused() {
    let (texts, labels) = texts();
    let options = TextOptions { weighting: Weighting::Counts, ..TextOptions::default() };
    let data = Dataset::from_texts(&texts, &options).unwrap().with_labels(labels).unwrap();
    let model = Learner::new().method("weighted-lr").prior_in_unlabeled(third()).fit(&data).unwrap();
    let (header, tensors) = parts(&model.to_bytes().unwrap());
    assert_eq!(header["__metadata__"]["version"], "3");
    assert_eq!(header["scorer.linear.weights"]["dtype"], "F64");
    let refusal = |change: &dyn Fn(&mut serde_json::Value), tensors: &[u8]| {
        let mut header = header.clone();
        change(&mut header);
        let text = |key: &str| header["__metadata__"][key].as_str().unwrap_or_default().to_string();
        let content = [text("onesided").as_bytes(), text("model").as_bytes(), tensors].concat();
        header["__metadata__"]["checksum"] = format!("{:08x}", crc32fast::hash(&content)).into();
        let header = serde_json::to_vec(&header).unwrap();
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_slice(), tensors].concat();
        Model::load_bytes(&bytes).unwrap_err().to_string()
    };
    let replaced = |key: &'static str, from: &'static str, to: &'static str| {
        move |header: &mut serde_json::Value| {
            let text = header["__metadata__"][key].as_str().unwrap();
            assert!(text.contains(from), "{text}");
            header["__metadata__"][key] = text.replace(from, to).into();
        }
    };
    let says = |change: &dyn Fn(&mut serde_json::Value), what: &str| {
        let message = refusal(change, &tensors);
        assert!(message.contains(what) && !message.contains('\n'), "{message}");
    };
    says(
        &replaced("model", "scorer.linear.weights", "scorer.weights"),
        "there is no tensor 'scorer.weights'",
    );
    says(
        &replaced("model", "\"system\":\"weighted-lr\"", "\"system\":\"ldce\""),
        "under the name of 'weighted-lr'",
    );
    says(&replaced("model", "\"linear\"", "\"sorcery\""), "what scores cannot be read");
    says(&replaced("onesided", "\"rates\"", "\"team\""), "its description cannot be read");
    says(
        &|header| {
            header["__metadata__"].as_object_mut().unwrap().remove("model");
        },
        "what scores is missing",
    );
    says(&replaced("model", "\"classic\"", "\"network\""), "what scores cannot be read");
    let mut not_finite = tensors.clone();
    not_finite[..8].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(refusal(&|_| {}, &not_finite).contains("not finite"));
}
