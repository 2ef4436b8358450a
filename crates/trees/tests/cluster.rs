//! Trees of rows that workers hold are those of one machine, to the bit, whoever holds which rows.

use onesided_data::{ColumnKind, Columns, Matrix, Stream};
use onesided_trees::{
    Ask, Binned, BoostedTrees, Boosting, HeldOut, PartitionBuilder, Sorting, TreesConfig, TreesError, Worker,
    Workers, add_answers,
};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// Workers in this process, which count what they are told and answer.
struct InProcess {
    workers: Mutex<Vec<Worker>>,
    bytes: Mutex<[usize; 2]>,
}

impl Workers for InProcess {
    fn each(&self, asks: Vec<Ask>) -> Result<Vec<Vec<u8>>, TreesError> {
        let mut workers = self.workers.lock().unwrap();
        assert_eq!(asks.len(), workers.len());
        let mut bytes = self.bytes.lock().unwrap();
        let answer = |(worker, ask): (&mut Worker, Ask)| {
            let answer = worker.answer(&ask.message)?;
            *bytes = [bytes[0] + ask.message.len(), bytes[1] + answer.len()];
            Ok(answer)
        };
        workers.iter_mut().zip(asks).map(answer).collect()
    }

    fn sum(&self, asks: Vec<Ask>) -> Result<Vec<u8>, TreesError> {
        let mut answers = self.each(asks)?.into_iter();
        let first = answers.next().unwrap();
        answers.try_fold(first, |sum, answer| add_answers(&sum, &answer))
    }
}

/// Numbers with missing cells, flags, categories, and 700 levels: eleven columns.
fn table(rows: usize, many_levels: bool) -> Columns<'static> {
    let mut stream = Stream::new(3, "table");
    let mut values = Vec::with_capacity(11 * rows);
    for _ in 0..rows {
        for col in 0..11 {
            values.push(match col {
                0 | 4 => f32::from(u8::from(stream.uniform() < 0.3)),
                7 => (stream.uniform() * 40.0).floor() as f32,
                9 if stream.uniform() < 0.1 => f32::NAN,
                9 => (stream.uniform() * 700.0).floor() as f32,
                _ if stream.uniform() < 0.05 => f32::NAN,
                _ => stream.normal() as f32,
            });
        }
    }
    let mut kinds = vec![ColumnKind::Numbers; 11];
    kinds[7] = ColumnKind::Categories { levels: 40 };
    if many_levels {
        kinds[9] = ColumnKind::Categories { levels: 700 };
    }
    Columns { matrix: Cow::Owned(Matrix::new(rows, 11, values).unwrap()), kinds }
}

fn some(columns: &Columns, rows: std::ops::Range<usize>) -> Columns<'static> {
    let cells = &columns.matrix.as_slice()[rows.start * 11..rows.end * 11];
    let matrix = Matrix::new(rows.len(), 11, cells.to_vec()).unwrap();
    Columns { matrix: Cow::Owned(matrix), kinds: columns.kinds.clone() }
}

/// The same rows with workers that hold so many each.
fn away(columns: &Columns, rows: &[usize]) -> (Binned, Arc<InProcess>) {
    let mut sorting = Sorting::default();
    // Columns come in any order and are put into theirs.
    for col in (0..11).rev() {
        let cells = (0..columns.matrix.rows()).map(|row| columns.matrix.row(row)[col]).collect();
        let matrix = Cow::Owned(Matrix::new(columns.matrix.rows(), 1, cells).unwrap());
        let mut one = Sorting::default();
        one.push(&[col], &Columns { matrix, kinds: vec![columns.kinds[col]] }).unwrap();
        sorting.merge(one);
    }
    sorting.sort();
    assert_eq!(Sorting::from_bytes(&sorting.to_bytes()).unwrap(), sorting);
    let mut first = 0;
    let mut workers = Vec::new();
    for &rows in rows {
        let mut builder = PartitionBuilder::new(sorting.clone(), rows);
        // Rows come in pieces.
        for start in (0..rows).step_by(97) {
            builder.push(&some(columns, first + start..first + rows.min(start + 97))).unwrap();
        }
        first += rows;
        workers.push(Worker::new(builder.finish()));
    }
    assert_eq!(first, columns.matrix.rows());
    let workers = Arc::new(InProcess { workers: Mutex::new(workers), bytes: Mutex::default() });
    (sorting.away(rows, workers.clone()), workers)
}

