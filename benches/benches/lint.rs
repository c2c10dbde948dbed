//! Linting an OpenTool document with 5,000 functions, read from its text. The limit is 100 ms.
//!
//! Each function has four parameters (a text with allowed values, an object with members, a list of a shared schema, a
//! number) and a return value; in the faulty document every tenth breaks a rule.

#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use opentool::doc::lint;
use serde_json::{Value, json};

const FUNCTIONS: usize = 5_000;

fn document(faulty: bool) -> String {
    let functions: Vec<Value> =
        (0..FUNCTIONS).map(|number| function(number, faulty && number % 10 == 0)).collect();
    let document = json!({
        "opentool": "1.1.0",
        "info": {"title": "Many functions", "version": "1.0.0"},
        "server": {"url": "http://127.0.0.1:17001/opentool"},
        "functions": functions,
        "schemas": {"Item": {
            "type": "object",
            "description": "One item.",
            "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
            "required": ["name"]
        }}
    });
    serde_json::to_string_pretty(&document).expect("JSON")
}

fn function(number: usize, broken: bool) -> Value {
    let text = if broken { "" } else { "How." };
    json!({
        "name": format!("function_{number}"),
        "description": format!("Does the thing number {number} with a few items."),
        "parameters": [
            {"name": "mode", "description": text, "required": true,
             "schema": {"type": "string", "enum": ["fast", "exact", "both"]}},
            {"name": "options", "description": "Further wishes.", "required": false,
             "schema": {"type": "object", "properties": {
                "depth": {"type": "integer", "description": "How deep."},
                "tags": {"type": "array", "items": {"type": "string"}}
             }, "required": ["depth"]}},
            {"name": "items", "description": "What with.", "required": true,
             "schema": {"type": "array", "items": {"$ref": "#/schemas/Item"}}},
            {"name": "limit", "description": "At most.", "required": false, "schema": {"type": "number"}}
        ],
        "return": {"name": "result", "description": "What came of it.", "schema": {"type": "string"}}
    })
}

fn documents(c: &mut Criterion) {
    let mut group = c.benchmark_group("linting 5,000 functions");
    for (name, faulty) in [("sound", false), ("every tenth broken", true)] {
        let text = document(faulty);
        let found = lint(&text, "many.json").len();
        assert_eq!(found, if faulty { FUNCTIONS / 10 } else { 0 }, "{name}");
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
        group.bench_function(name, |b| b.iter(|| lint(black_box(&text), "many.json").len()));
    }
    group.finish();
}

criterion_group!(benches, documents);
criterion_main!(benches);
