//! From a plan to what a model is told: name, description, schemas, hints.
//!
//! Schemas are built when somebody looks at them; a document has a thousand operations and a host may use three.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Method;
use opentool_core::visible::{clean_schema, without_hidden};
use opentool_core::{Annotations, Origin, Schema, ToolDefinition};
use opentool_text::pointer;
use serde_json::{Map, Value, json};

use crate::bytes::{self, Files};
use crate::choose::{ArgumentConfig, Budget, OperationConfig, OutputSchemas, Told, cut_text};
use crate::document::Document;
use crate::plain::{self, plain};
use crate::plan::{Body, BodyArguments, Operation};
use crate::read::body::referenced;
use crate::read::response;
use crate::request::idempotency;
use crate::schema::definitions::{attach, size, text_size};
use crate::schema::{Converter, Direction, Knowledge, Position, merge_patch, reach, reduce};

/// The largest schema of a result in bytes. Results only inform: one operation's can reach every schema of an API.
const RESULT_BUDGET: usize = 6 * 1024;

/// Notes are most of a schema, so that many times its limit is built before they are cut.
const BEFORE_CUTTING: usize = 4;

/// How many bytes of referenced schemas arguments are checked by, where a model is shown less; what lies beyond allows
/// everything. Made for tools that are called.
const CHECKED: usize = BEFORE_CUTTING * reach::MOST_BYTES;

/// What is shared by all definitions of a document.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) document: Document,
    pub(crate) knowledge: Knowledge,
}

impl Source {
    /// The operation with one of its media types only; `None` if it has none that fits.
    pub(crate) fn only(&self, operation: &Operation, media_type: &str) -> Option<Operation> {
        crate::read::body::only(&self.document, &self.knowledge, operation, media_type)
    }
}

/// The definition of an operation's tool. `credential` is the member of its body that the host sends as one.
pub(crate) fn definition(
    source: &Arc<Source>,
    operation: &Arc<Operation>,
    told: &Told,
    files: Files,
    credential: Option<&str>,
) -> ToolDefinition {
    let said = told.about(&operation.name);
    let budget = told.budget;
    let description = description(operation, said.and_then(|said| said.description.as_deref()), &budget);
    let left = budget.max_tool_bytes.map(|most| {
        let around = operation.name.len().saturating_add(text_size(&description)).saturating_add(ENVELOPE);
        most.saturating_sub(around)
    });
    // Whether the arguments alone are too much: then the result is what is left out first.
    let is_full = Arc::new(AtomicBool::new(false));
    let input = {
        let is_full = Arc::clone(&is_full);
        let (source, operation, said) = (Arc::clone(source), Arc::clone(operation), said.cloned());
        let most = left.unwrap_or(reach::MOST_BYTES);
        let credential = credential.map(str::to_owned);
        let make = move |most: usize| {
            let mut schema = input_schema(&source, &operation, files, most, credential.as_deref());
            plain::in_schema(&mut schema);
            clean_schema(&mut schema);
            if let Some(said) = &said {
                hide_arguments(&mut schema, |name| {
                    said.arguments.get(name).is_some_and(ArgumentConfig::is_hidden)
                });
                describe_arguments(&mut schema, said);
            }
            schema
        };
        let whole = make.clone();
        let is_cut = Arc::clone(&is_full);
        let shown = Schema::lazy(move || {
            let schema = make(most.saturating_mul(BEFORE_CUTTING));
            is_full.store(size(&schema) > most, Ordering::Relaxed);
            reduce(schema, most)
        });
        let cut = shown.clone();
        shown.cut_from(move || {
            // Whether something was cut is known once that is made which models are shown.
            cut.as_value();
            is_cut.load(Ordering::Relaxed).then(|| Schema::new(whole(CHECKED)))
        })
    };
    let origin = Origin::new("openapi").location(source.document.address.to_string()).item(format!(
        "{} {}",
        operation.method,
        written_path(operation)
    ));
    let mut definition = ToolDefinition::new(operation.name.clone(), description)
        .input_schema(input.clone())
        .annotations(annotations(operation, said))
        .origin(origin);
    let own_title = operation.marks.title.as_ref().or(operation.summary.as_ref());
    definition.title = match said.and_then(|said| said.title.as_ref()) {
        Some(title) => Some(title.clone()),
        None => own_title.map(|title| without_hidden(&plain(title)).into_owned()),
    };
    definition.tags.clone_from(&operation.tags);
    // What a host makes of a result no longer fits what the document says about it.
    let is_whole = told.result_of(&operation.name).is_empty();
    if budget.output_schemas == OutputSchemas::Keep && is_whole && has_result(source, operation) {
        let (source, operation) = (Arc::clone(source), Arc::clone(operation));
        definition.output_schema = Some(Schema::lazy(move || {
            let most = left.map(|left| left.saturating_sub(size(input.as_value())));
            if left.is_some() && is_full.load(Ordering::Relaxed) {
                return json!({});
            }
            let most = most.unwrap_or(RESULT_BUDGET).min(RESULT_BUDGET);
            let mut schema = output_schema(&source, &operation, most.saturating_mul(2));
            plain::in_schema(&mut schema);
            clean_schema(&mut schema);
            let schema = reduce(schema, most);
            if left.is_none() || size(&schema) <= most { schema } else { json!({}) }
        }));
    }
    if operation.deprecated {
        definition = definition.metadata("deprecated", true);
    }
    if let Some(id) = &operation.operation_id {
        definition = definition.metadata("operationId", id.as_str());
    }
    definition
}