fn goal(columns: &Columns, row: u32) -> f64 {
    let row = columns.matrix.row(row as usize);
    let level = if row[9].is_nan() { 0.3 } else { f64::from(row[9]) * 0.37 };
    f64::from(row[0] + if row[1].is_nan() { 0.5 } else { row[1] }) + f64::from(row[7]).sin() + level.sin()
}

fn grown(columns: &Columns, binned: &Binned, config: &TreesConfig) -> (BoostedTrees, Vec<f64>, Vec<f64>) {
    let rows = columns.matrix.rows() as u32;
    // Every third row is there twice, as a positive that is among the unlabeled rows is; not in the order of rows.
    let mut training: Vec<u32> = (0..rows).filter(|row| row % 3 == 0).collect();
    training.extend((0..rows).rev().filter(|row| row % 5 != 0));
    let others: Vec<u32> = (0..rows).filter(|row| row % 5 == 0).collect();
    let ordered = binned.ordered(&training, |row| row.is_multiple_of(3), 5).unwrap();
    let binned = ordered.as_ref().unwrap_or(binned);
    let boosting = Boosting { binned, training: &training, start: 0.1, config };
    let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
        for ((of_row, score), &row) in of_rows.iter_mut().zip(scores).zip(&training) {
            *of_row = ((score - goal(columns, row)) as f32, 1.0);
        }
    };
    let mut judge = |scores: &[f64]| {
        scores.iter().zip(&others).map(|(score, &row)| (score - goal(columns, row)).powi(2)).sum()
    };
    let held_out = Some(HeldOut { rows: &others, judge: &mut judge });
    let mut last = Vec::new();
    let mut observer = |round: &onesided_trees::Round| {
        last = round.scores.to_vec();
        true
    };
    let boosted = boosting.run(&mut derivatives, held_out, &mut observer).unwrap();
    let logits = boosted.model.logits_of(binned, &others).unwrap();
    (boosted, logits, last)
}

#[test]
fn trees_are_those_of_one_machine_whoever_holds_which_rows() {
    const ROWS: usize = 1_500;
    for many_levels in [true, false] {
        let columns = table(ROWS, many_levels);
        let here = Binned::of_columns(&columns, 1).unwrap();
        for (column_share, row_share, depth) in [(0.8, 0.7, 0), (0.3, 1.0, 3)] {
            let config = TreesConfig {
                trees: 12,
                row_share,
                column_share,
                max_depth: depth,
                monotone: vec![0, 1, -1],
                threads: 1,
                ..TreesConfig::default()
            };
            let expected = grown(&columns, &here, &config);
            assert!(expected.0.model.trees().len() > 5);
            let partitions: [&[usize]; 6] = [
                &[ROWS],
                &[750, 750],
                &[1, 1_498, 1],
                &[0, 500, 0, 1_000, 0],
                &[215, 215, 214, 214, 214, 214, 214],
                &[1_499, 1],
            ];
            for rows in partitions {
                let (binned, workers) = away(&columns, rows);
                assert!(
                    grown(&columns, &binned, &config) == expected,
                    "{rows:?}, {column_share}, {many_levels}"
                );
                let [told, answered] = *workers.bytes.lock().unwrap();
                assert!(told > 0 && answered > 0);
            }
        }
    }
}

#[test]
fn what_is_not_a_message_is_refused_and_nothing_panics() {
    let columns = table(200, true);
    let (binned, workers) = away(&columns, &[200]);
    let mut stream = Stream::new(1, "noise");
    for length in 0..400 {
        let mut noise: Vec<u8> = (0..length).map(|_| stream.below(256) as u8).collect();
        if let Some(kind) = noise.first_mut() {
            *kind %= 9;
        }
        let _ = workers.workers.lock().unwrap()[0].answer(&noise);
        let _ = add_answers(&noise, &noise);
        assert!(Sorting::from_bytes(&noise).is_err() || length == 8);
    }
    let error = workers.workers.lock().unwrap()[0].answer(&[99]).unwrap_err().to_string();
    assert!(error.contains("all must be of the same version of onesided"), "{error}");
    // A forest looks at cells here.
    let positive: Vec<bool> = (0..200).map(|row| row % 3 == 0).collect();
    let sample = onesided_trees::LabeledRows { binned: &binned, positive: &positive, weights: None };
    let training: Vec<u32> = (0..200).collect();
    let error = onesided_trees::fit_naive_bayes(&sample, &training).unwrap_err();
    assert_eq!(error, TreesError::Away);
}
