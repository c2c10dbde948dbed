//! Whether a JSON text survives as a value.
//!
//! `serde_json::Value` holds integers of 64 bits and doubles. An id of twenty digits, or a price of `0.1000000000000000055`,
//! would come out as another number; then the text is all that is given on.

use opentool_schema::inexact_number;

/// Whether every number of a valid JSON text is the same number after it was read.
pub(super) fn survives(text: &str) -> bool {
    inexact_number(text).is_none()
}
