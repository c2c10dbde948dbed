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
    struct Keys<'a>(&'a mut Option<Kind>);

    impl<'de> Visitor<'de> for Keys<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                *self.0 = of_key(&key);
                if self.0.is_some() {
                    // Nothing after this key matters: stop reading.
                    return Err(A::Error::custom("decided"));
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut kind = None;
    let complete = serde_json::Deserializer::from_str(text).deserialize_map(Keys(&mut kind)).is_ok();
    if kind.is_none() && !complete {
        // Broken JSON, or YAML in braces.
        kind = ["\"openapi\"", "\"swagger\"", "openapi:", "swagger:"]
            .iter()
            .any(|word| text.contains(word))
            .then_some(Kind::OpenApi)
            .or_else(|| text.contains("\"inputSchema\"").then_some(Kind::Definitions));
    }
    kind
}

fn of_key(key: &str) -> Option<Kind> {
    match key {
        "openapi" | "swagger" => Some(Kind::OpenApi),
        // MCP's result and the answer that it comes in; one definition alone, in any dialect.
        "tools" | "result" | "jsonrpc" | "inputSchema" | "input_schema" | "function" => {
            Some(Kind::Definitions)
        }
        _ => None,
    }
}

/// Looks at the keys that start a line.
fn of_yaml(text: &str) -> Option<Kind> {
    text.lines().find_map(|line| {
        let (key, _) = line.split_once(':')?;
        match key.trim_end().trim_matches(['"', '\'']) {
            "openapi" | "swagger" => Some(Kind::OpenApi),
            _ => None,
        }
    })
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
        for text in ["[]", r#" {"tools":[]}"#, r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#] {
            assert_eq!(recognise(text), Some(Kind::Definitions), "{text}");
        }
        for text in ["", "  ", "<!DOCTYPE html>", "hello", r#"{"name":"x","version":"1"}"#] {
            assert_eq!(recognise(text), None, "{text}");
        }
    }
}
