//! Texts as input: a column of a table, or folders of files.

use crate::folder::Folder;
use std::fs;

/// 240 texts: sports (positive) and banks, a third of each file's sports texts labeled; `t` is the truth.
fn posts() -> Vec<(String, bool, bool)> {
    let sports = ["The team won a game", "A late goal won", "The match went home", "Players of the team run"];
    let banks = ["The bank raised rates", "Rates fell again", "A loan of the bank", "Stocks, rates, loans"];
    let text = |i: usize| {
        let words = if i.is_multiple_of(2) { sports } else { banks };
        format!("{}; {}", words[i / 2 % 4], words[i / 8 % 4].to_lowercase())
    };
    (0..240).map(|i| (text(i), i % 4 == 0, i % 2 == 0)).collect()
}

fn table() -> String {
    let row = |(i, (text, labeled, truth)): (usize, (String, bool, bool))| {
        format!("p{i},\"{text}\",{},{},x{i}\n", u8::from(labeled), u8::from(truth))
    };
    format!("id,body,y,t,other\n{}", posts().into_iter().enumerate().map(row).collect::<String>())
}

/// Folders `sports` (labeled) and `all` (the rest), half of the files with an extension.
fn folders(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (i, (text, labeled, _)) in posts().into_iter().enumerate() {
        let of = folder.path(if labeled { "sports" } else { "all" });
        fs::create_dir_all(&of).unwrap();
        let name = if i % 8 < 4 { format!("{i:03}.txt") } else { format!("{i:03}") };
        fs::write(of.join(name), text).unwrap();
    }
    folder
}

const FIT: &str =
    "fit -v posts.csv --text body --only body --label y --prior-in-unlabeled 0.3333 --out m.safetensors";

/// Words are left out for the student; the teacher sees whole texts.
#[test]
fn a_teacher_takes_part_in_texts_and_tables() {
    let folder = Folder::new("texts-teacher");
    let text = |i: usize| match i % 3 {
        0 => format!("the ball and the goal of match {}", i % 7),
        _ => format!("the ship left port {} for the sea", i % 5),
    };
    let line = |i: usize| format!("{},{}\n", text(i), if i.is_multiple_of(6) { "yes" } else { "" });
    let table: String = (0..300).map(line).collect();
    folder.write("posts.csv", format!("post,label\n{table}"));
    let fit = "fit -v posts.csv --label label --text post --prior 0.3333 --out m.safetensors";
    let said = folder.json(&format!("{fit} --teacher"));
    assert_eq!(said["teacher"]["strength"], 0.2, "{said}");
    assert_eq!(
        (&said["method"], &said["scores_by"]),
        (&"collective".into(), &"mlp:128,128".into()),
        "{said}"
    );
    let auc = said["metrics"]["auc"].as_f64().unwrap();
    assert!(auc > 0.9, "{said}");
    let bytes = || std::fs::read(folder.path("m.safetensors")).unwrap();
    let taught = bytes();
    assert_eq!(folder.json(&format!("{fit} --method collective"))["teacher"], serde_json::Value::Null);
    assert!(bytes() != taught);
    folder.json(&format!("{fit} --teacher on"));
    assert!(bytes() == taught);
    let message = folder.refused(&format!("{fit} --teacher on --mixup on"));
    assert!(message.contains("leave one of them out"), "{message}");
    let message = folder.refused(&format!("{fit} --teacher on --model trees"));
    assert!(message.contains("--teacher is for networks"), "{message}");
}

