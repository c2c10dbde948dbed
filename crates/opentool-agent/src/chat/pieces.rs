//! Calls that come in fragments, in whatever order a server sends them.
//!
//! Servers number the calls of an answer, or give each an id, or neither; some number all of them 0, begin with empty
//! fragments, repeat names, or send arguments as objects. What belongs together is decided here, once.

use opentool_core::ReplyEvent;
use serde_json::Value;

/// The most calls of one answer that are put together; fragments of more are dropped.
const MOST: usize = 512;

/// The calls of an answer that is being put together.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

/// One call.
#[derive(Debug, Default)]
pub(super) struct Call {
    number: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// How many bytes of the arguments were told; none before the name was.
    told: Option<usize>,
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

impl Calls {
    /// Takes a fragment; adds what it tells.
    pub(super) fn take(&mut self, fragment: Fragment<'_>, told: &mut Vec<ReplyEvent>) {
        let Some(index) = self.place(&fragment) else { return };
        let Some(call) = self.0.get_mut(index).filter(|call| !call.repeats(&fragment)) else { return };
        if call.id.is_empty() {
            fragment.id.clone_into(&mut call.id);
        }
        // A name in two halves; but one that is said again with every fragment is one name.
        if call.name != fragment.name && (call.name.is_empty() || call.arguments.is_empty()) {
            call.name.push_str(fragment.name);
        }
        match fragment.arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => call.arguments.push_str(text),
            Some(whole) => call.arguments = whole.to_string(),
        }
        call.tell(index, told);
    }

    /// The calls, in the order in which they began.
    pub(super) fn into_list(self) -> Vec<Call> {
        self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of the call that a fragment belongs to; of a new one, if it begins one.
    fn place(&mut self, fragment: &Fragment<'_>) -> Option<usize> {
        // An id that stands under two numbers is that of two calls: some servers put the name of the tool there.
        let is_other = |call: &Call| {
            let number = fragment.number.filter(|_| !fragment.name.is_empty());
            number.is_some_and(|number| call.number.is_some_and(|own| own != number))
        };
        let known = |id: &str| {
            let place = || self.0.iter().rposition(|call| call.id == id && !is_other(call));
            (!id.is_empty()).then(place).flatten()
        };
        // Of several calls with one number the last one is still being written.
        let numbered =
            fragment.number.and_then(|number| self.0.iter().rposition(|call| call.number == Some(number)));
        let candidate = match (known(fragment.id), numbered) {
            // The number says more than the id, unless all calls have the same one.
            (_, Some(place)) if self.0.get(place).is_some_and(|call| call.is_named(fragment.id)) => {
                Some(place)
            }
            (Some(place), _) => Some(place),
            (None, Some(place)) => Some(place),
            // Only what says nothing about its call belongs to the last one.
            (None, None) if fragment.number.is_none() && fragment.id.is_empty() => {
                self.0.len().checked_sub(1)
            }
            (None, None) => None,
        };
        let place = candidate.filter(|place| self.0.get(*place).is_some_and(|call| !call.is_over(fragment)));
        if place.is_some() {
            return place;
        }
        if self.0.len() >= MOST {
            return None;
        }
        self.0.push(Call { number: fragment.number, ..Call::default() });
        self.0.len().checked_sub(1)
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
            && serde_json::from_str::<Value>(&self.arguments).is_ok_and(|whole| whole.is_object())
            && match fragment.arguments {
                Some(Value::String(text)) => *text == self.arguments,
                Some(whole) => serde_json::from_str::<Value>(&self.arguments).is_ok_and(|own| own == *whole),
                None => false,
            }
    }

    /// Whether a fragment that seems to be of this call begins another one.
    fn is_over(&self, fragment: &Fragment<'_>) -> bool {
        if !fragment.id.is_empty() && !self.id.is_empty() && fragment.id != self.id {
            return true;
        }
        // A name behind whole arguments begins the next call, also where all have one id; but not if it is all said again.
        !fragment.name.is_empty()
            && !self.name.is_empty()
            && serde_json::from_str::<Value>(&self.arguments).is_ok_and(|whole| whole.is_object())
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
