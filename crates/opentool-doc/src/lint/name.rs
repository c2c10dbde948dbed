//! Rules about the names of functions.

use super::{Culprit, Lint, rule};
use crate::words::short;

/// The most characters of a function name.
pub(crate) const LONGEST: usize = 64;

impl Lint<'_> {
    pub(super) fn function_name(&mut self, name: &str) {
        if name.is_empty() {
            let help = "give it a name of A-Z, a-z, 0-9, `_` and `-`, for example `get_weather`";
            self.found(rule::EMPTY_NAME, Culprit::Value, "the name is empty", help);
            return;
        }
        let shown = short(name);
        if let Some(odd) = name.chars().find(|c| !allowed(*c)) {
            let message = format!("the function name `{shown}` holds {}", in_words(odd));
            let help = format!("only A-Z, a-z, 0-9, `_` and `-` are allowed: `{}`", valid(name));
            self.found(rule::FUNCTION_NAME, Culprit::Value, message, help);
        }
        let length = name.chars().count();
        if length > LONGEST {
            let message =
                format!("the function name `{shown}` has {length} characters; {LONGEST} are allowed");
            self.found(
                rule::FUNCTION_NAME_LENGTH,
                Culprit::Value,
                message,
                format!("shorten it: `{}`", valid(name)),
            );
        }
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn in_words(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '.' => "a dot".to_owned(),
        '/' => "a slash".to_owned(),
        c if c.is_control() || c.is_whitespace() => format!("the character {}", c.escape_unicode()),
        c => format!("`{c}`"),
    }
}

/// The name with everything replaced that is not allowed, and no longer than allowed.
pub(crate) fn valid(name: &str) -> String {
    let mut valid = String::new();
    for c in name.chars() {
        if allowed(c) {
            valid.push(c);
        } else if !valid.ends_with('_') {
            valid.push('_');
        }
        if valid.len() >= LONGEST {
            break;
        }
    }
    valid
}
