//! What ARCHITECTURE.md says of who uses whom is what the manifests say.

use std::collections::BTreeMap;
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

/// Whether one crate uses another, at any depth.
fn reaches(from: &str, to: &str) -> bool {
    dependencies(from).iter().any(|one| one == to || reaches(one, to))
}
