//! What numbers rest on is said with them, and what cannot be is not printed: tables with labels at random, and with labels on the
//! easy positives alone.

use crate::folder::Folder;
use serde_json::Value;
use std::fs;

const RANDOM_LABELS: &str = "if labels are a random sample of the positives";

/// Uniform numbers from 0 to 1 (SplitMix64), another stream for each row.
struct Numbers(u64);

impl Numbers {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Which positives are labeled.
#[derive(Clone, Copy, PartialEq)]
enum Labels {
    Random,
    Easy,
    /// Those with a high `b` more often than others.
    Leaning,
    Inverted,
}

/// Rows with numbers a, b and c, a label and the truth. A fifth is positive, and of these three in ten are easy: `a` alone tells them.
fn table(rows: u64, from: u64, labels: Labels) -> String {
    let mut text = "id,a,b,c,y,t\n".to_string();
    for row in from..from + rows {
        let mut numbers = Numbers(row.wrapping_mul(0x1234_5678_9ABC_DEF1));
        let positive = numbers.uniform() < 0.2;
        let easy = positive && numbers.uniform() < 0.3;
        let drawn = numbers.uniform() < 0.4;
        let a = numbers.normal()
            + if easy {
                5.0
            } else if positive {
                1.0
            } else {
                0.0
            };
        let b = numbers.normal() + if positive { 0.7 } else { 0.0 };
        let c = numbers.uniform();
        let label = match labels {
            Labels::Random => positive && drawn,
            Labels::Easy => easy && drawn,
            Labels::Leaning => positive && numbers.uniform() < if b > 0.7 { 0.6 } else { 0.1 },
            Labels::Inverted => !(positive && drawn),
        };
        text.push_str(&format!("r{row},{a:.4},{b:.4},{c:.4},{},{}\n", u8::from(label), u8::from(positive)));
    }
    text
}

const FIT: &str = "fit -v table.csv --label y --drop id,t --effort quick --out m.onesided";

fn folder_of(test: &str, labels: Labels) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table(3_000, 0, labels));
    folder.write("new.csv", table(1_500, 50_000, labels));
    folder
}

#[test]
fn every_number_says_what_it_rests_on() {
    let folder = folder_of("assumes", Labels::Random);
    let fitted = folder.run(&format!("{FIT} --prior 0.2 --reserve 0.4"));
    assert_eq!(fitted.code, 0, "{fitted:?}");
    let scenario = fitted.stderr.lines().find(|line| line.starts_with("scenario: ")).unwrap();
    assert!(scenario.contains(RANDOM_LABELS), "{scenario}");
    let heading = fitted.stdout.lines().find(|line| line.starts_with("out-of-fold scores")).unwrap();
    assert!(heading.contains(RANDOM_LABELS), "{heading}");
    assert!(fitted.stdout.contains("\nprecision "), "nothing is withheld: {fitted:?}");
    let aside = fitted.stderr.lines().find(|line| line.contains("can promise a recall")).unwrap();
    assert!(aside.contains(RANDOM_LABELS), "{aside}");
    let object = folder.json(&format!("{FIT} --prior 0.2 --reserve 0.4"));
    assert_eq!((&object["assumes"], &object["doubt"]), (&Value::from(RANDOM_LABELS), &Value::Null));
    // The list, with the rows to review.
    let said = folder.run("predict m.onesided new.csv --recall 0.8 --top 50");
    let promises = said.stdout.lines().filter(|line| line.contains("at least 80 %"));
    assert!(
        promises.clone().count() >= 2 && promises.clone().all(|line| line.contains(RANDOM_LABELS)),
        "{said:?}"
    );
    let top =
        said.stdout.lines().position(|line| line.starts_with("first ") && line.contains("lift")).unwrap();
    assert!(said.stdout.lines().nth(top - 1).unwrap().contains(RANDOM_LABELS), "{said:?}");
    assert_eq!(folder.json("predict m.onesided new.csv --recall 0.8")["review"]["assumes"], RANDOM_LABELS);
    // A table with labels.
    let said = folder.run("evaluate m.onesided new.csv --label y");
    assert!(said.stdout.lines().next().unwrap().contains(RANDOM_LABELS), "{said:?}");
    assert_eq!(folder.json("evaluate m.onesided new.csv --label y")["assumes"], RANDOM_LABELS);
    // Against the truth nothing is assumed.
    assert!(!folder.run("evaluate m.onesided new.csv --truth t").stdout.contains("random sample"));
    // The share, guessed.
    let said = folder.run("prior table.csv --label y --drop id,t");
    assert!(said.stdout.lines().next().unwrap().contains(RANDOM_LABELS), "{said:?}");
    assert_eq!(folder.json("prior table.csv --label y --drop id,t")["assumes"], RANDOM_LABELS);
    let said = folder.run(FIT);
    let shares = said.stderr.lines().filter(|line| line.contains("by the data alone"));
    assert!(
        shares.clone().count() == 1 && shares.clone().all(|line| line.contains(RANDOM_LABELS)),
        "{said:?}"
    );
    let ranges = said.stdout.lines().filter(|line| line.starts_with("if 0."));
    assert!(ranges.clone().all(|line| line.contains(RANDOM_LABELS)), "{said:?}");
}

