//! A model behind a provider's wire: the address, the key, and one exchange.
//!
//! What is said is the codec's business (`codec.rs`), what failures mean is in `failure.rs`, and pieces are read in
//! `stream.rs`. It deliberately does not retry: that is a layer around any model ([`Retry`](super::Retry)).

use std::borrow::Cow;
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
use super::failure::Unclean;
use super::tools::{Cache, WireTools};
use super::{Provider, failure, measure, stream};

/// How long a stream may say nothing if nobody says otherwise.
const STALL: Duration = Duration::from_secs(300);
/// How long an answer may take if nobody says otherwise: models that think are slow.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The largest answer that is read, in bytes.
const ANSWER: usize = 32 * 1024 * 1024;
/// The largest text that says why there is no answer; of a larger one nothing is shown.
const REFUSAL: usize = 1024 * 1024;
/// Parts of an address's query that are no secret.
const PUBLIC: [&str; 3] = ["api-version", "alt", "version"];
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
    stall: Duration,
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
            stall: STALL,
            lowered: Arc::default(),
        }
    }

    /// Sets the server, by its base address: `http://localhost:8000/v1`. What the wire appends (`/chat/completions`,
    /// `/v1/messages`, …) may stand there already. A query stays, as Azure wants it.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] if it is not an `http` or `https` address, or holds a user or password.
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
    /// [`ModelError::Unsupported`] if the name or the value cannot stand in a header.
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

    /// Sets how long a stream may be silent before it is given up. Whatever comes counts, also a sign of life without
    /// words (a comment, a ping); what holds for the whole is [`Model::timeout`]. Default: 5 minutes.
    pub fn stall_timeout(mut self, limit: Duration) -> Self {
        self.stall = limit;
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
        // Of a stream, what is kept is limited, not what comes: a word may come in 300 bytes.
        let post = post.body_limit(u64::MAX);
        let incoming = self.client.open(post).await.map_err(failure::of_exchange)?;
        if incoming.status().is_success() {
            return Ok(incoming);
        }
        let (status, headers) = (incoming.status(), incoming.headers().clone());
        let said = read(incoming, REFUSAL).await?.unwrap_or_default();
        Err(self.clean(failure::of_status(status, &headers, &said)))
    }

    /// Reads a body that came whole.
    pub(super) async fn whole(&self, incoming: Incoming, tools: &WireTools) -> Result<ChatReply, ModelError> {
        let kind = content_type(&incoming);
        let origin = incoming.url().origin().ascii_serialization();
        let body = read(incoming, ANSWER).await?.ok_or_else(|| {
            let why = format!("the answer of {origin} is larger than the limit of {ANSWER} bytes");
            ModelError::Protocol(why.into())
        })?;
        measure::check(&body)?;
        let text = match String::from_utf8(body) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let answer = codec::json(&text).map_err(|error| {
            self.clean(if is_page(&kind) {
                failure::other_kind(&kind, "JSON", &text)
            } else {
                ModelError::Protocol(format!("not JSON ({error}): {text}").into()).into()
            })
        })?;
        codec::read(self.codec(), tools, &answer, Reply::Text(&text)).map_err(|error| self.clean(error))
    }

    /// What came in the place of a stream, as an error.
    pub(super) async fn no_stream(&self, incoming: Incoming) -> ModelError {
        let kind = content_type(&incoming);
        match read(incoming, REFUSAL).await {
            Ok(body) => {
                let body = body.unwrap_or_default();
                self.clean(failure::other_kind(&kind, "a stream", &String::from_utf8_lossy(&body)))
            }
            Err(error) => error,
        }
    }

    /// How long a stream may be silent.
    pub(super) fn stall(&self) -> Duration {
        self.stall
    }

    /// The error without the secrets that were sent.
    pub(super) fn clean(&self, error: Unclean) -> ModelError {
        error.clean(|text| self.redact(text))
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
        let mut secrets: Vec<&str> = self.key.iter().map(|key| key.expose_secret()).collect();
        for (_, value) in &self.headers {
            let Ok(value) = std::str::from_utf8(value.as_bytes()) else { continue };
            // Whole, and without the word in front: `Bearer …`.
            secrets.push(value);
            secrets.extend(value.split_whitespace());
        }
        // As it was sent, and as a server reads it.
        let query: Vec<(Cow<'_, str>, Cow<'_, str>)> = self.base.iter().flat_map(Url::query_pairs).collect();
        let is_secret = |name: &str| !PUBLIC.contains(&name);
        secrets.extend(query.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| &**value));
        let sent = self.base.iter().filter_map(Url::query).flat_map(|query| query.split('&'));
        let sent = sent.filter_map(|pair| pair.split_once('=')).filter(|(name, _)| is_secret(name));
        secrets.extend(sent.map(|(_, value)| value));
        secrets.retain(|secret| secret.len() >= SECRET);
        // One that is part of another must not break it up.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
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
    Client::new(Options::new().timeout(limit).idle_timeout(None))
}

/// The kind of an answer, as it was sent.
pub(super) fn content_type(incoming: &Incoming) -> String {
    let kind = incoming.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_ascii_lowercase()
}

/// Whether an answer is a page for people: the address is not that of an API.
pub(super) fn is_page(kind: &str) -> bool {
    ["text/html", "application/xhtml"].iter().any(|page| kind.starts_with(page))
}

/// Whether an answer says that it is a stream.
pub(super) fn is_stream(kind: &str) -> bool {
    ["text/event-stream", "application/x-ndjson"].iter().any(|stream| kind.starts_with(stream))
}

/// The body; nothing if it is larger than the limit, because what is cut off could end in half a secret.
async fn read(mut incoming: Incoming, limit: usize) -> Result<Option<Vec<u8>>, ModelError> {
    let mut body = Vec::new();
    while let Some(chunk) = incoming.chunk().await.map_err(failure::of_exchange)? {
        if body.len().saturating_add(chunk.len()) > limit {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
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
