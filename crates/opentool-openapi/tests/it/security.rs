//! Attacks on whoever calls an API through a model: one test for each, named after it. Each is red when its guard is
//! removed. They go through the public door: a document, its tool, a call, and what is seen on the wire.

mod arguments;
mod forms;
mod injection;
mod kept;
mod network;
mod paths;
mod secrets;
mod wire;
