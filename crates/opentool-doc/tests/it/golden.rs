//! Golden files: a document, and exactly what is said about it. `UPDATE=1` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use opentool_core::Severity;
use opentool_doc::{DocError, RULES, lint, parse};
use opentool_text::Renderer;

/// The folders, each with its document.
pub(crate) fn cases() -> Vec<(PathBuf, &'static str, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut folders: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let cases: Vec<_> = folders
        .into_iter()
        .map(|folder| {
            let name = ["document.json", "document.yaml"]
                .into_iter()
                .find(|name| folder.join(name).exists())
                .unwrap_or_else(|| panic!("{} has no document", folder.display()));
            let text = fs::read_to_string(folder.join(name)).unwrap();
            (folder, name, text)
        })
        .collect();
    assert!(cases.len() >= 40, "{} cases", cases.len());
    cases
}

pub(crate) fn agree(file: &Path, found: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, found).unwrap();
    }
    let wanted = fs::read_to_string(file).unwrap_or_default();
    assert!(found == wanted, "{} differs; look at it with UPDATE=1 and git diff:\n{found}", file.display());
}

#[test]
fn every_document_gets_exactly_these_diagnostics() {
    for (folder, name, text) in cases() {
        let diagnostics = lint(&text, name);
        let renderer = Renderer::new(&text);
        let shown: Vec<String> = diagnostics.iter().map(|found| renderer.render(found) + "\n").collect();
        agree(&folder.join("diagnostics.txt"), &shown.join("\n"));
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        let warnings = diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
        if folder.file_name().unwrap().to_str().unwrap().starts_with("valid-") {
            assert_eq!((errors, warnings), (0, 0), "{}", folder.display());
        } else {
            assert!(!diagnostics.is_empty(), "{}", folder.display());
        }
        for found in &diagnostics {
            assert!(
                found.help.is_some() || found.code == "empty" || found.code.starts_with("json"),
                "no fix: {found}"
            );
            assert!(found.location.is_some() || ["empty", "html"].contains(&found.code), "no place: {found}");
        }
    }
}

#[test]
fn every_rule_is_broken_by_a_document() {
    let broken: BTreeSet<&str> =
        cases().iter().flat_map(|(_, name, text)| lint(text, name)).map(|found| found.code).collect();
    let unbroken: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.code)
        // It takes more levels than a file of ours should have.
        .filter(|code| !broken.contains(code) && *code != "too-deep")
        .collect();
    assert!(unbroken.is_empty(), "no golden document breaks {unbroken:?}");
}

#[test]
fn every_document_survives_printing() {
    for (folder, name, text) in cases() {
        let parsed = match parse(&text, name) {
            Ok(parsed) => parsed,
            Err(DocError::Syntax(_) | DocError::NotOpenTool(_)) => continue,
            Err(other) => panic!("{other}"),
        };
        let printed = parsed.document.print();
        let again = parse(&printed, "printed.json").unwrap();
        assert_eq!(again.document, parsed.document, "{}", folder.display());
        assert_eq!(again.document.print(), printed, "{}", folder.display());
        let dropped = parsed.has_errors() || text.contains("null") && name.ends_with("yaml");
        if name.ends_with(".json") && !dropped {
            let written: serde_json::Value = serde_json::from_str(&text).unwrap();
            // As texts: the order of members counts.
            assert_eq!(printed, format!("{written:#}\n"), "{}", folder.display());
        }
    }
}
