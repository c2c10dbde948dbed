//! Cohere v2: the form of Chat Completions with `parameters` required.
//!
//! Strictness is a switch of the whole request (`strict_tools`), so no entry bears a mark; it wants at least one
//! required parameter of every tool.

use super::rules::{KEPT, Rules};

pub(super) const RULES: Rules = Rules { root_properties: true, ..KEPT };
