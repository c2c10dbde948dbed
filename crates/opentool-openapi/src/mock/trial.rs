//! The executor's requests before the mock: for each operation of a document, whether what is sent is what was meant.
//!
//! Arguments are made from the schemas of tools, checked by them, and turned into a request as a call would. The mock
//! reads the request by the document alone; then what it read is compared with the arguments. Nothing is sent over a network.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use opentool_core::Schema;
use opentool_schema::{Examples, Look, Optional, Validator};
use serde_json::{Map, Value};

use super::{Fault, Mock, check};
use crate::plan::{Operation, Place, SecurityScheme};
use crate::request::{self, Credential, Located, MissingCredentials};
use crate::{Api, plan};

/// How many sets of arguments are tried until the schema accepts one.
const ATTEMPTS: u64 = 24;

/// One call of one operation, tried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The name of the operation's tool.
    pub operation: String,
    /// Which arguments.
    pub arguments: Arguments,
    /// What came of it.
    pub outcome: Outcome,
}

/// Which arguments are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Only what is required.
    Minimal,
    /// Everything that there is.
    Full,
    /// Everything, with values that break careless programs.
    Odd,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The document's service reads what was meant.
    Fits,
    /// What does not fit, one line each.
    Differs(Vec<String>),
    /// The executor did not build a request, and says why.
    Refused(String),
    /// No arguments were made that the operation's schema accepts; what it says of the last.
    NoArguments(String),
}

impl Trial {
    /// Tries every operation of a document with all three sets of arguments; `each` gets the outcomes in order.
    pub fn all(api: &Api, mut each: impl FnMut(Self)) {
        let mock = Mock::new([api.clone()]);
        for operation in api.operations() {
            let api = with_credentials(api.clone(), operation);
            let definition = api.definition(operation);
            let schema = definition.input_schema.whole().as_value();
            let validator = Validator::new(&Schema::new(schema.clone())).ok();
            for arguments in [Arguments::Minimal, Arguments::Full, Arguments::Odd] {
                let outcome = match arguments.make(schema, validator.as_ref()) {
                    Ok(mut values) => {
                        fill_path(operation, &mut values);
                        tried(&api, &mock, operation, values).known_as_cut(schema)
                    }
                    Err(why) => Outcome::NoArguments(why),
                };
                each(Self { operation: operation.name.clone(), arguments, outcome });
            }
        }
    }
}

impl Outcome {
    /// A tool carries only so many schemas, and what is left out lets anything through: then the document's own rules for a
    /// body say more than those that the arguments were made by.
    fn known_as_cut(self, schema: &Value) -> Self {
        let is_cut = || schema.to_string().contains(crate::schema::definitions::LEFT_OUT);
        match self {
            Self::Differs(all)
                if all.iter().all(|line| line.starts_with("/body/") && !line.contains(WAS_MEANT))
                    && is_cut() =>
            {
                Self::NoArguments(format!(
                    "the tool's schema is shortened; the document's own says: {}",
                    all.join("; ")
                ))
            }
            other => other,
        }
    }
}

/// What a difference of values says, and no fault.
const WAS_MEANT: &str = " was meant, ";

impl Arguments {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Full => "full",
            Self::Odd => "odd",
        }
    }

    /// Arguments that the schema accepts.
    fn make(self, schema: &Value, validator: Option<&Validator>) -> Result<Map<String, Value>, String> {
        let kind = |seed: u64| match self {
            Self::Minimal => Examples::new().optional(Optional::LeftOut).seed(seed),
            Self::Full => Examples::new().seed(seed),
            Self::Odd => Examples::new().look(Look::Odd).seed(seed),
        };
        // Schemas are not solved when examples are made, so some are tried; at last the plainest, and one without the
        // document's own examples, which may be wrong.
        let last = Examples::new().optional(Optional::LeftOut);
        let mut why = String::new();
        for examples in (0..ATTEMPTS).map(kind).chain([last.clone(), last.look(Look::Odd)]) {
            let value = examples.value(schema);
            match validator.map_or(Ok(()), |validator| validator.check(&value)) {
                Ok(()) => match value {
                    Value::Object(members) => return Ok(members),
                    other => why = format!("arguments are an object, not {other}"),
                },
                Err(invalid) => why = invalid.to_string(),
            }
        }
        Err(why)
    }
}

