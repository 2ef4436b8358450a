//! Rows that are not positive, end to end: new ones by a model, those of a labeled table by its labels, and first parts of a list by an audit.

use crate::folder::Folder;

/// Rows of which a share is positive: `a` is about 1.5 for these and -1.5 for others, `b` tells nothing. A row in `every` of the positives is
/// labeled. Fixed scrambles; `from` says where they begin.
fn table(from: u32, rows: u32, share: u32, every: u32) -> String {
    let mut text = "id,who,a,b,y,t\n".to_string();
    let mut positives = 0;
    for row in from..from + rows {
        let noise = |k: u32| f64::from((row.wrapping_mul(7919) ^ k.wrapping_mul(104_729)) % 9973) / 9973.0;
        let positive = row * 37 % 100 < share;
        positives += u32::from(positive);
        let labeled = u32::from(positive && positives % every == 0);
        let spread = noise(1) + noise(2) + noise(3) - 1.5;
        let a = if positive { 1.5 } else { -1.5 } + 2.0 * spread;
        text += &format!("r{row},g{},{a:.5},{:.5},{labeled},{}\n", row / 4, noise(4), u32::from(positive));
    }
    text
}

const QUICK: &str = "--label y --drop id --drop t --prior 0.3 --method weighted-lr --threads 1";

/// How many rows of a list are positive, and how many there are.
fn wrong(folder: &Folder, list: &str, truth: &str) -> (usize, usize) {
    let list = std::fs::read_to_string(folder.path(list)).unwrap();
    let lines: Vec<&str> = truth.lines().skip(1).collect();
    let rows: Vec<usize> =
        list.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    (rows.iter().filter(|&&row| lines[row - 1].ends_with(",1")).count(), rows.len())
}

#[test]
fn new_rows_are_certified_in_a_sentence_and_in_every_format() {
    let folder = Folder::new("certified");
    let new = table(5000, 1500, 30, 2);
    folder.write("train.csv", table(0, 2000, 30, 2));
    folder.write("new.csv", &new);
    assert_eq!(
        folder.run(&format!("fit train.csv {QUICK} --drop who --reserve 100 --out m.onesided")).code,
        0
    );
    let said = folder.run("negatives m.onesided new.csv --fdr 0.05 --id id --keep t --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    let (positive, rows) = wrong(&folder, "list.csv", &new);
    assert!(rows > 800 && positive * 10 < rows, "{positive} of {rows}");
    let first = said.stdout.lines().next().unwrap();
    assert!(
        first.contains("of 1,500 rows are not positive; on average at most 5 % of such a list are positive, if labels are a random sample of the")
            && first.contains("(the same list holds up to labeling odds of 1."),
        "{first}"
    );
    let list = std::fs::read_to_string(folder.path("list.csv")).unwrap();
    assert_eq!(list.lines().next(), Some("row,score,p_value,id,t"));
    // The surest first, and p rises with the score.
    let numbers: Vec<(f64, f64)> = list
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[1].parse().unwrap(), cells[2].parse().unwrap())
        })
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
    assert!((numbers[0].1 - 1.0 / 101.0).abs() < 1e-12, "{}", numbers[0].1);
    // Labels that favor some positives leave fewer rows, and no more share leaves all.
    let rows_at =
        |flags: &str| folder.json(&format!("negatives m.onesided new.csv {flags}"))["rows"].as_u64().unwrap();
    assert!(rows_at("--labeling-odds 3") < rows as u64 && rows_at("--fdr 0.2") > rows as u64);
    let object = folder.json("negatives m.onesided new.csv --id id");
    assert_eq!(
        (&object["reserved"], &object["looked_at"], &object["splits"]),
        (&100.into(), &1500.into(), &1.into())
    );
    assert_eq!(object["surest"].as_array().unwrap().len(), 10);
    for format in ["tsv", "jsonl", "parquet", "xlsx"] {
        assert_eq!(folder.run(&format!("negatives m.onesided new.csv --out l.{format}")).code, 0, "{format}");
    }
    let streamed = folder.run("negatives m.onesided new.csv --out - -q");
    assert_eq!(streamed.stdout.lines().count(), rows + 1, "{}", streamed.stderr);
    // Labeled rows of a new file are left out.
    let left = folder.json("negatives m.onesided new.csv --label y");
    let labeled = new.lines().filter(|line| line.contains(",1,1")).count() as u64;
    assert_eq!((left["labeled"].as_u64(), left["looked_at"].as_u64()), (Some(labeled), Some(1500 - labeled)));
    // Groups are certified as a whole.
    let groups = folder.json("negatives m.onesided new.csv --group who --out g.csv");
    assert_eq!((&groups["unit"], &groups["looked_at"]), (&"groups".into(), &375.into()));
    assert_eq!(groups["rows"].as_u64().unwrap(), 4 * groups["certified"].as_u64().unwrap());
    assert_eq!(
        std::fs::read_to_string(folder.path("g.csv")).unwrap().lines().next(),
        Some("row,score,p_value")
    );
}

