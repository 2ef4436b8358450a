//! What people do to audit files, by accident or on purpose: fine, or found and named.

use crate::folder::Folder;
use serde_json::Value;
use std::fs;

const FIT: &str = "fit -v table.csv --label y --drop id --method weighted-lr --threads 1";

/// 600 rows, four in ten positive and half of these labeled. An amount is above 4,096 now and then.
fn table() -> String {
    let mut text = "id,amount,age,color,y\n".to_string();
    for i in 0..600u32 {
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 9973) / 9973.0;
        let positive = i % 5 < 2;
        let amount = 50.0 * (1.0 + noise(1)) * if i % 40 == 7 { 60.333 } else { 1.0 };
        let age = 20.0 + 60.0 * noise(2) + if positive { 15.0 } else { 0.0 };
        let color = if noise(3) < if positive { 0.7 } else { 0.3 } { "red" } else { "blue" };
        let labeled = positive && noise(4) < 0.5;
        text.push_str(&format!("c{i},{amount:.2},{age:.1},{color},{}\n", u8::from(labeled)));
    }
    text
}

/// A file of answers as cells, the header first.
type Cells = Vec<Vec<String>>;

fn cells(text: &str) -> Cells {
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

fn text(cells: &Cells) -> String {
    cells.iter().map(|line| format!("{}\n", line.join(","))).collect()
}

fn at(cells: &Cells, column: &str) -> usize {
    cells[0].iter().position(|name| name == column).unwrap()
}

/// The answers of the truth: rows count from 1.
fn filled(mut cells: Cells) -> Cells {
    let (row, answer) = (at(&cells, "row"), at(&cells, "positive"));
    for line in &mut cells[1..] {
        let number: u32 = line[row].parse().unwrap();
        line[answer] = if (number - 1) % 5 < 2 { "yes" } else { "no" }.to_string();
    }
    cells
}

/// A fitted model, 120 drawn rows and their answers.
fn audited(test: &str) -> (Folder, Cells) {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    assert_eq!(folder.run(&format!("{FIT} --prior 0.4 --out m.onesided")).code, 0);
    let answers = drawn(&folder, "--rows 120");
    folder.write("a.csv", text(&answers));
    (folder, answers)
}

fn drawn(folder: &Folder, flags: &str) -> Cells {
    let said = folder.run(&format!("audit draw m.onesided table.csv --id id {flags} --out drawn.csv"));
    assert_eq!(said.code, 0, "{said:?}");
    filled(cells(&fs::read_to_string(folder.path("drawn.csv")).unwrap()))
}

#[test]
fn what_people_do_to_a_sheet_is_fine() {
    let (folder, answers) = audited("audits-fine");
    let report = folder.json("audit read m.onesided a.csv");
    let read = |cells: &Cells, sign: &str| {
        let lines: Vec<String> = cells.iter().map(|line| line.join(sign)).collect();
        folder.write("b.csv", lines.join("\n"));
        folder.json("audit read m.onesided b.csv")
    };
    let (row, answer) = (at(&answers, "row"), at(&answers, "positive"));
    // Sorted, with columns of their own, and numbers as spreadsheets write them.
    let mut sorted = answers.clone();
    sorted[1..].sort_by_key(|line| line[row].parse::<u32>().unwrap());
    sorted.iter_mut().for_each(|line| line.insert(0, "mine".to_string()));
    assert_eq!(read(&sorted, ";"), report);
    let mut reformatted = answers.clone();
    reformatted[1..].iter_mut().for_each(|line| line[row].push_str(".0"));
    reformatted[1..].iter_mut().for_each(|line| line[0] = line[0].to_uppercase());
    assert_eq!(read(&reformatted, ","), report);
    // Twice, and by two people.
    assert_eq!(read(&[answers.clone(), answers[1..].to_vec()].concat(), ","), report);
    folder.write("one.csv", text(&answers[..61].to_vec()));
    folder.write("two.csv", text(&[answers[..1].to_vec(), answers[61..].to_vec()].concat()));
    assert_eq!(folder.json("audit read m.onesided one.csv two.csv"), report);
    // Another draw, pasted below, adds up.
    let second = drawn(&folder, "--rows 120 --seed 1");
    folder.write("second.csv", text(&second));
    let mut apart = folder.json("audit read m.onesided a.csv second.csv");
    assert_eq!(apart["draws"], 2);
    // Rows of both draws are answered in both files, in the same way.
    let agreement = apart.as_object_mut().unwrap().remove("agreement").unwrap();
    assert_eq!((&agreement["files"], &agreement["kappa"]), (&2.into(), &1.0.into()));
    assert_eq!(agreement["differ"], serde_json::json!([]));
    assert_eq!(read(&[answers.clone(), second[1..].to_vec()].concat(), ","), apart);
    // Unsure is no answer, and is counted.
    let mut unsure = answers.clone();
    unsure[1..4].iter_mut().for_each(|line| line[answer] = "unsure".to_string());
    let told = read(&unsure, ",");
    assert_eq!(
        (&told["unsure"], &told["unanswered"], &told["answered"]),
        (&3.into(), &3.into(), &117.into())
    );
    let said = folder.run("audit read m.onesided b.csv");
    assert!(said.stderr.contains("3 of 120 rows have no answer (3 are unsure)"), "{said:?}");
}

#[test]
fn what_does_not_belong_is_named() {
    let (folder, answers) = audited("audits-named");
    let refused = |cells: &Cells| {
        folder.write("b.csv", text(cells));
        folder.refused("audit read m.onesided b.csv")
    };
    let (key, row) = (at(&answers, "key"), at(&answers, "row"));
    let with = |change: &dyn Fn(&mut Cells)| {
        let mut changed = answers.clone();
        change(&mut changed);
        refused(&changed)
    };
    // Rows that were made up: with a key of another row, with a key of their own, and with none.
    let error = with(&|cells| {
        let mut line = cells[1].clone();
        line[row] = "5000".to_string();
        cells.push(line);
    });
    assert!(
        error.contains("has '5000' in column 'row', line 122, and the key there is that of row"),
        "{error}"
    );
    for made_up in ["bcd", ""] {
        let error = with(&|cells| {
            let mut line = cells[1].clone();
            line[key] = made_up.to_string();
            cells.push(line);
        });
        assert!(error.contains("line 122, which is no key of this draw"), "{error}");
    }
    // Numbers that were shifted or permuted without the rest.
    let error = with(&|cells| {
        for line in &mut cells[1..] {
            line[row] = (line[row].parse::<u32>().unwrap() + 1).to_string();
        }
    });
    assert!(error.contains("moved without the others"), "{error}");
    let error = with(&|cells| {
        let first = cells[1][key].clone();
        (1..120).for_each(|at| cells[at][key] = cells[at + 1][key].clone());
        cells[120][key] = first;
    });
    assert!(error.contains("moved without the others"), "{error}");
    // A key, or all lines, of a draw that does not add up.
    let other = drawn(&folder, "--rows 60");
    let error = with(&|cells| cells[1][key] = other[1][key].clone());
    assert!(error.contains("line 2, which is no key of this draw"), "{error}");
    let error = with(&|cells| cells.extend(other[1..].to_vec()));
    assert!(error.contains("has lines of another draw with the same seed; delete these lines"), "{error}");
    folder.write("other.csv", text(&other));
    let error = folder.refused("audit read m.onesided a.csv other.csv");
    assert!(error.contains("'other.csv' is another draw with the same seed, 0"), "{error}");
    // What says what was drawn.
    let draw = at(&answers, "draw");
    let error = with(&|cells| cells[3][draw].truncate(20));
    assert!(error.contains("a changed cell in column 'draw', line 4"), "{error}");
    let error = with(&|cells| cells.iter_mut().for_each(|line| line.truncate(draw)));
    assert!(error.contains("has no column 'draw', which was there when it was drawn"), "{error}");
    let error = with(&|cells| {
        let mut line = cells[1].clone();
        line[2] = if line[2] == "yes" { "no" } else { "yes" }.to_string();
        cells.push(line);
    });
    assert!(error.contains("contradicts another answer for row"), "{error}");
}

#[test]
fn deleted_lines_are_counted_and_yes_alone_is_refused() {
    let (folder, answers) = audited("audits-deleted");
    let answer = at(&answers, "positive");
    let kept = |wanted: &dyn Fn(usize, &str) -> bool| {
        let lines = answers.iter().enumerate().filter(|(at, line)| *at == 0 || wanted(*at, &line[answer]));
        folder.write("b.csv", text(&lines.map(|(_, line)| line.clone()).collect()));
    };
    kept(&|_, said| said == "yes");
    let error = folder.refused("audit read m.onesided b.csv");
    assert!(error.contains("all of them yes, and") && error.contains("lines of the draw missing"), "{error}");
    let error = folder.refused(&format!("{FIT} --audit b.csv --out x.onesided"));
    assert!(error.contains("lines of the draw missing"), "{error}");
    // Some are gone, of every stratum or of one.
    kept(&|at, _| at <= 100);
    let told = folder.json("audit read m.onesided b.csv");
    assert_eq!(
        (&told["missing"], &told["unanswered"], &told["drawn"]),
        (&20.into(), &20.into(), &120.into())
    );
    let said = folder.run("audit read m.onesided b.csv");
    assert!(said.stderr.contains("20 of 120 rows have no answer (20 have no line in the files)"), "{said:?}");
}

/// The share and the counts of a fit with answers.
fn taught(folder: &Folder, table: &str) -> (Value, String) {
    let fit = FIT.replace("table.csv", table);
    let said = folder.run(&format!("{fit} --audit a.csv --out n.onesided"));
    assert_eq!(said.code, 0, "{said:?}");
    (folder.json(&format!("{fit} --audit a.csv --out n.onesided")), said.stderr)
}

#[test]
fn answers_find_their_rows_whatever_has_become_of_the_table() {
    let (folder, answers) = audited("audits-fit");
    let found = answers[1..].iter().filter(|line| line[2] == "yes").count() as u64;
    let (told, _) = taught(&folder, "table.csv");
    let (text, mu) = (table(), told["prior_in_unlabeled"].as_f64().unwrap());
    let labeled = text.lines().filter(|line| line.ends_with(",1")).count() as u64;
    assert_eq!(
        (told["positive"].as_u64(), told["negative"].as_u64()),
        (Some(labeled + found), Some(120 - found))
    );
    // Shuffled: the same rows, so the same labels and the same share.
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let shuffled: Vec<&str> = (0..600).map(|at| rows[(at * 241 + 17) % 600]).collect();
    folder.write("shuffled.csv", format!("{header}\n{}\n", shuffled.join("\n")));
    let (again, said) = taught(&folder, "shuffled.csv");
    assert_eq!((&again["positive"], &again["negative"]), (&told["positive"], &told["negative"]), "{said}");
    assert_eq!(again["prior_in_unlabeled"].as_f64(), Some(mu));
    assert!(!said.contains("answered row"), "{said}");
    // New rows, of which one is large enough to move every mean: taken to be like the others.
    folder.write("more.csv", format!("{text}new,987654.32,44.0,red,0\nnewer,60.10,31.0,blue,0\n"));
    let (more, said) = taught(&folder, "more.csv");
    assert_eq!((&more["positive"], &more["negative"]), (&told["positive"], &told["negative"]));
    assert!(said.contains("the table has 2 rows more than when it was audited"), "{said}");
    assert!((more["prior_in_unlabeled"].as_f64().unwrap() - mu).abs() < 0.005);
    // Rows are gone, an answered one among them.
    let asked: Vec<&str> = answers[1..].iter().map(|line| line[5].as_str()).collect();
    let gone = |line: &&&str| !asked[..3].contains(&line.split(',').next().unwrap());
    let left: Vec<&str> = rows.iter().filter(gone).copied().collect();
    folder.write("fewer.csv", format!("{header}\n{}\n", left.join("\n")));
    let (_, said) = taught(&folder, "fewer.csv");
    assert!(said.contains("3 answered rows are not in this table any more"), "{said}");
    // Labels were taken away since: they are positives that are hidden now.
    let bare: Vec<String> = rows
        .iter()
        .enumerate()
        .map(
            |(at, line)| {
                if at > 100 { format!("{},0", line.rsplit_once(',').unwrap().0) } else { line.to_string() }
            },
        )
        .collect();
    folder.write("bare.csv", format!("{header}\n{}\n", bare.join("\n")));
    let (bare, _) = taught(&folder, "bare.csv");
    let (was, is) = (told["positive"].as_f64().unwrap(), bare["positive"].as_f64().unwrap());
    let [before, after] = [&told, &bare].map(|told| told["unlabeled"].as_f64().unwrap());
    let expected = (mu * before + was - is) / after;
    assert!((bare["prior_in_unlabeled"].as_f64().unwrap() - expected).abs() < 1e-9, "{bare}");
    // Another table is another table.
    let other = folder
        .refused(&format!("{} --audit a.csv --out x.onesided", FIT.replace("--drop id", "--drop id,age")));
    assert!(other.contains("is an audit of another table, or of this one read in another way"), "{other}");
}

/// `crates/cli/tests/fixtures/audit_version_1.csv`: 60 rows of `examples/train.csv` as an earlier version drew them, those whose
/// number is a multiple of three answered yes.
/// The model knows the share of the rows that were left unanswered; by the column of labels, answered rows are unlabeled.
#[test]
fn metrics_by_the_label_column_rest_on_the_share_that_the_audit_told() {
    let (folder, _) = audited("audits-evaluate");
    let share = folder.json("audit read m.onesided a.csv")["share"].clone();
    let (told, _) = taught(&folder, "table.csv");
    let measured = folder.json("evaluate n.onesided table.csv --label y");
    let near = |found: &Value, expected: &Value| {
        assert!((found.as_f64().unwrap() - expected.as_f64().unwrap()).abs() < 1e-9, "{found} {expected}");
    };
    near(&measured["prior_in_unlabeled"], &share["value"]);
    near(&measured["prior_in_unlabeled_interval"][0], &share["low"]);
    near(&measured["prior_in_unlabeled_interval"][1], &share["high"]);
    assert_ne!(told["prior_in_unlabeled"], measured["prior_in_unlabeled"]);
    assert_eq!(measured["prior_in_unlabeled_audited"], 120);
    let said = folder.run("evaluate n.onesided table.csv --label y").stdout;
    assert!(said.contains("an audit of 120 rows told it") && !said.contains("it was estimated"), "{said}");
}

/// Labels on the easy positives alone: the answers refute them, every list of the model says so, and holds no row that was answered.
#[test]
fn lists_after_an_audit_carry_its_verdict_and_no_answered_row() {
    let folder = Folder::new("audits-verdict");
    let mut text = "id,a,b,y\n".to_string();
    let (is_positive, noise) =
        (|i: u32| i % 5 < 2, |i: u32, k: u32| f64::from((i * 7919 + k * 104_729) % 9973) / 9973.0);
    for i in 0..1500u32 {
        let easy = is_positive(i) && i.is_multiple_of(2);
        let a = 2.0 * noise(i, 1) + if easy { 3.0 } else { 0.0 };
        let labeled = easy && noise(i, 2) < 0.7;
        text.push_str(&format!("c{i},{a:.4},{:.4},{}\n", noise(i, 3), u8::from(labeled)));
    }
    folder.write("table.csv", &text);
    assert_eq!(folder.run(&format!("{FIT} --prior 0.4 --out m.onesided")).code, 0);
    folder.write("a.csv", self::text(&drawn(&folder, "--rows 300")));
    let (told, _) = taught(&folder, "table.csv");
    assert!(told["doubt"]["audit"]["agrees"] == false, "{told}");
    let answered = cells(&fs::read_to_string(folder.path("a.csv")).unwrap());
    let row = at(&answered, "row");
    let asked: Vec<&str> = answered[1..].iter().map(|line| line[row].as_str()).collect();
    for flags in ["", "--label y"] {
        let said = folder.run(&format!("predict n.onesided table.csv --out list.csv {flags}"));
        assert!(said.stderr.contains("do not count on the probabilities of this list"), "{said:?}");
        let list = cells(&fs::read_to_string(folder.path("list.csv")).unwrap());
        let row = at(&list, "row");
        assert!(list.len() > 500 && !list[1..].iter().any(|line| asked.contains(&line[row].as_str())));
    }
}

#[test]
fn files_of_the_first_version_are_read_as_before() {
    let folder = Folder::new("audits-earlier");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::copy(format!("{root}/examples/train.csv"), folder.path("table.csv")).unwrap();
    let answers =
        fs::read_to_string(format!("{root}/crates/cli/tests/fixtures/audit_version_1.csv")).unwrap();
    folder.write("a.csv", &answers);
    let fit = "fit -v table.csv --label y --method weighted-lr --audit a.csv --out n.onesided";
    let told = folder.json(fit);
    assert_eq!((told["positive"].as_u64(), told["negative"].as_u64()), (Some(181 + 15), Some(45)));
    // s = 0.24987364164771295 of 1,319 rows, of which 60 were answered and 15 are positive.
    let mu = (0.249_873_641_647_712_95 * 1319.0 - 15.0) / 1259.0;
    assert!((told["prior_in_unlabeled"].as_f64().unwrap() - mu).abs() < 1e-12, "{told}");
    // Its "no" lines deleted, it is refused as well.
    let yes = |line: &&str| line.contains(",yes,") || line.starts_with("row");
    folder.write("a.csv", answers.lines().filter(yes).collect::<Vec<_>>().join("\n"));
    assert!(folder.refused(fit).contains("all of them yes"));
}

/// `crates/cli/tests/fixtures/audit_version_2.csv`: the same of this version, which later ones must read.
#[test]
fn files_of_the_second_version_are_read() {
    let folder = Folder::new("audits-second");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::copy(format!("{root}/examples/train.csv"), folder.path("table.csv")).unwrap();
    fs::copy(format!("{root}/crates/cli/tests/fixtures/audit_version_2.csv"), folder.path("a.csv")).unwrap();
    let told = folder.json("fit -v table.csv --label y --method weighted-lr --audit a.csv --out n.onesided");
    assert_eq!(told["prior_estimate"]["audited"], 60);
    let answers = fs::read_to_string(folder.path("a.csv")).unwrap();
    let yes = answers.lines().filter(|line| line.split(',').nth(2) == Some("yes")).count() as u64;
    assert_eq!((told["positive"].as_u64(), told["negative"].as_u64()), (Some(181 + yes), Some(60 - yes)));
}
