//! `allOf`, `anyOf` and `oneOf`: the format has none of them, and much of what they say can be said without.

use serde_json::{Map, Value};

use super::convert::Converter;
use crate::{Schema, SchemaType};

impl Converter<'_> {
    /// The schema together with what its members combine.
    pub(super) fn combined(&mut self, members: &Map<String, Value>, schema: Schema) -> Schema {
        let mut schema = schema;
        if let Some(Value::Array(parts)) = members.get("allOf") {
            let parts: Vec<Schema> = self.within("allOf", |this| this.branches(parts));
            for part in parts {
                schema = self.joined(schema, part, "allOf");
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = members.get(keyword) else { continue };
            let one = match branches.iter().filter(|branch| !is_null(branch)).count() {
                0 | 1 => self.one_branch(keyword, branches),
                _ => self.untold(|this| this.one_branch(keyword, branches)),
            };
            if let Some(one) = one {
                schema = self.joined(schema, one, keyword);
            }
        }
        schema
    }

    /// Both at once. A reference beside nothing but a description stays one.
    fn joined(&mut self, schema: Schema, part: Schema, keyword: &str) -> Schema {
        let mut bare = schema;
        let description = bare.description.take();
        let mut joined = if bare == Schema::default() {
            part
        } else if part == Schema::default() {
            bare
        } else {
            self.merge(bare, part, keyword)
        };
        joined.description = description.or(joined.description);
        joined
    }

    fn branches(&mut self, branches: &[Value]) -> Vec<Schema> {
        let convert = |this: &mut Self, index: usize, branch| {
            this.within(&index.to_string(), |this| this.partial(branch))
        };
        branches.iter().enumerate().map(|(index, branch)| convert(self, index, branch)).collect()
    }

    /// One schema for several of which one holds.
    fn one_branch(&mut self, keyword: &str, branches: &[Value]) -> Option<Schema> {
        let null = branches.iter().any(is_null);
        let left: Vec<(usize, &Value)> =
            branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)).collect();
        let converted: Vec<Schema> = left
            .iter()
            .map(|(index, branch)| {
                self.within(keyword, |this| this.within(&index.to_string(), |this| this.partial(branch)))
            })
            .collect();
        if null {
            let mut listed = converted.iter().all(|schema| schema.values.is_some());
            listed &= !converted.is_empty();
            if listed {
                // A listed null is accepted with any type.
                let mut one = self.alternatives(keyword, converted)?;
                one.values.get_or_insert_default().push(Value::Null);
                return Some(one);
            }
            self.lose(keyword, "null is not a type of the format; it is not accepted any more");
        }
        self.alternatives(keyword, converted)
    }

    fn alternatives(&mut self, keyword: &str, branches: Vec<Schema>) -> Option<Schema> {
        if branches.len() < 2 {
            return branches.into_iter().next();
        }
        if let Some(listed) = listed(&branches) {
            if branches.iter().any(|branch| branch.description.is_some()) {
                self.lose(keyword, "single values have no description in the format; those are left out");
            }
            return Some(listed);
        }
        let branches: Vec<Schema> =
            branches.into_iter().map(|branch| self.written_out_kind(branch)).collect();
        let kinds: Vec<Option<SchemaType>> = branches.iter().map(kind).collect();
        let first = kinds.first().copied().flatten();
        let numbers =
            |kind: &Option<SchemaType>| matches!(kind, Some(SchemaType::Integer | SchemaType::Number));
        if kinds.iter().all(|kind| *kind == Some(SchemaType::Object)) {
            self.lose(
                keyword,
                "alternatives become one object with the properties of all; required is what all require",
            );
            let mut branches = branches.into_iter();
            let one = branches.next()?;
            return Some(branches.fold(one, union));
        }
        if kinds.iter().all(numbers) && kinds.iter().any(|kind| *kind != first) {
            self.lose(keyword, "alternatives become one number");
            return Some(Schema::of(SchemaType::Number));
        }
        if first.is_some_and(|kind| kind != SchemaType::Array) && kinds.iter().all(|kind| *kind == first) {
            self.lose(keyword, "alternatives become one type; what tells them apart is left out");
            return first.map(Schema::of);
        }
        self.lose(
            keyword,
            format!("there are no alternatives in the format; of {} the first is kept", branches.len()),
        );
        branches.into_iter().next()
    }

    /// A reference to an object is written out, so that it can be joined with others.
    fn written_out_kind(&mut self, schema: Schema) -> Schema {
        if schema.reference.is_some() { self.written_out(schema) } else { schema }
    }
}

fn kind(schema: &Schema) -> Option<SchemaType> {
    let object = schema.properties.is_some() || schema.required.is_some();
    schema.kind.or_else(|| object.then_some(SchemaType::Object))
}

/// All alternatives list their values: so does the whole.
fn listed(branches: &[Schema]) -> Option<Schema> {
    let mut listed = Schema::default();
    let mut values: Vec<Value> = Vec::new();
    for branch in branches {
        if branch.reference.is_some() {
            return None;
        }
        for value in branch.values.as_ref()? {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    let mut kinds = branches.iter().map(|branch| branch.kind);
    let first = kinds.next().flatten();
    listed.kind = first.filter(|first| kinds.all(|kind| kind == Some(*first)));
    listed.values = Some(values);
    Some(listed)
}

/// What at least one of two objects has, and what both require.
fn union(mut one: Schema, other: Schema) -> Schema {
    let own = one.properties.get_or_insert_default();
    for (name, mut property) in other.properties.unwrap_or_default() {
        match own.get_mut(&name) {
            // A tag that tells the alternatives apart has one value in each.
            Some(there) => match (&mut there.values, property.values.take()) {
                (Some(values), Some(more)) => {
                    values
                        .extend(more.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
                }
                (values, _) => *values = None,
            },
            None => {
                own.insert(name, property);
            }
        }
    }
    let second = other.required.unwrap_or_default();
    one.required = one.required.map(|names| names.into_iter().filter(|name| second.contains(name)).collect());
    one
}

/// A schema that accepts null and nothing else.
fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
        || schema.get("const").is_some_and(Value::is_null)
        || schema
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_null))
}
