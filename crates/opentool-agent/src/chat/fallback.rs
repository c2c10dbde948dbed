//! Another model where one gives no answer: a layer around several.
//!
//! The next one is asked where the fault is the service's: it is down, overloaded, refuses the key, or answers nonsense. A
//! question that is wrong is wrong everywhere, so that its error is told. A stream goes over to the next model only as
//! long as nothing of it was told. Whether a question is asked again of the same model is [`super::Retry`]'s business,
//! which belongs around each.

use std::fmt;
use std::sync::Arc;

use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyStream};

use super::begun::{beginning_with, begun};

type Rule = dyn Fn(&ModelError) -> bool + Send + Sync;

/// A model, and others that are asked in their order where those before gave no answer.
///
/// ```
/// use opentool_agent::chat::{Fallback, Model, Provider, Retry};
///
/// let usual = Retry::new(Model::new(Provider::Anthropic, "claude-sonnet-4-5"));
/// let model = Fallback::new(usual).or(Model::new(Provider::Ollama, "qwen3"));
/// ```
///
/// Turns that one provider alone can read go back to that provider only; to the others they are written anew.
#[derive(Clone)]
pub struct Fallback {
    models: Vec<Arc<dyn ChatModel>>,
    rule: Arc<Rule>,
}

impl Fallback {
    /// The model that is asked first. Without another one it is asked alone.
    pub fn new(model: impl ChatModel) -> Self {
        Self { models: vec![Arc::new(model)], rule: Arc::new(is_the_services) }
    }

    /// Adds a model behind those that are there.
    pub fn or(mut self, model: impl ChatModel) -> Self {
        self.models.push(Arc::new(model));
        self
    }

    /// Sets after which errors the next model is asked. Default: too many requests, a service that cannot be reached, is
    /// down, refuses the key or answers nothing that can be read.
    pub fn when(mut self, rule: impl Fn(&ModelError) -> bool + Send + Sync + 'static) -> Self {
        self.rule = Arc::new(rule);
        self
    }

    /// Whether another model is asked after this one's error.
    fn goes_on(&self, index: usize, error: &ModelError) -> bool {
        let goes_on = index.saturating_add(1) < self.models.len() && (self.rule)(error);
        if let (true, Some(model)) = (goes_on, self.models.get(index)) {
            // What the service said may hold what was asked.
            tracing::warn!(model = model.name(), "no answer; the next model is asked");
        }
        goes_on
    }

    /// Asks one model after the other, until there is an answer, or the beginning of one.
    async fn ask<'a, T, F>(&'a self, ask: impl Fn(&'a dyn ChatModel) -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        for (index, model) in self.models.iter().enumerate() {
            match ask(&**model).await {
                Err(error) if self.goes_on(index, &error) => {}
                result => return result,
            }
        }
        Err(nobody())
    }
}

/// Whether the fault is the service's, or what lies between.
fn is_the_services(error: &ModelError) -> bool {
    error.is_transient()
        || matches!(
            error,
            ModelError::Unauthorized(_) | ModelError::Unreachable { .. } | ModelError::Protocol(_)
        )
}

/// There is a first model always.
fn nobody() -> ModelError {
    ModelError::Unsupported("there is no model to ask".into())
}

impl ChatModel for Fallback {
    /// The name of the first model.
    fn name(&self) -> &str {
        self.models.first().map_or("", |model| model.name())
    }

    fn provider_name(&self) -> Option<&str> {
        self.models.first()?.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.ask(move |model| model.reply(request)))
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        beginning_with(self.ask(move |model| begun(model.stream(request))))
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.models.iter().map(|model| model.name()).collect();
        f.debug_struct("Fallback").field("models", &names).finish_non_exhaustive()
    }
}
