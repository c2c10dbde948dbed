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
    /// The keyword that was changed; `name` and `description` where it is the tool's own; `more` in the last of a list that
    /// leaves others out.
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
    /// The worst of those that are not listed.
    unlisted: Option<Effect>,
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
        let what = (pointer.to_owned(), keyword.to_owned(), effect);
        if self.seen.contains(&what) {
            return;
        }
        if self.is_full() {
            self.unlisted = self.unlisted.max(Some(effect));
            return;
        }
        self.seen.insert(what);
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
        // As bad as what it stands for: a loss that is not listed is a loss.
        list.extend(self.unlisted.map(|effect| Rewrite {
            pointer: String::new(),
            keyword: "more".to_owned(),
            effect,
            done: format!("more was changed than is listed: these are the first {MOST}").into(),
        }));
        list
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Effect, MOST, Rewrites};

    #[test]
    fn what_is_not_listed_is_told_as_what_it_is() {
        let listed = |worst: &[Effect]| {
            let mut rewrites = Rewrites::default();
            for i in 0..MOST {
                rewrites.push(&format!("/properties/p{i}"), "properties", Effect::Exact, "is another");
            }
            for (i, effect) in worst.iter().enumerate() {
                rewrites.push(&format!("/properties/q{i}"), "minimum", *effect, "gone");
            }
            // The same again is nothing more.
            rewrites.push("/properties/p0", "properties", Effect::Exact, "is another");
            rewrites.finish(&json!({}))
        };
        assert_eq!(listed(&[]).len(), MOST);
        let more = listed(&[Effect::Exact, Effect::Wider, Effect::Hint]);
        assert_eq!(more.len(), MOST + 1);
        let last = more.last().unwrap();
        assert_eq!((last.keyword.as_str(), last.effect, last.is_loss()), ("more", Effect::Wider, true));
    }
}
