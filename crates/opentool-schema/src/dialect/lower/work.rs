//! What lowering one tool may cost: one budget from the first look to the last copy.
//!
//! Three kilobytes can stand for 2^40 schemas, and where they do not, for as many comparisons or copies of what was
//! made once. So everything that is not plainly in proportion to the schema as it came pays here, by count and not by
//! the clock: the same schema is refused on every machine, or on none. Bounds on depth are elsewhere, with what recurs.

use serde_json::{Map, Value};

use crate::SchemaError;

/// What every tool has, however small: a few hundredths of a second.
const BASE: usize = 400_000;
/// What it has more for each value in its schema, so that the cost grows as the schema does and no faster.
const EACH: usize = 40;
/// Bytes that are copied for one unit.
const BYTES: usize = 32;

/// The budget. One unit is about a keyword that is looked at, or 32 bytes that are copied.
#[derive(Debug)]
pub(crate) struct Work {
    left: usize,
    most: usize,
}

impl Work {
    /// The budget for a schema.
    pub(crate) fn of(schema: &Value) -> Self {
        let most = BASE.saturating_add(weight(schema).saturating_mul(EACH));
        Self { left: most, most }
    }

    /// Pays for work.
    ///
    /// # Errors
    /// [`SchemaError::TooComplex`] at this pointer where not so much is left.
    pub(crate) fn spend(&mut self, units: usize, pointer: &str) -> Result<(), SchemaError> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                let most = self.most;
                let message = format!("written out for this provider it takes more than {most} steps");
                Err(SchemaError::TooComplex { pointer: pointer.into(), message: message.into() })
            }
        }
    }

    /// Notes work that is done: the next to pay finds that so much less is left.
    pub(crate) fn owe(&mut self, units: usize) {
        self.left = self.left.saturating_sub(units);
    }

    /// What is left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// What has been spent.
    #[cfg(test)]
    pub(crate) fn spent(&self) -> usize {
        self.most.saturating_sub(self.left)
    }
}

/// What it costs to copy a text.
pub(crate) fn bytes(text: &str) -> usize {
    text.len() / BYTES
}

/// What it costs to copy a value.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Object(members) => weight_of(members),
        Value::Array(items) => items.iter().fold(1, |sum, item| sum.saturating_add(weight(item))),
        Value::String(text) => bytes(text).saturating_add(1),
        _ => 1,
    }
}

/// What it costs to copy an object.
pub(crate) fn weight_of(members: &Map<String, Value>) -> usize {
    members.iter().fold(2, |sum, (key, member)| {
        sum.saturating_add(bytes(key)).saturating_add(1).saturating_add(weight(member))
    })
}
