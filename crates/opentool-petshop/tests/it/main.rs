//! The shop as its customers meet it: real sockets, every operation, every refusal.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod client;
mod date;
mod document;
mod orders;
mod pets;
mod server;
