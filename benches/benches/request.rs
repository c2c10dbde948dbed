//! Building the request of a call from its plan and arguments, without I/O: what the importer adds to every call beside
//! the network. The limit is 5 µs.

#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use opentool::Arguments;
use opentool::openapi::{Api, request};
use serde_json::{Value, json};

const DOCUMENT: &str = r#"{"openapi": "3.1.0", "servers": [{"url": "https://{region}.api.example.com/v1",
  "variables": {"region": {"default": "eu"}}}], "security": [{"key": []}],
  "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
  "paths": {
    "/pets/{petId}": {"get": {"operationId": "get", "parameters": [
      {"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}}]}},
    "/shops/{shop}/pets": {"get": {"operationId": "find", "parameters": [
      {"name": "shop", "in": "path", "required": true, "schema": {"type": "string"}},
      {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
      {"name": "filter", "in": "query", "style": "deepObject", "explode": true, "schema": {"type": "object"}},
      {"name": "limit", "in": "query", "schema": {"type": "integer"}},
      {"name": "X-Request-Id", "in": "header", "schema": {"type": "string"}}]}},
    "/pets": {"post": {"operationId": "add", "requestBody": {"required": true, "content": {"application/json": {
      "schema": {"type": "object", "properties": {"name": {"type": "string"}, "species": {"type": "string"},
        "born": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}}}}}}}
  }}"#;

fn build(c: &mut Criterion) {
    let api: Api = opentool::openapi::parse(DOCUMENT, "pets.json").expect("reads").api_key("s3cret");
    let calls: [(&str, Value); 3] = [
        ("get", json!({"petId": 7})),
        (
            "find",
            json!({"shop": "Zoo & Söhne", "tags": ["good", "small dog"], "filter": {"age": {"max": 3}, "kind": "dog"},
                   "limit": 20, "X-Request-Id": "7f3a"}),
        ),
        ("add", json!({"name": "Rex", "species": "dog", "born": "2024-02-29", "tags": ["good", "small"]})),
    ];
    let mut group = c.benchmark_group("a request");
    for (name, arguments) in calls {
        let operation = api.operation(name).expect("an operation");
        let arguments: Arguments = arguments.as_object().expect("an object").clone().into();
        group.bench_function(name, |b| {
            b.iter(|| request::build(operation, black_box(&arguments), api.settings()).expect("a request"));
        });
    }
    group.finish();
}

criterion_group!(benches, build);
criterion_main!(benches);
