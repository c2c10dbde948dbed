//! Answers of providers, and results behind them: whatever stands there, every call has one id and one result.
//!
//! The first byte chooses the format, the rest is the answer as it came over the wire.

use std::collections::HashSet;

use opentool_core::ToolOutput;
use opentool_schema::{MessageFormat, parse_calls, write_calls};
use serde_json::Value;

use crate::repair::told;

pub(crate) fn run(input: &[u8]) {
    let Some((choice, input)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(input) else { return };
    let formats = MessageFormat::all();
    let format = formats[usize::from(*choice) % formats.len()];
    let parsed = match parse_calls(format, text) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    parsed.problems.iter().for_each(told);
    let ids: HashSet<&str> = parsed.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), parsed.calls.len(), "ids are unique");
    assert!(ids.iter().all(|id| !id.is_empty()) && ids.len() <= 128);
    // Those that cannot run are not listed, and each has a problem.
    let unlisted = parsed.calls.len() - parsed.to_list().as_array().map_or(0, Vec::len);
    assert!(unlisted <= parsed.problems.len(), "{unlisted}: {:?}", parsed.problems);
    let results = parsed.results(&[ToolOutput::text("5 < 6"), ToolOutput::error("no")]);
    assert_eq!(results.is_empty(), parsed.calls.is_empty(), "{format}: {results:?}");
    let count = parsed.calls.len();
    let named = parsed.calls.iter().all(|call| !call.name.is_empty());
    let problems = parsed.problems.len();
    let written = write_calls(format, &parsed.into_message());
    for turn in results.iter().chain(&written) {
        serde_json::to_string(turn).expect("a message can be written");
    }
    // The turn that is written anew asks for the same calls.
    let whole = if written.len() == 1 { written.into_iter().next() } else { Some(Value::Array(written)) };
    if let (Some(turn), true, 0) = (whole, named && count > 0, problems) {
        let again = match (format, &turn) {
            (MessageFormat::Text, Value::String(text)) => parse_calls(format, text.as_str()),
            _ => parse_calls(format, &turn),
        };
        let again = again.unwrap_or_else(|error| panic!("{format}: {turn} is not read: {error}"));
        assert_eq!(again.calls.len(), count, "{format}: {turn}");
    }
}
