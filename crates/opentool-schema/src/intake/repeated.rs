//! Keys that stand twice in one object.
//!
//! JSON leaves open what that means; nearly every reader takes the last one and says nothing. So does this one, but
//! it says so: the change is on the record, and the strict reading refuses. Which of two values was meant is for whoever
//! looks at the record.

use opentool_core::Problem;
use serde_json::Value;

use crate::change::{Change, Stage};
use crate::repair::{Marks, Written};
use crate::text::literal;

/// The rule of a change.
pub(super) const RULE: &str = "last of two values with one key";

/// Keys that are reported one by one.
const MOST: usize = 20;

/// Records those in a value that stands at a place of the arguments.
pub(crate) fn note(at: &str, value: &Value, marks: &Marks, changes: &mut Vec<Change>) {
    for (pointer, earlier) in marks.repeated().into_iter().take(MOST) {
        let Some(last) = value.pointer(&pointer) else { continue };
        changes.push(Change::new(Stage::Repair, format!("{at}{pointer}"), RULE).before(earlier).after(last));
    }
}

/// What is wrong with them where nothing is mended.
pub(super) fn problems(written: &Written) -> Vec<Problem> {
    let one = |(pointer, earlier): (String, _)| {
        let last = written.value.pointer(&pointer).map(literal).unwrap_or_default();
        Problem::new(pointer, "repeated")
            .expected("expected the key once")
            .found(format!("it twice, with {} and {last}", literal(earlier)))
    };
    written.marks.repeated().into_iter().take(MOST).map(one).collect()
}
