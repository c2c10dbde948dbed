//! One argument type: how it is read, what its schema is, and what a user is told when it has neither.
//!
//! `Argument<T>` has inherent methods for types that fit. For others the traits of the same method names step
//! in; their bounds cannot be met, and say in the compiler's error what to do. It does not read whole calls:
//! that is `reader`.

use std::marker::PhantomData;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Reader;
use super::reader::accepts_absence;

/// Stands for the argument type `T`.
#[derive(Debug)]
pub struct Argument<T>(PhantomData<fn() -> T>);

impl<T> Argument<T> {
    /// The type `T`.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: DeserializeOwned> Argument<T> {
    /// Takes the argument out of the call. `None` means that the problem is noted in the reader.
    pub fn read(self, reader: &mut Reader, name: &'static str) -> Option<T> {
        reader.take(name)
    }

    /// Like `read`, with a default for an argument that is absent.
    pub fn read_or(self, reader: &mut Reader, name: &'static str, default: impl FnOnce() -> T) -> Option<T> {
        reader.take_or(name, default)
    }

    /// The value of a parameter that is never an argument and has no default: what an absent argument gives.
    pub fn absent(self, reader: &mut Reader, name: &'static str) -> Option<T> {
        reader.absent(name)
    }

    /// Whether the argument may be absent: `T` is an `Option`, or reads like one.
    pub fn optional(&self) -> bool {
        accepts_absence::<T>()
    }
}

impl<T: JsonSchema> Argument<T> {
    /// The schema of the argument.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
}

impl<T: Serialize> Argument<T> {
    /// A value as JSON, to show it in the schema.
    pub fn shown(&self, value: T) -> Option<Value> {
        serde_json::to_value(value).ok()
    }
}

impl<T: Default> Argument<T> {
    /// The default of the type.
    pub fn default_value(self) -> T {
        T::default()
    }
}

/// A type that a model's JSON can be read into.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: put `#[derive(serde::Deserialize, schemars::JsonSchema)]` on each type of yours in it",
    label = "this cannot be read from JSON: it does not implement `serde::Deserialize`",
    note = "something that comes from the host and not from the model: take `cx: &ToolContext` and call `cx.get::<T>()`"
)]
pub trait ReadableArgument {}

/// A type that has a JSON Schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: put `#[derive(serde::Deserialize, schemars::JsonSchema)]` on each type of yours in it",
    label = "this has no JSON Schema: it does not implement `schemars::JsonSchema`",
    note = "for a type of another crate, look for a feature of schemars (`chrono04`, `uuid1`, `url2`, …)"
)]
pub trait DescribedArgument {}

/// What steps in for types that cannot be read.
pub trait NotReadable<T>: Sized {
    /// Never runs.
    fn read(self, _reader: &mut Reader, _name: &'static str) -> Option<T>
    where
        T: ReadableArgument,
    {
        None
    }

    /// Never runs.
    fn read_or(self, _reader: &mut Reader, _name: &'static str, _default: impl FnOnce() -> T) -> Option<T>
    where
        T: ReadableArgument,
    {
        None
    }

    /// Never runs.
    fn absent(self, _reader: &mut Reader, _name: &'static str) -> Option<T>
    where
        T: ReadableArgument,
    {
        None
    }

    /// Never runs.
    fn optional(&self) -> bool {
        false
    }
}

impl<T> NotReadable<T> for Argument<T> {}

/// What steps in for types without a schema.
pub trait NoSchema<T>: Sized {
    /// Never runs.
    fn schema(&self, _generator: &mut SchemaGenerator) -> Value
    where
        T: DescribedArgument,
    {
        Value::Null
    }
}

impl<T> NoSchema<T> for Argument<T> {}

/// A type with a default.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default: write `#[arg(default = ..)]`, or put `#[derive(Default)]` on it",
    label = "`default` alone means `Default::default()`"
)]
pub trait DefaultArgument {}

/// What steps in for types without a default.
pub trait NoDefault<T>: Sized {
    /// Never runs.
    fn default_value(self) -> T
    where
        T: DefaultArgument;
}

impl<T> NoDefault<T> for Argument<T> {
    #[allow(clippy::empty_loop)] // There is no value to give, and the bound keeps everyone out.
    fn default_value(self) -> T
    where
        T: DefaultArgument,
    {
        loop {}
    }
}

/// What steps in for default values that cannot be shown.
pub trait NotWritable<T>: Sized {
    /// Nothing: the schema does without the value.
    fn shown(&self, _value: T) -> Option<Value> {
        None
    }
}

impl<T> NotWritable<T> for Argument<T> {}
