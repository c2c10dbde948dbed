//! What a converted schema says about the type of a value that is only a text so far.
//!
//! References, `allOf` and alternatives are looked through together: a text may be what any of them allows, and the
//! validator judges it afterwards.

use serde_json::{Map, Value};

/// The most schemas that are looked at for one value.
const MOST: usize = 200;

/// All schemas that speak about one value.
#[derive(Debug, Clone)]
pub(super) struct View<'s> {
    root: &'s Value,
    parts: Vec<&'s Map<String, Value>>,
}

impl<'s> View<'s> {
    /// The value that the whole schema describes.
    pub(super) fn of(root: &'s Value) -> Self {
        Self::at(root, [root])
    }

    fn at(root: &'s Value, schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut parts: Vec<&Map<String, Value>> = Vec::new();
        let mut waiting: Vec<&Value> = schemas.into_iter().collect();
        waiting.reverse();
        while let Some(schema) = waiting.pop() {
            let Some(members) = schema.as_object() else { continue };
            if parts.len() >= MOST || parts.iter().any(|known| std::ptr::eq(*known, members)) {
                continue;
            }
            parts.push(members);
            for keyword in ["oneOf", "anyOf", "allOf"] {
                waiting.extend(members.get(keyword).and_then(Value::as_array).into_iter().flatten().rev());
            }
            let reference = members.get("$ref").and_then(Value::as_str);
            waiting.extend(reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?)));
        }
        Self { root, parts }
    }

    /// The value of a member.
    pub(super) fn property(&self, name: &str) -> Self {
        let own = self.parts.iter().filter_map(|part| part.get("properties")?.get(name));
        let own: Vec<&Value> = own.collect();
        let rest = || self.parts.iter().filter_map(|part| part.get("additionalProperties")).collect();
        Self::at(self.root, if own.is_empty() { rest() } else { own })
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Self {
        Self::at(self.root, self.parts.iter().filter_map(|part| part.get("items")))
    }

    /// The names of the members that are described.
    pub(super) fn names(&self) -> impl Iterator<Item = &'s str> {
        let properties = self.parts.iter().filter_map(|part| part.get("properties")?.as_object());
        properties.flat_map(|properties| properties.keys().map(String::as_str))
    }

    /// Whether there may be members that are not described.
    pub(super) fn is_open(&self) -> bool {
        self.parts.iter().all(|part| {
            !part.get("additionalProperties").is_some_and(|rest| {
                rest == &Value::Bool(false)
                    || rest.get("not").is_some_and(|not| not == &serde_json::json!({}))
            })
        })
    }

    /// Whether members that are not described are described all the same, as a map.
    pub(super) fn is_map(&self) -> bool {
        self.parts.iter().any(|part| {
            part.get("additionalProperties")
                .is_some_and(|rest| rest.is_object() || rest == &Value::Bool(true))
        })
    }

    /// Whether a value of this type may stand here; where nothing says so, only texts may.
    pub(super) fn allows(&self, kind: &str) -> bool {
        let mut said = false;
        for part in &self.parts {
            match part.get("type") {
                Some(Value::String(name)) => {
                    said = true;
                    if name == kind {
                        return true;
                    }
                }
                Some(Value::Array(names)) => {
                    said = true;
                    if names.iter().any(|name| name == kind) {
                        return true;
                    }
                }
                _ => {
                    let values = part.get("enum").and_then(Value::as_array).into_iter().flatten();
                    for value in values.chain(part.get("const")) {
                        said = true;
                        if kind_of(value) == kind || kind == "number" && value.is_number() {
                            return true;
                        }
                    }
                    let speaks = match kind {
                        "object" => part.contains_key("properties"),
                        "array" => part.contains_key("items"),
                        _ => false,
                    };
                    if speaks {
                        return true;
                    }
                }
            }
        }
        !said && kind == "string" && !self.allows_structure()
    }

    fn allows_structure(&self) -> bool {
        self.parts.iter().any(|part| part.contains_key("properties") || part.contains_key("items"))
    }

    /// Whether the schema says nothing about the type at all.
    pub(super) fn is_anything(&self) -> bool {
        ["array", "object", "integer", "number", "boolean", "null"].iter().all(|kind| !self.allows(kind))
            && self.parts.iter().all(|part| {
                !part.contains_key("type") && !part.contains_key("enum") && !part.contains_key("const")
            })
    }

    /// Whether something else than lists and objects may stand here.
    pub(super) fn allows_scalar(&self) -> bool {
        ["string", "integer", "number", "boolean"].iter().any(|kind| self.allows(kind))
    }

    /// Whether a text says that it is bytes.
    pub(super) fn is_bytes(&self) -> bool {
        self.parts.iter().any(|part| {
            part.get("format").is_some_and(|format| format == "binary")
                || part.contains_key("contentMediaType") && !part.contains_key("contentEncoding")
        })
    }

    /// What a text means here.
    pub(super) fn scalar(&self, text: &str) -> Value {
        let listed = |value: &Value| {
            self.parts.iter().any(|part| {
                let values = part.get("enum").and_then(Value::as_array).into_iter().flatten();
                values.chain(part.get("const")).any(|known| known == value)
            })
        };
        let plain = Value::String(text.to_owned());
        if listed(&plain) {
            return plain;
        }
        if let Ok(number @ Value::Number(_)) = serde_json::from_str::<Value>(text)
            && (self.allows("integer") || self.allows("number"))
        {
            return number;
        }
        match text {
            "true" | "false" if self.allows("boolean") => return Value::Bool(text == "true"),
            "null" | "" if self.allows("null") && !self.allows("string") => return Value::Null,
            _ => {}
        }
        // The specification leaves structures within texts undefined; JSON is what everybody writes there.
        let structured = (self.allows("object") && text.starts_with('{'))
            || (self.allows("array") && text.starts_with('['))
            || self.is_anything() && text.starts_with(['{', '[']);
        if structured && let Ok(value) = serde_json::from_str(text) {
            return value;
        }
        plain
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
