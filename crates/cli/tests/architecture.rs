//! What ARCHITECTURE.md says of who uses whom is what the manifests say.

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
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = page.split("\n## Dependencies\n").nth(1).unwrap();
    let table: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
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
