//! Rows that are empty in every learned column change nothing: not what is learned from, not a share, not a promise. And a label column
//! that is asked for is understood or refused.

use crate::folder::Folder;
use std::fs;

/// 400 rows with an id in their order and two columns that tell positives, every fifth of which is labeled.
fn rows() -> Vec<String> {
    let row = |i: u32| {
        let (a, b) = (i * 7919 % 101, i * 104_729 % 97);
        let positive = a + b > 120;
        format!("{},{a}.5,{b}.25,{}", 1000 + i, u8::from(positive && i % 5 < 2))
    };
    (0..400).map(row).collect()
}

fn table(folder: &Folder, name: &str, rows: &[String]) {
    fs::write(folder.path(name), format!("id,a,b,y\n{}\n", rows.join("\n"))).unwrap();
}

/// The same with 60 empty rows in the middle.
fn with_blanks(rows: &[String]) -> Vec<String> {
    let blank = vec![",,,".to_string(); 60];
    [&rows[..200], &blank, &rows[200..]].concat()
}

fn tables(test: &str) -> Folder {
    let folder = Folder::new(test);
    table(&folder, "plain.csv", &rows());
    table(&folder, "blank.csv", &with_blanks(&rows()));
    folder
}

#[test]
fn the_same_columns_and_share() {
    let folder = tables("blank-same");
    let fit = |file: &str| {
        let said =
            folder.run(&format!("fit -v {file} --label y --method weighted-lr --prior 0.3 --out m.onesided"));
        assert_eq!(said.code, 0, "{said:?}");
        // An id in the order of rows is left out of both.
        assert!(
            said.stderr.contains("'id' (in the order of rows") || said.stderr.contains("2 features"),
            "{said:?}"
        );
        // Commands name the file.
        let is_same = |line: &&str| !line.starts_with("wrote") && !line.contains("onesided ");
        said.stdout.lines().filter(is_same).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(fit("plain.csv"), fit("blank.csv"));
    let prior = |file: &str| folder.run(&format!("prior {file} --label y --estimators quick")).stdout;
    assert_eq!(prior("plain.csv"), prior("blank.csv"));
}

#[test]
fn an_audit_tells_the_same_share() {
    let folder = tables("blank-audit");
    let share = |file: &str| {
        let fit = format!("fit -v {file} --label y --method weighted-lr --out m.onesided");
        assert_eq!(folder.run(&format!("{fit} --prior 0.3")).code, 0);
        let drawn = folder.run(&format!("audit draw m.onesided {file} --rows 60 --id id --out sheet.csv"));
        assert_eq!(drawn.code, 0, "{drawn:?}");
        let sheet = fs::read_to_string(folder.path("sheet.csv")).unwrap();
        let header: Vec<&str> = sheet.lines().next().unwrap().split(',').collect();
        let (id, answer) = (
            header.iter().position(|name| *name == "id").unwrap(),
            header.iter().position(|name| *name == "positive").unwrap(),
        );
        let answered: Vec<String> = sheet
            .lines()
            .enumerate()
            .map(|(at, line)| {
                let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
                if at > 0 {
                    let i: u32 = cells[id].parse::<u32>().unwrap() - 1000;
                    let positive = i * 7919 % 101 + i * 104_729 % 97 > 120;
                    cells[answer] = if positive { "yes" } else { "no" }.to_string();
                }
                cells.join(",")
            })
            .collect();
        fs::write(folder.path("answers.csv"), answered.join("\n")).unwrap();
        let said = folder.run(&format!("{fit} --audit answers.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.stderr.contains("rows more than"), "{said:?}");
        said.stderr.lines().find(|line| line.starts_with("share of positives")).unwrap().to_string()
    };
    assert_eq!(share("plain.csv"), share("blank.csv"));
}

#[test]
fn a_label_column_in_other_words_is_refused_or_named() {
    let folder = tables("blank-words");
    let fit = "fit -v plain.csv --label y --method weighted-lr --prior 0.3 --reserve 20 --out m.onesided";
    assert_eq!(folder.run(fit).code, 0);
    // New rows, of which some are labeled by a word.
    let new: Vec<String> = rows()
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let (cells, label) = row.rsplit_once(',').unwrap();
            let cells = cells.replace(".5,", ".75,");
            format!("{cells},{}", if label == "1" && at % 2 == 0 { "confirmed" } else { "" })
        })
        .collect();
    table(&folder, "new.csv", &new);
    let confirmed = new.iter().filter(|row| row.ends_with("confirmed")).count();
    let said = folder.run("predict m.onesided new.csv --label y --out list.csv");
    assert_eq!(said.code, 2, "{said:?}");
    let wanted = "column 'y' holds 'confirmed', not 1/0, 1/-1, true/false or yes/no; name the positive value with --positive VALUE";
    assert!(said.stderr.contains(wanted), "{said:?}");
    assert!(!folder.path("list.csv").exists());
    let said = folder.run("predict m.onesided new.csv --label y --positive confirmed --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    let listed = fs::read_to_string(folder.path("list.csv")).unwrap().lines().count() - 1;
    assert_eq!(listed, 400 - confirmed);
    // With the labeled rows listed, too, it is the list without the column, and so is what is promised of it.
    let promise = |flags: &str| {
        let said =
            folder.run(&format!("predict m.onesided new.csv --all {flags} --out list.csv --recall 0.8"));
        let text = format!("{}{}", said.stdout, said.stderr);
        text.lines().find(|line| line.contains("review the first")).map(str::to_string)
    };
    let all = promise("");
    assert!(all.is_some());
    assert_eq!(promise("--label y --positive confirmed"), all);
    // Without them, what is promised is about the rows that are listed: positives that are not are taken off.
    let share = |flags: &str| {
        let told = folder.json(&format!("predict m.onesided new.csv {flags} --out list.csv --recall 0.8"));
        told["review"]["share"].clone()
    };
    let (whole, listed) = (share(""), share("--label y --positive confirmed"));
    let expected = (whole["value"].as_f64().unwrap() * 400.0 - confirmed as f64) / (400 - confirmed) as f64;
    assert!((listed["value"].as_f64().unwrap() - expected).abs() < 1e-9, "{whole} {listed}");
    assert_eq!(listed["left_out"], confirmed);
}

#[test]
fn a_draw_counts_them_as_often_as_it_meets_them() {
    let folder = tables("blank-draw");
    // Labels are read before the other cells, so an empty one would be a third kind.
    let zero: Vec<String> = with_blanks(&rows()).iter().map(|row| row.replace(",,,", ",,,0")).collect();
    table(&folder, "blank.csv", &zero);
    let share = |file: &str| {
        let said = folder.run(&format!(
            "fit -v {file} --label y --method weighted-lr --prior 0.3 --max-unlabeled 200 --out m.onesided --json"
        ));
        assert_eq!(said.code, 0, "{said:?}");
        let object: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        object["prior_in_unlabeled"].as_f64().unwrap()
    };
    let (plain, blank) = (share("plain.csv"), share("blank.csv"));
    assert!((plain - blank).abs() < 0.01, "{plain} {blank}");
}
