//! `onesided prior`, and a `fit` without a given prior.

use crate::folder::{Folder, table};

/// The table of 300 rows: 50 of its 100 positives are labeled, so 50 of 250 unlabeled rows are positive: μ = 0.2, π = 1/3.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    folder
}

const COLUMNS: &str = "--label y --drop id --drop t";

#[test]
fn a_table_of_estimates_a_consensus_and_a_picture() {
    let folder = folder("prior-table");
    let said = folder.run(&format!("prior table.csv {COLUMNS} --plot prior.svg"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("50 positives, 250 unlabeled rows, 2 features"), "{said:?}");
    for name in [
        "plateau",
        "bbe",
        "dedpul",
        "elkan-noto-top",
        "the data alone",
        "on tables like this",
        "if some part is pure",
    ] {
        assert!(said.stdout.contains(name), "{name}: {said:?}");
    }
    assert!(!said.stdout.contains("km2"), "kernel means are asked for by name: {said:?}");
    let svg = std::fs::read_to_string(folder.path("prior.svg")).unwrap();
    assert!(
        svg.starts_with("<svg")
            && svg.contains(">consensus</text>")
            && svg.contains(">tables like this</text>")
    );
    assert_eq!(folder.files(), ["prior.svg", "table.csv"]);
}

#[test]
fn a_picture_as_png() {
    let folder = folder("prior-png");
    let said = folder.run(&format!("prior table.csv {COLUMNS} --estimator bbe --plot prior.PNG"));
    assert_eq!(said.code, 0, "{said:?}");
    let png = std::fs::read(folder.path("prior.PNG")).unwrap();
    // The signature, then the header chunk with the size in pixels.
    assert_eq!((&png[..8], &png[12..16]), (&b"\x89PNG\r\n\x1a\n"[..], &b"IHDR"[..]));
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!((300..4000).contains(&side(16)) && (100..4000).contains(&side(20)), "{} {}", side(16), side(20));
    assert_eq!(folder.files(), ["prior.PNG", "table.csv"]);
}

#[test]
fn numbers_as_json() {
    let folder = folder("prior-json");
    let prior = folder.json(&format!("prior table.csv {COLUMNS}"));
    let (mu, pi) = (prior["prior_in_unlabeled"].as_f64().unwrap(), prior["prior"].as_f64().unwrap());
    assert!((mu - 0.2).abs() < 0.05, "{prior}");
    // π = (50 + μ 250) / 300.
    assert!((pi - (50.0 + 250.0 * mu) / 300.0).abs() < 1e-12, "{prior}");
    let interval = &prior["prior_in_unlabeled_interval"];
    assert!(interval[0].as_f64().unwrap() < 0.2 && interval[1].as_f64().unwrap() > 0.2, "{prior}");
    let weights: f64 =
        prior["estimates"].as_array().unwrap().iter().map(|one| one["weight"].as_f64().unwrap()).sum();
    assert!((weights - 1.0).abs() < 1e-9 && prior["agreement"] == true, "{prior}");
    assert_eq!(folder.json(&format!("prior table.csv {COLUMNS} --threads 1"))["prior"], prior["prior"]);
}

#[test]
fn named_estimators_and_another_scorer() {
    let folder = folder("prior-named");
    let prior = folder.json(&format!("prior table.csv {COLUMNS} --estimator BBE,pen-l1 --scorer linear"));
    let names: Vec<&str> =
        prior["estimates"].as_array().unwrap().iter().map(|one| one["estimator"].as_str().unwrap()).collect();
    assert_eq!((names, prior["scorer"].as_str()), (vec!["bbe", "pen-l1"], Some("linear")));
}

#[test]
fn two_files_share_one_prior() {
    let folder = folder("prior-two");
    let text = table();
    let rows = |wanted: &str| -> String {
        let kept = text.lines().skip(1).filter(|line| line.split(',').nth(3) == Some(wanted));
        let cells = kept.map(|line| line.split(',').skip(1).take(2).collect::<Vec<_>>().join(","));
        std::iter::once("a,b".to_string()).chain(cells).map(|line| line + "\n").collect()
    };
    folder.write("p.csv", rows("1"));
    folder.write("u.csv", rows("0"));
    let prior = folder.json("prior --positives p.csv --unlabeled u.csv");
    assert_eq!((&prior["scenario"], &prior["prior"]), (&"case-control".into(), &prior["prior_in_unlabeled"]));
    assert_eq!(prior["positive"], 50);
}

#[test]
fn the_estimators_are_listed() {
    let folder = Folder::new("prior-list");
    let said = folder.run("prior --list");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stdout.contains("km2") && said.stdout.contains("assumes: labels picked at random"),
        "{said:?}"
    );
    let help = folder.run("prior --help");
    assert!(help.stdout.contains("Estimators") && help.stdout.contains("best bin estimation"), "{help:?}");
    assert!(folder.json("prior --list")["estimators"].as_array().unwrap().len() >= 10);
}

