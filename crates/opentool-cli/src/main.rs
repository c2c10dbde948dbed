//! `opentool`, the command line: arguments, rendering and exit codes. Everything else is in the libraries.
//!
//! Nothing heavy happens before the arguments are read, and an async runtime is started only by the commands
//! that talk to somebody: `opentool --version` must be instant.

mod args;
mod call;
mod check;
mod commands;
mod console;
mod credentials;
mod demo;
mod describe;
mod error;
mod exit;
mod listen;
mod log;
mod loss;
mod render;
mod runtime;
mod serve;
mod source;
mod talk;
mod target;
mod telemetry;
mod write;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main()
}
