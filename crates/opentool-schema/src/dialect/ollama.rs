//! Ollama's own API: the form of Chat Completions. The model's template prints the schema, so all of it is kept. Templates loop over
//! `properties`.

use super::rules::{KEPT, Rules};

pub(super) const RULES: Rules = Rules { root_properties: true, ..KEPT };