#[test]
fn easy_positives_alone_contradict_the_share() {
    let folder = folder_of("easy", Labels::Easy);
    let object = folder.json(&format!("{FIT} --prior 0.2 --reserve 0.3"));
    let doubt = &object["doubt"]["share"];
    let (auc, most) = (doubt["auc"].as_f64().unwrap(), doubt["most"].as_f64().unwrap());
    assert!(auc > most && (most - (1.0 - doubt["share"].as_f64().unwrap() / 2.0)).abs() < 1e-12, "{object}");
    for name in ["precision", "f1", "accuracy", "risk", "auc"] {
        assert_eq!(object["metrics"][name], Value::Null, "{name}: {object}");
    }
    assert!(object["warnings"].to_string().contains("share and labels do not fit together"), "{object}");
    let said = folder.run(&format!("{FIT} --prior 0.2 --reserve 0.3"));
    assert!(!said.stdout.contains("accuracy") && !said.stderr.contains("can promise"), "{said:?}");
    // Nothing is promised of a list, and the list is made all the same.
    let said = folder.run("predict m.onesided new.csv --recall 0.8 --out list.csv");
    assert!(said.code == 0 && !said.stdout.contains("to find at least"), "{said:?}");
    assert!(
        said.stderr.contains("nothing is promised of this list: share and labels do not fit"),
        "{said:?}"
    );
    let told = folder.json("predict m.onesided new.csv --recall 0.8");
    assert_eq!((&told["review"], told["rows"].as_u64()), (&Value::Null, Some(1_500)));
    let told = folder.json("evaluate m.onesided new.csv --label y --recall 0.8");
    assert_eq!((&told["review"], &told["precision"]), (&Value::Null, &Value::Null), "{told}");
    // A share that is small enough contradicts nothing, and neither does a guess.
    assert_eq!(folder.json(&format!("{FIT} --prior 0.05"))["doubt"], Value::Null);
    assert_eq!(folder.json(FIT)["doubt"], Value::Null);
}

/// Draws an audit of the fitted table and answers it with the truth.
fn audited(folder: &Folder) {
    let drawn = folder.run("audit draw m.onesided table.csv --label y --rows 250 --id t --out a.csv");
    assert_eq!(drawn.code, 0, "{drawn:?}");
    let text = fs::read_to_string(folder.path("a.csv")).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (truth, answer) = (at("t"), at("positive"));
    let answered = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[answer] = if cells[truth] == "1" { "yes" } else { "no" };
        cells.join(",")
    };
    let rows: Vec<String> = lines.map(answered).collect();
    folder.write("a.csv", format!("{}\n{}\n", header.join(","), rows.join("\n")));
}

