//! What each keyword becomes. Anything that is not listed is no keyword of 2020-12 and is left out: `x-…`, `xml`,
//! `externalDocs`, and what tools of other languages leave in documents.

use opentool_text::kind;
use serde_json::{Map, Number, Value};

use super::convert::{Converter, Position};

/// Keywords that only tell people something.
pub(crate) fn is_note(keyword: &str) -> bool {
    matches!(keyword, "title" | "description" | "default" | "example" | "examples" | "deprecated")
}

impl Converter<'_, '_> {
    /// Adds what a keyword becomes. The walk stands at the keyword's value.
    pub(super) fn keyword(
        &mut self,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        out: &mut Map<String, Value>,
    ) {
        let converted = match keyword {
            "title" | "description" | "format" | "contentMediaType" | "contentEncoding" | "$comment" => {
                self.text(keyword, value)
            }
            "type" => self.types(value, out),
            "enum" => self.enumeration(value),
            "const" | "default" => is_plain(value).then(|| value.clone()),
            "example" | "examples" => {
                examples(keyword, value, out);
                None
            }
            "deprecated" | "uniqueItems" => self.flag(keyword, value),
            "minimum" | "maximum" => self.bound(schema, keyword, value, out),
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => None,
            "exclusiveMinimum" | "exclusiveMaximum" => self.number(keyword, value).map(Value::Number),
            "multipleOf" => self.positive(value),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
            | "minContains" | "maxContains" => self.count(keyword, value),
            "pattern" => self.pattern(value),
            "properties" => self.properties(value),
            "patternProperties" => self.pattern_properties(value),
            "dependentSchemas" => self.schemas_by_name(value),
            "dependentRequired" => self.dependent_required(value),
            "required" => self.required(value),
            "items" => self.items(schema, value, out),
            "prefixItems" => self.list(value, Position::Inside),
            "allOf" | "anyOf" | "oneOf" => self.list(value, Position::InPlace),
            "not" | "if" | "then" | "else" => self.single(value, Position::InPlace),
            "contains" | "propertyNames" | "contentSchema" => self.single(value, Position::Inside),
            "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" => self.rest(value),
            _ => None,
        };
        if let Some(converted) = converted {
            out.insert(keyword.to_owned(), converted);
        }
    }

    /// A finding about a keyword that was left out. Null is how some writers say "absent".
    pub(super) fn left_out(&mut self, value: &Value, help: &str) {
        if !value.is_null() {
            let message = format!("{} has no meaning here; the keyword is left out", kind(value));
            self.warn("schema-keyword", message, help);
        }
    }

