//! What the program says about itself.

use crate::support::{golden, opentool};

#[test]
fn every_help_text_is_as_reviewed() {
    let commands = [
        "list",
        "show",
        "call",
        "ask",
        "chat",
        "serve",
        "mock",
        "export",
        "convert",
        "check",
        "check-args",
        "parse-calls",
        "new",
        "completions",
    ];
    golden("help/opentool", &opentool(["--help"]).end().success().to_string());
    golden("help/short", &opentool(["-h"]).end().success().to_string());
    for command in commands {
        let help = opentool([command, "--help"]).end().success();
        assert!(help.text().contains("Examples:\n  "), "\n{help}");
        assert!(help.text().contains("--json"), "\n{help}");
        golden(&format!("help/{command}"), &help.to_string());
    }
    let demo = opentool(["demo", "--help"]).end().success();
    assert!(demo.text().contains("Examples:\n  "), "\n{demo}");
}

#[test]
fn without_a_command_there_is_help_and_the_code_of_a_usage_error() {
    let ran = opentool([""; 0]).end();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("Usage: opentool"), "\n{ran}");
}

#[test]
fn the_version_is_that_of_the_package() {
    let ran = opentool(["--version"]).end().success();
    assert_eq!(ran.text(), concat!("opentool ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn colours_are_there_only_when_wanted() {
    let list = |arguments: &[&str]| {
        opentool(["list", "petstore.yaml"].iter().chain(arguments)).end().success().text().contains('\x1b')
    };
    assert!(!list(&[]), "a pipe is no terminal");
    assert!(list(&["--color", "always"]));
    assert!(!list(&["--color=never"]));
    let help = |choice: &str| opentool(["--color", choice, "--help"]).end().success().text().contains('\x1b');
    assert!(help("always") && !help("never") && !help("auto"));
}

#[test]
fn mistakes_on_the_command_line_have_one_code_and_speak_json_when_asked() {
    opentool(["lsit"]).end().failure(2, &["unrecognized subcommand 'lsit'", "'list'"]);
    opentool(["list"]).end().failure(2, &["<SOURCE>"]);
    opentool(["list", "ftp://example.test/x"]).end().failure(2, &["`ftp:` addresses are not read"]);
    opentool(["list", "petstore.yaml", "--timeout", "soon"]).end().failure(2, &["a number of seconds"]);
    let ran = opentool(["list", "--json"]).end();
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["code"], "usage", "\n{ran}");
    assert_eq!(error["error"]["exit"], 2);
}
