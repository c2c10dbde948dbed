//! Mistral: the form of Chat Completions with `parameters` required. Its `strict` follows the rules of OpenAI's.

use super::rules::{KEPT, Rules};

pub(super) const RULES: Rules = Rules { items: true, root_properties: true, ..KEPT };
