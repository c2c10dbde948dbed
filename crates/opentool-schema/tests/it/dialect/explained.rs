//! Which listed loss accounts for one value: a loss somewhere in the tool is no excuse for another place.

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use opentool_schema::{Effect, Lowered, Rewrite};
use serde_json::Value;

/// Whether a listed narrowing keeps out this valid value.
pub(super) fn is_kept_out(lowered: &Lowered, schema: &Value, value: &Value) -> bool {
    let narrower = |loss: &&Rewrite| loss.effect == Effect::Narrower;
    lowered.losses().filter(narrower).any(|loss| {
        let mut walk = Walk { root: schema, loss, seen: HashSet::new(), found: false };
        walk.apply("", schema, value);
        walk.found
    })
}

/// Applies the schema to the value, looking for places where the schema of a loss applies.
struct Walk<'s> {
    root: &'s Value,
    loss: &'s Rewrite,
    seen: HashSet<(String, *const Value)>,
    found: bool,
}

impl Walk<'_> {
    fn apply(&mut self, pointer: &str, schema: &Value, value: &Value) {
        let Value::Object(members) = schema else { return };
        if self.found || !self.seen.insert((pointer.to_owned(), value)) {
            return;
        }
        if pointer == self.loss.pointer && self.keeps_out(schema, value) {
            self.found = true;
            return;
        }
        let known: Vec<&String> = members
            .get("properties")
            .and_then(Value::as_object)
            .map(|m| m.keys().collect())
            .unwrap_or_default();
        for (keyword, inner) in members {
            let at = format!("{pointer}/{keyword}");
            match (keyword.as_str(), inner, value) {
                ("$ref" | "$dynamicRef", Value::String(reference), _) => {
                    let target = reference.trim_start_matches('#').to_owned();
                    if let Some(schema) = self.root.pointer(&target).cloned() {
                        self.apply(&target, &schema, value);
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(all), _) => {
                    all.iter()
                        .enumerate()
                        .for_each(|(i, inner)| self.apply(&format!("{at}/{i}"), inner, value));
                }
                ("if" | "then" | "else", inner, _) => self.apply(&at, inner, value),
                ("dependentSchemas" | "dependencies", Value::Object(all), _) => {
                    all.iter()
                        .for_each(|(key, inner)| self.apply(&format!("{at}/{}", escaped(key)), inner, value));
                }
                ("properties", Value::Object(all), Value::Object(members)) => {
                    for (key, inner) in all {
                        if let Some(value) = members.get(key) {
                            self.apply(&format!("{at}/{}", escaped(key)), inner, value);
                        }
                    }
                }
                ("patternProperties", Value::Object(all), Value::Object(members)) => {
                    for (key, inner) in all {
                        let at = format!("{at}/{}", escaped(key));
                        members.values().for_each(|value| self.apply(&at, inner, value));
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", inner, Value::Object(members)) => {
                    let others = members.iter().filter(|(key, _)| !known.contains(key));
                    others.for_each(|(_, value)| self.apply(&at, inner, value));
                }
                ("items" | "prefixItems", Value::Array(places), Value::Array(items)) => {
                    for (i, (inner, value)) in places.iter().zip(items).enumerate() {
                        self.apply(&format!("{at}/{i}"), inner, value);
                    }
                }
                (
                    "items" | "additionalItems" | "unevaluatedItems" | "contains",
                    inner,
                    Value::Array(items),
                ) => {
                    items.iter().for_each(|value| self.apply(&at, inner, value));
                }
                _ => {}
            }
        }
    }

    /// Whether the loss, at a place where it applies, keeps out the value there.
    fn keeps_out(&self, schema: &Value, value: &Value) -> bool {
        match (self.loss.keyword.as_str(), value) {
            ("additionalProperties", Value::Object(members)) => {
                let known = self.properties(schema, 0);
                members.keys().any(|key| !known.contains(key))
            }
            ("additionalProperties", _) => false,
            ("items", Value::Array(items)) => {
                let places = ["prefixItems", "items"].iter().find_map(|keyword| schema[keyword].as_array());
                places.is_none_or(|places| items.len() > places.len())
            }
            ("items", _) => false,
            ("type", value) => {
                let kind = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "number",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                !self.loss.done.contains(kind)
            }
            _ => true,
        }
    }

    /// The properties that a schema names, by itself and by what always applies with it.
    fn properties(&self, schema: &Value, hops: usize) -> HashSet<String> {
        let mut names: HashSet<String> =
            schema["properties"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
        if hops < 8 {
            let all = schema["allOf"].as_array().into_iter().flatten();
            let target = schema["$ref"].as_str().and_then(|to| self.root.pointer(to.trim_start_matches('#')));
            all.chain(target).for_each(|inner| names.extend(self.properties(inner, hops + 1)));
        }
        names
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Whether listed losses account for a broken rule: the loss is of this rule at this place, or of what is around it. For
/// alternatives, they account for all that keeps out the value in one of them.
pub(super) fn is_listed(lowered: &Lowered, error: &ValidationError<'_>) -> bool {
    let path = error.schema_path().as_str();
    let several = matches!(error.kind(), ValidationErrorKind::OneOfMultipleValid { .. });
    let mut losses = lowered.losses().filter(|loss| matches!(loss.effect, Effect::Wider | Effect::Narrower));
    let listed = losses.any(|loss| {
        // `oneOf` as `anyOf` lets several fit, and nothing else.
        if loss.done.starts_with("became `anyOf`") && !several {
            return false;
        }
        let older: &[&str] = match loss.keyword.as_str() {
            "dependentSchemas" | "dependentRequired" => &["dependencies"],
            "prefixItems" => &["items"],
            "items" => &["additionalItems"],
            "exclusiveMinimum" => &["minimum"],
            "exclusiveMaximum" => &["maximum"],
            _ => &[],
        };
        [loss.keyword.as_str()].iter().chain(older).any(|keyword| {
            let rest = path.strip_prefix(&format!("{}/{keyword}", loss.pointer));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    });
    listed
        || match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                context.iter().any(|branch| branch.iter().all(|error| is_listed(lowered, error)))
            }
            ValidationErrorKind::PropertyNames { error } => is_listed(lowered, error),
            _ => false,
        }
}
