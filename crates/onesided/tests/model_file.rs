//! The model file: same bytes for the same seed, the same scores after loading, and a sentence for every bad file.

use onesided::data::{digits, hide};
use onesided::{ClassPrior, Dataset, Input, InputOptions, Learner, Matrix, Model, ModelChoice};
use std::path::PathBuf;

fn digits_data() -> Dataset {
    let digits = digits();
    let even: Vec<bool> = digits.labels.iter().map(|digit| digit % 2 == 0).collect();
    let data = Dataset::from_scaled(digits.images, None).unwrap();
    data.with_labels(hide(&even, 0.5, 3).unwrap()).unwrap()
}

fn learner() -> Learner {
    Learner::new()
        .prior(ClassPrior::new(0.5).unwrap())
        .model("linear".parse::<ModelChoice>().unwrap())
        .epochs(3)
}

fn model() -> Model {
    learner().fit(&digits_data()).unwrap()
}

/// A file in the tests' own folder, by a separate name for each test.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn refusal(bytes: &[u8]) -> String {
    let message = Model::load_bytes(bytes).unwrap_err().to_string();
    assert!(message.starts_with("'bytes in memory' ") && !message.contains('\n'), "{message}");
    message
}

/// The parts of a model file: its header as JSON, and its tensors.
fn parts(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[8..8 + length]).unwrap(), bytes[8 + length..].to_vec())
}

/// The file with the checksum that belongs to it, as one who means harm would write it.
fn assembled(header: &serde_json::Value, tensors: &[u8]) -> Vec<u8> {
    let mut header = header.clone();
    let text = |key: &str| header["__metadata__"][key].as_str().unwrap_or_default().to_string();
    let content = [text("onesided").as_bytes(), text("model").as_bytes(), tensors].concat();
    if header["__metadata__"]["checksum"].is_string() {
        header["__metadata__"]["checksum"] = format!("{:08x}", crc32fast::hash(&content)).into();
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes(), header.as_slice(), tensors].concat()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let data = digits_data();
    let bytes = |seed| learner().seed(seed).fit(&data).unwrap().to_bytes().unwrap();
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn a_loaded_model_is_the_saved_one() {
    let (model, path) = (model(), scratch("saved.safetensors"));
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded.about(), model.about());
    assert_eq!(loaded.to_bytes().unwrap(), std::fs::read(&path).unwrap());
    let images = digits_data();
    assert_eq!(loaded.score(&images).unwrap(), model.score(&images).unwrap());
}

/// Settings by name, and of a table what its encoding does not tell; not what the machine decides. Files without it load.
#[test]
fn the_file_keeps_what_was_asked() {
    let path = scratch("asked.csv");
    let row = |at: usize| format!("{},{},{},{}\n", u8::from(at.is_multiple_of(3)), at % 7, at % 5, at % 2);
    std::fs::write(&path, format!("y,a,b,c\n{}", (0..120).map(row).collect::<String>())).unwrap();
    let options = InputOptions {
        drop: vec!["b".to_string()],
        categorical: vec!["c".to_string()],
        ..InputOptions::labeled("y")
    };
    let data = options.read(&Input::one(&path)).unwrap();
    let model = learner().threads(1).seed(4).fit(&data).unwrap();
    let bytes = model.to_bytes().unwrap();
    let asked = serde_json::json!({
        "categorical": ["c"], "drop": ["b"], "epochs": "3", "model": "linear", "prior": "0.5",
    });
    let loaded = Model::load_bytes(&bytes).unwrap();
    assert_eq!(serde_json::to_value(&loaded.about().given).unwrap(), asked);

    let (mut header, tensors) = parts(&bytes);
    let document = header["__metadata__"]["onesided"].as_str().unwrap().to_string();
    let mut document: serde_json::Value = serde_json::from_str(&document).unwrap();
    document.as_object_mut().unwrap().remove("given");
    header["__metadata__"]["onesided"] = document.to_string().into();
    let earlier = Model::load_bytes(&assembled(&header, &tensors)).unwrap();
    assert_eq!(earlier.about().given, None);
    assert_eq!(earlier.score(&data).unwrap(), model.score(&data).unwrap());
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let bytes = model().to_bytes().unwrap();
    for end in [8, 9, 500, bytes.len() - 4, bytes.len() - 1] {
        assert!(refusal(&bytes[..end]).contains("is truncated"), "{end}");
    }
    assert!(refusal(&bytes[..7]).contains("is not a safetensors file"));
}

#[test]
fn other_files_are_refused() {
    assert!(refusal(b"").contains("is not a safetensors file"));
    assert!(refusal(b"x,y\n1,0\n2,1\n").contains("is not a safetensors file"));
    let empty = serde_json::json!({});
    assert!(refusal(&assembled(&empty, &[])).contains("is a safetensors file, but no model of onesided"));
    let missing = Model::load(scratch("no such model")).unwrap_err().to_string();
    assert!(missing.contains("does not exist"), "{missing}");
    let folder = Model::load(scratch("")).unwrap_err().to_string();
    assert!(folder.contains("is a folder"), "{folder}");
}

