//! Characters whose halves come in two events: put together before the events are read.
//!
//! JSON writes what lies beyond U+FFFF as two escapes, and some servers cut a text between them (`"a\ud83d"`, then
//! `"\ude00b"`): neither can be read. Only a half that ends a text is waited for, and only for one event: what stays half of
//! a character becomes U+FFFD where the event is read.

use std::borrow::Cow;

use opentool_schema::__private::escape;

/// The bytes of an escape of four digits.
const LENGTH: usize = 6;

/// The events of a stream on their way to the reader.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The event in which a text ends with the first half of a character.
    held: Option<String>,
}

impl Halves {
    /// Takes the next event; gives those that can be read now, in their order.
    pub(super) fn take<'e>(&mut self, event: &'e str) -> [Option<Cow<'e, str>>; 2] {
        let mut event = Cow::Borrowed(event);
        let held = self.held.take().map(|mut held| {
            if let (Some(first), Some(second)) = (first(&held), second(&event)) {
                let half: String = event.to_mut().drain(second..second.saturating_add(LENGTH)).collect();
                held.insert_str(first, &half);
            }
            Cow::Owned(held)
        });
        if first(&event).is_some() {
            self.held = Some(event.into_owned());
            return [held, None];
        }
        [held, Some(event)]
    }

    /// The event that waits; nothing more comes.
    pub(super) fn rest(&mut self) -> Option<String> {
        self.held.take()
    }
}

/// The place behind the first half of a character that ends a text.
fn first(event: &str) -> Option<usize> {
    let mut at = 0_usize;
    loop {
        at = at.saturating_add(event.get(at..)?.find('\\')?);
        let behind = at.saturating_add(LENGTH);
        at = match escape(event, at) {
            Some(0xD800..=0xDBFF) if is_second(event, behind) => behind.saturating_add(LENGTH),
            Some(0xD800..=0xDBFF) if event.get(behind..)?.starts_with('"') => return Some(behind),
            _ => at.saturating_add(2),
        };
    }
}

/// The place of the second half of a character that begins a text.
fn second(event: &str) -> Option<usize> {
    // A quote that is escaped begins none.
    let begins = |quote: &usize| !event.get(..*quote).is_some_and(|before| before.ends_with('\\'));
    let quotes = event.match_indices("\"\\").map(|(quote, _)| quote).filter(begins);
    quotes.map(|quote| quote.saturating_add(1)).find(|at| is_second(event, *at))
}

fn is_second(event: &str, at: usize) -> bool {
    matches!(escape(event, at), Some(0xDC00..=0xDFFF))
}
