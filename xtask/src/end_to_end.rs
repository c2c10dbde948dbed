//! The executor before the mock upstream, for every operation of real documents.
//!
//! The comparing is a program of its own, built for release; this fetches the documents and starts it.

use crate::{corpus, run::cargo};

/// Tries the usual documents, or those of these names in the folder of the corpus.
pub(crate) fn run(documents: &[String]) -> Result<(), String> {
    let folder = corpus::documents()?;
    let folder = folder.to_str().ok_or("the target folder's path is not Unicode")?;
    let mut command = vec![
        "run",
        "--quiet",
        "--release",
        "--package",
        "opentool-benches",
        "--bin",
        "end-to-end",
        "--",
        folder,
    ];
    command.extend(documents.iter().map(String::as_str));
    cargo(&command)
}
