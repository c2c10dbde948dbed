//! Media types of bodies: how each is written. Which of several is used is [`crate::plan::Body::preferred`]'s decision.

use serde_json::Value;

use crate::bytes::is_bytes;
use crate::plan::essence;

/// How a body of a media type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaKind {
    /// JSON, or any that is not decided and may be JSON (`*/*`).
    Json,
    /// One JSON value a line, or each after a record separator.
    JsonLines,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data` and its like.
    Multipart,
    /// Any text that is written as it is.
    Text,
    /// XML, as text.
    Xml,
    /// Bytes.
    Binary,
}

impl MediaKind {
    /// The kind of a media type for values of a schema: where any type will do (`*/*`), bytes are bytes and no JSON.
    pub(crate) fn of_schema(media_type: &str, schema: &Value) -> Self {
        match Self::of(media_type) {
            Self::Json if media_type.contains('*') && is_bytes(schema) => Self::Binary,
            kind => kind,
        }
    }

    /// The kind of a media type; parameters (`; charset=utf-8`) do not matter.
    pub(crate) fn of(media_type: &str) -> Self {
        let essence = essence(media_type);
        match essence.as_str() {
            "application/json" | "text/json" | "*/*" | "application/*" => Self::Json,
            "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/json-seq"
            | "application/x-jsonlines"
            | "application/jsonlines" => Self::JsonLines,
            "application/x-www-form-urlencoded" => Self::Form,
            "application/xml" | "text/xml" => Self::Xml,
            _ if essence.ends_with("+json") => Self::Json,
            _ if essence.ends_with("+xml") => Self::Xml,
            _ if essence.starts_with("multipart/") => Self::Multipart,
            _ if essence.starts_with("text/") => Self::Text,
            "application/yaml"
            | "application/x-yaml"
            | "application/graphql"
            | "application/sql"
            | "application/javascript" => Self::Text,
            _ => Self::Binary,
        }
    }
}

/// Whether a media type names one type: no `*`, and nothing that a header cannot hold.
pub(crate) fn is_concrete(media_type: &str) -> bool {
    let essence = essence(media_type);
    let word = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    let fits = essence.split_once('/').is_some_and(|(kind, sub)| word(kind) && word(sub));
    fits && media_type.bytes().all(|b| (b' '..0x7f).contains(&b))
}