#[test]
fn fit_estimates_the_prior_says_so_and_evaluate_carries_the_interval() {
    let folder = folder("prior-fit");
    let fit = format!(
        "fit -v table.csv {COLUMNS} --model linear --epochs 10 --learning-rate 0.05 --out model.safetensors"
    );
    let said = folder.run(&fit);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("share of positives: unknown; at most 0."), "{said:?}");
    assert!(said.stderr.contains("learning with a guess, 0."), "{said:?}");
    assert!(said.stdout.contains(
        "of the unlabeled rows are positive, which is estimated and not measured, and if labels are"
    ));
    // What does not rest on the prior is measured and has a value; the others are ranges.
    let line = |name: &str| said.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("recall").contains('[') && line("lift").contains('['), "{said:?}");
    assert!(line("precision").contains(" to ") && !line("precision").contains('['), "{said:?}");
    let auto = folder.json(&format!("{fit} --prior auto"));
    let warned = auto["warnings"].as_array().unwrap().iter().filter_map(|text| text.as_str());
    assert_eq!(warned.filter(|text| text.starts_with("the prior is a guess")).count(), 1, "{auto}");
    let estimate = &auto["prior_estimate"];
    assert!((estimate["mu"].as_f64().unwrap() - 0.2).abs() < 0.05, "{auto}");
    assert_eq!(estimate["mu"], auto["prior_in_unlabeled"]);
    let evaluated = folder.json("evaluate model.safetensors table.csv --label y");
    assert_eq!(evaluated["prior_in_unlabeled_interval"], estimate["interval"]);
    let of = |name: &str, at: usize| evaluated[name][at].as_f64().unwrap();
    // Precision is μ r / a, so its interval spans at least the prior's, relative to the estimate.
    let mu = estimate["mu"].as_f64().unwrap();
    let value = evaluated["precision"].as_f64().unwrap();
    let end = |at: usize| (value * estimate["interval"][at].as_f64().unwrap() / mu).min(1.0);
    assert!(of("precision_interval", 0) <= end(0) && of("precision_interval", 1) >= end(1), "{evaluated}");
    // The list has a range next to every probability.
    let listed = folder.run("predict model.safetensors table.csv --out - --id id");
    let head = listed.stdout.lines().next().unwrap();
    assert_eq!(head, "row,score,probability,rank,id,probability_low,probability_high");
    for row in listed.stdout.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().unwrap();
        assert!(number(5) <= number(2) && number(2) <= number(6), "{row}");
    }
    // A prior that is given leaves no estimate behind.
    assert!(folder.json(&format!("{fit} --prior 0.3333"))["prior_estimate"].is_null());
}

/// Whatever the method makes of its rows, the prior is estimated from the same ones.
#[test]
fn fit_and_prior_agree_whatever_the_method() {
    let folder = Folder::new("prior-agree");
    // Counts, half of the rows positive; 40 % of those are labeled, drawn separately from the counts.
    let mut state = 5_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut row = |i: u32| {
        let (a, b) = if i.is_multiple_of(2) { (5, 1) } else { (1, 5) };
        let labeled = i.is_multiple_of(2) && draw(10) < 4;
        format!("{},{},{},{}\n", a + draw(6), b + draw(6), draw(7), u8::from(labeled))
    };
    folder.write("counts.csv", format!("a,b,c,y\n{}", (0..400).map(&mut row).collect::<String>()));
    folder.write("table.csv", table());
    for (data, columns) in [("table.csv", COLUMNS), ("counts.csv", "--label y")] {
        let prior = folder.json(&format!("prior {data} {columns}"));
        for method in [
            "--method collective --model linear --epochs 1",
            "--method nnpu --model trees",
            "--method weighted-lr",
            "--method genpu --option steps=10",
        ] {
            let fitted = folder.json(&format!("fit -v {data} {columns} {method} --out m.safetensors"));
            for key in ["prior", "prior_in_unlabeled"] {
                assert!(prior[key].is_f64() && fitted[key] == prior[key], "{method}: {fitted} {prior}");
            }
            assert_eq!(
                fitted["prior_estimate"]["interval"], prior["prior_in_unlabeled_interval"],
                "{method}"
            );
        }
    }
    // A method with its own theory estimates nothing.
    let fitted =
        folder.json("fit -v counts.csv --label y --method s-em --option spies=0.3 --out m.safetensors");
    assert!(fitted["prior_estimate"].is_null() && fitted["prior"].is_null(), "{fitted}");
}

#[test]
fn what_is_wrong_is_one_sentence() {
    let folder = folder("prior-wrong");
    let refused = |more: &str| folder.refused(&format!("prior table.csv {COLUMNS} {more}"));
    assert!(refused("--estimator bbe,guess").contains("unknown estimator 'guess'; use "));
    assert!(refused("--estimator ,").contains("name an estimator"));
    assert!(refused("--scorer kernel").contains("unknown scorer 'kernel'"));
    assert!(refused("--scenario both").contains("unknown scenario 'both'"));
    assert!(refused("--plot prior.gif").contains("pictures are SVG or PNG"));
    assert!(refused("--plot table.csv").contains("which would be lost"));
    assert!(refused("--ngrams 2").contains("--ngrams is for texts; name their column with --text"));
    assert!(refused("--plot nowhere/prior.svg").contains("cannot write"));
    assert!(folder.refused("prior table.csv").contains("--label"));
    assert!(folder.refused("prior").contains("name a table"));
    let few = table().lines().take(40).collect::<Vec<_>>().join("\n");
    folder.write("few.csv", few);
    let message = folder.refused(&format!("prior few.csv {COLUMNS}"));
    assert!(message.contains("7 positive rows are too few to estimate the prior"), "{message}");
}
