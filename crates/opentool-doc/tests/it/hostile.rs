//! Documents that want to hurt: deep, wide, circular, or full of faults.

use std::fmt::Write as _;

use opentool_doc::{DocError, Document, lint, parse};
use serde_json::{Value, json};

const HEAD: &str = r#""opentool":"1.0.0","info":{"title":"T","version":"1"}"#;

fn codes(text: &str) -> Vec<&'static str> {
    lint(text, "").into_iter().map(|found| found.code).collect()
}

#[test]
fn depth_is_limited() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(parse(&deep, ""), Err(DocError::NotOpenTool(_))));
    // What is too deep does not hide the rest.
    let text = format!("{{{HEAD},\"functions\":[],\"x-deep\":{deep}}}");
    assert!(codes(&text).contains(&"json-depth") && parse(&text, "").is_ok());
    // A value that a program made can be deeper than any text.
    let mut schema = json!({"type": "string"});
    for _ in 0..200 {
        schema = json!({"type": "array", "items": schema});
    }
    let value = json!({"opentool": "1.0.0", "functions": [], "schemas": {"Deep": schema}});
    let parsed = Document::read(&value).unwrap();
    assert!(parsed.diagnostics.iter().any(|found| found.code == "too-deep"));
}

#[test]
fn references_in_a_row_take_no_stack_and_no_time_that_grows_with_their_square() {
    for last in ["S0", "S39999"] {
        let mut schemas = String::new();
        for i in 0..40_000 {
            let next = if i == 39_999 { last.to_owned() } else { format!("S{}", i + 1) };
            let _ = write!(
                schemas,
                "{}\"S{i}\":{{\"$ref\":\"#/schemas/{next}\"}}",
                if i == 0 { "" } else { "," }
            );
        }
        let text = format!("{{{HEAD},\"functions\":[],\"schemas\":{{{schemas}}}}}");
        let codes = codes(&text);
        assert_eq!(codes.last(), Some(&"too-many-findings"));
        assert!(codes.contains(&"ref-endless"));
    }
}

#[test]
fn faults_without_end_are_counted() {
    let functions = vec!["{}"; 10_000].join(",");
    let found = lint(format!("{{{HEAD},\"functions\":[{functions}]}}"), "");
    assert_eq!(found.len(), 1_001);
    assert_eq!(found.last().unwrap().message, "29000 more findings are not listed");
}

#[test]
fn long_names_are_cut_in_messages() {
    let name = "x y".repeat(100_000);
    let found = lint(
        format!(r#"{{{HEAD},"functions":[{{"name":"{name}","description":"D.","parameters":[]}}]}}"#),
        "",
    );
    for found in &found {
        assert!(found.message.len() < 200 && found.help.as_ref().unwrap().len() < 200, "{found}");
    }
    assert_eq!(found.len(), 2);
}

#[test]
fn a_document_of_five_thousand_functions_is_sound() {
    let functions: Vec<Value> = (0..5_000)
        .map(|i| {
            json!({
                "name": format!("function_{i}"),
                "description": "Finds things by what is asked for, and says where they are.",
                "parameters": [
                    {"name": "query", "description": "What to look for.", "schema": {"type": "string"}, "required": true},
                    {"name": "limit", "description": "How many.", "schema": {"type": "integer"}, "required": false},
                    {"name": "filter", "description": "Only these.", "schema": {
                        "type": "object",
                        "properties": {"kind": {"type": "string", "enum": ["a", "b"]}, "near": {"$ref": "#/schemas/Place"}},
                        "required": ["kind"]
                    }, "required": false}
                ],
                "return": {"name": "things", "schema": {"type": "array", "items": {"$ref": "#/schemas/Thing"}}}
            })
        })
        .collect();
    let document = json!({
        "opentool": "1.0.0", "info": {"title": "Many", "version": "1.0.0"}, "functions": functions,
        "schemas": {
            "Place": {"type": "object", "properties": {"name": {"type": "string"}}},
            "Thing": {"type": "object", "properties": {"id": {"type": "integer"}, "at": {"$ref": "#/schemas/Place"}}}
        }
    });
    let text = format!("{document:#}");
    assert_eq!(lint(&text, "many.json"), []);
    let document = parse(&text, "").unwrap().document;
    assert_eq!(document.definitions().len(), 5_000);
}

/// One function whose answer has as many properties as required names, none of which is a property.
fn misspelt(names: usize) -> String {
    let properties: Vec<_> =
        (0..names).map(|i| format!("\"a_rather_long_property_{i}\":{{\"type\":\"string\"}}")).collect();
    let required: Vec<_> = (0..names).map(|i| format!("\"a_rather_long_propertx_{i}\"")).collect();
    let schema = format!(
        "{{\"type\":\"object\",\"properties\":{{{}}},\"required\":[{}]}}",
        properties.join(","),
        required.join(",")
    );
    format!(
        "{{{HEAD},\"functions\":[{{\"name\":\"f\",\"description\":\"D.\",\"parameters\":[],\
         \"return\":{{\"name\":\"r\",\"description\":\"D.\",\"schema\":{schema}}}}}]}}"
    )
}

#[test]
fn only_the_first_faults_are_helped_with_a_likely_word() {
    let found = lint(misspelt(1_000), "");
    let helped =
        found.iter().filter(|found| found.help.as_deref().is_some_and(|help| help.contains("did you mean")));
    assert_eq!((helped.count(), found.len()), (20, 1_000));
}

#[test]
fn an_error_that_is_not_listed_is_an_error_still() {
    let mut functions: Vec<_> =
        (0..2_000).map(|i| format!(r#"{{"name":"f{i}","description":"","parameters":[]}}"#)).collect();
    functions.push("7".to_owned());
    let found = lint(format!("{{{HEAD},\"functions\":[{}]}}", functions.join(",")), "");
    assert_eq!(found.last().unwrap().severity, opentool_core::Severity::Error);
}
