//! The wire over loopback, from both sides.

mod client;
mod server;
