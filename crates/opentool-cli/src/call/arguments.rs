//! Reading the words after the tool's name: a JSON object, `-`, `key=value`, `key:=json`, `key=@file`.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool::ToolDefinition;
use opentool::schema::inexact_number;
use opentool_text::{Expected, Notation, parse};
use serde_json::{Map, Value, json};

use super::typed;
use crate::error::CliError;

const FORMS: &str = "arguments are one JSON object, `-` for JSON from standard input, or `key=value`, `key:=json`, \
                     `key=@file`, `key:=@file.json`";

const MIB: u64 = 1024 * 1024;

/// The longest text or JSON that is read for an argument: far more than anyone means to send as one.
const TEXT_LIMIT: u64 = 16 * MIB;

/// The largest file that is uploaded. It is held in memory, in several forms.
const UPLOAD_LIMIT: u64 = 128 * MIB;

/// The arguments of a call, not validated yet. A JSON object comes first; pairs after it add to it.
///
/// # Errors
/// [`CliError::Argument`] names the word and says what to write.
pub(crate) fn read(words: &[String], definition: &ToolDefinition) -> Result<Map<String, Value>, CliError> {
    let mut arguments = Map::new();
    for (i, word) in words.iter().enumerate() {
        let text;
        let json = match word.as_str() {
            "-" => {
                text = standard_input()?;
                Some(("standard input", text.as_str()))
            }
            word if word.trim_start().starts_with('{') => Some(("the argument", word)),
            _ => None,
        };
        match json {
            Some((origin, text)) if i == 0 => {
                arguments = object(origin, text)?;
            }
            Some(_) => {
                let message = "a JSON object must be the first argument, and the only one";
                return Err(CliError::argument(message, FORMS));
            }
            None => {
                let (key, value) = pair(word, definition)?;
                add(&mut arguments, key, value, definition)?;
            }
        }
    }
    Ok(arguments)
}

fn object(origin: &str, text: &str) -> Result<Map<String, Value>, CliError> {
    // Whatever should have written them may have failed.
    if text.trim().is_empty() {
        return Err(CliError::argument(
            format!("{origin} is empty"),
            "write `{}` where there are no arguments",
        ));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => {
            once(origin, text)?;
            exact(&format!("a number of {origin}"), text).map(|()| map)
        }
        Ok(Value::Array(_)) => Err(CliError::argument(
            format!("{origin} is a JSON array, and the arguments are an object"),
            FORMS,
        )),
        Ok(_) => Err(CliError::argument(format!("{origin} is JSON, but not an object"), FORMS)),
        Err(error) if is_beyond(&error) => {
            let (line, column) = (error.line(), error.column());
            Err(beyond(&format!("a number of {origin} (line {line}, column {column})")))
        }
        Err(error) => Err(CliError::argument(format!("{origin} is not JSON: {error}"), FORMS)),
    }
}

/// Whether the fault is a number that no number of 64 bits comes near to.
fn is_beyond(error: &serde_json::Error) -> bool {
    // serde_json has no kind for it.
    error.to_string().starts_with("number out of range")
}

fn beyond(what: &str) -> CliError {
    CliError::argument(
        format!("{what} is beyond what a number can be"),
        "numbers go to about ±1.8e308; a text is written `key:='\"…\"'`",
    )
}

/// One word of the form `key=value`.
fn pair<'a>(word: &'a str, definition: &ToolDefinition) -> Result<(&'a str, Value), CliError> {
    // A list may hold `=` too.
    if word.trim_start().starts_with('[') && matches!(serde_json::from_str(word), Ok(Value::Array(_))) {
        let message = format!("`{}` is a JSON array, and the arguments are an object", shown(word));
        return Err(CliError::argument(message, FORMS));
    }
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !matches!(*key, "" | ":")) else {
        let message = format!("`{}` is neither a JSON object nor `key=value`", shown(word));
        return Err(CliError::argument(message, FORMS));
    };
    let (key, forced) = match key.strip_suffix(':') {
        Some(key) => (key, true),
        None => (key, false),
    };
    let root = definition.input_schema.as_value();
    let schema = property(definition, key);
    if let Some(path) = value.strip_prefix('@').filter(|_| !forced)
        && schema.is_some_and(|schema| typed::takes_bytes(schema, root))
    {
        let bytes = bytes(key, path)?;
        // As one of a list, it may come again.
        return Ok((key, if typed::is_list(schema, root) { json!([bytes]) } else { bytes }));
    }
    let from_file;
    let value = match value.strip_prefix('@') {
        Some(path) => {
            from_file = file(key, path)?;
            // The line end that editors add is not part of a text.
            from_file
                .strip_suffix('\n')
                .map_or(from_file.as_str(), |text| text.strip_suffix('\r').unwrap_or(text))
        }
        None => value,
    };
    if forced {
        return match serde_json::from_str(value) {
            Ok(json) => {
                let what = format!("the value of `{key}:=`");
                once(&what, value)?;
                exact(&what, value).map(|()| (key, json))
            }
            Err(error) if is_beyond(&error) => Err(beyond(&format!("the value of `{key}:=`"))),
            Err(error) => Err(CliError::argument(
                format!("the value of `{key}:=` is not JSON: {error}"),
                format!("`{key}=…` takes text as it is"),
            )),
        };
    }
    let typed = typed::value(value, schema, root);
    if schema.is_some_and(|schema| !typed::takes_text(schema, root))
        && let Err(error) = serde_json::from_str::<Value>(value)
        && is_beyond(&error)
    {
        return Err(beyond(&format!("the value of `{key}`")));
    }
    if !is_text(&typed) {
        exact(&format!("the value of `{key}`"), value)?;
    }
    Ok((key, typed))
}

