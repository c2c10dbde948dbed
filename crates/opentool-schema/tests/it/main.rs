//! Tests of `opentool-schema` as its users meet it.

// The helpers of tests fail by panicking, like the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arguments;
mod call;
mod conformance;
mod definitions;
mod dialect;
mod examined;
#[path = "../../../../conformance/failures.rs"]
mod failures;
mod golden;
mod hostile;
mod lowering;
mod meant;
mod messages;
mod numbers;
mod partial;
mod peers;
mod profile;
mod recorded;
mod repeated;
mod round_trip;
mod stated;
mod text_calls;
mod text_hostile;
mod text_quoted;
mod text_templates;
mod tools;
mod unsure;
