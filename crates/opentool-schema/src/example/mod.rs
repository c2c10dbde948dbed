//! Values that a JSON Schema accepts, made to look like data: what mocks answer with, and what tests send.
//!
//! Types, `enum`, `const`, `default`, `examples`, `properties`, `required`, `items`, lengths and bounds, `format`, `pattern`,
//! `$ref` into the same schema, `allOf`, `anyOf` and `oneOf` are honoured. Schemas are deliberately not solved: a `not` or a
//! condition is not looked at, and the example may break it. Whoever needs to be sure asks a
//! [`Validator`](crate::Validator).
//!
//! A schema may be hostile: an example has a bounded number of values, and a schema that only endless values would satisfy
//! gives one that ends.

mod chance;
mod making;
mod number;
mod pattern;
mod text;
mod words;

use serde_json::{Map, Value};

use chance::Chance;
use making::Making;

/// The most values of an example in which optional properties are there.
const MOST_VALUES: usize = 2_000;

/// The most values of an example without them.
const MOST_REQUIRED: usize = 5_000;

/// A way to make examples. The same way and the same schema always give the same value.
///
/// ```
/// use opentool_schema::{Examples, Optional};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 5}},
///     "required": ["city"],
/// });
/// assert_eq!(Examples::new().value(&schema), json!({"city": "Paris", "days": 1}));
/// assert_eq!(Examples::new().optional(Optional::LeftOut).value(&schema), json!({"city": "Paris"}));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Examples {
    optional: Optional,
    look: Look,
    seed: u64,
}

/// Whether an example has properties that it need not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Optional {
    /// It has, where they are not nested too deep and do not make it endless.
    #[default]
    There,
    /// It has only what is required.
    LeftOut,
}

/// What the values of an example look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Look {
    /// Like data, and like what the schema itself gives as examples and defaults.
    #[default]
    Plain,
    /// Like what breaks careless programs: texts with spaces, quotes, `&`, `%` and letters of other scripts, numbers at the
    /// ends of their range. The schema's own examples and defaults are passed over.
    Odd,
}

impl Examples {
    /// Plain examples with optional properties, the same for every program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether there are properties that need not be. Default: there are.
    pub fn optional(mut self, optional: Optional) -> Self {
        self.optional = optional;
        self
    }

    /// Says what values look like. Default: plain.
    pub fn look(mut self, look: Look) -> Self {
        self.look = look;
        self
    }

    /// Makes other examples of the same kind: other items of enumerations, other branches, other numbers, lists of other
    /// lengths. Default: 0, the likeliest of everything.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// A value that the schema accepts, as far as it was looked at.
    pub fn value(&self, schema: &Value) -> Value {
        self.named("", schema)
    }

    /// The same for something of this name, which a text may resemble: a `city` is one.
    pub fn named(&self, name: &str, schema: &Value) -> Value {
        let attempts = [(Optional::There, MOST_VALUES), (Optional::LeftOut, MOST_REQUIRED)];
        attempts
            .into_iter()
            .filter(|(optional, _)| self.optional == Optional::There || *optional == Optional::LeftOut)
            .find_map(|(optional, left)| {
                let chance = Chance::new(self.seed);
                Making::new(schema, optional, self.look, chance, left).value(schema, name, 0)
            })
            // Only endless values, or very large ones, would do.
            .unwrap_or_else(|| Value::Object(Map::new()))
    }
}
