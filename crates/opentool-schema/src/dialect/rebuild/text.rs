//! What has no form in a dialect, as the text of its JSON: any value at all, and what would have no end.

use serde_json::{Map, Value};

use super::describe::add_text;
use super::flat::Flat;
use super::{AS_TEXT, Made, Rebuild, Sub};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

impl<'r> Rebuild<'r, '_> {
    /// Any value.
    pub(super) fn any(&mut self, flat: &Flat<'r>) -> Made {
        self.note(&flat.pointer(), "type", Effect::Exact, format!("{AS_TEXT}: any value will do"));
        let mut schema = string();
        self.tell(&mut schema, flat, &Codec::Text, Vec::new());
        add_text(&mut schema, "Any value, written as JSON text.");
        Made { schema, codec: Codec::Text }
    }

    /// A value of a schema that cannot be written out.
    pub(super) fn as_text(&mut self, all: &[Sub<'r>], why: &str) -> Made {
        for sub in all {
            self.note(&sub.pointer, "type", Effect::Wider, format!("{AS_TEXT}: {why}"));
            self.lose(sub, "inside a JSON text");
        }
        let mut schema = string();
        let flat = Flat::of(all.to_vec());
        self.tell(&mut schema, &flat, &Codec::Text, Vec::new());
        let shown = all.first().and_then(|sub| {
            let reference = sub.get("$ref").and_then(Value::as_str);
            let target = reference.and_then(|reference| self.target(reference, &sub.pointer).ok());
            let (pointer, schema) = target.unwrap_or_else(|| ((&*sub.pointer).into(), sub.schema));
            self.spelled(schema, &pointer)
        });
        match shown {
            Some(shown) => {
                add_text(&mut schema, &format!("A value of this schema, written as JSON text: {shown}"))
            }
            None => add_text(&mut schema, "Written as JSON text."),
        }
        Made { schema, codec: Codec::Text }
    }
}

fn string() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), "string".into())])
}
