//! Each estimator against an independent script in numpy and scipy, `golden/estimators.py`, on the same rows and scores.

use onesided_data::Matrix;
use onesided_prior::{Estimator, Evidence, PenL1, estimators};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Matrix::new(rows.len(), rows[0].len(), rows.concat().iter().map(|&x| x as f32).collect()).unwrap()
}

/// How far the library may be from the script.
fn tolerance(name: &str) -> f64 {
    match name {
        // Exact up to rounding.
        "bbe" | "elkan-noto-top" | "tice" => 1e-12,
        // Two optimizers of one smooth cost.
        "elkan-noto" => 1e-6,
        // Distances in single precision.
        "pen-l1" => 1e-5,
        // Densities from a grid of an eighth of a bandwidth; the fixed point stops at 1e-5.
        "dedpul" => 3e-3,
        // The script walks along a grid of 0.005.
        "alphamax" => 6e-3,
        // Weights to one percent of the squared distance, slopes by differences, bisection to 5e-4.
        "km1" | "km2" => 0.01,
        other => panic!("no tolerance for {other}"),
    }
}

#[test]
fn estimates_equal_those_of_the_script() {
    let golden: Value = serde_json::from_str(include_str!("golden/estimators.json")).unwrap();
    let (p, u) = (matrix(&golden["positive_rows"]), matrix(&golden["unlabeled_rows"]));
    let (scores_p, scores_u) = (numbers(&golden["positive_scores"]), numbers(&golden["unlabeled_scores"]));
    let evidence = Evidence::of_scores(&scores_p, &scores_u).with_rows(&p, &u);
    let every_row = PenL1 { centers: usize::MAX, ..PenL1::DEFAULT };
    let mut compared = 0;
    for &estimator in estimators() {
        let name = estimator.info().name;
        // Estimators of this project have no other source to be compared with.
        let Some(expected) = golden["found"][name].as_f64() else { continue };
        let estimator: &dyn Estimator = if name == "pen-l1" { &every_row } else { estimator };
        let found = estimator.estimate(&evidence).unwrap().mu;
        assert!((found - expected).abs() < tolerance(name), "{name}: {found}, the script has {expected}");
        compared += 1;
    }
    assert_eq!(compared, golden["found"].as_object().unwrap().len());
}
