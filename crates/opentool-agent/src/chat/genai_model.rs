//! Models of the `genai` crate, which speaks to some thirty services: the way to those whose wire is not spoken here
//! ([`Model`](super::Model)).
//!
//! What is said is translated in `ask.rs`, what comes back in `answer.rs` and `stream.rs`, failures in `failure.rs`. It
//! deliberately brings no second TLS: connections are those of `opentool-http`. What `genai` has no words for is an error
//! where it would change what is asked; what it would drop in silence is not given to it.

mod adapter;
mod answer;
mod ask;
mod failure;
mod stream;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::ChatOptions;
use genai::{Client, ClientBuilder};
use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyStream};
use opentool_http::Options;
use tokio::time::timeout;

use super::tools::Cache;
use ask::Question;

/// How long an answer may take if nobody says otherwise: models that think are slow.
const TIMEOUT: Duration = Duration::from_secs(600);

/// A model that the [`genai`] crate reaches. Clones are cheap and share connections.
///
/// The name is one of `genai`'s: a model whose name says whose it is (`command-a-03-2025`), or a service before two colons
/// (`groq::llama-3.3-70b-versatile`, `bedrock_api::…`, `open_router::…`). Keys are taken from the variables that `genai`
/// reads (`GROQ_API_KEY`, …) when a question is asked.
///
/// Where our own wires reach a service, [`Model`](super::Model) knows more: `genai` has no mark for results that are
/// errors (they begin with `Error:` here), no images in results (they follow as if a person showed them), no switch for
/// parallel calls, and numbers in arguments that need more than 64 bits come rounded. What it cannot keep is refused with
/// [`ModelError::Unsupported`]: tools where its adapter drops them (Cohere), required calls where it has no way to require
/// one (Ollama, Bedrock), [`Strict::Always`](opentool_core::Strict::Always) everywhere.
///
/// ```
/// # fn main() -> Result<(), opentool_core::ModelError> {
/// use opentool_agent::chat::{GenaiModel, Retry};
///
/// let model = Retry::new(GenaiModel::new("groq::llama-3.3-70b-versatile")?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GenaiModel {
    client: Client,
    name: String,
    provider: Option<&'static str>,
    options: ChatOptions,
    limit: Duration,
    lowered: Arc<Cache>,
}

impl GenaiModel {
    /// The model of this name, over a client of its own.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] if no connection could be made, because the TLS of this machine is unusable.
    pub fn new(name: impl Into<String>) -> Result<Self, ModelError> {
        let client = Self::client_builder()?.build().map_err(failure::of)?;
        Ok(Self::of(client, name))
    }

    /// The model of this name, over a client that was set up by the host: with endpoints, keys and mappings of its own. Make
    /// it from [`GenaiModel::client_builder`], or give it a client of `reqwest` that has TLS.
    pub fn of(client: Client, name: impl Into<String>) -> Self {
        let name = name.into();
        let by_name = || client.default_model(&name).ok().map(|model| model.adapter_kind);
        let kind = client.adapter_kind().or_else(by_name);
        Self {
            client,
            name,
            provider: kind.map(adapter::semantic_name),
            options: ChatOptions::default(),
            limit: TIMEOUT,
            lowered: Arc::default(),
        }
    }

    /// The beginning of a client of `genai`, over connections with the TLS that all of opentool uses.
    ///
    /// # Errors
    /// Those of [`GenaiModel::new`].
    pub fn client_builder() -> Result<ClientBuilder, ModelError> {
        // A model that thinks sends nothing for minutes: the whole exchange is limited, silence is not.
        let client = opentool_http::Client::new(Options::new().idle_timeout(None));
        let connections = client.connections().map_err(super::failure::of_exchange)?;
        Ok(Client::builder().with_reqwest(connections))
    }

    /// Sets what goes with every question: temperature, the effort to think, headers, further members of the body.
    /// What a request says (tools, whether they must be called) and what is captured is set by each question.
    pub fn options(mut self, options: ChatOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets how long an answer may take, from the request to its last byte. Default: 10 minutes.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    async fn exchange(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let Question { target, request, options, tools, format } = self.question(request).await?;
        let answering = self.client.exec_chat(target, request, Some(&options));
        let answer = timeout(self.limit, answering).await.map_err(|_| failure::too_late(self.limit))?;
        answer::whole(&tools, &format, answer.map_err(failure::of)?)
    }
}

impl ChatModel for GenaiModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn provider_name(&self) -> Option<&str> {
        self.provider
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.exchange(request))
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        stream::stream(self, request)
    }
}

impl fmt::Debug for GenaiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the client nor the options: both may hold keys.
        f.debug_struct("GenaiModel")
            .field("name", &self.name)
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// The format under which a turn is kept: what one adapter wrote, no other reads.
fn format_of(kind: AdapterKind) -> String {
    format!("genai/{}", kind.as_lower_str())
}
