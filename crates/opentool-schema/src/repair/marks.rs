//! How values were written, where the value alone does not tell: `1.10`, `02134`, `NaN`, a key that stands twice.
//!
//! Sparse, beside the value: most values need none. A schema that wants text gets the text that was there, not a
//! number's idea of it.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::exact::survives;

/// How one value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The digits of a number, where printing the number would give others.
    Digits(Box<str>),
    /// `NaN`, `Infinity`, `1e999`: a number that JSON has not.
    NoNumber,
}

/// The marks of a value and of the values inside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Marks(Option<Box<Marked>>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Marked {
    own: Option<Mark>,
    /// What the same key had before in the same object; the last one counts.
    earlier: Option<Value>,
    keys: HashMap<String, Marks>,
    items: BTreeMap<usize, Marks>,
}

impl Marked {
    fn none(&self) -> bool {
        self.own.is_none() && self.earlier.is_none() && self.keys.is_empty() && self.items.is_empty()
    }
}

impl Marks {
    pub(super) fn of(mark: Mark) -> Self {
        Self(Some(Box::new(Marked { own: Some(mark), ..Marked::default() })))
    }

    pub(crate) fn none(&self) -> bool {
        self.0.is_none()
    }

    /// The mark of the value itself.
    pub(crate) fn own(&self) -> Option<&Mark> {
        self.0.as_ref()?.own.as_ref()
    }

    /// Notes that the key of this value had another one before.
    pub(super) fn set_earlier(&mut self, earlier: Value) {
        self.0.get_or_insert_default().earlier = Some(earlier);
    }

    /// Notes those of the member `key`. The last one of a key counts, as it does for values.
    pub(crate) fn set_key(&mut self, key: &str, marks: Marks) {
        if !marks.none() {
            self.0.get_or_insert_default().keys.insert(key.to_owned(), marks);
        } else if !self.none() {
            self.take_key(key);
        }
    }

    /// Notes those of an item.
    pub(crate) fn set_item(&mut self, index: usize, marks: Marks) {
        if !marks.none() {
            self.0.get_or_insert_default().items.insert(index, marks);
        }
    }

    /// Takes those of the member `key` out.
    pub(crate) fn take_key(&mut self, key: &str) -> Marks {
        self.take(|marked| marked.keys.remove(key))
    }

    /// Takes those of an item out.
    pub(crate) fn take_item(&mut self, index: usize) -> Marks {
        self.take(|marked| marked.items.remove(&index))
    }

    fn take(&mut self, out: impl FnOnce(&mut Marked) -> Option<Self>) -> Self {
        let Some(marked) = &mut self.0 else { return Self::default() };
        let taken = out(marked).unwrap_or_default();
        if marked.none() {
            self.0 = None;
        }
        taken
    }

    /// The numbers that were rounded when they were read: where they stand, and how they were written. Sorted.
    pub(crate) fn lost(&self) -> Vec<(String, &str)> {
        let mut lost = Vec::new();
        self.visit(&mut String::new(), &mut |at, marked| {
            if let Some(Mark::Digits(digits)) = &marked.own
                && !digits.starts_with("0x")
                && !digits.starts_with("0X")
                && !survives(&digits.replace('_', ""))
            {
                lost.push((at.to_owned(), &**digits));
            }
        });
        lost.sort();
        lost
    }

    /// The pointer of some value that is no number of JSON.
    pub(crate) fn no_number(&self) -> Option<String> {
        self.no_numbers().into_iter().next()
    }

    /// The pointers of all values that are no numbers of JSON. Sorted.
    pub(crate) fn no_numbers(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.visit(&mut String::new(), &mut |at, marked| {
            if marked.own == Some(Mark::NoNumber) {
                found.push(at.to_owned());
            }
        });
        found.sort();
        found
    }

    /// The members whose key stood before in the same object: where they stand, and the value before. Sorted.
    pub(crate) fn repeated(&self) -> Vec<(String, &Value)> {
        let mut repeated = Vec::new();
        self.visit(&mut String::new(), &mut |at, marked| {
            if let Some(earlier) = &marked.earlier {
                repeated.push((at.to_owned(), earlier));
            }
        });
        repeated.sort_by(|a, b| a.0.cmp(&b.0));
        repeated
    }

    /// Shows every mark with its pointer. No deeper than the text that was read.
    fn visit<'m>(&'m self, at: &mut String, look: &mut dyn FnMut(&str, &'m Marked)) {
        let Some(marked) = &self.0 else { return };
        look(at, marked);
        let before = at.len();
        for (key, marks) in &marked.keys {
            at.push('/');
            at.push_str(&key.replace('~', "~0").replace('/', "~1"));
            marks.visit(at, look);
            at.truncate(before);
        }
        for (index, marks) in &marked.items {
            at.push('/');
            at.push_str(&index.to_string());
            marks.visit(at, look);
            at.truncate(before);
        }
    }
}
