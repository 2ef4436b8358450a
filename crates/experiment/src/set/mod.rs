//! A data set as runs need it: rows to train on, then rows to test on, in one piece that a device holds once.

mod table;

use crate::ExperimentError;
use crate::bias;
use crate::choices::TextForm;
use crate::classes::Classes;
use crate::published::{
    CIFAR10_CLASSES, NEWSGROUPS, Pixels, cifar10, mnist, newsgroups, svhn, usps, vocabulary, word_vectors,
};
use crate::spec::{DataKind, DataSpec};
use onesided_classic::Selected;
use onesided_data::{
    DataError, Dataset, Digits, Encoding, ImageFrom, ImageInput, Images, Matrix, PictureShape, Pictures,
    Scaling, Store, TableError, TextInput, TextOptions, Weighting, digits, image_folder, train_test,
};
use onesided_learn::{Error, Views};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use table::of_table;

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Pictures of a folder are brought to squares of this side.
const SIDE: usize = 32;
/// Of a set that has no test part, this share is kept for testing; the same rows for every seed.
const TEST: f64 = 0.2;

/// Rows of training, then of testing, each positive or not. Rows of classes that a spec leaves out are not there.
pub struct Set {
    /// Whether each row to train on is of a positive class.
    pub train: Vec<bool>,
    /// Whether each row to test on is.
    pub test: Vec<bool>,
    /// The file of each row, where rows are separate files.
    pub files: Option<Vec<PathBuf>>,
    /// The number of each row to train on among the published rows, if some of them are left out.
    published: Option<Vec<usize>>,
    rows: Dataset,
    /// Pictures as numbers of mean 0 and deviation 1, made when they are first asked for.
    numbers: OnceLock<Dataset>,
    /// How probable it is that each row to train on is positive, for those who label with a bias.
    probabilities: OnceLock<Vec<f64>>,
    /// Rows without a value below zero: there from the start for texts, else made when first asked for.
    counts: OnceLock<Dataset>,
}

impl Set {
    /// Reads the set of a spec from its place below `folder`.
    pub fn read(spec: &DataSpec, features: TextForm, folder: &Path) -> Result<Self, ExperimentError> {
        Self::read_from(spec, features, folder).map_err(|error| match error {
            ExperimentError::Learn(Error::Data(
                DataError::Table(TableError::NotFound { file: missing })
                | DataError::NoFolder { folder: missing },
            )) if spec.kind.is_published() => {
                let (title, folder) = (spec.title.clone(), folder.display().to_string());
                let missing = missing.strip_prefix(&folder).unwrap_or(&missing).trim_start_matches('/');
                ExperimentError::NoSet { missing: missing.to_string(), title, folder }
            }
            other => other,
        })
    }

    fn read_from(spec: &DataSpec, features: TextForm, folder: &Path) -> Result<Self, ExperimentError> {
        let place = spec.folder.as_ref().map_or_else(|| folder.to_path_buf(), |inside| folder.join(inside));
        let pick = |classes: &[&str]| Classes::new(spec, classes);
        match spec.kind {
            DataKind::Mnist => {
                let set = mnist(&place)?;
                of_bytes(set.train, set.test, &pick(&DIGITS)?)
            }
            DataKind::Usps => {
                let set = usps(&place)?;
                of_numbers(set.train, set.test, &pick(&DIGITS)?)
            }
            DataKind::Svhn => {
                let set = svhn(&place)?;
                of_bytes(set.train, set.test, &pick(&DIGITS)?)
            }
            DataKind::Cifar10 => {
                let set = cifar10(&place)?;
                of_bytes(set.train, set.test, &pick(&CIFAR10_CLASSES)?)
            }
            DataKind::Digits => {
                let Digits { images, labels } = digits();
                let square = PictureShape { channels: 1, height: 8, width: 8 };
                let classes = pick(&DIGITS)?;
                of_table(Some(square), images, classes.of(&labels), classes.kept(&labels))
            }
            DataKind::Table => table::read(spec, &place),
            DataKind::Newsgroups => of_texts(&place, folder, features, &pick(&NEWSGROUPS)?),
            DataKind::Images => of_folder(spec, &place),
        }
    }

