//! Values of the wrong kind turned into what the schema wants, where that can be only one thing.
//!
//! Runs after the verdict "no", on what was read. `"5"` becomes 5 where an integer is wanted and `5` becomes `"5"`
//! where text is; nothing is rounded, split, or renamed to what only looks like it. Where alternatives exist, a
//! value is changed only if one of them accepts a change of it and no other does. It gives no verdict: whoever
//! calls it validates the result. Its work is bounded in steps; what is left over stays as it was written.

mod choice;
mod few;
mod kind;
mod list;
mod members;
mod scalar;
mod view;

use jsonschema::Draft;
use serde_json::Value;

use crate::Validator;
use crate::change::{Change, Stage};
use crate::explain::{Explainer, Path};
use crate::refs::{Place, Refs};
use crate::repair::{Mark, Marks, Written};
use crate::validator::draft_of;

/// Schemas and values that are looked at.
const MAX_STEPS: usize = 50_000;
/// Values inside each other, alternatives counted.
const MAX_LEVELS: usize = 200;
/// Texts inside texts that are read as JSON.
const MAX_UNPACKED: usize = 4;

/// How far coercion goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Only what cannot be meant otherwise.
    Sure,
    /// Also `yes` for true, `None` for nothing, a list of one object for the object.
    Wide,
}

/// Changes the value so that the schema may accept it; says what was changed.
pub(crate) fn coerce(
    validator: &Validator,
    written: Written,
    freedom: Freedom,
    changes: &mut Vec<Change>,
) -> Written {
    let schema = validator.schema().as_value();
    let (refs, draft) = (Refs::of(schema), draft_of(schema));
    let mut coercer = Coercer {
        refs: &refs,
        judge: Explainer::new(&refs, draft, validator.probes()),
        draft,
        freedom,
        steps_left: MAX_STEPS,
        level: 0,
        levels: validator.levels(),
        depth: 0,
        unpacked: 0,
        changes,
    };
    let Written { mut value, mut marks } = written;
    coercer.value(&[refs.start()], &mut value, &mut marks, &Path::Root);
    Written { value, marks }
}

/// Whether the schema has a property of this name at its root.
pub(crate) fn knows(schema: &Value, key: &str) -> bool {
    let refs = Refs::of(schema);
    view::views(&refs, draft_of(schema), &[refs.start()]).iter().any(|view| view.names(key))
}

/// One coercion.
struct Coercer<'r, 's> {
    refs: &'r Refs<'s>,
    judge: Explainer<'r, 's>,
    draft: Draft,
    freedom: Freedom,
    steps_left: usize,
    level: usize,
    levels: usize,
    /// How deep the value at hand is in the whole.
    depth: usize,
    unpacked: usize,
    changes: &'r mut Vec<Change>,
}

impl<'s> Coercer<'_, 's> {
    fn step(&mut self) -> bool {
        let left = self.steps_left.checked_sub(1);
        self.steps_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes this many steps.
    fn steps(&mut self, cost: usize) -> bool {
        let left = self.steps_left.checked_sub(cost);
        self.steps_left = left.unwrap_or(0);
        left.is_some()
    }

    fn wide(&self) -> bool {
        self.freedom == Freedom::Wide
    }

    /// Records a change of a value that was written as `marks` say.
    fn note(&mut self, rule: &'static str, at: &Path<'_>, before: (&Value, &Marks), after: &Value) {
        let change = Change::new(Stage::Coerce, at.pointer(), rule);
        let change = match before {
            (Value::Number(_), marks) => match marks.own() {
                Some(Mark::Digits(digits)) => change.before_text(digits),
                _ => change.before(before.0),
            },
            (value, _) => change.before(value),
        };
        self.changes.push(change.after(after));
    }

    /// Whether all the schemas accept the value. `false` also where nobody can say any more.
    fn accepted(&mut self, places: impl IntoIterator<Item = Place<'s>>, value: &Value) -> bool {
        places.into_iter().all(|place| self.judge.accepts(place, value)) && self.judge.can_say()
    }

    /// Coerces a value by all the schemas that speak about it.
    fn value(&mut self, places: &[Place<'s>], value: &mut Value, marks: &mut Marks, at: &Path<'_>) {
        if !self.step() || self.level >= MAX_LEVELS {
            return;
        }
        self.level = self.level.saturating_add(1);
        let views = view::views(self.refs, self.draft, places);
        self.kind(&views, value, marks, at);
        self.allowed(&views, value, marks, at);
        match value {
            Value::Object(members) => self.members(&views, members, marks, at),
            Value::Array(items) => self.items(&views, items, marks, at),
            _ => {}
        }
        for view in views.iter() {
            for branches in view.words.choices.into_iter().flatten() {
                self.choice(view, branches, value, marks, at);
            }
        }
        self.level = self.level.saturating_sub(1);
    }
}
