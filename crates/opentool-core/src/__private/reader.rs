//! Reads the arguments of one call, one by one, and collects all problems.
//!
//! The arguments already passed the input schema; what is found here is what a schema cannot say.

use serde::de::value::Error as Refused;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_json::Value;

use crate::arguments::read_value;
use crate::{Arguments, InvalidArguments, Problem, ToolError};

/// The arguments of one call, while they are read.
#[derive(Debug)]
pub struct Reader {
    // Few and mostly asked for in order: looking through them is faster than hashing each name.
    arguments: Vec<(String, Value)>,
    problems: Vec<Problem>,
}

impl Reader {
    /// Starts to read.
    pub fn new(arguments: Arguments) -> Self {
        Self { arguments: arguments.into_map().into_iter().collect(), problems: Vec::new() }
    }

    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        match self.given(name) {
            Some(value) => self.read(name, &value),
            None => self.absent(name),
        }
    }

    pub(super) fn take_or<T: DeserializeOwned>(
        &mut self,
        name: &str,
        default: impl FnOnce() -> T,
    ) -> Option<T> {
        match self.given(name) {
            Some(value) => self.read(name, &value),
            None => Some(default()),
        }
    }

    fn given(&mut self, name: &str) -> Option<Value> {
        let (_, value) = self.arguments.iter_mut().find(|(given, _)| given == name)?;
        Some(std::mem::take(value))
    }

    pub(super) fn absent<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let absent = T::deserialize(Absent).ok();
        if absent.is_none() {
            self.problems.push(Problem::new("", "required").expected(format!("`{name}` is required")));
        }
        absent
    }

    fn read<T: DeserializeOwned>(&mut self, name: &str, value: &Value) -> Option<T> {
        match read_value(value) {
            Ok(value) => Some(value),
            Err(error) => {
                let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                self.problems.push(Problem::new(pointer, "deserialize").expected(error.to_string()));
                None
            }
        }
    }

    /// What was wrong, once something was.
    pub fn into_error(self) -> ToolError {
        InvalidArguments::new(self.problems).into()
    }
}

/// Whether a `T` can be made of nothing, as an `Option` can.
///
/// Asked of the type itself and not of its spelling, so that an alias and a transparent wrapper count.
pub(super) fn accepts_absence<T: DeserializeOwned>() -> bool {
    T::deserialize(Absent).is_ok()
}

/// An argument that is not there: only what reads as an option accepts it.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Refused> {
        Err(Refused::custom("absent"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
