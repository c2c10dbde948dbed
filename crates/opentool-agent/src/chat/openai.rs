//! OpenAI Chat Completions, and every server that speaks the same format: Ollama, vLLM, llama.cpp, LM Studio,
//! OpenRouter, Azure, …
//!
//! The JSON is in `wire.rs`, what failures mean in `failure.rs`; here are the address, the key and the exchange.
//! It deliberately does not retry: that is a layer around any model.

mod failure;
mod tools;
mod wire;

use std::fmt;
use std::time::Duration;

use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError};
use opentool_http::{Client, HeaderName, HeaderValue, Options, Request, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

const OPENAI: &str = "https://api.openai.com/v1";
/// How long an answer may take if nobody says otherwise: models that think are slow.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The largest answer that is read, in bytes.
const ANSWER: u64 = 32 * 1024 * 1024;
/// What is shorter, in bytes, is a placeholder (`none`, `ollama`), and hiding it would only garble texts.
const SECRET: usize = 8;

/// A model of OpenAI, or of the server that `OPENAI_BASE_URL` names, with the key in `OPENAI_API_KEY`.
///
/// A server of your own needs no key: `OPENAI_BASE_URL=http://localhost:11434/v1` is all that Ollama wants. An empty
/// variable counts as absent.
///
/// # Errors
/// [`ModelError::Unauthorized`] if neither variable is set, [`ModelError::Unreachable`] if the address is none.
pub fn openai(model: impl Into<String>) -> Result<OpenAi, ModelError> {
    OpenAi::from_variables(model, |name| std::env::var(name).ok())
}

/// A model behind the Chat Completions format.
///
/// ```
/// use opentool_agent::chat::OpenAi;
///
/// # fn main() -> Result<(), opentool_core::ModelError> {
/// let local = OpenAi::new("qwen3").base_url("http://localhost:11434/v1")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAi {
    model: String,
    /// Where questions go; absent for OpenAI itself.
    url: Option<Url>,
    key: Option<SecretString>,
    headers: Vec<(HeaderName, HeaderValue)>,
    parameters: Map<String, Value>,
    client: Client,
}

impl OpenAi {
    /// The model of this name at OpenAI, without a key. Reads no environment variable; see [`openai`].
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            url: None,
            key: None,
            headers: Vec::new(),
            parameters: Map::new(),
            client: client(TIMEOUT),
        }
    }

    fn from_variables(
        model: impl Into<String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let set =
            |name| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let mut model = Self::new(model);
        match (set("OPENAI_API_KEY"), set("OPENAI_BASE_URL")) {
            (None, None) => {
                return Err(ModelError::Unauthorized(
                    "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own (Ollama: \
                     http://localhost:11434/v1)"
                        .into(),
                ));
            }
            (key, base) => {
                if let Some(base) = base {
                    model = model.base_url(base)?;
                }
                if let Some(key) = key {
                    model = model.api_key(key);
                }
            }
        }
        Ok(model)
    }

    /// Sets the server, by the address that `/chat/completions` is appended to: `http://localhost:11434/v1`. A query
    /// stays, as Azure wants it.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] if it is not an `http` or `https` address, or holds a user or password.
    pub fn base_url(mut self, url: impl AsRef<str>) -> Result<Self, ModelError> {
        self.url = Some(endpoint(url.as_ref())?);
        Ok(self)
    }

    /// Sets the key, sent as `Authorization: Bearer`.
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

    /// Adds a member to the body of every request, as the server documents it: `temperature`, `max_completion_tokens`,
    /// `tool_choice`, `reasoning_effort`, … Those that the codec answers for (`model`, `messages`, `tools`, `stream`,
    /// `n`) stay as they are.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets how long an answer may take. Default: 10 minutes.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.client = client(limit);
        self
    }

    async fn exchange(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => endpoint(OPENAI)?,
        };
        let tools = tools::WireTools::of(request.tools);
        let body = wire::encode(&self.model, &self.parameters, &request, &tools);
        let mut post = Request::post_json(url, &body);
        if let Some(key) = &self.key {
            post = post.bearer(key).map_err(|_| {
                ModelError::Unauthorized(
                    "the key holds a character that cannot be sent, such as a line end".into(),
                )
            })?;
        }
        for (name, value) in &self.headers {
            post = post.header(name.clone(), value.clone());
        }
        let response = self.client.send(post).await.map_err(failure::of_exchange)?;
        if !response.status.is_success() {
            return Err(failure::of_status(response.status, &response.body, |text| self.redact(text)));
        }
        let answer = serde_json::from_slice(&response.body).map_err(|error| {
            let shown = failure::plain(&self.redact(&response.text()));
            ModelError::Protocol(format!("not JSON ({error}): {shown}").into())
        })?;
        wire::decode(&answer, &tools).map_err(|error| match error {
            ModelError::Protocol(text) => ModelError::Protocol(failure::plain(&self.redact(&text)).into()),
            other => other,
        })
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

