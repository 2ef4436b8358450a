//! No bytes make a reader panic: mutations of sound files, many of them, from a fixed seed.
//!
//! The same readers are fuzzed without end elsewhere; this is the short version that runs with every test.

use onesided_data::{
    FileOptions, ReadOptions, Stream, TableFormat, limit_memory, read_csv_bytes, read_parquet_bytes,
    read_table_bytes,
};
use std::fs;
use std::path::Path;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

/// A few random edits: bits flipped, bytes replaced, pieces cut out or doubled, the end cut off.
fn mutated(original: &[u8], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=stream.below(4) {
        let len = bytes.len();
        if len < 2 {
            break;
        }
        let (at, span) = (stream.below(len), 1 + stream.below(16));
        match stream.below(5) {
            0 => bytes[at] ^= 1 << stream.below(8),
            1 => bytes[at] = stream.next_u64() as u8,
            2 => drop(bytes.drain(at..len.min(at + span))),
            3 => {
                let piece = bytes[at..len.min(at + span)].to_vec();
                bytes.splice(at..at, piece);
            }
            _ if stream.below(4) == 0 => bytes.truncate(at),
            _ => bytes[at] = [0x00, 0xff, b'"', b',', b'\n', 0x7f, 0x80][stream.below(7)],
        }
    }
    bytes
}

/// Reads `rounds` mutations and returns how many were accepted and how many refused.
fn survive(name: &str, rounds: usize, read: impl Fn(&[u8]) -> bool) -> (usize, usize) {
    let original = fixture(name);
    let mut stream = Stream::new(20, name);
    let accepted = (0..rounds).filter(|_| read(&mutated(&original, &mut stream))).count();
    (accepted, rounds - accepted)
}

#[test]
fn csv() {
    for name in ["plain.csv", "packed.csv.gz", "packed.csv.zst"] {
        let (accepted, refused) = survive(name, 5_000, |bytes| read_csv_bytes(bytes).is_ok());
        // Both happen, or the mutations are too tame or too wild to show anything.
        assert!(accepted > 0 && refused > 0, "{name}: {accepted} accepted, {refused} refused");
    }
}

#[test]
fn parquet() {
    for name in
        ["snappy.parquet", "zstd.parquet", "gzip.parquet", "types.parquet", "numbers.parquet", "odd.parquet"]
    {
        let (accepted, refused) = survive(name, 3_000, |bytes| read_parquet_bytes(bytes).is_ok());
        assert!(refused > 0, "{name}: {accepted} accepted, {refused} refused");
    }
}

#[test]
fn noise() {
    let mut stream = Stream::new(4, "noise");
    for round in 0..2_000 {
        let bytes: Vec<u8> = (0..stream.below(200)).map(|_| stream.next_u64() as u8).collect();
        let framed = [b"PAR1".as_slice(), &bytes, &((round % 64) as u32).to_le_bytes(), b"PAR1"].concat();
        assert!(read_parquet_bytes(&framed).is_err());
        // Some noise is a table with odd names; what counts is that it comes back at all.
        let _ = read_csv_bytes(&bytes);
    }
}

fn table(bytes: &[u8], format: Option<TableFormat>) -> bool {
    read_table_bytes(bytes, &ReadOptions::from(FileOptions { format, ..FileOptions::default() })).is_ok()
}

#[test]
fn spreadsheets_and_arrow_files() {
    // What would take more than this is refused, not tried.
    limit_memory(2 << 30);
    for (name, rounds) in [
        ("plain.xlsx", 400),
        ("titled.xlsx", 400),
        ("old.xls", 1_500),
        ("open.ods", 400),
        ("lz4.feather", 2_000),
        ("zstd.feather", 2_000),
        ("stream.arrow", 2_000),
        ("coded.arrow", 2_000),
    ] {
        let (accepted, refused) = survive(name, rounds, |bytes| table(bytes, None));
        assert!(refused > 0, "{name}: {accepted} accepted, {refused} refused");
        let whole = fixture(name);
        let cut = (0..whole.len()).step_by(1 + whole.len() / 200).filter(|&at| table(&whole[..at], None));
        // The end of a file says where everything is; a stream has none.
        assert!(cut.count() == 0 || name == "stream.arrow", "{name}");
    }
}

#[test]
fn objects() {
    let lines = b"{\"a\": 1, \"b\": {\"c\": [1, 2]}}\n{\"a\": \"x\\n\\\"\", \"b\": null}\n{\"d\": true}\n";
    let mut stream = Stream::new(20, "objects");
    let read = |bytes: &[u8]| table(bytes, Some(TableFormat::Json));
    let accepted = (0..5_000).filter(|_| read(&mutated(lines, &mut stream))).count();
    assert!(accepted > 0 && accepted < 5_000, "{accepted} accepted");
    for depth in [100, 1_000, 100_000] {
        let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(!read(deep.as_bytes()) || depth == 100);
    }
}
