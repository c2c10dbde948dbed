//! Tools as each provider wants them: what has to change in a definition, and the way back for arguments.
//!
//! One file a dialect, always the same four parts: its rules as data ([`rules`]), lowering (the form of an entry), raising
//! (the way back for arguments; the forms that are read as well have a `raise`), tests. [`mod@lower`] holds what all
//! share: names, losses, budgets; [`rebuild`] writes a schema anew for the dialects that understand a part of JSON Schema
//! only; [`codec`] takes arguments there and back; [`mod@lint`] judges definitions without any of that. Messages (calls and
//! results) are not here.

pub(crate) mod anthropic;
mod anthropic_strict;
mod bedrock;
mod codec;
mod cohere;
mod deepseek_strict;
mod gemini;
mod gemini_openapi;
mod json_schema;
mod lint;
pub(crate) mod listing;
pub(crate) mod lower;
pub(crate) mod mcp;
mod mistral;
mod named;
mod ollama;
pub(crate) mod openai;
mod openai_responses;
mod openai_strict;
pub(crate) mod raised;
mod rebuild;
mod rules;
#[cfg(test)]
mod tests;

use opentool_core::{ToolDefinition, ToolSet};
use serde_json::{Map, Value};

pub use codec::Decoder;
pub(crate) use codec::Extent;
pub use lint::{Finding, lint, lint_request};
pub(crate) use lower::decoder_of;
pub use lower::{
    Effect, LowerError, LowerOptions, Lowered, LoweredSet, NameMap, Refused, Rewrite, Strict, Strictness,
    lower, lower_all,
};
pub use named::{Dialect, UnknownDialect};

use rules::{KEPT, Rules};

impl Dialect {
    /// A name as the provider takes it: that of a tool lowered alone.
    pub(crate) fn fitting_name(self, name: &str) -> String {
        lower::fitting(name, &self.loose().names, |_| false)
    }

    /// The rules without a strict mode; `None` for one that is nothing but strict.
    fn loose(self) -> &'static Rules {
        const LOOSE_DEEPSEEK: Rules = Rules { items: true, ..KEPT };
        match self {
            Self::OpenAi | Self::OpenAiStrict | Self::OpenAiFinetune | Self::OpenAiFinetuneFunctions => {
                &openai::RULES
            }
            Self::OpenAiResponses | Self::OpenAiResponsesStrict => &openai_responses::RULES,
            Self::Anthropic | Self::AnthropicStrict => &anthropic::RULES,
            Self::Gemini => &gemini::RULES,
            Self::GeminiOpenApi => &gemini_openapi::RULES,
            Self::Mistral => &mistral::RULES,
            Self::Ollama => &ollama::RULES,
            Self::Bedrock => &bedrock::RULES,
            Self::Cohere => &cohere::RULES,
            Self::DeepSeekStrict => &LOOSE_DEEPSEEK,
            Self::Mcp | Self::Mcp20251125 | Self::Mcp20250618 | Self::Mcp20250326 | Self::Mcp20241105 => {
                &mcp::RULES
            }
            Self::JsonSchema => &json_schema::RULES,
        }
    }

    /// The rules of its strict mode, if it has one that a single tool can be put into.
    fn strict(self) -> Option<&'static Rules> {
        match self {
            Self::OpenAi
            | Self::OpenAiStrict
            | Self::OpenAiResponses
            | Self::OpenAiResponsesStrict
            | Self::OpenAiFinetune
            | Self::Mistral => Some(&openai_strict::RULES),
            Self::Anthropic | Self::AnthropicStrict => Some(&anthropic_strict::RULES),
            Self::Bedrock => Some(&bedrock::STRICT_RULES),
            Self::DeepSeekStrict => Some(&deepseek_strict::RULES),
            _ => None,
        }
    }

    /// One entry in the form of this dialect.
    fn entry(self, entry: Entry<'_>) -> Value {
        match self {
            Self::OpenAi | Self::OpenAiFinetune => openai::nested(entry),
            Self::OpenAiStrict => openai_strict::entry(entry),
            Self::Mistral => mistral::entry(entry),
            Self::Ollama => ollama::entry(entry),
            Self::Cohere => cohere::entry(entry),
            Self::DeepSeekStrict => deepseek_strict::entry(entry),
            Self::OpenAiFinetuneFunctions => openai::bare(entry),
            Self::OpenAiResponses | Self::OpenAiResponsesStrict => openai_responses::entry(entry),
            Self::Anthropic => anthropic::entry(entry),
            Self::AnthropicStrict => anthropic_strict::entry(entry),
            Self::Gemini => gemini::entry(entry),
            Self::GeminiOpenApi => gemini_openapi::entry(entry),
            Self::Bedrock => bedrock::entry(entry),
            Self::Mcp | Self::Mcp20251125 | Self::Mcp20250618 | Self::Mcp20250326 | Self::Mcp20241105 => {
                mcp::entry(entry)
            }
            Self::JsonSchema => json_schema::entry(entry),
        }
    }

    /// The value that a request holds for these entries.
    fn request(self, entries: Vec<Value>) -> Value {
        match self {
            Self::Gemini | Self::GeminiOpenApi => gemini::request(entries),
            _ => Value::Array(entries),
        }
    }
}

/// What goes into an entry.
struct Entry<'d> {
    /// The name as the provider takes it.
    name: String,
    description: String,
    schema: Value,
    /// The mark for strictness, where one is to be written.
    strict: Option<bool>,
    definition: &'d ToolDefinition,
}

impl Entry<'_> {
    /// `name` and, unless it is empty, `description`.
    fn named(&self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("name".to_owned(), self.name.as_str().into());
        if !self.description.is_empty() {
            members.insert("description".to_owned(), self.description.as_str().into());
        }
        members
    }
}

/// The definitions of the tools in a dialect, in the order of the set: what a request's `tools` holds.
///
/// A short form of [`lower_all`] that says nothing about what was changed. A tool that cannot be lowered is left
/// out; ask [`lower_all`] for the reason.
pub fn export(tools: &ToolSet, dialect: Dialect) -> Value {
    lower_all(tools.definitions(), dialect).definitions()
}

/// The definitions with what other hosts need as well, in the order of the set: an array of
/// `{name, title?, description, inputSchema, outputSchema?, annotations?, tags?, source}`.
///
/// `source` says where a tool came from, in words. [`crate::parse_definitions`] reads it.
pub fn list(tools: &ToolSet) -> Value {
    tools.definitions().map(list_entry).collect()
}

/// One entry of [`list`].
pub fn list_entry(definition: &ToolDefinition) -> Value {
    listing::lower(definition)
}
