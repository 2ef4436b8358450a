//! Model files that the fuzzer found, and some crafted to be hostile: an error, or a model that works.
//!
//! `fuzz/` has the target. `sound-*` are small models that `onesided fit` wrote (networks, and classic models of a table and
//! of texts), to be written again when the model file changes; `crafted-*` are one of these with one thing made impossible.
//! A file that once crashed the reader is put into `corpus/` and stays there.

use onesided::{Dataset, Matrix, Model};
use std::fs;
use std::path::Path;

/// Rows as if the model's encoding had made them.
fn encoded(model: &Model, rows: Matrix) -> Dataset {
    Dataset::from_encoded(rows, model.encoding().clone()).unwrap()
}

#[test]
fn every_file_is_refused_or_scores_rows_and_saves_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let (mut models, mut refused) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display();
        match Model::load_bytes(&fs::read(&path).unwrap()) {
            Ok(model) => {
                let width = model.about().features.width();
                let rows = encoded(
                    &model,
                    Matrix::new(2, width, [vec![0.0; width], vec![1.0; width]].concat()).unwrap(),
                );
                if let Ok(scores) = model.score(&rows) {
                    assert!(scores.iter().all(|score| score.is_finite()), "{name}: {scores:?}");
                }
                let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
                assert_eq!(again.about(), model.about(), "{name}");
                models += 1;
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(!sentence.is_empty() && !sentence.contains('\n'), "{name}: {sentence}");
                refused += 1;
            }
        }
    }
    assert!(models >= 5 && refused >= 16, "{models} models, {refused} refused");
}

#[test]
fn any_damaged_byte_of_a_classic_model_is_refused_or_harmless() {
    for name in ["sound-text", "sound-kernel", "sound-random-features"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
        let bytes = fs::read(path).unwrap();
        let mut refused = 0;
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x15;
            let Ok(model) = Model::load_bytes(&damaged) else {
                refused += 1;
                continue;
            };
            let width = model.about().features.width();
            let rows = encoded(&model, Matrix::new(1, width, vec![1.0; width]).unwrap());
            assert!(model.score(&rows).map_or(true, |scores| scores[0].is_finite()), "{name}, byte {at}");
            if let Ok(explainer) = model.explainer() {
                assert!(explainer.row(&rows, 0, 3).unwrap().len() <= 3);
            }
        }
        assert!(refused > 500, "{name}: {refused} of {}", bytes.len());
    }
}
