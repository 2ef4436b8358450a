//! Numbers about the table that a model was fitted on: none of them rests on scores in sample, and rows that are known to be
//! unlabeled have the probability of unlabeled rows.

use crate::folder::Folder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// A number from 0 to 1 that looks random.
fn noise(row: u64, column: u64) -> f64 {
    let mut x = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ column.wrapping_mul(0xD1B5_4A32_D192_ED03);
    for _ in 0..3 {
        x ^= x >> 31;
        x = x.wrapping_mul(0x7FB5_D329_728E_A185);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// Rows whose columns say nothing of their label, every third of them labeled: there is nothing to learn but by heart.
fn by_heart(rows: std::ops::Range<u64>) -> String {
    let mut text = "a,b,c,d,y\n".to_string();
    for row in rows {
        let cells: Vec<String> = (0..4).map(|column| format!("{:.5}", noise(row, column))).collect();
        text.push_str(&format!("{},{}\n", cells.join(","), u8::from(row % 3 == 0)));
    }
    text
}

/// Rows of which a third is positive; four in ten of those are labeled. `a` and `b` tell positives from negatives, mostly.
fn sample(rows: std::ops::Range<u64>) -> String {
    let mut text = "a,b,y,t\n".to_string();
    for row in rows {
        let positive = noise(row, 10) < 1.0 / 3.0;
        let center = if positive { 0.25 } else { 0.0 };
        let [a, b] = [0, 1].map(|column| center + noise(row, column) + noise(row, column + 20));
        let labeled = positive && noise(row, 11) < 0.4;
        text.push_str(&format!("{a:.5},{b:.5},{},{}\n", u8::from(labeled), u8::from(positive)));
    }
    text
}

/// The columns of a CSV file by name.
fn columns(folder: &Folder, name: &str) -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(folder.path(name)).unwrap();
    let mut lines = text.lines().map(|line| line.split(','));
    let names: Vec<String> = lines.next().unwrap().map(str::to_string).collect();
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        names.iter().zip(line).for_each(|(name, cell)| {
            columns.entry(name.clone()).or_default().push(cell.to_string());
        });
    }
    columns
}

fn numbers(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|cell| cell.parse().unwrap()).collect()
}

fn fitted_by_heart(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", by_heart(0..600));
    let fit = "fit -v table.csv --label y --prior 0.6 --method bagging --model trees --out m.onesided";
    let said = folder.run(fit);
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn the_first_rows_of_the_fitted_table_are_judged_out_of_fold() {
    let folder = fitted_by_heart("fitted-top");
    let recall = |told: &Value| told["at_top"][0]["recall"]["value"].as_f64().unwrap();
    let told = folder.json("evaluate m.onesided table.csv --label y --top 40");
    // The same by hand, from the list with all rows: the share of labeled rows that score as high as the 40 best of the others.
    assert_eq!(folder.run("predict m.onesided table.csv --all --out all.csv").code, 0);
    let listed = columns(&folder, "all.csv");
    let scores = numbers(&listed["score"]);
    let of = |kind: &str| -> Vec<f64> {
        scores.iter().zip(&listed["kind"]).filter(|(_, of)| *of == kind).map(|(score, _)| *score).collect()
    };
    let (positive, unlabeled) = (of("positive"), of("unlabeled"));
    assert_eq!((positive.len(), unlabeled.len()), (200, 400));
    let above = positive.iter().filter(|&&score| score >= unlabeled[39]).count() as f64;
    assert!((recall(&told) - above / 200.0).abs() < 0.011, "{} {above}", recall(&told));
    // A tenth of the rows holds a tenth of what cannot be told, within four standard errors.
    assert!((recall(&told) - 0.1).abs() < 0.085, "{}", recall(&told));
    // In sample it would be far more, so that is left out with a warning, and so is a promise. The rest is there.
    let left_out = |asked: &str, what: &str| {
        let said = folder.run(&format!("evaluate m.onesided table.csv --label y {asked}"));
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.stdout.contains("estimated without negatives"), "{said:?}");
        assert!(!said.stdout.contains("by their score"), "{said:?}");
        let told = folder.json(&format!("evaluate m.onesided table.csv --label y {asked}"));
        assert!(told[what].is_null() && told.as_object().unwrap().contains_key(what), "{told}");
        assert!(told["recall"].is_number(), "{told}");
        let warning = said.stderr.lines().find(|line| line.contains("--reserve")).unwrap().to_string();
        assert!(told["warnings"].to_string().contains("--reserve"), "{told}");
        warning
    };
    assert!(left_out("--top 40 --in-sample", "at_top").contains("would flatter it"));
    let warning = left_out("--recall 0.9", "review");
    assert!(warning.contains("a recall of 0.9 cannot be promised"), "{warning}");
    assert!(warning.contains("fitted on 200 of the 200 labeled positives here"), "{warning}");
    // The first rows have their answer, though a promise has none.
    let both = folder.json("evaluate m.onesided table.csv --label y --top 40 --recall 0.9");
    assert_eq!((&both["at_top"], &both["review"]), (&told["at_top"], &Value::Null));
    // Without the scores out of fold there is nothing to say of the first rows.
    fs::remove_file(folder.path("m.onesided.rows")).unwrap();
    assert!(
        left_out("--top 40", "at_top")
            .contains("'m.onesided.rows', which was written next to the model, is not there")
    );
}

