//! The dialects by name.

use std::fmt;
use std::str::FromStr;

use crate::nearest::nearest;
use crate::text::shorten;

/// A format of tool definitions, with the rules of whoever reads it.
///
/// The OpenTool document is a format too, and has a crate of its own (`opentool-doc`), because it holds more than
/// definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `[{"type":"function","function":{"name","description","parameters"}}]`.
    OpenAi,
    /// The same in strict mode (structured outputs).
    OpenAiStrict,
    /// OpenAI Responses: `[{"type":"function","name","description","parameters","strict"}]`.
    OpenAiResponses,
    /// The same in strict mode.
    OpenAiResponsesStrict,
    /// The `tools` of OpenAI's fine-tuning lines: the form of Chat Completions.
    OpenAiFinetune,
    /// The deprecated `functions` of fine-tuning lines: `[{"name","description","parameters"}]`.
    OpenAiFinetuneFunctions,
    /// Anthropic Messages: `[{"name","description","input_schema"}]`.
    Anthropic,
    /// The same with `strict`.
    AnthropicStrict,
    /// Gemini: `[{"functionDeclarations":[{"name","description","parametersJsonSchema"}]}]`.
    Gemini,
    /// Gemini with the older `parameters`, in the manner of OpenAPI 3.0; what the Live API takes.
    GeminiOpenApi,
    /// Mistral: the form of Chat Completions.
    Mistral,
    /// Ollama's own API: the form of Chat Completions.
    Ollama,
    /// Bedrock Converse: `[{"toolSpec":{"name","description","inputSchema":{"json"}}}]`.
    Bedrock,
    /// Cohere v2: the form of Chat Completions.
    Cohere,
    /// DeepSeek's strict mode: the form of Chat Completions.
    DeepSeekStrict,
    /// MCP `tools/list`: `[{"name","title"?,"description","inputSchema","outputSchema"?,"annotations"?}]`, revision
    /// 2026-07-28.
    Mcp,
    /// MCP, revision 2025-11-25.
    Mcp20251125,
    /// MCP, revision 2025-06-18: output schemas describe objects.
    Mcp20250618,
    /// MCP, revision 2025-03-26: no output schemas, and the title among the annotations.
    Mcp20250326,
    /// MCP, revision 2024-11-05: `[{"name","description","inputSchema"}]`.
    Mcp20241105,
    /// The input schema itself, with the tool's name as its title: `[{"title","description","type",..}]`.
    JsonSchema,
}

impl Dialect {
    /// All dialects, in the order in which they are named to people.
    pub fn all() -> &'static [Self] {
        &[
            Self::OpenAi,
            Self::OpenAiStrict,
            Self::OpenAiResponses,
            Self::OpenAiResponsesStrict,
            Self::OpenAiFinetune,
            Self::OpenAiFinetuneFunctions,
            Self::Anthropic,
            Self::AnthropicStrict,
            Self::Gemini,
            Self::GeminiOpenApi,
            Self::Mistral,
            Self::Ollama,
            Self::Bedrock,
            Self::Cohere,
            Self::DeepSeekStrict,
            Self::Mcp,
            Self::Mcp20251125,
            Self::Mcp20250618,
            Self::Mcp20250326,
            Self::Mcp20241105,
            Self::JsonSchema,
        ]
    }

    /// The name by which [`FromStr`] finds it: `openai`, `anthropic-strict`, `mcp-2025-06-18`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiResponsesStrict => "openai-responses-strict",
            Self::OpenAiFinetune => "openai-finetune",
            Self::OpenAiFinetuneFunctions => "openai-finetune-functions",
            Self::Anthropic => "anthropic",
            Self::AnthropicStrict => "anthropic-strict",
            Self::Gemini => "gemini",
            Self::GeminiOpenApi => "gemini-openapi",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
            Self::Bedrock => "bedrock",
            Self::Cohere => "cohere",
            Self::DeepSeekStrict => "deepseek-strict",
            Self::Mcp => "mcp",
            Self::Mcp20251125 => "mcp-2025-11-25",
            Self::Mcp20250618 => "mcp-2025-06-18",
            Self::Mcp20250326 => "mcp-2025-03-26",
            Self::Mcp20241105 => "mcp-2024-11-05",
            Self::JsonSchema => "json-schema",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        // The newest revision by its date too.
        let name = if name.eq_ignore_ascii_case("mcp-2026-07-28") { "mcp" } else { name };
        let dialect = Self::all().iter().copied().find(|dialect| dialect.name().eq_ignore_ascii_case(name));
        dialect.ok_or_else(|| UnknownDialect {
            name: shorten(name, 60),
            nearest: nearest(name, Self::all().iter().map(|dialect| dialect.name())),
        })
    }
}

/// No dialect of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownDialect {
    /// The name that was asked for, shortened.
    pub name: String,
    /// The one that looks like it.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no dialect `{}`", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => {
                let names: Vec<&str> = Dialect::all().iter().map(|dialect| dialect.name()).collect();
                write!(f, "; there are {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for UnknownDialect {}
