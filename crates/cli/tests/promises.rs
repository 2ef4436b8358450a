//! The page of promises: the tests it names are there, its numbers are those of the files behind them, and nothing is sent.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(&path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// What is in backticks in a line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let page = text("docs/promises.md");
    let mut tests = 0;
    for line in page.lines().filter(|line| line.contains(".rs`: `")) {
        let mut source = String::new();
        for word in quoted(line.rsplit('|').nth(1).unwrap_or(line)) {
            if word.ends_with(".rs") {
                source = text(word)
            } else {
                assert!(source.contains(&format!("fn {word}()")), "{word}");
                tests += 1;
            }
        }
    }
    assert!(tests >= 30, "{tests} tests are named");
}

/// The lines of a Markdown table whose head starts so.
fn table_after<'p>(page: &'p str, head: &str) -> Vec<&'p str> {
    let lines = page.lines().skip_while(|line| !line.starts_with(head));
    lines.take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn the_bombs_of_the_page_are_those_that_were_measured() {
    let (page, measured) = (text("docs/promises.md"), text("benches/promises/results/bombs.md"));
    let head = "| bomb | peak, MiB |";
    let bombs = table_after(&measured, head);
    assert_eq!(table_after(&page, head), bombs);
    assert!(bombs.len() >= 22, "{} bombs", bombs.len() - 2);
    for line in &bombs[2..] {
        let peak: f64 = line.split('|').nth(2).unwrap().trim().parse().unwrap();
        assert!(peak <= 256.0 * 1.1, "{line}");
    }
}

#[test]
fn the_executions_of_the_page_are_those_that_were_counted() {
    let (page, counted) = (text("docs/promises.md"), text("fuzz/executions.csv"));
    let mut total = 0;
    for line in counted.lines().skip(1) {
        let [target, executions, _, features, crashes] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let shown = format!("| `{target}` | {} | {features} | {crashes} |", grouped(executions));
        assert!(page.contains(&shown), "{shown}");
        total += executions.parse::<u64>().unwrap();
    }
    assert!(page.contains(&format!("{} executions", grouped(&total.to_string()))), "{total}");
}

/// `12,345,678`.
fn grouped(digits: &str) -> String {
    let from_end = digits.chars().rev().enumerate();
    let mut shown: Vec<char> = from_end
        .flat_map(|(at, digit)| (at > 0 && at % 3 == 0).then_some(',').into_iter().chain([digit]))
        .collect();
    shown.reverse();
    shown.into_iter().collect()
}

#[test]
fn the_kills_of_the_page_are_those_that_were_counted() {
    let (page, counted) = (text("docs/promises.md"), text("benches/promises/results/kills.json"));
    let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
    assert_eq!(counted["wrong"], serde_json::json!([]));
    let mut total = 0;
    for kind in counted["kills"].as_array().unwrap() {
        let [command, signal] = ["command", "signal"].map(|key| kind[key].as_str().unwrap());
        let times = kind["times"].as_u64().unwrap();
        total += times;
        assert!(page.contains(&format!("| `{command}` | {signal} | {times} |")), "{kind}");
    }
    assert!(total >= 200, "{total}");
    assert_eq!(counted["writers"], serde_json::json!([[2, 10], [4, 10], [8, 10]]));
}

#[test]
fn the_interrupts_of_the_page_are_those_that_were_measured() {
    let (page, measured) = (text("docs/promises.md"), text("benches/promises/results/interrupts.json"));
    let measured: serde_json::Value = serde_json::from_str(&measured).unwrap();
    assert_eq!(measured["wrong"], serde_json::json!([]));
    assert!(page.contains(&format!("{} rows", grouped(&measured["rows"].to_string()))));
    let (mut interrupts, mut commands) = (0, 0);
    for one in measured["commands"].as_array().unwrap() {
        let number = |key: &str| one[key].to_string();
        let line =
            [number("seconds"), number("silence"), number("interrupts"), number("longest")].join(" | ");
        let line = format!("| {} | {line} |", one["command"].as_str().unwrap());
        assert!(page.contains(&line), "{line}");
        assert!(one["longest"].as_f64().unwrap() <= 2.0, "{line}");
        (interrupts, commands) = (interrupts + one["interrupts"].as_u64().unwrap(), commands + 1);
    }
    assert!(interrupts >= 50 && commands >= 10, "{interrupts} interrupts of {commands} commands");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn nothing_is_linked_that_talks_to_a_network() {
    const TALKERS: [&str; 12] = [
        "reqwest",
        "hyper",
        "ureq",
        "curl",
        "isahc",
        "surf",
        "tokio",
        "socket2",
        "native-tls",
        "rustls",
        "openssl",
        "mio",
    ];
    let lock = text("Cargo.lock");
    let linked = |name: &str| lock.lines().any(|line| line == format!("name = \"{name}\""));
    assert!(linked("serde"));
    let talkers: Vec<&str> = TALKERS.into_iter().filter(|name| linked(name)).collect();
    assert!(talkers.is_empty(), "{talkers:?}");
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    sources(&root().join("bindings/python/src"), &mut files);
    assert!(files.len() > 200, "{} files", files.len());
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        for word in ["std::net", "TcpStream", "UdpSocket", "UnixStream"] {
            assert!(!source.contains(word), "{}: {word}", file.display());
        }
    }
}
