//! Any bytes as a table in the format that they are marked as: spreadsheets, Arrow files, objects.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onesided::data::{ReadOptions, limit_memory, read_table_bytes};

fuzz_target!(|bytes: &[u8]| {
    // What would take more is refused.
    limit_memory(1 << 30);
    if let Ok(frame) = read_table_bytes(bytes, &ReadOptions::default()) {
        assert!(frame.columns.iter().all(|column| column.values.len() == frame.rows));
    }
});
