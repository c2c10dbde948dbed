//! The macros stay silent in a crate that denies every lint there is, and mean the same among hostile names.

#![deny(
    clippy::pedantic,
    let_underscore_drop,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    nonstandard_style,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    warnings
)]

use opentool::{ToolContext, ToolSet, tool, tools};
use serde_json::json;

use crate::call;

/// Adds up.
#[tool]
pub(crate) async fn add(
    /// One.
    a: i64,
    #[arg(default = 1, minimum = 0)] b: i64,
    _cx: &ToolContext,
) -> Result<i64, String> {
    std::future::ready(()).await;
    a.checked_add(b).ok_or_else(|| "too large".to_owned())
}

#[derive(Debug)]
struct Counter(u8);

#[tool]
impl Counter {
    /// Counts.
    fn count(&self, step: Option<u8>) -> u8 {
        step.unwrap_or(self.0)
    }
}

/// Names that expansions like to use, with other meanings.
#[allow(dead_code, clippy::items_after_statements)]
mod hostile {
    use opentool::tool;

    struct Option;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct Box;
    struct Vec;
    struct Default;
    mod core {}
    mod std {}
    mod serde {}
    mod schemars {}
    mod serde_json {}
    fn drop() {}

    /// Still works.
    #[tool]
    pub(super) fn survive(reader: u8, arguments: u8, cx: u8, #[arg(default = 4)] definition: u8) -> u8 {
        reader + arguments + cx + definition
    }
}

#[test]
fn tools_of_a_strict_crate_work() {
    assert_eq!(call(&tools![add], "add", json!({"a": 2})).unwrap().structured, Some(json!(3)));
    assert_eq!(call(&ToolSet::from(Counter(1)), "count", json!({})).unwrap().structured, Some(json!(1)));
}

#[test]
fn names_in_scope_cannot_change_what_a_tool_does() {
    let tools = tools![hostile::survive];
    let arguments = json!({"reader": 1, "arguments": 2, "cx": 3});
    assert_eq!(call(&tools, "survive", arguments).unwrap().structured, Some(json!(10)));
}
