//! Providers' messages: calls in, results out.

mod decoded;
mod endings;
mod golden;
mod reading;
mod round_trip;
mod told;
mod writing;

use opentool_schema::MessageFormat;

/// Whether it is MCP, in any revision.
fn is_mcp(format: MessageFormat) -> bool {
    format.name().starts_with("mcp")
}
