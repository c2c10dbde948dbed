//! Texts of the lowered schema, and in them what has no keyword there: `{minLength: 3, format: "uri"}` after the
//! description, the notation that Anthropic's own libraries use.

use serde_json::{Map, Value};

use super::flat::Flat;
use super::node::described_reference;
use super::picture::picture;
use super::{Made, Rebuild, Sub, bytes, weight};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

/// Where a keyword went.
pub(super) const MOVED: &str = "moved to the description";
/// What becomes of a default inside of a schema that has another.
pub(super) const OVERRIDDEN: &str = "left out: another one stands around it";
/// What becomes of `null` as a default that has no keyword.
const AS_ABSENT: &str = "left out: it is what absent means anyway";
/// Characters of one value in a description.
const LONGEST: usize = 300;

/// A keyword and its value, for the description.
pub(super) type Note<'r> = (&'r str, &'r Value);

/// Whether the files for types, values and alternatives answer for a keyword, or it says nothing here.
fn is_elsewhere(keyword: &str) -> bool {
    matches!(
        keyword,
        "type"
            | "enum"
            | "const"
            | "$ref"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "if"
            | "then"
            | "else"
            | "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "items"
            | "prefixItems"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
            | "contains"
            | "minContains"
            | "maxContains"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "format"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "multipleOf"
            | "$defs"
            | "definitions"
            | "$schema"
            | "$id"
            | "$anchor"
            | "$dynamicAnchor"
            | "$comment"
            | "$vocabulary"
            | "title"
            | "description"
            | "not"
    )
}

