//! Reading: from a document's text to tools and diagnostics.

mod bad_input;
mod discriminator;
mod external;
mod golden;
mod hidden;
mod hostile;
mod keys;
mod loading;
mod many;
mod told;
mod yaml;

use opentool_core::ToolDefinition;
use opentool_openapi::Api;
use serde_json::{Value, json};

/// Every `$ref` of a schema must lead somewhere in it, and the validator must take it.
pub(crate) fn assert_sound(api: &Api) {
    api.tools().unwrap().definitions().for_each(assert_sound_definition);
}

fn assert_sound_definition(definition: &ToolDefinition) {
    for schema in std::iter::once(&definition.input_schema).chain(&definition.output_schema) {
        let root = schema.as_value();
        assert_no_dangling(root, root, &definition.name);
        if let Err(error) = opentool_schema::Validator::new(schema) {
            panic!("{}: {error}\n{root:#}", definition.name);
        }
    }
    assert_eq!(definition.input_schema.as_value()["type"], "object", "{}", definition.name);
}

fn assert_no_dangling(value: &Value, root: &Value, tool: &str) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{tool}: {reference}"));
                assert!(root.pointer(pointer).is_some(), "{tool}: {reference} leads nowhere in {root:#}");
            }
            members.values().for_each(|member| assert_no_dangling(member, root, tool));
        }
        Value::Array(items) => items.iter().for_each(|item| assert_no_dangling(item, root, tool)),
        _ => {}
    }
}

/// A document with one operation.
pub(crate) fn with_operation(operation: &Value) -> String {
    json!({"openapi": "3.0.3", "info": {}, "paths": {"/a": {"get": operation}}}).to_string()
}