#[test]
fn a_column_of_texts() {
    let folder = Folder::new("texts-column");
    folder.write("posts.csv", table());
    let said = folder.run(&format!("{FIT} --method roc-svm"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("60 positives, 180 unlabeled rows, 20 terms"), "{said:?}");
    assert!(said.stderr.contains("note: not used: id, t, other"), "{said:?}");
    assert_eq!(folder.json("evaluate m.safetensors posts.csv --truth t --in-sample")["accuracy"], 1.0);
    // Labels that tell more than the share allows say nothing of how many positives are found.
    let object = folder.json("evaluate m.safetensors posts.csv --label y");
    assert!(object["warnings"].to_string().contains("share and labels do not fit together"), "{object}");
    assert!(object["recall"].is_null() && object["auc_pu"].as_f64().unwrap() > 0.9, "{object}");

    folder.write(
        "new.csv",
        "who,body,later\na,the players won a match,late goal\nb,loans and stocks of banks,rates\n",
    );
    let top = folder.json("predict m.safetensors new.csv --id who --explain 3")["top"].clone();
    assert_eq!((top[0]["id"].clone(), top[1]["id"].clone()), ("a".into(), "b".into()));
    let words = |row: usize| -> Vec<String> {
        let because = top[row]["because"].as_array().unwrap();
        because.iter().map(|part| part["feature"].as_str().unwrap().to_string()).collect()
    };
    assert!(words(0).iter().any(|word| ["players", "won", "match"].contains(&word.as_str())), "{top}");
    assert!(words(1).iter().any(|word| ["loans", "stocks"].contains(&word.as_str())), "{top}");
    // The model knows its columns.
    let message = folder.refused("predict m.safetensors new.csv --text later");
    assert!(message.contains("this one was fitted on tables; leave --text out"), "{message}");
}

#[test]
fn folders_of_texts() {
    let folder = folders("texts-folders");
    let said = folder.run(
        "fit -v --positives sports --unlabeled all --method s-em --option spies=0.5 --prior 0.3333 --out m.safetensors",
    );
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("scenario: case-control (the default for two folders)"), "{said:?}");
    let all = folder.json("predict m.safetensors all --in-sample");
    assert_eq!((all["rows"].clone(), all["predicted_positive"].clone()), (180.into(), 60.into()));
    assert_eq!(folder.run("predict m.safetensors all --out ranked.csv").code, 0);
    let ranked = fs::read_to_string(folder.path("ranked.csv")).unwrap();
    assert!(ranked.starts_with("row,score,probability,rank,file\n"), "{ranked}");
    assert!(ranked.contains(",002.txt\n"), "{ranked}");
    // What is held against the model is positives and unlabeled texts, as in training.
    let measured = folder.json("evaluate m.safetensors --positives sports --unlabeled all --in-sample");
    assert_eq!((&measured["measured"], &measured["rows"]), (&"without negatives".into(), &240.into()));
    assert!(measured["recall"].as_f64().unwrap() > 0.95, "{measured}");
    let refused = |more: &str| folder.refused(&format!("evaluate m.safetensors {more}"));
    assert!(refused("--positives sports --unlabeled all --label y").contains("two files need no --label"));
    assert!(refused("--positives sports --unlabeled gone").contains("there is no file 'gone'"));
    assert!(refused("--label y").contains("name a table, or two"));
    assert!(
        refused("all").contains("'all' is a folder; name the folder of the positives in it with --positive")
    );
    // A table can be scored too, where its column is named.
    folder.write("posts.csv", table());
    let message = folder.refused("predict m.safetensors posts.csv");
    assert!(message.ends_with("is a table; name its column of texts with --text COLUMN"), "{message}");
    assert_eq!(
        folder.json("predict m.safetensors posts.csv --text body --in-sample")["predicted_positive"],
        120
    );
    assert!(
        folder
            .refused("evaluate m.safetensors all --label y")
            .contains("'all' is a folder and has no column 'y'")
    );
}