/// Whether a word was taken as text, alone or as the one item of a list.
fn is_text(value: &Value) -> bool {
    match value {
        Value::Array(items) => matches!(items.as_slice(), [one] if is_text(one)),
        other => other.is_string(),
    }
}

/// Refuses JSON in which a key stands twice: one of the two would be lost without a word.
fn once(what: &str, json: &str) -> Result<(), CliError> {
    let expected = Expected::new("arguments", "{").notation(Some(Notation::Json));
    let found = parse(json, &expected).ok().map(|parsed| parsed.findings).unwrap_or_default();
    let twice = found.into_iter().find(|found| found.code == "duplicate-key");
    match twice {
        None => Ok(()),
        Some(twice) => Err(CliError::argument(
            format!("{what} has `{}` twice", shown(twice.pointer.trim_start_matches('/'))),
            "remove one of the two",
        )),
    }
}

/// The beginning of what a person wrote, which may be a whole file by mistake.
fn shown(word: &str) -> String {
    /// In characters.
    const LONGEST: usize = 200;
    let mut shown: String = word.chars().take(LONGEST).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    shown
}

/// Refuses JSON with a number that would be rounded.
fn exact(what: &str, json: &str) -> Result<(), CliError> {
    match inexact_number(json) {
        None => Ok(()),
        Some(number) => {
            let number: String = number.chars().take(40).collect();
            Err(CliError::argument(
                format!("{what} would be rounded: {number}"),
                "integers have at most 64 bits, other numbers 15 digits; a text is written `key:='\"…\"'`",
            ))
        }
    }
}

fn property<'a>(definition: &'a ToolDefinition, key: &str) -> Option<&'a Value> {
    let root = definition.input_schema.as_value();
    root.get("properties")
        .and_then(|properties| properties.get(key))
        .or_else(|| root.get("additionalProperties"))
}

/// A key that comes again adds to a list, where the tool takes one; elsewhere it is a mistake.
fn add(
    arguments: &mut Map<String, Value>,
    key: &str,
    value: Value,
    definition: &ToolDefinition,
) -> Result<(), CliError> {
    if !arguments.contains_key(key) {
        arguments.insert(key.to_owned(), value);
        return Ok(());
    }
    let list = typed::is_list(property(definition, key), definition.input_schema.as_value());
    match (arguments.get_mut(key), value) {
        (Some(Value::Array(items)), Value::Array(more)) if list => {
            items.extend(more);
            Ok(())
        }
        _ => Err(CliError::argument(
            format!("`{key}` is given twice, and is not a list"),
            format!("`opentool show SOURCE {}` shows what the tool takes", definition.name),
        )),
    }
}

fn file(key: &str, path: &str) -> Result<String, CliError> {
    let bytes = bounded(key, path, TEXT_LIMIT)?;
    String::from_utf8(bytes).map_err(|error| unreadable(key, path, &not_text(error.as_bytes())))
}

/// A file as the bytes of an upload. It is the person who names it here, never a model.
fn bytes(key: &str, path: &str) -> Result<Value, CliError> {
    let bytes = bounded(key, path, UPLOAD_LIMIT)?;
    let mut file = json!({"$base64": STANDARD.encode(bytes)});
    if let (Some(name), Value::Object(members)) =
        (Path::new(path).file_name().and_then(|name| name.to_str()), &mut file)
    {
        members.insert("filename".to_owned(), name.into());
    }
    Ok(file)
}

/// The file, if it has no more than `limit` bytes.
fn bounded(key: &str, path: &str, limit: u64) -> Result<Vec<u8>, CliError> {
    let bytes = File::open(path).and_then(|file| up_to(limit, file));
    bytes.map_err(|error| unreadable(key, path, &error))?.ok_or_else(|| {
        CliError::argument(
            format!("the file for `{key}`, {path}, is larger than {}", mebibytes(limit)),
            size_help(),
        )
    })
}

