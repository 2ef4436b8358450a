//! Rows that are equal in every learned column: the label column tells which are labeled, and the order of rows never does.

use crate::folder::{Folder, Said};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const FIT: &str =
    "fit -v table.csv --label y --drop id --method weighted-lr --prior 0.4 --threads 1 --out m.onesided";

/// A number from 0 to 1 that looks random.
fn random(row: u32, column: u32) -> f64 {
    let mut x = u64::from(row).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ u64::from(column).wrapping_mul(0xD1B5_4A32_D192_ED03);
    for _ in 0..3 {
        x ^= x >> 31;
        x = x.wrapping_mul(0x7FB5_D329_728E_A185);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// Rows of two columns with few values each; `c0`, `c1`, … are their ids.
fn lines(rows: std::ops::Range<u32>) -> Vec<String> {
    let line = |i: u32| {
        let noise = |k: u32| random(i, k);
        let positive = noise(1) < 0.4;
        let levels: Vec<char> = if positive { "xyz" } else { "uvwxyz" }.chars().collect();
        let a = levels[(noise(2) * levels.len() as f64) as usize];
        let b = (noise(3) * 4.0) as u32 + u32::from(positive);
        let y = u32::from(positive && noise(4) < 0.5);
        format!("c{i},{a},{b},{y}")
    };
    rows.map(line).collect()
}

fn table(lines: &[String]) -> String {
    format!("id,a,b,y\n{}\n", lines.join("\n"))
}

/// The ids of a list, each with its probability.
fn listed(folder: &Folder, command: &str) -> (BTreeMap<String, String>, String) {
    let said = folder.run(&format!("{command} --id id --out list.csv"));
    assert_eq!(said.code, 0, "{said:?}");
    let text = fs::read_to_string(folder.path("list.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[4].to_string(), cells[2].to_string())
    };
    (text.lines().skip(1).map(row).collect(), said.stderr)
}

fn ids(lines: &[String], labeled: bool) -> BTreeSet<String> {
    let wanted = lines.iter().filter(|line| line.ends_with(",1") == labeled);
    wanted.map(|line| line.split(',').next().unwrap().to_string()).collect()
}

#[test]
fn the_label_column_says_which_rows_are_left_out_in_any_order() {
    let folder = Folder::new("equal-rows");
    let rows = lines(0..600);
    folder.write("table.csv", table(&rows));
    let said = folder.run(FIT);
    assert_eq!(said.code, 0, "{said:?}");
    let shuffled: Vec<String> = (0..600).map(|at| rows[(at * 241 + 17) % 600].clone()).collect();
    let mut sorted = rows.clone();
    sorted.sort_by_key(|line| line.ends_with(",1"));
    let unlabeled = ids(&rows, false);
    let (expected, _) = listed(&folder, "predict m.onesided table.csv");
    for (name, lines) in [("shuffled.csv", &shuffled), ("sorted.csv", &sorted)] {
        folder.write(name, table(lines));
        let (list, said) = listed(&folder, &format!("predict m.onesided {name}"));
        assert_eq!(list.keys().cloned().collect::<BTreeSet<_>>(), unlabeled, "{said}");
        assert_eq!(list, expected, "the same probabilities");
        assert!(said.contains("labeled ones are left out") && !said.contains("told apart"), "{said}");
        // Rows to audit come from the same list, whether the label is named or not.
        for flags in ["", "--label y"] {
            let out = format!("audit draw m.onesided {name} --rows 150 --id id {flags} --out ask.csv");
            assert_eq!(folder.run(&out).code, 0);
            let ask = fs::read_to_string(folder.path("ask.csv")).unwrap();
            fs::remove_file(folder.path("ask.csv")).unwrap();
            assert!(ask.lines().skip(1).all(|line| unlabeled.contains(line.split(',').nth(5).unwrap())));
        }
    }
    // Called otherwise, it is named.
    folder.write("renamed.csv", table(&shuffled).replacen("y\n", "known\n", 1));
    let (list, _) = listed(&folder, "predict m.onesided renamed.csv --label known");
    assert_eq!(list, expected);
    let error = folder.refused("predict m.onesided renamed.csv --label nowhere --out x.csv");
    assert!(
        error.contains("there is no column 'nowhere'; name the column of labels of 'renamed.csv'"),
        "{error}"
    );
}

/// Lines without their last cell, the label.
fn without_labels(lines: &[String]) -> String {
    let cells = lines.iter().map(|line| line.rsplit_once(',').unwrap().0.to_string());
    format!("id,a,b\n{}\n", cells.collect::<Vec<_>>().join("\n"))
}

#[test]
fn ids_say_which_rows_are_left_out_where_the_label_column_is_gone() {
    let folder = Folder::new("equal-ids");
    let rows = lines(0..600);
    folder.write("table.csv", table(&rows));
    // The column of ids is left out by itself.
    let fit = FIT.replace("--drop id ", "");
    let said = folder.run(&fit);
    assert!(said.code == 0 && said.stderr.contains("id is left out"), "{said:?}");
    let (expected, _) = listed(&folder, "predict m.onesided table.csv");
    let shuffled: Vec<String> = (0..600).map(|at| rows[(at * 241 + 17) % 600].clone()).collect();
    folder.write("shuffled.csv", without_labels(&shuffled));
    let (list, said) = listed(&folder, "predict m.onesided shuffled.csv");
    assert_eq!(list.keys().cloned().collect::<BTreeSet<_>>(), ids(&rows, false), "{said}");
    assert_eq!(list, expected);
    assert!(said.contains("labeled ones are left out") && !said.contains("told apart"), "{said}");
    let draw = "audit draw m.onesided shuffled.csv --rows 200 --id id --out ask.csv";
    assert_eq!(folder.run(draw).code, 0);
    let ask = fs::read_to_string(folder.path("ask.csv")).unwrap();
    assert!(ask.lines().skip(1).all(|line| list.contains_key(line.split(',').nth(5).unwrap())));
    // Other ids claim nothing.
    let other = without_labels(&shuffled).replace("\nc", "\nk");
    folder.write("other.csv", other);
    let (list, said) = listed(&folder, "predict m.onesided other.csv");
    assert!(list.len() > ids(&rows, false).len() && said.contains("told apart"), "{said}");
}

#[test]
fn a_label_column_that_contradicts_the_fitted_rows_is_told() {
    let folder = Folder::new("equal-contradicts");
    let rows = lines(0..600);
    folder.write("table.csv", table(&rows));
    assert_eq!(folder.run(FIT).code, 0);
    let flipped = |line: &String| match line.rsplit_once(',').unwrap() {
        (cells, "1") => format!("{cells},0"),
        (cells, _) => format!("{cells},1"),
    };
    let at = |label: &str| rows.iter().position(|line| line.ends_with(label)).unwrap();
    for (changed, said) in [
        (at(",1"), "0 rows are labeled in it and not then, and 1 row was labeled then and not in it"),
        (at(",0"), "1 row is labeled in it and not then, and 0 rows were"),
    ] {
        let mut other = rows.clone();
        other[changed] = flipped(&other[changed]);
        folder.write("other.csv", table(&other));
        let told = folder.run("predict m.onesided other.csv --out list.csv");
        assert!(
            told.stderr.contains(&format!("contradicts the rows that the model was fitted on: {said}")),
            "{told:?}"
        );
    }
    let told = folder.run("predict m.onesided table.csv --out list.csv");
    assert!(!told.stderr.contains("contradicts"), "{told:?}");
}

#[test]
fn a_list_of_no_rows_says_so() {
    let folder = Folder::new("equal-empty");
    folder.write("table.csv", table(&lines(0..600)));
    assert_eq!(folder.run(&format!("{FIT} --reserve 0.2")).code, 0);
    folder.write("empty.csv", "id,a,b,y\nx,,,\ny,,,\n");
    let told = folder.run("predict m.onesided empty.csv --out list.csv --recall 0.8");
    assert!(told.code == 0 && told.stderr.contains("no row is left to list"), "{told:?}");
    let error = folder.refused("audit draw m.onesided empty.csv --out ask.csv");
    assert!(error.contains("there is no row to draw"), "{error}");
}

#[test]
fn an_audit_of_a_file_in_pieces_is_that_of_the_whole() {
    let folder = Folder::new("equal-pieces");
    let long: Vec<String> = lines(0..30_000);
    folder.write("table.csv", table(&lines(0..600)));
    folder.write("long.csv", format!("{}x,,,\n", table(&long)));
    assert_eq!(folder.run(FIT).code, 0);
    for (flags, out) in [("", "a"), ("--label y --scores --top 100", "b")] {
        let draw = format!("audit draw m.onesided FILE --rows 300 --id id,y {flags} --out");
        assert_eq!(
            folder.run(&format!("{} {out}.csv --memory 64M", draw.replace("FILE", "long.csv"))).code,
            0
        );
        let long = fs::File::open(folder.path("long.csv")).unwrap();
        let mut whole = folder.command(&format!("{} {out}-whole.csv", draw.replace("FILE", "-")));
        let said = Said::of(whole.stdin(long).output().unwrap());
        assert_eq!(said.code, 0, "{said:?}");
        let read = |name: String| fs::read(folder.path(&name)).unwrap();
        assert_eq!(read(format!("{out}.csv")), read(format!("{out}-whole.csv")));
    }
}

#[test]
fn where_nothing_tells_equal_rows_apart_all_are_listed_and_it_is_said() {
    let folder = Folder::new("equal-unknown");
    let rows = lines(0..600);
    folder.write("table.csv", table(&rows));
    let said = folder.run(FIT);
    assert_eq!(said.code, 0, "{said:?}");
    // Without the label column, new rows first.
    let new = lines(5000..5050);
    folder.write("bare.csv", without_labels(&[new.clone(), rows.clone()].concat()));
    let (list, said) = listed(&folder, "predict m.onesided bare.csv");
    for id in ids(&new, true).union(&ids(&new, false)).chain(&ids(&rows, false)) {
        assert!(list.contains_key(id), "{id} is gone");
    }
    assert!(
        said.contains("rows are equal in every learned column to labeled ones and cannot be told apart; they are listed; leave \
                       the labeled ones out with --label COLUMN"),
        "{said}"
    );
    // Equal rows have equal probabilities, however often they are there and in any order.
    let cells: BTreeMap<String, String> = [new, rows]
        .concat()
        .iter()
        .map(|line| {
            let (id, rest) = line.split_once(',').unwrap();
            (id.to_string(), rest.rsplit_once(',').unwrap().0.to_string())
        })
        .collect();
    let mut of_cells: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    list.iter().for_each(|(id, probability)| {
        of_cells.entry(&cells[id]).or_default().insert(probability);
    });
    assert!(of_cells.len() > 15 && of_cells.values().all(|found| found.len() == 1), "{of_cells:?}");
    let told = folder.json("predict m.onesided bare.csv");
    assert!(told["fitted_rows"]["ambiguous"].as_u64().unwrap() > 300, "{told}");
    // Rows of another month that are equal to fitted ones stay, all of them.
    folder.write("month.csv", table(&lines(20_000..24_000)));
    assert_eq!(listed(&folder, "predict m.onesided month.csv").0.len(), 4_000);
}