#[test]
fn a_folder_per_class() {
    let folder = Folder::new("texts-classes");
    for (i, (text, labeled, _)) in posts().into_iter().enumerate() {
        let of = folder.path("tx").join(if labeled { "pos" } else { "unl" });
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join(format!("{i:03}.txt")), text).unwrap();
    }
    let fit = "fit -v tx --method roc-svm --prior-in-unlabeled 0.3333 --out m.safetensors";
    let said = folder.run(&format!("{fit} --positive pos"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("60 positives, 180 unlabeled texts, 20 terms"), "{said:?}");
    assert!(said.stderr.contains("the default for one folder"), "{said:?}");
    // The same texts in two folders give the same terms and weights.
    let two = fit
        .replace("fit -v tx", "fit -v --positives tx/pos --unlabeled tx/unl")
        .replace("m.safe", "two.safe");
    assert_eq!(folder.run(&format!("{two} --scenario single-sample")).code, 0);
    let list = folder.run("predict m.safetensors tx --in-sample --out -").stdout;
    assert!(list.lines().nth(1).unwrap().contains(",pos/"), "{list}");
    assert_eq!(list, folder.run("predict two.safetensors tx --in-sample --out -").stdout);
    // The folders it was fitted on hold labels: what is in 'unl' is unlabeled and not negative.
    let measured = folder.json("evaluate m.safetensors tx --positive pos");
    assert_eq!((&measured["measured"], &measured["rows"]), (&"without negatives".into(), &240.into()));
    let two = folder.json("evaluate m.safetensors --positives tx/pos --unlabeled tx/unl");
    assert_eq!(measured["recall"], two["recall"]);
    // Every other positive is labeled, and they have other words than the hidden ones: labels that are not random, and it shows.
    let top = folder.json("evaluate m.safetensors tx --positive pos --top 9");
    assert!(top["review"].is_null() && top["at_top"].is_null(), "{top}");
    assert!(top["warnings"].to_string().contains("share and labels do not fit together"), "{top}");
    // Other folders tell the truth, and so do these to a model that was fitted with other labels.
    for (i, (text, _, truth)) in posts().into_iter().enumerate() {
        let of = folder.path("true").join(if truth { "pos" } else { "neg" });
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join(format!("{i:03}.txt")), text).unwrap();
    }
    let measured = folder.json("evaluate m.safetensors true --positive pos");
    assert_eq!((&measured["measured"], &measured["rows"]), (&"against true labels".into(), &240.into()));
    let message = folder.refused("evaluate m.safetensors true --positive pos --top 9");
    assert!(message.contains("these folders tell the truth"), "{message}");
    let message = folder.refused("evaluate m.safetensors tx --positive cow");
    assert!(message.contains("'tx' has no folder 'cow'; its folders are 'pos', 'unl'"), "{message}");
    let message = folder.refused(fit);
    assert!(message.contains("the folders in 'tx' are classes ('pos', 'unl'); say which"), "{message}");
    let message = folder.refused(&format!("{fit} --positive cow"));
    assert!(message.contains("'tx' has no folder 'cow'; its folders are 'pos', 'unl'"), "{message}");
}

#[test]
fn the_words_that_a_model_counts_on() {
    let folder = folders("texts-importance");
    let fit = "fit -v --positives sports --unlabeled all --method roc-svm --prior-in-unlabeled 0.3333 --out m.safetensors";
    assert_eq!(folder.run(fit).code, 0);
    for (i, (text, _, truth)) in posts().into_iter().enumerate() {
        let of = folder.path("new").join(if truth { "sports" } else { "banks" });
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join(format!("{i:03}.txt")), format!("{text} again")).unwrap();
    }
    let told = folder.json("importance m.safetensors new --positive sports --out bars.svg");
    assert_eq!((&told["against"], &told["rows"]), (&"negatives".into(), &serde_json::json!([120, 120])));
    let words: Vec<&str> =
        told["columns"].as_array().unwrap().iter().map(|one| one["column"].as_str().unwrap()).collect();
    assert_eq!(words.len(), 20, "every term: {words:?}");
    assert!(words.contains(&"rates") && told["auc"].as_f64().unwrap() > 0.9, "{told}");
    // Two places have labels, and rows that the model has met get a warning.
    let met = folder.json("importance m.safetensors --positives sports --unlabeled all --columns 3");
    assert_eq!((&met["against"], &met["not_measured"]), (&"unlabeled".into(), &17.into()));
    assert!(met["warnings"][0].as_str().unwrap().contains("fitted on these rows"), "{met}");
    let said = folder.run("importance m.safetensors new --positive sports --columns 3");
    assert!(said.stdout.contains("word") && said.stderr.contains("17 words that lost less"), "{said:?}");
    let message = folder.refused("importance m.safetensors new");
    assert!(message.contains("name the folder of the positives in it with --positive NAME"), "{message}");
    let message = folder.refused("importance m.safetensors new --positive cow");
    assert!(message.contains("'new' has no folder 'cow'; its folders are 'banks', 'sports'"), "{message}");
}

#[test]
fn a_folder_with_tables_in_it_is_a_folder_with_tables() {
    let folder = Folder::new("texts-or-tables");
    folder.write("flights.csv", "a,y\n1,1\n");
    folder.write("plot.png", "x");
    folder.write("program", b"\x7fELF\x02\x01\x01\0\0\0\0\0");
    fs::create_dir_all(folder.path("notes")).unwrap();
    folder.write("notes/a.txt", "a note");
    let message = folder.refused("fit . --label y --out m.safetensors");
    assert!(
        message.contains("'.' is a folder with tables in it; name one, such as './flights.csv'"),
        "{message}"
    );
    folder.write("README", "what this is");
    let message = folder.refused("fit . --label y --out m.safetensors");
    assert!(message.contains("'.' is a folder with tables in it"), "{message}");
}

