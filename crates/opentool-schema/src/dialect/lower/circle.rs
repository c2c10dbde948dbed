//! References that lead back to themselves before anything is said about the value: `L` that is `L`.
//!
//! No value fits such a schema and none breaks it; whatever follows references would follow them for ever. A circle
//! through one of several alternatives is another thing: the other alternatives still say something.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::escaped;
use crate::SchemaError;

/// Which schemas must hold for the same value as another: by `$ref` and `allOf`, in the order of the document.
#[derive(Debug, Default)]
pub(super) struct Links<'s> {
    all: Vec<(&'s Value, &'s Value)>,
    references: bool,
}

impl<'s> Links<'s> {
    /// `schema` refers to `target`.
    pub(super) fn refers(&mut self, schema: &'s Value, target: &'s Value) {
        self.references = true;
        self.all.push((schema, target));
    }

    /// `schema` has `part` among those that must all hold.
    pub(super) fn holds(&mut self, schema: &'s Value, part: &'s Value) {
        self.all.push((schema, part));
    }

    /// # Errors
    /// [`SchemaError::Endless`] with a schema on a circle.
    pub(super) fn end(&self, root: &Value) -> Result<(), SchemaError> {
        if !self.references {
            return Ok(());
        }
        let mut next: HashMap<*const Value, Vec<&Value>> = HashMap::new();
        for (from, to) in &self.all {
            next.entry(std::ptr::from_ref(*from)).or_default().push(to);
        }
        let mut done: HashSet<*const Value> = HashSet::new();
        let mut above: HashSet<*const Value> = HashSet::new();
        for (start, _) in &self.all {
            // A stack of its own: chains of references are as long as their author likes.
            let mut stack = vec![(*start, 0_usize)];
            while let Some((schema, at)) = stack.pop() {
                let here = std::ptr::from_ref(schema);
                if at == 0 {
                    if done.contains(&here) {
                        continue;
                    }
                    if !above.insert(here) {
                        return Err(SchemaError::Endless { pointer: pointer(root, schema).into() });
                    }
                }
                match next.get(&here).and_then(|targets| targets.get(at)) {
                    Some(target) => {
                        stack.push((schema, at.saturating_add(1)));
                        stack.push((target, 0));
                    }
                    None => {
                        above.remove(&here);
                        done.insert(here);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The JSON Pointer of a schema, by its address. Slow; for errors.
fn pointer(root: &Value, wanted: &Value) -> String {
    fn find(value: &Value, wanted: &Value, path: &mut String) -> bool {
        if std::ptr::eq(value, wanted) {
            return true;
        }
        let length = path.len();
        let mut step = |key: &str, inner: &Value| {
            path.push('/');
            path.push_str(&escaped(key));
            let there = find(inner, wanted, path);
            if !there {
                path.truncate(length);
            }
            there
        };
        match value {
            Value::Object(members) => members.iter().any(|(key, member)| step(key, member)),
            Value::Array(items) => items.iter().enumerate().any(|(i, item)| step(&i.to_string(), item)),
            _ => false,
        }
    }
    let mut path = String::new();
    find(root, wanted, &mut path);
    path
}
