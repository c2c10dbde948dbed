//! What the format has no keyword for and a model should know: `{minLength: 3, format: "date"}` at the end of the
//! description, the notation of the other formats that definitions are written in.

use std::io::{self, Write};

use serde_json::Value;

use super::convert::Converter;
use crate::Schema;

/// Bytes of one value in a description.
const LONGEST: usize = 300;

/// Keywords that say which values are meant.
const TOLD: [&str; 36] = [
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "additionalItems",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "if",
    "then",
    "else",
    "not",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "examples",
    "deprecated",
];
/// Those that say which other arguments there may be. A function takes none.
const OTHERS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

impl Converter<'_> {
    /// What is to be told about a keyword that the format does not have, if anything. It is listed as moved then.
    pub(super) fn note(&mut self, keyword: &str, value: &Value) -> Option<String> {
        let is_about_others =
            OTHERS.contains(&keyword) && self.arguments.as_deref() == Some(self.at.as_str());
        // Nothing is what an absent value means anyway.
        let says_nothing = keyword == "default" && value.is_null();
        if !self.tells
            || is_about_others
            || says_nothing
            || !(TOLD.contains(&keyword) || keyword == "example")
        {
            return None;
        }
        self.lose(
            keyword,
            format!("schemas of the format have no `{keyword}`; it is moved to the description"),
        );
        Some(format!("{keyword}: {}", picture(value)))
    }
}

/// Puts the notes of a schema behind its description.
pub(super) fn tell(schema: &mut Schema) {
    let notes = std::mem::take(&mut schema.notes);
    if notes.is_empty() {
        return;
    }
    append(schema.description.get_or_insert_default(), &format!("{{{}}}", notes.join(", ")));
}

/// Puts a paragraph behind a text.
pub(super) fn append(text: &mut String, paragraph: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(paragraph);
}

/// A value as JSON, cut where it is long; what is cut off costs nothing.
fn picture(value: &Value) -> String {
    let mut cut = Cut(Vec::new());
    let is_whole = serde_json::to_writer(&mut cut, value).is_ok();
    let mut text = String::from_utf8_lossy(&cut.0).into_owned();
    if !is_whole {
        // Half a letter at the end.
        text.truncate(text.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
        text.push('…');
    }
    text
}

/// Takes so many bytes and no more.
struct Cut(Vec<u8>);

impl Write for Cut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = LONGEST.saturating_sub(self.0.len());
        self.0.extend(bytes.iter().take(room));
        if bytes.len() > room { Err(io::Error::other("it is full")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
