//! Lists: their items, and a single value where a list of such values is wanted.

use serde_json::Value;

use super::Coercer;
use super::few::Few;
use super::scalar::is_nothing;
use super::view::View;
use crate::explain::Path;
use crate::refs::Place;
use crate::repair::Marks;

impl<'s> Coercer<'_, 's> {
    pub(super) fn items(
        &mut self,
        views: &[View<'s>],
        items: &mut [Value],
        marks: &mut Marks,
        at: &Path<'_>,
    ) {
        for (i, item) in items.iter_mut().enumerate() {
            let places: Few<Place<'s>> = views.iter().filter_map(|view| view.item(i, self.draft)).collect();
            if places.is_empty() {
                continue;
            }
            let mut inner = marks.take_item(i);
            self.depth = self.depth.saturating_add(1);
            self.value(&places, item, &mut inner, &at.item(i));
            self.depth = self.depth.saturating_sub(1);
            marks.set_item(i, inner);
        }
    }

    /// Puts a single value into a list, if the list is then accepted. Text is never split.
    pub(super) fn listed(&mut self, views: &[View<'s>], value: &mut Value, marks: &mut Marks, at: &Path<'_>) {
        let single = match value {
            // A list that is broken is not the text of an item, and a word for nothing hardly is.
            Value::String(text) => !is_nothing(text, true) && !text.trim_start().starts_with('['),
            Value::Number(_) | Value::Bool(_) | Value::Object(_) => true,
            Value::Null | Value::Array(_) => false,
        };
        // A list of anything says nothing about whether this is one of them.
        let told = |place: &Place<'s>| place.schema.as_object().is_some_and(|schema| !schema.is_empty());
        if !single || !views.iter().filter_map(|view| view.item(0, self.draft)).any(|place| told(&place)) {
            return;
        }
        let before = self.changes.len();
        let mut items = [value.clone()];
        let mut inner = Marks::default();
        inner.set_item(0, marks.clone());
        self.items(views, &mut items, &mut inner, at);
        let list = Value::from(items.to_vec());
        if self.accepted(views.iter().map(|view| view.place), &list) {
            // What happened to the item comes after it became one.
            let inside = self.changes.split_off(before);
            self.note("single value to a list of one", at, (value, marks), &list);
            self.changes.extend(inside);
            *value = list;
            *marks = inner;
        } else {
            self.changes.truncate(before);
        }
    }
}
