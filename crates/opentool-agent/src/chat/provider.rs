//! The providers whose wire is spoken here: where they are, how they are asked, what their variables are called.

use std::fmt;

use opentool_schema::Dialect;

/// A wire: a provider, and every server that speaks as it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI Chat Completions, and the many servers that speak it: vLLM, llama.cpp, LM Studio, OpenRouter, Azure, …
    OpenAi,
    /// OpenAI Responses, in which reasoning is kept between calls.
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini `generateContent`.
    Gemini,
    /// Mistral chat.
    Mistral,
    /// Ollama's own `/api/chat`.
    Ollama,
}

impl Provider {
    /// All providers, in the order in which they are named to people.
    pub fn all() -> &'static [Self] {
        &[Self::OpenAi, Self::OpenAiResponses, Self::Anthropic, Self::Gemini, Self::Mistral, Self::Ollama]
    }

    /// The name that stands before the colon in [`model`](super::model()): `openai`, `openai-responses`, `anthropic`,
    /// `gemini`, `mistral`, `ollama`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
        }
    }

    /// The name that OpenTelemetry's conventions give it.
    pub(super) fn semantic_name(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses => "openai",
            Self::Gemini => "gcp.gemini",
            Self::Mistral => "mistral_ai",
            Self::Anthropic | Self::Ollama => self.name(),
        }
    }

    /// The provider's own address.
    pub(super) fn address(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Mistral => "https://api.mistral.ai",
            Self::Ollama => "http://localhost:11434",
        }
    }

    /// The variables that may hold the key, the first that is set counts.
    pub(super) fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::OpenAiResponses => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Mistral => &["MISTRAL_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
        }
    }

    /// The variable that may hold another address.
    pub(super) fn address_variable(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Gemini => "GEMINI_BASE_URL",
            Self::Mistral => "MISTRAL_BASE_URL",
            Self::Ollama => "OLLAMA_HOST",
        }
    }

    /// The header of the key, and what stands before the key in it.
    pub(super) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("x-api-key", ""),
            Self::Gemini => ("x-goog-api-key", ""),
            _ => ("authorization", "Bearer "),
        }
    }

    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi => Dialect::OpenAi,
            Self::OpenAiResponses => Dialect::OpenAiResponses,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::Mistral => Dialect::Mistral,
            Self::Ollama => Dialect::Ollama,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
