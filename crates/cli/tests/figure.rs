//! `onesided experiment figure`: what it draws and lists of a folder of pictures, and what it refuses.

use crate::folder::Folder;
use onesided_report::{Chart, Gallery, Thumbnail};
use std::fs;

const SPEC: &str = r#"
title = "Dogs & cats"
hidden = [0.5]
seeds = [3]
[train]
network = "mlp:8"
epochs = 3
batch = 16
learning_rate = 1e-2
[figure]
epochs = [1, 3]
samples = 20
positive_name = "dog"
negative_name = "cat"
[[data]]
name = "images"
folder = "pets"
positive = ["dog"]
negative = ["cat"]
[[method]]
name = "collective"
"#;

/// A small picture of one color, made as charts are.
fn picture(color: [u8; 3]) -> Vec<u8> {
    let image = Thumbnail::new(1, 1, &color);
    Chart::new("").gallery(Gallery::new("").entry(image, "", [""])).to_png().unwrap()
}

/// 30 dogs in shades of red, 30 cats in shades of blue, and 3 birds, which the spec leaves out.
fn pets(test: &str) -> Folder {
    let folder = Folder::new(test);
    fs::create_dir(folder.path("pets")).unwrap();
    for i in 0..30u8 {
        folder.write(&format!("pets/dog.{i}.png"), picture([200, 6 * i, 60]));
        folder.write(&format!("pets/cat.{i}.png"), picture([60, 6 * i, 200]));
    }
    for i in 0..3 {
        folder.write(&format!("pets/bird.{i}.png"), picture([0, 255, 0]));
    }
    folder.write("figure.toml", SPEC);
    folder
}

#[test]
fn draws_the_epochs_and_lists_who_crossed() {
    let folder = pets("figure-draws");
    let command = "experiment figure figure.toml --data . --threads 1 --out f.svg --png f.png --crossings c.csv --device cpu";
    let said = folder.run(command);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("wrote f.svg\nwrote f.png\nwrote c.csv\n"), "{said:?}");
    assert!(said.stderr.contains("epoch 3/3: loss "), "{said:?}");

    let svg = fs::read_to_string(folder.path("f.svg")).unwrap();
    for text in
        ["Dogs &amp; cats", "Epoch 1", "Epoch 3", "boundary", "never in doubt", "data:image/png;base64,"]
    {
        assert!(svg.contains(text), "{text} is missing");
    }
    assert!(!svg.contains("Epoch 2") && !svg.contains("NaN") && !svg.contains("bird"));
    // 20 samples in either panel, and the marks of the legend.
    let clouds = svg.split("<g class=\"c").skip(1).map(|group| group.split("</g>").next().unwrap());
    let marks: usize = clouds.map(|group| group.lines().count() - 1).sum();
    assert_eq!(marks, 2 * 20 + 3);
    assert!(fs::read(folder.path("f.png")).unwrap().starts_with(b"\x89PNG"));

    // A fifth of each class is kept for testing; half of the 24 dogs that are left are hidden among 24 cats.
    let csv = fs::read_to_string(folder.path("c.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(csv.starts_with("rank,file,crossings,score,probability,truth\n1,"), "{csv}");
    assert_eq!(rows.len(), 12 + 24);
    assert_eq!(rows.iter().filter(|row| row[5] == "1").count(), 12);
    assert!(rows.iter().all(|row| (row[1].contains("dog.")) == (row[5] == "1")), "{csv}");
    let counts: Vec<usize> = rows.iter().map(|row| row[2].parse().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b) && counts[0] <= 2, "{counts:?}");

    let again = command.replace("f.svg", "g.svg").replace("f.png", "g.png").replace("c.csv", "d.csv");
    assert_eq!(folder.run(&again).code, 0);
    for (first, second) in [("f.svg", "g.svg"), ("f.png", "g.png"), ("c.csv", "d.csv")] {
        assert!(fs::read(folder.path(first)).unwrap() == fs::read(folder.path(second)).unwrap(), "{first}");
    }
}

#[test]
fn the_same_as_json() {
    let folder = pets("figure-json");
    let object =
        folder.json("experiment figure figure.toml --data . --threads 1 --crossings c.csv --device cpu");
    assert_eq!(object["run"], "images/0.5/collective/3");
    assert_eq!((object["samples"].as_u64(), object["unlabeled"].as_u64()), (Some(20), Some(36)));
    assert_eq!(object["followed"][0]["scores"].as_array().unwrap().len(), 3);
    let kinds = object["decided_positive"].as_array().unwrap();
    assert_eq!(kinds.iter().map(|kind| kind["samples"].as_u64().unwrap()).sum::<u64>(), 20);
    assert!(kinds.iter().all(|kind| kind["by_epoch"].as_array().unwrap().len() == 3), "{kinds:?}");
    let rows = object["by_crossings"].as_array().unwrap().iter().map(|row| row["rows"].as_u64().unwrap());
    assert_eq!(rows.sum::<u64>(), 36);
}

#[test]
fn refusals() {
    let folder = pets("figure-refusals");
    let figure = |flags: &str| folder.refused(&format!("experiment figure figure.toml --data . {flags}"));
    assert!(figure("").contains("name what to write: --out FILE.svg, --png FILE.png"));
    assert!(figure("--out f.png").contains("cannot write 'f.png': choose a name that ends in .svg"));
    assert!(figure("--png f.jpg").contains("choose a name that ends in .png"));
    assert!(figure("--crossings figure.toml").contains("it is another file of this command"));
    assert!(figure("--out nowhere/f.svg").contains("there is no folder 'nowhere'; make it first"));
    let spec = |from: &str, to: &str| {
        folder.write("other.toml", SPEC.replace(from, to));
        folder.refused("experiment figure other.toml --data . --out f.svg")
    };
    assert!(spec("epochs = [1, 3]", "epochs = [1, 4]").contains("epoch 4 is to be shown"));
    assert!(spec("negative = [\"cat\"]", "negative = [\"cow\"]").contains("it has no class 'cow'"));
    assert!(spec("negative = [\"cat\"]", "negative = [\"dog\"]").contains("both positive and negative"));
    assert!(spec("folder = \"pets\"", "folder = \"pet\"").contains("there is no folder './pet'"));
    let section = SPEC.find("[figure]").unwrap()..SPEC.find("[[data]]").unwrap();
    folder.write("other.toml", SPEC.replace(&SPEC[section], ""));
    let message = folder.refused("experiment figure other.toml --data . --out f.svg");
    assert!(message.contains("'other.toml' has no section [figure]"), "{message}");
}
