//! Chores of the workspace, so that a checkout and a Rust toolchain are all that a contributor needs.
//!
//! `cargo xtask ci` is what lands a change; the other commands are its parts. Nothing here is published.

mod ci;
mod clients;
mod corpus;
mod dialects;
mod end_to_end;
mod fuzz;
mod imports;
mod peers;
mod run;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

Commands:
  ci        everything that must pass: fmt, clippy, tests, docs, features, examples, corpus
  tidy      only the rules about the tree itself
  setup     installs what the tests need (the Python and TypeScript MCP clients) under target/
  corpus    fetches real OpenAPI documents, imports every one, prints a table
  dialects  lowers the tools of those documents to every dialect, prints what is lost and refused
  end-to-end  sends every operation of those documents to the mock upstream, prints what was not read as it was meant
  openapi-clients  compares our requests with those of another OpenAPI client, writes docs/openapi-clients.md
  import-peers     compares what importing costs with FastMCP, writes docs/speed.md
  fuzz      libFuzzer on every way in; --replay: the kept inputs only, without cargo-fuzz
  bench     all benchmarks
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let result = match command.as_deref() {
        Some("ci") => ci::run(),
        Some("tidy") => run::cargo(&["test", "--quiet", "--package", "xtask"]),
        Some("setup") => peers::install().map(|_| ()),
        Some("corpus") => corpus::run(&rest),
        Some("dialects") => dialects::run(),
        Some("end-to-end") => end_to_end::run(&rest),
        Some("openapi-clients") => clients::run(),
        Some("import-peers") => imports::run(),
        Some("fuzz") => fuzz::run(&rest),
        Some("bench") => run::cargo(&["bench", "--package", "opentool-benches"]),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => Err(format!("no such command\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
