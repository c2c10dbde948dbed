//! What a JSON text is read into: a value of its own, or a tree that borrows.

use std::borrow::Cow;

use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::Tree;
use crate::tree::Members;

/// Something that JSON can be read into. The texts of `'t` live as long as what is read.
pub(crate) trait Build<'t>: Sized {
    /// An object whose members are still being read.
    type Open: Default;

    fn null() -> Self;
    fn boolean(value: bool) -> Self;
    fn number(number: Number) -> Self;
    fn text(text: Cow<'t, str>) -> Self;
    fn list(items: Vec<Self>) -> Self;
    /// Adds a member; `twice` hears of a name that is there already. The last one counts.
    fn add(open: &mut Self::Open, name: Cow<'t, str>, member: Self, twice: &mut impl FnMut(&str));
    /// The object is complete; `twice` hears of names that were not told of before.
    fn close(open: Self::Open, twice: &mut impl FnMut(&str)) -> Self;
}

impl<'t> Build<'t> for Value {
    type Open = Map<String, Self>;

    fn null() -> Self {
        Self::Null
    }

    fn boolean(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(number: Number) -> Self {
        Self::Number(number)
    }

    fn text(text: Cow<'t, str>) -> Self {
        Self::String(text.into_owned())
    }

    fn list(mut items: Vec<Self>) -> Self {
        // A document is read once and kept long.
        items.shrink_to_fit();
        Self::Array(items)
    }

    fn add(open: &mut Self::Open, name: Cow<'t, str>, member: Self, twice: &mut impl FnMut(&str)) {
        match open.entry(name.into_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(member);
            }
            Entry::Occupied(mut entry) => {
                twice(entry.key());
                entry.insert(member);
            }
        }
    }

    fn close(open: Self::Open, _: &mut impl FnMut(&str)) -> Self {
        Self::Object(open)
    }
}

impl<'t> Build<'t> for Tree<'t> {
    type Open = Vec<(Cow<'t, str>, Self)>;

    fn null() -> Self {
        Self::Null
    }

    fn boolean(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(number: Number) -> Self {
        Self::Number(number)
    }

    fn text(text: Cow<'t, str>) -> Self {
        Self::String(text)
    }

    fn list(items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn add(open: &mut Self::Open, name: Cow<'t, str>, member: Self, _: &mut impl FnMut(&str)) {
        open.push((name, member));
    }

    fn close(open: Self::Open, twice: &mut impl FnMut(&str)) -> Self {
        Self::Object(Members::new(open, twice))
    }
}
