//! What each reader makes of any bytes of a file: one function per fuzz target.
//!
//! Whatever the bytes are, a reader answers with what it read or with an error of one sentence, and what it read fits together.
//! The targets hand these functions what the fuzzer makes up; the tests (`crates/cli/tests/hostile_files.rs`) hand them the
//! files of the corpora.

use onesided::data::{
    DataError, FileOptions, Fingerprint, Frame, NumberStyle, ReadOptions, TableError, TableFormat,
    TextEncoding, Utf8Reader, Values, Written, decode, limit_memory, looks_like_html, read_csv_bytes,
    read_parquet_bytes, read_table_bytes, strip_html, words,
};
use onesided::loss::elicit::{Reward, checks};
use onesided::net::Mix;
use onesided::net::{Architecture, Job, Network, Shape, Source, TrainConfig, train};
use onesided::{
    Audit, AuditFile, Cutting, Dataset, Input, InputOptions, KnownRows, Label, Matrix, Model, ReadAgain,
};
use onesided_experiment::{Printed, Record, Results, Spec};
use std::fmt::Display;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What takes any bytes.
pub type Reader = fn(&[u8]);

/// The readers by the names of their targets.
pub const READERS: &[(&str, Reader)] = &[
    ("arrow", arrow),
    ("audit", audit),
    ("checkpoint", checkpoint),
    ("csv", csv),
    ("date", date),
    ("formula", formula),
    ("json", json),
    ("model", model),
    ("parquet", parquet),
    ("picture", picture),
    ("printed", printed),
    ("results", results),
    ("rows", rows),
    ("sheet", sheet),
    ("spec", spec),
    ("stream", stream),
    ("table", table),
    ("text", text),
];

