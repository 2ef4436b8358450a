//! Pictures in files: their size, what cannot be read, classes, and tables of file names.

mod scratch;

use onesided_data::{
    DataError, Dataset, FileOptions, Hint, Input, InputOptions, MissingPolicy, Note, PictureShape, Pictures,
    ReadAgain, Roles, Store,
};
use png::{BitDepth, ColorType};
use scratch::Scratch;
use std::path::PathBuf;

fn png(width: u32, height: u32, color: ColorType, samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    bytes
}

/// A picture of one color.
fn plain(width: u32, height: u32, value: u8) -> Vec<u8> {
    png(width, height, ColorType::Rgb, &vec![value; (3 * width * height) as usize])
}

fn gray(width: u32, height: u32, value: u8) -> Vec<u8> {
    png(width, height, ColorType::Grayscale, &vec![value; (width * height) as usize])
}

/// 10,000 × 10,000 black pixels of one bit in a few kilobytes.
fn huge() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 10_000, 10_000);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; 1250 * 10_000]).unwrap();
    drop(writer);
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    bytes
}

fn two(scratch: &Scratch) -> Input {
    Input::two(scratch.path("p"), scratch.path("u"))
}

fn read(scratch: &Scratch) -> Dataset {
    InputOptions::default().read(&two(scratch)).unwrap()
}

fn pictures(data: &Dataset) -> &Pictures {
    match data.rows() {
        Store::Bytes(pictures) => pictures,
        other => panic!("no pictures but {other:?}"),
    }
}

fn files(data: &Dataset) -> Vec<String> {
    let name = |path: &str| PathBuf::from(path).file_name().unwrap().to_string_lossy().into_owned();
    data.ids()[0].1.iter().map(name).collect()
}

fn shape(channels: usize, height: usize, width: usize) -> PictureShape {
    PictureShape { channels, height, width }
}

#[test]
fn small_pictures_of_one_size_stay_as_they_are() {
    let scratch = Scratch::new("small");
    let samples: Vec<u8> = (0..18).collect();
    scratch.write("p/1.png", png(3, 2, ColorType::Rgb, &samples));
    scratch.write("u/1.png", plain(3, 2, 9));
    scratch.write("u/inner/2.png", plain(3, 2, 8));
    let data = read(&scratch);
    let bytes = [samples, vec![9; 18], vec![8; 18]].concat();
    assert_eq!(pictures(&data), &Pictures { shape: shape(3, 2, 3), bytes });
    assert_eq!((data.notes(), files(&data)), (&[][..], vec!["1.png".into(), "1.png".into(), "2.png".into()]));
    assert_eq!(data.counts().map(|counts| (counts.positive, counts.unlabeled)), Some((1, 2)));
    assert_eq!(
        data.encoding().names()[..4],
        ["pixel[0,0,0]", "pixel[0,0,1]", "pixel[0,0,2]", "pixel[0,1,0]"]
    );
}

#[test]
fn large_pictures_of_one_size_are_shrunk_in_proportion() {
    let scratch = Scratch::new("large");
    scratch.write("p/1.png", plain(128, 96, 1));
    scratch.write("u/1.png", plain(128, 96, 7));
    let data = read(&scratch);
    assert_eq!(pictures(&data).shape, shape(3, 48, 64));
    assert_eq!(pictures(&data).bytes[3 * 48 * 64..], vec![7; 3 * 48 * 64]);
    assert_eq!(data.notes(), [Note::Resized { files: 2, all: 2, shape: shape(3, 48, 64) }]);
    assert_eq!(data.notes()[0].to_string(), "2 of 2 pictures were brought to 64 x 48 pixels");
}