    fn new(train: Vec<bool>, test: Vec<bool>, published: Option<Vec<usize>>, rows: Dataset) -> Self {
        let (numbers, counts, probabilities) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { train, test, files: None, published, rows, numbers, probabilities, counts }
    }

    /// The rows as networks take them.
    pub fn rows(&self) -> &Dataset {
        &self.rows
    }

    /// The rows as classic systems take them: pictures as numbers of mean 0 and deviation 1, texts sparse.
    pub fn numbers(&self) -> Result<&Dataset, ExperimentError> {
        match (self.rows.rows(), self.rows.encoding().as_ref()) {
            (Store::Bytes(pictures), Encoding::Image(ImageInput { scale, shift, .. })) => {
                let channels = scale.len();
                made(&self.numbers, || {
                    let number = |(at, &byte): (usize, &u8)| {
                        f32::from(byte) * scale[at % channels] + shift[at % channels]
                    };
                    self.with_numbers(pictures.bytes.iter().enumerate().map(number).collect())
                })
            }
            _ => Ok(&self.rows),
        }
    }

    /// The probability that a row to train on is positive, by a logistic regression of the true classes.
    pub(crate) fn probabilities(&self) -> Result<&[f64], ExperimentError> {
        let make = || {
            let views = Views::new(self.numbers()?);
            let rows: Vec<usize> = (0..self.train.len()).collect();
            bias::probabilities(&Selected::new(views.rows(Scaling::Standard)?, rows), &self.train)
        };
        made(&self.probabilities, make).map(Vec::as_slice)
    }

    /// The rows as classic systems take them that need counts, with no value below zero: texts as counts of terms, pixels
    /// as they are, columns from their smallest value on.
    pub fn counts(&self) -> Result<&Dataset, ExperimentError> {
        made(&self.counts, || match self.rows.rows() {
            Store::Bytes(pictures) => {
                self.with_numbers(pictures.bytes.iter().map(|&byte| f32::from(byte)).collect())
            }
            _ => {
                let (rows, width) = (self.rows.dense()?, self.rows.encoding().width());
                let mut least = vec![f32::MAX; width];
                for row in rows.as_slice().chunks_exact(width) {
                    least.iter_mut().zip(row).for_each(|(least, &x)| *least = least.min(x));
                }
                self.with_numbers(
                    rows.as_slice().iter().enumerate().map(|(at, &x)| x - least[at % width]).collect(),
                )
            }
        })
    }

    /// The same rows with every value stored, as given.
    fn with_numbers(&self, numbers: Vec<f32>) -> Result<Dataset, ExperimentError> {
        let encoding = self.rows.encoding();
        of_matrix(Matrix::new(self.rows.len(), encoding.width(), numbers)?, encoding.shape())
    }

    /// Numbers of the rows to test on.
    pub fn test_rows(&self) -> Vec<u32> {
        (self.train.len() as u32..).take(self.test.len()).collect()
    }

    /// The shape and the bytes of one picture, if the set has pictures of bytes.
    pub fn picture(&self, row: usize) -> Option<(PictureShape, &[u8])> {
        match self.rows.rows() {
            Store::Bytes(pictures) => {
                let bytes = pictures.bytes.chunks_exact(pictures.shape.len()?).nth(row)?;
                Some((pictures.shape, bytes))
            }
            _ => None,
        }
    }

    /// What a person finds a row to train on by: its file, or its number among the published rows, from 0.
    pub fn name(&self, row: usize) -> String {
        match (&self.files, &self.published) {
            (Some(files), _) => files[row].display().to_string(),
            (None, Some(published)) => published[row].to_string(),
            (None, None) => row.to_string(),
        }
    }
}

/// What is in `place`, made first if it is not there.
fn made<T>(
    place: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, ExperimentError>,
) -> Result<&T, ExperimentError> {
    if let Some(there) = place.get() {
        return Ok(there);
    }
    let new = make()?;
    // Two that make it at once make the same.
    Ok(place.get_or_init(|| new))
}

