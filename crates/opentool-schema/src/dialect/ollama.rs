//! Ollama's own API: the form of Chat Completions. The model's template prints the schema, so all of it is kept. Templates loop over
//! `properties`, and its server reads no booleans there.

use super::rules::{KEPT, Rules};

pub(super) const RULES: Rules = Rules { no_booleans: true, root_properties: true, ..KEPT };
