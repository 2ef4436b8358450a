//! Objectives, networks and scorers of one's own go through the same pipeline as those that are built in.

use onesided::data::Stream;
use onesided::eval::auc;
use onesided::loss::{Collective, Objective, Reduction};
use onesided::net::{Activation, Layer};
use onesided::{
    Architecture, Dataset, Error, Label, Learner, Matrix, Model, ModelChoice, OwnModel, OwnScorer,
    PriorInUnlabeled,
};
use std::sync::Arc;

/// Positives around 1, others around -1 in both columns; 400 labeled, 1,200 unlabeled, a third of them positive.
fn data() -> (Dataset, Vec<bool>) {
    let mut stream = Stream::new(3, "own");
    let truth: Vec<bool> = (0..1_600).map(|i| i < 800).collect();
    let center = |positive: bool| if positive { 1.0 } else { -1.0 };
    let values = truth.iter().flat_map(|&t| [center(t) + stream.normal(), center(t) + stream.normal()]);
    let matrix = Matrix::new(1_600, 2, values.map(|x| x as f32).collect()).unwrap();
    let labels = (0..1_600).map(|i| if i < 400 { Label::Positive } else { Label::Unlabeled }).collect();
    (Dataset::from_matrix(matrix, None).unwrap().with_labels(labels).unwrap(), truth)
}

fn third() -> PriorInUnlabeled {
    PriorInUnlabeled::new(1.0 / 3.0).unwrap()
}

/// The mean probability of the unlabeled rows is μ once a model is calibrated in the case-control way; in one sample it
/// is moved to π, so the share of positives is 1/2.
fn is_sound(model: &Model, data: &Dataset, truth: &[bool]) {
    let scores = model.score(data).unwrap();
    assert!(auc(&scores, truth).unwrap() > 0.93);
    let right = model.predict(data).unwrap().iter().zip(truth).filter(|(p, t)| p == t).count();
    assert!(right > 1_400, "{right}");
    assert!(model.about().report.metrics.contains_key("accuracy"));
}

/// Twice the collective loss.
struct Doubled(Collective);

impl Objective for Doubled {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        let value = self.0.evaluate(positive, unlabeled, grad_p, grad_u);
        grad_p.iter_mut().chain(grad_u).for_each(|slope| *slope *= 2.0);
        2.0 * value
    }

    fn describe(&self) -> String {
        "doubled".to_string()
    }
}

#[test]
fn an_objective_of_ones_own_is_calibrated_measured_and_saved() {
    let (data, truth) = data();
    let learner = Learner::new().prior_in_unlabeled(third()).objective("doubled", true, |setting| {
        Ok(Box::new(Doubled(Collective::new(setting.prior_in_unlabeled, Reduction::PriorWeighted)?)))
    });
    for model in [ModelChoice::Network(Architecture::Linear), ModelChoice::Trees] {
        let model = learner.clone().model(model).fit(&data).unwrap();
        is_sound(&model, &data, &truth);
        assert_eq!((model.about().method.as_str(), model.about().objective.as_str()), ("doubled", "doubled"));
        let loaded = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.score(&data).unwrap(), model.score(&data).unwrap());
    }
    // Without a prior it is estimated, as for every method that needs one.
    let without =
        Learner::new().model(ModelChoice::Network(Architecture::Linear)).objective("doubled", true, |s| {
            Ok(Box::new(Doubled(Collective::new(s.prior_in_unlabeled, Reduction::PriorWeighted)?)))
        });
    assert!(without.fit(&data).unwrap().about().prior_estimate.is_some());
}

#[test]
fn layers_of_ones_own_are_trained_and_saved() {
    let (data, truth) = data();
    let layers = vec![
        Layer::Flatten,
        Layer::Dense { outputs: 3, bias: true },
        Layer::Activate { activation: Activation::Softsign },
        Layer::Dense { outputs: 1, bias: true },
    ];
    let network = ModelChoice::Network(Architecture::Layers(layers));
    let model =
        Learner::new().prior_in_unlabeled(third()).model(network).learning_rate(0.02).fit(&data).unwrap();
    is_sound(&model, &data, &truth);
    assert_eq!(model.about().model, "4 layers of your own");
    let loaded = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.score(&data).unwrap(), model.score(&data).unwrap());
    let endless = ModelChoice::Network(Architecture::Layers(vec![Layer::Dense { outputs: 2, bias: true }]));
    assert!(Learner::new().prior_in_unlabeled(third()).model(endless).fit(&data).is_err());
}

/// The difference to the mean of the labeled rows, along the line between the two means.
struct Means([f64; 2]);

impl OwnModel for Means {
    fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
        let rows = rows.dense()?;
        let along = |row: &[f32]| (f64::from(row[0]) * self.0[0] + f64::from(row[1]) * self.0[1]) as f32;
        Ok((0..rows.rows()).map(|i| along(rows.row(i))).collect())
    }
}

#[test]
fn a_scorer_of_ones_own_is_calibrated_and_measured_but_not_saved() {
    let (data, truth) = data();
    let scorer = OwnScorer::new("means", |rows, _seed| {
        let (matrix, labels) = (rows.dense()?, rows.labels().ok_or(Error::NeedsLabels)?);
        let mean = |wanted: Label, column: usize| {
            let of: Vec<f64> = (0..labels.len())
                .filter(|&row| labels[row] == wanted)
                .map(|row| f64::from(matrix.row(row)[column]))
                .collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        let step = [0, 1].map(|column| mean(Label::Positive, column) - mean(Label::Unlabeled, column));
        Ok(Arc::new(Means(step)) as Arc<dyn OwnModel>)
    });
    let model = Learner::new().scorer(scorer).fit(&data).unwrap();
    is_sound(&model, &data, &truth);
    assert!(model.about().prior_estimate.is_some(), "calibrating needs the prior");
    let message = model.to_bytes().unwrap_err().to_string();
    assert!(message.starts_with("the model was made by a scorer of your own ('means')"), "{message}");
}
