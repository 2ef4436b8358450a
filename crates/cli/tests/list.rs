//! The list people work through: rows of the fitted table out of fold, what carried a score, and what a model counts on.

use crate::folder::{Folder, QUICK, table};
use std::fs;

const FIT: &str = "fit -v table.csv --label y --drop id --drop t --prior 0.3333 --out m.onesided";

fn fitted(test: &str, more: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("{FIT} {more}"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

/// Rows of the table that are not labeled, counted from 1.
fn unlabeled() -> Vec<u64> {
    let text = table();
    let rows = text.lines().skip(1).zip(1u64..);
    rows.filter(|(line, _)| line.split(',').nth(3) == Some("0")).map(|(_, row)| row).collect()
}

/// Row numbers and scores of a written list, by row.
fn scores(folder: &Folder, name: &str) -> Vec<(u64, f64)> {
    let text = fs::read_to_string(folder.path(name)).unwrap();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].parse().unwrap(), cells[1].parse().unwrap())
    };
    let mut rows: Vec<(u64, f64)> = text.lines().skip(1).map(line).collect();
    rows.sort_by_key(|row| row.0);
    rows
}

#[test]
fn a_list_as_a_spreadsheet_holds_what_the_text_holds() {
    let folder = Folder::new("list-xlsx");
    folder.write("x.csv", table());
    assert_eq!(folder.run(&format!("fit -v x.csv {QUICK} --out m.safetensors")).code, 0);
    for out in ["list.csv", "list.xlsx"] {
        let said = folder.run(&format!("predict m.safetensors x.csv --in-sample --id id --out {out}"));
        assert_eq!(said.code, 0, "{said:?}");
    }
    let options = onesided::data::ReadOptions { verbatim: vec!["id".to_string()], ..Default::default() };
    let read = |name: &str| onesided::data::read(&folder.path(name), &options).unwrap();
    let (text, sheet) = (read("list.csv"), read("list.xlsx"));
    assert_eq!(format!("{:?}", text.columns), format!("{:?}", sheet.columns));
    assert_eq!(sheet.rows, 300);
    // The same bytes again, and a list can be scored like any table.
    let before = std::fs::read(folder.path("list.xlsx")).unwrap();
    assert_eq!(folder.run("predict m.safetensors x.csv --in-sample --id id --out list.xlsx").code, 0);
    assert_eq!(before, std::fs::read(folder.path("list.xlsx")).unwrap());
    // Rows to audit go out and come back as a spreadsheet.
    let said = folder.run("audit draw m.safetensors x.csv --rows 60 --out audit.xlsx");
    assert_eq!(said.code, 0, "{said:?}");
    let message = folder.refused("audit read m.safetensors audit.xlsx");
    assert!(message.contains("0 rows of the audit are answered"), "{message}");
}

#[test]
fn numbers_that_are_kept_are_numbers_in_a_spreadsheet() {
    let folder = Folder::new("list-kept-numbers");
    folder.write("x.csv", table());
    assert_eq!(folder.run(&format!("fit -v x.csv {QUICK} --out m.safetensors")).code, 0);
    let more = |line: &str, cells: &str| format!("{line},{cells}\n");
    let text = table();
    let (header, first) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
    folder.write("new.csv", more(header, "price,zip,note") + &more(first, "12.50,00700,=A1"));
    let said = folder.run("predict m.safetensors new.csv --in-sample --keep price,zip,note --out list.xlsx");
    assert_eq!(said.code, 0, "{said:?}");
    let file = fs::File::open(folder.path("list.xlsx")).unwrap();
    let mut sheet = String::new();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    std::io::Read::read_to_string(&mut archive.by_name("xl/worksheets/sheet1.xml").unwrap(), &mut sheet)
        .unwrap();
    // A number with two decimals, and two texts.
    assert!(sheet.contains("s=\"3\"><v>12.50</v>"), "{sheet}");
    assert!(sheet.contains(">00700</t>") && sheet.contains(">=A1</t>"), "{sheet}");
}

