//! Model files: the same fit gives the same bytes, damage is refused, and old versions still score.

use crate::folder::{Folder, QUICK, Said, table};
use std::fs;
use std::path::Path;

#[test]
fn trees_fit_predict_save_and_load() {
    let folder = Folder::new("models-trees");
    folder.write("table.csv", table());
    let fit = |more: &str| {
        let columns = "--label y --drop id,t --prior 0.3333 --model trees";
        folder.run(&format!("fit -v table.csv {columns} {more}"))
    };
    let said = fit("--out a.safetensors");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("trees, tree "), "{said:?}");
    assert_eq!(fit("--out b.safetensors").code, 0);
    assert_eq!(fit("--seed 1 --out c.safetensors").code, 0);
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("a.safetensors") == bytes("b.safetensors"));
    assert!(bytes("a.safetensors") != bytes("c.safetensors"));
    let measured = folder.json("evaluate a.safetensors table.csv --truth t");
    assert!(measured["auc"].as_f64().unwrap() > 0.99, "{measured}");
    assert_eq!(folder.json("predict a.safetensors table.csv --in-sample")["predicted_positive"], 100);
    for method in ["nnpu", "naive"] {
        assert_eq!(fit(&format!("--method {method} --out d.safetensors")).code, 0, "{method}");
    }
    let message = folder.refused("bound a.safetensors table.csv --label y");
    assert!(message.contains("the bound is that of networks, but the model is trees"), "{message}");
}

/// Everywhere in the file: its length, names, numbers and weights.
#[test]
fn any_flipped_bit_is_refused() {
    let folder = Folder::new("models-bits");
    folder.write("table.csv", table());
    for name in ["m.safetensors", "again.safetensors"] {
        let said = folder.run(&format!("fit -v table.csv {QUICK} --out {name}"));
        assert_eq!(said.code, 0, "{said:?}");
    }
    let bytes = fs::read(folder.path("m.safetensors")).unwrap();
    assert!(bytes == fs::read(folder.path("again.safetensors")).unwrap());
    let version = bytes.windows(11).position(|part| part == b"\"version\":\"").unwrap() + 11;
    assert_eq!(bytes[version], b'3');
    let bits = 8 * bytes.len();
    let sampled = (0..200).map(|i| i * (bits - 1) / 199);
    // Every bit of the length and of the version, which say how the rest is to be read.
    for bit in sampled.chain(0..64).chain(8 * version..8 * version + 8) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let what = onesided::Model::load_bytes(&damaged).map(|_| ());
        assert!(what.is_err(), "bit {} of byte {} was let through", bit % 8, bit / 8);
    }
    let mut damaged = bytes;
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("damaged.safetensors", damaged);
    let message = folder.refused("predict damaged.safetensors table.csv --out r.csv");
    assert!(message.contains("'damaged.safetensors' is a damaged model file (its checksum"), "{message}");
}

/// Made by `predict MODEL TABLE --out` when the models were; see the README next to them.
#[test]
fn models_of_older_versions_say_what_they_said() {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../onesided/tests/old_models");
    if !old.exists() {
        return eprintln!("SKIPPED: old models are in the package onesided");
    }
    let folder = Folder::new("models-old");
    for (table, models) in [
        ("new.csv", &["mlp", "linear", "kernel", "features"][..]),
        ("kinds.csv", &["kinds", "counts", "weighted"]),
        ("new_posts.csv", &["posts", "elkan", "network_posts"]),
    ] {
        for model in models {
            let mut command = folder.command("predict");
            let paths = [old.join(format!("{model}.safetensors")), old.join(table)];
            let said = Said::of(command.args(paths).args(["--out", "said.csv"]).output().unwrap());
            assert_eq!(said.code, 0, "{model}: {said:?}");
            let expected = fs::read_to_string(old.join(format!("{model}.pred.csv"))).unwrap();
            assert_eq!(fs::read_to_string(folder.path("said.csv")).unwrap(), expected, "{model}");
        }
    }
}

/// Rust, asked for what the command is asked for, writes the file that the command writes.
#[test]
fn rust_writes_the_bytes_of_the_command() {
    use onesided::{ClassPrior, Input, InputOptions, Learner, ModelChoice};
    let folder = Folder::new("bytes-of-rust");
    folder.write("train.csv", crate::folder::table());
    let options = InputOptions { drop: vec!["id".into(), "t".into()], ..InputOptions::labeled("y") };
    let data = options.read(&Input::one(folder.path("train.csv"))).unwrap();
    for (flags, model) in
        [("", None), ("--model trees", Some("trees")), ("--model mlp --epochs 5", Some("mlp"))]
    {
        let mut learner = Learner::new().prior(ClassPrior::new(0.3).unwrap()).seed(7).threads(2);
        if let Some(name) = model {
            learner = learner.model(name.parse::<ModelChoice>().unwrap());
        }
        if model == Some("mlp") {
            learner = learner.epochs(5);
        }
        let said = folder.run(&format!(
            "fit train.csv --label y --drop id,t --prior 0.3 --seed 7 --threads 2 {flags} --out command.safetensors"
        ));
        assert_eq!(said.code, 0, "{said:?}");
        learner.fit(&data).unwrap().save(folder.path("rust.safetensors")).unwrap();
        let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
        assert!(bytes("command.safetensors") == bytes("rust.safetensors"), "{flags}");
    }
}
