//! One look over a schema before anything is made of it: that it is one, and what there is to do.
//!
//! Whatever comes after may rely on keywords having the kind of value that they must have. It does not compile
//! anything: a pattern that is no regular expression is found by the validator.

use std::collections::HashSet;

use serde_json::Value;

use super::circle::Links;
use super::{Work, bytes, escaped};
use crate::SchemaError;
use crate::dialect::rules::NameRule;
use crate::refs::{Place, Refs, place_at};
use crate::text::{found, shorten};

/// Where a keyword holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    One,
    OneOrList,
    List,
    Map,
    /// A map of schemas and lists of names.
    MapOrNames,
}

/// Where `keyword` holds schemas, if it does.
pub(crate) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "not"
        | "if"
        | "then"
        | "else"
        | "additionalItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames"
        | "contentSchema" => Holds::One,
        "items" => Holds::OneOrList,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => Holds::Map,
        "dependencies" => Holds::MapOrNames,
        _ => return None,
    })
}

/// What there is to do about a schema.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// It uses what Draft 2020-12 writes in another way.
    pub(crate) old: bool,
    /// It refers to anything.
    pub(crate) refers: bool,
    /// It refers by other means than a pointer from its root.
    pub(crate) indirect: bool,
    /// A name of a property breaks the dialect's rule.
    pub(crate) odd_names: bool,
    /// An array does not say what its items are.
    pub(crate) bare_arrays: bool,
    /// There are properties whose schema is `true` or `false`.
    pub(crate) boolean_properties: bool,
}

/// Looks over the schema.
///
/// # Errors
/// [`SchemaError`] where it is none, and where a reference leads out of it or nowhere.
pub(crate) fn survey(root: &Value, names: Option<&NameRule>, work: &mut Work) -> Result<Survey, SchemaError> {
    let mut walk = Walk {
        root,
        names,
        work,
        resource: root,
        survey: Survey::default(),
        path: String::new(),
        seen: HashSet::new(),
        open: Vec::new(),
        indirect: Vec::new(),
        links: Links::default(),
    };
    if let Some(draft) = root.get("$schema").and_then(Value::as_str) {
        walk.survey.old =
            ["draft-03", "draft-04", "draft-06", "draft-07", "2019-09"].iter().any(|old| draft.contains(old));
    }
    walk.schema(root)?;
    // What references lead to may stand where no keyword holds schemas.
    while let Some((target, path)) = walk.open.pop() {
        if !walk.seen.contains(&std::ptr::from_ref(target)) {
            walk.work.spend(bytes(&path).saturating_add(8), &path)?;
            walk.resource = place_at(root, &path).resource;
            walk.path = path;
            walk.schema(target)?;
        }
    }
    walk.indirect_lead_somewhere()?;
    walk.links.end(root)?;
    Ok(walk.survey)
}

struct Walk<'s, 'n> {
    root: &'s Value,
    names: Option<&'n NameRule>,
    work: &'n mut Work,
    /// What the references of the schema at hand start from.
    resource: &'s Value,
    survey: Survey,
    path: String,
    seen: HashSet<*const Value>,
    open: Vec<(&'s Value, String)>,
    /// References that are no pointers from the root, and where they stand: judged when all anchors are known.
    indirect: Vec<(Place<'s>, &'s str, Indirect<'s>)>,
    links: Links<'s>,
}

/// The schema that holds a reference, and its path.
type Indirect<'s> = (&'s Value, String);

impl<'s> Walk<'s, '_> {
    fn invalid<T>(&self, message: String) -> Result<T, SchemaError> {
        Err(SchemaError::Invalid { pointer: self.path.as_str().into(), message: message.into() })
    }

    fn at(&mut self, keys: [&str; 2], schema: &'s Value) -> Result<(), SchemaError> {
        let length = self.path.len();
        for key in keys {
            if !key.is_empty() || keys.first().is_none_or(|first| first.is_empty()) {
                self.path.push('/');
                self.path.push_str(&escaped(key));
            }
        }
        let done = self.schema(schema);
        self.path.truncate(length);
        done
    }

