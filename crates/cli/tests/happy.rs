//! The commands at work, one behavior each.

use crate::folder::{Folder, QUICK, Said, table};
use onesided::data::{OutColumn, write_parquet};
use onesided::{At, ClassPrior, Input, InputOptions, Learner, Reduction, Signal};

fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out model.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn fit_prints_the_scenario_and_both_priors() {
    let folder = Folder::new("fit-prints");
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out model.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("50 positives, 250 unlabeled rows, 2 features"), "{said:?}");
    assert!(said.stderr.contains("scenario: single-sample (the default for one file"), "{said:?}");
    // μ = (0.3333 · 300 - 50) / 250.
    assert!(said.stderr.contains("0.333 in the population (given), 0.2 in the unlabeled"), "{said:?}");
    assert!(
        said.stdout.contains("held-out risk") && said.stdout.contains("wrote model.safetensors"),
        "{said:?}"
    );
    assert_eq!(folder.files(), ["model.safetensors", "model.safetensors.rows", "table.csv"]);
}

#[test]
fn fit_as_json() {
    let folder = Folder::new("fit-json");
    folder.write("table.csv", table());
    let object = folder.json(&format!("fit -v table.csv {QUICK} --out m.safetensors"));
    assert_eq!(object["model"], "m.safetensors");
    assert_eq!(object["method"], "collective");
    assert_eq!(object["prior"], 0.3333);
    assert_eq!(object["scenario"], "single-sample");
    assert!(object["epochs"].as_u64().unwrap() >= 1 && object["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(object["candidates"].as_array().unwrap().len(), 2);
    for metric in ["accuracy", "auc", "recall", "precision"] {
        assert!(object["metrics"][metric].is_number(), "{metric} in {object}");
        assert_eq!(object["metrics"][format!("{metric}_interval")].as_array().unwrap().len(), 2);
    }
}

#[test]
fn two_runs_write_the_same_bytes() {
    let folder = fitted("same-bytes");
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out again.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let read = |name| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("model.safetensors"), read("again.safetensors"));
}

/// The library stops the fit that the command would make in its fourth epoch; the command continues from there.
#[test]
fn a_resumed_fit_says_so() {
    resumes("resumed", "off");
    resumes("resumed-taught", "weight=1,ramp=2");
}

fn resumes(test: &str, teacher: &str) {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let options =
        InputOptions { drop: vec!["id".to_string(), "t".to_string()], ..InputOptions::labeled("y") };
    let data = options.read(&Input::one(folder.path("table.csv"))).unwrap();
    Learner::new()
        .prior(ClassPrior::new(0.3333).unwrap())
        .model("linear".parse::<onesided::ModelChoice>().unwrap())
        .epochs(10)
        .learning_rate(0.05)
        .hold_out(0.3)
        .reduction(Reduction::SumOfMeans)
        .teacher(teacher.parse::<onesided::Teaching>().unwrap())
        .checkpoint(folder.path("c"))
        .fit_with(&data, &mut |progress| match progress.at {
            At::Batch(now) => Signal::from(now.epoch < 4),
            _ => Signal::Continue,
        })
        .unwrap_err();
    let fit = format!("fit -v table.csv {QUICK} --hold-out 0.3 --reduction sum-of-means --teacher {teacher}");
    let said = folder.run(&format!("{fit} --checkpoint c --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let line = "resumed from the checkpoint 'c': 3 epochs were done already";
    assert_eq!(said.stderr.lines().filter(|l| *l == line).count(), 1, "{said:?}");
    let whole = folder.json(&format!("{fit} --out whole.safetensors"));
    assert_eq!((&whole["device"], &whole["resumed_from"]), (&"cpu".into(), &serde_json::Value::Null));
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("m.safetensors") == bytes("whole.safetensors"));
    let files =
        ["m.safetensors", "m.safetensors.rows", "table.csv", "whole.safetensors", "whole.safetensors.rows"];
    assert_eq!(folder.files(), files);
}

#[test]
fn predict_writes_a_ranked_csv() {
    let folder = fitted("predict-csv");
    let object = folder.json("predict model.safetensors table.csv --in-sample --out ranked.csv --id id");
    assert_eq!((object["out"].as_str(), object["rows"].as_u64()), (Some("ranked.csv"), Some(300)));
    assert_eq!(object["predicted_positive"], 100, "the classes lie far apart");
    let text = std::fs::read_to_string(folder.path("ranked.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row,score,probability,rank,id"));
    let cells: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let scores: Vec<f32> = cells.iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
    for (at, row) in cells.iter().enumerate() {
        let number: usize = row[0].parse().unwrap();
        assert_eq!((row[3], row[4]), ((at + 1).to_string().as_str(), format!("r{}", number - 1).as_str()));
        assert_eq!(at < 100, (number - 1).is_multiple_of(3), "row {number} at rank {}", at + 1);
    }
}

#[test]
fn predict_shows_the_ten_best_without_a_file() {
    let folder = fitted("predict-top");
    let said = folder.run("predict model.safetensors table.csv --id id");
    assert_eq!((said.code, said.stdout.lines().count()), (0, 11), "{said:?}");
    assert_eq!(folder.json("predict model.safetensors table.csv")["top"].as_array().unwrap().len(), 10);
}

#[test]
fn parquet_in_and_out() {
    let folder = Folder::new("parquet");
    let text = table();
    let cells: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let numbers = |at: usize| OutColumn::F64(cells.iter().map(|row| row[at].parse().unwrap()).collect());
    let columns = [("a", numbers(1)), ("b", numbers(2)), ("y", numbers(3))];
    write_parquet(&folder.path("table.parquet"), &columns).unwrap();
    let flags = "--label y --prior 0.3333 --model linear --epochs 10 --learning-rate 0.05";
    let said = folder.run(&format!("fit -v table.parquet {flags} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let said = folder.run("predict m.safetensors table.parquet --in-sample --out ranked.parquet");
    assert_eq!(said.code, 0, "{said:?}");
    let ranked = onesided::data::read(&folder.path("ranked.parquet"), &Default::default()).unwrap();
    assert_eq!(ranked.rows, 300);
    assert_eq!(ranked.names().collect::<Vec<_>>(), ["row", "score", "probability", "rank"]);
}

#[test]
fn two_files_are_case_control() {
    let folder = Folder::new("two-files");
    let text = table();
    let rows = || text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let part = |wanted: &dyn Fn(&[&str]) -> bool| {
        let lines: Vec<String> =
            rows().filter(|row| wanted(row)).map(|row| format!("{},{}\n", row[1], row[2])).collect();
        format!("a,b\n{}", lines.concat())
    };
    folder.write("p.csv", part(&|row| row[3] == "1"));
    folder.write("u.csv", part(&|_| true));
    let flags = "--prior 0.3333 --model linear --epochs 10 --learning-rate 0.05";
    let object =
        folder.json(&format!("fit -v --positives p.csv --unlabeled u.csv {flags} --out m.safetensors"));
    assert_eq!(object["scenario"], "case-control");
    assert_eq!(object["prior_in_unlabeled"], 0.3333);
    assert_eq!((object["positive"].as_u64(), object["unlabeled"].as_u64()), (Some(50), Some(300)));
}

#[test]
fn evaluate_with_truth_and_without_negatives() {
    let folder = fitted("evaluate");
    let truth = folder.json("evaluate model.safetensors table.csv --truth t --in-sample");
    assert_eq!((truth["accuracy"].as_f64(), truth["auc"].as_f64()), (Some(1.0), Some(1.0)));
    assert_eq!(truth["accuracy_interval"].as_array().unwrap().len(), 2);
    let pu = folder.json("evaluate model.safetensors table.csv --label y --in-sample");
    // Recall 1 and a fifth of U predicted positive: 1 - risk = 2 μ r + 1 - a - μ with μ = 0.19996 and a = 0.2.
    assert!((pu["accuracy"].as_f64().unwrap() - (1.0 - 0.00004)).abs() < 1e-9, "{pu}");
    assert_eq!(pu["measured"], "without negatives");
    let both = folder.json("evaluate model.safetensors table.csv --label y --truth t --in-sample");
    assert_eq!(both["accuracy"], 1.0);
    assert!(both["without_negatives"]["recall"].is_number());
    let text = folder.run("evaluate model.safetensors table.csv --label y --truth t --in-sample");
    assert!(
        text.stdout.contains("against true labels") && text.stdout.contains("without negatives"),
        "{text:?}"
    );
    assert!(text.stderr.contains("optimistic"), "{text:?}");
}

#[test]
fn supervised_reads_the_truth() {
    let folder = Folder::new("supervised");
    folder.write("table.csv", table());
    let flags =
        "--method supervised --truth t --label y --drop id --model linear --epochs 60 --learning-rate 0.05";
    let object = folder.json(&format!("fit -v table.csv {flags} --out m.safetensors"));
    assert_eq!(object["method"].as_str(), Some("supervised"));
    assert!(object["metrics"]["accuracy"].as_f64().unwrap() > 0.98, "{object}");
    assert!((object["prior"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn naive_needs_no_prior_and_warns() {
    let folder = Folder::new("naive");
    folder.write("table.csv", table());
    let flags = "--method naive --label y --drop id --drop t --model linear --epochs 5";
    let said = folder.run(&format!("fit -v table.csv {flags} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("warning: no prior was given"), "{said:?}");
}

#[test]
fn methods_are_listed() {
    let folder = Folder::new("methods");
    let said = folder.run("methods");
    let names: Vec<String> = folder.json("methods")["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["name"].as_str().unwrap().to_string())
        .collect();
    assert_eq!(names[..6], ["auto", "collective", "upu", "nnpu", "imbalanced-nnpu", "naive"]);
    assert!(
        ["weighted-lr", "s-em", "ldce", "puld"].iter().all(|name| names.iter().any(|there| there == name))
    );
    assert!(names.iter().all(|name| said.stdout.contains(name.as_str())), "{said:?}");
    assert!(said.stdout.contains("arXiv 2005.03228") && said.stdout.contains("for probability"), "{said:?}");
}

/// Help is a result, begins with what the program does, and its sentences are whole.
#[test]
fn help_of_every_command() {
    let folder = Folder::new("help");
    let help = folder.run("--help");
    assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{help:?}");
    assert!(help.stdout.starts_with("Learns classifiers from positive and unlabeled examples\n"), "{help:?}");
    let listed = |heading: &str| -> Vec<&str> {
        let lines = help.stdout.lines().skip_while(|line| *line != heading).skip(1);
        lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect()
    };
    let (mut commands, research) = (listed("Commands:"), listed("Research:"));
    assert_eq!(commands[..3], ["demo", "fit", "predict"]);
    assert_eq!(research, ["bench", "elicit", "bound", "data", "experiment"]);
    commands.retain(|command| *command != "help");
    commands.extend(research);
    assert_eq!(commands.len(), 19, "{commands:?}");
    for command in commands {
        let help = folder.run(&format!("{command} --help"));
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{help:?}");
        let lines: Vec<&str> = help.stdout.lines().collect();
        let flags: Vec<&str> = lines.iter().copied().filter(|line| line.contains("  --")).collect();
        // The sentence of a flag follows on its line, or on the next one where help is long.
        for pair in lines.windows(2).filter(|pair| pair[0].contains("  --")) {
            let sentence = pair[0].trim_start().contains("  ") || pair[1].starts_with("          ");
            assert!(sentence, "{command}: {}", pair[0]);
        }
        let last = flags.iter().rev().take(2).any(|line| line.contains("--json"));
        assert!(last, "{command}: --json is the last flag but for --help");
    }
    let fit = folder.run("fit -v --help").stdout;
    for setting in onesided::SETTINGS {
        let flag = match setting.value {
            "" => format!("--{}", setting.name),
            "on|off" => format!("--{} [<on|off>]", setting.name),
            value => format!("--{} <{value}>", setting.name),
        };
        assert!(fit.contains(&flag), "{flag}");
        assert!(fit.contains(setting.help), "{}", setting.name);
    }
    assert!(folder.files().is_empty());
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = Folder::new("broken-pipe");
    let mut child = folder
        .command("methods")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
}

#[test]
fn demo_as_json_has_every_method_at_both_fractions() {
    let folder = Folder::new("demo");
    let object = folder.json("demo --compare --seeds 1");
    let rows = object["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        assert!(row["accuracy"].as_f64().unwrap() > 0.4, "{row}");
        assert!(row["auc"].is_number() && row["seconds"].is_number() && row["method"].is_string(), "{row}");
    }
    let of = |method: &str, hidden: f64| {
        let found = rows.iter().find(|row| row["method"] == method && row["hidden_fraction"] == hidden);
        found.unwrap()["accuracy"].as_f64().unwrap()
    };
    assert!(of("supervised", 0.2) > 0.97);
    assert!(of("collective", 0.2) > 0.95);
    assert!(of("collective", 0.8) > of("naive", 0.8));
}
