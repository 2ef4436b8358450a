//! Dates and times of text tables, Parquet files and Arrow arrays become the same features, and are read again the same way.

mod scratch;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, DictionaryArray, DurationSecondArray, Int64Array, RecordBatch, StringArray,
    Time32SecondArray, TimestampMicrosecondArray,
};
use onesided_data::{
    DataError, Dataset, Encoding, FeatureKind, FileOptions, Input, InputOptions, Note, ReadAgain, Scaling,
    TimeStyle, Values, read_csv_bytes,
};
use parquet::arrow::ArrowWriter;
use scratch::Scratch;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Year, month and day.
type Day = (usize, usize, usize);
type Write = fn(&Day) -> String;

fn labeled() -> InputOptions {
    InputOptions::labeled("y")
}

/// A table of one column next to the labels, every second row of which is positive.
fn table(name: &str, cells: &[String]) -> String {
    let rows: String = cells.iter().enumerate().map(|(i, cell)| format!("\"{cell}\",{}\n", i % 2)).collect();
    format!("{name},y\n{rows}")
}

fn learned(scratch: &Scratch, name: &str, text: &str, options: &InputOptions) -> Dataset {
    options.read(&Input::one(scratch.write(name, text))).unwrap()
}

fn again(data: &Dataset, path: &Path) -> Dataset {
    data.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap()
}

fn style(data: &Dataset) -> TimeStyle {
    let Encoding::Table(features) = data.encoding().as_ref() else { panic!("a table expected") };
    match features.columns()[0].kind {
        FeatureKind::Time { style, .. } => style,
        ref other => panic!("no time: {other:?}"),
    }
}

/// Days that do not rise: the 1st, the 18th, the 4th, the 21st, … of months of 2022 to 2024.
fn days(count: usize) -> Vec<Day> {
    (0..count).map(|i| (2022 + i % 3, 1 + (5 * i) % 12, 1 + (17 * i) % 28)).collect()
}

#[test]
fn one_table_of_dates_in_five_writings_gives_the_same_rows() {
    let scratch = Scratch::new("writings");
    let writings: [(&str, Write, TimeStyle); 5] = [
        ("iso.csv", |(y, m, d)| format!("{y}-{m:02}-{d:02}T00:00:00Z"), TimeStyle::YearFirst),
        ("points.csv", |(y, m, d)| format!("{d:02}.{m:02}.{y}"), TimeStyle::DayFirst),
        ("us.csv", |(y, m, d)| format!("{m}/{d}/{y} 12:00 AM"), TimeStyle::MonthFirst),
        ("compact.csv", |(y, m, d)| format!("{y}{m:02}{d:02}"), TimeStyle::Compact),
        ("zone.csv", |(y, m, d)| format!("{y}/{m:02}/{d:02} 05:30+0530"), TimeStyle::YearFirst),
    ];
    let mut first: Option<Dataset> = None;
    for (file, write, expected) in writings {
        let cells: Vec<String> = days(60).iter().map(write).collect();
        let data = learned(&scratch, file, &table("when", &cells), &labeled());
        assert_eq!(style(&data), expected, "{file}");
        assert_eq!(data.encoding().names(), ["when", "when.month", "when.weekday", "when.day"], "{file}");
        assert!(data.notes().is_empty(), "{file}: {:?}", data.notes());
        assert_eq!(again(&data, &scratch.path(file)).rows(), data.rows(), "{file}");
        match &first {
            None => first = Some(data),
            Some(first) => assert_eq!(data.rows(), first.rows(), "{file}"),
        }
    }
}

#[test]
fn parts_are_numbers_of_the_calendar() {
    let scratch = Scratch::new("parts");
    let mut cells: Vec<String> =
        days(60).iter().map(|(y, m, d)| format!("{y}-{m:02}-{d:02} 06:00")).collect();
    // Leap day of 2024, a Thursday, at 16:30; and a day before 1970, a Wednesday.
    cells[7] = "2024-02-29 16:30".to_string();
    cells[8] = "1969-12-31 23:15".to_string();
    cells[9] = String::new();
    let options = InputOptions { scaling: Scaling::AsIs, ..labeled() };
    let data = learned(&scratch, "t.csv", &table("t", &cells), &options);
    assert_eq!(data.encoding().names(), ["t", "t.month", "t.weekday", "t.day", "t.hour"]);
    let rows = data.dense().unwrap();
    assert_eq!(rows.row(7), [19_782.0 + 0.6875, 2.0, 3.0, 29.0, 16.5]);
    assert_eq!(rows.row(8), [-0.03125, 12.0, 2.0, 31.0, 23.25]);
    // Missing cells are the mean, and trees see that they are missing.
    let columns = data.columns().unwrap();
    assert!(columns.matrix.row(9).iter().all(|value| value.is_nan()));
    assert!(columns.matrix.row(8).iter().all(|value| !value.is_nan()));
}

