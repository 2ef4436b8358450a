//! The book holds together: its index lists every page, links lead somewhere, and the guide's commands do what it shows.
//!
//! A command of a page is an indented line that starts with `onesided`, with `head` to show a file, or that leads into `onesided` by
//! a pipe. A block of text behind commands shows lines of what they print; `…` stands for whatever is left out. Numbers may differ a little, since machines
//! round differently, and seconds by any amount.

use crate::folder::{Folder, Said};
use onesided::data::{OutColumn, write_table};
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pages whose commands are run, top to bottom, in a folder with `examples/`, some pictures and the tables that they name.
const RUN: [&str; 21] = [
    "README.md",
    "docs/start.md",
    "docs/tables.md",
    "docs/negatives.md",
    "docs/large-tables.md",
    "docs/texts.md",
    "docs/pictures.md",
    "docs/prior.md",
    "docs/trust.md",
    "docs/list.md",
    "docs/explain.md",
    "docs/reviewing.md",
    "docs/first-rows.md",
    "docs/audit.md",
    "docs/labeling-odds.md",
    "docs/certified.md",
    "docs/watch.md",
    "docs/methods.md",
    "docs/classic.md",
    "docs/theory.md",
    "docs/bound.md",
];

/// What is not run: a GPU, pictures at full length, what only measures the machine, and answers that nobody has filled in.
const LEFT_OUT: [&str; 6] = [
    "--device cuda",
    "onesided bench",
    "rest/ --out model.safetensors",
    "predict model.safetensors new/",
    "audit read model.safetensors to_label.csv",
    "--audit to_label.csv",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}

/// What is between `](` and `)`, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || line.starts_with("    ") {
            continue;
        }
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        found
            .extend(outside.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_string())));
    }
    found
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> HashSet<String> {
    let mut fenced = false;
    let mut found = HashSet::new();
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    found
}

#[test]
fn the_index_lists_every_page_once() {
    let docs = root().join("docs");
    let mut listed = links(&read(&docs.join("SUMMARY.md")));
    let mut pages: Vec<String> = markdown_in(&docs)
        .iter()
        .chain(&markdown_in(&docs.join("gallery")))
        .map(|path| path.strip_prefix(&docs).unwrap().to_string_lossy().replace('\\', "/"))
        .filter(|name| name != "SUMMARY.md")
        .collect();
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn links_lead_somewhere() {
    let mut pages = markdown_in(&root());
    pages.extend(markdown_in(&root().join("docs")));
    pages.extend(markdown_in(&root().join("docs/gallery")));
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        pages.extend(markdown_in(&entry.unwrap().path()));
    }
    let mut checked = 0;
    for page in pages {
        for link in links(&read(&page)) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{} links to {link}, which is not there", page.display());
            if !anchor.is_empty() {
                let anchors = anchors(&read(&target));
                assert!(anchors.contains(anchor), "{} links to {link}: no such heading", page.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} links");
}

/// Files that pages for contributors name are there.
#[test]
fn named_files_are_there() {
    let mut checked = 0;
    for page in [
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "RELEASE.md",
        "SECURITY.md",
        "docs/decisions.md",
        "docs/departures.md",
        "docs/dependencies.md",
    ] {
        for name in read(&root().join(page)).split('`').skip(1).step_by(2) {
            let is_path = ["crates/", "docs/", "benches/", "bindings/", "experiments/"].iter();
            if is_path.clone().any(|folder| name.starts_with(folder)) && !name.contains(['*', '{', ' ', '…'])
            {
                assert!(root().join(name).exists(), "{page} names {name}, which is not there");
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked} files");
}

/// Commands, and what the page says they print.
#[derive(Debug, Default)]
struct Step {
    commands: Vec<String>,
    shown: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block: Option<bool> = None;
    let mut was_command = false;
    for line in text.lines() {
        if line.starts_with("```") {
            // A block belongs to the commands above it only if it shows text, with nothing but an empty line between.
            block = if block.is_some() { None } else { Some(line == "```text" && was_command) };
            was_command = false;
            continue;
        }
        match block {
            Some(true) => steps.last_mut().unwrap().shown.push(line.to_string()),
            Some(false) => {}
            None if line.is_empty() => {}
            None => {
                let typed = line.strip_prefix("    ").filter(|line| {
                    let runs = line.starts_with("onesided ") || line.starts_with("head ") || is_pipe(line);
                    runs && !LEFT_OUT.iter().any(|part| line.contains(part))
                });
                if let Some(typed) = typed {
                    if !was_command {
                        steps.push(Step::default());
                    }
                    steps.last_mut().unwrap().commands.push(typed.to_string());
                }
                was_command = typed.is_some();
            }
        }
    }
    steps
}

fn is_pipe(line: &str) -> bool {
    line.contains(" | onesided ")
}

/// Runs a command up to a pipe or a comment; returns its exit code and everything it said.
fn run(folder: &Folder, typed: &str) -> (i32, String) {
    if is_pipe(typed) {
        return run_pipe(folder, typed);
    }
    let typed = typed.split(['|', '#']).next().unwrap().trim();
    // A formula between double quotes is one word.
    let words: Vec<String> = typed
        .split('"')
        .enumerate()
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_string).collect(),
            _ => vec![part.to_string()],
        })
        .collect();
    if let [head, _, file] = &words[..]
        && head == "head"
    {
        return (0, read(&folder.path(file)));
    }
    let Said { code, stdout, stderr } = Said::of(folder.command("").args(&words[1..]).output().unwrap());
    (code, stderr + &stdout)
}

/// What leads into the command is a shell's.
fn run_pipe(folder: &Folder, typed: &str) -> (i32, String) {
    if cfg!(windows) {
        return (0, String::new());
    }
    let command = typed.replace(" | onesided ", &format!(" | {} ", env!("CARGO_BIN_EXE_onesided")));
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let Said { code, stdout, stderr } = Said::of(output);
    (code, stderr + &stdout)
}

fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || "[](),".contains(c)).filter(|word| !word.is_empty()).collect()
}