/// The path with the fragment that some documents tell operations of one path apart by.
fn written_path(operation: &Operation) -> Cow<'_, str> {
    let own = operation.pointer.strip_prefix("/paths/").and_then(|rest| rest.split('/').next());
    let own = own.map(|member| member.replace("~1", "/").replace("~0", "~"));
    match own.filter(|own| own.split_once('#').is_some_and(|(path, _)| path == operation.path)) {
        Some(own) => own.into(),
        None => operation.path.as_str().into(),
    }
}

/// What a definition has around its name, its description and its schemas as JSON.
const ENVELOPE: usize = 80;

/// How large a definition is, as a budget counts.
pub(crate) fn bytes(definition: &ToolDefinition) -> usize {
    let schemas = [Some(&definition.input_schema), definition.output_schema.as_ref()];
    let schemas = schemas.into_iter().flatten().map(|schema| size(schema.as_value()));
    let around =
        definition.name.len().saturating_add(text_size(&definition.description)).saturating_add(ENVELOPE);
    schemas.fold(around, usize::saturating_add)
}

/// What the model is told: by the host, by a mark of the document, or by its summary and description.
fn description(operation: &Operation, said: Option<&str>, budget: &Budget) -> String {
    if let Some(said) = said {
        return said.to_owned();
    }
    let marked = operation.marks.description.as_deref().map(|text| plain(text).into_owned());
    let text = marked.unwrap_or_else(|| own_description(operation));
    let text = without_hidden(&text).into_owned();
    let deprecated = if operation.deprecated { "\n\nDeprecated." } else { "" };
    match budget.description() {
        Some(most) => format!("{}{deprecated}", cut_text(&text, most.saturating_sub(deprecated.len()))),
        None => text + deprecated,
    }
}

/// Summary and description, without saying anything twice. Never empty.
fn own_description(operation: &Operation) -> String {
    let summary = plain(operation.summary.as_deref().unwrap_or_default());
    let description = plain(operation.description.as_deref().unwrap_or_default());
    let bare = |text: &str| text.trim_end_matches('.').to_lowercase();
    let mut text = if description.is_empty() || bare(&summary) == bare(&description) {
        summary.into_owned()
    } else if summary.is_empty() || bare(&description).starts_with(&bare(&summary)) {
        description.into_owned()
    } else {
        let stop = if summary.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        format!("{summary}{stop}\n\n{description}")
    };
    if text.is_empty() {
        text = format!("{} {}", operation.method, operation.path);
    }
    text
}

/// Whether HTTP says that a method changes nothing.
pub(crate) fn changes_nothing(method: &Method) -> bool {
    matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY")
}

/// What HTTP says about the method, what the document adds to the danger, and what the host says in the end.
fn annotations(operation: &Operation, said: Option<&Arc<OperationConfig>>) -> Annotations {
    let mut annotations = by_method(&operation.method);
    if operation.marks.writes || operation.marks.destroys {
        annotations.read_only = Some(false);
    }
    if operation.marks.destroys {
        annotations.destructive = Some(true);
    }
    if let Some(said) = said {
        annotations.read_only = said.read_only.or(annotations.read_only);
        if said.read_only == Some(true) {
            annotations.destructive = None;
        }
        annotations.destructive = said.destructive.or(annotations.destructive);
        annotations.idempotent = said.idempotent.or(annotations.idempotent);
    }
    annotations
}