#[test]
fn the_first_rows_have_two_answers_and_each_says_what_it_is() {
    let folder = fitted_by_heart("fitted-two-answers");
    let at = folder.json("evaluate m.onesided table.csv --label y --top 40")["at_top"][0].clone();
    // The mean of what predict lists for the same rows.
    assert_eq!(folder.run("predict m.onesided table.csv --top 40 --out list.csv").code, 0);
    let probabilities = numbers(&columns(&folder, "list.csv")["probability"]);
    let mean = probabilities.iter().sum::<f64>() / 40.0;
    assert!((at["probability"].as_f64().unwrap() - mean).abs() < 1e-6, "{at} {mean}");
    // The precision is of these very rows, so its interval is the count's.
    let (precision, count) = (&at["precision"], &at["positives"]);
    for end in ["value", "low", "high"] {
        let (share, count) = (precision[end].as_f64().unwrap(), count[end].as_f64().unwrap());
        assert!((40.0 * share - count).abs() < 1e-6, "{at}");
    }
    let said = folder.run("evaluate m.onesided table.csv --label y --top 40");
    assert!(said.stdout.contains("mean probability") && said.stdout.contains("two answers"), "{said:?}");
}

#[test]
fn a_promise_rests_on_rows_that_the_model_has_not_met_and_says_so() {
    let folder = fitted_by_heart("fitted-part");
    let text = by_heart(0..600);
    folder.write("part.csv", text.lines().take(301).map(|line| format!("{line}\n")).collect::<String>());
    let evaluate = |table: &str| format!("evaluate m.onesided {table} --label y --recall 0.9 --top 40");
    let said = folder.run(&evaluate("part.csv"));
    assert!(said.stderr.contains("fitted on 100 of the 100 labeled positives here"), "{said:?}");
    // Of the fitted rows with others, those others make the promise, as if they were alone.
    let new = by_heart(1000..1300);
    folder.write("new.csv", &new);
    folder.write("both.csv", format!("{text}{}", new.split_once('\n').unwrap().1));
    let (alone, both) = (folder.json(&evaluate("new.csv")), folder.json(&evaluate("both.csv")));
    assert_eq!(alone["review"], both["review"]);
    assert_eq!(both["review_of_rows_not_fitted"], 200);
    assert_eq!(both["at_top"][0]["of"], 600);
    let said = folder.run(&evaluate("both.csv"));
    assert!(said.stderr.contains("rests on 100 positives that the model was not fitted on"), "{said:?}");
    assert!(said.stdout.contains("\nof the 200 rows that the model was not fitted on:\n"), "{said:?}");
    // What is known is not called unknown.
    let said = folder.run(&evaluate("new.csv"));
    assert!(!said.stderr.contains("exact if"), "{said:?}");
    fs::remove_file(folder.path("m.onesided.rows")).unwrap();
    assert!(folder.run(&evaluate("new.csv")).stderr.contains("exact if"));
}

