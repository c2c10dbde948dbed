//! Whether a value has the form of a lowered schema: types, keys, enumerated values.
//!
//! It decides between alternatives that are known not to overlap in just these respects, so bounds, patterns and
//! formats are passed over. It knows the keywords that rebuilt schemas have, and no others.

use serde_json::{Map, Value};

/// Schemas that are looked at inside each other.
const LEVELS: usize = 600;

/// The lowered definitions by name.
#[derive(Clone, Copy)]
pub(super) struct Definitions<'c>(pub(super) Option<&'c Map<String, Value>>);

impl Definitions<'_> {
    /// The judge of a schema in every respect: alternatives that overlap differ in bounds alone.
    pub(super) fn judge(&self, schema: &Value) -> Option<jsonschema::Validator> {
        let mut whole = Map::new();
        whole.insert("$defs".to_owned(), Value::Object(self.0.cloned().unwrap_or_default()));
        whole.insert("allOf".to_owned(), Value::Array(vec![schema.clone()]));
        crate::validator::build(&Value::Object(whole), jsonschema::Draft::Draft202012).ok()
    }

    /// Whether a value has the form of a schema; "no" with no steps left.
    pub(super) fn fits(&self, schema: &Value, value: &Value, steps: &mut usize) -> bool {
        self.fits_within(schema, value, steps, LEVELS)
    }

    fn fits_within(&self, schema: &Value, value: &Value, steps: &mut usize, levels: usize) -> bool {
        let (Some(left), Some(levels)) = (steps.checked_sub(1), levels.checked_sub(1)) else { return false };
        *steps = left;
        let Value::Object(schema) = schema else { return *schema == Value::Bool(true) };
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let name = reference.strip_prefix("#/$defs/").unwrap_or_default();
            let target = self.0.and_then(|schemas| schemas.get(name));
            return target.is_some_and(|target| self.fits_within(target, value, steps, levels));
        }
        if let Some(kind) = schema.get("type") {
            let is = |kind: &Value| kind.as_str().is_some_and(|kind| is_of(value, kind));
            let fits = match kind {
                Value::Array(kinds) => kinds.iter().any(is),
                kind => is(kind),
            };
            if !fits {
                return false;
            }
        }
        if let Some(Value::Array(values)) = schema.get("enum")
            && !values.contains(value)
        {
            return false;
        }
        if schema.get("const").is_some_and(|constant| constant != value) {
            return false;
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf")
            && !branches.iter().any(|branch| self.fits_within(branch, value, steps, levels))
        {
            return false;
        }
        match value {
            Value::Object(members) => self.object(schema, members, steps, levels),
            Value::Array(items) => {
                let places =
                    schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let rest = schema.get("items");
                items.iter().enumerate().all(|(i, item)| {
                    places.get(i).or(rest).is_none_or(|schema| self.fits_within(schema, item, steps, levels))
                })
            }
            _ => true,
        }
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        members: &Map<String, Value>,
        steps: &mut usize,
        levels: usize,
    ) -> bool {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        if !required.filter_map(Value::as_str).all(|key| members.contains_key(key)) {
            return false;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        members.iter().all(|(key, value)| {
            let schema = properties.and_then(|properties| properties.get(key)).or(others);
            schema.is_none_or(|schema| self.fits_within(schema, value, steps, levels))
        })
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" | "integer" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
