//! Access tokens that are fetched: OAuth 2 client credentials and refresh tokens, with OpenID Connect discovery.
//!
//! A token is fetched when the first call needs it, by one request however many calls wait for it, kept in memory for its
//! scopes, renewed before it expires and once when a service refuses it. It deliberately knows no flow that needs a
//! person at a browser: those end in a refresh token, which is where this begins.

mod authorized;
mod discovery;
mod endpoint;
mod held;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use opentool_core::ToolError;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::SecretSource;
pub(crate) use authorized::Authorized;
use discovery::Discovered;
use endpoint::Asking;
pub(crate) use held::read_kept;

/// How access tokens are got for a scheme of OAuth 2 or OpenID Connect. `Debug` shows no secret. Clones share the tokens.
///
/// The token endpoint is the document's (or the one that its discovery address names); it is asked over `https`, and over
/// `http` on loopback only.
///
/// ```
/// use opentool_openapi::{Credential, OAuth};
///
/// let robot = OAuth::client_credentials("my-client", "its secret").scopes(["orders:read"]);
/// let api = opentool_openapi::parse(r#"{"openapi": "3.1.0", "paths": {}}"#, "api.json")?
///     .credential("oauth", Credential::OAuth(robot));
/// # Ok::<(), opentool_openapi::OpenApiError>(())
/// ```
#[derive(Clone)]
pub struct OAuth {
    config: Arc<Config>,
    state: Arc<State>,
}

#[derive(Clone)]
struct Config {
    client_id: String,
    client_secret: Option<Held>,
    grant: Grant,
    token_url: Option<Url>,
    scopes: Option<Vec<String>>,
    parameters: BTreeMap<String, String>,
    authentication: Option<ClientAuthentication>,
    on_rotation: Option<Arc<Keep>>,
}

/// What the host does with a refresh token that replaces another.
type Keep = dyn Fn(&SecretString) + Send + Sync;

#[derive(Clone)]
enum Grant {
    ClientCredentials,
    RefreshToken(Held),
}

/// What the token endpoint is to believe: the secret itself, or where it is kept.
#[derive(Clone)]
enum Held {
    Text(SecretString),
    Kept(SecretSource),
}

/// How the client says to the token endpoint who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// In the header, as user and password.
    Basic,
    /// In the body, as `client_id` and `client_secret`.
    Body,
}

#[derive(Default)]
struct State {
    tokens: Mutex<HashMap<Key, Token>>,
    /// The refresh token that replaced the first.
    rotated: Mutex<Option<Rotated>>,
    discovered: Mutex<HashMap<Url, Discovered>>,
    /// What went wrong last, and when: calls that waited for that very request have the same answer.
    failed: Mutex<Option<(Instant, Key, Arc<str>)>>,
    /// Whether the operator was told that a refresh token was replaced.
    told: AtomicBool,
    /// Held by the one who asks.
    asking: tokio::sync::Mutex<()>,
}

/// A refresh token that an endpoint sent.
#[derive(Clone)]
struct Rotated {
    /// The one that the host gave, from which it comes in the end.
    given: SecretString,
    now: SecretString,
}

/// Tokens of other endpoints or scopes are other tokens.
type Key = (Url, Vec<String>);

#[derive(Clone)]
struct Token {
    access: SecretString,
    /// Until when it is used; without, until it is refused.
    until: Option<Instant>,
}

impl OAuth {
    fn new(client_id: String, client_secret: Option<Held>, grant: Grant) -> Self {
        let config = Config {
            client_id,
            client_secret,
            grant,
            token_url: None,
            scopes: None,
            parameters: BTreeMap::new(),
            authentication: None,
            on_rotation: None,
        };
        Self { config: Arc::new(config), state: Arc::default() }
    }

    /// A client that acts for itself: the grant `client_credentials`.
    pub fn client_credentials(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        let secret = Held::Text(client_secret.into().into());
        Self::new(client_id.into(), Some(secret), Grant::ClientCredentials)
    }

    /// As [`OAuth::client_credentials`], with a secret that is kept elsewhere and read when a token is fetched.
    pub fn client_credentials_from(client_id: impl Into<String>, client_secret: SecretSource) -> Self {
        Self::new(client_id.into(), Some(Held::Kept(client_secret)), Grant::ClientCredentials)
    }

    /// A client that acts for somebody who allowed it: the grant `refresh_token`. A new refresh token that the endpoint
    /// sends replaces this one in memory; [`OAuth::on_rotation`] lets the host keep it. Without, a warning (`tracing`, target
    /// `opentool::openapi`) says once that the one that was given may work no more.
    pub fn refresh_token(client_id: impl Into<String>, token: impl Into<String>) -> Self {
        Self::new(client_id.into(), None, Grant::RefreshToken(Held::Text(token.into().into())))
    }

    /// As [`OAuth::refresh_token`], with a token that is kept elsewhere and read when an access token is fetched. A new one that
    /// the endpoint sends is kept in memory only.
    pub fn refresh_token_from(client_id: impl Into<String>, token: SecretSource) -> Self {
        Self::new(client_id.into(), None, Grant::RefreshToken(Held::Kept(token)))
    }

