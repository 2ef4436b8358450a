//! Tables as data sets: their columns as numbers, and which rows are tested on.

use super::{Set, TEST, of_matrix};
use crate::ExperimentError;
use crate::spec::DataSpec;
use onesided_data::{Input, InputOptions, Matrix, PictureShape, Roles, train_test};
use std::path::Path;

/// Reads a table and divides its rows, as a column says or by chance.
pub(super) fn read(spec: &DataSpec, file: &Path) -> Result<Set, ExperimentError> {
    let Table { rows, truth, tested } = table(spec, file)?;
    match tested {
        Some(tested) => of_parts(rows, &truth, &tested),
        None => of_table(None, rows, truth, None),
    }
}

/// Numbers and texts as columns of mean 0 and deviation 1, and what is known of each row.
struct Table {
    rows: Matrix,
    /// Whether it is positive.
    truth: Vec<bool>,
    /// Whether it is tested on, where a column says so.
    tested: Option<Vec<bool>>,
}

/// The columns of a table, and its rows.
fn table(spec: &DataSpec, file: &Path) -> Result<Table, ExperimentError> {
    let refuse = |detail: &str| ExperimentError::Spec { file: spec.name.clone(), detail: detail.into() };
    let label =
        spec.label.as_ref().ok_or_else(|| refuse("a table needs the column of its classes as label"))?;
    let [positive] = &spec.positive[..] else {
        return Err(refuse("a table has one positive value"));
    };
    if spec.negative.is_some() {
        return Err(refuse("all rows of a table that are not positive are negative; leave 'negative' out"));
    }
    let options = InputOptions {
        roles: Roles {
            truth: Some(label.clone()),
            positive: Some(positive.clone()),
            id: spec.part.iter().cloned().collect(),
            ..Roles::default()
        },
        ..InputOptions::default()
    };
    let data = options.read(&Input::one(file))?;
    let truth = data.truth().map(<[bool]>::to_vec).unwrap_or_default();
    let mut tested = None;
    if let (Some(name), Some((_, parts))) = (&spec.part, data.ids().first()) {
        let is = |part: &str| match part {
            "train" => Ok(false),
            "test" => Ok(true),
            other => Err(refuse(&format!("its column '{name}' holds '{other}'; use train and test"))),
        };
        let of_rows = parts.iter().map(is).collect::<Result<Vec<bool>, _>>()?;
        if let Some(missing) = [(true, "test"), (false, "train")].iter().find(|(of, _)| !of_rows.contains(of))
        {
            return Err(refuse(&format!("no row of its column '{name}' is '{}'", missing.1)));
        }
        tested = Some(of_rows);
    }
    Ok(Table { rows: data.dense()?.into_owned(), truth, tested })
}

/// Rows with a test part of their own.
fn of_parts(rows: Matrix, truth: &[bool], tested: &[bool]) -> Result<Set, ExperimentError> {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..truth.len()).partition(|&row| tested[row]);
    let labels = |rows: &[usize]| rows.iter().map(|&row| truth[row]).collect();
    let order = [&train[..], &test[..]].concat();
    Ok(Set::new(labels(&train), labels(&test), Some(train), of_matrix(rows.select(&order), None)?))
}

/// Rows without a test part: a share of each class is kept for testing. Of the rows, those that are `kept`
/// have a truth; all of them if nothing is said.
pub(super) fn of_table(
    shape: Option<PictureShape>,
    rows: Matrix,
    truth: Vec<bool>,
    kept: Option<Vec<usize>>,
) -> Result<Set, ExperimentError> {
    let kept = kept.unwrap_or_else(|| (0..truth.len()).collect());
    let (train, test) = train_test(&truth, TEST, 0)?;
    let labels = |rows: &[usize]| rows.iter().map(|&row| truth[row]).collect();
    let order: Vec<usize> = train.iter().chain(&test).map(|&row| kept[row]).collect();
    let published = Some(order[..train.len()].to_vec());
    Ok(Set::new(labels(&train), labels(&test), published, of_matrix(rows.select(&order), shape)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::TextForm;
    use std::fs;

    #[test]
    fn a_table_without_a_test_part_keeps_its_numbers_too() {
        let rows = Matrix::new(12, 1, (0..12).map(|i| i as f32).collect()).unwrap();
        let kept: Vec<usize> = (1..11).collect();
        let truth: Vec<bool> = kept.iter().map(|row| row % 2 == 0).collect();
        let set = of_table(None, rows, truth, Some(kept)).unwrap();
        let numbers = set.rows().dense().unwrap();
        let numbers = numbers.as_slice();
        // A fifth of each class is tested on; the value of a row is its number.
        assert_eq!((set.train.len(), set.test.len()), (8, 2));
        for (row, &positive) in set.train.iter().enumerate() {
            assert_eq!(set.name(row), numbers[row].to_string());
            assert_eq!(positive, (numbers[row] as usize).is_multiple_of(2));
        }
        assert!(numbers.iter().all(|&x| (1.0..=10.0).contains(&x)));
    }

    #[test]
    fn a_column_of_a_table_may_say_what_is_tested_on() {
        let folder = std::env::temp_dir().join(format!("onesided-parts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let line = |row: usize| {
            let part = if row.is_multiple_of(4) { "test" } else { "train" };
            format!("{row},{},{part}\n", if row < 8 { "yes" } else { "no" })
        };
        let lines: String = (0..20).map(line).collect();
        fs::write(folder.join("mails.csv"), format!("number,spam,part\n{lines}")).unwrap();
        let read = |from: &str, to: &str| {
            let text = "title = \"t\"\nhidden = [0.5]\nseeds = [0]\n[[data]]\nname = \"table:mails\"\npositive = [\"yes\"]\n\
                        folder = \"mails.csv\"\nlabel = \"spam\"\npart = \"part\"\n[[method]]\nname = \"naive\"\n";
            let spec = crate::spec::tests::parsed(&text.replace(from, to)).unwrap();
            Set::read(&spec.data[0], TextForm::Glove, &folder)
        };
        let set = read("", "").unwrap();
        assert_eq!((set.train.len(), set.test.len()), (15, 5));
        // Rows 0 and 4 are positive and tested on; the other six are trained on, in the order of the file.
        assert_eq!(set.test, [true, true, false, false, false]);
        assert_eq!((set.name(0), set.name(14)), ("1".to_string(), "19".to_string()));
        assert_eq!(set.train.iter().filter(|&&positive| positive).count(), 6);
        // The column is not learned from.
        assert_eq!(set.rows().encoding().width(), 1);
        let refused = read("part = \"part\"", "part = \"number\"").err().unwrap().to_string();
        assert!(refused.contains("its column 'number' holds '0'; use train and test"), "{refused}");
        fs::write(folder.join("mails.csv"), format!("number,spam,part\n{}", lines.replace("test", "train")))
            .unwrap();
        let refused = read("", "").err().unwrap().to_string();
        assert!(refused.contains("no row of its column 'part' is 'test'"), "{refused}");
        fs::remove_dir_all(folder).unwrap();
    }
}
