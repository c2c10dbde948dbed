//! Every tool of the real OpenAPI documents in every dialect: what is lost, what is refused, and that the linter
//! finds nothing in the rest.
//!
//! The documents are those of `cargo xtask corpus`. The work is done by a program built for release.

use crate::corpus;
use crate::run::cargo;

/// Fetches what is not there yet, then lowers everything.
pub(crate) fn run() -> Result<(), String> {
    let documents = corpus::documents()?;
    let documents = documents.to_str().ok_or("the target folder's path is not Unicode")?;
    cargo(&[
        "run",
        "--quiet",
        "--release",
        "--package",
        "opentool-benches",
        "--bin",
        "dialects",
        "--",
        documents,
    ])
}
