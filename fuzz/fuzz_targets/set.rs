//! Any bytes as a file of a published data set.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: readers::let_readers_catch_panics(), |bytes: &[u8]| onesided_experiment::read_set_bytes(bytes));
