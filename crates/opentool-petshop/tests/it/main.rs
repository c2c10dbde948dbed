//! The shop as its customers meet it: real sockets, every operation, every refusal.

mod client;
mod date;
mod document;
mod orders;
mod pets;
mod server;
