//! The header by which a service knows that it was asked the same a second time.
//!
//! Where a document declares one, every call gets a key of its own, so that sending it again is safe. A key that the
//! caller gives is kept. It is made for the header parameter of that name only; nothing is sent that the document does
//! not declare.

use std::hash::{BuildHasher as _, RandomState};

use opentool_core::Arguments;
use serde_json::Value;

use crate::plan::{Operation, Parameter, Place};

/// The parameter that holds the key.
pub(crate) fn parameter(operation: &Operation) -> Option<&Parameter> {
    operation.parameters.iter().find(|parameter| is_key(parameter))
}

/// Whether the parameter holds an idempotency key.
pub(crate) fn is_key(parameter: &Parameter) -> bool {
    let name: String = parameter.name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    parameter.place == Place::Header && name.strip_prefix('x').unwrap_or(&name) == "idempotencykey"
}

/// The arguments with a key, where one is declared and none is given.
pub(crate) fn fill(operation: &Operation, arguments: Arguments) -> Arguments {
    if let Some(parameter) = parameter(operation)
        && arguments.get(&parameter.argument).is_none_or(Value::is_null)
    {
        let mut members = arguments.into_map();
        members.insert(parameter.argument.clone(), key().into());
        return members.into();
    }
    arguments
}

/// A random key in the form of a UUID (version 4), which some services insist on.
fn key() -> String {
    // Two hashers with keys from the system's source of randomness. The key has to differ from others, not to be secret.
    let half = |salt: u64| RandomState::new().hash_one((salt, std::time::SystemTime::now()));
    let all = (u128::from(half(1)) << 64) | u128::from(half(2));
    let marked = (all & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{marked:032x}");
    let mut text = String::with_capacity(36);
    for (at, digit) in hex.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}
