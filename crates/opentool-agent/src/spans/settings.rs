//! What spans say beside what happens: who the agent is, which conversation it is, and whether what is said is in them.

use std::sync::{Arc, LazyLock};

use tracing::Span;

use crate::{Agent, Dispatcher};

/// The variable by which an operator switches the recording of content on, as OpenTelemetry's conventions have it.
const SWITCH: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// Whether what is said is in spans: prompts, answers, arguments and results.
///
/// Content is personal and may be secret, so that it stays out unless somebody wants it. What looks like a secret is taken
/// out in any case, long texts are cut, and pictures and files are named and not held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanContent {
    /// As the environment variable `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` says, which is read once: `true`,
    /// `span_only` and `span_and_event` switch it on. Not set, content stays out. The default.
    #[default]
    Environment,
    /// It stays out, whatever the environment says.
    Never,
    /// It is recorded.
    Recorded,
}

impl SpanContent {
    fn is_recorded(self) -> bool {
        static SWITCHED_ON: LazyLock<bool> =
            LazyLock::new(|| std::env::var(SWITCH).is_ok_and(|value| switches_on(&value)));
        match self {
            Self::Environment => *SWITCHED_ON,
            Self::Never => false,
            Self::Recorded => true,
        }
    }
}

/// Content in events only is content that we do not have: we make spans.
fn switches_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "1" | "span_only" | "span_and_event")
}

/// What the spans of an agent, or of a dispatcher, say.
#[derive(Debug, Clone, Default)]
pub(crate) struct SpanSettings {
    pub(crate) agent: Option<Arc<str>>,
    pub(crate) conversation: Option<Arc<str>>,
    pub(crate) content: SpanContent,
}

impl SpanSettings {
    /// Whether content is to be recorded on this span, which somebody has to listen to.
    pub(crate) fn records_on(&self, span: &Span) -> bool {
        !span.is_disabled() && self.content.is_recorded()
    }
}

impl Dispatcher {
    /// Sets whether arguments and results are in the spans of calls. Default: [`SpanContent::Environment`].
    pub fn span_content(mut self, content: SpanContent) -> Self {
        self.spans.content = content;
        self
    }
}

impl Agent {
    /// Gives the agent a name, for spans and metrics: `invoke_agent NAME`. One of few, and no person's: it is a label.
    /// Default: none, and for an agent that is a tool the tool's name.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.dispatcher.spans.agent = Some(name.into());
        self
    }

    /// Says which conversation a turn belongs to, for spans. [`crate::memory::Conversations`] says it itself.
    pub fn conversation_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.dispatcher.spans.conversation = Some(id.into());
        self
    }

    /// Sets whether prompts, answers, arguments and results are in spans. Default: [`SpanContent::Environment`].
    pub fn span_content(mut self, content: SpanContent) -> Self {
        self.dispatcher.spans.content = content;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::switches_on;

    #[test]
    fn only_what_says_so_switches_content_on() {
        for on in ["true", "TRUE", " 1 ", "span_only", "SPAN_AND_EVENT"] {
            assert!(switches_on(on), "{on}");
        }
        for off in ["", "false", "0", "no_content", "event_only", "yes?"] {
            assert!(!switches_on(off), "{off}");
        }
    }
}
