//! Headers of single parts, which an `encoding` object may ask for.
//!
//! Whoever gives a file may give them beside it (`{"$base64": …, "headers": {…}}`). What nobody gives is what the document
//! says when it leaves no choice: a constant, a default, an `enum` of one. A part that is no file has no words beside it, so
//! that its other headers are not sent, which the reader of the document tells. A header that is a part's own business
//! anyway (`Content-Disposition`) cannot be set.

use opentool_http::{HeaderName, HeaderValue};
use serde_json::Value;

use super::super::header::header_value;
use super::super::style;
use super::super::value::{Shape, child};
use crate::bytes::is_bytes;
use crate::plan::{PartHeader, Style};

/// The headers of one part.
///
/// # Errors
/// What is expected in place of a value that cannot be sent, or of one that is missing.
pub(super) fn of(
    value: &Value,
    schema: &Value,
    wanted: &[&PartHeader],
) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let given = child(value, "headers");
    let is_file = value.get("$base64").is_some();
    let may_be_file = is_file || is_bytes(schema);
    let mut headers = Vec::new();
    for header in wanted {
        let own = given.get(&header.name).filter(|own| is_file && !own.is_null());
        let Some(value) = own.or_else(|| fixed(&header.schema)) else {
            if header.required && may_be_file {
                return Err(format!(
                    "expected {{\"$base64\": \"…\", \"headers\": {{\"{}\": …}}}}: the part needs this header",
                    header.name
                ));
            }
            continue;
        };
        let Some(text) = style::header(Style::Simple, false, &Shape::of(value, &header.schema)) else {
            continue;
        };
        let sent = HeaderName::from_bytes(header.name.as_bytes()).ok().zip(header_value(&text));
        headers.push(sent.ok_or_else(|| {
            format!(
                "expected a value of the header `{}` without line ends and control characters",
                header.name
            )
        })?);
    }
    Ok(headers)
}

/// What a schema leaves no choice about.
pub(crate) fn fixed(schema: &Value) -> Option<&Value> {
    let only = || match schema.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    schema.get("const").or_else(|| schema.get("default")).or_else(only).filter(|value| !value.is_null())
}
