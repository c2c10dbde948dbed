//! Fields that the model fills in beside a tool's own arguments: why it calls, how sure it is.
//!
//! The model sees a schema with the fields in it; the tool gets its arguments without them; the host reads them. They
//! stand first, so that a model that writes its reason has written it before it writes the arguments.

use std::fmt;
use std::sync::{Arc, OnceLock};

use opentool_core::{
    Arguments, BoxFuture, Failure, Layer, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use opentool_schema::{SchemaError, Validator};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

type Reader = dyn Fn(&Filled<'_>) + Send + Sync;

/// Adds fields to the input of tools, and takes them out before the tool runs.
///
/// ```
/// use opentool_agent::layers::Augment;
///
/// let why = Augment::new()
///     .field("reason", "Why this call is made, in one sentence.")
///     .read(|filled| println!("{}: {}", filled.tool.name, filled.values["reason"]));
/// ```
///
/// A tool that has an argument of the same name keeps it: the field is then offered under its name with underscores
/// behind it, and read under its own.
///
/// A tool whose schema refuses further arguments by a part of it (behind a `$ref` or in an `allOf`, for example) gets its
/// arguments as one: the model is offered the fields, and beside them `arguments`.
#[derive(Clone, Default)]
pub struct Augment {
    fields: Vec<(String, Value, bool)>,
    /// Definitions that the fields' schemas refer to.
    definitions: Map<String, Value>,
    readers: Vec<Arc<Reader>>,
}

/// What a model filled in for one call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Filled<'a> {
    /// The tool.
    pub tool: &'a ToolDefinition,
    /// The id of the call, where there is one.
    pub call_id: Option<&'a str>,
    /// The arguments of the tool, without the fields.
    pub arguments: &'a Arguments,
    /// The fields by name, as the model filled them in.
    pub values: &'a Arguments,
}

impl Filled<'_> {
    /// The fields as a value, for [`Augment::of`].
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] if they do not fit the type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.values.parse()
    }
}

impl Augment {
    /// No fields so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// The fields of a struct, with its descriptions; those that are required there are required here.
    pub fn of<T: JsonSchema>() -> Self {
        let schema = Schema::input_of::<T>();
        let fields = schema
            .properties()
            .map(|(name, value)| (name.to_owned(), value.clone(), schema.requires(name)))
            .collect();
        let definitions = schema.as_value().get("$defs").and_then(Value::as_object).cloned();
        Self { fields, definitions: definitions.unwrap_or_default(), readers: Vec::new() }
    }

    /// Adds a text that the model has to fill in.
    pub fn field(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.schema(name, json!({"type": "string", "description": description.into()}))
    }

    /// Adds a field with a schema of its own that the model has to fill in. It must not refer to anything outside.
    pub fn schema(mut self, name: impl Into<String>, schema: Value) -> Self {
        self.fields.push((name.into(), schema, true));
        self
    }

    /// Lets the model leave the fields out.
    pub fn optional(mut self) -> Self {
        for (_, _, required) in &mut self.fields {
            *required = false;
        }
        self
    }

    /// Adds someone who is told what was filled in, before the tool runs. It must not block.
    pub fn read(mut self, reader: impl Fn(&Filled<'_>) + Send + Sync + 'static) -> Self {
        self.readers.push(Arc::new(reader));
        self
    }
}

impl fmt::Debug for Augment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.fields.iter().map(|(name, _, _)| name.as_str()).collect();
        f.debug_struct("Augment").field("fields", &names).finish_non_exhaustive()
    }
}

