//! Telling from a text what kind of source it is, without reading all of it.
//!
//! A guess that costs little and is right for every text that is right: the readers say what is wrong with the
//! others, so that a broken OpenAPI document is reported as one.

use std::fmt;

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::source::spec::Kind;

/// The kind of source that the text is; `None` if it is none that is known.
pub(crate) fn recognise(text: &str) -> Option<Kind> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.chars().next()? {
        '[' => Some(Kind::Definitions),
        '{' => of_object(text),
        '<' => None,
        _ => of_yaml(text),
    }
}

/// The first key of the root that decides. A text that breaks off before one is judged by what it mentions.
fn of_object(text: &str) -> Option<Kind> {
    struct Reading<'a>(&'a mut Keys);

    impl<'de> Visitor<'de> for Reading<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                self.0.see(&key);
                if self.0.decided.is_some() {
                    // Nothing after this key matters: stop reading.
                    return Err(A::Error::custom("decided"));
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut keys = Keys::default();
    let complete = serde_json::Deserializer::from_str(text).deserialize_map(Reading(&mut keys)).is_ok();
    keys.kind().or_else(|| if complete { None } else { of_mention(text) })
}

/// Broken JSON, or YAML in braces.
fn of_mention(text: &str) -> Option<Kind> {
    let words: [(Kind, &[&str]); 3] = [
        (Kind::OpenApi, &["\"openapi\"", "\"swagger\"", "openapi:", "swagger:"]),
        (Kind::OpenTool, &["\"opentool\"", "opentool:"]),
        (Kind::Definitions, &["\"inputSchema\""]),
    ];
    let found = words.into_iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
    found.map(|(kind, _)| kind)
}

/// The keys of the root so far.
#[derive(Default)]
struct Keys {
    /// What one key alone says.
    decided: Option<Kind>,
    info: bool,
    functions: bool,
}

impl Keys {
    fn see(&mut self, key: &str) {
        match key {
            "openapi" | "swagger" => self.decided = Some(Kind::OpenApi),
            "opentool" => self.decided = Some(Kind::OpenTool),
            // MCP's result and the answer that it comes in; one definition alone, in any dialect.
            "tools" | "result" | "jsonrpc" | "inputSchema" | "input_schema" | "function" => {
                self.decided = Some(Kind::Definitions);
            }
            "info" => self.info = true,
            "functions" => self.functions = true,
            _ => {}
        }
    }

    fn kind(&self) -> Option<Kind> {
        self.decided.or(match (self.functions, self.info) {
            // It has forgotten to say its version; the reader tells.
            (true, true) => Some(Kind::OpenTool),
            // OpenAI's requests of old.
            (true, false) => Some(Kind::Definitions),
            (false, _) => None,
        })
    }
}

/// Looks at the keys that start a line.
fn of_yaml(text: &str) -> Option<Kind> {
    let mut keys = Keys::default();
    for key in text.lines().filter_map(|line| line.split_once(':')).map(|(key, _)| key.trim_end()) {
        let key = key.trim_matches(['"', '\'']);
        // Definitions are JSON; a line of prose may begin with such a word.
        if matches!(key, "openapi" | "swagger" | "opentool" | "info" | "functions") {
            keys.see(key);
        }
        if keys.decided.is_some() {
            break;
        }
    }
    keys.kind().filter(|kind| *kind != Kind::Definitions)
}

#[cfg(test)]
mod tests {
    use super::{Kind, recognise};

    #[test]
    fn each_kind_is_told_by_its_content() {
        for text in [
            "openapi: 3.0.3\n",
            "# a comment\n---\ninfo: {}\n\"openapi\": 3.1.0",
            r#"{"info":{"tools":1},"openapi":"3.0.0"}"#,
            r#"{"openapi":"3.0.0", broken"#,
            "{openapi: 3.0.0, paths: {}}",
            "\u{feff}swagger: '2.0'",
        ] {
            assert_eq!(recognise(text), Some(Kind::OpenApi), "{text}");
        }
        for text in [
            "opentool: 1.1.0\n",
            r#"{"info":{},"functions":[{"name":"openapi"}],"opentool":"1.0.0"}"#,
            r#"{"opentool":"1.1.0", broken"#,
            "{opentool: 1.1.0}",
            r#"{"info":{},"functions":[]}"#,
            "info:\n  title: t\nfunctions: []",
        ] {
            assert_eq!(recognise(text), Some(Kind::OpenTool), "{text}");
        }
        for text in [
            "[]",
            r#" {"tools":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#,
            r#"{"functions":[]}"#,
        ] {
            assert_eq!(recognise(text), Some(Kind::Definitions), "{text}");
        }
        for text in ["", "  ", "<!DOCTYPE html>", "hello", r#"{"name":"x","version":"1"}"#] {
            assert_eq!(recognise(text), None, "{text}");
        }
    }
}
