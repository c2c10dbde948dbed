//! A schema as a text shows it, where nothing can be referred to: what it refers to stands there once, under its name,
//! and after that the name alone.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::Rebuild;
use super::picture::{picture, whole};
use crate::dialect::lower::bytes;
use crate::keywords::{holds_data, holds_named};
use crate::text::shorten;

/// Bytes of a schema in a description; what it refers to may be as many again.
const LONGEST: usize = 600;

/// Characters of the start of a longer one.
const START: usize = 300;

/// The JSON of a schema without references.
pub(super) enum Spelled {
    Whole(String),
    /// Of a long one.
    Start(String),
}

/// What is shown so far.
struct Shown<'r> {
    targets: Vec<Target<'r>>,
    /// Bytes that are left for more.
    room: usize,
}

/// A schema that is referred to.
struct Target<'r> {
    schema: &'r Value,
    name: String,
    /// Whether its name stands for it somewhere.
    is_used: bool,
}

impl<'r> Rebuild<'r, '_> {
    /// The JSON of the schema at `pointer`, without references.
    pub(super) fn spelled(&mut self, schema: &'r Value, pointer: &str) -> Rc<Spelled> {
        let spelled = match self.spelled.get(&std::ptr::from_ref(schema)) {
            Some(known) => Rc::clone(known),
            None => {
                // Written several times on the way, with the names of what it refers to.
                self.work.owe(LONGEST / 2);
                let made = self
                    .spelled_once(schema, pointer)
                    .map_or_else(|| Spelled::Start(self.start(schema, START)), Spelled::Whole);
                let made = Rc::new(made);
                self.spelled.insert(schema, Rc::clone(&made));
                made
            }
        };
        let (Spelled::Whole(text) | Spelled::Start(text)) = &*spelled;
        self.work.owe(bytes(text));
        spelled
    }

    /// The start of a schema, so many characters of it: only of its first parts the references are followed.
    pub(super) fn start(&self, schema: &Value, longest: usize) -> String {
        // A character has four bytes at most.
        let first = first_of(schema, &mut longest.saturating_mul(4));
        let spelled = self.without_references(&first, &mut Shown { targets: Vec::new(), room: longest });
        picture(&spelled, longest)
    }

    fn spelled_once(&self, schema: &'r Value, pointer: &str) -> Option<String> {
        whole(schema, LONGEST)?;
        let own = Target { schema, name: name(schema, pointer), is_used: false };
        let shown = &mut Shown { targets: vec![own], room: LONGEST };
        let mut spelled = self.without_references(schema, shown);
        // Where it is not used its name says nothing.
        if let Some(own) = shown.targets.first().filter(|own| own.is_used) {
            entitle(&mut spelled, &own.name);
        }
        whole(&spelled, 3 * LONGEST)
    }

    fn without_references(&self, schema: &Value, shown: &mut Shown<'r>) -> Value {
        match schema {
            Value::Object(members) => {
                let reference = members.get("$ref").and_then(Value::as_str);
                if let Some((pointer, target)) = reference.and_then(|to| self.target(to, "").ok()) {
                    return self.spelled_target(&pointer, target, shown);
                }
                let mut done = Map::new();
                for (keyword, member) in members {
                    let member = match member {
                        Value::Object(named) if holds_named(keyword) => {
                            let inner = named.iter();
                            inner
                                .map(|(name, inner)| (name.clone(), self.without_references(inner, shown)))
                                .collect()
                        }
                        data if holds_data(keyword) => data.clone(),
                        other => self.without_references(other, shown),
                    };
                    done.insert(keyword.clone(), member);
                }
                Value::Object(done)
            }
            Value::Array(items) => items.iter().map(|item| self.without_references(item, shown)).collect(),
            other => other.clone(),
        }
    }

    fn spelled_target(&self, pointer: &str, schema: &'r Value, shown: &mut Shown<'r>) -> Value {
        if let Some(known) = shown.targets.iter_mut().find(|known| std::ptr::eq(known.schema, schema)) {
            known.is_used = true;
            return json!({"title": known.name});
        }
        let name = name(schema, pointer);
        let left = whole(schema, shown.room).and_then(|text| shown.room.checked_sub(text.len()));
        let Some(left) = left else { return json!({"title": name}) };
        shown.room = left;
        shown.targets.push(Target { schema, name: name.clone(), is_used: true });
        let mut spelled = self.without_references(schema, shown);
        entitle(&mut spelled, &name);
        spelled
    }
}

/// The first parts of a value, about so many bytes of it. A text that is cut is no reference.
fn first_of(value: &Value, left: &mut usize) -> Value {
    *left = left.saturating_sub(2);
    match value {
        Value::Object(members) => {
            let mut first = Map::new();
            for (key, member) in members {
                let fits = member.as_str().is_none_or(|text| text.len() <= *left || key != "$ref");
                if *left == 0 || key.len() > *left {
                    break;
                }
                *left = left.saturating_sub(key.len());
                if fits {
                    first.insert(key.clone(), first_of(member, left));
                }
            }
            Value::Object(first)
        }
        Value::Array(items) => {
            let mut first = Vec::new();
            for item in items {
                if *left == 0 {
                    break;
                }
                first.push(first_of(item, left));
            }
            Value::Array(first)
        }
        Value::String(text) => {
            let text = shorten(text, *left);
            *left = left.saturating_sub(text.len());
            text.into()
        }
        other => other.clone(),
    }
}

/// What people call a schema: its title, or what it is filed under.
pub(super) fn name(schema: &Value, pointer: &str) -> String {
    let title = schema.get("title").and_then(Value::as_str);
    let last = || pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
    match title.map_or_else(last, str::to_owned) {
        name if name.is_empty() => "arguments".to_owned(),
        name => name,
    }
}

/// Puts a name in front, unless there is one.
fn entitle(schema: &mut Value, name: &str) {
    if let Value::Object(members) = schema
        && !members.contains_key("title")
    {
        members.shift_insert(0, "title".to_owned(), name.into());
    }
}
