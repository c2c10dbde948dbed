//! A model behind a provider's wire: the address, the key, and one exchange.
//!
//! What is said is the codec's business (`codec.rs`), what failures mean is in `failure.rs`, and pieces are read in
//! `stream.rs`. It deliberately does not retry: that is a layer around any model ([`Retry`](super::Retry)).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyStream};
use opentool_http::{Client, HeaderName, HeaderValue, Incoming, Options, Request, Url};
use opentool_schema::Reply;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use super::codec::{self, Ask, Codec, Delivery, Server};
use super::endpoint::{self, unusable};
use super::tools::{Cache, WireTools};
use super::{Provider, failure, stream};

/// How long an answer may take if nobody says otherwise: models that think are slow.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The largest answer that is read, in bytes.
const ANSWER: u64 = 32 * 1024 * 1024;
/// What is shorter, in bytes, is a placeholder (`none`, `ollama`), and hiding it would only garble texts.
const SECRET: usize = 8;
/// The version of Anthropic's API that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A model behind one of the wires that are spoken here. Clones are cheap and share connections.
///
/// ```
/// use opentool_agent::chat::{Model, Provider};
///
/// # fn main() -> Result<(), opentool_core::ModelError> {
/// let local = Model::new(Provider::OpenAi, "qwen3").base_url("http://localhost:8000/v1")?;
/// let claude = Model::new(Provider::Anthropic, "claude-sonnet-4-5")
///     .api_key("sk-ant-…")
///     .parameter("max_tokens", 4_000);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Model {
    provider: Provider,
    name: String,
    /// Another server than the provider's own.
    base: Option<Url>,
    key: Option<SecretString>,
    headers: Vec<(HeaderName, HeaderValue)>,
    parameters: Map<String, Value>,
    client: Client,
    lowered: Arc<Cache>,
}

impl Model {
    /// The model of this name at a provider, without a key. Reads no environment variable; see
    /// [`model`](super::model()).
    pub fn new(provider: Provider, name: impl Into<String>) -> Self {
        Self {
            provider,
            name: name.into(),
            base: None,
            key: None,
            headers: Vec::new(),
            parameters: Map::new(),
            client: client(TIMEOUT),
            lowered: Arc::default(),
        }
    }

    /// Sets the server, by its base address: `http://localhost:8000/v1`. What the wire appends (`/chat/completions`,
    /// `/v1/messages`, …) may stand there already. A query stays, as Azure wants it.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] if it is not an `http` or `https` address, or holds a user or password.
    pub fn base_url(mut self, url: impl AsRef<str>) -> Result<Self, ModelError> {
        self.base = Some(endpoint::base(url.as_ref())?);
        Ok(self)
    }

