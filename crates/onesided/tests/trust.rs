//! Reserved positives and audits through the library.

use onesided::data::{Dataset, FileOptions, Label, Matrix, OutColumn, Stream, write_table};
use onesided::{
    Audit, AuditFile, AuditSettings, ClassPrior, Error, Learner, Model, Over, Promised, RecallTarget,
    Reserve, Top,
};

/// Rows of two overlapping groups, a third positive; of the positives of the first part half are labeled.
fn rows(seed: u64, count: usize) -> (Matrix, Vec<bool>) {
    let mut stream = Stream::new(seed, "rows");
    let truth: Vec<bool> = (0..count).map(|_| stream.uniform() < 1.0 / 3.0).collect();
    let cells = truth.iter().flat_map(|&t| {
        let center = if t { 1.0 } else { -1.0 };
        [(center + stream.normal()) as f32, stream.normal() as f32]
    });
    let cells: Vec<f32> = cells.collect();
    (Matrix::new(count, 2, cells).unwrap(), truth)
}

fn labeled(seed: u64, count: usize) -> Dataset {
    let (matrix, truth) = rows(seed, count);
    let mut stream = Stream::new(seed, "labels");
    let label = |&t: &bool| if t && stream.uniform() < 0.5 { Label::Positive } else { Label::Unlabeled };
    let labels = truth.iter().map(label).collect();
    Dataset::from_scaled(matrix, None).unwrap().with_labels(labels).unwrap()
}

fn learner() -> Learner {
    let prior = ClassPrior::new(1.0 / 3.0).unwrap();
    Learner::new().prior(prior).model("linear".parse().unwrap()).epochs(5).learning_rate(0.05)
}

fn fitted(reserve: impl Into<Option<Reserve>>) -> (Model, Dataset) {
    let data = labeled(1, 900);
    (learner().reserve(reserve).fit(&data).unwrap(), data)
}

#[test]
fn a_reserve_is_scored_by_a_model_that_never_met_it() {
    let (model, data) = fitted(Reserve::Rows(60));
    let labels = data.labels().unwrap();
    let (kept, aside) = Reserve::Rows(60).split(labels, 0).unwrap();
    let mut scores = model.score(&data.select(&aside)).unwrap();
    scores.sort_unstable_by(f32::total_cmp);
    assert_eq!(model.about().reserve, scores);
    // The model is the one of the other rows alone, but for the prior, which counts all rows.
    let counts = data.counts().unwrap();
    assert_eq!(model.about().counts, counts);
    let mu =
        ClassPrior::new(1.0 / 3.0).unwrap().to_prior_in_unlabeled(model.about().scenario, counts).unwrap();
    assert_eq!(model.about().prior_in_unlabeled, Some(mu));
    let others = learner().prior_in_unlabeled(mu).fit(&data.select(&kept)).unwrap();
    let (ours, theirs) = (model.about().calibration, others.about().calibration);
    assert_eq!(ours, theirs, "nothing but the rows that were kept went into it");
    let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.about().reserve, scores);
    assert_eq!(again.fingerprint().unwrap(), model.fingerprint().unwrap());
    assert_eq!(model.was_fitted_on(&data).unwrap(), Some(true));
    assert_eq!(model.was_fitted_on(&data.select(&kept)).unwrap(), Some(false));
}

