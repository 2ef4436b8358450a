//! The same table in every format, order and number of pieces is the same rows, or it is refused in one sentence.
//!
//! 200 tables by default; `ONESIDED_TABLES=2000 cargo test --release -p onesided-data --test metamorphic` takes more.

#![cfg(all(feature = "parquet", feature = "sheets"))]

mod generated;
mod scratch;

use generated::{FORMS, Form, Table};
use onesided_data::{
    Cutting, DataError, Dataset, Encoding, FeatureKind, Input, InputOptions, Note, ReadAgain, Store, Stream,
    TimeStyle,
};
use scratch::Scratch;
use std::path::Path;
use std::sync::Arc;

fn tables() -> u64 {
    std::env::var("ONESIDED_TABLES").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

fn fitted(path: &Path) -> Result<Dataset, DataError> {
    InputOptions::labeled("y").read(&Input::one(path))
}

/// Every row to the bit.
fn rows_of(data: &Dataset) -> Vec<Vec<u32>> {
    let bits = |row: &[f32]| row.iter().map(|value| value.to_bits()).collect();
    match data.rows() {
        Store::Dense(matrix) => (0..matrix.rows()).map(|row| bits(matrix.row(row))).collect(),
        Store::Sparse(matrix) => (0..matrix.rows())
            .map(|row| {
                let (columns, values) = matrix.row(row);
                columns.iter().copied().chain(values.iter().map(|value| value.to_bits())).collect()
            })
            .collect(),
        _ => panic!("rows of tables are numbers"),
    }
}

/// An encoding but for how its cells are written in texts.
fn kinds(encoding: &Encoding) -> Vec<String> {
    let Encoding::Table(features) = encoding else { panic!("a table") };
    let kind = |feature: &onesided_data::Feature| {
        let mut feature = feature.clone();
        (feature.numbers, feature.grouped, feature.no_sign) = (Default::default(), false, false);
        if let FeatureKind::Time { style, signs, .. } = &mut feature.kind {
            (*style, *signs) = (TimeStyle::YearFirst, 0);
        }
        format!("{feature:?}")
    };
    features.columns().iter().map(kind).collect()
}

/// Notes that say that something was guessed or passed over, and so could explain a difference.
fn said(notes: &[Note]) -> Vec<String> {
    let tells = |note: &&Note| matches!(note, Note::OpenDates(_) | Note::Others { .. } | Note::Unseen(_));
    notes.iter().filter(tells).map(ToString::to_string).collect()
}

fn in_pieces(
    encoding: &Arc<Encoding>,
    path: &Path,
    rows: usize,
) -> Result<(Vec<Vec<u32>>, Vec<Note>), DataError> {
    let mut all = Vec::new();
    let cut = Cutting { rows: Some(rows), threads: 1, range: None };
    let streamed = encoding.stream(&Input::one(path), &ReadAgain::default(), cut, &mut |piece| {
        all.extend(rows_of(&piece));
        Ok::<(), DataError>(())
    })?;
    Ok((all, streamed.notes))
}

/// What was compared, and how often there was a sentence instead.
#[derive(Default, Debug)]
struct Tally {
    fits: usize,
    open: usize,
    scored: usize,
    refused: usize,
}

/// Fits a table in every form, and reads new rows of every form with each of them.
fn one_table(seed: u64, folder: &Path, tally: &mut Tally) {
    let table = Table::new(seed);
    let labeled = table.labeled();
    let mut draw = Stream::new(seed, "new rows");
    let some: Vec<usize> = (0..1 + draw.below(12)).map(|_| draw.below(table.rows())).collect();
    let new = table.select(&some);
    let truth = fitted(&labeled.write(folder, "t", Form::Parquet));
    let new_files: Vec<(Form, std::path::PathBuf)> =
        FORMS.iter().map(|&form| (form, new.write(folder, "n", form))).collect();
    for form in FORMS {
        let context = format!("table {seed} as {form:?}");
        let found = fitted(&labeled.write(folder, "t", form));
        let (truth, found) = match (&truth, found) {
            (Ok(truth), Ok(found)) => (truth, found),
            (Err(_), Err(_)) => continue,
            (truth, found) => panic!("{context}: {:?} but {:?}", truth.as_ref().err(), found.err()),
        };
        tally.fits += 1;
        // Dates of which no cell tells the order are read by custom, and that is said.
        let is_open = found.notes().iter().any(|note| matches!(note, Note::OpenDates(_)));
        if is_open {
            tally.open += 1;
            continue;
        }
        assert_eq!(kinds(found.encoding()), kinds(truth.encoding()), "{context}");
        assert_eq!(rows_of(&found), rows_of(truth), "{context}");
        assert_eq!(said(found.notes()), said(truth.notes()), "{context}");
        let wanted = truth.encoding().read(&Input::one(&new_files[4].1), &ReadAgain::default()).unwrap();
        let (wanted, told) = (rows_of(&wanted), said(wanted.notes()));
        for (new_form, path) in new_files.iter().filter(|(form, _)| new.fits_in(*form)) {
            for pieces in [1, 3, 1_000] {
                let context = format!("{context}, new rows as {new_form:?} in pieces of {pieces}");
                match in_pieces(found.encoding(), path, pieces) {
                    Ok((rows, notes)) => {
                        tally.scored += 1;
                        assert!(
                            rows == wanted || said(&notes) != told,
                            "{context}: another row, and no word"
                        );
                    }
                    Err(error) => {
                        tally.refused += 1;
                        // A file that is written as the model's own is never refused.
                        assert_ne!(*new_form, form, "{context}: {error}");
                        assert!(error.hint().is_some(), "{context}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_table_is_the_same_in_every_format_and_in_pieces() {
    let scratch = Scratch::new("formats");
    let mut tally = Tally::default();
    for seed in 0..tables() {
        let folder = scratch.path(&seed.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        one_table(seed, &folder, &mut tally);
        std::fs::remove_dir_all(&folder).unwrap();
    }
    println!("{tally:?}");
    // Refused are new rows that are written otherwise, and nothing else.
    assert!(tally.scored > 3 * tally.refused && tally.fits > 20 * tally.open, "{tally:?}");
}

/// `0..count` in another order.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut draw = Stream::new(seed, "order");
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|at| order.swap(at, draw.below(at + 1)));
    order
}

#[test]
fn the_order_of_rows_and_columns_does_not_matter() {
    let scratch = Scratch::new("orders");
    for seed in 0..tables() {
        let folder = scratch.path(&seed.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let table = Table::new(seed);
        let form = FORMS[seed as usize % FORMS.len()];
        let Ok(data) = fitted(&table.labeled().write(&folder, "t", form)) else { continue };
        let (rows, columns) = (shuffled(table.rows(), seed), shuffled(table.names.len(), seed + 1));
        let moved = table.select(&rows).arranged(&columns);
        if !table.fits_in(form) || !moved.fits_in(form) {
            continue;
        }
        let read = |path: &Path| data.encoding().read(&Input::one(path), &ReadAgain::default());
        let before = rows_of(&read(&table.write(&folder, "n", form)).unwrap());
        let after = rows_of(&read(&moved.write(&folder, "m", form)).unwrap());
        let wanted: Vec<_> = rows.iter().map(|&row| before[row].clone()).collect();
        assert!(after == wanted, "table {seed} as {form:?}");
        // Learned from in that order, columns are the same kinds with the same levels and styles.
        let again = fitted(&table.labeled().select(&rows).write(&folder, "f", form)).unwrap();
        let (Encoding::Table(first), Encoding::Table(second)) =
            (data.encoding().as_ref(), again.encoding().as_ref())
        else {
            panic!("tables")
        };
        let (first_names, second_names) = (first.names(), second.names());
        assert_eq!(first_names, second_names, "table {seed}");
        let style = |feature: &onesided_data::Feature| match &feature.kind {
            FeatureKind::Time { style, .. } => Some(*style),
            _ => None,
        };
        for (a, b) in first.columns().iter().zip(second.columns()) {
            assert_eq!((a.numbers, a.grouped, style(a)), (b.numbers, b.grouped, style(b)), "table {seed}");
        }
        assert_eq!(said(data.notes()), said(again.notes()), "table {seed}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
