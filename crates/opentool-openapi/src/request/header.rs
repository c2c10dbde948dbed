//! The headers and cookies that come from arguments.

use std::borrow::Cow;

use opentool_core::{Problem, ToolError};
use opentool_http::{HeaderName, HeaderValue};
use serde_json::Value;

use super::encode;
use super::given::Given;
use super::message::Header;
use super::pair::Pair;
use super::problems::{Problems, pointer, shown};
use super::query::{content, require};
use super::style::{self, Encode};
use super::value::Shape;
use crate::plan::{Operation, Parameter, ParameterForm, Place, Style};

/// These say how a message is read, not what it says. Whoever sets them can make one request into two.
const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The specification says that parameters of these names are ignored.
const IGNORED: [&str; 3] = ["accept", "authorization", "content-type"];

/// The name of a header that the document asks for.
///
/// # Errors
/// If it cannot be the name of a header, or of one that an API may not set.
pub(super) fn name(name: &str, operation: &Operation) -> Result<HeaderName, ToolError> {
    let refuse = |why: &str| {
        ToolError::failed(format!(
            "the document asks for the header {}, which {why} (at {})",
            shown(name),
            operation.pointer
        ))
    };
    match unsendable(name) {
        Some(why) => Err(refuse(why)),
        None => HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse(NO_NAME)),
    }
}

const NO_NAME: &str = "has a name that no header can have";

/// Why a header of this name cannot be sent, if so.
pub(crate) fn unsendable(name: &str) -> Option<&'static str> {
    match HeaderName::from_bytes(name.as_bytes()) {
        Err(_) => Some(NO_NAME),
        Ok(parsed) if FRAMING.contains(&parsed.as_str()) => {
            Some("belongs to the transport and cannot be set")
        }
        Ok(_) => None,
    }
}

/// The headers of the header parameters, in the document's order.
pub(super) fn headers(
    operation: &Operation,
    given: &Given<'_>,
    problems: &mut Problems,
) -> Result<Vec<Header>, ToolError> {
    let mut headers = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.place == Place::Header) {
        if IGNORED.iter().any(|name| parameter.name.eq_ignore_ascii_case(name)) {
            continue;
        }
        let Some(value) = given.get(parameter) else {
            require(parameter, problems);
            continue;
        };
        let Some(text) = header_text(parameter, value) else { continue };
        let name = name(&parameter.name, operation)?;
        match header_value(&text) {
            Some(value) => headers.push(Header::new(name, parameter.name.clone(), value)),
            None => problems.add(breaks(parameter, "header", &text)),
        }
    }
    Ok(headers)
}

fn header_text<'a>(parameter: &Parameter, value: &'a Value) -> Option<Cow<'a, str>> {
    match (&parameter.form, value) {
        (ParameterForm::Style { .. }, Value::String(text)) => Some(text.as_str().into()),
        (ParameterForm::Style { style, explode, .. }, value) => {
            style::header(*style, *explode, &Shape::of(value, &parameter.schema)).map(Cow::Owned)
        }
        (ParameterForm::Content { media_type }, value) => content(media_type, value, &parameter.schema),
    }
}

/// The text as a header value, UTF-8 where it is not ASCII; `None` if it holds a line end or another control
/// character.
pub(super) fn header_value(text: &str) -> Option<HeaderValue> {
    if text.chars().any(|c| c.is_control() && c != '\t') {
        return None;
    }
    HeaderValue::from_bytes(text.as_bytes()).ok()
}

fn breaks(parameter: &Parameter, place: &str, text: &str) -> Problem {
    Problem::new(pointer([parameter.argument.as_str()]), place)
        .expected(format!(
            "expected a value without line ends and control characters: it is sent in the {place} `{}`",
            parameter.name
        ))
        .found(shown(text))
}

/// The pairs of the cookie parameters, in the document's order.
pub(super) fn cookies(operation: &Operation, given: &Given<'_>, problems: &mut Problems) -> Vec<Pair> {
    let mut cookies = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.place == Place::Cookie) {
        let Some(value) = given.get(parameter) else {
            require(parameter, problems);
            continue;
        };
        let first = cookies.len();
        match &parameter.form {
            ParameterForm::Style { style, explode, .. } => {
                let (style, encode): (_, Encode) = match style {
                    Style::Cookie => (Style::Cookie, encode::raw),
                    _ => (Style::Form, encode::strict),
                };
                let (name, schema) = (&parameter.name, &parameter.schema);
                style::pairs(style, *explode, name, value, schema, encode, &mut cookies);
            }
            ParameterForm::Content { media_type } => {
                let text = content(media_type, value, &parameter.schema);
                cookies.extend(
                    text.map(|text| Pair::new(&encode::strict(&parameter.name), &encode::strict(&text))),
                );
            }
        }
        for pair in cookies.split_off(first) {
            // Only the style `cookie` writes values as they are; for the others this never holds.
            let splits = |text: &str| text.contains(|c: char| c.is_control() || c == ';');
            let is_no_name = |c: char| c.is_whitespace() || "=,\"".contains(c);
            if splits(pair.text()) || pair.name().contains(is_no_name) {
                problems.add(
                    Problem::new(pointer([parameter.argument.as_str()]), "cookie")
                        .expected(
                            "expected text without `;`, line ends and control characters, and names without blanks, `=`, `,` \
                             and quotes: it is a cookie",
                        )
                        .found(shown(pair.text())),
                );
            } else {
                cookies.push(pair);
            }
        }
    }
    cookies
}
