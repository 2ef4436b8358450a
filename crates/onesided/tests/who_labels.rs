//! Labels that depend on a column: what is learned of them, what becomes of a fit, and what is refused.

use onesided::data::Stream;
use onesided::{
    ClassPrior, Dataset, Error, Label, Labeling, Learner, Matrix, Model, ModelChoice, Scenario,
    ThresholdRule, WhoLabels,
};

/// Rows with the class, and the labels that some positives have.
struct Made {
    matrix: Matrix,
    truth: Vec<bool>,
    labels: Vec<Label>,
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// Three columns: `age` in (0, 1), on which the class depends by `pull`, `signal`, which tells the class, and `noise`. `chance(age)` labels
/// positives.
fn made(seed: u64, rows: usize, pull: f64, chance: fn(f64) -> f64) -> Made {
    let mut stream = Stream::new(seed, "who labels");
    let (mut numbers, mut truth, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let (age, signal, noise) = (stream.uniform(), stream.normal(), stream.normal());
        let positive = stream.uniform() < logistic(2.5 * signal + pull * (age - 0.5) - 0.5);
        let labeled = positive && stream.uniform() < chance(age);
        numbers.extend([age, signal, noise].map(|number| number as f32));
        truth.push(positive);
        labels.push(if labeled { Label::Positive } else { Label::Unlabeled });
    }
    Made { matrix: Matrix::new(rows, 3, numbers).unwrap(), truth, labels }
}

impl Made {
    fn rows(&self) -> Dataset {
        let names = ["age", "signal", "noise"].map(str::to_string).to_vec();
        Dataset::from_scaled(self.matrix.clone(), Some(names)).unwrap()
    }

    fn data(&self) -> Dataset {
        self.rows().with_labels(self.labels.clone()).unwrap()
    }

    fn share(&self) -> ClassPrior {
        ClassPrior::new(self.truth.iter().filter(|&&truth| truth).count() as f64 / self.truth.len() as f64)
            .unwrap()
    }

