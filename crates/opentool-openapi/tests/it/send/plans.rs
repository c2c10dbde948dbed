//! Plans for tests, written out in few words.

use std::sync::Arc;

use opentool_core::{Arguments, ToolError};
use opentool_openapi::plan::{
    Body, BodyArguments, Media, Operation, Parameter, ParameterForm, Place, Requirement, SchemeUse,
    SecurityScheme, Server, Style,
};
use opentool_openapi::request::{Request, Settings, build};
use serde_json::{Value, json};

/// An operation of `https://api.test` from its first line: `GET /pet/{petId}`.
pub(crate) fn operation(line: &str) -> Operation {
    let (method, path) = line.split_once(' ').unwrap();
    Operation {
        name: "op".to_owned(),
        operation_id: Some("op".to_owned()),
        pointer: "/paths/x".to_owned(),
        document: None,
        marks: Default::default(),
        method: method.parse().unwrap(),
        path: path.to_owned(),
        summary: None,
        description: None,
        tags: Vec::new(),
        deprecated: false,
        servers: Arc::new([server("https://api.test")]),
        servers_of: None,
        parameters: Vec::new(),
        set_aside: Vec::new(),
        body: None,
        security: Arc::new([]),
    }
}

pub(crate) fn server(url: &str) -> Server {
    Server { url: url.to_owned(), variables: Vec::new() }
}

/// A parameter in the default style of its place.
pub(crate) fn parameter(place: Place, name: &str) -> Parameter {
    let (style, explode) = match place {
        Place::Path | Place::Header => (Style::Simple, false),
        Place::Query | Place::QueryString | Place::Cookie => (Style::Form, true),
    };
    Parameter {
        argument: name.to_owned(),
        name: name.to_owned(),
        place,
        required: place == Place::Path,
        allow_empty: false,
        form: ParameterForm::Style { style, explode, allow_reserved: false },
        schema: json!({}),
    }
}

/// A parameter in a style.
pub(crate) fn styled(place: Place, name: &str, style: Style, explode: bool) -> Parameter {
    let form = ParameterForm::Style { style, explode, allow_reserved: false };
    Parameter { form, ..parameter(place, name) }
}

pub(crate) fn with(mut operation: Operation, parameters: impl IntoIterator<Item = Parameter>) -> Operation {
    operation.parameters.extend(parameters);
    operation
}

/// The operation with a body as the one argument `body`.
pub(crate) fn with_body(
    mut operation: Operation,
    media_type: &str,
    schema: Value,
    encoding: Value,
) -> Operation {
    let media = vec![Media { encoding, ..Media::new(media_type, schema) }];
    let arguments = BodyArguments::Whole("body".to_owned());
    operation.body = Some(Body { required: true, description: None, arguments, media, credential: None });
    operation
}

/// The operation with alternatives of named schemes.
pub(crate) fn secured(mut operation: Operation, alternatives: &[&[(&str, SecurityScheme)]]) -> Operation {
    let used = |(name, scheme): &(&str, SecurityScheme)| SchemeUse {
        name: (*name).to_owned(),
        scheme: Arc::new(scheme.clone()),
        scopes: Vec::new(),
    };
    let requirement = |schemes: &&[_]| Requirement { schemes: schemes.iter().map(used).collect() };
    operation.security = alternatives.iter().map(requirement).collect();
    operation
}

pub(crate) fn arguments(value: Value) -> Arguments {
    value.as_object().cloned().unwrap().into()
}

/// The request for `value` with nothing set by the host.
pub(crate) fn request(operation: &Operation, value: Value) -> Result<Request, ToolError> {
    build(operation, &arguments(value), &Settings::new())
}

/// The address of the request for `value`, without the server.
pub(crate) fn target(operation: &Operation, value: Value) -> String {
    let request = request(operation, value).unwrap();
    request.url().strip_prefix("https://api.test").unwrap().to_owned()
}

/// The value of a header as it is sent.
pub(crate) fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).map(|value| String::from_utf8(value.as_bytes().to_vec()).unwrap())
}

/// The problems of a refused call: pointer and rule.
pub(crate) fn problems(error: &ToolError) -> Vec<(String, String)> {
    let ToolError::InvalidArguments(invalid) = error else { panic!("{error:?}") };
    invalid.problems.iter().map(|problem| (problem.pointer.clone(), problem.rule.clone())).collect()
}