#[test]
fn ids_that_repeat_are_said() {
    let folder = Folder::new("list-repeated-ids");
    folder.write("x.csv", table());
    assert_eq!(folder.run(&format!("fit -v x.csv {QUICK} --out m.safetensors")).code, 0);
    let predict =
        |id: &str| folder.run(&format!("predict m.safetensors x.csv --in-sample --id {id} --out list.csv"));
    assert!(!predict("id").stderr.contains("ids repeat"));
    let said = predict("y");
    assert!(said.stderr.contains("298 rows of the list are called as an earlier one is"), "{said:?}");
    assert!(!predict("y,id").stderr.contains("ids repeat"));
}

#[test]
fn the_fitted_table_is_listed_out_of_fold_and_without_its_labeled_rows() {
    let folder = fitted("list-fitted", "--effort quick");
    let said = folder.run("predict m.onesided table.csv --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("out of fold") && said.stderr.contains("--all"), "{said:?}");
    let listed = scores(&folder, "list.csv");
    assert_eq!(listed.iter().map(|row| row.0).collect::<Vec<u64>>(), unlabeled());
    // All rows have the scores that the unlabeled ones had; the model's own are others.
    assert_eq!(folder.run("predict m.onesided table.csv --all --out all.csv").code, 0);
    assert_eq!(folder.run("predict m.onesided table.csv --in-sample --out own.csv").code, 0);
    let (all, own) = (scores(&folder, "all.csv"), scores(&folder, "own.csv"));
    assert_eq!((all.len(), own.len()), (300, 300));
    assert!(listed.iter().all(|row| all.contains(row)));
    assert!(all.iter().zip(&own).filter(|(a, b)| a.1 != b.1).count() > 250);
    let header = fs::read_to_string(folder.path("all.csv")).unwrap();
    assert!(header.starts_with("row,score,probability,rank,kind\n"), "{header}");
    assert_eq!(header.matches(",positive\n").count(), 300 - unlabeled().len());
    let told = folder.json("predict m.onesided table.csv");
    assert_eq!(told["fitted_rows"]["out_of_fold"], unlabeled().len());
    assert_eq!(told["fitted_rows"]["left_out"], 300 - unlabeled().len());
}

#[test]
fn rows_are_known_in_any_order_beside_new_ones_and_without_other_columns() {
    let folder = fitted("list-order", "--effort quick");
    assert_eq!(folder.run("predict m.onesided table.csv --all --out all.csv").code, 0);
    let text = table();
    let mut lines: Vec<&str> = text.lines().collect();
    let head = lines.remove(0);
    lines.reverse();
    let extra = "9001,2.5,-1.5,0,0\n";
    folder.write("other.csv", format!("{head}\n{}\n{extra}", lines.join("\n")));
    let told = folder.json("predict m.onesided other.csv --out other.list.csv");
    assert_eq!(
        (&told["fitted_rows"]["known"], &told["rows"]),
        (&300.into(), &(unlabeled().len() + 1).into())
    );
    let (all, other) = (scores(&folder, "all.csv"), scores(&folder, "other.list.csv"));
    for (row, score) in other.iter().filter(|row| row.0 <= 300) {
        assert!(all.contains(&(301 - row, *score)), "row {row}");
    }
    // Some of its rows are not the table: labels are not taken for certain, and nothing is left out.
    folder.write("some.csv", text.lines().take(101).map(|line| format!("{line}\n")).collect::<String>());
    let told = folder.json("predict m.onesided some.csv");
    assert_eq!((&told["rows"], &told["fitted_rows"]["left_out"]), (&100.into(), &0.into()));
}

#[test]
fn a_rows_file_that_is_missing_foreign_or_damaged_is_a_note_and_never_used() {
    let folder = fitted("list-damaged", "--effort quick");
    assert_eq!(folder.run("predict m.onesided table.csv --in-sample --out own.csv").code, 0);
    let own = fs::read(folder.path("own.csv")).unwrap();
    let plainly = |what: &str, expected: &str| {
        let said = folder.run("predict m.onesided table.csv --out list.csv");
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.stderr.contains(expected), "{what}: {said:?}");
        assert!(fs::read(folder.path("list.csv")).unwrap() == own, "{what}");
        let warnings = folder.json("predict m.onesided table.csv")["warnings"].to_string();
        assert!(warnings.contains(expected), "{what}: {warnings}");
    };
    let rows = fs::read(folder.path("m.onesided.rows")).unwrap();
    let mut changed = rows.clone();
    changed[100] ^= 1;
    folder.write("m.onesided.rows", &changed);
    plainly("a flipped bit", "is damaged");
    folder.write("m.onesided.rows", &rows[..rows.len() - 1]);
    plainly("cut short", "is damaged");
    folder.write("m.onesided.rows", "");
    plainly("empty", "is damaged");
    // Of another model.
    folder.write("m.onesided.rows", &rows);
    assert_eq!(
        folder
            .run(&format!("{FIT} --effort quick --seed 1 --out n.onesided").replace("--out m.onesided ", ""))
            .code,
        0
    );
    fs::copy(folder.path("n.onesided.rows"), folder.path("m.onesided.rows")).unwrap();
    plainly("foreign", "belongs to another model");
    fs::remove_file(folder.path("m.onesided.rows")).unwrap();
    plainly("missing", "is not there");
    // Of other rows nothing is said: it is not needed.
    let text = table();
    folder.write("new.csv", text.lines().take(50).map(|line| format!("{line}\n")).collect::<String>());
    assert!(!folder.run("predict m.onesided new.csv").stderr.contains("m.onesided.rows"));
}

