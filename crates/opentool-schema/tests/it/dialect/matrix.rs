//! What every schema becomes in every dialect: `tests/golden/dialect/matrix`, rewritten by `UPDATE=1`. Dialects of
//! the same outcome stand together.

use std::path::Path;

use opentool_schema::lower;
use serde_json::{Map, Value, json};

use super::{cases, label, schema_of, tool, ways};

#[test]
fn what_every_schema_becomes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/dialect/matrix");
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for case in cases() {
        let mut outcomes: Vec<(String, Value)> = Vec::new();
        for way in ways() {
            let outcome = match lower(&tool(case.schema.clone()), way) {
                Ok(lowered) => json!({
                    "schema": schema_or_same(&schema_of(&lowered), &case.schema),
                    "rewrites": lowered.rewrites.iter().map(|rewrite| {
                        format!("{} {} {}: {}", rewrite.effect.as_str(), rewrite.pointer, rewrite.keyword, rewrite.done)
                    }).collect::<Vec<_>>(),
                }),
                Err(error) => json!({"refused": error.to_string()}),
            };
            match outcomes.iter_mut().find(|(_, other)| text(other) == text(&outcome)) {
                Some((labels, _)) => labels.push_str(&format!(", {}", label(&way))),
                None => outcomes.push((label(&way), outcome)),
            }
        }
        let text = compact(outcomes);
        let file = folder.join(format!("{}.json", case.name));
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, text).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != text {
            wrong.push(format!("{}: now\n{text}", case.name));
        }
    }
    assert!(wrong.is_empty(), "run with UPDATE=1 and look at the difference:\n{}", wrong.join("\n"));
}

/// The order of keys counts.
fn text(value: &Value) -> String {
    value.to_string()
}

/// The titled schema of `json-schema` has the tool's texts in it.
fn schema_or_same(schema: &Value, original: &Value) -> Value {
    if text(schema) == text(original) { json!("unchanged") } else { schema.clone() }
}

/// One line for each schema and each change.
fn compact(outcomes: Vec<(String, Value)>) -> String {
    let mut parts = Vec::new();
    for (labels, outcome) in outcomes {
        let members: Vec<String> = outcome
            .as_object()
            .unwrap_or(&Map::new())
            .iter()
            .map(|(key, value)| match value {
                Value::Array(lines) if !lines.is_empty() => {
                    let lines: Vec<String> = lines.iter().map(|line| format!("      {line}")).collect();
                    format!("    \"{key}\": [\n{}\n    ]", lines.join(",\n"))
                }
                value => format!("    \"{key}\": {value}"),
            })
            .collect();
        parts.push(format!("  {}: {{\n{}\n  }}", json!(labels), members.join(",\n")));
    }
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

#[test]
fn a_dialect_without_references_speaks_of_none() {
    for case in cases() {
        for way in ways().into_iter().filter(|way| way.dialect.name() == "gemini-openapi") {
            let Ok(lowered) = lower(&tool(case.schema.clone()), way) else { continue };
            let text = lowered.definition.to_string();
            assert!(!text.contains("$ref"), "{}: {text}", case.name);
        }
    }
}
