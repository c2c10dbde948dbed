//! Arguments that are still being written: what can be shown of them so far.

use opentool_core::{Arguments, InvalidArguments};
use serde_json::Value;

use super::{fault, into_arguments, refused};
use crate::read::not_an_object;
use crate::repair::{self, Fault, Tolerance};

/// The best value so far: keys without a value are left out, the last string is as long as it is, and the
/// beginning of a constant is that constant.
pub(super) fn partial(written: &Value) -> Result<Arguments, InvalidArguments> {
    match written {
        Value::Null => Ok(Arguments::new()),
        Value::String(text) => match repair::read(text, Tolerance::Prefix) {
            Ok(written) => Ok(into_arguments(written.value)),
            // Nothing that begins like JSON, yet.
            Err(Fault::NotJson { at: 0, .. } | Fault::Truncated) => Ok(Arguments::new()),
            Err(fault) => refused(fault::problem(text, fault)),
        },
        Value::Object(members) if crate::validator::within(written, repair::LEVELS) => {
            Ok(members.clone().into())
        }
        Value::Object(_) => refused(fault::too_deep(repair::LEVELS)),
        other => refused(not_an_object(other)),
    }
}
