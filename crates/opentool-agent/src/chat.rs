//! Chat models: providers by their wires, a script, recordings, and a layer that asks again.
//!
//! A provider is two things that are kept apart: a pure codec between our messages and its JSON (`codec/`, one file a
//! provider), and one thin client around all codecs ([`Model`]). Everything here is a
//! [`ChatModel`](opentool_core::ChatModel); the loop knows no more.

mod begun;
mod cassette;
mod codec;
mod endpoint;
mod failure;
mod fallback;
#[cfg(feature = "genai")]
mod genai_model;
mod halves;
mod lines;
mod measure;
mod model;
mod pieces;
mod play;
mod provider;
mod record;
mod retry;
mod script;
mod shown;
mod spec;
mod stream;
mod tools;
mod turns;

/// The crate behind [`GenaiModel`], in the version that it takes clients and options of.
#[cfg(feature = "genai")]
pub use ::genai;
pub use cassette::cassette;
pub use fallback::Fallback;
#[cfg(feature = "genai")]
pub use genai_model::GenaiModel;
pub use model::Model;
pub use play::{Match, Player};
pub use provider::Provider;
pub use record::Recorder;
pub use retry::Retry;
pub use script::{Script, last_results, script};
pub use spec::{anthropic, gemini, mistral, model, model_with, ollama, openai, openai_responses};