#[test]
fn promises_are_kept_on_new_rows_as_often_as_they_say() {
    let (model, data) = fitted(Reserve::Rows(60));
    let target = RecallTarget::new(0.9, 0.95).unwrap();
    let (matrix, truth) = rows(2, 20_000);
    let new = Dataset::from_encoded(matrix, data.encoding().clone()).unwrap();
    let scores = model.score(&new).unwrap();
    let review = model.review(scores.clone()).unwrap().review(target).unwrap();
    let found = |cut: f32| {
        let positive = scores.iter().zip(&truth).filter(|(_, t)| **t);
        let (hits, all) =
            positive.fold((0, 0), |(hits, all), (&s, _)| (hits + usize::from(s >= cut), all + 1));
        hits as f64 / f64::from(all)
    };
    assert!(found(review.population.cut.cut) >= 0.9);
    // 60 are too few for files with any number of positives, and enough for about 6,667.
    assert_eq!(review.this_file, Promised::TooFew { needed: 171 });
    let Some(Promised::Made(promise)) = review.this_file_by_share else { panic!("{review:?}") };
    assert!(matches!(promise.cut.over, Over::File { least, most } if least < 6667 && most > 6667));
    let holds = review.population.holds.unwrap().positives.unwrap();
    let truly = scores.iter().zip(&truth).filter(|(s, t)| **t && **s >= review.population.cut.cut).count();
    assert!(holds.low <= truly as f64 && truly as f64 <= holds.high, "{holds:?} {truly}");
    let (plain, _) = fitted(None);
    assert!(matches!(plain.review(vec![0.0]), Err(Error::NoReserve)));
    assert!(plain.about().reserve.is_empty());
}

#[test]
fn an_audit_gives_rows_answers_and_probabilities() {
    let (model, data) = fitted(None);
    let (matrix, truth) = rows(3, 4000);
    let new = Dataset::from_encoded(matrix, data.encoding().clone()).unwrap();
    let folder = std::env::temp_dir().join(format!("onesided-audit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |seed: u64, rows: usize| {
        let settings = AuditSettings { rows, cuts: vec![Top::Rows(500)], seed, explain: None };
        let drawn = model.audit(&new, &settings).unwrap();
        let mut columns = drawn.columns(false);
        let answers = drawn.rows.iter().map(|row| if truth[row.row] { "yes" } else { "no" }.to_string());
        columns.iter_mut().find(|(name, _)| name == "positive").unwrap().1 =
            OutColumn::Text(answers.collect());
        let columns: Vec<(&str, OutColumn)> = columns.iter().map(|(n, c)| (n.as_str(), c.clone())).collect();
        let path = folder.join(format!("{seed}.csv"));
        write_table(&path, &columns).unwrap();
        AuditFile::read(&path, &FileOptions::default()).unwrap()
    };
    let files = [file(1, 150), file(2, 400)];
    std::fs::remove_dir_all(&folder).unwrap();
    let both = Audit::new(&model, &files).unwrap();
    let [one, two] = [0, 1].map(|at| Audit::new(&model, &files[at..=at]).unwrap());
    let of = |audit: &Audit| -> std::collections::BTreeMap<usize, f64> {
        audit.rows().map(|row| (row.row, row.chance)).collect()
    };
    let (p1, p2, p) = (of(&one), of(&two), of(&both));
    assert!(both.rows().all(|row| row.answer == Some(truth[row.row])));
    let shared = p1.keys().filter(|row| p2.contains_key(row)).count();
    assert_eq!(p.len(), 550 - shared);
    // In any of two draws: 1 - (1 - p)(1 - p').
    for row in p1.keys().filter(|row| p2.contains_key(row)) {
        assert!((p[row] - (1.0 - (1.0 - p1[row]) * (1.0 - p2[row]))).abs() < 1e-12);
    }
    // Horvitz and Thompson: a sum of 1 / p over the drawn rows is about the number of rows.
    let rows: f64 = p.values().map(|p| 1.0 / p).sum();
    assert!((rows / 4000.0 - 1.0).abs() < 0.05, "{rows}");
    let report = both.report(0.95).unwrap();
    let share = truth.iter().filter(|t| **t).count() as f64 / 4000.0;
    assert!(report.estimate.share.low < share && share < report.estimate.share.high, "{report:?}");
    assert!(report.estimate.cuts.iter().any(|cut| cut.rows == 500));
    let width = |audit: &Audit| {
        let share = audit.report(0.95).unwrap().estimate.share;
        share.high - share.low
    };
    assert!(width(&both) < width(&two) && width(&two) < width(&one));
}
