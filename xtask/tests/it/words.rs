//! Words that must not stand in the tree, and words that must agree.

use crate::{expect_none, files, read, root, sources};

/// Texts of the tree; lock files name the registry of whoever made them.
fn texts() -> Vec<(String, String)> {
    files()
        .into_iter()
        .filter(|file| !file.ends_with(".lock"))
        .filter_map(|file| Some((file.clone(), std::fs::read_to_string(root().join(&file)).ok()?)))
        .collect()
}

#[test]
fn no_machine_paths_or_registry_hosts() {
    // In two parts, so that this file is not a finding.
    let forbidden = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/."),
        concat!("/home", "/"),
        concat!(".cargo/reg", "istry"),
        concat!("crates", ".io/"),
        concat!("static.cra", "tes"),
        concat!("registry.np", "mjs"),
        concat!("pypi", ".org"),
        concat!("deb.deb", "ian"),
        concat!("../sha", "red"),
    ];
    let mut findings = Vec::new();
    for (file, text) in texts() {
        for (i, line) in text.lines().enumerate() {
            if let Some(word) = forbidden.iter().find(|word| line.contains(**word)) {
                findings.push(format!("{file}:{}: `{word}`", i + 1));
            }
        }
    }
    expect_none(&findings);
}

#[test]
fn the_rules_for_texts_reach_the_conformance_cases() {
    let covered: Vec<String> = texts().into_iter().map(|(file, _)| file).collect();
    let missed: Vec<String> = std::fs::read_dir(root().join("conformance"))
        .expect("the cases")
        .map(|entry| format!("conformance/{}", entry.expect("a file").file_name().to_string_lossy()))
        .filter(|file| !covered.contains(file))
        .map(|file| format!("{file}: not a text that git knows, so no rule is applied to it"))
        .collect();
    expect_none(&missed);
    assert!(covered.iter().any(|file| file == "conformance/openapi-requests.jsonl"), "{covered:?}");
}

#[test]
fn nothing_is_left_unfinished() {
    let forbidden = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("db", "g!("),
        concat!("FIX", "ME"),
        concat!("TO", "DO"),
    ];
    let mut findings = Vec::new();
    for file in sources() {
        for (i, line) in read(&file).lines().enumerate() {
            if let Some(word) = forbidden.iter().find(|word| line.contains(**word)) {
                findings.push(format!("{file}:{}: `{word}`", i + 1));
            }
        }
    }
    expect_none(&findings);
}

#[test]
fn vague_names_are_not_used() {
    let forbidden = ["Manager", "Helper", "Util", "Utils"];
    let mut findings = Vec::new();
    for file in sources() {
        for (i, line) in read(&file).lines().enumerate() {
            let line = line.trim_start();
            let Some(rest) = ["pub struct ", "pub enum ", "pub trait ", "struct ", "enum ", "trait "]
                .iter()
                .find_map(|keyword| line.strip_prefix(keyword))
            else {
                continue;
            };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let vague = forbidden.iter().any(|word| name.ends_with(word))
                || name.starts_with("Dyn")
                || name.starts_with("Base")
                || name.ends_with("Impl");
            if vague {
                findings.push(format!("{file}:{}: `{name}` says nothing; name it by what it is", i + 1));
            }
        }
    }
    expect_none(&findings);
}

#[test]
fn the_readme_tells_people_to_run_what_ci_runs() {
    let ci = read(".ci/run");
    let command = ci.lines().rfind(|line| !line.trim().is_empty()).expect("a command").trim();
    assert!(
        read("README.md").lines().any(|line| line.trim() == command),
        "README.md does not show `{command}`"
    );
}
