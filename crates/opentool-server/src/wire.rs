//! The bodies and the event stream of the wire, shared by both sides.
//!
//! What is written follows the specification to the letter; what is read is what its implementations write. Nothing
//! here knows a tool, a client or a server.
//!
//! It is public for fuzzing and for the tests, hidden, and no part of what the crate promises.

pub mod endpoint;
pub mod error_object;
pub mod event;
pub mod id;
pub mod request;
pub mod response;
