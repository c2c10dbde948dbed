//! What the fields of an object do not hold: members that the format does not define, and where each member stood.
//!
//! Printing a document must not take away what a newer version, another SDK or a person put there, nor shuffle it.

use opentool_text::Members;
use serde_json::{Map, Value};

/// The members of an object that the fields beside it do not hold, and the order of all of its members.
///
/// These are members that the format does not define, and members that it does with a value that means nothing or that
/// it does not allow (`"return": null`, `"description": 5`); they are kept as they were written. Where a field has a
/// value that is not empty, it wins over a member of its name in here.
///
/// Two are equal if they hold the same members; like in JSON, order does not count.
#[derive(Debug, Clone, Default)]
pub struct Extra(Option<Box<Kept>>);

#[derive(Debug, Clone, Default)]
struct Kept {
    members: Map<String, Value>,
    /// The names of all members as they were written; empty where the fields come first, in the format's order.
    order: Vec<Box<str>>,
}

impl Extra {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.members.get(name)
    }

    /// Adds a member, or replaces it.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.get_or_insert_default().members.insert(name.into(), value.into());
    }

    /// Takes a member away.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.as_mut()?.members.shift_remove(name)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.0.as_ref().map(|kept| &kept.members);
        members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|kept| kept.members.is_empty())
    }

    /// What is left of an object whose fields took the members `taken`, in the format's order.
    pub(crate) fn of(object: &Members<'_>, taken: &[&'static str]) -> Self {
        let members: Map<String, Value> = object
            .iter()
            .filter(|(name, _)| !taken.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect();
        let plain = taken.iter().copied().chain(members.keys().map(String::as_str));
        let order = if object.keys().eq(plain) { Vec::new() } else { object.keys().map(Box::from).collect() };
        Self((!members.is_empty() || !order.is_empty()).then(|| Box::new(Kept { members, order })))
    }

    /// The object whose fields have these values, together with what is kept here.
    pub(crate) fn object(
        &self,
        fields: impl IntoIterator<Item = (&'static str, Option<Value>)>,
    ) -> Map<String, Value> {
        let mut object: Map<String, Value> = fields
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)))
            .collect();
        let Some(kept) = &self.0 else { return object };
        for (name, value) in &kept.members {
            if !object.contains_key(name) {
                object.insert(name.clone(), value.clone());
            }
        }
        if kept.order.is_empty() {
            return object;
        }
        let mut ordered: Map<String, Value> = Map::new();
        for name in &kept.order {
            if let Some(value) = object.get_mut(&**name) {
                ordered.insert(name.to_string(), value.take());
            }
        }
        for (name, value) in object {
            // What was taken is null now, and is there already.
            if !ordered.contains_key(&name) {
                ordered.insert(name, value);
            }
        }
        ordered
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => one.members == other.members,
            _ => self.is_empty() && other.is_empty(),
        }
    }
}
