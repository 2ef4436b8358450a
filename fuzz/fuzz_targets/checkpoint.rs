//! Any bytes as a checkpoint that training goes on from.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| readers::checkpoint(bytes));