    /// Sets the key, sent as the provider wants it.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        let key: String = key.into();
        self.key = Some(key.into());
        self
    }

    /// Adds a header to every request. Its value is treated as a secret.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] if the name or the value cannot stand in a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, ModelError> {
        let bad = |what: &str| {
            unusable(format!("the {what} of the header `{}` cannot be sent", name.escape_debug()))
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("name"))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad("value"))?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Adds a member to the body of every request, as the provider documents it: `temperature`, `max_tokens`,
    /// `reasoning_effort`, `thinking`, `generationConfig`, … Objects are merged into what stands there. Those that the
    /// codec answers for (the model, the messages, the tools, the kind of delivery) stay as they are.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets how long an answer may take, from the request to its last byte. Default: 10 minutes.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.client = client(limit);
        self
    }

    /// Whose wire it speaks.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    pub(super) fn codec(&self) -> &'static dyn Codec {
        codec::of(self.provider)
    }

    pub(super) fn tools(&self, request: &ChatRequest<'_>) -> Result<WireTools, ModelError> {
        WireTools::of(request, self.provider.dialect(), &self.lowered)
    }

    /// Asks, and reads the head of a good answer.
    pub(super) async fn open(
        &self,
        request: ChatRequest<'_>,
        tools: &WireTools,
        delivery: Delivery,
    ) -> Result<Incoming, ModelError> {
        let codec = self.codec();
        let server = if self.base.is_some() { Server::Other } else { Server::Provider };
        let ask = Ask { model: &self.name, request, tools, delivery, server };
        let own = endpoint::base(self.provider.address());
        let base = match &self.base {
            Some(base) => base,
            None => &own?,
        };
        let url = endpoint::full(base, &codec.path(&ask), codec.query(delivery));
        let mut body = codec.body(&ask)?;
        merge(&mut body, &self.parameters, codec.own());
        let post = self.signed(Request::post_json(url, &Value::Object(body)))?;
        let incoming = self.client.open(post).await.map_err(failure::of_exchange)?;
        if incoming.status().is_success() {
            return Ok(incoming);
        }
        let response = incoming.whole().await.map_err(failure::of_exchange)?;
        let redact = |text: &str| self.redact(text);
        Err(failure::of_status(response.status, &response.headers, &response.body, redact))
    }

    /// Reads a body that came whole.
    pub(super) async fn whole(&self, incoming: Incoming, tools: &WireTools) -> Result<ChatReply, ModelError> {
        let response = incoming.whole().await.map_err(failure::of_exchange)?;
        let text = response.text();
        let answer: Value = serde_json::from_str(&text).map_err(|error| {
            let shown = failure::plain(&self.redact(&text));
            ModelError::Protocol(format!("not JSON ({error}): {shown}").into())
        })?;
        codec::read(self.codec(), tools, &answer, Reply::Text(&text)).map_err(|error| self.redacted(error))
    }

    /// The error without the secrets that were sent.
    pub(super) fn redacted(&self, error: ModelError) -> ModelError {
        failure::redacted(error, |text| self.redact(text))
    }

    fn signed(&self, mut post: Request) -> Result<Request, ModelError> {
        if self.provider == Provider::Anthropic {
            let version = HeaderValue::from_static(ANTHROPIC_VERSION);
            post = post.header(HeaderName::from_static("anthropic-version"), version);
        }
        if let Some(key) = &self.key {
            let (name, scheme) = self.provider.key_header();
            let value = SecretString::from(format!("{scheme}{}", key.expose_secret()));
            post = post.secret_header(HeaderName::from_static(name), &value).map_err(|_| {
                ModelError::Unauthorized(
                    "the key holds a character that cannot be sent, such as a line end".into(),
                )
            })?;
        }
        for (name, value) in &self.headers {
            post = post.header(name.clone(), value.clone());
        }
        Ok(post)
    }

    async fn exchange(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let tools = self.tools(&request)?;
        let incoming = self.open(request, &tools, Delivery::Whole).await?;
        self.whole(incoming, &tools).await
    }

    /// The text without the secrets that were sent.
    fn redact(&self, text: &str) -> String {
        let key = self.key.as_ref().map(|key| key.expose_secret().as_bytes());
        let values = self.headers.iter().map(|(_, value)| value.as_bytes());
        let mut text = text.to_owned();
        for secret in key.into_iter().chain(values) {
            if let Some(secret) = std::str::from_utf8(secret).ok().filter(|secret| secret.len() >= SECRET) {
                text = text.replace(secret, "***");
            }
        }
        text
    }
}

impl ChatModel for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn provider_name(&self) -> Option<&str> {
        Some(self.provider.semantic_name())
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.exchange(request))
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        stream::stream(self, request)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key, nor the query, nor the values of headers.
        let server = self.base.as_ref().map(|url| url.origin().ascii_serialization());
        f.debug_struct("Model")
            .field("provider", &self.provider)
            .field("name", &self.name)
            .field("server", &server.as_deref().unwrap_or(self.provider.address()))
            .field("key", &self.key.as_ref().map(|_| "***"))
            .finish_non_exhaustive()
    }
}

fn client(limit: Duration) -> Client {
    // A model that thinks sends nothing for minutes: the whole exchange is limited, silence is not.
    Client::new(Options::new().timeout(limit).idle_timeout(None).body_limit(ANSWER))
}

/// Adds the host's parameters; an object goes into the object that stands there.
fn merge(body: &mut Map<String, Value>, parameters: &Map<String, Value>, own: &[&str]) {
    for (name, value) in parameters {
        if own.contains(&name.as_str()) {
            continue;
        }
        match (body.get_mut(name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => {
                there.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let model =
            Model::new(Provider::Gemini, "m").api_key("sk-secret").header("api-key", "sk-secret").unwrap();
        assert!(!format!("{:?}", model.base_url("http://a/?k=sk-secret").unwrap()).contains("sk-secret"));
    }

    #[test]
    fn parameters_of_the_host_stand_beside_what_is_of_the_codec() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let mut body = object(serde_json::json!({"model": "m", "stream": true, "config": {"a": 1}}));
        let parameters = serde_json::json!({"temperature": 0, "model": "other", "config": {"b": 2}});
        merge(&mut body, &object(parameters), &["model"]);
        let expected =
            serde_json::json!({"model": "m", "stream": true, "config": {"a": 1, "b": 2}, "temperature": 0});
        assert_eq!(Value::Object(body), expected);
    }
}