/// Whether a printed line is the one that the page shows, up to `…` and the last digits of numbers.
fn is_shown(shown: &str, printed: &str) -> bool {
    let (shown, open) = match shown.strip_suffix('…') {
        Some(beginning) => (beginning, true),
        None => (shown, false),
    };
    let (shown, printed) = (words(shown), words(printed));
    let alike = |(shown, printed): (&&str, &&str)| match (shown.parse::<f64>(), printed.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 0.05 * a.abs().max(0.1),
        _ => shown == printed,
    };
    // What comes before "s" is a time.
    let is_time = |at: usize| shown.get(at + 1) == Some(&"s");
    let enough = if open { printed.len() >= shown.len() } else { printed.len() == shown.len() };
    enough && shown.iter().zip(&printed).enumerate().all(|(at, pair)| is_time(at) || alike(pair))
}

/// `good/`, `rest/` and `new/`: small gray pictures, bright ones among them.
fn write_pictures(folder: &Folder) {
    for (name, count) in [("good", 30), ("rest", 60), ("new", 10)] {
        fs::create_dir_all(folder.path(name)).unwrap();
        for i in 0..count {
            let bright = name == "good" || i % 3 == 0;
            let pixel = |at: u32| (if bright { 150 } else { 40 }) + ((i * 31 + at * 17) % 60) as u8;
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 8, 8);
            encoder.set_color(png::ColorType::Grayscale);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&(0..64).map(pixel).collect::<Vec<u8>>()).unwrap();
            writer.finish().unwrap();
            folder.write(&format!("{name}/{i}.png"), bytes);
        }
    }
}

/// A text table of the examples, as its header and rows.
fn example(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = read(&root().join("examples").join(name));
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    (lines.next().unwrap(), lines.collect())
}

/// The same table in the format that the name says, with another name for a column.
fn write_example(folder: &Folder, from: &str, to: &str, renamed: (&str, &str)) {
    let (header, rows) = example(from);
    let columns: Vec<(&str, OutColumn)> = header
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let cells = rows.iter().map(|row| row[at].clone());
            let column = match rows[0][at].parse::<f64>() {
                Ok(_) => OutColumn::F64(cells.map(|cell| cell.parse().unwrap()).collect()),
                Err(_) => OutColumn::Text(cells.collect()),
            };
            (if name == renamed.0 { renamed.1 } else { name.as_str() }, column)
        })
        .collect();
    write_table(&folder.path(to), &columns).unwrap();
}