/// 600 texts of four words each, half of them sports, half of which are labeled: a third of the unlabeled texts is
/// positive. Words and labels are drawn separately, so that labels say nothing about the words.
fn drawn() -> Vec<(String, bool)> {
    let sports = ["team", "game", "goal", "match", "player", "season"];
    let banks = ["bank", "rate", "loan", "stock", "bond", "credit"];
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut text = |i: usize| {
        let own = if i < 300 { sports } else { banks };
        let word = |_| if draw(4) == 0 { "day" } else { own[draw(6) as usize] };
        ((0..4).map(word).collect::<Vec<_>>().join(" "), i < 150)
    };
    (0..600).map(&mut text).collect()
}

#[test]
fn the_prior_of_texts() {
    let folder = Folder::new("texts-prior");
    let row = |(text, labeled): &(String, bool)| format!("7,{text},{}\n", u8::from(*labeled));
    folder.write("posts.csv", format!("id,body,y\n{}", drawn().iter().map(row).collect::<String>()));
    for (i, (text, labeled)) in drawn().into_iter().enumerate() {
        let of = folder.path(if labeled { "sports" } else { "all" });
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join(format!("{i:03}.txt")), text).unwrap();
    }
    let said = folder.run("prior posts.csv --text body --label y --plot prior.png");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("150 positives, 450 unlabeled rows, 13 terms"), "{said:?}");
    assert!(said.stdout.contains("scores by linear") && said.stdout.contains("bbe"), "{said:?}");
    assert!(folder.path("prior.png").is_file());
    for arguments in
        ["posts.csv --text body --label y --ngrams 2 --estimator all", "--positives sports --unlabeled all"]
    {
        let prior = folder.json(&format!("prior {arguments}"));
        let mu = prior["consensus"]["prior_in_unlabeled"].as_f64().unwrap();
        assert!((mu - 1.0 / 3.0).abs() < 0.08, "{arguments}: {mu}");
        let end = |at: usize| prior["prior_in_unlabeled_interval"][at].as_f64().unwrap();
        assert!(end(0) < 1.0 / 3.0 && end(1) > 1.0 / 3.0, "{prior}");
    }
    // What `fit` estimates from the same texts is the same.
    let fitted = folder.json("fit -v posts.csv --text body --label y --method ldce --out m.safetensors");
    let prior = folder.json("prior posts.csv --text body --label y");
    assert_eq!(fitted["prior_in_unlabeled"], prior["prior_in_unlabeled"]);

    let refused = |more: &str| folder.refused(&format!("prior posts.csv --text body --label y {more}"));
    assert!(refused("--estimator bbe,km2").contains("the estimator km2 looks at the rows themselves"));
    assert!(refused("--text y").contains("'y' cannot be both the label and a text to learn from"));
    assert!(refused("--drop body").contains("'body' cannot be both left out and a text to learn from"));
    assert!(refused("--text bodi").contains("there is no column 'bodi'"));
    assert!(refused("--features tf").contains("use tfidf, sublinear or counts"));
    let two = "prior --positives sports --unlabeled";
    assert!(folder.refused(&format!("{two} all --text body")).contains("has no column 'body'"));
    assert!(folder.refused(&format!("{two} posts.csv")).contains("give two folders, or two tables"));
    fs::create_dir_all(folder.path("none")).unwrap();
    assert!(folder.refused(&format!("{two} none")).contains("'none' holds neither pictures"));
    folder.write("blank.csv", format!("body,y\n{}", "\"\",1\n\"\",0\n".repeat(40)));
    let message = folder.refused("prior blank.csv --text body --label y");
    assert!(message.contains("no word or phrase occurs in at least 2 of the 80 texts"), "{message}");
}

