//! Functions as tool definitions: everything that the format says, said in JSON Schema.
//!
//! The conversion is exact. Schemas of the document become `$defs`, also where they contain themselves; schemas are
//! built when somebody looks at them. What JSON Schema has no place for (the name of the return value, `stream`, members
//! of others) travels in the definition's metadata under `opentool`, so that exporting gives the same function again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use opentool_core::visible::{clean_schema, without_hidden};
use opentool_core::{Origin, Schema as JsonSchema, ToolDefinition};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::{Document, Function, Return, Schema, SchemaType, print};

/// The key of the metadata that a definition keeps of its function.
pub(crate) const METADATA: &str = "opentool";

/// How many schemas the metadata of all definitions of a document may repeat. Beyond, a definition keeps its function
/// only, and schemas are exported from `$defs`.
const MOST_REPEATED: usize = 20_000;

/// How many references in a row are followed to see what they lead to.
const MOST_STEPS: usize = 64;

/// What may not stand in the fragment of an address.
const FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'%')
    .add(b'#')
    .add(b'^')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'\\')
    .add(b'[')
    .add(b']');

impl Document {
    /// The functions as tool definitions, in order. Of functions with the same name the first one counts, and those
    /// without a name are left out; the linter tells of both.
    ///
    /// * The input schema is an object of the parameters and nothing else. The description of a parameter is that of its
    ///   property; where its schema has another one, it follows.
    /// * The output schema describes the `result` of a call, which is always an object: that of the return value where
    ///   it is an object, else one whose property bears the return value's name. That property is not required:
    ///   servers differ in how they write it.
    /// * A reference to nowhere, or in a circle without a schema, accepts any value.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        let schemas = Arc::new(self.schemas.clone());
        let mut names = HashSet::new();
        let mut left = MOST_REPEATED;
        let usable = self.functions.iter().filter(|function| !function.name.is_empty());
        usable
            .filter(|function| names.insert(function.name.as_str()))
            .map(|function| {
                let mut kept = Map::new();
                kept.insert("function".to_owned(), print::function(function));
                let used = reachable(&schemas, function.schemas());
                if let Some(rest) = left.checked_sub(used.len()) {
                    left = rest;
                    let used = used.iter().filter_map(|name| Some((name.to_string(), schemas.get(*name)?)));
                    let used: Map<_, _> = used.map(|(name, schema)| (name, print::schema(schema))).collect();
                    kept.insert("schemas".to_owned(), Value::Object(used));
                }
                definition(function, &schemas).metadata(METADATA, Value::Object(kept))
            })
            .collect()
    }
}

/// The definition of one function, without metadata.
pub(crate) fn definition(function: &Function, schemas: &Arc<IndexMap<String, Schema>>) -> ToolDefinition {
    let origin = Origin::new("opentool").item(&function.name);
    // The functions are a stranger's, and a model obeys what it reads.
    let description = without_hidden(&function.description);
    let mut definition = ToolDefinition::new(&function.name, description).origin(origin);
    let whole = Arc::new(function.clone());
    definition.input_schema = {
        let (function, schemas) = (Arc::clone(&whole), Arc::clone(schemas));
        JsonSchema::lazy(move || cleaned(input(&function, &schemas)))
    };
    if function.returns.is_some() {
        let schemas = Arc::clone(schemas);
        definition.output_schema = Some(JsonSchema::lazy(move || match &whole.returns {
            Some(returns) => cleaned(output(returns, &schemas)),
            None => json!({}),
        }));
    }
    definition
}

fn cleaned(mut schema: Value) -> Value {
    clean_schema(&mut schema);
    schema
}

fn input(function: &Function, schemas: &IndexMap<String, Schema>) -> Value {
    let target = Target { schemas };
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for parameter in &function.parameters {
        if properties.contains_key(&parameter.name) {
            continue;
        }
        let description =
            described(parameter.description.as_deref(), parameter.schema.description.as_deref());
        properties.insert(parameter.name.clone(), target.described(&parameter.schema, description));
        if parameter.required {
            required.push(Value::from(parameter.name.as_str()));
        }
    }
    let mut root = object(properties, required);
    root.insert("additionalProperties".to_owned(), Value::Bool(false));
    target.with_definitions(root, function.parameters.iter().map(|parameter| &parameter.schema))
}

fn output(returns: &Return, schemas: &IndexMap<String, Schema>) -> Value {
    let target = Target { schemas };
    let description = described(returns.description.as_deref(), returns.schema.description.as_deref());
    let root = match target.resolve(&returns.schema).filter(|schema| is_object(schema)) {
        Some(schema) => {
            // A result's schema should say at its root that it is an object, so a reference is followed here.
            let description = description.or_else(|| schema.description.clone());
            match target.described(schema, description) {
                Value::Object(root) => root,
                _ => Map::new(),
            }
        }
        None => {
            let name = if returns.name.is_empty() { "result" } else { &returns.name };
            let mut properties = Map::new();
            properties.insert(name.to_owned(), target.described(&returns.schema, description));
            object(properties, Vec::new())
        }
    };
    let inside =
        target.resolve(&returns.schema).filter(|schema| is_object(schema)).unwrap_or(&returns.schema);
    target.with_definitions(root, [inside])
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("type".to_owned(), Value::from("object"));
    object.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    object
}

