//! The schemas of a document that is being made from many tools, each with definitions of its own.
//!
//! Two tools may mean the same by a name, or not. A definition is shared if a schema of its name is there, says the
//! same, and refers only to schemas that are shared too; else it gets a name of its own: `Pet_2`.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::{Schema, reference};

/// The schemas so far.
pub(super) struct Shared(IndexMap<String, Schema>);

/// The names in the document of the definitions of one tool.
pub(super) type Names = HashMap<String, String>;

impl Shared {
    pub(super) fn new(schemas: IndexMap<String, Schema>) -> Self {
        Self(schemas)
    }

    pub(super) fn into_schemas(self) -> IndexMap<String, Schema> {
        self.0
    }

    /// Takes the definitions of a tool in.
    pub(super) fn take(&mut self, definitions: IndexMap<String, Schema>) -> Names {
        let mut names = Names::new();
        let mut given = HashSet::new();
        let mut numbers: HashMap<&str, u64> = HashMap::new();
        // At first everything is taken for the same; whatever turns out not to be moves to the next name, until nothing
        // moves any more. Definitions that refer to each other in a circle are settled that way too.
        for name in definitions.keys() {
            let (first, number) = next(name, 1, &given);
            given.insert(first.clone());
            names.insert(name.clone(), first);
            numbers.insert(name, number);
        }
        loop {
            let differs = definitions.iter().find(|(name, schema)| {
                let there = names.get(*name).and_then(|name| self.0.get(name));
                there.is_some_and(|there| !same(schema, there, &names))
            });
            let Some((name, _)) = differs else { break };
            let number = numbers.get(name.as_str()).copied().unwrap_or(1);
            let (other, number) = next(name, number, &given);
            given.insert(other.clone());
            names.insert(name.clone(), other);
            numbers.insert(name, number);
        }
        for (name, mut schema) in definitions {
            if let Some(name) = names.get(&name).filter(|name| !self.0.contains_key(*name)) {
                rename(&mut schema, &names);
                self.0.insert(name.clone(), schema);
            }
        }
        names
    }
}

/// The next name to try, and the number after it.
fn next(name: &str, from: u64, given: &HashSet<String>) -> (String, u64) {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' })
        .collect();
    let plain = if plain.is_empty() { "Schema".to_owned() } else { plain };
    let mut number = from;
    loop {
        let candidate = if number == 1 { plain.clone() } else { format!("{plain}_{number}") };
        number = number.saturating_add(1);
        if !given.contains(&candidate) {
            return (candidate, number);
        }
    }
}

/// Whether a definition says what a schema of the document says, given the names of what it refers to.
fn same(definition: &Schema, schema: &Schema, names: &Names) -> bool {
    let reference = match definition.referred().and_then(|name| names.get(&*name)) {
        Some(name) => Some(reference::to(name)),
        None => definition.reference.clone(),
    };
    reference == schema.reference
        && definition.kind == schema.kind
        && definition.description == schema.description
        && definition.values == schema.values
        && definition.required == schema.required
        && definition.extra == schema.extra
        && keys(definition) == keys(schema)
        && definition.inner().count() == schema.inner().count()
        && definition.inner().zip(schema.inner()).all(|(one, other)| same(one, other, names))
}

fn keys(schema: &Schema) -> Option<Vec<&String>> {
    schema.properties.as_ref().map(|properties| properties.keys().collect())
}

/// Writes the names of the document into references.
pub(super) fn rename(schema: &mut Schema, names: &Names) {
    let renamed = schema
        .referred()
        .and_then(|name| names.get(&*name).filter(|other| **other != *name).map(|name| reference::to(name)));
    if renamed.is_some() {
        schema.reference = renamed;
    }
    schema.inner_mut().for_each(|inner| rename(inner, names));
}
