//! OpenAPI documents with any arguments: a request stays at its server, in its path, and in its lines.
//!
//! The document stands before a zero byte, and the bytes behind it grow into arguments.

use opentool_core::Arguments;
use opentool_openapi::plan::{Operation, Place};
use opentool_openapi::request::{self, Request, Settings};
use opentool_openapi::{Api, parse};
use opentool_schema::Validator;
use serde_json::{Map, Value};
use url::Url;

use crate::grow::Seed;

/// Operations that are called.
const MOST: usize = 12;
const SERVER: &str = "https://api.test:8443/v1";

pub(crate) fn run(input: &[u8]) {
    let (document, rest) = match input.iter().position(|byte| *byte == 0) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, &input[..0]),
    };
    let Ok(api) = parse(document, "https://docs.test/openapi.json") else { return };
    let mut seed = Seed::new(rest);
    let mut settings = Settings::default();
    settings.server = Url::parse(SERVER).ok();
    for operation in api.operations().iter().take(MOST) {
        name(&operation.name);
        let definition = api.definition(operation);
        assert!(definition.input_schema.as_value().is_object(), "arguments are an object");
        let validator = Validator::new(&definition.input_schema);
        for round in 0..2 {
            let arguments = arguments(operation, definition.input_schema.as_value(), round == 1, &mut seed);
            if let Ok(validator) = &validator {
                let _ = validator.check(&Value::Object(arguments.clone()));
            }
            let arguments = Arguments::from(arguments);
            if let Ok(request) = request::build(operation, &arguments, &settings) {
                stays(&request, operation, &Url::parse(SERVER).expect("an address"));
            }
            at_its_own_server(&api, operation, &arguments);
        }
    }
}

/// Names are valid for every provider.
fn name(name: &str) {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    assert!(!name.is_empty() && name.len() <= 64 && name.chars().all(valid), "{name}");
}

fn arguments(
    operation: &Operation,
    schema: &Value,
    fitting: bool,
    seed: &mut Seed<'_>,
) -> Map<String, Value> {
    if fitting {
        return match seed.fitting(schema) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
    }
    let parameters = operation.parameters.iter().map(|parameter| parameter.argument.clone());
    let mut arguments: Map<String, Value> = parameters.map(|name| (name, Value::from(seed.text()))).collect();
    if operation.body.is_some() {
        arguments.extend(seed.object());
    }
    arguments
}

/// The request goes to this server and no other, as deep as its path is, with the headers of the plan.
fn stays(request: &Request, operation: &Operation, server: &Url) {
    let url = Url::parse(request.url()).expect("a request has an address");
    let origin =
        |url: &Url| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default());
    assert_eq!(origin(&url), origin(server), "{url}");
    assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none(), "{url}");
    let base = server.path().trim_end_matches('/');
    let rest = url.path().strip_prefix(base).unwrap_or_else(|| panic!("{url} left {base}"));
    let template = operation.path.split(['?', '#']).next().unwrap_or_default();
    let depth = |path: &str| path.trim_start_matches('/').matches('/').count();
    if !template.starts_with("//") {
        assert_eq!(depth(rest), depth(template), "{url} is not as deep as {template}");
    }
    // As it is decoded by servers that decode before they look for segments.
    assert!(!rest.split('/').any(|segment| is_dots(segment) && !template.contains("..")), "{url}");
    let sent = request.to_http().expect("a request can be sent");
    let fixed = ["content-type", "accept", "cookie", "authorization"];
    for (name, value) in &request.headers() {
        let planned = |name: &str| {
            operation.parameters.iter().any(|p| p.place == Place::Header && p.name.eq_ignore_ascii_case(name))
        };
        assert!(
            fixed.contains(&name.as_str()) || planned(name.as_str()),
            "the header {name} is not in the plan"
        );
        assert!(!value.as_bytes().iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)));
    }
    drop(sent);
    request.to_curl();
    request.to_json();
}

fn is_dots(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    matches!(plain.as_str(), "." | "..")
}

/// Arguments decide nothing about the server, whatever the document says about it.
fn at_its_own_server(api: &Api, operation: &Operation, arguments: &Arguments) {
    let Ok(request) = api.request(&operation.name, arguments) else { return };
    let url = Url::parse(request.url()).expect("a request has an address");
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(url.fragment().is_none());
}
