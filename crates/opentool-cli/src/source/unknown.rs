//! Why a text is no source: it is broken, or it is something else. Whether it can be read at all is looked at first, so
//! that a broken document is not called a strange one.

use opentool_text::{Expected, Notation, kind, parse};
use serde_json::Value;

use crate::source::SourceError;

/// Says what is wrong with a text of no kind that is known.
pub(crate) fn why(text: &str, place: &str) -> SourceError {
    let place = place.to_owned();
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') && !text.trim_start().starts_with("<<") {
        return SourceError::Unknown { place, found: "a web page or XML".into() };
    }
    let found = match parse(text, &Expected::new("an OpenAPI or OpenTool document", "openapi: 3.1.0")) {
        Ok(parsed) => match parsed.value {
            Value::Object(_) => {
                let written = match parsed.notation {
                    Notation::Yaml => "YAML",
                    _ => "JSON",
                };
                format!("a {written} object without the key `openapi`, `opentool` or `tools`")
            }
            other => kind(&other).to_owned(),
        },
        // Words and sentences are YAML, in a way.
        Err(fault) if fault.code == "not-a-document" => "some other text".to_owned(),
        Err(fault) => return SourceError::Syntax { fault: Box::new(fault.file(place)) },
    };
    SourceError::Unknown { place, found }
}
