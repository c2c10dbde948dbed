//! The client against real and odd servers.

mod decoder;
mod documents;
mod failures;
mod foreign;
mod hostile;
mod mocks;
mod ours;
mod raw;
mod retries;
mod streams;
