//! The client against real servers on loopback ports.

mod failures;
mod limits;
mod redirects;
mod requests;
mod server;
