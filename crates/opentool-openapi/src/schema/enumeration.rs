//! `enum` and `default`: values that fit the type.
//!
//! YAML turns unquoted texts into numbers and booleans, so `type: string` often stands beside numbers that were meant as
//! texts. Left alone, no value could ever be right.

use serde_json::{Map, Value};

use super::convert::Converter;
use super::keyword::is_plain;

impl Converter<'_, '_> {
    /// The distinct values of an `enum`; nothing where it would allow nothing.
    pub(super) fn enumeration(&mut self, value: &Value) -> Option<Value> {
        let Value::Array(items) = value else {
            self.left_out(value, "write a list of values");
            return None;
        };
        if items.is_empty() {
            self.warn("enum", "an empty `enum` allows nothing; it is left out", "list the allowed values");
            return None;
        }
        // Comparing texts is what makes long lists cheap.
        let mut seen = std::collections::HashSet::new();
        let distinct: Vec<Value> =
            items.iter().filter(|item| is_plain(item) && seen.insert(item.to_string())).cloned().collect();
        (!distinct.is_empty()).then_some(Value::Array(distinct))
    }

    /// Makes the values of an `enum` fit the one type beside it.
    pub(super) fn fit_enum(&mut self, out: &mut Map<String, Value>) {
        let Some(kind) = only_type(out.get("type")).map(str::to_owned) else { return };
        let Some(Value::Array(values)) = out.get_mut("enum") else { return };
        let mut changed = false;
        for value in values.iter_mut() {
            if let Some(fitting) = fit(value, &kind) {
                *value = fitting;
                changed = true;
            }
        }
        if changed {
            let mut seen = std::collections::HashSet::new();
            values.retain(|value| seen.insert(value.to_string()));
            let mark = self.at.enter("enum");
            self.warn(
                "enum",
                format!("values are read as {kind}s, the type beside them"),
                "quote texts in YAML",
            );
            self.at.back(mark);
        }
    }

    /// Makes a `default` fit the one type beside it; one that never can is left out, as it would be sent.
    pub(super) fn fit_default(&mut self, out: &mut Map<String, Value>) {
        let Some(kind) = only_type(out.get("type")).map(str::to_owned) else { return };
        let Some(default) = out.get("default").filter(|default| !default.is_null() && !is_of(default, &kind))
        else {
            return;
        };
        let fitting = fit(default, &kind);
        let what = opentool_text::kind(default);
        let (message, help) = match fitting {
            Some(_) => (
                format!("the default is {what}; it is read as {}", with_article(&kind)),
                "quote texts in YAML",
            ),
            None => (
                format!("the default is {what}, and the value is {}; it is left out", with_article(&kind)),
                "write a value of the type beside it",
            ),
        };
        match fitting {
            Some(fitting) => out.insert("default".to_owned(), fitting),
            None => out.shift_remove("default"),
        };
        let mark = self.at.enter("default");
        self.warn("default", message, help);
        self.at.back(mark);
    }
}

/// Whether a value is of a type.
fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|float| float.fract() == 0.0),
        _ => true,
    }
}

/// `an integer`, `a string`.
fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The type, if it is one, not counting null.
fn only_type(types: Option<&Value>) -> Option<&str> {
    match types? {
        Value::String(one) => Some(one),
        Value::Array(several) => {
            let mut others = several.iter().filter_map(Value::as_str).filter(|word| *word != "null");
            let first = others.next()?;
            others.next().is_none().then_some(first)
        }
        _ => None,
    }
}

/// The value as the type has it, if it has another type and means one of this.
fn fit(value: &Value, kind: &str) -> Option<Value> {
    match (kind, value) {
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("integer", Value::String(text)) => text.parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => serde_json::from_str(text).ok().map(Value::Number),
        ("boolean", Value::String(text)) => {
            super::keyword::as_flag(&Value::String(text.clone())).map(Value::Bool)
        }
        _ => None,
    }
}
