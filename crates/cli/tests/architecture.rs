//! What ARCHITECTURE.md and docs/dependencies.md say of who uses whom is what the manifests say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates of ours that a manifest names under `[dependencies]`, without the prefix `onesided-`.
fn dependencies(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("crates").join(folder).join("Cargo.toml")).unwrap();
    let section = text.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap().to_string();
    let ours = section.lines().filter(|line| line.starts_with("onesided"));
    ours.map(|line| {
        let name: String = line.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        name.strip_prefix("onesided-").unwrap_or(&name).to_string()
    })
    .collect()
}

#[test]
fn the_table_of_rooms_is_true() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(page.split_whitespace().count() <= 1500, "a newcomer reads it in ten minutes");
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `crates/")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let folder = cells[0].trim().trim_start_matches("`crates/").split('`').next().unwrap();
        said.insert(folder.to_string(), cells.last().unwrap().trim_end_matches('|').trim().to_string());
    }
    let below_learn =
        ["classic", "data", "eval", "loss", "net", "prior", "trees"].map(str::to_string).to_vec();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().file_name().to_string_lossy().into_owned();
        let mut uses = dependencies(&folder);
        uses.sort();
        let said = said.get(&folder).unwrap_or_else(|| panic!("crates/{folder} is not in the table"));
        match said.as_str() {
            "nothing of ours" => assert!(uses.is_empty(), "{folder}: {uses:?}"),
            "all above" => assert_eq!(uses, below_learn, "{folder}"),
            "learn and what it uses" => {
                assert!(uses.contains(&"learn".to_string()), "{folder}: {uses:?}");
                assert!(
                    uses.iter().all(|one| one == "learn" || below_learn.contains(one)),
                    "{folder}: {uses:?}"
                );
            }
            list => {
                // What a listed crate uses itself may be named in the manifest too.
                let listed: Vec<String> = list.split(", ").map(str::to_string).collect();
                let reached =
                    |one: &String| listed.contains(one) || listed.iter().any(|named| reaches(named, one));
                assert!(uses.iter().all(reached), "{folder}: says {listed:?}, uses {uses:?}");
                assert!(
                    listed.iter().all(|one| uses.contains(one)),
                    "{folder}: says {listed:?}, uses {uses:?}"
                );
            }
        }
    }
}

/// The Python package is named in the same table, with everything of ours that it uses.
#[test]
fn the_row_of_the_python_package_is_true() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with("| `bindings/python`")).unwrap();
    let said = row.trim_end_matches('|').rsplit(" | ").next().unwrap().trim();
    assert_eq!(said.split(", ").map(str::to_string).collect::<Vec<_>>(), dependencies("../bindings/python"));
}

/// Every crate that a member of the workspace depends on has a row that says why, and no row is about one that is gone.
#[test]
fn the_table_of_dependencies_is_complete() {
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let table: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let first = |line: &str| line.split(" | ").next().unwrap().to_string();
    let said: BTreeSet<String> = table
        .iter()
        .flat_map(|line| first(line).split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>())
        .collect();
    let mut manifests: Vec<PathBuf> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("Cargo.toml"))
        .collect();
    manifests.extend(["bindings/python/Cargo.toml", "fuzz/Cargo.toml"].map(|path| root().join(path)));
    let mut used = BTreeSet::new();
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).unwrap();
        for section in text.split("\n[").filter(|section| section.starts_with("dependencies]")) {
            let names =
                section.lines().skip(1).filter_map(|line| line.split_once([' ', '.'])).map(|(name, _)| name);
            let named = |name: &&str| {
                !name.is_empty() && !name.starts_with(['#', ']', '"']) && !name.starts_with("onesided")
            };
            used.extend(names.filter(named).map(str::to_string));
        }
    }
    assert_eq!(used, said);
}

/// The version is written in several files, and raised in all of them.
#[test]
fn one_version_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    let manifest = read("Cargo.toml");
    let ours: Vec<&str> = manifest.lines().filter(|line| line.contains("{ path = \"crates/")).collect();
    assert_eq!(ours.len(), fs::read_dir(root().join("crates")).unwrap().count());
    for line in ours {
        assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
    }
}

/// Whether one crate uses another, at any depth.
fn reaches(from: &str, to: &str) -> bool {
    dependencies(from).iter().any(|one| one == to || reaches(one, to))
}

