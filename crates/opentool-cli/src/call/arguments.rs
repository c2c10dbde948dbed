//! Reading the words after the tool's name: a JSON object, `-`, `key=value`, `key:=json`, `key=@file`.

use std::io::{self, Read as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool::ToolDefinition;
use serde_json::{Map, Value, json};

use super::typed;
use crate::error::CliError;

const FORMS: &str = "arguments are one JSON object, `-` for JSON from standard input, or `key=value`, `key:=json`, \
                     `key=@file`, `key:=@file.json`";

/// The arguments of a call, not validated yet. A JSON object comes first; pairs after it add to it.
///
/// # Errors
/// [`CliError::Argument`] names the word and says what to write.
pub(crate) fn read(words: &[String], definition: &ToolDefinition) -> Result<Map<String, Value>, CliError> {
    let mut arguments = Map::new();
    let mut written: Vec<&str> = Vec::new();
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
            Some((origin, text)) if i == 0 => arguments = object(origin, text)?,
            Some(_) => {
                let message = "a JSON object must be the first argument, and the only one";
                return Err(CliError::argument(message, FORMS));
            }
            None => {
                let (key, value) = pair(word, definition)?;
                add(&mut arguments, &mut written, key, value, definition)?;
            }
        }
    }
    Ok(arguments)
}

fn object(origin: &str, text: &str) -> Result<Map<String, Value>, CliError> {
    // No arguments in a pipe are none.
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(CliError::argument(format!("{origin} is JSON, but not an object"), FORMS)),
        Err(error) => Err(CliError::argument(format!("{origin} is not JSON: {error}"), FORMS)),
    }
}

/// One word of the form `key=value`.
fn pair<'a>(word: &'a str, definition: &ToolDefinition) -> Result<(&'a str, Value), CliError> {
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !matches!(*key, "" | ":")) else {
        return Err(CliError::argument(format!("`{word}` is neither JSON nor `key=value`"), FORMS));
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
            Ok(value) => Ok((key, value)),
            Err(error) => Err(CliError::argument(
                format!("the value of `{key}:=` is not JSON: {error}"),
                format!("`{key}=…` takes text as it is"),
            )),
        };
    }
    Ok((key, typed::value(value, schema, root)))
}

fn property<'a>(definition: &'a ToolDefinition, key: &str) -> Option<&'a Value> {
    let root = definition.input_schema.as_value();
    root.get("properties")
        .and_then(|properties| properties.get(key))
        .or_else(|| root.get("additionalProperties"))
}

/// A key that comes again adds to a list, where the tool takes one; elsewhere it is a mistake.
fn add<'a>(
    arguments: &mut Map<String, Value>,
    written: &mut Vec<&'a str>,
    key: &'a str,
    value: Value,
    definition: &ToolDefinition,
) -> Result<(), CliError> {
    if !written.contains(&key) {
        written.push(key);
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
    std::fs::read_to_string(path).map_err(|error| unreadable(key, path, &error))
}

/// A file as the bytes of an upload. It is the person who names it here, never a model.
fn bytes(key: &str, path: &str) -> Result<Value, CliError> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(key, path, &error))?;
    let mut file = json!({"$base64": STANDARD.encode(bytes)});
    if let (Some(name), Value::Object(members)) =
        (Path::new(path).file_name().and_then(|name| name.to_str()), &mut file)
    {
        members.insert("filename".to_owned(), name.into());
    }
    Ok(file)
}

fn unreadable(key: &str, path: &str, error: &io::Error) -> CliError {
    let error = match error.kind() {
        io::ErrorKind::InvalidData => "it is not text".to_owned(),
        _ => error.to_string(),
    };
    CliError::argument(
        format!("the file for `{key}`, {path}, cannot be read: {error}"),
        format!("for a text that begins with `@`, write `{key}:='\"@…\"'`"),
    )
}

fn standard_input() -> Result<String, CliError> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| {
        CliError::argument(format!("standard input cannot be read: {error}"), "`-` reads JSON from a pipe")
    })?;
    Ok(text)
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
            (&["name:=null"], json!({"name": null})),
            (&["tags=a", "tags=b"], json!({"tags": ["a", "b"]})),
            (&[r#"{"id":1,"name":"x"}"#, "id=2"], json!({"id": 2, "name": "x"})),
            (&[], json!({})),
        ] {
            assert_eq!(read_all(words), Ok(expected), "{words:?}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (words, expected) in [
            (&["id"][..], "`id` is neither JSON nor `key=value`"),
            (&["=2"], "`=2` is neither"),
            (&["{id: 2}"], "the argument is not JSON: key must be a string at line 1 column 2"),
            (&["id=1", "id=2"], "`id` is given twice, and is not a list"),
            (&["id:=x"], "the value of `id:=` is not JSON"),
            (&["id=1", "{}"], "a JSON object must be the first argument"),
            (&["name=@no/such/file"], "the file for `name`, no/such/file, cannot be read"),
        ] {
            let error = read_all(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
