//! Tables whose columns are pixels.

mod scratch;

use onesided_data::{
    Dataset, Encoding, ImageFrom, Input, InputOptions, MissingPolicy, Note, Pictures, ReadAgain, Roles, Store,
};
use scratch::Scratch;
use std::path::Path;

fn options(shape: &str) -> InputOptions {
    let label = Some("y".to_string());
    InputOptions {
        roles: Roles { label, ..Roles::default() },
        image_shape: Some(shape.parse().unwrap()),
        ..InputOptions::default()
    }
}

fn read(path: &Path, shape: &str) -> Result<Dataset, String> {
    options(shape).read(&Input::one(path)).map_err(|error| error.to_string())
}

fn again(data: &Dataset, path: &Path) -> Dataset {
    data.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap()
}

#[test]
fn whole_numbers_up_to_255_are_bytes_and_a_constant_pixel_is_one_too() {
    let scratch = Scratch::new("bytes");
    let path = scratch.write("b.csv", "a,b,c,d,y\n0,1,255,4,1\n0,5,6,7,0\n0,8,9,10,0\n");
    let data = read(&path, "1x2x2").unwrap();
    let bytes = vec![0, 1, 255, 4, 0, 5, 6, 7, 0, 8, 9, 10];
    assert_eq!(data.rows(), &Store::Bytes(Pictures { shape: "1x2x2".parse().unwrap(), bytes }));
    assert_eq!(data.encoding().names(), ["a", "b", "c", "d"]);
    let Encoding::Image(image) = data.encoding().as_ref() else { panic!() };
    assert_eq!(image.from, ImageFrom::Columns(["a", "b", "c", "d"].map(str::to_string).to_vec()));
    assert!(data.notes().is_empty());
    // Found by name, whatever the order.
    let moved = scratch.write("m.csv", "d,z,c,b,a\n4,1,255,1,0\n7,1,6,5,0\n10,1,9,8,0\n");
    assert_eq!(again(&data, &moved).rows(), data.rows());
    let lacking = scratch.write("l.csv", "a,b,c\n1,2,3\n");
    let error = data.encoding().read(&Input::one(lacking), &ReadAgain::default()).unwrap_err().to_string();
    assert!(error.contains("there is no column 'd'"), "{error}");
}

#[test]
fn other_numbers_are_scaled_channel_by_channel() {
    let scratch = Scratch::new("numbers");
    // Two pixels of two channels: 0.5 and 1.5 in the first, -10 and 30 in the second.
    let path = scratch.write("n.csv", "a,b,c,d,y\n0.5,-10,1.5,30,1\n1.5,30,0.5,-10,0\n");
    let data = read(&path, "2x1x2").unwrap();
    assert!(matches!(data.rows(), Store::Dense(_)));
    assert_eq!(data.dense().unwrap().as_slice(), [-1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0]);
    assert_eq!(again(&data, &path).rows(), data.rows());
    // Bytes by chance: held as bytes, and the same numbers.
    let bytes = scratch.write("b.csv", "a,b,c,d\n1,10,2,50\n");
    let read = again(&data, &bytes);
    assert!(matches!(read.rows(), Store::Bytes(_)));
    for (value, expected) in read.dense().unwrap().as_slice().iter().zip([0.0f32, 0.0, 2.0, 2.0]) {
        assert!((value - expected).abs() < 1e-6, "{read:?}");
    }
}

#[test]
fn two_tables_are_read_again_as_one_whatever_they_hold() {
    let scratch = Scratch::new("two");
    let first = scratch.write("p.csv", "a,b\n0,2\n");
    let second = scratch.write("u.csv", "a,b\n2,0\n2,0.5\n");
    let input = Input::two(first, second);
    let data = InputOptions { roles: Roles { label: None, ..options("1x1x2").roles }, ..options("1x1x2") }
        .read(&input)
        .unwrap();
    let again = data.encoding().read(&input, &ReadAgain::default()).unwrap();
    assert_eq!((again.rows(), again.labels()), (data.rows(), data.labels()));
}

#[test]
fn missing_pixels_are_the_mean_of_their_channel() {
    let scratch = Scratch::new("missing");
    let path = scratch.write("m.csv", "a,b,y\n0,,1\n4,2,0\n");
    let data = read(&path, "1x1x2").unwrap();
    // 0, 4 and 2: mean 2, variance 8/3.
    let far = (2.0 / (8.0f64 / 3.0).sqrt()) as f32;
    for (value, expected) in data.dense().unwrap().as_slice().iter().zip([-far, 0.0, far, 0.0]) {
        assert!((value - expected).abs() < 1e-6, "{data:?}");
    }
    let note = Note::Missing(vec![("b".to_string(), 1)]);
    assert_eq!(data.notes(), std::slice::from_ref(&note));
    assert_eq!((again(&data, &path).rows(), again(&data, &path).notes()), (data.rows(), &[note][..]));
    let refused = InputOptions { missing: MissingPolicy::Refuse, ..options("1x1x2") };
    let error = refused.read(&Input::one(&path)).unwrap_err().to_string();
    assert!(error.contains("line 2, column 'b': the cell is missing"), "{error}");
}

#[test]
fn columns_and_shape_must_fit() {
    let scratch = Scratch::new("fit");
    let path = scratch.write("f.csv", "a,b,c,y\n1,2,3,1\n4,5,6,0\n");
    let sentence = "an image of 1x2x2 has 4 values, but the table has 3 feature columns";
    assert_eq!(read(&path, "1x2x2").unwrap_err(), sentence);
    let dropped = InputOptions { drop: vec!["c".to_string()], ..options("1x1x2") };
    assert_eq!(dropped.read(&Input::one(&path)).unwrap().len(), 2);
    let path = scratch.write("w.csv", "a,b,y\n1,red,1\n4,blue,0\n");
    let sentence = "column 'b' is text, but each column of an image is a pixel";
    assert_eq!(read(&path, "1x1x2").unwrap_err(), sentence);
}
