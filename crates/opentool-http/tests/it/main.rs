//! The client against real servers on loopback ports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod addresses;
mod certificates;
mod failures;
mod limits;
mod redirects;
mod requests;
mod scrub;
mod server;
