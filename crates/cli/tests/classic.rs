//! Classic methods on the command line: the same commands, and a sentence for what they cannot do.

use crate::folder::{Folder, table};

const FIT: &str = "fit table.csv --label y --drop id --drop t --out m.safetensors";
const PRIOR: &str = "--prior 0.3333";

fn with_table(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    folder
}

/// Counts that tell the classes apart by their proportions: 400 rows, half of them positive, 160 labeled.
fn counts() -> String {
    let row = |i: u32| {
        let (a, b) = if i.is_multiple_of(2) { (9 + i % 5, 1 + i % 3) } else { (1 + i % 4, 8 + i % 6) };
        format!("{a},{b},{},{}\n", i % 7, u32::from(i.is_multiple_of(2) && !i.is_multiple_of(5)))
    };
    format!("a,b,c,y\n{}", (0..400).map(row).collect::<String>())
}

#[test]
fn every_quick_method_fits_predicts_and_evaluates() {
    let folder = with_table("classic-all");
    for method in [
        "weighted-lr",
        "biased-svm",
        "elkan-noto",
        "elkan-noto-weighted",
        "bagging",
        "roc-svm",
        "ldce",
        "kldce",
        "puld",
    ] {
        let fitted = folder.json(&format!("{FIT} {PRIOR} --method {method}"));
        assert_eq!(fitted["method"], method);
        assert!(fitted["epochs"].is_null() && fitted["parameters"].is_null(), "{fitted}");
        assert!(fitted["metrics"]["accuracy"].as_f64().unwrap() > 0.95, "{fitted}");
        let measured = folder.json("evaluate m.safetensors table.csv --truth t --in-sample");
        // On rows it learned from as unlabeled, a kernel machine scores lower than on new ones.
        let least = if method == "kldce" { 0.9 } else { 0.95 };
        assert!(measured["accuracy"].as_f64().unwrap() > least, "{method}: {measured}");
        let top = &folder.json("predict m.safetensors table.csv --id id")["top"][0];
        assert!(top["probability"].as_f64().unwrap() > 0.9, "{method}: {top}");
    }
}

#[test]
fn genpu_fits_predicts_evaluates_and_repeats_itself() {
    let folder = with_table("classic-genpu");
    let fit = format!("{FIT} {PRIOR} --method genpu --option steps=400");
    let fitted = folder.json(&fit);
    assert!(fitted["metrics"]["accuracy"].as_f64().unwrap() > 0.9, "{fitted}");
    let bytes = std::fs::read(folder.path("m.safetensors")).unwrap();
    assert!(folder.json("evaluate m.safetensors table.csv --truth t")["accuracy"].as_f64().unwrap() > 0.9);
    assert_eq!(folder.json("predict m.safetensors table.csv --all --id id")["rows"], 300);
    assert_eq!(folder.run(&fit).code, 0);
    assert_eq!(std::fs::read(folder.path("m.safetensors")).unwrap(), bytes);
    assert!(folder.run("predict m.safetensors table.csv --explain").stdout.contains("a "));

    let refused = |more: &str| folder.refused(&format!("{fit} {more}"));
    assert!(refused("--option steps=0").contains("the option steps was given twice"));
    assert!(
        folder.refused(&format!("{FIT} {PRIOR} --method genpu --option steps=0")).contains("whole number")
    );
    let without = format!("{FIT} --method genpu --option steps=400");
    for (prior, word) in [("0", "is 0"), ("1.2", "is 1.2"), ("0.01", "must be above 0.166667")] {
        let message = folder.refused(&format!("{without} --prior {prior}"));
        assert!(message.contains(word), "{message}");
    }
    let row = |i: usize, columns: usize| {
        let cells: Vec<String> = (0..columns).map(|j| ((i * 7 + j * 3) % 11).to_string()).collect();
        format!("{},{}\n", cells.join(","), i % 3 / 2)
    };
    let header = |columns: usize| (0..columns).map(|j| format!("p{j},")).collect::<String>() + "y\n";
    folder.write("wide.csv", header(3072) + &(0..60).map(|i| row(i, 3072)).collect::<String>());
    let message = folder.refused("fit wide.csv --label y --prior 0.5 --method genpu --out m2.safetensors");
    assert!(message.contains("genpu takes rows of at most 1024 columns, but there are 3072"), "{message}");
    folder.write("few.csv", header(2) + &(0..33).map(|i| row(i, 2)).collect::<String>());
    let message = folder.refused("fit few.csv --label y --prior 0.5 --method genpu --out m2.safetensors");
    assert!(message.contains("genpu needs at least 10 positives, but there are 8"), "{message}");
    assert!(message.contains("a fifth of the 11 positives is held out"), "{message}");
}