    /// Sets the client's secret, for a refresh token that belongs to a client with one.
    pub fn client_secret(self, secret: impl Into<String>) -> Self {
        let secret = SecretString::from(secret.into());
        self.change(|config| config.client_secret = Some(Held::Text(secret)))
    }

    /// As [`OAuth::client_secret`], with a secret that is kept elsewhere and read when a token is fetched.
    pub fn client_secret_from(self, secret: SecretSource) -> Self {
        self.change(|config| config.client_secret = Some(Held::Kept(secret)))
    }

    /// Sets the token endpoint, in place of the document's.
    pub fn token_url(self, url: Url) -> Self {
        self.change(|config| config.token_url = Some(url))
    }

    /// Sets the scopes to ask for. Default: with client credentials those that the operation asks for; with a refresh
    /// token none, which means all that were granted.
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.change(|config| config.scopes = Some(scopes))
    }

    /// Sets a parameter that the endpoint wants besides: `audience`, `resource`.
    pub fn parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.change(|config| {
            config.parameters.insert(name.into(), value.into());
        })
    }

    /// Sets what is done with a refresh token that the endpoint sends in place of the one that it was shown: the host may keep
    /// it where the first one was, since many services take each but once. It is called before the call goes on, so it
    /// should not take long.
    ///
    /// ```
    /// use opentool_openapi::OAuth;
    /// use secrecy::ExposeSecret as _;
    ///
    /// let robot = OAuth::refresh_token("my-client", "its token").on_rotation(|token| {
    ///     let _ = std::fs::write("refresh-token", token.expose_secret());
    /// });
    /// ```
    pub fn on_rotation(self, keep: impl Fn(&SecretString) + Send + Sync + 'static) -> Self {
        self.change(|config| config.on_rotation = Some(Arc::new(keep)))
    }

    /// Says how the client authenticates itself. Default: in the header, unless discovery says that only the body will do.
    pub fn authentication(self, how: ClientAuthentication) -> Self {
        self.change(|config| config.authentication = Some(how))
    }

    /// Tokens that were got under another configuration are not used.
    fn change(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        self.state = Arc::default();
        self
    }

    /// Whether it was set from variables that are empty.
    pub(crate) fn is_empty(&self) -> bool {
        // What is kept elsewhere is known when it is read.
        let none =
            |held: &Held| matches!(held, Held::Text(secret) if secret.expose_secret().trim().is_empty());
        let granted = match &self.config.grant {
            Grant::ClientCredentials => self.config.client_secret.as_ref(),
            Grant::RefreshToken(token) => Some(token),
        };
        self.config.client_id.trim().is_empty() || granted.is_none_or(none)
    }

    fn known(&self, key: &Key) -> Option<SecretString> {
        let tokens = lock(&self.state.tokens);
        let token = tokens.get(key)?;
        token.until.is_none_or(|until| until > Instant::now()).then(|| token.access.clone())
    }

    /// The token for a use: one that is known, or a new one.
    async fn token(&self, key: &Key, asking: &Asking<'_>) -> Result<SecretString, ToolError> {
        if let Some(known) = self.known(key) {
            return Ok(known);
        }
        let came = Instant::now();
        let wait = self.state.asking.lock();
        let _turn = match asking.end {
            Some(end) => tokio::time::timeout_at(end.into(), wait)
                .await
                .map_err(|_| ToolError::TimedOut(came.elapsed()))?,
            None => wait.await,
        };
        // Somebody may have asked while this call waited.
        if let Some(known) = self.known(key) {
            return Ok(known);
        }
        let failed = lock(&self.state.failed).clone();
        if let Some((at, of, message)) = failed
            && at > came
            && of == *key
        {
            return Err(ToolError::failed(message.to_string()));
        }
        match self.ask(key, asking).await {
            Ok(token) => {
                let access = token.access.clone();
                lock(&self.state.tokens).insert(key.clone(), token);
                Ok(access)
            }
            Err(error) => {
                let message: Arc<str> = error.for_model().into();
                *lock(&self.state.failed) = Some((Instant::now(), key.clone(), message));
                Err(error)
            }
        }
    }

    /// Throws a token away that a service refused, unless another call has done so already.
    fn forget(&self, key: &Key, refused: &SecretString) {
        let mut tokens = lock(&self.state.tokens);
        if tokens.get(key).is_some_and(|known| known.access.expose_secret() == refused.expose_secret()) {
            tokens.remove(key);
        }
    }
}

/// A token is used until a little before its end: a minute, or a tenth of a short life.
pub(crate) fn until(lives: Duration) -> Option<Instant> {
    let margin = (lives / 10).min(Duration::from_secs(60));
    Instant::now().checked_add(lives.saturating_sub(margin))
}

/// A panic elsewhere leaves whole values behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grant = match self.config.grant {
            Grant::ClientCredentials => "client_credentials",
            Grant::RefreshToken(_) => "refresh_token",
        };
        f.debug_struct("OAuth")
            .field("client_id", &self.config.client_id)
            .field("grant", &grant)
            .field("scopes", &self.config.scopes)
            .finish_non_exhaustive()
    }
}
