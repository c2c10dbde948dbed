//! From the types to JSON: every member at its place.
//!
//! A member that the format requires is always printed. Only where its field is empty and `extra` kept something in its
//! place, that is printed, as it was written: a broken document stays the broken document that it was.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{Document, Extra, Function, Info, Parameter, Return, Schema, SchemaType, Server};

pub(crate) fn document(it: &Document) -> Value {
    let functions = || it.functions.iter().map(function).collect();
    Value::Object(it.extra.object([
        must_text(&it.extra, "opentool", &it.opentool),
        must(&it.extra, "info", it.info == Info::default(), || info(&it.info)),
        ("server", it.server.as_ref().map(server)),
        must(&it.extra, "functions", it.functions.is_empty(), functions),
        ("schemas", map(&it.schemas, schema)),
    ]))
}

fn info(it: &Info) -> Value {
    Value::Object(it.extra.object([
        must_text(&it.extra, "title", &it.title),
        ("description", optional(it.description.as_deref())),
        must_text(&it.extra, "version", &it.version),
    ]))
}

fn server(it: &Server) -> Value {
    Value::Object(
        it.extra.object([
            must_text(&it.extra, "url", &it.url),
            ("description", optional(it.description.as_deref())),
        ]),
    )
}

pub(crate) fn function(it: &Function) -> Value {
    let parameters = || it.parameters.iter().map(parameter).collect();
    Value::Object(it.extra.object([
        must_text(&it.extra, "name", &it.name),
        must_text(&it.extra, "description", &it.description),
        must(&it.extra, "parameters", it.parameters.is_empty(), parameters),
        ("return", it.returns.as_ref().map(returns)),
        ("stream", map(&it.stream, returns)),
    ]))
}

fn parameter(it: &Parameter) -> Value {
    Value::Object(it.extra.object([
        must_text(&it.extra, "name", &it.name),
        ("description", optional(it.description.as_deref())),
        must(&it.extra, "schema", it.schema == Schema::default(), || schema(&it.schema)),
        must(&it.extra, "required", !it.required, || Value::Bool(it.required)),
    ]))
}

fn returns(it: &Return) -> Value {
    Value::Object(it.extra.object([
        must_text(&it.extra, "name", &it.name),
        ("description", optional(it.description.as_deref())),
        must(&it.extra, "schema", it.schema == Schema::default(), || schema(&it.schema)),
    ]))
}

pub(crate) fn schema(it: &Schema) -> Value {
    let required = it.required.as_ref();
    Value::Object(it.extra.object([
        ("$ref", optional(it.reference.as_deref())),
        ("type", optional(it.kind.map(SchemaType::as_str))),
        ("description", optional(it.description.as_deref())),
        ("properties", it.properties.as_ref().map(|properties| Value::Object(object(properties, schema)))),
        ("items", it.items.as_deref().map(schema)),
        ("enum", it.values.clone().map(Value::Array)),
        ("required", required.map(|names| names.iter().map(String::as_str).map(Value::from).collect())),
    ]))
}

type Member = (&'static str, Option<Value>);

/// A member that the format requires.
fn must(extra: &Extra, name: &'static str, empty: bool, value: impl FnOnce() -> Value) -> Member {
    (name, (!empty || extra.get(name).is_none()).then(value))
}

fn must_text(extra: &Extra, name: &'static str, text: &str) -> Member {
    must(extra, name, text.is_empty(), || Value::String(text.to_owned()))
}

fn optional(text: Option<&str>) -> Option<Value> {
    text.map(|text| Value::String(text.to_owned()))
}

/// A map that is left out where it is empty.
fn map<T>(entries: &IndexMap<String, T>, print: impl Fn(&T) -> Value) -> Option<Value> {
    (!entries.is_empty()).then(|| Value::Object(object(entries, print)))
}

fn object<T>(entries: &IndexMap<String, T>, print: impl Fn(&T) -> Value) -> Map<String, Value> {
    entries.iter().map(|(name, entry)| (name.clone(), print(entry))).collect()
}
