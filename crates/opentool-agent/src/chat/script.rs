//! A model that answers from a script: for tests, demonstrations and examples, without a key or a network.
//!
//! Everything around it is real: calls go through validation and the tools run. It deliberately understands
//! nothing: an answer that should depend on the conversation is a closure.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_core::{
    AssistantMessage, BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, ToolCall, ToolResult,
};
use serde_json::Value;

type Answer = dyn Fn(&ChatRequest<'_>) -> Result<ChatReply, ModelError> + Send + Sync;

/// A script without a step so far.
pub fn script() -> Script {
    Script::new()
}

/// A model that gives one prepared answer after the other.
///
/// Every question takes the next step, whichever conversation it belongs to; clones play the same script
/// together. When no step is left the answer is [`ModelError::ScriptEnded`]. A model for many conversations at
/// once is one that computes every answer: [`Script::always`].
///
/// ```
/// use opentool_agent::chat;
/// use opentool_core::AssistantMessage;
/// use serde_json::json;
///
/// let model = chat::script()
///     .calls([("find_pets", json!({"status": "pending"}))])
///     .then(|request| {
///         let pets = chat::last_results(request).map(|result| result.output.to_text());
///         AssistantMessage::text(format!("There are: {}", pets.collect::<String>()))
///     });
/// ```
#[derive(Clone)]
pub struct Script {
    name: Arc<str>,
    steps: Vec<Arc<Answer>>,
    always: Option<Arc<Answer>>,
    calls: usize,
    asked: Arc<AtomicUsize>,
}

impl Script {
    /// A script without a step so far.
    pub fn new() -> Self {
        Self { name: "script".into(), steps: Vec::new(), always: None, calls: 0, asked: Arc::default() }
    }

    /// A model that computes every answer from the conversation.
    pub fn always(answer: impl Fn(&ChatRequest<'_>) -> AssistantMessage + Send + Sync + 'static) -> Self {
        let mut script = Self::new();
        script.always = Some(Arc::new(move |request| Ok(ChatReply::new(answer(request)))));
        script
    }

    /// Sets the name. Default: `script`.
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Next, it says this.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.answers(ChatReply::new(AssistantMessage::text(text)))
    }

    /// Next, it asks for these calls, by name and arguments. Their ids are `call_1`, `call_2`, … through the
    /// script.
    pub fn calls<N: Into<String>>(mut self, calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls: Vec<ToolCall> = calls
            .into_iter()
            .map(|(name, arguments)| {
                self.calls = self.calls.saturating_add(1);
                ToolCall::new(format!("call_{}", self.calls), name, arguments)
            })
            .collect();
        self.answers(ChatReply::new(AssistantMessage::calls(calls)))
    }

    /// Next, it answers exactly this.
    pub fn answers(self, reply: ChatReply) -> Self {
        self.step(move |_| Ok(reply.clone()))
    }

    /// Next, it answers what the closure makes of the conversation; see [`last_results`].
    pub fn then(self, answer: impl Fn(&ChatRequest<'_>) -> AssistantMessage + Send + Sync + 'static) -> Self {
        self.step(move |request| Ok(ChatReply::new(answer(request))))
    }

    /// Next, it fails with what the closure makes.
    pub fn fails(self, error: impl Fn() -> ModelError + Send + Sync + 'static) -> Self {
        self.step(move |_| Err(error()))
    }

    /// How many questions it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn step(
        mut self,
        step: impl Fn(&ChatRequest<'_>) -> Result<ChatReply, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.steps.push(Arc::new(step));
        self
    }
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl ChatModel for Script {
    fn name(&self) -> &str {
        &self.name
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            match self.steps.get(asked).or(self.always.as_ref()) {
                Some(answer) => answer(&request),
                None => Err(ended(self.steps.len(), request.messages)),
            }
        })
    }
}

fn ended(steps: usize, messages: &[Message]) -> ModelError {
    let after = match messages.last() {
        Some(Message::User(_)) => "after a message of the user",
        Some(Message::Tool(_)) => "after results of calls",
        Some(Message::Assistant(_)) => "after an answer of its own",
        _ => "without anything said",
    };
    ModelError::ScriptEnded(format!("all {steps} steps were taken, and it is asked again {after}").into())
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("name", &self.name)
            .field("steps", &self.steps.len())
            .field("asked", &self.asked())
            .finish_non_exhaustive()
    }
}

/// The results that came in since the model's last answer, in the order of its calls: for closures of a script.
pub fn last_results<'a>(request: &ChatRequest<'a>) -> impl Iterator<Item = &'a ToolResult> + use<'a> {
    let messages = request.messages;
    let start = messages.iter().rposition(|message| matches!(message, Message::Assistant(_)));
    messages.iter().skip(start.unwrap_or(0)).filter_map(|message| match message {
        Message::Tool(result) => Some(result),
        _ => None,
    })
}
