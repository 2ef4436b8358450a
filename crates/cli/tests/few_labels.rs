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

#[test]
fn every_row_of_the_tables_is_that_of_the_file() {
    let (page, file) = (text("docs/few-labels.md"), text("benches/few_labels/results.csv"));
    let mut groups: BTreeMap<(&str, String), Runs> = BTreeMap::new();
    let mut roles: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
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
        let labels = if labels == "1000" { "1,000" } else { labels };
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
    for ((_, start), Runs { accuracies, seeds }) in &groups {
        let count = accuracies.len() as f64;
        let mean = accuracies.iter().sum::<f64>() / count;
        let deviation = (accuracies.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
        let accuracy = match seeds.len() {
            1 => format!("{:.2}", 100.0 * mean),
            _ => format!("{:.2} ± {:.2}", 100.0 * mean, 100.0 * deviation),
        };
        let row = format!("{start}{} | {accuracy} | ", seeds.len());
        assert!(page.lines().any(|line| line.starts_with(&row)), "the page lacks '{row}'");
    }
    let rows = page.lines().filter(|line| line.starts_with("| resnet18 |") || line.starts_with("| vgg16 |"));
    assert_eq!(rows.count(), groups.len(), "the page has rows that the file lacks");
}
