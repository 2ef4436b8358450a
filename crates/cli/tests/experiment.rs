//! `onesided experiment`: runs that resume, tables, and the wrong things.

use crate::folder::{Folder, Said};
use std::fs;
use std::path::PathBuf;

/// Two methods and the ceiling on built-in data: 2 seeds × (2 + 1) runs.
const SMALL: &str = r#"
title = "Small"
hidden = [0.4]
seeds = [0, 1]
printed = { file = "printed.toml", table = "accuracy" }

[train]
network = "linear"
epochs = 2
batch = 256
learning_rate = 1e-2

[[data]]
name = "digits"
positive = ["0", "2", "4", "6", "8"]

[[method]]
name = "collective"

[[method]]
name = "weighted-lr"

[[method]]
name = "supervised"
"#;

const PRINTED: &str = "[accuracy]\n\"digits/0.4/collective\" = [50.0, 1.0]\n\"digits/0.4/oracle\" = [99.5]\n";

fn small(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("small.toml", SMALL);
    folder.write("printed.toml", PRINTED);
    folder
}

fn lines(folder: &Folder) -> Vec<String> {
    let text = fs::read_to_string(folder.path("results/small.jsonl")).unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

#[test]
fn runs_are_recorded_tabulated_and_never_repeated() {
    let folder = small("experiment-runs");
    let said = folder.run("experiment small.toml --device cpu --threads 1");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(lines(&folder).len(), 6);
    assert!(said.stderr.contains("[6/6] ") && said.stderr.contains(" runs/min, "), "{said:?}");
    // The printed mean is in parentheses; a method that was only printed has its own column.
    assert!(
        said.stdout.contains("| data | hidden | collective | weighted-lr | supervised | oracle (printed) |")
    );
    assert!(said.stdout.contains("(50.00)") && said.stdout.contains("(99.50)"), "{said:?}");

    let before = lines(&folder);
    let again = folder.run("experiment small.toml --device cpu");
    assert!(again.stderr.contains("every run is in 'results/small.jsonl' already"), "{again:?}");
    assert_eq!((again.stdout, lines(&folder)), (said.stdout.clone(), before));
    assert_eq!(folder.run("experiment table small.toml").stdout, said.stdout);
}

#[test]
fn an_interrupted_experiment_goes_on_where_it_stopped_and_ends_the_same() {
    let folder = small("experiment-resume");
    assert_eq!(folder.run("experiment small.toml --device cpu --threads 1").code, 0);
    let accuracy = |line: &String| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        (record["run"].clone(), record["accuracy"].clone(), record["auc"].clone())
    };
    // What is left is done set by set, so lines may come in another order.
    let outcome = || {
        let mut outcome: Vec<_> = lines(&folder).iter().map(accuracy).collect();
        outcome.sort_by_key(|(run, ..)| run.to_string());
        outcome
    };
    let whole = outcome();
    // Cut off in the middle of the fourth line.
    let text = fs::read_to_string(folder.path("results/small.jsonl")).unwrap();
    let three: usize = text.lines().take(3).map(|line| line.len() + 1).sum();
    fs::write(folder.path("results/small.jsonl"), &text[..three + 40]).unwrap();
    let said = folder.run("experiment small.toml --device cpu --threads 1");
    assert!(said.stderr.contains("[3/3] "), "{said:?}");
    assert_eq!(outcome(), whole);
}

#[test]
fn a_part_can_be_asked_for_and_changed_choices_are_run_again() {
    let folder = small("experiment-only");
    let list = |only: &str| folder.run(&format!("experiment small.toml --dry-run {only}")).stdout;
    assert_eq!(list("--only digits/0.4/collective"), "digits/0.4/collective/0\ndigits/0.4/collective/1\n");
    assert_eq!(
        list("--only */*/weighted-lr/1 --only digits/all"),
        "digits/0.4/weighted-lr/1\ndigits/all/supervised/0\ndigits/all/supervised/1\n"
    );
    assert_eq!(folder.run("experiment small.toml --only digits/0.4/collective/0 --device cpu").code, 0);
    assert_eq!(list("").lines().count(), 5);
    folder.write("small.toml", SMALL.replace("epochs = 2", "epochs = 3"));
    assert_eq!(list("").lines().count(), 6);
}

