//! No crate is a knot: modules that use each other in a circle are few.
//!
//! A module is a file or a folder at the root of a crate. It uses another where it names it (`crate::frame::…`), or names
//! something that the crate's root takes from it (`crate::Frame`). Tests at the end of a file do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// As many modules may be one circle.
const MOST: usize = 5;

type Uses = BTreeMap<String, BTreeMap<String, String>>;

fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all: Vec<PathBuf> =
        fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    all.push(root.join("bindings/python/src"));
    all.sort();
    all
}

/// All Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// The text of a file without comments and tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Every word of `use` lists and paths.
fn words(text: &str) -> Vec<&str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()).collect()
}

/// What comes after `crate::` in a text: one name, or those of a list.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for after in text.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => {
                names.extend(words(list.split('}').next().unwrap()).into_iter().map(str::to_string))
            }
            None => names.extend(words(after).first().map(ToString::to_string)),
        }
    }
    names
}

/// Which module the crate's root takes a name from.
fn sources(root: &Path) -> BTreeMap<String, String> {
    let text = code(root);
    let mut from = BTreeMap::new();
    for taken in text.split("use ").skip(1) {
        let Some((module, names)) = taken.split(';').next().unwrap().split_once("::") else { continue };
        words(names).into_iter().for_each(|name| {
            from.insert(name.to_string(), module.trim().to_string());
        });
    }
    from
}

/// Who uses whom among the modules of a crate, and the file where it does.
fn uses(folder: &Path) -> Uses {
    let module = |path: &Path| {
        let first = path.strip_prefix(folder).unwrap().components().next().unwrap();
        Path::new(first.as_os_str()).file_stem().unwrap().to_string_lossy().into_owned()
    };
    let all = files(folder);
    let modules: BTreeSet<String> = all.iter().map(|path| module(path)).collect();
    let sources = sources(&folder.join("lib.rs"));
    let mut uses = Uses::new();
    for path in all.iter().filter(|path| !matches!(module(path).as_str(), "lib" | "main")) {
        let own = module(path);
        for name in named(&code(path)) {
            let other = if modules.contains(&name) { Some(&name) } else { sources.get(&name) };
            let Some(other) = other.filter(|other| modules.contains(*other) && **other != own) else {
                continue;
            };
            let at = path.strip_prefix(folder).unwrap().display().to_string();
            uses.entry(own.clone()).or_default().entry(other.clone()).or_insert(at);
        }
    }
    uses
}

/// The modules that can be reached from one.
fn reached(uses: &Uses, from: &str) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(module) = open.pop() {
        for next in uses.get(&module).into_iter().flat_map(BTreeMap::keys) {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// The largest set of modules of which each reaches each other.
fn largest_circle(uses: &Uses) -> BTreeSet<String> {
    let all: BTreeMap<&String, BTreeSet<String>> =
        uses.keys().map(|module| (module, reached(uses, module))).collect();
    let circle = |module: &String| -> BTreeSet<String> {
        let back = |other: &&String| all.get(other).is_some_and(|reached| reached.contains(module));
        all[module].iter().filter(back).cloned().collect()
    };
    uses.keys().map(circle).max_by_key(BTreeSet::len).unwrap_or_default()
}

/// The edge without which the circle is smallest.
fn closing_edge(uses: &Uses, circle: &BTreeSet<String>) -> (usize, String) {
    let edges = circle.iter().flat_map(|from| uses[from].iter().map(move |(to, at)| (from, to, at)));
    let without = |(from, to, at): (&String, &String, &String)| {
        let mut fewer = uses.clone();
        fewer.get_mut(from).unwrap().remove(to);
        (largest_circle(&fewer).len(), format!("{from} -> {to} ({at})"))
    };
    edges.filter(|(_, to, _)| circle.contains(*to)).map(without).min().unwrap()
}

#[test]
fn no_crate_has_a_large_circle_of_modules() {
    let mut knots = Vec::new();
    for folder in crates() {
        let uses = uses(&folder);
        let circle = largest_circle(&uses);
        if circle.len() > MOST {
            let (left, edge) = closing_edge(&uses, &circle);
            knots.push(format!("{}: {circle:?}; without {edge} there are {left}", folder.display()));
        }
    }
    assert!(
        knots.is_empty(),
        "modules use each other in a circle of more than {MOST}:\n{}",
        knots.join("\n")
    );
}

#[test]
fn a_circle_is_found_and_its_edge_named() {
    let edge =
        |from: &str, to: &str| (from.to_string(), BTreeMap::from([(to.to_string(), "x.rs".to_string())]));
    let uses = Uses::from([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("d", "a")]);
    let circle = largest_circle(&uses);
    assert_eq!(circle.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(closing_edge(&uses, &circle), (0, "a -> b (x.rs)".to_string()));
    assert_eq!(
        named("use crate::{Frame, read::Source};\ncrate::dates::DAY"),
        ["Frame", "read", "Source", "dates"]
    );
}