#[test]
fn two_runs_write_the_same_bytes() {
    let folder = with_table("classic-same");
    let mut bytes = Vec::new();
    for _ in 0..2 {
        assert_eq!(folder.run(&format!("{FIT} {PRIOR} --method bagging")).code, 0);
        bytes.push(std::fs::read(folder.path("m.safetensors")).unwrap());
    }
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn counts_of_a_table_are_not_scaled() {
    let folder = Folder::new("classic-counts");
    folder.write("counts.csv", counts());
    let fitted = folder.json("fit counts.csv --label y --method s-em --option spies=0.3 --out m.safetensors");
    assert!(fitted["metrics"]["recall"].as_f64().unwrap() > 0.9, "{fitted}");
    let said = folder.run("predict m.safetensors counts.csv --explain 2");
    assert!(said.stdout.contains("because") && said.stdout.contains("a +"), "{said:?}");
}

#[test]
fn what_carried_a_score_is_said_in_text_json_and_file() {
    let folder = with_table("classic-explain");
    assert_eq!(folder.run(&format!("{FIT} {PRIOR} --method weighted-lr")).code, 0);
    let said = folder.run("predict m.safetensors table.csv --explain 1");
    assert!(said.stdout.lines().next().unwrap().ends_with("because"), "{said:?}");
    assert!(said.stdout.lines().nth(1).unwrap().contains("a +"), "{said:?}");
    let top = &folder.json("predict m.safetensors table.csv --explain")["top"][0];
    assert_eq!(top["because"].as_array().unwrap().len(), 2);
    assert_eq!(top["because"][0]["feature"], "a");
    assert!(top["because"][0]["value"].as_f64().unwrap() > 0.0, "{top}");
    assert_eq!(folder.run("predict m.safetensors table.csv --in-sample --explain --out r.csv").code, 0);
    let file = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    assert_eq!(file.lines().next().unwrap(), "row,score,probability,rank,because");
    assert_eq!(file.lines().count(), 301);
    assert!(file.lines().all(|line| line.contains("because") || line.contains("a ")), "{file}");
}

#[test]
fn two_tables_measure_as_one_with_a_label_column() {
    let folder = with_table("classic-two");
    assert_eq!(folder.run(&format!("{FIT} {PRIOR} --method weighted-lr")).code, 0);
    let text = table();
    let rows = |wanted: &str| -> String {
        let kept =
            text.lines().enumerate().filter(|(i, line)| *i == 0 || line.split(',').nth(3) == Some(wanted));
        kept.map(|(_, line)| format!("{line}\n")).collect()
    };
    folder.write("p.csv", rows("1"));
    folder.write("u.csv", rows("0"));
    let two = folder.json("evaluate m.safetensors --positives p.csv --unlabeled u.csv");
    let one = folder.json("evaluate m.safetensors table.csv --label y");
    for name in ["recall", "precision", "auc", "rows"] {
        assert_eq!(two[name], one[name], "{name}");
    }
}

#[test]
fn nothing_is_no_explanation() {
    let folder = with_table("classic-unexplained");
    assert_eq!(folder.run(&format!("{FIT} {PRIOR} --method kldce")).code, 0);
    assert!(folder.refused("predict m.safetensors table.csv --explain 0").contains("at least 1 feature"));
}

#[test]
fn a_method_is_described_in_full() {
    let folder = Folder::new("classic-described");
    let said = folder.run("methods ldce");
    for what in
        ["Shi, Pan, Yang and Gong, IJCAI 2018", "assumes", "reconstructed", "centroid", "exact, published"]
    {
        assert!(said.stdout.contains(what), "{what}: {said:?}");
    }
    let object = folder.json("methods s-em");
    assert_eq!((object["needs_counts"].clone(), object["family"].clone()), (true.into(), "classic".into()));
    assert_eq!(object["options"][0]["name"], "spies");
    assert!(folder.refused("methods lcde").contains("did you mean 'ldce'?"));
}

#[test]
fn bad_input_to_classic_methods() {
    let folder = with_table("classic-bad");
    let fit = |more: &str| folder.refused(&format!("{FIT} {more}"));
    let message = fit("--method s-em");
    assert!(message.contains("column 'a', row 2: -") && message.contains("s-em takes counts"), "{message}");
    assert!(
        fit("--method ldce --prior 0.3333 --option c=1").contains("('onesided methods ldce' describes them)")
    );
    assert!(fit("--method ldce --prior 0.3333 --option ridge").contains("use NAME=VALUE, such as cost=0.1"));
    assert!(
        fit("--method ldce --prior 0.3333 --option ridge=-1").contains("the option ridge cannot be '-1'")
    );
    assert!(
        fit("--method puld --prior 0.3333 --epochs 3").contains(
            "--epochs is for networks, which are trained by batches, and the method puld has no use"
        )
    );
    assert!(
        fit("--method puld --prior 0.3333 --model linear")
            .contains("--model is for methods that train a network or trees, and the method puld has no use")
    );
    assert!(fit("--prior 0.3333 --option cost=1").contains("--option is for classic systems"));
    assert!(fit("--method s-em --prior auto").contains("needs no prior"));
    let message = fit("--method ldce --prior-in-unlabeled 0.99 --option centroid=published");
    assert!(
        message.contains("divides by 1 - 2ph, which is -") && message.contains("default centroid"),
        "{message}"
    );
    assert!(fit("--method ldcee --prior 0.3").contains("did you mean 'ldce'?"));

    folder.write("few.csv", counts().lines().take(160).collect::<Vec<_>>().join("\n"));
    let message = folder.refused("fit few.csv --label y --method s-em --out m.safetensors");
    assert!(message.contains("spies (0.15 of") && message.contains("is held out"), "{message}");
    assert!(message.contains("; raise the spies' share with --option spies=SHARE"), "{message}");
    folder.write(
        "one-way.csv",
        format!("x,z,y\n{}", (1..60).map(|i| format!("{i},{i},{}\n", i % 2)).collect::<String>()),
    );
    // Rows that differ in nothing but their length: scaled, half of them point the other way.
    let message = folder.refused("fit one-way.csv --label y --numeric x,z --method s-em --out m.safetensors");
    assert!(message.contains("which takes 134 positives at that share"), "{message}");
}

/// What can be wrong with a file, whatever the method: the same sentence from each.
#[test]
fn every_classic_method_refuses_what_it_cannot_read_or_write() {
    let folder = with_table("classic-files");
    folder.write(
        "one.csv",
        format!("x,z,y\n{}", (0..60).map(|i| format!("{i},{},1\n", i % 7)).collect::<String>()),
    );
    folder.write("header.csv", "x,z,y\n");
    folder.write("nothing.csv", "");
    folder.write("inf.csv", format!("x,z,y\ninf,1,0\n{}", "3,1,1\n2,4,0\n".repeat(30)));
    folder.write("counts.csv", counts());
    folder.write("blank.csv", format!("body,y\n{}", "\"\",1\n\"\",0\n".repeat(40)));
    let cards = folder.json("methods")["methods"].as_array().unwrap().clone();
    let classic: Vec<&str> = cards
        .iter()
        .filter(|card| card["family"] == "classic")
        .map(|card| card["name"].as_str().unwrap())
        .collect();
    assert_eq!(classic.len(), 11);
    for method in classic {
        for (arguments, sentence) in [
            ("gone.csv --label y", "there is no file 'gone.csv'"),
            ("counts.csv --label z", "there is no column 'z'"),
            ("one.csv --label y", "all 60 rows are positive (column 'y') and none is unlabeled"),
            ("header.csv --label y", "has a header but no rows"),
            ("nothing.csv --label y", "'nothing.csv' is empty"),
            ("inf.csv --label y", "line 2, column 'x': inf is not a finite number"),
            ("counts.csv --label y --prior 0", "strictly between 0 and 1, but is 0"),
            ("counts.csv --label y --prior 1.2", "strictly between 0 and 1, but is 1.2"),
            ("counts.csv --label y --prior 0.1", "so it must be above 0.400000"),
            ("blank.csv --label y --text bodi", "there is no column 'bodi'"),
            ("blank.csv --label y --text body", "no word or phrase occurs in at least 2 of the 80 texts"),
            ("--positives gone --unlabeled gone", "there is no file 'gone'"),
        ] {
            let message = folder.refused(&format!("fit {arguments} --method {method} --out m.safetensors"));
            assert!(message.contains(sentence), "{method}: {message}");
        }
    }
    // A disk without room: the model is learned, and the refusal leaves nothing behind.
    if std::path::Path::new("/dev/full").exists() {
        let fit = "fit counts.csv --label y --prior 0.5 --method weighted-lr --out /dev/full";
        let message = folder.refused(fit);
        assert!(message.contains("cannot write '/dev/full': No space left on device"), "{message}");
    }
}

#[test]
fn more_rows_than_a_kernel_can_hold() {
    let folder = Folder::new("classic-many");
    let rows: String =
        (0..64_000).map(|i| format!("{},{},{}\n", i % 97, i % 89, u8::from(i % 16 == 0))).collect();
    folder.write("many.csv", format!("x,z,y\n{rows}"));
    let message = folder.refused("fit many.csv --label y --prior 0.3 --method kldce --out m.safetensors");
    assert!(
        message.contains("kldce with a kernel takes at most 50000 rows, but there are 51200"),
        "{message}"
    );
    assert!(message.contains("use them with --option random-features=500"), "{message}");
}