#[test]
fn unlabeled_rows_have_the_probability_of_unlabeled_rows() {
    let folder = Folder::new("fitted-unlabeled");
    folder.write("table.csv", sample(0..1500));
    let table = columns(&folder, "table.csv");
    let (y, t) = (numbers(&table["y"]), numbers(&table["t"]));
    let (labeled, positive) = (y.iter().sum::<f64>(), t.iter().sum::<f64>());
    let prior = positive / 1500.0;
    let fit = format!("fit -v table.csv --label y --drop t --prior {prior} --effort quick --out m.onesided");
    assert_eq!(folder.run(&fit).code, 0);
    let said = folder.run("predict m.onesided table.csv --yes-no --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    let list = columns(&folder, "list.csv");
    let (scores, probabilities) = (numbers(&list["score"]), numbers(&list["probability"]));
    assert!(scores.is_sorted_by(|a, b| a >= b) && probabilities.is_sorted_by(|a, b| a >= b));
    // p (1 - c) / (1 - c p), with c the labeled share of the positives.
    let c = labeled / positive;
    let expected = |score: f64| {
        let p = 1.0 / (1.0 + (-score).exp());
        p * (1.0 - c) / (1.0 - c * p)
    };
    for (score, probability) in scores.iter().zip(&probabilities) {
        assert!((expected(*score) - probability).abs() < 1e-5, "{score} {probability}");
    }
    // They add up to the hidden positives; those of the population add up to half as many more.
    let (sum, hidden) = (probabilities.iter().sum::<f64>(), positive - labeled);
    assert!((sum / hidden - 1.0).abs() < 0.06, "{sum} {hidden}");
    let of_population: f64 = scores.iter().map(|score| 1.0 / (1.0 + (-score).exp())).sum();
    assert!(of_population > 1.25 * hidden, "{of_population} {hidden}");
    // The decision is that of the score, and the cut is named on the scale that is shown.
    let called = list["positive"].iter().filter(|cell| *cell == "yes").count();
    assert_eq!(called, scores.iter().filter(|&&score| score >= 0.0).count());
    assert!(said.stdout.contains(&format!("{called} of them predicted positive")), "{said:?}");
    assert!(said.stdout.contains(&format!("(probability at least {:.3}", expected(0.0))), "{said:?}");
    // New rows next to them keep theirs, and labeled ones as well.
    let extra = sample(5000..5010);
    folder.write("more.csv", format!("{}{}", sample(0..1500), extra.split_once('\n').unwrap().1));
    let said = folder.run("predict m.onesided more.csv --all --out more.list.csv");
    assert!(said.stdout.contains("(score at least 0)"), "{said:?}");
    let more = columns(&folder, "more.list.csv");
    let kinds: BTreeMap<&str, usize> = more["kind"].iter().fold(BTreeMap::new(), |mut kinds, kind| {
        *kinds.entry(kind.as_str()).or_default() += 1;
        kinds
    });
    assert_eq!((kinds["new"], kinds["positive"]), (10, labeled as usize));
    for ((score, probability), kind) in
        numbers(&more["score"]).iter().zip(numbers(&more["probability"])).zip(&more["kind"])
    {
        let own = 1.0 / (1.0 + (-score).exp());
        let right = if kind == "unlabeled" { expected(*score) } else { own };
        assert!((right - probability).abs() < 1e-5, "{kind} {score} {probability}");
    }
}

#[test]
fn where_unlabeled_rows_are_the_population_nothing_changes() {
    let folder = Folder::new("fitted-case-control");
    let text = sample(0..900);
    let of = |label: &str| -> String {
        let lines = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        lines.filter(|cells| cells[2] == label).map(|cells| format!("{},{}\n", cells[0], cells[1])).collect()
    };
    folder.write("p.csv", format!("a,b\n{}", of("1")));
    folder.write("u.csv", format!("a,b\n{}", of("0")));
    folder.write("all.csv", format!("a,b\n{}{}", of("1"), of("0")));
    let fit = "fit -v --positives p.csv --unlabeled u.csv --prior 0.25 --effort quick --out m.onesided";
    assert_eq!(folder.run(fit).code, 0);
    assert_eq!(folder.run("predict m.onesided all.csv --out list.csv").code, 0);
    let list = columns(&folder, "list.csv");
    assert_eq!(list["row"].len(), of("0").lines().count(), "labeled rows are left out");
    for (score, probability) in numbers(&list["score"]).iter().zip(numbers(&list["probability"])) {
        assert!((1.0 / (1.0 + (-score).exp()) - probability).abs() < 1e-5);
    }
}

#[test]
fn what_rests_on_a_guess_says_so() {
    let folder = Folder::new("fitted-guess");
    folder.write("table.csv", sample(0..1500));
    let fit = "fit -v table.csv --label y --drop t --effort quick --out m.onesided";
    let said = folder.run(fit);
    assert_eq!(said.code, 0, "{said:?}");
    let estimate = &folder.json(fit)["prior_estimate"];
    let low = estimate["interval"][0].as_f64().unwrap();
    // Precision is proportional to a share that may be 0: no range, but what tells it.
    assert!(low < 0.0005, "the interval of this share starts at 0: {estimate}");
    assert!(!said.stdout.contains("precision  "), "{said:?}");
    assert!(
        said.stdout.contains("precision cannot be told without the share of positives")
            && said.stdout.contains("onesided audit draw m.onesided table.csv --label y --out to_label.csv"),
        "{said:?}"
    );
    // Nor has `evaluate` a value where fit has none.
    let said = folder.run("evaluate m.onesided table.csv --label y --top 50");
    let of = |name: &str| said.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let told: Vec<&str> = of("precision").split_whitespace().take(3).collect();
    assert_eq!(told, ["precision", "-", "[0.000,"], "{said:?}");
    assert!(of("50 of ").contains(" -  [0.0000, "), "{said:?}");
    let said = folder.run("predict m.onesided table.csv");
    assert!(said.stdout.lines().next().unwrap().ends_with("probability         range"), "{said:?}");
    assert!(said.stderr.contains("the probabilities rest on a guess"), "{said:?}");
    // If the share may be 0, so may the probability of an unlabeled row.
    let told = folder.json("predict m.onesided table.csv");
    for row in told["top"].as_array().unwrap() {
        let low = row["probability_interval"][0].as_f64().unwrap();
        let probability = row["probability"].as_f64().unwrap();
        assert!(low < 0.01 && probability > 0.3, "{row}");
    }
    // A model that has no share at all tells how likely a label is.
    let naive = "fit -v table.csv --label y --drop t --method naive --model trees --out n.onesided";
    assert_eq!(folder.run(naive).code, 0);
    let told = folder.json("predict n.onesided table.csv");
    assert_eq!(told["probability_of"], "being labeled");
    assert!(
        told["warnings"].to_string().contains("that of being labeled and not of being positive"),
        "{told}"
    );
    let drawn = folder.json("audit draw n.onesided table.csv --rows 100 --out n.csv");
    assert_eq!(drawn["forecast_by"], "widest");
}

#[test]
fn impossible_precisions_are_left_out_in_json_as_in_text() {
    let folder = Folder::new("fitted-impossible");
    folder.write("table.csv", sample(0..1500));
    folder.write("new.csv", sample(5000..5600));
    let fit = "fit -v table.csv --label y --drop t --prior 0.97 --model linear --reserve 60 --out m.onesided";
    assert_eq!(folder.run(fit).code, 0);
    // With few rows to go by the share is not refuted, but it does not fit the first rows.
    let told = folder.json("evaluate m.onesided new.csv --label y --top 20");
    assert_eq!((&told["at_top"], &told["review"]), (&Value::Null, &Value::Null), "{told}");
    assert!(told["warnings"].to_string().contains("share and labels do not fit together"), "{told}");
}

#[test]
fn an_audit_is_of_the_list_that_predict_gives() {
    let folder = Folder::new("fitted-audit");
    folder.write("table.csv", sample(0..1500));
    let fit = "fit -v table.csv --label y --drop t --prior 0.3333 --effort quick";
    assert_eq!(folder.run(&format!("{fit} --out m.onesided")).code, 0);
    assert_eq!(folder.run("predict m.onesided table.csv --out list.csv").code, 0);
    let list = columns(&folder, "list.csv");
    let by_row: BTreeMap<&String, &String> = list["row"].iter().zip(&list["score"]).collect();
    // Every row of the list is drawn: the same rows with the same scores, without those that are labeled.
    let draw = format!("audit draw m.onesided table.csv --scores --rows {}", by_row.len());
    let said = folder.run(&format!("{draw} --out all.csv"));
    assert!(
        said.code == 0
            && said.stderr.contains("(out of fold)")
            && said.stderr.contains("labeled ones are left out"),
        "{said:?}"
    );
    let all = columns(&folder, "all.csv");
    let drawn: BTreeMap<&String, &String> = all["row"].iter().zip(&all["score"]).collect();
    assert_eq!(by_row, drawn);
    // Its label column says nothing new.
    assert_eq!(folder.run(&format!("{draw} --label y --out told.csv")).code, 0);
    assert_eq!(fs::read(folder.path("told.csv")).unwrap(), fs::read(folder.path("all.csv")).unwrap());
    // What is expected is the share that the model was fitted with, of the rows that are drawn from.
    let told = folder.json("audit draw m.onesided table.csv --rows 200 --top 30 --out a.csv");
    let mu = folder.json("evaluate m.onesided table.csv --label y")["prior_in_unlabeled"].as_f64().unwrap();
    let expected = told["forecast"]["share"]["value"].as_f64().unwrap();
    assert!((expected - mu).abs() < 0.01, "{expected} {mu}");
    // 30 rows at the top are fewer than a quarter of the draws: all of them are asked about.
    let above: u64 = told["strata"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|range| range["last"].as_u64() <= Some(30))
        .map(|range| range["drawn"].as_u64().unwrap())
        .sum();
    assert_eq!((above, told["asked"][0].as_u64()), (30, Some(30)));
    let said = folder.run("audit draw m.onesided table.csv --rows 200 --top 60 --seed 1 --out b.csv");
    assert!(said.stdout.contains("the precision of the first 60 rows to ± "), "{said:?}");
    assert!(said.stdout.contains("from 50 of them"), "{said:?}");
    // The answers teach, though nobody said which rows are labeled.
    let filled: String = fs::read_to_string(folder.path("a.csv")).unwrap();
    let truth = columns(&folder, "table.csv")["t"].clone();
    let mut lines = filled.lines();
    let mut answered = format!("{}\n", lines.next().unwrap());
    for line in lines {
        let (key, rest) = line.split_once(',').unwrap();
        let (row, rest) = rest.split_once(',').unwrap();
        let answer = if truth[row.parse::<usize>().unwrap() - 1] == "1" { "yes" } else { "no" };
        answered.push_str(&format!("{key},{row},{answer}{rest}\n"));
    }
    folder.write("a.csv", answered);
    let said =
        folder.run("fit -v table.csv --label y --drop t --effort quick --audit a.csv --out n.onesided");
    assert_eq!(said.code, 0, "{said:?}");
    // Without the file of rows that cannot be known, and is told when rows are drawn.
    fs::remove_file(folder.path("m.onesided.rows")).unwrap();
    let said = folder.json("audit draw m.onesided table.csv --rows 200 --out c.csv");
    let warnings = said["warnings"].to_string();
    assert!(warnings.contains("in sample") && warnings.contains("--label"), "{warnings}");
    assert_eq!(said["of"], 1500);
}

/// Reserved positives were scored by the finished model and fitted rows were not, so nothing is promised of this very file.
#[test]
fn promises_on_the_fitted_table_are_about_new_rows() {
    let folder = Folder::new("fitted-reserve");
    folder.write("table.csv", sample(0..1500));
    let fit =
        "fit -v table.csv --label y --drop t --prior 0.3333 --effort quick --reserve 60 --out m.onesided";
    let fitted = folder.json(fit);
    let said = folder.run("predict m.onesided table.csv --top 50 --out list.csv");
    let last = said.stdout.lines().last().unwrap();
    assert!(
        last.starts_with("nothing is promised of this list")
            && last.contains("hold at least 90 % of the positives, with 95 % confidence"),
        "{said:?}"
    );
    assert!(
        !said.stdout.contains("in this very file") && !said.stdout.contains("review the first"),
        "{said:?}"
    );
    // The list has no labeled rows, so its share of positives is theirs and not the population's.
    let told = folder.json("predict m.onesided table.csv --top 50");
    assert_eq!(told["review"]["share"]["value"], fitted["prior_in_unlabeled"]);
    let at = &told["at_top"][0];
    let [share, lift] =
        [&told["review"]["share"], &at["lift"]].map(|interval| interval["value"].as_f64().unwrap());
    let precision = at["precision"]["value"].as_f64().unwrap();
    assert!((precision - (share * lift).min(1.0)).abs() < 1e-9, "{at}");
}
