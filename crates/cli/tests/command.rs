//! Tests of the command: what it prints, what it writes and what it refuses. One program of many modules, since linking one per file takes
//! longer than running them. A test that needs a process of its own is a file of its own (`same_without_memory.rs`).

mod folder;

mod architecture;
mod assumptions;
mod audits;
mod bad_input;
mod bench;
mod blank_rows;
mod bombs;
mod book;
mod bound;
mod cells;
mod certified;
mod classic;
mod cycles;
mod data;
mod elicit;
mod endings;
mod equal_rows;
mod experiment;
mod export;
mod exports;
mod few_labels;
mod figure;
mod fitted_table;
mod fresh;
mod groups;
mod happy;
mod hostile_files;
mod kinds;
mod labeling;
mod links;
mod list;
mod mixed;
mod model_files;
mod negatives;
mod nightly;
mod pictures;
mod pipes;
mod prior;
mod promises;
mod replaced;
mod report;
mod same_everywhere;
mod schemas;
mod settings;
mod shell;
mod stream;
mod terminal;
mod texts;
mod trust;
mod verdict;
mod watch;
mod wide;

/// A file that is not named above would never run.
#[test]
fn every_file_of_tests_is_a_module_here() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let own = include_str!("command.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) =
            name.strip_suffix(".rs").filter(|name| !["command", "same_without_memory"].contains(name))
        {
            assert!(own.contains(&format!("\nmod {name};\n")), "tests/command.rs does not name {name}");
        }
    }
}
