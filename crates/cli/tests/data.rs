//! `onesided data check`: what it finds, what it says, and how it ends.

use crate::folder::{Folder, Said};
use serde_json::{Value, json};
use std::fs;

/// Two colors in 16 × 8 pixels.
const JPEG: &[u8] = include_bytes!("fixtures/halves.jpg");

/// How often each digit occurs in USPS.
const TRAIN: [usize; 10] = [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644];
const TEST: [usize; 10] = [359, 264, 198, 166, 200, 160, 170, 147, 166, 177];

/// A file in the manner of USPS: blank paper with the published numbers of digits.
fn paper(counts: [usize; 10]) -> String {
    let lines = |(digit, &count): (usize, &usize)| format!("{digit}{}\n", " -1".repeat(256)).repeat(count);
    counts.iter().enumerate().map(lines).collect()
}

/// Three sound sets.
fn sound(test: &str) -> Folder {
    let folder = Folder::new(test);
    for inner in ["usps", "glove", "pets"] {
        fs::create_dir(folder.path(inner)).unwrap();
    }
    folder.write("usps/zip.train", paper(TRAIN));
    folder.write("usps/zip.test", paper(TEST));
    folder.write("glove/glove.6B.2d.txt", "the 1 2\ncat 3 4\n");
    for name in ["cat.0.jpg", "cat.1.jpg", "dog.0.jpg"] {
        folder.write(&format!("pets/{name}"), JPEG);
    }
    folder
}

#[test]
fn a_table_of_sound_sets() {
    let folder = sound("data-sound");
    let said = folder.run("data check .");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        said.stdout,
        "set     train  test  all  classes         each  state                    where\n\
         glove                  2             2 numbers  sound  ./glove/glove.6B.2d.txt\n\
         images                 3        2     pictures  sound                   ./pets\n\
         usps     7291  2007            10  16 x 16 x 1  sound                   ./usps\n\
         \n\
         glove: the published file has 400000 words\n\
         images: cat 2, dog 1\n"
    );
    assert!(said.stderr.starts_with("reading glove: ./glove/glove.6B.2d.txt\n"), "{said:?}");
    // The folder of a set does as well as the folder around it.
    assert!(folder.run("data check usps").stdout.contains("7291"));
}

#[test]
fn the_same_as_json() {
    let object = sound("data-json").json("data check .");
    assert_eq!((&object["sound"], object["sets"].as_array().unwrap().len()), (&json!(true), 3));
    let usps = json!({
        "set": "usps", "path": "./usps", "sound": true, "classes": 10, "each": "16 x 16 x 1",
        "parts": [{ "name": "train", "rows": 7291 }, { "name": "test", "rows": 2007 }],
        "note": null, "problem": null,
    });
    assert_eq!(object["sets"][2], usps);
}

#[test]
fn damage_is_named_and_ends_in_exit_code_2() {
    let folder = sound("data-damaged");
    folder.write("usps/zip.test", paper(TEST).replacen(" -1", " 2", 1));
    folder.write("pets/dog.1.jpg", b"GIF89a");
    let Said { code, stdout, stderr } = folder.run("data check .");
    assert_eq!(code, 2, "{stderr}");
    assert!(stdout.contains("usps") && stdout.contains("damaged"), "{stdout}");
    let sentences = "images: 1 of 4 pictures cannot be read, first './pets/dog.1.jpg' (it is neither PNG nor JPEG); \
                     remove or replace them\n\
                     usps: './usps/zip.test' line 1: '2' is not a gray value from -1 to 1; copy or download it again\n";
    assert!(stdout.ends_with(sentences), "{stdout}");
    assert!(stderr.ends_with("error: of 3 data sets 2 are not sound: images, usps\n"), "{stderr}");

    let said = folder.run("data check . --json");
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, &object["sound"]), (2, &json!(false)));
    assert_eq!((&object["sets"][2]["sound"], &object["sets"][2]["parts"]), (&json!(false), &Value::Null));
    assert!(object["sets"][2]["problem"].as_str().unwrap().starts_with("'./usps/zip.test' line 1: "));
}

#[test]
fn refusals() {
    let folder = Folder::new("data-refusals");
    folder.write("table.csv", "a,y\n1,0\n");
    assert!(
        folder.refused("data check .").contains("'.' holds no data set that is known here; name the folder")
    );
    assert!(folder.refused("data check nowhere").contains("there is no folder 'nowhere'; check the path"));
    assert!(folder.refused("data check table.csv").contains("there is no folder 'table.csv'"));
    assert!(folder.refused("data").contains("name what to do with data: check"));
    assert!(folder.refused("data check").contains("<DIR>"));
}