#[test]
fn pictures_of_different_sizes_become_squares() {
    let scratch = Scratch::new("different");
    scratch.write("p/1.png", plain(64, 64, 1));
    scratch.write("u/1.png", plain(2, 3, 7));
    let data = read(&scratch);
    assert_eq!(pictures(&data).shape, shape(3, 64, 64));
    assert_eq!(data.notes(), [Note::Resized { files: 1, all: 2, shape: shape(3, 64, 64) }]);
}

#[test]
fn gray_files_have_one_channel_unless_one_has_color() {
    let scratch = Scratch::new("gray");
    scratch.write("p/1.png", gray(2, 1, 5));
    scratch.write("u/1.png", gray(2, 1, 6));
    let data = read(&scratch);
    assert_eq!(pictures(&data), &Pictures { shape: shape(1, 1, 2), bytes: vec![5, 5, 6, 6] });
    // Mean 5.5, standard deviation 0.5.
    assert_eq!(data.dense().unwrap().as_slice(), [-1.0, -1.0, 1.0, 1.0]);
    scratch.write("u/2.png", plain(2, 1, 7));
    assert_eq!(pictures(&read(&scratch)).shape, shape(3, 1, 2));
}

/// A broken file has a sound header, and says nothing of what the others are.
#[test]
fn what_is_left_out_gives_the_others_no_color() {
    let scratch = Scratch::new("broken-color");
    scratch.write("p/1.png", gray(2, 2, 5));
    scratch.write("u/1.png", gray(2, 2, 6));
    let color = plain(2, 2, 7);
    scratch.write("u/2.png", &color[..color.len() - 20]);
    let data = read(&scratch);
    assert_eq!((pictures(&data).shape, data.len()), (shape(1, 2, 2), 2));
    assert!(data.notes().iter().any(|note| matches!(note, Note::Unreadable { files: 1, all: 3, .. })));
}

#[test]
fn a_shape_can_be_asked_for() {
    let scratch = Scratch::new("asked");
    scratch.write("p/1.png", png(2, 1, ColorType::Rgb, &[255, 0, 0, 255, 0, 0]));
    scratch.write("u/1.png", plain(2, 1, 7));
    let with =
        |shape| InputOptions { image_shape: Some(shape), ..InputOptions::default() }.read(&two(&scratch));
    // Red as television weighs it: 0.299 · 255.
    assert_eq!(pictures(&with(shape(1, 1, 1)).unwrap()).bytes, [76, 7]);
    assert!(matches!(with(shape(2, 1, 1)), Err(DataError::ImageChannels(2))));
    assert!(matches!(with(shape(3, 5000, 1)), Err(DataError::ImageSize { .. })));
}

