//! A list that mostly has one item, which then needs no memory of its own.

use std::ops::Deref;

/// None, one or several.
#[derive(Debug, Clone)]
pub(super) enum Few<T> {
    None,
    One([T; 1]),
    Many(Vec<T>),
}

impl<T> Few<T> {
    pub(super) fn one(item: T) -> Self {
        Self::One([item])
    }

    pub(super) fn push(&mut self, item: T) {
        *self = match std::mem::replace(self, Self::None) {
            Self::None => Self::One([item]),
            Self::One([first]) => Self::Many(vec![first, item]),
            Self::Many(mut items) => {
                items.push(item);
                Self::Many(items)
            }
        };
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(item) => item,
            Self::Many(items) => items,
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Self::None;
        for item in items {
            few.push(item);
        }
        few
    }
}
