//! JSON Pointers: writing one while walking through a document.
//!
//! Resolving one is `serde_json::Value::pointer`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The place where a walk is, as a pointer that grows and shrinks without allocating anew.
#[derive(Debug, Clone, Default)]
pub struct Pointer(String);

/// Where a walk was: what [`Pointer::back`] returns to.
#[derive(Debug, Clone, Copy)]
pub struct Mark(usize);

impl Pointer {
    /// Starts at this pointer.
    pub fn at(pointer: impl Into<String>) -> Self {
        Self(pointer.into())
    }

    /// Goes to a member.
    pub fn enter(&mut self, member: &str) -> Mark {
        let mark = Mark(self.0.len());
        push(&mut self.0, member);
        mark
    }

    /// Goes to an item of a list.
    pub fn enter_item(&mut self, index: usize) -> Mark {
        let mark = Mark(self.0.len());
        // Writing to a string cannot fail.
        let _ = write!(self.0, "/{index}");
        mark
    }

    /// Goes back to where `enter` was called.
    pub fn back(&mut self, mark: Mark) {
        self.0.truncate(mark.0);
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The pointer of a member of the thing at `pointer`.
pub fn join(pointer: &str, member: &str) -> String {
    let mut joined = String::with_capacity(pointer.len().saturating_add(member.len()).saturating_add(1));
    joined.push_str(pointer);
    push(&mut joined, member);
    joined
}

fn push(pointer: &mut String, member: &str) {
    pointer.push('/');
    if !member.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        pointer.push_str(member);
        return;
    }
    for c in member.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The members that a pointer goes through.
pub fn members(pointer: &str) -> impl Iterator<Item = String> + '_ {
    names(pointer).map(Cow::into_owned)
}

/// The same, borrowed where nothing is escaped.
pub(crate) fn names(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|member| {
        if member.contains('~') {
            Cow::Owned(member.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(member)
        }
    })
}