#[test]
fn a_model_that_is_written_over_leaves_no_rows_of_the_old_one() {
    let folder = fitted("list-over", "--effort quick");
    let before = fs::read(folder.path("m.onesided.rows")).unwrap();
    assert_eq!(folder.run(&format!("{FIT} --effort quick")).code, 0);
    assert!(fs::read(folder.path("m.onesided.rows")).unwrap() == before, "same seed, same bytes");
    assert_eq!(folder.run(&format!("{FIT} --effort quick --seed 1")).code, 0);
    assert!(fs::read(folder.path("m.onesided.rows")).unwrap() != before);
    assert!(folder.run("predict m.onesided table.csv").stderr.contains("out of fold"));
    // A file of somebody else's is left alone.
    folder.write("other.onesided.rows", "my rows");
    let fit = FIT.replace("m.onesided", "other.onesided");
    let said = folder.run(&format!("{fit} --effort quick"));
    assert!(said.code == 0 && said.stderr.contains("holds something else"), "{said:?}");
    assert_eq!(fs::read(folder.path("other.onesided.rows")).unwrap(), b"my rows");
    folder.write("m2.rows", table());
    let message = folder.refused("fit -v m2.rows --format csv --label y --drop id --drop t --out m2");
    assert!(message.contains("choose another name"), "{message}");
}

#[test]
fn a_method_without_scores_out_of_fold_says_so_and_cross_fit_makes_them() {
    let folder = Folder::new("list-cross-fit");
    // Enough rows that one hold-out is enough.
    let row = |i: u32| {
        format!(
            "{},{},{}\n",
            f64::from(i * 7919 % 1_000) / 100.0,
            i % 13,
            u32::from(i.is_multiple_of(2) && i * 7919 % 1_000 > 400)
        )
    };
    folder.write("t.csv", format!("a,b,y\n{}", (0..4_000).map(row).collect::<String>()));
    let fit = "fit -v t.csv --label y --prior 0.5 --model linear --epochs 3 --out m.onesided";
    assert_eq!(folder.run(fit).code, 0);
    let said = folder.run("predict m.onesided t.csv");
    assert!(said.stderr.contains("in sample") && said.stderr.contains("--cross-fit"), "{said:?}");
    assert_eq!(folder.run(&format!("{fit} --cross-fit")).code, 0);
    let said = folder.run("predict m.onesided t.csv");
    assert!(said.stderr.contains("out of fold") && !said.stderr.contains("in sample"), "{said:?}");
    let message = folder.refused(&format!("{fit} --cross-fit --hold-out 0.3"));
    assert!(message.contains("leave one of them out"), "{message}");
    assert!(folder.refused("predict m.onesided t.csv --all --in-sample").contains("cannot be used with"));
}

#[test]
fn every_model_says_what_carried_a_score() {
    for more in [
        "--effort quick",
        "--model trees",
        "--model mlp --epochs 5",
        "--method kldce",
        "--method weighted-lr",
    ] {
        let folder = fitted("list-explain", more);
        let top = &folder.json("predict m.onesided table.csv --explain")["top"][0];
        let because = top["because"].as_array().unwrap();
        assert!(!because.is_empty() && because.len() <= 2, "{more}: {top}");
        // Both columns carry the best row.
        assert!(because[0]["value"].as_f64().unwrap() > 0.0, "{more}: {top}");
    }
}

