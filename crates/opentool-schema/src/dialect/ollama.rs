//! Ollama's own API: the form of Chat Completions. The model's template prints the schema, so all of it is kept.

use super::rules::{KEPT, Rules};

pub(super) const RULES: Rules = KEPT;
