//! Scores out of fold are those of models that had not met a row, whatever the method.

use onesided::data::{Dataset, Label, Matrix, PriorInUnlabeled, Stream};
use onesided::{Config, KnownRows, Learner, List, Model, Reserve, RowKind, ScoredBy, SummarySettings};

/// Rows of noise, every third labeled: there is nothing to learn but by heart.
fn noise(rows: usize) -> Dataset {
    let mut stream = Stream::new(3, "noise");
    let values = (0..rows * 6).map(|_| stream.normal() as f32).collect();
    let labels =
        (0..rows).map(|row| if row.is_multiple_of(3) { Label::Positive } else { Label::Unlabeled }).collect();
    Dataset::from_scaled(Matrix::new(rows, 6, values).unwrap(), None).unwrap().with_labels(labels).unwrap()
}

fn learner(settings: &[(&str, &str)]) -> Learner {
    let mut config = Config::default();
    settings.iter().for_each(|(name, value)| config.set(name, value).unwrap());
    Learner::from_config(config).prior_in_unlabeled(PriorInUnlabeled::new(0.3).unwrap())
}

/// The AUC of positives against unlabeled rows.
fn auc(scores: &[f32], data: &Dataset) -> f64 {
    let positive: Vec<bool> = data.labels().unwrap().iter().map(|&label| label == Label::Positive).collect();
    onesided::eval::auc(scores, &positive).unwrap()
}

/// Scores in the order of the rows.
fn listed(model: &Model, data: &Dataset) -> Vec<f32> {
    let known = model.known_rows().unwrap();
    assert!(known.is_complete());
    let list = List::of(model).all(true).rank(data).unwrap();
    let fitted = list.fitted().unwrap();
    assert_eq!((fitted.out_of_fold, fitted.left_out, fitted.is_fitted_table), (data.len(), 0, true));
    let mut rows = list.collect().unwrap();
    rows.sort_by_key(|ranked| ranked.row);
    rows.iter().map(|ranked| ranked.score).collect()
}

#[test]
fn what_is_learned_by_heart_does_not_show_out_of_fold() {
    let data = noise(600);
    // 200 positives against 400 rows: an AUC of chance has a standard error of .025.
    for settings in [
        &[("method", "auto"), ("effort", "quick")][..],
        &[("method", "auto"), ("effort", "quick"), ("cross-fit", "true")],
        &[("model", "trees")],
        &[("method", "bagging")],
    ] {
        let model = learner(settings).fit(&data).unwrap();
        let out_of_fold = auc(&listed(&model, &data), &data);
        assert!((out_of_fold - 0.5).abs() < 0.1, "{settings:?}: {out_of_fold}");
        let in_sample = auc(&model.score(&data).unwrap(), &data);
        assert!(
            in_sample > out_of_fold + 0.05,
            "{settings:?}: {in_sample} in sample, {out_of_fold} out of fold"
        );
    }
}

#[test]
fn one_hold_out_leaves_rows_without_a_score_unless_the_prior_was_estimated() {
    let data = noise(600);
    let given = learner(&[("method", "weighted-lr"), ("hold-out", "0.3")]).fit(&data).unwrap();
    assert!(!given.known_rows().unwrap().is_complete());
    // The models behind the estimate have scored every row.
    let mut config = Config::default();
    [("method", "collective"), ("model", "linear"), ("epochs", "2"), ("hold-out", "0.3")]
        .iter()
        .for_each(|(name, value)| config.set(name, value).unwrap());
    let estimated = Learner::from_config(config).fit(&data).unwrap();
    let known = estimated.known_rows().unwrap();
    assert_eq!((known.is_complete(), known.by()), (true, ScoredBy::Prior));
    assert!((auc(&listed(&estimated, &data), &data) - 0.5).abs() < 0.1);
}

#[test]
fn reserved_positives_are_known_with_the_score_of_the_finished_model() {
    let data = noise(300);
    let model =
        learner(&[("method", "weighted-lr")]).reserve("20".parse::<Reserve>().unwrap()).fit(&data).unwrap();
    let list = List::of(&model).rank(&data).unwrap();
    assert_eq!((list.fitted().unwrap().left_out, list.rows()), (100, 200));
    let every = List::of(&model).all(true).rank(&data).unwrap().collect().unwrap();
    assert_eq!(every.iter().filter(|row| row.kind == RowKind::Positive).count(), 100);
    let all = listed(&model, &data);
    let own = model.score(&data).unwrap();
    let same: Vec<f32> = all.iter().zip(&own).filter(|(a, b)| a == b).map(|(a, _)| *a).collect();
    let mut reserve = model.about().reserve.clone();
    let mut found = same.clone();
    found.sort_unstable_by(f32::total_cmp);
    reserve.dedup();
    found.dedup();
    assert_eq!(found, reserve);
}

#[test]
fn a_saved_model_finds_its_rows_and_a_changed_one_does_not() {
    let folder = std::env::temp_dir().join(format!("onesided-known-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("m.onesided");
    let data = noise(300);
    let model = learner(&[("method", "weighted-lr")]).fit(&data).unwrap();
    model.save(&path).unwrap();
    assert_eq!(&KnownRows::beside(&path).unwrap(), model.known_rows().unwrap());
    // A model that came from a file knows no rows, but written over itself it is the same model.
    let loaded = Model::load(&path).unwrap();
    assert!(loaded.known_rows().is_none());
    loaded.save(&path).unwrap();
    assert!(KnownRows::beside(&path).is_ok());
    // Written over another, it leaves none of the other's behind.
    learner(&[("method", "bagging")]).fit(&data).unwrap().save(&path).unwrap();
    loaded.save(&path).unwrap();
    assert!(!onesided::rows_file(&path).exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What a model shows of its own rows without reading them is what a list of them shows.
#[test]
fn the_summary_of_a_fit_is_that_of_its_rows() {
    let data = noise(600);
    for settings in
        [&[("model", "trees"), ("cross-fit", "true")][..], &[("method", "bagging"), ("reserve", "40")]]
    {
        let model = learner(settings).fit(&data).unwrap();
        let plain = SummarySettings { rows: 0, reasons: 0, importance: None, ..SummarySettings::default() };
        let list = List::of(&model).rows_of_model(model.known_rows().map(Ok));
        let of_rows = list.summary_of(&data, "rows", &plain).unwrap();
        let of_fit = model.summary_of_fit().unwrap();
        assert_eq!((of_fit.rows, of_fit.predicted_positive), (of_rows.rows, of_rows.predicted_positive));
        assert_eq!((&of_fit.scores, &of_fit.share), (&of_rows.scores, &of_rows.share));
        assert_eq!((&of_fit.reliability, &of_fit.scored), (&of_rows.reliability, &of_rows.scored));
        let (a, b) = (of_fit.along.unwrap(), of_rows.along.unwrap());
        // As text, in which a precision without a value equals itself.
        let told = |along: &onesided::Along| format!("{:?}", (&along.at, &along.shares, &along.odds));
        assert_eq!(told(&a), told(&b));
        assert_eq!(a.promises.len(), b.promises.len());
    }
    // Rows that were held out once have no scores.
    let model = learner(&[("model", "trees"), ("hold-out", "0.3")]).fit(&data).unwrap();
    let told = model.summary_of_fit().unwrap_err().to_string();
    assert!(told.contains("no scores of the rows that it was fitted on"), "{told}");
}