/// What HTTP says about a method.
fn by_method(method: &Method) -> Annotations {
    let annotations = Annotations::new().open_world(true);
    match method.as_str() {
        _ if changes_nothing(method) => annotations.read_only(true).idempotent(true),
        "PUT" | "DELETE" => annotations.read_only(false).destructive(true).idempotent(true),
        "PATCH" => annotations.read_only(false).destructive(true).idempotent(false),
        // What a POST does is not said by its name; MCP takes it for destructive then, which is the safe side.
        _ => annotations.read_only(false),
    }
}

/// Takes the arguments away that only the host sets.
fn hide_arguments(schema: &mut Value, is_hidden: impl Fn(&str) -> bool) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !is_hidden(name));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !name.as_str().is_some_and(&is_hidden));
    }
}

/// Puts the host's own words about arguments in place of the document's.
fn describe_arguments(schema: &mut Value, said: &OperationConfig) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, argument) in &said.arguments {
        if let (Some(Value::Object(property)), Some(text)) = (properties.get_mut(name), &argument.description)
        {
            property.insert("description".to_owned(), Value::String(text.clone()));
        }
    }
}

/// What the arguments of an operation are before anything is hidden, with all that it refers to.
pub(crate) fn arguments(source: &Arc<Source>, operation: &Arc<Operation>) -> Schema {
    let (source, operation) = (Arc::clone(source), Arc::clone(operation));
    Schema::lazy(move || input_schema(&source, &operation, Files::None, CHECKED, None))
}

fn input_schema(
    source: &Source,
    operation: &Operation,
    files: Files,
    most: usize,
    credential: Option<&str>,
) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for parameter in &operation.parameters {
        // A key that nobody gives is made.
        if parameter.required && parameter.sent_default().is_none() && !idempotency::is_key(parameter) {
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
                properties.insert(name.clone(), whole_body(source, body, files, credential));
            }
            BodyArguments::Properties(names) => {
                spread_body(source, body, names, files, &mut properties, &mut required);
                if let Some(credential) = credential {
                    properties.shift_remove(credential);
                    required.retain(|name| name != credential);
                }
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
    attach(&mut root, &source.document, &source.knowledge, Direction::Input, most);
    if let Some(body) = operation.body.as_ref().filter(|body| body.is_merge_patch()) {
        merge_patch::in_arguments(&mut root, &body.arguments);
    }
    Value::Object(root)
}

/// The body as one argument.
fn whole_body(source: &Source, body: &Body, files: Files, credential: Option<&str>) -> Value {
    let mut schema = body.preferred().map_or_else(
        || json!({}),
        |media| {
            let schema = match credential {
                Some(_) => referenced(&source.document, &source.knowledge, &media.schema, Direction::Input),
                None => media.schema.clone(),
            };
            bytes::in_body(media, schema, files)
        },
    );
    if let Some(credential) = credential {
        hide_arguments(&mut schema, |name| name == credential);
    }
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
    files: Files,
    properties: &mut Map<String, Value>,
    required: &mut Vec<Value>,
) {
    let Some(media) = body.preferred() else { return };
    let schema = referenced(&source.document, &source.knowledge, &media.schema, Direction::Input);
    let mut schema = bytes::in_body(media, schema, files);
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

fn output_schema(source: &Source, operation: &Operation, most: usize) -> Value {
    with_result(source, operation, |schema, pointer| {
        let converted = Converter::build(&source.document, Direction::Output, pointer, &source.knowledge)
            .schema(schema, Position::InPlace);
        let Value::Object(mut root) = converted else { return converted };
        attach(&mut root, &source.document, &source.knowledge, Direction::Output, most);
        Value::Object(root)
    })
    .unwrap_or_else(|| json!({}))
}

/// Does something with the schema of the operation's result, if it has one.
fn with_result<T>(source: &Source, operation: &Operation, f: impl FnOnce(&Value, &str) -> T) -> Option<T> {
    let at = source.document.place(operation.document.as_deref(), &operation.pointer);
    let responses = pointer::join(&at, "responses");
    let found = response::success(&source.document, source.document.at(&responses)?, &responses).ok()??;
    Some(f(found.value, &found.pointer))
}
