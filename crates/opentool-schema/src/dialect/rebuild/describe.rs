//! Texts of the lowered schema, and in them what has no keyword there: `{minLength: 3, format: "uri"}` after the
//! description, the notation that Anthropic's own libraries use.

use serde_json::{Map, Value};

use super::flat::Flat;
use super::picture::picture;
use super::{Rebuild, Sub, bytes, weight};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

/// Where a keyword went.
pub(super) const MOVED: &str = "moved to the description";
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
        self.texts(schema, flat, codec, notes);
    }

    /// The texts alone, where the rest is told by the alternatives inside.
    pub(super) fn tell_only(&mut self, schema: &mut Map<String, Value>, flat: &Flat<'r>, codec: &Codec) {
        self.texts(schema, flat, codec, Vec::new());
    }

    fn texts(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        codec: &Codec,
        mut notes: Vec<Note<'r>>,
    ) {
        let mut texts: Vec<&str> = Vec::new();
        let mut title = None;
        let mut default = None;
        for sub in flat.subs.iter().skip(flat.told) {
            let Some(members) = sub.schema.as_object() else { continue };
            for (keyword, value) in members {
                match keyword.as_str() {
                    "title" => title = title.or(value.as_str()),
                    "description" => {
                        let text = value.as_str().filter(|text| !text.is_empty() && !texts.contains(text));
                        texts.extend(text);
                    }
                    "default" if default.is_some() => {}
                    "default" if self.has("default") && codec.is_same() => default = Some(value),
                    "default" => {
                        // `null` for "nothing" is what absent means anyway.
                        if !value.is_null() {
                            notes.push(("default", value));
                        }
                        default = Some(&Value::Null);
                        self.note(&sub.pointer, "default", Effect::Hint, MOVED);
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
            let told = notation(&notes);
            self.work.owe(bytes(&told));
            text.push_str(&told);
        }
        if !text.is_empty() {
            schema.insert("description".to_owned(), text.into());
        }
        if let Some(default) = default.filter(|_| self.has("default") && codec.is_same()) {
            self.work.owe(weight(default));
            schema.insert("default".to_owned(), default.clone());
        }
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

/// `{minLength: 3, format: "uri"}`.
fn notation(notes: &[Note<'_>]) -> String {
    let parts: Vec<String> =
        notes.iter().map(|(keyword, value)| format!("{keyword}: {}", picture(value, LONGEST))).collect();
    format!("{{{}}}", parts.join(", "))
}

/// Puts a sentence behind a schema's description.
pub(super) fn add_text(schema: &mut Map<String, Value>, sentence: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text}\n\n{sentence}"),
        _ => sentence.to_owned(),
    };
    schema.insert("description".to_owned(), text.into());
}
