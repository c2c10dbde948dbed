//! Why a tool, or the tools of a request, cannot be lowered to a dialect.

use crate::SchemaError;
use crate::dialect::{Dialect, Finding};

/// A tool, or a set of them, that a dialect has no form for, by what would have to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The schema itself cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// No arguments at all would be accepted.
    #[error("no arguments can ever fit this schema{}; correct the schema", place(pointer))]
    NeverValid {
        /// The JSON Pointer of the schema that accepts nothing.
        pointer: Box<str>,
    },
    /// The schema is for other values than objects, and arguments are nothing else.
    #[error(
        "arguments are an object, and this schema takes none; correct the schema: `type` must allow `object`"
    )]
    NoObject,
    /// The provider would refuse its size.
    #[error(
        "the lowered schema has {found} {what}, the provider takes {most}; split the tool, or do without strict"
    )]
    OverBudget {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// The provider would refuse the tools as one request: too many of them, or too much in the strict ones.
    #[error("`{dialect}` does not take these tools as one request{}: {}", place(&finding.pointer), finding.message)]
    Request {
        /// The dialect.
        dialect: Dialect,
        /// The first thing that the provider would say; [`LoweredSet::findings`](crate::LoweredSet::findings) has all.
        finding: Box<Finding>,
    },
    /// Strictness was demanded where there is none.
    #[error("`{dialect}` has no strict mode for a tool; lower without strict")]
    NoStrict {
        /// The dialect.
        dialect: Dialect,
    },
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" (at {pointer})") }
}
