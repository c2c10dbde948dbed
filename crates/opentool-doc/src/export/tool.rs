//! One tool as one function.

use std::sync::Arc;

use indexmap::IndexMap;
use opentool_core::ToolDefinition;
use opentool_text::Tree;
use serde_json::Value;

use super::convert::Converter;
use super::shared::{Shared, rename};
use super::{Loss, note};
use crate::{Function, Parameter, Return, Schema, Version, import, read};

/// What a return value is called where nobody gave it a name.
const RESULT: &str = "result";

/// Members of a definition in MCP's form that no model reads; `opentool_schema` keeps them there.
const FOREIGN: &str = "mcp.members";

/// The function of a tool, under this name.
pub(super) fn function(
    tool: &ToolDefinition,
    name: &str,
    version: Version,
    shared: &mut Shared,
    losses: &mut Vec<Loss>,
) -> Function {
    let mut lost = Losses { tool: &tool.name, list: losses };
    if name != tool.name {
        lost.add(
            "/name",
            "name",
            format!("the format allows A-Z, a-z, 0-9, `_` and `-`; the function is called `{name}`"),
        );
    }
    around(tool, &mut lost);
    let mut told = None;
    let mut function = match unchanged(tool) {
        Some((mut function, schemas)) => {
            let names = shared.take(schemas);
            function.schemas_mut().for_each(|schema| rename(schema, &names));
            function
        }
        None => {
            let mut function = converted(tool, shared, &mut lost);
            told = Some(std::mem::take(&mut function.description)).filter(|told| !told.is_empty());
            function
        }
    };
    name.clone_into(&mut function.name);
    function.description.clone_from(&tool.description);
    if let Some(told) = told {
        note::append(&mut function.description, &told);
    }
    if version < Version::V2_0_0 && !function.stream.is_empty() {
        function.stream.clear();
        lost.add("/stream", "stream", format!("version {version} has no `stream`; it is left out"));
    }
    function
}

/// The losses of one tool.
struct Losses<'l> {
    tool: &'l str,
    list: &'l mut Vec<Loss>,
}

impl Losses<'_> {
    fn add(&mut self, pointer: impl Into<String>, keyword: &str, message: impl Into<String>) {
        self.list.push(Loss {
            tool: self.tool.to_owned(),
            pointer: pointer.into(),
            keyword: keyword.to_owned(),
            message: message.into(),
        });
    }
}

/// What a definition says beside its schemas.
fn around(tool: &ToolDefinition, lost: &mut Losses<'_>) {
    if tool.title.is_some() {
        lost.add("/title", "title", "functions have no title; it is left out");
    }
    if !tool.annotations.is_empty() {
        lost.add(
            "/annotations",
            "annotations",
            "functions have no hints about what they do; they are left out",
        );
    }
    if !tool.tags.is_empty() {
        lost.add("/tags", "tags", "functions have no tags; they are left out");
    }
    let foreign = tool.metadata.get(FOREIGN).and_then(Value::as_object);
    for name in foreign.into_iter().flat_map(|members| members.keys()) {
        lost.add(
            opentool_text::pointer::join("", name),
            name,
            format!("functions have no `{name}`; it is left out"),
        );
    }
}

/// The function that the tool was made from and the schemas that it uses, if the tool still says the same.
fn unchanged(tool: &ToolDefinition) -> Option<(Function, IndexMap<String, Schema>)> {
    let kept = tool.metadata.get(import::METADATA)?;
    let function = read::function(&Tree::from(kept.get("function")?))?;
    let schemas = kept.get("schemas")?.as_object()?.iter();
    let schemas: IndexMap<String, Schema> = schemas
        .filter_map(|(name, schema)| Some((name.clone(), read::schema(&Tree::from(schema), 0)?)))
        .collect();
    let schemas = Arc::new(schemas);
    let before = import::definition(&function, &schemas);
    let same = before.input_schema == tool.input_schema && before.output_schema == tool.output_schema;
    // The lazy schemas of `before` hold the map as well.
    drop(before);
    same.then(|| (function, Arc::try_unwrap(schemas).unwrap_or_else(|shared| (*shared).clone())))
}

/// The function, and as its description what is to be told about the arguments as a whole.
fn converted(tool: &ToolDefinition, shared: &mut Shared, lost: &mut Losses<'_>) -> Function {
    let mut function = Function::default();
    let (arguments, names) = {
        let mut converter = Converter::new(tool.input_schema.as_value(), "/inputSchema");
        let arguments = converter.arguments();
        let finished = converter.finish(&arguments);
        for (pointer, keyword, message) in finished.lost {
            lost.add(pointer, &keyword, message);
        }
        (arguments, shared.take(finished.definitions))
    };
    function.description = arguments.description.unwrap_or_default();
    let required = arguments.required.unwrap_or_default();
    for (name, mut schema) in arguments.properties.unwrap_or_default() {
        rename(&mut schema, &names);
        let description = schema.description.take();
        let mut parameter = Parameter::optional(&name, schema);
        parameter.description = description;
        parameter.required = required.contains(&name);
        function.parameters.push(parameter);
    }
    if let Some(output) = &tool.output_schema {
        function.returns = Some(returns(output.as_value(), shared, lost));
    }
    function
}

/// What a result's schema says. A server sends an object; one that is not is wrapped under the name of the return value.
fn returns(schema: &Value, shared: &mut Shared, lost: &mut Losses<'_>) -> Return {
    let mut converter = Converter::new(schema, "/outputSchema");
    let mut schema = converter.root();
    let finished = converter.finish(&schema);
    for (pointer, keyword, message) in finished.lost {
        lost.add(pointer, &keyword, message);
    }
    let names = shared.take(finished.definitions);
    rename(&mut schema, &names);
    let description = schema.description.take();
    let mut returns = Return::new(RESULT, schema);
    returns.description = description;
    returns
}
