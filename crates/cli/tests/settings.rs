//! Every pair of a method and a setting: what the method or its model has a use for is taken, anything else is refused by
//! name.

use crate::folder::Folder;
use onesided::learn::SettingInfo;
use onesided::{Config, Method, ReadingInfo, SETTINGS, methods};
use std::fs;
use std::path::{Path, PathBuf};

/// A value that each setting takes.
fn value(setting: &SettingInfo, method: Method) -> String {
    match setting.name {
        "method" => method.name(),
        "model" => "linear",
        "monotone" => "a:up",
        "option" => "cost=1",
        "prior" => "0.5",
        "prior-in-unlabeled" => "0.2",
        "scenario" => "case-control",
        "reduction" => "prior-weighted",
        "surrogate" => "logistic",
        "beta" => "0.1",
        "gamma" => "0.5",
        "smoothing" => "0.1",
        "epochs" => "1",
        "batch" => "64",
        "learning-rate" => "0.01",
        "optimizer" => "adam",
        "schedule" => "constant",
        "warm-up" => "0.5",
        "weight-decay" => "0",
        "patience" => "2",
        "augment" => "flip",
        "teacher" => "on",
        "mixup" => "on",
        "average" => "0.9",
        "checkpoint" => "c",
        "hold-out" => "0.3",
        "threshold" => "quantile",
        "seed" => "3",
        "threads" => "1",
        "reserve" => "5",
        "device" => "cpu",
        "precision" => "f32",
        "effort" => "quick",
        "single" | "fast" | "cross-fit" => "true",
        "labeling" => "easy-first",
        "labeling-depends-on" => "a",
        other => panic!("the setting {other} has no value in this test"),
    }
    .to_string()
}

/// A method with a model and a setting, and whether the setting is of use there, by the list of settings.
struct Pair {
    method: Method,
    model: Option<&'static str>,
    setting: &'static SettingInfo,
    wanted: bool,
}

impl Pair {
    fn config(&self) -> Config {
        let mut config = Config::default();
        config.set("method", self.method.name()).unwrap();
        if let Some(model) = self.model {
            config.set("model", model).unwrap();
        }
        config.set(self.setting.name, &value(self.setting, self.method)).unwrap();
        config
    }

    fn flags(&self) -> String {
        let model = self.model.map_or_else(String::new, |model| format!("--model {model} "));
        let given = if self.setting.value.is_empty() {
            format!("--{}", self.setting.name)
        } else {
            format!("--{} {}", self.setting.name, value(self.setting, self.method))
        };
        match self.setting.name {
            "method" => format!("{model}{given}"),
            _ => format!("--method {} {model}{given}", self.method.name()),
        }
    }
}

fn pairs(pictures: bool) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for method in methods() {
        let models: &[Option<&'static str>] = match method {
            // A model that a method cannot take is refused by itself, whatever else is set.
            Method::Objective(info) if info.needs_epochs() => &[None, Some("linear")],
            Method::Objective(_) => &[None, Some("linear"), Some("trees")],
            Method::Auto | Method::System(_) => &[None],
        };
        for &model in models {
            for setting in SETTINGS {
                let mut pair = Pair { method, model, setting, wanted: false };
                // The setting may be the model itself, so what is scored by comes from the whole configuration.
                let chosen = pair.config().model_for(pictures);
                pair.wanted = setting.is_for(method, &chosen, pictures);
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// 400 rows of counts, half of them positive, 160 labeled; what every method can learn from.
fn small(test: &str) -> Folder {
    let folder = Folder::new(test);
    let row = |i: u32| {
        let (a, b) = if i.is_multiple_of(2) { (9 + i % 5, 1 + i % 3) } else { (1 + i % 4, 8 + i % 6) };
        format!("{a},{b},{},{}\n", i % 7, u32::from(i.is_multiple_of(2) && !i.is_multiple_of(5)))
    };
    folder.write("x.csv", format!("a,b,c,y\n{}", (0..400).map(row).collect::<String>()));
    folder
}

const OUT: &str = "--out m.safetensors";

#[test]
fn the_command_lists_the_methods_of_the_library() {
    let listed = Folder::new("settings-methods").json("methods");
    let names = |key: &str| -> Vec<String> {
        let cards = listed[key].as_array().unwrap();
        cards.iter().map(|card| card["name"].as_str().unwrap().to_string()).collect()
    };
    let all: Vec<String> = methods().iter().map(|method| method.name().to_string()).collect();
    assert_eq!([names("methods"), names("elicited")].concat(), all);
}

#[test]
fn the_library_takes_a_setting_where_it_is_of_use_and_nowhere_else() {
    for pictures in [false, true] {
        for pair in pairs(pictures) {
            let checked = pair.config().check(pictures);
            assert_eq!(checked.is_ok(), pair.wanted, "{} (pictures: {pictures}): {checked:?}", pair.flags());
        }
    }
}

#[test]
fn settings_of_the_machine_are_taken_everywhere() {
    for pair in pairs(false) {
        if ["seed", "threads", "device", "precision"].contains(&pair.setting.name) {
            assert!(pair.wanted, "{}", pair.flags());
        }
    }
}

/// The flag must be named, and the reason must be that it is of no use: not that its value is wrong.
#[test]
fn the_command_refuses_every_other_pair_by_name() {
    let folder = small("settings-refused");
    let mut refused = 0;
    for pair in pairs(false).iter().filter(|pair| !pair.wanted) {
        let answers = if pair.method.needs_truth() { "--truth y" } else { "--label y" };
        let message = folder.refused(&format!("fit -v x.csv {answers} {} {OUT}", pair.flags()));
        let start = format!("error: --{} is ", pair.setting.name);
        assert!(message.starts_with(&start) && message.contains("has no use for it"), "{message}");
        refused += 1;
    }
    assert!(refused > 100, "{refused}");
}

/// One method for each setting that is taken somewhere, the quickest there is.
#[test]
fn the_command_takes_each_setting_somewhere() {
    let folder = small("settings-taken");
    for setting in SETTINGS.iter().filter(|setting| !["augment", "teacher"].contains(&setting.name)) {
        let (method, rest) = match setting.name {
            "option" => ("weighted-lr", ""),
            "surrogate" | "beta" | "gamma" => ("nnpu", "--model linear --epochs 1"),
            "model" => ("collective", "--epochs 1"),
            "monotone" => ("collective", "--model trees"),
            "effort" => ("auto", ""),
            "single" | "fast" => ("auto", "--effort quick"),
            "epochs" => ("collective", "--model linear"),
            _ => ("collective", "--model linear --epochs 1"),
        };
        let pair = Pair { method: Method::find(method).unwrap(), model: None, setting, wanted: true };
        let prior = if setting.name.starts_with("prior") { "" } else { "--prior 0.5" };
        let said = folder.run(&format!("fit -v x.csv --label y {} {rest} {prior} {OUT}", pair.flags()));
        assert_eq!(said.code, 0, "{}: {said:?}", setting.name);
    }
    assert_eq!(folder.files(), ["m.safetensors", "m.safetensors.rows", "x.csv"]);
}

/// With the settings that are for every method.
#[test]
fn every_method_fits_with_the_settings_of_the_machine() {
    let folder = small("settings-methods-fit");
    for method in methods() {
        let own = match method {
            Method::Auto => "--effort quick",
            Method::Objective(_) => "--model linear --epochs 1",
            Method::System(info) if info.name == "genpu" => "--option steps=10",
            Method::System(info) if info.name == "s-em" => "--option spies=0.3",
            Method::System(_) => "",
        };
        let answers = if method.needs_truth() { "--truth y" } else { "--label y" };
        let machine = "--seed 1 --threads 1 --device cpu --precision f32";
        let said = folder.run(&format!(
            "fit -v x.csv {answers} --method {} --prior 0.5 {own} {machine} {OUT}",
            method.name()
        ));
        assert_eq!(said.code, 0, "{}: {said:?}", method.name());
    }
}

/// Files below a folder with this ending.
fn files_below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, ending, found);
        } else if path.extension().is_some_and(|is| is == ending) {
            found.push(path);
        }
    }
}