    fn schema(&mut self, schema: &'s Value) -> Result<(), SchemaError> {
        let around = self.resource;
        self.resource = Place { schema: around, resource: around }.enter(schema).resource;
        let done = self.members(schema);
        self.resource = around;
        done
    }

    fn members(&mut self, schema: &'s Value) -> Result<(), SchemaError> {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(_) => return Ok(()),
            other => {
                return self.invalid(format!(
                    "expected a schema (an object, true or false), found {}",
                    found(other)
                ));
            }
        };
        if !self.seen.insert(std::ptr::from_ref(schema)) {
            return Ok(());
        }
        for (keyword, value) in members {
            self.keyword(schema, keyword, value)?;
            let Some(holds) = holds(keyword) else { continue };
            match (holds, value) {
                (Holds::One | Holds::OneOrList, Value::Object(_) | Value::Bool(_)) => {
                    self.at_one(keyword, value)?
                }
                (Holds::OneOrList | Holds::List, Value::Array(list)) => {
                    self.survey.old |= holds == Holds::OneOrList;
                    for (i, inner) in list.iter().enumerate() {
                        // The only alternative must hold.
                        if keyword == "allOf"
                            || (list.len() == 1 && matches!(keyword.as_str(), "anyOf" | "oneOf"))
                        {
                            self.links.holds(schema, inner);
                        }
                        self.at([keyword, &i.to_string()], inner)?;
                    }
                }
                (Holds::Map | Holds::MapOrNames, Value::Object(map)) => {
                    for (key, inner) in map {
                        if holds == Holds::MapOrNames && inner.is_array() {
                            continue;
                        }
                        self.at([keyword, key], inner)?;
                    }
                }
                (_, other) => {
                    let wanted = match holds {
                        Holds::One | Holds::OneOrList => "a schema",
                        Holds::List => "a list of schemas",
                        _ => "an object of schemas",
                    };
                    return self.invalid(format!("`{keyword}` must be {wanted}, found {}", found(other)));
                }
            }
        }
        let is_array = members.get("type").is_some_and(|kind| match kind {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == "array"),
            kind => kind == "array",
        });
        self.survey.boolean_properties |= members
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|properties| properties.values().any(Value::is_boolean));
        self.survey.bare_arrays |=
            is_array && !members.contains_key("items") && !members.contains_key("prefixItems");
        Ok(())
    }

    fn at_one(&mut self, keyword: &str, schema: &'s Value) -> Result<(), SchemaError> {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(keyword);
        let done = self.schema(schema);
        self.path.truncate(length);
        done
    }

    /// Whether a keyword has the kind of value that it must have.
    fn keyword(&mut self, schema: &'s Value, keyword: &str, value: &'s Value) -> Result<(), SchemaError> {
        let wanted = match keyword {
            "type" => return self.types(value),
            "$ref" | "$dynamicRef" | "$recursiveRef" => return self.reference(schema, keyword, value),
            "properties" => {
                if let (Some(rule), Value::Object(map)) = (self.names, value) {
                    self.survey.odd_names |= map.keys().any(|key| !rule.fits(key));
                }
                return Ok(());
            }
            "$id" | "$anchor" | "$dynamicAnchor" | "id" => {
                // The identifier of the whole is no concern of its references.
                self.survey.indirect |= value.is_string() && !self.path.is_empty();
                self.survey.indirect |=
                    value.as_str().is_some_and(|id| id.starts_with('#')) || keyword.ends_with("nchor");
                return Ok(());
            }
            "enum" if value.is_array() => return Ok(()),
            "enum" => "a list",
            "required" if strings(value) => return Ok(()),
            // Draft 3 marked the property itself; nothing reads that today.
            "required" if value.is_boolean() => return Ok(()),
            "required" => "a list of names",
            // What says nothing is left out; programs write it for what they do not know.
            "pattern" | "format" | "description" | "title" if value.is_null() => {
                self.survey.old = true;
                return Ok(());
            }
            "pattern" | "format" | "description" | "title" if !value.is_string() => "a text",
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
            | "minContains" | "maxContains"
                if value.as_f64().is_none_or(|count| count < 0.0 || count.fract() != 0.0) =>
            {
                "a count"
            }
            "minimum" | "maximum" if !value.is_number() => "a number",
            "multipleOf" if value.as_f64().is_none_or(|step| step <= 0.0) => "a number above 0",
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {
                self.survey.old = true;
                return Ok(());
            }
            "exclusiveMinimum" | "exclusiveMaximum" if !value.is_number() => "a number",
            "anyOf" | "oneOf" | "allOf" if value.as_array().is_some_and(Vec::is_empty) => {
                "a list that is not empty"
            }
            "dependencies" | "additionalItems" => {
                self.survey.old = true;
                return Ok(());
            }
            "dependentRequired" if value.as_object().is_none_or(|map| !map.values().all(strings)) => {
                "an object of lists of names"
            }
            "uniqueItems" if !value.is_boolean() => "true or false",
            _ => return Ok(()),
        };
        self.invalid(format!("`{keyword}` must be {wanted}, found {}", found(value)))
    }

    fn types(&self, value: &Value) -> Result<(), SchemaError> {
        const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "integer", "string"];
        let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
        match value {
            Value::Array(kinds) if !kinds.is_empty() && kinds.iter().all(known) => Ok(()),
            kind if known(kind) => Ok(()),
            other => {
                self.invalid(format!("`type` must be one of {}, found {}", TYPES.join(", "), found(other)))
            }
        }
    }

    fn reference(&mut self, schema: &'s Value, keyword: &str, value: &'s Value) -> Result<(), SchemaError> {
        let Value::String(reference) = value else {
            return self.invalid(format!("`{keyword}` must be a text, found {}", found(value)));
        };
        self.survey.refers = true;
        self.survey.old |= keyword == "$recursiveRef";
        self.survey.indirect |= keyword == "$dynamicRef";
        let pointer = super::pointed(reference);
        if let Some((target, pointer)) = pointer.and_then(|p| Some((self.root.pointer(&p)?, p))) {
            self.work.spend(bytes(&pointer).saturating_add(4), &self.path)?;
            self.links.refers(schema, target);
            self.open.push((target, pointer));
            return Ok(());
        }
        self.survey.indirect = true;
        let from = Place { schema: self.resource, resource: self.resource };
        self.work.spend(bytes(&self.path).saturating_add(4), &self.path)?;
        self.indirect.push((from, reference, (schema, self.path.clone())));
        Ok(())
    }

    /// Whether each reference by an anchor or an identifier has a target in the schema.
    fn indirect_lead_somewhere(&mut self) -> Result<(), SchemaError> {
        if self.indirect.is_empty() {
            return Ok(());
        }
        let refs = Refs::of(self.root);
        let mut lost = None;
        for (from, reference, (schema, path)) in &self.indirect {
            let targets = refs.candidates(*from, reference);
            if targets.is_empty() {
                lost = Some((reference, path));
                break;
            }
            // As many as there are anchors of that name, for each reference.
            self.work.spend(targets.len().saturating_mul(4), path)?;
            targets.iter().for_each(|target| self.links.refers(schema, target.schema));
        }
        let Some((reference, path)) = lost else { return Ok(()) };
        let (pointer, shown) = (path.as_str().into(), shorten(reference, 100));
        Err(if reference.starts_with('#') {
            SchemaError::Invalid { pointer, message: format!("`$ref` leads nowhere: {shown}").into() }
        } else {
            SchemaError::External { pointer, reference: shown.into() }
        })
    }
}

fn strings(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}
