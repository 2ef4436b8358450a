//! An experiment from its spec to its table on a table whose every count is known: 40 positives, 60 negatives, one column
//! that separates them.

use onesided_experiment::{
    Event, ExperimentError, Measure, Record, Results, ResultsTable, Run, RunOptions, Spec, pending, run_all,
};
use onesided_learn::Machine;
use onesided_net::Device;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

const SPEC: &str = r#"
title = "counted"
hidden = [0.25]
seeds = [0, 1]
prior_errors = [0.0, -0.1]

[train]
network = "linear"
epochs = 60
batch = 20
learning_rate = 0.1

[[data]]
name = "table:shop"
folder = "shop.csv"
label = "class"
positive = ["yes"]

[[method]]
name = "collective"
reduction = "prior-weighted"

[[method]]
name = "supervised"

[[method]]
name = "weighted-lr"
"#;

/// A folder with the table and a spec, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, spec: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-counted-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let mut table = "x,class\n".to_string();
        for i in 0..100u32 {
            let (center, class) = if i % 5 < 2 { (3.0, "yes") } else { (-3.0, "no") };
            // A fixed scramble in [-1, 1).
            let noise = f64::from(i * 7919 % 997) / 498.5 - 1.0;
            table.push_str(&format!("{:.4},{class}\n", center + noise));
        }
        fs::write(path.join("shop.csv"), table).unwrap();
        fs::write(path.join("spec.toml"), spec).unwrap();
        Self(path)
    }

    fn spec(&self) -> Spec {
        Spec::read(&self.0.join("spec.toml")).unwrap()
    }

    fn results(&self) -> Results {
        Results::read(&self.0.join("results.jsonl"), &[]).unwrap()
    }

    fn run(
        &self,
        spec: &Spec,
        runs: &[Run],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), ExperimentError> {
        let machine = Machine { threads: 1, device: Device::Cpu, ..Machine::default() };
        let options = RunOptions { machine, jobs: 2 };
        run_all(spec, runs, &self.0, &options, &mut self.results(), &|_| {}, stop)
    }

    fn done(&self, spec: &Spec) -> Vec<Record> {
        let results = self.results();
        spec.runs().unwrap().iter().filter_map(|run| results.of(run).cloned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A fifth of each class is tested on: 8 and 12. Of the 32 positives left, 8 are hidden among 48 negatives, so μ is 8/56.
#[test]
fn counts_and_priors_are_those_of_the_split() {
    let folder = Folder::new("counts", SPEC);
    let spec = folder.spec();
    let all = pending(&spec, &folder.results(), None).unwrap();
    // Per seed: two methods under two priors, and one that sees every label.
    assert_eq!(all.len(), 2 * (2 * 2 + 1));
    folder.run(&spec, &all, &|| false).unwrap();
    let done = folder.done(&spec);
    assert_eq!(done.len(), all.len());
    for record in &done {
        if record.run.contains("/supervised/") {
            assert_eq!((record.rows, record.prior), ((32, 48), None), "{record:?}")
        } else {
            let (truth, told) = record.prior.unwrap();
            assert_eq!((record.rows, truth), ((24, 56), 8.0 / 56.0), "{record:?}");
            let expected = if record.run.contains("-10%") { 0.9 * truth } else { truth };
            assert!((told - expected).abs() < 1e-15, "{record:?}");
        }
        // The classes do not touch.
        assert_eq!((record.accuracy, record.auc), (1.0, 1.0), "{record:?}");
        assert_eq!(record.estimated_accuracy, None);
    }
    // What is done is done: nothing is pending, and the table is full.
    assert!(pending(&spec, &folder.results(), None).unwrap().is_empty());
    let table = ResultsTable::new(&spec, &folder.results(), Measure::Accuracy).unwrap();
    let text = table.markdown();
    assert_eq!(text.matches("100.00 ± 0.00").count(), 5, "{text}");
    assert!(!text.contains("of 2]"), "{text}");
    // The same cells as lines and as objects.
    let csv = table.csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 5);
    assert_eq!(lines[0], "cell,runs,mean,deviation,printed_mean,printed_deviation");
    assert_eq!(lines[1], "table:shop/0.25/collective,2,100.0000,0.0000,,");
    assert_eq!(lines[2], "table:shop/0.25/collective/-10%,2,100.0000,0.0000,,");
    let json = table.json();
    assert_eq!((&json["seeds"], json["cells"].as_array().unwrap().len()), (&2.into(), 5));
    assert_eq!(json["cells"][2]["cell"], "table:shop/all/supervised");
    assert_eq!((&json["cells"][2]["mean"], &json["cells"][2]["runs"]), (&100.0.into(), &2.into()));
    assert!(json["cells"][2]["printed_mean"].is_null());
}

/// Of 24 labeled and 56 unlabeled rows a quarter is held out. A perfect classifier has recall 1 there, and the estimate of
/// its accuracy without negatives is π + (1 − π)(1 − (a − μ)/(1 − μ)), a the share of positives among held-out rows.
#[test]
fn accuracy_without_negatives_is_the_formula() {
    let spec = SPEC
        .replace("prior_errors = [0.0, -0.1]\n", "")
        .replace("epochs = 60", "epochs = 60\nhold_out = 0.25");
    let folder = Folder::new("estimate", &spec);
    let spec = folder.spec();
    let runs = pending(&spec, &folder.results(), Some("table:shop/0.25/collective")).unwrap();
    folder.run(&spec, &runs, &|| false).unwrap();
    let done = folder.done(&spec);
    assert_eq!(done.len(), 2);
    for record in done {
        assert_eq!((record.rows, record.accuracy), ((18, 42), 1.0), "{record:?}");
        let (truth, told) = record.prior.unwrap();
        assert_eq!(truth, told);
        // 8 hidden positives, of which some number is among the 42; the others are among the 14.
        let hidden = (truth * 42.0).round();
        assert!((truth * 42.0 - hidden).abs() < 1e-12 && hidden <= 8.0, "{record:?}");
        let (a, mu) = ((8.0 - hidden) / 14.0, truth);
        let pi = (18.0 + mu * 42.0) / 60.0;
        let expected = pi + (1.0 - pi) * (1.0 - (a - mu) / (1.0 - mu));
        assert!((record.estimated_accuracy.unwrap() - expected).abs() < 1e-12, "{record:?}, not {expected}");
    }
}

#[test]
fn an_interrupted_experiment_resumes_to_the_same_numbers() {
    let (whole, halves) = (Folder::new("whole", SPEC), Folder::new("halves", SPEC));
    let spec = whole.spec();
    let all = pending(&spec, &whole.results(), None).unwrap();
    whole.run(&spec, &all, &|| false).unwrap();
    // Stopped once three runs are recorded, whichever they are.
    let enough =
        || fs::read_to_string(halves.0.join("results.jsonl")).is_ok_and(|text| text.lines().count() >= 3);
    let stopped = halves.run(&spec, &all, &enough).unwrap_err();
    assert!(matches!(stopped, ExperimentError::Interrupted { done: 3.., all: 10 }), "{stopped}");
    let rest = pending(&spec, &halves.results(), None).unwrap();
    assert!(!rest.is_empty() && rest.len() <= 7);
    halves.run(&spec, &rest, &|| false).unwrap();
    let numbers = |folder: &Folder| -> Vec<(String, f64, f64, f64)> {
        let records = folder.done(&spec).into_iter();
        records.map(|record| (record.run, record.accuracy, record.auc, record.loss)).collect()
    };
    assert_eq!(numbers(&whole), numbers(&halves));
}

#[test]
fn events_tell_what_is_done() {
    let folder = Folder::new("events", SPEC);
    let spec = folder.spec();
    let runs = pending(&spec, &folder.results(), Some("table:shop/0.25/weighted-lr")).unwrap();
    let (told, machine) = (Mutex::new(Vec::new()), Machine { threads: 1, ..Machine::default() });
    let observer = |event: Event| {
        told.lock().unwrap().push(match event {
            Event::Reading(title) => format!("reading {title}"),
            Event::On(device) => format!("on {device}"),
            Event::Done(record, progress) => format!("{} {}/{}", record.device, progress.done, progress.all),
        });
    };
    let options = RunOptions { machine, jobs: 1 };
    run_all(&spec, &runs, &folder.0, &options, &mut folder.results(), &observer, &|| false).unwrap();
    let expected = ["reading table:shop", "cpu 1/4", "cpu 2/4", "cpu 3/4", "cpu 4/4"];
    assert_eq!(told.into_inner().unwrap(), expected);
}

#[test]
fn what_cannot_be_run_is_refused_before_the_first_run() {
    let refused = |name: &str, from: &str, to: &str| {
        let folder = Folder::new(name, &SPEC.replace(from, to));
        let spec = folder.spec();
        let runs = pending(&spec, &folder.results(), None).unwrap();
        let error = folder.run(&spec, &runs, &|| false).expect_err(name).to_string();
        assert!(folder.done(&spec).is_empty(), "{name}");
        error
    };
    let error = refused("label", "label = \"class\"\n", "");
    assert_eq!(error, "'table:shop': a table needs the column of its classes as label");
    let error = refused("column", "label = \"class\"", "label = \"clas\"");
    assert!(error.contains("did you mean 'class'?"), "{error}");
    let error = refused("value", "positive = [\"yes\"]", "positive = [\"maybe\"]");
    assert!(error.contains("'maybe'"), "{error}");
    let error = refused("negative", "positive = [\"yes\"]", "positive = [\"yes\"]\nnegative = [\"no\"]");
    assert!(error.contains("leave 'negative' out"), "{error}");
    let error = refused("file", "folder = \"shop.csv\"", "folder = \"shops.csv\"");
    assert!(error.contains("shops.csv"), "{error}");
    let error = refused("mirror", "epochs = 60", "epochs = 60\ntest_view = \"mirror\"");
    assert!(error.contains("linear sees no image, and has no mirror image to score"), "{error}");
    let folder = Folder::new("selection", SPEC);
    let error = pending(&folder.spec(), &folder.results(), Some("mnist")).unwrap_err().to_string();
    assert!(
        error.contains("matches 'mnist'; its runs are named such as 'table:shop/0.25/collective"),
        "{error}"
    );
}