#[test]
fn a_newer_version_asks_for_an_update() {
    let (mut header, tensors) = parts(&model().to_bytes().unwrap());
    header["__metadata__"]["version"] = "4".into();
    let message = refusal(&assembled(&header, &tensors));
    assert!(message.contains("has format version 4") && message.contains("update onesided"), "{message}");
    header["__metadata__"]["version"] = "one".into();
    assert!(refusal(&assembled(&header, &tensors)).contains("no sound version number"));
}

#[test]
fn a_description_that_does_not_fit_is_refused() {
    let (header, tensors) = parts(&model().to_bytes().unwrap());
    let changed_in = |key: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let mut header = header.clone();
        let text = header["__metadata__"][key].as_str().unwrap();
        let mut document: serde_json::Value = serde_json::from_str(text).unwrap();
        change(&mut document);
        header["__metadata__"][key] = document.to_string().into();
        refusal(&assembled(&header, &tensors))
    };
    let changed = |change: &dyn Fn(&mut serde_json::Value)| changed_in("onesided", change);
    let wider = changed_in("model", &|model| model["network"]["input"]["channels"] = 65.into());
    assert!(wider.contains("its network does not take the 64 features"), "{wider}");
    let huge = changed_in("model", &|model| model["network"]["input"]["height"] = (u64::MAX / 2).into());
    assert!(huge.contains("its network does not take the 64 features"), "{huge}");
    let fewer = changed(&|about| drop(about["features"]["features"].as_array_mut().unwrap().pop()));
    assert!(fewer.contains("its network does not take the 63 features"), "{fewer}");
    let layers = changed_in("model", &|model| {
        model["network"]["layers"][1]["outputs"] = 2.into();
    });
    assert!(layers.contains("its weights do not fit its network"), "{layers}");
    let kind = changed_in("model", &|model| *model = serde_json::json!({ "forest": {} }));
    assert!(kind.contains("of no known kind"), "{kind}");
    let falling = changed(&|about| about["calibration"]["slope"] = (-1.0).into());
    assert!(falling.contains("calibration"), "{falling}");
    let prior = changed(&|about| about["class_prior"] = 1.5.into());
    assert!(prior.contains("strictly between 0 and 1"), "{prior}");
    let absent = changed(&|about| about["threshold"] = serde_json::Value::Null);
    assert!(absent.contains("its description cannot be read"), "{absent}");
}

#[test]
fn any_flipped_bit_is_refused() {
    let bytes = model().to_bytes().unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // Blanks that fill the header up may become other blanks.
        let harmless = Model::load_bytes(&damaged).is_ok_and(|model| model.to_bytes().unwrap() == bytes);
        assert!(Model::load_bytes(&damaged).is_err() || harmless, "byte {at}");
    }
    let (mut header, tensors) = parts(&bytes);
    header["__metadata__"]["checksum"] = "00000000".into();
    let raw = serde_json::to_vec(&header).unwrap();
    let other = [&(raw.len() as u64).to_le_bytes(), raw.as_slice(), &tensors].concat();
    assert!(refusal(&other).contains("its checksum is not that of its content"));
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    let (header, mut tensors) = parts(&model().to_bytes().unwrap());
    let end = tensors.len();
    tensors[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refusal(&assembled(&header, &tensors)).contains("a weight that is not finite"));
}

#[test]
fn a_negative_variance_is_refused() {
    let data = digits_data();
    let learner = learner().model("mlp:2".parse::<ModelChoice>().unwrap());
    let (header, mut tensors) = parts(&learner.fit(&data).unwrap().to_bytes().unwrap());
    let at = header["2.variance"]["data_offsets"][0].as_u64().unwrap() as usize;
    tensors[at..at + 4].copy_from_slice(&(-1f32).to_le_bytes());
    assert!(refusal(&assembled(&header, &tensors)).contains("'2.variance' holds a negative variance"));
}

#[test]
fn a_score_that_overflows_is_an_error_that_names_the_row() {
    let (header, mut tensors) = parts(&model().to_bytes().unwrap());
    let at = header["1.weight"]["data_offsets"][0].as_u64().unwrap() as usize;
    tensors[at..at + 4].copy_from_slice(&3e38f32.to_le_bytes());
    let model = Model::load_bytes(&assembled(&header, &tensors)).unwrap();
    let mut rows = vec![0.0; 2 * 64];
    rows[64] = 10.0;
    let rows = model.encoding().encode_matrix(Matrix::new(2, 64, rows).unwrap()).unwrap();
    let message = model.score(&rows).unwrap_err().to_string();
    assert!(message.starts_with("row 2 has a score of inf"), "{message}");
}

#[test]
fn any_damaged_byte_is_refused_or_harmless() {
    // Every byte of the header in turn: the reader must return, whatever it thinks of the file.
    let bytes = model().to_bytes().unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let zeros = digits_data().select(&[0]);
    for at in 0..header.min(3_000) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        if let Ok(model) = Model::load_bytes(&damaged) {
            assert!(model.score(&zeros).is_err() || model.score(&zeros).unwrap().len() == 1);
        }
    }
}
