//! The wire over loopback, from both sides.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod server;
