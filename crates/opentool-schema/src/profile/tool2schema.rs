//! The JSON of the Python library tool2schema (2.2.0), for its three schema types.
//!
//! What the library writes for a Python function is written here for a tool with the counterparts of its types, key by
//! key: `Option<T>` is `Optional[T] = None`, a vector is a list, an enum with `#[enum_names]` an `Enum`, and a type
//! that the library does not know is an `object`. Also where it is wrong: the type of a list of values is that of the
//! first, dates are objects, bounds are not told. [`Profile::apply`] and [`crate::Dialect`] say what is true.

use opentool_core::{ToolDefinition, ToolSet};
use serde_json::{Map, Value, json};

use super::docstring;
use super::shape::Shapes;
use super::{EnumStyle, Ignore, Profile, Settings};

/// Parameters that the library leaves out unless it is told which.
const IGNORED: [&str; 3] = ["self", "args", "kwargs"];

/// The forms of a definition that tool2schema knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SchemaType {
    /// `{"type":"function","function":{..}}`, without `parameters` where there are none. The default.
    #[default]
    OpenAiApi,
    /// `{"name","parameters","description"?}`: a line's `functions` of OpenAI's fine-tuning of old.
    OpenAiTune,
    /// `{"name","input_schema","description"?}`.
    AnthropicClaude,
}

impl Profile {
    /// One definition as tool2schema writes it. `None` for the schema type means that of the settings.
    ///
    /// A doc comment may have `:param name: text` in it, as a docstring has; the text of a parameter's own doc comment
    /// counts where there is none.
    pub fn tool2schema(&self, definition: &ToolDefinition, schema_type: Option<SchemaType>) -> Value {
        let settings = self.settings_of(&definition.name);
        let schema_type = schema_type.or(settings.schema_type).unwrap_or_default();
        let function = function(definition, &settings, schema_type);
        match schema_type {
            SchemaType::OpenAiApi => json!({"type": "function", "function": function}),
            SchemaType::OpenAiTune | SchemaType::AnthropicClaude => Value::Object(function),
        }
    }

    /// The definitions of all tools as tool2schema writes them, in the order of the set: an array.
    pub fn tool2schema_list(&self, tools: &ToolSet, schema_type: Option<SchemaType>) -> Value {
        tools.definitions().map(|definition| self.tool2schema(definition, schema_type)).collect()
    }
}

fn function(definition: &ToolDefinition, settings: &Settings, schema_type: SchemaType) -> Map<String, Value> {
    let mut function = Map::new();
    function.insert("name".to_owned(), definition.name.as_str().into());
    let (properties, required) = parameters(definition, settings);
    if !properties.is_empty() || schema_type != SchemaType::OpenAiApi {
        let mut parameters = Map::new();
        parameters.insert("type".to_owned(), "object".into());
        parameters.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            parameters.insert("required".to_owned(), Value::Array(required));
        }
        let key = if schema_type == SchemaType::AnthropicClaude { "input_schema" } else { "parameters" };
        function.insert(key.to_owned(), Value::Object(parameters));
    }
    if settings.description != Some(Ignore::Yes) && !definition.description.is_empty() {
        let description = docstring::of_function(&definition.description);
        function.insert("description".to_owned(), description.into());
    }
    function
}

fn parameters(definition: &ToolDefinition, settings: &Settings) -> (Map<String, Value>, Vec<Value>) {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if settings.all_parameters == Some(Ignore::Yes) {
        return (properties, required);
    }
    let style = settings.enums.unwrap_or(EnumStyle::Names);
    let schema = definition.input_schema.as_named();
    let mut shapes = Shapes::of(schema, style);
    for (name, property) in definition.input_schema.properties() {
        let ignored = match &settings.ignored {
            Some(names) => names.iter().any(|ignored| ignored == name),
            None => IGNORED.contains(&name),
        };
        if ignored {
            continue;
        }
        let shape = shapes.property(name);
        let mut written = Map::new();
        if settings.parameter_descriptions != Some(Ignore::Yes) {
            let own = || property.get("description").and_then(Value::as_str).map(docstring::one_line);
            let text = docstring::of_parameter(&definition.description, name).or_else(own);
            written.extend(text.map(|text| ("description".to_owned(), text.into())));
        }
        let needed = definition.input_schema.requires(name);
        // In Python what may be absent has a default: of an `Optional` it is `None`.
        let default = property.get("default").map(|default| shape.encode(default));
        let default = default.or_else(|| (!needed && shape.is_optional()).then_some(Value::Null));
        written.extend(default.map(|default| ("default".to_owned(), default)));
        written.extend(shape.write());
        properties.insert(name.to_owned(), Value::Object(written));
        if needed {
            required.push(name.into());
        }
    }
    (properties, required)
}