/// Numbers that are taken as they are: pixels of pictures, or columns.
fn of_matrix(matrix: Matrix, shape: Option<PictureShape>) -> Result<Dataset, ExperimentError> {
    let Some(image) = shape else { return Ok(Dataset::from_scaled(matrix, None)?) };
    let (scale, shift) = (vec![1.0; image.channels], vec![0.0; image.channels]);
    let encoding = Encoding::Image(ImageInput { image, scale, shift, from: ImageFrom::Files });
    Ok(Dataset::from_encoded(Store::Dense(matrix), Arc::new(encoding))?)
}

/// Bytes as they are, brought to mean 0 and deviation 1 by the moments of the training images.
fn of_bytes(train: Images, test: Images, classes: &Classes) -> Result<Set, ExperimentError> {
    let shape = PictureShape { channels: train.channels, height: train.height, width: train.width };
    let wide = train.channels * train.height * train.width;
    let labels = (classes.of(&train.labels), classes.of(&test.labels));
    let published = classes.kept(&train.labels);
    let mut pictures = Pictures { shape, bytes: classes.keep(train.bytes, wide, &train.labels) };
    let encoding = Arc::new(Encoding::Image(ImageInput::fit(&pictures)?));
    pictures.bytes.extend(classes.keep(test.bytes, wide, &test.labels));
    Ok(Set::new(labels.0, labels.1, published, encoding.encode_pictures(pictures)?))
}

/// Numbers between -1 and 1, as USPS has them, brought to mean 0 and deviation 1.
fn of_numbers(train: Pixels, test: Pixels, classes: &Classes) -> Result<Set, ExperimentError> {
    let shape = PictureShape { channels: train.channels, height: train.height, width: train.width };
    let wide = train.channels * train.height * train.width;
    let labels = (classes.of(&train.labels), classes.of(&test.labels));
    let published = classes.kept(&train.labels);
    let mut numbers = classes.keep(train.values, wide, &train.labels);
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let variance = numbers.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    numbers.extend(classes.keep(test.values, wide, &test.labels));
    numbers.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) / variance.sqrt()) as f32);
    let rows = Matrix::new(labels.0.len() + labels.1.len(), wide, numbers)?;
    Ok(Set::new(labels.0, labels.1, published, of_matrix(rows, Some(shape))?))
}

/// Texts as averaged word vectors or as weights of terms.
fn of_texts(
    place: &Path,
    folder: &Path,
    features: TextForm,
    classes: &Classes,
) -> Result<Set, ExperimentError> {
    let mut set = newsgroups(place)?;
    let (train, test) = (classes.of(&set.train.labels), classes.of(&set.test.labels));
    let published = classes.kept(&set.train.labels);
    set.train.texts = classes.keep(set.train.texts, 1, &set.train.labels);
    set.test.texts = classes.keep(set.test.texts, 1, &set.test.labels);
    let texts: Vec<&String> = set.train.texts.iter().chain(&set.test.texts).collect();
    match features {
        TextForm::Glove => {
            let vectors = word_vectors(&glove_file(folder)?, &vocabulary(&texts))?;
            let rows = vectors.average(&texts)?.vectors;
            let numbers = standardized(rows.as_slice(), vectors.dimension(), train.len());
            let rows = Matrix::new(texts.len(), vectors.dimension(), numbers)?;
            Ok(Set::new(train, test, published, of_matrix(rows, None)?))
        }
        // TF-IDF of the words of the texts to train on, each row of length 1, and their counts.
        TextForm::Tfidf { terms } => {
            let terms = TextOptions { max_terms: Some(terms), ..TextOptions::default() };
            let counts = TextOptions { weighting: Weighting::Counts, ..terms.clone() };
            let encoded = |options: TextOptions| -> Result<Dataset, ExperimentError> {
                let text = options.fit(&set.train.texts)?;
                let encoding = Arc::new(Encoding::from(TextInput { columns: Vec::new(), text }));
                Ok(encoding.encode_texts(&texts)?)
            };
            let rows = encoded(terms)?;
            Ok(Set { counts: encoded(counts)?.into(), ..Set::new(train, test, published, rows) })
        }
    }
}

