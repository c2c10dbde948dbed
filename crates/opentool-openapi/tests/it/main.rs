//! Reading documents and sending requests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod choose;
mod conformance;
mod end_to_end;
#[path = "../../../../conformance/failures.rs"]
mod failures;
mod mock;
mod read;
mod security;
mod send;
mod uploads;
mod xml;