#[test]
fn days_between_two_columns_are_features() {
    let scratch = Scratch::new("between");
    let rows: String = days(60)
        .iter()
        .enumerate()
        .map(|(i, (y, m, d))| format!("{y}-{m:02}-{d:02},{}-{m:02}-{d:02},{}\n", y + i % 2, i % 2))
        .collect();
    let options = InputOptions { scaling: Scaling::AsIs, ..labeled() };
    let data = learned(&scratch, "t.csv", &format!("start,end,y\n{rows}"), &options);
    let names = data.encoding().names();
    let at = names.iter().position(|name| name == "end - start").unwrap();
    let matrix = data.dense().unwrap();
    // 2022-01-01 to 2022-01-01, and 2023-06-18 to 2024-06-18 over a leap day.
    assert_eq!((matrix.row(0)[at], matrix.row(1)[at]), (0.0, 366.0));
    // Read again in another order of columns.
    let turned = scratch.write("u.csv", "end,start\n2024-06-18,2023-06-18\n,2024-01-01\n");
    let rows = again(&data, &turned);
    assert_eq!(rows.dense().unwrap().row(0)[at], 366.0);
    assert!(rows.columns().unwrap().matrix.row(1)[at].is_nan());
}

#[test]
fn an_order_that_stays_open_is_told_and_another_column_can_decide_it() {
    let scratch = Scratch::new("open");
    let cells: Vec<String> =
        (0..60).map(|i| format!("{:02}/{:02}/2024", 1 + i % 12, 1 + (5 * i) % 11)).collect();
    let data = learned(&scratch, "a.csv", &table("when", &cells), &labeled());
    assert_eq!(
        (style(&data), data.notes()),
        (TimeStyle::MonthFirst, &[Note::OpenDates(vec![("when".into(), true)])][..])
    );
    let both: String = cells
        .iter()
        .enumerate()
        .map(|(i, cell)| format!("{cell},{:02}/05/2024,{}\n", 1 + i % 28, i % 2))
        .collect();
    let data = learned(&scratch, "b.csv", &format!("when,other,y\n{both}"), &labeled());
    assert_eq!((style(&data), data.notes()), (TimeStyle::DayFirst, &[][..]));
}

#[test]
fn a_few_other_cells_are_missing_and_many_make_a_text() {
    let scratch = Scratch::new("others");
    let mut cells: Vec<String> = days(60).iter().map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")).collect();
    cells[3] = "0000-00-00".to_string();
    cells[4] = "soon".to_string();
    let data = learned(&scratch, "few.csv", &table("when", &cells), &labeled());
    let Note::Others { columns, asked: false } = &data.notes()[0] else { panic!("{:?}", data.notes()) };
    assert_eq!((columns[0].column.as_str(), columns[0].cells), ("when", 1));
    assert!(data.notes().contains(&Note::Missing(vec![("when".to_string(), 2)])));
    // Of new rows all may be something else but one.
    let new = scratch.write("new.csv", "when\nlater\n2024-01-05\nnever\n");
    let notes = again(&data, &new).notes().to_vec();
    let others = notes.iter().find(|note| matches!(note, Note::Others { .. })).unwrap();
    let sentence = others.to_string();
    assert!(sentence.contains("when (2, first 'later' in line 2)"), "{sentence}");
    // But not all of them.
    let wrong = scratch.write("wrong.csv", "when\nlater\nnever\n");
    let error = data.encoding().read(&Input::one(&wrong), &ReadAgain::default()).unwrap_err();
    assert!(matches!(error, DataError::KindChanged { fitted: "dates", found: "text", .. }), "{error}");
}