#[test]
fn one_pixel_is_a_picture() {
    let scratch = Scratch::new("pixel");
    scratch.write("p/1.png", plain(1, 1, 0));
    scratch.write("u/1.png", plain(1, 1, 2));
    let data = read(&scratch);
    assert_eq!(pictures(&data), &Pictures { shape: shape(3, 1, 1), bytes: vec![0, 0, 0, 2, 2, 2] });
    assert_eq!(data.dense().unwrap().as_slice(), [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn pictures_that_never_change_are_no_error() {
    let scratch = Scratch::new("constant");
    scratch.write("p/1.png", gray(1, 1, 9));
    scratch.write("u/1.png", gray(1, 1, 9));
    assert_eq!(read(&scratch).dense().unwrap().as_slice(), [0.0, 0.0]);
}

#[test]
fn a_file_that_is_no_picture_is_left_out_and_named() {
    let scratch = Scratch::new("undecodable");
    scratch.write("p/1.png", plain(2, 2, 1));
    scratch.write("p/2.png", "not a picture");
    scratch.write("u/1.jpg", plain(2, 2, 3));
    let whole = plain(2, 2, 4);
    scratch.write("u/2.png", &whole[..whole.len() - 20]);
    let data = read(&scratch);
    assert_eq!(files(&data), ["1.png", "1.jpg"]);
    assert_eq!(data.counts().map(|counts| (counts.positive, counts.unlabeled)), Some((1, 1)));
    let first = scratch.path("p/2.png").display().to_string();
    let why = "it is neither PNG nor JPEG".to_string();
    let note = Note::Unreadable { files: 2, all: 4, first: first.clone(), why };
    assert!(note.is_warning());
    assert_eq!(data.notes(), [note]);
    let options = InputOptions { missing: MissingPolicy::Refuse, ..InputOptions::default() };
    let error = options.read(&two(&scratch)).unwrap_err().to_string();
    assert!(error.contains(&format!("2 of 4 pictures cannot be read, first '{first}'")), "{error}");
}

#[test]
fn no_picture_that_can_be_read_is_an_error() {
    let scratch = Scratch::new("none");
    scratch.write("p/1.png", "not a picture");
    scratch.write("u/1.png", "nor this");
    let error = InputOptions::default().read(&two(&scratch)).unwrap_err();
    assert!(matches!(error, DataError::UnreadableImages { count: 2, all: 2, .. }), "{error}");
}

#[test]
fn a_hundred_megapixels_are_left_out_and_do_not_count_for_the_size() {
    let scratch = Scratch::new("huge");
    scratch.write("p/1.png", plain(3, 2, 1));
    scratch.write("p/2.png", huge());
    scratch.write("u/1.png", plain(3, 2, 2));
    let data = read(&scratch);
    assert_eq!(pictures(&data).shape, shape(3, 2, 3));
    let first = scratch.path("p/2.png").display().to_string();
    let why = "10000 x 10000 pixels are none or too many".to_string();
    assert_eq!(data.notes(), [Note::Unreadable { files: 1, all: 3, first, why }]);
}

#[test]
fn folders_without_pictures_or_of_another_kind_are_refused() {
    let scratch = Scratch::new("kinds");
    scratch.write("p/1.png", plain(1, 1, 1));
    scratch.write("empty/notes.csv", "");
    scratch.write("texts/1.txt", "goal");
    let with = |name: &str| {
        let input = Input::two(scratch.path("p"), scratch.path(name));
        InputOptions::default().read(&input).unwrap_err().to_string()
    };
    assert!(with("empty").contains("is a folder with tables in it; name one"), "{}", with("empty"));
    assert!(with("texts").contains("give two folders of one kind"), "{}", with("texts"));
    let one = InputOptions::default().read(&Input::one(scratch.path("p"))).unwrap_err();
    assert!(matches!(one, DataError::OneFolder { .. }), "{one}");
}

#[test]
fn a_folder_per_class_gives_labels_and_truth() {
    let scratch = Scratch::new("classes");
    scratch.write("all/cat/1.png", plain(1, 1, 1));
    scratch.write("all/dog/1.png", plain(1, 1, 2));
    scratch.write("all/dog/2.png", plain(1, 1, 3));
    scratch.write("all/notes/readme.md", "");
    let input = Input::one(scratch.path("all"));
    let with = |positive: Option<&str>| {
        InputOptions {
            roles: Roles { positive: positive.map(str::to_string), ..Roles::default() },
            ..InputOptions::default()
        }
        .read(&input)
    };
    let data = with(Some("dog")).unwrap();
    assert_eq!(data.truth(), Some(&[false, true, true][..]));
    assert_eq!(data.counts().map(|counts| (counts.positive, counts.unlabeled)), Some((2, 1)));
    assert_eq!(data.ids()[0].1.iter().collect::<Vec<_>>(), ["cat/1.png", "dog/1.png", "dog/2.png"]);
    let error = with(None).unwrap_err();
    assert!(error.to_string().contains("are classes ('cat', 'dog'); say which is positive"), "{error}");
    assert_eq!(error.hint(), Some(Hint::new("name the positive value", "positive", "VALUE")));
    let error = with(Some("cow")).unwrap_err();
    assert!(error.to_string().contains("has no folder 'cow'; its folders are 'cat', 'dog'"), "{error}");
    // Scored without a word on classes.
    let again = data.encoding().read(&input, &ReadAgain::default()).unwrap();
    assert_eq!((again.rows(), again.ids()), (data.rows(), data.ids()));
}

#[test]
fn folders_read_again_give_the_same_bytes() {
    let scratch = Scratch::new("again");
    let samples: Vec<u8> = (0..240).collect();
    scratch.write("p/1.png", png(10, 8, ColorType::Rgb, &samples));
    scratch.write("u/1.png", plain(70, 90, 7));
    scratch.write("u/2.png", gray(5, 5, 3));
    let data = read(&scratch);
    let again = data.encoding().read(&two(&scratch), &ReadAgain::default()).unwrap();
    assert_eq!((again.rows(), again.labels()), (data.rows(), data.labels()));
    // One alone is brought to the model's size, not to its own.
    let one = data.encoding().read(&Input::one(scratch.path("p")), &ReadAgain::default()).unwrap();
    assert_eq!(one.rows(), &data.rows().select(&[0]));
    let also = ReadAgain::from(Roles::named_by(["id"]));
    let error = data.encoding().read(&two(&scratch), &also).unwrap_err();
    assert!(matches!(error, DataError::FolderColumn { .. }), "{error}");
    scratch.write("t.csv", "x\n1\n");
    let table = Input::one(scratch.path("t.csv"));
    let error = data.encoding().read(&table, &ReadAgain::default()).unwrap_err().to_string();
    assert!(error.contains("was fitted on pictures") && error.contains("holds a table"), "{error}");
}

#[test]
fn a_table_names_files_from_its_own_folder() {
    let scratch = Scratch::new("table");
    scratch.write("set/img/a.png", plain(2, 1, 1));
    scratch.write("set/img/b.png", plain(2, 1, 2));
    scratch.write("set/img/c.png", plain(2, 1, 3));
    let rows = "file,note,y\nimg/a.png,first,1\n img/b.png ,second,0\nimg/gone.png,third,0\nimg/c.png,,0\n";
    let path = scratch.write("set/table.csv", rows);
    let options = InputOptions {
        roles: Roles {
            label: Some("y".to_string()),
            id: vec!["note".to_string(), "file".to_string()],
            ..Roles::default()
        },
        image: Some("file".to_string()),
        ..InputOptions::default()
    };
    let data = options.read(&Input::one(&path)).unwrap();
    assert_eq!(pictures(&data).bytes, [[1; 6], [2; 6], [3; 6]].concat());
    assert_eq!(data.counts().map(|counts| (counts.positive, counts.unlabeled)), Some((1, 2)));
    let ids = |name: &str, at: usize| -> Vec<String> {
        let mut columns = data.ids().iter().filter(|(other, _)| other == name);
        columns.nth(at).unwrap().1.iter().map(str::to_string).collect()
    };
    assert_eq!(ids("note", 0), ["first", "second", ""]);
    assert_eq!(ids("file", 1), ["img/a.png", " img/b.png ", "img/c.png"]);
    let [Note::Unreadable { files: 1, all: 4, first, .. }] = data.notes() else {
        panic!("{:?}", data.notes())
    };
    assert_eq!(first, &scratch.path("set/img/gone.png").display().to_string());
    let also = ReadAgain {
        roles: Roles { label: Some("y".to_string()), id: options.roles.id.clone(), ..Roles::default() },
        ..ReadAgain::default()
    };
    let again = data.encoding().read(&Input::one(&path), &also).unwrap();
    assert_eq!((again.rows(), again.labels(), again.ids()), (data.rows(), data.labels(), data.ids()));
}

#[test]
fn two_tables_each_count_from_their_folder() {
    let scratch = Scratch::new("two_tables");
    scratch.write("p/1.png", gray(1, 1, 1));
    scratch.write("u/1.png", gray(1, 1, 3));
    let (first, second) =
        (scratch.write("p/t.csv", "file\n1.png\n"), scratch.write("u/t.csv", "file\n1.png\n1.png\n"));
    let options = InputOptions { image: Some("file".to_string()), ..InputOptions::default() };
    let data = options.read(&Input::two(&first, &second)).unwrap();
    assert_eq!(pictures(&data).bytes, [1, 3, 3]);
    let again = data.encoding().read(&Input::two(&first, &second), &ReadAgain::default()).unwrap();
    assert_eq!((again.rows(), again.labels()), (data.rows(), data.labels()));
    let error = InputOptions { image: Some("path".to_string()), ..options }.read(&Input::two(first, second));
    assert!(error.unwrap_err().to_string().contains("there is no column 'path'"));
}

#[test]
fn file_names_in_another_encoding_are_found_again() {
    let scratch = Scratch::new("latin_names");
    scratch.write("é.png", gray(1, 1, 1));
    scratch.write("a.png", gray(1, 1, 2));
    let path = scratch.write("t.csv", b"file,y\n\xe9.png,1\na.png,0\n");
    let encoding = Some("latin1".parse().unwrap());
    let (label, image) = (Some("y".to_string()), Some("file".to_string()));
    let options = InputOptions {
        roles: Roles { label, ..Roles::default() },
        files: FileOptions { encoding, ..FileOptions::default() },
        image,
        ..InputOptions::default()
    };
    let data = options.read(&Input::one(&path)).unwrap();
    assert_eq!(pictures(&data).bytes, [1, 2]);
    let again = data
        .encoding()
        .read(&Input::one(&path), &ReadAgain::from(FileOptions { encoding, ..FileOptions::default() }))
        .unwrap();
    assert_eq!(again.rows(), data.rows());
}

#[test]
fn files_are_found_however_deep_they_are() {
    let scratch = Scratch::new("deep");
    for file in ["p/1.png", "u/b/c/d/4.png", "u/a/2.png", "u/b/3.png"] {
        scratch.write(file, plain(3, 2, 9));
    }
    let data = read(&scratch);
    assert_eq!(files(&data), ["1.png", "2.png", "3.png", "4.png"]);
    // Classes are the folders at the top, and where they have none but folders themselves, too.
    for file in ["classes/cats/2024/5/1.png", "classes/dogs/2024/2.png", "classes/dogs/2025/3.png"] {
        scratch.write(file, plain(3, 2, 9));
    }
    let options = InputOptions {
        roles: Roles { positive: Some("cats".into()), ..Roles::default() },
        ..InputOptions::default()
    };
    let data = options.read(&Input::One(scratch.path("classes"))).unwrap();
    assert_eq!(files(&data), ["1.png", "2.png", "3.png"]);
    assert_eq!(data.truth().unwrap(), [true, false, false]);
}

/// A link to the folder above leads into it again and again.
#[cfg(unix)]
#[test]
fn a_link_upward_is_followed_once() {
    let scratch = Scratch::new("loop");
    scratch.write("p/1.png", plain(3, 2, 9));
    scratch.write("u/a/2.png", plain(3, 2, 9));
    std::os::unix::fs::symlink(scratch.path("u"), scratch.path("u/a/again")).unwrap();
    assert_eq!(files(&read(&scratch)), ["1.png", "2.png"]);
}

#[test]
fn a_few_pictures_of_another_size_do_not_change_that_of_the_rest() {
    let scratch = Scratch::new("few-others");
    for at in 0..18 {
        scratch.write(&format!("p/{at:02}.png"), plain(20, 10, at));
    }
    scratch.write("u/1.png", plain(20, 10, 100));
    let cut = plain(200, 200, 9);
    scratch.write("u/2.png", &cut[..cut.len() - 30]);
    let data = read(&scratch);
    assert_eq!(pictures(&data).shape, shape(3, 10, 20));
    let [Note::Unreadable { files: 1, all: 20, .. }] = data.notes() else { panic!("{:?}", data.notes()) };
    // One in ten is a few, more are not.
    scratch.write("u/2.png", plain(1, 1, 99));
    let data = read(&scratch);
    assert_eq!(data.notes(), [Note::Resized { files: 1, all: 20, shape: shape(3, 10, 20) }]);
    scratch.write("u/3.png", plain(1, 1, 9));
    scratch.write("u/4.png", plain(1, 1, 9));
    assert_eq!(pictures(&read(&scratch)).shape, shape(3, 64, 64));
}

#[test]
fn pictures_of_other_formats_are_told_of() {
    let scratch = Scratch::new("formats");
    scratch.write("p/1.png", plain(3, 2, 9));
    scratch.write("u/2.png", plain(3, 2, 8));
    scratch.write("u/inner/3.HEIC", "");
    scratch.write("u/4.webp", "");
    let data = read(&scratch);
    let [note] = data.notes() else { panic!("{:?}", data.notes()) };
    let first = scratch.path("u/4.webp").display().to_string();
    assert_eq!(*note, Note::OtherPictures { files: 2, first: first.clone() });
    assert!(note.is_warning());
    let said =
        format!("2 pictures are neither PNG nor JPEG and are left out, first '{first}'; convert them to PNG");
    assert_eq!(note.to_string(), said);
}

#[test]
fn a_text_among_many_pictures_is_told_of_and_among_few_refused() {
    let scratch = Scratch::new("texts-among");
    for at in 0..20 {
        scratch.write(&format!("{}/{at}.png", if at < 9 { "p" } else { "u" }), plain(3, 2, at));
    }
    scratch.write("u/notes.txt", "taken in May");
    let data = read(&scratch);
    let first = scratch.path("u/notes.txt").display().to_string();
    let [note] = data.notes() else { panic!("{:?}", data.notes()) };
    assert_eq!(note.to_string(), format!("1 text among the pictures is left out, first '{first}'"));
    assert!(!note.is_warning() && data.len() == 20);
    // One for nine pictures is more than one in ten.
    scratch.write("p/notes.txt", "taken in June");
    let refused = InputOptions::default().read(&two(&scratch)).unwrap_err().to_string();
    assert!(refused.contains("holds both pictures and texts ('0.png', 'notes.txt')"), "{refused}");
}

#[test]
fn pictures_that_are_in_both_folders_are_told_of() {
    let scratch = Scratch::new("both");
    for at in 0..40 {
        scratch.write(&format!("{}/{at}.png", if at < 10 { "p" } else { "u" }), plain(3, 2, at));
    }
    assert_eq!(read(&scratch).notes(), []);
    scratch.write("u/once-more.png", plain(3, 2, 4));
    let data = read(&scratch);
    assert_eq!(data.notes(), [Note::Copies { unlabeled: 1 }]);
    let said = "1 unlabeled row is equal to a labeled one in all that is learned from; if it is the same thing once more, drop it \
                or label it, too";
    assert_eq!(data.notes()[0].to_string(), said);
}

#[test]
fn a_text_beside_folders_of_pictures_is_told_of() {
    let scratch = Scratch::new("beside-classes");
    for at in 0..20 {
        scratch.write(&format!("{}/{at}.png", if at < 9 { "yes" } else { "no" }), plain(3, 2, at));
    }
    scratch.write("readme.txt", "two kinds");
    let options = InputOptions {
        roles: Roles { positive: Some("yes".to_string()), ..Roles::default() },
        ..InputOptions::default()
    };
    let data = options.read(&Input::one(scratch.path(""))).unwrap();
    assert_eq!(data.len(), 20);
    let note = data.notes().iter().find(|note| matches!(note, Note::TextsAmongPictures { files: 1, .. }));
    assert!(note.is_some(), "{:?}", data.notes());
}