    fn text(&mut self, keyword: &str, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) if text.is_empty() => None,
            Value::String(_) => Some(value.clone()),
            Value::Number(_) | Value::Bool(_) if keyword != "format" => {
                Some(Value::String(value.to_string()))
            }
            // Descriptions as lists of lines.
            Value::Array(lines) if keyword == "description" && lines.iter().all(Value::is_string) => {
                let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
                Some(Value::String(lines.join("\n")))
            }
            other => {
                self.left_out(other, "write a text");
                None
            }
        }
    }

    fn flag(&mut self, keyword: &str, value: &Value) -> Option<Value> {
        match as_flag(value) {
            Some(true) => Some(Value::Bool(true)),
            Some(false) => None,
            None => {
                self.left_out(value, &format!("write `{keyword}: true`"));
                None
            }
        }
    }

    fn number(&mut self, keyword: &str, value: &Value) -> Option<Number> {
        match value {
            Value::Number(number) => Some(number.clone()),
            Value::String(text) => {
                let number: Option<Number> = serde_json::from_str(text.trim()).ok();
                if number.is_some() {
                    self.warn("schema-keyword", "a number is written as a text", "remove the quotes");
                } else {
                    self.left_out(value, &format!("write a number: `{keyword}: 1`"));
                }
                number
            }
            other => {
                self.left_out(other, &format!("write a number: `{keyword}: 1`"));
                None
            }
        }
    }

    /// `minimum` and `maximum`, with the boolean `exclusive…` of 3.0.
    fn bound(
        &mut self,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        out: &mut Map<String, Value>,
    ) -> Option<Value> {
        let number = Value::Number(self.number(keyword, value)?);
        let exclusive = if keyword == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
        if schema.get(exclusive).and_then(as_flag) == Some(true) {
            out.insert(exclusive.to_owned(), number);
            return None;
        }
        Some(number)
    }

    fn positive(&mut self, value: &Value) -> Option<Value> {
        let number = self.number("multipleOf", value)?;
        if number.as_f64().is_some_and(|n| n > 0.0) {
            return Some(Value::Number(number));
        }
        self.warn("schema-keyword", "`multipleOf` is not above 0; it is left out", "write a number above 0");
        None
    }

    fn count(&mut self, keyword: &str, value: &Value) -> Option<Value> {
        let number = self.number(keyword, value)?;
        let whole = number.as_u64().or_else(|| whole(&number));
        if whole.is_none() {
            let message = format!("`{keyword}` is {number}, not a count; it is left out");
            self.warn("schema-keyword", message, "write a whole number, 0 or more");
        }
        whole.map(Value::from)
    }

    fn pattern(&mut self, value: &Value) -> Option<Value> {
        let Some(pattern) = value.as_str() else {
            self.left_out(value, "write a regular expression as a text");
            return None;
        };
        if let Some(mended) = self.mend_pattern(pattern) {
            return Some(Value::String(mended));
        }
        self.warn(
            "pattern",
            "the regular expression is invalid, or too large to be checked; it is left out",
            "write a regular expression of ECMA-262",
        );
        None
    }

    /// The pattern as it is, or without the slashes that JavaScript writes around it.
    fn mend_pattern(&mut self, pattern: &str) -> Option<String> {
        let bare = pattern.strip_prefix("/^").and_then(|rest| rest.strip_suffix("$/"));
        if let Some(bare) = bare {
            let bare = format!("^{bare}$");
            if self.is_pattern(&bare) {
                self.warn("pattern", "the regular expression stands between slashes", "remove the slashes");
                return Some(bare);
            }
        }
        self.is_pattern(pattern).then(|| pattern.to_owned())
    }

    fn properties(&mut self, value: &Value) -> Option<Value> {
        let Some(properties) = value.as_object() else {
            self.left_out(value, "write an object of schemas by name");
            return None;
        };
        let mut out = Map::new();
        for (name, schema) in properties {
            let is_hidden = self.is_hidden(schema);
            // What is hidden in one direction is seen in the other, so the first walk looks at all.
            if !is_hidden || self.is_learning() {
                let converted = self.member(name, schema, Position::Inside);
                if !is_hidden {
                    out.insert(name.clone(), converted);
                }
            }
        }
        Some(Value::Object(out))
    }

    fn pattern_properties(&mut self, value: &Value) -> Option<Value> {
        let Some(properties) = value.as_object() else {
            self.left_out(value, "write an object of schemas by regular expression");
            return None;
        };
        let mut out = Map::new();
        for (pattern, schema) in properties {
            let mark = self.at.enter(pattern);
            if self.is_pattern(pattern) {
                let converted = self.schema(schema, Position::Inside);
                out.insert(pattern.clone(), converted);
            } else {
                self.warn(
                    "pattern",
                    "the regular expression is invalid, or too large to be checked; it is left out",
                    "write a regular expression of ECMA-262",
                );
            }
            self.at.back(mark);
        }
        Some(Value::Object(out))
    }

    fn schemas_by_name(&mut self, value: &Value) -> Option<Value> {
        let Some(schemas) = value.as_object() else {
            self.left_out(value, "write an object of schemas by name");
            return None;
        };
        let converted = schemas
            .iter()
            .map(|(name, schema)| (name.clone(), self.member(name, schema, Position::InPlace)))
            .collect();
        Some(Value::Object(converted))
    }

    fn dependent_required(&mut self, value: &Value) -> Option<Value> {
        let is_names = |value: &Value| {
            value.as_array().is_some_and(|names| {
                names.iter().enumerate().all(|(index, name)| {
                    name.is_string() && !names.iter().take(index).any(|earlier| earlier == name)
                })
            })
        };
        if value.as_object().is_some_and(|members| members.values().all(is_names)) {
            return Some(value.clone());
        }
        self.left_out(value, "write an object of lists of distinct names");
        None
    }

    fn required(&mut self, value: &Value) -> Option<Value> {
        let Value::Array(items) = value else {
            self.left_out(value, "list the names of required properties beside `properties`");
            return None;
        };
        let mut names: Vec<Value> = Vec::with_capacity(items.len());
        let mut seen = std::collections::HashSet::new();
        for item in items {
            match item.as_str() {
                Some(name) if seen.insert(name) => names.push(item.clone()),
                Some(_) => {}
                None => self.left_out(item, "list names of properties"),
            }
        }
        (!names.is_empty()).then_some(Value::Array(names))
    }

    /// `items`; a list of schemas, as older drafts have it, is today's `prefixItems`.
    fn items(
        &mut self,
        schema: &Map<String, Value>,
        value: &Value,
        out: &mut Map<String, Value>,
    ) -> Option<Value> {
        let Value::Array(_) = value else {
            return self.single(value, Position::Inside);
        };
        self.warn(
            "schema-keyword",
            "`items` is a list",
            "write `prefixItems` for a list of schemas by position",
        );
        if !schema.contains_key("prefixItems")
            && let Some(converted) = self.list(value, Position::Inside)
        {
            out.insert("prefixItems".to_owned(), converted);
        }
        let rest = schema.get("additionalItems")?;
        match rest {
            Value::Bool(true) | Value::Null => None,
            Value::Bool(false) => Some(Value::Bool(false)),
            rest => Some(self.schema(rest, Position::Inside)),
        }
    }

    fn list(&mut self, value: &Value, position: Position) -> Option<Value> {
        match value {
            // An empty list says nothing that a schema may say.
            Value::Array(items) if items.is_empty() => None,
            Value::Array(items) => {
                let converted = items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| {
                        let mark = self.at.enter_item(index);
                        let converted = self.schema(item, position);
                        self.at.back(mark);
                        converted
                    })
                    .collect();
                Some(Value::Array(converted))
            }
            Value::Object(_) => {
                self.warn("schema-keyword", "one schema stands where a list belongs", "write a list");
                let converted = self.schema(value, position);
                Some(Value::Array(vec![converted]))
            }
            other => {
                self.left_out(other, "write a list of schemas");
                None
            }
        }
    }

    fn single(&mut self, value: &Value, position: Position) -> Option<Value> {
        match value {
            Value::Object(_) | Value::Bool(_) => Some(self.schema(value, position)),
            other => {
                self.left_out(other, "write a schema");
                None
            }
        }
    }

    /// What further properties or items may be: a schema or a boolean.
    fn rest(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Bool(_) => Some(value.clone()),
            Value::Object(_) => Some(self.schema(value, Position::Inside)),
            other => match as_flag(other) {
                Some(flag) => {
                    self.warn("schema-keyword", "a boolean is written as a text", "remove the quotes");
                    Some(Value::Bool(flag))
                }
                None => {
                    self.left_out(other, "write a boolean or a schema");
                    None
                }
            },
        }
    }
}