/// Each column brought to mean 0 and deviation 1 over the rows to train on.
fn standardized(rows: &[f32], width: usize, train: usize) -> Vec<f32> {
    let (mut sums, mut squares) = (vec![0.0; width], vec![0.0; width]);
    for row in rows.chunks_exact(width).take(train) {
        for (column, &x) in row.iter().enumerate() {
            sums[column] += f64::from(x);
            squares[column] += f64::from(x).powi(2);
        }
    }
    let count = train.max(1) as f64;
    let mut rows = rows.to_vec();
    for row in rows.chunks_exact_mut(width) {
        for (column, x) in row.iter_mut().enumerate() {
            let mean = sums[column] / count;
            let deviation = (squares[column] / count - mean * mean).max(0.0).sqrt();
            *x = ((f64::from(*x) - mean) / if deviation > 0.0 { deviation } else { 1.0 }) as f32;
        }
    }
    rows
}

/// The vectors of most dimensions in the folder or its `glove`: the paper's 300 where the user has them.
fn glove_file(folder: &Path) -> Result<PathBuf, ExperimentError> {
    let dimensions = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".gz").unwrap_or(name).strip_suffix("d.txt")?;
        if name.starts_with("glove.") { name.rsplit('.').next()?.parse::<usize>().ok() } else { None }
    };
    let listed =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = listed(folder).chain(listed(&folder.join("glove")));
    let best = files.filter_map(|path| Some((dimensions(&path)?, path))).max();
    best.map(|(_, path)| path).ok_or_else(|| ExperimentError::Spec {
        file: folder.display().to_string(),
        detail: "it holds no word vectors; put a file such as glove.6B.300d.txt into it, or choose features = \"tfidf\""
            .into(),
    })
}

