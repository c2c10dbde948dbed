//! Reads the arguments of a call straight from what the model wrote, without a map of their own in between.
//!
//! Only where that is sure to mean the same: there are the parameters and nothing else, in their order if the arguments
//! are a text, and each type is one whose reading accepts exactly what its schema does. Everything else is left to the
//! ordinary way, which explains what is wrong.

use serde_json::{Map, Value};

use super::Argument;

/// How long a decimal number in a text may be: so many digits survive in a double, whatever they are.
const SAFE: usize = 15;

/// How many digits an integer in a text may have: fewer than the longest of 64 bits.
const SHORT: usize = 18;

/// Integers up to this survive in a double.
const EXACT: u64 = 1 << 53;

/// A text in a map that is longer than this is better moved, by the ordinary way, than copied.
const LONG: usize = 1024;

/// More members than this are looked up faster by their hash.
const FEW: usize = 16;

/// The arguments of a call, while they are read.
#[derive(Debug)]
pub struct Straight<'c>(Source<'c>);

#[derive(Debug)]
enum Source<'c> {
    Text { rest: &'c str, first: bool },
    Members { members: &'c Map<String, Value>, left: usize },
}

/// What comes next.
#[derive(Debug)]
enum Next {
    Absent,
    Null,
    Value,
}

impl<'c> Straight<'c> {
    /// Starts to read an object, or the text of one.
    pub fn new(arguments: &'c Value) -> Option<Self> {
        Some(Self(match arguments {
            Value::String(text) => Source::Text { rest: after(blank(text), b'{')?, first: true },
            Value::Object(members) if members.len() <= FEW => {
                Source::Members { members, left: members.len() }
            }
            _ => return None,
        }))
    }

    fn take_integer<T: TryFrom<i64>>(&mut self, name: &str) -> Option<T> {
        let text = match &mut self.0 {
            Source::Members { members, left } => {
                let read = member(members, left, name)?.as_i64()?;
                return T::try_from(read).ok();
            }
            Source::Text { rest, first } => value_of(rest, *first, name)?,
        };
        let digits = after(text, b'-');
        let negative = digits.is_some();
        let digits = digits.unwrap_or(text);
        let mut read = 0_i64;
        let mut length = 0_usize;
        for byte in digits.bytes().take(SHORT).take_while(u8::is_ascii_digit) {
            read = read.wrapping_mul(10).wrapping_add(i64::from(byte & 0x0f));
            length = length.wrapping_add(1);
        }
        // Without a zero in front, and without a sign before zero, which makes a decimal number of it.
        if length == 0 || (digits.starts_with('0') && (length > 1 || negative)) {
            return None;
        }
        self.go_on(digits.get(length..)?);
        T::try_from(if negative { read.wrapping_neg() } else { read }).ok()
    }

    /// A number that is held exactly; one that might be rounded is for the ordinary way, which may refuse it.
    fn take_decimal(&mut self, name: &str) -> Option<f64> {
        let text = match &mut self.0 {
            Source::Members { members, left } => {
                let number = member(members, left, name)?.as_number()?;
                let exact = number.is_f64() || number.as_i64()?.unsigned_abs() <= EXACT;
                return number.as_f64().filter(|_| exact);
            }
            Source::Text { rest, first } => value_of(rest, *first, name)?,
        };
        let length =
            text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.')).count();
        let (token, rest) = text.split_at_checked(length).filter(|_| length <= SAFE)?;
        self.go_on(rest);
        serde_json::from_str(token).ok()
    }

    fn take_bool(&mut self, name: &str) -> Option<bool> {
        let text = match &mut self.0 {
            Source::Members { members, left } => return member(members, left, name)?.as_bool(),
            Source::Text { rest, first } => value_of(rest, *first, name)?,
        };
        let (read, rest) = match text.strip_prefix("true") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix("false")?),
        };
        self.go_on(rest);
        Some(read)
    }

    /// A string; in a text, one without escapes.
    fn take_string(&mut self, name: &str) -> Option<String> {
        let text = match &mut self.0 {
            Source::Members { members, left } => {
                let read = member(members, left, name)?.as_str()?;
                return (read.len() <= LONG).then(|| read.to_owned());
            }
            Source::Text { rest, first } => value_of(rest, *first, name)?,
        };
        let inside = after(text, b'"')?;
        let end = inside.bytes().position(|byte| byte < b' ' || matches!(byte, b'"' | b'\\'))?;
        let (read, rest) = inside.split_at_checked(end)?;
        self.go_on(after(rest, b'"')?);
        Some(read.to_owned())
    }

    /// Whether the argument is there. A `null` is taken.
    fn next(&mut self, name: &str) -> Next {
        let rest = match &mut self.0 {
            Source::Members { members, left } => {
                return match members.iter().find(|(given, _)| *given == name) {
                    None => Next::Absent,
                    Some((_, Value::Null)) => {
                        *left = left.saturating_sub(1);
                        Next::Null
                    }
                    Some(_) => Next::Value,
                };
            }
            Source::Text { rest, first } => match value_of(rest, *first, name) {
                None => return Next::Absent,
                Some(value) => value.strip_prefix("null"),
            },
        };
        match rest {
            None => Next::Value,
            Some(rest) => {
                self.go_on(rest);
                Next::Null
            }
        }
    }

    fn go_on(&mut self, after: &'c str) {
        if let Source::Text { rest, first } = &mut self.0 {
            *rest = after;
            *first = false;
        }
    }

    /// Whether that was all.
    pub fn end(self) -> Option<()> {
        match self.0 {
            Source::Members { left, .. } => left == 0,
            Source::Text { rest, .. } => blank(after(blank(rest), b'}')?).is_empty(),
        }
        .then_some(())
    }
}

