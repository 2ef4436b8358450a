//! Certified rows: what is read of positives without their labels, and whether lists keep their bound.

use onesided::data::{DataError, Matrix, Stream, TextColumn};
use onesided::{
    CertifiedUnit, Dataset, Error, Input, InputOptions, Label, Learner, List, NegativesTarget, Reserve,
    Signal, TableNegatives,
};
use std::fs;
use std::path::PathBuf;

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Rows of which the first `positives` are positive, one shift apart in the first of two columns.
fn rows(stream: &mut Stream, positives: usize, others: usize) -> Matrix {
    let cell = |stream: &mut Stream, positive: bool, column: usize| {
        (stream.normal() + if positive && column == 0 { 2.5 } else { 0.0 }) as f32
    };
    let cells = (0..2 * (positives + others)).map(|at| cell(stream, at / 2 < positives, at % 2)).collect();
    Matrix::new(positives + others, 2, cells).unwrap()
}

fn learner() -> Learner {
    Learner::new().method("weighted-lr").set("prior", "0.3").unwrap().threads(1)
}

#[test]
fn rows_without_their_labels_are_read_as_if_they_never_had_one() {
    // A category whose levels are ordered by labels, a number, and a column that gives labels away while all of them are there.
    let mut stream = Stream::new(3, "unlabel");
    let (mut all, mut some) = ("city,x,leak,y\n".to_string(), "city,x,leak,y\n".to_string());
    let unlabel = [4, 20, 36];
    for row in 0..200 {
        let labeled = row % 4 == 0;
        let line = format!("c{},{:.3},{}", stream.below(40), stream.normal(), i32::from(labeled));
        all += &format!("{line},{}\n", i32::from(labeled));
        some += &format!("{line},{}\n", i32::from(labeled && !unlabel.contains(&row)));
    }
    let options = InputOptions::labeled("y");
    let read = |options: &InputOptions, path: PathBuf| options.read(&Input::one(path)).unwrap();
    let hidden = InputOptions { unlabel: unlabel.to_vec(), ..options.clone() };
    let (all, some) = (file("all.csv", &all), file("some.csv", &some));
    let (ours, theirs, whole) = (read(&hidden, all.clone()), read(&options, some), read(&options, all));
    assert_eq!(ours.labels(), theirs.labels());
    assert_eq!(ours.encoding(), theirs.encoding());
    assert_eq!(ours.fingerprints(0).unwrap(), theirs.fingerprints(0).unwrap());
    let notes = |data: &Dataset| data.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(notes(&ours), notes(&theirs));
    assert_ne!(notes(&ours), notes(&whole), "the rule that looks at labels saw fewer of them");
}

#[test]
fn lists_of_a_labeled_table_keep_their_bound() {
    let target = NegativesTarget::new(0.1).unwrap();
    let (mut proportions, mut power) = (Vec::new(), 0.0);
    for set in 0..60 {
        let mut stream = Stream::new(set, "table");
        let matrix = rows(&mut stream, 180, 300);
        // Labeled rows stand first, as in many files.
        let labels: Vec<Label> =
            (0..480).map(|row| if row < 80 { Label::Positive } else { Label::Unlabeled }).collect();
        let mut read = |unlabel: &[usize]| -> Result<Dataset, Error> {
            let mut labels = labels.clone();
            unlabel.iter().for_each(|&row| labels[row] = Label::Unlabeled);
            Ok(Dataset::from_matrix(matrix.clone(), None)?.with_labels(labels)?)
        };
        let table = TableNegatives::new(learner().seed(set), target);
        let found = table.certify(&mut read, &mut |_| Signal::Continue).unwrap();
        let wrong = found.rows.iter().filter(|row| row.row < 180).count();
        assert!(found.rows.iter().all(|row| row.row >= 80), "a labeled row was certified");
        assert_eq!((found.certified.reserved, found.certified.looked_at), (40, 400));
        assert_eq!(found.certified.rows, found.rows.len());
        proportions.push(wrong as f64 / found.rows.len().max(1) as f64);
        power += (found.rows.len() - wrong) as f64 / 300.0 / 60.0;
    }
    let mean = proportions.iter().sum::<f64>() / 60.0;
    let variance = proportions.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 59.0;
    assert!(mean <= 0.1 + 2.0 * (variance / 60.0).sqrt(), "{mean}");
    assert!(mean > 0.02 && power > 0.4, "neither careless nor empty: {mean}, {power}");
}

