//! Connections as clients see them: over real sockets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod end;
mod requests;
mod room;
mod site;
mod time;
