//! All schemas that must accept one value together: references followed, `allOf` taken apart.

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::few::Few;
use crate::refs::{Place, Refs};

/// Schemas about one value.
const MAX: usize = 64;

/// A schema, and those of its keywords that coercion follows, looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'s> {
    pub(super) place: Place<'s>,
    pub(super) words: Words<'s>,
}

/// The keywords of a schema.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Words<'s> {
    pub(super) kind: Option<&'s Value>,
    pub(super) only: Option<&'s Value>,
    pub(super) allowed: Option<&'s [Value]>,
    pub(super) properties: Option<&'s Map<String, Value>>,
    pub(super) additional: Option<&'s Value>,
    pub(super) unevaluated: Option<&'s Value>,
    pub(super) patterns: Option<&'s Map<String, Value>>,
    pub(super) required: Option<&'s [Value]>,
    pub(super) items: Option<&'s Value>,
    pub(super) prefix_items: Option<&'s [Value]>,
    pub(super) additional_items: Option<&'s Value>,
    /// `anyOf` and `oneOf`.
    pub(super) choices: [Option<&'s [Value]>; 2],
    all: Option<&'s [Value]>,
    reference: Option<&'s str>,
}

impl<'s> View<'s> {
    fn new(place: Place<'s>) -> Self {
        let mut words = Words::default();
        // One walk: most schemas have fewer keywords than are asked for.
        for (word, value) in place.schema.as_object().into_iter().flatten() {
            let list = || value.as_array().map(Vec::as_slice);
            match word.as_str() {
                "type" => words.kind = Some(value),
                "const" => words.only = Some(value),
                "enum" => words.allowed = list(),
                "properties" => words.properties = value.as_object(),
                "additionalProperties" => words.additional = Some(value),
                "unevaluatedProperties" => words.unevaluated = Some(value),
                "patternProperties" => words.patterns = value.as_object(),
                "required" => words.required = list(),
                "items" => words.items = Some(value),
                "prefixItems" => words.prefix_items = list(),
                "additionalItems" => words.additional_items = Some(value),
                "anyOf" => words.choices[0] = list(),
                "oneOf" => words.choices[1] = list(),
                "allOf" => words.all = list(),
                "$ref" => words.reference = value.as_str(),
                _ => {}
            }
        }
        Self { place, words }
    }

    /// The place of a schema inside this one.
    pub(super) fn enter(&self, schema: &'s Value) -> Place<'s> {
        self.place.enter(schema)
    }

    /// The schemas of the member `key`, where keywords say which they are. `matches` judges patterns of keys.
    pub(super) fn member(&self, key: &str, matches: impl Fn(&str) -> bool, into: &mut Few<Place<'s>>) {
        let own = self.words.properties.and_then(|properties| properties.get(key));
        let mut known = own.is_some();
        let mut add = |schema: &'s Value| {
            if schema.is_object() {
                into.push(self.place.enter(schema));
            }
        };
        own.into_iter().for_each(&mut add);
        for (pattern, schema) in self.words.patterns.into_iter().flatten() {
            if matches(pattern) {
                known = true;
                add(schema);
            }
        }
        if !known {
            self.words.additional.into_iter().for_each(&mut add);
        }
    }

    /// Whether `properties` names the key.
    pub(super) fn names(&self, key: &str) -> bool {
        self.words.properties.is_some_and(|properties| properties.contains_key(key))
    }

    /// Whether keys beyond the known ones are forbidden.
    pub(super) fn is_closed(&self) -> bool {
        let forbidden = |word: Option<&Value>| word == Some(&Value::Bool(false));
        forbidden(self.words.additional) || forbidden(self.words.unevaluated)
    }

    /// The schema of the item with this index.
    pub(super) fn item(&self, index: usize, draft: Draft) -> Option<Place<'s>> {
        let (first, rest): (&[Value], _) = match (self.words.items, self.words.prefix_items) {
            (Some(Value::Array(first)), _) => (first, self.words.additional_items),
            (rest, Some(first)) if draft >= Draft::Draft202012 => (first, rest),
            (rest, _) => (&[], rest),
        };
        let schema = first.get(index).or(rest)?;
        schema.is_object().then(|| self.enter(schema))
    }
}

/// The schemas that hold for a value besides and below `places`; alternatives are not entered.
pub(super) fn views<'s>(refs: &Refs<'s>, draft: Draft, places: &[Place<'s>]) -> Few<View<'s>> {
    if let [place] = places {
        let view = View::new(*place);
        if view.words.all.is_none() && view.words.reference.is_none() {
            return Few::one(view);
        }
    }
    let mut views = Few::None;
    let mut open: Vec<Place<'s>> = places.iter().rev().copied().collect();
    while let Some(place) = open.pop() {
        if views.len() >= MAX
            || views.iter().any(|view: &View<'s>| std::ptr::eq(view.place.schema, place.schema))
        {
            continue;
        }
        let view = View::new(place);
        open.extend(view.words.all.into_iter().flatten().map(|schema| place.enter(schema)));
        if let Some(target) = view.words.reference.and_then(|reference| refs.resolve(place, reference)) {
            open.push(target);
            // Up to draft-07 a reference stands alone.
            if draft < Draft::Draft201909 {
                continue;
            }
        }
        views.push(view);
    }
    views
}
