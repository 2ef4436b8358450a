//! 20 Newsgroups, sorted by date: 11,314 posts to train on and 7,532 later ones to test on, in 20 groups.
//!
//! K. Lang, "NewsWeeder: Learning to Filter Netnews", ICML 1995; the version `20news-bydate` of J. Rennie. Two folders,
//! `20news-bydate-train` and `20news-bydate-test`, have a folder per group and in it a file per post, header lines included.
//! Posts come in the order of their groups and, within a group, of their file names. They are older than UTF-8: each
//! byte is a character of ISO 8859-1.

use super::SetError;
use super::source::inside;
use onesided_data::TableError;
use onesided_data::{DataError, check_memory, read_regular};
use std::fs;
use std::io;
use std::path::Path;

/// The groups in the order of their numbers, which is that of the alphabet.
pub const NEWSGROUPS: [&str; 20] = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
];

/// A folder and how many posts each group has in it.
type Published<'a> = (&'a str, [usize; 20]);

const TRAIN: Published = (
    "20news-bydate-train",
    [480, 584, 591, 590, 578, 593, 585, 594, 598, 597, 600, 595, 591, 594, 593, 599, 546, 564, 465, 377],
);
const TEST: Published = (
    "20news-bydate-test",
    [319, 389, 394, 392, 385, 395, 390, 396, 398, 397, 399, 396, 393, 396, 394, 398, 364, 376, 310, 251],
);

/// Texts, each with the number of its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The texts.
    pub texts: Vec<String>,
    /// The class of each text.
    pub labels: Vec<u8>,
}

impl Texts {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// The posts to train on and to test on.
#[derive(Clone, Debug)]
pub struct Newsgroups {
    /// 11,314 posts.
    pub train: Texts,
    /// 7,532 posts, written later.
    pub test: Texts,
}

/// Reads the two folders in `folder`, or in the `20news` inside it.
pub fn newsgroups(folder: &Path) -> Result<Newsgroups, SetError> {
    let folder = inside(folder, "20news");
    Ok(Newsgroups { train: posts(&folder, &TRAIN)?, test: posts(&folder, &TEST)? })
}

/// The posts of one half.
fn posts(folder: &Path, (half, counts): &Published) -> Result<Texts, SetError> {
    let folder = folder.join(half);
    let (mut texts, mut labels) = (Vec::new(), Vec::new());
    for (label, (&class, &expected)) in NEWSGROUPS.iter().zip(counts).enumerate() {
        let group = folder.join(class);
        let refused = |cause: io::Error| {
            let file = group.display().to_string();
            match cause.kind() {
                io::ErrorKind::NotFound => SetError::from(DataError::NoFolder { folder: file }),
                _ => TableError::Read { file, cause }.into(),
            }
        };
        let entries =
            fs::read_dir(&group).map_err(refused)?.collect::<io::Result<Vec<_>>>().map_err(refused)?;
        let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        files.sort();
        if files.len() != expected {
            let (file, found) = (group.display().to_string(), files.len());
            return Err(SetError::ItemCount { file, what: "posts", found, expected });
        }
        for path in files {
            let file = || path.display().to_string();
            if path.is_dir() {
                return Err(TableError::IsFolder { file: file() }.into());
            }
            // As bytes, and as a text, whose letters may take two bytes each.
            let length = fs::metadata(&path).map_or(0, |about| about.len());
            check_memory(|| format!("the post '{}'", path.display()), length.saturating_mul(3))?;
            let bytes = read_regular(&path).map_err(|cause| TableError::Read { file: file(), cause })?;
            if bytes.is_empty() {
                let (found, what) = (0, "the post".to_string());
                return Err(SetError::EndsEarly { file: file(), found, what });
            }
            texts.push(bytes.into_iter().map(char::from).collect());
            labels.push(label as u8);
        }
    }
    Ok(Texts { texts, labels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A post in the first group, two in the last, none elsewhere.
    const THREE: Published = ("half", {
        let mut counts = [0; 20];
        counts[0] = 1;
        counts[19] = 2;
        counts
    });

    fn written(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("onesided-news-{}-{test}", std::process::id()));
        for group in NEWSGROUPS {
            fs::create_dir_all(folder.join("half").join(group)).unwrap();
        }
        fs::write(folder.join("half/alt.atheism/49960"), b"Subject: caf\xe9\n\nOne.").unwrap();
        fs::write(folder.join("half/talk.religion.misc/9"), b"Two.").unwrap();
        fs::write(folder.join("half/talk.religion.misc/84"), b"Three.").unwrap();
        folder
    }

    fn message(folder: &Path) -> String {
        let message = posts(folder, &THREE).unwrap_err().to_string();
        message.replace(&format!("{}/half/", folder.display()), "")
    }

    #[test]
    fn posts_in_the_order_of_groups_and_names() {
        let folder = written("sound");
        let read = posts(&folder, &THREE).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read.texts, ["Subject: café\n\nOne.", "Three.", "Two."]);
        assert_eq!((read.labels.as_slice(), read.len(), read.is_empty()), ([0, 19, 19].as_slice(), 3, false));
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = written("damaged");
        fs::write(folder.join("half/alt.atheism/49960"), b"").unwrap();
        assert_eq!(
            message(&folder),
            "'alt.atheism/49960' ends after 0 bytes, before the end of the post; copy or download it again"
        );
        fs::write(folder.join("half/alt.atheism/49961"), b"Another.").unwrap();
        assert_eq!(
            message(&folder),
            "'alt.atheism' holds 2 posts where the published set holds 1; it is another file of that name, or damaged"
        );
        fs::remove_dir_all(folder.join("half/alt.atheism")).unwrap();
        assert_eq!(message(&folder), "there is no folder 'alt.atheism'; check the path");
        fs::create_dir_all(folder.join("half/alt.atheism/49960")).unwrap();
        assert_eq!(message(&folder), "'alt.atheism/49960' is a folder; name a file inside it");
        fs::remove_dir_all(&folder).unwrap();
        assert!(newsgroups(Path::new("no/such/folder")).is_err());
    }

    #[test]
    fn the_counts_are_those_of_the_whole_set() {
        assert_eq!((TRAIN.1.iter().sum::<usize>(), TEST.1.iter().sum::<usize>()), (11_314, 7532));
        // alt, comp, misc and rec are the positives of the paper: 6,390 posts.
        assert_eq!(TRAIN.1[..11].iter().sum::<usize>(), 6390);
        assert!(NEWSGROUPS.is_sorted());
    }
}