#[test]
fn an_audit_of_random_labels_agrees() {
    let folder = folder_of("agrees", Labels::Random);
    folder.json(&format!("{FIT} --prior 0.2"));
    audited(&folder);
    let report = folder.json("audit read m.onesided a.csv");
    assert_eq!(report["verdict"]["agrees"], true, "{report}");
    let what: Vec<&str> = report["verdict"]["compared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    assert_eq!(what, ["share", "precision", "recall"]);
    let said = folder.run("audit read m.onesided a.csv");
    assert!(
        said.stdout.lines().last().unwrap().starts_with("they agree: the model said a share of"),
        "{said:?}"
    );
}

#[test]
fn an_audit_of_easy_labels_refutes_what_they_said() {
    let folder = folder_of("refutes", Labels::Easy);
    folder.json(FIT);
    audited(&folder);
    let said = folder.run("audit read m.onesided a.csv");
    let verdict = said.stdout.lines().last().unwrap();
    assert!(verdict.starts_with("the model said a ") && verdict.contains(", the audit says a "), "{verdict}");
    assert!(verdict.ends_with("the labels are probably not a random sample of the positives"), "{verdict}");
    assert!(said.stderr.contains("the share is measured, so the labels are not a random sample"), "{said:?}");
    let report = folder.json("audit read m.onesided a.csv");
    assert_eq!(report["verdict"]["agrees"], false, "{report}");
    // Fitted with the answers, the model is measured on them.
    let fit =
        "fit -v table.csv --label y --drop id,t --effort quick --reserve 0.2 --audit a.csv --out n.onesided";
    let object = folder.json(fit);
    let metrics = &object["metrics"];
    let truth = folder.json("evaluate n.onesided new.csv --truth t");
    for name in ["auc", "accuracy", "recall"] {
        let [low, high] =
            [0, 1].map(|end| metrics[format!("{name}_interval").as_str()][end].as_f64().unwrap());
        let true_value = truth[name].as_f64().unwrap();
        assert!(low <= true_value && true_value <= high, "{name}: {true_value} {object}");
    }
    assert!(metrics["auc"].as_f64().unwrap() < 0.95, "{object}");
    assert!(object["measured"].as_str().unwrap().starts_with("measured on ") && object["assumes"].is_null());
    assert_eq!(object["doubt"]["audit"]["agrees"], false, "{object}");
    assert!(object["warnings"].to_string().contains("the labels said a recall of "), "{object}");
    let said = folder.run("predict n.onesided new.csv");
    assert!(
        !said.stdout.contains("to find at least") && said.stderr.contains("nothing is promised"),
        "{said:?}"
    );
    // A list says the same of its probabilities.
    let warnings = folder.json("predict n.onesided new.csv")["warnings"].to_string();
    assert!(
        warnings.contains("the labels said a recall of ")
            && warnings.contains("do not count on the probabilities of this list"),
        "{warnings}"
    );
    let said = folder.run(fit);
    assert!(
        said.stdout.contains("), measured on ") && !said.stdout.contains("AUC of labeled rows"),
        "{said:?}"
    );
}

/// Where labeled rows are weighted for what the answers show, the verdict does not say that the answers agree.
#[test]
fn answers_that_labels_are_weighted_for_are_not_said_to_agree() {
    let folder = folder_of("weighted", Labels::Leaning);
    folder.json(FIT);
    audited(&folder);
    let fit = format!("{} --audit a.csv", FIT.replace("m.onesided", "n.onesided"));
    let object = folder.json(&fit);
    assert!(
        object["labels_by_answers"]["p"].as_f64().unwrap() < 0.01 && object["doubt"].is_null(),
        "{object}"
    );
    let said = folder.run(&fit);
    let assumed = said.stdout.lines().find(|line| line.starts_with("assumed ")).unwrap();
    assert!(
        assumed.contains("not a random sample of the positives, as the answers of an audit show"),
        "{assumed}"
    );
    let page = folder.json("report n.onesided table.csv --label y --out page.html");
    let labels = &page["assumptions"][0];
    assert_eq!(
        (&labels["what"], &labels["state"]),
        (&"random-labels".into(), &"weighted".into()),
        "{labels}"
    );
}

#[test]
fn changed_columns_are_promised_nothing() {
    let folder = folder_of("changed", Labels::Random);
    folder.json(&format!("{FIT} --prior 0.2 --reserve 0.4"));
    let cents = |text: String| -> String {
        let line = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
            [id, a, b, c, y, t] => match a.parse::<f64>() {
                Ok(number) => format!("{id},{},{b},{c},{y},{t}\n", 100.0 * number),
                Err(_) => format!("{line}\n"),
            },
            _ => panic!("{line}"),
        };
        text.lines().map(line).collect()
    };
    folder.write("cents.csv", cents(table(1_500, 50_000, Labels::Random)));
    let right = folder.json("predict m.onesided new.csv --recall 0.8");
    assert!(right["review"]["population"]["rows"].as_u64().unwrap() > 0, "{right}");
    let wrong = folder.json("predict m.onesided cents.csv --recall 0.8 --top 20");
    assert_eq!((&wrong["review"], &wrong["at_top"]), (&Value::Null, &Value::Null), "{wrong}");
    assert_eq!(wrong["top"].as_array().unwrap().len(), 20);
    let why = "nothing is promised of this list, neither a recall nor how many of the first rows are positive: column 'a' holds";
    assert!(wrong["warnings"].to_string().contains(why), "{wrong}");
    let said = folder.run("predict m.onesided cents.csv --recall 0.8");
    assert!(
        said.code == 0 && said.stderr.contains(why) && !said.stdout.contains("to find at least"),
        "{said:?}"
    );
    let told = folder.json("evaluate m.onesided cents.csv --label y --recall 0.8");
    assert_eq!((&told["review"], &told["precision"]), (&Value::Null, &Value::Null), "{told}");
    assert!(told["warnings"].to_string().contains(why) && told["recall"].is_number(), "{told}");
}