#[test]
fn more_different_times_than_levels_are_still_times() {
    let cells: String = (0..21_000u64)
        .map(|i| {
            let second = (i * 7_919) % 86_400;
            format!(
                "2024-03-{:02} {:02}:{:02}:{:02},{}\n",
                1 + i % 28,
                second / 3600,
                second / 60 % 60,
                second % 60,
                i % 2
            )
        })
        .collect();
    let frame = read_csv_bytes(format!("when,y\n{cells}").as_bytes()).unwrap();
    let Values::Times(times) = &frame.columns[0].values else { panic!("no times") };
    assert_eq!((times.seconds.len(), times.seconds[1]), (21_000, 1_709_251_200.0 + 86_400.0 + 7_919.0));
    assert_eq!(
        times.seconds[20_500],
        1_709_251_200.0 + 86_400.0 * 4.0 + f64::from((20_500 * 7_919) % 86_400)
    );
}

#[test]
fn of_a_date_that_rises_with_the_row_only_the_days_are_left_out() {
    let scratch = Scratch::new("rising");
    let cells: Vec<String> = (0..90).map(|i| format!("2024-{:02}-{:02}", 1 + i / 28, 1 + i % 28)).collect();
    let text =
        table("when", &cells).replace("y\n", "y,x\n").replace(",0\n", ",0,3\n").replace(",1\n", ",1,4\n");
    let data = learned(&scratch, "t.csv", &text, &labeled());
    let note = Note::TimesInOrder(vec!["when".to_string()]);
    assert!(data.notes().contains(&note), "{:?}", data.notes());
    // Labels follow the day of the month, and no weekday.
    assert_eq!(data.encoding().names(), ["when.day", "x"]);
    let asked = InputOptions { date: vec!["when".to_string()], ..labeled() };
    let data = learned(&scratch, "t.csv", &text, &asked);
    assert_eq!(data.encoding().names(), ["when", "when.weekday", "when.day", "x"]);
    let wrong = InputOptions { date: vec!["x".to_string()], ..labeled() };
    let error = wrong.read(&Input::one(scratch.path("t.csv"))).unwrap_err();
    assert!(matches!(error, DataError::NotDates { .. }), "{error}");
}

#[test]
fn parquet_and_text_tables_agree() {
    let scratch = Scratch::new("parquet");
    let days = days(60);
    let text: Vec<String> = days.iter().map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")).collect();
    let from_text = learned(&scratch, "t.csv", &table("when", &text), &labeled());
    let frame = read_csv_bytes(table("when", &text).as_bytes()).unwrap();
    let Values::Times(times) = &frame.columns[0].values else { panic!("no times") };
    let day = |seconds: &f64| (seconds / 86_400.0) as i32;
    let dates: ArrayRef = Arc::new(Date32Array::from_iter_values(times.seconds.iter().map(day)));
    let micros = times.seconds.iter().map(|seconds| (seconds * 1e6) as i64);
    let stamps: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from_iter_values(micros).with_timezone("Europe/Oslo"));
    let words: ArrayRef = Arc::new(StringArray::from_iter_values(&text));
    let coded: ArrayRef =
        Arc::new(text.iter().map(|text| Some(text.as_str())).collect::<DictionaryArray<Int32Type>>());
    let labels: ArrayRef = Arc::new(Int64Array::from_iter_values((0..60).map(|i| i % 2)));
    for (name, column) in
        [("d.parquet", dates), ("s.parquet", stamps), ("w.parquet", words), ("c.parquet", coded)]
    {
        let path = scratch.path(name);
        let batch = RecordBatch::try_from_iter([("when", column), ("y", labels.clone())]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let data = labeled().read(&Input::one(&path)).unwrap();
        assert_eq!(data.rows(), from_text.rows(), "{name}");
        // A model of one reads the other.
        assert_eq!(again(&from_text, &path).rows(), from_text.rows(), "{name}");
        assert_eq!(again(&data, &scratch.path("t.csv")).rows(), from_text.rows(), "{name}");
    }
}

#[test]
fn times_of_day_are_hours_and_durations_are_seconds() {
    let options = InputOptions { scaling: Scaling::AsIs, ..InputOptions::default() };
    let clock: ArrayRef = Arc::new(Time32SecondArray::from(vec![Some(3_600), Some(59_400), None]));
    let took: ArrayRef = Arc::new(DurationSecondArray::from(vec![Some(5), Some(90), Some(7)]));
    let batch = RecordBatch::try_from_iter([("clock", clock), ("took", took)]).unwrap();
    let mut table = onesided_data::ArrowTable::new("X", &batch.schema(), &options.read_options()).unwrap();
    (0..2).for_each(|at| table.push(at, batch.column(at)).unwrap());
    let data = options.learn(table.finish(3).unwrap()).unwrap();
    assert_eq!(data.encoding().names(), ["clock.hour", "took"]);
    let rows = data.dense().unwrap();
    assert_eq!((rows.row(0), rows.row(1)), (&[1.0, 5.0][..], &[16.5, 90.0][..]));
}

