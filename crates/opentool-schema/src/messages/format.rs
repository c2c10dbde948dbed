//! The formats of messages.

use std::fmt;

use crate::Dialect;

/// A format in which calls are asked for and results go back.
///
/// Several dialects of definitions share one: what OpenAI's strict mode asks for comes back like any other call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageFormat {
    /// OpenAI Chat Completions, and all servers that speak it: `tool_calls`, one `tool` message a result.
    OpenAiChat,
    /// OpenAI Responses: `function_call` and `function_call_output` items.
    OpenAiResponses,
    /// Anthropic Messages: `tool_use` and `tool_result` blocks.
    Anthropic,
    /// Gemini `generateContent`: `functionCall` and `functionResponse` parts.
    Gemini,
    /// Mistral chat: as OpenAI's, with call ids of nine letters and digits.
    Mistral,
    /// Ollama's own `/api/chat`: arguments are objects, results bear the tool's name.
    Ollama,
    /// Amazon Bedrock Converse: `toolUse` and `toolResult` blocks.
    Bedrock,
    /// Cohere v2 chat: as OpenAI's, with a `tool_plan` and documents as results.
    Cohere,
    /// MCP: a `tools/call` request each, and its response, as the newest revision has it.
    Mcp,
    /// MCP, revision 2025-11-25: results have no type, and a structured value is an object.
    Mcp20251125,
    /// MCP, revision 2025-06-18: the same.
    Mcp20250618,
    /// MCP, revision 2025-03-26: results have neither structured values nor links.
    Mcp20250326,
    /// MCP, revision 2024-11-05: they have no sounds either.
    Mcp20241105,
    /// Calls that a model wrote into its text, in the template of whatever vendor
    /// ([`parse_text_calls`](crate::parse_text_calls)). Written as Hermes and Qwen have it.
    Text,
}

impl MessageFormat {
    /// All formats, in the order in which they are named to people.
    pub fn all() -> &'static [Self] {
        &[
            Self::OpenAiChat,
            Self::OpenAiResponses,
            Self::Anthropic,
            Self::Gemini,
            Self::Mistral,
            Self::Ollama,
            Self::Bedrock,
            Self::Cohere,
            Self::Mcp,
            Self::Mcp20251125,
            Self::Mcp20250618,
            Self::Mcp20250326,
            Self::Mcp20241105,
            Self::Text,
        ]
    }

    /// The name: that of the plain dialect (`openai`, `openai-responses`, `anthropic`, `gemini`, `mistral`, `ollama`,
    /// `bedrock`, `cohere`, `mcp`, `mcp-2025-06-18`), or `text`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
            Self::Bedrock => "bedrock",
            Self::Cohere => "cohere",
            Self::Mcp => "mcp",
            Self::Mcp20251125 => "mcp-2025-11-25",
            Self::Mcp20250618 => "mcp-2025-06-18",
            Self::Mcp20250326 => "mcp-2025-03-26",
            Self::Mcp20241105 => "mcp-2024-11-05",
            Self::Text => "text",
        }
    }

    /// The format of this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format itself, for revisions of one the newest: they read the same.
    pub(super) fn family(self) -> Self {
        match self {
            Self::Mcp20251125 | Self::Mcp20250618 | Self::Mcp20250326 | Self::Mcp20241105 => Self::Mcp,
            format => format,
        }
    }

    /// The media type by which an image of this type goes into a message, as the provider documents it; `None` for one that
    /// it does not, with which it would refuse the whole conversation.
    ///
    /// ```
    /// # use opentool_schema::MessageFormat;
    /// assert_eq!(MessageFormat::OpenAiChat.image("image/JPG"), Some("image/jpeg"));
    /// assert_eq!(MessageFormat::OpenAiChat.image("image/svg+xml"), None);
    /// ```
    pub fn image(self, mime: &str) -> Option<&'static str> {
        let known: &[&'static str] = match self.family() {
            Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic | Self::Mistral | Self::Bedrock => {
                &["image/png", "image/jpeg", "image/gif", "image/webp"]
            }
            Self::Gemini | Self::Ollama => &["image/png", "image/jpeg", "image/webp"],
            _ => &[],
        };
        let mime = mime.split(';').next().unwrap_or_default().trim();
        let mime = if mime.eq_ignore_ascii_case("image/jpg") { "image/jpeg" } else { mime };
        known.iter().copied().find(|known| known.eq_ignore_ascii_case(mime))
    }

    /// The plain dialect of definitions, whose rules for names hold here too.
    pub(super) fn dialect(self) -> Option<Dialect> {
        self.name().parse().ok()
    }

    /// The format in which calls of tools come back whose definitions went out in this dialect; `None` for a dialect
    /// that is only a format of definitions.
    pub fn of(dialect: Dialect) -> Option<Self> {
        // Modes stand behind the name of the format: `openai-responses-strict`.
        let mut family = dialect.name();
        loop {
            match Self::named(family) {
                None if family == "deepseek" => return Some(Self::OpenAiChat),
                None => family = family.rsplit_once('-')?.0,
                format => return format,
            }
        }
    }
}

impl fmt::Display for MessageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