impl ChatModel for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.exchange(request))
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key, nor the query, nor the values of headers.
        f.debug_struct("OpenAi")
            .field("model", &self.model)
            .field(
                "server",
                &self.url.as_ref().map_or(OPENAI.to_owned(), |url| url.origin().ascii_serialization()),
            )
            .field("key", &self.key.as_ref().map(|_| "***"))
            .finish_non_exhaustive()
    }
}

fn client(limit: Duration) -> Client {
    // A model that thinks sends nothing for minutes: the whole exchange is limited, silence is not.
    Client::new(Options::new().timeout(limit).idle_timeout(None).body_limit(ANSWER))
}

/// The address of the questions, from the address of the server.
fn endpoint(base: &str) -> Result<Url, ModelError> {
    // The text is not shown: it is the first thing that a key is written into by mistake.
    let mut url = Url::parse(base.trim()).map_err(|error| {
        unusable(format!("the base URL is not an address ({error}); write it like http://localhost:11434/v1"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable("the base URL must begin with http:// or https://".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable(
            "the base URL holds a user or password; give the key with OPENAI_API_KEY".to_owned(),
        ));
    }
    url.set_fragment(None);
    if !url.path().trim_end_matches('/').ends_with("/chat/completions")
        && let Ok(mut path) = url.path_segments_mut()
    {
        path.pop_if_empty().extend(["chat", "completions"]);
    }
    Ok(url)
}

fn unusable(message: String) -> ModelError {
    ModelError::Unreachable { message: message.into(), source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<OpenAi, ModelError> {
        OpenAi::from_variables("m", |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_says_where_and_with_which_key() {
        let error = from(&[("OPENAI_API_KEY", " ")]).unwrap_err();
        assert!(
            matches!(&error, ModelError::Unauthorized(text) if text.contains("OPENAI_BASE_URL")),
            "{error}"
        );

        let model = from(&[("OPENAI_API_KEY", "sk-key\n")]).unwrap();
        assert_eq!(model.key.unwrap().expose_secret(), "sk-key");
        assert_eq!(model.url, None);

        let model = from(&[("OPENAI_BASE_URL", "http://localhost:11434/v1/")]).unwrap();
        assert!(model.key.is_none());
        assert_eq!(model.url.unwrap().as_str(), "http://localhost:11434/v1/chat/completions");
    }

    #[test]
    fn base_addresses_are_taken_as_people_write_them() {
        let full = |base| endpoint(base).unwrap().to_string();
        assert_eq!(full(OPENAI), "https://api.openai.com/v1/chat/completions");
        assert_eq!(full("http://a"), "http://a/chat/completions");
        assert_eq!(full("http://a/v1/chat/completions"), "http://a/v1/chat/completions");
        assert_eq!(
            full("https://a/deployments/x?api-version=1"),
            "https://a/deployments/x/chat/completions?api-version=1"
        );
    }

    #[test]
    fn unusable_addresses_are_refused_without_being_shown() {
        for base in ["sk-secret", "ftp://sk-secret/v1", "https://user:sk-secret@a/v1"] {
            let error = endpoint(base).unwrap_err().to_string();
            assert!(!error.contains("sk-secret"), "{error}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let model = OpenAi::new("m").api_key("sk-secret").header("api-key", "sk-secret").unwrap();
        assert!(!format!("{:?}", model.base_url("http://a/?k=sk-secret").unwrap()).contains("sk-secret"));
    }
}
