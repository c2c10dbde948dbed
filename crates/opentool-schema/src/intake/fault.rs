//! What is wrong with arguments, as problems with stable codes.

use opentool_core::Problem;

use crate::repair::{Fault, LEVELS, LONGEST};

/// The kind of a problem, for programs: `invalid_json` (also a key that stands twice, where nothing is mended),
/// `truncated`, `too_deep`, `missing_required`, `unknown_property`, `type_mismatch`, `enum_mismatch`, or `constraint`
/// for all other rules of a schema; `invalid_call` for arguments inside a call of another tool. Problems of an answer
/// ([`ParsedCalls::problems`](crate::ParsedCalls)) have these besides: `invalid_call`, `invalid_name`, `invalid_id`, `unsupported`, `blocked`, `choices`.
pub fn problem_code(problem: &Problem) -> &'static str {
    match problem.rule.as_str() {
        "json" | "repeated" => "invalid_json",
        "truncated" => "truncated",
        "depth" => "too_deep",
        "required" | "dependentRequired" => "missing_required",
        "additionalProperties" | "unevaluatedProperties" | "false" => "unknown_property",
        "type" | "deserialize" => "type_mismatch",
        "enum" | "const" => "enum_mismatch",
        "call" => "invalid_call",
        "call-name" => "invalid_name",
        "call-id" => "invalid_id",
        "unsupported" => "unsupported",
        "blocked" => "blocked",
        "choices" => "choices",
        _ => "constraint",
    }
}

pub(super) fn problem(text: &str, fault: Fault) -> Problem {
    match fault {
        Fault::NotJson { at, why } => {
            let (line, column) = place(text, at);
            Problem::new("", "json")
                .expected(format!("expected a JSON object, but at line {line}, column {column}: {why}"))
        }
        Fault::Truncated => Problem::new("", "truncated").expected(
            "expected a whole JSON object, but the text ends too early; a call that was cut off is not run, so \
             write it again, and shorter if it was too long",
        ),
        Fault::TooDeep => too_deep(LEVELS),
        Fault::TooLong => Problem::new("", "json")
            .expected(format!("expected JSON; text of more than {} MiB is not repaired", LONGEST >> 20)),
    }
}

pub(crate) fn too_deep(levels: usize) -> Problem {
    Problem::new("", "depth")
        .expected(format!("expected at most {levels} levels of nested arrays and objects"))
        .found("more")
}

pub(crate) fn no_number(pointer: String) -> Problem {
    Problem::new(pointer, "type")
        .expected("expected a value of JSON")
        .found("a number that JSON does not have (NaN, Infinity, or too large)")
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count().saturating_add(1);
    (line, column)
}
