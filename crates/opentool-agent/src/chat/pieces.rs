//! Calls that come in fragments, in whatever order a server sends them.
//!
//! Servers number the calls of an answer, or give each an id, or neither; some number all of them 0, begin with empty
//! fragments, repeat names, or send arguments as objects. What belongs together is decided here, once.

use std::collections::BTreeSet;

use opentool_core::ReplyEvent;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The most calls of one answer that are put together; fragments of more are dropped.
const MOST: usize = 512;

/// The calls of an answer that is being put together.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<Call>,
    /// How many lists of fragments began.
    lists: u64,
}

/// One call.
#[derive(Debug, Default)]
pub(super) struct Call {
    number: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    end: End,
    /// The list in which its name stood last.
    named_in: u64,
    /// How many bytes of the arguments were told; none before the name was.
    told: Option<usize>,
}

/// Whether the arguments that were written so far are a whole object. Found out with each byte, because what comes in
/// thousands of fragments cannot be read anew with each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum End {
    /// Nothing but white space so far.
    #[default]
    Before,
    /// Inside of so many brackets.
    Within { depth: usize, string: Text },
    /// The first bracket was closed, and nothing came behind it.
    Closed,
    /// It is no object.
    Other,
}

/// Whether a place in JSON text is inside of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    Escape,
}

impl End {
    fn after(self, byte: u8) -> Self {
        let (depth, string) = match self {
            Self::Before | Self::Closed if byte.is_ascii_whitespace() => return self,
            Self::Before if byte == b'{' => return Self::Within { depth: 1, string: Text::Outside },
            Self::Within { depth, string } => (depth, string),
            _ => return Self::Other,
        };
        let string = match (string, byte) {
            (Text::Escape, _) | (Text::Outside, b'"') => Text::Inside,
            (Text::Inside, b'\\') => Text::Escape,
            (Text::Inside, b'"') => return Self::Within { depth, string: Text::Outside },
            (other, _) => other,
        };
        let depth = match (string, byte) {
            (Text::Outside, b'{' | b'[') => depth.saturating_add(1),
            (Text::Outside, b'}' | b']') => depth.saturating_sub(1),
            _ => depth,
        };
        if depth == 0 { Self::Closed } else { Self::Within { depth, string } }
    }
}

/// A fragment of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fragment<'a> {
    /// The server's number of the call.
    pub(super) number: Option<u64>,
    /// Its id; empty for none.
    pub(super) id: &'a str,
    /// The name of the tool; empty for none.
    pub(super) name: &'a str,
    /// A part of the text of the arguments, or all of them as a value.
    pub(super) arguments: Option<&'a Value>,
}

impl Fragment<'_> {
    /// Whether it is what servers write that write every member: no call begins with it.
    fn says_nothing(&self) -> bool {
        let arguments = match self.arguments {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(_) => return false,
        };
        self.number.is_none() && [self.id, self.name, arguments].iter().all(|text| text.is_empty())
    }
}

impl Calls {
    /// A list of fragments begins: what is named in one list is several calls.
    pub(super) fn begin(&mut self) {
        self.lists = self.lists.saturating_add(1);
    }

