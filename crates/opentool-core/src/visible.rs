//! Text of others as it may be shown: nothing in it drives a terminal, and nothing hides from a reader.
//!
//! Control characters, characters that turn the direction of writing, marks without width and the tag characters are
//! written out as what they are ([`printable`]), or taken out where a model reads the text as an instruction
//! ([`without_hidden`], [`clean_schema`]): what is written out is no longer hidden from a person, and still says to a
//! model what it said. It is here because every source of tools needs it. It does not judge letters that look alike, and
//! it changes nothing that a program reads: JSON keeps its meaning, with JSON's own escapes; names and values of a schema
//! stay as they are.
//!
//! What scripts and pictures need stays: a joiner between two characters that are not ASCII, one variation selector
//! behind a character that has variants. What is lost: a joiner at the end of a word, and the flags that are spelt with
//! tag characters (Scotland's becomes a black flag), because a sentence can be spelt with them too.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// Text as it may be shown: `\u{200b}` stands where a reader would see nothing. Line ends and tabs stay; the returns
/// before line ends go.
///
/// ```
/// use opentool_core::visible::printable;
///
/// assert_eq!(printable("a\u{1b}[2Jb\u{200b}\r\n"), "a\\u{1b}[2Jb\\u{200b}\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    shown(text, |c| match c {
        '\n' | '\t' => Treatment::Keep,
        '\r' => Treatment::Drop,
        _ => Treatment::Escape,
    })
}

/// The same for a text that must stay in its line: line ends and tabs are written out too.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| Treatment::Escape)
}

/// JSON text with the same characters as JSON's own escapes (`\u200b`): it is the same JSON. White space between
/// its values stays.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Elsewhere than inside of strings, where JSON has its escapes, these cannot stand in JSON.
    rewritten(
        json,
        |c| if c.is_ascii_whitespace() { Treatment::Keep } else { Treatment::Escape },
        json_escape,
    )
}

/// Text without what a reader would not see: for the descriptions of strangers, which a model reads as instructions. Line
/// ends and tabs stay.
///
/// ```
/// use opentool_core::visible::without_hidden;
///
/// assert_eq!(without_hidden("Adds\u{e0041}\u{200b} two\u{202e} numbers.\r\n"), "Adds two numbers.\n");
/// assert_eq!(without_hidden("نمی\u{200c}دانم 👩\u{200d}🚀"), "نمی\u{200c}دانم 👩\u{200d}🚀");
/// ```
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    shown(text, |c| match c {
        '\n' | '\t' => Treatment::Keep,
        _ => Treatment::Drop,
    })
}

/// The characters that [`without_hidden`] takes out of a text, each once, in their order. Returns before line ends hide
/// nothing and are not among them.
pub fn hidden(text: &str) -> Vec<char> {
    let mut found = Vec::new();
    shown(text, |c| {
        if !matches!(c, '\n' | '\t' | '\r') && !found.contains(&c) {
            found.push(c);
        }
        if matches!(c, '\n' | '\t') { Treatment::Keep } else { Treatment::Drop }
    });
    found
}

/// Characters by their numbers, as far as somebody wants to read it: `U+200B, U+202E, U+E0041, …`.
pub fn code_points(chars: &[char]) -> String {
    const FEW: usize = 3;
    let shown: Vec<String> = chars.iter().take(FEW).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if chars.len() > FEW { ", …" } else { "" };
    shown.join(", ") + more
}

/// Takes out of a JSON Schema, at every depth, what a reader of its texts (`title`, `description`, `$comment`) would not
/// see. Names and values stay: they are data, and a service expects them as they are.
pub fn clean_schema(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(clean_schema),
        Value::Object(members) => {
            for (keyword, member) in members {
                match (part(keyword), member) {
                    (Part::Text, Value::String(text)) => {
                        if let Cow::Owned(clean) = without_hidden(text) {
                            *text = clean;
                        }
                    }
                    (Part::Data, _) => {}
                    (Part::Named, Value::Object(schemas)) => {
                        schemas.iter_mut().for_each(|(_, schema)| clean_schema(schema));
                    }
                    (_, member) => clean_schema(member),
                }
            }
        }
        _ => {}
    }
}

