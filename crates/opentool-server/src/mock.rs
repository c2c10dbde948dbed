//! Tools that answer with examples: for a document without a server, and for trying out what uses tools.
//!
//! An answer is made from what the tool says that it gives, and from nothing else: the same schema always gives the same
//! answer, whatever the arguments. It looks like data (`city` is a city, `email` an address), so that a person or a model
//! can follow a conversation. No argument is kept, no state, no delay.

mod tool;

use std::collections::HashMap;

use opentool_core::{Schema, ToolDefinition, ToolSet};
use opentool_doc::{Document, Function};

use crate::wire::event::{DONE, ERROR, START};
use tool::MockTool;

/// The functions of a document as tools that answer with examples.
///
/// A function without a return value answers `Done.`; one with `stream` sends an example of each of its data first, as
/// partial outputs. That a stream may end with an `error` is no example of what it gives.
///
/// ```
/// # use opentool_core::ToolContext;
/// # use opentool_doc::{Document, Function, Info, Return, Schema, SchemaType, Version};
/// # futures_util::FutureExt::now_or_never(async {
/// let forecast = Schema::object()
///     .required("city", Schema::of(SchemaType::String))
///     .required("temperature", Schema::of(SchemaType::Number));
/// let document = Document::new(Version::V1_1_0, Info::new("Weather", "1.0.0"))
///     .function(Function::new("weather", "The weather.").returns(Return::new("forecast", forecast)));
///
/// let tools = opentool_server::mock::tools(&document);
/// let output = tools.get("weather").unwrap().call(&ToolContext::new(), Default::default()).await.unwrap();
/// assert_eq!(output.to_text(), r#"{"city":"Paris","temperature":21.5}"#);
/// # }).unwrap();
/// ```
pub fn tools(document: &Document) -> ToolSet {
    let mut functions: HashMap<&str, &Function> = HashMap::new();
    for function in &document.functions {
        functions.entry(&function.name).or_insert(function);
    }
    let tools = document.definitions().into_iter().map(|definition| {
        let function = functions.get(definition.name.as_str());
        let events = function.map(|function| events(function, document)).unwrap_or_default();
        MockTool::new(definition, events)
    });
    collected(tools)
}

/// The same tools, answering with examples made from their output schemas. Nothing of the originals is run.
pub fn mock(tools: &ToolSet) -> ToolSet {
    collected(tools.definitions().map(|definition| MockTool::new(definition.clone(), Vec::new())))
}

fn collected(tools: impl Iterator<Item = MockTool>) -> ToolSet {
    let mut set = ToolSet::new();
    for tool in tools {
        // The names of a document's definitions, and of a set, differ.
        let _ = set.insert(tool);
    }
    set
}

/// The schemas of the data that a streaming call of the function emits: of every event but those of the protocol.
fn events(function: &Function, document: &Document) -> Vec<Schema> {
    let data: Vec<_> = function
        .stream
        .iter()
        .filter(|(event, _)| ![START, ERROR, DONE].contains(&event.as_str()))
        .map(|(_, data)| data)
        .collect();
    if data.is_empty() {
        return Vec::new();
    }
    // As functions that return them, so that the one conversion of schemas serves.
    let mut events = document.clone();
    events.functions = data
        .into_iter()
        .enumerate()
        .map(|(at, data)| Function::new(format!("event{at}"), "").returns(data.clone()))
        .collect();
    let definitions: Vec<ToolDefinition> = events.definitions();
    definitions.into_iter().filter_map(|definition| definition.output_schema).collect()
}
