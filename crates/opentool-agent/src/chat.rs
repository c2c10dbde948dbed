//! Chat models: one provider a module, and a script.
//!
//! A provider is two things that are kept apart: a pure codec between our messages and its JSON, and a thin
//! client around the codec. Everything here is a [`ChatModel`](opentool_core::ChatModel); the loop knows no more.

mod openai;
mod script;

pub use openai::{OpenAi, openai};
pub use script::{Script, last_results, script};