/// The texts of a schema, or of a document with schemas in it, in which something hides: their JSON Pointers, and what it
/// is. For whoever tells the author; [`clean_schema`] takes it out.
pub fn hidden_texts(value: &Value) -> Vec<(String, Vec<char>)> {
    let mut found = Vec::new();
    look(value, &mut String::new(), &mut found);
    found
}

fn look(value: &Value, at: &mut String, found: &mut Vec<(String, Vec<char>)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| is_nested(item)) {
                look_inside(&[&index.to_string()], item, at, found);
            }
        }
        Value::Object(members) => {
            for (keyword, member) in members {
                match (part(keyword), member) {
                    (Part::Text, Value::String(text)) => {
                        let chars = hidden(text);
                        if !chars.is_empty() {
                            found.push((format!("{at}/{keyword}"), chars));
                        }
                    }
                    (Part::Data, _) => {}
                    (Part::Named, Value::Object(schemas)) => {
                        for (name, schema) in schemas {
                            look_inside(&[keyword, name], schema, at, found);
                        }
                    }
                    (_, member) if is_nested(member) => look_inside(&[keyword], member, at, found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn look_inside(names: &[&str], member: &Value, at: &mut String, found: &mut Vec<(String, Vec<char>)>) {
    let length = at.len();
    for name in names {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
    }
    look(member, at, found);
    at.truncate(length);
}

fn is_nested(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// What a member of a schema is.
enum Part {
    /// Words for a reader.
    Text,
    /// Values, never a schema.
    Data,
    /// Schemas by names, which may look like keywords.
    Named,
    /// Something that may hold schemas.
    Other,
}

fn part(keyword: &str) -> Part {
    match keyword {
        "title" | "summary" | "description" | "$comment" => Part::Text,
        "default" | "const" | "enum" | "examples" | "example" => Part::Data,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Part::Named,
        _ => Part::Other,
    }
}

/// Whether a character may be shown as it is, whatever stands beside it.
pub fn is_plain(c: char) -> bool {
    !c.is_control() && !is_hidden(c)
}

/// What becomes of a character that is not plain.
enum Treatment {
    Keep,
    Drop,
    Escape,
}

fn shown(text: &str, treat: impl FnMut(char) -> Treatment) -> Cow<'_, str> {
    rewritten(text, treat, |shown, c| shown.extend(c.escape_unicode()))
}

fn rewritten(
    text: &str,
    mut treat: impl FnMut(char) -> Treatment,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    // Most texts are ASCII, which is looked at many bytes at a time.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || text.chars().all(stands_alone) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().saturating_add(16));
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if stands_alone(c) || is_joint(before, c, chars.peek().copied()) || is_variant(before, c) {
            shown.push(c);
        } else {
            match treat(c) {
                Treatment::Keep => shown.push(c),
                // As if it had never been there: doing this twice changes nothing more.
                Treatment::Drop => continue,
                Treatment::Escape => escape(&mut shown, c),
            }
        }
        before = c;
    }
    // All that is there does its work.
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

fn json_escape(shown: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(shown, "\\u{unit:04x}");
    }
}

/// Nothing of these is seen, or they change what is seen beside them.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner does its work: one alone between two characters of a script, or pictures, that need joiners. In
/// ASCII there is nothing to join.
fn is_joint(before: char, c: char, after: Option<char>) -> bool {
    let needs = |c: char| !c.is_ascii() && is_plain(c);
    matches!(c, '\u{200c}' | '\u{200d}')
        && (needs(before) || is_selector(before))
        && after.is_some_and(|after| needs(after) && !is_selector(after))
}

/// Whether a character is seen, and needs nothing before it.
fn stands_alone(c: char) -> bool {
    is_plain(c) && !is_selector(c)
}

/// A character that chooses a variant of the one before it. Nothing of it is seen by itself, so that a row of them can
/// hold a sentence.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a selector does its work: one alone, behind a character that can have variants. Of ASCII those are the ones
/// that keys of a telephone have.
fn is_variant(before: char, c: char) -> bool {
    let has_variants = |c: char| match c {
        '0'..='9' | '#' | '*' => true,
        c => !c.is_ascii() && stands_alone(c),
    };
    is_selector(c) && has_variants(before)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{
        clean_schema, hidden, hidden_texts, printable, printable_json, printable_line, without_hidden,
    };

    #[test]
    fn what_shows_nothing_is_written_out() {
        assert_eq!(printable("a\u{200b}b\u{feff}\u{2060}"), "a\\u{200b}b\\u{feff}\\u{2060}");
        assert_eq!(printable("x\u{202e}y\x1b[2J\u{e0041}"), "x\\u{202e}y\\u{1b}[2J\\u{e0041}");
        assert_eq!(printable("plain\ntext,\t日本語, ü\r\n"), "plain\ntext,\t日本語, ü\n");
        assert_eq!(printable_line("a\tb\r\n"), "a\\u{9}b\\u{d}\\u{a}");
    }

    #[test]
    fn joiners_stay_where_they_join() {
        assert_eq!(printable("👩\u{200d}🚀 می\u{200c}خواهم"), "👩\u{200d}🚀 می\u{200c}خواهم");
        assert_eq!(printable("a\u{200d}b"), "a\\u{200d}b");
        assert_eq!(printable("ü\u{200d}\u{200d}ü\u{200d}"), "ü\\u{200d}\\u{200d}ü\\u{200d}");
    }

    #[test]
    fn one_selector_behind_what_has_variants_stays() {
        for same in ["❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}", "葛\u{e0100}城", "ᠠ\u{180b}"] {
            assert_eq!((&*printable(same), &*without_hidden(same)), (same, same));
        }
        assert_eq!(without_hidden("a\u{fe00}\u{fe01}😀\u{fe0f}\u{e0101}\u{e0102}."), "a😀\u{fe0f}.");
        assert_eq!(printable("a\u{fe01}"), "a\\u{fe01}");
        for odd in [
            "ü\u{200d}\u{fe0f}",
            "a\u{fe0f}\u{200d}ü",
            "ü\u{200b}\u{200d}\u{200d}ü",
            "❤\u{34f}\u{fe0f}\u{fe0f}\u{200d}",
        ] {
            let once = without_hidden(odd);
            assert_eq!(without_hidden(&once), once, "{odd:?}");
            assert_eq!(hidden(&once), [], "{odd:?}");
        }
    }

    #[test]
    fn what_no_reader_sees_is_taken_out_of_the_texts_of_a_schema_and_of_nothing_else() {
        let marked = "a\u{e0049}\u{202e}\u{1b}[8m\u{200b}b\n";
        let mut schema = json!({
            "description": marked, "title": marked, "$comment": marked,
            "properties": {
                "description": {"type": "string", "description": marked, "default": marked},
                marked: {"enum": [marked], "const": {"description": marked}, "examples": [{"title": marked}]},
            },
            "anyOf": [{"not": {"items": {"title": marked}}}],
            "$defs": {"default": {"description": marked}},
            "pattern": marked,
        });
        let clean = "a[8mb\n";
        let found: Vec<_> = hidden_texts(&schema).into_iter().map(|(place, _)| place).collect();
        let places = [
            "/description",
            "/title",
            "/$comment",
            "/properties/description/description",
            "/anyOf/0/not/items/title",
            "/$defs/default/description",
        ];
        assert_eq!(found, places);
        clean_schema(&mut schema);
        assert_eq!(
            schema,
            json!({
                "description": clean, "title": clean, "$comment": clean,
                "properties": {
                    "description": {"type": "string", "description": clean, "default": marked},
                    marked: {"enum": [marked], "const": {"description": marked}, "examples": [{"title": marked}]},
                },
                "anyOf": [{"not": {"items": {"title": clean}}}],
                "$defs": {"default": {"description": clean}},
                "pattern": marked,
            })
        );
        assert_eq!(hidden_texts(&schema), []);
        assert_eq!(hidden("a\r\n\tb\u{200b}\u{e0041}\u{200b}"), ['\u{200b}', '\u{e0041}']);
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = json!({"a\u{202e}\u{200b}": ["\u{7f}\u{9b}\u{e0041}\u{feff}", "日本語\n\t"]});
        for text in [format!("{value:#}\r\n"), value.to_string()] {
            let shown = printable_json(&text);
            assert!(shown.contains("a\\u202e\\u200b") && shown.contains("\\udb40\\udc41"), "{shown}");
            assert!(!shown.contains(['\u{7f}', '\u{9b}', '\u{feff}']), "{shown:?}");
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        }
    }
}
