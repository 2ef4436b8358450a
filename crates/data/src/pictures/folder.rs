//! A folder of pictures: `cat.0.jpg`, `dog.1.png`, … next to each other, or a folder per class.
//!
//! The first is how the pictures of J. Elson, J. Douceur, J. Howell, J. Saul, "Asirra: a CAPTCHA that Exploits
//! Interest-Aligned Manual Image Categorization", CCS 2007, came to be published as "dogs vs. cats": 12,500 of each.
//! Classes are numbered in the order of their names. Files that are not called .png, .jpg or .jpeg, and names that start
//! with a dot, are passed over; a picture that cannot be decoded is left out and named.

use super::Images;
use super::resize::read_all;
use crate::input::files::{Links, list};
use crate::{DataError, PictureShape};
use std::path::{Path, PathBuf};

/// Pictures of a folder in one size, and those that could not be read.
#[derive(Clone, Debug)]
pub struct ImageFolder {
    /// The pictures, with three channels.
    pub images: Images,
    /// The classes in the order of their numbers.
    pub classes: Vec<String>,
    /// The file of each picture.
    pub files: Vec<PathBuf>,
    /// Files that were left out, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Reads all pictures in `folder`, each brought to `height` × `width` pixels by averaging areas.
pub fn image_folder(folder: &Path, height: usize, width: usize) -> Result<ImageFolder, DataError> {
    let Listing { classes, files } = listing(folder)?;
    let paths: Vec<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
    let decoded = read_all(&paths, PictureShape { channels: 3, height, width })?;
    let (mut bytes, mut labels) = (Vec::new(), Vec::new());
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for ((path, label), picture) in files.iter().zip(decoded) {
        match picture {
            Ok(picture) => {
                bytes.extend(picture.bytes);
                labels.push(*label);
                read.push(path.clone());
            }
            Err(why) => unreadable.push((path.clone(), why)),
        }
    }
    let images = Images { height, width, channels: 3, bytes, labels };
    Ok(ImageFolder { images, classes, files: read, unreadable })
}

/// Whether a folder holds pictures of at least two classes in one of the two ways. Pictures next to each other go first:
/// a folder of such folders is not a folder per class.
pub fn is_image_folder(folder: &Path) -> bool {
    let beside = |folder: &Path| {
        let (files, _) = entries(folder).unwrap_or_default();
        let mut classes = files.iter().filter_map(|path| class_in_name(path));
        classes.next().is_some_and(|(first, _)| classes.any(|(class, _)| class != first))
    };
    let (_, folders) = entries(folder).unwrap_or_default();
    let with_pictures: Vec<&PathBuf> =
        folders.iter().filter(|inner| entries(inner).is_ok_and(|(files, _)| !files.is_empty())).collect();
    beside(folder) || with_pictures.len() >= 2 && !with_pictures.iter().any(|inner| beside(inner))
}

struct Listing {
    classes: Vec<String>,
    /// The files in the order of their classes, each with the number of its class.
    files: Vec<(PathBuf, u8)>,
}

fn listing(folder: &Path) -> Result<Listing, DataError> {
    let (files, folders) = entries(folder)?;
    // Class, number and file: numbers count as numbers, so that cat.10.jpg comes after cat.9.jpg.
    let mut named: Vec<(String, u64, PathBuf)> = Vec::new();
    if files.is_empty() {
        for inner in folders {
            let class = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
            named.extend(entries(&inner)?.0.into_iter().map(|path| (class.clone(), 0, path)));
        }
    }
    for path in files {
        let Some((class, number)) = class_in_name(&path) else {
            return Err(DataError::NoClassInName { file: path.display().to_string() });
        };
        named.push((class, number, path));
    }
    named.sort();
    let mut classes: Vec<String> = named.iter().map(|(class, _, _)| class.clone()).collect();
    classes.dedup();
    let shown = folder.display().to_string();
    match classes.len() {
        0 => return Err(DataError::NoImages { folder: shown }),
        1..=256 => {}
        found => return Err(DataError::TooManyClasses { folder: shown, found, limit: 256 }),
    }
    let number = |class: &String| classes.binary_search(class).unwrap_or_default() as u8;
    let files = named.iter().map(|(class, _, path)| (path.clone(), number(class))).collect();
    Ok(Listing { classes, files })
}

/// The picture files and the folders in a folder, in the order of their names.
fn entries(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), DataError> {
    list(folder, Links::All).map(|listing| (listing.pictures, listing.folders))
}

/// `("cat", 7)` for `cat.7.jpg`.
fn class_in_name(path: &Path) -> Option<(String, u64)> {
    let stem = path.file_stem()?.to_str()?;
    let (class, number) = stem.rsplit_once('.')?;
    Some((class.to_string(), number.parse().ok()?)).filter(|(class, _)| !class.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::decoders::tests::{JPEG, encoded};
    use super::*;
    use std::fs;

    /// A folder of these files, removed when dropped. Values up to 255 become gray PNG files of two pixels.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("onesided-images-{}-{test}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn with(self, name: &str, bytes: &[u8]) -> Self {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            self
        }

        fn gray(self, name: &str, value: u8) -> Self {
            self.with(name, &encoded(2, 1, png::ColorType::Grayscale, &[value, value + 2]))
        }

        fn message(&self) -> String {
            let message = image_folder(&self.0, 1, 1).unwrap_err().to_string();
            message.replace(&self.0.display().to_string(), "F")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_give_classes_and_numbers_their_order() {
        let folder = Folder::new("beside").gray("dog.1.png", 50).gray("cat.10.PNG", 20).gray("cat.9.jpg", 10);
        let folder = folder.with("dog.2.jpg", b"no picture").with("notes.txt", b"").with(".cat.3.png", b"");
        let folder = folder.with("dog.3.jpg", JPEG);
        let read = image_folder(&folder.0, 1, 2).unwrap();
        assert_eq!(read.classes, ["cat", "dog"]);
        assert_eq!(read.images.labels, [0, 0, 1, 1]);
        assert_eq!(
            read.images.bytes[..18],
            [10, 10, 10, 12, 12, 12, 20, 20, 20, 22, 22, 22, 50, 50, 50, 52, 52, 52]
        );
        let names: Vec<_> =
            read.files.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["cat.9.jpg", "cat.10.PNG", "dog.1.png", "dog.3.jpg"]);
        assert_eq!(read.unreadable, [(folder.0.join("dog.2.jpg"), "it is neither PNG nor JPEG".to_string())]);
        assert!(is_image_folder(&folder.0));
    }

    #[test]
    fn folders_give_classes() {
        let folder =
            Folder::new("folders").gray("cats/2.png", 10).gray("cats/1.png", 20).gray("dogs/1.png", 30);
        let read = image_folder(&folder.0, 1, 1).unwrap();
        assert_eq!(read.classes, ["cats", "dogs"]);
        assert_eq!(read.images.labels, [0, 0, 1]);
        assert_eq!(read.images.bytes, [21, 21, 21, 11, 11, 11, 31, 31, 31]);
        assert!(is_image_folder(&folder.0) && !is_image_folder(&folder.0.join("cats")));
        // A set next to others is a set, and no class of a larger one.
        let two = Folder::new("two").gray("a/cat.1.png", 1).gray("a/dog.1.png", 1).gray("b/1.png", 1);
        assert!(!is_image_folder(&two.0) && is_image_folder(&two.0.join("a")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let folder = Folder::new("wrong");
        assert_eq!(
            folder.message(),
            "'F' holds no .png or .jpg file, nor a folder with some; check the path"
        );
        let folder = folder.gray("7.png", 7);
        assert_eq!(
            folder.message(),
            "'F/7.png' does not tell its class; name it like cat.0.jpg, or put it in a folder with its class's name"
        );
        assert!(!is_image_folder(&folder.0));
        let missing = image_folder(Path::new("no/such/folder"), 1, 1).unwrap_err().to_string();
        assert_eq!(missing, "there is no folder 'no/such/folder'; check the path");
        let folder = Folder::new("size").gray("a.1.png", 7);
        for (height, width) in [(0, 1), (1, 0), (usize::MAX, 2), (1, 4097)] {
            let message = image_folder(&folder.0, height, width).unwrap_err().to_string();
            assert!(message.starts_with("pictures cannot be brought to"), "{message}");
        }
    }
}
