//! Objects: keys that are spelt otherwise, `null` for what may be left out, and the members themselves.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::Coercer;
use super::few::Few;
use super::kind::Kinds;
use super::scalar::is_nothing;
use super::view::{View, views};
use crate::change::{Change, Stage};
use crate::explain::Path;
use crate::refs::Place;
use crate::repair::Marks;

type Members = Map<String, Value>;

impl<'s> Coercer<'_, 's> {
    pub(super) fn members(
        &mut self,
        views: &[View<'s>],
        members: &mut Members,
        marks: &mut Marks,
        at: &Path<'_>,
    ) {
        let mut speak: Vec<Few<Place<'s>>> = members.keys().map(|key| self.places(views, key)).collect();
        if speak.iter().any(|places| places.is_empty()) && self.spelling(views, members, marks, at) {
            speak = members.keys().map(|key| self.places(views, key)).collect();
        }
        let mut absent = Vec::new();
        for ((key, value), places) in members.iter_mut().zip(speak) {
            if places.is_empty() {
                continue;
            }
            let mut inner = marks.take_key(key);
            let here = at.key(key);
            self.depth = self.depth.saturating_add(1);
            self.value(&places, value, &mut inner, &here);
            self.depth = self.depth.saturating_sub(1);
            if matches!(value, Value::Null | Value::String(_))
                && !required(views, key)
                && self.stands_for_nothing(&places, value)
            {
                absent.push(key.clone());
                let change =
                    Change::new(Stage::Coerce, here.pointer(), "null for what may be absent").before(value);
                self.changes.push(change);
            } else {
                marks.set_key(key, inner);
            }
        }
        // They are in the order of the members.
        let mut absent = absent.iter().peekable();
        if absent.peek().is_some() {
            members.retain(|key, _| absent.next_if(|gone| *gone == key).is_none());
        }
    }

    /// The schemas of a member.
    fn places(&self, views: &[View<'s>], key: &str) -> Few<Place<'s>> {
        let mut places = Few::None;
        for view in views {
            view.member(key, |pattern| self.judge.matches(pattern, key), &mut places);
        }
        places
    }

    /// Whether a value can only mean that the member was left out.
    fn stands_for_nothing(&mut self, places: &[Place<'s>], value: &Value) -> bool {
        let nothing = match value {
            Value::Null => true,
            Value::String(text) if self.wide() => is_nothing(text, true),
            // Text where text is wanted may be that text.
            Value::String(text) => {
                is_nothing(text, false)
                    && Kinds::of(&views(self.refs, self.draft, places)).is_some_and(|kinds| !kinds.text())
            }
            _ => false,
        };
        nothing && !places.iter().all(|place| self.judge.accepts(*place, value)) && self.judge.can_say()
    }

    /// Renames keys that differ from a known one in case and separators only, where the key as it stands is
    /// forbidden or the known one is missing. Never where two could be meant. Whether it did.
    fn spelling(
        &mut self,
        views: &[View<'s>],
        members: &mut Members,
        marks: &mut Marks,
        at: &Path<'_>,
    ) -> bool {
        if !self.step() {
            return false;
        }
        let closed = views.iter().any(View::is_closed);
        let mut targets: HashMap<String, Vec<&'s str>> = HashMap::new();
        let properties = views.iter().filter_map(|view| view.words.properties);
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
            return false;
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
        true
    }
}

fn property(views: &[View<'_>], key: &str) -> bool {
    views.iter().any(|view| view.names(key))
}

fn required(views: &[View<'_>], key: &str) -> bool {
    views.iter().filter_map(|view| view.words.required).flatten().any(|name| name == key)
}

/// A key without case and separators.
fn plain(key: &str) -> String {
    key.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}