    /// Takes a fragment; adds what it tells.
    pub(super) fn take(&mut self, fragment: Fragment<'_>, told: &mut Vec<ReplyEvent>) {
        let Some(index) = self.place(&fragment) else { return };
        let lists = self.lists;
        let Some(call) = self.list.get_mut(index).filter(|call| !call.repeats(&fragment)) else { return };
        call.number = call.number.or(fragment.number);
        if !fragment.name.is_empty() {
            call.named_in = lists;
        }
        if call.id.is_empty() {
            fragment.id.clone_into(&mut call.id);
        }
        // A name in two halves; but one that is said again with every fragment is one name.
        if call.name != fragment.name && (call.name.is_empty() || call.arguments.is_empty()) {
            call.name.push_str(fragment.name);
        }
        match fragment.arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => {
                let before = call.end;
                call.end = text.bytes().fold(before, End::after);
                call.arguments.push_str(text);
                // Read once only: what comes behind it makes it something else.
                if call.end == End::Closed
                    && before != End::Closed
                    && serde_json::from_str::<IgnoredAny>(&call.arguments).is_err()
                {
                    call.end = End::Other;
                }
            }
            Some(whole) => {
                call.end = if whole.is_object() { End::Closed } else { End::Other };
                call.arguments = whole.to_string();
            }
        }
        call.tell(index, told);
    }

    /// The calls in the order of their numbers, where each has its own; else in the order in which they began.
    pub(super) fn into_list(self) -> Vec<Call> {
        let mut calls = self.list;
        let numbers: BTreeSet<u64> = calls.iter().filter_map(|call| call.number).collect();
        if numbers.len() == calls.len() {
            calls.sort_by_key(|call| call.number);
        }
        calls
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The place of the call that a fragment belongs to; of a new one, if it begins one.
    fn place(&mut self, fragment: &Fragment<'_>) -> Option<usize> {
        // An id that stands under two numbers is that of two calls: some servers put the name of the tool there.
        let is_other = |call: &Call| {
            let number = fragment.number.filter(|_| !fragment.name.is_empty());
            number.is_some_and(|number| call.number.is_some_and(|own| own != number))
        };
        let known = |id: &str| {
            let place = || self.list.iter().rposition(|call| call.id == id && !is_other(call));
            (!id.is_empty()).then(place).flatten()
        };
        // Of several calls with one number the last one is still being written.
        let numbered =
            fragment.number.and_then(|number| self.list.iter().rposition(|call| call.number == Some(number)));
        let candidate = match (known(fragment.id), numbered) {
            // The number says more than the id, unless all calls have the same one.
            (_, Some(place)) if self.list.get(place).is_some_and(|call| call.is_named(fragment.id)) => {
                Some(place)
            }
            (Some(place), _) => Some(place),
            (None, Some(place)) => Some(place),
            // Only what says nothing about its call belongs to the last one.
            (None, None) if fragment.number.is_none() && fragment.id.is_empty() => {
                self.list.len().checked_sub(1)
            }
            // The first call, whose number comes late.
            (None, None) if fragment.number == Some(0) => self.list.len().checked_sub(1).filter(|last| {
                let is_it = |call: &Call| call.number.is_none() && call.is_named(fragment.id);
                *last == 0 && self.list.first().is_some_and(is_it)
            }),
            (None, None) => None,
        };
        let goes_on = |call: &Call| !call.is_over(fragment, self.lists);
        let place = candidate.filter(|place| self.list.get(*place).is_some_and(goes_on));
        if place.is_some() {
            return place;
        }
        if fragment.says_nothing() || self.list.len() >= MOST {
            return None;
        }
        self.list.push(Call { number: fragment.number, ..Call::default() });
        self.list.len().checked_sub(1)
    }
}

impl Call {
    /// Whether this is the call of an id, as far as both have one.
    fn is_named(&self, id: &str) -> bool {
        id.is_empty() || self.id.is_empty() || self.id == id
    }

    /// Whether a fragment says all of this call again, id and number included, as some servers do at the end.
    fn repeats(&self, fragment: &Fragment<'_>) -> bool {
        !self.id.is_empty()
            && !self.arguments.is_empty()
            && (fragment.number, fragment.id, fragment.name) == (self.number, &*self.id, &*self.name)
            && self.end == End::Closed
            && match fragment.arguments {
                Some(Value::String(text)) => *text == self.arguments,
                Some(whole) => serde_json::from_str::<Value>(&self.arguments).is_ok_and(|own| own == *whole),
                None => false,
            }
    }

    /// Whether number, id and name all say that a fragment is the next of this call.
    fn is_continued_by(&self, fragment: &Fragment<'_>) -> bool {
        fragment.number.is_some()
            && !fragment.id.is_empty()
            && (fragment.number, fragment.id, fragment.name) == (self.number, &*self.id, &*self.name)
            && self.end != End::Closed
    }

    /// Whether a fragment that seems to be of this call begins another one.
    fn is_over(&self, fragment: &Fragment<'_>, list: u64) -> bool {
        let is_named = !fragment.name.is_empty();
        if is_named && self.named_in == list && !self.repeats(fragment) {
            return !self.is_continued_by(fragment);
        }
        if !self.is_named(fragment.id) {
            // Some servers give every fragment an id of its own; that it is of the same call, its number says.
            let is_numbered = fragment.number.is_some() && fragment.number == self.number;
            let goes_on = !is_named || (fragment.name == self.name && self.end != End::Closed);
            return !(is_numbered && goes_on);
        }
        // A name behind whole arguments begins the next call, also where all have one id; but not if it is all said again.
        is_named
            && !self.name.is_empty()
            && self.end == End::Closed
            && !self.repeats(fragment)
            && fragment.arguments.is_none_or(|next| next.as_str().is_none_or(|text| text.trim() != ""))
    }

    /// Tells the start once the name is known, and the arguments after it.
    fn tell(&mut self, index: usize, told: &mut Vec<ReplyEvent>) {
        // A name may still grow until arguments come.
        if self.told.is_none() && !self.name.is_empty() {
            told.push(ReplyEvent::CallStarted { index, name: self.name.clone() });
            self.told = Some(0);
        }
        let Some(sent) = self.told else { return };
        if let Some(text) = self.arguments.get(sent..).filter(|text| !text.is_empty()) {
            told.push(ReplyEvent::Arguments { index, text: text.to_owned() });
            self.told = Some(self.arguments.len());
        }
    }
}
