//! The page on few labels says what its results file says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[derive(Default)]
struct Runs {
    accuracies: Vec<f64>,
    seeds: Vec<u64>,
}

impl Runs {
    /// Mean and deviation in percent; the number alone of one run.
    fn shown(&self) -> String {
        let count = self.accuracies.len() as f64;
        let mean = self.accuracies.iter().sum::<f64>() / count;
        let squares = self.accuracies.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        match self.accuracies.len() {
            1 => format!("{:.2}", 100.0 * mean),
            _ => format!("{:.2} ± {:.2}", 100.0 * mean, 100.0 * (squares / (count - 1.0)).sqrt()),
        }
    }
}

#[test]
fn every_row_of_the_tables_is_that_of_the_file() {
    let (page, file) = (text("docs/few-labels-results.md"), text("benches/few_labels/results.csv"));
    let mut groups: BTreeMap<(&str, String), Runs> = BTreeMap::new();
    let mut roles: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut ablations: BTreeMap<String, BTreeMap<String, Runs>> = BTreeMap::new();
    for line in file.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [
            role,
            judged,
            network,
            labels,
            images,
            epochs,
            optimizer,
            decay,
            weight,
            other,
            seed,
            accuracy,
            _,
        ] = cells[..]
        else {
            panic!("{line}");
        };
        // What is reported is judged on the test images, after training on all others; what is chosen on never is.
        assert_eq!((role == "report", role == "report"), (judged == "test", images == "50000"), "{line}");
        let thousands = labels.strip_suffix("000").map(|thousands| format!("{thousands},000"));
        let labels = thousands.as_deref().unwrap_or(labels);
        if role == "ablation" {
            let part = match (other, optimizer) {
                ("", _) => "everything".to_string(),
                (other, "nadam") => format!("{other}; nadam with a decay of {decay}"),
                (other, _) => other.to_string(),
            };
            let runs = ablations.entry(part).or_default().entry(labels.to_string()).or_default();
            runs.accuracies.push(accuracy.parse().unwrap());
            runs.seeds.push(seed.parse().unwrap());
            continue;
        }
        let weight = if weight == "0" { "" } else { weight };
        let start =
            format!("| {network} | {labels} | {epochs} | {optimizer}, {decay} | {weight} | {other} | ");
        let runs = groups.entry((role, start)).or_default();
        runs.accuracies.push(accuracy.parse().unwrap());
        let seed = seed.parse().unwrap();
        runs.seeds.push(seed);
        // Lines are in the order of the runs: no choice was made on a seed before it was reported.
        let chosen_on = roles.get("choose").is_some_and(|seeds| seeds.contains(&seed));
        assert!(role != "report" || !chosen_on, "{line}");
        roles.entry(role).or_default().push(seed);
    }
    assert!(roles["report"].len() > 4 && roles["choose"].len() > 20);
    assert!(groups.len() > 20);
    for ((_, start), runs) in &groups {
        let row = format!("{start}{} | {} | ", runs.seeds.len(), runs.shown());
        assert!(page.lines().any(|line| line.starts_with(&row)), "the page lacks '{row}'");
    }
    // One row for each part, with a column for either number of labels; the same three draws everywhere.
    for (part, by_labels) in &ablations {
        let shown = |labels: &str| by_labels.get(labels).map_or(String::new(), Runs::shown);
        let row = format!("| {part} | {} | {} |", shown("1,000"), shown("100"));
        assert!(page.lines().any(|line| line == row), "the page lacks '{row}'");
        for runs in by_labels.values() {
            assert_eq!(runs.seeds, [300, 301, 302], "{part}");
        }
    }
    assert!(ablations.is_empty() || ablations.contains_key("everything"));
    let from = page.lines().skip_while(|line| !line.starts_with("| changed | 1,000 labels"));
    let rows = from.skip(2).take_while(|line| line.starts_with('|'));
    assert_eq!(rows.count(), ablations.len(), "the page has parts that the file lacks");
    let rows = page.lines().filter(|line| line.starts_with("| resnet18 |") || line.starts_with("| vgg16 |"));
    assert_eq!(rows.count(), groups.len(), "the page has rows that the file lacks");
}

#[test]
fn the_papers_rows_and_the_estimated_shares_are_those_of_their_files() {
    let page = text("docs/few-labels-results.md");
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let mut taught: BTreeMap<String, Runs> = BTreeMap::new();
    for line in text("benches/few_labels/longer.jsonl").lines().map(value) {
        let name = line["run"].as_str().unwrap();
        let parts: Vec<&str> = name.split('/').collect();
        assert_eq!(parts[2], "collective", "{name}");
        let runs = taught.entry(format!("| {} | {} | ", parts[0].to_uppercase(), parts[1])).or_default();
        runs.accuracies.push(line["accuracy"].as_f64().unwrap());
    }
    for (start, runs) in &taught {
        let row = format!("{start}{} | ", runs.shown());
        assert_eq!(runs.accuracies.len(), 5);
        assert!(page.lines().any(|line| line.starts_with(&row)), "the page lacks '{row}'");
    }
    // What the losses reach alone is what the page of the paper says.
    let paper = text("docs/paper.md");
    let from = page.lines().skip_while(|line| !line.starts_with("| data | hidden | collective alone |"));
    let alone: Vec<&str> = from.skip(2).take_while(|line| line.starts_with('|')).collect();
    assert_eq!(alone.len(), 20);
    for row in alone {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let same = |line: &str| {
            let theirs: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('*')).collect();
            let starts = |at: usize, cell: &str| theirs[at].replace("**", "").starts_with(cell);
            theirs.len() > 10 && theirs[2] == cells[2] && (3..6).all(|at| starts(at + 1, cells[at]))
        };
        assert!(paper.lines().any(same), "docs/paper.md lacks '{row}'");
    }
    let mut shares: BTreeMap<u64, Vec<serde_json::Value>> = BTreeMap::new();
    for line in text("benches/few_labels/estimated_prior.jsonl").lines().map(value) {
        if line["role"] == "report" {
            shares.entry(line["seed"].as_u64().unwrap()).or_default().push(line);
        }
    }
    assert!(shares.len() > 1);
    for (seed, lines) in &shares {
        let [estimated, told] = &lines[..] else { panic!("{seed}: {lines:?}") };
        let share = format!("{:.4}", estimated["told"].as_f64().unwrap());
        let percent = |line: &serde_json::Value| format!("{:.2}", 100.0 * line["accuracy"].as_f64().unwrap());
        let row = format!(
            "| {seed} | {} | {} | {} | {}, {} |",
            share.trim_start_matches('0'),
            percent(estimated),
            percent(told),
            estimated["seconds"],
            told["seconds"]
        );
        assert!(page.lines().any(|line| line == row), "the page lacks '{row}'");
    }
}

