//! The client against real and odd servers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod documents;
mod failures;
mod foreign;
mod hostile;
mod mocks;
mod ours;
mod raw;
mod retries;
mod streams;
