//! From JSON to the types, taking what is there.
//!
//! It never fails and says nothing: what is wrong is for the linter to say, which looks at the same value. A member of a
//! wrong type stays in `extra`, as it was written; a function or parameter without a name is left out.

use indexmap::IndexMap;
use opentool_text::{Members, Tree};

use crate::members::{self, Names};
use crate::{Document, Extra, Function, Info, Parameter, Return, Schema, SchemaType, Server};

/// The deepest schema that is read. Texts are not nested deeper, values that a program made may be.
const MAX_DEPTH: usize = 128;

/// An object on its way into a struct.
struct Reading<'v> {
    object: &'v Members<'v>,
    taken: Vec<&'static str>,
}

impl<'v> Reading<'v> {
    fn new(object: &'v Members<'v>) -> Self {
        Self { object, taken: Vec::new() }
    }

    /// A member, if it can be read; else it stays where it is.
    fn take<T>(&mut self, name: &'static str, read: impl FnOnce(&'v Tree<'v>) -> Option<T>) -> Option<T> {
        let value = read(self.object.get(name)?)?;
        self.taken.push(name);
        Some(value)
    }

    fn text(&mut self, name: &'static str) -> Option<String> {
        self.take(name, |value| value.as_str().map(str::to_owned))
    }

    /// What was not taken.
    fn extra(self, names: Names) -> Extra {
        let mut taken = self.taken;
        taken.sort_by_key(|taken| names.iter().position(|name| name == taken));
        Extra::of(self.object, &taken)
    }
}

/// The document; `None` if the value is not an object.
pub(crate) fn document(value: &Tree<'_>) -> Option<Document> {
    let mut reading = Reading::new(value.as_object()?);
    // YAML reads an unquoted `1.0` as a number; it is still the version that was meant.
    let opentool = reading.take("opentool", |value| match value {
        Tree::String(version) => Some(version.to_string()),
        Tree::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let info = reading.take("info", info);
    let server = reading.take("server", server);
    let functions = reading.take("functions", |value| list(value, function));
    let schemas = reading.take("schemas", |value| map(value, |value| schema(value, 0)));
    Some(Document {
        opentool: opentool.unwrap_or_default(),
        info: info.unwrap_or_default(),
        server,
        functions: functions.unwrap_or_default(),
        schemas: schemas.unwrap_or_default(),
        extra: reading.extra(members::DOCUMENT),
    })
}

fn info(value: &Tree<'_>) -> Option<Info> {
    let mut reading = Reading::new(value.as_object()?);
    Some(Info {
        title: reading.text("title").unwrap_or_default(),
        description: reading.text("description"),
        version: reading.text("version").unwrap_or_default(),
        extra: reading.extra(members::INFO),
    })
}

fn server(value: &Tree<'_>) -> Option<Server> {
    let mut reading = Reading::new(value.as_object()?);
    Some(Server {
        url: reading.text("url")?,
        description: reading.text("description"),
        extra: reading.extra(members::SERVER),
    })
}

pub(crate) fn function(value: &Tree<'_>) -> Option<Function> {
    let mut reading = Reading::new(value.as_object()?);
    Some(Function {
        name: reading.text("name")?,
        description: reading.text("description").unwrap_or_default(),
        parameters: reading.take("parameters", |value| list(value, parameter)).unwrap_or_default(),
        returns: reading.take("return", returns),
        stream: reading.take("stream", |value| map(value, returns)).unwrap_or_default(),
        extra: reading.extra(members::FUNCTION),
    })
}

fn parameter(value: &Tree<'_>) -> Option<Parameter> {
    let mut reading = Reading::new(value.as_object()?);
    Some(Parameter {
        name: reading.text("name")?,
        description: reading.text("description"),
        schema: reading.take("schema", |value| schema(value, 0)).unwrap_or_default(),
        required: reading.take("required", Tree::as_bool).unwrap_or_default(),
        extra: reading.extra(members::PARAMETER),
    })
}

fn returns(value: &Tree<'_>) -> Option<Return> {
    let mut reading = Reading::new(value.as_object()?);
    Some(Return {
        name: reading.text("name").unwrap_or_default(),
        description: reading.text("description"),
        schema: reading.take("schema", |value| schema(value, 0)).unwrap_or_default(),
        extra: reading.extra(members::RETURN),
    })
}

pub(crate) fn schema(value: &Tree<'_>, depth: usize) -> Option<Schema> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = depth.saturating_add(1);
    let mut reading = Reading::new(value.as_object()?);
    Some(Schema {
        reference: reading.text("$ref"),
        kind: reading.take("type", |value| SchemaType::from_word(value.as_str()?)),
        description: reading.text("description"),
        properties: reading.take("properties", |value| entries(value, |value| schema(value, inner))),
        items: reading.take("items", |value| schema(value, inner)).map(Box::new),
        values: reading.take("enum", |value| Some(value.as_array()?.iter().map(Tree::to_value).collect())),
        required: reading.take("required", |value| {
            value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        }),
        extra: reading.extra(members::SCHEMA),
        notes: Vec::new(),
    })
}

/// The items of a list that can be read.
fn list<T>(value: &Tree<'_>, read: impl Fn(&Tree<'_>) -> Option<T>) -> Option<Vec<T>> {
    Some(value.as_array()?.iter().filter_map(read).collect())
}

/// The entries of an object that can be read.
fn entries<T>(value: &Tree<'_>, read: impl Fn(&Tree<'_>) -> Option<T>) -> Option<IndexMap<String, T>> {
    let object = value.as_object()?;
    Some(object.iter().filter_map(|(name, value)| Some((name.to_owned(), read(value)?))).collect())
}

/// The same where an empty map means the same as none; an empty one stays as it is written.
fn map<T>(value: &Tree<'_>, read: impl Fn(&Tree<'_>) -> Option<T>) -> Option<IndexMap<String, T>> {
    entries(value, read).filter(|entries| !entries.is_empty())
}
