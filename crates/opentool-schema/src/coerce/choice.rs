//! Alternatives: changed only if one change is accepted by one of them, and no other change by any.

use serde_json::Value;

use super::Coercer;
use super::view::View;
use crate::change::Change;
use crate::explain::Path;
use crate::repair::Marks;

impl<'s> Coercer<'_, 's> {
    pub(super) fn choice(
        &mut self,
        view: &View<'s>,
        branches: &'s [Value],
        value: &mut Value,
        marks: &mut Marks,
        at: &Path<'_>,
    ) {
        let fits = branches.iter().any(|branch| self.judge.accepts(view.enter(branch), value));
        if fits || !self.judge.can_say() {
            return;
        }
        let mut found: Option<(Value, Marks, Vec<Change>)> = None;
        let before = self.changes.len();
        let unpacked = self.unpacked;
        for branch in branches {
            if !self.step() {
                return;
            }
            let place = view.enter(branch);
            let (mut candidate, mut inner) = (value.clone(), marks.clone());
            self.value(&[place], &mut candidate, &mut inner, at);
            self.unpacked = unpacked;
            let changes = self.changes.split_off(before);
            if candidate == *value || !self.accepted([place], &candidate) {
                continue;
            }
            match &found {
                Some((other, _, _)) if *other != candidate => return,
                Some(_) => {}
                None => found = Some((candidate, inner, changes)),
            }
        }
        if let Some((candidate, inner, changes)) = found {
            *value = candidate;
            *marks = inner;
            self.changes.extend(changes);
        }
    }
}
