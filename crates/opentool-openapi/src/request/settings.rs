//! What the host decides about requests: where they go, with which credentials, within which limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use opentool_http::{Addresses, Authorities, Client, HeaderName, Identity, Options};
use secrecy::SecretString;
use url::Url;

use crate::{OAuth, Retries, SecretSource};

/// The host's side of all requests of a document.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Where to send, in place of what the document says.
    pub server: Option<Url>,
    /// Values of the variables in the document's server addresses; the rest have the document's defaults.
    pub server_variables: BTreeMap<String, String>,
    /// Where the document came from; relative server addresses are resolved against it.
    pub document_url: Option<Url>,
    /// The machine that the document was fetched from; a proxy, where there is one. Where its address is public, servers at the
    /// document's own origin must have public addresses too, or the name could lead into the host's network the second
    /// time. Default: as [`load`](crate::load()) found it.
    pub document_peer: Option<IpAddr>,
    /// Credentials by the names of the document's security schemes.
    pub credentials: BTreeMap<String, Credential>,
    /// A token for every scheme that takes one (HTTP bearer, OAuth 2, OpenID Connect), and for operations about
    /// whose security the document says nothing.
    pub bearer: Option<SecretString>,
    /// A key for every API key scheme.
    pub api_key: Option<SecretString>,
    /// User and password for HTTP Basic, and for operations about whose security the document says nothing.
    pub basic: Option<(String, SecretString)>,
    /// As [`Settings::bearer`], kept elsewhere. That one goes first.
    pub bearer_from: Option<SecretSource>,
    /// As [`Settings::api_key`], kept elsewhere. That one goes first.
    pub api_key_from: Option<SecretSource>,
    /// As [`Settings::basic`], kept elsewhere as `user:password`. That one goes first.
    pub basic_from: Option<SecretSource>,
    /// The client certificate for every scheme `mutualTLS`, and for all other operations over `https` as well: many services
    /// that ask for one do not say so in their documents.
    pub identity: Option<Identity>,
    /// Authorities whose certificates are trusted besides those that the platform trusts. Holds for the client that
    /// [`Settings::client`] makes.
    pub authorities: Option<Authorities>,
    /// Headers of every request, in place of what arguments and the document say there; credentials of the same name go
    /// before them. They are shown as `***` and go no further than credentials.
    pub headers: Vec<(HeaderName, SecretString)>,
    /// What happens to a call for which credentials are missing.
    pub missing_credentials: MissingCredentials,
    /// Which addresses requests may connect to. Default: any where the host named the server; for a document that the host gave
    /// as a file or a text, any but link-local ones and metadata services of clouds; for one that was fetched, any at
    /// the document's own origin, and public ones for all others. See [`Settings::document_peer`].
    pub addresses: Option<Addresses>,
    /// How often and when a request that failed for the moment is sent again.
    pub retries: Retries,
    /// The longest exchange. Default: the client's limit, 60 seconds.
    pub timeout: Option<Duration>,
    /// The largest answer in bytes, after it was unpacked. Default: the client's limit, 10 MiB.
    pub body_limit: Option<u64>,
    /// The longest text of a result in bytes; what is longer is cut, with a notice, and is no structured value. Default:
    /// [`RESULT_LIMIT`], since results are read by models; `None` is no limit but that above. Bytes count as base64, and a notice
    /// stands in the place of those that are too many; images, sounds and PDF have 5 MiB at least.
    pub result_limit: Option<usize>,
    /// The directory below which models may name files as the bytes of a body, as `{"$file": "report.pdf"}`. Default: none,
    /// bytes are base64 and data URIs.
    pub uploads: Option<PathBuf>,
    /// The headers of an answer that are kept for the host in the output's metadata, under `http.headers`. Default: those
    /// that say which version was answered, where there is more, and how often one may ask.
    pub result_headers: Vec<HeaderName>,
}

/// The longest text of a result in bytes where the host sets none: some 25,000 tokens, which is also what clients of MCP
/// let through.
pub const RESULT_LIMIT: usize = 100_000;

/// The headers that are kept where the host says nothing.
const RESULT_HEADERS: [HeaderName; 12] = [
    http::header::ETAG,
    http::header::LAST_MODIFIED,
    http::header::LINK,
    http::header::LOCATION,
    http::header::CONTENT_LOCATION,
    http::header::RETRY_AFTER,
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-total-count"),
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
    HeaderName::from_static("ratelimit"),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            server: None,
            server_variables: BTreeMap::new(),
            document_url: None,
            document_peer: None,
            credentials: BTreeMap::new(),
            bearer: None,
            api_key: None,
            basic: None,
            bearer_from: None,
            api_key_from: None,
            basic_from: None,
            identity: None,
            authorities: None,
            headers: Vec::new(),
            missing_credentials: MissingCredentials::default(),
            addresses: None,
            retries: Retries::default(),
            timeout: None,
            body_limit: None,
            result_limit: Some(RESULT_LIMIT),
            uploads: None,
            result_headers: RESULT_HEADERS.to_vec(),
        }
    }
}

impl Settings {
    /// Nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A client with these limits.
    pub fn client(&self) -> Client {
        let mut options = Options::new().authorities(self.authorities.clone());
        if let Some(limit) = self.timeout {
            // A host that allows two minutes for an answer allows two minutes of silence before it.
            options = options.timeout(limit).idle_timeout(limit);
        }
        if let Some(limit) = self.body_limit {
            options = options.body_limit(limit);
        }
        Client::new(options)
    }
}

/// A credential for one security scheme. `Debug` shows its kind only.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Credential {
    /// A token: HTTP bearer, OAuth 2, OpenID Connect.
    Bearer(SecretString),
    /// An API key.
    ApiKey(SecretString),
    /// User and password: HTTP Basic.
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: SecretString,
    },
    /// Whatever the scheme takes, as one text: a token, a key, or `user:password`.
    Text(SecretString),
    /// Tokens that are fetched: OAuth 2, OpenID Connect, and HTTP bearer where the token endpoint is set.
    OAuth(OAuth),
    /// Whatever the scheme takes, kept elsewhere: a token, a key, or `user:password`.
    Kept(SecretSource),
    /// A client certificate: mutual TLS.
    Certificate(Identity),
}

impl Credential {
    /// A token.
    pub fn bearer(token: impl Into<String>) -> Self {
        Self::Bearer(token.into().into())
    }

    /// An API key.
    pub fn api_key(key: impl Into<String>) -> Self {
        Self::ApiKey(key.into().into())
    }

    /// User and password.
    pub fn basic(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self::Basic { user: user.into(), password: password.into().into() }
    }

    /// What a file holds: a token, a key, or `user:password`. It is read when the first call needs it, and again after a
    /// minute.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::Kept(SecretSource::file(path))
    }

    /// What an environment variable of this process holds: a token, a key, or `user:password`.
    pub fn environment(variable: impl Into<OsString>) -> Self {
        Self::Kept(SecretSource::environment(variable))
    }

    /// What a command prints: a token, a key, or `user:password`. It is run without a shell when the first call needs it;
    /// [`SecretSource::command`] says what it may print and how long that is used.
    pub fn command(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self::Kept(SecretSource::command(program, arguments))
    }

    /// Whatever the scheme takes, as one text: a token, a key, or `user:password`.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into().into())
    }
}

/// What happens to a call for which the document asks for credentials that the host has not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingCredentials {
    /// Nothing is sent; the error names the schemes.
    #[default]
    Refuse,
    /// The request is sent without; the service decides. For documents that ask for more than their service does.
    SendWithout,
}
