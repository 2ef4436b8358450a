//! Any bytes as a model file: an error, or a model that scores a row of zeros and writes itself out again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onesided::{Dataset, Matrix, Model};

/// Wider rows are left out: the zeros alone would cost more time than the reader.
const WIDEST: usize = 4096;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = Model::load_bytes(bytes) else { return };
    let width = model.about().features.width();
    if width <= WIDEST
        && let Ok(zeros) = Matrix::new(1, width, vec![0.0; width])
        && let Ok(zeros) = Dataset::from_encoded(zeros, model.encoding().clone())
    {
        let scores = model.score(&zeros);
        assert!(scores.is_err() || scores.is_ok_and(|scores| scores.len() == 1));
    }
    let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.about(), model.about());
});
