//! Tests of the loop and of the chat models, as their users see them.

// The settings for tests do not reach functions beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod agents;
mod approvals;
mod barriers;
mod bounds;
mod cassette;
mod conversation;
mod dispatcher;
mod events;
mod failures;
mod fallback;
mod fixtures;
mod genai_model;
mod host_panics;
mod interrupted;
mod layers;
mod limits;
mod loopback;
mod memory;
mod model_layers;
mod openai;
mod retry;
mod rules;
mod run;
mod script;
mod sdks;
mod spans;
mod statements;
mod stream;
mod structured;
mod window;
mod wires;
