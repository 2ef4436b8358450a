//! Tables in memory: the same features as a file of the same cells, whatever types hold them.

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, Float32Array, Float64Array, Int32Array,
    LargeStringArray, StringArray, StringViewArray,
};
use arrow_schema::{DataType, Field, Schema};
use onesided_data::{
    ArrowTable, DataError, Dataset, Encoding, Frame, InputOptions, Note, ReadOptions, Store, read_csv_bytes,
};
use std::sync::Arc;

const NAN: f64 = f64::NAN;

fn table(columns: &[(&str, ArrayRef)], options: &ReadOptions) -> Result<Frame, onesided_data::TableError> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let mut table = ArrowTable::new("X", &Schema::new(fields), options)?;
    // In two pieces, as batches come.
    for (at, (_, array)) in columns.iter().enumerate() {
        table.push(at, array.slice(0, 1).as_ref())?;
        table.push(at, array.slice(1, array.len() - 1).as_ref())?;
    }
    table.finish(columns[0].1.len())
}

fn learned(columns: &[(&str, ArrayRef)]) -> Dataset {
    let options = InputOptions::default();
    options.learn(table(columns, &options.read_options()).unwrap()).unwrap()
}

fn words(of: [Option<&str>; 4]) -> [ArrayRef; 4] {
    let coded: DictionaryArray<Int32Type> = of.into_iter().collect();
    [
        Arc::new(StringArray::from(of.to_vec())),
        Arc::new(LargeStringArray::from(of.to_vec())),
        Arc::new(StringViewArray::from(of.to_vec())),
        Arc::new(coded),
    ]
}

#[test]
fn a_table_in_memory_is_the_file_of_its_cells() {
    let csv = read_csv_bytes(b"a,color\n1.5,red\n,blue\n-2,\n4,red\n").unwrap();
    let expected = InputOptions::default().learn(csv).unwrap();
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5, NAN, -2.0, 4.0]));
    let nulls: ArrayRef = Arc::new(Float32Array::from(vec![Some(1.5), None, Some(-2.0), Some(4.0)]));
    for color in words([Some("red"), Some("blue"), None, Some("red")]) {
        for a in [&numbers, &nulls] {
            let found = learned(&[("a", a.clone()), ("color", color.clone())]);
            assert_eq!(found.rows(), expected.rows());
            assert_eq!(found.encoding(), expected.encoding());
        }
    }
}

#[test]
fn codes_of_numbers_are_categories() {
    let values: ArrayRef = Arc::new(Int32Array::from(vec![7, 3]));
    let keys = Int32Array::from(vec![Some(0), Some(1), None, Some(0)]);
    let coded: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let found = learned(&[("code", coded), ("n", Arc::new(Int32Array::from(vec![1, 2, 3, 4])))]);
    assert_eq!(found.encoding().names(), ["code=3", "code=7", "n"]);
}

#[test]
fn lists_of_one_length_are_vectors() {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let values = Float32Array::from_iter_values((0..8).map(|x| x as f32));
    let lists: ArrayRef = Arc::new(FixedSizeListArray::new(item, 2, Arc::new(values), None));
    let found = learned(&[("v", lists)]);
    assert_eq!(found.encoding().names(), ["v[0]", "v[1]"]);
    let Store::Dense(rows) = found.rows() else { panic!("dense rows expected") };
    // 0, 2, 4, 6: mean 3, standard deviation √5.
    assert!((rows.row(0)[0] + 3.0 / 5f32.sqrt()).abs() < 1e-6);
}

#[test]
fn lists_of_words_are_left_out_and_other_kinds_are_read_as_they_were() {
    let schema = Schema::new(vec![
        Field::new("tags", DataType::new_list(DataType::Utf8, true), true),
        Field::new("n", DataType::Float64, true),
    ]);
    let options = InputOptions::default();
    let mut made = ArrowTable::new("X", &schema, &options.read_options()).unwrap();
    assert_eq!(made.columns(), [1]);
    made.push(1, &Float64Array::from(vec![1.0, 2.0])).unwrap();
    let data = options.learn(made.finish(2).unwrap()).unwrap();
    assert!(data.notes()[0].to_string().contains("tags is left out"), "{}", data.notes()[0]);

    // A model of categories reads whole numbers as categories.
    let color = words([Some("1"), Some("2"), Some("1"), Some("2")])[0].clone();
    let fitted = learned(&[("color", color)]);
    let Encoding::Table(features) = fitted.encoding().as_ref() else { panic!("a table expected") };
    let again =
        table(&[("color", Arc::new(Int32Array::from(vec![1, 2, 1, 2])))], &features.read_options()).unwrap();
    assert_eq!(fitted.encoding().encode_frame(again).unwrap().rows(), fitted.rows());
}

#[test]
fn words_among_numbers_are_noted_when_a_table_is_encoded() {
    let numbers: Vec<f64> = (0..40).map(f64::from).collect();
    let fitted = learned(&[("n", Arc::new(Float64Array::from(numbers.clone())))]);
    let Encoding::Table(features) = fitted.encoding().as_ref() else { panic!("a table expected") };
    let texts: Vec<String> =
        numbers.iter().map(|x| if *x == 7.0 { "much".to_string() } else { x.to_string() }).collect();
    let frame =
        table(&[("n", Arc::new(StringArray::from(texts)) as ArrayRef)], &features.read_options()).unwrap();
    let data = fitted.encoding().encode_frame(frame).unwrap();
    let others = data.notes().iter().find(|note| matches!(note, Note::Others { .. }));
    let mut others = others.unwrap_or_else(|| panic!("{:?}", data.notes())).clone();
    assert!(others.is_warning() && others.to_string().contains("'much' in row 8"), "{others}");
    // As a program counts that has the rows in memory.
    assert!(others.count_rows_from_zero() && others.to_string().contains("'much' in row 7"), "{others}");
    assert!(!Note::NotUsed(vec!["n".to_string()]).count_rows_from_zero());
}

#[test]
fn errors_count_rows_from_zero_where_they_are_asked_to() {
    let infinite: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::INFINITY, 2.0]));
    let mut error = table(&[("n", infinite)], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("row 2"), "{error}");
    assert!(error.count_rows_from_zero() && error.to_string().contains("row 1"), "{error}");
    let mut error = DataError::MissingValue { column: "n".to_string(), row: 5 };
    assert!(error.count_rows_from_zero() && error.to_string().contains("row 4"), "{error}");
    assert!(!DataError::OtherEncoding.count_rows_from_zero());
}

#[test]
fn what_is_wrong_is_said_with_its_row() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::INFINITY]));
    let error = table(&[("a", numbers)], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("row 3") && error.contains("'a'") && error.contains("inf"), "{error}");
    let schema =
        Schema::new(vec![Field::new("a", DataType::Float64, true), Field::new("b", DataType::Float64, true)]);
    let mut short = ArrowTable::new("X", &schema, &ReadOptions::default()).unwrap();
    short.push(0, &Float64Array::from(vec![1.0, 2.0])).unwrap();
    short.push(1, &Float64Array::from(vec![1.0])).unwrap();
    assert!(short.finish(2).unwrap_err().to_string().contains('1'));
    let none = ArrowTable::new("X", &schema, &ReadOptions::default()).unwrap();
    assert!(none.finish(0).is_err());
    assert!(ArrowTable::new("X", &Schema::empty(), &ReadOptions::default()).is_err());
}