#[test]
fn shares_of_100_labels_are_those_of_the_file() {
    let page = text("docs/few-labels-results.md");
    let lines: Vec<serde_json::Value> = text("benches/few_labels/estimated_share.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let number = |line: &serde_json::Value, what: &str| line[what].as_f64().unwrap();
    let of =
        |role: &'static str| lines.iter().filter(move |line| line["role"] == role && line["labels"] == 100);
    let found: Vec<String> = of("report")
        .map(|line| format!("{:.3}", number(line, "found")).trim_start_matches('0').to_string())
        .collect();
    let [first, second, third] = &found[..] else { panic!("{found:?}") };
    let said = format!("it was {first}, {second} and {third}");
    let words = page.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains(&said), "the page lacks '{said}'");
    // What caution took off, and how far what the estimators say together is below the truth.
    let taken = of("choose").map(|line| 1.0 - number(line, "cautious_answer") / number(line, "all"));
    let (least, most) = taken.fold((1.0f64, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
    assert_eq!((format!("{:.0}", 100.0 * least), format!("{:.0}", 100.0 * most)), ("15".into(), "30".into()));
    assert!(words.contains("caution took 15 to 30 % off"));
    let below: Vec<f64> =
        of("choose").map(|line| 1.0 - number(line, "all") / number(line, "truth")).collect();
    assert_eq!(format!("{:.0}", 100.0 * below.iter().sum::<f64>() / below.len() as f64), "7");
    assert!(words.contains("which was 7 % too low on average"));
}

#[test]
fn draws_of_labels_and_their_starts_are_those_of_the_file() {
    let page = text("docs/few-labels-results.md");
    let lines: Vec<serde_json::Value> = text("benches/few_labels/classes.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |run: &'static str| lines.iter().filter(move |line| line["run"] == run);
    let mut rows = 0;
    for draw in of("what is labeled") {
        let same =
            |line: &&serde_json::Value| line["draw"] == draw["draw"] && line["labels"] == draw["labels"];
        let starts: Vec<&serde_json::Value> = of("three starts").filter(same).collect();
        assert_eq!(starts.len(), 3, "{draw}");
        let each = |value: fn(&serde_json::Value) -> String| {
            starts.iter().map(|start| value(start)).collect::<Vec<String>>().join(", ")
        };
        let row = format!(
            "| {} | {} | {} | {} | {} |",
            draw["labels"],
            draw["draw"],
            draw["labeled_by_class"][0],
            each(|start| format!("{:.2}", 100.0 * start["accuracy"].as_f64().unwrap())),
            each(|start| format!("{:.0}", 100.0 * start["called_positive_by_class"][0].as_f64().unwrap())),
        );
        assert!(page.lines().any(|line| line == row), "the page lacks '{row}'");
        rows += 1;
    }
    assert_eq!(rows, 5);
}

#[test]
fn pictures_of_the_default_are_those_of_the_file() {
    let page = text("docs/pictures-results.md");
    let mut rows = 0;
    for line in text("benches/results/pictures_auto.jsonl").lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let auc =
            |name: &str| format!("{:.3}", line[name].as_f64().unwrap()).trim_start_matches('0').to_string();
        let unlabeled = onesided::data::grouped(line["unlabeled"].as_u64().unwrap() as usize);
        let row = format!(
            "| {} | {}, {unlabeled} | {} | {} | {} | {} |",
            line["set"].as_str().unwrap(),
            line["labeled"],
            auc("fit"),
            auc("networks_alone"),
            auc("line"),
            auc("trees"),
        );
        assert!(page.lines().any(|line| line == row), "the page lacks '{row}'");
        rows += 1;
    }
    assert_eq!(rows, 6);
    for line in text("benches/results/pictures_auto_after.jsonl").lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let auc =
            |name: &str| format!("{:.3}", line[name].as_f64().unwrap()).trim_start_matches('0').to_string();
        let row = format!(" | {} | {} | {} | {} |", auc("fit"), auc("line"), auc("trees"), line["seconds"]);
        let start = format!("| {} | ", line["set"].as_str().unwrap());
        let same = |line: &str| line.starts_with(&start) && line.ends_with(&row);
        assert!(page.lines().any(same), "the page lacks '{start}…{row}'");
    }
}
