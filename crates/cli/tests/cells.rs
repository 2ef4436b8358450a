//! Cells as people write them: markers of missing values, signs around numbers, decimal commas, separators, labels.

use crate::folder::Folder;

const FIT: &str = "--label y --prior 0.5 --model linear --epochs 2 --out m.safetensors";

/// 200 rows of a number, a category and a label, with one cell of the number given, in line 102.
fn table(folder: &Folder, name: &str, cell: &str) {
    let row = |i: usize| {
        let x = if i == 100 { cell.to_string() } else { format!("{}", i % 83) };
        format!("{x},{},{}\n", ["red", "blue", "unknown"][i % 3], u8::from(i.is_multiple_of(4)))
    };
    let rows: String = (0..200).map(row).collect();
    folder.write(name, format!("x,c,y\n{rows}"));
}

#[test]
fn one_cell_does_not_turn_numbers_into_categories() {
    let folder = Folder::new("one-cell");
    for cell in ["#N/A", "-", "12%", "1_000", "\"1,234.5\"", "nan", "Unknown", "$7", "seven"] {
        table(&folder, "x.csv", cell);
        let said = folder.run(&format!("fit -v x.csv {FIT}"));
        assert_eq!(said.code, 0, "{cell}: {said:?}");
        // One number and three categories, of which 'unknown' is one.
        assert!(said.stderr.contains("50 positives, 150 unlabeled rows, 4 features"), "{cell}: {said:?}");
        let note = match cell {
            "12%" => "note: numbers are not written plainly in x (12% read as 0.12)\n",
            "1_000" => "note: numbers are not written plainly in x (1_000 read as 1000)\n",
            "\"1,234.5\"" => "note: numbers are not written plainly in x (1,234.5 read as 1234.5)\n",
            "$7" => "note: numbers are not written plainly in x ($7 read as 7)\n",
            "seven" => {
                "warning: cells that are unlike the rest of their column, taken as missing, in x (1, first 'seven' in line \
                 102); read such a column as categories with --categorical x\n"
            }
            _ => "note: missing cells in x (1)\n",
        };
        assert!(said.stderr.contains(note), "{cell}: {said:?}");
    }
}

#[test]
fn a_row_of_units_is_told_of() {
    let folder = Folder::new("units");
    let row = |i: usize| format!("{i},{},{}\n", i * 7 % 50, if i.is_multiple_of(4) { "yes" } else { "" });
    let rows: String = (0..200).map(row).collect();
    folder.write("x.csv", format!("height,weight,y\ncm,kg,\n{rows}"));
    let said = folder.run(&format!("fit -v x.csv {FIT}"));
    assert_eq!(said.code, 0, "{said:?}");
    let warning = "taken as missing, in height (1, first 'cm' in line 2), weight (1, first 'kg' in line 2); all in one row: \
                   if it holds units or a second header, delete it\n";
    assert!(said.stderr.contains(warning), "{said:?}");
}