#[test]
fn hostile_cells_are_no_dates_and_no_panic() {
    for cell in [
        "9999999999-01-01",
        "2024-03-01T99:99:99",
        "-2024-03-01",
        "2024-03-01T00:00:00+99:99",
        "1/1/",
        "//",
        "::",
        "é/1/2024",
        "\u{0}",
    ] {
        let cells: Vec<String> = (0..40usize)
            .map(|i| if i.is_multiple_of(2) { cell.to_string() } else { "2024-01-01".to_string() })
            .collect();
        let frame = read_csv_bytes(table("when", &cells).as_bytes()).unwrap();
        assert!(matches!(frame.columns[0].values, Values::Categorical { .. }), "{cell}");
    }
}

/// A text table as a Parquet file whose columns are all of texts.
fn as_texts(from: &Path, to: &Path) {
    let text = std::fs::read_to_string(from).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column =
        |at: usize| -> ArrayRef { Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row[at]))) };
    let columns = header.iter().enumerate().map(|(at, name)| (name.to_string(), column(at)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(to).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn dates_in_another_order_than_those_of_training_are_refused_until_it_is_said() {
    let folder = std::env::temp_dir().join(format!("onesided-restyled-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let table = |name: &str, date: &dyn Fn(usize, usize) -> String| {
        let row = |i: usize| {
            format!("{},{},{}\n", date(1 + i * 5 % 12, 1 + i * 7 % 28), i % 7, u8::from(i.is_multiple_of(3)))
        };
        let path = folder.join(name);
        std::fs::write(&path, format!("when,x,y\n{}", (0..200).map(row).collect::<String>())).unwrap();
        path
    };
    let iso = table("iso.csv", &|month, day| format!("2024-{month:02}-{day:02}"));
    let options = InputOptions::labeled("y");
    let data = options.read(&onesided_data::Input::one(&iso)).unwrap();
    let rows = |path: &std::path::Path, date_order, rows| {
        let mut numbers: Vec<f32> = Vec::new();
        let also = onesided_data::ReadAgain {
            files: FileOptions { date_order, ..FileOptions::default() },
            ..Default::default()
        };
        let cut = onesided_data::Cutting { rows: Some(rows), threads: 1, range: None };
        let input = onesided_data::Input::one(path);
        let done = data.encoding().stream(&input, &also, cut, &mut |piece| {
            let matrix = piece.dense().unwrap();
            (0..matrix.rows()).for_each(|row| numbers.extend(matrix.row(row)));
            Ok::<(), onesided_data::DataError>(())
        });
        let notes: Vec<String> = done?.notes.iter().map(ToString::to_string).collect();
        Ok::<_, onesided_data::DataError>((numbers, notes))
    };
    let (as_learned, none) = rows(&iso, None, 64).unwrap();
    assert!(none.is_empty(), "{none:?}");
    for (name, order, cell, date) in [
        (
            "us.csv",
            TimeStyle::MonthFirst,
            "1/1/2024",
            &(|month, day| format!("{month}/{day}/2024")) as &dyn Fn(usize, usize) -> String,
        ),
        ("de.csv", TimeStyle::DayFirst, "01.01.2024", &|month, day| format!("{day:02}.{month:02}.2024")),
    ] {
        let text = table(name, date);
        let packed = text.with_extension("parquet");
        as_texts(&text, &packed);
        for path in [&text, &packed] {
            for pieces in [1, 64, 1_000] {
                let refused = rows(path, None, pieces).unwrap_err();
                let words = format!(
                    "'{cell}' is not written like the dates that the model was fitted on, which have the year first"
                );
                assert!(refused.to_string().contains(&words), "{refused}");
                assert_eq!(refused.hint().unwrap().setting, "date-order");
                assert_eq!(
                    rows(path, Some(order), pieces).unwrap(),
                    (as_learned.clone(), Vec::new()),
                    "{name}"
                );
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