impl<'r> Rebuild<'r, '_> {
    /// Writes title, description and default, with what `notes` add; lists what is left out.
    pub(super) fn tell(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        codec: &Codec,
        notes: Vec<Note<'r>>,
    ) {
        self.tell_all(schema, flat, codec.is_same(), notes);
    }

    /// What alternatives become with what is told of them together.
    pub(super) fn told_around(&mut self, flat: &Flat<'r>, made: Made, notes: Vec<Note<'r>>) -> Made {
        let Made { schema: mut inner, codec } = made;
        let mut outer = Map::new();
        // What may have nothing beside its alternatives has no default for all of them.
        let several = self.rules.lone_unions && self.lone(&mut inner).is_none();
        self.tell_all(&mut outer, flat, codec.is_same() && !several, notes);
        // The outer text speaks for the whole; the inner one for an only branch.
        if let (Some(Value::String(outer)), Some(Value::String(inner))) =
            (outer.get_mut("description"), inner.get("description"))
            && outer != inner
        {
            self.work.owe(bytes(inner));
            outer.push_str("\n\n");
            outer.push_str(inner);
        }
        if inner.contains_key("$ref") {
            return Made { schema: described_reference(inner, outer), codec };
        }
        for (keyword, value) in inner {
            outer.entry(keyword).or_insert(value);
        }
        Made { schema: outer, codec }
    }

    /// What is left of a schema where `null` as an alternative is written in another way: the only other alternative, or
    /// the schema itself. `None` where there are several.
    pub(super) fn lone<'s>(&self, schema: &'s mut Map<String, Value>) -> Option<&'s mut Map<String, Value>> {
        let mut next = schema;
        while self.rules.lone_unions && next.contains_key("anyOf") {
            let Some(Value::Array(branches)) = next.get_mut("anyOf") else { return None };
            let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
            let mut others = branches.iter_mut().filter(|branch| !is_null(branch));
            let (Some(Value::Object(only)), None) = (others.next(), others.next()) else { return None };
            next = only;
        }
        Some(next)
    }

    fn tell_all(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        keeps_default: bool,
        mut notes: Vec<Note<'r>>,
    ) {
        for sub in flat.subs.iter().skip(flat.told) {
            if let Some(not) = sub.get("not") {
                notes.push(("not", not));
            }
        }
        for sub in &flat.subs {
            if sub.get("not").is_some() {
                self.note(&sub.pointer, "not", Effect::Wider, MOVED);
            }
        }
        self.texts(schema, flat, keeps_default && self.has("default"), notes);
    }

    fn texts(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        keeps_default: bool,
        mut notes: Vec<Note<'r>>,
    ) {
        let mut texts: Vec<&str> = Vec::new();
        let mut title = None;
        let mut default: Option<&Value> = None;
        for sub in flat.subs.iter().skip(flat.told) {
            let Some(members) = sub.schema.as_object() else { continue };
            for (keyword, value) in members {
                match keyword.as_str() {
                    "title" => title = title.or(value.as_str()),
                    "description" => {
                        let text = value.as_str().filter(|text| !text.is_empty() && !texts.contains(text));
                        texts.extend(text);
                    }
                    "default" if default.is_some() => {
                        if default != Some(value) {
                            self.note(&sub.pointer, "default", Effect::Hint, OVERRIDDEN);
                        }
                    }
                    "default" => {
                        default = Some(value);
                        match value {
                            _ if keeps_default => {}
                            Value::Null => self.note(&sub.pointer, "default", Effect::Hint, AS_ABSENT),
                            _ => {
                                notes.push(("default", value));
                                self.note(&sub.pointer, "default", Effect::Hint, MOVED);
                            }
                        }
                    }
                    "examples" | "example" | "deprecated" => {
                        notes.push((keyword, value));
                        self.note(&sub.pointer, keyword, Effect::Hint, MOVED);
                    }
                    known if is_elsewhere(known) => {}
                    _ => self.note(&sub.pointer, keyword, Effect::Hint, "left out"),
                }
            }
        }
        self.work.owe(texts.iter().map(|text| bytes(text).saturating_add(texts.len())).sum());
        if let Some(title) = title.filter(|_| self.has("title")) {
            schema.insert("title".to_owned(), title.into());
        }
        let mut text = texts.join("\n\n");
        if !notes.is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            let told = self.notation(&notes);
            text.push_str(&told);
        }
        if !text.is_empty() {
            schema.insert("description".to_owned(), text.into());
        }
        if let Some(default) = default.filter(|_| keeps_default) {
            self.work.owe(weight(default));
            schema.insert("default".to_owned(), default.clone());
        }
    }

    /// `{minLength: 3, format: "uri"}`.
    pub(super) fn notation(&mut self, notes: &[Note<'_>]) -> String {
        let mut parts = Vec::with_capacity(notes.len());
        for (keyword, value) in notes {
            let mut shown = picture(value, LONGEST);
            // What it refers to may stand nowhere.
            if shown.contains("\"$ref\"") && !matches!(*keyword, "default" | "examples" | "example") {
                self.work.owe(LONGEST);
                shown = self.start(value, LONGEST);
            }
            parts.push(format!("{keyword}: {shown}"));
        }
        let told = format!("{{{}}}", parts.join(", "));
        self.work.owe(bytes(&told));
        told
    }

    /// Lists every rule of a schema that no longer holds for the provider, and of what it refers to.
    pub(super) fn lose(&mut self, sub: &Sub<'r>, why: &'static str) {
        let mut open = vec![sub.clone()];
        while let Some(sub) = open.pop() {
            let Some(members) = sub.schema.as_object() else { continue };
            // What is listed already is listed with all that is in it.
            if !self.lost.insert(std::ptr::from_ref(sub.schema)) {
                continue;
            }
            self.work.owe(members.len());
            let cost = bytes(&sub.pointer).saturating_add(1);
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    (
                        "$defs" | "definitions" | "title" | "description" | "default" | "examples"
                        | "$comment" | "$schema",
                        _,
                    ) => {}
                    ("$ref", Value::String(reference)) => {
                        self.note(&sub.pointer, "$ref", Effect::Wider, why);
                        if let Ok((pointer, target)) = self.target(reference, &sub.pointer) {
                            open.push(Sub { schema: target, pointer });
                        }
                    }
                    ("properties" | "patternProperties" | "dependentSchemas", Value::Object(map)) => {
                        self.note(&sub.pointer, keyword, Effect::Wider, why);
                        self.work.owe(map.len().saturating_mul(cost));
                        open.extend(map.iter().map(|(key, inner)| sub.entry(keyword, key, inner)));
                    }
                    ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                        self.note(&sub.pointer, keyword, Effect::Wider, why);
                        self.work.owe(list.len().saturating_mul(cost));
                        let inner = list.iter().enumerate();
                        open.extend(inner.map(|(i, inner)| sub.entry(keyword, &i.to_string(), inner)));
                    }
                    ("enum" | "const", _) => self.note(&sub.pointer, keyword, Effect::Wider, why),
                    (_, inner) if is_elsewhere(keyword) => {
                        self.note(&sub.pointer, keyword, Effect::Wider, why);
                        if inner.is_object() {
                            open.push(sub.below(keyword, inner));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Puts a sentence behind a schema's description.
pub(super) fn add_text(schema: &mut Map<String, Value>, sentence: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text}\n\n{sentence}"),
        _ => sentence.to_owned(),
    };
    schema.insert("description".to_owned(), text.into());
}
