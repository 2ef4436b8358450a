//! Any bytes as a checkpoint that training continues from.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::checkpoint(bytes));
