//! The programs of `examples/` run and print what they say.

use onesided::{ClassPrior, Input, InputOptions, Learner, Model};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of `examples/`, which `cargo test` builds next to this test.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is not there: `cargo build --release --examples`", program.display());
    Command::new(program)
}

/// What a program prints, given some text.
fn printed(command: &mut Command, input: &str) -> String {
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    running.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The tables are in the repository alone.
fn are_here() -> bool {
    let here = tables().exists();
    if !here {
        eprintln!("SKIPPED: the tables are in the repository alone");
    }
    here
}

#[test]
fn examples_on_tables_texts_and_digits_run() {
    if !are_here() {
        return;
    }
    for (name, line) in [
        ("table", "probability 0."),
        ("own_scorer", "probability 0."),
        ("texts", ", by "),
        ("own_loss", "of the digits are called right"),
    ] {
        let said = printed(&mut example(name), "");
        assert!(said.contains(line), "{name}: {said}");
    }
}

#[test]
fn the_example_on_pictures_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples.{}", std::process::id()));
    for (name, count) in [("good", 30), ("rest", 60), ("new", 10)] {
        fs::create_dir_all(folder.join(name)).unwrap();
        for i in 0..count {
            let bright = name == "good" || i % 3 == 0;
            let pixel = |at: u32| (if bright { 150 } else { 40 }) + ((i * 31 + at * 17) % 60) as u8;
            let file = fs::File::create(folder.join(name).join(format!("{i}.png"))).unwrap();
            let mut encoder = png::Encoder::new(file, 8, 8);
            encoder.set_color(png::ColorType::Grayscale);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&(0..64).map(pixel).collect::<Vec<u8>>()).unwrap();
        }
    }
    let said = printed(example("pictures").args(["good", "rest", "new"]).current_dir(&folder), "");
    fs::remove_dir_all(&folder).unwrap();
    // Pictures 0, 3, 6 and 9 are the bright ones.
    let best: Vec<&str> = said.lines().take(4).map(|line| line.split(':').next().unwrap()).collect();
    assert!(["0.png", "3.png", "6.png", "9.png"].iter().all(|name| best.contains(name)), "{said}");
}

/// Rows that come one by one get the probabilities that they get as a table, and a bad row does not end the service.
#[test]
fn the_service_says_what_predict_says() {
    if !are_here() {
        return;
    }
    let options = InputOptions::labeled("y");
    let data = options.read(&Input::one(tables().join("train.csv"))).unwrap();
    let learner = Learner::new().method("weighted-lr").prior(ClassPrior::new(0.3).unwrap());
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("service.{}.safetensors", std::process::id()));
    learner.fit(&data).unwrap().save(&file).unwrap();
    let model = Model::load(&file).unwrap();
    let expected = model.predict_proba(&model.read(tables().join("new.csv")).unwrap()).unwrap();

    let text = fs::read_to_string(tables().join("new.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut rows: Vec<String> = lines
        .take(20)
        .map(|cells| {
            let cell = |(name, cell): (&&str, &&str)| (name.to_string(), serde_json::Value::from(*cell));
            serde_json::Value::Object(header.iter().zip(&cells).map(cell).collect()).to_string()
        })
        .collect();
    rows.insert(5, "no object".to_string());
    let said = printed(example("service").arg(&file), &(rows.join("\n") + "\n"));
    fs::remove_file(&file).unwrap();
    let mut answers: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers.remove(5)["error"].is_string(), "{said}");
    let found: Vec<f32> = answers.iter().map(|one| one["probability"].as_f64().unwrap() as f32).collect();
    assert_eq!(found, expected[..20]);
}
