//! Bytes among arguments.
//!
//! JSON has none, so they come as `{"$base64": "…", "filename"?, "contentType"?}`, or, where the document says that a
//! string is binary, as a data URI. A path of a local file is deliberately not one of the forms here: the model would read
//! the host's disk. Where the host allows that, [`crate::uploads`] has put the bytes in its place before.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::media::is_concrete;
use crate::bytes::is_bytes;

/// Decoded bytes, with what is known about them.
#[derive(Debug)]
pub(super) struct File {
    pub(super) data: Bytes,
    pub(super) name: Option<String>,
    pub(super) media_type: Option<String>,
}

/// The bytes that `value` stands for, or what is wrong with them; `None` if it stands for none.
pub(super) fn read(value: &Value, schema: &Value) -> Option<Result<File, &'static str>> {
    match value {
        Value::Object(members) => {
            let text = members.get("$base64")?.as_str()?;
            Some(object(text, members.get("filename"), members.get("contentType")))
        }
        Value::String(text) if is_bytes(schema) => Some(match data_uri(text) {
            Some(decoded) => decoded,
            None => Ok(File { data: text.clone().into(), name: None, media_type: None }),
        }),
        _ => None,
    }
}

fn object(text: &str, name: Option<&Value>, media_type: Option<&Value>) -> Result<File, &'static str> {
    let data = base64(text)?;
    let name = name.and_then(Value::as_str).map(str::to_owned);
    let media_type = media_type.and_then(Value::as_str).map(checked).transpose()?;
    Ok(File { data, name, media_type })
}

fn data_uri(text: &str) -> Option<Result<File, &'static str>> {
    let (head, data) = text.strip_prefix("data:")?.split_once(',')?;
    let (head, encoded) = match head.strip_suffix(";base64") {
        Some(head) => (head, true),
        None => (head, false),
    };
    let data = if encoded { base64(data) } else { Ok(percent_decode_str(data).collect::<Vec<_>>().into()) };
    let media_type = if head.is_empty() { Ok("text/plain".to_owned()) } else { checked(head) };
    Some(data.and_then(|data| Ok(File { data, name: None, media_type: Some(media_type?) })))
}

fn checked(media_type: &str) -> Result<String, &'static str> {
    if is_concrete(media_type) {
        Ok(media_type.to_owned())
    } else {
        Err("expected a media type such as \"image/png\"")
    }
}

/// Standard or URL-safe base64, with or without padding.
fn base64(text: &str) -> Result<Bytes, &'static str> {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
    let decoded = if text.contains(['-', '_']) { URL_SAFE.decode(text) } else { STANDARD.decode(text) };
    decoded.map(Bytes::from).map_err(|_| "expected bytes in base64")
}
