//! What exists in one direction only.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::convert::{Converter, Direction};
use super::keyword::as_flag;

/// How many schemas of an `allOf` are looked through. Also bounds the recursion.
const MAX_PARTS: usize = 100;

impl Converter<'_, '_> {
    /// Whether a property does not exist in this direction: read-only for inputs, write-only for outputs. The mark
    /// may stand on the property or on what it refers to.
    pub(super) fn is_hidden(&self, property: &Value) -> bool {
        self.is_hidden_at(property, self.at.as_str())
    }

    /// The same for a property of another place; only the document of the place matters.
    fn is_hidden_at(&self, property: &Value, at: &str) -> bool {
        let mark = match self.direction {
            Direction::Input => "readOnly",
            Direction::Output => "writeOnly",
        };
        let is_marked = |schema: &Value| schema.get(mark).and_then(as_flag) == Some(true);
        is_marked(property)
            || (property.get("$ref").is_some()
                && self.document.follow(property, at).is_ok_and(|found| is_marked(found.value)))
    }

    /// A property that does not exist cannot be required, wherever in an `allOf` it is described.
    pub(super) fn drop_hidden_required(&self, schema: &Map<String, Value>, out: &mut Map<String, Value>) {
        let Some(Value::Array(required)) = out.get_mut("required") else { return };
        let mut hidden = HashMap::new();
        self.note_hidden(schema, self.at.as_str(), &mut HashSet::new(), &mut hidden);
        required.retain(|name| name.as_str().is_none_or(|name| hidden.get(name) != Some(&true)));
        if required.is_empty() {
            out.shift_remove("required");
        }
    }

    /// Which properties are hidden, in a schema and in the parts of its `allOf`; the nearest description counts.
    fn note_hidden<'s>(
        &'s self,
        schema: &'s Map<String, Value>,
        at: &str,
        seen: &mut HashSet<*const Map<String, Value>>,
        hidden: &mut HashMap<&'s str, bool>,
    ) {
        // Parts can contain each other, and a hostile document can have any number of them.
        if seen.len() > MAX_PARTS || !seen.insert(std::ptr::from_ref(schema)) {
            return;
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            hidden.entry(name).or_insert_with(|| self.is_hidden_at(property, at));
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            if let Ok(found) = self.document.follow(part, at)
                && let Some(part) = found.value.as_object()
            {
                self.note_hidden(part, &found.pointer, seen, hidden);
            }
        }
    }
}