/// The files of code in which a line names a setting: as a text, a field or a method.
fn known_in(name: &str, folders: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in folders {
        files_below(&root.join("crates").join(folder).join("src"), "rs", &mut files);
    }
    files_below(&root.join("bindings/python/src"), "rs", &mut files);
    files_below(&root.join("bindings/python/python"), "py", &mut files);
    let snake = name.replace('-', "_");
    let declares = |line: &str| {
        let line = line.trim();
        // A value given to the field of a configuration is a use, and ends in a comma without a default.
        let is_value =
            line.starts_with(&format!("{snake}: ")) && line.ends_with(',') && !line.contains(" = ");
        // So is a hint.
        let is_hint = line.contains("Hint::new(") || line.contains("setting: \"");
        let named = line.contains(&format!("\"{name}\"")) && !is_hint;
        let named = named
            || line.starts_with(&format!("{snake}: "))
            || line.starts_with(&format!("pub {snake}: "))
            || line.contains(&format!("fn {snake}("));
        named && !is_value && !line.starts_with("//")
    };
    let is_known = |file: &&PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.split("#[cfg(test)]").next().unwrap_or("").lines().any(declares)
    };
    let mut known: Vec<String> = files
        .iter()
        .filter(is_known)
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    known.sort();
    known
}

/// Its entry in the list, its field (of which the setter and what is put over a configuration are made), the key of specs and
/// Python's keyword. Another file that names it is a copy that can be forgotten.
#[test]
fn a_training_setting_is_known_in_four_files() {
    for name in ["weight-decay", "warm-up", "optimizer"] {
        let known = known_in(name, &["learn", "onesided", "experiment", "cli"]);
        assert_eq!(known, ["_classifier.py", "choices.rs", "settings.rs", "train_overrides.rs"], "{name}");
    }
}

/// Its field, its entry in the list, where rows in memory have it Python's keyword and, of texts, the field of what is made of them.
/// Flags, hints and the copies of options know it from there.
#[test]
fn a_setting_of_reading_is_known_in_four_files() {
    let all = ["table", "data", "learn", "onesided", "cli"];
    for name in ["date-order", "follow-links"] {
        assert_eq!(known_in(name, &all), ["options.rs", "settings.rs"], "{name}");
    }
    for name in ["stop-words", "min-texts"] {
        assert_eq!(
            known_in(name, &all),
            ["_classifier.py", "features.rs", "mod.rs", "settings.rs"],
            "{name}"
        );
    }
}

/// A hint that names something else would be printed as a flag that does not exist.
#[test]
fn every_hint_names_a_setting() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["table", "data", "classic", "net", "learn", "onesided"] {
        files_below(&root.join(folder).join("src"), "rs", &mut files);
    }
    // Of `prior`.
    let known = |word: &str| {
        word == "estimator"
            || ReadingInfo::find(word).is_some()
            || SETTINGS.iter().any(|setting| setting.name == word)
    };
    let mut hints = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for hint in text.split("#[cfg(test)]").next().unwrap_or("").split("Hint::new(").skip(1) {
            let call = &hint[..hint.find("))").unwrap_or(hint.len())];
            let words: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
            assert!(words.iter().any(|word| known(word)), "{}: {words:?}", file.display());
            hints += 1;
        }
    }
    assert!(hints > 40, "{hints}");
}
