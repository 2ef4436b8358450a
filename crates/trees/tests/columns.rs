//! Categories, missing values and constraints: what trees on whole columns must hold.

use onesided_data::{ColumnKind, Columns, Matrix, Stream};
use onesided_trees::{Binned, LabeledRows, Node, TreesConfig, TreesError, TreesModel, fit};
use std::borrow::Cow;

fn binned(matrix: &Matrix, kinds: Vec<ColumnKind>) -> Binned {
    Binned::of_columns(&Columns { matrix: Cow::Borrowed(matrix), kinds }, 1).unwrap()
}

fn fitted(binned: &Binned, positive: &[bool], config: &TreesConfig) -> TreesModel {
    let sample = LabeledRows { binned, positive, weights: None };
    let rows: Vec<u32> = (0..positive.len() as u32).collect();
    fit(&sample, &rows, &[], config).unwrap().model
}

/// The share of rows whose class the logit names.
fn right(logits: &[f64], positive: &[bool]) -> f64 {
    let right = logits.iter().zip(positive).filter(|(logit, positive)| (**logit > 0.0) == **positive);
    right.count() as f64 / positive.len() as f64
}

#[test]
fn categories_are_told_apart_by_sets_in_values_bins_and_json() {
    // Positive for the codes 3, 7, 11, …: no order of codes helps.
    let mut stream = Stream::new(1, "codes");
    let codes: Vec<f32> = (0..4_000).map(|_| stream.below(40) as f32).collect();
    let positive: Vec<bool> = codes.iter().map(|&code| code as u32 % 4 == 3).collect();
    let matrix = Matrix::new(4_000, 1, codes).unwrap();
    let binned = binned(&matrix, vec![ColumnKind::Categories { levels: 40 }]);
    let config = TreesConfig { trees: 10, learning_rate: 0.5, ..TreesConfig::default() };
    let model = fitted(&binned, &positive, &config);
    let logits = model.logits(&matrix).unwrap();
    assert_eq!(right(&logits, &positive), 1.0);
    assert!(matches!(model.trees()[0].nodes[0], Node::Categories { feature: 0, .. }));
    let rows: Vec<u32> = (0..4_000).collect();
    assert_eq!(model.logits_of(&binned, &rows).unwrap(), logits);
    let again: TreesModel = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
    assert_eq!(again, model);
    // A code that training never saw is not in any set of codes; it goes right, and nothing breaks.
    let unseen = Matrix::new(2, 1, vec![1e6, f32::NAN]).unwrap();
    assert!(model.logits(&unseen).unwrap().iter().all(|logit| logit.is_finite()));
}

#[test]
fn more_levels_than_bins_share_one_and_rows_find_their_way() {
    // 3,000 levels; the frequent ones carry the signal, as they do in life.
    let mut stream = Stream::new(2, "many");
    let code = |stream: &mut Stream| (3_000.0 * stream.uniform().powi(6)) as u32;
    let codes: Vec<u32> = (0..20_000).map(|_| code(&mut stream)).collect();
    let positive: Vec<bool> =
        codes.iter().map(|&code| code % 2 == 0 && code < 200 && stream.uniform() < 0.9).collect();
    let matrix = Matrix::new(20_000, 1, codes.iter().map(|&code| code as f32).collect()).unwrap();
    let binned = binned(&matrix, vec![ColumnKind::Categories { levels: 3_000 }]);
    let model = fitted(&binned, &positive, &TreesConfig { trees: 40, ..TreesConfig::default() });
    let logits = model.logits(&matrix).unwrap();
    assert!(right(&logits, &positive) > 0.9, "{}", right(&logits, &positive));
    let rows: Vec<u32> = (0..20_000).collect();
    assert_eq!(model.logits_of(&binned, &rows).unwrap(), logits);
}

#[test]
fn that_a_value_is_missing_can_be_all_there_is_to_know() {
    // The values themselves are noise.
    let mut stream = Stream::new(3, "missing");
    let positive: Vec<bool> = (0..1_000).map(|row| row % 3 == 0).collect();
    let values = positive.iter().map(|&gone| if gone { f32::NAN } else { stream.normal() as f32 }).collect();
    let matrix = Matrix::new(1_000, 1, values).unwrap();
    let binned = Binned::new(&matrix).unwrap();
    let config = TreesConfig { trees: 1, max_leaves: 2, learning_rate: 1.0, ..TreesConfig::default() };
    let model = fitted(&binned, &positive, &config);
    assert_eq!(right(&model.logits(&matrix).unwrap(), &positive), 1.0);
}

#[test]
fn a_score_rises_or_falls_where_it_must() {
    // A wave on a slope, and a second feature that is free to be one.
    let mut stream = Stream::new(4, "wave");
    let values: Vec<f32> = (0..8_000).map(|_| (6.0 * stream.uniform()) as f32).collect();
    let wave = |x: f32| f64::from(x) / 3.0 + (2.0 * f64::from(x)).sin();
    let positive: Vec<bool> =
        values.chunks(2).map(|row| wave(row[0]) + wave(row[1]) + stream.normal() > 2.0).collect();
    let matrix = Matrix::new(4_000, 2, values).unwrap();
    let binned = Binned::new(&matrix).unwrap();
    let along = |model: &TreesModel, feature: usize| -> Vec<f64> {
        let rows = (0..600).flat_map(|i| {
            let x = i as f32 / 100.0;
            if feature == 0 { [x, 2.0] } else { [2.0, x] }
        });
        model.logits(&Matrix::new(600, 2, rows.collect()).unwrap()).unwrap()
    };
    for (direction, sign) in [(1, 1.0), (-1, -1.0)] {
        let config = TreesConfig { monotone: vec![direction], ..TreesConfig::default() };
        let model = fitted(&binned, &positive, &config);
        let held = along(&model, 0);
        assert!(held.windows(2).all(|pair| sign * (pair[1] - pair[0]) >= -1e-9), "{direction}");
        assert!(along(&model, 1).windows(2).any(|pair| pair[1] < pair[0] - 0.05), "the other one is free");
    }
    let free = fitted(&binned, &positive, &TreesConfig::default());
    assert!(along(&free, 0).windows(2).any(|pair| pair[1] < pair[0] - 0.05));
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let config = TreesConfig { monotone: vec![2], ..TreesConfig::default() };
    let error = fit(&sample, &[0, 1], &[], &config).unwrap_err();
    assert!(matches!(error, TreesError::Setting { what: "direction of a feature", .. }), "{error}");
}
