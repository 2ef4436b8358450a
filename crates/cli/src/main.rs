//! The `onesided` command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(onesided_cli::main(std::env::args_os()))
}
