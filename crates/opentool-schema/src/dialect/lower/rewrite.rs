//! What was changed in a definition, and what that means for calls.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

/// What a change means for the arguments that a model may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// Nothing: every value can still be written, in its own form or in one that [`crate::Decoder`] takes back.
    Exact,
    /// A text or a hint is gone or stands elsewhere.
    Hint,
    /// The provider no longer enforces it. It is still enforced here, before the tool runs.
    Wider,
    /// Some valid arguments can no longer be written.
    Narrower,
}

impl Effect {
    /// `exact`, `hint`, `wider`, `narrower`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Hint => "hint",
            Self::Wider => "wider",
            Self::Narrower => "narrower",
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewrite {
    /// The JSON Pointer of the schema in the tool's input schema; empty for its root.
    pub pointer: String,
    /// The keyword that was changed; `name` and `description` where it is the tool's own.
    pub keyword: String,
    /// What it means.
    pub effect: Effect,
    /// What was done.
    pub done: Cow<'static, str>,
}

impl Rewrite {
    /// Whether something is lost.
    pub fn is_loss(&self) -> bool {
        self.effect != Effect::Exact
    }
}

/// `{pointer, keyword, effect, done}`.
impl From<&Rewrite> for Value {
    fn from(rewrite: &Rewrite) -> Self {
        let mut members = Map::new();
        members.insert("pointer".to_owned(), rewrite.pointer.as_str().into());
        members.insert("keyword".to_owned(), rewrite.keyword.as_str().into());
        members.insert("effect".to_owned(), rewrite.effect.as_str().into());
        members.insert("done".to_owned(), rewrite.done.as_ref().into());
        Value::Object(members)
    }
}

/// The changes so far. The same one is listed once, however often a definition is used.
#[derive(Debug, Default)]
pub(crate) struct Rewrites {
    list: Vec<Rewrite>,
    seen: HashSet<(String, String, Effect)>,
}

/// How many are listed: a schema of 100,000 values would list as many.
const MOST: usize = 2_000;

impl Rewrites {
    /// Whether no more are listed.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    pub(crate) fn push(
        &mut self,
        pointer: &str,
        keyword: &str,
        effect: Effect,
        done: impl Into<Cow<'static, str>>,
    ) {
        if self.is_full() || !self.seen.insert((pointer.to_owned(), keyword.to_owned(), effect)) {
            return;
        }
        self.list.push(Rewrite {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            effect,
            done: done.into(),
        });
    }

    /// The changes with pointers that lead somewhere in the schema as it came.
    pub(crate) fn finish(self, original: &Value) -> Vec<Rewrite> {
        let mut list = self.list;
        for rewrite in &mut list {
            if original.pointer(&rewrite.pointer).is_some() {
                continue;
            }
            // What older drafts wrote elsewhere.
            let older = rewrite
                .pointer
                .replace("/prefixItems/", "/items/")
                .replace("/dependentSchemas/", "/dependencies/");
            rewrite.pointer = older;
            while original.pointer(&rewrite.pointer).is_none() {
                let cut = rewrite.pointer.rfind('/').unwrap_or_default();
                rewrite.pointer.truncate(cut);
            }
        }
        list
    }
}