#[test]
fn a_column_that_decides_is_important_and_one_that_says_nothing_is_not() {
    let folder = Folder::new("list-importance");
    let row = |i: u32| {
        let (a, noise) = (f64::from(i * 7919 % 997) / 100.0, f64::from(i * 6007 % 991) / 100.0);
        let truth = u32::from(a > 5.0);
        let label = if i.is_multiple_of(3) { truth } else { 0 };
        format!("{a},{noise},{},{label},{truth}\n", ["x", "y"][i as usize % 2])
    };
    let rows = |from, to| format!("a,noise,level,y,t\n{}", (from..to).map(row).collect::<String>());
    folder.write("table.csv", rows(0, 600));
    folder.write("new.csv", rows(600, 1_400));
    let said = folder.run("fit -v table.csv --label y --drop t --prior 0.5 --effort quick --out m.onesided");
    assert_eq!(said.code, 0, "{said:?}");
    let told = folder.json("importance m.onesided new.csv --truth t --out bars.svg");
    let columns = told["columns"].as_array().unwrap();
    assert_eq!(
        (columns.len(), &columns[0]["column"], &told["against"]),
        (3, &"a".into(), &"negatives".into())
    );
    let lost = |at: usize, what: &str| columns[at]["lost"][what].as_f64().unwrap();
    assert!(lost(0, "value") > 0.4 && lost(0, "low") > 0.35 && lost(0, "high") < 0.65, "{told}");
    assert!(
        (1..3).all(|at| lost(at, "value").abs() < 0.02 && lost(at, "low") <= lost(at, "value")),
        "{told}"
    );
    assert_eq!(told["warnings"].as_array().unwrap().len(), 0, "{told}");
    let svg = fs::read_to_string(folder.path("bars.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("noise"), "{svg}");
    // The same seed tells the same; labels alone give the same order.
    assert_eq!(folder.json("importance m.onesided new.csv --truth t --out bars.svg"), told);
    let labels = folder.json("importance m.onesided new.csv --label y --columns 1");
    assert_eq!((&labels["columns"][0]["column"], &labels["not_measured"]), (&"a".into(), &2.into()));
    assert_eq!(labels["against"], "unlabeled");
    let text = folder.run("importance m.onesided table.csv --label y --out bars.png");
    assert!(
        text.stderr.contains("was fitted on these rows") && text.stdout.contains("wrote bars.png"),
        "{text:?}"
    );
    assert!(fs::read(folder.path("bars.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn importance_refuses_what_it_cannot_measure() {
    let folder = fitted("list-refused", "--effort quick");
    let refused = |more: &str| folder.refused(&format!("importance m.onesided table.csv {more}"));
    assert!(refused("").contains("--label COLUMN"));
    assert!(refused("--label y --repeats 0").contains("--repeats must be at least 1"));
    assert!(refused("--label y --columns 0").contains("--columns must be at least 1"));
    assert!(refused("--label y --truth y").contains("cannot be both"));
    assert!(refused("--label y --out bars.pdf").contains(".svg or .png"));
    assert!(refused("--label a").contains("feature of the model"));
    assert!(refused("--label nothere").contains("nothere"));
    assert!(folder.refused("importance nothere table.csv --label y").contains("does not exist"));
}

#[test]
fn a_list_of_no_rows_has_its_header() {
    let folder = fitted("list-empty", "--method weighted-lr");
    let text = table();
    let labeled = |line: &&str| line.split(',').nth(3) != Some("0");
    let rows: Vec<&str> = text.lines().filter(labeled).collect();
    folder.write("labeled.csv", format!("{}\n", rows.join("\n")));
    for name in ["none.csv", "none.xlsx", "none.parquet"] {
        let said = folder.run(&format!("predict m.onesided labeled.csv --label y --out {name}"));
        assert_eq!(said.code, 0, "{said:?}");
        assert!(folder.path(name).exists(), "{name}");
    }
    let written = fs::read_to_string(folder.path("none.csv")).unwrap();
    assert_eq!(written.lines().collect::<Vec<_>>(), ["row,score,probability,rank"]);
}