#[test]
fn a_column_is_read_as_it_is_asked_for_and_new_files_alike() {
    let folder = Folder::new("asked-kinds");
    table(&folder, "x.csv", "seven");
    let said = folder.run(&format!("fit -v x.csv --categorical x {FIT}"));
    assert!(said.stderr.contains("87 features"), "{said:?}");
    // Half the column is not a number: categories, unless numbers are asked for.
    let rows: String = (0..60)
        .map(|i| {
            format!(
                "{},{},{}\n",
                if i % 2 == 0 { "low".to_string() } else { i.to_string() },
                i % 7,
                i % 3 % 2
            )
        })
        .collect();
    folder.write("half.csv", format!("x,z,y\n{rows}"));
    let said = folder.run(&format!("fit -v half.csv {FIT}"));
    assert!(said.stderr.contains("32 features"), "{said:?}");
    let said = folder.run(&format!("fit -v half.csv --numeric x {FIT}"));
    assert!(
        said.stderr.contains("2 features") && said.stderr.contains("in x (30, first 'low' in line 2)\n"),
        "{said:?}"
    );
    // New rows: what is not a number is missing, never another kind.
    folder.write("new.csv", "x,z\n3,1\noops,2\n12%,-\n");
    let said = folder.run("predict m.safetensors new.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("in x (1, first 'oops' in line 3)\n"), "{said:?}");
    assert!(said.stderr.contains("x (12% read as 0.12)\n"), "{said:?}");
    assert!(said.stderr.contains("missing cells in z (1)\n"), "{said:?}");
    folder.write("words.csv", "x,z\nhigh,1\nlow,2\n");
    let message = folder.refused("predict m.safetensors words.csv");
    assert!(
        message.contains("column 'x' was numeric when the model was fitted but is text here"),
        "{message}"
    );
    let message = folder.refused(&format!("fit half.csv --numeric x --categorical x {FIT}"));
    assert!(message.contains("column 'x' cannot be both numeric and categorical"), "{message}");
    let message = folder.refused(&format!("fit half.csv --numeric xx {FIT}"));
    assert!(message.contains("there is no column 'xx'"), "{message}");
}

#[test]
fn a_model_of_decimal_commas_reads_decimal_commas() {
    let folder = Folder::new("decimal-commas");
    let row = |i: usize, comma: bool| {
        let x = format!("{}.{}", i % 50, i % 10);
        let x = if comma { x.replace('.', ",") } else { x };
        format!("{x};{};{}\n", i % 7, if i.is_multiple_of(4) { "1" } else { "" })
    };
    let rows = |comma: bool| (0..120).map(|i| row(i, comma)).collect::<String>();
    folder.write("comma.csv", format!("x;z;y\n{}", rows(true)));
    folder.write("point.csv", format!("x;z;y\n{}", rows(false)));
    let said = folder.run(&format!("fit -v comma.csv {FIT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stderr.contains("note: a semicolon separates the cells of the table, by its first lines"),
        "{said:?}"
    );
    assert!(said.stderr.contains("note: decimal commas in x: 0,0 is 0\n"), "{said:?}");
    assert!(said.stderr.contains("30 positives, 90 unlabeled rows, 2 features"), "{said:?}");
    // What fit said of a table is not said again of one that is written the same way.
    let said = folder.run("predict m.safetensors comma.csv --out comma.pred.csv");
    assert!(said.code == 0 && !said.stderr.contains("note:"), "{said:?}");
    let fit = FIT.replace("m.safetensors", "p.safetensors");
    assert_eq!(folder.run(&format!("fit -v point.csv --delimiter ; {fit}")).code, 0);
    assert_eq!(folder.run("predict p.safetensors point.csv --out point.pred.csv").code, 0);
    let list = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(list("comma.pred.csv"), list("point.pred.csv"));
    let as_comma = |plain: String| plain.replace(',', ";").replace('.', ",");
    for style in ["like-input", "semicolon"] {
        let said = folder.run(&format!("predict m.safetensors comma.csv --out-style {style} --out list.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(list("list.csv"), as_comma(list("point.pred.csv")), "{style}");
    }
    let said = folder.run("predict p.safetensors point.csv --out-style like-input --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(list("list.csv"), list("point.pred.csv").replace(',', ";"));
    // The decimal commas are in a column that is not learned from.
    let whole = FIT.replace("m.safetensors", "z.safetensors");
    assert_eq!(folder.run(&format!("fit -v comma.csv --drop x {whole}")).code, 0);
    for (table, sign) in [("comma.csv", ','), ("point.csv", '.')] {
        let said = folder
            .run(&format!("predict z.safetensors {table} --in-sample --out-style like-input --out list.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        let list = list("list.csv");
        let score = list.lines().nth(1).unwrap().split(';').nth(1).unwrap();
        assert!(score.contains(sign), "{table}: {list}");
    }
    let message = folder.refused("predict m.safetensors comma.csv --out-style german --out list.csv");
    assert!(message.ends_with("--out-style is plain, semicolon or like-input, but is 'german'"), "{message}");
    // A cell of another style among a hundred is missing there, which is said once.
    folder.write("one.csv", format!("x;z\n1,5;2\n1.5;2\n{}", "2,5;1\n".repeat(100)));
    let said = folder.run("predict m.safetensors one.csv");
    assert!(said.stderr.contains("in x (1, first '1.5' in line 3)\n"), "{said:?}");
    assert!(!said.stderr.contains("missing cells"), "{said:?}");
    // Where it is no exception, the file is refused until the sign is named.
    folder.write("half.csv", "x;z\n1,5;2\n1.5;2\n");
    let message = folder.refused("predict m.safetensors half.csv");
    assert!(message.contains("line 3, column 'x': '1.5' is not a number with a decimal comma"), "{message}");
    assert!(message.ends_with("if that is how it writes numbers, say so with --decimal ."), "{message}");
}

#[test]
fn separators_are_found_or_given() {
    let folder = Folder::new("separators");
    for (name, sign) in [("tab", "\t"), ("bar", "|"), ("semicolon", ";")] {
        let rows: String =
            (0..40).map(|i| format!("{i}{sign}{}{sign}{}\n", i % 7, u8::from(i % 4 == 0))).collect();
        folder.write("x.csv", format!("x{sign}z{sign}y\n{rows}"));
        let said = folder.run(&format!("fit -v x.csv {FIT}"));
        assert!(
            said.code == 0 && said.stderr.contains("separates the cells of the table"),
            "{name}: {said:?}"
        );
    }
    let rows: String = (0..40).map(|i| format!("{i}:{}:{}\n", i % 7, u8::from(i % 4 == 0))).collect();
    folder.write("x.csv", format!("x:z:y\n{rows}"));
    let said = folder.run(&format!("fit -v x.csv --delimiter : {FIT}"));
    assert!(said.code == 0 && !said.stderr.contains("separates"), "{said:?}");
    let message = folder.refused(&format!("fit x.csv --delimiter :: {FIT}"));
    assert!(message.contains("--delimiter must be one character"), "{message}");
}

#[test]
fn blank_labels_are_unlabeled_beside_one_value() {
    let folder = Folder::new("blank-labels");
    for positive in ["1", "yes"] {
        let label = |i: usize| if i.is_multiple_of(4) { positive } else { "" };
        let rows: String = (0..40).map(|i| format!("{i},{}\n", label(i))).collect();
        folder.write("x.csv", format!("x,y\n{rows}"));
        let said = folder.run(&format!("fit -v x.csv {FIT}"));
        assert!(said.stderr.contains("10 positives, 30 unlabeled rows"), "{said:?}");
    }
}
