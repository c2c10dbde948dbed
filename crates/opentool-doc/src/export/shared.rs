//! The schemas of a document that is being made from many tools, each with definitions of its own.
//!
//! Two tools may mean the same by a name, or not. A definition is shared if a schema of its name is there, says the
//! same, and refers only to schemas that are shared too; else it gets a name of its own: `Pet_2`.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use indexmap::IndexMap;

use crate::{Schema, reference};

/// The schemas so far.
pub(super) struct Shared {
    schemas: IndexMap<String, Schema>,
    /// The schemas that came from definitions of a name and look alike but for their references.
    alike: HashMap<(String, u64), Vec<String>>,
    /// The number that the next schema of a name would get.
    numbers: HashMap<String, u64>,
}

/// The names in the document of the definitions of one tool.
pub(super) type Names = HashMap<String, String>;

/// A definition on its way to a name: the schemas that it may be, the likeliest first.
struct Candidates {
    base: String,
    looks: u64,
    there: std::vec::IntoIter<String>,
}

impl Shared {
    pub(super) fn new(schemas: IndexMap<String, Schema>) -> Self {
        let mut alike: HashMap<(String, u64), Vec<String>> = HashMap::new();
        for (name, schema) in &schemas {
            alike.entry((name.clone(), looks(schema))).or_default().push(name.clone());
        }
        Self { schemas, alike, numbers: HashMap::new() }
    }

    pub(super) fn into_schemas(self) -> IndexMap<String, Schema> {
        self.schemas
    }

    /// Takes the definitions of a tool in.
    pub(super) fn take(&mut self, definitions: IndexMap<String, Schema>) -> Names {
        let mut names = Names::new();
        let mut candidates: HashMap<&str, Candidates> = HashMap::new();
        let mut given = HashSet::new();
        // At first everything is taken for what looks the same; whatever turns out to differ moves on, until nothing
        // moves any more. Definitions that refer to each other in a circle are settled that way too.
        for (name, schema) in &definitions {
            let (base, looks) = (plain(name), looks(schema));
            let there = self.alike.get(&(base.clone(), looks)).cloned().unwrap_or_default();
            let mut candidate = Candidates { base, looks, there: there.into_iter() };
            let first = candidate.there.next().unwrap_or_else(|| self.free(&candidate.base, &mut given));
            names.insert(name.clone(), first);
            candidates.insert(name, candidate);
        }
        loop {
            let mut moved = false;
            for (name, schema) in &definitions {
                let there = names.get(name).and_then(|name| self.schemas.get(name));
                if there.is_none_or(|there| same(schema, there, &names)) {
                    continue;
                }
                let Some(candidate) = candidates.get_mut(name.as_str()) else { continue };
                let next = candidate.there.next();
                let next = next.unwrap_or_else(|| self.free(&candidate.base, &mut given));
                names.insert(name.clone(), next);
                moved = true;
            }
            if !moved {
                break;
            }
        }
        let keys: Vec<_> = definitions
            .keys()
            .filter_map(|name| candidates.remove(name.as_str()))
            .map(|candidate| (candidate.base, candidate.looks))
            .collect();
        for ((name, mut schema), key) in definitions.into_iter().zip(keys) {
            if let Some(name) = names.get(&name).filter(|name| !self.schemas.contains_key(*name)) {
                rename(&mut schema, &names);
                self.schemas.insert(name.clone(), schema);
                self.alike.entry(key).or_default().push(name.clone());
            }
        }
        names
    }

    /// A name that no schema has: `Pet`, `Pet_2`, and so on.
    fn free(&mut self, base: &str, given: &mut HashSet<String>) -> String {
        let number = self.numbers.entry(base.to_owned()).or_insert(1);
        loop {
            let candidate = if *number == 1 { base.to_owned() } else { format!("{base}_{number}") };
            *number = number.saturating_add(1);
            if !self.schemas.contains_key(&candidate) && given.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// A name that references need not escape.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let plain: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if plain.is_empty() { "Schema".to_owned() } else { plain }
}

/// A number that is the same for schemas that are the same but for where their references lead.
fn looks(schema: &Schema) -> u64 {
    fn look(schema: &Schema, hasher: &mut DefaultHasher) {
        schema.reference.is_some().hash(hasher);
        schema.kind.hash(hasher);
        schema.description.hash(hasher);
        schema.required.hash(hasher);
        schema
            .values
            .as_ref()
            .map(|values| values.iter().map(ToString::to_string).collect::<Vec<_>>())
            .hash(hasher);
        keys(schema).hash(hasher);
        schema.inner().for_each(|inner| look(inner, hasher));
    }
    let mut hasher = DefaultHasher::new();
    look(schema, &mut hasher);
    hasher.finish()
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
