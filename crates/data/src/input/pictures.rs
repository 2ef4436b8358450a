//! Pictures in files: two folders, a folder per class, or a table with a column of file names.
//!
//! **Size.** All pictures are brought to one size: the shape asked for; or that of the pictures, where nine of ten have the
//! same and no side is above 64 pixels; or, with the proportions they share, that size shrunk to 64 pixels on its longer side;
//! or 64 × 64 where sizes differ, each side scaled by itself. They are gray where every file is gray, else color. Files in
//! folders of a folder are files of the folder, however deep they are.
//!
//! **Damage.** A file that cannot be decoded is left out and named, or refused where missing values are.

use super::files::{self, Classes, Kind, Links, Listing};
use super::table::{self, Answers, Known, Table, read_tables};
use super::{Dataset, Encoding, ImageFrom, ImageInput, Input, InputOptions, Note, ReadAgain};
use crate::label::{apart, count_labels};
use crate::pictures::resize::{Header, LEAST, header, read_all};
use crate::{DataError, Label, MissingPolicy, PictureShape, Pictures, Store};
use onesided_table::ReadOptions;
use onesided_table::map_stretches;
use onesided_table::{TableError, TextColumn, Values};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest side that pictures are given where no size is asked for.
const LONGEST_SIDE: usize = 64;

/// Pictures that were decoded, and which of the files asked for they are.
struct Decoded {
    pictures: Pictures,
    kept: Vec<usize>,
    notes: Vec<Note>,
}

/// One folder with a folder per class.
pub(super) fn read_classes(options: &InputOptions, folder: &Path) -> Result<Dataset, DataError> {
    options.check_folders(folder)?;
    let follow = options.files.follow_links;
    let pictures = |inner: &Path, links: Links| Ok(Listing::below(inner, links)?.pictures);
    let classes = Classes::read(folder, follow, pictures, options.roles.positive.as_deref())?;
    let (mut paths, mut of) = (Vec::new(), Vec::new());
    for (at, class) in classes.all.into_iter().enumerate() {
        of.extend(std::iter::repeat_n(at, class.files.len()));
        paths.extend(class.files);
    }
    let is_positive = |&row: &usize| of[row] == classes.positive;
    let decoded = decode_files(&paths, options.image_shape, options.missing)?;
    let truth: Vec<bool> = decoded.kept.iter().map(is_positive).collect();
    // What stands beside the folders of classes is passed over, too.
    let all = Listing::below(folder, Links::of(folder, follow))?;
    let data = learned(decoded, ImageFrom::Files, &paths, folder)?.with_class(truth)?;
    Ok(data.with_notes(all.passed_over()).with_copies_noted())
}

/// Folders of pictures: positives, unlabeled ones and maybe negatives.
pub(super) fn read_folders(options: &InputOptions, folders: &[&Path]) -> Result<Dataset, DataError> {
    let follow = options.files.follow_links;
    let (mut all, mut of) = (Listing::default(), Vec::new());
    for (at, folder) in folders.iter().enumerate() {
        let inside = Listing::below(folder, Links::of(folder, follow))?;
        of.extend(std::iter::repeat_n(at, inside.pictures.len()));
        all.append(inside);
    }
    let paths = &all.pictures;
    let decoded = decode_files(paths, options.image_shape, options.missing)?;
    let mut kept = [0; 3];
    decoded.kept.iter().for_each(|&row| kept[of[row]] += 1);
    // A folder without a single sound picture is what is wrong, not the labels that are left.
    for (at, kept) in kept.into_iter().enumerate().take(folders.len()) {
        if kept == 0 {
            let inside: Vec<PathBuf> =
                paths.iter().zip(&of).filter(|(_, of)| **of == at).map(|(path, _)| path.clone()).collect();
            decode_files(&inside, options.image_shape, MissingPolicy::Refuse)?;
        }
    }
    let labels = apart(kept[0], kept[1], kept[2]);
    let data = learned(decoded, ImageFrom::Files, paths, Path::new(""))?.with_labels(labels)?;
    Ok(data.with_notes(all.passed_over()).with_copies_noted())
}

/// A table with a column of picture files.
pub(super) fn read_table(options: &InputOptions, input: &Input) -> Result<Dataset, DataError> {
    // `read` comes here only where the column is named.
    let column = options.image.clone().unwrap_or_default();
    let (table, paths) = read_paths(input, &column, options.as_written(), (&options.roles).into())?;
    let decoded = decode_files(&paths, options.image_shape, options.missing)?;
    let kept = decoded.kept.clone();
    let data = learned(decoded, ImageFrom::Column(column), &paths, Path::new(""))?;
    finish_some(data, table, &kept)
}