impl Layer for Augment {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let own = inner.definition();
        let schema = own.input_schema.as_value();
        let taken = |name: &str| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.is_some_and(|properties| properties.contains_key(name))
        };
        let is_apart = refuses_more(schema);
        let taken = |name: &str| !is_apart && taken(name);
        let names: Vec<(String, String)> = self
            .fields
            .iter()
            .map(|(name, _, _)| {
                let mut offered = name.clone();
                while taken(&offered)
                    || (offered != *name && self.fields.iter().any(|(n, _, _)| *n == offered))
                {
                    offered.push('_');
                }
                (offered, name.clone())
            })
            .collect();
        let mut definition = own.clone();
        let mut apart = None;
        if is_apart {
            let mut name = "arguments".to_owned();
            while names.iter().any(|(offered, _)| *offered == name) {
                name.push('_');
            }
            definition.input_schema = Schema::new(self.widened(&beside(schema, &name), &names));
            apart = Some(name);
        } else {
            definition.input_schema = Schema::new(self.widened(schema, &names));
        }
        Arc::new(Augmented { augment: self.clone(), names, apart, definition, own: OnceLock::new(), inner })
    }
}

impl Augment {
    /// The schema with the fields in front.
    fn widened(&self, schema: &Value, names: &[(String, String)]) -> Value {
        let Some(mut schema) = schema.as_object().cloned() else { return schema.clone() };
        schema.entry("type").or_insert_with(|| "object".into());
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut definitions = match schema.get("$defs") {
            Some(Value::Object(there)) => there.clone(),
            _ => Map::new(),
        };
        // Two definitions of one name are two things.
        let mut renamed = Vec::new();
        for (name, definition) in &self.definitions {
            let mut free = name.clone();
            while definitions.get(&free).is_some_and(|there| there != definition) {
                free.push('_');
            }
            definitions.insert(free.clone(), definition.clone());
            renamed.push((format!("#/$defs/{name}"), format!("#/$defs/{free}")));
        }
        for (_, free) in &renamed {
            let Some(definition) = free.strip_prefix("#/$defs/").and_then(|name| definitions.get_mut(name))
            else {
                continue;
            };
            refer(definition, &renamed);
        }
        for ((name, field, is_required), (offered, _)) in self.fields.iter().zip(names) {
            debug_assert!(offered.starts_with(name.as_str()), "underscores are behind the name");
            let mut field = field.clone();
            refer(&mut field, &renamed);
            properties.insert(offered.clone(), field);
            if *is_required {
                required.push(Value::String(offered.clone()));
            }
        }
        if let Some(Value::Object(own)) = schema.get("properties") {
            properties.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        if let Some(Value::Array(own)) = schema.get("required") {
            required.extend(own.iter().cloned());
        }
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Value::Object(schema)
    }
}

/// Whether an object with further members would not fit, although they are declared at the root: another part of the
/// schema speaks about all members.
fn refuses_more(root: &Value) -> bool {
    let limits = ["maxProperties", "propertyNames", "patternProperties"];
    limits.iter().any(|word| root.get(word).is_some())
        || parts(root).iter().any(|part| closes(root, part, &mut Vec::new()))
}

/// The schemas that the same object has to fit, or may.
fn parts(schema: &Value) -> Vec<&Value> {
    let several =
        ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    let one = ["not", "if", "then", "else"].iter().filter_map(|word| schema.get(word));
    let dependent =
        schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let refers = ["$ref", "$dynamicRef", "$recursiveRef"].iter().any(|word| schema.get(word).is_some());
    // A reference is followed from the schema that it stands in.
    several.chain(one).chain(dependent).chain(refers.then_some(schema)).collect()
}

/// Whether this part of a schema says something about members that it does not name.
fn closes<'s>(root: &'s Value, part: &'s Value, seen: &mut Vec<&'s Value>) -> bool {
    const WORDS: [&str; 5] = [
        "additionalProperties",
        "unevaluatedProperties",
        "maxProperties",
        "propertyNames",
        "patternProperties",
    ];
    if seen.iter().any(|known| std::ptr::eq(*known, part)) {
        return false;
    }
    seen.push(part);
    let speaks = |word: &&str| part.get(word).is_some_and(|said| *said != Value::Bool(true));
    if !std::ptr::eq(root, part) && WORDS.iter().any(speaks) {
        return true;
    }
    let target = match part.get("$ref").map(Value::as_str) {
        None => None,
        Some(Some(place)) => match place.strip_prefix('#').and_then(|place| root.pointer(place)) {
            Some(target) => Some(target),
            // Whatever it says.
            None => return true,
        },
        Some(None) => return true,
    };
    if ["$dynamicRef", "$recursiveRef"].iter().any(|word| part.get(word).is_some()) {
        return true;
    }
    let below = parts(part).into_iter().filter(|below| !std::ptr::eq(*below, part));
    below.chain(target).any(|below| closes(root, below, seen))
}

