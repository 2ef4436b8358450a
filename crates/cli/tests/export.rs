//! `onesided export`: what it writes, what it says, and what it refuses.

mod folder;

use folder::{Folder, QUICK, table};
use std::fs;

const FIT: &str = "--label y --drop id --drop t --prior 0.3333";

/// A folder with a table and a model of trees.
fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit table.csv {FIT} --method nnpu --model trees --out m.safetensors"));
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
    assert!(text.stdout.contains("a      double      1\n"), "{text:?}");
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
    refused("export m.safetensors --format pmml --out m.onnx", "models can be exported as onnx");
    refused("export m.safetensors --out m.safetensors", "another file of this command");
    refused("export m.safetensors --out nowhere/m.onnx", "there is no folder 'nowhere'");
    refused("export table.csv --out m.onnx", "table.csv");
    refused("export m.safetensors", "--out");
    folder.write("kept.onnx", "before");
    let mut only_read = fs::metadata(folder.path("kept.onnx")).unwrap().permissions();
    only_read.set_readonly(true);
    fs::set_permissions(folder.path("kept.onnx"), only_read).unwrap();
    refused("export m.safetensors --out kept.onnx", "the file is read-only");
}

#[test]
fn what_cannot_be_written_exactly_is_refused() {
    let folder = Folder::new("export-scorers");
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit table.csv {QUICK} --out net.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let sentence = folder.refused("export net.safetensors --out net.onnx");
    assert!(sentence.contains("a network, which cannot be exported; fit with another"), "{sentence}");
    let with_days = table().lines().enumerate().fold(String::new(), |text, (at, line)| match at {
        0 => format!("{line},day\n"),
        _ => format!("{text}{line},2024-{:02}-{:02}\n", (at * 7) % 12 + 1, (at * 11) % 28 + 1),
    });
    folder.write("days.csv", with_days);
    let said = folder.run(&format!("fit days.csv {FIT} --method nnpu --model trees --out days.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let sentence = folder.refused("export days.safetensors --out days.onnx");
    assert!(sentence.contains("'day' holds dates"), "{sentence}");
}
