//! What must hold for any input at all: one file for each way into the project, one function that takes bytes.
//!
//! A function comes back, or it panics because a law is broken. libFuzzer drives them (`cargo xtask fuzz`, through the
//! package in `libfuzzer/`, which stands outside of the workspace because it needs a C++ compiler), and the tests run
//! all inputs of `corpus/` through them with nothing but a stable toolchain. Here are laws only: what a certain input
//! should give is said by the tests of the crates.
// A broken law is a panic: that is what a fuzzer looks for.
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing)]

mod decode;
mod document;
mod event_stream;
mod grow;
mod lower;
mod messages;
mod openapi;
mod repair;
mod text;
mod validate;

/// A way into the project that takes what strangers write.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Target {
    /// Its name: that of the folder below `corpus/`, and of the program that libFuzzer drives.
    pub name: &'static str,
    /// Comes back if all laws hold for these bytes, and panics otherwise.
    pub run: fn(&[u8]),
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8])) -> Self {
        Self { name, run }
    }
}

/// All of them, in the order in which a run of all goes through them.
pub const TARGETS: &[Target] = &[
    Target::new("text", text::run),
    Target::new("repair", repair::run),
    Target::new("validate", validate::run),
    Target::new("messages", messages::run),
    Target::new("document", document::run),
    Target::new("openapi", openapi::run),
    Target::new("event_stream", event_stream::run),
    Target::new("lower", lower::run),
    Target::new("decode", decode::run),
];

/// Runs the target of this name.
///
/// # Panics
/// If there is none, and if a law is broken.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(input);
}
