//! Whether the calls of an answer may be run: only where the model, by its provider's word, had written all of it.
//!
//! A list of the reasons after which they may, not of those after which they may not: a reason that nobody knows yet runs
//! nothing. Whether the arguments look whole says nothing: some providers end a cut object themselves.

use opentool_core::{StopReason, ToolError};

/// Why no call of an answer that ended so is run, in words for the model; `None` where all may be.
pub(crate) fn refusal(stop: &StopReason) -> Option<ToolError> {
    let (why, then) = match stop {
        StopReason::End | StopReason::ToolCalls => return None,
        StopReason::Length => {
            ("your answer reached its length limit".to_owned(), "call again, with less in one answer")
        }
        StopReason::Refusal => ("your answer was refused".to_owned(), "answer without it"),
        StopReason::Other(reason) => (format!("your answer ended early (`{reason}`)"), "call again"),
        _ => ("your answer ended early".to_owned(), "call again"),
    };
    Some(ToolError::Refused(format!("{why}, so none of its calls was run; {then}").into()))
}
