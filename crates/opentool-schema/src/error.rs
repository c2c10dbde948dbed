//! Why a schema cannot be used.

/// A schema that cannot be compiled, by what would have to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It breaks a rule of JSON Schema: write it as the rule says.
    #[error("the schema is not valid: {message}{}", at(pointer))]
    Invalid {
        /// The JSON Pointer of the culprit in the schema; empty for the whole.
        pointer: Box<str>,
        /// Which rule, and what was there.
        message: Box<str>,
    },
    /// It refers to another document: put that document's schema under `$defs`.
    #[error(
        "the schema refers to `{reference}`, which is not part of it{}; nothing is ever fetched: put what it \
         refers to under `$defs`",
        at(pointer)
    )]
    External {
        /// The JSON Pointer of the schema that holds the reference.
        pointer: Box<str>,
        /// The reference as it is written, shortened.
        reference: Box<str>,
    },
    /// A reference leads back to itself before it says anything about the value.
    #[error("the schema refers to itself without end{}", at(pointer))]
    Endless {
        /// The JSON Pointer of a schema on the circle.
        pointer: Box<str>,
    },
    /// Checking against it could take for ever, or too much memory.
    #[error("the schema is too complex: {message}{}", at(pointer))]
    TooComplex {
        /// The JSON Pointer of the culprit; empty for the whole.
        pointer: Box<str>,
        /// Which limit.
        message: Box<str>,
    },
}

impl SchemaError {
    /// The JSON Pointer of the culprit in the schema; empty for the whole.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Invalid { pointer, .. }
            | Self::External { pointer, .. }
            | Self::Endless { pointer }
            | Self::TooComplex { pointer, .. } => pointer,
        }
    }
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" (at {pointer})") }
}
