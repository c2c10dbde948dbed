//! The server against real and odd clients.

mod cancellation;
mod endpoints;
mod errors;
mod foreign;
mod keys;
mod limits;
mod load;
mod log;
mod nothing;
mod pages;
mod raw;
mod shutdown;
mod streams;
mod support;
mod tls;