/// A list of files with a label each.
pub(super) fn read_list(
    options: &InputOptions,
    paths: &[PathBuf],
    labels: &[Label],
) -> Result<Dataset, DataError> {
    if labels.len() != paths.len() {
        return Err(TableError::Length { what: "labels", expected: paths.len(), found: labels.len() }.into());
    }
    let decoded = decode_files(paths, options.image_shape, options.missing)?;
    let labels = decoded.kept.iter().map(|&row| labels[row]).collect();
    learned(decoded, ImageFrom::Files, paths, Path::new(""))?.with_labels(labels)
}

/// A list of files, each of which must be a picture: whoever asks for scores counts on one per file.
pub(super) fn encode_list(
    shape: PictureShape,
    encoding: &Arc<Encoding>,
    paths: &[PathBuf],
) -> Result<Dataset, DataError> {
    let decoded = decode_files(paths, Some(shape), MissingPolicy::Refuse)?;
    with_names(decoded, encoding.clone(), paths, Path::new(""))
}

/// A folder, read as the model's own pictures were.
pub(super) fn read_folder(
    shape: PictureShape,
    encoding: &Arc<Encoding>,
    folder: &Path,
    follow: bool,
) -> Result<Dataset, DataError> {
    if matches!(files::kind_of(folder, follow)?, Kind::Texts | Kind::TextClasses) {
        let file = folder.display().to_string();
        return Err(DataError::OtherInput { fitted: "pictures", found: "texts", file });
    }
    let all = Listing::below(folder, Links::of(folder, follow))?;
    let decoded = decode_files(&all.pictures, Some(shape), MissingPolicy::Mean)?;
    let data = with_names(decoded, encoding.clone(), &all.pictures, folder)?;
    Ok(data.with_notes(all.passed_over()))
}

/// A table of files, read as the model's own was.
pub(super) fn read_table_again(
    shape: PictureShape,
    encoding: &Arc<Encoding>,
    (input, column): (&Input, &str),
    also: &ReadAgain,
) -> Result<Dataset, DataError> {
    let (table, paths) = read_paths(input, column, also.as_written(), also.known())?;
    let decoded = decode_files(&paths, Some(shape), MissingPolicy::Mean)?;
    let kept = decoded.kept.clone();
    let data = with_names(decoded, encoding.clone(), &paths, Path::new(""))?;
    finish_some(data, table, &kept)
}

/// Labels and names of the rows whose pictures could be read.
fn finish_some(data: Dataset, table: Table, kept: &[usize]) -> Result<Dataset, DataError> {
    let unused = (!table.frame.ignored.is_empty()).then(|| Note::NotUsed(table.frame.ignored.clone()));
    let Answers { labels, label_column, told, truth, weights, groups, ids, notes, .. } = table.answers;
    let ids = ids.into_iter();
    let ids = ids.map(|(name, ids)| (name, kept.iter().map(|&row| ids.get(row)).collect::<TextColumn>()));
    let answers = Answers {
        labels: labels.map(|labels| kept.iter().map(|&row| labels[row]).collect()),
        label_column,
        told: told.map(|told| kept.iter().map(|&row| told[row]).collect()),
        named: None,
        truth: truth.map(|truth| kept.iter().map(|&row| truth[row]).collect()),
        weights: weights.map(|weights| kept.iter().map(|&row| weights[row]).collect()),
        groups: groups.map(|groups| kept.iter().map(|&row| groups.get(row)).collect()),
        ids: ids.collect(),
        notes,
    };
    table::finish(data.with_notes(unused), answers)
}

/// The rows of a table with the files that a column of it names.
fn read_paths(
    input: &Input,
    column: &str,
    options: ReadOptions,
    known: Known,
) -> Result<(Table, Vec<PathBuf>), DataError> {
    let names = vec![column.to_string()];
    let read = ReadOptions { verbatim: names.clone(), only: Some(names), ..options };
    let table = read_tables(input, read, known)?;
    // The first rows that are of the second and of the third table.
    let (second, third) = match (input, &table.answers.labels) {
        (Input::Two { .. }, Some(labels)) => {
            let counts = count_labels(labels);
            (counts.positive, counts.positive + counts.unlabeled)
        }
        _ => (table.frame.rows, table.frame.rows),
    };
    let mut paths = Vec::with_capacity(table.frame.rows);
    if let Values::Text(names) = &table.frame.column(column)?.values {
        // Names are relative to the folder of the table they are in.
        let folders: Vec<&Path> =
            input.paths().iter().map(|path| path.parent().unwrap_or(Path::new(""))).collect();
        let folder = |row: usize| folders[usize::from(row >= second) + usize::from(row >= third)];
        paths.extend(names.iter().enumerate().map(|(row, name)| folder(row).join(name.trim())));
    }
    Ok((table, paths))
}

