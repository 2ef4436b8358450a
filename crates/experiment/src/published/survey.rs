//! Which published sets a folder holds, and whether they are sound.
//!
//! A set is looked for in the folder itself and in each folder directly inside it. One of its files is enough for it to
//! be there; what is then missing or damaged is said by its reader, which reads everything.

use super::SetError;
use super::word_vectors;
use super::{cifar10, mnist, newsgroups, svhn, usps};
use onesided_data::TableError;
use onesided_data::{DataError, image_folder, is_image_folder};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A set that is there.
#[derive(Debug)]
pub struct FoundSet {
    /// Its name: `mnist`, `usps`, `cifar10`, `svhn`, `20news`, `glove` or `images`.
    pub name: &'static str,
    /// The folder it is in, or the file it is.
    pub path: PathBuf,
    /// What it holds, or what is wrong with it.
    pub outcome: Result<SetSummary, SetError>,
}

/// What a sound set holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetSummary {
    /// Its halves, or its only part.
    pub parts: Vec<SetPart>,
    /// How many classes it has; none for word vectors.
    pub classes: usize,
    /// What a row is, such as `28 x 28 x 1`.
    pub shape: String,
    /// Something worth knowing that is not damage.
    pub note: Option<String>,
}

/// A part of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPart {
    /// `train`, `test`, or `all`.
    pub name: &'static str,
    /// Its images, texts or words.
    pub rows: usize,
}

/// The files of which one is enough, and the reader, of a set.
type Known = (&'static str, &'static [&'static str], fn(&Path) -> Result<SetSummary, SetError>);

const KNOWN: [Known; 5] = [
    (
        "mnist",
        &[
            "train-images-idx3-ubyte",
            "train-labels-idx1-ubyte",
            "t10k-images-idx3-ubyte",
            "t10k-labels-idx1-ubyte",
            "train-images.idx3-ubyte",
            "train-labels.idx1-ubyte",
            "t10k-images.idx3-ubyte",
            "t10k-labels.idx1-ubyte",
        ],
        |folder| mnist(folder).map(|set| halves(set.train.len(), set.test.len(), 10, "28 x 28 x 1")),
    ),
    ("usps", &["zip.train", "zip.test"], |folder| {
        usps(folder).map(|set| halves(set.train.len(), set.test.len(), 10, "16 x 16 x 1"))
    }),
    (
        "cifar10",
        &[
            "data_batch_1.bin",
            "data_batch_2.bin",
            "data_batch_3.bin",
            "data_batch_4.bin",
            "data_batch_5.bin",
            "test_batch.bin",
        ],
        |folder| cifar10(folder).map(|set| halves(set.train.len(), set.test.len(), 10, "32 x 32 x 3")),
    ),
    ("svhn", &["train_32x32.mat", "test_32x32.mat"], |folder| {
        svhn(folder).map(|set| halves(set.train.len(), set.test.len(), 10, "32 x 32 x 3"))
    }),
    ("20news", &["20news-bydate-train", "20news-bydate-test"], |folder| {
        newsgroups(folder).map(|set| halves(set.train.len(), set.test.len(), 20, "text"))
    }),
];

/// Lines of the published files of GloVe's vectors from 6 billion words.
const GLOVE_6B: usize = 400_000;

/// Reads every set in `folder` and directly below it. `begun` is told the name and place of each before it is read.
pub fn survey(folder: &Path, mut begun: impl FnMut(&str, &Path)) -> Result<Vec<FoundSet>, SetError> {
    let shown = || folder.display().to_string();
    let refused = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            SetError::from(DataError::NoFolder { folder: shown() })
        }
        _ => TableError::Read { file: shown(), cause }.into(),
    };
    let entries = fs::read_dir(folder).map_err(refused)?.collect::<io::Result<Vec<_>>>().map_err(refused)?;
    let mut places: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    places.sort();
    places.insert(0, folder.to_path_buf());

    let mut found = Vec::new();
    let mut look = |name, path: &Path, read: &dyn Fn(&Path) -> Result<SetSummary, SetError>| {
        begun(name, path);
        found.push(FoundSet { name, path: path.to_path_buf(), outcome: read(path) });
    };
    let pictures_here = is_image_folder(folder);
    for place in &places {
        for (name, files, read) in KNOWN {
            let there = |file: &&str| place.join(file).exists() || place.join(format!("{file}.gz")).exists();
            if files.iter().any(there) {
                look(name, place, &read);
            }
        }
        for path in vector_files(place) {
            look("glove", &path, &vectors);
        }
        // The folders inside a folder of pictures are its classes.
        let has_pictures = if pictures_here { place == folder } else { is_image_folder(place) };
        if has_pictures {
            look("images", place, &pictures);
        }
    }
    Ok(found)
}

