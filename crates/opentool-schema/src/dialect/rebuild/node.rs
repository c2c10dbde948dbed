//! One place in the lowered schema: a reference, alternatives, or types.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::flat::{ALL, ARRAY, BOOLEAN, Flat, INTEGER, NULL, NUMBER, OBJECT, STRING, name_of};
use super::text::Stands;
use super::{Made, Rebuild, Result, Spot, Stop, Sub, Where};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;
use crate::dialect::rules::References;

impl<'r> Rebuild<'r, '_> {
    /// What a conjunction becomes.
    pub(super) fn node(&mut self, all: &[Sub<'r>], spot: &Spot<'r>) -> Result<Made> {
        if self.is_too_deep() {
            return Ok(Some(self.as_text(all, "it nests too deep to be written out")));
        }
        self.deeper(|making| making.node_here(all, spot))
    }

    fn node_here(&mut self, all: &[Sub<'r>], spot: &Spot<'r>) -> Result<Made> {
        let circle = match self.by_reference(all, spot) {
            Ok(Some(done)) => return Ok(done),
            Ok(None) => match self.flatten(all, spot) {
                Ok(flat) => return self.flat_node(flat, spot),
                Err(Stop::Circle(pointer)) => pointer,
                Err(error) => return Err(error),
            },
            Err(Stop::Circle(pointer)) => pointer,
            Err(error) => return Err(error),
        };
        Ok(Some(self.circle(all, &circle, spot)?))
    }

    /// What a conjunction becomes that always leads back to `circle`, which is being written out around it.
    pub(super) fn circle(
        &mut self,
        all: &[Sub<'r>],
        circle: &Rc<str>,
        spot: &Spot<'r>,
    ) -> std::result::Result<Made, Stop> {
        // Written out it has no end. A reference alone may do, where there can be one.
        let place = spot.place != Where::Union;
        let may = match self.rules.references {
            References::Anywhere | References::Alone => true,
            References::AloneOutsideUnions => place,
            References::AloneNoCircle | References::Nowhere => false,
        };
        if may && let Some(made) = self.referred(circle)? {
            for sub in all {
                self.step(&sub.pointer)?;
                self.lose(sub, "beside a reference that leads in a circle");
            }
            return Ok(made);
        }
        let first = all.first().map(|sub| self.shown(sub));
        let around = first.is_some_and(|(_, target)| spot.is_open(target));
        let why = "a circle of references, which the provider does not take";
        Ok(self.text_of(all, why, if around { Stands::Around } else { Stands::Nowhere }))
    }

    /// A reference to a definition, where one is possible and enough.
    fn by_reference(
        &mut self,
        all: &[Sub<'r>],
        spot: &Spot<'r>,
    ) -> std::result::Result<Option<Option<Made>>, Stop> {
        let kept = match self.rules.references {
            References::Nowhere => false,
            References::AloneOutsideUnions => spot.place != Where::Union,
            _ => true,
        };
        let Some(reference) = self.lone_reference(all)?.filter(|_| kept) else { return Ok(None) };
        // With texts of its own it would have to stand in alternatives.
        if reference.has_texts && self.rules.references == References::AloneOutsideUnions {
            return Ok(None);
        }
        // As much as any other schema, however often the definition is made.
        self.step(&reference.target)?;
        let Some(mut made) = self.referred(&reference.target)? else { return Ok(Some(None)) };
        if reference.has_texts {
            let holder = Flat::of(reference.holders);
            let mut schema = Map::new();
            self.tell(&mut schema, &holder, &made.codec, Vec::new());
            made.schema = described_reference(made.schema, schema);
        }
        Ok(Some(Some(made)))
    }

    /// What a flattened conjunction becomes.
    pub(super) fn flat_node(&mut self, flat: Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        let spot = spot.with(&flat.opened);
        if flat.kinds == 0 {
            return Ok(None);
        }
        if !flat.unions.is_empty() {
            return self.union(flat, &spot);
        }
        if let Some(values) = self.values(&flat)? {
            return self.enumeration(&flat, &values);
        }
        if flat.kinds == ALL {
            return self.untyped(flat, &spot);
        }
        self.typed(&flat, &spot)
    }

    /// A schema that names no type.
    fn untyped(&mut self, mut flat: Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        let hinted = flat.subs.iter().fold(0, |all, sub| all | hinted(sub));
        if hinted == 0 {
            if self.rules.typed {
                return Ok(Some(self.any(&flat)));
            }
            let mut schema = Map::new();
            self.tell(&mut schema, &flat, &Codec::Same, Vec::new());
            return Ok(Some(Made { schema, codec: Codec::Same }));
        }
        flat.kinds = hinted;
        let first = flat.subs.iter().find(|sub| self::hinted(sub) != 0);
        let pointer = first.map(|sub| sub.pointer.to_string()).unwrap_or_default();
        let done = format!("taken for what it speaks about: {}", names(hinted));
        self.note(&pointer, "type", Effect::Narrower, done);
        self.typed(&flat, spot)
    }

    /// A schema of certain types: one form for each of them.
    fn typed(&mut self, flat: &Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        let mut kinds: Vec<u8> =
            [OBJECT, ARRAY, STRING, BOOLEAN].into_iter().filter(|kind| flat.kinds & kind != 0).collect();
        match flat.kinds & NUMBER {
            0 => {}
            INTEGER => kinds.push(INTEGER),
            _ => kinds.push(NUMBER),
        }
        let nullable = flat.kinds & NULL != 0;
        match (&kinds[..], nullable) {
            ([], _) => Ok(Some(self.scalar(flat, NULL))),
            ([kind], false) => self.of_kind(flat, *kind, spot),
            (kinds, nullable) => self.of_kinds(flat, kinds, nullable, spot),
        }
    }

    /// Several types, or one and `null`.
    fn of_kinds(&mut self, flat: &Flat<'r>, kinds: &[u8], nullable: bool, spot: &Spot<'r>) -> Result<Made> {
        let mut branches = Vec::new();
        let mut inner = self.again(flat)?;
        // One type and `null` is one thing, with one text; more are alternatives.
        let one = kinds.len() == 1;
        if !one {
            inner.told = inner.subs.len();
        }
        for kind in kinds {
            branches.extend(self.of_kind(&inner, *kind, &spot.in_union())?);
        }
        if nullable {
            if one && let Some(made) = branches.pop() {
                return Ok(Some(self.or_null(made)?));
            }
            branches.push(Made::new(json!({"type": "null"}), Codec::Same));
        }
        let mut done = self.alternatives(branches, &flat.pointer())?;
        if !one && let Some(made) = done.take() {
            done = Some(self.told_around(flat, made, Vec::new()));
        }
        Ok(done)
    }

    fn of_kind(&mut self, flat: &Flat<'r>, kind: u8, spot: &Spot<'r>) -> Result<Made> {
        match kind {
            OBJECT => self.object(flat, spot),
            ARRAY => self.array(flat, spot),
            kind => Ok(Some(self.scalar(flat, kind))),
        }
    }

    fn scalar(&mut self, flat: &Flat<'r>, kind: u8) -> Made {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), name_of(kind).into());
        let notes = self.limits(&mut schema, flat, kind);
        self.tell(&mut schema, flat, &Codec::Same, notes);
        Made { schema, codec: Codec::Same }
    }

    /// The same or `null`.
    pub(super) fn or_null(&mut self, made: Made) -> std::result::Result<Made, Stop> {
        let codec = match made.codec {
            Codec::Same => Codec::Same,
            codec => {
                let schema = self.copied(&made.schema, "")?;
                Codec::Choice(vec![(json!({"type": "null"}), Codec::Same), (schema, codec)])
            }
        };
        Ok(Made { schema: with_null(made.schema), codec })
    }
}

impl Flat<'_> {
    /// The pointer of the outermost schema.
    pub(super) fn pointer(&self) -> String {
        let first = self.subs.first().map(|sub| &sub.pointer).or(self.place.as_ref());
        first.map(|pointer| pointer.to_string()).unwrap_or_default()
    }
}

/// The schema or `null`, in the shortest form.
pub(super) fn with_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    let null = json!({"type": "null"});
    let valued = schema.contains_key("enum") || schema.contains_key("const");
    match schema.get_mut("type") {
        Some(Value::String(kind)) if !valued && !matches!(kind.as_str(), "object" | "array" | "null") => {
            let kinds = json!([kind, "null"]);
            schema.insert("type".to_owned(), kinds);
            return schema;
        }
        _ => {}
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        if !branches.contains(&null) {
            branches.push(null);
        }
        return schema;
    }
    let mut outer = Map::new();
    for text in ["title", "description"] {
        if let Some(text_of) = schema.shift_remove(text) {
            outer.insert(text.to_owned(), text_of);
        }
    }
    outer.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(schema), null]));
    outer
}

/// A reference with texts of its own, which may not stand beside it: it becomes the only alternative.
pub(super) fn described_reference(
    reference: Map<String, Value>,
    mut texts: Map<String, Value>,
) -> Map<String, Value> {
    if texts.is_empty() {
        return reference;
    }
    texts.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(reference)]));
    texts
}

/// The types that a schema speaks about without naming them.
fn hinted(sub: &Sub<'_>) -> u8 {
    let Some(members) = sub.schema.as_object() else { return 0 };
    members.keys().fold(0, |all, keyword| {
        all | match keyword.as_str() {
            "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "minProperties"
            | "maxProperties"
            | "unevaluatedProperties"
            | "dependentRequired" => OBJECT,
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
            | "unevaluatedItems" => ARRAY,
            "minLength" | "maxLength" | "pattern" | "contentEncoding" | "contentMediaType" | "format" => {
                STRING
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => NUMBER,
            _ => 0,
        }
    })
}

fn names(kinds: u8) -> String {
    let all = [OBJECT, ARRAY, STRING, NUMBER].into_iter().filter(|kind| kinds & kind != 0);
    all.map(name_of).collect::<Vec<_>>().join(" or ")
}