/// A boolean, also as a text.
pub(super) fn as_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A count that was written as `5.0`.
fn whole(number: &Number) -> Option<u64> {
    let float = number.as_f64()?;
    // The bounds make the conversion exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float)).then_some(float as u64)
}

/// Whether a value is data and not a reference to data: a `$ref` inside would look like one of the schema's own.
pub(crate) fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.contains_key("$ref") && members.values().all(is_plain),
        Value::Array(items) => items.iter().all(is_plain),
        _ => true,
    }
}

/// Both of `example` and `examples` become the list `examples`; 3.0 also has objects of examples by name.
fn examples(keyword: &str, value: &Value, out: &mut Map<String, Value>) {
    let found: Vec<&Value> = match (keyword, value) {
        ("example", value) => vec![value],
        (_, Value::Array(items)) => items.iter().collect(),
        (_, Value::Object(named)) => {
            named.values().map(|example| example.get("value").unwrap_or(example)).collect()
        }
        _ => Vec::new(),
    };
    let found = found.into_iter().filter(|value| is_plain(value)).cloned();
    match out.get_mut("examples") {
        Some(Value::Array(examples)) => examples.extend(found),
        _ => {
            let examples: Vec<Value> = found.collect();
            if !examples.is_empty() {
                out.insert("examples".to_owned(), Value::Array(examples));
            }
        }
    }
}
