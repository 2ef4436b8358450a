//! Any bytes as a table in the format that they are marked as.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::table(bytes));
