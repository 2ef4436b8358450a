//! Promises for labels that favor some positives, from the command line.

use crate::folder::Folder;
use serde_json::Value;

/// A third is positive and half of those labeled; `a` tells them apart but for some.
fn table(rows: u32, from: u32) -> String {
    let mut text = "a,b,y\n".to_string();
    for i in from..from + rows {
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 9973) / 9973.0;
        let center = if i % 3 == 0 { 1.0 } else { -1.0 };
        let a = center + 2.0 * (noise(1) + noise(2) + noise(3)) - 3.0;
        text.push_str(&format!("{a:.4},{:.4},{}\n", noise(4), u32::from(i % 6 == 0)));
    }
    text
}

fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table(1500, 0));
    // The noise repeats after 9,973 rows.
    folder.write("new.csv", table(900, 5_004));
    let fit = "fit -v table.csv --label y --prior 0.3333 --model linear --epochs 10 --learning-rate 0.05 --reserve 100";
    let said = folder.run(&format!("{fit} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

fn rank(object: &Value) -> u64 {
    object["review"]["population"]["rank"].as_u64().unwrap()
}

#[test]
fn promises_say_how_much_bias_they_bear() {
    let folder = fitted("labeling");
    let plain = folder.run("predict m.safetensors new.csv --recall 0.9");
    // k = 5 of 100: the 5 % point of Beta(96, 5) is 0.9108, and 0.9108 · .1 / (.9 · 0.0892) is 1.135 (scipy 1.17).
    let line =
        "that holds while no positive is more than 1.13 times as likely, in odds, to be labeled as another";
    assert!(plain.stdout.lines().any(|said| said == line), "{plain:?}");
    let same = folder.run("predict m.safetensors new.csv --recall 0.9 --labeling-odds 1");
    assert_eq!(same.stdout, plain.stdout);
    let random = folder.json("predict m.safetensors new.csv --recall 0.8");
    let holds = random["review"]["population"]["holds_up_to_labeling_odds"].as_f64().unwrap();
    // k = 14: 1.00805 by scipy.
    assert!((holds - 1.00805).abs() < 1e-5 && rank(&random) == 14, "{random}");
    assert!(random["review"].get("labeling_odds").is_none(), "{random}");

    // .8 at odds of up to 2 takes 8/9 of the labeled ones: P(Bin(100, 1/9) < 6) = .028, and .063 for 7.
    let twice = folder.json("predict m.safetensors new.csv --recall 0.8 --labeling-odds 2");
    let review = &twice["review"];
    assert_eq!((rank(&twice), review["labeling_odds"].as_f64()), (6, Some(2.0)));
    let rows = |object: &Value| object["review"]["population"]["rows"].as_u64().unwrap();
    assert!(rows(&twice) > rows(&random), "{twice}");
    assert!(review["population"]["holds_up_to_labeling_odds"].as_f64().unwrap() >= 2.0, "{twice}");
    // Of the positives in this file, if it holds about a third of 900: more rows than over the population.
    let file = &review["this_file_by_share"]["made"];
    assert!(file["rows"].as_u64().unwrap() >= rows(&twice), "{twice}");
    assert!(file["holds_up_to_labeling_odds"].as_f64().unwrap() >= 2.0, "{twice}");
    // A third is positive: at most twice what it is at random, and the share that was told stands against none.
    let share = &review["share_at_odds"];
    let (most, at_random) = (share["most"].as_f64().unwrap(), share["most_at_random"].as_f64().unwrap());
    assert!(at_random > 0.3333 && at_random < most && most <= 2.0 * at_random, "{twice}");
    assert!((share["told"]["low"].as_f64().unwrap() - 0.3333).abs() < 1e-3, "{twice}");
    assert!(random["review"].get("share_at_odds").is_none(), "{random}");
    let assumes = "if no positive is more than 2 times as likely, in odds, to be labeled as another";
    assert_eq!(review["assumes"], assumes);
    assert!(review["population"]["holds"].get("precision").is_none(), "{twice}");
    let said = folder.run("predict m.safetensors new.csv --recall 0.8 --labeling-odds 2");
    assert_eq!(said.stdout.matches("random sample").count(), 1, "beside the share at random: {said:?}");
    assert!(said.stdout.contains("was given when fitting: data tell no least share"), "{said:?}");
    let last = said.stdout.lines().last().unwrap();
    assert!(last.contains("of the positives in this file") && last.ends_with(assumes), "{last}");
}

#[test]
fn evaluate_and_the_first_rows_take_odds() {
    let folder = fitted("labeling-evaluate");
    let of = |more: &str| folder.json(&format!("evaluate m.safetensors new.csv --label y {more}"));
    let (random, twice) = (of("--recall 0.8"), of("--recall 0.8 --labeling-odds 2"));
    assert!(rank(&twice) < rank(&random), "{twice}");
    assert_eq!(of("--labeling-odds 2")["review"]["recall"], 0.9, "the recall that is looked at by default");
    let (random, twice) = (of("--top 100"), of("--top 100 --labeling-odds 2"));
    assert!(twice.get("review").is_none(), "{twice}");
    let end = |object: &Value, end: &str| object["at_top"][0]["recall"][end].as_f64().unwrap();
    assert_eq!(end(&random, "value"), end(&twice, "value"));
    let low = end(&random, "low");
    assert!((end(&twice, "low") - low / (2.0 - low)).abs() < 1e-12, "{twice}");
    assert!(twice["at_top"][0].get("precision").is_none() && random["at_top"][0].get("precision").is_some());
    assert_eq!(
        twice["assumes_at_odds"],
        "if no positive is more than 2 times as likely, in odds, to be labeled as another"
    );
    assert_eq!(twice["assumes"], random["assumes"], "metrics rest on random labels");
    let stay = twice["at_top"][0]["stay"].as_u64().unwrap();
    assert!(stay < 100 && random["at_top"][0].get("stay").is_none(), "{twice}");
    // The recall at the threshold is .75 of labeled ones or so: from low / (low + 2 (1 - low)).
    let [plain, wide] =
        ["recall_interval", "recall_at_odds_interval"].map(|name| twice[name][0].as_f64().unwrap());
    assert!(
        (wide - plain / (2.0 - plain)).abs() < 1e-12 && random.get("recall_at_odds").is_none(),
        "{twice}"
    );
    assert!(twice["share_at_odds"]["most"].as_f64().unwrap() > 0.2, "{twice}");
    let said = folder.run("evaluate m.safetensors new.csv --label y --top 100 --labeling-odds 2");
    assert!(said.stdout.contains("stay among them"), "{said:?}");
    assert!(said.stdout.contains("(needs labels at random)"), "{said:?}");
}

#[test]
fn odds_that_are_none_and_too_few_positives_are_refused() {
    let folder = fitted("labeling-refused");
    for command in ["predict m.safetensors new.csv", "evaluate m.safetensors new.csv --label y"] {
        for (odds, why) in [
            ("0.5", "--labeling-odds: the labeling odds must lie between 1 and 1,000,000, but are 0.5"),
            ("-2", "but are -2"),
            ("nan", "but are NaN"),
            ("inf", "but are inf"),
            ("much", "--labeling-odds must be a number from 1, such as 2, but is 'much'"),
        ] {
            let error = folder.refused(&format!("{command} --labeling-odds {odds}"));
            assert!(error.contains(why), "{error}");
        }
    }
    // .9 at odds of 5 is 45/46 of the labeled ones: (45/46)^m ≤ .05 takes 137. 100 bear .05^(1/100) = .9705, .868 of the hidden ones.
    let error = folder.refused("predict m.safetensors new.csv --labeling-odds 5");
    let why = "at labeling odds of 5: that takes 137; fit with --reserve 137 or more, or ask for --recall 0.868 at most";
    assert!(error.contains(why), "{error}");
    assert_eq!(folder.run("predict m.safetensors new.csv --labeling-odds 5 --recall 0.868").code, 0);
}

/// Of the positives of `table`, those with high `b` are labeled.
fn biased() -> String {
    let mut text = String::new();
    for (at, line) in table(1500, 0).lines().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let label = match (at, cells[1].parse::<f64>()) {
            (1.., Ok(b)) => u32::from((at - 1) % 3 == 0 && b > 0.5).to_string(),
            _ => cells[2].to_string(),
        };
        text.push_str(&format!("{},{},{label}\n", cells[0], cells[1]));
    }
    text
}

#[test]
fn a_fit_tests_its_labels_and_says_so_in_one_line() {
    let folder = Folder::new("labeling-test");
    folder.write("random.csv", table(1500, 0));
    folder.write("biased.csv", biased());
    let fit = |name: &str, more: &str| {
        format!(
            "fit -v {name}.csv --label y --model linear --epochs 10 --learning-rate 0.05 --out {name}.safetensors {more}"
        )
    };
    let said = folder.run(&fit("random", "--prior 0.3333"));
    let lines = |text: &str| text.lines().filter(|line| line.contains("labels may be")).count();
    assert_eq!(lines(&said.stderr), 1, "{said:?}");
    assert!(said.stderr.contains("is never seen") && !said.stdout.contains("refutes"), "{said:?}");

    let told = folder.json(&fit("biased", "--prior 0.3333"));
    let test = &told["labeling"];
    assert!(test["p"].as_f64().unwrap() < 0.05, "{test}");
    let columns = test["columns"].as_array().unwrap();
    assert!(columns.iter().any(|told| told["column"] == "b" && told["high"] == true), "{test}");
    assert!(told["assumes"].as_str().unwrap().contains("which a test of the labels refutes"), "{told}");
    let warned = |object: &Value| {
        let warnings = object["warnings"].as_array().unwrap();
        warnings.iter().any(|said| said.as_str().unwrap().contains("' and high scores"))
    };
    folder.write("new.csv", table(900, 5_004));
    assert!(warned(&told) && warned(&folder.json("predict biased.safetensors new.csv")), "{told}");
    let measured = folder.json("evaluate biased.safetensors new.csv --label y");
    assert!(warned(&measured), "{measured}");
    assert!(
        measured["assumes"].as_str().unwrap().contains("which a test of the labels refutes"),
        "{measured}"
    );

    // The page has it among its assumptions.
    let page = |name: &str| {
        let said = folder.run(&format!("report {name}.safetensors {name}.csv --out {name}.html"));
        assert_eq!(said.code, 0, "{said:?}");
        let page = std::fs::read_to_string(folder.path(&format!("{name}.html"))).unwrap();
        let items = page.split("<li>");
        items
            .map(str::to_string)
            .find(|item| item.contains("<b>Labels are a random sample of the positives.</b>"))
            .unwrap()
    };
    let (random, biased) = (page("random"), page("biased"));
    assert!(
        random.contains(">unknown<") && random.contains("test of the labels finds nothing against it"),
        "{random}"
    );
    assert!(biased.contains(">fails<") && biased.contains("abels are not a random sample"), "{biased}");

    // With an estimated share next to nothing is seen, which the line says; with weights nothing is tested.
    let guessed = folder.json(&fit("biased", ""));
    let test = &guessed["labeling"];
    assert!(test.is_null() || test["estimated"] == true, "{guessed}");
}
