//! `onesided export`: what it writes, what it says, and what it refuses.

use crate::folder::{Folder, QUICK, table};
use std::fs;

const FIT: &str = "--label y --drop id --drop t --prior 0.3333";

/// A folder with a table and a model of trees.
fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {FIT} --method nnpu --model trees --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn a_file_and_what_to_pass_to_it() {
    let folder = fitted("export-written");
    let said = folder.json("export m.safetensors --format onnx --out m.onnx");
    let bytes = fs::read(folder.path("m.onnx")).unwrap();
    assert_eq!(said["bytes"], bytes.len());
    assert_eq!((&said["format"], &said["out"]), (&"onnx".into(), &"m.onnx".into()));
    let inputs = said["inputs"].as_array().unwrap();
    let names: Vec<&str> = inputs.iter().map(|input| input["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(inputs.iter().all(|input| input["type"] == "double" && input["width"] == 1));
    // A second time, to another name and without naming the only format: the same bytes.
    let text = folder.run("export m.safetensors -o again.onnx");
    assert!(text.stdout.contains("a      double      1  number\n"), "{text:?}");
    assert!(text.stdout.ends_with(&format!("wrote again.onnx ({} bytes)\n", bytes.len())), "{text:?}");
    assert!(bytes == fs::read(folder.path("again.onnx")).unwrap());
    // The file of an earlier export is replaced, and nothing else is left.
    folder.json("export m.safetensors --out m.onnx");
    assert!(!folder.files().iter().any(|name| name.ends_with(".tmp")), "{:?}", folder.files());
}

#[test]
fn bad_input_is_one_sentence() {
    let folder = fitted("export-refused");
    let refused = |arguments: &str, sentence: &str| {
        let said = folder.refused(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    };
    refused("export m.safetensors --format onx --out m.onnx", "unknown format 'onx' (did you mean 'onnx'?)");
    refused(
        "export m.safetensors --format pmml --out m.onnx",
        "models can be exported as onnx, xgboost-json",
    );
    refused("export m.safetensors --out m.safetensors", "another file of this command");
    refused("export m.safetensors --out nowhere/m.onnx", "there is no folder 'nowhere'");
    refused("export table.csv --out m.onnx", "table.csv");
    refused("export m.safetensors", "--out");
    folder.write("kept.onnx", "before");
    let mut only_read = fs::metadata(folder.path("kept.onnx")).unwrap().permissions();
    only_read.set_readonly(true);
    fs::set_permissions(folder.path("kept.onnx"), only_read).unwrap();
    refused("export m.safetensors --out kept.onnx", "the file is read-only");
    refused("export m.safetensors --out m.safetensors.rows", "another file of this command");
    refused("export m.safetensors --out -", "is written to a file");
    refused("export m.safetensors --out m.json", "called like the other format");
}

#[test]
fn what_cannot_be_written_exactly_is_refused() {
    let folder = Folder::new("export-scorers");
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out net.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(folder.json("export net.safetensors --out net.onnx")["inputs"].as_array().unwrap().len(), 2);
    let sentence = folder.refused("export net.safetensors --format xgboost-json --out net.json");
    assert!(
        sentence.contains("no sum of trees, which XGBoost cannot score exactly; export it as onnx"),
        "{sentence}"
    );
    let with_days = table().lines().enumerate().fold(String::new(), |text, (at, line)| match at {
        0 => format!("{line},day\n"),
        _ => format!("{text}{line},2024-{:02}-{:02}\n", (at * 7) % 12 + 1, (at * 11) % 28 + 1),
    });
    folder.write("days.csv", with_days);
    let said =
        folder.run(&format!("fit -v days.csv {FIT} --method nnpu --model trees --out days.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let inputs = folder.json("export days.safetensors --out days.onnx");
    assert_eq!(inputs["inputs"][2]["name"], "day");
    assert_eq!(inputs["inputs"][2]["holds"], "seconds since 1970, UTC");
    let sentence = folder.refused("export days.safetensors --format xgboost-json --out days.json");
    assert!(sentence.contains("'day' holds dates"), "{sentence}");
}

#[test]
fn texts_leave_as_their_words() {
    let folder = Folder::new("export-texts");
    let line = |at: usize| {
        format!(
            "{} number {},{}\n",
            ["a goal for the team", "rain and sun"][at % 2],
            at % 5,
            u8::from(at.is_multiple_of(4))
        )
    };
    folder.write("texts.csv", format!("body,y\n{}", (0..80).map(line).collect::<String>()));
    let fit = "fit texts.csv --text body --label y --prior 0.5 --method weighted-lr --out m.safetensors";
    let said = folder.run(fit);
    assert_eq!(said.code, 0, "{said:?}");
    let sentence = folder.refused("export m.safetensors --out m.onnx");
    assert!(sentence.ends_with("say that you pass their words yourself with --terms"), "{sentence}");
    let said = folder.json("export m.safetensors --terms --out m.onnx");
    assert_eq!((&said["inputs"][0]["name"], &said["inputs"][0]["type"]), (&"body".into(), &"terms".into()));
}

#[test]
fn trees_as_a_booster() {
    let folder = fitted("export-booster");
    let said = folder.json("export m.safetensors --format xgboost-json --out m.json");
    assert_eq!(
        said["inputs"][0],
        serde_json::json!({ "name": "a", "type": "float", "width": 1, "holds": "number" })
    );
    let booster: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("m.json")).unwrap()).unwrap();
    let model = &booster["learner"]["gradient_booster"]["model"];
    let trees = model["trees"].as_array().unwrap();
    assert_eq!(model["gbtree_model_param"]["num_trees"], trees.len().to_string());
    // The first is the constant, the second asks whether a row says anything.
    assert_eq!(
        (&trees[0]["left_children"], &trees[1]["split_indices"][0]),
        (&serde_json::json!([-1]), &0.into())
    );
    assert_eq!(trees[1]["default_left"], serde_json::json!([1, 1, 0, 0, 0]));
    assert_eq!(booster["learner"]["attributes"]["onesided.class_prior"], "0.3333");
    // Shapley values divide by the rows of a node, which are those of its children.
    for tree in trees {
        let rows: Vec<f64> =
            tree["sum_hessian"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
        assert!(rows.iter().all(|&n| n > 0.0), "{rows:?}");
        for (at, (left, right)) in tree["left_children"]
            .as_array()
            .unwrap()
            .iter()
            .zip(tree["right_children"].as_array().unwrap())
            .enumerate()
        {
            if let (Some(left), Some(right)) = (left.as_u64(), right.as_u64()) {
                assert!((rows[at] - rows[left as usize] - rows[right as usize]).abs() < 1e-9);
            }
        }
    }
}
