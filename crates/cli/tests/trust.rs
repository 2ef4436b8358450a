//! Numbers for reviewers: reserved positives, promises, lift, and audits, from the command line.

use crate::folder::Folder;
use onesided::Model;
use serde_json::Value;
use std::fs;

const FIT: &str =
    "fit -v table.csv --label y --drop id,t --prior 0.3333 --model linear --epochs 10 --learning-rate 0.05";

/// 1,500 rows, a third positive and half of those labeled; `a` tells them apart but for some.
fn table(rows: u32, from: u32) -> String {
    let mut text = "id,a,b,y,t\n".to_string();
    for i in from..from + rows {
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 9973) / 9973.0;
        let positive = i % 3 == 0;
        let center = if positive { 1.0 } else { -1.0 };
        let a = center + 2.0 * (noise(1) + noise(2) + noise(3)) - 3.0;
        text.push_str(&format!(
            "r{i},{a:.4},{:.4},{},{}\n",
            noise(4),
            u32::from(i % 6 == 0),
            u32::from(positive)
        ));
    }
    text
}

fn fitted(test: &str, more: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table(1500, 0));
    // The noise repeats after 9,973 rows.
    folder.write("new.csv", table(900, 5_004));
    let said = folder.run(&format!("{FIT} {more} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn reserved_positives_are_scored_and_counted_and_change_no_prior() {
    let folder = Folder::new("reserve");
    folder.write("table.csv", table(1500, 0));
    let object = folder.json(&format!("{FIT} --reserve 0.4 --out m.safetensors"));
    assert_eq!((object["reserved"].as_u64(), object["positive"].as_u64()), (Some(100), Some(250)));
    // μ = (0.3333 · 1500 - 250) / 1250: the positives set aside are labeled rows of the population.
    let mu = object["prior_in_unlabeled"].as_f64().unwrap();
    assert!((mu - (0.3333 * 1500.0 - 250.0) / 1250.0).abs() < 1e-12, "{mu}");
    // 150 positives were left, and all of them, held out in turn or once, were not more.
    assert!(object["held_out"]["positive"].as_u64().unwrap() <= 150, "{object}");
    let by_number = folder.json(&format!("{FIT} --reserve 100 --out n.safetensors"));
    assert_eq!(by_number["reserved"], 100);
    // The same positives by share and by number: the models differ in what was asked alone.
    let about = |name: &str| {
        let mut about = Model::load(folder.path(name)).unwrap().about().clone();
        about.given = None;
        about
    };
    assert_eq!(about("m.safetensors"), about("n.safetensors"));
    for (wrong, why) in [
        ("250", "250 positives cannot be set aside: there are 250"),
        ("0", "unknown reserve '0'"),
        ("1.5", "unknown reserve '1.5'"),
        ("some", "unknown reserve 'some'"),
    ] {
        let error = folder.refused(&format!("{FIT} --reserve {wrong} --out x.safetensors"));
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn every_kind_of_method_takes_a_reserve() {
    let folder = Folder::new("reserve-methods");
    folder.write("table.csv", table(600, 0));
    for method in ["elkan-noto", "weighted-lr", "naive", "nnpu --epochs 3"] {
        let fit = format!("fit -v table.csv --label y --drop id,t --prior 0.3333 --method {method}");
        let object = folder.json(&format!("{fit} --reserve 40 --out m.safetensors"));
        assert_eq!(
            (object["reserved"].as_u64(), object["positive"].as_u64()),
            (Some(40), Some(100)),
            "{method}"
        );
        let review = folder.json("predict m.safetensors table.csv");
        assert!(review["review"]["population"]["rows"].as_u64().unwrap() > 0, "{method}: {review}");
    }
    let truth =
        "fit -v table.csv --truth t --drop id,y --method supervised --epochs 3 --model linear --reserve 40";
    assert_eq!(folder.json(&format!("{truth} --out m.safetensors"))["reserved"], 40);
}

/// Only a recall that was asked for is refused where positives are too few; a list is not.
#[test]
fn the_first_rows_of_a_list_need_no_promise() {
    let folder = fitted("reserve-few", "--reserve 10");
    let said = folder.json("predict m.safetensors new.csv --top 20");
    assert_eq!(said["top"].as_array().unwrap().len(), 20, "{said}");
    let error = folder.refused("predict m.safetensors new.csv --recall 0.9");
    assert!(error.contains("10 positives that the model has never met are too few"), "{error}");
}

/// A second draw into a file that a person has begun to fill would lose the answers.
#[test]
fn a_draw_does_not_replace_answers() {
    let folder = fitted("audit-again", "");
    let draw = "audit draw m.safetensors new.csv --rows 30 --out a.csv";
    folder.json(draw);
    folder.json(draw);
    let text = std::fs::read_to_string(folder.path("a.csv")).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let at = header.split(',').position(|name| name == "positive").unwrap();
    let mut cells: Vec<String> = rest.lines().next().unwrap().split(',').map(str::to_string).collect();
    cells[at] = "maybe".to_string();
    let filled = format!("{header}\n{}\n{}", cells.join(","), rest.split_once('\n').unwrap().1);
    folder.write("a.csv", &filled);
    let error = folder.refused(draw);
    assert!(error.contains("'a.csv' holds 1 answer,"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path("a.csv")).unwrap(), filled);
}

#[test]
fn predict_ends_with_a_sentence_to_act_on() {
    let folder = fitted("review", "--reserve 100");
    let said = folder.run("predict m.safetensors new.csv --recall 0.9 --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    let object = folder.json("predict m.safetensors new.csv --recall 90% --top 100,10%,900");
    let review = &object["review"];
    // The 5th lowest of 100 reserved positives.
    assert_eq!(
        (review["population"]["rank"].as_u64(), review["population"]["positives"].as_u64()),
        (Some(5), Some(100))
    );
    let rows = review["population"]["rows"].as_u64().unwrap() as usize;
    // The reader has this file, so its own cut is the one to act on.
    let in_file = review["this_file_by_share"]["made"]["rows"].as_u64().unwrap() as usize;
    assert!(in_file >= rows, "{in_file} {rows}");
    let last = said.stdout.lines().last().unwrap();
    let expected = format!(
        "review the first {in_file} rows to find at least 90 % of the positives in this file, with 95 % confidence, if labels are a random sample of the positives; about "
    );
    assert!(last.starts_with(&expected), "{last}");
    assert!(
        said.stdout.contains("over the population that the 100 reserved positives come from"),
        "{said:?}"
    );
    assert!(
        said.stdout.contains(
            "for the positives in this very file, if labels are a random sample of the positives: the first "
        ),
        "{said:?}"
    );
    assert!(said.stdout.contains("whatever their number takes 171 positives like these"), "{said:?}");
    // The list agrees: this many rows score at least the cut, and most of the positives are among them.
    let list = fs::read_to_string(folder.path("list.csv")).unwrap();
    let cut = review["population"]["cut"].as_f64().unwrap();
    let lines: Vec<Vec<&str>> = list.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.iter().filter(|cells| cells[1].parse::<f64>().unwrap() >= cut - 1e-6).count(), rows);
    let positive =
        lines[..rows].iter().filter(|cells| (cells[0].parse::<u32>().unwrap() - 1) % 3 == 0).count();
    assert!(positive as f64 >= 0.9 * 300.0, "{positive} of 300");
    let range = &review["population"]["holds"]["positives"];
    assert!(
        range["low"].as_f64().unwrap() <= positive as f64
            && positive as f64 <= range["high"].as_f64().unwrap()
    );
    // Lift needs no prior: the first 100 rows hold 3 times as many positives as any 100 where all of them are.
    let top = object["at_top"].as_array().unwrap();
    assert_eq!(top.iter().map(|at| at["rows"].as_u64().unwrap()).collect::<Vec<_>>(), [100, 90, 900]);
    assert_eq!(
        (top[2]["lift"]["value"].as_f64(), top[2]["recall"]["value"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    // A share times a lift that is above 1 is no precision: then there is a range and no value.
    let times = 0.3333 * top[0]["lift"]["value"].as_f64().unwrap();
    let precision = &top[0]["precision"];
    match precision["value"].as_f64() {
        Some(value) => assert!((value - times).abs() < 5e-3, "{} {times}", top[0]),
        None => assert!(times > 1.0 && precision["high"].as_f64() == Some(1.0), "{} {times}", top[0]),
    }
    // Without a flag the default is looked at.
    let plain = folder.run("predict m.safetensors new.csv");
    assert!(plain.stdout.lines().last().unwrap().starts_with("review the first "), "{plain:?}");
}

#[test]
fn what_cannot_be_promised_is_refused_with_what_it_takes() {
    let folder = fitted("review-refused", "--reserve 40");
    let predict = "predict m.safetensors new.csv --out x.csv";
    let error = folder.refused(&format!("{predict} --recall 0.95"));
    assert!(
        error.contains("that takes 59; fit with --reserve 59 or more, or ask for --recall 0.927 at most"),
        "{error}"
    );
    for (flags, why) in [
        ("--recall 0", "the recall must lie strictly between 0 and 1, but is 0"),
        ("--recall 90", "but is 90 (did you mean 0.9, which is 90 percent?)"),
        ("--recall 1", "the recall must lie strictly between 0 and 1, but is 1"),
        ("--recall -0.5", "strictly between 0 and 1, but is -0.5"),
        ("--recall 95", "but is 95"),
        ("--recall lots", "--recall must be a share such as 0.95 or 95%, but is 'lots'"),
        ("--confidence 1", "the confidence must lie strictly between 0 and 1"),
        ("--top 0", "--top: '0' is not a number of rows"),
        ("--top -1", "--top: '-1' is not a number of rows"),
        ("--top 200%", "--top: '200%' is not a number of rows"),
    ] {
        let error = folder.refused(&format!("{predict} {flags}"));
        assert!(error.contains(why), "{flags}: {error}");
    }
    // More than all rows are all of them.
    let said = folder.run("predict m.safetensors new.csv --top 901 --out all.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("900 of 900 rows"), "{said:?}");
    // A list is made all the same where nothing was asked.
    let said = folder.run("predict m.safetensors new.csv --out list.csv --confidence 0.95");
    assert_eq!(said.code, 0, "{said:?}");
    let said = folder.run(&format!("{FIT} --out plain.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let error = folder.refused("predict plain.safetensors new.csv --out x.csv --recall 0.9");
    assert!(
        error.contains("no reserved positives") && error.contains("when fitting with --reserve 0.2"),
        "{error}"
    );
}

#[test]
fn evaluate_takes_the_positives_of_a_table_and_knows_its_own() {
    let folder = fitted("review-evaluate", "");
    let other = folder.run("evaluate m.safetensors new.csv --label y --recall 0.9 --top 50");
    assert_eq!(other.code, 0, "{other:?}");
    // Each row was looked up, and none of them was fitted on.
    assert!(!other.stderr.contains("exact if"), "{other:?}");
    assert!(other.stdout.contains("population that the 150 labeled positives come from"), "{other:?}");
    let own = folder.run("evaluate m.safetensors table.csv --label y --recall 0.9");
    assert!(own.stderr.contains("fitted on 250 of the 250 labeled positives here"), "{own:?}");
    let error = folder.refused("evaluate m.safetensors new.csv --truth t --recall 0.9");
    assert!(error.contains("name their column with --label"), "{error}");
    let error = folder.refused("evaluate m.safetensors new.csv --label y --recall 0.99");
    assert!(error.contains("150 positives") && error.contains("that takes 299"), "{error}");
    let more = folder.run("evaluate m.safetensors new.csv --label y --top 751");
    assert!(more.stderr.contains("the first 751 rows were asked for, but there are 750"), "{more:?}");
    assert!(more.stdout.contains("750 of 750 rows  1.0000"), "{more:?}");
}

/// Fills the answers by a rule on the row's number, and returns the file's text.
fn filled(text: &str, answer: impl Fn(u32) -> &'static str) -> String {
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let place = |wanted: &str| header.split(',').position(|name| name == wanted).unwrap();
    let (at, row) = (place("positive"), place("row"));
    let mut out = format!("{header}\n");
    for line in lines {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[at] = answer(cells[row].parse::<u32>().unwrap() - 1);
        out.push_str(&format!("{}\n", cells.join(",")));
    }
    out
}

fn truth(row: u32) -> &'static str {
    if row.is_multiple_of(3) { "Yes" } else { "no" }
}

fn holds(interval: &Value, value: f64) -> bool {
    interval["low"].as_f64().unwrap() <= value && value <= interval["high"].as_f64().unwrap()
}

#[test]
fn an_audit_from_the_draw_to_the_numbers() {
    let folder = fitted("audit", "");
    let drawn = folder.json("audit draw m.safetensors new.csv --rows 200 --id id --top 100 --out a.csv");
    assert_eq!((drawn["rows"].as_u64(), drawn["of"].as_u64()), (Some(200), Some(900)));
    let text = fs::read_to_string(folder.path("a.csv")).unwrap();
    let header = text.lines().next().unwrap();
    assert_eq!(header, "key,row,positive,note,reviewer,id,draw", "nothing that could sway a person");
    folder.write("a.csv", filled(&text, truth));
    let said = folder.run("audit read m.safetensors a.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("share of positives among 900 rows: 0.3"), "{said:?}");
    assert!(said.stdout.contains("(predicted positive)"), "{said:?}");
    let report = folder.json("audit read m.safetensors a.csv");
    assert!(holds(&report["share"], 1.0 / 3.0), "{report}");
    let width =
        |object: &Value| object["share"]["high"].as_f64().unwrap() - object["share"]["low"].as_f64().unwrap();
    let expected = width(&drawn["forecast"]);
    assert!(width(&report) < 1.5 * expected && width(&report) > 0.5 * expected, "{expected} {report}");
    assert_eq!(report["cuts"].as_array().unwrap().iter().filter(|cut| cut["rows"] == 100).count(), 1);
    // A spreadsheet's way: semicolons, columns and rows in another order, an empty line, TRUE for yes.
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let turned = |cells: &[&str], answer: &str| {
        let mut cells: Vec<&str> = cells.iter().rev().copied().collect();
        let at = cells.len() - 3;
        cells[at] = answer;
        cells.join(";")
    };
    let mut rows: Vec<String> = lines[1..]
        .iter()
        .map(|cells| {
            let positive = (cells[1].parse::<u32>().unwrap() - 1).is_multiple_of(3);
            turned(cells, if positive { "TRUE" } else { "FALSE" })
        })
        .collect();
    rows.sort();
    let empty = ";".repeat(lines[0].len() - 1);
    folder.write("b.csv", format!("{}\n{}\n{empty}\n", turned(&lines[0], "positive"), rows.join("\n")));
    assert_eq!(folder.json("audit read m.safetensors b.csv"), report, "the same answers");
}

#[test]
fn draws_add_up_and_unanswered_rows_are_told_of() {
    let folder = fitted("audit-twice", "");
    let draw = |seed: u32, rows: u32, name: &str| {
        let said =
            folder.run(&format!("audit draw m.safetensors new.csv --rows {rows} --seed {seed} --out {name}"));
        assert_eq!(said.code, 0, "{said:?}");
        let text = fs::read_to_string(folder.path(name)).unwrap();
        folder.write(name, filled(&text, truth));
        text
    };
    let first = draw(1, 100, "a.csv");
    draw(2, 300, "b.csv");
    let one = folder.json("audit read m.safetensors a.csv");
    let both = folder.json("audit read m.safetensors a.csv b.csv");
    let same = folder.json("audit read m.safetensors a.csv a.csv");
    assert_eq!((one["draws"].as_u64(), both["draws"].as_u64()), (Some(1), Some(2)));
    assert_eq!(one, same, "a file that is given twice is one draw");
    let drawn = both["drawn"].as_u64().unwrap();
    assert!(drawn > 300 && drawn < 400, "some rows are in both: {drawn}");
    assert!(holds(&both["share"], 1.0 / 3.0), "{both}");
    // Every fourth row without an answer.
    folder.write("c.csv", filled(&first, |row| if row % 4 == 0 { "" } else { truth(row) }));
    let said = folder.run("audit read m.safetensors c.csv");
    assert!(
        said.stderr.contains("have no answer, and the answered rows of their stratum count for them"),
        "{said:?}"
    );
    let some = folder.json("audit read m.safetensors c.csv");
    let [none, all] = [0, 1].map(|at| some["if_unanswered"][at]["value"].as_f64().unwrap());
    let share = some["share"]["value"].as_f64().unwrap();
    assert!(none < share && share < all, "{none} {share} {all}");
    // Lines that were deleted are rows without an answer.
    let kept: Vec<&str> = first.lines().take(81).collect();
    folder.write("c.csv", filled(&kept.join("\n"), truth));
    let less = folder.json("audit read m.safetensors c.csv");
    assert_eq!(
        (less["answered"].as_u64(), less["unanswered"].as_u64(), less["drawn"].as_u64()),
        (Some(80), Some(20), Some(100))
    );
    assert!(less["if_unanswered"][0]["value"].as_f64() < less["share"]["value"].as_f64(), "{less}");
    // No positive at all: the interval still has a width.
    folder.write("d.csv", filled(&first, |_| "no"));
    let none = folder.json("audit read m.safetensors d.csv");
    assert!(none["share"]["value"] == 0.0 && none["share"]["high"].as_f64().unwrap() > 0.015, "{none}");
    // Labeled rows are not drawn.
    let said = folder.json("audit draw m.safetensors new.csv --label y --rows 100 --out u.csv");
    assert_eq!(said["of"], 750);
}

#[test]
fn bad_audits_are_refused() {
    let folder = fitted("audit-refused", "");
    let draw = "audit draw m.safetensors new.csv";
    for (flags, why) in [
        ("--rows 5 --out a.csv", " to 900 of them, but 5 were asked for"),
        ("--rows 901 --out a.csv", "but 901 were asked for"),
        ("--rows 100 --top 0 --out a.csv", "--top: '0' is not a number of rows"),
        ("--rows 100 --top 1000 --out a.csv", "the first 1,000 rows were asked for, but there are 900"),
        ("--rows 100 --out a.txt", "a.txt"),
        ("--rows 100 --out new.csv", "which would be lost"),
        ("--rows 100 --id nobody --out a.csv", "nobody"),
    ] {
        let error = folder.refused(&format!("{draw} {flags}"));
        assert!(error.contains(why), "{flags}: {error}");
    }
    let said = folder.run(&format!("{draw} --rows 100 --out a.csv"));
    assert_eq!(said.code, 0, "{said:?}");
    let text = fs::read_to_string(folder.path("a.csv")).unwrap();
    let good = filled(&text, truth);
    let read = |content: &str| {
        folder.write("b.csv", content);
        folder.refused("audit read m.safetensors b.csv")
    };
    let maybe = read(&good.replacen(",Yes,", ",maybe,", 1));
    assert!(
        maybe.contains("has 'maybe' in column 'positive', line ")
            && maybe.contains("write yes, no or unsure"),
        "{maybe}"
    );
    assert!(read(&text).contains("0 rows of the audit are answered"), "nothing was filled in");
    assert!(read(&good.replacen("positive", "answer", 1)).contains("has no column 'positive'"));
    assert!(read("a,b\n1,2\n").contains("so it is not the file of an audit"));
    let mut lines: Vec<&str> = good.lines().collect();
    let twice = format!(
        "{good}{}\n",
        lines[1].replace(",Yes,", ",?,").replace(",no,", ",Yes,").replace(",?,", ",no,")
    );
    assert!(read(&twice).contains("contradicts another answer for row"));
    let broken = lines[1].replacen(',', "b,", 1);
    lines[1] = &broken;
    assert!(read(&lines.join("\n")).contains("undo that change"));
    // Another model, another table, other cuts, another draw with the same seed.
    folder.write("a.csv", &good);
    let said = folder.run(&format!("{FIT} --seed 9 --out other.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(folder.refused("audit read other.safetensors a.csv").contains("is an audit of another model"));
    let other = |command: &str, why: &str| {
        let said = folder.run(&format!("{command} --rows 120 --out c.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        let error = folder.refused("audit read m.safetensors a.csv c.csv");
        assert!(error.contains(why), "{error}");
    };
    other("audit draw m.safetensors table.csv --seed 1", "is an audit of another table than 'a.csv'");
    other(&format!("{draw} --seed 1 --top 33"), "other");
    other(draw, "is another draw with the same seed, 0");
    assert!(
        folder.refused("audit read m.safetensors a.csv --confidence 1").contains("strictly between 0 and 1")
    );
    assert!(folder.refused("audit read m.safetensors").contains("<FILE>"));
}

#[test]
fn fit_learns_from_an_audit_and_takes_its_share() {
    let folder = fitted("audit-fit", "");
    let drawn = "audit draw m.safetensors table.csv --label y --rows 200 --out a.csv";
    assert_eq!(folder.run(drawn).code, 0);
    let text = fs::read_to_string(folder.path("a.csv")).unwrap();
    folder.write("a.csv", filled(&text, truth));
    let report = folder.json("audit read m.safetensors a.csv");
    let again = "fit -v table.csv --label y --drop id,t --model linear --epochs 10 --learning-rate 0.05";
    let object = folder.json(&format!("{again} --audit a.csv --out n.safetensors"));
    let found = report["found"].as_u64().unwrap();
    assert_eq!(object["positive"].as_u64(), Some(250 + found), "{object}");
    assert_eq!(object["negative"].as_u64(), Some(200 - found), "{object}");
    // Of the 1,250 unlabeled rows a share s is positive; of the 1,050 that were not asked about (s 1250 - k) / 1050.
    let share = report["share"]["value"].as_f64().unwrap();
    let mu = object["prior_in_unlabeled"].as_f64().unwrap();
    assert!((mu - (share * 1250.0 - found as f64) / 1050.0).abs() < 1e-9, "{mu} {report}");
    assert_eq!(object["prior_estimate"]["audited"], 200);
    let warned = object["warnings"].to_string();
    assert!(!warned.contains("guess") && !warned.contains("share of positives"), "{warned}");
    // Yes alone, the rest blank; and an audit of all rows, which says nothing of the unlabeled ones.
    folder.write("yes.csv", filled(&text, |row| if row.is_multiple_of(3) { "yes" } else { "" }));
    let error = folder.refused("audit read m.safetensors yes.csv");
    assert!(
        error.contains("all of them yes") && error.contains("write no where the answer is no"),
        "{error}"
    );
    // Without the file of its rows the model does not know which rows are labeled.
    fs::remove_file(folder.path("m.safetensors.rows")).unwrap();
    assert_eq!(folder.run("audit draw m.safetensors table.csv --rows 200 --out all.csv").code, 0);
    let all = fs::read_to_string(folder.path("all.csv")).unwrap();
    folder.write("all.csv", filled(&all, truth));
    let error = folder.refused(&format!("{again} --audit all.csv --out x.safetensors"));
    assert!(error.contains("was drawn from all rows, labeled ones among them"), "{error}");
    // What contradicts it, and files of other tables or none.
    let refused = |more: &str| folder.refused(&format!("{again} {more} --out x.safetensors"));
    assert!(refused("--audit a.csv --prior 0.3").contains("--prior and --audit contradict one another"));
    assert!(refused("--audit table.csv").contains("it is not the file of an audit"));
    assert!(refused("--audit nowhere.csv").contains("nowhere.csv"));
    let other = folder.refused("fit -v new.csv --label y --drop id,t --audit a.csv --out x.safetensors");
    assert!(other.contains("is an audit of another table"), "{other}");
    let unable = refused("--audit a.csv --method ldce").to_string();
    assert!(unable.contains("ldce"), "{unable}");
    assert!(!folder.path("x.safetensors").exists());
}