/// Other people's types in public functions, fields and aliases of the libraries are those that the page lists under
/// "Dependencies in public types". What is public in a private module and left there is listed here.
#[test]
fn foreign_types_in_public_are_the_listed_ones() {
    // Serialize and Deserialize are traits, and derived.
    const FREE: [&str; 3] = ["serde", "thiserror", "std"];
    const PRIVATE: [(&str, &str); 3] = [
        ("crates/table/src/decode/encoding.rs", "encoding_rs"), // a field for its own module
        ("crates/data/src/pictures/resize.rs", "png"),          // pictures for tests
        ("crates/onesided/src/file/lists.rs", "safetensors"),
    ];
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let section =
        page.split("## Dependencies in public types").nth(1).unwrap().split("\nErrors carry").next().unwrap();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().file_name().to_string_lossy().into_owned();
        if folder == "cli" {
            continue; // a command, not an interface
        }
        for file in sources(&root().join("crates").join(&folder).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let name = format!("crates{}", file.to_string_lossy().rsplit_once("/crates").unwrap().1);
            for foreign in imports(text).into_iter().filter(|import| !FREE.contains(&import.0.as_str())) {
                let shows = public_parts(text).iter().any(|part| has_word(part, &foreign.1));
                if shows && !PRIVATE.contains(&(name.as_str(), foreign.0.as_str())) {
                    found.insert((folder.clone(), foreign.0));
                }
            }
        }
    }
    let listed = [("experiment", "serde_json"), ("table", "arrow_array"), ("table", "arrow_schema")];
    assert_eq!(found, listed.map(|(folder, foreign)| (folder.to_string(), foreign.to_string())).into());
    for (folder, foreign) in listed {
        let named = section.contains(foreign) || section.contains(&foreign.replace('_', "-"));
        assert!(named && section.contains(&format!("onesided-{folder}")), "{folder}: {foreign}");
    }
}

/// Every source file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| sources(folder));
    files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .chain(below)
        .collect()
}

/// Names that a file takes from crates that are not ours, and the crates.
fn imports(text: &str) -> Vec<(String, String)> {
    let statements = text.split("\nuse ").skip(1).filter_map(|rest| rest.split(';').next());
    let foreign = statements
        .filter_map(|statement| statement.split_once("::"))
        .filter(|(from, _)| !["crate", "super", "self"].contains(from) && !from.starts_with("onesided"));
    foreign
        .flat_map(|(from, names)| {
            let words = names.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_string);
            words
                .filter(|word| word.starts_with(char::is_uppercase))
                .map(move |word| (from.to_string(), word))
        })
        .collect()
}

/// Signatures of public functions, public fields, tuple structs and aliases.
fn public_parts(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = (0..lines.len()).filter(|&at| {
        lines[at].strip_prefix("pub ").is_some_and(|rest| {
            let field = rest.split_once(':').is_some_and(|(name, _)| !name.contains(' '));
            field || rest.starts_with("fn ") || rest.starts_with("type ") || rest.starts_with("struct ")
        })
    });
    starts
        .map(|at| {
            let mut part = String::new();
            for line in &lines[at..] {
                part.push_str(line);
                part.push(' ');
                if line.ends_with([';', '{', ',', '}'])
                    && part.matches('(').count() == part.matches(')').count()
                {
                    break;
                }
            }
            part
        })
        .collect()
}

/// Whether a text has a name as a separate word.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Public types of a crate by the names that its `lib.rs`, or a public module of it, gives them.
fn public_types(folder: &str) -> BTreeSet<String> {
    let source = root().join("crates").join(folder).join("src");
    let lib = fs::read_to_string(source.join("lib.rs")).unwrap();
    let mut texts = vec![lib.clone()];
    for module in lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        let files = [source.join(format!("{module}/mod.rs")), source.join(format!("{module}.rs"))];
        texts.push(files.iter().find_map(|file| fs::read_to_string(file).ok()).unwrap());
    }
    let mut types = BTreeSet::new();
    for text in texts {
        for used in text.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap()) {
            let from_elsewhere = used.starts_with("onesided_");
            let words = used.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|_| !from_elsewhere);
            let is_type =
                |word: &&str| word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
            types.extend(words.filter(is_type).map(ToString::to_string));
        }
    }
    types
}

#[test]
fn a_type_name_stands_once_in_what_a_user_sees() {
    let mut of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in [
        "onesided",
        "classic",
        "data",
        "eval",
        "learn",
        "prior",
        "loss",
        "net",
        "report",
        "export",
        "experiment",
    ] {
        for name in public_types(folder) {
            of.entry(name).or_default().push(folder.to_string());
        }
    }
    of.retain(|name, folders| {
        // What a crate below gives, another may give on under the same name.
        let prior_again = folders == &["learn".to_string(), "prior".to_string()];
        folders.len() > 1 && !prior_again && name != "Readme"
    });
    assert!(of.is_empty(), "{of:?}");
}