#[test]
fn lines_of_totals_are_named_and_left_out() {
    let folder = folder_of("totals", Labels::Random);
    folder.json(&format!("{FIT} --prior 0.2 --reserve 100"));
    let list = |file: &str| {
        let said = folder.run(&format!("predict m.onesided {file} --out list.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        (fs::read_to_string(folder.path("list.csv")).unwrap(), said)
    };
    let (expected, _) = list("new.csv");
    let truth = folder.json("evaluate m.onesided new.csv --truth t");
    // A line below the last one, and one between two others.
    let new = table(1_500, 50_000, Labels::Random);
    folder.write("sums.csv", format!("{new}Summe,,,,,\n"));
    let (found, said) = list("sums.csv");
    assert_eq!(found, expected, "as without the line");
    let note = "note: row 1,501 is empty in every column that is learned from: it is left out, as totals are";
    assert!(said.stderr.contains(note), "{said:?}");
    assert!(said.stdout.contains("wrote 1,500 rows"), "{said:?}");
    assert_eq!(folder.json("evaluate m.onesided sums.csv --truth t")["auc"], truth["auc"]);
    assert_eq!(folder.json("evaluate m.onesided sums.csv --label y")["rows"], 1_500);
    let (header, rest) = new.split_once('\n').unwrap();
    folder.write("first.csv", format!("{header}\nZwischensumme,,,,,\n{rest}Summe,,,,,\n"));
    let (found, said) = list("first.csv");
    assert!(
        said.stderr
            .contains("2 rows are empty in every column that is learned from, the first of them row 1: "),
        "{said:?}"
    );
    let rows = |text: &str| -> Vec<u64> {
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(
        rows(&found),
        rows(&expected).iter().map(|row| row + 1).collect::<Vec<_>>(),
        "numbers of the table"
    );
    // Nothing is learned from such a line.
    folder.write("table.csv", format!("{}Summe,,,,,\n", table(3_000, 0, Labels::Random)));
    let said = folder.run(&format!("{FIT} --prior 0.2 --reserve 100"));
    assert!(said.stderr.contains("row 3,001 is empty"), "{said:?}");
    assert_eq!(
        folder.json("predict m.onesided table.csv")["fitted_rows"]["known"],
        3_000,
        "the rows are those that were fitted"
    );
    // An audit draws no such line.
    let drawn = folder.json("audit draw m.onesided sums.csv --rows 50 --out a.csv");
    assert_eq!(drawn["of"], 1_500);
}

#[test]
fn inverted_labels_are_asked_about() {
    let folder = folder_of("inverted", Labels::Inverted);
    let question = "are the labels inverted? --positive names the value that means positive";
    let object = folder.json(&format!("{FIT} --prior 0.95"));
    let warned = object["warnings"].to_string();
    assert!(
        warned.contains("rows are labeled positive, more than are unlabeled: ") && warned.contains(question),
        "{warned}"
    );
    let told = folder.run("evaluate m.onesided new.csv --truth t");
    assert!(told.stderr.contains("the positive rows score below the others (AUC 0."), "{told:?}");
    assert!(told.stderr.contains(question), "{told:?}");
    // With the value that means positive, nothing is asked.
    let right = folder.json(&format!("{FIT} --prior 0.2 --positive 0"));
    assert!(!right["warnings"].to_string().contains("inverted"), "{right}");
}

#[test]
fn a_guess_is_looked_at_again_with_the_scores_of_the_model() {
    let folder = folder_of("again", Labels::Random);
    let said = folder.run(FIT);
    let note = said
        .stderr
        .lines()
        .find(|line| line.contains("was looked at again with the model's own scores"))
        .unwrap();
    let object = folder.json(FIT);
    let share = object["prior_in_unlabeled"].as_f64().unwrap();
    assert!(note.ends_with(&format!("became {share:.3} of the unlabeled rows")), "{note} {share}");
    let estimate = &object["prior_estimate"];
    let [low, high] = [0, 1].map(|end| estimate["interval"][end].as_f64().unwrap());
    assert!(low <= share && share <= high && high <= estimate["bound"].as_f64().unwrap(), "{estimate}");
}
