//! Held-out log loss compared with scikit-learn's histogram boosting, on a table with weights and missing cells.

use onesided_data::Matrix;
use onesided_trees::{Binned, LabeledRows, TreesConfig, fit};
use serde::Deserialize;

/// Made by golden/boosting.py.
const GOLDEN: &str = include_str!("golden/boosting.json");

/// The two differ in where bin edges lie and in how sums are rounded, so trees part ways after a few splits.
const RELATIVE: f64 = 0.03;

#[derive(Deserialize)]
struct Golden {
    x: Vec<Vec<Option<f32>>>,
    y: Vec<u8>,
    weights: Vec<f32>,
    train: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    leaves: usize,
    weighted: bool,
    loss: f64,
}

#[test]
fn the_held_out_loss_is_that_of_scikit_learn() {
    let golden: Golden = serde_json::from_str(GOLDEN).unwrap();
    let (rows, cols) = (golden.x.len(), golden.x[0].len());
    let cells = golden.x.iter().flatten().map(|cell| cell.unwrap_or(f32::NAN)).collect();
    let binned = Binned::new(&Matrix::new(rows, cols, cells).unwrap()).unwrap();
    let positive: Vec<bool> = golden.y.iter().map(|&y| y == 1).collect();
    let (training, held_out): (Vec<u32>, Vec<u32>) = (0..rows as u32).partition(|&row| row < golden.train);
    for Case { leaves, weighted, loss } in golden.cases {
        let weights = weighted.then_some(&golden.weights[..]);
        let sample = LabeledRows { binned: &binned, positive: &positive, weights };
        // No stopping: the loss after all trees is the last of the list.
        let config = TreesConfig { trees: 60, max_leaves: leaves, patience: 1_000, ..TreesConfig::default() };
        let fitted = fit(&sample, &training, &held_out, &config).unwrap();
        let ours = *fitted.held_out_loss.last().unwrap();
        assert_eq!(fitted.held_out_loss.len(), 61);
        assert!((ours / loss - 1.0).abs() < RELATIVE, "{leaves} leaves, weighted {weighted}: {ours} {loss}");
    }
}