/// Whatever is a key or a token.
const TOKEN: &str = "mock-token";

/// The host has whatever the operation asks for.
fn with_credentials(mut api: Api, operation: &Operation) -> Api {
    api = api.missing_credentials(MissingCredentials::SendWithout);
    for used in operation.security.iter().flat_map(|requirement| &requirement.schemes) {
        let credential = match &*used.scheme {
            SecurityScheme::ApiKey { .. } => Credential::api_key(TOKEN),
            SecurityScheme::Basic => Credential::basic("user", "mock-word"),
            _ => Credential::bearer(TOKEN),
        };
        api = api.credential(used.name.clone(), credential);
    }
    api
}

/// An object without members is no part of a path: it gets those that it may have.
fn fill_path(operation: &Operation, values: &mut Map<String, Value>) {
    for parameter in operation.parameters.iter().filter(|parameter| parameter.place == Place::Path) {
        if let Some(value) = values.get_mut(&parameter.argument)
            && value.as_object().is_some_and(Map::is_empty)
        {
            *value = Examples::new().named(&parameter.name, &parameter.schema);
        }
    }
}

fn tried(api: &Api, mock: &Mock, operation: &Operation, values: Map<String, Value>) -> Outcome {
    let arguments = values.into();
    let sent = match Located::from_arguments(operation, &arguments) {
        Ok(mut sent) => {
            // What the host adds.
            let form = sent.body.as_mut().and_then(Value::as_object_mut);
            if let (Some(name), Some(form)) = (request::in_form(operation, api.settings()), form) {
                form.insert(name.to_owned(), TOKEN.into());
            }
            sent
        }
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let built = api.request(&operation.name, &arguments).and_then(|request| request.to_http());
    let request = match built {
        Ok(request) => request,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let mut received = Request::new(request.body);
    let Ok(uri) = request.url.as_str().parse() else {
        return Outcome::Differs(vec![format!("`{}` is no address of a request", request.url)]);
    };
    (*received.method_mut(), *received.uri_mut(), *received.headers_mut()) =
        (request.method, uri, request.headers);
    let mut differences = compare(mock, operation, &sent, &received);
    if let Some(other) = elsewhere(operation, &received) {
        differences.push(other);
    }
    if differences.is_empty() { Outcome::Fits } else { Outcome::Differs(differences) }
}

fn compare(mock: &Mock, operation: &Operation, sent: &Located, request: &Request<Bytes>) -> Vec<String> {
    let answer = check::answered(mock, request, Some(&operation.name));
    if answer.operation() != Some(operation.name.as_str()) {
        return vec![match answer.operation() {
            Some(other) => format!("it is taken for `{other}`"),
            None => format!("{} {} is no operation of the document", request.method(), request.uri()),
        }];
    }
    let mut differences: Vec<String> = answer.faults().iter().map(Fault::to_string).collect();
    let got = answer.received();
    let places = [
        ("path", &sent.path, &got.path),
        ("query", &sent.query, &got.query),
        ("header", &sent.header, &got.header),
        ("cookie", &sent.cookie, &got.cookie),
        ("querystring", &sent.querystring, &got.querystring),
    ];
    for (place, sent, got) in places {
        for (name, value) in sent {
            if !same(value, got.get(name).unwrap_or(&Value::Null), Rules::Text) {
                differences.push(differs(&format!("/{place}/{name}"), Some(value), got.get(name)));
            }
        }
        // A key against doubles is made by the executor.
        for (name, value) in got.iter().filter(|(name, _)| !sent.contains_key(*name) && place != "header") {
            differences.push(differs(&format!("/{place}/{name}"), None, Some(value)));
        }
    }
    let media = operation.body.as_ref().and_then(|body| body.preferred());
    let rules = if media.is_some_and(plan::Media::is_json) { Rules::Exact } else { Rules::Text };
    match (&sent.body, &got.body) {
        (None, None) => {}
        (Some(sent), got) if same(sent, got.as_ref().unwrap_or(&Value::Null), rules) => {}
        (sent, got) => differences.push(differs("/body", sent.as_ref(), got.as_ref())),
    }
    differences
}

/// Whether the request goes to another host than the document's.
fn elsewhere(operation: &Operation, request: &Request<Bytes>) -> Option<String> {
    let server = operation.servers.first()?;
    let url = url::Url::parse(&server.url).ok().filter(|_| server.variables.is_empty())?;
    let (sent, meant) = (request.uri().host()?, url.host_str()?);
    (!sent.eq_ignore_ascii_case(meant)).then(|| format!("it goes to {sent}, not to {meant}"))
}

fn differs(at: &str, sent: Option<&Value>, got: Option<&Value>) -> String {
    let shown = |value: Option<&Value>| match value {
        Some(value) => super::fault::shown(&value.to_string()),
        None => "nothing".to_owned(),
    };
    format!("{at}: {}{WAS_MEANT}{} was read", shown(sent), shown(got))
}

/// How values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// As they are.
    Exact,
    /// As texts say them: a number is its digits, and what is empty or `null` is not there.
    Text,
}

/// Whether a value that was read is the one that was meant.
fn same(sent: &Value, got: &Value, rules: Rules) -> bool {
    if sent == got {
        return true;
    }
    if rules == Rules::Exact {
        return false;
    }
    // Bytes may be meant by a text, and read as one.
    if bytes(sent).is_some() || bytes(got).is_some() {
        let plain =
            |value: &Value| bytes(value).or_else(|| value.as_str().map(|text| text.as_bytes().to_vec()));
        let said = |name: &str| {
            let (sent, got) = (sent.get(name), got.get(name));
            sent.is_none() || got.is_none() || sent == got
        };
        return plain(sent).is_some() && plain(sent) == plain(got) && said("filename") && said("contentType");
    }
    match (sent, got) {
        (Value::Array(sent), Value::Array(got)) => {
            let sent: Vec<&Value> = sent.iter().filter(|item| !item.is_null()).collect();
            sent.len() == got.len() && sent.into_iter().zip(got).all(|(sent, got)| same(sent, got, rules))
        }
        (Value::Object(sent), Value::Object(got)) => {
            let all =
                sent.iter().all(|(name, value)| same(value, got.get(name).unwrap_or(&Value::Null), rules));
            all && got.keys().all(|name| sent.contains_key(name))
        }
        // Of nothing, and of a list of nothing, there is no trace.
        (Value::Array(items), Value::Null) => items.iter().all(|item| same(item, &Value::Null, rules)),
        (Value::Object(members), Value::Null) => {
            members.values().all(|value| same(value, &Value::Null, rules))
        }
        // Where a value or a list of them may stand, a list of one looks like the one.
        (Value::Array(items), single) if !single.is_array() => {
            matches!(items.as_slice(), [only] if same(only, single, rules))
        }
        (single, Value::Array(items)) if !single.is_array() => {
            matches!(items.as_slice(), [only] if same(single, only, rules))
        }
        // What no style can write is written as JSON.
        (Value::Array(_) | Value::Object(_), Value::String(text)) => {
            serde_json::from_str::<Value>(text).is_ok_and(|got| got == *sent)
        }
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => text.is_empty(),
        (sent, got) => text(sent).is_some() && text(sent) == text(got),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Number(number) => Some(match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        }),
        _ => None,
    }
}

/// The bytes that a value stands for.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Object(members) => STANDARD.decode(members.get("$base64")?.as_str()?).ok(),
        _ => None,
    }
}
