//! What a function returns: told apart by its type and not by its spelling, so that an alias of `Result` with
//! any name is a result.
//!
//! `(&&Returned::<R>::new()).value()` finds `ResultReturn` first, which exists for results only, and
//! `PlainReturn` after one dereference. `ReturnedValue` and `ReturnedError` then report what does not fit.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::{BoxError, Schema, ToolError, ToolOutput, ToolReturn};

/// Stands for the return type `R`.
#[derive(Debug)]
pub struct Returned<R>(PhantomData<fn() -> R>);

impl<R> Returned<R> {
    /// The type `R`.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A function that can fail.
pub trait ResultReturn<T, E> {
    /// What it gives when it does not fail.
    fn value(&self) -> ReturnedValue<T> {
        ReturnedValue(PhantomData)
    }

    /// What it gives when it fails.
    fn error(&self) -> ReturnedError<E> {
        ReturnedError(PhantomData)
    }

    /// Itself.
    fn result(&self, result: Result<T, E>) -> Result<T, E> {
        result
    }
}

impl<T, E> ResultReturn<T, E> for &Returned<Result<T, E>> {}

/// A function that cannot fail.
pub trait PlainReturn<T> {
    /// What it gives.
    fn value(&self) -> ReturnedValue<T> {
        ReturnedValue(PhantomData)
    }

    /// No error.
    fn error(&self) -> ReturnedError<Infallible> {
        ReturnedError(PhantomData)
    }

    /// The value as a result.
    fn result(&self, value: T) -> Result<T, Infallible> {
        Ok(value)
    }
}

impl<T> PlainReturn<T> for Returned<T> {}

/// Stands for the type of what a function returns when it does not fail.
#[derive(Debug)]
pub struct ReturnedValue<T>(PhantomData<fn() -> T>);

impl<T: ToolReturn> ReturnedValue<T> {
    /// The output schema.
    pub fn schema(&self) -> Option<Schema> {
        T::output_schema()
    }

    /// The output.
    ///
    /// # Errors
    /// As [`ToolReturn::into_output`].
    #[inline]
    pub fn output(&self, value: T) -> Result<ToolOutput, ToolError> {
        value.into_output()
    }
}

/// A type that a tool can return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool: put `#[derive(serde::Serialize, schemars::JsonSchema)]` on each type of yours in it, or return a `ToolOutput`",
    label = "this is not both `serde::Serialize` and `schemars::JsonSchema`"
)]
pub trait ReturnableValue {}

/// What steps in for types that cannot be returned.
pub trait NotReturnable<T> {
    /// Never runs.
    fn schema(&self) -> Option<Schema> {
        None
    }

    /// Never runs.
    ///
    /// # Errors
    /// Never runs.
    fn output(&self, _value: T) -> Result<ToolOutput, ToolError>
    where
        T: ReturnableValue,
    {
        Err(ToolError::Cancelled)
    }
}

impl<T> NotReturnable<T> for ReturnedValue<T> {}

/// Stands for the type of what a function returns when it fails.
#[derive(Debug)]
pub struct ReturnedError<E>(PhantomData<fn() -> E>);

impl<E: Into<BoxError>> ReturnedError<E> {
    /// The error for the model and for the operator.
    pub fn raise(&self, error: E) -> ToolError {
        ToolError::from_author(error)
    }
}

/// A type that a tool can fail with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool: put `#[derive(thiserror::Error)]` on it, or write `anyhow::Error`, `String` or `Box<dyn Error + Send + Sync>`",
    label = "this does not convert into `Box<dyn Error + Send + Sync>`",
    note = "any type fits that implements `std::error::Error` and is `Send + Sync + 'static`; so does `ToolError`"
)]
pub trait ErrorOfATool {}

/// What steps in for types that are no errors.
pub trait NotAnError<E> {
    /// Never runs.
    fn raise(&self, _error: E) -> ToolError
    where
        E: ErrorOfATool,
    {
        ToolError::Cancelled
    }
}

impl<E> NotAnError<E> for ReturnedError<E> {}