#[test]
fn a_labeled_table_certifies_its_own_rows() {
    let folder = Folder::new("certified-table");
    let train = table(0, 3000, 30, 2);
    folder.write("train.csv", &train);
    let flags = QUICK.replace("--drop id", "--drop who --drop id");
    let said = folder.run(&format!("negatives train.csv {flags} --id id --out list.csv"));
    assert_eq!(said.code, 0, "{said:?}");
    let (positive, rows) = wrong(&folder, "list.csv", &train);
    assert!(rows > 1500 && positive * 10 < rows, "{positive} of {rows}: {}", said.stdout);
    let labeled: Vec<bool> = train.lines().skip(1).map(|line| line.contains(",1,1")).collect();
    let list = std::fs::read_to_string(folder.path("list.csv")).unwrap();
    assert!(
        list.lines()
            .skip(1)
            .all(|line| !labeled[line.split(',').next().unwrap().parse::<usize>().unwrap() - 1])
    );
    // Half of the positives calibrate, or as many as --reserve says; the same seed gives the same bytes.
    let object = folder.json(&format!("negatives train.csv {flags}"));
    let positives = labeled.iter().filter(|labeled| **labeled).count() as u64;
    assert_eq!(object["reserved"].as_u64(), Some((positives as f64 / 2.0).round() as u64));
    assert_eq!(folder.json(&format!("negatives train.csv {flags} --reserve 120"))["reserved"], 120);
    folder.run(&format!("negatives train.csv {flags} --id id --out again.csv"));
    assert_eq!(list, std::fs::read_to_string(folder.path("again.csv")).unwrap());
    // A column that is kept is learned from all the same.
    folder.run(&format!("negatives train.csv {flags} --id id --keep a --out kept.csv"));
    let kept = std::fs::read_to_string(folder.path("kept.csv")).unwrap();
    assert_eq!((kept.lines().next(), kept.lines().count()), (Some("row,score,p_value,id,a"), rows + 1));
    let several = folder.json(&format!("negatives train.csv {flags} --splits 3 --out three.csv"));
    assert_eq!((&several["splits"], several["rows"].as_u64().unwrap() > 800), (&3.into(), true));
    let three = std::fs::read_to_string(folder.path("three.csv")).unwrap();
    assert_eq!(three.lines().next(), Some("row,score,e_value"));
    let groups = folder.json(&format!("negatives train.csv {QUICK} --group who"));
    assert_eq!(groups["unit"], "groups");
    assert!(groups["looked_at"].as_u64().unwrap() < 750, "{groups}");
}

#[test]
fn what_cannot_be_certified_is_refused_or_says_what_it_takes() {
    let folder = Folder::new("certified-refused");
    folder.write("train.csv", table(0, 400, 30, 2));
    folder.write("new.csv", table(5000, 300, 30, 2));
    folder.write("empty.csv", "id,who,a,b,y,t\n");
    folder.write("nothing.csv", "");
    let fit = format!("fit train.csv {QUICK} --drop who");
    assert_eq!(folder.run(&format!("{fit} --out plain.onesided")).code, 0);
    assert_eq!(folder.run(&format!("{fit} --reserve 4 --out m.onesided")).code, 0);
    for (command, told) in [
        ("negatives plain.onesided new.csv", "no reserved positives"),
        ("negatives m.onesided train.csv", "fitted on these very rows and cannot certify them"),
        (
            "negatives m.onesided new.csv --fdr 0",
            "--fdr: the share of positives in the list (fdr) must lie strictly between 0 and 1",
        ),
        ("negatives m.onesided new.csv --fdr 1", "must lie strictly between 0 and 1, but is 1"),
        ("negatives m.onesided new.csv --fdr x", "--fdr must be a share"),
        ("negatives m.onesided new.csv --labeling-odds 0.5", "the labeling odds must lie between 1"),
        ("negatives m.onesided new.csv --method trees", "--method says how to learn"),
        ("negatives m.onesided new.csv --splits 3", "--splits says how to learn"),
        ("negatives m.onesided nothing.csv", "nothing.csv"),
        ("negatives train.csv", "name the label column"),
        ("negatives train.csv --label y --splits 0", "--splits must be at least 1"),
        (
            "negatives train.csv --label y --drop t --reserve 100",
            "100 positives cannot be set aside: there are",
        ),
        ("negatives - --label y", "cannot come from standard input"),
        ("negatives new.csv m.onesided", "name the model first"),
    ] {
        let message = folder.refused(command);
        assert!(message.contains(told), "{command}: {message}");
    }
    assert_eq!(folder.run("negatives m.onesided empty.csv").code, 3);
    // Four reserved positives: an answer, and an empty list with its header.
    let said = folder.run("negatives m.onesided new.csv --fdr 0.001 --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stdout.starts_with("none of 300 rows can be certified with 4 reserved positives: ")
            && said.stdout.contains("to certify so few takes about"),
        "{}",
        said.stdout
    );
    assert_eq!(std::fs::read_to_string(folder.path("list.csv")).unwrap(), "row,score,p_value\n");
    // Columns of other units are no new rows.
    let moved: String = table(5000, 300, 30, 2)
        .lines()
        .map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [id, who, a, b, y, t] => match a.parse::<f64>() {
                Ok(a) => format!("{id},{who},{},{b},{y},{t}\n", 1000.0 * a + 9e4),
                Err(_) => format!("{line}\n"),
            },
            _ => String::new(),
        })
        .collect();
    folder.write("moved.csv", moved);
    let message = folder.refused("negatives m.onesided moved.csv");
    assert!(message.contains("no row can be certified: column 'a' holds something else"), "{message}");
}