fn is_object(schema: &Schema) -> bool {
    schema.kind == Some(SchemaType::Object)
}

/// The description of a thing and that of its schema in one.
fn described(own: Option<&str>, schema: Option<&str>) -> Option<String> {
    let said = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    match (said(own), said(schema)) {
        (Some(own), Some(schema)) if own != schema => Some(format!("{own}\n\n{schema}")),
        (own, schema) => own.or(schema),
    }
}

/// Schemas on their way to JSON Schema.
struct Target<'d> {
    schemas: &'d IndexMap<String, Schema>,
}

impl<'d> Target<'d> {
    fn schema(&self, schema: &Schema) -> Value {
        let description = schema.description.clone().filter(|text| !text.trim().is_empty());
        self.described(schema, description)
    }

    /// The schema with this description in place of its own.
    fn described(&self, schema: &Schema, description: Option<String>) -> Value {
        let mut out = Map::new();
        let reference = schema.reference.is_some();
        if let Some(name) = schema.referred().filter(|name| self.leads_somewhere(name)) {
            out.insert("$ref".to_owned(), Value::String(pointer(&name)));
        }
        if let (Some(kind), false) = (schema.kind, reference) {
            // Null is accepted with any type where `enum` lists it.
            let nullable = schema.values.as_ref().is_some_and(|values| values.contains(&Value::Null));
            let kind = kind.as_str();
            out.insert("type".to_owned(), if nullable { json!([kind, "null"]) } else { Value::from(kind) });
        }
        if let Some(description) = description {
            out.insert("description".to_owned(), Value::String(description));
        }
        if !reference {
            self.parts(schema, &mut out);
        }
        Value::Object(out)
    }

    fn parts(&self, schema: &Schema, out: &mut Map<String, Value>) {
        let may_be = |kind| schema.kind.is_none_or(|own| own == kind);
        if let Some(properties) = schema.properties.as_ref().filter(|_| may_be(SchemaType::Object)) {
            let properties = properties.iter().map(|(name, property)| (name.clone(), self.schema(property)));
            out.insert("properties".to_owned(), Value::Object(properties.collect()));
        }
        if let Some(items) = schema.items.as_ref().filter(|_| may_be(SchemaType::Array)) {
            out.insert("items".to_owned(), self.schema(items));
        }
        if let Some(values) = schema.values.as_ref().filter(|values| !values.is_empty()) {
            let mut seen = HashSet::new();
            let distinct = values.iter().filter(|value| seen.insert(value.to_string())).cloned();
            out.insert("enum".to_owned(), Value::Array(distinct.collect()));
        }
        if let Some(required) = schema.required.as_ref().filter(|_| may_be(SchemaType::Object)) {
            let mut seen = HashSet::new();
            let required: Vec<Value> = required
                .iter()
                .filter(|name| seen.insert(name.as_str()))
                .map(|name| Value::from(name.as_str()))
                .collect();
            if !required.is_empty() {
                out.insert("required".to_owned(), Value::Array(required));
            }
        }
    }

    /// Whether a name leads to a schema that is not a reference, in the end.
    fn leads_somewhere(&self, name: &str) -> bool {
        self.schemas.get(name).is_some_and(|schema| self.resolve(schema).is_some())
    }

    /// The schema that is meant, references followed.
    fn resolve<'a>(&self, schema: &'a Schema) -> Option<&'a Schema>
    where
        'd: 'a,
    {
        let mut here = schema;
        for _ in 0..MOST_STEPS {
            if here.reference.is_none() {
                return Some(here);
            }
            here = self.schemas.get(&*here.referred()?)?;
        }
        None
    }

    /// The root together with the definitions that these schemas need, in the document's order.
    fn with_definitions<'s>(
        &self,
        mut root: Map<String, Value>,
        from: impl IntoIterator<Item = &'s Schema>,
    ) -> Value {
        let used: HashSet<&str> = reachable(self.schemas, from).into_iter().collect();
        let definitions: Map<String, Value> = self
            .schemas
            .iter()
            .filter(|(name, _)| used.contains(name.as_str()) && self.leads_somewhere(name))
            .map(|(name, schema)| (name.clone(), self.schema(schema)))
            .collect();
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Value::Object(root)
    }
}

/// The names of the schemas that these lead to, in the document's order.
fn reachable<'d, 's>(
    schemas: &'d IndexMap<String, Schema>,
    from: impl IntoIterator<Item = &'s Schema>,
) -> Vec<&'d str> {
    let mut seen: HashMap<usize, &str> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    for schema in from {
        collect(schema, &mut names);
    }
    while let Some(name) = names.pop() {
        let Some((index, name, schema)) = schemas.get_full(&name) else { continue };
        if seen.insert(index, name).is_none() {
            collect(schema, &mut names);
        }
    }
    let mut found: Vec<(usize, &str)> = seen.into_iter().collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

/// The names that a schema refers to.
fn collect(schema: &Schema, names: &mut Vec<String>) {
    if schema.reference.is_some() {
        names.extend(schema.referred().map(std::borrow::Cow::into_owned));
    } else {
        schema.inner().for_each(|inner| collect(inner, names));
    }
}

/// The reference to a definition.
fn pointer(name: &str) -> String {
    let escaped = name.replace('~', "~0").replace('/', "~1");
    format!("#/$defs/{}", utf8_percent_encode(&escaped, FRAGMENT))
}
