//! The book holds together: its index lists every page, links lead somewhere, and the guide's commands do what it shows.
//!
//! A command of a page is an indented line that starts with `onesided`. A block of text behind commands shows lines of what
//! they print, in order; `…` stands for whatever is left out. Numbers may differ a little, since machines round differently.

mod folder;

use folder::{Folder, Said};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages whose commands are run, top to bottom, in a folder with `examples/` and some pictures.
const RUN: [&str; 4] = ["start.md", "texts.md", "pictures.md", "trust.md"];

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

/// What stands between `](` and `)`, outside of code.
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
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
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
    for page in ["CONTRIBUTING.md", "ARCHITECTURE.md", "RELEASE.md", "SECURITY.md"] {
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
            // A block belongs to the commands above it only if it shows text.
            block = if block.is_some() { None } else { Some(line == "```text") };
            continue;
        }
        match block {
            Some(true) => steps.last_mut().expect("commands come first").shown.push(line.to_string()),
            Some(false) => {}
            None => {
                let command = line.strip_prefix("    onesided ");
                if let Some(command) = command {
                    if !was_command {
                        steps.push(Step::default());
                    }
                    steps.last_mut().unwrap().commands.push(command.to_string());
                }
                was_command = command.is_some();
            }
        }
    }
    steps
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
    let enough = if open { printed.len() >= shown.len() } else { printed.len() == shown.len() };
    enough && shown.iter().zip(&printed).all(alike)
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

#[test]
fn the_guide_does_what_it_shows() {
    for page in RUN {
        let folder = Folder::new(&format!("book-{page}"));
        fs::create_dir_all(folder.path("examples")).unwrap();
        for table in ["train.csv", "new.csv", "posts.csv", "new_posts.csv"] {
            fs::copy(root().join("examples").join(table), folder.path("examples").join(table)).unwrap();
        }
        write_pictures(&folder);
        let steps = steps(&read(&root().join("docs").join(page)));
        assert!(!steps.is_empty(), "{page} has no commands");
        for step in steps {
            let mut printed = String::new();
            for command in &step.commands {
                let Said { code, stdout, stderr } = folder.run(command);
                assert_eq!(code, 0, "{page}: onesided {command}\n{stderr}");
                printed.push_str(&stderr);
                printed.push_str(&stdout);
            }
            for shown in step.shown.iter().filter(|line| line.as_str() != "…" && !line.is_empty()) {
                let found = printed.lines().any(|line| is_shown(shown, line));
                assert!(found, "{page} shows\n{shown}\nwhich is not in\n{printed}");
            }
        }
    }
}
