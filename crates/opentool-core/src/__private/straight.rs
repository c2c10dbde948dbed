//! Reads arguments straight from the text of a call, without a map in between.
//!
//! Only where that is sure to mean the same: the text has the arguments in the order of the parameters and nothing
//! else, and each type is one whose reading accepts exactly what its schema does. Everything else is left to the
//! ordinary way, which explains what is wrong.

use std::str::FromStr;

use serde::de::DeserializeOwned;

use super::Argument;

/// The text of a call, while it is read.
#[derive(Debug)]
pub struct Straight<'t> {
    rest: &'t str,
    first: bool,
}

impl<'t> Straight<'t> {
    /// Starts to read an object.
    pub fn new(text: &'t str) -> Option<Self> {
        Some(Self { rest: blank(text).strip_prefix('{')?, first: true })
    }

    /// The value of the next member, if it has this name. The name needs no escapes in JSON.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let value = self.value_of(name)?;
        let mut values = serde_json::Deserializer::from_str(value).into_iter();
        let read = values.next()?.ok()?;
        self.rest = value.get(values.byte_offset()..)?;
        self.first = false;
        Some(read)
    }

    /// Like `take`, for integers: written as JSON writes them, and within the type.
    fn take_integer<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let value = blank(self.value_of(name)?);
        let length = value.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
        let (token, rest) = value.split_at_checked(length)?;
        let digits = token.strip_prefix('-').unwrap_or(token);
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let read = token.parse().ok()?;
        self.rest = rest;
        self.first = false;
        Some(read)
    }

    /// The text after the name and the colon, if the next member has this name.
    fn value_of(&self, name: &str) -> Option<&'t str> {
        let rest = blank(self.rest);
        let rest = if self.first { rest } else { blank(rest.strip_prefix(',')?) };
        blank(rest.strip_prefix('"')?.strip_prefix(name)?.strip_prefix('"')?).strip_prefix(':')
    }

    /// Whether the object and the text end here.
    pub fn end(self) -> Option<()> {
        blank(blank(self.rest).strip_prefix('}')?).is_empty().then_some(())
    }
}

/// Without the white space of JSON at the front.
fn blank(text: &str) -> &str {
    text.trim_start_matches([' ', '\n', '\r', '\t'])
}

/// Types whose reading accepts exactly what their schema does.
macro_rules! straight {
    ($take:ident: $($ty:ty),*) => {$(
        impl Argument<$ty> {
            /// The argument, if it stands next in the text.
            pub fn read_straight(self, text: &mut Straight<'_>, name: &'static str) -> Option<$ty> {
                text.$take(name)
            }
        }

        impl Argument<Option<$ty>> {
            /// The argument, if it stands next in the text; nothing if it does not.
            pub fn read_straight(self, text: &mut Straight<'_>, name: &'static str) -> Option<Option<$ty>> {
                match text.value_of(name) {
                    Some(value) if blank(value).starts_with("null") => text.take(name),
                    Some(_) => text.$take(name).map(Some),
                    None => Some(None),
                }
            }
        }
    )*};
}

straight!(take: bool, f64, String);
straight!(take_integer: i8, i16, i32, i64, u8, u16, u32, u64);

/// What steps in for all other types.
pub trait NotStraight<T>: Sized {
    /// Nothing: the ordinary way is taken.
    fn read_straight(self, _text: &mut Straight<'_>, _name: &'static str) -> Option<T> {
        None
    }
}

impl<T> NotStraight<T> for Argument<T> {}
