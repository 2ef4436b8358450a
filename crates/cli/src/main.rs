//! The `onesided` command.
fn main() {}
