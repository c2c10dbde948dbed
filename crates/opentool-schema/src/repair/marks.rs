//! How values were written, where the value alone does not tell: `1.10`, `02134`, `NaN`.
//!
//! Sparse, beside the value: most values need none. A schema that wants text gets the text that was there, not a
//! number's idea of it.

use std::collections::{BTreeMap, HashMap};

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
pub(crate) struct Marks {
    own: Option<Mark>,
    keys: HashMap<String, Marks>,
    items: BTreeMap<usize, Marks>,
}

impl Marks {
    pub(super) fn of(mark: Mark) -> Self {
        Self { own: Some(mark), ..Self::default() }
    }

    pub(crate) fn none(&self) -> bool {
        self.own.is_none() && self.keys.is_empty() && self.items.is_empty()
    }

    /// The mark of the value itself.
    pub(crate) fn own(&self) -> Option<&Mark> {
        self.own.as_ref()
    }

    /// Notes those of the member `key`. The last one of a key counts, as it does for values.
    pub(crate) fn set_key(&mut self, key: &str, marks: Marks) {
        if marks.none() {
            if !self.keys.is_empty() {
                self.keys.remove(key);
            }
        } else {
            self.keys.insert(key.to_owned(), marks);
        }
    }

    pub(super) fn set_item(&mut self, index: usize, marks: Marks) {
        if !marks.none() {
            self.items.insert(index, marks);
        }
    }

    /// Notes those of an item.
    pub(crate) fn put_item(&mut self, index: usize, marks: Marks) {
        self.set_item(index, marks);
    }

    /// Takes those of the member `key` out.
    pub(crate) fn take_key(&mut self, key: &str) -> Marks {
        self.keys.remove(key).unwrap_or_default()
    }

    /// Takes those of an item out.
    pub(crate) fn take_item(&mut self, index: usize) -> Marks {
        self.items.remove(&index).unwrap_or_default()
    }

    /// The numbers that were rounded when they were read: where they stand, and how they were written. Sorted.
    pub(crate) fn lost(&self) -> Vec<(String, &str)> {
        let mut lost = Vec::new();
        if !self.none() {
            self.add_lost("", &mut lost);
            lost.sort();
        }
        lost
    }

    fn add_lost<'m>(&'m self, at: &str, lost: &mut Vec<(String, &'m str)>) {
        if let Some(Mark::Digits(digits)) = &self.own
            && !digits.starts_with("0x")
            && !digits.starts_with("0X")
            && !survives(&digits.replace('_', ""))
        {
            lost.push((at.to_owned(), digits));
        }
        for (key, marks) in &self.keys {
            marks.add_lost(&format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), lost);
        }
        for (index, marks) in &self.items {
            marks.add_lost(&format!("{at}/{index}"), lost);
        }
    }

    /// The pointer of some value that is no number of JSON.
    pub(crate) fn no_number(&self) -> Option<String> {
        if self.own == Some(Mark::NoNumber) {
            return Some(String::new());
        }
        let keys = self.keys.iter().filter_map(|(key, marks)| {
            let inner = marks.no_number()?;
            Some(format!("/{}{inner}", key.replace('~', "~0").replace('/', "~1")))
        });
        let items =
            self.items.iter().filter_map(|(index, marks)| Some(format!("/{index}{}", marks.no_number()?)));
        keys.min().or_else(|| items.min())
    }
}
