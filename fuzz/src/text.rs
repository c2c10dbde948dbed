//! JSON and YAML: read without harm, with places that are inside of the text, and shown without what drives a terminal.

use opentool_core::{Diagnostic, Location};
use opentool_text::{
    Expected, Notation, Pointer, Spot, decode, locate, parse, parse_tree, printable, render,
};
use serde_json::Value;

/// Pointers that are looked for.
const MOST: usize = 60;

pub(crate) fn run(input: &[u8]) {
    let Ok(decoded) = decode(input) else { return };
    let text = &*decoded.text;
    for found in &decoded.findings {
        inside(text, found.location.expect("what was changed has a place"));
        shown(text, found);
    }
    for notation in [None, Some(Notation::Json), Some(Notation::Yaml)] {
        match parse(text, &Expected::new("a document", "a: 1").notation(notation)) {
            Ok(parsed) => {
                let tree = parse_tree(text, &Expected::new("a document", "a: 1").notation(notation));
                let tree = tree.expect("what is read to a value is read to a tree");
                assert_eq!((tree.value.to_value(), &tree.findings), (parsed.value.clone(), &parsed.findings));
                // What `serde_json` does not take.
                let mended = ["number-range", "json-depth", "lone-surrogate", "control-character"];
                let is_mended = parsed.findings.iter().any(|found| mended.contains(&found.code));
                if parsed.notation == Notation::Json && !is_mended {
                    let plain: Value = serde_json::from_str(text).expect("what is read as JSON is JSON");
                    assert_eq!(parsed.value, plain, "JSON is read as everybody reads it");
                }
                places(text, parsed.notation, &parsed.value);
                for found in parsed.findings {
                    shown(text, &found);
                }
            }
            Err(fault) => {
                if let Some(location) = fault.location {
                    inside(text, location);
                }
                shown(text, &fault);
            }
        }
    }
    assert!(printable(text).chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
}

/// Every part of a value that is JSON has a place of its own, and any place is in the text.
fn places(text: &str, notation: Notation, value: &Value) {
    let mut pointers = Vec::new();
    pointers_of(value, &mut Pointer::default(), &mut pointers);
    let spots =
        pointers.iter().flat_map(|pointer| [Spot::Key(pointer.as_str()), Spot::Value(pointer.as_str())]);
    for (index, place) in locate(text, notation, spots).into_iter().enumerate() {
        let Some(place) = place else {
            assert!(notation == Notation::Yaml, "{} has no place", pointers[index / 2]);
            continue;
        };
        inside(text, place);
        let mut found = Diagnostic::error("code", pointers[index / 2].as_str(), "message");
        found.location = Some(place);
        shown(text, &found);
    }
}

fn pointers_of(value: &Value, at: &mut Pointer, found: &mut Vec<String>) {
    if found.len() >= MOST {
        return;
    }
    found.push(at.as_str().to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let mark = at.enter(name);
                pointers_of(member, at, found);
                at.back(mark);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let mark = at.enter_item(index);
                pointers_of(item, at, found);
                at.back(mark);
            }
        }
        _ => {}
    }
}

/// A place is in the text, or right behind its end.
fn inside(text: &str, place: Location) {
    assert!(place.line >= 1 && place.column >= 1, "places count from 1: {place:?}");
    // YAML counts more characters as line ends than a newline.
    let lines =
        1 + text.chars().filter(|c| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')).count();
    assert!(place.line <= lines + 1, "line {} of {lines}", place.line);
    assert!(place.column <= text.chars().count() + 2, "column {}", place.column);
}

/// What is shown of a text does not obey it, and is not much longer than a screen.
fn shown(text: &str, found: &Diagnostic) {
    let shown = render(found, text);
    assert!(shown.chars().all(|c| !c.is_control() || c == '\n'), "{shown:?}");
    assert!(shown.len() < 20_000 + 12 * (found.message.len() + found.pointer.len()), "{} bytes", shown.len());
}
