//! `onesided bench`: what it prints and what it refuses. No speed is tested.

use crate::folder::Folder;

const QUICK: &str = "bench --device cpu --only linear/512 --seconds 0.05";

#[test]
fn a_table_on_standard_output_and_progress_on_standard_error() {
    let folder = Folder::new("bench-table");
    let said = folder.run(QUICK);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.starts_with(&format!("onesided {} on cpu, ", env!("CARGO_PKG_VERSION"))), "{said:?}");
    for part in ["f32; first step after ", "rows/s", "lowest", "steps/s", "\nlinear/512"] {
        assert!(said.stdout.contains(part), "{part} in {said:?}");
    }
    assert!(said.stderr.starts_with("linear/512: ") && said.stderr.lines().count() == 1, "{said:?}");
    assert!(folder.files().is_empty());
}

#[test]
fn the_same_as_json() {
    let object = Folder::new("bench-json").json(QUICK);
    assert_eq!(object["devices"], serde_json::json!(["cpu"]));
    assert_eq!((object["precision"].as_str(), object["rows"][0]["batch"].as_u64()), (Some("f32"), Some(512)));
    assert!(object["first_step_seconds"].as_f64().unwrap() > 0.0 && object["threads"].as_u64().unwrap() > 0);
    let row = &object["rows"][0];
    assert_eq!((row["name"].as_str(), row["runs"].as_u64()), (Some("linear/512"), Some(1)));
    for rate in ["rows_per_second", "steps_per_second"] {
        let at = |which: &str| row[rate][which].as_f64().unwrap();
        assert!(0.0 < at("min") && at("min") <= at("median") && at("median") <= at("max"), "{row}");
    }
}

#[test]
fn refusals() {
    let folder = Folder::new("bench-refusals");
    let refused = |flags: &str| folder.refused(&format!("bench {flags}"));
    for seconds in ["0", "-1", "nan", "inf", "1e9"] {
        assert!(refused(&format!("--seconds {seconds}")).contains("--seconds must lie in"));
    }
    assert!(refused("--device cpu --only vgg16/64").contains("there is no row 'vgg16/64'"));
    assert!(refused("--device cpu --only vgg16/64").contains("mlp:300x5:softsign/512, mlp/128, linear/512"));
    assert!(refused("--device gpu").contains("unknown device 'gpu'"));
    assert!(refused("--precision f16").contains("unknown precision 'f16'"));
    // There is no card of that number anywhere; without the feature there is none at all.
    assert!(refused("--device cuda:4096").len() > "error: ".len());
}