/// Labels for the positives that are easy to tell, and a share that says how many hidden ones there are: the lists would be positives by a third.
#[test]
fn nothing_is_certified_where_random_labels_are_refuted_or_given_up() {
    let folder = Folder::new("certified-refuted");
    let easy: String = table(0, 2000, 30, 1)
        .lines()
        .map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [id, who, a, b, "1", t] => {
                format!("{id},{who},{a},{b},{},{t}\n", u32::from(a.parse::<f64>().unwrap() > 1.8))
            }
            _ => format!("{line}\n"),
        })
        .collect();
    folder.write("easy.csv", easy);
    folder.write("train.csv", table(0, 2000, 30, 2));
    folder.write("new.csv", table(5000, 600, 30, 2));
    let flags = format!("{QUICK} --drop who");
    assert_eq!(folder.run(&format!("fit easy.csv {flags} --reserve 60 --out m.onesided")).code, 0);
    for command in
        ["negatives m.onesided new.csv --out l.csv", &format!("negatives easy.csv {flags} --out l.csv")]
    {
        let message = folder.refused(command);
        assert!(
            message.contains("no row can be certified: share and labels do not fit together"),
            "{message}"
        );
    }
    // Labels that are said to be of another kind are not those of the bound, unless odds allow for them.
    let message = folder.refused(&format!("negatives train.csv {flags} --labeling easy-first --out l.csv"));
    assert!(
        message.contains("labels are taken to favor likely positives, and the bound is for random ones"),
        "{message}"
    );
    let allowed =
        folder.json(&format!("negatives train.csv {flags} --labeling easy-first --labeling-odds 2"));
    assert!(allowed["rows"].as_u64() > Some(0), "{allowed}");
    let message = folder.refused(&format!("negatives train.csv {flags} --labeling-depends-on b --out l.csv"));
    assert!(message.contains("--labeling-depends-on") && message.contains("labels at random"), "{message}");
    assert!(!folder.files().contains(&"l.csv".to_string()));
}

#[test]
fn an_audit_names_the_longest_first_part_or_what_it_takes() {
    let folder = Folder::new("certified-audit");
    let train = table(0, 2000, 30, 2);
    folder.write("train.csv", &train);
    let fit = format!("fit train.csv {QUICK} --drop who");
    assert_eq!(folder.run(&format!("{fit} --out m.onesided")).code, 0);
    folder.run(&format!("{fit} --seed 3 --option cost=0.01 --out other.onesided"));
    assert_eq!(
        folder.run("audit draw m.onesided train.csv --rows 500 --top 100,200,300 --out ask.csv").code,
        0
    );
    let truth: Vec<&str> = train.lines().skip(1).collect();
    let ask = std::fs::read_to_string(folder.path("ask.csv")).unwrap();
    let mut lines = ask.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (row, answer) = (at("row"), at("positive"));
    let mut filled = header.join(",") + "\n";
    for line in lines {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        let number: usize = cells[row].parse().unwrap();
        cells[answer] = if truth[number - 1].ends_with(",1") { "yes" } else { "no" }.to_string();
        filled += &(cells.join(",") + "\n");
    }
    folder.write("answers.csv", filled);
    let found = folder.json("audit read m.onesided answers.csv --precision 0.7");
    let longest = &found["first_part"]["longest"];
    assert!(longest["rows"].as_u64().is_some_and(|rows| rows >= 100), "{found}");
    let said = folder.run("audit read m.onesided answers.csv --precision 0.7");
    assert!(said.stdout.contains("at least 0.7 of the first"), "{}", said.stdout);
    let strict = folder.json("audit read m.onesided answers.csv --precision 0.999");
    assert!(strict["first_part"]["longest"].is_null(), "{strict}");
    assert!(folder.json("audit read m.onesided answers.csv").get("first_part").is_none());
    for (flags, told) in [
        ("m.onesided answers.csv --precision 1", "precision must lie strictly between 0 and 1"),
        ("m.onesided answers.csv --precision x", "--precision must be a share"),
        ("other.onesided answers.csv --precision 0.9", "is an audit of another model"),
    ] {
        let message = folder.refused(&format!("audit read {flags}"));
        assert!(message.contains(told), "{message}");
    }
}
