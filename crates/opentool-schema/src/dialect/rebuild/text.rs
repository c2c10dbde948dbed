//! What has no form in a dialect, as the text of its JSON: any value at all, and what would have no end.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::describe::add_text;
use super::flat::Flat;
use super::spelled::{Spelled, name};
use super::{AS_TEXT, Made, Rebuild, Sub};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;
use crate::text::shorten;

/// Characters of a schema's name.
const NAME: usize = 100;

/// Where a schema that becomes a text stands in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Nowhere,
    Around,
}

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
        self.text_of(all, why, Stands::Nowhere)
    }

    /// The same, of a schema that may stand in full around this place.
    pub(super) fn text_of(&mut self, all: &[Sub<'r>], why: &str, stands: Stands) -> Made {
        for sub in all {
            self.note(&sub.pointer, "type", Effect::Wider, format!("{AS_TEXT}: {why}"));
            self.lose(sub, "inside a JSON text");
        }
        let mut schema = string();
        let flat = Flat::of(all.to_vec());
        self.tell(&mut schema, &flat, &Codec::Text, Vec::new());
        match all.first().map(|sub| self.shown(sub)) {
            None => add_text(&mut schema, "Written as JSON text."),
            Some((pointer, shown)) => {
                let sentence = match (&*self.spelled(shown, &pointer), stands) {
                    (Spelled::Whole(text), _) => {
                        format!("A value of this schema, written as JSON text: {text}")
                    }
                    (Spelled::Start(text), Stands::Nowhere) => {
                        format!(
                            "A value of this schema, of which this is the start, written as JSON text: {text}"
                        )
                    }
                    (Spelled::Start(text), Stands::Around) => {
                        let name = shorten(&name(shown, &pointer), NAME);
                        format!(
                            "A value of the schema `{name}`, inside of which this stands and which starts like this, \
                             written as JSON text: {text}"
                        )
                    }
                };
                add_text(&mut schema, &sentence);
            }
        }
        Made { schema, codec: Codec::Text }
    }

    /// The schema that is shown in place of one: what it refers to, or itself.
    pub(super) fn shown(&self, sub: &Sub<'r>) -> (Rc<str>, &'r Value) {
        let reference = sub.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| self.target(reference, &sub.pointer).ok());
        target.unwrap_or_else(|| (Rc::clone(&sub.pointer), sub.schema))
    }
}

fn string() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), "string".into())])
}
