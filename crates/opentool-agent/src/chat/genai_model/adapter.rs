//! What `genai`'s adapters keep of a question, as far as they differ: a part that an adapter would drop in silence must
//! not be given to it.

use genai::adapter::AdapterKind;

/// The name that OpenTelemetry's conventions give the service.
pub(super) fn semantic_name(kind: AdapterKind) -> &'static str {
    match kind {
        AdapterKind::OpenAI | AdapterKind::OpenAIResp => "openai",
        AdapterKind::Gemini | AdapterKind::GeminiIx => "gcp.gemini",
        AdapterKind::Vertex => "gcp.vertex_ai",
        kind if is_bedrock(kind) => "aws.bedrock",
        AdapterKind::Mistral => "mistral_ai",
        AdapterKind::Xai => "x_ai",
        AdapterKind::Moonshot | AdapterKind::Kimi => "moonshot_ai",
        kind => kind.as_lower_str(),
    }
}

/// Whether tools are sent at all.
pub(super) fn takes_tools(kind: AdapterKind) -> bool {
    kind != AdapterKind::Cohere
}

/// Whether it can be said that a call is required, or which.
pub(super) fn takes_choices(kind: AdapterKind) -> bool {
    !is_bedrock(kind) && !is_ollama(kind)
}

/// Whether a message holds one result only: of several the last would be left.
pub(super) fn takes_one_result(kind: AdapterKind) -> bool {
    is_ollama(kind)
}

/// Whether a sound of this type is sent.
pub(super) fn takes_audio(kind: AdapterKind, mime: &str) -> bool {
    is_google(kind) || (is_openai(kind) && matches!(mime, "audio/wav" | "audio/mpeg" | "audio/mp3"))
}

/// Whether a PDF is sent.
pub(super) fn takes_pdf(kind: AdapterKind) -> bool {
    is_google(kind) || is_openai(kind) || kind == AdapterKind::Anthropic
}

/// One of its two adapters exists only behind a feature of `genai`, which somebody else may have switched on.
fn is_bedrock(kind: AdapterKind) -> bool {
    kind.as_lower_str().starts_with("bedrock")
}

fn is_ollama(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Ollama | AdapterKind::OllamaCloud)
}

fn is_google(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::Gemini | AdapterKind::GeminiIx)
}

fn is_openai(kind: AdapterKind) -> bool {
    matches!(kind, AdapterKind::OpenAI | AdapterKind::OpenRouter)
}