#[test]
fn networks_phrases_counts_and_true_labels() {
    let folder = Folder::new("texts-network");
    folder.write("posts.csv", table());
    let quick = "--epochs 20 --model linear --learning-rate 0.05";
    let fitted = folder
        .json(&format!("{FIT} {quick} --ngrams 2 --features counts --stop-words english --max-terms 12"));
    assert_eq!((fitted["method"].clone(), fitted["features"].clone()), ("collective".into(), 12.into()));
    assert!(folder.json("evaluate m.safetensors posts.csv --truth t")["auc"].as_f64().unwrap() > 0.95);
    let top = folder.json("predict m.safetensors posts.csv --explain 1")["top"][0].clone();
    assert!(top["because"][0]["value"].as_f64().unwrap() > 0.0, "{top}");
    let said = folder.run(&format!(
        "fit -v posts.csv --text body --only body --method supervised --truth t {quick} --out s.safetensors"
    ));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(folder.json("evaluate s.safetensors posts.csv --truth t")["accuracy"], 1.0);
}

#[test]
fn bad_texts_get_a_sentence() {
    let folder = folders("texts-bad");
    folder.write("posts.csv", table());
    let fit = |more: &str| folder.refused(&format!("{FIT} {more}"));
    assert!(fit("--method ldce --text bodi").contains("there is no column 'bodi'"));
    assert!(fit("--method ldce --features tf").contains("use tfidf, sublinear or counts"));
    assert!(fit("--method ldce --ngrams 0").contains("--ngrams must be at least 1"));
    assert!(
        fit("--method ldce --min-texts 500")
            .contains("no word or phrase occurs in at least 500 of the 240 texts")
    );
    assert!(fit("--method ldce --max-terms 0").contains("--max-terms must be at least 1"));
    assert!(fit("--method ldce --stop-words german").contains("use none or english"));
    assert!(fit("--method ldce --min-texts 0").contains("--min-texts must be at least 1"));
    let message = folder.refused("fit -v posts.csv --label y --prior 0.4 --ngrams 2 --out m.safetensors");
    assert!(message.contains("--ngrams is for texts; name their column with --text"), "{message}");
    assert!(
        folder
            .refused("fit -v posts.csv --text y --label y --prior 0.4 --out m.safetensors")
            .contains("column 'y' cannot be both the label and a text to learn from")
    );
    // A missing text is empty, unless missing values are refused; `fit` and `prior` say so in the same way.
    folder.write("hole.csv", table() + "p240,,0,0,x240\n");
    for command in ["fit -v hole.csv --prior-in-unlabeled 0.3 --out m.safetensors", "prior hole.csv"] {
        let message = folder.refused(&format!("{command} --text body --label y --missing refuse"));
        assert!(
            message.contains("column 'body' has no value in row 241, and missing values are refused"),
            "{message}"
        );
    }
    assert!(
        folder.refused("prior --positives sports --unlabeled posts.csv").contains("'sports' is a folder and")
    );
    let same: String = (0..80).map(|i| format!("the same words every time,{}\n", i % 2)).collect();
    folder.write("same.csv", format!("body,y\n{same}"));
    let fit = "fit -v same.csv --text body --label y --prior-in-unlabeled 0.3 --out m.st --method";
    let message = folder.refused(&format!("{fit} roc-svm"));
    assert!(message.contains("roc-svm found no reliable negatives among 26 unlabeled rows"), "{message}");
    assert!(message.ends_with("use a method that needs none with --method weighted-lr"), "{message}");
    let two = |p: &str, u: &str| {
        folder.refused(&format!("fit -v --positives {p} --unlabeled {u} --prior 0.4 --out m.st"))
    };
    assert!(two("sports", "posts.csv").contains("'sports' is a folder and 'posts.csv' is not"));
    fs::create_dir_all(folder.path("none")).unwrap();
    assert!(two("none", "all").contains("'none' holds neither pictures"));
    fs::write(folder.path("none").join("page.pdf"), "x").unwrap();
    assert!(two("none", "all").contains("'none' holds neither pictures (.png, .jpg) nor texts (.txt, .html"));
    fs::remove_file(folder.path("none").join("page.pdf")).unwrap();
    fs::create_dir_all(folder.path("none").join("deeper")).unwrap();
    assert!(two("none", "all").contains("'none' holds neither pictures"));
    fs::write(folder.path("none").join("a.txt"), "a text").unwrap();
    assert!(two("none", "all").contains("a folder of texts holds no folders"));
    // Of a table: no texts, and no folder.
    let said = folder.run("fit -v posts.csv --label y --drop id --drop body --drop other --prior 0.4 --method weighted-lr --out t.st");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        folder
            .refused("predict t.st posts.csv --text body")
            .contains("this one was fitted on tables; leave --text out")
    );
}

