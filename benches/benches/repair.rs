//! What a model wrote for a tool, 300 bytes of it, read, mended and validated: the limit is 5 µs. Through
//! `ToolSet::take`, as every call goes, whose compiled validator is made at the first call and kept, and through a
//! `Validator` that the host keeps itself.
//!
//! What compiling it costs is measured beside them, once a round: whoever compiled per call would be as slow as that.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use opentool::schema::{RepairPolicy, Repairs, Stage, ToolSetExt as _, Validator, parse_definitions};
use opentool::{Schema, ToolCall};
use serde_json::{Value, json};

/// How long the texts are, in bytes.
const LENGTH: usize = 300;

/// An order, with the rules that people write: bounds, formats, choices, lists of objects.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "customer": {"type": "string", "minLength": 1, "maxLength": 60},
            "email": {"type": "string", "format": "email"},
            "priority": {"enum": ["low", "normal", "high"]},
            "items": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
                        "quantity": {"type": "integer", "minimum": 1, "maximum": 99},
                    },
                    "required": ["sku", "quantity"],
                    "additionalProperties": false,
                },
            },
            "gift": {"type": "boolean"},
            "discount": {"type": ["number", "null"], "minimum": 0, "maximum": 100},
            "note": {"type": "string", "maxLength": 400},
        },
        "required": ["customer", "items"],
        "additionalProperties": false,
    })
}

/// What models write, and the stages that have to do something about it.
fn texts() -> [(&'static str, String, &'static [Stage]); 3] {
    let valid = r#"{"customer":"Ada Lovelace","email":"ada@example.com","priority":"high","items":[{"sku":"TEA-0042","quantity":2},{"sku":"CUP-0007","quantity":12}],"gift":true,"discount":12.5,"note":"PAD"}"#;
    let nearly = format!("{},}}", valid.trim_end_matches('}').replace('"', "'"));
    let other = nearly
        .replace("'quantity':2", "'quantity':'2'")
        .replace("'high'", "'High'")
        .replace("true", "'true'");
    [
        ("valid as it stands", padded(valid), &[]),
        ("repaired: single quotes, a comma too many", padded(&nearly), &[Stage::Repair]),
        (
            "repaired and coerced: three values of another type",
            padded(&other),
            &[Stage::Repair, Stage::Coerce],
        ),
    ]
}

/// The text with a note that is as long as it takes.
fn padded(text: &str) -> String {
    let words =
        "Please wrap the cups twice and leave the box with the neighbours if nobody is at home. ".repeat(4);
    let room = LENGTH.saturating_sub(text.len().saturating_sub("PAD".len()));
    let text = text.replace("PAD", words.get(..room).expect("shorter than the words"));
    assert_eq!(text.len(), LENGTH);
    text
}

fn repair(c: &mut Criterion) {
    let definition = json!([{"name": "order", "description": "Orders.", "inputSchema": schema()}]);
    let tools = parse_definitions(&definition).expect("a list").tools;
    let validator = Validator::new(&Schema::new(schema())).expect("a schema");
    let policy = RepairPolicy::default();
    let mut group = c.benchmark_group("arguments of 300 bytes");
    for (name, text, stages) in texts() {
        let call = ToolCall::new("1", "order", text.as_str());
        // Measured is what it says that it is.
        let (arguments, changes) = tools.take(&call, &policy).expect("fits");
        assert_eq!(arguments["items"][0]["quantity"], 2, "{name}");
        let mut met: Vec<Stage> = changes.iter().map(|change| change.stage).collect();
        met.dedup();
        assert_eq!(met, stages, "{name}: {changes:?}");
        group.bench_function(format!("ToolSet::take, {name}"), |b| {
            b.iter(|| tools.take(black_box(&call), &policy).expect("fits"));
        });
        let written = Value::String(text);
        group.bench_function(format!("Validator::take, {name}"), |b| {
            b.iter(|| validator.take(black_box(&written), Repairs::Sure).expect("fits"));
        });
    }
    group.bench_function("for comparison: compiling the schema, once a tool", |b| {
        b.iter(|| Validator::new(&Schema::new(black_box(schema()))).expect("a schema"));
    });
    group.finish();
}

criterion_group!(benches, repair);
criterion_main!(benches);
