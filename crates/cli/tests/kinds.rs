//! What `fit` makes of each column of a table, what it says of it, and what it is never fooled by.

use crate::folder::Folder;
use serde_json::Value;

/// Labeled rows first, as an export has them: x tells them a little, `nr` and `at` tell nothing but the row.
fn exported() -> String {
    let row = |i: usize| {
        let (y, x) = (usize::from(i < 60), if i < 60 { i % 10 + 3 } else { i % 10 });
        let (day, refund) = (1 + i % 28, if i < 60 { ["12.5", "7"][i % 2] } else { "" });
        format!(
            "{},{x},2024-{:02}-{day:02} 10:{:02},{refund},2023-{:02}-{:02},7,{y}\n",
            1000 + 2 * i,
            1 + i / 28,
            i % 28,
            1 + i % 12,
            1 + (11 * i) % 28
        )
    };
    format!("nr,x,at,refund,born,seven,y\n{}", (0..300).map(row).collect::<String>())
}

const FIT: &str = "fit -v t.csv --label y --prior 0.35 --method weighted-lr --out m.safetensors";

#[test]
fn what_rises_with_the_row_is_left_out_and_what_leaks_is_warned_of() {
    let folder = Folder::new("kinds-trap");
    folder.write("t.csv", exported());
    let said = folder.run(FIT);
    assert_eq!(said.code, 0, "{said:?}");
    let left_out = "note: nr is left out: it rises or falls with the row number, so it tells where a row is and not what it is; \
                    if it is a measurement, keep it with --numeric nr\n";
    assert!(said.stderr.contains(left_out), "{said:?}");
    let in_part = "note: at is left out: its times rise or fall with the row number, so they tell when a row was written and not \
                   what it is; if it matters, keep it with --date at\n";
    assert!(said.stderr.contains(in_part), "{said:?}");
    let leak = "warning: labeled and unlabeled rows are told apart almost perfectly by refund (AUC 1.000) alone; if it is \
                not known of new rows, or says how rows were collected, leave it out with --drop refund\n";
    assert!(said.stderr.contains(leak), "{said:?}");
    assert!(said.stderr.contains("\n  dates             1  born\n"), "{said:?}");
    // New rows need no number.
    folder.write(
        "new.csv",
        "x,at,born,refund\n3,2024-05-06 07:08:09,2023-05-06,\n4,2024-06-07 08:09:10,2023-07-08,1\n",
    );
    assert_eq!(folder.run("predict m.safetensors new.csv --out r.csv").code, 0);
    // What is asked for is kept.
    let said = folder.run(&format!("{FIT} --numeric nr --date at"));
    assert!(said.code == 0 && !said.stderr.contains("with the row"), "{said:?}");
}

#[test]
fn every_column_is_an_object() {
    let folder = Folder::new("kinds-json");
    folder.write("t.csv", exported());
    let said = folder.run(&format!("{FIT} --json"));
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    let columns = object["columns"].as_array().unwrap();
    let of = |name: &str| columns.iter().find(|column| column["name"] == name).cloned().unwrap_or_default();
    assert_eq!(columns.len(), 6);
    assert_eq!((&of("x")["kind"], &of("x")["features"]), (&"number".into(), &1.into()));
    assert_eq!((&of("refund")["missing"], &of("born")["kind"]), (&240.into(), &"date".into()));
    assert_eq!((&of("nr")["why"], &of("seven")["why"]), (&"row-order".into(), &"constant".into()));
    assert!(object["warnings"].to_string().contains("refund (AUC 1.000)"), "{}", object["warnings"]);
}

#[test]
fn dates_that_are_none_are_refused_in_one_sentence() {
    let folder = Folder::new("kinds-dates");
    folder.write("t.csv", exported());
    let message = folder.refused(&format!("{FIT} --date seven"));
    assert!(message.contains("column 'seven' has not one cell that is a date or a time"), "{message}");
    let message = folder.refused(&format!("{FIT} --date born --numeric born"));
    assert!(message.contains("born"), "{message}");
    // A model of dates wants dates.
    assert_eq!(folder.run(FIT).code, 0);
    folder
        .write("new.csv", "x,at,born,refund\n3,2024-05-06 07:08:09,never,1\n4,2024-06-07 08:09:10,soon,2\n");
    let message = folder.refused("predict m.safetensors new.csv");
    assert!(message.contains("'born'") && message.contains("dates"), "{message}");
}

#[test]
fn a_table_of_two_thousand_columns_takes_a_dozen_lines() {
    let folder = Folder::new("kinds-wide");
    let header: Vec<String> = (0..2_000).map(|at| format!("c{at}")).collect();
    let cells = |i: usize| {
        (0..2_000)
            .map(|at| if at < 600 { "0".to_string() } else { ((i * at) % 7).to_string() })
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows: String =
        (0..60usize).map(|i| format!("{},{}\n", cells(i), usize::from(i.is_multiple_of(4)))).collect();
    folder.write("t.csv", format!("{},y\n{rows}", header.join(",")));
    let said = folder.run(FIT);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("columns are left out (c0, c1, c2, c3, c4, c5, c6, c7 and "));
    assert!(said.stderr.lines().count() <= 16, "{}", said.stderr);
}
