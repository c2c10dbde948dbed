//! Rules about the tree itself, as tests: `cargo xtask tidy`.
#![allow(clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

mod dependencies;
mod files;
mod readme;
mod words;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace").to_path_buf()
}

/// The files that git knows or would add, with paths from the root.
fn files() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    let mut files: Vec<String> =
        String::from_utf8(output.stdout).expect("paths are Unicode").lines().map(str::to_owned).collect();
    files.retain(|file| root().join(file).is_file());
    files.sort();
    files.dedup();
    files
}

/// Our own Rust sources, without what is deliberately wrong (`tests/ui`).
fn sources() -> Vec<String> {
    files().into_iter().filter(|file| file.ends_with(".rs") && !file.contains("/tests/ui/")).collect()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// Fails with one line per finding.
fn expect_none(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
