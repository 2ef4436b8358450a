//! The numbers of scikit-learn's vectorizers; the script that made them is next to the file in `golden/`.

use onesided_data::{SparseMatrix, TextOptions};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    texts: Vec<String>,
    new: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    options: TextOptions,
    terms: Vec<String>,
    rows: Vec<Vec<(u32, f64)>>,
    new_rows: Vec<Vec<(u32, f64)>>,
}

fn assert_equal(rows: &SparseMatrix, expected: &[Vec<(u32, f64)>], case: &TextOptions) {
    assert_eq!(rows.rows(), expected.len());
    for (i, expected) in expected.iter().enumerate() {
        let (columns, values) = rows.row(i);
        assert!(columns.iter().eq(expected.iter().map(|(column, _)| column)), "row {i} under {case:?}");
        for (value, (_, expected)) in values.iter().zip(expected) {
            let off = (f64::from(*value) - expected).abs();
            assert!(off < 1e-6, "{value} and {expected} in row {i} under {case:?}");
        }
    }
}

#[test]
fn counts_and_tf_idf_equal_those_of_scikit_learn() {
    let golden: Golden = serde_json::from_str(include_str!("golden/text_features.json")).unwrap();
    assert_eq!(golden.cases.len(), 15);
    for case in &golden.cases {
        let (features, rows) = case.options.fit_transform(&golden.texts).unwrap();
        assert_eq!(features.terms(), case.terms, "{:?}", case.options);
        assert_equal(&rows, &case.rows, &case.options);
        assert_equal(&features.transform(&golden.texts), &case.rows, &case.options);
        assert_equal(&features.transform(&golden.new), &case.new_rows, &case.options);
    }
}
