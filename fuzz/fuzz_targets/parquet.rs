//! Any bytes as a Parquet file: a table or an error, and a table that fits together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onesided::data::read_parquet_bytes;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = read_parquet_bytes(bytes) {
        assert!(frame.columns.iter().all(|column| column.values.len() == frame.rows));
    }
});
