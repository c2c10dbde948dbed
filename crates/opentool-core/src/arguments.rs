//! A call as the model asked for it, and its arguments once they are an object.

use std::borrow::Cow;
use std::ops::Deref;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::{InvalidArguments, Problem, ToolError};

/// One call that a model (or a person) asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The caller's id of this call; results carry it back. Unique within a conversation.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments: an object, or a JSON string that holds the text exactly as the model wrote it and that
    /// is parsed before validation. `null` means none.
    #[serde(default)]
    pub arguments: Value,
    /// For which form of the tool's schema the arguments were written, where it is not the tool's own: the dialect in
    /// which the model was shown the tool, as `opentool-schema` names it (`gemini`, `openai strict`). Whoever checks
    /// the call takes them back to the tool's own form first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
}

impl ToolCall {
    /// A call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), dialect: None }
    }

    /// Says for which form of the tool's schema the arguments were written. Default: the tool's own.
    pub fn dialect(mut self, dialect: impl Into<Option<String>>) -> Self {
        self.dialect = dialect.into();
        self
    }
}

impl<'a> From<&'a ToolCall> for Cow<'a, ToolCall> {
    fn from(call: &'a ToolCall) -> Self {
        Self::Borrowed(call)
    }
}

impl From<ToolCall> for Cow<'_, ToolCall> {
    fn from(call: ToolCall) -> Self {
        Self::Owned(call)
    }
}

/// The named arguments of one call, in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// No arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads all arguments into a type.
    ///
    /// JSON Schema says that `1.0` is an integer; serde's integers disagree. Where the plain reading fails,
    /// whole-numbered floats are read as integers.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] with serde's message.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        match T::deserialize(&self.0) {
            Ok(parsed) => Ok(parsed),
            Err(first) => read_retrying(Value::Object(self.0.clone()), first).map_err(|e| invalid(&e)),
        }
    }

    /// The arguments as a map.
    pub fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

fn invalid(error: &serde_json::Error) -> ToolError {
    let problem = Problem::new("", "deserialize").expected(error.to_string());
    InvalidArguments::new(vec![problem]).into()
}

/// Reads one value, whole-numbered floats as integers where the type wants integers.
pub(crate) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(value).or_else(|first| read_retrying(value.clone(), first))
}

fn read_retrying<T: DeserializeOwned>(
    mut value: Value,
    first: serde_json::Error,
) -> Result<T, serde_json::Error> {
    if integral_floats_to_integers(&mut value) {
        T::deserialize(&value).map_err(|_| first)
    } else {
        Err(first)
    }
}

/// Turns every whole-numbered float that 64 bits can hold into an integer. Says whether it changed anything.
fn integral_floats_to_integers(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => match whole(number) {
            Some(integer) => {
                *number = integer;
                true
            }
            None => false,
        },
        Value::Array(items) => {
            items.iter_mut().map(integral_floats_to_integers).fold(false, |any, changed| any | changed)
        }
        Value::Object(members) => {
            members.values_mut().map(integral_floats_to_integers).fold(false, |any, changed| any | changed)
        }
        _ => false,
    }
}

fn whole(number: &Number) -> Option<Number> {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    // The bounds make the conversions exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    if (-TWO_TO_63..TWO_TO_63).contains(&float) {
        Some((float as i64).into())
    } else if (TWO_TO_63..2.0 * TWO_TO_63).contains(&float) {
        Some((float as u64).into())
    } else {
        None
    }
}

impl Deref for Arguments {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<Map<String, Value>> for Arguments {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

impl FromIterator<(String, Value)> for Arguments {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}
