//! How a diagnostic looks. The lines that linters print are golden files of the linters.

use opentool_core::{Diagnostic, Location};
use opentool_text::{Renderer, printable, render};

fn shown(source: &str, line: usize, column: usize) -> String {
    let found = Diagnostic::error("rule", "/a", "it is wrong").help("mend it").file("f.json");
    render(&found.location(Location::new(line, column)), source)
}

#[test]
fn the_line_a_caret_and_the_fix() {
    assert_eq!(
        shown("{\n  \"a\": 12,\r\n  \"b\": 3\n}", 2, 8),
        "error[rule]: it is wrong\n --> f.json:2:8\n  |\n2 |   \"a\": 12,\n  |        ^^ /a\n  = help: mend it"
    );
}

#[test]
fn without_a_place_the_pointer_is_said() {
    let found = Diagnostic::note("rule", "/a/b", "odd");
    assert_eq!(render(&found, "{}"), "note[rule]: odd\n  = at: /a/b");
    // A place that the text does not have is no reason to fail.
    let found = found.location(Location::new(7, 7));
    assert_eq!(render(&found, "{}"), "note[rule]: odd\n --> line 7, column 7\n  = at: /a/b");
}

#[test]
fn the_caret_stands_under_wide_characters_and_tabs() {
    let shown = shown("\t\"天気\": \"weather\"", 1, 8);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[3], "1 |     \"天気\": \"weather\"");
    // 4 for the tab, 2 quotes, 2 wide characters of 2 columns, a colon and a space.
    assert_eq!(lines[4], format!("  | {}^^^^^^^^^ /a", " ".repeat(12)));
}

#[test]
fn the_whole_culprit_is_marked() {
    for (source, column, length) in [
        (r#"{"a": "x \" y", "b": 1}"#, 7, 8),
        (r#"{"a": "ends with \\", "b": 1}"#, 7, 14),
        ("a: plain words # why", 4, 11),
        ("a: 'it''s", 4, 4),
        ("{a: true}", 5, 4),
        ("name: x", 1, 4),
        ("[1, 2]", 1, 1),
        ("{\"a\":", 6, 1),
    ] {
        let shown = shown(source, 1, column);
        let caret = shown.lines().nth(4).unwrap().trim_start_matches("  | ").trim_start();
        assert_eq!(caret.trim_end_matches(" /a").len(), length, "{shown}");
    }
}

#[test]
fn of_a_long_line_the_part_around_the_culprit_is_shown() {
    let source = format!("{{\"a\": \"{}\", \"b\": \"{}\", \"c\": 1}}", "x".repeat(5_000), "y".repeat(5_000));
    for column in [1, 7, 5_010, 5_016, 10_020, 20_000] {
        let shown = shown(&source, 1, column);
        assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    }
}

#[test]
fn nothing_of_a_document_reaches_the_terminal_as_a_command() {
    let found =
        Diagnostic::error("rule", "/\u{1b}[2J", "a \u{1b}]0;title\u{7} b\nc").location(Location::new(1, 1));
    let shown = render(&found, "\"\u{1b}[31m\u{9b}\u{202e}\u{200f}\"");
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    assert!(!shown.contains(['\u{202e}', '\u{200f}']), "{shown:?}");
    assert_eq!(shown.lines().count(), 5, "{shown}");
    assert_eq!(printable("a\tb\n\u{1b}c"), "a\tb\n\\u{1b}c");
}

#[test]
fn credentials_in_an_address_are_not_shown() {
    let shown = shown(r#"{"u": "https://me:hunter2@host/a@b", "v": "ftp://x@y"}"#, 1, 7);
    assert!(shown.contains(r#""https://***@host/a@b", "v": "ftp://***@y""#), "{shown}");
    assert!(!shown.contains("hunter2"));
}

#[test]
fn thousands_of_diagnostics_are_shown_from_one_index() {
    let source = "{\"a\": 1}\n".repeat(100_000);
    let renderer = Renderer::new(&source);
    let found = Diagnostic::warning("rule", "", "odd");
    for line in (1..=100_000).step_by(20) {
        let shown = renderer.render(&found.clone().location(Location::new(line, 7)));
        assert!(shown.contains("^"), "{shown}");
    }
}