#[test]
fn tables_in_other_formats() {
    let folder = small("experiment-formats");
    assert_eq!(folder.run("experiment small.toml --device cpu --only digits/*/weighted-lr").code, 0);
    let csv = folder.run("experiment table small.toml --format csv").stdout;
    let mut rows = csv.lines();
    assert_eq!(rows.next(), Some("cell,runs,mean,deviation,printed_mean,printed_deviation"));
    assert_eq!(rows.next(), Some("digits/0.4/collective,0,,,50.0000,1.0000"));
    assert!(rows.next().unwrap().starts_with("digits/0.4/weighted-lr,2,"), "{csv}");
    let json = folder.json("experiment table small.toml --measure auc");
    assert_eq!((&json["cells"][1]["runs"], &json["cells"][0]["mean"]), (&2.into(), &serde_json::Value::Null));
}

#[test]
fn a_method_is_compared_with_the_others_seed_by_seed() {
    let folder = small("experiment-compare");
    folder.write("small.toml", SMALL.replace("hidden = [0.4]", "hidden = [0.4, 0.6]"));
    assert_eq!(folder.run("experiment small.toml --device cpu --threads 1").code, 0);
    let accuracy = |run: &str| {
        let of_line = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let record = lines(&folder).iter().map(of_line).find(|record| record["run"] == run).unwrap();
        100.0 * record["accuracy"].as_f64().unwrap()
    };
    let json = folder.json("experiment table small.toml --compare collective");
    let differences = json["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 4);
    for (said, (hidden, other)) in differences.iter().zip([
        (0.4, "0.4/weighted-lr"),
        (0.4, "all/supervised"),
        (0.6, "0.6/weighted-lr"),
        (0.6, "all/supervised"),
    ]) {
        let of_seed = |seed| {
            accuracy(&format!("digits/{hidden}/collective/{seed}"))
                - accuracy(&format!("digits/{other}/{seed}"))
        };
        let (a, b): (f64, f64) = (of_seed(0), of_seed(1));
        assert_eq!((&said["hidden"], &said["runs"]), (&hidden.into(), &2.into()), "{json}");
        assert!(other.ends_with(said["other"].as_str().unwrap()), "{json}");
        assert!((said["difference"].as_f64().unwrap() - (a + b) / 2.0).abs() < 1e-9, "{json}");
        assert!((said["error"].as_f64().unwrap() - (a - b).abs() / 2.0).abs() < 1e-9, "{json}");
    }
    // What was only printed has no seeds and no column.
    let said = folder.run("experiment table small.toml --compare collective").stdout;
    assert!(said.contains("accuracy in %, collective minus each of the others"), "{said}");
    assert!(said.contains("| data | hidden | weighted-lr | supervised |\n"), "{said}");
    let csv = folder.run("experiment table small.toml --compare supervised --format csv").stdout;
    assert!(csv.contains("\ndigits,0.6,supervised,collective,2,"), "{csv}");
    // Of several priors any can be the one that the others are compared with.
    let errors = "title = \"Small\"\nprior_errors = [-0.1, 0.1]";
    folder.write("small.toml", SMALL.replace("title = \"Small\"", errors));
    let message = folder.refused("experiment table small.toml --compare collective");
    assert!(message.contains("its columns are collective/-10%, collective/+10%, "), "{message}");
    let said = folder.run("experiment table small.toml --compare collective/+10%");
    assert!(said.code == 0 && said.stdout.contains("collective +10 minus each"), "{said:?}");
}

#[test]
fn wrong_requests_get_one_sentence_and_leave_nothing() {
    let folder = small("experiment-wrong");
    let files = folder.files();
    let refused = |arguments: &str, sentence: &str| {
        let Said { code, stdout, stderr } = folder.run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments}: {stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(last.contains(sentence), "{arguments}: {stderr}");
        assert_eq!(folder.files(), files, "{arguments}");
    };
    refused("experiment", "SPEC");
    refused("experiment nothing", "there is no spec 'experiments/nothing.toml'");
    refused(
        "experiment small.toml --only mnist",
        "no run of 'small.toml' matches 'mnist'; its runs are named such as",
    );
    refused("experiment small.toml --jobs 0", "--jobs must be at least 1");
    refused("experiment small.toml --device abacus", "abacus");
    refused("experiment table small.toml --measure speed", "unknown measure 'speed'");
    refused(
        "experiment table small.toml --compare nnpu",
        "the table has no column 'nnpu'; its columns are collective,",
    );
    refused(
        "experiment table small.toml --results none.jsonl",
        "there is no results file 'none.jsonl'; check the path",
    );
    refused("experiment table small.toml --format pdf", "unknown format 'pdf'");
    refused("experiment small.toml --results printed.toml", "'printed.toml', line 1: ");
    refused("experiment small.toml --results /dev/null/x", "cannot read '/dev/null/x'");
    refused("experiment small.toml --results .", "cannot read '.': it is not a file");
    for (from, to, sentence) in [
        ("epochs = 2", "epoch = 2", "unknown field `epoch`"),
        ("hidden = [0.4]", "hidden = [0]", "strictly between 0 and 1, but one is 0"),
        (
            "name = \"digits\"",
            "name = \"mnist\"",
            "mnist is not in 'data', which has no 'train-images-idx3-ubyte'; name the folder",
        ),
        ("name = \"digits\"", "name = \"letters\"", "unknown data set 'letters'; use mnist"),
        ("positive = [\"0\",", "positive = [\"ten\",", "it has no class 'ten'; its classes are 0, 1"),
        ("name = \"weighted-lr\"", "name = \"weighted-l\"", "weighted-l"),
        ("network = \"linear\"", "network = \"vgg99\"", "unknown model 'vgg99'"),
        ("table = \"accuracy\"", "table = \"speed\"", "it has no table 'speed'; its tables are accuracy"),
    ] {
        folder.write("small.toml", SMALL.replace(from, to));
        let run = if from.starts_with("table") {
            "experiment table small.toml"
        } else {
            "experiment small.toml --device cpu"
        };
        refused(run, sentence);
    }
}

/// The repository's pages hold the tables that its results files give, number for number.
#[test]
fn the_pages_show_what_the_results_files_hold() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("experiments").exists() {
        return eprintln!("SKIPPED: pages and results are in the repository alone");
    }
    let folder = Folder::new("experiment-page");
    for (page, table) in [
        ("paper.md", "table1"),
        ("paper.md", "table1 --compare collective"),
        ("paper.md", "table1-as-printed"),
        ("paper.md", "table1-again"),
        ("paper.md", "table1-again --compare collective"),
        ("paper.md", "table2"),
        ("few-labels-results.md", "few-labels-40000"),
        ("few-labels-results.md", "few-labels-svhn"),
        ("few-labels-results.md", "table1-taught"),
        ("classic-results.md", "classic"),
        ("classic-results.md", "classic --measure auc"),
    ] {
        let text = fs::read_to_string(root.join("docs").join(page)).unwrap();
        let mut command = folder.command(&format!("experiment table {table}"));
        let Said { code, stdout, stderr } = Said::of(command.current_dir(&root).output().unwrap());
        assert_eq!(code, 0, "{stderr}");
        assert!(
            text.contains(stdout.trim_end()),
            "docs/{page} does not hold what 'experiment table {table}' gives:\n{stdout}"
        );
    }
}