#[test]
fn copies_of_labeled_rows_and_groups_with_labels_are_never_certified() {
    let mut stream = Stream::new(9, "copies");
    let matrix = rows(&mut stream, 120, 300);
    let mut cells: Vec<f32> = (0..420).flat_map(|row| matrix.row(row).to_vec()).collect();
    // The last thirty rows are copies of labeled ones.
    for copy in 0..30 {
        cells.copy_within(2 * copy..2 * copy + 2, 2 * (390 + copy));
    }
    let matrix = Matrix::new(420, 2, cells).unwrap();
    let labels: Vec<Label> =
        (0..420).map(|row| if row < 80 { Label::Positive } else { Label::Unlabeled }).collect();
    let certify = |groups: Option<Vec<u32>>| {
        let mut read = |unlabel: &[usize]| -> Result<Dataset, Error> {
            let mut labels = labels.clone();
            unlabel.iter().for_each(|&row| labels[row] = Label::Unlabeled);
            let data = Dataset::from_matrix(matrix.clone(), None)?.with_labels(labels)?;
            Ok(match &groups {
                Some(groups) => data.with_groups(groups.clone())?,
                None => data,
            })
        };
        let table = TableNegatives::new(learner(), NegativesTarget::new(0.2).unwrap());
        table.certify(&mut read, &mut |_| Signal::Continue).unwrap()
    };
    let found = certify(None);
    assert!(found.rows.len() > 100 && found.rows.iter().all(|row| row.row < 390), "{}", found.certified);
    assert_eq!(found.certified.met, 30);
    // Groups of four rows across the table: those with a labeled row, 80 of 105, are out.
    let found = certify(Some((0..420).map(|row| row % 105).collect()));
    assert_eq!((found.certified.unit, found.certified.looked_at), (CertifiedUnit::Groups, 25));
    assert!(found.rows.iter().all(|row| row.row % 105 >= 80));
    assert_eq!(found.certified.reserved, 40, "one row of a group counts");
}

#[test]
fn new_rows_by_a_reserve_and_rows_that_were_met() {
    let mut stream = Stream::new(1, "new");
    let matrix = rows(&mut stream, 300, 500);
    let labels: Vec<Label> =
        (0..800).map(|row| if row < 200 { Label::Positive } else { Label::Unlabeled }).collect();
    let data = Dataset::from_matrix(matrix, None).unwrap().with_labels(labels).unwrap();
    let model = learner().reserve(Reserve::Rows(100)).fit(&data).unwrap();
    let target = NegativesTarget::new(0.1).unwrap();
    let list = List::of(&model);
    assert!(matches!(list.negatives_of(&data, target, false), Err(Error::CertifiesFitted)));
    let new = rows(&mut stream, 150, 350);
    let encoded = model.encoding().encode_matrix(new).unwrap();
    let found = list.negatives_of(&encoded, target, false).unwrap();
    let (certified, rows) = (found.certified.clone(), found.collect().unwrap());
    assert_eq!((certified.reserved, certified.looked_at, certified.rows), (100, 500, rows.len()));
    let scores = model.score(&encoded).unwrap();
    assert!(rows.iter().all(|row| row.score == scores[row.row]), "new rows are scored by the model itself");
    assert!(rows.windows(2).all(|pair| pair[0].score <= pair[1].score) && rows.len() > 150, "{certified}");
    // Every tenth row one that it was fitted on: they are counted, and not certified.
    let mixed: Vec<usize> = (700..750).collect();
    let met = data.select(&mixed);
    let found = list.negatives_of(&met, target, false).unwrap();
    assert_eq!((found.certified.met, found.certified.rows), (50, 0));
    let plain = learner().fit(&data).unwrap();
    assert!(matches!(List::of(&plain).negatives_of(&encoded, target, false), Err(Error::NoReserve)));
    let named = encoded.with_ids("who", ["a"].iter().collect::<TextColumn>());
    assert!(matches!(named, Err(DataError::Table(_))), "500 rows have no single name");
}