/// A schema of one argument, which is what this schema describes.
fn beside(schema: &Value, name: &str) -> Value {
    let mut own = schema.clone();
    let mut around =
        json!({"type": "object", "properties": {}, "required": [name], "additionalProperties": false});
    // A document of its own keeps its places.
    if own.get("$id").is_none() {
        let definitions = own.as_object_mut().and_then(|members| members.shift_remove("$defs"));
        let moved = format!("#/properties/{name}");
        move_places(&mut own, &moved);
        if let (Some(mut definitions), Some(members)) = (definitions, around.as_object_mut()) {
            move_places(&mut definitions, &moved);
            members.insert("$defs".to_owned(), definitions);
        }
    }
    if let Some(properties) = around.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), own);
    }
    around
}

/// Makes references to places of the whole schema, but for its definitions, follow it to its new place.
fn move_places(schema: &mut Value, moved: &str) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(target) if key == "$ref" => {
                        let place = target.strip_prefix('#').filter(|place| {
                            (place.is_empty() || place.starts_with('/')) && !place.starts_with("/$defs/")
                        });
                        if let Some(place) = place {
                            *target = format!("{moved}{place}");
                        }
                    }
                    other => move_places(other, moved),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_places(item, moved)),
        _ => {}
    }
}

/// Makes references follow definitions that got another name.
fn refer(schema: &mut Value, renamed: &[(String, String)]) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(target) if key == "$ref" => {
                        if let Some((_, new)) = renamed.iter().find(|(old, _)| old == target) {
                            target.clone_from(new);
                        }
                    }
                    other => refer(other, renamed),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, renamed)),
        _ => {}
    }
}

struct Augmented {
    augment: Augment,
    /// The name under which a field is offered, and its own.
    names: Vec<(String, String)>,
    /// The argument that holds those of the tool, where they are not beside the fields.
    apart: Option<String>,
    definition: ToolDefinition,
    /// What checks the arguments without the fields, made at the first call.
    own: OnceLock<Result<Validator, SchemaError>>,
    inner: Arc<dyn Tool>,
}

impl Augmented {
    /// Checks arguments by the tool's own schema: what it asks of all members together (how many there are, which belong
    /// to each other) may hold only with the fields among them.
    fn check(&self, arguments: &Arguments) -> Result<(), ToolError> {
        let own = self.own.get_or_init(|| Validator::of_calls(&self.inner.definition().input_schema));
        let own = own.as_ref().map_err(|error| {
            let told = "the tool's input schema is not usable; its operator has the details";
            ToolError::from(Failure::new(told).source(error.clone()))
        })?;
        own.check(&Value::Object(arguments.clone().into_map())).map_err(|mut invalid| {
            if let Some(name) = &self.apart {
                let place = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                invalid.problems.iter_mut().for_each(|problem| problem.pointer.insert_str(0, &place));
            }
            invalid.into()
        })
    }
}

impl Tool for Augmented {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let mut arguments = arguments.into_map();
        let mut values = Map::new();
        for (offered, name) in &self.names {
            if let Some(value) = arguments.shift_remove(offered) {
                values.insert(name.clone(), value);
            }
        }
        if let Some(name) = &self.apart {
            arguments = match arguments.shift_remove(name) {
                Some(Value::Object(own)) => own,
                _ => Map::new(),
            };
        }
        let arguments = Arguments::from(arguments);
        if let Err(invalid) = self.check(&arguments) {
            return Box::pin(std::future::ready(Err(invalid)));
        }
        let values = Arguments::from(values);
        let filled = Filled {
            tool: self.inner.definition(),
            call_id: cx.id(),
            arguments: &arguments,
            values: &values,
        };
        for reader in &self.augment.readers {
            reader(&filled);
        }
        self.inner.call(cx, arguments)
    }
}
