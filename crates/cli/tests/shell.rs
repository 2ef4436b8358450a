//! What shells, packagers and scripts want: help, completions, manual pages, quiet and verbose runs, specs without a clone.

use crate::folder::{Folder, QUICK, Said, table};
use std::fs;

fn ok(said: Said) -> Said {
    assert_eq!(said.code, 0, "{said:?}");
    said
}

#[test]
fn help_is_a_command_too() {
    let folder = Folder::new("shell-help");
    assert_eq!(ok(folder.run("help fit")).stdout, ok(folder.run("fit -v --help")).stdout);
    assert_eq!(ok(folder.run("help audit draw")).stdout, ok(folder.run("audit draw --help")).stdout);
    let fit = ok(folder.run("fit -v --help")).stdout;
    let at = |text: &str| fit.find(text).unwrap_or_else(|| panic!("{text} is not in\n{fit}"));
    // Headings come in the order of what people set first, and examples at the end.
    assert!(at("\nColumns:") < at("\nWhat is learned:"));
    assert!(at("\nWhat is learned:") < at("\nNetworks:") && at("\nNetworks:") < at("\nEvery command:"));
    assert!(at("\nEvery command:") < at("\nExamples:\n  onesided fit train.csv --label y"));
    assert!(folder.refused("help fitt").contains("fitt"));
    assert!(folder.refused("fitt").contains("did you mean 'onesided fit'?"));
    assert!(!fit.contains('\u{1b}'), "colors are for terminals");
}

#[test]
fn completions_know_every_command_and_flag() {
    let folder = Folder::new("shell-completions");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = ok(folder.run(&format!("completions {shell}"))).stdout;
        for name in ["predict", "importance", "learning-rate", "max-unlabeled", "safe-csv"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    assert!(folder.refused("completions tcsh").contains("'tcsh' is unknown; use bash"));
    assert!(folder.refused("completions").contains("<SHELL>"));
}

#[test]
fn manual_pages() {
    let folder = Folder::new("shell-man");
    assert!(ok(folder.run("man")).stdout.contains(".TH onesided 1"));
    assert!(ok(folder.run("man predict")).stdout.contains("safe\\-csv"));
    fs::create_dir_all(folder.path("man1")).unwrap();
    ok(folder.run("man --dir man1"));
    let page = fs::read_to_string(folder.path("man1/onesided-predict.1")).unwrap();
    assert_eq!(page, folder.run("man predict").stdout);
    assert!(folder.path("man1/onesided-audit-draw.1").exists());
    assert!(folder.refused("man ft").contains("there is no command 'ft'; did you mean 'onesided man fit'?"));
    assert!(folder.refused("man --dir nowhere").contains("there is no folder 'nowhere'; make it first"));
    assert!(folder.refused("man fit --dir man1").contains("--dir"));
}

#[test]
fn short_flags_are_the_long_ones() {
    let folder = Folder::new("shell-short");
    folder.write("table.csv", table());
    ok(folder.run(&format!("fit -v table.csv {QUICK} --out long.safetensors")));
    let short = "-l y -d id -d t -p 0.3333 -M linear --epochs 10 --learning-rate 0.05 -o short.safetensors";
    ok(folder.run(&format!("fit -v table.csv {short}")));
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("long.safetensors") == bytes("short.safetensors"));
    let long = ok(folder.run("predict long.safetensors table.csv --id id --top 5 --in-sample"));
    assert_eq!(
        long.stdout,
        ok(folder.run("predict short.safetensors table.csv -i id -n 5 --in-sample")).stdout
    );
}

#[test]
fn quiet_keeps_warnings_and_verbose_says_more() {
    let folder = Folder::new("shell-quiet");
    folder.write("table.csv", table());
    // A share that is much too high brings estimates outside 0 and 1, and so a warning.
    let fit = format!("fit table.csv {} --out m.safetensors", QUICK.replace("0.3333", "0.7"));
    let (normal, quiet) = (ok(folder.run(&fit)), ok(folder.run(&format!("{fit} -q"))));
    let kept = |said: &Said| -> Vec<String> {
        said.stderr.lines().filter(|line| line.starts_with("warning: ")).map(str::to_string).collect()
    };
    assert!(!kept(&normal).is_empty(), "{normal:?}");
    assert_eq!(kept(&normal), quiet.stderr.lines().collect::<Vec<_>>());
    let verbose = ok(folder.run(&format!("-v {fit}")));
    let last = verbose.stderr.lines().last().unwrap();
    assert!(last.starts_with("onesided ") && last.ends_with(" s"), "{last}");
    assert_eq!(folder.refused("methods -q none").lines().count(), 1);
    assert!(folder.refused("methods -q -v").contains("cannot be used with"));
}

/// A new user has the binary and no clone.
#[test]
fn specs_are_built_in() {
    let folder = Folder::new("shell-specs");
    assert!(ok(folder.run("experiment --list")).stdout.starts_with("table1 "));
    let listed = folder.json("experiment --list");
    assert_eq!(listed["specs"][0]["name"], "table1");
    assert_eq!(listed["specs"][0]["runs"], 525);
    let left = ok(folder.run("experiment table1 --only 20ng/0.2 --dry-run")).stdout;
    assert_eq!(left.lines().count(), 25, "{left}");
    let said = ok(folder.run("experiment table table1"));
    assert!(said.stdout.contains("(86.01)") && said.stderr.contains("results/table1.jsonl"), "{said:?}");
    // A file of this name in the folder experiments comes first.
    fs::create_dir_all(folder.path("experiments")).unwrap();
    folder.write("experiments/table1.toml", "title = 3");
    assert!(folder.refused("experiment table1").contains("experiments/table1.toml"));
    assert!(folder.refused("experiment tabel1").contains("'onesided experiment --list' shows"));
    assert!(folder.refused("experiment table1 --list").contains("--list"));
}
