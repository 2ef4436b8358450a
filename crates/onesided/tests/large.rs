//! Tables that do not fit into memory: trees learn from one byte per cell, and what a draw left out calibrates.

use onesided::data::{DataError, Label, Roles, draw_unlabeled};
use onesided::eval::probability;
use onesided::{
    ClassPrior, Encoding, Error, Fit, Input, InputOptions, LargeTable, Learner, Model, ModelChoice,
    PriorInUnlabeled, ReadAgain, Reserve, Signal, Table,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A file that goes when it is dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-large-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Numbers with missing cells, whole numbers, categories, flags, two columns of dates and weights; a third is positive, a
/// third of those labeled.
fn table(rows: usize) -> String {
    let mut stream = onesided::data::Stream::new(5, "table");
    let mut text = String::from("x,kind,from,count,flag,to,w,y,x2\n");
    for i in 0..rows {
        let positive = stream.uniform() < 0.33;
        let moved = if positive { 1.2 } else { 0.0 };
        let labeled = positive && stream.uniform() < 0.33;
        let x = if i % 11 == 0 { String::new() } else { format!("{:.3}", stream.normal() + moved) };
        let kind = ["a", "b", "c", "d", ""][(stream.uniform() * 4.9) as usize];
        let (month, day) = (stream.below(12) + 1, stream.below(28) + 1);
        text += &format!(
            "{x},{kind},2022-{month:02}-{day:02},{},{},2023-{month:02}-{:02},{},{},{:.2}\n",
            stream.below(7) + usize::from(positive),
            stream.uniform() < 0.4,
            1 + i % 28,
            1 + i % 3,
            u8::from(labeled),
            stream.normal() - moved,
        );
    }
    text
}

fn options() -> InputOptions {
    InputOptions::labeled("y")
}

fn trees() -> Learner {
    Learner::new().model(ModelChoice::Trees).method("nnpu")
}

fn both(learner: &Learner, options: &InputOptions, input: &Input) -> [Model; 2] {
    let held = learner.fit(&options.read(input).unwrap()).unwrap();
    let table = LargeTable::read(options, input, None).unwrap();
    [held, learner.fit_large(table, &mut |_| Signal::Continue).unwrap()]
}

fn same(one: &Model, other: &Model) -> bool {
    one.to_bytes().unwrap() == other.to_bytes().unwrap() && one.known_rows() == other.known_rows()
}

#[test]
fn the_model_and_its_rows_are_those_of_a_table_in_memory_to_the_byte() {
    let file = File::new("same.csv", &table(2_500));
    let input = Input::one(&file.0);
    let learner = trees().prior(ClassPrior::new(0.33).unwrap());
    let weighted =
        InputOptions { roles: Roles { weight: Some("w".to_string()), ..options().roles }, ..options() };
    let dropped = InputOptions { drop: vec!["kind".to_string()], ..options() };
    for options in [options(), weighted, dropped] {
        let [held, large] = both(&learner, &options, &input);
        assert!(same(&held, &large), "{options:?}");
        assert!(held.about().fitted_on.is_some());
    }
}

#[test]
fn copies_stay_together_and_are_noted_as_in_memory() {
    let text = table(1_500);
    let rows = text.split_once('\n').unwrap().1;
    let file = File::new("copies.csv", &format!("{text}{rows}"));
    let input = Input::one(&file.0);
    let learner = trees().prior(ClassPrior::new(0.33).unwrap());
    let whole = options().read(&input).unwrap();
    let large = LargeTable::read(&options(), &input, None).unwrap();
    let notes = |data: &onesided::Dataset| {
        let mut notes: Vec<String> = data.notes().iter().map(ToString::to_string).collect();
        notes.sort();
        notes
    };
    assert!(whole.copies().is_some());
    assert_eq!(large.data().copies(), whole.copies());
    assert_eq!(notes(large.data()), notes(&whole));
    let [held, large] = both(&learner, &options(), &input);
    assert!(same(&held, &large));
}

#[test]
fn the_share_of_positives_is_estimated_on_rows_that_are_read_again() {
    // Fewer rows than it is estimated on at most: the estimate is that of a table in memory.
    let file = File::new("estimated.csv", &table(900));
    let [held, large] = both(&trees(), &options(), &Input::one(&file.0));
    assert!(held.about().prior_estimate.is_some());
    assert!(held.to_bytes().unwrap() == large.to_bytes().unwrap());
    assert_eq!(held.known_rows(), large.known_rows());
}

#[test]
fn what_needs_the_rows_as_numbers_is_refused() {
    let file = File::new("refused.csv", &table(300));
    let input = Input::one(&file.0);
    let prior = ClassPrior::new(0.33).unwrap();
    let linear = Learner::new().model("linear".parse().unwrap()).prior(prior);
    let reserve = trees().prior(prior).reserve(Reserve::Rows(5));
    for learner in [linear, reserve] {
        let table = LargeTable::read(&options(), &input, None).unwrap();
        let error = learner.fit_large(table, &mut |_| Signal::Continue).unwrap_err();
        assert!(matches!(error, Error::Data(DataError::Away)), "{error}");
    }
}

#[test]
fn all_unlabeled_rows_that_were_not_drawn_calibrate() {
    let file = File::new("drawn.csv", &table(4_000));
    let input = Input::one(&file.0);
    let options = InputOptions { max_unlabeled: Some(500), seed: 3, ..options() };
    let mu = PriorInUnlabeled::new(0.25).unwrap();
    // A hundredth of the draw is held out: 5 rows, on which nothing could be calibrated.
    let learner = trees().prior_in_unlabeled(mu).hold_out(0.01).seed(3);
    let fit = Fit::new(learner.clone()).reading(options.clone());
    let ready = fit.read(&input).unwrap();
    let data = ready.data().clone();
    let model = ready.learn(&mut |_| Signal::Continue).unwrap();
    let labeled = ReadAgain::from(Roles::labeled("y"));
    let whole = model.read_with(&input, &labeled).unwrap();
    let labels = whole.labels().unwrap();
    let drawn = draw_unlabeled(labels, 500, 3).unwrap();
    let scores = model.score(&whole).unwrap();
    let left_out: Vec<usize> =
        (0..labels.len()).filter(|&row| labels[row] == Label::Unlabeled && !drawn.contains(row)).collect();
    let at_mu = |&row: &usize| probability(f64::from(scores[row]) - model.about().shift);
    let sum: f64 = left_out.iter().map(at_mu).sum();
    // The mean over these and the 5 that were held out is μ, and the 5 are between 0 and 1 each.
    let all = left_out.len() as f64 + 5.0;
    assert_eq!(model.about().report.held_out.unlabeled, left_out.len() + 5);
    assert!((sum - 0.25 * all + 2.5).abs() <= 2.5 + 1e-3, "{sum} of {all}");
    // The draw alone is calibrated on its own five.
    let alone = learner.fit(&data).unwrap();
    assert_eq!(alone.about().report.held_out.unlabeled, 5);
    assert_ne!(alone.about().calibration, model.about().calibration);
    // Rows in memory, of which those that were not drawn are handed over: the same bytes.
    let rest = |encoding: &Arc<Encoding>| Ok(encoding.read(&input, &ReadAgain::default())?.select(&left_out));
    let in_memory = fit.take(data).unwrap().learn_drawn(&rest, &mut |_| Signal::Continue).unwrap();
    assert_eq!(in_memory.to_bytes().unwrap(), model.to_bytes().unwrap());
    // Two tables, of which the second was drawn from.
    let text = std::fs::read_to_string(&file.0).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    let of = |label: &str| -> String {
        let some = rows[1..].iter().filter(|row| row.split(',').nth(7) == Some(label));
        std::iter::once(&rows[0]).chain(some).map(|row| format!("{row}\n")).collect()
    };
    let (positives, unlabeled) = (File::new("p.csv", &of("1")), File::new("u.csv", &of("0")));
    let two = Input::two(&positives.0, &unlabeled.0);
    let apart = InputOptions {
        roles: Roles { label: None, ..options.roles },
        drop: vec!["y".to_string()],
        ..options
    };
    let model = learner.fit(&Table::from_input(two).reading(apart)).unwrap();
    assert_eq!(model.about().report.held_out.unlabeled, left_out.len() + 5);
}