/// A data set whose scaling is learned from its own pictures.
fn learned(decoded: Decoded, from: ImageFrom, paths: &[PathBuf], root: &Path) -> Result<Dataset, DataError> {
    let image = ImageInput { from, ..ImageInput::fit(&decoded.pictures)? };
    with_names(decoded, Arc::new(Encoding::Image(image)), paths, root)
}

fn with_names(
    decoded: Decoded,
    encoding: Arc<Encoding>,
    paths: &[PathBuf],
    root: &Path,
) -> Result<Dataset, DataError> {
    let shown = |&row: &usize| paths[row].strip_prefix(root).unwrap_or(&paths[row]).display().to_string();
    let names: TextColumn = decoded.kept.iter().map(shown).collect();
    let data = Dataset::new(Store::Bytes(decoded.pictures), encoding).with_notes(decoded.notes);
    data.with_ids("file", names)
}

/// Decodes all files and brings them to one size.
fn decode_files(
    paths: &[PathBuf],
    shape: Option<PictureShape>,
    missing: MissingPolicy,
) -> Result<Decoded, DataError> {
    let headers = if shape.is_none() { headers(paths) } else { Vec::new() };
    let given = shape;
    let shape = shape.unwrap_or_else(|| common_shape(headers.iter().flatten()));
    let (mut bytes, mut kept, mut resized) = (Vec::new(), Vec::new(), 0);
    let mut unreadable: Vec<(usize, String)> = Vec::new();
    for (row, decoded) in read_all(paths, shape)?.into_iter().enumerate() {
        match decoded {
            Ok(picture) => {
                bytes.extend(picture.bytes);
                kept.push(row);
                resized += usize::from(picture.resized);
            }
            Err(why) => unreadable.push((row, why)),
        }
    }
    // What is left out says nothing of what the others are: a broken file may have a sound header.
    if given.is_none() && !unreadable.is_empty() && !kept.is_empty() {
        let of_sound = common_shape(kept.iter().filter_map(|&row| headers[row].as_ref()));
        if of_sound != shape {
            return decode_files(paths, Some(of_sound), missing);
        }
    }
    let all = paths.len();
    let mut notes = Vec::new();
    if let Some((row, why)) = unreadable.first() {
        let (count, file) = (unreadable.len(), paths[*row].display().to_string());
        if missing == MissingPolicy::Refuse || kept.is_empty() {
            return Err(DataError::UnreadableImages { count, all, file, why: why.clone() });
        }
        notes.push(Note::Unreadable { files: count, all, first: file, why: why.clone() });
    }
    if resized > 0 {
        notes.push(Note::Resized { files: resized, all, shape });
    }
    Ok(Decoded { pictures: Pictures { shape, bytes }, kept, notes })
}

/// What the headers of files say, where they say it.
fn headers(paths: &[PathBuf]) -> Vec<Option<Header>> {
    map_stretches(paths, 0, LEAST, |some| some.iter().map(|path| header(path)).collect::<Vec<_>>()).concat()
}

/// The shape that fits all pictures, by their headers alone; the rule is at the top of this file.
fn common_shape<'a>(headers: impl Iterator<Item = &'a Header>) -> PictureShape {
    let found: Vec<&Header> = headers.collect();
    let channels = if found.iter().all(|picture| picture.gray) && !found.is_empty() { 1 } else { 3 };
    let square = PictureShape { channels, height: LONGEST_SIDE, width: LONGEST_SIDE };
    let mut sizes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    found.iter().for_each(|picture| *sizes.entry((picture.height, picture.width)).or_default() += 1);
    // A few others, of which some may not be sound at all, do not change the size of the rest.
    let usual = sizes.into_iter().find(|(_, count)| count * 10 >= found.len() * 9);
    let Some(((height, width), _)) = usual else { return square };
    let longer = height.max(width);
    if longer <= LONGEST_SIDE {
        return PictureShape { channels, height, width };
    }
    let shrunk = |side: usize| (side * LONGEST_SIDE).div_ceil(longer).max(1);
    PictureShape { channels, height: shrunk(height), width: shrunk(width) }
}
