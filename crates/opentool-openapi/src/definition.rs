//! From a plan to what a model is told: name, description, schemas, hints.
//!
//! Schemas are built when somebody looks at them; a document has a thousand operations and a host may use three.

use std::sync::Arc;

use http::Method;
use opentool_core::{Annotations, Origin, Schema, ToolDefinition};
use opentool_text::pointer;
use serde_json::{Map, Value, json};

use crate::bytes;
use crate::document::Document;
use crate::plan::{Body, BodyArguments, Operation};
use crate::read::body::referenced;
use crate::read::response;
use crate::schema::definitions::{Budget, attach};
use crate::schema::{Converter, Direction, Knowledge, Position};

/// How much of the schemas behind a result's schema a tool carries, in bytes.
const RESULT_BUDGET: usize = 16 * 1024;

/// What is shared by all definitions of a document.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) document: Document,
    pub(crate) knowledge: Knowledge,
}

/// The definition of an operation's tool.
pub(crate) fn definition(source: &Arc<Source>, operation: &Arc<Operation>) -> ToolDefinition {
    let input = {
        let (source, operation) = (Arc::clone(source), Arc::clone(operation));
        Schema::lazy(move || input_schema(&source, &operation))
    };
    let origin = Origin::new("openapi")
        .location(source.document.address.to_string())
        .item(format!("{} {}", operation.method, operation.path));
    let mut definition = ToolDefinition::new(operation.name.clone(), description(operation))
        .input_schema(input)
        .annotations(annotations(&operation.method))
        .origin(origin);
    definition.title.clone_from(&operation.summary);
    definition.tags.clone_from(&operation.tags);
    if has_result(source, operation) {
        let (source, operation) = (Arc::clone(source), Arc::clone(operation));
        definition.output_schema = Some(Schema::lazy(move || output_schema(&source, &operation)));
    }
    if operation.deprecated {
        definition = definition.metadata("deprecated", true);
    }
    if let Some(id) = &operation.operation_id {
        definition = definition.metadata("operationId", id.as_str());
    }
    definition
}

/// Summary and description, without saying anything twice. Never empty.
fn description(operation: &Operation) -> String {
    let summary = operation.summary.as_deref().unwrap_or_default();
    let description = operation.description.as_deref().unwrap_or_default();
    let bare = |text: &str| text.trim_end_matches('.').to_lowercase();
    let mut text = if description.is_empty() || bare(summary) == bare(description) {
        summary.to_owned()
    } else if summary.is_empty() || bare(description).starts_with(&bare(summary)) {
        description.to_owned()
    } else {
        let stop = if summary.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        format!("{summary}{stop}\n\n{description}")
    };
    if text.is_empty() {
        text = format!("{} {}", operation.method, operation.path);
    }
    if operation.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    text
}

/// What HTTP says about a method.
fn annotations(method: &Method) -> Annotations {
    let annotations = Annotations::new().open_world(true);
    match method.as_str() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => annotations.read_only(true).idempotent(true),
        "PUT" | "DELETE" => annotations.read_only(false).destructive(true).idempotent(true),
        "PATCH" => annotations.read_only(false).destructive(true).idempotent(false),
        // What a POST does is not said by its name; MCP takes it for destructive then, which is the safe side.
        _ => annotations.read_only(false),
    }
}

fn input_schema(source: &Source, operation: &Operation) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for parameter in &operation.parameters {
        if parameter.required {
            required.push(Value::String(parameter.argument.clone()));
        }
        properties.insert(parameter.argument.clone(), parameter.schema.clone());
    }
    if let Some(body) = &operation.body {
        match &body.arguments {
            BodyArguments::Whole(name) => {
                if body.required {
                    required.push(Value::String(name.clone()));
                }
                properties.insert(name.clone(), whole_body(body));
            }
            BodyArguments::Properties(names) => {
                spread_body(source, body, names, &mut properties, &mut required);
            }
        }
    }
    let mut root = Map::new();
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    root.insert("additionalProperties".to_owned(), Value::Bool(false));
    attach(&mut root, &source.document, &source.knowledge, Direction::Input, Budget::Everything);
    Value::Object(root)
}

/// The body as one argument.
fn whole_body(body: &Body) -> Value {
    let mut schema =
        body.preferred().map_or_else(|| json!({}), |media| bytes::in_body(media, media.schema.clone()));
    if let (Value::Object(members), Some(description)) = (&mut schema, &body.description) {
        members.entry("description").or_insert_with(|| Value::String(description.clone()));
    }
    schema
}

/// The body's properties as arguments.
fn spread_body(
    source: &Source,
    body: &Body,
    names: &[String],
    properties: &mut Map<String, Value>,
    required: &mut Vec<Value>,
) {
    let Some(media) = body.preferred() else { return };
    let schema = referenced(&source.document, &source.knowledge, &media.schema, Direction::Input);
    let mut schema = bytes::in_body(media, schema);
    if let Some(Value::Array(listed)) = schema.get_mut("required") {
        required.append(listed);
    }
    let mut described = schema.get_mut("properties").and_then(Value::as_object_mut);
    for name in names {
        let property = described.as_mut().and_then(|properties| properties.get_mut(name)).map(Value::take);
        properties.insert(name.clone(), property.unwrap_or_else(|| json!({})));
    }
}

fn has_result(source: &Source, operation: &Operation) -> bool {
    with_result(source, operation, |_, _| ()).is_some()
}

fn output_schema(source: &Source, operation: &Operation) -> Value {
    with_result(source, operation, |schema, pointer| {
        let converted = Converter::build(&source.document, Direction::Output, pointer, &source.knowledge)
            .schema(schema, Position::InPlace);
        let Value::Object(mut root) = converted else { return converted };
        attach(
            &mut root,
            &source.document,
            &source.knowledge,
            Direction::Output,
            Budget::Bytes(RESULT_BUDGET),
        );
        Value::Object(root)
    })
    .unwrap_or_else(|| json!({}))
}

/// Does something with the schema of the operation's result, if it has one.
fn with_result<T>(source: &Source, operation: &Operation, f: impl FnOnce(&Value, &str) -> T) -> Option<T> {
    let responses = pointer::join(&operation.pointer, "responses");
    let found = response::success(&source.document, source.document.at(&responses)?, &responses).ok()??;
    Some(f(found.value, &found.pointer))
}