/// A folder of pictures: its `train` and `test` where it has both, else a share kept for testing.
fn of_folder(spec: &DataSpec, place: &Path) -> Result<Set, ExperimentError> {
    if !place.is_dir() {
        return Err(DataError::NoFolder { folder: place.display().to_string() }.into());
    }
    let read = |folder: &Path| image_folder(folder, SIDE, SIDE);
    let halves = [place.join("train"), place.join("test")];
    if halves.iter().all(|half| half.is_dir()) {
        let (train, test) = (read(&halves[0])?, read(&halves[1])?);
        let named: Vec<&str> = train.classes.iter().map(String::as_str).collect();
        if train.classes != test.classes {
            return Err(ExperimentError::Spec {
                file: place.display().to_string(),
                detail: "its train and test hold different classes".into(),
            });
        }
        let classes = Classes::new(spec, &named)?;
        let train_files = classes.keep(train.files, 1, &train.images.labels);
        let test_files = classes.keep(test.files, 1, &test.images.labels);
        let mut set = of_bytes(train.images, test.images, &classes)?;
        set.files = Some([train_files, test_files].concat());
        return Ok(set);
    }
    let mut all = read(place)?;
    let named: Vec<&str> = all.classes.iter().map(String::as_str).collect();
    let classes = Classes::new(spec, &named)?;
    let wide = all.images.height * all.images.width * all.images.channels;
    all.images.bytes = classes.keep(all.images.bytes, wide, &all.images.labels);
    all.files = classes.keep(all.files, 1, &all.images.labels);
    all.images.labels = classes.keep(all.images.labels.clone(), 1, &all.images.labels);
    let (train, test) = train_test(&classes.of(&all.images.labels), TEST, 0)?;
    let some = |rows: &[usize]| {
        let pictures: Vec<&[u8]> = all.images.bytes.chunks_exact(wide).collect();
        Images {
            bytes: rows.iter().flat_map(|&row| pictures[row]).copied().collect(),
            labels: rows.iter().map(|&row| all.images.labels[row]).collect(),
            ..all.images
        }
    };
    let mut set = of_bytes(some(&train), some(&test), &classes)?;
    set.files = Some(train.iter().chain(&test).map(|&row| all.files[row].clone()).collect());
    Ok(set)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Positives, then negatives to train on, then rows to test on, each with its number as its only value.
    pub fn numbered(positive: usize, negative: usize, test: usize) -> Set {
        let train: Vec<bool> = (0..positive + negative).map(|row| row < positive).collect();
        let rows = train.len() + test;
        let numbers = Matrix::new(rows, 1, (0..rows).map(|row| row as f32).collect()).unwrap();
        Set::new(train, vec![false; test], None, of_matrix(numbers, None).unwrap())
    }

    /// As many positives as negatives to train on, then a row to test on: of two positives, the one of the larger number looks
    /// less positive.
    pub fn overlapping(each: usize) -> Set {
        let train: Vec<bool> = (0..2 * each).map(|row| row < each).collect();
        let place = |row: usize| if row < each { row } else { row - each / 2 };
        let numbers = (0..=2 * each).map(|row| 4.0 * place(row) as f32 / each as f32).collect();
        let rows = Matrix::new(2 * each + 1, 1, numbers).unwrap();
        Set::new(train, vec![false], None, of_matrix(rows, None).unwrap())
    }

    impl Set {
        /// The same truth to train on with these rows, of which the last are to be tested on.
        pub fn with_test(self, rows: Matrix, test: Vec<bool>) -> Set {
            Set::new(self.train, test, None, of_matrix(rows, None).unwrap())
        }
    }

    #[test]
    fn columns_are_scaled_by_the_rows_to_train_on() {
        // Of 1 and 3 the mean is 2 and the deviation 1; a constant column is centered alone.
        let scaled = standardized(&[1.0, 7.0, 3.0, 7.0, 6.0, 9.0], 2, 2);
        assert_eq!(scaled, [-1.0, 0.0, 1.0, 0.0, 4.0, 2.0]);
    }

    #[test]
    fn counts_of_a_table_begin_at_the_smallest_value() {
        let rows = Matrix::new(3, 2, vec![-2.0, 5.0, 0.0, 3.0, 1.0, 4.0]).unwrap();
        let set = Set::new(vec![true, false], vec![true], None, of_matrix(rows, None).unwrap());
        assert_eq!(set.counts().unwrap().dense().unwrap().as_slice(), [0.0, 2.0, 2.0, 0.0, 3.0, 1.0]);
        assert!(std::ptr::eq(set.numbers().unwrap(), set.rows()));
        assert_eq!((set.name(1), set.picture(0).is_none()), ("1".to_string(), true));
    }

    #[test]
    fn the_word_vectors_of_most_dimensions_are_taken() {
        let folder = std::env::temp_dir().join(format!("onesided-glove-{}", std::process::id()));
        fs::create_dir_all(folder.join("glove")).unwrap();
        let error = glove_file(&folder).unwrap_err().to_string();
        assert!(error.contains("it holds no word vectors"), "{error}");
        for name in ["glove.6B.50d.txt", "notes.txt", "glove/glove.6B.100d.txt.gz", "glove/glove.txt"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(glove_file(&folder).unwrap(), folder.join("glove/glove.6B.100d.txt.gz"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn rows_keep_the_numbers_they_were_published_under() {
        let images = |labels: &[u8]| Images {
            height: 1,
            width: 1,
            channels: 1,
            bytes: labels.iter().map(|label| 10 * label).collect(),
            labels: labels.to_vec(),
        };
        let spec = DataSpec::new("pets", vec!["dog".into()], Some(vec!["cat".into()]));
        let classes = Classes::new(&spec, &["cat", "dog", "car", "cart"]).unwrap();
        let set = of_bytes(images(&[2, 1, 0, 3, 1]), images(&[3, 0]), &classes).unwrap();
        assert_eq!((&set.train[..], &set.test[..]), (&[true, false, true][..], &[false][..]));
        assert_eq!([0, 1, 2].map(|row| set.name(row)), ["1", "2", "4"]);
        let picture = |row: usize| set.picture(row).map(|(_, bytes)| bytes);
        assert_eq!((picture(0), picture(3)), (Some(&[10][..]), Some(&[0][..])));
        assert_eq!(set.test_rows(), [3]);
        // Of the training part 10, 0, 10 the mean is 20/3 and the deviation √(200/9).
        let numbers = set.numbers().unwrap().dense().unwrap();
        assert!((f64::from(numbers.as_slice()[0]) - 0.5f64.sqrt()).abs() < 1e-6);
        assert_eq!(set.counts().unwrap().dense().unwrap().as_slice(), [10.0, 0.0, 10.0, 0.0]);
    }
}