    /// AUC of a model's scores of these rows against the truth.
    fn auc(&self, model: &Model) -> f64 {
        onesided::eval::auc(&model.score(&self.rows()).unwrap(), &self.truth).unwrap()
    }
}

fn trees() -> Learner {
    Learner::new().method("naive").model(ModelChoice::Trees)
}

fn told(model: &Model) -> &onesided::Dependence {
    match model.about().report.who_labels.as_ref().unwrap() {
        WhoLabels::DependOn(dependence) => dependence,
        other => panic!("{other:?}"),
    }
}

/// Old rows are labeled, and young ones are positive: the labeled feature and the class pull in opposite directions, where alternating between
/// the two can end upside down (an AUC of .25 in one try).
#[test]
fn where_labels_and_class_pull_in_opposite_directions_nothing_is_turned_around() {
    let chance = |age: f64| if age > 0.5 { 0.6 } else { 0.08 };
    let test = made(100, 4_000, -4.0, |_| 0.5);
    let mut gained = 0.0;
    for seed in 0..3 {
        let train = made(seed, 3_000, -4.0, chance);
        let data = train.data();
        let plain = trees().prior(train.share()).fit(&data).unwrap();
        let weighted =
            trees().prior(train.share()).labeling_depends_on(&["age"]).unwrap().fit(&data).unwrap();
        let (before, after) = (test.auc(&plain), test.auc(&weighted));
        assert!(told(&weighted).used && told(&weighted).auc[0] > 0.5, "{:?}", told(&weighted));
        gained += (after - before) / 3.0;
        assert!(after > before - 0.01 && after > 0.6, "{before} {after}");
        let [low, high] = told(&weighted).chance;
        assert!(low < 0.15 && high > 0.35, "{low} {high}");
        assert_eq!(weighted.about().assumes(), "if labels depend on 'age' alone, given the class");
        assert_eq!(weighted.about().scenario, Scenario::SingleSample);
    }
    assert!(gained > 0.03, "{gained}");
}

#[test]
fn labels_that_are_random_keep_the_fit_that_takes_them_so() {
    let test = made(100, 4_000, -4.0, |_| 0.5);
    let mut used = 0;
    for seed in 0..4 {
        let train = made(seed, 2_000, -4.0, |_| 0.3);
        let data = train.data();
        let learner = trees().prior(train.share());
        let with = learner.clone().labeling_depends_on(&["age"]).unwrap().fit(&data).unwrap();
        used += usize::from(told(&with).used);
        if !told(&with).used {
            let plain = learner.fit(&data).unwrap();
            assert_eq!(with.score(&data).unwrap(), plain.score(&data).unwrap());
            assert_eq!(with.about().assumes(), plain.about().assumes());
            let said = with.about().report.who_labels.as_ref().unwrap().to_string();
            assert!(said.contains("nothing better could be told"), "{said}");
        }
        assert!(test.auc(&with) > 0.75);
    }
    assert!(used <= 1, "{used}");
}

#[test]
fn the_share_is_told_by_labels_that_count_as_they_should() {
    let chance = |age: f64| if age > 0.5 { 0.6 } else { 0.08 };
    let train = made(5, 3_000, -4.0, chance);
    let (n, m) = (
        train.truth.len() as f64,
        train.labels.iter().filter(|label| **label == Label::Positive).count() as f64,
    );
    let truth = (train.share().get() * n - m) / (n - m);
    let model = trees().labeling_depends_on(&["age"]).unwrap().fit(&train.data()).unwrap();
    let [with, without] = told(&model).share;
    assert!(told(&model).used && (with - truth).abs() < (without - truth).abs(), "{with} {without} {truth}");
    assert_eq!(model.about().prior_in_unlabeled.unwrap().get(), with);
    let again = trees().labeling_depends_on(&["age"]).unwrap().fit(&train.data()).unwrap();
    assert_eq!(model.to_bytes().unwrap(), again.to_bytes().unwrap());
    let read = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(read.about().report.who_labels, model.about().report.who_labels);
}

#[test]
fn every_scorer_that_takes_weights_takes_it() {
    let train = made(1, 3_000, -4.0, |age| if age > 0.5 { 0.6 } else { 0.08 });
    let data = train.data();
    let learner = Learner::new().prior(train.share()).labeling_depends_on(&["age"]).unwrap();
    for learner in [
        learner.clone().model("linear".parse().unwrap()).epochs(30),
        learner.clone().model("mlp".parse().unwrap()).epochs(30),
        learner.clone().method("naive").model(ModelChoice::BaggedTrees),
        learner.clone().set("effort", "quick").unwrap(),
    ] {
        let model = learner.fit(&data).unwrap();
        assert!(told(&model).used && told(&model).columns == ["age"], "{:?}", model.about().method);
    }
    let refused = learner.method("elkan-noto").fit(&data).unwrap_err();
    assert!(matches!(refused, Error::NoWeights { .. }), "{refused}");
}

#[test]
fn what_labels_cannot_depend_on_is_refused() {
    let train = made(1, 400, 0.0, |_| 0.4);
    let refused = |learner: Learner, data: &Dataset| learner.fit(data).unwrap_err().to_string();
    let on = |column: &str| trees().prior(train.share()).labeling_depends_on(&[column]).unwrap();
    assert_eq!(refused(on("agee"), &train.data()), "there is no column 'agee'; did you mean 'age'?");
    // Only rows with the one noise are labeled.
    let mut same = made(1, 400, 0.0, |_| 0.4);
    let mut numbers = same.matrix.as_slice().to_vec();
    (0..400).for_each(|row| {
        let labeled = same.labels[row] == Label::Positive;
        numbers[3 * row + 2] = if labeled { 1.0 } else { (row % 2) as f32 };
    });
    same.matrix = Matrix::new(400, 3, numbers).unwrap();
    let said = refused(on("noise"), &same.data());
    assert!(said.starts_with("column 'noise' has the same value in every labeled row"), "{said}");
    let weighted = train.data().with_weights(vec![1.5; 400]).unwrap();
    assert!(refused(on("age"), &weighted).contains("these rows have weights"));
    assert!(refused(on("age").scenario(Scenario::CaseControl), &train.data()).contains("rows of one sample"));
    assert!(
        refused(on("age").set("reserve", "0.2").unwrap(), &train.data()).contains("contradict one another")
    );
    assert!(
        refused(on("age").labeling(Labeling::EasyFirst), &train.data()).contains("contradict one another")
    );
    assert!(trees().labeling_depends_on(&[""]).is_err());
}

#[test]
fn labels_that_favor_likely_positives_rank_and_are_cut_at_the_share() {
    let train = made(1, 2_000, 0.0, |_| 0.4);
    let learner = trees().labeling(Labeling::EasyFirst);
    assert!(matches!(learner.fit(&train.data()).unwrap_err(), Error::EasyFirstShare));
    let model = learner.prior(train.share()).fit(&train.data()).unwrap();
    let about = model.about();
    assert_eq!(
        (about.threshold_rule, &about.report.who_labels),
        (ThresholdRule::Quantile, &Some(WhoLabels::EasyFirst))
    );
    assert!(about.report.warnings.contains(&onesided::Warning::RanksAlone));
    // As many unlabeled rows are positive as the share says, out of fold.
    let predicted = about.report.metrics["predicted_positive"].value;
    let mu = about.prior_in_unlabeled.unwrap().get();
    assert!((predicted - mu).abs() < 0.05, "{predicted} {mu}");
}
