//! Imports every OpenAPI document of a folder and prints a table; `cargo xtask corpus` runs it.
//!
//! Each document is imported by a process of its own (this program again, with `--one FILE`), so that its seconds
//! and its peak memory are its own, and a crash is one row of the table. Fails if a document gives no tool although
//! it has operations, if fewer than 99.5 % of all operations become tools, or if a schema is not valid Draft 2020-12,
//! points to nowhere, or holds `nullable`.

mod one;
mod table;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", file] => {
            println!("{}", one::import(Path::new(file)));
            ExitCode::SUCCESS
        }
        [folder] => table::run(Path::new(folder), None),
        [folder, "--all", directory, "--report", report] => {
            table::run(Path::new(folder), Some((Path::new(directory), Path::new(report))))
        }
        _ => {
            eprintln!("usage: corpus FOLDER [--all DIRECTORY --report FILE] | corpus --one FILE");
            ExitCode::from(2)
        }
    }
}
