//! Any bytes as printed values.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::printed(bytes));
