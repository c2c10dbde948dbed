//! Two schemas that hold at once, as one.

use super::convert::Converter;
use crate::{Schema, SchemaType};

impl Converter<'_> {
    /// What both say. Where they contradict each other, the first counts.
    pub(super) fn merge(&mut self, one: Schema, other: Schema, keyword: &str) -> Schema {
        let one = self.written_out(one);
        let other = self.written_out(other);
        let mut merged = one;
        merged.kind = match (merged.kind, other.kind) {
            (Some(SchemaType::Number), Some(SchemaType::Integer)) => Some(SchemaType::Integer),
            (Some(kind), Some(second))
                if kind != second && (kind, second) != (SchemaType::Integer, SchemaType::Number) =>
            {
                self.lose(keyword, format!("no value is both `{kind}` and `{second}`; it is `{kind}`"));
                Some(kind)
            }
            (kind, second) => kind.or(second),
        };
        merged.description = merged.description.or(other.description);
        let own = &merged.notes;
        let more: Vec<String> = other.notes.into_iter().filter(|note| !own.contains(note)).collect();
        merged.notes.extend(more);
        merged.values = match (merged.values, other.values) {
            (Some(values), Some(second)) => {
                Some(values.into_iter().filter(|value| second.contains(value)).collect())
            }
            (values, second) => values.or(second),
        };
        merged.items = match (merged.items, other.items) {
            (Some(items), Some(second)) if items != second => {
                Some(Box::new(self.merge(*items, *second, keyword)))
            }
            (items, second) => items.or(second),
        };
        if let Some(properties) = other.properties {
            let own = merged.properties.get_or_insert_default();
            for (name, property) in properties {
                match own.get_mut(&name) {
                    Some(there) if *there == property => {}
                    Some(there) => {
                        let first = std::mem::take(there);
                        *there = self.merge(first, property, keyword);
                    }
                    None => {
                        own.insert(name, property);
                    }
                }
            }
        }
        if let Some(required) = other.required {
            let own = merged.required.get_or_insert_default();
            for name in required {
                if !own.contains(&name) {
                    own.push(name);
                }
            }
        }
        for (name, value) in other.extra.iter() {
            if merged.extra.get(name).is_none() {
                merged.extra.insert(name, value.clone());
            }
        }
        merged
    }
}