fn halves(train: usize, test: usize, classes: usize, shape: &str) -> SetSummary {
    let parts = vec![SetPart { name: "train", rows: train }, SetPart { name: "test", rows: test }];
    SetSummary { parts, classes, shape: shape.to_string(), note: None }
}

/// Files such as `glove.6B.100d.txt`.
fn vector_files(folder: &Path) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = name.ends_with("d.txt") || name.ends_with("d.txt.gz");
        name.starts_with("glove.") && text && path.is_file()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    files.sort();
    files
}

fn vectors(path: &Path) -> Result<SetSummary, SetError> {
    let (rows, dimension) = word_vectors::check(path)?;
    let of_6b = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("glove.6B."));
    let note = (of_6b && rows != GLOVE_6B).then(|| format!("the published file has {GLOVE_6B} words"));
    let parts = vec![SetPart { name: "all", rows }];
    Ok(SetSummary { parts, classes: 0, shape: format!("{dimension} numbers"), note })
}

fn pictures(folder: &Path) -> Result<SetSummary, SetError> {
    // Small, because only whether they can be read is asked.
    let read = image_folder(folder, 8, 8)?;
    if let Some((file, why)) = read.unreadable.first() {
        let (count, all) = (read.unreadable.len(), read.unreadable.len() + read.images.len());
        return Err(DataError::UnreadableImages {
            count,
            all,
            file: file.display().to_string(),
            why: why.clone(),
        }
        .into());
    }
    let count =
        |class: usize| read.images.labels.iter().filter(|&&label| usize::from(label) == class).count();
    let each: Vec<String> =
        read.classes.iter().take(4).enumerate().map(|(at, class)| format!("{class} {}", count(at))).collect();
    let more = if read.classes.len() > 4 { ", …" } else { "" };
    let parts = vec![SetPart { name: "all", rows: read.images.len() }];
    let (classes, note) = (read.classes.len(), Some(each.join(", ") + more));
    Ok(SetSummary { parts, classes, shape: "pictures".to_string(), note })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_in_the_folder_and_below_it() {
        let folder = std::env::temp_dir().join(format!("onesided-survey-{}", std::process::id()));
        let write = |name: &str, bytes: &[u8]| {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
        };
        write("digits/t10k-labels-idx1-ubyte.gz", b"");
        write("zip.test", b"");
        write("vectors/glove.6B.2d.txt", b"a 1 2\nb 3 4\n");
        write("vectors/glove.6B.3d.txt", b"a 1 2\n");
        let gray = |value: u8| {
            let mut bytes = Vec::new();
            let encoder = png::Encoder::new(&mut bytes, 1, 1);
            encoder.write_header().unwrap().write_image_data(&[value]).unwrap();
            bytes
        };
        write("pets/dog.1.png", &gray(1));
        write("pets/cat.1.png", &gray(1));
        write("pets/cat.2.png", &gray(1));
        write("torn/a/1.png", &gray(1)[..20]);
        write("torn/b/1.png", &gray(1));

        let mut begun = Vec::new();
        let found = survey(&folder, |name, _| begun.push(name.to_string()));
        fs::remove_dir_all(&folder).unwrap();
        let found = found.unwrap();
        let names: Vec<&str> = found.iter().map(|set| set.name).collect();
        assert_eq!(names, ["usps", "mnist", "images", "images", "glove", "glove"]);
        assert_eq!(begun, names);
        let message = |at: usize| {
            let message = found[at].outcome.as_ref().unwrap_err().to_string();
            message.replace(&format!("{}/", folder.display()), "")
        };
        assert_eq!(message(0), "there is no file 'zip.train'; check the path");
        assert_eq!(message(1), "there is no file 'digits/train-images-idx3-ubyte'; check the path");
        let pets = found[2].outcome.as_ref().unwrap();
        assert_eq!((pets.parts[0].rows, pets.classes, pets.note.as_deref()), (3, 2, Some("cat 2, dog 1")));
        assert!(
            message(3).starts_with("1 of 2 pictures cannot be read, first 'torn/a/1.png' (not a sound PNG")
        );
        let glove = found[4].outcome.as_ref().unwrap();
        assert_eq!((glove.parts[0].rows, glove.shape.as_str()), (2, "2 numbers"));
        assert_eq!(glove.note.as_deref(), Some("the published file has 400000 words"));
        assert!(message(5).contains("line 1: it has 2 numbers after its word instead of 3"));
    }

    #[test]
    fn a_folder_that_is_none() {
        for path in ["no/such/folder", "Cargo.toml"] {
            let message = survey(Path::new(path), |_, _| {}).unwrap_err().to_string();
            assert_eq!(message, format!("there is no folder '{path}'; check the path"));
        }
    }
}
