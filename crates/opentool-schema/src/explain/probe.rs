//! Single keywords in compiled form, for what plain comparison cannot judge.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::validator::build;

/// The compiled keywords of one schema, made when they are first asked and kept with it; a piece that does not compile
/// alone is `None`, and judges nothing.
#[derive(Debug, Default)]
pub(crate) struct Probes(Mutex<Compiled>);

#[derive(Debug, Default)]
struct Compiled {
    /// By the address of the keyword's value in the schema.
    keywords: HashMap<usize, Arc<Option<Validator>>>,
    patterns: HashMap<String, Arc<Option<Validator>>>,
}

impl Probes {
    /// Whether the keyword alone accepts the value; `true` where it cannot be asked alone.
    pub(super) fn accepts(&self, keyword: &str, argument: &Value, draft: Draft, value: &Value) -> bool {
        let address = std::ptr::from_ref(argument).addr();
        let known = self.compiled().keywords.get(&address).cloned();
        // Nobody waits for the compiler, who may take long; at worst two make the same.
        let probe = known.unwrap_or_else(|| {
            let made = Arc::new(compiled(keyword, argument.clone(), draft));
            self.compiled().keywords.insert(address, Arc::clone(&made));
            made
        });
        probe.as_ref().as_ref().is_none_or(|probe| probe.is_valid(value))
    }

    /// Whether the pattern matches the key.
    pub(super) fn matches(&self, pattern: &str, draft: Draft, key: &str) -> bool {
        let known = self.compiled().patterns.get(pattern).cloned();
        let probe = known.unwrap_or_else(|| {
            let made = Arc::new(compiled("pattern", pattern.into(), draft));
            self.compiled().patterns.insert(pattern.to_owned(), Arc::clone(&made));
            made
        });
        probe.as_ref().as_ref().is_some_and(|probe| probe.is_valid(&Value::String(key.to_owned())))
    }

    fn compiled(&self) -> MutexGuard<'_, Compiled> {
        // Whoever panicked with the lock had only begun or ended to put something in.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compiled(keyword: &str, argument: Value, draft: Draft) -> Option<Validator> {
    let schema: Map<String, Value> = [(keyword.to_owned(), argument)].into_iter().collect();
    build(&Value::Object(schema), draft).ok()
}
