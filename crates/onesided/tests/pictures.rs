//! `auto` on pictures: networks next to lines and trees on what describes a picture.

use onesided::data::{Pictures, digits, hide};
use onesided::eval::auc;
use onesided::{ClassPrior, Dataset, Learner, Model};
use serde_json::Value;

/// Digits as small gray pictures, the first ones to learn from, and which of the others are even.
fn sets() -> (Dataset, Dataset, Vec<bool>) {
    let even: Vec<bool> = digits().labels.iter().map(|digit| digit % 2 == 0).collect();
    let bytes = digits().images.as_slice().iter().map(|&x| (x * 16.0).clamp(0.0, 255.0) as u8).collect();
    let all = Dataset::from_pictures(Pictures { shape: "1x8x8".parse().unwrap(), bytes }).unwrap();
    let rows = |from: usize, to: usize| all.select(&(from..to).collect::<Vec<usize>>());
    let known = rows(0, 400).with_labels(hide(&even[..400], 0.6, 0).unwrap()).unwrap();
    (known, rows(1000, 1700), even[1000..1700].to_vec())
}

fn learner() -> Learner {
    Learner::new().prior(ClassPrior::new(0.5).unwrap())
}

fn scores(model: &Model, data: &Dataset) -> Vec<f32> {
    model.score(data).unwrap()
}

#[test]
fn descriptions_are_members_and_rank_new_pictures() {
    let (known, new, truth) = sets();
    let model = learner().fit(&known).unwrap();
    let report = &model.about().report;
    let names: Vec<&str> = report.candidates.iter().map(|one| one.name.as_str()).collect();
    let expected = [
        "collective network",
        "naive network",
        "collective network, weighted",
        "line, coarse features",
        "bagged trees, coarse features",
        "line, fine features",
        "bagged trees, fine features",
    ];
    assert_eq!(names, expected);
    let found = auc(&scores(&model, &new), &truth).unwrap();
    assert!(found > 0.9, "{found}");
    // The plain alternative beside it is the line.
    let line = report.candidates.iter().find(|one| one.name == "line, coarse features").unwrap();
    let naive = report.beside.iter().find(|one| one.name == "naive").unwrap();
    assert_eq!(naive.auc, line.auc);
    // What is saved scores the same, and bytes are those of the seed.
    let bytes = model.to_bytes().unwrap();
    assert_eq!(scores(&Model::load_bytes(&bytes).unwrap(), &new), scores(&model, &new));
    assert_eq!(learner().fit(&known).unwrap().to_bytes().unwrap(), bytes);
}

#[test]
fn a_damaged_description_is_refused_in_a_sentence() {
    let (known, ..) = sets();
    let bytes = learner().set("effort", "quick").unwrap().fit(&known).unwrap().to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let tensors = &bytes[8 + length..];
    let changed = |change: &dyn Fn(String) -> String| {
        let mut header = header.clone();
        let text = |header: &Value, key: &str| header["__metadata__"][key].as_str().unwrap().to_string();
        header["__metadata__"]["model"] = change(text(&header, "model")).into();
        let content =
            [text(&header, "onesided").as_bytes(), text(&header, "model").as_bytes(), tensors].concat();
        header["__metadata__"]["checksum"] = format!("{:08x}", crc32fast::hash(&content)).into();
        let header = serde_json::to_vec(&header).unwrap();
        let file = [&(header.len() as u64).to_le_bytes(), header.as_slice(), tensors].concat();
        Model::load_bytes(&file).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(changed(&|model| model), Ok(()));
    let other = changed(&|model| model.replace("\"by\":\"coarse\"", "\"by\":\"fine\"")).unwrap_err();
    assert!(other.contains("does not take the"), "{other}");
    let unknown = changed(&|model| model.replace("\"by\":\"coarse\"", "\"by\":\"sharp\"")).unwrap_err();
    assert!(unknown.contains("what scores cannot be read"), "{unknown}");
    // Descriptions in descriptions end somewhere.
    let nested = changed(&|model| {
        let (open, close) = ("{\"by\":\"coarse\",\"described\":".repeat(2_000), "}".repeat(2_000));
        format!("{open}{model}{close}")
    });
    assert!(nested.is_err());
    let twice = changed(&|model| format!("{{\"by\":\"coarse\",\"described\":{model}}}")).unwrap_err();
    assert!(!twice.contains('\n'), "{twice}");
}