/// Decoders of others panic on some files, and the readers turn that into an error: such a panic is not a crash. One that nobody
/// catches still ends the target. With `PANICS` in the environment the first of any kind ends it, with its message.
#[cfg(fuzzing)]
pub fn let_readers_catch_panics() {
    if std::env::var_os("PANICS").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// What would take more memory is refused.
const MEMORY: u64 = 1 << 30;

/// A place for files that are read by their names, of this process alone and in memory where the system offers that.
fn place(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let root = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let folder = root.join(format!("onesided-readers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    });
    folder.join(name)
}

/// Takes away the files that were read by their names.
pub fn remove_files() {
    let _ = fs::remove_dir_all(place(""));
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = place(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// An error is one sentence, and nothing in it commands a terminal once the command has escaped it.
fn sentence(error: impl Display) -> String {
    let text = error.to_string();
    assert!(!text.is_empty(), "an error without a word");
    text
}

fn whole(read: Result<Frame, TableError>) {
    match read {
        Ok(frame) => assert!(frame.columns.iter().all(|column| column.values.len() == frame.rows)),
        Err(error) => assert!(!sentence(error).contains('\n')),
    }
}

/// A text table, plain or packed.
pub fn csv(bytes: &[u8]) {
    limit_memory(MEMORY);
    whole(read_csv_bytes(bytes));
}

/// A Parquet file.
pub fn parquet(bytes: &[u8]) {
    limit_memory(MEMORY);
    whole(read_parquet_bytes(bytes));
}

/// A table in the format that its bytes are marked as.
pub fn table(bytes: &[u8]) {
    limit_memory(MEMORY);
    whole(read_table_bytes(bytes, &ReadOptions::default()));
}

fn read_as(bytes: &[u8], format: TableFormat) {
    limit_memory(MEMORY);
    whole(read_table_bytes(
        bytes,
        &ReadOptions::from(FileOptions { format: Some(format), ..FileOptions::default() }),
    ));
}

/// Objects, one per line or in an array.
pub fn json(bytes: &[u8]) {
    read_as(bytes, TableFormat::Json);
}

/// Arrow files, streams and Feather.
pub fn arrow(bytes: &[u8]) {
    read_as(bytes, TableFormat::Arrow);
}

/// The parts of an OpenDocument or Excel sheet, separated by a line of three hashes, in a container without compression.
pub fn sheet(bytes: &[u8]) {
    let (&kind, rest) = bytes.split_first().unwrap_or((&b'o', &[]));
    let names: &[&str] = match kind {
        b'x' => &[
            "[Content_Types].xml",
            "_rels/.rels",
            "xl/workbook.xml",
            "xl/_rels/workbook.xml.rels",
            "xl/worksheets/sheet1.xml",
            "xl/sharedStrings.xml",
            "xl/styles.xml",
        ],
        b'b' => &[
            "xl/workbook.bin",
            "xl/_rels/workbook.bin.rels",
            "xl/worksheets/sheet1.bin",
            "xl/sharedStrings.bin",
            "xl/styles.bin",
        ],
        _ => &["mimetype", "content.xml", "META-INF/manifest.xml"],
    };
    let mut container = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut rest = rest;
    for name in names {
        let at = rest.windows(5).position(|mark| mark == b"\n###\n");
        let (part, after) = at.map_or((rest, &[][..]), |at| (&rest[..at], &rest[at + 5..]));
        container.start_file(*name, stored).unwrap();
        container.write_all(part).unwrap();
        rest = after;
    }
    read_as(&container.finish().unwrap().into_inner(), TableFormat::Excel);
}

/// A model file: an error, or a model that scores a row of zeros and writes itself out again.
pub fn model(bytes: &[u8]) {
    /// Wider rows are left out: the zeros alone would cost more time than the reader.
    const WIDEST: usize = 4096;
    limit_memory(MEMORY);
    let model = match Model::load_bytes(bytes) {
        Ok(model) => model,
        Err(error) => return assert!(!sentence(error).contains('\n')),
    };
    let width = model.about().features.width();
    if width <= WIDEST
        && let Ok(zeros) = Matrix::new(1, width, vec![0.0; width])
        && let Ok(zeros) = Dataset::from_encoded(zeros, model.encoding().clone())
    {
        let scores = model.score(&zeros);
        assert!(scores.is_err() || scores.is_ok_and(|scores| scores.len() == 1));
    }
    let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.about(), model.about());
}

/// A reward: a refusal, or a function whose values and checks can be asked for.
pub fn formula(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(reward) = Reward::formula(text) else { return };
    for eta in [0.0, 1e-9, 0.25, 0.5, 1.0] {
        let _ = (reward.value(eta), reward.derivative(eta), reward.second_derivative(eta));
    }
    if checks(&reward).all_hold() {
        let _ = (reward.loss(0.5), reward.inverse_link(-3.0));
    }
}

/// A column of dates, each line a cell: as the guess has it, and as it is asked for.
pub fn date(bytes: &[u8]) {
    let cells = String::from_utf8_lossy(bytes).replace('"', "");
    let rows: String = cells.lines().take(50).map(|cell| format!("\"{cell}\",1\n")).collect();
    let table = format!("t,x\n{rows}");
    let asked =
        ReadOptions { written: vec![("t".to_string(), Written::Dates(None))], ..ReadOptions::default() };
    for options in [ReadOptions::default(), asked] {
        let Ok(frame) = read_table_bytes(table.as_bytes(), &options) else { continue };
        for column in &frame.columns {
            if let Values::Times(times) = &column.values {
                assert!(times.seconds.iter().all(|seconds| !seconds.is_infinite()));
            }
        }
        let _ = Dataset::from_frame(frame, &Default::default());
    }
}

/// A text in some encoding: a stream of it is what the whole is.
pub fn text(bytes: &[u8]) {
    let encodings = [None, Some("shift_jis"), Some("gb18030"), Some("windows-1252"), Some("utf-16le")];
    let (&first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let given: Option<TextEncoding> =
        encodings[usize::from(first) % encodings.len()].map(|name| name.parse().unwrap());
    let decoded = decode(rest.to_vec(), given);
    let mut streamed = Vec::new();
    let read = Utf8Reader::new(rest, given).read_to_end(&mut streamed);
    if read.is_ok() && std::str::from_utf8(rest).is_ok() && given.is_none() {
        // A mark of UTF-8 passes through a stream, so that offsets are those of the file.
        assert_eq!(streamed.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&streamed), decoded.text.as_bytes());
    }
    if looks_like_html(&decoded.text) {
        let _ = strip_html(&decoded.text);
    }
    let stripped = strip_html(&decoded.text);
    words(&stripped).for_each(|word| assert!(!word.is_empty()));
}

/// A picture next to a sound one.
pub fn picture(bytes: &[u8]) {
    const DOT: &[u8] = include_bytes!("dot.png");
    limit_memory(MEMORY);
    let files = [written("any.png", bytes), written("sound.png", DOT)];
    let options = InputOptions { image_shape: Some("3x8x8".parse().unwrap()), ..InputOptions::default() };
    if let Err(error) = options.read_pictures(&files, &[Label::Positive, Label::Unlabeled]) {
        assert!(!sentence(error).contains('\n'));
    }
}

/// A table as new rows for an encoding: read whole and read in pieces of two rows, which must agree.
pub fn stream(bytes: &[u8]) {
    static ENCODINGS: OnceLock<[Arc<onesided::Encoding>; 2]> = OnceLock::new();
    limit_memory(MEMORY);
    // One learned points and dates with the year first, the other commas and dates with the day first.
    let encodings = ENCODINGS.get_or_init(|| {
        [false, true].map(|commas| {
            let row = |i: usize| {
                let (month, day) = (1 + i * 5 % 12, 1 + i * 5 % 28);
                let date = if commas {
                    format!("{day:02}/{month:02}/2024")
                } else {
                    format!("2024-{month:02}-{day:02}")
                };
                let number = if commas { format!("\"{},5\"", i % 17) } else { (i % 17).to_string() };
                format!("{number},{},{date},{},{}\n", ["a", "b", "c"][i % 3], i.is_multiple_of(2), i % 4 / 3)
            };
            let rows: String = (0..60).map(row).collect();
            let fitted = written("fitted.csv", format!("n,c,d,f,y\n{rows}").as_bytes());
            let options = InputOptions::labeled("y");
            options.read(&Input::one(fitted)).unwrap().encoding().clone()
        })
    });
    let encoding = &encodings[bytes.last().map_or(0, |last| usize::from(last / 2 % 2))];
    let marked = bytes.starts_with(b"PAR1");
    let input = Input::one(written(if marked { "new.parquet" } else { "new.csv" }, bytes));
    let decimal = bytes.last().is_some_and(|last| last % 2 == 1 && !marked).then_some(NumberStyle::Comma);
    let also = ReadAgain::from(FileOptions { decimal, ..FileOptions::default() });
    let read = encoding.read(&input, &also);
    let (mut pieces, mut length) = (Vec::new(), 0);
    let cut = Cutting { rows: Some(2), threads: 1, range: None };
    let streamed = encoding.stream::<DataError>(&input, &also, cut, &mut |piece| {
        length += piece.len();
        pieces.extend(rows_of(&piece));
        Ok(())
    });
    match (read, streamed) {
        (Ok(read), Ok(streamed)) => {
            assert_eq!((read.len(), read.len()), (streamed.rows, length));
            // However it is cut, the rows are those of the whole table, to the bit.
            assert_eq!(pieces, rows_of(&read));
        }
        (Err(_), Err(error)) => assert!(!sentence(error).contains('\n')),
        // Letters that were handed out cannot be read again in another encoding; the whole table can.
        (Ok(_), Err(DataError::Table(TableError::NotUtf8 { .. }))) => {}
        (Ok(read), Err(error)) => panic!("{} rows, but in pieces: {error}", read.len()),
        (Err(error), Ok(streamed)) => panic!("{} rows in pieces, but: {error}", streamed.rows),
    }
}

/// The cells of each row.
fn rows_of(data: &onesided::Dataset) -> Vec<String> {
    (0..data.len()).map(|row| format!("{:?}", data.select(&[row]).rows())).collect()
}

/// Training that continues from a checkpoint: refused, or it ends with finite weights or an error of one sentence.
pub fn checkpoint(bytes: &[u8]) {
    static NETWORK: OnceLock<Network> = OnceLock::new();
    let network =
        NETWORK.get_or_init(|| "mlp:2".parse::<Architecture>().unwrap().network(Shape::flat(1)).unwrap());
    let path = written("checkpoint", &of_this_run(bytes));
    if bytes.is_empty() {
        // Without a file training begins, and leaves a sound one.
        fs::remove_file(&path).unwrap();
    }
    let data: Vec<f32> = (0..12).map(|i| (i % 5) as f32 - 2.0).collect();
    let objective = onesided::loss::Collective::new(0.25, onesided::Reduction::SumOfMeans).unwrap();
    let config = TrainConfig {
        batch: 8,
        epochs: 2,
        mix: Mix::AtLeast(0.2),
        seed: 4,
        threads: 1,
        ..TrainConfig::default()
    };
    let job = Job {
        network,
        data: Source::Numbers(&data),
        positive: &[0, 1, 2],
        unlabeled: &[3, 4, 5, 6, 7, 8, 9],
        held_out_positive: &[10],
        held_out_unlabeled: &[11],
        negatives: None,
        weights: None,
        objective: &objective,
        start_bias: -1.0,
        share: None,
        risk: Some(&|p: &[f32], u: &[f32], _: &[f32]| f64::from(u[0]) - f64::from(p[0])),
        risk_name: "difference",
        config: &config,
        checkpoint: Some(&path),
    };
    if let Err(error) = train(&job, &mut |_| true) {
        assert!(!sentence(error).contains('\n'));
    }
}

/// The bytes with the fingerprint of the run that a note names, where the job's own goes: twenty places wide.
fn of_this_run(bytes: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = b"fingerprint\\\":";
    const WIDTH: usize = 20;
    static OWN: OnceLock<Option<String>> = OnceLock::new();
    let mut bytes = bytes.to_vec();
    let Some(at) = bytes.windows(MARK.len()).position(|part| part == MARK) else { return bytes };
    let own = OWN.get_or_init(|| {
        checkpoint(&[]);
        let sound = fs::read(place("checkpoint")).unwrap();
        let at = sound.windows(MARK.len()).position(|part| part == MARK)? + MARK.len();
        let digits = sound[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        Some(format!("{:>WIDTH$}", std::str::from_utf8(&sound[at..at + digits]).ok()?))
    });
    let field = at + MARK.len()..at + MARK.len() + WIDTH;
    if let (Some(own), Some(field)) = (own, bytes.get_mut(field)) {
        field.copy_from_slice(own.as_bytes());
    }
    bytes
}

/// An experiment's spec, and the runs that follow from it.
pub fn spec(bytes: &[u8]) {
    match Spec::read(&written("spec.toml", bytes)) {
        Ok(spec) => {
            let _ = (spec.runs(), spec.results_file());
        }
        Err(error) => assert!(!sentence(error).contains('\n')),
    }
}

/// Printed values next to a spec.
pub fn printed(bytes: &[u8]) {
    match Printed::read(&written("printed.toml", bytes), "accuracy") {
        Ok(printed) => {
            let _ = printed.methods();
        }
        Err(error) => assert!(!sentence(error).contains('\n')),
    }
}

/// A results file, which takes one more record and gives it back.
pub fn results(bytes: &[u8]) {
    let file = written("results.jsonl", bytes);
    let mut results = match Results::read(&file, &[]) {
        Ok(results) => results,
        Err(error) => return assert!(!sentence(error).contains('\n')),
    };
    let record = Record {
        run: "a/0.2/b/0".into(),
        fingerprint: "new".into(),
        accuracy: 0.5,
        auc: 0.5,
        rows: (1, 2),
        prior: None,
        estimated_accuracy: None,
        loss: 0.25,
        seconds: 0.0,
        device: "cpu".into(),
        version: "0".into(),
    };
    results.append(record.clone()).unwrap();
    let text = fs::read(&file).unwrap();
    let last = text.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
    assert_eq!(serde_json::from_slice::<Record>(last).unwrap(), record);
    Results::read(&file, &[]).unwrap();
}

/// Answers to an audit, and what follows from them.
pub fn audit(bytes: &[u8]) {
    limit_memory(MEMORY);
    let file = written("audit.csv", bytes);
    let read = AuditFile::read(&file, &FileOptions::default());
    let report = read.and_then(|file| Audit::of_files(&[file])).and_then(|audit| {
        let rows = audit.rows().count();
        audit.report(0.95).map(|report| (rows, report))
    });
    if let Err(error) = report {
        assert!(!sentence(error).contains('\n'));
    }
}

/// The file of a model's rows, made to belong to the model and to agree with its sum.
pub fn rows(bytes: &[u8]) {
    const MODEL: &[u8] = b"a model";
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 28 {
        bytes[16..24].copy_from_slice(&Fingerprint::default().of_bytes(MODEL).number().to_le_bytes());
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    }
    written("m.rows", &bytes);
    match KnownRows::beside(&written("m", MODEL)) {
        Ok(rows) => {
            let data = Dataset::from_matrix(Matrix::new(2, 1, vec![0.0, 1.0]).unwrap(), None).unwrap();
            let mut matcher = rows.matcher();
            assert!(matcher.next(&data).is_ok_and(|kinds| kinds.len() == 2));
            let _ = (rows.is_complete(), matcher.is_fitted_table());
        }
        Err(error) => assert!(!sentence(error).contains('\n')),
    }
}