/// The number of a text is in the name of its file; even ones are about sports.
fn is_sports(file: &str) -> bool {
    let number: usize = file.trim_end_matches(".txt").parse().unwrap();
    number.is_multiple_of(2)
}

/// Answers about the texts of a folder are learned from, and tell the share, whether they were given in a sheet or on a page.
#[test]
fn answers_about_a_folder_are_learned_from() {
    let folder = folders("texts-audit");
    let two = "--positives sports --unlabeled all --method weighted-lr";
    let said = folder.run(&format!("fit {two} --prior-in-unlabeled 0.3333 --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("onesided predict m.safetensors all --out list.csv"), "{said:?}");
    let said = folder.run("audit draw m.safetensors all --rows 60 --out rows.html");
    assert_eq!(said.code, 0, "{said:?}");
    let page = fs::read_to_string(folder.path("rows.html")).unwrap();
    assert!(
        page.contains("<h1>60 texts to answer, from <bdi>all</bdi></h1>")
            && page.contains("This page contains texts.")
    );
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let (mut file, mut yes) = ("key;row;positive;note;reviewer;draw\n".to_string(), 0);
    for row in data["rows"].as_array().unwrap() {
        let name = row["cells"][0].as_str().unwrap();
        let said = is_sports(name);
        yes += usize::from(said);
        let text = fs::read_to_string(folder.path("all").join(name)).unwrap();
        assert_eq!(row["text"], text, "{name}");
        let cells = [
            &row["key"],
            &row["row"],
            &if said { "yes" } else { "no" }.into(),
            &"".into(),
            &"Ada".into(),
            &data["draw"],
        ];
        let cells = cells.map(|cell| cell.as_str().map_or_else(|| cell.to_string(), str::to_string));
        file.push_str(&format!("{}\n", cells.join(";")));
    }
    folder.write("answers.csv", format!("\u{feff}{file}"));
    let told = folder.json(&format!("fit {two} --audit answers.csv --out n.safetensors"));
    assert_eq!((&told["positive"], &told["negative"]), (&(60 + yes).into(), &(60 - yes).into()), "{told}");
    assert_eq!(told["prior_estimate"]["audited"], 60, "{told}");
    // Of 180 texts 60 are about sports; what is left holds 60 - yes of 120.
    let mu = told["prior_in_unlabeled"].as_f64().unwrap();
    assert!((mu - (60 - yes) as f64 / 120.0).abs() < 0.1, "{mu}");
    let refused = folder.refused(
        "fit --positives all --unlabeled sports --method weighted-lr --audit answers.csv --out o.safetensors",
    );
    assert!(refused.contains("answers.csv"), "{refused}");
}

/// A page of texts shows how they begin, and the words that carried their scores.
#[test]
fn a_page_shows_texts_and_their_words() {
    let folder = folders("texts-page");
    fs::write(
        folder.path("all").join("000.txt"),
        "home went match <script>alert(1)</script> match \u{202e}players home went won",
    )
    .unwrap();
    let fit = "fit --positives sports --unlabeled all --method weighted-lr --prior-in-unlabeled 0.3333 --out m.safetensors --report p.html";
    let said = folder.run(fit);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("it contains 50 texts\n"), "{said:?}");
    let page = fs::read_to_string(folder.path("p.html")).unwrap();
    let drives = page.split("<section id=\"drives\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(
        drives.contains("The words that moved the scores") && drives.contains("<bdi>team</bdi>"),
        "{drives}"
    );
    let rows = page.split("<section id=\"rows\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(rows.contains("How it begins") && rows.contains("<bdi>The match went home"), "{rows}");
    assert!(rows.contains("&lt;script&gt;alert(1)&lt;/script&gt; match \u{fffd}players"), "{rows}");
    assert!(page.contains("What is hidden in <bdi>all</bdi>") && page.matches("<script").count() == 2);
    let said =
        folder.run("report m.safetensors --positives sports --unlabeled all --no-rows --out none.html");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!fs::read_to_string(folder.path("none.html")).unwrap().contains("The match went home"));
}
