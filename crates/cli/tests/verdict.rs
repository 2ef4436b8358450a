//! What `fit` says: a verdict that fits on a screen, with one warning for each cause; all of it for whoever asks.

use crate::folder::{Folder, QUICK, table};

/// Lines on standard output and standard error together.
const LINES: usize = 15;

fn lines(folder: &Folder, arguments: &str) -> Vec<String> {
    let said = folder.run(arguments);
    assert_eq!(said.code, 0, "{said:?}");
    said.stderr.lines().chain(said.stdout.lines()).map(str::to_string).collect()
}

/// The line that is about something.
fn about<'l>(lines: &'l [String], what: &str) -> &'l str {
    let found = lines.iter().find(|line| line.starts_with(what));
    found.unwrap_or_else(|| panic!("no line about {what} in {lines:#?}"))
}

#[test]
fn a_fit_is_told_on_a_screen() {
    let folder = Folder::new("verdict");
    folder.write("table.csv", table());
    let flags = [
        "--effort quick",
        "--effort quick --prior 0.3333",
        "--effort quick --report page.html",
        "--method nnpu --model trees --reserve 12 --prior 0.3333",
    ];
    for (at, more) in flags.iter().enumerate() {
        let told =
            lines(&folder, &format!("fit table.csv --label y --drop t {more} --out m{at}.safetensors"));
        assert!(told.len() <= LINES, "{more}: {} lines\n{told:#?}", told.len());
        assert!(about(&told, "learned from").contains("50 positives"), "{told:#?}");
        assert!(about(&told, "learned from").contains("left out: id"), "{told:#?}");
        assert!(about(&told, "assumed").contains("labels are a random sample of the positives"));
        about(&told, "share");
        about(&told, "how good");
        assert!(
            about(&told, "next").contains(&format!("onesided predict m{at}.safetensors table.csv")),
            "{told:#?}"
        );
        assert!(told.iter().any(|line| line.contains("onesided audit draw")), "{told:#?}");
        assert!(about(&told, "wrote").contains(&format!("m{at}.safetensors")), "{told:#?}");
    }
    let told =
        lines(&folder, "fit table.csv --label y --drop t --prior 0.3333 --effort quick --out m.safetensors");
    assert!(
        about(&told, "how good").contains("; naive, every unlabeled row taken for a negative, 0."),
        "{told:#?}"
    );
    assert!(
        about(&told, "share")
            .contains("0.333 in the population (given), 0.2 in the unlabeled rows (derived)")
    );
    assert!(
        about(&told, "decisions").contains("accuracy 0.") && about(&told, "decisions").contains("recall")
    );
}

/// What the verdict leaves out is there with -v and with --json.
#[test]
fn the_rest_is_there_when_asked_for() {
    let folder = Folder::new("verdict-rest");
    folder.write("table.csv", table());
    let fit = format!("fit table.csv {QUICK} --out m.safetensors");
    let (short, long) = (lines(&folder, &fit), lines(&folder, &format!("{fit} -v")));
    let line = |lines: &[String], part: &str| lines.iter().any(|line| line.contains(part));
    for part in
        ["columns read:", "scenario: single-sample", "held-out risk", "AUC of labeled rows  ", "2 features"]
    {
        assert!(line(&long, part), "{part}: {long:#?}");
    }
    for part in ["columns read:", "scenario: single-sample", "harmonic mean"] {
        assert!(!line(&short, part), "{part}: {short:#?}");
    }
    // The verdict is the end of both.
    assert_eq!(about(&short, "learned from"), about(&long, "learned from"));
    assert_eq!(about(&short, "how good"), about(&long, "how good"));
    let object = folder.json(&fit);
    assert_eq!(object["scenario"], "single-sample");
    assert!(object["metrics"]["f1"].is_number() && object["columns"].is_array(), "{object}");
}

/// A column that gives the labels away, copies of labeled rows and cells that are no numbers: three causes, the gravest first.
#[test]
fn one_warning_for_each_cause() {
    let folder = Folder::new("verdict-causes");
    let mut text = String::from("a,b,tells,y\n");
    for i in 0..1_200u32 {
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 9973) / 9973.0;
        let labeled = i % 6 == 0;
        let a = noise(1) + if i % 3 == 0 { 0.4 } else { 0.0 };
        let b = if i % 100 == 7 { "much".to_string() } else { format!("{:.4}", noise(2)) };
        let tells = if labeled { 2.0 + noise(3) } else { noise(3) };
        text.push_str(&format!("{a:.4},{b},{tells:.4},{}\n", u32::from(labeled)));
    }
    folder.write("x.csv", text);
    let fit = "fit x.csv --label y --prior 0.3 --effort quick --out m.safetensors";
    let said = folder.run(fit);
    assert_eq!(said.code, 0, "{said:?}");
    let warnings: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    let at = |part: &str| warnings.iter().position(|line| line.contains(part));
    let (tells, cells) = (at("told apart almost perfectly by tells"), at("unlike the rest of their column"));
    assert!(tells.is_some() && tells < cells, "{said:?}");
    assert!(warnings.iter().filter(|line| line.contains("told apart")).count() == 1, "{said:?}");
    assert!(said.stderr.lines().count() + said.stdout.lines().count() <= LINES, "{said:?}");
    assert!(warnings[tells.unwrap()].contains("--drop tells"), "the way out is named: {said:?}");
    // Each is among what --json tells.
    let told = folder.json(fit)["warnings"].to_string();
    assert!(told.contains("told apart almost perfectly") && told.contains("unlike the rest"), "{told}");
    // A quiet run says the warnings and nothing else.
    let quiet = folder.run(&format!("{fit} -q"));
    assert_eq!((quiet.code, quiet.stdout.as_str()), (0, ""), "{quiet:?}");
    assert!(quiet.stderr.lines().all(|line| line.starts_with("warning: ")), "{quiet:?}");
}
