//! The headers and cookies that come from arguments.

use opentool_core::{Problem, ToolError};
use opentool_http::{HeaderName, HeaderValue};
use serde_json::Value;

use super::encode;
use super::located::Located;
use super::message::Header;
use super::problems::{Problems, pointer, shown};
use super::query::{Pair, content, require};
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
            "the document asks for the header {}, {why} (at {})",
            shown(name),
            operation.pointer
        ))
    };
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("which is not a header name"))?;
    if FRAMING.contains(&parsed.as_str()) {
        return Err(refuse("which belongs to the transport and cannot be set"));
    }
    Ok(parsed)
}

/// The headers of the header parameters, in the document's order.
pub(super) fn headers(
    operation: &Operation,
    located: &Located,
    problems: &mut Problems,
) -> Result<Vec<Header>, ToolError> {
    let mut headers = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.place == Place::Header) {
        if IGNORED.iter().any(|name| parameter.name.eq_ignore_ascii_case(name)) {
            continue;
        }
        let Some(value) = located.get(parameter) else {
            require(parameter, problems);
            continue;
        };
        let Some(text) = header_text(parameter, value) else { continue };
        let name = name(&parameter.name, operation)?;
        match header_value(&text) {
            Some(value) => headers.push(Header::new(name, &parameter.name, value)),
            None => problems.add(breaks(parameter, "header", &text)),
        }
    }
    Ok(headers)
}

fn header_text(parameter: &Parameter, value: &Value) -> Option<String> {
    match &parameter.form {
        ParameterForm::Style { explode, .. } => style::header(*explode, &Shape::of(value, &parameter.schema)),
        ParameterForm::Content { media_type } => content(media_type, value, &parameter.schema),
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
pub(super) fn cookies(operation: &Operation, located: &Located, problems: &mut Problems) -> Vec<Pair> {
    let mut cookies = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.place == Place::Cookie) {
        let Some(value) = located.get(parameter) else {
            require(parameter, problems);
            continue;
        };
        let pairs = match &parameter.form {
            ParameterForm::Style { style: Style::Cookie, explode, .. } => {
                let raw: Encode = str::to_owned;
                style::pairs(Style::Cookie, *explode, &parameter.name, value, &parameter.schema, raw)
            }
            ParameterForm::Style { explode, .. } => {
                style::pairs(Style::Form, *explode, &parameter.name, value, &parameter.schema, encode::strict)
            }
            ParameterForm::Content { media_type } => {
                let text = content(media_type, value, &parameter.schema);
                let pair = text.map(|text| (encode::strict(&parameter.name), encode::strict(&text)));
                pair.into_iter().collect()
            }
        };
        for (name, value) in pairs {
            // Only the style `cookie` writes values as they are; for the others this never holds.
            let splits = |text: &str| text.contains(|c: char| c.is_control() || c == ';');
            if splits(&value) || splits(&name) || name.contains('=') {
                let found = format!("{name}={value}");
                problems.add(
                    Problem::new(pointer([parameter.argument.as_str()]), "cookie")
                        .expected(
                            "expected text without `;`, line ends and control characters: it is a cookie",
                        )
                        .found(shown(&found)),
                );
            } else {
                cookies.push(Pair { name, value });
            }
        }
    }
    cookies
}
