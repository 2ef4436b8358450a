//! Any bytes as a CSV file, plain or packed: a table or an error, and a table that fits together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onesided::data::read_csv_bytes;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = read_csv_bytes(bytes) {
        assert!(frame.columns.iter().all(|column| column.values.len() == frame.rows));
    }
});
