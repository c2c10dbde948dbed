//! The value of an answer: the first of several that its schema allows, kept while its operation is.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::Fault;
use super::schema::Judge;

/// How many values are kept for one operation; clients choose seeds as they like.
const KEPT: usize = 8;

/// The most that is said about a value that does not fit.
const MOST_FAULTS: usize = 3;

/// Where faults of an answer stand.
const BASE: &str = "/response/body";

/// The value of an answer.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) value: Value,
    /// What its schema says against it, where none of the values fits.
    pub(super) faults: Vec<Fault>,
}

impl Made {
    /// The first value that the schema allows; if there is none the first, with what is wrong with it.
    pub(super) fn first_that_fits(schema: Option<Value>, values: impl IntoIterator<Item = Value>) -> Self {
        let mut values = values.into_iter();
        let first = values.next().unwrap_or(Value::Null);
        let Some(judge) = schema.map(Judge::ready) else { return Self { value: first, faults: Vec::new() } };
        if judge.accepts(&first) {
            return Self { value: first, faults: Vec::new() };
        }
        if let Some(value) = values.find(|value| judge.accepts(value)) {
            return Self { value, faults: Vec::new() };
        }
        let mut faults = Vec::new();
        judge.check(&first, BASE, &mut faults);
        faults.truncate(MOST_FAULTS);
        Self { value: first, faults: faults.into_iter().map(Fault::note).collect() }
    }
}

/// Which value: the place of its media type, the media type, the seed, and the name of the example.
type Key = (String, String, u64, Option<String>);

/// Values that were made before.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Vec<(Key, Arc<Made>)>>);

impl Kept {
    /// The value, made if it is not there.
    pub(super) fn get(&self, key: Key, make: impl FnOnce() -> Made) -> Arc<Made> {
        let known = self.all().iter().find(|(known, _)| *known == key).map(|(_, made)| Arc::clone(made));
        known.unwrap_or_else(|| {
            let made = Arc::new(make());
            let mut all = self.all();
            if all.len() >= KEPT {
                all.remove(0);
            }
            all.push((key, Arc::clone(&made)));
            made
        })
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<(Key, Arc<Made>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
