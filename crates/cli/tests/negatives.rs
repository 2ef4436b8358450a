//! Known negatives and weights of rows, end to end.

use crate::folder::Folder;

const FIT: &str = "--prior 0.4 --threads 1 --out m.safetensors";

/// 300 rows: `y` is 1 (40 rows), 0 (known negatives, 20 rows) or empty; `x` tells the classes apart; `w` is a weight.
fn three(test: &str) -> Folder {
    let folder = Folder::new(test);
    let mut text = "y,x,z,w\n".to_string();
    for i in 0..300u32 {
        let positive = i % 5 < 2;
        let y = match (positive, i % 3) {
            (true, 0) => "1",
            (false, 1) if i % 5 == 4 => "0",
            _ => "",
        };
        let noise = f64::from((i * 7919) % 1000) / 500.0 - 1.0;
        let x = if positive { 0.8 } else { -0.8 } + noise;
        text += &format!("{y},{x:.4},{},{}\n", i % 11, 1 + i % 3);
    }
    folder.write("t.csv", text);
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn three_kinds_of_labels_are_told_apart() {
    let folder = three("three-kinds");
    for method in
        ["auto --effort quick", "collective --model linear", "nnpu --model trees", "weighted-lr", "bagging"]
    {
        let found =
            folder.json(&format!("fit -v t.csv --label y --negative 0 --drop w --method {method} {FIT}"));
        let counts = ["positive", "unlabeled", "negative"].map(|key| found[key].as_u64().unwrap());
        assert_eq!(counts, [40, 240, 20], "{method}");
        assert_eq!(found["held_out"]["negative"].as_u64().unwrap(), 20, "{method}");
        // π is that of all 300 rows, known negatives included: (0.4 · 300 - 40) / 240.
        let mu = found["prior_in_unlabeled"].as_f64().unwrap();
        assert!((mu - 80.0 / 240.0).abs() < 1e-9, "{method}: {mu}");
    }
    let criterion =
        folder.json(&format!("fit -v t.csv --label y --negative 0 --drop w {FIT} --effort quick"));
    assert!(criterion["candidates"].as_array().unwrap().len() > 3);
    let measured = folder.json("evaluate m.safetensors t.csv --label y --negative 0");
    assert_eq!(measured["known_negatives"]["rows"], 20);
    assert!(measured["known_negatives"]["specificity"].as_f64().unwrap() > 0.7);
    let text = folder.run("evaluate m.safetensors t.csv --label y --negative 0").stdout;
    assert!(text.contains("against 20 known negatives"), "{text}");
}

#[test]
fn three_files_are_what_one_column_says() {
    let folder = three("three-files");
    let all = read(&folder, "t.csv");
    for (name, first) in [("p.csv", "1,"), ("n.csv", "0,"), ("u.csv", ",")] {
        let rows = all.lines().skip(1).filter(|line| line.starts_with(first));
        let rows: Vec<&str> = rows.map(|line| line.split_once(',').unwrap().1).collect();
        folder.write(name, format!("x,z,w\n{}\n", rows.join("\n")));
    }
    let found = folder.json(&format!(
        "fit -v --positives p.csv --unlabeled u.csv --negatives n.csv --method collective --model linear {FIT}"
    ));
    assert_eq!(["positive", "unlabeled", "negative"].map(|key| found[key].as_u64().unwrap()), [40, 240, 20]);
    let measured =
        folder.json("evaluate m.safetensors --positives p.csv --unlabeled u.csv --negatives n.csv");
    assert_eq!(measured["known_negatives"]["rows"], 20);
    folder.write("other.csv", "x,q,w\n1,2,3\n");
    let message = folder.refused(&format!(
        "fit -v --positives p.csv --unlabeled u.csv --negatives other.csv --method collective {FIT}"
    ));
    assert!(message.contains("of positives and negatives differ in their columns"), "{message}");
    assert!(message.contains("that of negatives lacks 'z', that of positives lacks 'q'"), "{message}");
}

#[test]
fn equal_weights_change_nothing_and_others_do() {
    let folder = three("weights");
    let rows: Vec<String> = read(&folder, "t.csv").lines().map(str::to_string).collect();
    let with = |value: &dyn Fn(usize) -> String| -> String {
        let lines = rows.iter().enumerate().map(|(at, line)| match at {
            0 => format!("{line},v\n"),
            at => format!("{line},{}\n", value(at)),
        });
        lines.collect()
    };
    folder.write("same.csv", with(&|_| "1".to_string()));
    folder.write("other.csv", with(&|at| if at % 2 == 0 { "3" } else { "0.5" }.to_string()));
    let score = |file: &str, more: &str, method: &str| {
        folder.json(&format!("fit -v {file} --label y --negative 0 {more} --method {method} {FIT}"));
        folder.run("predict m.safetensors t.csv --out list.csv --threads 1");
        read(&folder, "list.csv")
    };
    for method in [
        "collective --model linear",
        "collective --model trees",
        "naive --model trees",
        "weighted-lr",
        "bagging",
    ] {
        let without = score("same.csv", "--drop v,w", method);
        assert_eq!(without, score("same.csv", "--weight v --drop w", method), "{method}");
        assert_ne!(without, score("other.csv", "--weight v --drop w", method), "{method}");
    }
}

#[test]
fn methods_that_cannot_say_why() {
    let folder = three("cannot");
    let refused = |more: &str| folder.refused(&format!("fit -v t.csv --label y --drop z {more} {FIT}"));
    let message = refused("--negative 0 --drop w --method elkan-noto");
    assert!(message.contains("elkan-noto cannot use known negatives: its formula"), "{message}");
    assert!(message.contains("--method auto"), "{message}");
    let message = refused("--positive 1 --weight w --method roc-svm");
    assert!(message.contains("roc-svm cannot use weights of rows: it counts every row once"), "{message}");
    let message = refused("--negative 0 --drop w --method elicited:square");
    assert!(message.contains("elicited:square cannot use known negatives"), "{message}");
    let message = refused("--positive 1 --weight w --method collective --threshold quantile");
    assert!(message.contains("only the threshold rule 'half' takes weights"), "{message}");
}

#[test]
fn labels_that_do_not_say_which_is_which() {
    let folder = three("which-is-which");
    let refused = |more: &str| folder.refused(&format!("fit -v t.csv --label y --drop w {more} {FIT}"));
    let message = refused("");
    assert!(message.contains("three kinds of labels ('0', '1', and "), "{message}");
    assert!(message.contains("--negative VALUE"), "{message}");
    // Whoever names the positive value alone is told what that makes of the other one.
    let said = folder
        .run(&format!("fit -v t.csv --label y --positive 1 --drop w --method naive --model linear {FIT}"));
    let expected = "'0' and empty cells of column 'y' are both unlabeled; if it means negative, say so with --negative 0";
    assert!(said.code == 0 && said.stderr.contains(expected), "{said:?}");
    assert!(refused("--positive 1 --negative 1").contains("'1' cannot mean both positive and negative"));
    let supervised =
        folder.refused("fit -v t.csv --method supervised --truth z --negative 0 --out m.safetensors");
    assert!(supervised.contains("negatives are among them; leave --negative"), "{supervised}");
    assert!(refused("--negative 7").contains("no row has '7' in column 'y'"));
    folder.write("t.csv", "y,x,w\n0,1,1\n0,2,1\n0,3,1\n");
    assert!(refused("--negative 0").contains("no positives among 3 rows"));
    folder.write("t.csv", "y,x,w\n1,1,1\n0,2,1\n0,3,1\n");
    assert!(refused("--negative 0").contains("all 3 rows are labeled"));
}

#[test]
fn weights_that_are_none() {
    let folder = Folder::new("bad-weights");
    for (cell, expected) in [
        ("0", "column 'w' holds '0' in row 2, and a weight is a number above 0"),
        ("-1", "holds '-1' in row 2"),
        ("", "column 'w' is empty in row 2"),
        ("heavy", "holds 'heavy' in row 2"),
        ("nan", "holds 'nan' in row 2"),
        ("inf", "holds 'inf' in row 2"),
        ("1e60", "holds '1e60' in row 2"),
        ("1e-300", "holds '1e-300' in row 2, and a weight is a number above 0 that 32 bits hold"),
        ("1e-40", "holds '1e-40' in row 2"),
    ] {
        folder.write("t.csv", format!("y,x,w\n1,1,1\n0,2,{cell}\n0,3,2\n"));
        let message = folder.refused(&format!("fit -v t.csv --label y --weight w {FIT}"));
        assert!(message.contains(expected), "{message}");
    }
    let message = folder.refused(&format!("fit -v t.csv --label y --weight y {FIT}"));
    assert!(message.contains("column 'y' cannot be both the label and the weight"), "{message}");
    let message = folder.refused(&format!("fit -v t.csv --label y --weight nowhere {FIT}"));
    assert!(message.contains("there is no column 'nowhere'"), "{message}");
}
