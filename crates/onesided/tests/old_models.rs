//! Models of versions 1 and 2 of the model file: they load and say what they said, to the last bit.

use onesided::{Action, FalseAlarms, Input, Model, ReadAgain, Untold};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_models")
}

/// Row number, score and probability of each line of a ranked list.
fn ranked(path: &Path) -> Vec<(usize, f32, f32)> {
    let text = fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].parse().unwrap(), cells[1].parse().unwrap(), cells[2].parse().unwrap())
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn old_models_say_what_they_said() {
    let models = [
        ("mlp", "new.csv"),
        ("linear", "new.csv"),
        ("kernel", "new.csv"),
        ("features", "new.csv"),
        ("kinds", "kinds.csv"),
        ("counts", "kinds.csv"),
        ("weighted", "kinds.csv"),
        ("posts", "new_posts.csv"),
        ("elkan", "new_posts.csv"),
        ("network_posts", "new_posts.csv"),
    ];
    for (name, table) in models {
        let model = Model::load(folder().join(format!("{name}.safetensors"))).unwrap().with_threads(1);
        let rows = model.rank_file(folder().join(table)).unwrap();
        let found: Vec<(usize, f32, f32)> =
            rows.iter().map(|row| (row.row + 1, row.score, row.probability)).collect();
        assert_eq!(found, ranked(&folder().join(format!("{name}.pred.csv"))), "{name}");
        // Written again, it is a model of the present version that says the same.
        let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap().with_threads(1);
        assert_eq!(again.rank_file(folder().join(table)).unwrap(), rows, "{name}");
    }
}

#[test]
fn what_cannot_be_told_of_an_old_model_is_said() {
    let model = Model::load(folder().join("kinds.safetensors")).unwrap();
    let (input, also) = (Input::one(folder().join("kinds.csv")), ReadAgain::default());
    let watched = model.watch(&input, &also, None, FalseAlarms::USUAL).unwrap();
    let columns = model.encoding().width();
    assert_eq!((watched.action, watched.columns.len(), watched.scores), (Action::Keep, 0, None));
    assert!(watched.untold.contains(&Untold::Scores), "{:?} of {columns}", watched.untold);
    assert!(watched.untold.iter().any(|untold| matches!(untold, Untold::Columns { .. })));
}