fn unreadable(key: &str, path: &str, reason: &dyn Display) -> CliError {
    CliError::argument(
        format!("the file for `{key}`, {path}, cannot be read: {reason}"),
        format!("for a text that begins with `@`, write `{key}:='\"@…\"'`"),
    )
}

/// The text on standard input.
///
/// # Errors
/// [`CliError::Argument`].
pub(crate) fn standard_input() -> Result<String, CliError> {
    let unreadable = |reason: &dyn Display| {
        CliError::argument(format!("standard input cannot be read: {reason}"), "`-` reads JSON from a pipe")
    };
    let bytes = up_to(TEXT_LIMIT, io::stdin().lock()).map_err(|error| unreadable(&error))?;
    let bytes = bytes.ok_or_else(|| {
        CliError::argument(format!("standard input is larger than {}", mebibytes(TEXT_LIMIT)), size_help())
    })?;
    String::from_utf8(bytes).map_err(|error| unreadable(&not_text(error.as_bytes())))
}

/// Why bytes are not the text that is wanted.
fn not_text(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "it is UTF-16; save it as UTF-8",
        _ => "it is not text",
    }
}

/// All that there is to read, or `None` if it has more than `limit` bytes: `/dev/zero` and a pipe that never ends are
/// files too.
fn up_to(limit: u64, from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((read as u64 <= limit).then_some(bytes))
}

fn mebibytes(limit: u64) -> String {
    format!("{} MiB", limit / MIB)
}

fn size_help() -> String {
    format!(
        "text and JSON may have {}, a file that a tool uploads {}",
        mebibytes(TEXT_LIMIT),
        mebibytes(UPLOAD_LIMIT)
    )
}

#[cfg(test)]
mod tests {
    use opentool::ToolDefinition;
    use serde_json::{Value, json};

    use super::read;

    fn read_all(words: &[&str]) -> Result<Value, String> {
        let definition = ToolDefinition::new("t", "").input_schema(json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        }));
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&words, &definition).map(Value::Object).map_err(|error| error.to_string())
    }

    #[test]
    fn words_become_arguments() {
        for (words, expected) in [
            (&["id=2", "name=2"][..], json!({"id": 2, "name": "2"})),
            (&["name=a=b"], json!({"name": "a=b"})),
            (&["name="], json!({"name": ""})),
            (&["name=99999999999999999999"], json!({"name": "99999999999999999999"})),
            (&["tags=99999999999999999999"], json!({"tags": ["99999999999999999999"]})),
            (&["name:=null"], json!({"name": null})),
            (&["tags=a", "tags=b"], json!({"tags": ["a", "b"]})),
            (&[r#"{"name":"x"}"#, "id=2"], json!({"id": 2, "name": "x"})),
            (&[], json!({})),
        ] {
            assert_eq!(read_all(words), Ok(expected), "{words:?}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (words, expected) in [
            (&["id"][..], "`id` is neither a JSON object nor `key=value`"),
            (&["=2"], "`=2` is neither"),
            (&["{id: 2}"], "the argument is not JSON: key must be a string at line 1 column 2"),
            (&["id=1", "id=2"], "`id` is given twice, and is not a list"),
            (&[r#"{"id":1}"#, "id=2"], "`id` is given twice, and is not a list"),
            (&["id:=x"], "the value of `id:=` is not JSON"),
            (&["id=99999999999999999999"], "the value of `id` would be rounded: 99999999999999999999"),
            (&["id:=0.1000000000000000055"], "the value of `id:=` would be rounded"),
            (&[r#"{"id":99999999999999999999}"#], "a number of the argument would be rounded"),
            (&["other=99999999999999999999"], "the value of `other` would be rounded"),
            (&["tags=[99999999999999999999]"], "the value of `tags` would be rounded"),
            (&["id=1", "{}"], "a JSON object must be the first argument"),
            (&[r#"{"id":1,"id":2}"#], "the argument has `id` twice"),
            (&[r#"{"id":1,"a":{"b":[{"c":1,"c":1}]}}"#], "the argument has `a/b/0/c` twice"),
            (&[r#"other:={"a":1,"a":2}"#], "the value of `other:=` has `a` twice"),
            (&["name=@no/such/file"], "the file for `name`, no/such/file, cannot be read"),
        ] {
            let error = read_all(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }

    #[test]
    fn a_mistake_of_a_whole_file_is_not_repeated_at_length() {
        for word in ["x".repeat(60_000), format!("[{}1]", "1,".repeat(30_000))] {
            let error = read_all(&[&word]).unwrap_err();
            assert!(error.len() < 400, "{error}");
        }
    }
}
