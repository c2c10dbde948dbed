//! Arguments sorted by the place in the request where they go.

use opentool_core::{Arguments, Problem, ToolError};
use serde_json::{Map, Value};

use super::given::Given;
use super::problems::{Problems, pointer};
use super::value::kind;
use crate::plan::{BodyArguments, Operation, Parameter, Place};

/// The arguments of a call by place: path, query, header and cookie parameters under their names in the request, and
/// the whole body.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Located {
    /// For the path.
    pub path: Map<String, Value>,
    /// For the query.
    pub query: Map<String, Value>,
    /// For the headers.
    pub header: Map<String, Value>,
    /// For the cookies.
    pub cookie: Map<String, Value>,
    /// The parameter that is the whole query.
    pub querystring: Map<String, Value>,
    /// The body. `Some(null)` is a body that says `null`.
    pub body: Option<Value>,
    /// As which of the document's media types the body is sent. Default: [`crate::plan::Body::preferred`].
    pub media_type: Option<String>,
}

impl Located {
    /// Sorts the arguments of the operation's tool.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] if there is an argument that the operation does not have.
    pub fn from_arguments(operation: &Operation, arguments: &Arguments) -> Result<Self, ToolError> {
        Ok(Given::from_arguments(operation, arguments)?.into_located())
    }

    /// Sorts arguments that are named as in the document: by parameter name, by `place.name` where one name stands
    /// in two places, and `body` for the whole body. `Content-Type` says as which of the document's media types the body is
    /// sent, where it has several.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] if there is a name that the operation does not have, or has twice.
    pub fn by_location(operation: &Operation, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let mut located = Self::default();
        let mut problems = Problems::default();
        for (key, value) in arguments {
            // A parameter of this name has its place in front.
            if key == "body" && operation.body.is_some() {
                located.body = Some(value.clone());
                continue;
            }
            let mut matching = operation.parameters.iter().filter(|p| p.name == *key);
            match (matching.next(), matching.next()) {
                (Some(parameter), None) => {
                    located.place(parameter.place).insert(parameter.name.clone(), value.clone());
                }
                (Some(one), Some(other)) => {
                    let expected = format!(
                        "expected `{}.{key}` or `{}.{key}`: the name stands in both places",
                        one.place.as_str(),
                        other.place.as_str()
                    );
                    problems.add(Problem::new(pointer([key.as_str()]), "ambiguous").expected(expected));
                }
                (None, _) => match operation.parameters.iter().find(|p| is_qualified(p, key)) {
                    Some(parameter) => {
                        located.place(parameter.place).insert(parameter.name.clone(), value.clone());
                    }
                    None if is_media_type(key) && operation.body.is_some() => match value {
                        Value::String(text) => located.media_type = Some(text.clone()),
                        other => problems.add(
                            Problem::new(pointer([key.as_str()]), "type")
                                .expected("expected a media type, such as \"text/csv\"")
                                .found(kind(other)),
                        ),
                    },
                    None => problems.add(unlocated(operation, key)),
                },
            }
        }
        problems.finish()?;
        Ok(located)
    }

    /// The arguments of the operation's tool that stand for this: the opposite of [`Located::from_arguments`]. A media type is
    /// none of them.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] for what the tool has no argument for: a property that the document does not
    /// describe, or a body that is no object, where the body's properties are arguments.
    pub fn into_arguments(self, operation: &Operation) -> Result<Arguments, ToolError> {
        let mut arguments = Map::new();
        let mut problems = Problems::default();
        for parameter in &operation.parameters {
            if let Some(value) = self.get(parameter) {
                arguments.insert(parameter.argument.clone(), value.clone());
            }
        }
        match (self.body, operation.body.as_ref().map(|body| &body.arguments)) {
            (None, _) => {}
            (Some(body), Some(BodyArguments::Whole(name))) => {
                arguments.insert(name.clone(), body);
            }
            (Some(Value::Object(members)), Some(BodyArguments::Properties(names))) => {
                for (name, value) in members {
                    if names.contains(&name) {
                        arguments.insert(name, value);
                    } else {
                        problems.add(unknown(&name));
                    }
                }
            }
            (Some(other), Some(BodyArguments::Properties(_))) => problems.add(
                Problem::new(pointer(["body"]), "type").expected("expected an object").found(kind(&other)),
            ),
            (Some(_), None) => problems.add(unknown("body")),
        }
        problems.finish()?;
        Ok(arguments.into())
    }

    /// Sets what an argument of the operation's tool stands for. A name that the operation does not have means nothing.
    pub(crate) fn set(&mut self, operation: &Operation, argument: &str, value: Value) {
        if let Some(parameter) = operation.parameters.iter().find(|own| own.argument == argument) {
            self.insert(parameter.place, &parameter.name, value);
            return;
        }
        match operation.body.as_ref().map(|body| &body.arguments) {
            Some(BodyArguments::Whole(name)) if name == argument => self.body = Some(value),
            Some(BodyArguments::Properties(names)) if names.iter().any(|name| name == argument) => {
                let body = self.body.get_or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(members) = body {
                    members.insert(argument.to_owned(), value);
                }
            }
            _ => {}
        }
    }

    /// The value of a parameter.
    pub(super) fn get(&self, parameter: &Parameter) -> Option<&Value> {
        let place = match parameter.place {
            Place::Path => &self.path,
            Place::Query => &self.query,
            Place::Header => &self.header,
            Place::Cookie => &self.cookie,
            Place::QueryString => &self.querystring,
        };
        place.get(&parameter.name)
    }

    /// Sets the value of a parameter.
    pub(crate) fn insert(&mut self, place: Place, name: &str, value: Value) {
        self.place(place).insert(name.to_owned(), value);
    }

    fn place(&mut self, place: Place) -> &mut Map<String, Value> {
        match place {
            Place::Path => &mut self.path,
            Place::Query => &mut self.query,
            Place::Header => &mut self.header,
            Place::Cookie => &mut self.cookie,
            Place::QueryString => &mut self.querystring,
        }
    }
}

/// Whether a name among arguments by location says as what the body is sent.
fn is_media_type(key: &str) -> bool {
    key.strip_prefix("header.").unwrap_or(key).eq_ignore_ascii_case("content-type")
}

fn is_qualified(parameter: &Parameter, key: &str) -> bool {
    key.split_once('.')
        .is_some_and(|(place, name)| place == parameter.place.as_str() && name == parameter.name)
}

/// The name stands nowhere in the request; says which do.
fn unlocated(operation: &Operation, name: &str) -> Problem {
    const MOST: usize = 20;
    let shared = |p: &Parameter| operation.parameters.iter().filter(|other| other.name == p.name).count() > 1;
    let parameters = operation.parameters.iter().map(|p| match shared(p) {
        true => format!("`{}.{}`", p.place.as_str(), p.name),
        false => format!("`{}`", p.name),
    });
    let mut names: Vec<String> = operation.body.iter().map(|_| "`body`".to_owned()).collect();
    names.extend(parameters.take(MOST));
    if operation.parameters.len() > MOST {
        names.push("…".to_owned());
    }
    let expected = match names.is_empty() {
        true => "the operation takes no arguments".to_owned(),
        false => format!("there is no argument of this name; there are: {}", names.join(", ")),
    };
    Problem::new(pointer([name]), "additionalProperties").expected(expected)
}

/// There is no argument of this name.
pub(super) fn unknown(name: &str) -> Problem {
    Problem::new(pointer([name]), "additionalProperties").expected("there is no argument of this name")
}
