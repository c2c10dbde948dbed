//! Size and shape of files.

use crate::{expect_none, read, sources};

/// Lines of a file without its `#[cfg(test)]` tail.
fn length(file: &str) -> usize {
    let text = read(file);
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().lines().count()
}

/// Sources of the product: neither tests nor benchmarks nor examples.
fn product() -> Vec<String> {
    sources().into_iter().filter(|file| file.starts_with("crates/") && file.contains("/src/")).collect()
}

#[test]
fn no_file_is_longer_than_1000_lines() {
    let long: Vec<String> = sources()
        .iter()
        .map(|file| (read(file).lines().count(), file))
        .filter(|(lines, _)| *lines > 1_000)
        .map(|(lines, file)| format!("{file}: {lines} lines; split it by concept"))
        .collect();
    expect_none(&long);
}

#[test]
fn most_files_are_short() {
    let mut lengths: Vec<usize> = product().iter().map(|file| length(file)).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    let high = lengths[lengths.len() * 95 / 100];
    assert!(median < 200, "the median source file has {median} lines, not under 200");
    assert!(high < 600, "the 95th percentile of source files is {high} lines, not under 600");
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|file| {
            let text = read(file);
            !text.starts_with("//!") && !text.starts_with("#![doc")
        })
        .map(|file| format!("{file}: begin with `//!`: what it is, why, what it does not do"))
        .collect();
    expect_none(&silent);
}

#[test]
fn no_test_is_ignored_or_sleeps() {
    let ignore = concat!("#[", "ignore");
    let sleeps = [concat!("thread::", "sleep"), concat!("time::", "sleep(")];
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|file| file.contains("/tests/"))
        .flat_map(|file| {
            let text = read(&file);
            text.lines()
                .enumerate()
                .filter(|(_, line)| line.contains(ignore) || sleeps.iter().any(|s| line.contains(s)))
                // A tool that must be slow says so on the line.
                .filter(|(_, line)| !line.contains("// the slow part"))
                .map(|(i, line)| format!("{file}:{}: {}", i + 1, line.trim()))
                .collect::<Vec<_>>()
        })
        .collect();
    expect_none(&found);
}
