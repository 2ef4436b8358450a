//! Shapley values compared with those of the `shap` package.

use onesided_data::Matrix;
use onesided_trees::TreesModel;
use serde::Deserialize;

/// Made by golden/explained.py.
const GOLDEN: &str = include_str!("golden/explained.json");

/// Our leaves are 32-bit floats, those of the peers 64-bit ones.
const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
struct Case {
    name: String,
    model: TreesModel,
    rows: Vec<Vec<Option<f32>>>,
    base: f64,
    parts: Vec<Vec<f64>>,
}

#[test]
fn parts_and_base_are_those_of_the_shap_package() {
    let cases: Vec<Case> = serde_json::from_str(GOLDEN).unwrap();
    assert_eq!(cases.len(), 3);
    for Case { name, model, rows, base, parts } in cases {
        let cells = rows.iter().flatten().map(|cell| cell.unwrap_or(f32::NAN)).collect();
        let matrix = Matrix::new(rows.len(), model.features(), cells).unwrap();
        let ours = model.shap(&matrix, 1).unwrap();
        assert!((ours.base - base).abs() < TOLERANCE, "{name}: a base of {} for {base}", ours.base);
        for (row, (ours, theirs)) in ours.parts.iter().zip(&parts).enumerate() {
            let close = ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < TOLERANCE);
            assert!(close, "{name}, row {row}: {ours:?} for {theirs:?}");
        }
    }
}
