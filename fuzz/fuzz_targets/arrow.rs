//! Any bytes as an Arrow file or stream.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::arrow(bytes));
