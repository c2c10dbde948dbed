//! Rules about members as such: there, of the right type, and with a name that the format knows.

use opentool_core::visible::{code_points, hidden};
use opentool_text::{Members, Tree};

use super::{Culprit, Lint, rule};
use crate::members::{self, Names};
use crate::words::{found, nearest, short};

/// One kind of object: how messages speak of it, what it may hold, and what it must.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) what: &'static str,
    pub(super) names: Names,
    pub(super) required: Names,
    /// A name that one could have, where it has one.
    pub(super) called: &'static str,
    /// The whole thing, as one would write it.
    pub(super) example: &'static str,
}

pub(super) const INFO: Shape = Shape {
    what: "`info`",
    names: members::INFO,
    required: &["title", "version"],
    called: "",
    example: r#"{"title": "Weather", "version": "1.0.0"}"#,
};
pub(super) const SERVER: Shape = Shape {
    what: "`server`",
    names: members::SERVER,
    required: &["url"],
    called: "",
    example: r#"{"url": "http://127.0.0.1:17001/opentool"}"#,
};
pub(super) const FUNCTION: Shape = Shape {
    what: "the function",
    names: members::FUNCTION,
    required: &["name", "description", "parameters"],
    called: "get_weather",
    example: r#"{"name": "get_weather", "description": "Current weather of a city.", "parameters": []}"#,
};
pub(super) const PARAMETER: Shape = Shape {
    what: "the parameter",
    names: members::PARAMETER,
    required: &["name", "schema", "required"],
    called: "city",
    example: r#"{"name": "city", "schema": {"type": "string"}, "required": true}"#,
};
pub(super) const RETURN: Shape = Shape {
    what: "the return value",
    names: members::RETURN,
    required: &["name", "schema"],
    called: "weather",
    example: r#"{"name": "weather", "schema": {"type": "string"}}"#,
};
pub(super) const SCHEMA: Shape = Shape {
    what: "the schema",
    names: members::SCHEMA,
    // That a type or a reference must be there has a check of its own.
    required: &[],
    called: "",
    example: r#"{"type": "string"}"#,
};

impl<'d> Lint<'d> {
    /// The members of an object of this shape, after checking which ones are there.
    pub(super) fn object(&mut self, value: &'d Tree<'d>, shape: &Shape) -> Option<&'d Members<'d>> {
        let Tree::Object(object) = value else {
            let message = format!("{} is {}, not an object", shape.what, found(value));
            self.found(rule::WRONG_TYPE, Culprit::Value, message, format!("write `{}`", shape.example));
            return None;
        };
        self.missing(object, shape);
        for name in object.keys().filter(|name| !shape.names.contains(name)) {
            self.within(name, |lint| lint.unknown(name, object, shape));
        }
        Some(object)
    }

    pub(super) fn missing(&mut self, object: &Members<'_>, shape: &Shape) {
        for name in shape.required {
            let help = || match *name {
                "name" => format!("add `\"name\": \"{}\"`", shape.called),
                name => format!("add `\"{name}\": {}`", example(name)),
            };
            match object.get(name) {
                None => {
                    let message = format!("{} has no `{name}`", shape.what);
                    self.found(rule::MISSING_MEMBER, Culprit::Key, message, help());
                }
                Some(Tree::Null) => self.within(name, |lint| {
                    let message = format!("`{name}` is null, and it is required");
                    lint.found(rule::MISSING_MEMBER, Culprit::Value, message, help());
                }),
                Some(_) => {}
            }
        }
    }

    /// A member that the format does not define.
    pub(super) fn unknown(&mut self, name: &str, object: &Members<'_>, shape: &Shape) {
        if name == "$schema" || name.starts_with("x-") {
            return;
        }
        let shown = short(name);
        let absent = shape.names.iter().copied().filter(|known| !object.contains_key(known));
        // Where nothing more is listed, nothing more has to be found out.
        let meant = if self.findings.are_full() { None } else { nearest(name, absent) };
        match meant {
            Some(known) => {
                let message = format!("the format defines no member `{shown}` here");
                let help = format!("did you mean `{known}`?");
                self.found(rule::MISSPELT_MEMBER, Culprit::Key, message, help);
            }
            None => {
                let message =
                    format!("the format defines no member `{shown}` here; it is kept, and means nothing");
                let known = shape.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let help = format!("the members are {known}; begin the name of your own with `x-`");
                self.found(rule::UNKNOWN_MEMBER, Culprit::Key, message, help);
            }
        }
    }

    /// A member that is a text. One that is not there, or null, is the business of [`Self::missing`].
    pub(super) fn text(&mut self, object: &'d Members<'d>, name: &str) -> Option<&'d str> {
        match object.get(name)? {
            Tree::String(text) => Some(text),
            Tree::Null => None,
            other => {
                self.within(name, |lint| {
                    let message = format!("`{name}` is {}, not a text", found(other));
                    let help = match other {
                        _ if name == "opentool" => "write `\"1.0.0\"` or `\"1.1.0\"`, in quotes".to_owned(),
                        Tree::Number(_) | Tree::Bool(_) => format!("put it into quotes: `\"{other}\"`"),
                        _ => format!("write `\"{name}\": {}`", example(name)),
                    };
                    lint.found(rule::WRONG_TYPE, Culprit::Value, message, help);
                });
                None
            }
        }
    }

    /// A description: a text, and not an empty one.
    pub(super) fn description(&mut self, object: &'d Members<'d>) -> Option<&'d str> {
        let text = self.text(object, "description")?;
        if text.trim().is_empty() {
            self.within("description", |lint| {
                let message = "the description is empty, and a model decides by it";
                lint.found(
                    rule::EMPTY_DESCRIPTION,
                    Culprit::Value,
                    message,
                    "say in a sentence what this is for",
                );
            });
        }
        let hidden = hidden(text);
        if !hidden.is_empty() {
            self.within("description", |lint| {
                let message = format!(
                    "the description has characters that no reader sees ({}); models are given it without them",
                    code_points(&hidden)
                );
                lint.found(rule::HIDDEN_CHARACTERS, Culprit::Value, message, "remove them");
            });
        }
        Some(text)
    }

    /// A name that is not for functions: anything but empty.
    pub(super) fn plain_name(&mut self, object: &'d Members<'d>, example: &str) -> Option<&'d str> {
        let name = self.text(object, "name")?;
        if name.trim().is_empty() {
            self.within("name", |lint| {
                let help = format!("give it a name, for example `{example}`");
                lint.found(rule::EMPTY_NAME, Culprit::Value, "the name is empty", help);
            });
        }
        Some(name)
    }

    /// A value that should have been of another type.
    pub(super) fn not_a(&mut self, value: &Tree<'_>, name: &str, expected: &str, help: impl Into<String>) {
        let message = format!("`{name}` is {}, not {expected}", value.kind());
        self.found(rule::WRONG_TYPE, Culprit::Value, message, help);
    }
}

/// What one would write as this member.
fn example(name: &str) -> &'static str {
    match name {
        "opentool" => r#""1.1.0""#,
        "info" => INFO.example,
        "functions" => "[…]",
        "title" => r#""Weather""#,
        "version" => r#""1.0.0""#,
        "url" => r#""http://127.0.0.1:17001/opentool""#,
        "name" => r#""get_weather""#,
        "description" => r#""What it is for.""#,
        "parameters" => "[]",
        "schema" => r#"{"type": "string"}"#,
        "required" => "true",
        "type" => r#""string""#,
        _ => "…",
    }
}
