//! The tables and pages of the comparison of losses say what the results files say.

use onesided_experiment::{Measure, Results, ResultsTable, Spec};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The tables of `benches/benchmark/tables`, and where their numbers are.
const TABLES: [(&str, &str, Measure); 15] = [
    ("few-labels-accuracy", "benchmark", Measure::Accuracy),
    ("few-labels-auc", "benchmark", Measure::Auc),
    ("pu-bench-shares", "benchmark-pubench", Measure::Accuracy),
    ("prior-estimated", "benchmark-estimated", Measure::Accuracy),
    ("biased-labels", "benchmark-biased", Measure::Accuracy),
    ("one-sample", "benchmark-single", Measure::Accuracy),
    ("pictures-accuracy", "few-labels", Measure::Accuracy),
    ("pictures-auc", "few-labels", Measure::Auc),
    ("pictures-prior-estimated", "few-labels-estimated", Measure::Accuracy),
    ("pictures-biased-labels", "few-labels-biased", Measure::Accuracy),
    ("pictures-later-losses-accuracy", "few-labels-more", Measure::Accuracy),
    ("pictures-later-losses-auc", "few-labels-more", Measure::Auc),
    ("pictures-two-samples", "few-labels-two-samples", Measure::Accuracy),
    ("teacher-tables", "tune-benchmark", Measure::Accuracy),
    ("teacher-texts", "tune-benchmark-texts", Measure::EstimatedAccuracy),
];

/// The root of the repository; nothing outside of it.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("docs/loss-comparison.md").exists().then_some(root)
}

/// The folder of specs, and a page.
fn places(page: &str) -> Option<(PathBuf, String)> {
    let root = root()?;
    Some((root.join("experiments"), fs::read_to_string(root.join(page)).unwrap()))
}

fn spec(folder: &Path, name: &str) -> (Spec, Results) {
    let spec = Spec::read(&folder.join(format!("{name}.toml"))).unwrap();
    let results = Results::read(&spec.results_file(), &spec.reuse).unwrap();
    (spec, results)
}

/// With `ONESIDED_TABLES=write` the files are written instead.
#[test]
fn every_table_is_that_of_its_results_file_and_no_run_is_missing() {
    let Some(root) = root() else {
        return eprintln!("SKIPPED: pages and results are in the repository alone");
    };
    let write = std::env::var("ONESIDED_TABLES").is_ok_and(|word| word == "write");
    for (name, of, measure) in TABLES {
        let (spec, results) = spec(&root.join("experiments"), of);
        let made = ResultsTable::new(&spec, &results, measure).unwrap().markdown().replacen("### ", "# ", 1);
        let file = root.join(format!("benches/benchmark/tables/{name}.md"));
        if write {
            fs::write(&file, &made).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), made, "{} is not that of {of}", file.display());
        let runs = spec.runs().unwrap();
        let missing: Vec<&str> =
            runs.iter().filter(|run| results.of(run).is_none()).map(|run| run.name.as_str()).collect();
        assert_eq!(missing, [""; 0], "{of}");
    }
    let page = fs::read_to_string(root.join("docs/loss-comparison.md")).unwrap();
    assert!(TABLES.iter().all(|(name, ..)| page.contains(&format!("tables/{name}.md"))));
    assert!(page.split_whitespace().count() <= 1500, "the page is the short form");
}

#[test]
fn means_next_to_published_numbers_are_those_of_the_file() {
    let Some((folder, page)) = places("docs/loss-comparison.md") else {
        return eprintln!("SKIPPED: pages and results are in the repository alone");
    };
    let (spec_of_shares, results) = spec(&folder, "benchmark-pubench");
    let (_, rows) = page.split_once("| method | 20News, published").unwrap();
    let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for run in spec_of_shares.runs().unwrap() {
        let sum = sums.entry((run.method, run.data)).or_default();
        *sum = (sum.0 + 100.0 * results.of(&run).unwrap().accuracy, sum.1 + 1.0);
    }
    for ((method, data), (sum, count)) in sums {
        let start = format!("| {} | ", spec_of_shares.methods[method].title);
        let line = rows.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{start}"));
        let ours = line.split('|').nth(3 + 2 * data).unwrap().trim();
        assert_eq!(ours, format!("{:.1}", sum / count), "{line}");
    }
}

#[test]
fn estimates_are_those_of_the_file() {
    let Some((folder, page)) = places("benches/benchmark/README.md") else {
        return eprintln!("SKIPPED: pages and results are in the repository alone");
    };
    let (spec, results) = spec(&folder, "benchmark-estimated");
    let (_, estimates) = page.split_once("| data | truth | estimates").unwrap();
    let mut of_sets: BTreeMap<(usize, String), BTreeMap<u64, (f64, f64)>> = BTreeMap::new();
    for run in spec.runs().unwrap() {
        let labels = run.labeled.unwrap().to_string();
        let prior = results.of(&run).unwrap().prior.unwrap();
        let known = of_sets.entry((run.data, labels)).or_default().insert(run.seed, prior);
        // Methods that learn from the same rows are told the same.
        assert!(known.is_none_or(|known| known == prior), "{}", run.name);
    }
    for ((data, labels), priors) in of_sets {
        let start = format!("| {} | ", spec.data[data].title);
        let line = estimates.lines().find(|line| line.starts_with(&start)).unwrap();
        let place = 3 + ["1000", "100", "20"].iter().position(|&known| known == labels).unwrap();
        let shown: Vec<String> = priors.values().map(|(_, given)| format!("{given:.3}")).collect();
        assert_eq!(line.split('|').nth(place).unwrap().trim(), shown.join(", "), "{line}");
        let truth = format!("{:.3}", priors[&0].0);
        assert_eq!(line.split('|').nth(2).unwrap().trim(), truth, "{line}");
    }
}

#[test]
fn estimates_of_pictures_are_those_of_the_file() {
    let Some((folder, page)) = places("benches/benchmark/README.md") else {
        return eprintln!("SKIPPED: pages and results are in the repository alone");
    };
    let (spec, results) = spec(&folder, "few-labels-estimated");
    let mut rows: BTreeMap<String, BTreeMap<u64, (f64, f64)>> = BTreeMap::new();
    for run in spec.runs().unwrap() {
        let row = format!("| {} | {} | ", spec.data[run.data].title, run.labeled.unwrap());
        rows.entry(row).or_default().insert(run.seed, results.of(&run).unwrap().prior.unwrap());
    }
    assert_eq!(rows.len(), 6);
    for (start, priors) in rows {
        let shown: Vec<String> = priors.values().map(|(_, given)| format!("{given:.3}")).collect();
        let row = format!("{start}{:.3} | {} |", priors[&0].0, shown.join(", "));
        assert!(page.lines().any(|line| line == row), "the page lacks '{row}'");
    }
}
