//! Any bytes as a Parquet file.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::parquet(bytes));
