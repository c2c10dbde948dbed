//! One JSON Schema as one schema of the format: the keywords, and what stands for those that the format lacks.

use serde_json::{Map, Value};

use super::convert::Converter;
use super::note;
use crate::{Schema, SchemaType};

/// Keywords that say nothing about values.
pub(super) const SILENT: &[&str] =
    &["$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions"];

/// Keywords that inform and do not constrain: a reference keeps its meaning beside them.
const ANNOTATIONS: &[&str] =
    &["title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"];

impl Converter<'_> {
    /// What a schema says, which may be nothing. Several of these can be put together before they are
    /// [finished](Self::finished).
    pub(super) fn partial(&mut self, value: &Value) -> Schema {
        if !self.step() {
            self.lose("", "the schema is nested too deep, or grows too much");
            return Schema::default();
        }
        self.depth = self.depth.saturating_add(1);
        let schema = match value {
            Value::Object(members) => self.object(members),
            Value::Bool(false) => {
                self.lose("", "no value is allowed here, which cannot be said; a string is");
                Schema::of(SchemaType::String)
            }
            _ => Schema::default(),
        };
        self.depth = self.depth.saturating_sub(1);
        schema
    }

    fn object(&mut self, members: &Map<String, Value>) -> Schema {
        let description = members.get("description").and_then(Value::as_str).map(str::to_owned);
        let mut schema = Schema { description, ..Schema::default() };
        self.values(members, &mut schema);
        self.kind(members, &mut schema);
        self.properties(members, &mut schema);
        self.items(members, &mut schema);
        if let Some(Value::Array(names)) = members.get("required") {
            schema.required = Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        for (keyword, value) in members {
            match keyword.as_str() {
                "description" | "type" | "enum" | "const" | "properties" | "items" | "prefixItems"
                | "required" | "$ref" | "$dynamicRef" | "allOf" | "anyOf" | "oneOf" => {}
                "additionalProperties" | "unevaluatedProperties"
                    if *value == Value::Bool(false)
                        && self.arguments.as_deref() == Some(self.at.as_str()) => {}
                "additionalProperties" | "unevaluatedProperties"
                    if is_open(value) && self.arguments.as_deref() == Some(self.at.as_str()) =>
                {
                    self.lose(
                        keyword,
                        "a function takes its parameters and nothing else; other arguments are refused",
                    );
                }
                // Everything is allowed beside what is listed; that is how the format has it.
                "additionalProperties" | "unevaluatedProperties" | "additionalItems" | "unevaluatedItems"
                    if is_open(value) => {}
                silent if SILENT.contains(&silent) => {}
                own if own.starts_with("x-") => schema.extra.insert(own, value.clone()),
                other => match self.note(other, value) {
                    Some(note) => schema.notes.push(note),
                    None => self.lose_plainly(other),
                },
            }
        }
        if let Some(reference) = members.get("$ref").or_else(|| members.get("$dynamicRef")) {
            schema = self.referring(reference, members, schema);
        }
        self.combined(members, schema)
    }

    /// `$ref`, with what stands beside it.
    fn referring(&mut self, reference: &Value, members: &Map<String, Value>, beside: Schema) -> Schema {
        let Some((pointer, _)) = reference.as_str().and_then(|reference| self.last_target(reference)) else {
            self.lose("$ref", "the reference leads to nothing that is part of the definition");
            return beside;
        };
        let mut referring = Schema::reference(&self.definition(&pointer));
        let only_informs = members.keys().all(|keyword| {
            let keyword = keyword.as_str();
            matches!(keyword, "$ref" | "$dynamicRef")
                || ANNOTATIONS.contains(&keyword)
                || SILENT.contains(&keyword)
        });
        if only_informs {
            referring.description = beside.description;
            referring.notes = beside.notes;
            return referring;
        }
        let target = self.written_out(referring);
        self.merge(beside, target, "$ref")
    }

    /// A reference replaced by what it refers to.
    pub(super) fn written_out(&mut self, schema: Schema) -> Schema {
        let Some(name) = schema.referred().map(std::borrow::Cow::into_owned) else { return schema };
        let Some((pointer, target)) = self.named(&name) else { return Schema::default() };
        if self.expanding.contains(&pointer) {
            self.lose("$ref", "the schema contains itself where it would have to be written out");
            return Schema { description: schema.description, notes: schema.notes, ..Schema::default() };
        }
        let here = self.go_to(&pointer);
        if self.arguments.as_deref() == Some(here.as_str()) {
            self.arguments = Some(self.at.as_str().to_owned());
        }
        self.expanding.push(pointer);
        let mut written = self.partial(target);
        if written.reference.is_some() {
            written = self.written_out(written);
        }
        self.expanding.pop();
        self.at = here;
        written.description = schema.description.or(written.description);
        written.notes.extend(schema.notes);
        written
    }

    /// `enum` and `const`.
    fn values(&mut self, members: &Map<String, Value>, schema: &mut Schema) {
        let listed = match members.get("enum") {
            Some(Value::Array(values)) => Some(values.clone()),
            _ => None,
        };
        schema.values = match (listed, members.get("const")) {
            (Some(values), Some(one)) => Some(values.into_iter().filter(|value| value == one).collect()),
            (None, Some(one)) => Some(vec![one.clone()]),
            (values, None) => values,
        };
    }

    fn kind(&mut self, members: &Map<String, Value>, schema: &mut Schema) {
        match members.get("type") {
            Some(Value::String(word)) => schema.kind = SchemaType::from_word(word),
            Some(Value::Array(words)) => {
                let kinds: Vec<SchemaType> =
                    words.iter().filter_map(Value::as_str).filter_map(SchemaType::from_word).collect();
                let nullable = words.iter().any(|word| word == "null");
                // A list that names null says that it is accepted.
                let listed = schema.values.as_ref();
                if nullable
                    && !listed.is_some_and(|values| values.contains(&Value::Null))
                    && !kinds.is_empty()
                {
                    // Where the values are listed without it, it was not accepted anyway.
                    if listed.is_none() {
                        self.lose("type", "null is not a type of the format; it is not accepted any more");
                    }
                }
                schema.kind = self.one_of(&kinds, schema.values.as_deref());
            }
            _ => {}
        }
        let only_null = match members.get("type") {
            Some(Value::String(word)) => word == "null",
            Some(Value::Array(words)) => !words.is_empty() && words.iter().all(|word| word == "null"),
            _ => false,
        };
        if only_null {
            // The one way to say null: a listed value.
            schema.kind = Some(SchemaType::String);
            schema.values = Some(vec![Value::Null]);
        }
    }

    /// One type for several.
    fn one_of(&mut self, kinds: &[SchemaType], values: Option<&[Value]>) -> Option<SchemaType> {
        let fitting = |kind: SchemaType| {
            values.is_some_and(|values| values.iter().all(|value| value.is_null() || kind.fits(value)))
        };
        match kinds {
            [] => None,
            [one] => Some(*one),
            several
                if several.iter().all(|kind| matches!(kind, SchemaType::Integer | SchemaType::Number)) =>
            {
                Some(SchemaType::Number)
            }
            several => match several.iter().copied().find(|kind| fitting(*kind)) {
                Some(kind) => Some(kind),
                None => {
                    let first = several.first().copied();
                    let words: Vec<String> = several.iter().map(|kind| format!("`{kind}`")).collect();
                    let kept = first.map_or_else(String::new, |kind| kind.to_string());
                    self.lose(
                        "type",
                        format!("a schema has one type; of {} it is `{kept}`", words.join(", ")),
                    );
                    first
                }
            },
        }
    }

    fn properties(&mut self, members: &Map<String, Value>, schema: &mut Schema) {
        let Some(Value::Object(properties)) = members.get("properties") else { return };
        let converted = self.within("properties", |this| {
            let mut converted = indexmap::IndexMap::new();
            for (name, property) in properties {
                this.within(name, |this| {
                    if *property == Value::Bool(false) {
                        this.lose("", "the property is forbidden, which cannot be said; it is left out");
                    } else {
                        converted.insert(name.clone(), this.partial(property));
                    }
                });
            }
            converted
        });
        schema.properties = Some(converted);
    }

    fn items(&mut self, members: &Map<String, Value>, schema: &mut Schema) {
        let tuple =
            members.get("prefixItems").or_else(|| members.get("items").filter(|items| items.is_array()));
        let rest = members.get("items").filter(|items| !items.is_array());
        if let Some(Value::Array(places)) = tuple {
            let keyword = if members.contains_key("prefixItems") { "prefixItems" } else { "items" };
            self.lose(keyword, "items cannot differ by their place; all are like the first");
            if let Some(first) = places.first() {
                let first = self
                    .untold(|this| this.within(keyword, |this| this.within("0", |this| this.partial(first))));
                schema.items = Some(Box::new(first));
            }
        } else if let Some(items) = rest {
            let items = self.within("items", |this| this.partial(items));
            schema.items = Some(Box::new(items));
        }
    }

    /// Adds what the format demands, here and inside, and takes away what contradicts the type.
    pub(super) fn finished(&mut self, mut schema: Schema) -> Schema {
        note::tell(&mut schema);
        if schema.reference.is_some() {
            return schema;
        }
        if schema.kind.is_none() {
            schema.kind = Some(self.inferred(&mut schema));
        }
        let kind = schema.kind.unwrap_or(SchemaType::String);
        if let Some(values) = &mut schema.values {
            let (fitting, others): (Vec<Value>, Vec<Value>) =
                std::mem::take(values).into_iter().partition(|value| value.is_null() || kind.fits(value));
            *values = fitting;
            let mut seen = std::collections::HashSet::new();
            values.retain(|value| seen.insert(value.to_string()));
            if !others.is_empty() {
                let others = listed(others.iter().map(Value::to_string));
                self.lose("enum", format!("values that are not of the type `{kind}` are left out: {others}"));
            }
            if schema.values.as_ref().is_some_and(Vec::is_empty) {
                schema.values = None;
                self.lose("enum", "no value is allowed, which cannot be said; any of the type is");
            }
        }
        if kind == SchemaType::Object {
            self.finish_object(&mut schema);
        } else {
            schema.properties = None;
            schema.required = None;
        }
        if kind == SchemaType::Array {
            let items = match schema.items.take() {
                Some(items) => self.within("items", |this| this.finished(*items)),
                None => {
                    self.lose(
                        "items",
                        "items of any kind are allowed, which cannot be said; they are strings",
                    );
                    Schema::of(SchemaType::String)
                }
            };
            schema.items = Some(Box::new(items));
        } else {
            schema.items = None;
        }
        schema
    }

    fn finish_object(&mut self, schema: &mut Schema) {
        let properties = schema.properties.get_or_insert_default();
        self.within("properties", |this| {
            for (name, property) in properties.iter_mut() {
                let partial = std::mem::take(property);
                *property = this.within(name, |this| this.finished(partial));
            }
        });
        let Some(required) = &mut schema.required else { return };
        let mut seen = std::collections::HashSet::new();
        let (described, others): (Vec<String>, Vec<String>) =
            std::mem::take(required).into_iter().partition(|name| properties.contains_key(name));
        *required = described;
        if !others.is_empty() {
            let others = listed(others.into_iter());
            self.lose(
                "required",
                format!("properties that are required and not described are left out: {others}"),
            );
        }
        required.retain(|name| seen.insert(name.clone()));
        if required.is_empty() {
            schema.required = None;
        }
    }

    /// The type of a schema that does not say it.
    fn inferred(&mut self, schema: &mut Schema) -> SchemaType {
        if let Some(values) = &schema.values {
            let mut kinds = values.iter().filter(|value| !value.is_null());
            let Some(first) = kinds.next() else { return SchemaType::String };
            let narrow = match first {
                Value::Bool(_) => SchemaType::Boolean,
                Value::Number(_) => {
                    let numbers = values.iter().filter(|value| value.is_number());
                    if numbers.into_iter().all(|value| SchemaType::Integer.fits(value)) {
                        SchemaType::Integer
                    } else {
                        SchemaType::Number
                    }
                }
                Value::Array(_) => SchemaType::Array,
                Value::Object(_) => SchemaType::Object,
                Value::String(_) | Value::Null => SchemaType::String,
            };
            return narrow;
        }
        if schema.properties.is_some() || schema.required.is_some() {
            return SchemaType::Object;
        }
        if schema.items.is_some() {
            return SchemaType::Array;
        }
        self.lose("type", "any value is allowed, which cannot be said; it is a string");
        SchemaType::String
    }
}

/// Whether a keyword about what else there may be allows everything.
fn is_open(value: &Value) -> bool {
    *value == Value::Bool(true) || value.as_object().is_some_and(Map::is_empty)
}

/// `` `a`, `b` and 3 more``: the first of many, each cut.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    /// How many are named.
    const NAMED: usize = 5;

    let more = names.len().saturating_sub(NAMED);
    let named: Vec<String> =
        names.take(NAMED).map(|name| format!("`{}`", crate::words::short(&name))).collect();
    match more {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