/// The member of this name; one fewer is left.
#[inline]
fn member<'c>(members: &'c Map<String, Value>, left: &mut usize, name: &str) -> Option<&'c Value> {
    let (_, value) = members.iter().find(|(given, _)| *given == name)?;
    *left = left.checked_sub(1)?;
    Some(value)
}

/// The text after the name and the colon, if the next member has this name. The name needs no escapes in JSON.
#[inline]
fn value_of<'c>(rest: &'c str, first: bool, name: &str) -> Option<&'c str> {
    let rest = blank(rest);
    let rest = if first { rest } else { blank(after(rest, b',')?) };
    let rest = after(after(rest, b'"')?.strip_prefix(name)?, b'"')?;
    Some(blank(after(blank(rest), b':')?))
}

/// What follows the byte at the front, an ASCII character, if it is there.
#[inline]
fn after(text: &str, byte: u8) -> Option<&str> {
    if text.as_bytes().first() == Some(&byte) { text.get(1..) } else { None }
}

/// Without the white space of JSON at the front.
#[inline]
fn blank(text: &str) -> &str {
    match text.as_bytes().first() {
        Some(b' ' | b'\n' | b'\r' | b'\t') => text.trim_start_matches([' ', '\n', '\r', '\t']),
        _ => text,
    }
}

/// Types whose reading accepts exactly what their schema does.
macro_rules! straight {
    ($take:ident: $($ty:ty),*) => {$(
        impl Argument<$ty> {
            /// The argument, if it is there and of the type.
            pub fn read_straight(self, call: &mut Straight<'_>, name: &'static str) -> Option<$ty> {
                call.$take(name)
            }
        }

        impl Argument<Option<$ty>> {
            /// The argument, or nothing if it is not there.
            pub fn read_straight(self, call: &mut Straight<'_>, name: &'static str) -> Option<Option<$ty>> {
                match call.next(name) {
                    Next::Absent => Some(None),
                    Next::Null => Some(None),
                    Next::Value => call.$take(name).map(Some),
                }
            }
        }
    )*};
}

straight!(take_bool: bool);
straight!(take_decimal: f64);
straight!(take_string: String);
straight!(take_integer: i8, i16, i32, i64, u8, u16, u32, u64);

/// What steps in for all other types.
pub trait NotStraight<T>: Sized {
    /// Nothing: the ordinary way is taken.
    fn read_straight(self, _call: &mut Straight<'_>, _name: &'static str) -> Option<T> {
        None
    }
}

impl<T> NotStraight<T> for Argument<T> {}
