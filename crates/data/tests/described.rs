//! What describes pictures, against `golden/described.py`.

use onesided_data::{Description, PictureShape, Pictures};
use serde_json::Value;

/// The picture that the script draws.
fn picture(seed: u64, shape: PictureShape) -> Pictures {
    let PictureShape { channels, height, width } = shape;
    let mut x = seed;
    let mut bytes = Vec::new();
    for line in 0..height {
        for pixel in 0..width {
            for _ in 0..channels {
                x = (1_103_515_245 * x + 12_345) % (1 << 31);
                bytes.push((((x >> 23) as usize / 4 + line * 9 + pixel * 5) % 256) as u8);
            }
        }
    }
    Pictures { shape, bytes }
}

#[test]
fn numbers_are_those_of_the_script() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("golden/described.json")).unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let of = |at: usize| case["shape"][at].as_u64().unwrap() as usize;
        let shape = PictureShape { channels: of(0), height: of(1), width: of(2) };
        let picture = picture(case["seed"].as_u64().unwrap(), shape);
        for (by, name) in [(Description::Coarse, "coarse"), (Description::Fine, "fine")] {
            let rows = picture.described(by, 1).unwrap();
            let golden = case[name].as_array().unwrap();
            assert_eq!((rows.rows(), rows.cols()), (1, golden.len()), "{shape} {name}");
            for (at, (&ours, theirs)) in rows.row(0).iter().zip(golden).enumerate() {
                let theirs = theirs.as_f64().unwrap();
                assert!((f64::from(ours) - theirs).abs() < 2e-5, "{shape} {name} {at}: {ours} {theirs}");
            }
        }
    }
}
