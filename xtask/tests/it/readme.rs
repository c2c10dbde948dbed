//! The Rust snippets of the README are those that an example compiles.

use crate::{expect_none, read};

#[test]
fn every_rust_snippet_of_the_readme_stands_in_an_example_that_is_compiled() {
    let example = lines(&read("examples/src/bin/readme.rs")).join("\n");
    let readme = read("README.md");
    let mut findings = Vec::new();
    let mut snippets = 0;
    for block in readme.split("```rust").skip(1) {
        let (_, code) = block.split_once('\n').expect("a fence ends its line");
        let code = code.split("```").next().unwrap_or_default();
        for paragraph in code.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            snippets += 1;
            if !example.contains(&lines(paragraph).join("\n")) {
                findings.push(format!("README.md: not in examples/src/bin/readme.rs:\n{paragraph}"));
            }
        }
    }
    assert!(snippets > 5, "the README has Rust snippets");
    expect_none(&findings);
}

/// The lines without indentation and blank ones.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}
