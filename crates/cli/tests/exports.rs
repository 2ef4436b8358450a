//! Exports as people have them: one command fits them and says what it did, or one sentence says what is wrong.

use crate::folder::{Folder, Said};
use std::fs;

const FIT: &str = "--label y --prior 0.5 --model linear --epochs 2 --out m.safetensors";

/// 60 rows of two numbers, a category and a label.
fn rows(row: impl Fn(usize, &str, u8) -> String) -> String {
    (0..60).map(|i| row(i, ["red", "blue"][i % 2], u8::from(i % 3 == 0))).collect()
}

#[test]
fn objects_are_fitted_and_ranked() {
    let folder = Folder::new("objects");
    let label = |y: u8| if y == 1 { ", \"y\": 1" } else { "" };
    folder.write(
        "x.jsonl",
        rows(|i, c, y| {
            format!("{{\"a\": {{\"b\": {}}}, \"c\": \"{c}\", \"t\": [\"u\"]{}}}\n", i % 7, label(y))
        }),
    );
    let said = folder.run(&format!("fit -v x.jsonl {FIT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("20 positives, 40 unlabeled rows, 3 features"), "{said:?}");
    assert!(said.stderr.contains("note: t is left out: "), "{said:?}");
    assert!(
        said.stderr.contains("note: column 'y': '1' is taken as positive and empty cells as unlabeled\n"),
        "{said:?}"
    );
    let said = folder.run("predict m.safetensors x.jsonl --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(fs::read_to_string(folder.path("list.csv")).unwrap().lines().count(), 41);
}

#[test]
fn a_report_with_titles_decimal_commas_and_a_second_name() {
    let folder = Folder::new("report");
    let body = rows(|i, c, y| format!("{i};{},5;{c};{i};{}\n", i % 7, ["nein", "ja"][usize::from(y)]));
    folder.write("x.csv", format!("Sales\nMay\n\nn;amount;color;amount;y\n{body}"));
    let said = folder.run(&format!("fit -v x.csv {FIT}"));
    for note in [
        "note: 2 lines above the header are passed over\n",
        "note: columns share a name; the second 'amount' is amount_2 here\n",
        "note: column 'y': 'ja' is taken as positive and 'nein' as unlabeled\n",
    ] {
        assert!(said.stderr.contains(note), "{said:?}");
    }
    let refused = folder.refused(&format!("fit -v x.csv --decimal . {FIT}"));
    assert!(
        refused.contains("line 5, column 'amount': '0,5' is not a number with a decimal point"),
        "{refused}"
    );
    let refused = folder.refused(&format!("fit -v x.csv --decimal x {FIT}"));
    assert!(refused.contains("--decimal must be a comma or a point"), "{refused}");
    let refused = folder.refused(&format!("fit -v x.csv --sheet 1 {FIT}"));
    assert!(refused.contains("is not a spreadsheet and has no sheets"), "{refused}");
}

#[test]
fn columns_between_commas_and_a_name_with_one() {
    let folder = Folder::new("commas");
    folder.write(
        "x.csv",
        format!("n,\"price, net\",c,y\n{}", rows(|i, c, y| format!("{},{},{c},{y}\n", i % 7, i % 5))),
    );
    let features = |flags: &[&str]| {
        let said = Said::of(folder.command(&format!("fit -v x.csv {FIT}")).args(flags).output().unwrap());
        assert_eq!(said.code, 0, "{said:?}");
        said.stderr
    };
    assert!(features(&["--drop", "price, net"]).contains("3 features"));
    assert!(features(&["--drop", "n, c"]).contains("1 feature\n"));
    assert!(features(&["--drop", "n", "--drop", "c"]).contains("1 feature\n"));
}

#[test]
fn what_is_no_table_is_said_in_one_sentence() {
    let folder = Folder::new("no-table");
    fs::create_dir(folder.path("many")).unwrap();
    folder.write("many/a.csv", "x,y\n1,1\n");
    let refused = folder.refused(&format!("fit -v many {FIT}"));
    assert!(
        refused.contains("'many' is a folder with tables in it; name one, such as 'many/a.csv'"),
        "{refused}"
    );
    folder.write("page.xls", "<html><table><tr><td>x</td></tr></table></html>");
    assert!(
        folder
            .refused(&format!("fit -v page.xls {FIT}"))
            .contains("is a web page with the name of a spreadsheet")
    );
    folder.write("x.xlsx", b"PK\x03\x04 and no more".as_slice());
    let refused = folder.refused(&format!("fit -v x.xlsx {FIT}"));
    assert!(
        refused.contains("is a spreadsheet that cannot be read")
            && refused.ends_with("save it again, as .xlsx or .csv"),
        "{refused}"
    );
    folder.write("x.csv", rows(|i, _, y| format!("{i}.5,{y}\n")));
    assert!(folder.refused(&format!("fit -v x.csv {FIT}")).contains("'x.csv' seems to have no header"));
}
