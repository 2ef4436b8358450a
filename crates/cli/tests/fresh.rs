//! What a fresh reader trips over: copies of rows, columns in other units, metrics of rows that the model has met.

use crate::folder::{Folder, QUICK, table};
use serde_json::Value;
use std::fs;

fn fitted(test: &str, content: &str, more: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", content);
    let said = folder.run(&format!("fit -v table.csv --label y --drop id,t --out m.onesided {more}"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

/// The table with every cell of a column changed.
fn changed(column: usize, change: impl Fn(usize, &str) -> String) -> String {
    let text = table();
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let line = |(row, line): (usize, &str)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        cells[column] = change(row, &cells[column]);
        format!("{}\n", cells.join(","))
    };
    format!("{header}\n{}", lines.enumerate().map(line).collect::<String>())
}

#[test]
fn columns_in_other_units_are_told_once_each_with_the_numbers() {
    let folder = fitted("fresh-units", &table(), "--method weighted-lr --prior 0.3333");
    let scale = |factor: f64| move |_: usize, cell: &str| (factor * cell.parse::<f64>().unwrap()).to_string();
    // `b` is between 0 and 1 in training.
    folder.write("cents.csv", changed(2, scale(100.0)));
    folder.write(
        "gaps.csv",
        changed(2, |row, cell| if row % 2 == 0 { cell.to_string() } else { String::new() }),
    );
    let told = folder.json("predict m.onesided cents.csv");
    let shift = &told["shifted"][0];
    assert_eq!((&shift["column"], &shift["shift"]), (&Value::from("b"), &Value::from("range")), "{told}");
    assert_eq!(shift["cells"], 300);
    let text = folder.run("evaluate m.onesided cents.csv --truth t");
    assert_eq!(text.stderr.matches("is it in other units?").count(), 1, "{text:?}");
    let told = folder.json("predict m.onesided gaps.csv");
    assert_eq!(told["shifted"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!(
        (&told["shifted"][0]["missing"], &told["shifted"][0]["rows"]),
        (&150.into(), &300.into()),
        "{told}"
    );
    // The same rows say nothing.
    assert_eq!(folder.json("predict m.onesided table.csv")["shifted"], Value::Null);
}

#[test]
fn metrics_of_the_fitted_table_are_out_of_fold() {
    let folder = fitted("fresh-evaluate", &table(), "--effort quick --prior 0.3333");
    let told = folder.json("evaluate m.onesided table.csv --truth t");
    assert_eq!(told["fitted_rows"]["out_of_fold"], 300, "{told}");
    let own = folder.json("evaluate m.onesided table.csv --truth t --in-sample");
    assert_eq!(own["fitted_rows"], Value::Null);
    let warned = own["warnings"].to_string();
    assert!(warned.contains("fitted on these very rows, so the metrics are optimistic"), "{warned}");
    assert_ne!(told["log_loss"], own["log_loss"]);
    let text = folder.run("evaluate m.onesided table.csv --label y");
    assert!(text.stderr.contains("scored by models that had not met them (out of fold)"), "{text:?}");
}

#[test]
fn shares_that_cannot_be_are_left_out_with_a_warning() {
    let folder = fitted("fresh-clip", &table(), "--method weighted-lr --prior-in-unlabeled 0.9");
    // Nearly all of U is said to be positive, and few of these rows look so.
    let told = folder.json("evaluate m.onesided table.csv --label y");
    for name in ["precision", "accuracy", "auc", "f1", "risk"] {
        assert_eq!(told[name], Value::Null, "no value: {name}: {told}");
    }
    assert!(told["warnings"].to_string().contains("do not fit together"), "{told}");
}

#[test]
fn unlabeled_copies_of_labeled_rows_are_counted() {
    let text = table();
    let labeled = text.lines().filter(|line| line.split(',').nth(3) == Some("1")).take(7);
    let copies: String = labeled.map(|line| format!("{}\n", line.replace(",1,1", ",0,1"))).collect();
    let folder = Folder::new("fresh-copies");
    folder.write("table.csv", format!("{text}{copies}"));
    let told = folder.json(&format!("fit table.csv {QUICK} --out m.onesided"));
    let warned = told["warnings"].to_string();
    assert!(
        warned.contains("7 unlabeled rows are equal to labeled ones in all that is learned from"),
        "{warned}"
    );
}

#[test]
fn many_copies_are_counted() {
    let text = table();
    let (header, rows) = text.split_once('\n').unwrap();
    let all = rows.lines().count();
    let folder = Folder::new("fresh-repeated");
    folder.write("table.csv", format!("{header}\n{rows}{rows}"));
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out m.onesided"));
    let note = format!("{all} of {} rows are equal to an earlier one", 2 * all);
    assert!(said.code == 0 && said.stderr.contains(&note), "{said:?}");
}

#[test]
fn the_cut_is_shown_beside_yes_and_no() {
    let folder = fitted("fresh-cut", &table(), "--method weighted-lr");
    let said = folder.run("predict m.onesided table.csv --yes-no");
    assert!(said.stdout.contains("positive is yes: probability at least 0."), "{said:?}");
    assert!(said.stdout.contains("a cautious cut, since the share of positives is a guess"), "{said:?}");
    let told = folder.json("predict m.onesided table.csv --yes-no");
    assert!(told["threshold"].as_f64().unwrap() > 0.0 && told["cautious"] == true, "{told}");
    // A guess is said once.
    let fit = folder.run("fit -v table.csv --label y --drop id,t --method weighted-lr --out again.onesided");
    assert_eq!(fit.stderr.matches("a guess").count(), 1, "{fit:?}");
}

#[test]
fn a_column_of_another_kind_is_shown_by_a_cell() {
    let folder = fitted("fresh-kind", &table(), "--method weighted-lr --prior 0.3333");
    folder.write("new.csv", changed(1, |_, _| "high".to_string()));
    let message = folder.refused("predict m.onesided new.csv");
    assert!(message.contains("but is text here ('high' in line 2); convert it"), "{message}");
}

#[test]
fn a_folder_is_refused_alike_when_fitting_and_when_scoring() {
    let folder = fitted("fresh-folder", &table(), "--method weighted-lr --prior 0.3333");
    fs::create_dir_all(folder.path("month")).unwrap();
    fs::create_dir_all(folder.path("empty")).unwrap();
    folder.write("month/may.csv", table());
    let sentence = "'month' is a folder with tables in it; name one, such as 'month/may.csv'";
    for command in [
        "fit month --label y --out n.onesided",
        "predict m.onesided month",
        "evaluate m.onesided month --label y",
    ] {
        let message = folder.refused(command);
        assert!(message.contains(sentence), "{message}");
    }
    let message = folder.refused("predict m.onesided empty");
    assert!(message.contains("the model was fitted on a table, but 'empty' holds none"), "{message}");
}

#[test]
fn a_cell_of_text_among_numbers_is_said_once() {
    let folder = Folder::new("fresh-one-cause");
    // One cell of the first column is a word and another is empty: one warning, and one missing cell.
    folder.write(
        "table.csv",
        changed(1, |row, cell| match row {
            3 => "high".to_string(),
            5 => String::new(),
            _ => cell.to_string(),
        }),
    );
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out m.onesided"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.stderr.matches("taken as missing").count(), 1, "{said:?}");
    assert!(said.stderr.contains("missing cells in a (1)"), "{said:?}");
}