/// Positives, known negatives and the others, in one table and in three.
fn write_cases(folder: &Folder) {
    let (header, rows) = example("new.csv");
    let at = |name: &str| header.iter().position(|other| other == name).unwrap();
    let [mut fraud, mut cleared, mut rest] = ["x1,x2,x3\n"; 3].map(str::to_string);
    let mut all = "x1,x2,x3,outcome\n".to_string();
    for (number, row) in rows.iter().enumerate() {
        let numbers = row[at("x1")..=at("x3")].join(",");
        let (file, outcome) = match row[at("truth")].as_str() {
            "1" if number % 2 == 0 => (&mut fraud, "fraud"),
            "0" if number % 5 == 0 => (&mut cleared, "cleared"),
            _ => (&mut rest, "open"),
        };
        file.push_str(&format!("{numbers}\n"));
        all.push_str(&format!("{numbers},{outcome}\n"));
    }
    for (name, text) in [
        ("fraud.csv", &fraud),
        ("cleared.csv", &cleared),
        ("rest.csv", &rest),
        ("cases.csv", &all),
        ("new.csv", &all),
    ] {
        folder.write(name, text);
    }
}

/// The tables that a page names.
fn write_tables(folder: &Folder, page: &str) {
    let same = ("", "");
    match page {
        "docs/tables.md" => {
            write_example(folder, "train.csv", "customers.xlsx", ("y", "churned"));
            write_example(folder, "new.csv", "new.csv", same);
        }
        "docs/negatives.md" => write_cases(folder),
        "docs/large-tables.md" => {
            write_example(folder, "train.csv", "table.parquet", same);
            write_example(folder, "new.csv", "new.parquet", same);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(read(&root().join("examples/new.csv")).as_bytes()).unwrap();
            folder.write("export.csv.gz", packed.finish().unwrap());
            let made =
                folder.run("fit -v table.parquet --label y --method weighted-lr --out model.safetensors");
            assert_eq!(made.code, 0, "{made:?}");
        }
        "docs/methods.md" => write_example(folder, "train.csv", "table.csv", same),
        _ => {}
    }
}

#[test]
fn pages_show_what_their_commands_print() {
    for page in RUN {
        let folder = Folder::new(&format!("book-{}", page.replace('/', "-")));
        fs::create_dir_all(folder.path("examples")).unwrap();
        for table in ["train.csv", "new.csv", "posts.csv", "new_posts.csv"] {
            fs::copy(root().join("examples").join(table), folder.path("examples").join(table)).unwrap();
        }
        write_pictures(&folder);
        write_tables(&folder, page);
        let steps = steps(&read(&root().join(page)));
        assert!(!steps.is_empty(), "{page} has no commands");
        for step in steps {
            let refused = step.shown.iter().any(|line| line.starts_with("error: "));
            let mut said = String::new();
            for command in &step.commands {
                let (code, text) = run(&folder, command);
                assert_eq!(code, if refused { 2 } else { 0 }, "{page}: {command}\n{text}");
                said.push_str(&text);
            }
            for shown in step.shown.iter().filter(|line| line.as_str() != "…" && !line.is_empty()) {
                let found = said.lines().any(|line| is_shown(shown, line));
                assert!(found, "{page} shows\n{shown}\nwhich is not in\n{said}");
            }
        }
    }
}

#[test]
fn a_page_that_is_out_of_date_is_found() {
    let printed = "accuracy  0.823  [0.798, 0.847]   share of the rows that are called right";
    assert!(is_shown("accuracy 0.825 …", printed) && is_shown(printed, printed));
    for old in [
        "accuracy 0.723 …",
        "accuracy 0.823",
        "precision 0.823 …",
        "accuracy 0.823 [0.798, 0.847] share of rows",
    ] {
        assert!(!is_shown(old, printed), "{old}");
    }
    assert!(
        is_shown("wrote m in 0.6 s", "wrote m in 31.9 s")
            && !is_shown("wrote m in 0.6 s", "wrote n in 0.6 s")
    );
    let page = "Text.\n\n    onesided a\n    onesided b | head -1\n\n```text\nshown\n```\n\nMore.\n\n```text\nfree\n```\n    head -2 c\n";
    let steps = steps(page);
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0].commands, ["onesided a", "onesided b | head -1"]);
    assert_eq!(
        (steps[0].shown.as_slice(), steps[1].commands.as_slice()),
        (&["shown".to_string()][..], &["head -2 c".to_string()][..])
    );
    assert!(steps[1].shown.is_empty());
}
