//! Objects: keys that are spelt otherwise, `null` for what may be left out, and the members themselves.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::Coercer;
use super::kind::Kinds;
use super::scalar::is_nothing;
use super::view;
use crate::change::{Change, Stage};
use crate::explain::Path;
use crate::refs::Place;
use crate::repair::Marks;

type Members = Map<String, Value>;

impl<'s> Coercer<'_, 's> {
    pub(super) fn members(
        &mut self,
        views: &[Place<'s>],
        members: &mut Members,
        marks: &mut Marks,
        at: &Path<'_>,
    ) {
        self.spelling(views, members, marks, at);
        let mut absent = Vec::new();
        for (key, value) in members.iter_mut() {
            let places = places(views, key);
            if places.is_empty() {
                continue;
            }
            let mut inner = marks.take_key(key);
            let here = at.key(key);
            self.depth = self.depth.saturating_add(1);
            self.value(&places, value, &mut inner, &here);
            self.depth = self.depth.saturating_sub(1);
            if !required(views, key) && self.stands_for_nothing(&places, value) {
                absent.push(key.clone());
                let change =
                    Change::new(Stage::Coerce, here.pointer(), "null for what may be absent").before(value);
                self.changes.push(change);
            } else {
                marks.set_key(key, inner);
            }
        }
        if !absent.is_empty() {
            members.retain(|key, _| !absent.contains(key));
        }
    }

    /// Whether a value can only mean that the member was left out.
    fn stands_for_nothing(&mut self, places: &[Place<'s>], value: &Value) -> bool {
        let nothing = match value {
            Value::Null => true,
            Value::String(text) if self.wide() => is_nothing(text, true),
            // Text where text is wanted may be that text.
            Value::String(text) => {
                let views = view::views(self.refs, self.draft, places);
                is_nothing(text, false) && Kinds::of(&views).is_some_and(|kinds| !kinds.text())
            }
            _ => false,
        };
        nothing && !places.iter().all(|place| self.judge.accepts(*place, value)) && self.judge.can_say()
    }

    /// Renames keys that differ from a known one in case and separators only, where the key as it stands is
    /// forbidden or the known one is missing. Never where two could be meant.
    fn spelling(&mut self, views: &[Place<'s>], members: &mut Members, marks: &mut Marks, at: &Path<'_>) {
        let known = |key: &str| !places(views, key).is_empty();
        if members.keys().all(|key| known(key)) || !self.step() {
            return;
        }
        let closed = views.iter().any(|view| closed(*view));
        let mut targets: HashMap<String, Vec<&'s str>> = HashMap::new();
        let properties = views.iter().filter_map(|view| view.get("properties")?.as_object());
        for name in properties.flat_map(Map::keys).filter(|name| !members.contains_key(*name)) {
            let names = targets.entry(plain(name)).or_default();
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut writers: HashMap<String, usize> = HashMap::new();
        for key in members.keys().filter(|key| !property(views, key)) {
            let times = writers.entry(plain(key)).or_default();
            *times = times.saturating_add(1);
        }
        let meant = |key: &str| {
            let plain = plain(key);
            let [target] = targets.get(&plain)?.as_slice() else { return None };
            let alone = writers.get(&plain) == Some(&1) && !plain.is_empty();
            (alone && (closed || required(views, target))).then_some(*target)
        };
        if !members.keys().any(|key| !property(views, key) && meant(key).is_some()) {
            return;
        }
        let old = std::mem::take(members);
        for (key, value) in old {
            match (!property(views, &key)).then(|| meant(&key)).flatten() {
                Some(target) => {
                    let inner = marks.take_key(&key);
                    marks.set_key(target, inner);
                    let change = Change::new(Stage::Coerce, at.key(target).pointer(), "key spelling");
                    self.changes.push(change.before(&Value::String(key)).after(&Value::from(target)));
                    members.insert(target.to_owned(), value);
                }
                None => {
                    members.insert(key, value);
                }
            }
        }
    }
}

/// The schemas of a member.
fn places<'s>(views: &[Place<'s>], key: &str) -> Vec<Place<'s>> {
    let one = |view: &Place<'s>| {
        let own = view.get("properties").and_then(|properties| properties.get(key));
        // With patterns about, which schema holds for other keys is not told by these two keywords alone.
        let other = || view.get("additionalProperties").filter(|_| view.get("patternProperties").is_none());
        own.or_else(other).filter(|schema| schema.is_object()).map(|schema| view.enter(schema))
    };
    views.iter().filter_map(one).collect()
}

fn property(views: &[Place<'_>], key: &str) -> bool {
    views.iter().any(|view| view.get("properties").is_some_and(|properties| properties.get(key).is_some()))
}

fn required(views: &[Place<'_>], key: &str) -> bool {
    let lists = views.iter().filter_map(|view| view.get("required")?.as_array());
    lists.flatten().any(|name| name == key)
}

/// Whether keys beyond the known ones are forbidden.
fn closed(view: Place<'_>) -> bool {
    let forbidden = |keyword| view.get(keyword) == Some(&Value::Bool(false));
    forbidden("additionalProperties") || forbidden("unevaluatedProperties")
}

/// A key without case and separators.
fn plain(key: &str) -> String {
    key.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}
