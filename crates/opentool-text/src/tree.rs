//! A value that borrows its texts from what was read: for those who look at a document once and keep nothing of it.
//!
//! A linter reads megabytes, has a handful of things to say, and throws the rest away; with a [`Value`] more than half of its
//! time goes into making and freeing the texts of its own that nobody wanted. This is no second model of JSON: what is
//! kept, changed or handed on is a [`Value`], and [`Tree::to_value`] makes one.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde_json::{Map, Number, Value};

/// A JSON value whose texts stand in the text that it was read from, wherever they stand there as they are meant.
///
/// The kinds of JSON are these six, so it may be matched as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(Cow<'t, str>),
    /// A list.
    Array(Vec<Tree<'t>>),
    /// An object.
    Object(Members<'t>),
}

/// The members of an object, in the order of the text.
#[derive(Debug, Clone)]
pub struct Members<'t>(Entries<'t>);

type Entry<'t> = (Cow<'t, str>, Tree<'t>);

#[derive(Debug, Clone)]
enum Entries<'t> {
    /// So few that they are looked through.
    Few(Vec<Entry<'t>>),
    Many(Box<Many<'t>>),
}

#[derive(Debug, Clone)]
struct Many<'t> {
    entries: Vec<Entry<'t>>,
    /// The numbers of the entries in the order of their names; of equal names, in that of the text.
    sorted: Vec<usize>,
}

impl<'t> Tree<'t> {
    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Members<'t>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// What it is, in words for a message: `a number`, `a list`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => crate::kind(&Value::Null),
            Self::Bool(_) => crate::kind(&Value::Bool(true)),
            Self::Number(_) => crate::kind(&Value::Number(0.into())),
            Self::String(_) => crate::kind(&Value::String(String::new())),
            Self::Array(_) => crate::kind(&Value::Array(Vec::new())),
            Self::Object(_) => crate::kind(&Value::Object(Map::new())),
        }
    }

    /// The same as a value of its own.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::String(text) => Value::String(text.to_string()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, member)| (name.to_owned(), member.to_value())).collect()
            }
        }
    }
}

impl<'t> Members<'t> {
    /// Objects with fewer members are looked through: it takes half the time of anything else.
    const FEW: usize = 16;

    /// These members. Of equal names the last value counts, in the place of the first; `twice` hears of each.
    pub(crate) fn new(entries: Vec<Entry<'t>>, mut twice: impl FnMut(&str)) -> Self {
        let members = Entries::new(entries);
        if !members.repeat() {
            return Self(members);
        }
        Self(Entries::new(last_of_equal(members.into_vec(), &mut twice)))
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Tree<'t>> {
        self.entry(name).map(|(_, member)| member)
    }

    /// The name and the member of this name; the name is that of the object.
    pub fn entry(&self, name: &str) -> Option<(&str, &Tree<'t>)> {
        let entry = match &self.0 {
            Entries::Few(entries) => entries.iter().find(|(other, _)| other == name),
            Entries::Many(many) => {
                let name_of = |at: &usize| many.entries.get(*at).map_or("", |(name, _)| name);
                let found = many.sorted.binary_search_by(|at| name_of(at).cmp(name)).ok()?;
                many.entries.get(*many.sorted.get(found)?)
            }
        };
        entry.map(|(name, member)| (&**name, member))
    }

    /// Whether there is a member of this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The names and members.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Tree<'t>)> {
        self.entries().iter().map(|(name, member)| (&**name, member))
    }

    /// The names.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    fn entries(&self) -> &[Entry<'t>] {
        match &self.0 {
            Entries::Few(entries) => entries,
            Entries::Many(many) => &many.entries,
        }
    }
}

/// As in JSON, the order of members does not count.
impl PartialEq for Members<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, member)| other.get(name) == Some(member))
    }
}

/// The same value, its texts borrowed.
impl<'v> From<&'v Value> for Tree<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                let entries =
                    members.iter().map(|(name, member)| (Cow::Borrowed(&**name), Self::from(member)));
                Self::Object(Members::new(entries.collect(), |_| {}))
            }
        }
    }
}

/// The same value, its texts taken over.
impl From<Value> for Tree<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(Cow::Owned(text)),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                let entries =
                    members.into_iter().map(|(name, member)| (Cow::Owned(name), Self::from(member)));
                Self::Object(Members::new(entries.collect(), |_| {}))
            }
        }
    }
}

/// As JSON, in one line.
impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_value(), f)
    }
}

impl<'t> Entries<'t> {
    fn new(entries: Vec<Entry<'t>>) -> Self {
        if entries.len() <= Members::FEW {
            return Self::Few(entries);
        }
        let mut sorted: Vec<(usize, &str)> = entries.iter().map(|(name, _)| &**name).enumerate().collect();
        sorted.sort_by_key(|(_, name)| *name);
        let sorted = sorted.into_iter().map(|(at, _)| at).collect();
        Self::Many(Box::new(Many { entries, sorted }))
    }

    /// Whether a name stands twice.
    fn repeat(&self) -> bool {
        match self {
            Self::Few(entries) => {
                let before = |at: usize, name: &str| entries.iter().take(at).any(|(other, _)| other == name);
                entries.iter().enumerate().any(|(at, (name, _))| before(at, name))
            }
            Self::Many(many) => {
                let names =
                    || many.sorted.iter().filter_map(|at| many.entries.get(*at)).map(|(name, _)| name);
                names().zip(names().skip(1)).any(|(one, next)| one == next)
            }
        }
    }

    fn into_vec(self) -> Vec<Entry<'t>> {
        match self {
            Self::Few(entries) => entries,
            Self::Many(many) => many.entries,
        }
    }
}

fn last_of_equal<'t>(entries: Vec<Entry<'t>>, twice: &mut impl FnMut(&str)) -> Vec<Entry<'t>> {
    let mut places: HashMap<Cow<'t, str>, usize> = HashMap::new();
    let mut kept: Vec<Entry<'t>> = Vec::with_capacity(entries.len());
    for (name, member) in entries {
        match places.get(&name).and_then(|at| kept.get_mut(*at)) {
            Some((_, first)) => {
                twice(&name);
                *first = member;
            }
            None => {
                places.insert(name.clone(), kept.len());
                kept.push((name, member));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Members, Tree};

    /// `n` members, and the third of them once more.
    fn members(n: usize) -> (Members<'static>, Vec<String>) {
        let names = (0..n).rev().map(|i| format!("m{i}")).chain([format!("m{}", n - 3)]);
        let entries = names.enumerate().map(|(at, name)| (name.into(), Tree::Number(at.into()))).collect();
        let mut twice = Vec::new();
        let members = Members::new(entries, |name| twice.push(name.to_owned()));
        (members, twice)
    }

    #[test]
    fn few_and_many_members_are_found_and_the_last_of_equal_ones_counts() {
        for n in [3, Members::FEW - 1, Members::FEW, Members::FEW + 1, 1_000] {
            let (members, twice) = members(n);
            assert_eq!(members.len(), n);
            assert_eq!(twice, [format!("m{}", n - 3)]);
            assert_eq!(members.keys().nth(2), Some(twice[0].as_str()), "it stays where it stood first");
            for i in 0..n {
                let wanted = if i == n - 3 { n } else { n - 1 - i };
                assert_eq!(members.get(&format!("m{i}")), Some(&Tree::Number(wanted.into())), "{i} of {n}");
            }
            assert_eq!(members.get("m"), None);
        }
    }
}
